# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles that move: where they are, when they rest, and where they will come to rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.distance_field import ObstacleField
from ...geometry.reproducible_math import cos_sin, length2
from ...scene import Motion, Obstacle

POSE_TOLERANCE = 1e-4
"""A pose that changes by less between two keys, in metres or radians, does not change."""

_POSES_KEPT = 64  # of a mover, at the frames that were asked for last
_ROUNDING = 1.0 + 1e-9  # of squared distances


@dataclass(frozen=True)
class Pose:
    """Where a moving obstacle's own axes lie: origin `x`, `y` [m] and `yaw` [rad]."""

    x: float
    y: float
    yaw: float

    def to_world(self, points: Float64) -> Float64:
        """Points (N, 2) of the obstacle's own axes in the world."""
        cos, sin = cos_sin(self.yaw)
        x, y = points[:, 0], points[:, 1]
        return np.stack([self.x + x * cos - y * sin, self.y + x * sin + y * cos], axis=1)

    def to_own(self, points: Float64) -> Float64:
        """Points (N, 2) of the world in the obstacle's own axes."""
        return _to_own(points, self.x, self.y, self.yaw)


def _to_own(points: Float64, x: Float64 | float, y: Float64 | float, yaw: Float64 | float) -> Float64:
    """Points (N, 2) of the world in axes with this origin and direction, for all points or for each."""
    cos, sin = cos_sin(yaw)
    right, up = points[:, 0] - x, points[:, 1] - y
    return np.stack([right * cos + up * sin, up * cos - right * sin], axis=1)


Resting = tuple[tuple[int, Pose], ...]
"""Movers at rest, by their numbers in a scene, each with the pose that it rests at."""


def pose_at(obstacle: Obstacle, frame: float) -> Pose:
    """Return the pose of a moving obstacle at a frame, linear between its keys and held outside them."""
    motion = obstacle.motion
    if motion is None:
        return Pose(0.0, 0.0, 0.0)
    return Pose(*(float(np.interp(frame, motion.frames, values)) for values in (motion.x, motion.y, motion.yaw)))


@dataclass(frozen=True)
class HeldPose:
    """A `pose` that is kept from frame `start` to frame `end`; -inf and inf where there is no other before or after."""

    start: float
    end: float
    pose: Pose


class Mover:
    """One obstacle that moves.

    Args:
        obstacle: with a motion.
        shortest_rest: see `WorldSettings` [frames].

    Attributes:
        obstacle: the obstacle.
        shape: distances to it, in its own axes.
        rests: when it is at rest, in order of time.
    """

    def __init__(self, obstacle: Obstacle, shortest_rest: float) -> None:
        assert obstacle.motion is not None
        self.obstacle = obstacle
        self.rests = tuple(_rests(obstacle.motion, shortest_rest))
        self.shape = ObstacleField([obstacle.polygon])
        self._low, self._high = obstacle.outline.min(axis=0), obstacle.outline.max(axis=0)
        self._poses: dict[float, Pose] = {}

    def pose_at(self, frame: float) -> Pose:
        """Return where it is at a frame: several times within a step it is asked for the same one."""
        if frame not in self._poses:
            if len(self._poses) >= _POSES_KEPT:
                self._poses.clear()
            self._poses[frame] = pose_at(self.obstacle, frame)
        return self._poses[frame]

    def distance(self, own: Float64, at_most: float) -> Float64:
        """Return float64 (N,), signed distances of points (N, 2) of its own axes, up to a limit; few are near [m]."""
        apart = np.maximum(np.maximum(self._low - own, own - self._high), 0.0)
        near = np.flatnonzero(length2(apart) <= at_most * at_most * _ROUNDING)
        distance = np.full(len(own), at_most)
        if len(near):
            distance[near] = self.shape.signed_distance(own[near], at_most)
        return distance

    def to_own_at(self, frames: Float64 | Int64, points: Float64) -> Float64:
        """Return points (N, 2) of the world in its own axes, as these lie at frames (N,)."""
        motion = self.obstacle.motion
        assert motion is not None
        return _to_own(points, *(np.interp(frames, motion.frames, each) for each in (motion.x, motion.y, motion.yaw)))

    def polygon(self, pose: Pose) -> tuple[Float64, tuple[Float64, ...]]:
        """Return its outline and holes at a pose, in the world [m]."""
        return pose.to_world(self.obstacle.outline), tuple(pose.to_world(hole) for hole in self.obstacle.holes)

    def rest_at(self, frame: float) -> HeldPose | None:
        """Return the rest in which it is at a frame, if there is one; at its last frame it begins to move."""
        return next((rest for rest in self.rests if rest.start <= frame < rest.end), None)

    def rest_ahead(self, frame: float, latest: float) -> HeldPose | None:
        """Return the rest it is in at a frame, else the one that it reaches by `latest`: people anticipate it."""
        return next((rest for rest in self.rests if rest.start <= latest and frame < rest.end), None)


def _rests(motion: Motion, shortest_rest: float) -> Iterable[HeldPose]:
    """The intervals between two changes of the pose that last long enough."""
    poses = np.stack([motion.x, motion.y, motion.yaw], axis=1)
    changes = np.flatnonzero((np.abs(np.diff(poses, axis=0)) > POSE_TOLERANCE).any(axis=1))
    begins = np.concatenate([[0], changes + 1])
    ends = np.concatenate([changes, [len(poses) - 1]])
    for first, last in zip(begins, ends, strict=True):
        start = -np.inf if first == 0 else float(motion.frames[first])
        end = np.inf if last == len(poses) - 1 else float(motion.frames[last])
        if end - start >= shortest_rest:
            yield HeldPose(start, end, Pose(*map(float, poses[first])))
