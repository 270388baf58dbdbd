# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact tests on segments and outlines: distances, crossings, inside or outside. numpy only.

An outline is float64 (V, 2), V >= 3, in either direction, not closed by a repeated point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Bool, Float64, Int64
from ..errors import GeometryError
from .ragged import PAIRS_PER_CHUNK
from .reproducible_math import arctan2, length, vectors_of


def checked_points(points: ArrayLike, name: str) -> Float64:
    """The same as float64 (P, 2); GeometryError, with `name` ("An obstacle"), where a number is not finite."""
    checked = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    if not np.all(np.isfinite(checked)):
        row = int(np.flatnonzero(~np.isfinite(checked).all(axis=1))[0])
        raise GeometryError(f"{name} has a coordinate that is not a finite number: point {row} is {checked[row]}.")
    return checked


def signed_area(outline: ArrayLike) -> float:
    """Area inside an outline, positive where it runs counter-clockwise.

    Args:
        outline: float64 (V, 2) [m].

    Returns:
        The area [m2]; lobes of opposite direction cancel.
    """
    points = np.asarray(outline, dtype=np.float64)
    if len(points) < 3:
        return 0.0
    x, y = (points - points[0]).T  # about a corner, so that far-away outlines keep their digits
    return 0.5 * float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))  # the closing edge ends in that corner: it adds nothing


def directed(outline: Float64, direction: float) -> Float64:
    """An outline, float64 (V, 2), run counter-clockwise (1) or clockwise (-1) [m]."""
    return outline if signed_area(outline) * direction >= 0.0 else outline[::-1]


def rings_of(outline: Float64, holes: Iterable[Float64]) -> list[Float64]:
    """The outline and the holes of a polygon, float64 (V, 2) each, directed so that solid is on the left [m]."""
    return [directed(outline, 1.0), *(directed(hole, -1.0) for hole in holes)]


def length_of(line: Float64) -> float:
    """Length of an open line, float64 (P, 2) [m]."""
    return float(length(np.diff(line, axis=0)).sum())


def lengths_of(lines: Sequence[Float64]) -> Float64:
    """Lengths of N open lines, float64 (P, 2) each, P >= 2 [m]: float64 (N,) [m]."""
    counts = np.array([len(line) for line in lines], dtype=np.int64)
    run = length(np.diff(np.concatenate([np.zeros((0, 2)), *lines]), axis=0))
    ends = np.cumsum(counts)
    run[ends[:-1] - 1] = 0.0  # from the end of a line to the start of the next
    return np.add.reduceat(run, ends - counts) if len(lines) else np.zeros(0)


def lengths_along(line: Float64) -> Float64:
    """Arc length of an open line, float64 (P, 2), at each of its points: float64 (P,) [m]."""
    return np.concatenate(([0.0], np.cumsum(length(np.diff(line, axis=0)))))


def edges_of(outline: ArrayLike) -> tuple[Float64, Float64]:
    """Edges of an outline, the closing one last.

    Args:
        outline: float64 (V, 2) [m].

    Returns:
        starts, ends: float64 (V, 2) each [m].
    """
    starts = np.asarray(outline, dtype=np.float64)
    return starts, np.roll(starts, -1, axis=0)


