# SPDX-License-Identifier: GPL-3.0-or-later
"""Where everybody goes next: the stops that are left for them, and the spot or queue that they take there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.segments import length_of
from ...planning import ReferenceSet
from ...scene import GATHER, GO_ON, LOOK_AT, LOOP, QUEUE, SIT, TALK, Place, Stop, Trigger
from ..places.seats import Seats
from ..places.spots import Spots, middle_of
from ..places.talk_rings import TalkPlace, TalkRing
from ..places.viewing_spots import ViewingSpots
from ..population.population import PeopleAtStart
from ..settings.stop_settings import StopSettings
from ..world.agents import BYSTANDING, Agents
from ..world.static_ground import StaticGround
from .itineraries import draw_itineraries
from .missed_stops import MissedStops
from .stop_points import StopPoints
from .stop_queues import StopQueue, queues_of


class Claim(NamedTuple):
    """What somebody has at a stop: a spot or a seat by its number, or a place in a queue or in a ring."""

    spots: Spots | None = None
    spot: int = -1
    queue: StopQueue | None = None
    ring: TalkRing | None = None

    def place(self, position: Float64) -> Float64:
        """Return float64 (2,), where somebody goes from a position: to a spot, before a seat, to the end of a queue."""
        if self.spots is not None:
            return self.spots.approach(self.spot)
        if self.ring is not None:
            return self.ring.approach(position)
        assert self.queue is not None
        return self.queue.place(len(self.queue.members))

    def release(self, row: int) -> None:
        """Leave it to others."""
        for people in (self.queue, self.ring):
            if people is not None:
                people.leave(row)
        if self.spots is not None:
            self.spots.taken[self.spot] = -1


class Trip(NamedTuple):
    """Where somebody goes next: to a stop by its number, or on from stops (-1); `goal`, float64 (2,) [m]."""

    row: int
    stop: int
    goal: Float64
    claim: Claim | None = None


class Trips:
    """The stops that are left for each person.

    Args:
        people: of the scene; some of their crowds have stops.
        stops: all stops of all crowds, and then those of triggers.
        places: of the scene, by their names.
        triggers: of the scene.
        seed: of the scene.
        settings: how people stop.

    Attributes:
        stops: as given, by their numbers.
        then: str (S + 1,), what people do after each; the last, number -1: after none they go on.
        look_at: float64 (S, 3), the points that people face there [m]; NaN for a height that is not given.
        route: int64 (A,), the drawn route of each; -1 for those who find their own.
        offset: float64 (A,), at which they walk beside its line [m].
        passed: float64 (A,), the arc length at which each passes the last visited stop [m].
        leave_at: float64 (A,), the arc length at which each leaves for the next one [m]; infinite for none.
        has_rounds: whether somebody walks in circles, and stops again on each round.
        queues: the queues of all places.
        have_rings: whether somebody may talk in a ring.
        missed: stops that people missed, and why.
        gatherings: the numbers of the stops at which people gather, by the numbers of their triggers.
        gathered: which spot each takes who has left their own stops to gather, 0 to 1, by the row.
    """

    def __init__(
        self,
        people: PeopleAtStart,
        stops: Sequence[Stop],
        places: Mapping[str, Place],
        triggers: Sequence[Trigger],
        seed: int,
        settings: StopSettings,
    ) -> None:
        agents, self._settings, self._drawn = people.agents, settings, people.drawn
        self.stops = list(stops)
        self.then = np.array([*(stop.then for stop in self.stops), GO_ON])
        gatherings = [number for number, trigger in enumerate(triggers) if trigger.then == GATHER]
        first = len(self.stops) - len(gatherings)
        self.gatherings = {number: first + place for place, number in enumerate(gatherings)}
        self.gathered: dict[int, float] = {}
        names = [triggers[number].name for number in gatherings]
        self.missed = MissedStops(people.crowds, self.stops, [(name, len(agents)) for name in names])
        asked = [places[stop.place] for stop in self.stops]
        radius = float(agents.radius.max(initial=0.0))
        self._spots = {
            _view(stop): _spots_of(stop, place, settings) for stop, place in zip(self.stops, asked, strict=True)
        }
        for (place, _), own in self._spots.items():
            own.beside = [each for (name, _), each in self._spots.items() if name == place]
        self._queues = {place.name: queues_of(place, radius, settings.queues) for place in asked}
        self.queues = [queue for queues in self._queues.values() for queue in queues]
        self.have_rings = any(stop.do == TALK for stop in self.stops)
        rings, spots, seats = settings.rings, settings.spots, [place for place in asked if len(place.headings)]
        self._rings = {place.name: TalkPlace(place, seed, rings, spots) for place in asked}
        self._seats = {place.name: Seats(place, settings.seats, spots) for place in seats}
        there = np.flatnonzero(agents.status == BYSTANDING)
        for each in self._seats.values():
            each.take_for(there, agents.position[there])
        self._middles = np.array([middle_of(place) for place in asked]).reshape(-1, 2)
        targets = [stop.look_at or middle for stop, middle in zip(self.stops, self._middles.tolist(), strict=True)]
        self.look_at = np.array([(*target[:2], *(target[2:] or (np.nan,))) for target in targets]).reshape(-1, 3)
        self._points = StopPoints(self._middles, settings)
        self._itineraries = [draw_itineraries(people.drawn)]
        self._next, self._circuit = np.zeros(len(agents), dtype=np.int64), np.zeros(len(agents), dtype=np.int64)
        self.route = np.where(np.isnan(agents.goal[:, 0]), agents.path, -1)
        self.offset, self._start, self.passed = agents.wanted_offset.copy(), agents.s.copy(), agents.s.copy()
        self.leave_at = np.full(len(agents), np.inf)
        self._braking = agents.wanted_speed * agents.wanted_speed / (2.0 * settings.braking)
        loops = np.array([crowd.arrival_rule == LOOP for crowd in people.crowds], dtype=bool)
        self._loops = loops[agents.crowd] & np.isinf(agents.end)
        self.has_rounds = bool(self._loops.any())

    def expected_times(self, agents: Agents, paths: ReferenceSet) -> Float64:
        """Return float64 (A,), about how much longer the stops of a first round make everybody's way [s]."""
        itinerary, found = self._itineraries[0], np.zeros(len(agents))
        for row in np.flatnonzero((itinerary.stop >= 0).any(axis=1)).tolist():
            there, route = itinerary.stop[row] >= 0, int(self.route[row])
            stops, ends = itinerary.stop[row][there].tolist(), np.stack([agents.position[row], agents.goal[row]])
            if route >= 0:  # from the route to each place and back
                length = 2.0 * sum(self._points.nearest(route, stop, paths)[1] for stop in stops)
            else:
                length = length_of(np.insert(ends, 1, self._middles[stops], axis=0)) - length_of(ends)
            found[row] = itinerary.duration[row][there].sum() + length / max(float(agents.wanted_speed[row]), 1e-9)
        return found

    def stays_ahead(self, there: Bool) -> tuple[Float64, Int64]:
        """Return what is left of a first round: how long everybody stays at stops [s], and the stop that ends it.

        Args:
            there: bool (A,), of whom the present stop is not counted.

        Returns:
            float64 (A,); and int64 (A,), the first stop after which people do not go on, -1 for none.
        """
        itinerary = self._itineraries[0]
        number = np.arange(itinerary.stop.shape[1])
        left = (itinerary.stop >= 0) & (number >= self._next[:, None])
        ends = left & (self.then[itinerary.stop] != GO_ON)
        comes = np.cumsum(ends, axis=1) - ends == 0  # before the way ends, or where it does
        counts = left & comes & (number >= (self._next + there)[:, None])
        last = np.where(ends & comes, itinerary.stop, -1).max(axis=1, initial=-1)
        return np.asarray((counts * itinerary.duration).sum(axis=1)), last

    def ends_at(self, last: Int64, paths: ReferenceSet) -> tuple[Float64, Float64]:
        """Return where the ways of people end, who do not go on after a stop: the middle of its place, float64 (A, 2).

        And float64 (A,), the arc length of their drawn routes there, or at their end [m].

        Args:
            last: int64 (A,), the stops, -1 for none.
            paths: the reference paths.
        """
        s = paths.lengths[self.route]
        for row in np.flatnonzero((last >= 0) & (self.route >= 0)).tolist():
            s[row] = self._points.nearest(int(self.route[row]), int(last[row]), paths)[0]
        return np.append(self._middles, [[np.nan] * 2], axis=0)[last], s

    def drawn(self, row: int) -> tuple[float, float]:
        """Return how long somebody stays at the present stop [s], and which spot they take, 0 to 1."""
        if row in self.gathered:
            return np.inf, self.gathered[row]
        itinerary, at = self._itineraries[self._circuit[row]], int(self._next[row])
        return float(itinerary.duration[row, at]), float(itinerary.pick[row, at])

    def seen_from(self, stop: int, claim: Claim) -> Float64:
        """Return float64 (3,), what somebody looks at from what they have claimed at a stop; NaN: no own height [m]."""
        target = self.look_at[stop].copy()
        if isinstance(claim.spots, ViewingSpots) and self.stops[stop].look_at is None:
            before = claim.spots.seen[claim.spot]
            target[:2] = np.where(np.isfinite(before), before, target[:2])
        return target

    def tick_off(self, rows: Int64) -> None:
        """Let the present stop of some people be done."""
        self._next[rows] += 1

    def go_back(self, row: int) -> None:
        """Let somebody go back to where they started: no stop is left for them, and they find their own route."""
        self.route[row], self._loops[row] = -1, False
        self._next[row] = self._itineraries[0].stop.shape[1]

    def begin_rounds(self, rows: Int64, s: Float64, references: ReferenceSet) -> None:
        """Let people who walk in circles, and are at an arc length, float64 (R,) [m], stop again on a new round."""
        some = np.flatnonzero(self._loops[rows])
        if not len(some):
            return
        rows, s = rows[some], s[some]
        circuit = ((s - self._start[rows]) // references.lengths[self.route[rows]]).astype(np.int64)
        new = circuit > self._circuit[rows]
        self._circuit[rows[new]], self._next[rows[new]] = circuit[new], 0
        while len(self._itineraries) <= self._circuit.max():
            self._itineraries.append(draw_itineraries(self._drawn, len(self._itineraries)))
        self.plan_leaving(rows[new], s[new], references)

    def plan_leaving(self, rows: Int64, s: Float64, references: ReferenceSet) -> None:
        """Set where people on their way, at an arc length, float64 (R,) [m], leave for their next stop."""
        for row, here in zip(rows.tolist(), s.tolist(), strict=True):
            stop, route = self.coming_stop(row, references), int(self.route[row])
            if stop < 0 or route < 0:
                self.leave_at[row] = np.inf if stop < 0 else -np.inf
            else:
                self.leave_at[row] = self._points.passing(route, here, stop, references, self._braking[row])[1]

    def coming_stop(self, row: int, references: ReferenceSet) -> int:
        """Return the number of somebody's next stop, -1 for none; those behind the start of an open route are left."""
        drawn, route = self._itineraries[self._circuit[row]].stop[row], int(self.route[row])
        while self._next[row] < len(drawn) and drawn[self._next[row]] >= 0:
            stop = int(drawn[self._next[row]])
            if route < 0 or references.closed[route]:
                return stop
            near = self._points.passing(route, 0.0, stop, references)[0]
            if near >= self._start[row] - self._settings.passed:
                return stop
            self.missed.find_beyond(row, stop)
            self._next[row] += 1
        return -1

    def next_stop(
        self,
        agents: Agents,
        row: int,
        barred: Sequence[int],
        *,
        ground: StaticGround,
        bounds: Float64,
        paths: ReferenceSet,
    ) -> Trip | None:
        """Return the way to somebody's next stop; None where they first go on from stops.

        Args:
            agents: all agents.
            row: who.
            barred: spots that they have found no route to.
            ground: the obstacles that stand.
            bounds: float64 (B, 2), the polygon that nobody leaves [m].
            paths: the reference paths.
        """
        route, visits = int(self.route[row]), bool(agents.visits[row])
        while (stop := self.coming_stop(row, paths)) >= 0:
            at = float(self.passed[row] if visits else agents.s[row])
            if route >= 0:
                near, leave = self._points.passing(route, at, stop, paths)
                if visits and leave > at + self._settings.rejoin[0]:
                    return None
                at = near
            claim = self.claim(agents, row, stop, barred, ground, bounds)
            if claim is not None:
                self.passed[row] = at
                return Trip(row, stop, claim.place(agents.position[row]), claim)
            if not barred:
                self.missed.find_full(row, stop)
            self._next[row] += 1
        return None

    def way_back(self, row: int, attempt: int, paths: ReferenceSet) -> tuple[float, Float64]:
        """Return where somebody returns to a drawn route: the arc length [m], and the point, float64 (2,) [m]."""
        last = min(attempt, len(self._settings.rejoin) - 1)
        return self._points.rejoining(int(self.route[row]), float(self.passed[row]), self.offset[row], last, paths)

    def claim(
        self, agents: Agents, row: int, stop: int, barred: Sequence[int], ground: StaticGround, bounds: Float64
    ) -> Claim | None:
        """Return what somebody takes at a stop; None where nothing is left: see `next_stop`."""
        asked, radius = self.stops[stop], float(agents.radius[row])
        if asked.do == QUEUE:
            return self._queue_up(agents.position[row], row, stop, ground, bounds, radius)
        largest = float(agents.radius.max())
        if asked.do == TALK:
            where, pick = agents.position[row], self.drawn(row)[1]
            ring, covered = self._rings[asked.place].choose(
                asked.room, where, pick, radius=largest, ground=ground, bounds=bounds
            )
            if covered:
                self.missed.find_covered(stop)
            if ring is not None:
                ring.coming.append(row)
            return None if ring is None else Claim(ring=ring)
        spots = self._seats[asked.place] if asked.do == SIT else self._spots[_view(asked)]
        free = spots.is_free(largest, ground, bounds)
        if not free.any():
            self.missed.find_covered(stop)
        free = free.copy()
        free[list(barred)] = False
        chosen = spots.choose(row, free, agents.position[row], self.drawn(row)[1])
        return None if chosen < 0 else Claim(spots, chosen)

    def _queue_up(
        self, position: Float64, row: int, stop: int, ground: StaticGround, bounds: Float64, radius: float
    ) -> Claim | None:
        """Return the shortest queue that has room, the nearest of several; None where none has."""
        best, least = None, (0, 0.0)
        queues, room = self._queues[self.stops[stop].place], self.stops[stop].room
        capacities = [queue.capacity(room, radius, ground.field, bounds) for queue in queues]
        if not any(capacities):
            self.missed.find_covered(stop)
        for queue, capacity in zip(queues, capacities, strict=True):
            length, off = len(queue.members) + len(queue.coming), queue.place(0) - position
            cost = (length, float((off * off).sum()))
            if length < capacity and (best is None or cost < least):
                best, least = queue, cost
        if best is None:
            if sum(capacities) < room * len(queues):
                self.missed.find_short(stop, sum(capacities))
            return None
        best.coming.append(row)
        return Claim(queue=best)


def _view(stop: Stop) -> tuple[str, tuple[float, ...] | str]:
    """Return the place of a stop, and what people look at from there: a point, or the middle, or nothing."""
    if stop.do != LOOK_AT:
        return stop.place, ""
    return stop.place, tuple(stop.look_at[:2]) if stop.look_at else "before them"


def _spots_of(stop: Stop, place: Place, settings: StopSettings) -> Spots:
    """Return the spots on which people stand at a stop."""
    if stop.do != LOOK_AT:
        return Spots(place, settings.spots)
    target = np.array(stop.look_at[:2]) if stop.look_at else None
    return ViewingSpots(place, target, settings.viewing, settings.spots)
