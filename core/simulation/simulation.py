# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation of a scene, frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Float64, Int64
from ..compiled.twins import compiled
from ..garbage_collection import garbage_uncollected
from ..scene import Scene
from ..scene.basics.clock import Clock
from ..steering import NUMBA, choose_backend
from ..trajectories import Trajectories
from .movement.smoothing import clearance_to_boxes, shift_where_free, smooth_motion
from .movement.whole_steps import shift_to_steps
from .pedestrians.notices import report_few_frames
from .pedestrians.pedestrians import Pedestrians
from .resuming.checkpoints import Checkpoints, Past
from .resuming.resume import Reason, Resumed, resume
from .settings import SimulationSettings
from .vehicles.traffic import Traffic, start_traffic
from .world.activities import ACTIVITY_NAMES, ShownActivities, clips_of
from .world.doing import DOING_NAMES, NOBODY, AgentNumbers, Decisions
from .world.environment import Environment
from .world.ground_journal import GroundJournal
from .world.recording import Recording
from .world.shared_map import Adoption, SharedMap

Progress = Callable[[int, int], None]

Motion = tuple[Float64, Float64, Float64]
"""Positions, headings and velocities of everybody."""


class Simulation:
    """A scene in motion: `step` makes the next frame, until `done`.

    Args:
        scene: what the user asks for.
        backend: kernels to use, `auto`, `numpy` or `numba`.
        settings: how the layers are put together.
        shared_map: the corridor map of an earlier simulation, corrected where the ground has changed.
        remembers: keep checkpoints, so that a later simulation can continue from them.
        earlier: a simulation that remembers, with the same settings. Where its scene differs from this one in a few
            obstacles or routes, its frames are reused up to where anything can differ: the result is the same bytes.

    Attributes:
        taken_over: number of frames reused.
        why_anew: why none was reused, in words for the user; empty where some were, and where there is no earlier one.

    Raises:
        SceneError: something in the scene is not possible, or not in this version.
        BackendError: the backend is not there.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        backend: str = "auto",
        settings: SimulationSettings | None = None,
        shared_map: SharedMap | None = None,
        remembers: bool = False,
        earlier: Simulation | None = None,
    ) -> None:
        self.scene = scene
        self.settings = settings or SimulationSettings()
        self._backend = choose_backend(backend)
        if shared_map is not None:
            shared_map.begin()
        self._shared_map = shared_map
        with self.own_kernels(), garbage_uncollected():
            self._prepare(earlier, remembers=remembers)

    def _prepare(self, earlier: Simulation | None, *, remembers: bool) -> None:
        """Make the first frame, or reuse those of an earlier simulation."""
        scene, settings = self.scene, self.settings

        def surround(journal: GroundJournal | None = None) -> Environment:
            return Environment(scene, settings.world, journal, remembers=remembers, shared_map=self._shared_map)

        def start(environment: Environment) -> Pedestrians:
            return Pedestrians(scene, environment, settings, self._backend)

        begun = resume(earlier.past, scene, surround, start) if earlier is not None else ""
        if isinstance(begun, Reason):
            environment = surround()
            begun = Resumed(environment, start(environment), None, 0, [], begun)
        self._environment, self._pedestrians = begun.environment, begun.pedestrians
        self._pedestrians.use_backend(self._backend)
        self.taken_over, self.why_anew, traffic = begun.made, begun.why_anew, begun.traffic
        if not self.taken_over:
            people = self._pedestrians.people(0.0)
            traffic = start_traffic(scene, self._environment, people, settings.traffic, settings.vehicles)
        self._traffic = traffic
        self.agents = self._pedestrians.agents
        crowd = np.concatenate((self.agents.crowd, self._traffic.vehicles.crowd if self._traffic else []))
        self._order = np.argsort(crowd, kind="stable")  # of the rows: by crowd, as in the scene
        self._place_of = np.argsort(self._order, kind="stable")
        self._as_they_are = self._traffic is None and bool((self._order == self._place_of).all())
        self._crowd = crowd[self._order].astype(np.int64)
        self._with_poses = self._pedestrians.have_poses
        self._recording = Recording(self._clock, len(crowd), with_poses=self._with_poses)
        self._checkpoints = Checkpoints(begun.earlier, settings) if remembers else None
        self._motion: Motion | None = None
        if self.taken_over and earlier is not None:
            self._recording.take_over(earlier.past.recording, self.taken_over)
            if begun.is_same_ground and self.done and self.taken_over == earlier.made:
                self._motion = earlier._motion
        else:
            self._record()

    @property
    def frames(self) -> Int64:
        """int64 (F,), the numbers of all frames of the scene."""
        return self._clock.frames

    @property
    def done(self) -> bool:
        """Whether every frame is made."""
        return self.frame == self._clock.last

    @property
    def made(self) -> int:
        """How many frames are made."""
        return self._recording.made

    @property
    def frame(self) -> int:
        """The last frame that is made."""
        return self._recording.frame

    @property
    def adoption(self) -> Adoption | None:
        """How the corridor map came to show the ground; None before the first route through it."""
        return self._environment.adoption

    @property
    def past(self) -> Past:
        """What a later simulation can go on from.

        Raises:
            ValueError: this one does not remember.
        """
        if self._checkpoints is None:
            raise ValueError("the simulation does not remember its steps: pass remembers=True")
        return Past(self.scene, self._environment, self._recording, self._checkpoints)

    @property
    def _clock(self) -> Clock:
        """The frames of the scene and their times."""
        return self._environment.clock

    @property
    def _time(self) -> float:
        """Time of the last frame that is made [s]."""
        return (self.made - 1) / self._clock.fps

    @property
    def refused(self) -> dict[int, str]:
        """Who on foot has no route, and why, by the place in the arrays of the result."""
        return {int(self._place_of[row]): reason for row, reason in self._pedestrians.refused(self._time).items()}

    def own_kernels(self) -> AbstractContextManager[None]:
        """Use the kernels of its backend meanwhile, also for what is measured of its result; the bits are the same."""
        return compiled(self._backend == NUMBA)

    def step(self) -> None:
        """Make the next frame."""
        with self.own_kernels():
            self._make_next()

    def _make_next(self) -> None:
        self._environment.begin_frame(self.made)
        interval = self._clock.interval
        steps = self.settings.steps_within(interval)
        begin = self._time
        for number in range(steps):
            self._advance(begin + number * interval / steps, interval / steps)
        self._record()

    def result(self) -> Trajectories:
        """Return where everybody was in all frames made so far."""
        made, recording = slice(0, self.made), self._recording
        with self.own_kernels():
            position, heading, velocity = self._motion or self._smoothed()
        if self.done and self._checkpoints is not None:
            self._motion = position, heading, velocity
        alone = self._joined(self.agents.unhindered_time, lambda traffic: traffic.unhindered_time)
        wanted = self._joined(self.agents.wanted_speed, lambda traffic: traffic.vehicles.drivers.wanted_speed)
        waits = self._joined(self.agents.waits, lambda traffic: np.zeros(len(traffic), dtype=bool))
        return Trajectories(
            frames=self.frames[made],
            fps=self._clock.fps,
            position=position,
            heading=heading,
            velocity=velocity,
            present=recording.present[made],
            arrived_frame=recording.arrived_frame,
            radius=self._joined(self.agents.radius, lambda traffic: 0.5 * traffic.vehicles.width),
            crowd=self._crowd,
            crowd_names=tuple(crowd.name for crowd in self.scene.crowds),
            unhindered_time=alone + self._joined(self.agents.stop_time, lambda traffic: np.zeros(len(traffic))),
            notices=(
                *self._pedestrians.notices(self.scene.crowds, self._time),
                *(self._traffic.notices(self.scene.crowds, self._time) if self._traffic else ()),
                *report_few_frames(
                    self.scene.crowds,
                    recording,
                    self._crowd,
                    time_ahead=self._joined(
                        self._pedestrians.time_ahead(self._time), lambda traffic: traffic.time_ahead
                    ),
                    wanted_speed=wanted,
                    waits=waits,
                    refused=self.refused,
                    settings=self.settings.pedestrians.notices,
                ),
            ),
            box=self._joined(np.zeros((len(self.agents), 2)), lambda traffic: traffic.sizes),
            group=self._joined(self.agents.group, lambda traffic: np.full(len(traffic.sizes), -1)),
            doing=recording.doing[made],
            because_of=recording.because_of[made],
            wish=recording.wish[made],
            doing_names=DOING_NAMES,
            stop=recording.stop[made],
            stop_names=tuple(stop.name for stop in self.scene.all_stops),
            activity=recording.activity[made],
            gaze=recording.gaze[made],
            seat_height=recording.seat_height[made],
            keeps_height=np.isfinite(self._joined(self.agents.floor, lambda traffic: np.full(len(traffic), np.nan))),
            activity_names=(*ACTIVITY_NAMES, *clips_of(self.scene)) if self._with_poses else (),
            arrived=recording.arrived[made],
        )

    def _smoothed(self) -> Motion:
        """Return positions, headings and velocities of all frames made so far, those of people smoothed."""
        made, recording, agents = self.made, self._recording, self.agents
        settings = self.settings.pedestrians.smoothing
        position, velocity = recording.position[:made].copy(), recording.velocity[:made].copy()
        heading = recording.heading[:made].copy()
        driving = self._order >= len(agents)
        rows = self._order[~driving]
        boxes = np.dstack((position[:, driving, :2], heading[:, driving]))
        sizes = self._joined(np.zeros((len(agents), 2)), lambda traffic: traffic.sizes)[driving]
        farthest = float(agents.radius.max(initial=0.0)) + settings.greatest_shift

        def clearance(frame: Int64, points: Float64) -> Float64:
            to_obstacles = self._environment.clearance_at_frames(frame, points, farthest)
            return np.minimum(to_obstacles, clearance_to_boxes(frame, points, boxes, sizes))

        heroes = self._environment.heroes.over(made)
        motion = np.concatenate((position[:, ~driving], heroes.motion), axis=1)
        turned = np.concatenate((heading[:, ~driving], np.zeros(heroes.motion.shape[:2])), axis=1)
        radius = np.concatenate((agents.radius[rows], heroes.radius))
        some = np.concatenate((~agents.rolls[rows], np.zeros(len(heroes.radius), dtype=bool)))
        motion = np.dstack((motion, turned))
        how, steps = (radius, self._clock.fps, clearance, settings), self.settings.pedestrians.whole_steps
        motion = smooth_motion(motion, some, *how)
        walks = np.zeros(motion.shape[:2], dtype=bool)
        walks[:, : len(rows)] = recording.strides[:made, ~driving]
        if self._with_poses:  # who sits down does not step
            walks[:, : len(rows)] &= np.isnan(recording.seat_height[:made, ~driving])
        for _ in range(steps.passes):  # where a step would lead into somebody, another may be free
            motion = shift_where_free(motion, shift_to_steps(motion, walks, self._clock.fps, steps), *how)
        found = motion[:, : len(rows)]
        position[:, ~driving], heading[:, ~driving] = found[..., :3], found[..., 3]
        moved = np.isfinite(position[1:, :, 0]) & np.isfinite(position[:-1, :, 0]) & ~driving
        velocity[1:][moved] = (np.diff(position[..., :2], axis=0) * self._clock.fps)[moved]
        return position, heading, velocity

    def _advance(self, time: float, dt: float) -> None:
        """Move everybody by one time step; both populations see each other where they are at its beginning."""
        if self._traffic is None:
            self._pedestrians.advance(time, dt)
        else:
            people, here = self._pedestrians.people(time), np.flatnonzero(self.agents.present)
            self._environment.vehicles = self._traffic.seen_by(people)
            self._environment.traffic = cache(self._traffic.now)  # few ask, and then many
            self._pedestrians.advance(time, dt)
            heroes = np.full(len(people.radius) - len(here), NOBODY)
            self._traffic.advance(time, dt, people, AgentNumbers(np.append(here, heroes), len(self.agents)))
        self._pedestrians.let_enter(time + dt)

    def _joined(self, of_people: NDArray[Any], of_vehicles: Callable[[Traffic], NDArray[Any]]) -> NDArray[Any]:
        """Return what is known of people and of vehicles as one array, in the order of the rows."""
        if self._traffic is None:
            return of_people[self._order]
        return np.concatenate((of_people, of_vehicles(self._traffic)))[self._order]

    def _in_order(
        self, rows: Int64, state: Float64, decided: Decisions, posed: ShownActivities | None
    ) -> tuple[Float64, Decisions, ShownActivities | None]:
        """Return what is written down of some people together with that of vehicles, in the order of the rows."""
        place_of, numbers, states, decisions, poses = self._place_of, [rows], [state], [decided], [posed]
        if self._traffic is not None:
            driving = np.flatnonzero(self._traffic.vehicles.present)
            numbers.append(len(self.agents) + driving)
            states.append(self._traffic.states(driving))
            decisions.append(self._traffic.decisions.take(driving))
            poses.append(ShownActivities.none(len(driving)))
        order = np.argsort(place_of[np.concatenate(numbers)])
        decided = Decisions(*_joined_in(order, decisions))
        decided = decided._replace(because_of=np.where(decided.because_of >= 0, place_of[decided.because_of], NOBODY))
        posed = None if posed is None else ShownActivities(*_joined_in(order, poses))
        return np.concatenate(states)[order], decided, posed

    def _record(self) -> None:
        """Write down where everybody is as the next frame."""
        agents, pedestrians = self.agents, self._pedestrians
        pedestrians.show_bystanders(self.made / self._clock.fps)
        rows = agents.shown.nonzero()[0]
        here = self._joined(agents.shown, lambda traffic: traffic.vehicles.present)
        facing = pedestrians.facing(rows)[:, None]
        state = np.concatenate((pedestrians.places(rows), facing, agents.velocity.take(rows, 0)), axis=1)
        decided, posed = pedestrians.decisions.take(rows), pedestrians.poses(rows) if self._with_poses else None
        if not self._as_they_are:
            state, decided, posed = self._in_order(rows, state, decided, posed)
        slowest = self.settings.pedestrians.whole_steps.slow_speed
        strides = ~agents.rolls & (agents.wanted_speed > slowest)
        self._recording.strides[self.made] = self._joined(strides, lambda traffic: np.zeros(len(traffic), dtype=bool))
        arrived = self._joined(pedestrians.note_arrivals(), lambda traffic: traffic.arrived())
        self._recording.note(here, state[:, :3], state[:, 3], state[:, 4:], arrived, decided, posed)
        if self._checkpoints is not None:
            moving = (self._pedestrians, self._traffic)
            self._checkpoints.keep(self.made, moving, self._environment, last=self.done)


def _joined_in(order: Int64, parts: Sequence[Any]) -> list[Any]:
    """Return the arrays of several tuples joined, each in an order, int64 (N,)."""
    return [np.concatenate(each)[order] for each in zip(*parts, strict=True)]


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
