# SPDX-License-Identifier: GPL-3.0-or-later
"""A partition that can be updated in place: it has spare rows, and an update costs as much as it changes.

Rows keep their numbers. Numbers of removed rows are reused; `changed` holds the arcs that were added or removed, for
caches by the number of an arc.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...errors import GeometryError
from .axis import Axis, Sites, fall_together
from .free_space import FreeGround, Grid, ground_of

SPARE_ROWS, SPARE_ROWS_SHARE = 512, 0.5
"""Spare rows: this many, and this share of those in use."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Ground on a grid, parted among its sites by its medial axis."""

    grid: Grid
    ground: FreeGround
    sites: Sites
    axis: Axis


@dataclass(frozen=True, eq=False)
class NewRings:
    """Rings that may be added to a partition.

    Attributes:
        corners: int64 (K,), their rows.
        following: int64 (K,), index into these of the corner after each.
        regions: number of rings that bound free ground from outside.
        holes: number of those that bound it from inside.
    """

    corners: Int64
    following: Int64
    regions: int
    holes: int


@dataclass(frozen=True, eq=False)
class PartitionChange:
    """Changes of a partition.

    Attributes:
        gone: int64, removed corners.
        fresh: added rings.
        conflict: int64, removed arcs.
        lost: int64, removed vertices.
        vertices: float64 (V, 2), added vertices [m from the grid's origin].
        clearance: float64 (V,), there [m].
        tail, head: int64 (A,), ends of the added arcs: kept or added vertices.
        left, right: int64 (A,), the sites beside them.
    """

    gone: Int64
    fresh: NewRings
    conflict: Int64
    lost: Int64
    vertices: Float64
    clearance: Float64
    tail: Int64
    head: Int64
    left: Int64
    right: Int64


