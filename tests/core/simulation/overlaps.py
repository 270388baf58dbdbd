# SPDX-License-Identifier: GPL-3.0-or-later
"""How deep bodies are in each other and in obstacles, by plain geometry: no code of the simulation or of the report."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.scene import Obstacle, Scene
from core.trajectories import Trajectories

Float64 = NDArray[np.float64]


class Overlap(NamedTuple):
    """The deepest overlap of a run: of whom (indices, or a person and the name of an obstacle), when, and where."""

    depth: float
    frame: int
    who: int
    what: int | str
    where: tuple[float, float]


NONE = Overlap(0.0, -1, -1, -1, (0.0, 0.0))


def overlaps_of_people(made: Trajectories) -> Float64:
    """Return float64 (F, A, A), how deep two people reach into each other at a frame [m]; 0 with vehicles."""
    place = made.position[..., :2]
    radius = np.where(made.box[:, 0] > 0.0, -np.inf, made.radius)
    depth = np.zeros((len(place), len(radius), len(radius)))
    for frame, here in enumerate(place):
        apart = np.hypot(*(here[:, None] - here[None]).transpose(2, 0, 1))
        depth[frame] = np.nan_to_num(np.maximum(radius[:, None] + radius[None] - apart, 0.0), nan=0.0, neginf=0.0)
        np.fill_diagonal(depth[frame], 0.0)
    return depth


def deepest_between_people(made: Trajectories) -> Overlap:
    """Return the deepest overlap of two people."""
    depth = overlaps_of_people(made)
    if depth.size == 0 or depth.max() <= 0.0:
        return NONE
    frame, who, other = np.unravel_index(depth.argmax(), depth.shape)
    where = made.position[frame, who, :2]
    return Overlap(float(depth.max()), int(made.frames[frame]), int(who), int(other), (where[0], where[1]))


def deepest_in_obstacles(made: Trajectories, scene: Scene) -> Overlap:
    """Return the deepest overlap of a person with an obstacle, wherever it is at that frame."""
    worst = NONE
    on_foot = made.box[:, 0] == 0.0
    for obstacle in scene.obstacles:
        for index, frame in enumerate(made.frames):
            rings = rings_at(obstacle, float(frame))
            depth = made.radius - signed_distance(rings, made.position[index, :, :2])
            depth = np.where(made.present[index] & on_foot, depth, -np.inf)
            if depth.size and depth.max() > worst.depth:
                who = int(depth.argmax())
                x, y = made.position[index, who, :2]
                worst = Overlap(float(depth[who]), int(frame), who, obstacle.name, (float(x), float(y)))
    return worst


def rings_at(obstacle: Obstacle, frame: float) -> list[Float64]:
    """Return the outline and holes of an obstacle at a frame, in the world."""
    rings: list[Any] = [obstacle.outline, *obstacle.holes]
    motion = obstacle.motion
    if motion is None:
        return rings
    x, y, yaw = (np.interp(frame, motion.frames, keys) for keys in (motion.x, motion.y, motion.yaw))
    turn = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
    return [ring @ turn + (x, y) for ring in rings]


def signed_distance(rings: list[Float64], points: Float64) -> Float64:
    """Return float64 (N,), distances of points to a polygon with holes, negative inside [m]."""
    nearest = np.full(len(points), np.inf)
    inside = np.zeros(len(points), dtype=bool)
    x, y = points.T
    for ring in rings:
        for start, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            along = end - start
            share = np.clip(((points - start) @ along) / max(along @ along, 1e-30), 0.0, 1.0)
            nearest = np.minimum(nearest, np.hypot(*(start + share[:, None] * along - points).T))
            if start[1] != end[1]:
                crosses = (start[1] > y) != (end[1] > y)
                inside ^= crosses & (x < start[0] + (y - start[1]) * along[0] / along[1])
    return np.where(inside, -nearest, nearest)
