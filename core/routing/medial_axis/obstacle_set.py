# SPDX-License-Identifier: GPL-3.0-or-later
"""The obstacles of a map under their ids, and which of them a change reaches.

An obstacle set never changes; a changed map has a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int64
from .free_space import Shape


@dataclass(frozen=True, eq=False)
class ObstacleSet:
    """Obstacles.

    Attributes:
        shapes: under their ids.
        ids: int64 (N,), in the order of `boxes`.
        boxes: float64 (N, 4), lowest and highest x, y of each obstacle [m].
    """

    shapes: dict[int, Shape]
    ids: Int64
    boxes: Float64

    @staticmethod
    def of(shapes: Sequence[Shape]) -> ObstacleSet:
        """Give obstacles the ids 0, 1, 2..."""
        boxes = np.array([box_of(shape) for shape in shapes]).reshape(-1, 4)
        return ObstacleSet(dict(enumerate(shapes)), np.arange(len(shapes)), boxes)

    def with_shape(self, number: int, shape: Shape) -> ObstacleSet:
        """Return the obstacle set with an obstacle added, or replaced if it has its id."""
        rest = self.without(number) if number in self.shapes else self
        ids, boxes = np.concatenate((rest.ids, [number])), np.concatenate((rest.boxes, [box_of(shape)]))
        return ObstacleSet({**self.shapes, number: shape}, ids, boxes)

    def without(self, number: int) -> ObstacleSet:
        """Return the obstacle set without an obstacle."""
        shapes = self.shapes.copy()
        del shapes[number]
        kept = self.ids != number
        return ObstacleSet(shapes, self.ids[kept], self.boxes[kept])

    def reached_from(self, first: Bool, others: Float64, margin: float) -> Bool:
        """Return the obstacles whose boxes are connected with some obstacles or boxes through touching boxes.

        Args:
            first: bool (N,), the obstacles.
            others: float64 (K, 4), the other boxes [m].
            margin: boxes no farther apart than this touch [m].

        Returns:
            bool (N,), including the first.
        """
        reached = first.copy()
        boxes = np.concatenate((others, self.boxes[first]))
        low_x, low_y, high_x, high_y = self.boxes.T
        while len(boxes):
            left, low, right, high = (boxes + np.array([-margin, -margin, margin, margin])).T[:, :, None]
            meets = ((low_x <= right) & (low_y <= high) & (high_x >= left) & (high_y >= low)).any(axis=0)
            boxes = self.boxes[meets & ~reached]
            reached |= meets
        return reached


def box_of(shape: Shape) -> tuple[float, float, float, float]:
    """Return the lowest and the highest x, y of an obstacle [m]."""
    points = shape.rings[0] if shape.line is None else shape.line
    x, y = points.T.tolist()  # few, for which numpy is slower
    return min(x), min(y), max(x), max(y)
