# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may enter a crossing of roads: one who finds it free, has room beyond it, and right of way.

A vehicle asks for the whole stretch of its lane through a crossing and gets it or waits before it: nobody holds one
part while waiting for another, so no ring of waiting vehicles can close. Among those who ask, the road of higher rank
goes first; of equals whoever comes from the right, or at stop signs whoever has waited longest. Those who have waited
too long go first whatever their rank, the longest of them before all others, who also wait while those ahead of them
make room: where traffic is dense there is room beyond only once nobody follows. Who goes round a roundabout goes before
all roads that lead in, and needs no room beyond: who stands there is only in the way of those who have to wait.

Who would stand on a marked crossing at the line waits before that crossing, and asks from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from .conflict_zones import Conflicts, Stretches
from .lane_order import LANE_STRIDE
from .settings import TrafficSettings

STOP, EQUAL, MAIN, RING = 0, 1, 2, 3
"""Ranks of roads; the last is that of stretches on a roundabout."""

_ROUNDING = 1e-6  # [m]


class Approaching(NamedTuple):
    """N vehicles that may come to crossings.

    Attributes:
        lane: int64 (N,).
        rear, front: float64 (N,), along the lane [m].
        speed: float64 (N,) [m/s].
        acceleration, deceleration: float64 (N,), what they are capable of [m/s2].
        wanted_speed: float64 (N,) [m/s].
        clear_to: float64 (N,), up to where stretches are theirs [m].
        waited: float64 (N,), how long they have stood at a line [s].
        room: float64 (N,), how far they could go if those ahead stopped [m].
        flows: bool (N,), whether who is ahead moves on, so that there will be more room.
        held_at: float64 (N,), place before a marked crossing where they wait, as there is no room behind it; inf: at
            the line [m].
    """

    lane: Int64
    rear: Float64
    front: Float64
    speed: Float64
    acceleration: Float64
    deceleration: Float64
    wanted_speed: Float64
    clear_to: Float64
    waited: Float64
    room: Float64
    flows: Bool
    held_at: Float64


