# SPDX-License-Identifier: GPL-3.0-or-later
"""From trajectories, in metres and with holes, to what one character plays, in Blender units and without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...core import Trajectories
from ...core.motion.blending import blended_phase, smooth_speed, walk_share
from ...core.motion.gait import distance_walked, stride_phase
from ...core.motion.heading import continuous_heading, hold_absent
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
        share: float64 (F,), of walking in what it does; the rest is standing.
        present: bool (F,).
        fps: frames per second.
        ground: heights of the ground at places float64 (N, 3) near them, both in Blender units; None: it is level.
    """

    frames: NDArray[np.int64]
    location: Float64
    heading: Float64
    phase: Float64
    share: Float64
    present: NDArray[np.bool_]
    fps: float
    ground: Callable[[Float64], Float64] | None = None


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
        self._position = hold_absent(trajectories.position, trajectories.present)  # (F, A, 3)
        self._heading = continuous_heading(trajectories.heading, trajectories.present)
        self._walked = distance_walked(trajectories.position, trajectories.present)
        self._fps = trajectories.fps
        self._ground = ground
        self._unit = unit

    def of(self, agent: int, *, stride_length: float, start_phase: float, stands: bool = False) -> Performance:
        """The performance of one agent.

        Args:
            agent: its place in the trajectories.
            stride_length: way of one run of its walk [m].
            start_phase: where in the walk it sets out [runs].
            stands: it has a way to stand, so its walk is blended with that when it is slow.
        """
        share, phase = self._stride(agent, np.float64(stride_length), np.float64(start_phase), np.bool_(stands))
        return Performance(
            self.frames,
            self._on_ground(self._position[:, agent]) / self._unit,
            self._heading[:, agent],
            phase,
            share,
            self._present[:, agent],
            self._fps,
            heights_of(self._ground, self._unit),
        )

    def together(
        self, agents: NDArray[np.int64], *, stride_lengths: Float64, start_phases: Float64, stand: NDArray[np.bool_]
    ) -> Samples:
        """The performances of many agents, as arrays.

        Args:
            agents: int64 (N,), their places in the trajectories.
            stride_lengths: float64 (N,) [m].
            start_phases: float64 (N,) [runs].
            stand: bool (N,), who has a way to stand.
        """
        columns = _columns(agents)
        location = self._position[:, columns]
        if self._ground is not None:
            location = self._on_ground(location.reshape(-1, 3)).reshape(location.shape)
        share, phase = self._stride(columns, stride_lengths, start_phases, stand)
        return Samples(
            location / self._unit if self._unit != 1.0 else location,
            self._heading[:, columns],
            phase,
            share,
            self._present[:, columns],
        )

    def _stride(
        self,
        columns: int | slice | NDArray[np.int64],
        stride_length: Float64 | np.float64,
        start_phase: Float64 | np.float64,
        stand: NDArray[np.bool_] | np.bool_,
    ) -> tuple[Float64, Float64]:
        """Share of walking and runs of the walk, of one agent (F,) or of several (F, N)."""
        walked = self._walked[:, columns]
        if not np.any(stand):
            return np.ones(walked.shape), stride_phase(walked, stride_length, start_phase)
        share = np.where(stand, walk_share(smooth_speed(walked, self._fps), stride_length), 1.0)
        return share, blended_phase(walked, share, stride_length, start_phase)

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
