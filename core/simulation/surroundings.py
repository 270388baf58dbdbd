# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands and what moves round the people, at any time of the simulation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..geometry.distance_field import ObstacleField
from ..geometry.segments import signed_area
from ..routing import CorridorMap
from ..scene import Motion, Obstacle, Scene
from ..steering import orca

Float64 = NDArray[np.float64]

MOST_STILLS = 16
"""So many states of what stands, each with its grid and map, are kept."""

BOUNDS_MARGIN = 5.0
"""Free ground round everything where the scene names no bounds [m]."""


@dataclass(frozen=True)
class Pose:
    """Where a moving obstacle's own axes lie: origin `x`, `y` [m] and `yaw` [rad]."""

    x: float
    y: float
    yaw: float

    def to_world(self, points: Float64) -> Float64:
        """Points (N, 2) of the obstacle's own axes in the world."""
        cos, sin = np.cos(self.yaw), np.sin(self.yaw)
        x, y = points[:, 0], points[:, 1]
        return np.stack([self.x + x * cos - y * sin, self.y + x * sin + y * cos], axis=1)

    def to_own(self, points: Float64) -> Float64:
        """Points (N, 2) of the world in the obstacle's own axes."""
        cos, sin = np.cos(self.yaw), np.sin(self.yaw)
        x, y = points[:, 0] - self.x, points[:, 1] - self.y
        return np.stack([x * cos + y * sin, y * cos - x * sin], axis=1)


def pose_at(obstacle: Obstacle, frame: float) -> Pose:
    """Return the pose of a moving obstacle at a frame, linear between its keys and held outside them."""
    motion = obstacle.motion
    if motion is None:
        return Pose(0.0, 0.0, 0.0)
    return Pose(*(float(np.interp(frame, motion.frames, values)) for values in (motion.x, motion.y, motion.yaw)))


def bounds_of(scene: Scene) -> Float64:
    """Return the polygon that nobody leaves: the scene's own, or the box round everything with a margin."""
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
    (x0, y0), (x1, y1) = everything.min(axis=0) - margin, everything.max(axis=0) + margin
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


@dataclass(frozen=True, eq=False)
class Still:
    """What does not move: distances to it, and the map of the ground between.

    Attributes:
        polygons: pairs of an outline, float64 (V, 2), and its holes [m].
        walls: open lines, float64 (W, 2) each [m].
        bounds: float64 (B, 2), what nobody leaves [m].
    """

    polygons: list[tuple[Float64, tuple[Float64, ...]]]
    walls: tuple[Float64, ...]
    bounds: Float64

    @cached_property
    def field(self) -> ObstacleField:
        """Distances to all of it."""
        return ObstacleField(self.polygons, [*self.walls, np.concatenate([self.bounds, self.bounds[:1]])])

    @cached_property
    def corridors(self) -> CorridorMap:
        """The corridor map, made when somebody first needs a way.

        Raises:
            FootfallError: a package that the map is built with is missing.
        """
        return CorridorMap(self.polygons, self.bounds, walls=self.walls)


class _Moves:
    """When a motion changes the pose."""

    def __init__(self, motion: Motion) -> None:
        poses = np.stack([motion.x, motion.y, motion.yaw])
        changes = (np.diff(poses, axis=1) != 0.0).any(axis=0)
        self._frames = motion.frames
        self._before = np.concatenate([[0], np.cumsum(changes)])  # how many intervals of change before each key

    def within(self, start: float, end: float) -> bool:
        """Tell whether the pose changes between two frames."""
        first = max(int(np.searchsorted(self._frames, start, side="right")) - 1, 0)
        last = int(np.searchsorted(self._frames, end, side="left"))
        return bool(self._before[min(last, len(self._before) - 1)] > self._before[first])


