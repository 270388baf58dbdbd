# SPDX-License-Identifier: GPL-3.0-or-later
"""Which obstacle edges agents see: numpy kernel."""

from __future__ import annotations

import numpy as np

from ..arrays import EdgeGrid, Float64, Int64, Ragged, Segments

CHUNK = 4096


def edges_near(position: Float64, reach: Float64, grid: EdgeGrid, segments: Segments) -> Ragged:
    """The edges whose outer side agents see and that are nearer than their reach.

    Args:
        position: float64 (A, 2) [m].
        reach: float64 (A,) [m], no farther than the grid was made for.
        grid: of all edges.
        segments: all edges.

    Returns:
        For each agent the numbers of edges: those that stand still first, then nearest first, then by number.
    """
    agents = position.shape[0]
    found = [
        _edges_of_rows(slice(begin, begin + CHUNK), position, reach, grid, segments)
        for begin in range(0, agents, CHUNK)
    ]
    first = np.zeros(agents + 1, dtype=np.int64)
    np.bincount(np.concatenate([owner for owner, _ in found]), minlength=agents).cumsum(out=first[1:])
    return Ragged(first, np.concatenate([edge for _, edge in found]))


def _edges_of_rows(
    rows: slice, position: Float64, reach: Float64, grid: EdgeGrid, segments: Segments
) -> tuple[Int64, Int64]:
    """Pairs of agent and edge for some of the agents, in order."""
    parts = [_candidates(position[rows], grid, part) for part in range(grid.size.size)]
    owner, edge = np.concatenate(parts, axis=1)
    owner += rows.start
    seen, distance2 = _seen(segments, edge, position.take(owner, 0), reach[owner])
    owner, edge = owner[seen], edge[seen]
    order = np.lexsort((edge, distance2, ~segments.stands[edge], owner))
    return owner[order], edge[order]


def _candidates(position: Float64, grid: EdgeGrid, part: int) -> tuple[Int64, Int64]:
    """Pairs of row of `position` and edge of one grid that may be in reach of it."""
    square = np.floor((position - grid.low[part]) / grid.size[part])
    inside = np.logical_and.reduce((square >= 0.0) & (square < grid.shape[part]), axis=1)
    column, row = np.where(inside[:, None], square, 0.0).astype(np.int64).T
    cell = row * grid.shape[part, 0] + column
    cells = grid.cells[grid.parts[part] : grid.parts[part + 1]]
    at = np.minimum(np.searchsorted(cells, cell), cells.size - 1)
    known = inside & (cells[at] == cell)
    at += grid.parts[part]
    lengths = np.where(known, grid.first[at + 1] - grid.first[at], 0)
    owner = np.arange(position.shape[0]).repeat(lengths)
    within = np.arange(owner.size) - np.repeat(lengths.cumsum() - lengths, lengths)
    return owner, grid.edges[grid.first[at].repeat(lengths) + within]


def _seen(segments: Segments, edge: Int64, position: Float64, reach: Float64) -> tuple[Int64, Float64]:
    """Which pairs of edge and position count, and their squared distances."""
    start_x, start_y = segments.start.take(edge, 0).T
    end_x, end_y = segments.end.take(edge, 0).T
    along_x, along_y = end_x - start_x, end_y - start_y
    x, y = position[:, 0] - start_x, position[:, 1] - start_y
    outside = (along_x * y - along_y * x < 0.0).nonzero()[0]
    along_x, along_y, x, y = along_x[outside], along_y[outside], x[outside], y[outside]
    s = (x * along_x + y * along_y) / (along_x * along_x + along_y * along_y)
    s = np.where(s < 0.0, 0.0, np.where(s > 1.0, 1.0, s))
    off_x, off_y = x - s * along_x, y - s * along_y
    distance2 = off_x * off_x + off_y * off_y
    near = distance2 < reach[outside] * reach[outside]
    return outside[near], distance2[near]
