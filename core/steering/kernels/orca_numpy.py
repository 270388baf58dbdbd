# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimal reciprocal collision avoidance for everybody at once: numpy kernel.

Source: van den Berg et al. 2011.
"""

from __future__ import annotations

import numpy as np

from .arrays import Agents, Bool, Float64, Horizons, Int64, Ragged, Segments
from .linear_program_numpy import solve
from .obstacle_planes_numpy import obstacle_planes
from .planes_numpy import agent_planes

CHUNK = 8192


def new_velocity(agents: Agents, neighbours: Int64, edges: Ragged, segments: Segments, horizons: Horizons) -> Float64:
    """New velocities of everybody.

    Args:
        agents: everybody.
        neighbours: int64 (K, A), nearest first, -1 where there is none.
        edges: for each agent the obstacle edges to mind, those that stand still first, then nearest first.
        segments: all edges.
        horizons: looked ahead [s].

    Returns:
        float64 (A, 2) [m/s].
    """
    result = np.empty_like(agents.velocity)
    counts = np.diff(edges.first)
    order = np.argsort(counts, kind="stable")
    free = int(np.searchsorted(counts[order], 0, side="right"))
    for begin, end in _chunks(0, free) + _chunks(free, order.size):
        rows = np.sort(order[begin:end])
        lines = agent_planes(agents, rows, neighbours[:, rows], horizons)
        hard = 0
        if begin >= free:
            still, moving = _edge_tables(edges, rows, segments.stands)
            hard = still.shape[0]
            table = np.concatenate((still, moving))
            lines = np.concatenate((obstacle_planes(agents, rows, table, segments, horizons), lines), axis=1)
        result[rows] = solve(lines, hard, agents.preferred[rows].T, agents.max_speed[rows]).T
    return result + 0.0  # no negative zeros


def _chunks(begin: int, end: int) -> list[tuple[int, int]]:
    return [(at, min(at + CHUNK, end)) for at in range(begin, end, CHUNK)]


def _edge_tables(edges: Ragged, rows: Int64, stands: Bool) -> tuple[Int64, Int64]:
    """The edges of `rows`, one column for each, -1 where there are fewer: those that stand still, and the others."""
    lengths = edges.first[rows + 1] - edges.first[rows]
    owner = np.repeat(np.arange(rows.size), lengths)
    skipped = np.cumsum(lengths) - lengths
    number = np.arange(owner.size) - skipped[owner]
    items = edges.items[edges.first[rows][owner] + number]
    moves = ~stands[items]
    still = np.bincount(owner[~moves], minlength=rows.size)
    number[moves] -= still[owner[moves]]
    tables = []
    for part in (~moves, moves):
        table = np.full((int(number[part].max(initial=-1)) + 1, rows.size), -1)
        table[number[part], owner[part]] = items[part]
        tables.append(table)
    return tables[0], tables[1]