class Surroundings:
    """The obstacles, walls and bounds of a scene, as the planner, avoidance and contacts want them."""

    def __init__(self, scene: Scene) -> None:
        bounds = _turning(bounds_of(scene), counter_clockwise=True)
        self._frames_per_second = scene.fps
        self._first_frame = scene.frames[0]
        self._moving = [obstacle for obstacle in scene.obstacles if obstacle.motion is not None]
        self._shapes = [ObstacleField([(obstacle.outline, obstacle.holes)]) for obstacle in self._moving]
        self._moves = [_Moves(obstacle.motion) for obstacle in scene.obstacles if obstacle.motion is not None]
        self._standing = [obstacle for obstacle in scene.obstacles if obstacle.motion is None]
        self._walls, self._bounds = scene.walls, bounds
        self._stills: dict[tuple[tuple[int, Pose], ...], Still] = {}
        self.still = self._still_with(())
        rings = [ring for obstacle in self._standing for ring in _rings(obstacle)]
        self._edges = orca.prepare_obstacles([*rings, bounds[::-1]], walls=scene.walls)

    def _frame(self, time: float) -> float:
        return self._first_frame + time * self._frames_per_second

    def _still_with(self, resting: tuple[tuple[int, Pose], ...]) -> Still:
        """Return all that never moves, and moving obstacles that rest at a pose."""
        if resting not in self._stills:
            if len(self._stills) > MOST_STILLS:  # doors that open and close make ever new ones: the oldest goes
                del self._stills[next(key for key in self._stills if key)]
            polygons = [(obstacle.outline, obstacle.holes) for obstacle in self._standing]
            for number, pose in resting:
                obstacle = self._moving[number]
                holes = tuple(pose.to_world(hole) for hole in obstacle.holes)
                polygons.append((pose.to_world(obstacle.outline), holes))
            self._stills[resting] = Still(polygons, self._walls, self._bounds)
        return self._stills[resting]

    def still_at(self, time: float, horizon: float) -> Still:
        """Return what stands still from a time on for as long as a plan reaches [s]."""
        start, end = self._frame(time), self._frame(time + horizon)
        resting = [
            (number, pose_at(obstacle, start))
            for number, (obstacle, moves) in enumerate(zip(self._moving, self._moves, strict=True))
            if not moves.within(start, end)
        ]
        return self._still_with(tuple(resting))

    def orca_obstacles(self, time: float, dt: float) -> orca.ObstacleSegments:
        """Return all obstacles as avoidance sees them at a time: in place, with the velocity of each corner."""
        if not self._moving:
            return self._edges
        rings, velocities = [], []
        for obstacle in self._moving:
            now, soon = pose_at(obstacle, self._frame(time)), pose_at(obstacle, self._frame(time + dt))
            for ring in _rings(obstacle):
                here = now.to_world(ring)
                rings.append(here)
                velocities.append((soon.to_world(ring) - here) / dt)
        return self._edges.with_moving(rings, velocities)

    def clearance(self, points: Float64, time: float) -> Float64:
        """Return float64 (N,), signed distances to all obstacles as they stand at a time [m]."""
        distance = self.still.field.signed_distance(points)
        for obstacle, shape in zip(self._moving, self._shapes, strict=True):
            own = pose_at(obstacle, self._frame(time)).to_own(points)
            distance = np.minimum(distance, shape.signed_distance(own))
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
        for obstacle, shape in zip(self._moving, self._shapes, strict=True):
            pose = pose_at(obstacle, self._frame(time))
            moved = pose.to_world(_out_of(shape, pose.to_own(moved), radius))
        return _out_of(self.still.field, moved, radius) if self._moving else moved


def _out_of(field: ObstacleField, points: Float64, radius: Float64, rounds: int = 3) -> Float64:
    """Return points moved along the shortest way out of a field; several rounds for corners between two walls."""
    moved = points
    for _ in range(rounds):
        signed = field.signed_distance(moved)
        inside = signed < radius
        if not inside.any():
            break
        distance, closest = field.nearest(moved[inside])
        away = (moved[inside] - closest) * np.sign(signed[inside])[:, None]
        unit = np.where(distance[:, None] > 1e-9, away / np.maximum(distance, 1e-9)[:, None], (1.0, 0.0))
        moved = moved.copy()
        moved[inside] = closest + unit * (radius[inside] + 1e-6)[:, None]
    return moved


def _rings(obstacle: Obstacle) -> list[Float64]:
    """Return an obstacle's outline and holes, solid on the left of each edge."""
    rings = [_turning(obstacle.outline, counter_clockwise=True)]
    return rings + [_turning(hole, counter_clockwise=False) for hole in obstacle.holes]


def _turning(ring: Float64, *, counter_clockwise: bool) -> Float64:
    return ring if (signed_area(ring) > 0) == counter_clockwise else ring[::-1]
