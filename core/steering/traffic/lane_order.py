# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is next on a lane: bodies in the order of their rear ends, one sorted array for all lanes.

A body stands on a lane with an interval along it and an interval across it. The leader of somebody is the first body
ahead on the same lane whose interval across overlaps theirs: what is beside, or on another lane, is no leader. Of
people, who move across, what counts is where they will be while the vehicle passes them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from .car_following import passing_times
from .settings import TrafficSettings

LANE_STRIDE = 1.0e6
"""Lanes are shorter than this [m], so that lane and place make one number."""


class LaneBodies(NamedTuple):
    """N bodies on lanes.

    Attributes:
        lane: int64 (N,).
        rear, front: float64 (N,), along the lane, rear within the lane (or lap) [m].
        right, left: float64 (N,), across it, positive to the left [m].
        speed, sideways: float64 (N,), along it, and across it, positive to the left [m/s].
        owner: int64 (N,), whose body this is; nobody is next to their own bodies. -1: of nobody.
    """

    lane: Int64
    rear: Float64
    front: Float64
    right: Float64
    left: Float64
    speed: Float64
    sideways: Float64
    owner: Int64

    def take(self, rows: Int64 | Bool) -> LaneBodies:
        """Some of the bodies."""
        return LaneBodies._make(column[rows] for column in self)

    @classmethod
    def joined(cls, *parts: LaneBodies) -> LaneBodies:
        """Several sets of bodies as one, in order."""
        return cls._make(np.concatenate(columns) for columns in zip(*parts, strict=True))


class LaneOrder:
    """Bodies in order, to be asked who is ahead and who behind.

    Args:
        bodies: everybody.
        lap: float64 (L,), length of each lane that goes round and round; inf of the others [m].
        gives_way: bool (N,), whom vehicles pass who are beside them, as people; None: nobody.
        settings: how far ahead the motion across is foreseen; None: as by default.
    """

    def __init__(
        self, bodies: LaneBodies, lap: Float64, gives_way: Bool | None = None, settings: TrafficSettings | None = None
    ) -> None:
        key = bodies.lane * LANE_STRIDE + bodies.rear
        self._order = np.argsort(key, kind="stable")
        self._key = key[self._order]
        self._bodies, self._settings = bodies, settings or TrafficSettings()
        self._lap = lap
        self._gives_way = np.zeros(len(bodies.lane), dtype=bool) if gives_way is None else gives_way
        lanes = np.arange(len(lap))
        sorted_lanes = bodies.lane[self._order]
        self._first = np.searchsorted(sorted_lanes, lanes, side="left")
        self._count = np.searchsorted(sorted_lanes, lanes, side="right") - self._first

    def ahead(self, who: LaneBodies, passes: Bool | None = None) -> tuple[Int64, Float64]:
        """The next body ahead of each.

        Args:
            who: N bodies, in the order or not.
            passes: bool (N,), who keeps straight on: nobody who gives way and is wholly beside them, or stands with the
                middle beside them, is ahead of them, else each would wait for the other. None: nobody does.

        Returns:
            int64 (N,) index of the body, -1 where there is none; float64 (N,) gap between the two, negative where they
            overlap, inf where there is none [m].
        """
        found, laps = self._search(who, forward=True, passes=passes)
        gap = self._bodies.rear[found] + laps - who.front if len(self._order) else np.full(len(who.lane), np.inf)
        return found, np.where(found >= 0, gap, np.inf)

    def behind(self, who: LaneBodies) -> tuple[Int64, Float64]:
        """The next body behind each; see `ahead`."""
        found, laps = self._search(who, forward=False)
        gap = who.rear - self._bodies.front[found] - laps if len(self._order) else np.full(len(who.lane), np.inf)
        return found, np.where(found >= 0, gap, np.inf)

    def _search(self, who: LaneBodies, *, forward: bool, passes: Bool | None = None) -> tuple[Int64, Float64]:
        """Step from neighbour to neighbour until one overlaps across; also return the laps to add to its place."""
        bodies = self._bodies
        found = np.full(len(who.lane), -1, dtype=np.int64)
        laps = np.zeros(len(who.lane))
        here = np.searchsorted(self._key, who.lane * LANE_STRIDE + who.rear, side="right" if forward else "left")
        first, count, lap = self._first[who.lane], self._count[who.lane], self._lap[who.lane]
        start, step = (here - first, 1) if forward else (here - first - 1, -1)
        rows = np.flatnonzero(count > 0)
        hop = 0
        while len(rows):
            rank = start[rows] + step * hop
            turn = rank // count[rows]
            there = (turn == 0) | np.isfinite(lap[rows])
            rows, rank, turn = rows[there], rank[there], turn[there]
            body = self._order[first[rows] + rank - turn * count[rows]]
            over = turn * np.where(np.isfinite(lap[rows]), lap[rows], 0.0)
            to_front, to_rear = bodies.rear[body] + over - who.front[rows], bodies.front[body] + over - who.rear[rows]
            right, left = swept(bodies, body, who.speed[rows], to_front, to_rear, self._settings)
            meets = (right < who.left[rows]) & (left > who.right[rows])
            meets &= (bodies.owner[body] != who.owner[rows]) | (who.owner[rows] < 0)
            if passes is not None:
                stands = np.abs(bodies.sideways[body]) < self._settings.standing_speed
                foremost = np.where(stands, 0.5 * (bodies.rear[body] + bodies.front[body]), bodies.front[body])
                beside = foremost + over <= who.front[rows]
                meets &= ~(beside & self._gives_way[body] & passes[rows])
            hit = rows[meets]
            found[hit], laps[hit] = body[meets], over[meets]
            hop += 1
            rows = rows[~meets]
            rows = rows[hop < count[rows]]
        return found, laps


def swept(
    bodies: LaneBodies, rows: Int64, speed: Float64, to_front: Float64, to_rear: Float64, settings: TrafficSettings
) -> tuple[Float64, Float64]:
    """Return where some bodies are across the lane while vehicles drive past them.

    Args:
        bodies: all.
        rows: int64 (N,), which.
        speed: float64 (N,), of the vehicle that passes each [m/s].
        to_front: float64 (N,), from its front to where the body begins [m].
        to_rear: float64 (N,), from its rear to where the body ends [m].
        settings: how far ahead, how exactly, and who lets whom pass.

    Returns:
        float64 (N,) each, rightmost and leftmost, positive to the left [m].
    """
    times = passing_times(speed, to_front, to_rear, settings, settings.head_start)
    begin, end = (bodies.sideways[rows] * np.minimum(time, settings.foresight) for time in times)
    return bodies.right[rows] + np.minimum(begin, end), bodies.left[rows] + np.maximum(begin, end)
