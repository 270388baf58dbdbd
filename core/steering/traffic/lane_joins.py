# SPDX-License-Identifier: GPL-3.0-or-later
"""Lanes of different roads that run together for a while: who drives on one is also on the other.

Where two lanes lead the same way over the same ground, nobody has to wait for the whole of it to be free: each follows
whoever is ahead, whichever road that one belongs to. So every body on such a piece gets an image on the other lane.
Only where two such lanes come together somebody must go first; that piece stays a crossing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import dot, length2
from .conflict_zones import LaneSamples, Meetings
from .lane_order import LANE_STRIDE, LaneBodies

_SAME_WAY = math.sqrt(0.75)  # the cosine of 30 degrees
_LEAST = 4.0  # [m]: lanes that run together for less only cross
_COMING_TOGETHER = 2.0  # [m]: from where two lanes lead the same way, so much is crossing still
_BEGINNING = 2.0  # [m]: a body that begins so near to where two lanes meet comes in on both
_SPLIT = 3.0  # [m]: pieces this near to each other are one, cut where a lap begins


class _Piece(NamedTuple):
    """One side of a piece where two lanes run together: samples of `lane` with places and offsets on `other`."""

    lane: int
    other: int
    s: Float64
    there: Float64
    offset: Float64
    turn: Float64


class Joins:
    """The pieces where lanes run together, each from both sides.

    Args:
        pieces: of all lanes.
        lap: float64 (L,), length of lanes that go round; inf of others [m].
    """

    def __init__(self, pieces: list[_Piece], lap: Float64) -> None:
        shifted = [
            piece._replace(s=piece.s + shift)
            for piece in pieces
            for shift in (
                (0.0,) if np.isinf(lap[piece.lane]) else (-float(lap[piece.lane]), 0.0, float(lap[piece.lane]))
            )
        ]
        shifted.sort(key=lambda piece: (piece.lane, piece.other, piece.s[0]))
        self._lap = lap
        self.lane = np.array([piece.lane for piece in shifted], dtype=np.int64)
        self.other = np.array([piece.other for piece in shifted], dtype=np.int64)
        self.start = np.array([piece.s[0] for piece in shifted])
        self.end = np.array([piece.s[-1] for piece in shifted])
        self._first = np.searchsorted(self.lane, np.arange(len(lap) + 1))
        none = np.zeros(0)
        self._key = np.concatenate([none, *(k * LANE_STRIDE + piece.s for k, piece in enumerate(shifted))])
        self._there = np.concatenate([none, *(piece.there for piece in shifted)])
        self._offset = np.concatenate([none, *(piece.offset for piece in shifted)])
        self._turn = np.concatenate([none, *(piece.turn for piece in shifted)])

    def __len__(self) -> int:
        return len(self.lane)

    def images(self, bodies: LaneBodies) -> LaneBodies:
        """The same bodies on the lanes that run together with theirs, with their owners.

        Args:
            bodies: N bodies, on lanes of their own.
        """
        if not len(self):
            return bodies.take(np.zeros(0, dtype=np.int64))
        count = self._first[bodies.lane + 1] - self._first[bodies.lane]
        body = np.repeat(np.arange(len(bodies.lane)), count)
        join = np.arange(len(body)) - np.repeat(np.cumsum(count) - count, count) + self._first[bodies.lane[body]]
        there = (bodies.front[body] > self.start[join]) & (bodies.rear[body] < self.end[join])
        body, join = body[there], join[there]
        some = bodies.take(body)
        rear, rear_offset, rear_turn = self._place(join, some.rear)
        front, front_offset, front_turn = self._place(join, some.front)
        reach = 0.5 * (some.front - some.rear) * np.maximum(rear_turn, front_turn)
        lap = self._lap[self.other[join]]
        shift = np.where(np.isfinite(lap), np.floor(rear / lap) * np.where(np.isfinite(lap), lap, 0.0), 0.0)
        return LaneBodies(
            self.other[join],
            rear - shift,
            np.maximum(front, rear) - shift,
            some.right + np.minimum(rear_offset, front_offset) - reach,
            some.left + np.maximum(rear_offset, front_offset) + reach,
            some.speed,
            some.sideways,
            some.owner,
        )

    def begins_with(self, lane: int, length: float) -> list[int]:
        """The lanes that run together with the first piece [m] of a lane, and have it at their own beginning too."""
        rows = np.flatnonzero((self.lane == lane) & (self.start < length))
        if not len(rows):
            return []
        there, _, _ = self._place(rows, self.start[rows])
        return [int(other) for other in self.other[rows[there < length]]]

    def _place(self, join: Int64, s: Float64) -> tuple[Float64, Float64, Float64]:
        """Places [m] and offsets [m] on the other lanes, and by how much those are turned against them (sine)."""
        inside = np.clip(s, self.start[join], self.end[join])
        key = join * LANE_STRIDE + inside
        there = np.interp(key, self._key, self._there) + (s - inside)
        return there, np.interp(key, self._key, self._offset), np.interp(key, self._key, self._turn)


def find_joins(samples: LaneSamples, meetings: Meetings, lap: Float64) -> tuple[Joins, Bool]:
    """Find where lanes run together.

    Args:
        samples: of all lanes.
        meetings: the pairs of samples whose corridors meet.
        lap: float64 (L,), length of lanes that go round; inf of others [m].

    Returns:
        The joins; and bool (K,) for each pair, whether it is part of a crossing all the same.
    """
    first, second, zone = meetings
    crosses = np.ones(len(first), dtype=bool)
    same_way = dot(samples.direction[first], samples.direction[second]) > _SAME_WAY
    together = [rows for rows in _groups(zone) if _length(samples.s[first[rows[same_way[rows]]]]) >= _LEAST]
    extents = [_extent(samples, first[rows], second[rows]) for rows in together]
    pieces = []
    for rows, extent in zip(together, extents, strict=True):
        along = samples.s[first[rows]]
        begin = along[same_way[rows]].min()
        comes_together = not _has_begun(extent, extents, lap)
        crosses[rows] = comes_together & (along <= begin + _COMING_TOGETHER)
        shared = rows[along >= begin]
        pieces += [_piece(samples, one[shared], other[shared]) for one, other in ((first, second), (second, first))]
    return Joins(pieces, lap), crosses


def _groups(zone: Int64) -> list[Int64]:
    """The rows of each zone."""
    order = np.argsort(zone, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(zone[order])) + 1) if len(order) else []


def _length(s: Float64) -> float:
    return float(np.ptp(s)) if len(s) else 0.0


class _Extent(NamedTuple):
    """Where two lanes run together, on each of the two [m]."""

    lanes: tuple[int, int]
    start: tuple[float, float]
    end: tuple[float, float]


def _extent(samples: LaneSamples, first: Int64, second: Int64) -> _Extent:
    sides = (first, second)
    return _Extent(
        (int(samples.lane[first[0]]), int(samples.lane[second[0]])),
        (float(samples.s[sides[0]].min()), float(samples.s[sides[1]].min())),
        (float(samples.s[sides[0]].max()), float(samples.s[sides[1]].max())),
    )


def _has_begun(extent: _Extent, others: list[_Extent], lap: Float64) -> bool:
    """Whether nobody comes together there: a road begins there, or the piece goes on from before a lap's end."""
    if any(s < _BEGINNING and np.isinf(lap[lane]) for lane, s in zip(extent.lanes, extent.start, strict=True)):
        return True
    return any(
        other.lanes == extent.lanes
        and all(
            _way_from(end, start, float(lap[lane])) < _SPLIT
            for end, start, lane in zip(other.end, extent.start, extent.lanes, strict=True)
        )
        for other in others
    )


def _way_from(end: float, start: float, lap: float) -> float:
    """How far two places are from each other, round the end of a lap too [m]."""
    apart = abs(start - end)
    return apart if np.isinf(lap) else min(apart, abs(lap - apart))


def _piece(samples: LaneSamples, own: Int64, other: Int64) -> _Piece:
    """One side of a piece: for each sample of the own lane the nearest one of the other."""
    apart = samples.position[own] - samples.position[other]
    order = np.lexsort((length2(apart), samples.s[own]))
    own, other, apart = own[order], other[order], apart[order]
    nearest = np.ones(len(own), dtype=bool)
    nearest[1:] = own[1:] != own[:-1]
    own, other, apart = own[nearest], other[nearest], apart[nearest]
    direction, own_direction = samples.direction[other], samples.direction[own]
    ahead = dot(apart, direction)
    return _Piece(
        int(samples.lane[own[0]]),
        int(samples.lane[other[0]]),
        samples.s[own],
        np.maximum.accumulate(samples.s[other] + ahead),
        direction[:, 0] * apart[:, 1] - direction[:, 1] * apart[:, 0],
        np.abs(direction[:, 0] * own_direction[:, 1] - direction[:, 1] * own_direction[:, 0]),
    )
