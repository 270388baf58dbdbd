# SPDX-License-Identifier: GPL-3.0-or-later
"""The height of the ground at many points at once: the intersection of a vertical line with its triangles."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from mathutils.bvhtree import BVHTree
from numpy.typing import ArrayLike

from ....core.array_types import Bool, Float64, Int64
from ....core.errors import GeometryError
from ....core.geometry.reproducible_math import ceil_log2, cos_sin, length
from .solids import are_on_top, facing_of_solids

_FINEST_CELL = 2.0**-20  # relative to the largest triangle: smaller triangles share cells
_SINGLE_PRECISION = 2.0**-20  # of a coordinate: a place in single precision is off by less
_EDGE_TOLERANCE = 1e-9  # in barycentric coordinates: a point on an edge belongs to both triangles
_VERTICAL_TOLERANCE = 1e-6  # area in plan over area: vertical triangles are no ground
_CHUNK = 1 << 16  # points that are looked up together


class GroundMesh:
    """The triangles of the ground, in a hierarchy of grids.

    Each triangle is stored in the grid whose cells match its size, so that each point is tested against few triangles,
    however unequal they are.

    Args:
        points: float64 (V, 3) [m].
        triangles: int64 (T, 3).

    Raises:
        GeometryError: all triangles are vertical, or there are none.
    """

    def __init__(self, points: Float64, triangles: Int64) -> None:
        points, triangles = np.asarray(points, dtype=np.float64), np.asarray(triangles, dtype=np.int64)
        corners = points[triangles]  # (T, 3, 3)
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        level = np.abs(normal[:, 2]) > _VERTICAL_TOLERANCE * length(normal)
        self._corners, self._vertical = corners[level], corners[~level]
        if not len(self._corners):
            raise GeometryError("it has no faces, or only vertical ones")
        facing = facing_of_solids(points, triangles)[level]
        self._facing = facing if facing.any() else None
        self._table = _plane_table(self._corners)
        self._grids = _make_grids(self._corners[:, :, :2])
        self._flat: BVHTree | None = None

    @property
    def corners(self) -> Float64:
        """float64 (T, 3, 3), the triangles that are not vertical [m]."""
        return self._corners

    def heights(self, xy: ArrayLike, near_z: ArrayLike | None = None) -> Float64:
        """Return the height of the ground at points.

        Args:
            xy: float64 (N, 2) [m].
            near_z: float64 (N,) or one number [m]: of several storeys the nearest to it. None: the topmost. Neither the
                bottom of a solid body nor what is inside one is a storey.

        Returns:
            float64 (N,) [m]; beyond the ground's edge the height of its nearest point; NaN where `xy` is NaN.
        """
        places = np.asarray(xy, dtype=np.float64).reshape(-1, 2)
        heights = self._look_up(places, near_z)
        outside = np.flatnonzero(np.isnan(heights) & np.isfinite(places).all(axis=1))
        if len(outside):
            heights[outside] = self._nearest(places[outside])
        return heights

    def covers(self, xy: ArrayLike) -> Bool:
        """Return which points have ground under or over them.

        Args:
            xy: float64 (N, 2) [m].

        Returns:
            bool (N,): False beyond the ground's edge.
        """
        return ~np.isnan(self.storeys(xy))

    def storeys(self, xy: ArrayLike, near_z: ArrayLike | None = None) -> Float64:
        """Return the height of the ground as `heights` does, but NaN beyond its edge: float64 (N,) [m]."""
        return self._look_up(np.asarray(xy, dtype=np.float64).reshape(-1, 2), near_z)

    def walkable(self, steepest: float) -> Bool:
        """Return which triangles of `corners` people walk on: none steeper [rad], no bottom of a solid; bool (T,)."""
        level = ~self._is_steep(steepest)
        return level if self._facing is None else level & (self._facing >= 0)

    def upright(self, least: float) -> Float64:
        """Return all triangles that are steeper than an angle [rad], float64 (U, 3, 3) [m]."""
        return np.concatenate([self._vertical, self._corners[self._is_steep(least)]])

    def _is_steep(self, least: float) -> Bool:
        sides = self._corners[:, 1:] - self._corners[:, :1]
        normal = np.cross(sides[:, 0], sides[:, 1])
        return np.abs(normal[:, 2]) < cos_sin(least)[0] * length(normal)

    def _look_up(self, places: Float64, near_z: ArrayLike | None) -> Float64:
        wanted = np.full(len(places), np.inf) if near_z is None else np.broadcast_to(near_z, len(places))
        heights = np.full(len(places), np.nan)
        known = np.flatnonzero(np.isfinite(places).all(axis=1))
        for first in range(0, len(known), _CHUNK):
            rows = known[first : first + _CHUNK]
            heights[rows] = self._look_up_few(places[rows], np.asarray(wanted[rows], dtype=np.float64))
        return heights

    def _look_up_few(self, places: Float64, wanted: Float64) -> Float64:
        found = [self._meet(places, *grid) for grid in self._grids]
        rows, heights, triangles = (np.concatenate(column) for column in zip(*found, strict=True))
        if self._facing is not None:
            on_top = are_on_top(rows, heights, self._facing[triangles])
            rows, heights = rows[on_top], heights[on_top]
        # For an infinite `near_z` all differences are infinite: then the highest storey is taken.
        off = np.where(np.isinf(wanted[rows]), -heights, np.abs(heights - wanted[rows]))
        order = np.lexsort((off, rows))
        best, at = np.unique(rows[order], return_index=True)
        result = np.full(len(places), np.nan)
        result[best] = heights[order[at]]
        return result

    def _meet(self, places: Float64, cell: float, keys: Int64, triangles: Int64) -> tuple[Int64, Float64, Int64]:
        """Return all triangles of one grid over or under each point: rows of `places`, heights there, their numbers."""
        wanted = _key(np.floor(places / cell).astype(np.int64))
        start, end = np.searchsorted(keys, wanted, side="left"), np.searchsorted(keys, wanted, side="right")
        count = end - start
        rows = np.repeat(np.arange(len(places)), count)
        among = np.repeat(start - np.cumsum(count) + count, count) + np.arange(len(rows))
        numbers = triangles[among]
        plane = self._table[numbers]
        x, y = places[rows, 0] - plane[:, 0], places[rows, 1] - plane[:, 1]
        u, v = x * plane[:, 2] + y * plane[:, 3], x * plane[:, 4] + y * plane[:, 5]
        hit = (u >= -_EDGE_TOLERANCE) & (v >= -_EDGE_TOLERANCE) & (u + v <= 1.0 + _EDGE_TOLERANCE)
        return rows[hit], (plane[:, 6] + u * plane[:, 7] + v * plane[:, 8])[hit], numbers[hit]

    def _nearest(self, places: Float64) -> Float64:
        """Return the height at the nearest point of the ground."""
        if self._flat is None:
            flat = self._corners * (1.0, 1.0, 0.0)
            rows = np.arange(3 * len(flat)).reshape(-1, 3)
            self._flat = cast("BVHTree", BVHTree.FromPolygons(flat.reshape(-1, 3).tolist(), rows.tolist()))
        nearest: list[Any] = [self._flat.find_nearest((x, y, 0.0)) for x, y in places.tolist()]
        at = np.array([location[:2] for location, _, _, _ in nearest])
        triangles = np.array([triangle for _, _, triangle, _ in nearest])
        plane = self._table[triangles]
        x, y = (at - plane[:, :2]).T
        u = np.clip(x * plane[:, 2] + y * plane[:, 3], 0.0, 1.0)
        v = np.clip(x * plane[:, 4] + y * plane[:, 5], 0.0, 1.0)
        heights = plane[:, 6] + u * plane[:, 7] + v * plane[:, 8]
        if self._facing is None:
            return heights
        corners = self._corners[triangles, :, :2]
        inwards = corners.mean(axis=1) - at
        share = _SINGLE_PRECISION * np.abs(corners).max(axis=(1, 2)) / np.maximum(length(inwards), 1e-9)
        within = at + np.minimum(share, 1.0)[:, None] * inwards
        on_top = self._look_up(within, heights)  # the edge may be that of a bottom
        return np.where(np.isnan(on_top), heights, on_top)


def _plane_table(corners: Float64) -> Float64:
    """Return per triangle: its first corner (x, y), the two rows that give u and v, its z there, its two rises."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    along_u, along_v = b - a, c - a
    det = along_u[:, 0] * along_v[:, 1] - along_v[:, 0] * along_u[:, 1]
    return np.stack(
        [
            a[:, 0],
            a[:, 1],
            along_v[:, 1] / det,
            -along_v[:, 0] / det,
            -along_u[:, 1] / det,
            along_u[:, 0] / det,
            a[:, 2],
            along_u[:, 2],
            along_v[:, 2],
        ],
        axis=1,
    )


