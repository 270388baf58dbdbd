# SPDX-License-Identifier: GPL-3.0-or-later
"""The people of a scene: they come in, want to go somewhere, avoid, are limited, and move.

reference path -> Frenet plan -> preferred velocity -> avoidance -> limits -> integrate -> project back to (s, d)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...geometry.segments import contains
from ...scene import FLOW, Crowd, Scene
from ...steering import body_limits
from ...steering.neighbours import close_pairs
from ..behaviours.arrived_people import ArrivedPeople
from ..behaviours.behaviour import Behaviour, Step
from ..behaviours.density_speed import DensitySpeed
from ..behaviours.dodging import Dodging
from ..behaviours.door_queues import DoorQueues
from ..behaviours.group_formation import GroupFormation
from ..behaviours.narrow_passages import NarrowPassages
from ..behaviours.slope_speed import SlopeSpeed
from ..doing import NOBODY, Decisions, Doing
from ..guidance.guidance import Guidance
from ..guidance.path_tracking import project
from ..guidance.rerouting import Rerouting
from ..population.population import gather_people
from ..settings import SimulationSettings
from ..world.agents import ARRIVAL_DISTANCE, ARRIVED, GONE, WALKING, PeopleOnFoot
from ..world.environment import Environment
from .actuation_delay import LateBodies
from .avoidance import Avoidance
from .avoidance_reasons import note_avoidance
from .bend_notices import tell_of_bends
from .closures import Closures
from .entrances import Entrances
from .facing import Facing
from .notices import tell_of_the_missing, told_refusals
from .overlap_removal import push_apart

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


class Pedestrians:
    """Everybody on foot.

    Args:
        scene: whose people they are.
        environment: what stands and moves round them.
        settings: how the layers are put together.
        backend: name of the kernels.

    Raises:
        SceneError: something that the scene asks for is not possible, or not in this version.

    Attributes:
        agents: everybody.
        behaviours: what changes their preferred velocities, in this order.
        decisions: of everybody, in the last time step; before it, to walk as they start.
    """

    def __init__(self, scene: Scene, environment: Environment, settings: SimulationSettings, backend: str) -> None:
        self._environment, self.settings = environment, settings
        people = gather_people(scene, environment, settings)
        crowds, self.agents, self._never_set_out = people.crowds, people.agents, people.refused
        bends = tell_of_bends(crowds, self.agents, people.references, people.preferences)
        self._notices = [*people.notices, *bends]
        self._guidance = Guidance(self.agents, people.references, people.preferences, settings)
        self._rerouting = Rerouting(self.agents, environment, settings.planning_horizon)
        changes = settings.behaviours
        door_queues = DoorQueues(self.agents.wanted_speed, changes)
        self._narrow_passages = NarrowPassages(len(self.agents), changes.narrow_passages)
        self._dodging = Dodging(len(self.agents), changes.dodging)
        self.behaviours: tuple[Behaviour, ...] = (
            ArrivedPeople(changes.arrived_people),
            GroupFormation(changes.group_formation, changes.recorded_change),
            SlopeSpeed(scene, changes.slope_speed),
            DensitySpeed(changes.density_speed, changes.recorded_change),
            door_queues,
            self._narrow_passages,
            self._dodging,
        )
        self._avoidance = Avoidance(
            self.agents, environment, settings, backend, [crowd.flocking for crowd in crowds], door_queues
        )
        self._entrances = Entrances(
            self.agents,
            flow=np.array([crowd.spawn.mode == FLOW for crowd in crowds], dtype=bool),
            headway=np.array([crowd.spawn.headway for crowd in crowds], dtype=np.float64),
        )
        self._goal_areas = people.goal_areas
        self._facing = Facing(self.agents)
        interval = 1.0 / environment.fps
        self._late = LateBodies(self.agents, interval / settings.steps_within(interval))
        self.decisions = Decisions.none(len(self.agents))
        self._start(crowds)

    def __len__(self) -> int:
        return len(self.agents)

    def use(self, backend: str) -> None:
        """Take the kernels of another backend from now on; the result is the same."""
        self._avoidance.use(backend)

    def _start(self, crowds: Sequence[Crowd]) -> None:
        """Let in those who are there at the first frame."""
        still = self._environment.still_at(0.0, self.settings.planning_horizon)
        entered = self._entrances.enter(self.agents, 0.0, self._environment)
        self._move_out_of_walls(entered, crowds)
        self._begin_calmly(entered)
        self._guidance.begin(entered, 0.0, still)
        self._note_start(entered)

    def advance(self, time: float, dt: float) -> None:
        """Move everybody by one time step [s]."""
        agents, settings = self.agents, self.settings
        still = self._environment.still_at(time, settings.planning_horizon)
        self._guidance.take(*self._rerouting.look(time, self._guidance.references, self._guidance.detours), time, still)
        self._guidance.lead_round(time, still)
        self._guidance.begin(self._entrances.enter(agents, time, self._environment), time, still)
        self._guidance.replan(time, still)
        rows = np.flatnonzero(agents.present)
        if len(rows) == 0:
            return
        self._late.begin(agents)
        position, now = agents.position, agents.velocity
        with self._late.foreseen(agents, rows, self._able(rows, dt)):
            preferred, doing = self._guidance.preferred_velocity(rows, time, still)
            self._note_stranded(rows, doing)
            paths, world = self._guidance.references, self._environment
            step = Step(agents, rows, time, dt, paths, world, still, preferred, doing, position, now)
            for behaviour in self.behaviours:
                behaviour.act(step)
        preferred = step.preferred
        velocity = self._avoid(rows, preferred, time, dt)
        flees = self._avoidance.flees(rows, time)
        note_avoidance(step, velocity, flees, settings.pedestrians.avoidance_reasons)
        self.decisions.put(rows, Decisions(step.doing, step.because_of, preferred))
        # whoever finds a way through others may have to be abrupter than whoever follows a line
        pressed = np.isfinite(agents.goal[rows, 0]) & (velocity != preferred).any(axis=1)
        velocity = self._late.carried_out(rows, velocity)
        standing = (agents.status[rows] == ARRIVED) & ~flees & ~self._dodging.in_danger[rows]
        able = self._able(rows, dt, standing)
        rolls = agents.rolls[rows]
        if rolls.any():
            rolling = body_limits.roll_towards(agents.velocity[rows], agents.heading[rows], velocity, **able)
            agents.heading[rows] = np.where(rolls, rolling[1], agents.heading[rows])
            velocity = np.where(rolls[:, None], rolling[0], velocity)
        grip = np.where(pressed, np.inf, self.settings.grip)
        reached = body_limits.limit_velocity(agents.velocity[rows], velocity, **able, grip=grip)
        agents.velocity[rows] = np.where(rolls[:, None], velocity, reached)
        self._move(rows, time + dt, dt)
        self._see_who_is_done()

    def _avoid(self, rows: Int64, preferred: Float64, time: float, dt: float) -> Float64:
        """Return float64 (R, 2), velocities without collision; those who are late look at others after their delay."""
        velocity = self._avoidance.new_velocity(rows, preferred, time, dt)
        for delay in self._late.delays:
            with self._late.foreseen(self.agents, rows, self._able(rows, dt), delay):
                then = self._avoidance.new_velocity(rows, preferred, time + delay * dt, dt)
            velocity = np.where(self._late.of(rows, delay)[:, None], then, velocity)
        return velocity

    def _able(self, rows: Int64, dt: float, calm: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """What the bodies of some agents can do in a step [s], as `core.steering.body_limits` takes it."""
        settings = self.settings
        hardest, brakes = (
            np.full(len(rows), limit) for limit in (settings.max_acceleration, settings.max_deceleration)
        )
        if calm is not None:
            hardest[calm] = settings.calm_acceleration
            velocity = self.agents.velocity[rows]
            slow = np.sqrt((velocity * velocity).sum(axis=1)) < settings.standing_speed
            brakes[calm & slow] = settings.calm_acceleration  # the last of one's speed is not stamped out in a frame
        return {
            "max_acceleration": hardest,
            "max_deceleration": brakes,
            "max_turn_rate": settings.max_turn_rate,
            "dt": dt,
        }

    def places(self, rows: Int64) -> Float64:
        """Return float64 (R, 3), where some of them are, with the height of their paths [m]."""
        agents = self.agents
        height = self._guidance.references.height(agents.path[rows], agents.s[rows])
        return np.column_stack([agents.position[rows], height])

    def facing(self, rows: Int64) -> Float64:
        """Return float64 (R,), which way some of them face [rad], unwrapped."""
        return self._facing.of(rows, self._guidance.references)

    def arrived(self) -> NDArray[np.bool_]:
        """Return bool (A,), who is at the goal now, or has gone from there."""
        return (self.agents.present & self._at_goal()) | (self.agents.status == GONE)

    def people(self, time: float) -> PeopleOnFoot:
        """Return who is on foot now, heroes too, as vehicles see them at a time [s]."""
        agents = self.agents
        rows = np.flatnonzero(agents.present)
        heroes = self._environment.heroes.at(time, 1.0 / self._environment.fps)
        height = self._guidance.references.height(agents.path[rows], agents.s[rows])
        own = (agents.position[rows], agents.velocity[rows], agents.radius[rows], height)
        others = (*heroes, np.full(len(heroes.radius), np.nan))
        return PeopleOnFoot(*(np.concatenate(parts) for parts in zip(own, others, strict=True)))

    def notices(self, crowds: Sequence[Crowd], time: float) -> list[str]:
        """Return sentences for the user about all that was so until a time [s], with the names of the crowds."""
        stranded = self._rerouting.stranded
        detours, closures = self._guidance.detours, self._closures(time)
        missing = tell_of_the_missing(crowds, self.agents, detours, closures, stranded, time)
        first, fps = self._environment.first_frame, self._environment.fps
        blocks = self._narrow_passages.tell_of_blocks(
            self.agents,
            time,
            lambda moment: first + round(moment * fps),
            lambda places, since: self._environment.closed_until(places, since, time),
        )
        return [*self._notices, *missing, *blocks]

    def refused(self, time: float) -> dict[int, str]:
        """Return who has no way on any more at a time [s], and why."""
        closures = self._closures(time)
        stranded = self._rerouting.stranded
        return told_refusals(self.agents, self._guidance.detours, closures, stranded, self._never_set_out)

    def _closures(self, time: float) -> Closures:
        """What closes ways at a time [s]."""
        still = self._environment.still_at(time, self.settings.planning_horizon)
        return Closures(still, self._guidance.detours, self._guidance.references)

    def _note_start(self, rows: Int64) -> None:
        """Note for those who are there at the first frame, before the first decision, that they walk as they start."""
        doing = np.where(self.agents.refused[rows], Doing.NO_ROUTE, Doing.WALKING).astype(np.int8)
        nobody = np.full(len(rows), NOBODY, dtype=np.int64)
        self.decisions.put(rows, Decisions(doing, nobody, self.agents.velocity[rows]))

    def _note_stranded(self, rows: Int64, doing: NDArray[np.int8]) -> None:
        """Note in int8 (R,), what some are doing, who stands because no route leads to the goal any more."""
        stranded = self._rerouting.stranded
        if stranded:
            doing[self._guidance.is_slow(rows) & np.isin(rows, list(stranded))] = Doing.NO_ROUTE

    def _begin_calmly(self, rows: Int64) -> None:
        """Let those begin from standing who would run into each other before they could brake."""
        agents, settings = self.agents, self.settings
        position, velocity, radius = agents.position[rows], agents.velocity[rows], agents.radius[rows]
        speed = np.sqrt((velocity * velocity).sum(axis=1))
        hardest = min(settings.max_deceleration, settings.grip)
        braking = 0.5 * speed * speed / hardest + speed * settings.longest_step
        first, second = close_pairs(position, radius + braking).T
        apart = position[second] - position[first]
        closing = ((velocity[second] - velocity[first]) * apart).sum(axis=1) < 0.0
        both = np.concatenate((first[closing], second[closing]))
        agents.velocity[rows[both]] = 0.0

    def _move_out_of_walls(self, rows: Int64, crowds: Sequence[Crowd]) -> None:
        """Move those who were placed in an obstacle out of it before the first frame, and say so."""
        agents = self.agents
        before = agents.position[rows]
        agents.position[rows] = self._environment.push_out(before, agents.radius[rows], 0.0)
        moved = rows[
            np.sqrt(((agents.position[rows] - before) ** 2).sum(axis=1))
            > self.settings.pedestrians.reported_displacement
        ]
        for number, crowd in enumerate(crowds):
            count = int((agents.crowd[moved] == number).sum())
            if count:
                self._notices.append(
                    f"{crowd.name}: {count} of {crowd.count} were inside an obstacle and were moved out of it."
                )
        agents.s[moved], agents.d[moved] = self._guidance.references.to_frenet(
            agents.path[moved], agents.position[moved], agents.s[moved]
        )

    def _move(self, rows: Int64, time: float, dt: float) -> None:
        """Integrate, take bodies out of each other and out of walls, and find them again on their references."""
        agents = self.agents
        position = agents.position[rows] + agents.velocity[rows] * dt
        heroes = self._environment.heroes.at(time, dt)
        position = push_apart(
            np.concatenate([position, heroes.position]),
            np.concatenate([agents.radius[rows], heroes.radius]),
            movable=np.concatenate([agents.avoids[rows], np.zeros(len(heroes.radius), dtype=bool)]),
            dt=dt,
        )[: len(rows)]
        agents.position[rows] = self._environment.push_out(position, agents.radius[rows], time)
        sidles = (agents.status[rows] == ARRIVED) | self._narrow_passages.backs_out[rows]
        still_speed = np.where(sidles, self.settings.pedestrians.sidling_speed, self.settings.standing_speed)
        turning = {"max_turn_rate": self.settings.max_turn_rate, "dt": dt, "still_speed": still_speed}
        turned = body_limits.turn_towards(agents.heading[rows], agents.velocity[rows], **turning)
        agents.heading[rows] = np.where(agents.rolls[rows], agents.heading[rows], turned)
        walking = rows[agents.status[rows] == WALKING]
        project(agents, walking, self._guidance.references, dt)
        self._facing.turn(rows, self._guidance.references, **turning)

    def _at_goal(self) -> NDArray[np.bool_]:
        """Return bool (A,), who is within reach of the goal: its place, its area, or the end of the route."""
        agents = self.agents
        reach = np.maximum(ARRIVAL_DISTANCE, agents.radius)
        to_goal = agents.position - agents.goal
        on_route = np.isnan(to_goal[:, 0])
        near = np.where(on_route, agents.s >= agents.end - reach, np.sqrt((to_goal * to_goal).sum(axis=1)) <= reach)
        for crowd, outline in self._goal_areas:
            members = np.flatnonzero(agents.crowd == crowd)
            near[members] |= contains(outline, agents.position[members])
        return near

    def _see_who_is_done(self) -> None:
        """Let go those who have come to the end and leave, and let stand those who have come to rest there."""
        agents = self.agents
        walking = agents.status == WALKING
        agents.status[walking & agents.leaves & (agents.s >= agents.end)] = GONE
        resting = np.sqrt((agents.velocity**2).sum(axis=1)) < self.settings.standing_speed
        agents.status[walking & ~agents.leaves & resting & self._at_goal()] = ARRIVED
