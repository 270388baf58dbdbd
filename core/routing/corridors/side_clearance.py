# SPDX-License-Identifier: GPL-3.0-or-later
"""Clearance on either side of lines.

Obstacles to the left of a point are those left of the line's direction there, ahead and behind alike. So half a disc is
free on each side, and a body that deviates no farther is free between two points too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...array_types import Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import length
from .edge_bins import EdgeBins

_POINTS_PER_BOX = 16
"""Neighbouring points of a line that share one bounding box in the broad phase."""

_BOXES_PER_CHUNK = 128
"""Boxes that are processed in one array, to bound memory."""

_PAIRS_WITHOUT_BINS = 1 << 16
"""Up to so many pairs of box and edge are tried all: fewer than it takes to sort edges into bins."""


def clearance_beside(
    lines: Sequence[Float64], edges: tuple[Float64, Float64], radii: Float64, at_most: Float64
) -> list[tuple[Float64, Float64]]:
    """Measure how far round bodies may deviate from lines to either side.

    Args:
        lines: float64 (P, 2) each, P >= 2, points of N lines [m].
        edges: float64 (S, 2) each, where the edges of obstacles start and end [m].
        radii: float64 (N,), of the bodies [m].
        at_most: float64 (N,), larger clearances are not measured [m].

    Returns:
        For each line left and right: float64 (P,), how far the centre may deviate, not negative [m].
    """
    if not lines:
        return []
    counts = np.array([len(line) for line in lines])
    points, first = np.concatenate(lines), np.cumsum(counts) - counts
    kernels = twins.twin(twins.ROOM_BESIDE)
    if kernels is not None:
        room = kernels.clearance_beside(
            points, np.append(first, len(points)), at_most + radii, _grid(kernels, edges, counts), _POINTS_PER_BOX
        )
        return _sides(room, radii, counts)
    left, right = (np.repeat(at_most + radii, counts) for _ in range(2))
    reach, tangent = left.copy(), _tangents(points, first)
    begins = np.concatenate(
        [np.arange(begin, begin + count, _POINTS_PER_BOX) for begin, count in zip(first, counts, strict=True)]
    )
    ends_of = np.append(begins[1:], len(points))
    bins = EdgeBins(edges) if len(begins) * len(edges[0]) > _PAIRS_WITHOUT_BINS else None
    for number in range(0, len(begins), _BOXES_PER_CHUNK):
        some = slice(number, number + _BOXES_PER_CHUNK)
        rows = np.arange(begins[some][0], ends_of[some][-1])
        whose, near = _near(points, rows, begins[some], reach[begins[some]], bins or edges)
        if not len(near):
            continue
        here = points[rows][whose]
        a, b = (end[near] - here for end in edges)
        side = _cross(tangent[rows][whose], a), _cross(tangent[rows][whose], b)
        each = np.flatnonzero(np.diff(whose, prepend=-1))
        row = rows[whose[each]]
        left[row] = np.minimum(left[row], np.minimum.reduceat(_nearest_left(a, b, *side), each))
        right[row] = np.minimum(right[row], np.minimum.reduceat(_nearest_left(a, b, -side[0], -side[1]), each))
    return _sides((left, right), radii, counts)


def _sides(room: Sequence[Float64] | Float64, radii: Float64, counts: Int64) -> list[tuple[Float64, Float64]]:
    """Of each line how far bodies may deviate, from the distances to what is left and right of the points of all."""
    ends = np.cumsum(counts)[:-1]
    sides = (np.split(np.maximum(side - np.repeat(radii, counts), 0.0), ends) for side in room)
    return list(zip(*sides, strict=True))


def _grid(kernels: Any, edges: tuple[Float64, Float64], counts: Int64) -> Any:
    """The edges as compiled kernels take them: in bins, or all in one where that is quicker."""
    corners = np.concatenate(edges, axis=1)
    if int((counts // _POINTS_PER_BOX + 1).sum()) * len(corners) > _PAIRS_WITHOUT_BINS:
        return kernels.BinnedEdges(corners, *EdgeBins(edges).grid)
    all_of_them, one = np.arange(len(corners)), np.zeros(2, dtype=np.int64)
    return kernels.BinnedEdges(corners, np.array([0, len(corners)]), all_of_them, np.array([0.0, 0.0, np.inf]), one)


def _near(
    points: Float64, rows: Int64, begins: Int64, at_most: Float64, edges: EdgeBins | tuple[Float64, Float64]
) -> tuple[Int64, Int64]:
    """Return pairs of a point, by its index in `rows`, and an edge that may be near enough: int64 (K,) each."""
    here = points[rows]
    low, high = (
        end.reduceat(here, begins - rows[0], axis=0) + reach[:, None]
        for end, reach in ((np.minimum, -at_most), (np.maximum, at_most))
    )
    if isinstance(edges, EdgeBins):
        lowest, highest = edges.lowest, edges.highest
        found, edge = edges.near(low, high)
    else:
        lowest, highest = np.minimum(*edges), np.maximum(*edges)
        near = (lowest <= high[:, None]) & (highest >= low[:, None])  # (C, S, 2)
        found, edge = np.nonzero(near[..., 0] & near[..., 1])
    count = np.bincount(found, minlength=len(begins))
    run = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, rows[-1] + 1)))  # of each point
    times = count[run]
    whose = np.repeat(np.arange(len(rows)), times)
    within = np.arange(len(whose)) - (np.cumsum(times) - times)[whose]
    edge = edge[(np.cumsum(count) - count)[run[whose]] + within]
    place, reach = here[whose], at_most[run[whose], None]
    near = (lowest[edge] - reach <= place) & (highest[edge] + reach >= place)
    close = np.flatnonzero(near[:, 0] & near[:, 1])
    return whose[close], edge[close]


def _nearest_left(a: Float64, b: Float64, side_a: Float64, side_b: Float64) -> Float64:
    """Distance from the origin to the part of segments a-b, (K, 2), whose side is not negative; inf for no part."""
    run, change = b - a, side_b - side_a
    crossing = np.clip(np.divide(-side_a, change, out=np.zeros_like(change), where=change != 0.0), 0.0, 1.0)
    low = np.where(side_a < 0.0, crossing, 0.0)
    high = np.where(side_b < 0.0, crossing, 1.0)
    length2 = np.maximum((run * run).sum(axis=-1), 1e-300)
    share = np.clip(-(a * run).sum(axis=-1) / length2, low, high)
    nearest = a + share[..., None] * run
    distance = length(nearest)
    return np.where((side_a < 0.0) & (side_b < 0.0), np.inf, distance)


def _tangents(points: Float64, first: Int64) -> Float64:
    """Unit directions of lines at their points, the first of each as given: the mean of the pieces that meet there."""
    run = np.diff(points, axis=0)
    run = run / np.maximum(length(run), 1e-300)[:, None]
    behind, ahead = np.concatenate((run[:1], run)), np.concatenate((run, run[-1:]))
    last = np.append(first[1:], len(points)) - 1
    behind[first], ahead[last] = ahead[first], behind[last]
    mean = behind + ahead
    mean[first], mean[last] = ahead[first], behind[last]
    back = length(mean) < 1e-9  # a reversal: the direction before it
    mean[back] = behind[back]
    return mean / np.maximum(length(mean), 1e-300)[:, None]


def _cross(a: Float64, b: Float64) -> Float64:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
