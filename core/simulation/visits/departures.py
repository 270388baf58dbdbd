# SPDX-License-Identifier: GPL-3.0-or-later
"""Departures: people get a route to their next stop, back to their line or to their goal, turn, and go.

On the way there and back a person has a route of their own, as people between areas have.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ...array_types import Float64, Int64
from ...errors import NoRoute
from ...geometry.reproducible_math import heading_vector, length
from ...geometry.segments import length_of
from ..guidance.guidance import Guidance
from ..population.personal_routes import PersonalRoutes, Travellers, find_routes_or_wait
from ..settings import SimulationSettings
from ..world.agents import WALKING, Agents
from ..world.environment import Environment
from .stays import Stays, point_ahead
from .trips import Trip, Trips
from .visit_states import GOING, NONE, RETURNING, THERE, TURNING, VisitStates

_LEAST_TRIP = 0.01  # [m]
MIDDLE_LANE = 0.5  # position across a corridor of people who otherwise follow a drawn route


class Departures:
    """Starts the trips of people.

    Args:
        agents: all agents, at the start.
        trips: the stops that are left for each person.
        stays: until when those who are at a stop stay there.
        states: how far each is with a visit.
        environment: the obstacles.
        settings: of the simulation.
    """

    def __init__(
        self,
        agents: Agents,
        trips: Trips,
        stays: Stays,
        states: VisitStates,
        environment: Environment,
        settings: SimulationSettings,
    ) -> None:
        self._agents, self._environment, self._settings, self._own = agents, environment, settings, settings.stops
        self._trips, self._stays, self._states = trips, stays, states
        self._own_path = np.where(trips.route < 0, agents.path, -1)

    def go_on(self, rows: list[int], time: float, guidance: Guidance) -> None:
        """Let people go to their next stop that they can reach, or else on from stops."""
        attempts, barred = dict.fromkeys(rows, 0), {row: list[int]() for row in rows}
        while rows:
            trips = [trip for row in rows if (trip := self._next_trip(row, attempts[row], barred[row], time, guidance))]
            forced = {row for row in rows if attempts[row] >= len(self._own.rejoin)}
            refused = self.go(trips, time, guidance, forced)
            for trip, reason in refused:
                attempts[trip.row] += 1
                if trip.claim is None:
                    continue
                trip.claim.release(trip.row)
                barred[trip.row].append(trip.claim.spot)
                self._trips.missed.find_no_route(trip.row, trip.stop, str(reason))
                if trip.claim.spots is None or attempts[trip.row] == self._own.spots.tries:
                    self._trips.tick_off(np.array([trip.row]))
                    attempts[trip.row], barred[trip.row] = 0, []
            rows = [trip.row for trip, _ in refused]

    def _next_trip(self, row: int, attempt: int, barred: list[int], time: float, guidance: Guidance) -> Trip | None:
        """Return where somebody goes next; None for those who have no stop left and are at none."""
        bounds, paths, ground = self._environment.bounds, guidance.references, self._environment.still_at(time)
        trip = self._trips.next_stop(self._agents, row, barred, ground=ground, bounds=bounds, paths=paths)
        if trip is not None:
            return trip
        if not self._agents.visits[row]:
            self._trips.plan_leaving(np.array([row]), self._agents.s[[row]], paths)
            return None
        if self._trips.route[row] < 0:
            return Trip(row, -1, self._states.goal[row])
        self._states.rejoin[row], goal = self._trips.way_back(row, attempt, paths)
        return Trip(row, -1, goal)

    def go(
        self, trips: Sequence[Trip], time: float, guidance: Guidance, forced: Collection[int] = ()
    ) -> list[tuple[Trip, NoRoute]]:
        """Let people take their trips, and return those trips to which no route leads, each with the reason.

        Who finds no route on from stops at all sets off all the same, and guidance reports what blocks them.
        """
        if not trips:
            return []
        agents, horizon = self._agents, self._settings.planning_horizon
        rows = np.array([trip.row for trip in trips])
        others = agents.status == WALKING
        others[rows] = False
        people = Travellers(
            agents.position[rows],
            self._goals_ahead(rows, np.array([trip.goal for trip in trips])),
            agents.radius[rows],
            np.where(self._trips.route[rows] < 0, agents.lane[rows], MIDDLE_LANE),
            agents.position[others],
            reach=agents.reach[rows],
        )
        passages, for_good = self._environment.passages_at(time, horizon), self._environment.for_good(time, horizon)
        routes, waits = find_routes_or_wait(people, passages, for_good, self._settings.population.routes)
        refused = [(trip, reason) for trip, reason in zip(trips, routes.reasons, strict=True) if reason is not None]
        last = {
            id(trip) for trip, _ in refused if trip.stop < 0 and (self._trips.route[trip.row] < 0 or trip.row in forced)
        }
        taken = [k for k, trip in enumerate(trips) if routes.reasons[k] is None or id(trip) in last]
        agents.waits[rows[taken]] = waits[taken]
        if taken:
            self._begin_trips([trips[k] for k in taken], routes, taken, time, guidance)
        return [(trip, reason) for trip, reason in refused if id(trip) not in last]

    def _goals_ahead(self, rows: Int64, goals: Float64) -> Float64:
        """Return the goals of some people, float64 (N, 2); of those who stand there already a step of 1 cm ahead [m].

        A route needs a length.
        """
        position, heading = self._agents.position[rows], self._agents.heading[rows]
        is_there = length(goals - position) < _LEAST_TRIP
        return np.where(is_there[:, None], position + _LEAST_TRIP * heading_vector(heading), goals)

    def _begin_trips(
        self, trips: Sequence[Trip], routes: PersonalRoutes, taken: list[int], time: float, guidance: Guidance
    ) -> None:
        """Give people the routes of their trips; those who stand turn before they go."""
        agents = self._agents
        rows = np.array([trip.row for trip in trips], dtype=np.int64)
        new = rows[self._own_path[rows] < 0]
        self._own_path[new] = guidance.add_paths(agents.path[new])
        guidance.detours.end_detours(agents, rows)  # which lead back to a drawn route, that of others
        agents.path[rows] = self._own_path[rows]
        for trip, k in zip(trips, taken, strict=True):
            self._begin_trip(trip, routes.lines[k], time)
        guidance.change_routes(rows, routes.walkable(taken), time)
        self.end_visits(rows[self._states.phase[rows] == NONE], guidance)

    def _begin_trip(self, trip: Trip, line: Float64, time: float) -> None:
        """Let somebody start along a line, float64 (P, 2) [m]."""
        agents, states, stays, own, row = self._agents, self._states, self._stays, self._own, trip.row
        then = GOING if trip.stop >= 0 else RETURNING if self._trips.route[row] >= 0 else NONE
        if states.phase[row] == THERE:
            stays.cut_short(np.array([row]), time)
            states.left[row] = states.claims.pop(row)
            states.phase[row], states.next_phase[row], stays.until[row] = TURNING, then, time + own.longest_turn
            stays.face(row, point_ahead(line, own.look_ahead) - line[0])
        else:
            states.phase[row] = then
        if trip.claim is not None:
            spots = trip.claim.spots
            states.claims[row] = trip.claim
            stays.spot[row] = trip.goal if spots is None else spots.point[trip.claim.spot]
            self._trips.missed.find_route(row, trip.stop)
        agents.goal[row] = states.led_to[row] = trip.goal
        agents.stop[row], agents.wanted_offset[row] = trip.stop, 0.0
        agents.visits[row] = True
        agents.leaves[row] = then == RETURNING  # nobody brakes where they return to their route
        needed = length_of(line) / max(float(agents.wanted_speed[row]), 0.1)
        states.deadline[row] = time + 3.0 * needed + own.patience

    def end_visits(self, rows: Int64, guidance: Guidance) -> None:
        """Let people who have gone on from their stops be as they were before."""
        agents = self._agents
        agents.visits[rows], agents.stop[rows] = False, -1
        agents.leaves[rows] = self._states.leaves[rows]
        self._states.deadline[rows] = np.inf
        self._trips.plan_leaving(rows, agents.s[rows], guidance.references)