class EditablePartition:
    """A partition with spare rows."""

    def __init__(self, partition: Partition) -> None:
        """Copy a partition.

        Args:
            partition: its rings laid end to end.
        """
        ground, sites, axis = partition.ground, partition.sites, partition.axis
        self.grid = partition.grid
        self.regions, self.holes = ground.regions, ground.holes
        count, half = len(ground.corners), _with_spare(len(ground.corners))
        self.corners, self.following, self.before = (
            _padded(rows, half) for rows in (ground.corners, ground.following, ground.before)
        )
        self.alive = _padded(np.ones(count, dtype=bool), half)
        self.first_of_outline, self.first_of_hole = (
            _padded(rows, half) for rows in (ground.first_of_outline, ground.first_of_hole)
        )
        self.sites = Sites(
            *(
                np.concatenate((_padded(rows[:count], half), _padded(rows[count:], half)))
                for rows in (sites.start, sites.along, sites.length, sites.outward)
            )
        )
        room, places = _with_spare(len(axis.tail)), _with_spare(len(axis.vertices))
        self.axis = Axis(
            _padded(axis.vertices, places),
            _padded(axis.clearance, places),
            _padded(axis.tail, room),
            _padded(axis.head, room),
            *(_padded(np.where(rows < count, rows, rows - count + half), room) for rows in (axis.left, axis.right)),
        )
        degree = np.bincount(np.concatenate((axis.tail, axis.head)), minlength=places)
        self.degree = degree.astype(np.int16)
        self.arcs, self.places = len(axis.tail), len(axis.vertices)
        self.reach = np.full((4, room), np.inf, dtype=np.float32)  # read at every change: float32 halves the time
        self.reach[:, : self.arcs] = self._reach_of(np.arange(self.arcs))
        self.spare_corners = list(range(half - 1, count - 1, -1))
        self.spare_arcs = list(range(room - 1, self.arcs - 1, -1))
        self.spare_places = list(range(places - 1, self.places - 1, -1))
        self.changed: set[int] = set()

    @property
    def arcs_alive(self) -> Bool:
        """Which rows of the axis are arcs, bool (A,)."""
        return self.reach[0] < np.inf

    @property
    def surfaces(self) -> tuple[Float64, Float64]:
        """Starts and ends of all edges round free ground, float64 (S, 2) each [m from the grid's origin]."""
        rows = np.flatnonzero(self.alive)
        starts = self.sites.start[rows]
        return starts, starts + self.sites.length[rows, None] * self.sites.along[rows]

    def touching(self, places: Float64) -> Int64:
        """Return the arcs with a point whose nearest obstacle points may lie in the bounding box of some points.

        Args:
            places: float64 (N, 2), N >= 1 [m from the grid's origin].

        Returns:
            int64, possibly too many, never too few.
        """
        left, below, right, above = self.reach
        x, y = places.T.astype(np.float32, order="C")  # rounding keeps their order
        x0, y0, x1, y1 = x.min(), y.min(), x.max(), y.max()
        return ((left <= x1) & (right >= x0) & (below <= y1) & (above >= y0)).nonzero()[0]

    def within(self, low: Float64, high: Float64) -> Int64:
        """Return the corners in a box.

        Args:
            low: float64 (2,), its lowest x, y [grid steps].
            high: float64 (2,), its highest x, y.

        Returns:
            int64, their rows.
        """
        (x0, y0), (x1, y1) = np.ceil(low).astype(np.int64), np.floor(high).astype(np.int64)
        x, y = self.corners.T
        rows = ((x >= x0) & (x <= x1) & self.alive).nonzero()[0]
        y = y[rows]
        return rows[(y >= y0) & (y <= y1)]

    def put(self, rings: Sequence[Int64]) -> NewRings:
        """Write rings into spare rows, which are unused until `correct` adds them.

        Args:
            rings: int64 (V, 2) each [grid steps], free ground on the left.

        Returns:
            Their rows.

        Raises:
            GeometryError: there is no room for them, or two of their corners fall together.
        """
        added = ground_of(rings)
        count = len(added.corners)
        if count > len(self.spare_corners):
            raise GeometryError("There is no room for so many corners.")
        rows = np.array(self.spare_corners[len(self.spare_corners) - count :], dtype=np.int64)
        if not count:
            return NewRings(rows, rows, 0, 0)
        if fall_together(added.corners):
            raise GeometryError("Two corners of the free ground fall together.")
        self.corners[rows] = added.corners
        self.following[rows], self.before[rows] = rows[added.following], rows[added.before]
        new, mine = Sites.around(added, self.grid), self.sites
        both = np.concatenate((rows, rows + len(self.corners)))
        mine.start[both], mine.along[both] = new.start, new.along
        mine.length[both], mine.outward[both] = new.length, new.outward
        self.first_of_outline[rows], self.first_of_hole[rows] = added.first_of_outline, added.first_of_hole
        return NewRings(rows, added.following, added.regions, added.holes)

    def new_places(self, count: int) -> Int64:
        """Return the rows of the next vertices.

        Raises:
            GeometryError: there is no room for so many.
        """
        if count > len(self.spare_places):
            raise GeometryError("There is no room for so many vertices.")
        return np.array(self.spare_places[len(self.spare_places) - count :], dtype=np.int64)

    def correct(self, correction: PartitionChange) -> None:
        """Change the partition.

        Args:
            correction: removed and added rows.

        Raises:
            GeometryError: there would not be as many loops as obstacles, or not as many ends as corners that point
                away from free ground, or there is no room; nothing has changed.
        """
        gone, fresh = correction.gone, correction.fresh
        regions = self.regions - np.count_nonzero(self.first_of_outline[gone]) + fresh.regions
        holes = self.holes - np.count_nonzero(self.first_of_hole[gone]) + fresh.holes
        arcs = self.arcs - len(correction.conflict) + len(correction.tail)
        places = self.places - len(correction.lost) + len(correction.vertices)
        if arcs - places + regions != holes:
            raise GeometryError(f"The medial axis has {arcs - places + regions} loops round {holes} obstacles.")
        degree = self._degree_after(correction)
        half = len(self.corners)
        outward = self.sites.outward
        added = np.count_nonzero(degree == 1) - np.count_nonzero(self.degree == 1)
        corners = np.count_nonzero(~outward[fresh.corners + half]) - np.count_nonzero(~outward[gone + half])
        if added != corners:
            raise GeometryError(f"The medial axis gets {added} more ends in {corners} more corners.")
        if len(correction.tail) > len(self.spare_arcs):
            raise GeometryError("There is no room for so many arcs.")
        self.regions, self.holes, self.arcs, self.places, self.degree = regions, holes, arcs, places, degree
        self._write(correction)

    def _degree_after(self, correction: PartitionChange) -> NDArray[np.int16]:
        degree, axis, conflict = self.degree.copy(), self.axis, correction.conflict
        one = degree.dtype.type(1)  # the same dtype is several times as fast
        for ends in (axis.tail[conflict], axis.head[conflict]):
            np.subtract.at(degree, ends, one)
        for ends in (correction.tail, correction.head):
            np.add.at(degree, ends, one)
        return degree

    def _write(self, correction: PartitionChange) -> None:
        """Free removed rows, then fill new ones."""
        gone, rows = correction.gone, correction.fresh.corners
        _take(self.spare_corners, len(rows))
        self.spare_corners += gone.tolist()
        self.alive[gone] = False
        self.alive[rows] = True
        places = self.new_places(len(correction.vertices))
        _take(self.spare_places, len(places))
        self.spare_places += correction.lost.tolist()
        axis = self.axis
        axis.vertices[places], axis.clearance[places] = correction.vertices, correction.clearance
        died = correction.conflict.tolist()
        self.spare_arcs += died
        self.reach[:, correction.conflict] = np.inf
        arcs = np.array(_take(self.spare_arcs, len(correction.tail)), dtype=np.int64)
        axis.tail[arcs], axis.head[arcs] = correction.tail, correction.head
        axis.left[arcs], axis.right[arcs] = correction.left, correction.right
        self.reach[:, arcs] = self._reach_of(arcs)
        self.changed.update(died)
        self.changed.update(arcs.tolist())

    def _reach_of(self, arcs: Int64) -> Float64:
        """Boxes round the discs of arcs, float64 (4, A): lowest x, y, highest x, y [m from the grid's origin]."""
        axis = self.axis
        tail, head = axis.tail[arcs], axis.head[arcs]
        a, b = axis.vertices.take(tail, 0), axis.vertices.take(head, 0)
        # Seen from its directrix a parabola lies below its chord, so its discs end no farther from the chord than the
        # wider of those at its ends.
        around = np.maximum(axis.clearance[tail], axis.clearance[head])[:, None] + 1e-6 * self.grid.extent
        return np.concatenate(((np.minimum(a, b) - around).T, (np.maximum(a, b) + around).T))

    def snapshot(self) -> Partition:
        """Return the partition without the spare rows, its rings laid end to end."""
        order = self._ring_order()
        number = np.full(len(self.corners), -1)
        number[order] = np.arange(len(order))
        ground = FreeGround(
            self.corners[order],
            number[self.following[order]],
            number[self.before[order]],
            self.first_of_outline[order],
            self.first_of_hole[order],
        )
        half = len(self.corners)
        both = np.concatenate((order, order + half))
        mine = self.sites
        sites = Sites(mine.start[both], mine.along[both], mine.length[both], mine.outward[both])
        numbers = np.concatenate((number, np.where(number >= 0, number + len(order), -1)))
        arcs, axis = np.flatnonzero(self.arcs_alive), self.axis
        used = np.flatnonzero(self.degree)
        place = np.full(len(axis.vertices), -1)
        place[used] = np.arange(len(used))
        return Partition(
            self.grid,
            ground,
            sites,
            Axis(
                axis.vertices[used],
                axis.clearance[used],
                place[axis.tail[arcs]],
                place[axis.head[arcs]],
                numbers[axis.left[arcs]],
                numbers[axis.right[arcs]],
            ),
        )

    def _ring_order(self) -> Int64:
        """The corners in use, ring after ring."""
        following, order = self.following.tolist(), []
        for first in np.flatnonzero(self.alive & (self.first_of_outline | self.first_of_hole)).tolist():
            order.append(first)
            corner = following[first]
            while corner != first:
                order.append(corner)
                corner = following[corner]
        return np.array(order, dtype=np.int64)


def _with_spare(count: int) -> int:
    return count + int(SPARE_ROWS_SHARE * count) + SPARE_ROWS


def _padded(rows: NDArray[Any], room: int) -> NDArray[Any]:
    """Rows padded with zeros."""
    result = np.zeros((room, *rows.shape[1:]), dtype=rows.dtype)
    result[: len(rows)] = rows
    return result


def _take(stack: list[int], count: int) -> list[int]:
    """Pop the last `count` of a list."""
    start = len(stack) - count
    taken = stack[start:]
    del stack[start:]
    return taken
