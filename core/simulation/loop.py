# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation: plan, avoid, limit, move, frame by frame.

reference path -> Frenet plan -> preferred velocity -> avoidance -> limits -> integrate -> project back to (s, d)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..errors import Fault, SceneError
from ..geometry.segments import contains
from ..planning import FrenetPlanner, Plans
from ..scene import FLOW, Scene
from ..steering import choose_backend, limits, orca
from ..steering.neighbours import close_pairs
from ..trajectories import Trajectories
from .agents import ARRIVAL_DISTANCE, ARRIVED, GONE, WALKING
from .contacts import push_apart
from .detours import Detours, follow_line
from .entering import Entrances
from .notices import tell_of_the_missing
from .people import gather_people, goal_areas
from .settings import SimulationSettings
from .sidestep import step_aside
from .surroundings import Surroundings
from .tracking import planner_input, project
from .yielding import give_way

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Progress = Callable[[int, int], None]

BYTES_A_FRAME = 3 * 8 + 8 + 2 * 8 + 1
"""What one person takes in one frame of the trajectories."""

MOVED_OUT = 0.02
"""Who is moved out of an obstacle by more than this is mentioned [m]."""

MOST_BYTES = 16 * 2**30

SIDLING_SPEED = 0.4
"""Slower than this, those who make room do not turn to where they step [m/s]."""


