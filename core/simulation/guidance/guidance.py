# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferred velocities of all people: plans along the reference paths, kept while they hold, aims, and detours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import length, length2
from ...planning import FrenetPlanner, PlannerPreferences, Plans, ReferenceSet
from ...planning.paths.path_tables import AnyPath
from ...steering.neighbours import near_some
from ..settings import SimulationSettings
from ..world.agents import ARRIVAL_DISTANCE, ARRIVED, WALKING, Agents
from ..world.doing import Doing
from ..world.moving_obstacles import Resting
from ..world.static_ground import StaticGround
from .aiming import Aims
from .company import are_alone
from .detours import Detours, follow_line
from .path_tracking import Wants, planner_input, track
from .returning import last_steps, return_to_line
from .sidestep import step_aside
from .standing_people import StandingPeople


class Guidance:
    """The plans of all people, and the paths along which they plan.

    Args:
        agents: all agents.
        references: their reference paths.
        preferences: of their planning.
        settings: of the simulation.

    Attributes:
        references: the reference paths; those of detours are added as they are found.
        plans, detours: of people; standing: people who stand, and are ground for others.
    """

    def __init__(
        self, agents: Agents, references: ReferenceSet, preferences: PlannerPreferences, settings: SimulationSettings
    ) -> None:
        count = len(agents)
        self.agents, self.references, self.settings = agents, references, settings
        self.detours = Detours(count, settings.guidance.detours, settings.population.routes, settings.guidance.bypasses)
        self.standing = StandingPeople(count, settings.guidance.standing_people)
        self._aims = Aims(count, settings.guidance.aiming)
        self._preferences, self._planner = preferences, FrenetPlanner(references, settings.planner)
        self.plans = Plans.empty(count, references)
        self._planned_at = np.full(count, -np.inf)
        self._planned_for = Wants(np.zeros(count, dtype=np.int64), np.zeros(count), np.zeros(count), np.zeros(count))
        self._resting: Resting = ()
        self._discs = self.standing.discs
        self._holds = np.zeros(count, dtype=bool)  # nothing has happened because of which a new plan is needed
        self._next_plan = np.zeros(count)
        self._begins = np.zeros(count, dtype=bool)  # has a new path, and no plan along it yet
        self._held = np.zeros(count, dtype=bool)  # by others

    def begin_planning(self, rows: Int64, time: float) -> None:
        """Let some people plan in the next `replan`, and from then on together with all: few plans cost as much."""
        if len(rows) == 0:
            return
        self._next_plan[rows], self._holds[rows], self._begins[rows] = time, False, True
        self.standing.leave(self.agents, rows)

    def replan(self, time: float, ground: StaticGround) -> None:
        """Find the aims of people when it is time, and make a new plan for those without an aim whose plan fails."""
        agents, interval = self.agents, self.settings.replanning_interval
        rows = ((agents.status == WALKING) & (self._next_plan <= time + 1e-9)).nonzero()[0]
        if not len(rows):
            return
        self._next_plan[rows], self._begins[rows] = (np.floor(time / interval + 1e-9) + 1.0) * interval, False
        own_route = agents.have_goals(rows) & ~self.detours.on_detour[rows]
        self._aims.clear_aims(rows[~own_route])
        self._aims.find_aims(agents, rows[own_route], self.references, ground.field)
        self.standing.begin_search(rows, time)
        self._drop_plans(ground)
        field = self.standing.added_to(ground.field)
        if field is not ground.field:
            self._plan_round_people(rows, time, ground, field)
        elif len(rows := self._who_need_plans(rows, time)):
            self._put_plans(rows, self._plan(rows, time, field), time)

    def _drop_plans(self, ground: StaticGround) -> None:
        """Keep no plans made for other obstacles, nor for a place where somebody has come to stand since."""
        agents = self.agents
        if ground.resting != self._resting:
            self._holds[:] = False
        elif self.standing.discs is not self._discs and self._holds.any():
            new, rows = self.standing.discs.added_to(self._discs), np.flatnonzero(self._holds)
            centre, radius = self.standing.discs.centre[new], self.standing.discs.radius[new]
            reach = self._reach_of_plans(rows)
            everybody, some = np.concatenate([agents.position[rows], centre]), len(rows) + np.arange(len(new))
            disc, near = near_some(everybody, some, float(reach.max()) + float(radius.max(initial=0.0)))
            disc, near = disc[near < len(rows)], near[near < len(rows)]
            off = everybody[near] - centre[disc]
            near = near[length2(off) < (reach[near] + radius[disc]) ** 2]
            self._holds[rows[near]] = False
        self._resting, self._discs = ground.resting, self.standing.discs

    def _reach_of_plans(self, rows: Int64) -> Float64:
        """Return float64 (R,), within which people who stand count for plans of some people [m]."""
        agents, planner = self.agents, self.settings.planner
        reach = np.maximum(planner.look_ahead_time * agents.wanted_speed[rows], planner.least_look_ahead)
        return reach + agents.radius[rows] + self.settings.guidance.standing_people.room

    def _plan_round_people(self, rows: Int64, time: float, ground: StaticGround, field: Distances) -> None:
        """Lead people who have aims round those who stand, and make new plans for the others.

        Args:
            rows: int64 (R,), who.
            time: [s].
            ground: the obstacles that stand now.
            field: distances to these and to people who stand.
        """
        agents, standing, have_aims = self.agents, self.standing, self._aims.known
        straight = standing.find_who_walks_straight(agents, rows, field)
        around = self._meet_somebody(rows[have_aims[rows] & ~standing.walks_through[rows]])
        self._aims.bypass_people(agents, around, field, self.settings.guidance.bypasses)
        self._holds[straight] = False
        if not len(rows := self._who_need_plans(rows, time)):
            return
        plans = self._plan(rows, time, field)
        self._note_who_is_shut_off(rows, plans, time, ground)
        blocked = rows[plans.collides | np.isin(rows, straight)]
        if not len(blocked):
            self._put_plans(rows, plans, time)
            return
        blocked = blocked[standing.may_be_within(agents.position[blocked], self._reach_of_plans(blocked))]
        waits = have_aims[blocked] & ~standing.arrive(agents, blocked)  # alone they would go straight to their aim
        standing.let_through(agents, blocked[waits])
        blocked = blocked[~waits]
        as_if_alone = self._plan(blocked, time, ground.field)
        through = standing.let_through(agents, blocked[~as_if_alone.collides])
        self._put_plans(rows, plans, time)
        self._put_plans(through, as_if_alone.take(np.isin(blocked, through)), time)
        self._holds[through] = False

    def _note_who_is_shut_off(self, rows: Int64, plans: Plans, time: float, ground: StaticGround) -> None:
        """Let those be held up whose every course ends before people who stand, although their plan is free so far."""
        standing, shut_off = self.standing, self._planner.were_blocked(plans) & ~plans.collides
        some = rows[shut_off]
        some = some[~standing.walks_through[some] & ~standing.arrive(self.agents, some)]
        some = some[standing.may_be_within(self.agents.position[some], self._reach_of_plans(some))]
        if len(some):
            alone = self._plan(some, time, ground.field)
            standing.hold_up[some[~self._planner.were_blocked(alone)]] = True

    def _meet_somebody(self, rows: Int64) -> Int64:
        """Return those of some people who may meet somebody who stands on the way to their aims."""
        aims, room = self._aims.point[rows], self.agents.radius[rows] + self.settings.guidance.aiming.clearance
        return rows[self.standing.may_touch(self.agents.position[rows], aims, room)]

    def _who_need_plans(self, rows: Int64, time: float) -> Int64:
        """Return who of some people, int64 (R,), without aims, has no plan that holds."""
        agents, settings = self.agents, self.settings.guidance.path_tracking
        self._holds[self._aims.known] = False
        rows = rows[~self._aims.known[rows]]
        kept = self._holds[rows] & (time - self._planned_at[rows] < settings.kept_for)
        kept &= self._planned_for.hold(rows, Wants.of(agents, rows), settings)
        held = rows[kept]
        kept[kept] = track(agents, held, self.plans, time - self._planned_at[held], settings).near_plan
        return rows[~kept]

    def _plan(self, rows: Int64, time: float, field: Distances) -> Plans:
        """Return new plans for some people, round what stands at these distances."""
        if not len(rows):
            return Plans.empty(0, self.references)
        agents, settings = self.agents, self.settings.guidance.path_tracking
        elapsed = time - self._planned_at[rows]
        known = np.flatnonzero(np.isfinite(elapsed))
        tracked = track(agents, rows[known], self.plans, elapsed[known], settings)
        state = planner_input(agents, rows, self.references, settings, known, tracked)
        state = replace(state, preferences=self._preferences.rows(rows))
        return self._planner.plan(state, field, self._planner.were_blocked(self.plans)[rows])

    def _put_plans(self, rows: Int64, plans: Plans, time: float) -> None:
        """Let some people follow new plans."""
        self.plans.put(rows, plans)
        self._planned_for.put(rows, Wants.of(self.agents, rows))
        self._planned_at[rows], self._holds[rows] = time, ~plans.collides

    def change_routes(self, rows: Int64, paths: Sequence[AnyPath], time: float) -> None:
        """Give people with routes of their own new ones, and plan along them in the next `replan`.

        Args:
            rows: int64 (R,), who.
            paths: of each, from the position to the goal.
            time: [s].
        """
        if len(rows) == 0:
            return
        agents = self.agents
        self.standing.settled[rows] = False
        agents.path[rows] = self.detours.end_detours(agents, rows)
        tables = list(self.references.tables)
        for row, table in zip(rows, paths, strict=True):
            tables[agents.path[row]] = table  # nobody else is on it
        self._set_references(ReferenceSet(tables, self.references))
        agents.end[rows] = self.references.lengths[agents.path[rows]]
        agents.s[rows], agents.d[rows] = self.references.to_frenet(
            agents.path[rows], agents.position[rows], np.zeros(len(rows))
        )
        self._planned_at[rows] = -np.inf
        self.begin_planning(rows, time)

    def add_paths(self, like: Int64) -> Int64:
        """Add a path for each of some people, for the time being like the one they are on, and return their numbers."""
        first = len(self.references)
        if len(like):
            tables = self.references.tables
            self._set_references(ReferenceSet([*tables, *(tables[path] for path in like.tolist())], self.references))
        return first + np.arange(len(like))

    def follow_path(self, rows: Int64, paths: Int64, near: Float64, offset: Float64, time: float) -> None:
        """Let people follow a drawn route, and plan along it in the next `replan`; their goal and end are set already.

        Args:
            rows: int64 (R,), who.
            paths: int64 (R,), the path of each.
            near: float64 (R,), roughly where they are on it [m].
            offset: of each one's own line [m].
            time: [s].
        """
        agents = self.agents
        self.detours.end_detours(agents, rows)
        self.standing.settled[rows] = False
        agents.path[rows], agents.wanted_offset[rows] = paths, offset
        agents.s[rows], agents.d[rows] = self.references.to_frenet(paths, agents.position[rows], near)
        self._planned_at[rows] = -np.inf
        self._aims.clear_aims(rows)
        self.begin_planning(rows, time)

    def update_detours(self, time: float, ground: StaticGround, queues: Bool) -> None:
        """Start detours of people who have been blocked for long, and end those of people who have rejoined.

        Args:
            time: [s].
            ground: the obstacles that stand now.
            queues: bool (A,), who waits for others at a door or a narrow passage.
        """
        agents = self.agents
        self.detours.rejoin_routes(agents, self.references)
        walking = ((agents.status == WALKING) & ~self._begins).nonzero()[0]
        # Beside the end of a route nobody is lost: wherever others leave room, there they arrive.
        self.standing.settle(agents, walking, self.detours.left_of_route(agents, walking, self.references), time)
        arrives = self.standing.arrive(agents, walking)
        sees = self._aims.known[walking] | ~agents.have_goals(walking)
        lost = self.detours.are_lost(agents, walking, self.references, sees) & ~(arrives & sees)
        idle, stops = self._is_idle(walking), self._is_blocked(walking)
        impatient = self.detours.are_impatient(walking, stops, time)
        # People see from afar that others who stand block their path; those with routes of their own bypass them.
        held_up = self.standing.hold_up[walking] & ~agents.have_goals(walking) & ~agents.waits[walking] & ~arrives
        asked, alone = lost | idle | stops | held_up, np.zeros(len(walking), dtype=bool)
        if not asked.any():
            nobody = walking[:0], walking[:0]
            self.detours.start_detours(agents, nobody, time, self.references, ground, ground.field)
            return
        alone[asked] = are_alone(agents, walking[asked], self.settings.company)
        # In a throng those with routes of their own, and all at a door, wait for others: no obstacle holds them up.
        waiting = (agents.have_goals(walking) | queues[walking]) & ~alone & ~impatient
        # Who arrives among people who stand has nothing to go round, only to come to.
        waiting |= self.standing.walks_through[walking] & arrives & ~lost
        may_ask = ~waiting & ~self._aims.clear[walking]
        stuck = (lost | stops | (idle & alone)) & may_ask
        blocked, early = walking[stuck], walking[held_up & may_ask & ~stuck]
        who, field = (early, blocked[~agents.waits[blocked]]), self.standing.added_to(ground.field)
        paths, in_vain = self.detours.start_detours(agents, who, time, self.references, ground, field)
        self.standing.let_walk_through(np.array(in_vain, dtype=np.int64), time)
        unplanned = blocked[self.detours.on_detour[blocked] & self._aims.known[blocked]]
        self._aims.clear_aims(unplanned)
        self._next_plan[unplanned] = time
        if paths is not self.references:
            self._set_references(paths)

    def _set_references(self, references: ReferenceSet) -> None:
        """Plan along other reference paths from now on."""
        self.references = self.plans.references = references
        self._planner = FrenetPlanner(references, self.settings.planner)

    def preferred_velocity(
        self, rows: Int64, time: float, ground: StaticGround, progress: Float64
    ) -> tuple[Float64, NDArray[np.int8]]:
        """Return preferred velocities of some people, and what they are doing.

        The velocity leads towards the aim, or along the plan and back onto it.

        Args:
            rows: int64 (R,), the people present.
            time: [s].
            ground: the obstacles that stand now.
            progress: float64 (A,), the share of what each wants that others have left them lately.

        Returns:
            float64 (R, 2) [m/s], and int8 (R,), a `Doing` each.
        """
        agents, settings = self.agents, self.settings
        preferred = np.zeros((len(rows), 2))
        aiming = self._is_aiming(rows)
        aims = rows[aiming]
        preferred[aiming] = self._aims.preferred_velocity(
            agents, aims, self._preferences.comfortable_deceleration[aims], settings.look_ahead
        )
        planned = (agents.status[rows] == WALKING) & ~aiming
        if planned.any():
            preferred[planned] = self._velocity_on_plan(rows[planned], time, progress[rows[planned]])
            on_line = (planned & ~self.detours.on_detour[rows]).nonzero()[0]
            preferred[on_line] = return_to_line(
                agents, rows[on_line], preferred[on_line], self.references, ground.field, settings.guidance.returning
            )
        blocked = self._is_blocked(rows)
        on_detour = blocked & self.detours.on_detour[rows]
        aside = blocked & ~on_detour & ~agents.waits[rows] & ~self.standing.hold_up[rows]
        if aside.any():
            field = self.standing.added_to(ground.field)
            preferred[aside] = step_aside(agents, rows[aside], self.references, field, settings.guidance.sidestep)
        if on_detour.any():
            preferred[on_detour] = follow_line(agents, rows[on_detour], self.references, settings.guidance.detours)
        at_end = planned & (agents.s[rows] >= agents.end[rows] - ARRIVAL_DISTANCE) & ~agents.leaves[rows]
        if at_end.any():
            preferred[at_end] = last_steps(agents, rows[at_end], preferred[at_end], settings.guidance.last_steps_speed)
        most = settings.catching_up * agents.pace[rows] / np.maximum(length(preferred), 1e-9)
        preferred *= np.minimum(1.0, most)[:, None]
        return preferred, self._doing(rows, preferred, aside)

    def _doing(self, rows: Int64, preferred: Float64, aside: Bool) -> NDArray[np.int8]:
        """Return int8 (R,), a `Doing` each, given preferred velocities and who searches a free offset: `aside`."""
        agents, detours = self.agents, self.detours
        doing = np.full(len(rows), Doing.WALKING, dtype=np.int8)
        stands = length2(preferred) < self.settings.standing_speed**2
        doing[stands] = Doing.STANDING
        doing[detours.on_detour[rows]] = Doing.ON_DETOUR
        doing[aside] = np.where(stands[aside], Doing.WAITING, Doing.SIDE_STEPPING)
        slow = self.is_slow(rows)
        doing[slow & agents.waits[rows]] = Doing.WAITING
        stopped = slow & detours.without_detour[rows]
        if stopped.any():
            without_route = np.isin(rows, [*detours.no_route, *detours.narrow_gap])
            doing[stopped] = np.where(without_route[stopped], Doing.NO_ROUTE, Doing.WAITING)
        doing[agents.status[rows] == ARRIVED] = Doing.ARRIVED
        doing[agents.refused[rows]] = Doing.NO_ROUTE
        return doing

    def _velocity_on_plan(self, rows: Int64, time: float, left: Float64) -> Float64:
        """Return float64 (R, 2), the velocity of the plan, corrected towards the planned position [m/s].

        Who is held up follows from the share that others have `left` each, float64 (R,). A straight line to a later
        position of the plan would cut every bend: by 26 cm at a radius of 1.5 m.
        """
        soon = 0.5 * self.settings.decision_interval  # the velocity is held so long: that of its middle counts
        then = time + self.agents.delay[rows]  # positions of bodies with a delay are predicted for then
        place, velocity, *_ = self.plans.at(rows, then - self._planned_at[rows] + soon)
        off = place - soon * velocity - self.agents.position.take(rows, 0)
        wish = velocity + off / self.settings.look_ahead
        settings, speed = self.settings.guidance.path_tracking, length(self.agents.velocity.take(rows, 0))
        held = self._held[rows] | (left < settings.held_progress)
        held &= (speed < settings.held_share * self.agents.pace[rows]) & ~self.plans.collides[rows]
        held &= ~self.agents.rolls[rows]
        if held.any():
            wish[held] = self._resumed(rows[held], then[held])
        self._held[rows] = held
        return wish

    def _resumed(self, rows: Int64, time: Float64) -> Float64:
        """Return float64 (R, 2), velocities of people held up by others, as their plans are a little later [m/s].

        A plan begins with the present velocity: who followed it would want to walk no faster than others let them.
        """
        later = time - self._planned_at[rows] + self.settings.guidance.path_tracking.resuming_time
        place, velocity, *_ = self.plans.at(rows, later)
        to_place = place - self.agents.position.take(rows, 0)
        return to_place * (length(velocity) / np.maximum(length(to_place), 1e-9))[:, None]

    def is_slow(self, rows: Int64) -> Bool:
        """Return bool (R,), whether each stands or nearly stands."""
        return length(self.agents.velocity.take(rows, 0)) < self.settings.blocked_speed

    def _is_blocked(self, rows: Int64) -> Bool:
        """Return bool (R,), whether each stands or nearly stands because every plan hits an obstacle."""
        blocked = self.plans.collides[rows] & ~self._aims.known[rows]
        if not blocked.any():
            return blocked
        return blocked & self.is_slow(rows) & (self.agents.status[rows] == WALKING)

    def _is_aiming(self, rows: Int64) -> Bool:
        """Return bool (R,), whether each walks straight towards an aim."""
        return self._aims.known[rows] & (self.agents.status[rows] == WALKING) & ~self.detours.on_detour[rows]

    def _is_idle(self, rows: Int64) -> Bool:
        """Return bool (R,), whether each hardly moves, away from the end of the path."""
        agents = self.agents
        slow = length(agents.velocity[rows]) < self.settings.idle_speed
        return slow & (agents.s[rows] < agents.end[rows] - 2 * ARRIVAL_DISTANCE)
