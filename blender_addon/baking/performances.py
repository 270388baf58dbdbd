# SPDX-License-Identifier: GPL-3.0-or-later
"""From trajectories, in metres and with holes, to what one character plays, in Blender units and without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...core import Trajectories
from ...core.motion.blending import Strides, blended_phase, find_gait, smooth_speed
from ...core.motion.gait import distance_walked
from ...core.motion.heading import continuous_heading, hold_absent, lean_into_bends
from .samples import Samples

Float64 = NDArray[np.float64]


class HasHeights(Protocol):
    """Something to stand on."""

    def heights(self, xy: Float64, near_z: Float64) -> Float64:
        """Heights under points [m]; where there are several storeys, of the one nearest to `near_z`."""
        ...


@dataclass(frozen=True, eq=False)
class Performance:
    """What one agent does, ready for keys.

    Attributes:
        frames: int64 (F,).
        location: float64 (F, 3) [Blender units]; held where absent.
        heading: float64 (F,) [rad], continuous; held where absent.
        phase: float64 (F,), runs of the walk, counted on.
        gait: float64 (F,), what it does: 0 stands, 1 walks, 2 runs.
        present: bool (F,).
        fps: frames per second.
        lean: float64 (F,), how far it leans to its left, into bends [rad].
        ground: heights of the ground at places float64 (N, 3) near them, both in Blender units; None: it is level.
        size: how many times as large as its character it is.
    """

    frames: NDArray[np.int64]
    location: Float64
    heading: Float64
    phase: Float64
    gait: Float64
    present: NDArray[np.bool_]
    fps: float
    lean: Float64
    ground: Callable[[Float64], Float64] | None = None
    size: float = 1.0


def leaning(performance: Performance, amount: float, unit: float) -> Performance:
    """The same performance by somebody who leans into bends.

    Args:
        performance: of somebody upright.
        amount: how much, of what would balance it.
        unit: metres per Blender unit.
    """
    if not amount:
        return performance
    walked = distance_walked(performance.location[:, None] * unit, performance.present[:, None])
    lean = lean_into_bends(performance.heading[:, None], walked, performance.fps, amount)
    return replace(performance, lean=lean[:, 0])


def heights_of(ground: HasHeights | None, unit: float) -> Callable[[Float64], Float64] | None:
    """Heights under places float64 (N, 3), all in Blender units of `unit` metres; None where there is no ground."""
    if ground is None:
        return None

    def heights(places: Float64) -> Float64:
        return ground.heights(places[:, :2] * unit, places[:, 2] * unit) / unit

    return heights


class Performances:
    """The performances of all agents.

    Args:
        trajectories: where everybody is.
        ground: what they stand on; None: they keep the height that they have.
        unit: metres per Blender unit.

    Attributes:
        frames: int64 (F,).
    """

    def __init__(self, trajectories: Trajectories, *, ground: HasHeights | None, unit: float) -> None:
        self.frames = trajectories.frames
        self._present = trajectories.present
        self._trajectories = trajectories
        self._fps = trajectories.fps
        self._ground = ground
        self._unit = unit

    @cached_property
    def _position(self) -> Float64:
        """Where everybody is, float64 (F, A, 3) [m]; held where absent. Not needed where nobody is written."""
        return hold_absent(self._trajectories.position, self._present)

    @cached_property
    def _heading(self) -> Float64:
        return continuous_heading(self._trajectories.heading, self._present)

    @cached_property
    def _walked(self) -> Float64:
        return distance_walked(self._trajectories.position, self._present)

    def of(self, agent: int, *, strides: Strides, start_phase: float) -> Performance:
        """The performance of one agent.

        Args:
            agent: its place in the trajectories.
            strides: of its clips [m].
            start_phase: where in the walk it sets out [runs].
        """
        gait, phase = self._stride(agent, strides, start_phase)
        return Performance(
            self.frames,
            self._on_ground(self._position[:, agent]) / self._unit,
            self._heading[:, agent],
            phase,
            gait,
            self._present[:, agent],
            self._fps,
            np.zeros(len(self.frames)),
            heights_of(self._ground, self._unit),
        )

    def together(self, agents: NDArray[np.int64], *, strides: Strides, start_phases: Float64) -> Samples:
        """The performances of many agents, as arrays.

        Args:
            agents: int64 (N,), their places in the trajectories.
            strides: of the clips of N agents [m].
            start_phases: float64 (N,) [runs].
        """
        columns = _columns(agents)
        location = self._position[:, columns]
        if self._ground is not None:
            location = self._on_ground(location.reshape(-1, 3)).reshape(location.shape)
        gait, phase = self._stride(columns, strides, start_phases)
        return Samples(
            location / self._unit if self._unit != 1.0 else location,
            self._heading[:, columns],
            phase,
            gait,
            self._present[:, columns],
        )

    def _stride(
        self, columns: int | slice | NDArray[np.int64], strides: Strides, start_phase: Float64 | float
    ) -> tuple[Float64, Float64]:
        """Gait and runs of the walk, of one agent (F,) or of several (F, N)."""
        walked = self._walked[:, columns]
        gait = find_gait(smooth_speed(walked, self._fps), strides, self._fps)
        return gait, blended_phase(walked, gait, strides, start_phase)

    def _on_ground(self, places: Float64) -> Float64:
        """Places float64 (N, 3) put on the ground under them [m]."""
        if self._ground is None:
            return places
        heights = self._ground.heights(places[:, :2], places[:, 2])
        return np.column_stack([places[:, :2], heights])


def _columns(agents: NDArray[np.int64]) -> slice | NDArray[np.int64]:
    """The same columns as a slice where they follow each other: millions of values are then not copied."""
    first, last = int(agents[0]), int(agents[-1])
    return slice(first, last + 1) if np.array_equal(agents, np.arange(first, last + 1)) else agents