class Simulation:
    """A scene in motion: `step` makes the next frame, until `done`.

    Args:
        scene: what the user asks for.
        backend: kernels to use, `auto`, `numpy` or `numba`.
        settings: how the layers are put together.

    Raises:
        SceneError: something in the scene is not possible, or not in this version.
        BackendError: the backend is not there.
    """

    def __init__(self, scene: Scene, *, backend: str = "auto", settings: SimulationSettings | None = None) -> None:
        self.scene = scene
        self.settings = settings or SimulationSettings()
        self._backend = choose_backend(backend)
        self._surroundings = Surroundings(scene)
        self.agents, self._references, self._notices = gather_people(scene, self._surroundings)
        self._planner = FrenetPlanner(self._references, self.settings.planner)
        count = len(self.agents)
        self._plans = Plans.empty(count, self._references)
        self._planned_at = np.full(count, -np.inf)
        self._next_plan = np.zeros(count)
        self._groups = max(1, count // self.settings.planned_together)
        self._detours = Detours(count)
        self._entrances = Entrances(
            self.agents,
            flow=np.array([crowd.spawn.mode == FLOW for crowd in scene.crowds], dtype=bool),
            headway=np.array([crowd.spawn.headway for crowd in scene.crowds], dtype=np.float64),
        )
        self._goal_areas = goal_areas(scene)
        self.frames = np.arange(scene.frames[0], scene.frames[1] + 1, dtype=np.int64)
        self._made = 0
        self._arrived_frame = np.full(count, -1, dtype=np.int64)
        _check_memory(len(self.frames), count)
        self._allocate(len(self.frames), count)
        self._start()

    @property
    def done(self) -> bool:
        """Whether every frame is made."""
        return self._made == len(self.frames)

    @property
    def made(self) -> int:
        """How many frames are made."""
        return self._made

    @property
    def frame(self) -> int:
        """The last frame that is made."""
        return int(self.frames[self._made - 1])

    def step(self) -> None:
        """Make the next frame."""
        interval = 1.0 / self.scene.fps
        steps = max(1, int(np.ceil(interval / self.settings.longest_step - 1e-9)))
        begin = self._time
        for number in range(steps):
            self._advance(begin + number * interval / steps, interval / steps)
        self._record()

    def result(self) -> Trajectories:
        """Return where everybody was in all frames made so far."""
        made = slice(0, self._made)
        return Trajectories(
            frames=self.frames[made],
            fps=self.scene.fps,
            position=self._position[made],
            heading=self._heading[made],
            velocity=self._velocity[made],
            present=self._present[made],
            arrived_frame=self._arrived_frame,
            radius=self.agents.radius,
            crowd=self.agents.crowd,
            crowd_names=tuple(crowd.name for crowd in self.scene.crowds),
            unhindered_time=self.agents.unhindered_time,
            notices=(*self._notices, *tell_of_the_missing(self.scene, self.agents, self._detours, self._time)),
        )

    @property
    def _time(self) -> float:
        """Time of the last frame that is made [s]."""
        return (self._made - 1) / self.scene.fps

    def _allocate(self, frames: int, count: int) -> None:
        self._position = np.full((frames, count, 3), np.nan)
        self._heading = np.full((frames, count), np.nan)
        self._velocity = np.full((frames, count, 2), np.nan)
        self._present = np.zeros((frames, count), dtype=bool)

    def _start(self) -> None:
        """Let in those who are there at the first frame, stagger their plans, and record that frame."""
        self._still = self._surroundings.still_at(0.0, self.settings.planning_horizon)
        entered = self._entrances.enter(self.agents, 0.0, self._surroundings)
        self._move_out_of_walls(entered)
        self._schedule(entered, 0.0)
        self._record()

    def _move_out_of_walls(self, rows: Int64) -> None:
        """Move those who were placed in an obstacle out of it before the first frame, and say so."""
        agents = self.agents
        before = agents.position[rows]
        agents.position[rows] = self._surroundings.push_out(before, agents.radius[rows], 0.0)
        moved = rows[np.sqrt(((agents.position[rows] - before) ** 2).sum(axis=1)) > MOVED_OUT]
        for number, crowd in enumerate(self.scene.crowds):
            count = int((agents.crowd[moved] == number).sum())
            if count:
                self._notices.append(
                    f"{crowd.name}: {count} of {crowd.count} stood in an obstacle and are moved out of it."
                )
        agents.s[moved], agents.d[moved] = self._references.to_frenet(
            agents.path[moved], agents.position[moved], agents.s[moved]
        )

    def _schedule(self, rows: Int64, time: float) -> None:
        """Plan at once for newcomers, and from then on with their group: groups take turns within the interval."""
        if len(rows) == 0:
            return
        self._next_plan[rows] = time
        self._replan(time)
        interval = self.settings.replanning_interval
        turn = (rows % self._groups) / self._groups
        self._next_plan[rows] = (np.floor(time / interval - turn) + 1.0 + turn) * interval

    def _advance(self, time: float, dt: float) -> None:
        """Move everybody by one time step."""
        agents = self.agents
        self._still = self._surroundings.still_at(time, self.settings.planning_horizon)
        self._lead_round(time)
        self._schedule(self._entrances.enter(agents, time, self._surroundings), time)
        self._replan(time)
        rows = np.flatnonzero(agents.present)
        if len(rows) == 0:
            return
        preferred = self._preferred_velocity(rows, time)
        velocity = self._avoid(rows, preferred, time, dt)
        standing = agents.status[rows] == ARRIVED
        agents.velocity[rows] = limits.limit_velocity(
            agents.velocity[rows],
            velocity,
            max_acceleration=np.where(standing, self.settings.calm_acceleration, self.settings.max_acceleration),
            max_deceleration=self.settings.max_deceleration,
            max_turn_rate=self.settings.max_turn_rate,
            dt=dt,
        )
        self._move(rows, time + dt, dt)
        self._see_who_is_done()

    def _replan(self, time: float) -> None:
        """Make a new plan for those whose time has come."""
        agents = self.agents
        due = (agents.status == WALKING) & (self._next_plan <= time + 1e-9)
        rows = np.flatnonzero(due)
        if len(rows) == 0:
            return
        plans = self._planner.plan(
            planner_input(agents, rows, self._references, self._plans, time - self._planned_at[rows]),
            self._still.field,
        )
        self._plans.put(rows, plans)
        self._planned_at[rows] = time
        self._next_plan[rows] += self.settings.replanning_interval

    def _lead_round(self, time: float) -> None:
        """Send round those who get no farther for long, and put those who have got round back on their route."""
        agents = self.agents
        self._detours.take_up_routes(agents, self._references)
        walking = np.flatnonzero(agents.status == WALKING)
        lost = self._detours.lost(agents, walking, self._references)
        helpless = walking[lost | self._is_blocked(walking) | self._is_idle(walking)]
        paths = self._detours.look_for(agents, helpless, time, self._references, self._still)
        if paths is not self._references:
            self._references = self._plans.references = paths
            self._planner = FrenetPlanner(paths, self.settings.planner)

    def _preferred_velocity(self, rows: Int64, time: float) -> Float64:
        """Return float64 (R, 2), the velocity that leads back onto the plan: its mean over the look-ahead."""
        agents, settings = self.agents, self.settings
        preferred = np.zeros((len(rows), 2))
        walking = agents.status[rows] == WALKING
        ahead = time - self._planned_at[rows[walking]] + settings.look_ahead
        target = self._plans.at(rows[walking], ahead)[0]
        preferred[walking] = (target - agents.position[rows[walking]]) / settings.look_ahead
        blocked = self._is_blocked(rows)
        on_detour = blocked & self._detours.away[rows]
        aside = blocked & ~on_detour
        preferred[aside] = step_aside(agents, rows[aside], self._references, self._still.field)
        preferred[on_detour] = follow_line(agents, rows[on_detour], self._references)
        speed = np.sqrt((preferred * preferred).sum(axis=1))
        most = settings.catching_up * agents.wanted_speed[rows]
        preferred *= np.minimum(1.0, most / np.maximum(speed, 1e-9))[:, None]
        return give_way(agents, rows, preferred)

    def _is_blocked(self, rows: Int64) -> NDArray[np.bool_]:
        """Return bool (R,), who has come to stand, or nearly, because every plan runs into something."""
        agents = self.agents
        slow = np.sqrt((agents.velocity[rows] ** 2).sum(axis=1)) < self.settings.blocked_speed
        return self._plans.collides[rows] & slow & (agents.status[rows] == WALKING)

    def _is_idle(self, rows: Int64) -> NDArray[np.bool_]:
        """Return bool (R,), who hardly moves though nobody stands in the way."""
        agents = self.agents
        slow = np.sqrt((agents.velocity[rows] ** 2).sum(axis=1)) < self.settings.idle_speed
        near_end = agents.s[rows] >= agents.end[rows] - 2 * ARRIVAL_DISTANCE
        alone = np.ones(len(agents), dtype=bool)
        present = np.flatnonzero(agents.present)
        close = close_pairs(agents.position[present], agents.radius[present] + 0.5 * self.settings.company)
        alone[present[close]] = False
        return slow & alone[rows] & ~near_end

    def _avoid(self, rows: Int64, preferred: Float64, time: float, dt: float) -> Float64:
        """Return float64 (R, 2), velocities without collision as near to the preferred ones as can be."""
        agents, settings = self.agents, self.settings
        return orca.new_velocity(
            agents.position[rows],
            agents.velocity[rows],
            self._decide_on_sides(rows, preferred),
            agents.radius[rows] + settings.comfort,
            settings.haste * agents.wanted_speed[rows],
            dt=dt,
            time_horizon=settings.time_horizon,
            time_horizon_obstacles=settings.time_horizon_obstacles,
            neighbour_distance=settings.neighbour_distance,
            max_neighbours=settings.max_neighbours,
            obstacles=self._surroundings.orca_obstacles(time, dt),
            avoids=agents.avoids[rows],
            backend=self._backend,
        )

    def _decide_on_sides(self, rows: Int64, preferred: Float64) -> Float64:
        """Return preferred velocities, float64 (R, 2), turned to the right where two would meet head on.

        Only of those with ways of their own, which cross and meet at any angle. Along one route most go the same way,
        and turning away from whoever walks ahead would only make them sway.
        """
        agents, settings = self.agents, self.settings
        own_way = np.isfinite(agents.goal[rows, 0])
        if not own_way.any():
            return preferred
        turned = orca.break_symmetry(
            agents.position[rows],
            agents.velocity[rows],
            preferred,
            agents.radius[rows],
            neighbour_distance=settings.neighbour_distance,
            max_neighbours=settings.max_neighbours,
            settings=settings.symmetry,
            backend=self._backend,
        )
        return np.where((own_way & agents.avoids[rows])[:, None], turned, preferred)

    def _move(self, rows: Int64, time: float, dt: float) -> None:
        """Integrate, take bodies out of each other and out of walls, and find them again on their references."""
        agents = self.agents
        position = agents.position[rows] + agents.velocity[rows] * dt
        position = push_apart(position, agents.radius[rows], movable=agents.avoids[rows], dt=dt)
        agents.position[rows] = self._surroundings.push_out(position, agents.radius[rows], time)
        agents.heading[rows] = limits.turn_towards(
            agents.heading[rows],
            agents.velocity[rows],
            max_turn_rate=self.settings.max_turn_rate,
            dt=dt,
            still_speed=np.where(agents.status[rows] == ARRIVED, SIDLING_SPEED, self.settings.standing_speed),
        )
        walking = rows[agents.status[rows] == WALKING]
        project(agents, walking, self._references, dt)

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

    def _record(self) -> None:
        """Write down where everybody is as the next frame."""
        agents, number = self.agents, self._made
        here = agents.present
        self._present[number] = here
        self._position[number, here, :2] = agents.position[here]
        self._position[number, here, 2] = self._references.height(agents.path[here], agents.s[here])
        self._heading[number, here] = agents.heading[here]
        self._velocity[number, here] = agents.velocity[here]
        if number:
            # As seen, pushes out of each other and out of walls included.
            moved = here & self._present[number - 1]
            way = self._position[number, moved, :2] - self._position[number - 1, moved, :2]
            self._velocity[number, moved] = way * self.scene.fps
        arrived = (here & self._at_goal()) | (agents.status == GONE)
        self._arrived_frame[arrived & (self._arrived_frame < 0)] = self.frames[number]
        self._made += 1


def _check_memory(frames: int, people: int) -> None:
    """Refuse what no machine holds before anything is simulated."""
    needed = frames * people * BYTES_A_FRAME
    if needed > MOST_BYTES:
        raise SceneError(
            [
                Fault(
                    "frames",
                    f"{frames} frames of {people} people need {needed / 2**30:.0f} GiB of memory, and more than "
                    f"{MOST_BYTES / 2**30:.0f} are not used; simulate fewer frames or fewer people",
                )
            ]
        )


def simulate(scene: Scene, *, backend: str = "auto", progress: Progress | None = None) -> Trajectories:
    """Return where everybody in a scene is, frame by frame.

    Args:
        scene: what the user asks for.
        backend: kernels to use, `auto`, `numpy` or `numba`; the result is the same bytes.
        progress: called after each frame with the frames made and all frames.

    Raises:
        SceneError: something in the scene is not possible, or not in this version.
        BackendError: the backend is not there.
    """
    simulation = Simulation(scene, backend=backend)
    while not simulation.done:
        simulation.step()
        if progress is not None:
            progress(simulation.made, len(simulation.frames))
    return simulation.result()
