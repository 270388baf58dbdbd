# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to obstacles and to discs that stand between them: people who do not move, for a while.

Discs come and go from step to step, so they are sorted into cells, and no grid over segments is built for them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Bool, Float64, Int64
from ..compiled import twins
from .distances import Distances, KernelGround
from .field_settings import DISC_FIELD, DiscFieldSettings
from .ragged import Lists
from .reproducible_math import dot, length2

_STRIDE = np.int64(1) << np.int64(31)
_PAIRS_COMPARED = 20_000  # so many lines times discs are sooner compared one by one than looked up along each line
_DISCS_COMPILED = 200  # of more discs, those near a line are sooner looked up
_PAIRS_COMPILED = 200_000  # so many points times discs are sooner compared one by one in compiled code


class StandingDiscs:
    """Discs in cells.

    Args:
        centre: float64 (K, 2) [m].
        radius: float64 (K,) [m].
        settings: up to where they are looked for.
    """

    def __init__(self, centre: Float64, radius: Float64, settings: DiscFieldSettings = DISC_FIELD) -> None:
        self.centre, self.radius = centre, radius
        self._reach, self._far_reach = settings.reach, settings.far_reach
        most = radius.max(initial=0.0)
        self._low, self._high = centre.min(axis=0, initial=np.inf) - most, centre.max(axis=0, initial=-np.inf) + most
        self._each = np.column_stack((centre, radius))

    @cached_property
    def _near(self) -> _Cells:
        return _Cells(self.centre, self.radius + self._reach, self._reach)

    @cached_property
    def _far(self) -> _Cells:
        return _Cells(self.centre, self.radius + self._far_reach, 0.5 * self._far_reach)

    def _kernels(self, points: Float64) -> tuple[Any, Any] | None:
        """Compiled kernels and what they take; None where cells are to be asked: for many points, they are quicker."""
        kernels = twins.twin(twins.DISTANCES)
        if kernels is None or len(points) * len(self) > _PAIRS_COMPILED:
            return None
        return kernels, kernels.PackedDiscs(
            self._each, np.concatenate((self._low, self._high)), float(self._reach), float(self._far_reach)
        )

    @cached_property
    def with_reach(self) -> Float64:
        """Float64 (K, 4), x and y, radius, and the reach [m]."""
        return np.column_stack((self._each, np.full(len(self), self._reach)))

    def __len__(self) -> int:
        return len(self.radius)

    def __deepcopy__(self, memo: object) -> StandingDiscs:
        """The same: nothing of it ever changes."""
        return self

    def added_to(self, others: StandingDiscs) -> Int64:
        """Return int64 (N,), the numbers of those that others are not."""
        known = set(map(tuple, others._each.tolist()))
        new = [number for number, disc in enumerate(map(tuple, self._each.tolist())) if disc not in known]
        return np.array(new, dtype=np.int64)

    def gaps(self, points: Float64) -> tuple[Int64, Int64, Float64]:
        """Return pairs of a point and a disc within the reach, int64 (P,) each, and the gaps, float64 (P,) [m]."""
        rows, disc = self._near.pairs(points)
        off = points[rows] - self.centre[disc]
        gap = np.sqrt(off[:, 0] * off[:, 0] + off[:, 1] * off[:, 1]) - self.radius[disc]
        close = np.flatnonzero(gap < self._reach)
        return rows[close], disc[close], gap[close]

    def lessen(self, points: Float64, distance: Float64) -> None:
        """Let distances of points, float64 (N,), be those to discs within the reach where these are less [m]."""
        if (asked := self._kernels(points)) is not None:
            kernels, discs = asked
            kernels.lessen(discs, np.ascontiguousarray(points), distance)
            return
        rows, _, gap = self.gaps(points)
        np.minimum.at(distance, rows, gap)

    def may_be_within(self, points: Float64, distance: Float64) -> Bool:
        """Return bool (N,), whether a disc may be within the distances, float64 (N,), of points (N, 2) [m]."""
        if (asked := self._kernels(points)) is not None:
            kernels, discs = asked
            return kernels.discs_may_be_within(discs, np.ascontiguousarray(points), np.array(distance))
        apart = np.maximum(np.maximum(self._low - points, points - self._high), 0.0)
        reach = np.maximum(distance, 0.0)
        may_be = apart[:, 0] * apart[:, 0] + apart[:, 1] * apart[:, 1] <= reach * reach
        for cells, most in ((self._far, self._far_reach), (self._near, self._reach)):
            asked = np.flatnonzero(may_be & (distance < most))
            may_be[asked] = cells.are_occupied(points[asked])
        return may_be

    def may_touch(self, start: Float64, end: Float64, room: Float64) -> Bool:
        """Return bool (N,), whether a disc may be within some room of straight lines; of many, all may be.

        Args:
            start: float64 (N, 2) [m].
            end: float64 (N, 2) [m].
            room: float64 (N,) [m].
        """
        if len(start) * len(self) > _PAIRS_COMPARED:
            return np.ones(len(start), dtype=bool)
        line, off = (end - start)[:, None], self.centre - start[:, None]  # (N, K, 2)
        share = np.clip(dot(off, line) / np.maximum(length2(line), 1e-12), 0.0, 1.0)
        return (length2(off - share[..., None] * line) < (room[:, None] + self.radius) ** 2).any(axis=1)