class RightOfWay:
    """The crossings of a network of lanes.

    Args:
        stretches: of lane through crossings, P of them.
        conflicts: which of them cannot be passed at once.
        rank: int64 (L,), STOP, EQUAL or MAIN for each lane.
        lap: float64 (L,), length of lanes that go round; inf of others [m].
        settings: how all drive.
        from_left: among equals who comes from the left goes first, not who comes from the right.

    Attributes:
        rank: int64 (P,), of the road that each stretch belongs to.
    """

    def __init__(
        self,
        stretches: Stretches,
        conflicts: Conflicts,
        rank: Int64,
        lap: Float64,
        settings: TrafficSettings,
        *,
        from_left: bool = False,
    ) -> None:
        self.stretches = stretches
        self._conflicts = conflicts
        self._settings = settings
        self.rank = np.where(stretches.circulates, RING, rank[stretches.lane])
        own, other = stretches.direction[conflicts.own], stretches.direction[conflicts.other]
        cross = own[:, 0] * other[:, 1] - own[:, 1] * other[:, 0]
        level = self.rank[conflicts.other] - self.rank[conflicts.own]
        first_side = cross < 0.0 if from_left else cross > 0.0
        goes_first = np.where(np.abs(cross) > 1e-9, first_side, conflicts.other < conflicts.own)
        self._equal = level == 0
        self._signed = self._equal & (self.rank[conflicts.own] == STOP)
        self._yields = np.where(self._equal, goes_first, level > 0)
        # Stretches of laps also stand there one lap earlier and one later.
        number = np.arange(len(stretches.lane))
        loops = np.flatnonzero(np.isfinite(lap[stretches.lane]))
        shift = np.concatenate((np.zeros(len(number)), -lap[stretches.lane[loops]], lap[stretches.lane[loops]]))
        number = np.concatenate((number, loops, loops))
        key = stretches.lane[number] * LANE_STRIDE + stretches.end[number] + shift
        order = np.argsort(key, kind="stable")
        self._number, self._shift, self._key = number[order], shift[order], key[order]
        self._end = (stretches.end[number] + shift)[order]
        self._start = (stretches.start[number] + shift)[order]

    def __len__(self) -> int:
        return len(self.stretches.lane)

    def against(self, stretch: int) -> Int64:
        """The stretches that cannot be passed while somebody is on one."""
        return self._conflicts.own[self._conflicts.other == stretch]

    def next_stretch(self, lane: Int64, place: Float64) -> tuple[Int64, Float64, Float64]:
        """The first stretch that ends past a place.

        Args:
            lane: int64 (N,).
            place: float64 (N,) [m].

        Returns:
            int64 (N,) number of the stretch or -1; float64 (N,) its start and end as seen from there, inf where there
            is none [m].
        """
        row = np.searchsorted(self._key, lane * LANE_STRIDE + place + _ROUNDING, side="right")
        there = row < len(self._key)
        row = np.where(there, row, 0)
        if not len(self._key):
            return np.full(len(lane), -1), np.full(len(lane), np.inf), np.full(len(lane), np.inf)
        there &= self.stretches.lane[self._number[row]] == lane
        return (
            np.where(there, self._number[row], -1),
            np.where(there, self._start[row], np.inf),
            np.where(there, self._end[row], np.inf),
        )

    def stop_at(self, who: Approaching) -> Float64:
        """Where each must stop as things stand: before the next stretch that is not theirs; float64 (N,) [m]."""
        _, start, _ = self.next_stretch(who.lane, np.maximum(who.rear, who.clear_to))
        return np.minimum(start - self._settings.stop_line, who.held_at)

    def grant(self, who: Approaching) -> Float64:
        """Let in those who may enter their next crossing now.

        Args:
            who: all vehicles.

        Returns:
            float64 (N,), the new `clear_to` of each [m].
        """
        number, start, end = self.next_stretch(who.lane, np.maximum(who.rear, who.clear_to))
        to_line = start - self._settings.stop_line - who.front
        asking = np.flatnonzero((number >= 0) & np.isfinite(to_line))
        asking = asking[np.lexsort((to_line[asking], number[asking]))]
        first = np.ones(len(asking), dtype=bool)
        first[1:] = number[asking][1:] != number[asking][:-1]
        asking = asking[first]
        to_line = np.minimum(to_line, who.held_at - who.front)  # only now: who is first is first, wherever they wait
        granted = self._choose(who, asking, number[asking], to_line[asking], end[asking] - who.front[asking])
        clear_to = who.clear_to.copy()
        clear_to[asking[granted]] = end[asking[granted]]
        return clear_to

    def waits(self, who: Approaching) -> Bool:
        """Who stands at a line, bool (N,)."""
        to_line = self.stop_at(who) - who.front
        return (to_line < self._settings.at_line) & (who.speed < self._settings.waiting_speed)

    def _choose(self, who: Approaching, asking: Int64, number: Int64, to_line: Float64, to_end: Float64) -> Bool:
        """Who of the first on each stretch may go, bool (Q,)."""
        settings, count = self._settings, len(self)
        speed, length = who.speed[asking], who.front[asking] - who.rear[asking]
        braking = 0.5 * speed * speed / who.deceleration[asking]
        ready = to_line <= 1.3 * braking + 0.5 * speed + settings.at_line
        has_stopped = (self.rank[number] != STOP) | (who.waited[asking] > 0.0)
        has_room = (who.room[asking] >= to_end + length) | (self.rank[number] == RING)
        asks = np.full(count, -1, dtype=np.int64)
        asks[number] = np.arange(len(asking))
        able = ready & has_stopped & has_room
        arrives = to_line / np.maximum(speed, settings.slowest_approach)
        leaves = _travel_time(who, asking, to_end + length)
        own, other = asks[self._conflicts.own], asks[self._conflicts.other]
        meets = (own >= 0) & (other >= 0)
        own, other = own[meets], other[meets]
        before = self._goes_before(who.waited[asking][own], who.waited[asking][other], meets)
        # Among equals only those count who are at the crossing; a road of higher rank is looked along farther.
        in_time = (arrives[other] < leaves[own] + settings.reserve) & (ready[other] | ~self._equal[meets])
        will_have_room = has_room | (who.flows[asking] & (who.waited[asking] > settings.long_patience))
        stopped = np.zeros(len(asking), dtype=bool)
        stopped[own[before & in_time & has_stopped[other] & will_have_room[other]]] = True
        return able & ~stopped & ~self.taken(who)[number]

    def _goes_before(self, own_waited: Float64, other_waited: Float64, meets: Bool) -> Bool:
        """Whether the other goes first, for pairs who both ask; exactly one of two does."""
        patience = np.where(self._equal[meets], self._settings.patience, self._settings.long_patience)
        own_late, other_late = own_waited > patience, other_waited > patience
        index_first = self._conflicts.other[meets] < self._conflicts.own[meets]
        longer = np.where(other_waited == own_waited, index_first, other_waited > own_waited)
        by_rule = np.where(self._signed[meets], longer, self._yields[meets])
        return np.where(own_late & other_late, longer, np.where(own_late | other_late, other_late, by_rule))

    def taken(self, who: Approaching) -> Bool:
        """Whether somebody who has not left yet holds a stretch that each one conflicts with."""
        rearmost = np.full(len(self), np.inf)
        place = who.rear
        for _ in range(len(self._key)):
            number, start, end = self.next_stretch(who.lane, place)
            holds = (number >= 0) & (end <= who.clear_to + _ROUNDING)
            if not holds.any():
                break
            rows = np.flatnonzero(holds)
            seen_from = start[rows] - self.stretches.start[number[rows]]
            np.minimum.at(rearmost, number[rows], who.rear[rows] - seen_from)
            place = np.where(holds, end, np.inf)
        taken = np.zeros(len(self), dtype=bool)
        conflicts = self._conflicts
        taken[conflicts.own[rearmost[conflicts.other] < conflicts.until]] = True
        return taken


def _travel_time(who: Approaching, rows: Int64, distance: Float64) -> Float64:
    """Time for a distance at even acceleration up to the wanted speed, float64 (Q,) [s]."""
    v, a = who.speed[rows], who.acceleration[rows]
    top = np.maximum(who.wanted_speed[rows], v + 1e-3)
    speeding = np.minimum((top * top - v * v) / (2.0 * a), distance)
    reached = np.sqrt(v * v + 2.0 * a * speeding)
    return (reached - v) / a + (distance - speeding) / top
