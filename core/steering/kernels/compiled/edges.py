# SPDX-License-Identifier: GPL-3.0-or-later
"""Which obstacle edges agents see: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import each_row, entry, part, run_over
from ..arrays import EdgeGrid, Float64, Ragged, Segments

_ROOM = 24  # edges of an agent for which there is room at first: a pillar of 32 corners shows 16 of them


def edges_near(position: Float64, reach: Float64, grid: EdgeGrid, segments: Segments) -> Ragged:
    """The edges whose outer side agents see and that are nearer than their reach; see `reference`."""
    agents = position.shape[0]
    room, counts = _ROOM * np.arange(agents + 1, dtype=np.int64), np.zeros(agents, dtype=np.int64)
    items = np.empty(room[-1], dtype=np.int64)
    run_over(agents, _list, position, reach, grid, segments, counts, (room, items))
    first, items, complete = _join(counts, items)
    if not complete:  # now there is as much room as each needs, who may be few
        run_over(agents, _list, position, reach, grid, segments, counts, (first, items))
    return Ragged(first, items)


@entry
def _join(counts, lists):
    """Lists that each had the same room, laid end to end; and whether it was enough for all, else nothing is copied."""
    first, most = np.zeros(counts.size + 1, dtype=np.int64), 0
    for agent in range(counts.size):
        first[agent + 1], most = first[agent] + counts[agent], max(most, counts[agent])
    items = np.empty(first[-1], dtype=np.int64)
    for agent in range(counts.size if most <= _ROOM else 0):
        for place in range(counts[agent]):
            items[first[agent] + place] = lists[agent * _ROOM + place]
    return first, items, most <= _ROOM


@each_row(takes=0.4)
def _list(begin, end, position, reach, grid, segments, counts, lists):
    """Write the edges of each agent, as many as its list has room for, and how many they are."""
    (first, items), most = lists, 0
    for agent in range(begin, end):
        most = max(most, first[agent + 1] - first[agent])
    distance = np.empty(most)
    for agent in range(begin, end):
        known, own = 0, items[first[agent] : first[agent + 1]]
        for part_number in range(grid.size.size):
            cell = _cell_at(grid, part_number, position[agent, 0], position[agent, 1])
            if cell < 0:
                continue
            for place in range(grid.first[cell], grid.first[cell + 1]):
                edge = grid.edges[place]
                distance2 = _distance2(segments, edge, position[agent, 0], position[agent, 1])
                if distance2 < reach[agent] * reach[agent]:
                    if known < own.size:
                        _insert(own, distance, known, edge, distance2, segments.stands)
                    known += 1
        counts[agent] = known


@part
def _cell_at(grid, number, x, y):
    """The place of a cell among those that have edges, or -1."""
    column = math.floor((x - grid.low[number, 0]) / grid.size[number])
    row = math.floor((y - grid.low[number, 1]) / grid.size[number])
    if not (0 <= column < grid.shape[number, 0] and 0 <= row < grid.shape[number, 1]):
        return -1
    wanted = row * grid.shape[number, 0] + column
    low, high = grid.parts[number], grid.parts[number + 1]
    while low < high:
        middle = (low + high) // 2
        if grid.cells[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < grid.parts[number + 1] and grid.cells[low] == wanted else -1


@part
def _distance2(segments, edge, x, y):
    """The squared distance to an edge whose outer side is seen, else inf."""
    along_x = segments.end[edge, 0] - segments.start[edge, 0]
    along_y = segments.end[edge, 1] - segments.start[edge, 1]
    x, y = x - segments.start[edge, 0], y - segments.start[edge, 1]
    if not along_x * y - along_y * x < 0.0:
        return math.inf
    s = (x * along_x + y * along_y) / (along_x * along_x + along_y * along_y)
    s = 0.0 if s < 0.0 else min(s, 1.0)
    off_x, off_y = x - s * along_x, y - s * along_y
    return off_x * off_x + off_y * off_y


@part
def _insert(items, distance, known, edge, distance2, stands):
    """Add an edge behind all that come before it: standing ones, then nearer ones, then by number."""
    place = known
    while place > 0:
        before = items[place - 1]
        if stands[before] != stands[edge]:
            later = stands[edge]
        elif distance[place - 1] != distance2:
            later = distance[place - 1] > distance2
        else:
            later = before > edge
        if not later:
            break
        items[place], distance[place] = before, distance[place - 1]
        place -= 1
    items[place], distance[place] = edge, distance2