class _Cells:
    """Which discs are within reach of some point of a cell.

    Args:
        centre: float64 (K, 2), of the discs [m].
        reach: float64 (K,), from their centres [m].
        size: of a cell [m].
    """

    def __init__(self, centre: Float64, reach: Float64, size: float) -> None:
        self._size = size
        most = np.ceil(reach / size).astype(np.int64)
        wide = 2 * most + 1
        ends = np.cumsum(wide * wide)
        disc = np.repeat(np.arange(len(centre)), wide * wide)
        number = np.arange(len(disc)) - (ends - wide * wide)[disc]  # of a cell in the square round its disc
        cells = np.stack((number % wide[disc], number // wide[disc]), axis=1)
        cells += (np.floor(centre / size).astype(np.int64) - most[:, None])[disc]
        off = np.maximum(np.maximum(cells * size - centre[disc], centre[disc] - (cells + 1) * size), 0.0)
        listed = np.flatnonzero(length2(off) <= (reach * reach)[disc])
        disc, keys = disc[listed], _keys(cells[listed])
        order = np.argsort(keys, kind="stable")
        self._known, first = np.unique(keys[order], return_index=True)
        self._lists = Lists(np.append(first, len(order)), disc[order])

    def are_occupied(self, points: Float64) -> Bool:
        """Return bool (N,), whether any disc is listed in the cells of points, float64 (N, 2) [m]."""
        return self._numbers(points)[1]

    def pairs(self, points: Float64) -> tuple[Int64, Int64]:
        """Return the numbers of points, float64 (N, 2) [m], and of discs listed in their cells, int64 (P,) each."""
        number, occupied = self._numbers(points)
        rows = np.flatnonzero(occupied)
        owner, disc = self._lists.pairs(number[rows])
        return rows[owner], disc

    def _numbers(self, points: Float64) -> tuple[Int64, Bool]:
        if not len(self._known):
            return np.zeros(len(points), dtype=np.int64), np.zeros(len(points), dtype=bool)
        keys = _keys(np.floor(points / self._size).astype(np.int64))
        number = np.minimum(np.searchsorted(self._known, keys), len(self._known) - 1)
        return number, self._known[number] == keys


class DiscField:
    """The lesser of the distances to obstacles and to discs nearer than their reach; implements `Distances`.

    Args:
        base: distances to obstacles.
        discs: that stand between them.
    """

    def __init__(self, base: Distances, discs: StandingDiscs) -> None:
        self._base, self._discs = base, discs
        self.empty = base.empty and not len(discs)

    kernel_grid = None

    @property
    def kernel_ground(self) -> KernelGround | None:
        """What compiled kernels ask; None where they cannot: see `Distances.kernel_grid`."""
        below = self._base.kernel_ground if isinstance(self._base, DiscField) else None
        obstacles = self._base.kernel_grid if below is None else below.obstacles
        if obstacles is None or len(self._discs) > _DISCS_COMPILED:
            return None
        own = self._discs.with_reach
        return KernelGround(obstacles, own if below is None else np.concatenate((below.discs, own)))

    def signed_distance(self, points: ArrayLike, at_most: float = np.inf) -> Float64:
        """Distance to the nearest, negative inside; see `ObstacleField.signed_distance`."""
        return self._lesser(points, self._base.signed_distance(points, at_most))

    def about(self, points: ArrayLike, at_most: ArrayLike) -> Float64:
        """The same, to obstacles from samples; see `ObstacleField.about`."""
        return self._lesser(points, self._base.about(points, at_most))

    def may_be_within(self, points: ArrayLike, distance: ArrayLike) -> Bool:
        """Whether anything may be within a distance; see `ObstacleField.may_be_within`."""
        points = _rows(points)
        limit = np.broadcast_to(np.asarray(distance, dtype=np.float64), (len(points),))
        return self._base.may_be_within(points, limit) | self._discs.may_be_within(points, limit)

    def any_may_be_within(self, points: Float64, distance: Float64) -> Bool:
        """Whether anything may be within a distance of any of P points; see `ObstacleField.any_may_be_within`."""
        discs = self._discs.may_be_within(_rows(points), np.repeat(distance, points.shape[1]))
        return self._base.any_may_be_within(points, distance) | discs.reshape(points.shape[:2]).any(axis=1)

    def nearest(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """Nearest point on any edge, wall or disc; see `ObstacleField.nearest`."""
        points = _rows(points)
        distance, closest = self._base.nearest(points)
        rows, disc, gap = self._discs.gaps(points)
        order = np.argsort(-np.abs(gap), kind="stable")  # of several, the last one counts
        rows, disc, gap = rows[order], disc[order], np.abs(gap[order])
        nearer = np.flatnonzero(gap < distance[rows])
        rows, disc = rows[nearer], disc[nearer]
        centre, off = self._discs.centre[disc], points[rows] - self._discs.centre[disc]
        length = np.sqrt(off[:, 0] * off[:, 0] + off[:, 1] * off[:, 1])[:, None]
        unit = np.where(length > 0.0, off / np.where(length > 0.0, length, 1.0), (1.0, 0.0))
        distance[rows], closest[rows] = gap[nearer], centre + unit * self._discs.radius[disc][:, None]
        return distance, closest

    def _lesser(self, points: ArrayLike, distance: Float64) -> Float64:
        self._discs.lessen(_rows(points), distance)
        return distance


def _rows(points: ArrayLike) -> Float64:
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)


def _keys(cells: Int64) -> Int64:
    return cells[..., 0] * _STRIDE + cells[..., 1]
