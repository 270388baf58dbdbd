# SPDX-License-Identifier: GPL-3.0-or-later
"""Visits to stops: people leave their route for a place, stand or queue there, turn, and go on.

`departures.py` finds their routes there and on again; what they do while they stand is in `behaviours/stops.py`.
"""

from __future__ import annotations

import math

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import length, length2
from ...planning import ReferenceSet
from ...scene import DISAPPEAR, GO_BACK
from ..guidance.guidance import Guidance
from ..places.seats import Seats
from ..places.viewing_spots import ViewingSpots
from ..settings import SimulationSettings
from ..world.agents import ARRIVED, GONE, STOPPED, WALKING, Agents
from ..world.environment import Environment
from .awaited_events import AwaitedEvents
from .departures import Departures
from .stays import Stays
from .trips import Claim, Trip, Trips
from .visit_states import GOING, NONE, RETURNING, THERE, TURNING, VisitStates


class Visits:
    """The visits of people to stops.

    Args:
        agents: all agents, at the start.
        trips: the stops that are left for each person.
        awaited: what people wait for.
        environment: the obstacles.
        references: the paths on which people start.
        settings: of the simulation.

    Attributes:
        trips: the stops that are left for each person.
        stays: until when those who are at a stop stay there.
        phase: int8 (A,): NONE, GOING, THERE, TURNING or RETURNING.
        spot: float64 (A, 2), where each stands, or is to stand [m].
        claims: the spot or queue of those who are at a stop or on the way to it, by the row.
        slow_since: float64 (A,), since when each hardly moves [s]; infinite for those who do.
    """

    def __init__(
        self,
        agents: Agents,
        trips: Trips,
        awaited: AwaitedEvents,
        environment: Environment,
        references: ReferenceSet,
        settings: SimulationSettings,
    ) -> None:
        self._agents, self._environment, self._own = agents, environment, settings.stops
        self.trips, count = trips, len(agents)
        self.stays = Stays(agents, trips, awaited, settings.stops)
        self.spot, self._until = self.stays.spot, self.stays.until
        self._states = states = VisitStates(agents)
        self.phase, self.claims = states.phase, states.claims
        self._departures = Departures(agents, trips, self.stays, states, environment, settings)
        self.slow_since = np.full(count, np.inf)
        self._start, self._end_s = agents.position.copy(), agents.end.copy()
        self.trips.plan_leaving(np.arange(count), agents.s, references)
        agents.stop_time += self.trips.expected_times(agents, references)

    def update(self, time: float, guidance: Guidance) -> None:
        """Let people leave for stops, arrive, and go on.

        Args:
            time: [s].
            guidance: leads people along their routes.
        """
        self._settle(time)
        if self.stays.rings or self._environment.rings is not None:
            through = guidance.standing.walks_through | guidance.standing.hold_up
            through &= self._agents.status == WALKING
            self._environment.rings = self.stays.bodies_of_rings(self._agents.position[through])
        self._move_up(time, guidance)
        if (self.phase >= TURNING).any():
            self._set_off(time, guidance)
            self._rejoin_routes(time, guidance)
        rows = self._ready(time, guidance)
        if rows:
            self._departures.go_on(rows, time, guidance)

    def places_in_queues(self) -> tuple[Int64, Float64]:
        """Return int64 (N,), people in queues, and where each is to stand, float64 (N, 2) [m].

        Without who comes to the head while somebody is still leaving it.
        """
        rows, places = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 2))]
        for queue in (each for each in self.trips.queues if each.members):
            first = int(queue.is_being_left(self._agents, self._own.queues.follow))
            rows.append(np.array(queue.members[first:], dtype=np.int64))
            places.append(queue.standing(len(queue.members))[0][first:])
        return np.concatenate(rows), np.concatenate(places)

    def time_ahead(self, time: float, paths: ReferenceSet) -> Float64:
        """Return float64 (A,), how much longer than for their present paths people need: for stops, and after them [s].

        Args:
            time: [s].
            paths: the reference paths.
        """
        agents, trips, own_way = self._agents, self.trips, self.trips.route < 0
        there = (self.phase == THERE) & np.isfinite(self._until)
        stays, last = trips.stays_ahead(there)
        stays += np.where(there, np.maximum(self._until - time, 0.0), 0.0)
        (place, end_s), ends, walks = trips.ends_at(last, paths), last >= 0, self.phase == NONE
        off = length(np.where(ends[:, None], place, self._states.goal) - agents.position)
        off[~walks & ends & (agents.stop == last)] = 0.0  # the present path ends there
        way = np.maximum(np.where(own_way, off, end_s - trips.passed), 0.0)
        way[(own_way & (self.phase == RETURNING)) | np.isnan(way)] = 0.0  # or leads on
        rest = np.where(own_way, paths.lengths[agents.path] - agents.s - off, paths.lengths[trips.route] - end_s)
        way = np.where(walks, np.where(ends, -rest, 0.0), way)  # they end the present path before its end
        way += np.where(trips.then[last] == GO_BACK, length(self._start - place), 0.0)
        return stays + way / np.maximum(agents.wanted_speed, 1e-9)

    def leave_seats(self, rows: Int64, above: Float64, time: float) -> None:
        """Let people go on who have come to seats that are out of their reach, and nobody else come there.

        Args:
            rows: int64 (R,), who.
            above: float64 (R,), how high the seats are above the ground before them [m].
            time: now [s].
        """
        self.trips.missed.find_high(self._agents.stop[rows], above)
        self.stays.cut_short(rows, time)
        for row in rows.tolist():
            claim = self.claims.get(row)
            if claim is not None and isinstance(claim.spots, Seats):
                claim.spots.out_of_reach[claim.spot] = True

    def _settle(self, time: float) -> None:
        """Let people who have come to their spot stand there, or near it where others are in the way."""
        agents, own = self._agents, self._own
        slow = length2(agents.velocity) < own.held_up_speed**2
        self.slow_since = np.where(slow, np.minimum(self.slow_since, time), np.inf)
        if len(self.claims) and len(going := np.flatnonzero((self.phase == GOING) & (agents.status == WALKING))):
            here = agents.position[going]
            distance2 = length2(self.spot[going] - here)
            before2 = length2(agents.goal[going] - here)  # of a seat, a place before it
            arrives = np.minimum(distance2, before2) < own.reach**2
            waits = (distance2 < own.crowded_reach**2) & (time - self.slow_since[going] > own.crowded_patience)
            # Who comes to a ring may join it from afar.
            asked = slice(None) if self.trips.have_rings else np.flatnonzero(arrives | waits)
            people = going[asked].tolist(), arrives[asked].tolist(), waits[asked].tolist()
            for row, at_spot, waits_near in zip(*people, strict=True):
                claim = self.claims[row]
                if claim.queue is not None:
                    continue
                held_up = waits_near and self.stays.has_room(row)
                if held_up and not isinstance(claim.spots, Seats):
                    self.spot[row] = agents.position[row]
                if held_up or at_spot or self._joins(row, claim):
                    self._stand(row)
                    self.stays.begin(row, claim, time)
        self.stays.update(self.claims, time)

    def _joins(self, row: int, claim: Claim) -> bool:
        """Return whether somebody is near enough to a ring of people who talk, so that these make room."""
        if claim.ring is None or not claim.ring.members:
            return False
        off = claim.ring.centre - self._agents.position[row]
        reach = claim.ring.radius(len(claim.ring.members) + 1) + self._own.rings.joining
        return float((off * off).sum()) < reach * reach

    def _stand(self, row: int) -> None:
        """Let somebody stand at a stop."""
        self._agents.status[row], self.phase[row] = STOPPED, THERE
        self._agents.has_arrived[row] |= row in self.trips.gathered
        self._states.deadline[row] = np.inf

    def _move_up(self, time: float, guidance: Guidance) -> None:
        """Let people join their queues at the end, and serve those at the head."""
        agents, own = self._agents, self._own.queues
        for queue in self.trips.queues:
            if not queue.members:
                continue
            members = np.array(queue.members)
            there, (places, faces) = self.phase[members] == THERE, queue.standing(len(members))
            self.spot[members[there]], agents.faces[members[there]] = places[there], faces[there]
            first, off = queue.members[0], places[0] - agents.position[members[0]]
            if there[0] and np.isinf(self._until[first]) and float((off * off).sum()) < own.closing_up**2:
                self._until[first] = time + self.trips.drawn(first)[0]
        self._come_to_queues(time, guidance)

    def _come_to_queues(self, time: float, guidance: Guidance) -> None:
        """Lead people to the ends of their queues, where they join them."""
        agents, own = self._agents, self._own.queues
        coming = [(row, queue) for queue in self.trips.queues for row in queue.coming]
        queued = {row: queue for row, queue in coming if self.phase[row] == GOING and agents.status[row] == WALKING}
        if not queued:
            return
        rows, ends = list(queued), {id(queue): queue.place(len(queue.members)) for queue in queued.values()}
        goals = np.array([ends[id(queue)] for queue in queued.values()])
        self.spot[rows] = agents.goal[rows] = goals
        joins = length2(goals - agents.position[rows]) < own.joining**2
        if not (joins | (length2(goals - self._states.led_to[rows]) > own.new_route**2)).any():
            return
        for row, queue in queued.items():  # one after the other: who joins takes the end
            end = self.spot[row] = agents.goal[row] = queue.place(len(queue.members))
            off, moved = end - agents.position[row], end - self._states.led_to[row]
            if float((off * off).sum()) < own.joining**2:
                queue.coming.remove(row)
                queue.members.append(row)
                self._stand(row)
                self.stays.begin(row, self.claims[row], time)
            elif float((moved * moved).sum()) > own.new_route**2:
                self._departures.go([Trip(row, int(agents.stop[row]), end, self.claims[row])], time, guidance)

    def _set_off(self, time: float, guidance: Guidance) -> None:
        """Let people walk on who have turned to their route."""
        agents = self._agents
        turning = np.flatnonzero(self.phase == TURNING)
        if not len(turning):
            return
        off = agents.faces[turning] - agents.heading[turning]
        off -= 2.0 * math.pi * np.round(off / (2.0 * math.pi))
        late = (time >= self._until[turning]) | agents.rolls[turning]
        rows = turning[late | ~(np.abs(off) >= self._own.turned)]
        for row in rows.tolist():
            left = self._states.left.pop(row)
            self.stays.end(row, left, time)
            self._take_better(left, time, guidance)
        self.phase[rows] = self._states.next_phase[rows]
        agents.status[rows], agents.faces[rows], agents.firm[rows] = WALKING, np.nan, False
        self._departures.end_visits(rows[self.phase[rows] == NONE], guidance)
        guidance.begin_planning(rows, time)

    def _take_better(self, left: Claim, time: float, guidance: Guidance) -> None:
        """Let somebody on the way to a spot beside one that was left, nearer to the middle, go there instead."""
        spots, agents = left.spots, self._agents
        if not isinstance(spots, ViewingSpots):
            return
        for row in spots.farther_out(left.spot):
            claim = self.claims[row] if self.phase[row] == GOING and agents.status[row] == WALKING else left
            if claim.spots is not spots or claim is left:
                continue
            better = Trip(row, int(agents.stop[row]), spots.approach(left.spot), left)
            if not self._departures.go([better], time, guidance):
                claim.release(row)
                spots.taken[left.spot] = row
                self._take_better(claim, time, guidance)
            return

    def _rejoin_routes(self, time: float, guidance: Guidance) -> None:
        """Let people who have come back to their drawn route follow it again."""
        agents, own = self._agents, self._own
        rows = np.flatnonzero((self.phase == RETURNING) & (agents.status == WALKING))
        if not len(rows):
            return
        off = agents.goal[rows] - agents.position[rows]
        near = length2(off) < own.rejoined**2
        self._follow_line(rows[near | (time > self._states.deadline[rows])], time, guidance)

    def _follow_line(self, rows: Int64, time: float, guidance: Guidance) -> None:
        """Let people follow their drawn routes again."""
        if not len(rows):
            return
        agents, trips = self._agents, self.trips
        self.phase[rows] = NONE
        agents.goal[rows], agents.end[rows], agents.waits[rows] = np.nan, self._end_s[rows], False
        near = self._states.rejoin[rows] - self._own.rejoined
        guidance.follow_path(rows, trips.route[rows], near, trips.offset[rows], time)
        self._departures.end_visits(rows, guidance)

    def _ready(self, time: float, guidance: Guidance) -> list[int]:
        """Return those who leave for a stop now, go on from one, or give one up."""
        agents, trips = self._agents, self.trips
        done = (self.phase == THERE) & (time >= self._until)
        walking = agents.status == WALKING
        late = (self.phase == GOING) & (time > self._states.deadline) & ~agents.waits & walking
        leaves = walking & (self.phase == NONE) & (agents.s >= trips.leave_at)
        if not (trips.has_rounds or (done | late | leaves).any()):
            return []
        for row in np.flatnonzero(late).tolist():
            trips.missed.give_up(row, int(agents.stop[row]))
            self.claims.pop(row).release(row)
        done &= ~self._finish(np.flatnonzero(done), time)
        trips.tick_off(np.flatnonzero(done | late))
        on_way = (self.phase == NONE) & walking & ~guidance.detours.on_detour
        rows = np.flatnonzero(on_way)
        trips.begin_rounds(rows, agents.s[rows], guidance.references)
        return np.flatnonzero(done | late | (on_way & (agents.s >= trips.leave_at))).tolist()

    def send(self, rows: Int64, goals: Float64, time: float, guidance: Guidance, *, leaves: bool | None = None) -> None:
        """Let people drop what they do, and go to goals, float64 (R, 2) [m].

        Args:
            rows: int64 (R,), who.
            goals: of each; people who are there already stay.
            time: now [s].
            guidance: leads them there.
            leaves: whether they disappear there; None: as their crowd does at its goal.
        """
        off = goals - self._agents.position[rows]
        for row in rows.tolist():
            self._drop(row, time)
        self._states.goal[rows] = goals
        if leaves is not None:
            self._states.leaves[rows] = leaves
        trips = [Trip(row, -1, goal) for row, goal in zip(rows.tolist(), goals, strict=True)]
        far = length2(off) > self._own.reach**2
        self._agents.goal[rows[~far]] = goals[~far]
        self._agents.status[rows[~far]] = np.where(self._states.leaves[rows[~far]], GONE, ARRIVED)
        self._departures.go([trip for trip, goes in zip(trips, far.tolist(), strict=True) if goes], time, guidance)

    def gather(self, rows: Int64, pick: Float64, trigger: int, time: float, guidance: Guidance) -> list[int]:
        """Let people drop what they do, and stand at the place of a trigger from now on: `pick`, 0 to 1, says where.

        Returns:
            those for whom no room is left there, or who find no route; they walk on.
        """
        stop, ground, bounds = (
            self.trips.gatherings[trigger],
            self._environment.still_at(time),
            self._environment.bounds,
        )
        trips, left_out = [], []
        for row, where in zip(rows.tolist(), pick.tolist(), strict=True):
            self._drop(row, time)
            self.trips.gathered[row] = where
            claim = self.trips.claim(self._agents, row, stop, (), ground, bounds)
            if claim is None:
                self.trips.missed.find_full(row, stop)
                left_out.append(row)
                continue
            trips.append(Trip(row, stop, claim.place(self._agents.position[row]), claim))
        for trip, reason in self._departures.go(trips, time, guidance):
            self.trips.missed.find_no_route(trip.row, stop, str(reason))
            assert trip.claim is not None
            trip.claim.release(trip.row)
            left_out.append(trip.row)
        return left_out

    def _drop(self, row: int, time: float) -> None:
        """Let somebody leave their stop and all others, and walk from where they are."""
        agents = self._agents
        for held in (self.claims, self._states.left):
            if row in held:
                self.stays.end(row, held.pop(row), time)
        self.trips.gathered.pop(row, None)
        self.trips.go_back(row)
        self.phase[row], agents.status[row], self._until[row] = NONE, WALKING, np.inf
        agents.faces[row], agents.firm[row], agents.stop[row], agents.visits[row] = np.nan, False, -1, False
        self._states.deadline[row], agents.unhindered_time[row] = np.inf, np.nan
        agents.redirected[row], agents.has_arrived[row] = True, False

    def _finish(self, rows: Int64, time: float) -> Bool:
        """Let those who are done at a stop disappear, or plan to go back, where the stop says so.

        Returns:
            bool (A,), whether each has disappeared.
        """
        agents, gone = self._agents, np.zeros(len(self.phase), dtype=bool)
        for row in rows.tolist():
            then = self.trips.stops[int(agents.stop[row])].then
            if then == GO_BACK:
                self.trips.go_back(row)
                self._states.goal[row], agents.redirected[row] = self._start[row], True
            elif then == DISAPPEAR:
                self.stays.end(row, self.claims.pop(row), time)
                self.phase[row], agents.status[row], gone[row] = NONE, GONE, True
                agents.visits[row], agents.stop[row], agents.firm[row] = False, -1, False
        return gone
