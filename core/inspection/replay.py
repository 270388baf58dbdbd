# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded scene read back: where everybody was at a frame, what they were doing, and what can be drawn about it.

Why somebody moved is read from the record alone. What is computed here again, candidates of a plan and half-planes,
starts from recorded places, velocities and wishes, and is meant for drawings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..array_types import Bool, Float64
from ..geometry.reproducible_math import arctan2, dot, heading_vector, length
from ..planning import FrenetPlanner, PlannerInput, ReferenceSet
from ..scene import HUMAN_LIKE, ORCA, POWER_LAW, Scene
from ..simulation.behaviours.door_queues import DoorQueues
from ..simulation.guidance.path_tracking import planner_input
from ..simulation.pedestrians.avoidance import Avoidance, Exempt
from ..simulation.places.bystanders import BystanderSpots
from ..simulation.population.personal_routes import Travellers, find_routes_or_wait
from ..simulation.population.population import PeopleAtStart
from ..simulation.settings import SimulationSettings
from ..simulation.world.agents import ARRIVAL_DISTANCE, OUTSIDE, WALKING, Agents
from ..simulation.world.doing import Doing
from ..simulation.world.environment import Environment
from ..simulation.world.static_ground import StaticGround
from ..steering.half_planes import OBSTACLE, HalfPlanes
from ..steering.human_like import Headings
from ..steering.power_law import ContactTimes
from ..trajectories import Reasons


@dataclass(frozen=True)
class ReplaySettings:
    """How a recorded scene is read; chosen by trial on the example scenes.

    Attributes:
        largest_deviation: an agent farther beyond the width of its first path has been rerouted [m].
        standing_speed: below it the heading is held [m/s].
        route_length: longest route ahead [m].
        route_spacing: distance between its points [m].
        remembered: how people have walked for so many times `AvoidanceSettings.progress_time` tells their progress.
        gain: who gains speed faster than this share of `SimulationSettings.max_acceleration` only starts: others do not
            hold them up.
    """

    largest_deviation: float = 2.0
    standing_speed: float = 0.05
    route_length: float = 200.0
    route_spacing: float = 0.2
    remembered: float = 4.0
    gain: float = 0.5


REPLAY = ReplaySettings()


@dataclass(frozen=True, eq=False)
class Moment:
    """Everybody at one frame; A agents, rows of absent agents are NaN.

    Attributes:
        frame: its number.
        time: since the first frame [s].
        present: bool (A,).
        position: float64 (A, 3) [m].
        velocity: float64 (A, 2), since the frame before [m/s].
        heading: float64 (A,), the direction of walking, held while standing [rad].
    """

    frame: int
    time: float
    present: Bool
    position: Float64
    velocity: Float64
    heading: Float64


@dataclass(frozen=True, eq=False)
class Steering:
    """What can be drawn about how one agent avoids others.

    Attributes:
        wanted: float64 (2,), preferred velocity as recorded [m/s]; None where nothing is recorded.
        taken: float64 (2,), velocity since the frame before, as recorded [m/s].
        planes: half-planes of velocities, with the numbers of those avoided; None for agents that choose headings.
        headings: which ones, how long they are free and what they cost; None for agents that use half-planes.
        contacts: whom the wish would lead into, and when; None for agents that do not decide by it.
    """

    wanted: Float64 | None
    taken: Float64
    planes: HalfPlanes | None = None
    headings: Headings | None = None
    contacts: ContactTimes | None = None


