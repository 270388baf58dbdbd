# SPDX-License-Identifier: GPL-3.0-or-later
"""From trajectories, in metres and with holes, to what one character plays, in Blender units and without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...core import Trajectories
from ...core.motion.gait import distance_walked, stride_phase
from ...core.motion.heading import continuous_heading, hold_absent

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
        present: bool (F,).
    """

    frames: NDArray[np.int64]
    location: Float64
    heading: Float64
    phase: Float64
    present: NDArray[np.bool_]


class Performances:
    """The performances of all agents.

    Args:
        trajectories: where everybody is.
        ground: what they stand on; None: they keep the height that they have.
        unit: metres per Blender unit.
    """

    def __init__(self, trajectories: Trajectories, *, ground: HasHeights | None, unit: float) -> None:
        self._frames = trajectories.frames
        self._present = trajectories.present
        self._position = hold_absent(trajectories.position, trajectories.present)  # (F, A, 3)
        self._heading = continuous_heading(trajectories.heading, trajectories.present)
        self._walked = distance_walked(trajectories.position, trajectories.present)
        self._ground = ground
        self._unit = unit

    def of(self, agent: int, *, stride_length: float, start_phase: float) -> Performance:
        """The performance of one agent.

        Args:
            agent: its place in the trajectories.
            stride_length: way of one run of its walk [m].
            start_phase: where in the walk it sets out [runs].
        """
        location = self._position[:, agent].copy()
        if self._ground is not None:
            location[:, 2] = self._ground.heights(location[:, :2], location[:, 2])
        return Performance(
            self._frames,
            location / self._unit,
            self._heading[:, agent],
            stride_phase(self._walked[:, agent], stride_length, start_phase),
            self._present[:, agent],
        )
