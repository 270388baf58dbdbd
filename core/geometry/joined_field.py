# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to what always stands and to a little more: nothing of the large field is built anew for it.

A grid of cells over ten thousand edges takes half a second; one over the leaves of some doors a few milliseconds. What
the large field has sampled stays known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .distance_field import ObstacleField, Polygon
from .distances import Distances

Float64 = NDArray[np.float64]


class JoinedField:
    """The lesser of two distances, everywhere; inside both, the depth is that to the nearest edge of either.

    Answers what `core.geometry.distances.Distances` asks for.
    """

    def __init__(self, base: Distances, more: Sequence[Polygon]) -> None:
        """Join.

        Args:
            base: distances to what always stands.
            more: pairs of an outline, float64 (V, 2) [m], and its holes.

        Raises:
            GeometryError: a coordinate is not finite.
        """
        self._base, self._more = base, ObstacleField(more)
        corners = np.concatenate([np.zeros((0, 2)), *(_rows(outline) for outline, _ in more)])
        self._low, self._high = corners.min(axis=0, initial=np.inf), corners.max(axis=0, initial=-np.inf)
        self.empty = base.empty and self._more.empty

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

    def may_be_within(self, points: ArrayLike, distance: ArrayLike) -> NDArray[np.bool_]:
        """Whether anything may stand so near; see `ObstacleField.may_be_within`."""
        points = _rows(points)
        limit = np.broadcast_to(np.asarray(distance, dtype=np.float64), (len(points),))
        may_be = self._base.may_be_within(points, limit)
        may_be[self._may_be_nearer(points, limit)] = True
        return may_be

    def any_may_be_within(self, points: Float64, distance: Float64) -> NDArray[np.bool_]:
        """Whether anything may stand so near to any of some places; see `ObstacleField.any_may_be_within`."""
        may_be = self._base.any_may_be_within(points, distance)
        rows = self._may_be_nearer(_rows(points), np.repeat(distance, points.shape[1]))
        may_be[rows // points.shape[1]] = True
        return may_be

    def nearest(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """Nearest place on any edge or wall; see `ObstacleField.nearest`."""
        points = _rows(points)
        distance, closest = self._base.nearest(points)
        rows = self._may_be_nearer(points, distance)
        other, place = self._more.nearest(points[rows])
        nearer = other < distance[rows]
        distance[rows[nearer]], closest[rows[nearer]] = other[nearer], place[nearer]
        return distance, closest

    def _may_be_nearer(self, points: Float64, distance: Float64) -> NDArray[np.int64]:
        """The rows of points from which the box round the few is nearer than some distance, or that lie in it."""
        apart = np.maximum(np.maximum(self._low - points, points - self._high), 0.0)
        squared = apart[:, 0] * apart[:, 0] + apart[:, 1] * apart[:, 1]
        return np.flatnonzero(squared <= np.square(np.maximum(distance, 0.0)))


def _rows(points: ArrayLike) -> Float64:
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)