class Replay:
    """Everybody of a scene, as recorded.

    Args:
        scene: what was simulated.
        position: float64 (F, A, 3), all frames of the scene, agents in the order of `Trajectories`; NaN where absent
            or unknown [m].
        reasons: what they were doing and why, for the same frames and agents; None where it is not recorded.
        settings: those of the simulation.

    Attributes:
        scene: what was simulated.
        position: float64 (F, A, 3), as given [m].
        reasons: as given, or empty.
        agents: properties and goals of everybody, without positions.
        references: their paths, without detours.
        planner: makes plans on these paths.

    Raises:
        SceneError: the scene cannot be simulated.
    """

    def __init__(
        self,
        scene: Scene,
        position: Float64,
        reasons: Reasons | None = None,
        settings: SimulationSettings | None = None,
    ) -> None:
        self.scene = scene
        self.position = position
        self.reasons = Reasons.none(*position.shape[:2]) if reasons is None else reasons
        self._settings = settings or SimulationSettings()
        self._environment = Environment(scene)
        spots = BystanderSpots(self._environment, self._settings)
        people = PeopleAtStart(scene, self._environment, self._settings, spots.find)
        spots.stand(people)
        self.agents, self.references, self._preferences = people.agents, people.references, people.preferences
        if position.shape != (scene.frames[1] - scene.frames[0] + 1, len(self.agents), 3):
            raise ValueError(f"{position.shape} positions for {len(self.agents)} agents over frames {scene.frames}")
        if self.reasons.doing.shape != position.shape[:2]:
            raise ValueError(f"{self.reasons.doing.shape} reasons for {position.shape} positions")
        self.planner = FrenetPlanner(self.references, self._settings.planner)
        self._heading = _headings(position[..., :2], scene.fps)

    def moment(self, frame: int) -> Moment:
        """Everybody at a frame; before the first and after the last as there."""
        first, last = self.scene.frames
        row = min(max(frame, first), last) - first
        position = self.position[row]
        return Moment(
            frame=row + first,
            time=row / self.scene.fps,
            present=np.isfinite(position[:, 0]),
            position=position,
            velocity=self._velocity(row),
            heading=self._heading[row],
        )

    def still(self, moment: Moment) -> StaticGround:
        """Obstacles that stand still over the planning horizon."""
        return self._environment.still_at(moment.time)

    def is_closed(self, points: Float64, moment: Moment) -> Bool:
        """Bool (N,), which of points (N, 2) lie in obstacles or heroes at a moment."""
        return ~self._environment.is_free(points, 0.0, moment.time)

    def along(self, agent: int, frame: int) -> tuple[float, float]:
        """Position s, d on the reference path of an agent, followed from where it entered [m]; NaN if absent."""
        s, d = self._followed
        row = min(max(frame, self.scene.frames[0]), self.scene.frames[1]) - self.scene.frames[0]
        return float(s[row, agent]), float(d[row, agent])

    def has_arrived(self, agent: int, moment: Moment) -> bool:
        """Whether an agent has reached its goal, and so does not plan any more."""
        agents = self.agents
        reach = max(ARRIVAL_DISTANCE, float(agents.radius[agent]))
        if np.isfinite(agents.goal[agent, 0]):
            return bool(np.hypot(*(moment.position[agent, :2] - agents.goal[agent])) <= reach)
        return bool(self.along(agent, moment.frame)[0] >= agents.end[agent] - reach)

    def has_left_path(self, agent: int, moment: Moment) -> bool:
        """Whether an agent is so far from its first path that it must have been rerouted."""
        path = self.agents.path[agent]
        _, beside = self.along(agent, moment.frame)
        return not abs(beside) <= self.references.half_widths[path] + REPLAY.largest_deviation

    def planner_input(self, agent: int, moment: Moment) -> PlannerInput:
        """The planner's input for one present agent, as for one that was pushed off its last plan."""
        rows, now = np.array([agent]), self._agents_at(moment)
        wants = planner_input(now, rows, self.references)
        return replace(wants, preferences=self._preferences.rows(rows))

    def way_ahead(self, agent: int, moment: Moment) -> tuple[Float64, Float64, Float64] | str:
        """The route ahead of a present agent: as drawn, or as the map leads to its goal now.

        Args:
            agent: its number.
            moment: the frame.

        Returns:
            The line, and the limits of the body's centre on the left and right, float64 (P, 2) each [m]; or the reason
            why there is no route.
        """
        agents, rows = self.agents, np.array([agent])
        path, begin, references = int(agents.path[agent]), self.along(agent, moment.frame)[0], self.references
        end = float(agents.end[agent])
        if np.isfinite(agents.goal[agent, 0]):
            horizon = self._settings.planning_horizon
            who = Travellers(
                moment.position[rows, :2],
                agents.goal[rows],
                agents.radius[rows],
                agents.lane[rows],
                reach=agents.reach[rows],
            )
            passages = self._environment.passages_at(moment.time, horizon)
            routes, _ = find_routes_or_wait(who, passages, self._environment.for_good(moment.time, horizon))
            if routes.reasons[0] is not None:
                return str(routes.reasons[0])
            references = ReferenceSet(routes.walkable([0]))
            path, begin, end = 0, 0.0, float(references.lengths[0])
        end = min(end, begin + REPLAY.route_length)  # a closed path has no end
        s = np.linspace(begin, max(end, begin), max(2, int((end - begin) / REPLAY.route_spacing) + 1))
        whose = np.full(len(s), path)
        right, left = references.free_width(whose, s)
        radius = float(agents.radius[agent])
        beside = (np.zeros(len(s)), np.maximum(left - radius, 0.0), -np.maximum(right - radius, 0.0))
        line, to_left, to_right = (references.to_cartesian(whose, s, d) for d in beside)
        return line, to_left, to_right

    def fastest(self, agent: int) -> float:
        """Largest speed of an agent, when it makes way [m/s]."""
        return float(self._settings.haste * self.agents.wanted_speed[agent])

    def steering(self, agent: int, moment: Moment) -> Steering:
        """What can be drawn about how one agent who is present avoids others."""
        now, settings = self._agents_at(moment), self._settings
        away = np.hypot(*(now.position - now.position[agent]).T)
        rows = np.flatnonzero(moment.present & (away <= max(0.0, settings.avoidance.reach)))
        own = int(np.searchsorted(rows, agent))
        interval = 1.0 / self.scene.fps
        dt = interval / settings.steps_within(interval)
        dt *= settings.steps_between_decisions(dt)
        wish = self.reasons.wish[moment.frame - self.scene.frames[0]].astype(np.float64)
        wanted = wish[agent] if np.isfinite(wish[agent, 0]) else None
        taken = moment.velocity[agent]
        wishes = np.where(np.isfinite(wish[rows]), wish[rows], now.velocity[rows])
        avoidance = self._avoidance(now, moment)
        model = avoidance.model_of(rows, own, moment.time)
        if model == HUMAN_LIKE:
            return Steering(
                wanted, taken, headings=avoidance.headings(rows, own, wishes, moment.time, dt, self.references)
            )
        numbers = np.append(rows, np.full(len(self._environment.heroes), OBSTACLE))  # heroes are no agents
        if model == POWER_LAW:
            contacts = avoidance.contact_times(rows, own, wishes, moment.time, dt, self.references)
            return Steering(wanted, taken, contacts=contacts._replace(other=numbers[contacts.other]))
        if model != ORCA:
            return Steering(wanted, taken)
        planes = avoidance.half_planes(rows, own, wishes, moment.time, dt, self.references)
        met = np.where(planes.other == OBSTACLE, OBSTACLE, numbers[planes.other])
        return Steering(wanted, taken, planes=HalfPlanes(planes.point, planes.direction, met))

    def _avoidance(self, now: Agents, moment: Moment) -> Avoidance:
        """How people avoid each other at a moment: before doors and on detours they turn to no side."""
        settings, present = self._settings, np.flatnonzero(moment.present)
        on_detour = self.reasons.doing[moment.frame - self.scene.frames[0]] == Doing.ON_DETOUR
        queues = DoorQueues(now.wanted_speed, settings.behaviours, on_detour)
        queues.look(now, present, self.references, self.still(moment).field)
        exempt = Exempt(np.zeros(len(now), dtype=bool), on_detour)
        avoidance = Avoidance(now, self._environment, settings, "numpy", door_queues=queues, exempt=exempt)
        row, everybody = moment.frame - self.scene.frames[0], np.arange(len(now))
        remembered = round(REPLAY.remembered * settings.avoidance.progress_time * self.scene.fps)
        for before in range(max(0, row - remembered), row):
            wish = np.nan_to_num(self.reasons.wish[before]).astype(np.float64)
            velocity = np.nan_to_num(self._velocity(before))
            # The first velocity is the second, too: nobody was there before.
            gained = velocity - np.nan_to_num(self._velocity(before - 1)) if before > 1 else velocity
            gains = dot(gained, wish) * self.scene.fps > REPLAY.gain * settings.max_acceleration * length(wish)
            taken = np.where(gains[:, None], wish, velocity)
            avoidance.progress.note(everybody, wish, taken, 1.0 / self.scene.fps)
        return avoidance

    def _agents_at(self, moment: Moment) -> Agents:
        """Everybody where they were and as fast as they were; their pace is the speed of their recorded wish."""
        row = moment.frame - self.scene.frames[0]
        s, d = self._followed
        pace = np.sqrt((self.reasons.wish[row].astype(np.float64) ** 2).sum(axis=1))
        return replace(
            self.agents,
            status=np.where(moment.present, WALKING, OUTSIDE).astype(np.int8),
            position=moment.position[:, :2],
            velocity=np.nan_to_num(moment.velocity),
            heading=moment.heading,
            s=s[row],
            d=d[row],
            pace=np.where(np.isfinite(pace), pace, self.agents.wanted_speed),
        )

    def _velocity(self, row: int) -> Float64:
        """Float64 (A, 2), since the frame before, or to the next one for agents that have just entered [m/s]."""
        position = self.position[..., :2]
        now = position[row]
        since = now - position[row - 1] if row else np.full_like(now, np.nan)
        until = position[row + 1] - now if row + 1 < len(position) else np.full_like(now, np.nan)
        way = np.where(np.isfinite(since), since, np.where(np.isfinite(until), until, 0.0))
        return np.where(np.isfinite(now), way * self.scene.fps, np.nan)

    @cached_property
    def _followed(self) -> tuple[Float64, Float64]:
        """Float64 (F, A) s and d: each position is searched near the last one, frame by frame."""
        position = self.position[..., :2]
        s, d = np.full(position.shape[:2], np.nan), np.full(position.shape[:2], np.nan)
        near, path = self.agents.s.copy(), self.agents.path
        last = np.full(position.shape[1:], np.nan)
        for row, now in enumerate(position):
            here = np.flatnonzero(np.isfinite(now[:, 0]))
            heading, _ = self.references.heading(path[here], near[here])
            moved = np.nan_to_num(now[here] - last[here])
            near[here] += (moved * heading_vector(heading)).sum(axis=1)
            near[here], d[row, here] = self.references.to_frenet(path[here], now[here], near[here])
            s[row, here] = near[here]
            last[here] = now[here]
        return s, d


def _headings(position: Float64, fps: float) -> Float64:
    """Float64 (F, A), direction from frame to frame, held below the standing speed [rad]; NaN where absent."""
    if len(position) < 2:
        return np.where(np.isfinite(position[..., 0]), 0.0, np.nan)
    way = np.diff(position, axis=0, prepend=2 * position[:1] - position[1:2])
    moves = np.hypot(way[..., 0], way[..., 1]) * fps > REPLAY.standing_speed  # False where unknown
    rows = np.where(moves, np.arange(len(way))[:, None], 0)
    last = np.maximum.accumulate(rows, axis=0)
    first = np.argmax(moves, axis=0)
    last = np.where(last < first, first, last)
    chosen = np.take_along_axis(np.nan_to_num(way), last[..., None], axis=0)
    return np.where(np.isfinite(position[..., 0]), arctan2(chosen[..., 1], chosen[..., 0]), np.nan)
