# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches over corridor edges, and lines that are pulled tight: in `core.routing`, twins of `search` and `funnel`.

What is next is the least cost and, of equal ones, the least step: so the order does not depend on the kind of heap.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Float64, Int64
from .circular import arctan2, cos_sin
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


class Chains(NamedTuple):
    """Corridors to pull lines tight in: C chains of A arcs, among which U differ.

    Attributes:
        first: int64 (C + 1,), the first arc of each chain, and all arcs.
        which: int64 (A,), which of the U each of the arcs is.
        bodies: float64 (C, 6), x and y where each line begins, where it ends, radius and reach of the body [m].
        arcs: float64 (U, 5), x and y where each arc is entered, where it is left [m], sides of polygons round corners.
        beside: int64 (U, 2), the sites on its left and on its right.
        starts, along, lengths: of the sites, see `core.routing.medial_axis.axis.Sites`; half of them are segments.
        tolerance: largest deviation of a corner that is dropped as straight [m].
    """

    first: Int64
    which: Int64
    bodies: Float64
    arcs: Float64
    beside: Int64
    starts: Float64
    along: Float64
    lengths: Float64
    tolerance: float


def pull_tight(chains: Chains) -> tuple[Float64, Int64]:
    """Find the shortest lines through corridors.

    Portals of an arc are the same for all whose corridors contain it, but for the radius.

    Returns:
        float64 (P, 2), the points of all lines [m]; and int64 (C,), how many each has.
    """
    corners = (chains.beside >= len(chains.lengths) // 2).sum(axis=1)
    room = 2 + corners * (chains.arcs[:, 4].astype(np.int64) // 2 + 2)  # an arc turns by half a circle at most
    low, counts = np.cumsum(room) - room, np.empty(len(room), dtype=np.int64)
    portals = np.empty((room.sum(), 14))
    run_over(len(room), _cut_all, chains, low, (portals, counts))
    most = np.add.reduceat(counts[chains.which], chains.first[:-1]) + 2
    begins, found = np.cumsum(most) - most, np.empty(len(most), dtype=np.int64)
    points = np.empty((most.sum(), 2))
    run_over(len(most), _pull_all, chains, (portals, low, counts), begins, (points, found), serial_below=_LINES_SERIAL)
    return points[np.arange(found.sum()) + np.repeat(begins - (np.cumsum(found) - found), found)], found


def warm_up() -> None:
    """Compile."""
    none, one = np.zeros(1, dtype=np.int64), np.ones(6)
    EdgeArrays(np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64), none, one[None]).shortest(none, none, one, one)
    arcs, sides = np.array([[0.0, 0.0, 1.0, 0.0, 16.0]]), np.zeros((1, 2), dtype=np.int64)
    pull_tight(Chains(np.arange(2), none, np.ones((1, 6)), arcs, sides, arcs[:, :2], arcs[:, 2:4], one[:2], 1.0))


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
def _cut_all(begin, end, chains, low, found):
    """Write the portals of arcs: their middle, and for each side the foot, the vector from there, distance, cosine."""
    portals, counts = found
    marks = np.empty(2 + 2 * (512 // 2 + 2))
    for arc in range(begin, end):
        own = portals[low[arc] :]
        own[0, 0], own[0, 1], own[1, 0], own[1, 1], _ = chains.arcs[arc]
        marks[0], marks[1], count = -1.0, 2.0, 2
        for side in range(2):
            if chains.beside[arc, side] >= len(chains.lengths) // 2:
                count = _add_turns(chains, arc, side, own, marks, count)
        counts[arc] = count
        for row in range(count):
            for side in range(2):
                _note_foot(chains, arc, side, own[row])


@part
def _add_turns(chains, arc, side, portals, marks, count):
    """Insert where an arc crosses the spokes of the polygon round a corner beside it; return how many there are."""
    own, across = chains.beside[arc, side], chains.beside[arc, 1 - side]
    ax, ay, bx, by, sides = chains.arcs[arc]
    x, y, step = chains.starts[own, 0], chains.starts[own, 1], 2.0 * np.pi / sides
    before_x, before_y, after_x, after_y, run_x, run_y = ax - x, ay - y, bx - x, by - y, bx - ax, by - ay
    first = arctan2(before_y, before_x) / step - 0.5
    turned = arctan2(before_x * after_y - before_y * after_x, before_x * after_x + before_y * after_y) / step
    number, highest = np.ceil(min(first, first + turned)), np.floor(max(first, first + turned))
    while number <= highest:
        cos, sin = cos_sin((number + 0.5) * step)
        distance = _spoke(chains, (x, y, cos, sin), across)
        if math.isfinite(distance):
            place_x, place_y = x + distance * cos, y + distance * sin
            mark = (number - first) / (1.0 if turned == 0.0 else turned)
            if across >= len(chains.lengths) // 2:
                along = (place_x - ax) * run_x + (place_y - ay) * run_y
                mark = along / max(run_x * run_x + run_y * run_y, 1e-300)
            row = count
            while row and marks[row - 1] > mark:
                marks[row], portals[row, 0], portals[row, 1] = marks[row - 1], portals[row - 1, 0], portals[row - 1, 1]
                row -= 1
            marks[row], portals[row, 0], portals[row, 1] = mark, place_x, place_y
            count += 1
        number += 1.0
    return count


@part
def _spoke(chains, spoke, across):
    """Length of a spoke up to where the site across is as near as its own."""
    x, y, cos, sin = spoke
    apart_x, apart_y = x - chains.starts[across, 0], y - chains.starts[across, 1]
    normal_x, normal_y = -chains.along[across, 1], chains.along[across, 0]
    if across >= len(chains.lengths) // 2:
        above, below = apart_x * apart_x + apart_y * apart_y, -2.0 * (apart_x * cos + apart_y * sin)
    else:
        above, below = apart_x * normal_x + apart_y * normal_y, 1.0 - (cos * normal_x + sin * normal_y)
    return above / below if below > 0.0 else math.inf


@part
def _note_foot(chains, arc, side, portal):
    """Write where the site on a side is nearest to a portal's middle, and what of the body's radius stays clear."""
    site, x, y = chains.beside[arc, side], portal[0], portal[1]
    start_x, start_y = chains.starts[site, 0], chains.starts[site, 1]
    along_x, along_y = chains.along[site, 0], chains.along[site, 1]
    share = min(max((x - start_x) * along_x + (y - start_y) * along_y, 0.0), chains.lengths[site])
    foot_x, foot_y = start_x + share * along_x, start_y + share * along_y
    apart_x, apart_y, cosine = x - foot_x, y - foot_y, 1.0
    if site >= len(chains.lengths) // 2:
        step, angle = 2.0 * np.pi / chains.arcs[arc, 4], arctan2(apart_y, apart_x)
        cosine = cos_sin(angle - np.rint(angle / step) * step)[0]
    into = 2 + 6 * side
    portal[into], portal[into + 1], portal[into + 2], portal[into + 3] = foot_x, foot_y, apart_x, apart_y
    portal[into + 4], portal[into + 5] = math.sqrt(apart_x * apart_x + apart_y * apart_y), cosine


@entry
def _pull_all(begin, end, chains, cut, begins, found):
    (portals, low, counts), (points, lengths) = cut, found
    most = 0
    for k in range(begin, end):
        count = 1
        for at in range(chains.first[k], chains.first[k + 1]):
            count += counts[chains.which[at]]
        most = max(most, count)
    chords = np.empty((most, 7))
    for k in range(begin, end):
        x, y, goal_x, goal_y, radius, reach = chains.bodies[k]
        count, last = 0, (np.inf, np.inf, np.inf, np.inf)
        for at in range(chains.first[k], chains.first[k + 1]):
            arc = chains.which[at]
            for row in range(low[arc], low[arc] + counts[arc]):
                left_x, left_y = _inset(portals[row, 2:8], radius)
                right_x, right_y = _inset(portals[row, 8:14], radius)
                apart_x, apart_y = (
                    abs(left_x - last[0]) + abs(right_x - last[2]),
                    abs(left_y - last[1]) + abs(right_y - last[3]),
                )
                last = (left_x, left_y, right_x, right_y)
                if apart_x > 1e-12 or apart_y > 1e-12:
                    chords[count, 0], chords[count, 1], chords[count, 2], chords[count, 3] = last
                    chords[count, 4], chords[count, 5] = portals[row, 0], portals[row, 1]
                    chords[count, 6] = portals[row, 6] - reach
                    count += 1
        first, final = _between(chords[:count], chains.bodies[k])
        chords[final, 0], chords[final, 1], chords[final, 2], chords[final, 3] = goal_x, goal_y, goal_x, goal_y
        own = points[begins[k] :]
        own[0, 0], own[0, 1] = x, y
        count = 2 + _corners(x, y, chords, first, final + 1, own[1:])
        own[count - 1, 0], own[count - 1, 1] = goal_x, goal_y
        lengths[k] = _without_straight(own, count, chains.tolerance)


@part
def _inset(foot, radius):
    """The end of a portal: the nearest point of a site, moved inwards by the radius."""
    share = min(radius / foot[5] / max(foot[4], 1e-300), 1.0)
    return foot[0] + share * foot[2], foot[1] + share * foot[3]


@part
def _between(chords, body):
    """The first portal that a line passes, and the one after its last; see `core.routing.corridors.funnel`."""
    x, y, goal_x, goal_y, _, _ = body
    seen = -1
    for k in range(len(chords)):
        if _apart(chords[k, 4], chords[k, 5], x, y) <= chords[k, 6]:
            seen = k
        if _apart(chords[k, 4], chords[k, 5], goal_x, goal_y) <= chords[k, 6]:
            break
    first, last = max(seen, 0), len(chords)
    for k in range(first, len(chords)):
        if _apart(chords[k, 4], chords[k, 5], goal_x, goal_y) <= chords[k, 6]:
            last = k if _side(chords[k], goal_x, goal_y) < 0.0 else k + 1
            break
    if seen >= 0 and _side(chords[first], x, y) > 0.0:
        first += 1
    return first, max(first, last)


@part
def _side(portal, x, y):
    """Positive where a point lies beyond a portal, negative before it."""
    left_x, left_y, right_x, right_y = portal[0], portal[1], portal[2], portal[3]
    return (right_x - left_x) * (y - left_y) - (right_y - left_y) * (x - left_x)
