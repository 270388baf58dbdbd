# SPDX-License-Identifier: GPL-3.0-or-later
"""Areas that several thin walls enclose together. numpy only."""

from __future__ import annotations

import numpy as np

from ....core.array_types import Float64, Int64
from ....core.geometry.reproducible_math import arctan2
from ....core.geometry.segments import signed_area
from .chains import trace_loops


def enclosed_faces(points: Float64, ends: Int64) -> list[list[int]]:
    """Find the rooms of a floor plan: the bounded faces of a plane graph.

    Args:
        points: float64 (P, 2) [m].
        ends: int64 (S, 2), the two points of each edge.

    Returns:
        Points of each bounded face, counter-clockwise. Edges with a loose end are ignored.
    """
    edges = _without_loose_ends(ends)
    if not len(edges):
        return []
    halves = np.concatenate([edges, edges[:, ::-1]])  # each edge in both directions
    faces = _trace_faces(points, halves)
    return [face for face in faces if signed_area(points[face]) > 0.0]


def _without_loose_ends(ends: Int64) -> Int64:
    edges = ends[ends[:, 0] != ends[:, 1]]
    while len(edges):
        degree = np.bincount(edges.reshape(-1))
        held = np.all(degree[edges] > 1, axis=1)
        if held.all():
            break
        edges = edges[held]
    return edges


def _trace_faces(points: Float64, halves: Int64) -> list[list[int]]:
    """Trace the faces of a plane graph: at each point the next edge is the first to the right of the one before."""
    count = len(halves)
    twin = (np.arange(count) + count // 2) % count
    run = points[halves[:, 1]] - points[halves[:, 0]]
    order = np.lexsort((arctan2(run[:, 1], run[:, 0]), halves[:, 0]))  # round each point, counter-clockwise
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    start = halves[order, 0]
    first = np.searchsorted(start, start, side="left")
    last = np.searchsorted(start, start, side="right") - 1
    position = np.arange(count)
    before = np.where(position == first, last, position - 1)
    following = order[before[place[twin]]]
    return [[int(halves[half, 0]) for half in loop] for loop in trace_loops(np.stack([np.arange(count), following], 1))]
