# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to a large field and a few more obstacles, without building the large field again.

A grid of cells over ten thousand edges takes half a second; one over the leaves of some doors a few milliseconds. The
samples of the large field are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Bool, Float64, Int64
from ..compiled import twins
from .distance_field import ObstacleField, Polygon
from .distances import Distances, KernelGrid
from .field_settings import FIELD


class JoinedField:
    """The lesser of two distances, everywhere; inside both, the depth is that to the nearest edge of either.

    Implements `core.geometry.distances.Distances`.
    """

    def __init__(self, base: Distances, more: Sequence[Polygon]) -> None:
        """Join.

        Args:
            base: distances to static obstacles.
            more: pairs of an outline, float64 (V, 2) [m], and its holes.

        Raises:
            GeometryError: a coordinate is not finite.
        """
        self._base, self._more = base, ObstacleField(more)
        corners = np.concatenate([np.zeros((0, 2)), *(_rows(outline) for outline, _ in more)])
        self._low, self._high = corners.min(axis=0, initial=np.inf), corners.max(axis=0, initial=-np.inf)
        self.empty = base.empty and self._more.empty

    @property
    def kernel_grid(self) -> KernelGrid | None:
        """See `ObstacleField.kernel_grid`: both grids in one."""
        return self._both_grids

    @cached_property
    def _both_grids(self) -> KernelGrid | None:
        asked, more = self._base.kernel_grid, self._more.kernel_grid
        if asked is None or more is None or isinstance(self._base, JoinedField):
            return None
        kernels: Any = twins.twin(twins.DISTANCES)
        return asked._replace(grid=kernels.join_grids(asked.grid, more.grid, FIELD.margin))

    def signed_distance(self, points: ArrayLike, at_most: float = np.inf) -> Float64:
        """Distance to the nearest, negative inside either; see `ObstacleField.signed_distance`."""
        points = _rows(points)
        distance = self._base.signed_distance(points, at_most)
        rows = self._may_be_nearer(points, distance)
        distance[rows] = np.minimum(distance[rows], self._more.signed_distance(points[rows], at_most))
        return distance

    def about(self, points: ArrayLike, at_most: ArrayLike) -> Float64:
        """The same from samples; see `ObstacleField.about`."""
        points = _rows(points)
        most = np.broadcast_to(np.asarray(at_most, dtype=np.float64), (len(points),))
        distance = self._base.about(points, most)
        rows = self._may_be_nearer(points, distance)
        distance[rows] = np.minimum(distance[rows], self._more.about(points[rows], most[rows]))
        return distance

    def may_be_within(self, points: ArrayLike, distance: ArrayLike) -> Bool:
        """Whether obstacles may be within a distance; see `ObstacleField.may_be_within`."""
        points = _rows(points)
        limit = np.broadcast_to(np.asarray(distance, dtype=np.float64), (len(points),))
        may_be = self._base.may_be_within(points, limit)
        may_be[self._may_be_nearer(points, limit)] = True
        return may_be

    def any_may_be_within(self, points: Float64, distance: Float64) -> Bool:
        """Whether obstacles may be within a distance of any of P points; see `ObstacleField.any_may_be_within`."""
        may_be = self._base.any_may_be_within(points, distance)
        rows = self._may_be_nearer(_rows(points), np.repeat(distance, points.shape[1]))
        may_be[rows // points.shape[1]] = True
        return may_be

    def nearest(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """Nearest point on any edge or wall; see `ObstacleField.nearest`."""
        points = _rows(points)
        distance, closest = self._base.nearest(points)
        rows = self._may_be_nearer(points, distance)
        other, place = self._more.nearest(points[rows])
        nearer = other < distance[rows]
        distance[rows[nearer]], closest[rows[nearer]] = other[nearer], place[nearer]
        return distance, closest

    def _may_be_nearer(self, points: Float64, distance: Float64) -> Int64:
        """The rows of points within `distance` of the bounding box of the added obstacles."""
        apart = np.maximum(np.maximum(self._low - points, points - self._high), 0.0)
        squared = apart[:, 0] * apart[:, 0] + apart[:, 1] * apart[:, 1]
        return np.flatnonzero(squared <= np.square(np.maximum(distance, 0.0)))


def _rows(points: ArrayLike) -> Float64:
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)
