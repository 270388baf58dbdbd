# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under people without a curve, as the core needs it: heights on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from ....core.array_types import Float64
from ....core.scene import VEHICLE, Area, Crowd
from ....core.scene.basics.terrain import Terrain
from .ground import GroundMesh
from .sampling import GROUND_SAMPLING


class TerrainHeights:
    """Heights of the ground kept from one reading to the next, by ground and grid."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, bytes, float, int, int], Float64 | None] = {}

    def find(self, ground: GroundMesh, low: Float64, cell: float, shape: tuple[int, int]) -> Float64 | None:
        """Return the heights at the corners of a grid's cells, computed or kept [m]; None where the ground is level.

        Args:
            ground: the ground.
            low: float64 (2,), the lowest corner [m].
            cell: width of a cell [m].
            shape: number of corners along x and y.
        """
        key = blake2b(ground.corners.tobytes()).digest(), low.tobytes(), cell, *shape
        if key not in self._known:
            while len(self._known) >= GROUND_SAMPLING.kept_terrains:
                del self._known[next(iter(self._known))]
            self._known[key] = _heights(ground, low, cell, shape)
        return self._known[key]


def read_terrain(
    ground: GroundMesh,
    crowds: Sequence[Crowd],
    areas: Sequence[Area],
    bounds: Float64 | None,
    known: TerrainHeights,
) -> Terrain | None:
    """Read the heights of the ground where people go from area to area.

    Of several storeys the one nearest to the height 0 is used, on which people without a route are placed.

    Args:
        ground: the ground.
        crowds: of the scene.
        areas: of the scene.
        bounds: float64 (B, 2), which nobody leaves [m], or None.
        known: heights kept from earlier readings.

    Returns:
        The terrain; None where no crowd depends on slopes, or the ground is level.
    """
    own = [crowd for crowd in crowds if crowd.route is None and crowd.kind != VEHICLE and crowd.slope_effect]
    names = {name for crowd in own for name in (crowd.start, crowd.goal)}
    outlines = [area.outline for area in areas if area.name in names]
    if not outlines:
        return None
    points, margin = np.concatenate(outlines), GROUND_SAMPLING.terrain_margin
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    if bounds is not None:
        low, high = np.maximum(low, bounds.min(axis=0)), np.minimum(high, bounds.max(axis=0))
    size = np.maximum(high - low, GROUND_SAMPLING.terrain_cell)
    cell = max(GROUND_SAMPLING.terrain_cell, float(np.sqrt(size.prod() / GROUND_SAMPLING.most_cells)))
    columns, rows = (int(count) for count in np.ceil(size / cell) + 1)
    heights = known.find(ground, low, cell, (columns, rows))
    return None if heights is None else Terrain((float(low[0]), float(low[1])), cell, heights)


def _heights(ground: GroundMesh, low: Float64, cell: float, shape: tuple[int, int]) -> Float64 | None:
    """Compute the heights at the corners of the cells [m]; None where the ground is level."""
    i, j = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
    places = low + cell * np.stack((i.ravel(), j.ravel()), axis=1)
    heights = np.round(ground.heights(places, 0.0), 4).reshape(shape)
    heights.setflags(write=False)
    return None if np.ptp(heights) < GROUND_SAMPLING.level_tolerance else heights