def contains(outline: ArrayLike, points: ArrayLike) -> Bool:
    """Which points lie inside an outline.

    Args:
        outline: float64 (V, 2) [m].
        points: float64 (N, 2) [m].

    Returns:
        bool (N,): inside by the even-odd rule; a point on the outline may fall on either side.
    """
    corners, points = np.asarray(outline, dtype=np.float64), np.atleast_2d(np.asarray(points, dtype=np.float64))
    low, high = corners.min(axis=0, initial=np.inf), corners.max(axis=0, initial=-np.inf)
    inside: Bool = np.all((points >= low) & (points <= high), axis=1)
    asked = inside.nonzero()[0]  # of points anywhere, few are near one outline
    if not len(asked):
        return inside
    starts, ends = edges_of(corners)
    step = max(1, PAIRS_PER_CHUNK // max(1, len(starts)))
    for first in range(0, len(asked), step):
        part = asked[first : first + step]
        inside[part] = np.sum(windings_of(points[part, None], starts, ends) != 0, axis=1) % 2 == 1
    return inside


def in_shape(outline: Float64, holes: Iterable[Float64], points: Float64) -> Bool:
    """Which points lie in a polygon and in none of its holes.

    Args:
        outline: float64 (V, 2) [m].
        holes: float64 (V, 2) each [m].
        points: float64 (N, 2) [m].

    Returns:
        bool (N,); a point on an edge may fall on either side.
    """
    inside = contains(outline, points)
    for hole in holes:
        inside[inside] = ~contains(hole, points[inside])
    return inside


def windings_of(points: Float64, starts: Float64, ends: Float64) -> Int64:
    """What each edge adds to the winding number of each point, by the ray towards +x.

    Args:
        points: float64 (..., 2) [m].
        starts: float64 (..., 2) [m].
        ends: float64 (..., 2) [m]; all three broadcast.

    Returns:
        int64 (...): 1, -1 or 0; summed over the edges of closed outlines they are the winding number.
    """
    y = points[..., 1]
    crossing = (starts[..., 1] <= y).astype(np.int64) - (ends[..., 1] <= y)  # 1 upward, -1 downward
    return np.where(crossing * turn(starts, ends, points) > 0.0, crossing, 0)


def turn(a: Float64, b: Float64, c: Float64) -> Float64:
    """Twice the signed area of triangles a, b, c: positive where c lies left of a -> b.

    Args:
        a: float64 (..., 2) [m].
        b: float64 (..., 2) [m].
        c: float64 (..., 2) [m]; all three broadcast.

    Returns:
        float64 (...) [m2].
    """
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])


def closest_on_segments(points: Float64, starts: Float64, ends: Float64) -> Float64:
    """The point of each segment that is nearest to each point.

    Args:
        points: float64 (..., 2) [m].
        starts: float64 (..., 2) [m].
        ends: float64 (..., 2) [m]; may equal `starts`; all three broadcast.

    Returns:
        float64 (..., 2) [m].
    """
    run_x, run_y = ends[..., 0] - starts[..., 0], ends[..., 1] - starts[..., 1]
    length2 = run_x * run_x + run_y * run_y
    along = (points[..., 0] - starts[..., 0]) * run_x + (points[..., 1] - starts[..., 1]) * run_y
    share = (along / np.where(length2 > 0.0, length2, 1.0)).clip(0.0, 1.0)
    return vectors_of(starts[..., 0] + share * run_x, starts[..., 1] + share * run_y)


