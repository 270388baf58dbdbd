# SPDX-License-Identifier: GPL-3.0-or-later
"""The obstacles, walls, movers, heroes and vehicles round the people, at any time of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import length2
from ...geometry.segments import directed, rings_of
from ...planning import KnownPaths
from ...scene import FLEE, Scene
from ...steering import orca
from ..settings import WorldSettings
from .ground_journal import GroundJournal
from .heroes import HeroBodies, Heroes, StandingBodies
from .moving_obstacles import HeldPose, Mover, Pose, Resting, pose_at
from .shared_map import Adoption, SharedMap
from .static_ground import GroundBuilder, StaticGround
from .vehicle_boxes import MovingBoxes, VehiclesNow

MAX_STATES = 16
"""States of the ground that are cached, each with its field of distances."""


def bounds_of(scene: Scene, settings: WorldSettings | None = None) -> Float64:
    """Return the polygon that nobody leaves: the scene's own, or a box round everything with a margin."""
    settings = settings or WorldSettings()
    if scene.bounds is not None:
        return scene.bounds
    points = [route.points[:, :2] for route in scene.routes]
    points += [area.outline for area in scene.areas]
    points += list(scene.walls)
    for obstacle in scene.obstacles:
        frames = (0.0,) if obstacle.motion is None else tuple(obstacle.motion.frames)
        points += [pose_at(obstacle, frame).to_world(obstacle.outline) for frame in frames]
    for place in scene.places:
        points += [place.points, *place.lines, *place.outlines]
    for crowd in scene.crowds:
        points += [np.array([agent.start, agent.goal], dtype=np.float64) for agent in crowd.agents]
    # A route's width lies beside its points.
    margin, step = settings.bounds_margin, settings.bounds_step
    margin += max((route.width for route in scene.routes), default=0.0)
    margin += settings.flight_margin if any(trigger.then == FLEE for trigger in scene.triggers) else 0.0
    everything = np.concatenate(points) if points else np.zeros((1, 2))
    (x0, y0), (x1, y1) = (
        step * np.floor((everything.min(axis=0) - margin) / step),
        step * np.ceil((everything.max(axis=0) + margin) / step),
    )
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


