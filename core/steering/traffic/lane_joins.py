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
from .conflict_zones import LaneSamples, Meetings, groups_of
from .lane_order import LANE_STRIDE, LaneBodies

_SAME_WAY = math.sqrt(0.75)  # the cosine of 30 degrees
_LEAST = 4.0  # [m]: lanes that run together for less only cross
_COMING_TOGETHER = 2.0  # [m]: from where two lanes lead the same way, so much is crossing still
_BEGINNING = 2.0  # [m]: a body that begins so near to where two lanes meet comes in on both


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
        # What has not come onto the shared piece yet stands in nobody's way: who waits there sees where it begins.
        rear, rear_offset, rear_turn = self._place(join, np.maximum(some.rear, self.start[join]))
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
    crosses = np.ones(len(meetings.zone), dtype=bool)
    sides = tuple(zip((meetings.first, meetings.second), meetings.places(samples, lap), strict=True))
    same_way = dot(samples.direction[meetings.first], samples.direction[meetings.second]) > _SAME_WAY
    pieces = []
    for rows in groups_of(meetings.zone):
        one, other = (_LaneSide(int(samples.lane[row[rows[0]]]), row[rows], s[rows]) for row, s in sides)
        if one.goes_round(lap):  # where others come onto it, only they know
            one, other = other, one
        together = one.s[same_way[rows]]
        if not len(together) or np.ptp(together) < _LEAST:
            continue
        begins = any(side.s.min() < _BEGINNING and np.isinf(lap[side.lane]) for side in (one, other))
        comes_together = not (begins or one.goes_round(lap))
        crosses[rows] = comes_together & (one.s <= together.min() + _COMING_TOGETHER)
        shared = one.s >= together.min()
        one, other = one.take(shared), other.take(shared)
        pieces += [_piece(samples, one, other, lap), _piece(samples, other, one, lap)]
    return Joins(pieces, lap), crosses


class _LaneSide(NamedTuple):
    """Samples int64 (K,) of one of two lanes that meet, with their places float64 (K,) along it [m]."""

    lane: int
    sample: Int64
    s: Float64

    def goes_round(self, lap: Float64) -> bool:
        """Whether they are all of a lap."""
        return bool(np.ptp(self.s) + _LEAST > lap[self.lane])

    def take(self, rows: Bool) -> _LaneSide:
        return _LaneSide(self.lane, self.sample[rows], self.s[rows])


def _piece(samples: LaneSamples, own: _LaneSide, other: _LaneSide, lap: Float64) -> _Piece:
    """One side of a piece: for each sample of the own lane the nearest one of the other."""
    apart = samples.position[own.sample] - samples.position[other.sample]
    order = np.lexsort((length2(apart), own.s))
    s = own.s[order]
    nearest = order[np.concatenate(([True], s[1:] != s[:-1]))]
    apart, own_direction = apart[nearest], samples.direction[own.sample[nearest]]
    direction = samples.direction[other.sample[nearest]]
    there = other.s[nearest] + dot(apart, direction)
    if np.isfinite(lap[other.lane]):
        there = np.unwrap(there, period=lap[other.lane])
    return _Piece(
        own.lane,
        other.lane,
        own.s[nearest],
        np.maximum.accumulate(there),
        direction[:, 0] * apart[:, 1] - direction[:, 1] * apart[:, 0],
        np.abs(direction[:, 0] * own_direction[:, 1] - direction[:, 1] * own_direction[:, 0]),
    )
