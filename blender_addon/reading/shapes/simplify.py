# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes points that a line through the others replaces within a tolerance. numpy only.

simplify_ring(ring (V, 2), tolerance) -> (K, 2)
simplify_line(line (V, 2), tolerance) -> (K, 2)
needed_samples(times (M,), values (M, D), tolerance) -> rows
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....core.array_types import Float64, Int64
from ....core.geometry.reproducible_math import dot, length


def simplify_ring(ring: Float64, tolerance: float) -> Float64:
    """Remove the corners of a ring that lie on the line between others.

    Args:
        ring: float64 (V, 2) [m], not closed by a repeated point.
        tolerance: how far a dropped corner may lie from the new line [m].

    Returns:
        float64 (K, 2), the remaining corners, in order.

    Source: Ramer 1972; Douglas and Peucker 1973.
    """
    if len(ring) <= 3:
        return ring
    off = _off_the_neighbours(ring)
    if off.min() > 2.0 * tolerance:  # a corner that can be dropped with its neighbours lies near one line
        return ring
    sharp = np.flatnonzero(off > tolerance)
    if len(sharp) >= 3 and _approximate_all(ring, sharp, tolerance):
        return ring[sharp]
    first = _farthest(ring, ring.mean(axis=0))
    loop = np.roll(ring, -first, axis=0)
    far = _farthest(loop, loop[0])
    loop = np.concatenate([loop, loop[:1]])
    kept = _split(loop, [(0, far), (far, len(loop) - 1)], tolerance, _off_the_line)
    return loop[kept[:-1]]


def simplify_line(line: Float64, tolerance: float) -> Float64:
    """Remove the points of a line that lie on the line between others.

    Args:
        line: float64 (V, 2) [m].
        tolerance: how far a dropped point may lie from the new line [m].

    Returns:
        float64 (K, 2), the remaining points, in order, the first and the last included.
    """
    return line[_split(line, [(0, len(line) - 1)], tolerance, _off_the_line)]


def needed_samples(times: Float64, values: Float64, tolerance: float) -> Int64:
    """Choose the samples that are needed when the others are interpolated linearly over time.

    Args:
        times: float64 (M,), increasing.
        values: float64 (M, D).
        tolerance: largest error of any interpolated component.

    Returns:
        int64 (K,): rows, the first and the last included.
    """
    table = np.column_stack([times, values])
    return np.array(_split(table, [(0, len(table) - 1)], tolerance, _off_the_interpolation), dtype=np.int64)


def _farthest(points: Float64, place: Float64) -> int:
    """Return the point farthest from a place: always a corner, as one end of an edge is farther than its middle."""
    return int(np.argmax(((points - place) ** 2).sum(axis=1)))


def _off_the_neighbours(ring: Float64) -> Float64:
    """Return the distance of each corner from the line through its two neighbours."""
    before, after = np.concatenate([ring[-1:], ring[:-1]]), np.concatenate([ring[1:], ring[:1]])
    run, away = after - before, ring - before
    reach = length(run)
    across = np.abs(run[:, 0] * away[:, 1] - run[:, 1] * away[:, 0])
    return np.where(reach > 0.0, across / np.where(reach > 0.0, reach, 1.0), length(away))


def _approximate_all(ring: Float64, kept: Int64, tolerance: float) -> bool:
    """Whether every corner lies within the tolerance of the edge that replaces it when only some are kept."""
    last = np.searchsorted(kept, np.arange(len(ring)), side="right") - 1  # -1: before the first, so after the last
    start, end = ring[kept[last]], ring[kept[(last + 1) % len(kept)]]
    run, away = end - start, ring - start
    length2 = np.maximum((run**2).sum(axis=1), np.finfo(np.float64).tiny)
    share = np.clip((away * run).sum(axis=1) / length2, 0.0, 1.0)
    off = away - share[:, None] * run
    return bool(np.all((off**2).sum(axis=1) <= tolerance**2))


def _split(
    points: Float64, spans: list[tuple[int, int]], tolerance: float, error: Callable[[Float64], Float64]
) -> list[int]:
    """Divide spans until no row deviates by more than the tolerance; return the dividing rows, ends included."""
    kept = {end for span in spans for end in span}
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        off = error(points[first : last + 1])
        worst = int(np.argmax(off))
        if off[worst] > tolerance:
            middle = first + 1 + worst
            kept.add(middle)
            spans += [(first, middle), (middle, last)]
    return sorted(kept)


def _off_the_line(points: Float64) -> Float64:
    """Return the distance of the inner points from the segment between the first and the last."""
    run, from_start = points[-1] - points[0], points[1:-1] - points[0]
    length2 = float(dot(run, run))
    share = np.clip(dot(from_start, run) / length2, 0.0, 1.0) if length2 > 0.0 else np.zeros(len(from_start))
    away = from_start - share[:, None] * run
    return length(away)


def _off_the_interpolation(table: Float64) -> Float64:
    """Return the largest error of any column of the inner rows, interpolated over the first column."""
    share = (table[1:-1, 0] - table[0, 0]) / (table[-1, 0] - table[0, 0])
    guess = table[0, 1:] + share[:, None] * (table[-1, 1:] - table[0, 1:])
    return np.abs(table[1:-1, 1:] - guess).max(axis=1)
