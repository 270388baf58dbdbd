# SPDX-License-Identifier: GPL-3.0-or-later
"""Solid bodies in the ground, such as the boxes of a staircase: people walk on top of them, not inside.

facing_of_solids(points, triangles) -> int64 (T,)     1 up and -1 down for the faces of closed bodies
are_on_top(rows, heights, facing) -> bool (H,)        which places where a vertical line meets faces carry somebody
"""

from __future__ import annotations

import numpy as np

from ....core.array_types import Bool, Float64, Int64

HEADROOM = 0.3
"""Nobody stands where a solid body hangs lower than this over the ground [m]; chosen: steps lie on each other."""

_SAME_HEIGHT = 1e-6  # a line through an edge meets both of its faces [m]


def facing_of_solids(points: Float64, triangles: Int64) -> Int64:
    """Return which faces of closed bodies look up and down, outwards, even where all their normals are turned in.

    Args:
        points: float64 (V, 3) [m].
        triangles: int64 (T, 3).

    Returns:
        int64 (T,): 1 up, -1 down; 0 of an upright face, and where the part of the mesh is not closed.
    """
    corners = points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = np.sign(normal[:, 2]).astype(np.int64)
    if facing.min(initial=1) == facing.max(initial=1):  # terrain: no body, as nothing looks the other way
        return np.zeros(len(triangles), dtype=np.int64)
    part = _parts(triangles, len(points))
    volume = np.bincount(part, weights=((corners[:, 0] - points.mean(axis=0)) * normal).sum(axis=1))
    return np.where(_are_closed(triangles, part)[part], facing * np.sign(volume[part]).astype(np.int64), 0)


def _parts(triangles: Int64, count: int) -> Int64:
    """Return the number of the part of the mesh that each triangle belongs to, int64 (T,)."""
    order = np.argsort(triangles.ravel(), kind="stable")
    used, first = np.unique(triangles.ravel()[order], return_index=True)
    label, before = np.arange(count), np.zeros(0)
    while not np.array_equal(label, before):
        before = label.copy()
        least = np.repeat(label[triangles].min(axis=1), 3)[order]
        label[used] = np.minimum(label[used], np.minimum.reduceat(least, first))
        label = label[label]
    return np.unique(label[triangles[:, 0]], return_inverse=True)[1].ravel()


def _are_closed(triangles: Int64, part: Int64) -> Bool:
    """Return which parts have no edge that is walked more often in one direction than in the other, bool (P,)."""
    begin, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    _, edge = np.unique(low * (high.max() + 1) + high, return_inverse=True)
    open_edge = np.bincount(edge.ravel(), weights=np.sign(end - begin)) != 0
    return np.bincount(np.repeat(part, 3), weights=open_edge[edge.ravel()]) == 0


def are_on_top(rows: Int64, heights: Float64, facing: Int64) -> Bool:
    """Return which places where vertical lines meet faces carry somebody: outside all solids, and with some headroom.

    Args:
        rows: int64 (H,), number of the line of each place.
        heights: float64 (H,) [m].
        facing: int64 (H,), of the face there, see `facing_of_solids`.

    Returns:
        bool (H,): of a line on which no place would, all do.
    """
    bottom = facing < 0
    z = heights - HEADROOM * bottom
    order = np.lexsort((bottom, -z, rows))  # down each line; touching bodies are one
    line, turn, z = rows[order], facing[order], z[order]
    again = np.zeros(len(rows), dtype=bool)
    again[1:] = (line[1:] == line[:-1]) & (turn[1:] == turn[:-1]) & (np.abs(np.diff(z)) < _SAME_HEIGHT)
    inside = np.cumsum(np.where(again, 0, turn))  # solids around the place below
    above = np.where(again, inside, inside - turn)
    begins = np.flatnonzero(np.diff(line, prepend=-1))
    above -= np.repeat(above[begins], np.diff(np.append(begins, len(rows))))
    on_top = np.zeros(len(rows), dtype=bool)
    on_top[order] = (turn >= 0) & (above <= 0)
    return on_top | (np.bincount(rows, weights=on_top, minlength=1)[rows] == 0)