def nearest_on_segments(points: ArrayLike, starts: ArrayLike, ends: ArrayLike) -> tuple[Float64, Float64, Int64]:
    """Nearest point on any of some segments, by testing all of them.

    Args:
        points: float64 (N, 2) [m].
        starts: float64 (S, 2) [m].
        ends: float64 (S, 2) [m].

    Returns:
        distance float64 (N,) [m], closest float64 (N, 2) [m], segment int64 (N,). Without segments: inf, NaN, -1.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    starts = np.asarray(starts, dtype=np.float64).reshape(-1, 2)
    ends = np.asarray(ends, dtype=np.float64).reshape(-1, 2)
    distance = np.full(len(points), np.inf)
    closest = np.full((len(points), 2), np.nan)
    segment = np.full(len(points), -1, dtype=np.int64)
    if not len(starts):
        return distance, closest, segment
    step = max(1, PAIRS_PER_CHUNK // len(starts))
    for first in range(0, len(points), step):
        part = slice(first, first + step)
        places = closest_on_segments(points[part, None], starts, ends)  # (N, S, 2)
        apart = places - points[part, None]
        distance2 = apart[..., 0] ** 2 + apart[..., 1] ** 2
        best = np.argmin(distance2, axis=1)
        rows = np.arange(len(best))
        distance[part] = np.sqrt(distance2[rows, best])
        closest[part] = places[rows, best]
        segment[part] = best
    return distance, closest, segment


def segments_meet(a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike) -> Bool:
    """Whether segments a-b and c-d have a point in common; touching counts.

    Args:
        a: float64 (..., 2), start of the first [m].
        b: float64 (..., 2), end of the first [m].
        c: float64 (..., 2), start of the second [m].
        d: float64 (..., 2), end of the second [m]; all four broadcast.

    Returns:
        bool (...).
    """
    a, b, c, d = (np.asarray(corner, dtype=np.float64) for corner in (a, b, c, d))
    straddles = (turn(a, b, c) * turn(a, b, d) <= 0.0) & (turn(c, d, a) * turn(c, d, b) <= 0.0)
    boxes_meet = np.all(
        (np.maximum(np.minimum(a, b), np.minimum(c, d)) <= np.minimum(np.maximum(a, b), np.maximum(c, d))), axis=-1
    )
    return straddles & boxes_meet


def crosses_itself(outline: ArrayLike) -> bool:
    """Whether an outline passes through itself.

    Touching itself at a corner or running back along an edge (a bridge to a courtyard, say) is no crossing: such an
    outline still has an inside.

    Args:
        outline: float64 (V, 2) [m]; repeated points are taken as one.

    Returns:
        True where two edges cross, or one passes through a corner of the other's to its other side.
    """
    points = np.asarray(outline, dtype=np.float64).reshape(-1, 2)
    points = points[np.any(points != np.roll(points, 1, axis=0), axis=1)]
    if len(points) < 4:
        return False
    points = points - points[0]
    return any(np.any(_edges_cross(points, first, second)) for first, second in _edge_pairs(points))


def _edge_pairs(points: Float64):
    """Pairs of edges whose boxes meet, a bounded number at a time, found by a sweep along x."""
    starts, ends = edges_of(points)
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    order = np.argsort(low[:, 0], kind="stable")
    reach = np.searchsorted(low[order, 0], high[order, 0], side="right")  # edges that begin before this one ends
    partners = np.maximum(reach - np.arange(1, len(order) + 1), 0)
    first_row = 0
    while first_row < len(order):
        totals = np.cumsum(partners[first_row:])
        rows = max(1, int(np.searchsorted(totals, PAIRS_PER_CHUNK)))
        counts = partners[first_row : first_row + rows]
        left = np.repeat(np.arange(first_row, first_row + rows)[: len(counts)], counts)
        right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
        i, j = order[left], order[right]
        near = (low[i, 1] <= high[j, 1]) & (low[j, 1] <= high[i, 1])
        yield i[near], j[near]
        first_row += rows


def _edges_cross(points: Float64, i: Int64, j: Int64) -> Bool:
    """Which pairs of edges cross, inside both or through the corner where edge i or edge j starts."""
    count = len(points)
    a, b, c, d = points[i], points[(i + 1) % count], points[j], points[(j + 1) % count]
    side_a, side_b = np.sign(turn(c, d, a)), np.sign(turn(c, d, b))
    side_c, side_d = np.sign(turn(a, b, c)), np.sign(turn(a, b, d))
    inside_both = (side_a * side_b < 0) & (side_c * side_d < 0)
    neighbours = ((i + 1) % count == j) | ((j + 1) % count == i)
    through_edge = _passes_edge(points, i, (c, d), side_a) | _passes_edge(points, j, (a, b), side_c)
    crossing = inside_both | (~neighbours & through_edge)
    shared = np.flatnonzero(~neighbours & np.all(a == c, axis=-1))
    if len(shared):
        crossing[shared] |= _arms_alternate(points, i[shared], j[shared])
    return crossing


def _passes_edge(points: Float64, corner: Int64, edge: tuple[Float64, Float64], side: Float64) -> Bool:
    """Whether the outline goes from one side of an edge to the other at a corner that lies inside that edge."""
    start, end = edge
    at = points[corner]
    before, after = points[corner - 1], points[(corner + 1) % len(points)]
    toward_start, toward_end = start - at, end - at
    within = (toward_start[..., 0] * toward_end[..., 0] + toward_start[..., 1] * toward_end[..., 1]) < 0.0
    return (side == 0) & within & (turn(start, end, before) * turn(start, end, after) < 0.0)


def _arms_alternate(points: Float64, i: Int64, j: Int64) -> Bool:
    """Whether the edges at two coinciding corners of the outline alternate in direction, so that it crosses itself."""
    count = len(points)
    arms = [points[(k + step) % count] - points[k] for k in (i, j) for step in (-1, 1)]
    angle = [arctan2(arm[..., 1], arm[..., 0]) for arm in arms]
    end, first, second = ((angle[k] - angle[0]) % (2.0 * np.pi) for k in (1, 2, 3))
    apart = (first > 0.0) & (second > 0.0) & (first != end) & (second != end)
    return apart & ((first < end) != (second < end))