def _make_grids(corners: Float64) -> list[tuple[float, Int64, Int64]]:
    """Return cell size, sorted cell keys, and the triangle of each key: one grid for each size of triangle."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    size = (high - low).max(axis=1)
    share = np.maximum(size / size.max(), _FINEST_CELL)
    level = ceil_log2(share * (1.0 + 1e-9))  # rounding must not choose cells smaller than the triangle
    grids = []
    for coarseness in np.unique(level):
        rows = np.flatnonzero(level == coarseness)
        cell = float(np.ldexp(size.max(), coarseness))
        first, last = np.floor(low[rows] / cell).astype(np.int64), np.floor(high[rows] / cell).astype(np.int64)
        # A triangle is no larger than a cell, so it reaches at most into the next one.
        steps = [np.array([i, j]) for i in (0, 1) for j in (0, 1)]
        reached = [np.all(first + step <= last, axis=1) for step in steps]
        keys = np.concatenate([_key(first[inside] + step) for step, inside in zip(steps, reached, strict=True)])
        triangles = np.concatenate([rows[inside] for inside in reached])
        order = np.argsort(keys, kind="stable")
        grids.append((cell, keys[order], triangles[order]))
    return grids


def _key(cells: Int64) -> Int64:
    return (cells[..., 0] << 32) + cells[..., 1]
