# SPDX-License-Identifier: GPL-3.0-or-later
"""The people of a scene, and their time step.

reference path -> Frenet plan -> preferred velocity -> behaviours -> avoidance, decided a few times a second; between
decisions bodies carry out the last one, as `movement/movement.py` says, and are projected back to (s, d).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import length
from ...geometry.segments import contains
from ...scene import FLOW, Crowd, Scene
from ..behaviours.behaviour import Behaviour, Step
from ..behaviours.density_speed import DensitySpeed
from ..behaviours.dodging import Dodging
from ..behaviours.door_queues import DoorQueues
from ..behaviours.group_formation import GroupFormation
from ..behaviours.jams import Jams
from ..behaviours.making_way import MakingWay
from ..behaviours.narrow_passages import NarrowPassages
from ..behaviours.overtaking import Overtaking
from ..behaviours.slope_speed import SlopeSpeed
from ..guidance.guidance import Guidance
from ..guidance.rerouting import Rerouting
from ..movement.movement import Intents, Movement
from ..places.bystander_activities import Bystanders
from ..places.bystanders import BystanderSpots
from ..population.population import PeopleAtStart
from ..settings import SimulationSettings
from ..world.activities import ShownActivities
from ..world.agents import ARRIVAL_DISTANCE, ARRIVED, BYSTANDING, GONE, WALKING, PeopleOnFoot
from ..world.doing import NOBODY, Decisions, Doing
from ..world.environment import Environment
from ..world.static_ground import StaticGround
from .avoidance import Avoidance, Exempt
from .avoidance_reasons import record_avoidance
from .closures import Closures
from .entrances import Entrances, move_out_of_walls, stop_before_collisions
from .headway import keep_headway
from .lives import Lives, move_bystanders
from .notices import explain_refusals, report_bends, report_blocked_people
from .path_edges import keep_within_edges
from .setting_off import SettingOff
from .stepping import Stepping


class Pedestrians:
    """All people.

    Args:
        scene: of the people.
        environment: obstacles, heroes and vehicles.
        settings: of the simulation.
        backend: name of the kernels.

    Raises:
        SceneError: something that the scene asks for is not possible, or not in this version.

    Attributes:
        agents: all people.
        behaviours: change their preferred velocities, in this order.
        decisions: of all people, in the last time step; before it, to walk as they start.
    """

    def __init__(self, scene: Scene, environment: Environment, settings: SimulationSettings, backend: str) -> None:
        self._environment, self.settings = environment, settings
        spots, changes = BystanderSpots(environment, settings), settings.behaviours
        people = PeopleAtStart(scene, environment, settings, spots.find)
        crowds, self.agents, self._unplaced = people.crowds, people.agents, people.refused
        self._guidance = Guidance(self.agents, people.references, people.preferences, settings)
        self._rerouting = Rerouting(self.agents, environment, settings)
        self._bystanders = Bystanders(people, spots.stand(people), settings.stops)
        environment.bystanders = self._bystanders.bodies
        self._notices = [*people.notices, *report_bends(people, settings.pedestrians.notices)]
        self._lives = Lives.of(people, scene, environment, self._bystanders, self._guidance.references, settings)
        self._visits = None if self._lives is None else self._lives.visits
        self._door_queues = DoorQueues(self.agents.wanted_speed, changes, self._guidance.detours.on_detour)
        self._jams = Jams(len(self.agents), changes.jams, self._door_queues)
        self._dodging = Dodging(len(self.agents), changes.dodging, changes.recorded_change)
        self._entrances = Entrances(
            self.agents,
            flow=np.array([crowd.spawn.mode == FLOW for crowd in crowds], dtype=bool),
            headway=np.array([crowd.spawn.headway for crowd in crowds], dtype=np.float64),
            gap=settings.pedestrians.entry_gap,
        )
        self.behaviours: tuple[Behaviour, ...] = (
            GroupFormation(changes.group_formation, settings.population.placement.group_gap, changes.recorded_change),
            SlopeSpeed(changes.slope_speed),
            DensitySpeed(changes.density_speed, self._door_queues, changes.recorded_change),
            self._door_queues,
            self._jams,
            NarrowPassages(len(self.agents), self._jams, changes.narrow_passages),
            *(() if self._lives is None else self._lives.behaviours),
            SettingOff(self.agents),
            MakingWay(len(self.agents), self._guidance.standing, changes.making_way),
            self._dodging,
            Overtaking(changes.overtaking, self._door_queues),
        )
        self._avoidance = Avoidance(
            self.agents,
            environment,
            settings,
            backend,
            herds=[crowd.flocking for crowd in crowds],
            door_queues=self._door_queues,
            exempt=Exempt(self._guidance.standing.walks_through, self._guidance.detours.on_detour),
        )
        self._goal_areas = people.goal_areas
        self._stepping = Stepping(len(self.agents), settings.pedestrians.stepping)
        self._movement = Movement(self.agents, environment, settings)
        self._steps_decided = self._decides_after = 1  # steps since people decided, and until they decide anew
        self.decisions = Decisions.none(len(self.agents))
        self._start(crowds)

    def __len__(self) -> int:
        return len(self.agents)

    def use_backend(self, backend: str) -> None:
        """Use the kernels of another backend from now on; the result is the same."""
        self._avoidance.use_backend(backend)

    def _start(self, crowds: Sequence[Crowd]) -> None:
        """Place the people who are present at the first frame."""
        ground = self._environment.still_at(0.0)
        entered = self._entrances.enter(self.agents, 0.0, self._environment)
        least, world = self.settings.pedestrians.reported_displacement, self._environment
        moved = move_out_of_walls(self.agents, entered, self._guidance.references, world, least)
        for number, crowd in enumerate(crowds):
            if count := int((self.agents.crowd[moved] == number).sum()):
                inside = f"{count} of {crowd.count} were inside an obstacle and were moved out of it"
                self._notices.append(f"{crowd.name}: {inside}.")
        stop_before_collisions(self.agents, entered, self.settings)
        self._guidance.begin_planning(entered, 0.0)
        self._guidance.replan(0.0, ground)
        self._record_start(entered)

    def advance(self, time: float, dt: float) -> None:
        """Move all people by one time step [s]."""
        self._environment.bystanders = self._bystanders.bodies
        if self._steps_decided >= self._decides_after or self._movement.pushed:
            self._decides_after = self.settings.steps_between_decisions(dt)
            self._decide(time, self._steps_decided * dt)
            self._steps_decided = 0
        elif self._lives is not None:
            self._lives.move(self.agents, self._guidance.references, time)
        self._steps_decided += 1
        rows = self.agents.present.nonzero()[0]
        if len(rows):
            self._movement.advance(rows, self._guidance.references, time + dt, dt)
            self._update_status()

    def _decide(self, time: float, dt: float) -> None:
        """Let all people decide which velocities they take, as often as it is since they decided before [s]."""
        agents, settings, guidance = self.agents, self.settings, self._guidance
        ground = self._environment.still_at(time)
        self._find_routes(time, dt, ground)
        rows = agents.present.nonzero()[0]
        if len(rows) == 0:
            return
        delay, movement = self._movement.delay, self._movement
        delay.add_newcomers(agents)
        position, now = agents.position, agents.velocity
        with delay.predicted(agents, rows, movement.limits(rows, delay.dt) if delay.delays else {}):
            preferred, doing = guidance.preferred_velocity(rows, time, ground, self._avoidance.progress.share)
            self._record_stranded(rows, doing)
            paths, world = guidance.references, self._environment
            around = self._avoidance.look_around(rows, time, dt)
            step = Step(agents, rows, time, dt, paths, world, ground, preferred, doing, position, now, around)
            for behaviour in self.behaviours:
                behaviour.act(step)
        preferred, own, in_heroes_path = step.preferred, settings.pedestrians, step.around.in_heroes_path
        in_danger = in_heroes_path | self._dodging.in_danger[rows]
        agents.firm[rows] &= ~in_danger
        edges, progress = settings.avoidance.path_edges, self._avoidance.progress.share[rows]
        anywhere = in_danger | step.jammed | guidance.detours.on_detour[rows] | (progress < edges.least_progress)
        velocity = keep_within_edges(step, self._avoid(step), anywhere, guidance.plans.tables.d, edges)
        if (self._door_queues.insists[rows] & (length(now[rows]) < settings.avoidance.insistence_speed)).any():
            self._decides_after = 1  # who insists reacts to each step of the others
        record_avoidance(step, velocity, own.avoidance_reasons, settings.avoidance.side_distance)
        near_door = self._door_queues.distance[rows] < own.headway.door_distance
        hurries = in_danger | step.hurries | near_door
        at_door = ~in_danger & self._door_queues.close[rows]
        stops_soon = ~agents.leaves[rows] & (agents.end[rows] - agents.s[rows] < own.headway.end_distance)
        velocity = self._keep_headway(step, velocity, in_danger | stops_soon, near_door)
        self._avoidance.progress.note(rows, preferred, velocity, dt)
        # In the open people of all directions get past each other by small moves; so does the first row at a door.
        in_the_open = agents.have_goals(rows) & ~np.isfinite(self._door_queues.distance[rows])
        by_small_moves = in_the_open | self._door_queues.may_be_next(rows)
        velocity = self._stepping.stand_or_step(step, velocity, in_danger | by_small_moves | stops_soon)
        self.decisions.put(rows, Decisions(step.doing, step.because_of, preferred, agents.stop[rows]))
        # People who walk freely among others may have to be more abrupt than those who follow a line.
        pressed = agents.have_goals(rows) & np.logical_or(*(velocity != preferred).T)
        grip = np.where(pressed | in_heroes_path | step.hurries, np.inf, settings.grip)
        intents = Intents(velocity, preferred, step.along_path, grip, in_danger, hurries, at_door)
        movement.intents.put(rows, intents)

    def _keep_headway(self, step: Step, velocity: Float64, exempt: Bool, near_door: Bool) -> Float64:
        """Return velocities, float64 (R, 2), at which people keep their time gaps, but in throngs at doors [m/s]."""
        settings, rows = self.settings.pedestrians.headway, step.rows
        presses = self._door_queues.in_throng(rows, settings.door_distance, settings.throng)
        in_line = near_door | (step.agents.stop[rows] >= 0)
        in_line |= step.agents.pace[rows] < settings.sparse_pace * step.agents.wanted_speed[rows]
        return keep_headway(step, velocity, exempt | presses, in_line, settings)

    def _find_routes(self, time: float, dt: float, ground: StaticGround) -> None:
        """Let people choose routes, stops and detours, enter, and plan, at a time [s], for a step [s]."""
        guidance, heroes = self._guidance, self._environment.heroes_and_vehicles(time, dt)
        queued = None if self._lives is None else self._lives.visits.places_in_queues()
        guidance.standing.update(self.agents, time, heroes, self._bystanders.bodies, queued)
        changed = self._rerouting.find_new_routes(time, guidance.references, guidance.detours)
        guidance.change_routes(*changed, time)
        if self._lives is not None:
            self._lives.update(time, guidance)
        queues = self._door_queues.wait_for_others(self.agents) | self._jams.regulated
        guidance.update_detours(time, ground, queues)
        guidance.begin_planning(self._entrances.enter(self.agents, time, self._environment), time)
        guidance.replan(time, ground)

    def let_enter(self, time: float) -> None:
        """Let people enter at times of their own [s]: at the place where they start, before their first step."""
        entered = self._entrances.enter_at_own_time(self.agents, time, self._environment)
        if len(entered):
            ground = self._environment.still_at(time)
            self._guidance.begin_planning(entered, time)
            self._guidance.replan(time, ground)
            self._record_start(entered)

    def _avoid(self, step: Step) -> Float64:
        """Return float64 (R, 2), velocities without collision; bodies with a delay avoid predicted positions [m/s]."""
        rows, dt, delay = step.rows, step.dt, self._movement.delay
        if delay.delays:
            step.around = self._avoidance.look_around(rows, step.time, dt)
        velocity = self._avoidance.new_velocity(step, step.around, step.time)
        for steps in delay.delays:
            with delay.predicted(self.agents, rows, self._movement.limits(rows, delay.dt), steps):
                time = step.time + steps * delay.dt
                around = self._avoidance.look_around(rows, time, dt)
                then = self._avoidance.new_velocity(step, around, time)
            velocity = np.where(delay.have_delay(rows, steps)[:, None], then, velocity)
        return velocity

    def places(self, rows: Int64) -> Float64:
        """Return float64 (R, 3), where some people are shown, with the height of their paths [m]."""
        agents, height = self.agents, self._heights(rows)
        position = agents.position.take(rows, 0)
        if self.have_poses:  # the sum would turn -0.0 into 0.0
            position = position + agents.shown_beside[rows]
        return np.concatenate((position, height[:, None]), axis=1)

    @property
    def have_poses(self) -> bool:
        """Whether somebody may do something else than walk."""
        return self._visits is not None or len(self._bystanders.rows) + len(self._bystanders.left) > 0

    def show_bystanders(self, time: float) -> None:
        """Set what bystanders do at a time [s]."""
        if len(rows := self._bystanders.rows):
            self.decisions.put(rows, self._bystanders.show(self.agents, self._heights(rows), time))
        pace = self.settings.stops.bystanders.turn_rate, self._environment.clock.interval
        move_bystanders(self._bystanders, self.agents, self._guidance.references, self._movement.facing, *pace)

    def _heights(self, rows: Int64) -> Float64:
        """Return float64 (R,), the heights at which some people are shown [m]."""
        agents = self.agents
        height = self._guidance.references.height(agents.path[rows], agents.s[rows])
        return np.where(np.isfinite(agents.floor[rows]), agents.floor[rows], height)

    def poses(self, rows: Int64) -> ShownActivities:
        """Return what some people do besides walking."""
        agents = self.agents
        return ShownActivities(agents.activity[rows], agents.gaze[rows], agents.seat_height[rows])

    def facing(self, rows: Int64) -> Float64:
        """Return float64 (R,), the directions in which some people face [rad], unwrapped."""
        return self._movement.facing.directions(rows, self._guidance.references)

    def note_arrivals(self) -> Bool:
        """Note who is at the goal now, or has left there; return bool (A,), who has arrived."""
        agents, status = self.agents, self.agents.status
        agents.has_arrived |= ((status == ARRIVED) | (status == GONE) | (status == BYSTANDING)) & ~agents.refused
        rows = (agents.present & ~agents.has_arrived).nonzero()[0]
        agents.has_arrived[rows] = self._are_at_goal(rows)
        return agents.has_arrived

    def people(self, time: float) -> PeopleOnFoot:
        """Return all people at a time [s], heroes too, as vehicles consider them."""
        agents = self.agents
        rows = np.flatnonzero(agents.present)
        heroes = self._environment.heroes.at(time, self._environment.clock.interval)
        height = self._guidance.references.height(agents.path[rows], agents.s[rows])
        own = (agents.position.take(rows, 0), agents.velocity.take(rows, 0), agents.radius[rows], height)
        others = (*heroes, np.full(len(heroes.radius), np.nan))
        return PeopleOnFoot(*(np.concatenate(parts) for parts in zip(own, others, strict=True)))

    def time_ahead(self, time: float) -> Float64:
        """Return float64 (A,), from a time on, how long each needs for its present path at its wanted speed and stops.

        In seconds. The path may have changed on the way. NaN: not known, as that for the whole path.
        """
        agents = self.agents
        rest = np.maximum(self._guidance.references.lengths[agents.path] - agents.s, 0.0)
        ahead = rest / np.maximum(agents.wanted_speed, 1e-9) + np.maximum(agents.sets_off - time, 0.0)
        ahead += 0.0 if self._visits is None else self._visits.time_ahead(time, self._guidance.references)
        return np.where(np.isfinite(agents.unhindered_time), ahead, np.nan)

    def notices(self, crowds: Sequence[Crowd], time: float) -> list[str]:
        """Return notices for the user about everything until a time [s], with the names of the crowds."""
        stranded = self._rerouting.stranded
        detours, closures = self._guidance.detours, self._closures(time)
        gap = self.settings.pedestrians.entry_gap
        blocked = report_blocked_people(crowds, self.agents, detours, closures, stranded, time, entry_gap=gap)
        jams = self._jams.report(
            self.agents,
            time,
            self._environment.clock.nearest_frame,
            lambda places, since: self._environment.closed_until(places, since, time),
        )
        missed = () if self._lives is None else self._lives.notices(time)
        return [*self._notices, *blocked, *jams, *missed]

    def refused(self, time: float) -> dict[int, str]:
        """Return the agents who have no route or no detour at a time [s], and why."""
        closures = self._closures(time)
        stranded = self._rerouting.stranded
        return explain_refusals(self.agents, self._guidance.detours, closures, stranded, self._unplaced)

    def _closures(self, time: float) -> Closures:
        """Return a search for the obstacles that block people at a time [s]."""
        ground = self._environment.still_at(time)
        settings = self.settings.pedestrians.closures
        return Closures(ground, self._guidance.detours, self._guidance.references, settings)

    def _record_start(self, rows: Int64) -> None:
        """Record for people present at the first frame, before any decision, that they walk or stand as they start."""
        sets_off = np.where(self.agents.sets_off[rows] > 0.0, Doing.NOT_SET_OFF, Doing.WALKING)
        doing = np.where(self.agents.refused[rows], Doing.NO_ROUTE, sets_off).astype(np.int8)
        nobody = np.full(len(rows), NOBODY, dtype=np.int64)
        self._movement.keep_velocities(rows)
        self.decisions.put(rows, Decisions(doing, nobody, self.agents.velocity.take(rows, 0), self.agents.stop[rows]))

    def _record_stranded(self, rows: Int64, doing: NDArray[np.int8]) -> None:
        """Record in `doing`, int8 (R,), who stands because no route leads to the goal any more."""
        stranded = self._rerouting.stranded
        if stranded:
            doing[self._guidance.is_slow(rows) & np.isin(rows, list(stranded))] = Doing.NO_ROUTE

    def _are_at_goal(self, rows: Int64) -> Bool:
        """Return bool (R,), who is at the goal: its place, its area, the end of the route or others there."""
        agents = self.agents
        if not len(rows):
            return np.zeros(0, dtype=bool)
        reach = np.maximum(ARRIVAL_DISTANCE, agents.radius[rows])
        to_goal = agents.position.take(rows, 0) - agents.goal.take(rows, 0)
        on_route = np.isnan(to_goal[:, 0])
        near = np.where(on_route, agents.s[rows] >= agents.end[rows] - reach, length(to_goal) <= reach)
        has_area = ~agents.redirected[rows] & ~near
        for crowd, outline in self._goal_areas:
            members = ((agents.crowd[rows] == crowd) & has_area).nonzero()[0]
            if len(members):
                near[members] = contains(outline, agents.position[rows[members]])
        return (near | self._guidance.standing.settled[rows]) & ~agents.visits[rows]

    def _update_status(self) -> None:
        """Set the status of people who leave at the end of the path, or who have come to rest at the goal."""
        agents, settled = self.agents, self._guidance.standing.settled
        walking = (agents.status == WALKING) & ~agents.visits
        agents.status[walking & agents.leaves & (agents.s >= agents.end)] = GONE
        agents.status[walking & ~agents.leaves & settled] = ARRIVED
        slow = walking & (length(agents.velocity) < self.settings.standing_speed)
        if not slow.any():
            return
        rest, turns = (slow & ~agents.leaves).nonzero()[0], (slow & agents.leaves).nonzero()[0]
        agents.status[rest[self._are_at_goal(rest)]] = ARRIVED
        # Who hardly has a way may turn about their goal without ever passing it.
        to_goal = agents.goal.take(turns, 0) - agents.position.take(turns, 0)
        agents.status[turns[length(to_goal) < ARRIVAL_DISTANCE]] = GONE
