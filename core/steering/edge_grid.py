# SPDX-License-Identifier: GPL-3.0-or-later
"""Which obstacle edges are near a place: looked up in cells of a grid, of which only those near an edge are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .kernels.arrays import Float64, Int64, Ragged, Segments

MOST_CELLS = 2**20


@dataclass(frozen=True, eq=False)
class EdgeGrid:
    """For each cell from which an edge may be in reach, the numbers of those edges.

    Attributes:
        low: float64 (2,), corner of the first cell [m].
        size: of a cell [m].
        shape: int64 (2,), columns and rows.
        cells: int64 (C,), numbers of the cells that have edges, ascending.
        edges: which, for each of them.
    """

    low: Float64
    size: float
    shape: Int64
    cells: Int64
    edges: Ragged

    def candidates(self, position: Float64) -> tuple[Int64, Int64]:
        """Pairs of row of `position` (N, 2) and edge that may be in reach of it, grouped by row."""
        square = np.floor((position - self.low) / self.size)
        inside = np.logical_and.reduce((square >= 0.0) & (square < self.shape), axis=1)
        column, row = np.where(inside[:, None], square, 0.0).astype(np.int64).T
        cell = row * self.shape[0] + column
        at = np.minimum(np.searchsorted(self.cells, cell), self.cells.size - 1)
        known = inside & (self.cells[at] == cell)
        first = self.edges.first[at]
        lengths = np.where(known, self.edges.first[at + 1] - first, 0)
        owner = np.repeat(np.arange(position.shape[0]), lengths)
        within = np.arange(owner.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return owner, self.edges.items[np.repeat(first, lengths) + within]


def make_grid(segments: Segments, reach: float) -> EdgeGrid:
    """Enter each edge into all cells from which it may be nearer than `reach` [m]: piece by piece along it."""
    low = np.minimum(segments.start, segments.end).min(axis=0) - reach
    high = np.maximum(segments.start, segments.end).max(axis=0) + reach
    size = max(0.5 * reach, float((high - low).max()) / MOST_CELLS)
    shape = ((high - low) / size).astype(np.int64) + 1
    along = segments.end - segments.start
    pieces = np.ceil(np.sqrt((along * along).sum(axis=1)) / (2.0 * size)).astype(np.int64)
    edge = np.repeat(np.arange(pieces.size), pieces)
    number = np.arange(edge.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = segments.start[edge] + (number / pieces[edge])[:, None] * along[edge]
    end = segments.start[edge] + ((number + 1) / pieces[edge])[:, None] * along[edge]
    margin = reach + 1e-6 * size
    first = np.floor((np.minimum(begin, end) - margin - low) / size).astype(np.int64).clip(0, shape - 1)
    last = np.floor((np.maximum(begin, end) + margin - low) / size).astype(np.int64).clip(0, shape - 1)
    piece, cell = _cells_between(first, last, int(shape[0]))
    cell, items = np.divmod(np.unique(cell * pieces.size + edge[piece]), pieces.size)
    cells, starts = np.unique(cell, return_index=True)
    return EdgeGrid(low, size, shape, cells, Ragged(np.append(starts, cell.size), items))


def _cells_between(first: Int64, last: Int64, columns: int) -> tuple[Int64, Int64]:
    """All cells of rectangles of cells, and which rectangle each belongs to."""
    wide, tall = (last - first + 1).T
    area = wide * tall
    number = np.repeat(np.arange(area.size), area)
    inside = np.arange(number.size) - np.repeat(np.cumsum(area) - area, area)
    up, right = np.divmod(inside, wide[number])
    return number, (first[number, 1] + up) * columns + first[number, 0] + right
