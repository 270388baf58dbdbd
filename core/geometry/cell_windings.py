# SPDX-License-Identifier: GPL-3.0-or-later
"""Square cells in rows, and winding numbers of points in them, from those of the cells' centres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Bool, Float64, Int64
from .ragged import Lists
from .reproducible_math import vectors_of
from .segments import closest_on_segments, turn, windings_of


@dataclass(frozen=True, eq=False)
class CellGrid:
    """Square cells, numbered row by row.

    Attributes:
        low: float64 (2,), lower corner of the first cell [m].
        size: side of a cell [m].
        columns, rows: how many.
    """

    low: Float64
    size: float
    columns: int
    rows: int

    def __len__(self) -> int:
        return self.columns * self.rows

    @property
    def half_diagonal(self) -> float:
        """Distance of a cell's corners from its centre [m]."""
        return 0.5 * np.sqrt(2.0) * self.size

    def halved(self) -> CellGrid:
        """The grid of the quarters of its cells."""
        return CellGrid(self.low, 0.5 * self.size, 2 * self.columns, 2 * self.rows)

    def parents(self) -> Int64:
        """Int64 (C,), of which cell of a grid that it was halved from each cell is a quarter."""
        cells = np.arange(len(self))
        return (cells // self.columns // 2) * (self.columns // 2) + cells % self.columns // 2

    def centres(self, cells: Int64) -> Float64:
        """Centres of cells, float64 (..., 2) [m]."""
        row, column = np.divmod(cells, self.columns)
        return self.low + self.size * (vectors_of(column, row) + 0.5)

    def cells_of(self, points: Float64) -> Int64:
        """Int64 (N,), the cell each point lies in, -1 outside the grid (and for what is not a number)."""
        with np.errstate(invalid="ignore"):
            x, y = (np.floor((points[:, axis] - self.low[axis]) / self.size) for axis in (0, 1))
            cell = y * self.columns + x
        within = (x >= 0) & (y >= 0) & (x < self.columns) & (y < self.rows)
        if not within.all():
            cell[~within] = -1.0
        return cell.astype(np.int64)

    def rows_of(self, y: Float64) -> Int64:
        """The rows that heights are in, int64 of their shape; the nearest one outside the grid."""
        return np.clip(((y - self.low[1]) / self.size).astype(np.int64), 0, self.rows - 1)


class CellWindings:
    """How often closed outlines wind round points.

    Attributes:
        rows: the edges that each row of cells has between its lower and upper border.
        of_centres: int64 (C,), the winding numbers of the cells' centres.
    """

    def __init__(self, edges: tuple[Float64, Float64], cells: Lists, grid: CellGrid) -> None:
        """Prepare.

        Args:
            edges: float64 (E, 2) each, where those of the outlines start and end [m].
            cells: of each cell the edges that pass through it, and others; numbers from E on are no edges.
            grid: where they are.
        """
        self._starts, self._ends = edges
        self._cells, self._grid = cells, grid
        self.rows = self._edges_of_rows()
        self.of_centres = self._wound(grid.centres(np.arange(len(grid))))

    def _edges_of_rows(self) -> Lists:
        """The polygon edges that each row of cells has between its lower and upper border."""
        rows = self._grid.rows_of(np.stack((self._starts[:, 1], self._ends[:, 1])))
        first, last = rows.min(axis=0), rows.max(axis=0)
        edge = np.repeat(np.arange(len(self._starts)), last - first + 1)
        before = np.cumsum(last - first + 1) - (last - first + 1)
        row = first[edge] + np.arange(len(edge)) - before[edge]
        order = np.argsort(row, kind="stable")
        counts = np.bincount(row, minlength=self._grid.rows)
        return Lists(np.concatenate(([0], np.cumsum(counts))), edge[order])

    def at(self, points: Float64, cell: Int64) -> Int64:
        """Winding number of points, from that of their cell's centre and the edges of the cell alone.

        From the centre one goes along x to beside the point, and from there along y to it: the winding number changes
        with each edge that is crossed, and every edge that passes through the cell is in its list.
        """
        centre = self._grid.centres(cell)
        beside = vectors_of(points[:, 0], centre[:, 1])
        winding = self.of_centres[cell]
        on_edge = np.zeros(len(points), dtype=bool)
        for part in self._cells.chunks(cell):
            owner, edge = self._cells.pairs(cell[part])
            solid = (edge < len(self._starts)).nonzero()[0]
            owner, edge = owner[solid], edge[solid]
            start, end, corner = self._starts.take(edge, 0), self._ends.take(edge, 0), beside[part].take(owner, 0)
            # With x and y exchanged the ray runs along y, and everything winds the other way round.
            for axis, here, there in ((1, centre, beside), (0, points, beside)):
                first, last, level = start[:, axis], end[:, axis], corner[:, axis]
                upward = first <= level
                pair = (upward != (last <= level)).nonzero()[0]  # no other edge is crossed by a ray at this level
                if not len(pair):
                    continue
                crossing = np.where(upward[pair], 1, -1)
                at, a, b = owner[pair], start[pair], end[pair]
                if axis == 0:
                    a, b = a[:, ::-1], b[:, ::-1]
                after, before = (
                    crossing * turn(a, b, place[part][at][:, :: 1 if axis else -1]) > 0.0 for place in (there, here)
                )
                change = np.where(after, crossing, 0) - np.where(before, crossing, 0)
                winding[part] += np.bincount(at, change, len(cell[part])).astype(np.int64)
            straight = (turn(start, end, corner) == 0.0).nonzero()[0]
            if len(straight):
                met = straight[_touch(corner[straight], start[straight], end[straight])]
                on_edge[part][owner[met]] = True
        if on_edge.any():  # there the two rays need not agree
            winding[on_edge] = self._wound(points[on_edge])
        return winding

    def _wound(self, points: Float64) -> Int64:
        """Winding number of points of the grid, by the polygon edges of their row."""
        row = self._grid.rows_of(points[:, 1])
        winding = np.zeros(len(points), dtype=np.int64)
        for part in self.rows.chunks(row):
            owner, edge = self.rows.pairs(row[part])
            turns = windings_of(points[part][owner], self._starts[edge], self._ends[edge])
            winding[part] = np.bincount(owner, weights=turns, minlength=len(row[part])).astype(np.int64)
        return winding


def _touch(points: Float64, starts: Float64, ends: Float64) -> Bool:
    """Bool (N,), which points lie on their segment."""
    apart = closest_on_segments(points, starts, ends) - points
    return apart[:, 0] * apart[:, 0] + apart[:, 1] * apart[:, 1] == 0.0
