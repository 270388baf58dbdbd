# SPDX-License-Identifier: GPL-3.0-or-later
"""Grids of cells that know the obstacle edges in reach; of all cells only those near an edge are kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...geometry.reproducible_math import length
from .arrays import EdgeGrid, Float64, Int64, Segments

MOST_CELLS = 2**20
"""Of a grid, along each axis."""

MOST_PIECES = 2**16
"""That all edges together are cut into: cells are larger where the edges are some hundred kilometres long."""


def make_grid(segments: Segments, reach: float) -> EdgeGrid:
    """Enter each edge into all cells from which it may be nearer than `reach` [m]: piece by piece along it."""
    low = np.minimum(segments.start, segments.end).min(axis=0) - reach
    high = np.maximum(segments.start, segments.end).max(axis=0) + reach
    along = segments.end - segments.start
    total = float(length(along).sum())
    size = max(0.5 * reach, float((high - low).max()) / MOST_CELLS, 0.5 * total / MOST_PIECES)
    shape = ((high - low) / size).astype(np.int64) + 1
    begin, end, edge = _pieces(segments, 2.0 * size)
    margin = reach + 1e-6 * size
    first = np.floor((np.minimum(begin, end) - margin - low) / size).astype(np.int64).clip(0, shape - 1)
    last = np.floor((np.maximum(begin, end) + margin - low) / size).astype(np.int64).clip(0, shape - 1)
    piece, cell = _cells_between(first, last, int(shape[0]))
    edges = segments.start.shape[0]
    key = np.sort(cell * edges + edge[piece])  # several times faster than `np.unique`
    key = key[np.append(True, key[1:] != key[:-1])]
    cell, items = np.divmod(key, edges)
    cells, starts = np.unique(cell, return_index=True)
    return EdgeGrid(
        low[None],
        np.array([size]),
        shape[None],
        np.array([0, cells.size]),
        cells,
        np.append(starts, cell.size),
        items,
    )


def join_grids(grids: Sequence[EdgeGrid], counts: Sequence[int]) -> EdgeGrid:
    """Several grids as one; `counts` says how many edges each is about, so that they are numbered on."""
    if len(grids) == 1:
        return grids[0]
    edge_offsets = np.cumsum([0, *counts])
    cell_offsets = np.cumsum([0] + [grid.cells.size for grid in grids])
    item_offsets = np.cumsum([0] + [grid.edges.size for grid in grids])
    return EdgeGrid(
        np.concatenate([grid.low for grid in grids]),
        np.concatenate([grid.size for grid in grids]),
        np.concatenate([grid.shape for grid in grids]),
        cell_offsets,
        np.concatenate([grid.cells for grid in grids]),
        np.append(
            np.concatenate([grid.first[:-1] + offset for grid, offset in zip(grids, item_offsets, strict=False)]),
            item_offsets[-1],
        ),
        np.concatenate([grid.edges + offset for grid, offset in zip(grids, edge_offsets, strict=False)]),
    )


def _pieces(segments: Segments, longest: float) -> tuple[Float64, Float64, Int64]:
    """Edges cut into pieces of at most `longest`: where each begins and ends, and whose it is."""
    along = segments.end - segments.start
    pieces = np.ceil(length(along) / longest).astype(np.int64)
    edge = np.repeat(np.arange(pieces.size), pieces)
    number = np.arange(edge.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = segments.start[edge] + (number / pieces[edge])[:, None] * along[edge]
    end = segments.start[edge] + ((number + 1) / pieces[edge])[:, None] * along[edge]
    return begin, end, edge


def _cells_between(first: Int64, last: Int64, columns: int) -> tuple[Int64, Int64]:
    """All cells of rectangles of cells, and which rectangle each belongs to."""
    wide, tall = (last - first + 1).T
    area = wide * tall
    number = np.repeat(np.arange(area.size), area)
    inside = np.arange(number.size) - np.repeat(np.cumsum(area) - area, area)
    up, right = np.divmod(inside, wide[number])
    return number, (first[number, 1] + up) * columns + first[number, 0] + right
