# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches over corridor edges, and lines that are pulled tight: in `core.routing`, twins of `search` and `funnel`.

What is next is the least cost and, of equal ones, the least step: so the order does not depend on the kind of heap.
"""

from __future__ import annotations

import math

import numpy as np

from ..array_types import Float64, Int64
from .compiling import entry, part, run_over

_GOAL, _START = -1, -2  # instead of a step
_LINES_SERIAL = 32  # to hand fewer lines to threads takes longer than they do


class EdgeArrays:
    """Corridor edges as arrays, and what a search notes of each step.

    Args:
        heads: int64 (S,), the node where each step ends.
        first: int64 (N + 1,), the first exit of each node, and all exits.
        steps: int64 (E,), of the exits.
        gates: float64 (E, 6), see `core.routing.graph.search.Exit`.
    """

    def __init__(self, heads: Int64, first: Int64, steps: Int64, gates: Float64) -> None:
        self._edges = heads, first, steps, gates
        self._noted = np.zeros((len(heads), 3)), np.zeros((len(heads), 2), dtype=np.int64)
        self._listed = np.empty((2, len(heads)), dtype=np.int64)
        self._mark = 0

    def shortest(
        self, leaves: Int64, arrivals: Int64, numbers: Float64, factors: Float64
    ) -> tuple[list[int] | None, list[int]]:
        """Return the steps from the goal back to the start, None without a route; and the nodes that were expanded.

        Args:
            leaves: int64, ascending nodes by which the start is left.
            arrivals: int64, nodes from which the goal is reached.
            numbers: float64 (6,), x and y of the start and of the goal, the clearance [m], weight of what remains.
            factors: float64, on the length of each edge.
        """
        self._mark += 2
        steps, done = self._listed
        walked, expanded = _search(
            self._mark, leaves, arrivals, numbers, factors, self._edges, self._noted, self._listed
        )
        return None if walked < 0 else steps[:walked].tolist(), done[:expanded].tolist()


def pull_tight(ends: Float64, chords: Float64, low: Int64, tolerance: float) -> tuple[Float64, Int64]:
    """Find the shortest lines through portals.

    Args:
        ends: float64 (C, 4), x and y where each line begins, and where it ends [m].
        chords: float64 (K, 4), x and y of the left ends of all portals and of the right ones [m].
        low: int64 (C + 1,), the first portal of each line, and all portals.
        tolerance: largest deviation of a corner that is dropped as straight [m].

    Returns:
        float64 (P, 2), the points of all lines [m]; and int64 (C,), how many each has.
    """
    corners, counts = np.empty((len(chords) + 2 * len(ends), 2)), np.empty(len(ends), dtype=np.int64)
    run_over(len(ends), _pull_all, ends, chords, low, tolerance, (corners, counts), serial_below=_LINES_SERIAL)
    begins = low[:-1] + 2 * np.arange(len(ends))
    return corners[np.arange(counts.sum()) + np.repeat(begins - (np.cumsum(counts) - counts), counts)], counts


def warm_up() -> None:
    """Compile."""
    none, one = np.zeros(1, dtype=np.int64), np.ones(6)
    EdgeArrays(np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64), none, one[None]).shortest(none, none, one, one)
    pull_tight(one[None, :4], one[None, :4], np.arange(2), 1.0)


@part
def _is_before(keys, steps, a, b):
    return keys[a] < keys[b] or (keys[a] == keys[b] and steps[a] < steps[b])


@part
def _swap(keys, steps, a, b):
    keys[a], keys[b] = keys[b], keys[a]
    steps[a], steps[b] = steps[b], steps[a]


@part
def _push(keys, steps, size, key, step):
    """Add to a heap of so many; return how many there are."""
    keys[size], steps[size] = key, step
    child = size
    while child > 0:
        parent = (child - 1) >> 1
        if not _is_before(keys, steps, child, parent):
            break
        _swap(keys, steps, child, parent)
        child = parent
    return size + 1


@part
def _pop(keys, steps, size):
    """Move the first of a heap to its end, and restore the others; return how many those are."""
    size -= 1
    _swap(keys, steps, 0, size)
    parent = 0
    while True:
        child = 2 * parent + 1
        if child >= size:
            return size
        if child + 1 < size and _is_before(keys, steps, child + 1, child):
            child += 1
        if not _is_before(keys, steps, child, parent):
            return size
        _swap(keys, steps, parent, child)
        parent = child


@part
def _apart(x, y, to_x, to_y):
    return math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))


@part
def _crossing(gate, x, y, gx, gy, needed):
    """Where a gate is crossed on the way from one place to another."""
    ax, ay, dx, dy, width, _ = gate
    ex, ey, px, py = gx - x, gy - y, x - ax, y - ay
    slope = dx * ey - dy * ex
    ahead = (px * dy - py * dx) * slope > 0.0
    share = (px * ey - py * ex) / slope if ahead else (px * dx + py * dy) / (width * width)
    least = needed / width
    share = least if share < least else 1.0 - least if share > 1.0 - least else share  # noqa: FURB136 - as its twin
    return ax + share * dx, ay + share * dy


@part
def _steps_back(notes, goal_before, walked):
    """Write the steps from the goal back to the start; return how many."""
    count, step = 0, goal_before
    while step != _START:
        walked[count] = step
        count += 1
        step = notes[step, 0]
    return count


@entry
def _search(mark, leaves, arrivals, numbers, factors, roads, noted, listed):
    (heads, first, exits, gates), (places, notes) = roads, noted
    x, y, gx, gy, needed, weight = numbers
    keys, steps, size = np.empty(1024), np.empty(1024, dtype=np.int64), 0
    cost, goal_cost, goal_before, expanded, number = 0.0, math.inf, _START, 0, 0
    while number < len(leaves) or size:
        if number < len(leaves):
            node, before = leaves[number], _START
            number += 1
        else:
            size = _pop(keys, steps, size)
            before = steps[size]
            if before == _GOAL:
                break
            if notes[before, 1] == mark + 1:
                continue
            notes[before, 1], node, (cost, x, y) = mark + 1, heads[before], places[before]
            listed[1, expanded] = node
            expanded += 1
        more = size + 1 + first[node + 1] - first[node]
        if more > len(keys):
            keys, steps = np.append(keys, np.empty(more)), np.append(steps, np.empty(more, dtype=np.int64))
        total = cost + _apart(x, y, gx, gy)
        if total < goal_cost and np.any(arrivals == node):
            goal_cost, goal_before = total, before
            size = _push(keys, steps, size, total, _GOAL)
        for k in range(first[node], first[node + 1]):
            step = exits[k]
            if gates[k, 5] < needed or step == before ^ 1 or notes[step, 1] == mark + 1:
                continue
            cx, cy = _crossing(gates[k], x, y, gx, gy, needed)
            total = cost + _apart(x, y, cx, cy) * factors[step >> 1]
            if notes[step, 1] != mark or total < places[step, 0]:
                places[step, 0], places[step, 1], places[step, 2] = total, cx, cy
                notes[step, 0], notes[step, 1] = before, mark
                size = _push(keys, steps, size, total + weight * _apart(cx, cy, gx, gy), step)
    return (-1 if goal_cost == math.inf else _steps_back(notes, goal_before, listed[0])), expanded


@part
def _corners(x, y, chords, begin, end, found):
    """Write the corners of the shortest line from a place through portals to rows of `found`; return how many."""
    count, k, left_at, right_at = 0, begin, -1, -1
    left_x = left_y = right_x = right_y = 0.0
    while k < end:
        to_x, to_y = chords[k, 2] - x, chords[k, 3] - y
        if right_x * to_y - right_y * to_x >= 0.0:  # the right side does not open
            if (right_x == 0.0 and right_y == 0.0) or left_x * to_y - left_y * to_x < 0.0:
                right_x, right_y, right_at = to_x, to_y, k
            else:  # it crosses the left side: a corner there
                x, y = chords[left_at, 0], chords[left_at, 1]
                found[count, 0], found[count, 1] = x, y
                count += 1
                k = left_at + 1
                right_at = left_at
                left_x = left_y = right_x = right_y = 0.0
                continue
        to_x, to_y = chords[k, 0] - x, chords[k, 1] - y
        if left_x * to_y - left_y * to_x <= 0.0:
            if (left_x == 0.0 and left_y == 0.0) or right_x * to_y - right_y * to_x > 0.0:
                left_x, left_y, left_at = to_x, to_y, k
            else:
                x, y = chords[right_at, 2], chords[right_at, 3]
                found[count, 0], found[count, 1] = x, y
                count += 1
                k = right_at + 1
                left_at = right_at
                left_x = left_y = right_x = right_y = 0.0
                continue
        k += 1
    return count


@part
def _without_straight(points, count, tolerance):
    """Drop points at which a line is straight, in place; return how many there are then."""
    kept = 1
    for k in range(1, count - 1):
        x, y, last_x, last_y = points[k, 0], points[k, 1], points[kept - 1, 0], points[kept - 1, 1]
        next_x, next_y = points[k + 1, 0], points[k + 1, 1]
        run_x, run_y = next_x - last_x, next_y - last_y
        aside = run_x * (y - last_y) - run_y * (x - last_x)
        back = run_x * (x - last_x) + run_y * (y - last_y) < 0.0 or run_x * (next_x - x) + run_y * (next_y - y) < 0.0
        if back or aside * aside > tolerance * tolerance * (run_x * run_x + run_y * run_y):
            points[kept, 0], points[kept, 1] = x, y
            kept += 1
    points[kept, 0], points[kept, 1] = points[count - 1, 0], points[count - 1, 1]
    return kept + 1


@entry
def _pull_all(begin, end, ends, chords, low, tolerance, found):
    corners, counts = found
    for k in range(begin, end):
        points = corners[low[k] + 2 * k : low[k + 1] + 2 * k + 2]
        points[0, 0], points[0, 1] = ends[k, 0], ends[k, 1]
        count = 2 + _corners(ends[k, 0], ends[k, 1], chords, low[k], low[k + 1], points[1:])
        points[count - 1, 0], points[count - 1, 1] = ends[k, 2], ends[k, 3]
        counts[k] = _without_straight(points, count, tolerance)
