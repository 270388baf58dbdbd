# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands and what moves round the people, at any time of the simulation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...geometry.segments import signed_area
from ...planning import KnownPaths
from ...scene import Obstacle, Scene
from ...steering import orca
from .ground_journal import GroundJournal, MapEvent
from .heroes import Heroes
from .moving_obstacles import HeldPose, Mover, Pose, Resting, pose_at
from .shared_map import Adoption, SharedMap
from .static_ground import StaticGround, Still
from .vehicle_boxes import MovingBoxes

Float64 = NDArray[np.float64]

MOST_STILLS = 16
"""So many states of what stands, each with its grid and map, are kept."""

AT = 0.05
"""A place so near to what moves is where that is [m]."""

BOUNDS_MARGIN = 5.0
"""At least so much free ground lies round everything where the scene names no bounds [m]."""

BOUNDS_STEP = 5.0
"""That ground ends at multiples of this, so that what is moved a little at its rim leaves it as it is [m]."""


def bounds_of(scene: Scene) -> Float64:
    """Return the polygon that nobody leaves: the scene's own, or a box round everything with a margin."""
    if scene.bounds is not None:
        return scene.bounds
    points = [route.points[:, :2] for route in scene.routes]
    points += [area.outline for area in scene.areas]
    points += list(scene.walls)
    for obstacle in scene.obstacles:
        frames = (0.0,) if obstacle.motion is None else tuple(obstacle.motion.frames)
        points += [pose_at(obstacle, frame).to_world(obstacle.outline) for frame in frames]
    for crowd in scene.crowds:
        points += [np.array([agent.start, agent.goal], dtype=np.float64) for agent in crowd.agents]
    # A route's width lies beside its points.
    margin = BOUNDS_MARGIN + max((route.width for route in scene.routes), default=0.0)
    everything = np.concatenate(points) if points else np.zeros((1, 2))
    (x0, y0), (x1, y1) = (
        BOUNDS_STEP * np.floor((everything.min(axis=0) - margin) / BOUNDS_STEP),
        BOUNDS_STEP * np.ceil((everything.max(axis=0) + margin) / BOUNDS_STEP),
    )
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


