# SPDX-License-Identifier: GPL-3.0-or-later
"""From trajectories, in metres and with holes, to what one character plays, in Blender units and without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...core import Trajectories
from ...core.motion.blending import Strides, blended_phase, find_gait, smooth_speed
from ...core.motion.gait import distance_ahead, distance_walked
from ...core.motion.heading import continuous_heading, hold_absent, lean_into_bends
from ..bakes.sampled_crowd import Samples

Float64 = NDArray[np.float64]


_AT_ONCE = 256  # agents: with many more their arrays are too large for the processor's memory


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


def leaning(performances: Sequence[Performance], amount: float, unit: float) -> list[Performance]:
    """The same performances by people who lean into bends.

    Args:
        performances: of people upright, over the same frames.
        amount: how much, of what would balance them.
        unit: metres per Blender unit.
    """
    if not amount or not performances:
        return list(performances)
    places = np.stack([each.location[:, :2] for each in performances], axis=1)
    present = np.stack([each.present for each in performances], axis=1)
    heading = np.stack([each.heading for each in performances], axis=1)
    lean = lean_into_bends(heading, distance_walked(places * unit, present), performances[0].fps, amount)
    return [replace(each, lean=own) for each, own in zip(performances, _rows(lean), strict=True)]


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
        self._trajectories = trajectories
        self._fps = trajectories.fps
        self._ground = ground
        self._unit = unit

    def of(self, agents: NDArray[np.int64], *, strides: Strides, start_phases: Float64) -> list[Performance]:
        """The performances of some agents.

        Args:
            agents: int64 (N,), their places in the trajectories.
            strides: of the clips of N agents [m].
            start_phases: float64 (N,), where in the walk they set out [runs].
        """
        seen = {name: _rows(values) for name, values in vars(self._of_some(agents, strides, start_phases)).items()}
        heights = heights_of(self._ground, self._unit)
        upright = np.zeros(len(self.frames))
        return [
            Performance(self.frames, fps=self._fps, lean=upright, ground=heights, **{key: seen[key][k] for key in seen})
            for k in range(len(agents))
        ]

    def together(self, agents: NDArray[np.int64], *, strides: Strides, start_phases: Float64) -> Samples:
        """The performances of many agents, as arrays of float32, which meshes hold.

        Args:
            agents: int64 (N,), their places in the trajectories.
            strides: of the clips of N agents [m].
            start_phases: float64 (N,) [runs].
        """
        shape = len(self.frames), len(agents)
        location, heading, phase, gait = (
            np.empty(size, dtype=np.float32) for size in ((*shape, 3), shape, shape, shape)
        )
        found = Samples(location, heading, phase, gait, np.empty(shape, dtype=bool))
        walk, run, stands = (np.broadcast_to(each, len(agents)) for each in (strides.walk, strides.run, strides.stands))
        for first in range(0, len(agents), _AT_ONCE):
            own = slice(first, first + _AT_ONCE)
            some = self._of_some(agents[own], Strides(walk[own], run[own], stands[own]), start_phases[own])
            for name, values in vars(some).items():
                getattr(found, name)[:, own] = values
        return found

    def _of_some(self, agents: NDArray[np.int64], strides: Strides, start_phases: Float64) -> Samples:
        columns, known = _columns(agents), self._trajectories
        present, position = known.present[:, columns], known.position[:, columns]
        location = hold_absent(position, present)
        if self._ground is not None:
            location = self._on_ground(location.reshape(-1, 3)).reshape(location.shape)
        heading = continuous_heading(known.heading[:, columns], present)
        walked, ahead = distance_walked(position, present), distance_ahead(position, heading, present)
        gait = find_gait(smooth_speed(walked, self._fps), strides, self._fps, smooth_speed(ahead, self._fps))
        return Samples(
            location / self._unit if self._unit != 1.0 else location,
            heading,
            blended_phase(walked, gait, strides, start_phases),
            gait,
            present,
        )

    def _on_ground(self, places: Float64) -> Float64:
        """Places float64 (N, 3) put on the ground under them [m]."""
        if self._ground is None:
            return places
        heights = self._ground.heights(places[:, :2], places[:, 2])
        return np.column_stack([places[:, :2], heights])


def _rows(values: NDArray[Any]) -> NDArray[Any]:
    """Values (F, A, ...) of several agents as those of each, (A, F, ...), one after the other in memory."""
    return np.ascontiguousarray(np.moveaxis(values, 1, 0))


def _columns(agents: NDArray[np.int64]) -> slice | NDArray[np.int64]:
    """The same columns as a slice where they follow each other: millions of values are then not copied."""
    first, last = int(agents[0]), int(agents[-1])
    return slice(first, last + 1) if np.array_equal(agents, np.arange(first, last + 1)) else agents
