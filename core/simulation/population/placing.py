# SPDX-License-Identifier: GPL-3.0-or-later
"""The people of a scene while they are placed, crowd by crowd, and where there is room for the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...geometry import segments
from ...planning.paths.path_tables import PathTable
from ...scene import Crowd, Route, Scene
from ..world.environment import Environment
from .entry_places import standing
from .free_places import Free

Float64 = NDArray[np.float64]
Placed = TypeVar("Placed")


@dataclass(eq=False)
class Gathering:
    """What has been gathered so far."""

    scene: Scene
    surroundings: Environment
    bounds: Float64
    routes: list[Route]
    tables: list[PathTable]
    horizon: float
    taken: Float64 = field(default_factory=lambda: np.zeros((0, 3)))
    notices: list[str] = field(default_factory=list)
    listed: dict[str, Float64] = field(default_factory=dict)

    def take(self, points: Float64, radius: float | Float64) -> None:
        """Note that bodies stand at points at the first frame."""
        self.taken = np.concatenate([self.taken, standing(points, radius)])

    def free(self, points: Float64, radius: float | Float64) -> NDArray[np.bool_]:
        """Tell where bodies, all alike or one for each point, can stand at the first frame."""
        return self.surroundings.is_free(points, radius, 0.0) & segments.contains(self.bounds, points)

    def free_but_for_heroes(self, points: Float64, radius: float | Float64) -> NDArray[np.bool_]:
        """Tell it as if there were no heroes."""
        free = self.surroundings.is_free(points, radius, 0.0, heroes=False)
        return free & segments.contains(self.bounds, points)

    def place(self, crowd: Crowd, placed: Callable[[Free], Placed], points_of: Callable[[Placed], Float64]) -> Placed:
        """Place a crowd at the first frame.

        A hero may be somebody of it who does not come, and stand where they would have stood: as long as heroes are in
        nobody's way, all others stand where they would without them.

        Args:
            crowd: who is placed.
            placed: places it where a function tells that it is free.
            points_of: returns float64 (count, 2), where its people then stand [m].
        """
        if crowd.absent:
            as_before = placed(self.free_but_for_heroes)
            others = np.delete(points_of(as_before), crowd.absent, axis=0)
            if self.free(others, crowd.radius[1]).all():
                return as_before
        return placed(self.free)