class Environment:
    """The obstacles, walls and bounds of a scene, as the planner, avoidance and contacts want them.

    Args:
        scene: whose they are.
        shared_map: a map that may know most of them from an earlier simulation; it is this one's alone from now on.
        notes: where to write down which ground is looked at; None for nowhere.

    Attributes:
        heroes: those whose motion is given.
        vehicles: those near people, None where there are none.
        paths: those that people set out on.
        notes: which ground was looked at; None where nobody wants to know.
    """

    def __init__(self, scene: Scene, shared_map: SharedMap | None = None, notes: GroundJournal | None = None) -> None:
        bounds = _turning(bounds_of(scene), counter_clockwise=True)
        self.notes = notes
        self._frames_per_second = scene.fps
        self._first_frame, self._last_frame = scene.frames
        self.movers = [Mover(obstacle, scene.fps) for obstacle in scene.obstacles if obstacle.motion is not None]
        self._ground = StaticGround(scene, bounds, self.movers, shared_map or SharedMap(), notes)
        self._stills: dict[Resting, Still] = {}
        self.still = self._still_with(())
        rings = [ring for obstacle in scene.obstacles if obstacle.motion is None for ring in _rings(obstacle)]
        self._edges = orca.prepare_obstacles([*rings, bounds[::-1]], walls=scene.walls)
        self.heroes = Heroes(scene.heroes, scene.frames[0], scene.fps)
        self.vehicles: MovingBoxes | None = None
        self.paths = KnownPaths()

    @property
    def adoption(self) -> Adoption | None:
        """How the corridor map came to show this ground; None as long as nobody has asked for it."""
        return self._ground.adoption

    @property
    def lattice(self) -> tuple[float, ...]:
        """Where the cells of the field of distances lie."""
        return self._ground.lattice

    def relive(self, maps: Sequence[MapEvent], first: int, until: int) -> int:
        """See `Ground.relive`."""
        return self._ground.relive(maps, first, until)

    def lead(self, shown: Sequence[Resting]) -> None:
        """See `Ground.lead`."""
        self._ground.lead(shown)

    def forget_from(self, frame: int) -> None:
        """Go on from a frame: what was looked at for it, and after it, is looked at anew."""
        if self.notes is not None:
            self.notes.forget_from(frame)

    def _frame(self, time: float) -> float:
        return self._first_frame + time * self._frames_per_second

    def _still_with(self, resting: Resting) -> Still:
        """Return all that never moves, and movers that rest at a pose."""
        if resting not in self._stills:
            if len(self._stills) > MOST_STILLS:  # doors that open and close make ever new ones: the oldest goes
                del self._stills[next(key for key in self._stills if key)]
            self._stills[resting] = Still(self._ground, resting)
        return self._stills[resting]

    def still_at(self, time: float, horizon: float) -> Still:
        """Return what stands still from a time on for as long as a plan reaches [s]."""
        start, end = self._frame(time), self._frame(time + horizon)
        return self._still_with(_poses(mover.rest_during(start, end) for mover in self.movers))

    def passages_at(self, time: float, horizon: float) -> Still:
        """Return what closes a way at a time: movers where they rest, or will come to rest within a horizon [s]."""
        start, end = self._frame(time), self._frame(time + horizon)
        return self._still_with(_poses(mover.rest_ahead(start, end) for mover in self.movers))

    def for_good(self, time: float, horizon: float) -> Still:
        """Return what stands until the last frame, or comes to rest for so long, and will not open to who waits."""
        start, end = self._frame(time), self._frame(time + horizon)
        rests = [mover.rest_ahead(start, end) for mover in self.movers]
        lasting = [rest if rest is not None and rest.end >= self._last_frame else None for rest in rests]
        return self._still_with(_poses(lasting))

    def opens_after_the_end(self, name: str) -> int | None:
        """Return at which frame, after the last one, a mover of this name stirs first; None for never."""
        rests = [rest for mover in self.movers if mover.obstacle.name == name for rest in mover.rests]
        frames = [rest.end for rest in rests if self._last_frame <= rest.end < np.inf]
        return int(min(frames)) if frames else None

    def closed_until(self, points: Float64, begin: float, end: float) -> float:
        """Return since when, from a time on, no mover has been at any of some places.

        Args:
            points: float64 (N, 2) [m].
            begin: from when on it is looked, frame by frame [s].
            end: until when [s]; there they are free.
        """
        frame_time = 1.0 / self._frames_per_second
        for back in range(1, int((end - begin) / frame_time) + 1):
            time = end - back * frame_time
            for mover in self.movers:
                own = mover.pose_at(self._frame(time)).to_own(points)
                if (mover.shape.signed_distance(own, AT) < AT).any():
                    return time + frame_time
        return begin

    def orca_obstacles(self, time: float, dt: float, points: Float64, reach: Float64) -> orca.ObstacleSegments:
        """Return all obstacles as avoidance sees them at a time: in place, with the velocity of each corner.

        Args:
            time: [s].
            dt: of the step that follows [s].
            points: float64 (N, 2), from where they are looked at [m].
            reach: float64 (N,), and how far at most [m].
        """
        if self.notes is not None:
            self.notes.note(points, reach)
        rings: list[Float64] = []
        velocities: list[Float64] = []
        if self.vehicles is not None:
            rings += list(self.vehicles.boxes.corners())
            velocities += list(self.vehicles.velocity)
        if not (self.movers or rings):
            return self._edges
        for mover in self.movers:
            now, soon = mover.pose_at(self._frame(time)), mover.pose_at(self._frame(time + dt))
            for ring in _rings(mover.obstacle):
                here = now.to_world(ring)
                rings.append(here)
                velocities.append((soon.to_world(ring) - here) / dt)
        return self._edges.with_moving(rings, velocities)

    def moving_within(self, time: float, horizon: float) -> list[Mover]:
        """Return the movers that do not rest all the while from a time on [s]."""
        start, end = self._frame(time), self._frame(time + horizon)
        return [mover for mover in self.movers if mover.rest_during(start, end) is None]

    def pose_of(self, mover: Mover, time: float) -> Pose:
        """Return where a mover is at a time [s]."""
        return mover.pose_at(self._frame(time))

    def is_free(
        self, points: Float64, radius: float | Float64, time: float, *, heroes: bool = True
    ) -> NDArray[np.bool_]:
        """Return bool (N,), where discs, all alike or (N,), touch neither obstacles nor heroes at a time [m, s]."""
        return self.clearance(points, time, float(np.max(radius, initial=0.0)), heroes=heroes) >= radius

    def clearance(self, points: Float64, time: float, at_most: float = np.inf, *, heroes: bool = True) -> Float64:
        """Return float64 (N,), signed distances to all obstacles and heroes as they stand at a time [m].

        Args:
            points: float64 (N, 2) [m].
            time: [s].
            at_most: farther than this need not be known [m].
            heroes: whether heroes count.
        """
        distance = self.still.field.signed_distance(points, at_most)
        if heroes:
            distance = np.minimum(distance, self.heroes.distance(points, time))
        for mover in self.movers:
            own = mover.pose_at(self._frame(time)).to_own(points)
            distance = np.minimum(distance, mover.shape.signed_distance(own))
        if self.vehicles is not None:
            distance = np.minimum(distance, self.vehicles.distance(points))
        return distance

    def push_out(self, points: Float64, radius: Float64, time: float) -> Float64:
        """Return points moved out of all obstacles, so that discs of these radii touch none.

        Where there is less room than the disc needs, the disc stays in the last obstacle's way; the report tells.

        Args:
            points: float64 (N, 2), [m].
            radius: float64 (N,), [m].
            time: [s].
        """
        moved = _out_of(self.still.field, points, radius)
        for mover in self.movers:
            pose = mover.pose_at(self._frame(time))
            moved = pose.to_world(_out_of(mover.shape, pose.to_own(moved), radius))
        if self.vehicles is not None:
            moved = self.vehicles.push_out(moved, radius)
        return _out_of(self.still.field, moved, radius) if self.movers or self.vehicles is not None else moved


def _out_of(field: Distances, points: Float64, radius: Float64, rounds: int = 3) -> Float64:
    """Return points moved along the shortest way out of a field; several rounds for corners between two walls."""
    moved = points
    for _ in range(rounds):
        signed = field.signed_distance(moved, float(radius.max(initial=0.0)))
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


def _rings(obstacle: Obstacle) -> list[Float64]:
    """Return an obstacle's outline and holes, solid on the left of each edge."""
    rings = [_turning(obstacle.outline, counter_clockwise=True)]
    return rings + [_turning(hole, counter_clockwise=False) for hole in obstacle.holes]


def _turning(ring: Float64, *, counter_clockwise: bool) -> Float64:
    return ring if (signed_area(ring) > 0) == counter_clockwise else ring[::-1]
