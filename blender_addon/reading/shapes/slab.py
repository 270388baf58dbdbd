# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a surface in a horizontal slab, and a cut through its middle. numpy only.

A vertical line meets a solid within a slab where it meets the solid's surface there, or where its whole piece in the
slab is inside the solid, and then also at any one height. So the footprint of a solid in a slab is the footprint of its
surface in the slab, joined with a cut at one height.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.array_types import Bool, Float64, Int64
from ....core.geometry.reproducible_math import length
from .chains import connected_parts

_VERTICAL_TOLERANCE = 1e-4  # area in plan over area: 0.2 mm of lean over 2 m count as vertical


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of many bodies.

    Attributes:
        points: float64 (V, 3), z is the height above the ground [m].
        triangles: int64 (T, 3).
        owner: int64 (T,), the body of each.
        facing: int64 (T,), 1 = faces up, -1 = down, 0 = vertical.
    """

    points: Float64
    triangles: Int64
    owner: Int64
    facing: Int64

    def only(self, rows: Bool) -> Surface:
        """Return the triangles that a mask selects."""
        return Surface(self.points, self.triangles[rows], self.owner[rows], self.facing[rows])


def make_surface(points: Float64, triangles: Int64, owner: Int64) -> Surface:
    """Make a surface with the facing of each triangle.

    Args:
        points: float64 (V, 3) [m].
        triangles: int64 (T, 3).
        owner: int64 (T,).

    Returns:
        The surface.
    """
    a, b, c = (points[corner] for corner in triangles.T)
    normal = np.cross(b - a, c - a)
    vertical = np.abs(normal[:, 2]) <= _VERTICAL_TOLERANCE * length(normal)
    return Surface(points, triangles, owner, np.where(vertical, 0, np.sign(normal[:, 2])).astype(np.int64))


def cut_off(surface: Surface, bottom: float, top: float) -> Surface:
    """Cut off the part of a surface between two heights.

    Args:
        surface: any triangles.
        bottom: lowest height that counts [m].
        top: first height that does not count [m].

    Returns:
        The part; triangles that cross a height are cut there, and neighbours still share their corners.
    """
    return _cut(_cut(surface, bottom, above=True), top, above=False)


def _cut(surface: Surface, limit: float, *, above: bool) -> Surface:
    if not np.isfinite(limit):
        return surface
    inside = (surface.points[:, 2] >= limit) == above
    count = inside[surface.triangles].sum(axis=1)
    whole, tips, stumps = surface.only(count == 3), surface.only(count == 1), surface.only(count == 2)
    tip = _odd_corner_first(tips.triangles, inside)
    stump = _odd_corner_first(stumps.triangles, ~inside)
    crossing = np.concatenate([tip[:, [0, 1]], tip[:, [0, 2]], stump[:, [0, 1]], stump[:, [0, 2]]])
    points, at = _crossings(surface.points, crossing, limit)
    n, m = len(tip), len(stump)
    ab, ac, ab_stump, ac_stump = np.split(at + len(surface.points), [n, 2 * n, 2 * n + m])
    return Surface(
        points=np.concatenate([surface.points, points]),
        triangles=np.concatenate(
            [
                whole.triangles,
                np.stack([tip[:, 0], ab, ac], axis=1),
                np.stack([ab_stump, stump[:, 1], stump[:, 2]], axis=1),
                np.stack([ab_stump, stump[:, 2], ac_stump], axis=1),
            ]
        ),
        owner=np.concatenate([whole.owner, tips.owner, stumps.owner, stumps.owner]),
        facing=np.concatenate([whole.facing, tips.facing, stumps.facing, stumps.facing]),
    )


def _odd_corner_first(triangles: Int64, odd: Bool) -> Int64:
    """Rotate triangles so that their one corner for which `odd` holds comes first."""
    first = np.argmax(odd[triangles], axis=1)
    return np.take_along_axis(triangles, (first[:, None] + np.arange(3)) % 3, axis=1)


def _crossings(points: Float64, edges: Int64, limit: float) -> tuple[Float64, Int64]:
    """Return where edges cross a height: one point for each distinct edge, and its row for each given edge."""
    low, high = edges.min(axis=1), edges.max(axis=1)
    _, first, at = np.unique(low * len(points) + high, return_index=True, return_inverse=True)
    found = points_at_height(points, low[first], high[first], limit)
    return found, at


def points_at_height(points: Float64, start: Int64, end: Int64, height: float | Float64) -> Float64:
    """Return the points of edges at a height.

    Args:
        points: float64 (V, 3) [m].
        start: int64 (S,), one corner of each edge.
        end: int64 (S,), its other corner, on the other side of the height.
        height: [m], one for all or float64 (S,).

    Returns:
        float64 (S, 3) [m].
    """
    a, b = points[start], points[end]
    share = (height - a[:, 2]) / (b[:, 2] - a[:, 2])
    found = a + share[:, None] * (b - a)
    found[:, 2] = height
    return found


@dataclass(frozen=True, eq=False)
class Section:
    """Horizontal cuts through surfaces, one through each connected part.

    Attributes:
        points: float64 (P, 2), where edges of the mesh are cut, once for each part [m].
        edge: int64 (P,), the edge of the mesh, shared by parts that meet there.
        ends: int64 (S, 2), the two points of each piece of the cut.
        part: int64 (S,), the connected part of each piece.
        owner: int64 (S,), the body of each piece.
    """

    points: Float64
    edge: Int64
    ends: Int64
    part: Int64
    owner: Int64

    def only(self, rows: Bool) -> Section:
        """Return the pieces that a mask selects."""
        return Section(self.points, self.edge, self.ends[rows], self.part[rows], self.owner[rows])


def section(surface: Surface, bottom: float, top: float) -> Section:
    """Cut every connected part of a surface at the middle of its heights within a slab.

    Faces are connected over edges that two of them share: a partition that meets an outer wall is a separate part.

    Args:
        surface: any triangles.
        bottom: lower height [m].
        top: upper height [m].

    Returns:
        The cuts.
    """
    part = _connected_faces(surface.triangles)
    level = _middle_heights(surface, part, bottom, top)
    above = surface.points[surface.triangles, 2] >= level[:, None]
    count = above.sum(axis=1)
    crossed = (count == 1) | (count == 2)
    triangles, above, level, part = surface.triangles[crossed], above[crossed], level[crossed], part[crossed]
    odd = above == (count[crossed] == 1)[:, None]
    turned = np.take_along_axis(triangles, (np.argmax(odd, axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    edges = np.stack([turned[:, [0, 1]], turned[:, [0, 2]]], axis=1).reshape(-1, 2)  # (2 S, 2)
    low, high, parts = edges.min(axis=1), edges.max(axis=1), np.repeat(part, 2)
    _, at_edge = np.unique(low * len(surface.points) + high, return_inverse=True)
    _, first, at = np.unique(at_edge * max(len(surface.triangles), 1) + parts, return_index=True, return_inverse=True)
    places = points_at_height(surface.points, low[first], high[first], np.repeat(level, 2)[first])
    return Section(places[:, :2], at_edge[first], at.reshape(-1, 2), part, surface.owner[crossed])


def _middle_heights(surface: Surface, part: Int64, bottom: float, top: float) -> Float64:
    """Return for each triangle the middle of the heights of its connected part within the slab."""
    heights = surface.points[surface.triangles, 2]
    lowest, highest = np.full(len(part), np.inf), np.full(len(part), -np.inf)
    np.minimum.at(lowest, part, heights.min(axis=1, initial=np.inf))
    np.maximum.at(highest, part, heights.max(axis=1, initial=-np.inf))
    return 0.5 * (np.maximum(lowest[part], bottom) + np.minimum(highest[part], top))


def _connected_faces(triangles: Int64) -> Int64:
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    keys = edges[:, 0] * (int(triangles.max(initial=0)) + 1) + edges[:, 1]
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.r_[True, keys[order][1:] != keys[order][:-1]]) if len(keys) else np.empty(0, np.int64)
    pairs = first[np.diff(np.r_[first, len(keys)]) == 2]
    return connected_parts(len(triangles), np.stack([order[pairs], order[pairs + 1]], axis=1) // 3)
