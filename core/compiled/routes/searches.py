# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches over corridor edges, many at once: twin of `core.routing.graph.search`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64
from ..compiling import each_row, part, run_over
from .heap import pop, push, with_room

_GOAL, _START = -1, -2  # instead of a step
_STEPS, _NODES = 64, 256  # as many as most routes have, and as most searches expand


class EdgeArrays(NamedTuple):
    """Corridor edges as arrays.

    Attributes:
        heads: int64 (S,), the node where each step ends.
        first: int64 (N + 1,), the first exit of each node, and all exits.
        steps: int64 (E,), of the exits.
        gates: float64 (E, 6), see `core.routing.graph.search.Exit`.
    """

    heads: Int64
    first: Int64
    steps: Int64
    gates: Float64


class Searches(NamedTuple):
    """N searches.

    Attributes:
        ends: int64 (N, 4), nodes by which the start is left, ascending, and nodes from which the goal is reached; -1
            for none.
        numbers: float64 (N, 5), x and y of the start and of the goal, the clearance [m].
        first: int64 (N + 1,), of each the first of the edges with factors of its own, and all of these.
        edges: int64 (R,), and float64 (R,), these factors.
        factors: float64, on the lengths of all other edges.
        weight: of what remains.
    """

    ends: Int64
    numbers: Float64
    first: Int64
    edges: Int64
    own_factors: Float64
    factors: Float64
    weight: float


def search(roads: EdgeArrays, searches: Searches) -> list[tuple[list[int] | None, list[int]]]:
    """Return of each the steps from the goal back to the start, None without a route; and the expanded nodes."""
    found: list[tuple[list[int] | None, list[int]]] = [(None, [])] * len(searches.ends)
    rows = np.arange(len(found))
    room = np.array([_STEPS, _NODES])
    while len(rows):  # a few longer ones are made again
        listed = np.empty((len(rows), room.sum()), dtype=np.int64)
        counts = np.empty((len(rows), 2), dtype=np.int64)
        run_over(len(rows), _search_all, roads, searches, rows, room, (listed, counts))
        fits = (counts <= room).all(axis=1)
        own = zip(rows[fits].tolist(), listed[fits], counts[fits].tolist(), strict=True)
        for row, both, (walked, expanded) in own:
            steps = None if walked < 0 else both[:walked].tolist()
            found[row] = steps, both[room[0] : room[0] + expanded].tolist()
        rows, room = rows[~fits], np.maximum(room, counts.max(axis=0))
    return found


@part
def apart(x, y, to_x, to_y):
    """Return the distance of two points."""
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
    """Write the steps from the goal back to the start, as far as there is room; return how many."""
    count, step = 0, goal_before
    while step != _START:
        if count < len(walked):
            walked[count] = step
        count += 1
        step = notes[step, 0]
    return count


@each_row(takes=5.0)
def _search_all(begin, end, roads, searches, rows, room, found):
    listed, counts = found
    factors, noted = (
        searches.factors.copy(),
        (np.zeros((len(roads.heads), 3)), np.zeros((len(roads.heads), 2), dtype=np.int64)),
    )
    for k in range(begin, end):
        row = rows[k]
        low, high = searches.first[row], searches.first[row + 1]
        for own in range(low, high):
            factors[searches.edges[own]] = searches.own_factors[own]
        own = listed[k, : room[0]], listed[k, room[0] :]
        ends, numbers = searches.ends[row], (searches.numbers[row], searches.weight)
        counts[k, 0], counts[k, 1] = _search(2 * (k - begin) + 2, ends, numbers, factors, roads, noted, own)
        for own in range(low, high):
            factors[searches.edges[own]] = searches.factors[searches.edges[own]]


@part
def _search(mark, ends, numbers, factors, roads, noted, listed):
    (places, notes), (walked, nodes), ((x, y, gx, gy, needed), weight) = noted, listed, numbers
    keys, steps, size = np.empty(1024), np.empty(1024, dtype=np.int64), 0
    cost, goal_cost, goal_before, expanded, number = 0.0, math.inf, _START, 0, 0
    while (number < 2 and ends[number] >= 0) or size:
        if number < 2 and ends[number] >= 0:
            node, before = ends[number], _START
            number += 1
        else:
            size = pop(keys, steps, size)
            before = steps[size]
            if before == _GOAL:
                break
            if notes[before, 1] == mark + 1:
                continue
            notes[before, 1], node, (cost, x, y) = mark + 1, roads.heads[before], places[before]
            if expanded < len(nodes):
                nodes[expanded] = node
            expanded += 1
        keys, steps = with_room(keys, steps, size + 1 + roads.first[node + 1] - roads.first[node])
        total = cost + apart(x, y, gx, gy)
        if total < goal_cost and (node == ends[2] or node == ends[3]):
            goal_cost, goal_before = total, before
            size = push(keys, steps, size, total, _GOAL)
        for k in range(roads.first[node], roads.first[node + 1]):
            step, gate = roads.steps[k], roads.gates[k]
            if gate[5] < needed or step == before ^ 1 or notes[step, 1] == mark + 1:
                continue
            cx, cy = _crossing(gate, x, y, gx, gy, needed)
            total = cost + apart(x, y, cx, cy) * factors[step >> 1]
            if notes[step, 1] != mark or total < places[step, 0]:
                places[step, 0], places[step, 1], places[step, 2] = total, cx, cy
                notes[step, 0], notes[step, 1] = before, mark
                size = push(keys, steps, size, total + weight * apart(cx, cy, gx, gy), step)
    return (-1 if goal_cost == math.inf else _steps_back(notes, goal_before, walked)), expanded
