# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies as the report measures them: discs of people and boxes of vehicles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.boxes import Boxes, disc_depth, overlap_depth
from ..geometry.distance_field import ObstacleField
from ..geometry.reproducible_math import cos_sin
from ..scene import Motion, Scene
from ..trajectories import Trajectories


@dataclass(frozen=True, eq=False)
class BodyShapes:
    """N bodies at one moment.

    Attributes:
        position: float64 (N, 2) [m].
        radius: float64 (N,), of discs [m].
        boxes: all as boxes; those of discs have no size.
    """

    position: Float64
    radius: Float64
    boxes: Boxes

    @classmethod
    def at(cls, t: Trajectories, row: Int64, agents: Int64) -> BodyShapes:
        """The bodies of some agents, int64 (N,), each at its own frame, `row` int64 (N,)."""
        position, size = t.position[row, agents, :2], t.box[agents]
        return cls(position, t.radius[agents], Boxes.of(position, t.heading[row, agents], size[:, 0], size[:, 1]))

    @property
    def has_corners(self) -> Bool:
        """Bool (N,), which are boxes."""
        return self.boxes.half_length > 0.0

    @property
    def reach(self) -> Float64:
        """Largest extent of each from its centre, float64 (N,) [m]."""
        return np.where(self.has_corners, np.hypot(self.boxes.half_length, self.boxes.half_width), self.radius)

    def overlap(self, first: Int64, second: Int64) -> Float64:
        """Depth to which bodies overlap, pair by pair, float64 (M,); negative where they do not touch [m]."""
        apart = self.position[first] - self.position[second]
        depth = self.radius[first] + self.radius[second] - np.hypot(apart[:, 0], apart[:, 1])
        one, other = self.has_corners[first], self.has_corners[second]
        both = one & other
        depth[both] = overlap_depth(self.boxes.take(first[both]), self.boxes.take(second[both]))
        for box, disc, mixed in ((first, second, one & ~other), (second, first, other & ~one)):
            depth[mixed] = disc_depth(self.boxes.take(box[mixed]), self.position[disc[mixed]], self.radius[disc[mixed]])
        return depth


def box_depths(t: Trajectories, scene: Scene, agents: Int64, spacing: float) -> Float64:
    """Depth to which boxes reach into obstacles and walls.

    Args:
        t: whose agents.
        scene: whose obstacles, where they are at each frame.
        agents: int64 (B,), those with boxes.
        spacing: distance between tested points along an edge [m].

    Returns:
        float64 (F, B), 0 where they touch none [m].
    """
    depth = np.zeros((len(t.frames), len(agents)))
    row, column = np.nonzero(t.present[:, agents])
    if not len(row):
        return depth
    who = agents[column]
    position = t.position[row, who, :2]
    size = t.box[who]
    boxes = Boxes.of(position, t.heading[row, who], size[:, 0], size[:, 1])
    reach = float(np.hypot(size[:, 0], size[:, 1]).max()) / 2
    standing = [(each.outline, each.holes) for each in scene.obstacles if each.motion is None]
    deepest = _depth_in(ObstacleField(standing, scene.walls), position, boxes, reach, spacing)
    for obstacle in scene.obstacles:
        if obstacle.motion is not None:
            own = in_own_axes(position, obstacle.motion, t.frames[row])
            yaw = np.interp(t.frames[row], obstacle.motion.frames, obstacle.motion.yaw)
            turned = Boxes.of(own, t.heading[row, who] - yaw, size[:, 0], size[:, 1])
            field = ObstacleField([(obstacle.outline, obstacle.holes)])
            deepest = np.maximum(deepest, _depth_in(field, own, turned, reach, spacing))
    depth[row, column] = deepest
    return depth


def _depth_in(field: ObstacleField, position: Float64, boxes: Boxes, reach: float, spacing: float) -> Float64:
    """Depth to which the edges of boxes reach into the obstacles of a field, float64 (N,), 0 where outside [m]."""
    deepest = np.zeros(len(position))
    near = np.flatnonzero(field.signed_distance(position, at_most=reach) < reach)
    if not len(near):
        return deepest
    corners = boxes.take(near).corners()
    longest = 2.0 * float(max(boxes.half_length.max(), boxes.half_width.max()))
    shares = np.linspace(0.0, 1.0, int(np.ceil(longest / spacing)) + 1)[:-1, None]
    for corner in range(4):
        start, end = corners[:, None, corner], corners[:, None, (corner + 1) % 4]
        places = start + shares * (end - start)
        inside = -field.signed_distance(places.reshape(-1, 2), at_most=reach)
        deepest[near] = np.maximum(deepest[near], inside.reshape(len(near), -1).max(axis=1))
    return deepest


def in_own_axes(points: Float64, motion: Motion, frames: Int64) -> Float64:
    """Return points, each at its own frame, in the axes of a moving obstacle."""
    x, y, yaw = (np.interp(frames, motion.frames, values) for values in (motion.x, motion.y, motion.yaw))
    cos, sin = cos_sin(yaw)
    east, north = points[:, 0] - x, points[:, 1] - y
    return np.stack((east * cos + north * sin, north * cos - east * sin), axis=1)
