# SPDX-License-Identifier: GPL-3.0-or-later
"""Height of the ground where people find their own routes, on a square grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...array_types import Float64
from .value_checks import Checker, shown


@dataclass(frozen=True, eq=False)
class Terrain:
    """Heights of the ground at the points of a grid.

    Attributes:
        corner: x and y of the first point [m].
        cell: distance between points [m].
        heights: float64 (X, Y), at corner + cell (i, j); at least two points along each axis [m].
    """

    corner: tuple[float, float]
    cell: float
    heights: Float64

    def __deepcopy__(self, memo: object) -> Terrain:
        """The same: nothing of it ever changes."""
        return self

    def height(self, places: Float64) -> Float64:
        """Heights at points, interpolated on the grid; beyond its edge the height of the edge.

        Args:
            places: float64 (N, 2) [m].

        Returns:
            float64 (N,) [m].
        """
        x, y = self.heights.shape
        on = np.clip((places - np.array(self.corner)) / self.cell, 0.0, (x - 1.0, y - 1.0))
        first = np.minimum(on.astype(np.int64), (x - 2, y - 2))
        i, j = first.T
        a, b = (on - first).T
        near = self.heights[i, j] * (1.0 - b) + self.heights[i, j + 1] * b
        far = self.heights[i + 1, j] * (1.0 - b) + self.heights[i + 1, j + 1] * b
        return near * (1.0 - a) + far * a


def check_terrain(check: Checker, terrain: Terrain) -> None:
    """Find the faults of a terrain with any content.

    Args:
        check: collects the faults.
        terrain: of a scene.
    """
    corner: Any = terrain.corner
    if not isinstance(corner, list | tuple) or len(corner) != 2:
        check.add("terrain.corner", f"must be x and y of the first grid point, got {shown(corner)}")
    else:
        for i, number in enumerate(corner):
            check.number(f"terrain.corner[{i}]", number)
    check.number("terrain.cell", terrain.cell, above=0.0)
    place, heights = "terrain.heights", terrain.heights
    if check.array(place, heights, "(X, Y)", 2) and check.finite(place, heights) and min(heights.shape) < 2:
        check.add(place, f"needs at least 2 x 2 grid points, got {heights.shape}")
