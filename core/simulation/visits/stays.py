# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens while people are at a stop: until when they stay, where they face, seats, rings, and what they await."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import arctan2, length, length2
from ...scene import LOOK_AT, SIT, TALK, WAIT_UNTIL
from ..places.seats import Seats
from ..places.talk_rings import TalkRing
from ..settings.stop_settings import StopSettings
from ..world.agents import STOPPED, Agents
from ..world.heroes import HeroBodies
from .awaited_events import AwaitedEvents
from .trips import Claim, Trips


class Stays:
    """People at stops, and until when they stay.

    Args:
        agents: all agents.
        trips: the stops that are left for each person.
        events: what people wait for.
        settings: how people stop.

    Attributes:
        until: float64 (A,), until when each stays, or turns to go on at most [s]; infinite where that is not known yet.
        spot: float64 (A, 2), where each stands, or is to stand [m].
        seen: float64 (A, 3), what those look at who look at something; NaN for a height that is not given [m].
        sits_since: float64 (A,), when each began to sit down, or will once in front of the seat [s]; infinite for those
            who do not sit.
        sits_from: float64 (A, 2), where each stood then [m].
        before_seat, hips: float64 (A, 2), of who has come to a seat, where one stands before it and sits on it [m].
        steps_in: float64 (A,), how long each steps in front of that seat, from beside it, before they sit down [s].
        seat_height: float64 (A,), of that seat [m]; NaN: above the ground by as much as usual.
        rings: in which somebody stands.
        were_cut_short: whether anybody had to go on before they sat, or before what they waited for.
    """

    def __init__(self, agents: Agents, trips: Trips, events: AwaitedEvents, settings: StopSettings) -> None:
        count = len(agents)
        self._agents, self._trips, self._events, self._settings = agents, trips, events, settings
        self.until, self.spot = np.full(count, np.inf), np.full((count, 2), np.nan)
        self.seen = np.full((count, 3), np.nan)
        self.sits_since, self.sits_from = np.full(count, np.inf), np.full((count, 2), np.nan)
        self.before_seat, self.hips, self.steps_in = *np.full((2, count, 2), np.nan), np.zeros(count)
        self.seat_height, self.rings = np.full(count, np.nan), list[TalkRing]()
        self._seat_faces = np.full(count, np.nan)
        self._came, self._let_out = np.full(count, np.inf), np.full(count, -np.inf)  # when each last let others out [s]
        self._undecided: set[int] = set()  # who waits for something, or has not sat down yet
        self.were_cut_short = False

    def begin(self, row: int, claim: Claim, time: float) -> None:
        """Let somebody stay who has come to their spot at a time [s]."""
        stop = self._trips.stops[int(self._agents.stop[row])]
        self.until[row] = np.inf
        self._came[row] = time
        if stop.do in (SIT, WAIT_UNTIL):
            self._undecided.add(row)
        elif claim.queue is None:
            self.until[row] = time + self._trips.drawn(row)[0]
        if isinstance(claim.spots, Seats):
            seats, number = claim.spots, claim.spot
            self._agents.faces[row] = self._seat_faces[row] = seats.facing[number]
            self.seat_height[row] = seats.height[number]
            self.before_seat[row], self.hips[row] = seats.point[number], seats.hips[number]
            self.steps_in[row] = self._settings.seats.step_in_time if seats.from_side[number] else 0.0
        if claim.ring is not None and stop.do == TALK:
            claim.ring.coming.remove(row)
            claim.ring.members.append(row)
            if len(claim.ring.members) == 1:
                self.rings.append(claim.ring)
            self._close_ring(claim.ring)
        if stop.do == LOOK_AT:
            self.seen[row] = self._trips.seen_from(int(self._agents.stop[row]), claim)
            self.face(row, self.seen[row, :2] - self.spot[row])

    def update(self, claims: Mapping[int, Claim], time: float) -> None:
        """Decide until when people stay who wait for something, or are about to sit down."""
        for row in sorted(self._undecided):
            claim, stop = claims[row], self._trips.stops[int(self._agents.stop[row])]
            if isinstance(claim.spots, Seats):
                front, before = claim.spots.front[claim.spot], self.before_seat[row]
                comes_to = front if self.steps_in[row] > 0.0 else before
                is_taken = self._is_taken(row, np.stack((before, comes_to)))
                is_taken &= time - float(self._came[row]) < self._settings.seats.longest_wait
                self.spot[row] = front if is_taken else comes_to
                self._let_out[row] = time if is_taken else self._let_out[row]
                if not is_taken and self._may_sit_down(row, time):
                    own, stays = self._settings.seats, self._trips.drawn(row)[0]
                    steps_in, self.sits_from[row] = float(self.steps_in[row]), self._agents.position[row]
                    self.sits_since[row] = time + steps_in
                    self._agents.faces[row] = self._seat_faces[row]
                    self.until[row] = time + own.sit_down_time + stays + own.stand_up_time + 2.0 * steps_in
                    self._undecided.discard(row)
            elif self._events.has_happened(stop.awaits, time, float(self._came[row]), self.spot[row], row):
                self.until[row] = time + self._trips.drawn(row)[0]
                self._undecided.discard(row)

        self._mend_rings()

    def _mend_rings(self) -> None:
        """Let those of a ring who stand in each other's way to their places take the nearest ones."""
        if not self.rings:
            return
        members = [row for ring in self.rings for row in ring.members]
        off = length(self._agents.position[members] - self.spot[members])
        slow = length2(self._agents.velocity[members]) < self._settings.rings.stands**2
        misplaced = {members[k] for k in np.flatnonzero((off > self._settings.rings.misplaced) & slow).tolist()}
        for ring in self.rings if misplaced else ():
            if not misplaced.isdisjoint(ring.members):
                self._close_ring(ring)

    def still_waiting(self) -> Counter[int]:
        """Return how many wait at a stop for what has not happened yet, by the number of the stop."""
        stops = self._agents.stop[sorted(self._undecided)].tolist()
        return Counter(stop for stop in stops if self._trips.stops[stop].do == WAIT_UNTIL)

    def cut_short(self, rows: Int64, time: float) -> Float64:
        """Let some people go on now, or as soon as they have stood up, and return when, float64 (R,) [s]."""
        own, since, steps_in = self._settings.seats, time - self.sits_since[rows], self.steps_in[rows]
        rises = own.stand_up_time * np.clip(since / own.sit_down_time, 0.0, 1.0)  # 0 for those who stand
        rises += np.clip(since + steps_in, 0.0, steps_in)
        self.until[rows] = np.minimum(self.until[rows], time + rises)
        self.were_cut_short |= not self._undecided.isdisjoint(rows.tolist())
        self._undecided.difference_update(rows.tolist())
        return self.until[rows]

    def bodies_of_rings(self, through: Float64) -> HeroBodies | None:
        """Return the ground inside rings of two people and more as bodies, so that nobody else walks through them.

        They end just before the bodies of the members, so that these can step out. A ring to which somebody comes, or
        at which somebody has no other way, is none.

        Args:
            through: float64 (N, 2), where those are whom people who stand let through [m].
        """
        room, joining = self._settings.spots.clearance, self._settings.rings.joining
        rings = [ring for ring in self.rings if len(ring.members) > 1 and not ring.coming]
        rings = [
            ring
            for ring in rings
            if not (length2(through - ring.centre) < (ring.radius(len(ring.members)) + joining) ** 2).any()
        ]
        if not rings:
            return None
        centre = np.array([ring.centre for ring in rings])
        radius = [ring.radius(len(ring.members)) - self._agents.radius[ring.members].max() - room for ring in rings]
        return HeroBodies(centre, np.zeros_like(centre), np.maximum(np.array(radius), 0.0))

    def has_room(self, row: int) -> bool:
        """Return whether nobody stands at a stop so close to somebody that they cannot stay where they are."""
        off = self._agents.position[self._agents.status == STOPPED] - self._agents.position[row]
        return not (length2(off) < self._settings.spots.least_apart**2).any()

    def _is_taken(self, row: int, places: Float64) -> bool:
        """Return whether somebody else is in the places of somebody before their seat, float64 (P, 2)."""
        agents = self._agents
        room = agents.radius + agents.radius[row] - self._settings.seats.tight
        taken = (length2(agents.position - places[:, None]) < room * room).any(axis=0) & agents.present
        return int(taken.sum()) > int(taken[row])

    def _may_sit_down(self, row: int, time: float) -> bool:
        """Return whether somebody stands before their seat with their back to it."""
        agents, own = self._agents, self._settings.seats
        turn = float(self._seat_faces[row] - agents.heading[row])
        turn -= 2.0 * math.pi * round(turn / (2.0 * math.pi))
        off = self.spot[row] - agents.position[row]
        ready = abs(turn) < own.turned and float((off * off).sum()) < own.settled**2
        patience = own.longest_wait if self.steps_in[row] > 0.0 else own.patience  # to step in, one has to be there
        return ready or time - max(float(self._came[row]), float(self._let_out[row])) > patience

    def _close_ring(self, ring: TalkRing, until: float = np.inf) -> None:
        """Let the people of a ring stand evenly round it; the last one stays until a time at most [s]."""
        members = ring.members
        if not members:
            return
        self.spot[members] = ring.places(self._agents.position[members])
        for row in members:
            self.face(row, ring.centre - self.spot[row])
        if len(members) == 1:
            self.until[members[0]] = min(float(self.until[members[0]]), until)

    def end(self, row: int, claim: Claim, time: float) -> None:
        """Let somebody leave what they have taken at a stop, at a time [s]."""
        claim.release(row)
        self._undecided.discard(row)
        self.sits_since[row] = np.inf
        if claim.queue is not None:
            claim.queue.served_last = row
        if claim.ring is not None:
            self._close_ring(claim.ring, time + self._settings.rings.alone)
            self.rings = [ring for ring in self.rings if ring.members]

    def face(self, row: int, direction: Float64) -> None:
        """Let somebody who stands turn to a direction, float64 (2,); to none where it is 0."""
        known = bool((direction * direction).sum() > 1e-6)
        self._agents.faces[row] = arctan2(direction[1], direction[0]) if known else np.nan


def point_ahead(line: Float64, distance: float) -> Float64:
    """Return float64 (2,), the point of a line at a distance from its start [m]."""
    steps = length(np.diff(line, axis=0))
    since = np.concatenate([[0.0], np.cumsum(steps)])
    return np.array([np.interp(distance, since, line[:, column]) for column in (0, 1)])