class Environment:
    """The obstacles, walls and bounds of a scene, as planner, avoidance and overlap removal query them.

    Args:
        scene: what the user asks for.
        settings: how the ground, movers and heroes are perceived.
        journal: where queries are recorded; None: in a new one, if at all.
        remembers: whether queries are recorded, for a later run.
        shared_map: a map of an earlier run, to be corrected; only this run uses it from now on.

    Attributes:
        clock: of the scene.
        bounds: float64 (B, 2), the polygon that nobody leaves, counter-clockwise [m].
        ground: builds fields and maps for any movers at rest.
        heroes: those whose motion is given.
        terrain: heights of the ground for people without a drawn route; None: level ground.
        areas: float64 (V, 2), the outlines of areas, by their names [m].
        places: where people stop or simply are, by their names.
        crossings: marked places where vehicles stop for people.
        vehicles: those near people, None where there are none.
        traffic: returns all vehicles as they are now; None where there are none.
        bystanders: bodies that never move; None where there are none.
        rings: the ground inside rings of people who talk, as bodies; None where nobody stops.
        paths: the paths on which people start.
        journal: the recorded queries; None where they are not recorded.
    """

    def __init__(
        self,
        scene: Scene,
        settings: WorldSettings | None = None,
        journal: GroundJournal | None = None,
        *,
        remembers: bool = False,
        shared_map: SharedMap | None = None,
    ) -> None:
        self.settings = settings = settings or WorldSettings()
        self.bounds = directed(bounds_of(scene, settings), 1.0)
        if remembers and journal is None:
            outlines = [obstacle.outline for obstacle in scene.fixed_obstacles]
            journal = GroundJournal(np.concatenate([self.bounds, *outlines, *scene.walls]))
        self.journal = journal
        self.clock = scene.clock
        self.movers = [Mover(obstacle, settings.shortest_rest * scene.fps) for obstacle in scene.moving_obstacles]
        self.ground = GroundBuilder(
            scene.fixed_obstacles,
            scene.walls,
            self.bounds,
            movers=self.movers,
            shared_map=shared_map or SharedMap(settings),
            journal=journal,
        )
        self.still = StaticGround(self.ground, ())
        self._states: dict[Resting, StaticGround] = {(): self.still}
        self._edges = orca.prepare_obstacles(
            [*(ring for obstacle in scene.fixed_obstacles for ring in rings_of(*obstacle.polygon)), self.bounds[::-1]],
            walls=scene.walls,
        )
        nobody: list[tuple[Pose, Pose]] = []
        self._edges_known = (0.0, nobody), self._edges
        self.heroes = Heroes(scene.heroes, self.clock, settings.hero_clearance)
        self.terrain = scene.terrain
        self.areas = {area.name: area.outline for area in scene.areas}
        self.places = {place.name: place for place in scene.places}
        self.crossings = scene.crossings
        self._marks = {mark.name: mark.motion for mark in scene.marks}
        self.vehicles: MovingBoxes | None = None
        self.traffic: Callable[[], VehiclesNow] | None = None
        self.bystanders: StandingBodies | None = None
        self.rings: HeroBodies | None = None
        self.paths = KnownPaths()

    @property
    def adoption(self) -> Adoption | None:
        """How the corridor map came to show this ground; None before the first request."""
        return self.ground.adoption

    def begin_frame(self, number: int) -> None:
        """Record queries as of a frame from now on."""
        if self.journal is not None:
            self.journal.now = number

    def mark_at(self, name: str, time: float) -> Float64:
        """Return float64 (2,), where a mark is at a time [s, m]."""
        return np.array(self._marks[name].at(self.clock.frame_at(time)))

    def _state_with(self, resting: Resting) -> StaticGround:
        """Return the obstacles that never move, and movers at rest at given poses."""
        if resting not in self._states:
            if len(self._states) > MAX_STATES:  # doors that open and close add more and more: the oldest goes
                del self._states[next(key for key in self._states if key)]
            self._states[resting] = StaticGround(self.ground, resting)
        return self._states[resting]

    def still_at(self, time: float) -> StaticGround:
        """Return the obstacles at rest at a time [s]: nobody knows how long they will be."""
        frame = self.clock.frame_at(time)
        return self._state_with(_poses(mover.rest_at(frame) for mover in self.movers))

    def passages_at(self, time: float, horizon: float) -> StaticGround:
        """Return what blocks routes at a time: movers where they rest, or will once they move, within a horizon [s]."""
        start, end = self.clock.frame_at(time), self.clock.frame_at(time + horizon)
        return self._state_with(_poses(mover.rest_ahead(start, end) for mover in self.movers))

    def for_good(self, time: float, horizon: float) -> StaticGround:
        """Return the obstacles that are at rest until the last frame: waiting does not open them."""
        start, end = self.clock.frame_at(time), self.clock.frame_at(time + horizon)
        rests = [mover.rest_ahead(start, end) for mover in self.movers]
        lasting = [rest if rest is not None and rest.end >= self.clock.last else None for rest in rests]
        return self._state_with(_poses(lasting))

    def opens_after_the_end(self, name: str) -> int | None:
        """Return the first frame, after the last one, at which a mover of this name moves; None for never."""
        rests = [rest for mover in self.movers if mover.obstacle.name == name for rest in mover.rests]
        frames = [rest.end for rest in rests if self.clock.last <= rest.end < np.inf]
        return int(min(frames)) if frames else None

    def closed_until(self, points: Float64, begin: float, end: float) -> float:
        """Return the time since which no mover has been at any of some places.

        Args:
            points: float64 (N, 2) [m].
            begin: start of the search, frame by frame [s].
            end: its end; there the places are free [s].
        """
        frame_time = self.clock.interval
        for back in range(1, int((end - begin) / frame_time) + 1):
            time = end - back * frame_time
            for mover in self.movers:
                own = mover.pose_at(self.clock.frame_at(time)).to_own(points)
                near = self.settings.touching_distance
                if (mover.distance(own, near) < near).any():
                    return time + frame_time
        return begin

    def orca_obstacles(self, time: float, dt: float, points: Float64, reach: Float64) -> orca.ObstacleSegments:
        """Return all obstacles at a time as avoidance takes them: corners with their velocities.

        Args:
            time: [s].
            dt: of the step that follows [s].
            points: float64 (N, 2), positions of the people [m].
            reach: float64 (N,), how far each perceives obstacles at most [m].
        """
        if self.journal is not None:
            self.journal.note_disc(points, reach)
        frames = self.clock.frame_at(time), self.clock.frame_at(time + dt)
        poses = [(mover.pose_at(frames[0]), mover.pose_at(frames[1])) for mover in self.movers]
        if self.vehicles is None and (dt, poses) == self._edges_known[0]:  # doors are mostly at rest
            return self._edges_known[1]
        rings: list[Float64] = []
        velocities: list[Float64] = []
        if self.vehicles is not None:
            rings += list(self.vehicles.boxes.corners())
            velocities += list(self.vehicles.velocity)
        for mover, (now, soon) in zip(self.movers, poses, strict=True):
            for ring in rings_of(*mover.obstacle.polygon):
                here = now.to_world(ring)
                rings.append(here)
                velocities.append((soon.to_world(ring) - here) / dt)
        edges = self._edges.with_moving(rings, velocities) if rings else self._edges
        self._edges_known = (dt, poses), edges
        return edges

    def moving_at(self, time: float) -> list[Mover]:
        """Return the movers that move at a time [s]."""
        frame = self.clock.frame_at(time)
        return [mover for mover in self.movers if mover.rest_at(frame) is None]

    def pose_of(self, mover: Mover, time: float) -> Pose:
        """Return where a mover is at a time [s]."""
        return mover.pose_at(self.clock.frame_at(time))

    def given_bodies(self, points: Float64, time: float, dt: float) -> HeroBodies:
        """Return heroes, the bystanders near points, float64 (N, 2) [m], and rings of people, in a step [s]."""
        bodies = [self.heroes.at(time, dt)]
        if self.bystanders is not None:
            bodies.append(self.bystanders.near(points))
        if self.rings is not None:
            bodies.append(self.rings)
        return bodies[0].joined(*bodies[1:])

    def heroes_and_vehicles(self, time: float, dt: float) -> HeroBodies:
        """Return heroes, and discs that cover the vehicles near people, in a step [s]."""
        heroes = self.heroes.at(time, dt)
        return heroes if self.vehicles is None else heroes.joined(self.vehicles.discs())

    def is_free(self, points: Float64, radius: float | Float64, time: float, *, heroes: bool = True) -> Bool:
        """Return bool (N,), whether discs of one radius or (N,) touch neither obstacles nor heroes at a time [m, s]."""
        return self.clearance(points, time, float(np.max(radius, initial=0.0)), heroes=heroes) >= radius

    def clearance(self, points: Float64, time: float, at_most: float = np.inf, *, heroes: bool = True) -> Float64:
        """Return float64 (N,), signed distances to all obstacles and heroes at a time [m].

        Args:
            points: float64 (N, 2) [m].
            time: [s].
            at_most: larger distances may be inexact [m].
            heroes: whether heroes count.
        """
        distance = self.still.field.signed_distance(points, at_most)
        if heroes:
            distance = np.minimum(distance, self.heroes.distance(points, time))
        for mover in self.movers:
            own = mover.pose_at(self.clock.frame_at(time)).to_own(points)
            distance = np.minimum(distance, mover.distance(own, at_most))
        if self.vehicles is not None:
            distance = np.minimum(distance, self.vehicles.distance(points))
        return distance

    def clearance_at_frames(self, number: Int64, points: Float64, at_most: float) -> Float64:
        """Return float64 (N,), signed distances to fixed and moving obstacles, without a trace in the journal [m].

        Args:
            number: int64 (N,), frames after the first one, of each point.
            points: float64 (N, 2) [m].
            at_most: larger distances may be inexact [m].
        """
        with self.still.unrecorded():
            distance = self.still.field.signed_distance(points, at_most)
        for mover in self.movers:
            own = mover.to_own_at(self.clock.first + number, points)
            distance = np.minimum(distance, mover.distance(own, at_most))
        return distance

    def moments_of_motion(self, time: float, dt: float, longest: float, most: int) -> list[float]:
        """Return moments of a step, the last one its end, between which no obstacle moves by more than a distance.

        Args:
            time: end of the step [s].
            dt: its length [s].
            longest: the distance [m].
            most: no more moments than this; then the distances are longer.
        """
        travel = 0.0
        for mover in self.movers:
            before, now = mover.pose_at(self.clock.frame_at(time - dt)), mover.pose_at(self.clock.frame_at(time))
            if before != now:
                shift = now.to_world(mover.obstacle.outline) - before.to_world(mover.obstacle.outline)
                travel = max(travel, float(length2(shift).max()))
        count = min(max(1, int(np.ceil(np.sqrt(travel) / longest))), most)
        return [*(time - dt * k / count for k in range(count - 1, 0, -1)), time]

    def pressed(self, points: Float64, radius: Float64, time: float, dt: float) -> Bool:
        """Return bool (N,), which discs touch an obstacle that has moved since a little before.

        Args:
            points: float64 (N, 2), centres [m].
            radius: float64 (N,) [m].
            time: now [s].
            dt: how long before [s].
        """
        touched = np.zeros(len(points), dtype=bool)
        for mover in self.movers:
            before, now = mover.pose_at(self.clock.frame_at(time - dt)), mover.pose_at(self.clock.frame_at(time))
            if before != now:
                distance = mover.distance(now.to_own(points), float(radius.max(initial=0.0)))
                touched |= distance < radius
        return touched

    def push_out(self, points: Float64, radius: Float64, time: float) -> Float64:
        """Return points moved out of all obstacles, so that discs of these radii touch none.

        Where there is less room than the disc needs, it stays in the last obstacle; the report says so.

        Args:
            points: float64 (N, 2), [m].
            radius: float64 (N,), [m].
            time: [s].
        """
        still = self.still.field
        moved = _out_of(still, still.signed_distance, points, radius)
        for mover in self.movers:
            pose = mover.pose_at(self.clock.frame_at(time))
            moved = pose.to_world(_out_of(mover.shape, mover.distance, pose.to_own(moved), radius))
        if self.vehicles is not None:
            moved = self.vehicles.push_out(moved, radius)
        if not self.movers and self.vehicles is None:
            return moved
        return _out_of(still, still.signed_distance, moved, radius)


def _out_of(
    field: Distances,
    signed_distance: Callable[[Float64, float], Float64],
    points: Float64,
    radius: Float64,
    rounds: int = 3,
) -> Float64:
    """Return points moved out of a field by the shortest way; several rounds for corners between two walls."""
    moved = points
    for _ in range(rounds):
        signed = signed_distance(moved, float(radius.max(initial=0.0)))
        inside = signed < radius
        if not inside.any():
            break
        distance, closest = field.nearest(moved[inside])
        away = (moved[inside] - closest) * np.sign(signed[inside])[:, None]
        unit = np.where(distance[:, None] > 1e-9, away / np.maximum(distance, 1e-9)[:, None], (1.0, 0.0))
        moved = moved.copy()
        moved[inside] = closest + unit * (radius[inside] + 1e-6)[:, None]
    return moved


def _poses(rests: Iterable[HeldPose | None]) -> Resting:
    """Return the numbers of those movers that rest, and their poses."""
    return tuple((number, rest.pose) for number, rest in enumerate(rests) if rest is not None)
