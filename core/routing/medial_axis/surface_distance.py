# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to the exact shapes, not to their rounded copies on the grid, also right after a change.

The distance field is built of one set of obstacles. For a changed set, obstacles added since are tested one by one,
and points whose nearest surface belonged to a removed one test all; after many changes the field is built again.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Float64
from ...geometry.distance_field import ObstacleField
from ...geometry.segments import nearest_on_segments
from .free_space import Shape
from .obstacle_set import ObstacleSet, box_of

MOST_CHANGES = 32
"""After more added or removed obstacles the field is built again."""

MOST_PAIRS = 2e6
"""With more pairs of a point and a segment to test, too."""


class Surfaces:
    """Distances to obstacles and bounds."""

    def __init__(self, obstacles: ObstacleSet, bounds: Float64) -> None:
        """Make the field.

        Args:
            obstacles: the obstacles.
            bounds: float64 (B, 2), the outline of the ground [m].
        """
        self._bounds = bounds
        self._make(obstacles)

    def _make(self, obstacles: ObstacleSet) -> None:
        shapes = obstacles.shapes.values()
        solids = [(shape.rings[0], shape.rings[1:]) for shape in shapes if shape.rings]
        lines = [shape.line for shape in shapes if shape.line is not None]
        lines = [line if len(line) > 1 else np.concatenate((line, line)) for line in lines]
        self._field = ObstacleField(solids, [*lines, np.concatenate((self._bounds, self._bounds[:1]))])
        self._shapes = obstacles.shapes

    def nearest(self, points: ArrayLike, obstacles: ObstacleSet) -> tuple[Float64, Float64]:
        """Find the nearest point on any surface.

        Args:
            points: float64 (N, 2) [m].
            obstacles: the present obstacles.

        Returns:
            distance float64 (N,), not signed [m], and closest float64 (N, 2) [m].
        """
        places = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        gone = [shape for number, shape in self._shapes.items() if obstacles.shapes.get(number) is not shape]
        come = [shape for number, shape in obstacles.shapes.items() if self._shapes.get(number) is not shape]
        if len(gone) + len(come) > MOST_CHANGES:
            self._make(obstacles)
            gone, come = [], []
        distance, closest = self._field.nearest(places)
        if gone:
            boxes = np.array([box_of(shape) for shape in gone])
            x, y = closest.T[:, :, None]
            within = (x >= boxes[:, 0]) & (x <= boxes[:, 2]) & (y >= boxes[:, 1]) & (y <= boxes[:, 3])
            doubtful = np.flatnonzero(within.any(axis=1))
            starts, ends = _edges(obstacles.shapes.values(), self._bounds)
            if len(doubtful) * len(starts) > MOST_PAIRS:
                self._make(obstacles)
                return self._field.nearest(places)
            distance[doubtful], closest[doubtful], _ = nearest_on_segments(places[doubtful], starts, ends)
        if come:
            to_new, on_new, _ = nearest_on_segments(places, *_edges(come))
            nearer = to_new < distance
            distance[nearer], closest[nearer] = to_new[nearer], on_new[nearer]
        return distance, closest


def _edges(shapes: Iterable[Shape], bounds: Float64 | None = None) -> tuple[Float64, Float64]:
    """Starts and ends of all edges of some shapes, and of the bounds if they are given."""
    rings = [ring for shape in shapes for ring in shape.rings]
    rings += [] if bounds is None else [bounds]
    lines = [shape.line for shape in shapes if shape.line is not None]
    starts = [*rings, *(line[: max(1, len(line) - 1)] for line in lines)]
    ends = [
        *(np.concatenate((ring[1:], ring[:1])) for ring in rings),
        *(line[min(1, len(line) - 1) :] for line in lines),
    ]
    return np.concatenate(starts), np.concatenate(ends)
