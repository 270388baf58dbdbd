# SPDX-License-Identifier: GPL-3.0-or-later
"""Point location: the corridor cell that contains a point.

Each arc has two cells: the free ground between it and the site on its left, and on its right. They tile the free
ground. A spoke runs from a site through the point to the arc; along it clearance only grows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import length
from .axis import Sites
from .partition import EditablePartition

CELL_TOLERANCE = 1e-9
"""Largest distance outside its cell of a point because of rounding, as a share of the extent of the map."""


@dataclass(frozen=True, eq=False)
class LocatedPoints:
    """Points in free ground.

    Attributes:
        arc: int64 (N,), the arc of the cell, -1 for points that are not in free ground.
        clearance: float64 (N,), distance to the nearest obstacle [m].
        direction: float64 (N, 2), unit, away from the nearest obstacle.
        anchor: float64 (N, 2), where the spoke meets the arc [m from the grid's origin].
        room: float64 (N,), clearance there [m].
    """

    arc: Int64
    clearance: Float64
    direction: Float64
    anchor: Float64
    room: Float64


def anchor_distance(sites: Sites, foot: Float64, direction: Float64, other: Int64) -> Float64:
    """Length of a spoke up to where the other site is as near as its own.

    Args:
        sites: all of them.
        foot: float64 (N, 2), where spokes begin [m from the grid's origin].
        direction: float64 (N, 2), unit.
        other: int64 (N,), the site across the arc.

    Returns:
        float64 (N,), [m]; infinite if it is nowhere.
    """
    apart, along = foot - sites.start[other], sites.along[other]
    is_corner = other >= sites.segments
    normal = np.stack((-along[:, 1], along[:, 0]), axis=1)
    above = np.where(is_corner, (apart**2).sum(axis=1), (apart * normal).sum(axis=1))
    below = np.where(is_corner, -2.0 * (apart * direction).sum(axis=1), 1.0 - (direction * normal).sum(axis=1))
    return np.where(below > 0.0, above / np.where(below > 0.0, below, 1.0), np.inf)


class CellIndex:
    """Finds cells by a square grid over their boxes.

    The cells of all squares are laid end to end once; squares with cells added or removed since have their own lists.
    """

    def __init__(self, partition: EditablePartition) -> None:
        """Build the grid.

        Args:
            partition: cell 2k is left of arc k, cell 2k + 1 right of it.
        """
        self._partition = partition
        self._sites = partition.sites
        rows = np.flatnonzero(partition.arcs_alive)
        corners = partition.surfaces[0]
        self._low = corners.min(axis=0)
        extent = float(np.ptp(corners, axis=0).max())
        self._slack = CELL_TOLERANCE * extent
        self._side = int(np.clip(np.sqrt(2 * len(rows)), 4, 512))
        self._size = extent * (1.0 + 1e-9) / self._side
        room = 2 * len(partition.axis.tail)
        # Seen from its own site, a cell's arc runs from `begin` to `end` counter-clockwise.
        self._begin, self._end = np.zeros((room, 2)), np.zeros((room, 2))
        self._own, self._other = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
        self._span = np.full((room, 4), -1)  # first and last column and row of squares; -1: no cell
        self._listed: dict[int, list[int]] = {}
        self._has_list = np.zeros(self._side**2, dtype=bool)
        self._fill_grid(self._read(rows))

    def update(self, changed: Iterable[int]) -> None:
        """Update after a change of the partition.

        Args:
            changed: the arcs that were added or removed.
        """
        rows = np.array(sorted(changed), dtype=np.int64)
        cells = np.concatenate((2 * rows, 2 * rows + 1))
        cells = cells[self._span[cells, 0] >= 0]
        gone = set(cells.tolist())
        for square in set(self._squares_of(cells)[1].tolist()):
            self._listed[square] = [cell for cell in self._list(square) if cell not in gone]
        self._span[cells] = -1
        new = self._read(rows[self._partition.arcs_alive[rows]])
        cell, square = self._squares_of(new)
        for number, place in zip(cell.tolist(), square.tolist(), strict=True):
            if place not in self._listed:
                self._listed[place] = self._list(place)
            self._listed[place].append(number)
        self._has_list[list(self._listed)] = True

    def _list(self, square: int) -> list[int]:
        if square in self._listed:
            return self._listed[square]
        return self._cells[self._first[square] : self._first[square + 1]].tolist()

    def _read(self, rows: Int64) -> Int64:
        """Store the cells of arcs, and return their numbers."""
        axis = self._partition.axis
        left, right = 2 * rows, 2 * rows + 1
        tail, head = axis.vertices[axis.tail[rows]], axis.vertices[axis.head[rows]]
        self._begin[left], self._begin[right] = tail, head
        self._end[left], self._end[right] = head, tail
        self._own[left], self._own[right] = axis.left[rows], axis.right[rows]
        self._other[left], self._other[right] = axis.right[rows], axis.left[rows]
        cells = np.concatenate((left, right))
        begin, end, own = self._begin[cells], self._end[cells], self._own[cells]
        feet = self._sites.feet(begin, own), self._sites.feet(end, own)
        corners = np.stack((begin, end, *feet, self._bulge(cells)))
        square = np.clip((corners - self._low) / self._size, 0, self._side - 1).astype(np.int64)
        self._span[cells, :2], self._span[cells, 2:] = square.min(axis=0), square.max(axis=0)
        return cells

    def _squares_of(self, cells: Int64) -> tuple[Int64, Int64]:
        """The squares that cells' boxes overlap: pairs of a cell and a square."""
        low_x, low_y, high_x, high_y = self._span[cells].T
        wide, tall = high_x - low_x + 1, high_y - low_y + 1
        whose = np.repeat(np.arange(len(cells)), wide * tall)
        place = np.arange(len(whose)) - np.repeat(np.cumsum(wide * tall) - wide * tall, wide * tall)
        x, y = low_x[whose] + place % wide[whose], low_y[whose] + place // wide[whose]
        return cells[whose], y * self._side + x

    def _fill_grid(self, cells: Int64) -> None:
        """Store for each square of the grid the cells whose boxes overlap it."""
        cell, square = self._squares_of(cells)
        order = np.argsort(square, kind="stable")
        self._cells = cell[order]
        self._first = np.concatenate(([0], np.cumsum(np.bincount(square, minlength=self._side**2))))

    def _bulge(self, cells: Int64) -> Float64:
        """For each cell the corner of the triangle round its arc: where the tangents of a parabola's ends meet."""
        segments, own, other = self._sites.segments, self._own[cells], self._other[cells]
        begin = self._begin[cells]
        curved = (own >= segments) != (other >= segments)
        line, point = np.minimum(own, other), np.maximum(own, other)  # a corner has the greater number
        start, along = self._sites.start[line], self._sites.along[line]
        normal = np.stack((-along[:, 1], along[:, 0]), axis=1)
        focus = self._sites.start[point] - start
        focal = np.maximum((focus * normal).sum(axis=1), 1e-300)
        reach = (focus * along).sum(axis=1)
        ends = [((end - start) * along).sum(axis=1) - reach for end in (begin, self._end[cells])]
        height = 0.5 * (ends[0] * ends[1] / focal + focal)
        meet = start + (reach + 0.5 * (ends[0] + ends[1]))[:, None] * along + height[:, None] * normal
        return np.where(curved[:, None], meet, begin)

    def locate(self, points: Float64) -> LocatedPoints:
        """Find the cell of each point.

        Args:
            points: float64 (N, 2) [m from the grid's origin].

        Returns:
            The points.
        """
        cell = self._cell_of(points)
        found = np.maximum(cell, 0)
        own, other = self._own[found], self._other[found]
        foot = self._sites.feet(points, own)
        apart = points - foot
        clearance = length(apart)
        along = self._sites.along[own]
        normal = np.stack((-along[:, 1], along[:, 0]), axis=1)
        ray = apart / np.where(clearance > 0.0, clearance, 1.0)[:, None]
        direction = np.where((own >= self._sites.segments)[:, None], ray, normal)
        room = np.maximum(anchor_distance(self._sites, foot, direction, other), clearance)
        room = np.where(cell >= 0, room, clearance)  # outside it may be infinite
        return LocatedPoints(
            np.where(cell >= 0, found // 2, -1), clearance, direction, foot + room[:, None] * direction, room
        )

    def _cell_of(self, points: Float64) -> Int64:
        square = np.floor((points - self._low) / self._size)
        within = np.all((square >= 0) & (square < self._side), axis=1)
        number = np.where(within, square[:, 1] * self._side + square[:, 0], 0).astype(np.int64)
        listed = within & self._has_list[number]
        counts = np.where(within & ~listed, self._first[number + 1] - self._first[number], 0)
        owner = np.repeat(np.arange(len(points)), counts)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        cell = self._cells[self._first[number][owner] + place]
        if np.any(listed):
            which = np.flatnonzero(listed)
            lists = [self._listed[square] for square in number[which].tolist()]
            owner = np.concatenate((owner, np.repeat(which, [len(cells) for cells in lists])))
            cell = np.concatenate((cell, np.array([each for cells in lists for each in cells], dtype=np.int64)))
        margin = self._margin(points[owner], cell)
        result = np.full(len(points), -1, dtype=np.int64)
        order = np.lexsort((margin, owner))
        last = order[np.flatnonzero(np.diff(owner[order], append=-1))]  # the best of each point
        good = last[margin[last] >= -self._slack]
        result[owner[good]] = cell[good]
        return result

    def _margin(self, points: Float64, cell: Int64) -> Float64:
        """Lower bound of the distance inside its cell of each point; negative outside [m]."""
        own, other = self._own[cell], self._other[cell]
        start, along = self._sites.start[own], self._sites.along[own]
        begin, end, apart = self._begin[cell] - start, self._end[cell] - start, points - start
        # Beside a segment: between the feet of its arc's ends, and above it. Its arc runs against the segment.
        reach = (apart * along).sum(axis=1)
        sides = ((begin * along).sum(axis=1) - reach, reach - (end * along).sum(axis=1), _cross(along, apart))
        beside = np.minimum(np.minimum(sides[0], sides[1]), sides[2])
        # Round a corner: between the two spokes.
        sides = (_cross(begin, apart) / _length(begin), _cross(apart, end) / _length(end))
        front = (begin * apart).sum(axis=1) + (end * apart).sum(axis=1)
        about = np.where(front >= 0.0, np.minimum(*sides), -np.inf)
        nearer = _length(points - self._sites.feet(points, other)) - _length(points - self._sites.feet(points, own))
        return np.minimum(np.where(own >= self._sites.segments, about, beside), nearer)


def _cross(a: Float64, b: Float64) -> Float64:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def _length(a: Float64) -> Float64:
    return np.maximum(length(a), 1e-300)
