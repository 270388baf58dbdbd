# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles that move: where they are at each frame, told by as few frames as suffice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.geometry.reproducible_math import arctan2, cos_sin, length, matrix_product, pseudo_inverse
from ...core.scene import Motion
from ..blender_data.evaluation import reading_room
from ..blender_data.nla_strips import plays_anything
from .shapes.simplify import needed_samples

Float64 = NDArray[np.float64]

_STILL = 1e-4  # [m] and [rad]: less is no motion, and what frames left out may be wrong by
_RIGID = 0.02  # share of its size by which a moving obstacle may be deformed before the user is told


@dataclass(frozen=True, eq=False)
class Path:
    """How an object moves over the frames.

    Attributes:
        motion: its place and turn in plan [m, rad]; None where it keeps both and only rises, tilts or is deformed.
        turns_upright: it only slides and turns; otherwise it tilts, leans or changes its size as well.
        rise: float64 (F,), its height at each frame [m].
        places: float64 (F, 2), its place at each frame [m].
    """

    motion: Motion | None
    turns_upright: bool
    rise: Float64
    places: Float64


def to_own_axes(points: Float64, motion: Motion) -> Float64:
    """Points as a moving object sees them at the first frame.

    Args:
        points: float64 (N, 2), in the world [m].
        motion: how the object moves.

    Returns:
        float64 (N, 2), in its own axes about its own origin [m].
    """
    cos, sin = cos_sin(motion.yaw[0])
    return matrix_product(points - (motion.x[0], motion.y[0]), np.array([[cos, -sin], [sin, cos]]))


def could_move(source: bpy.types.Object) -> bool:
    """Whether anything is set that may move an object: keys, NLA, drivers, constraints, or parents that have such.

    Args:
        source: any object.

    Returns:
        False only if it is sure to stand still.
    """
    holder: bpy.types.Object | None = source
    while holder is not None:
        data = holder.animation_data
        if data is not None and (plays_anything(data) or data.drivers):
            return True
        if holder.constraints or (holder.parent is not None and holder.parent_type != "OBJECT"):
            return True
        holder = holder.parent
    return False


def unseen_motion(source: bpy.types.Object, scene: bpy.types.Scene) -> str:
    """Why an object may move in the animation without moving where it is read.

    Args:
        source: any object.
        scene: that it is animated in.

    Returns:
        What moves it, or "" where everything that moves it is seen.
    """
    holder: bpy.types.Object | None = source
    while holder is not None:
        body = holder.rigid_body
        if body is not None and body.type == "ACTIVE" and not body.kinematic:
            return "the rigid body simulation"
        data = holder.animation_data
        for curve in data.drivers if data is not None else ():
            if any(target.id == scene for variable in curve.driver.variables for target in variable.targets):
                return f"a driver that looks at the scene '{scene.name}' (a driver can use 'frame' by itself)"
        holder = holder.parent
    return ""


def read_paths(
    scene: bpy.types.Scene, sources: Iterable[bpy.types.Object], frames: Sequence[int], scale: float
) -> dict[bpy.types.Object, Path]:
    """How objects move, all in one sweep over the frames.

    Args:
        scene: whose settings hold.
        sources: objects, of which those that cannot move cost nothing.
        frames: frame numbers, growing.
        scale: metres per Blender unit.

    Returns:
        For each object that does not stand still how it moves. Where Blender gives no finite place, it counts as still.
    """
    movable = [source for source in sources if could_move(source)]
    if not movable:
        return {}
    matrices = np.empty((len(movable), len(frames), 4, 4))
    with reading_room(scene) as room:
        followers = [room.follow(source) for source in movable]
        for row, frame in enumerate(frames):
            graph = room.evaluate(frame)
            for matrix, follower in zip(matrices, followers, strict=True):
                matrix[row] = np.array(follower.evaluated_get(graph).matrix_world)
    paths = zip(movable, (make_path(matrix, frames, scale) for matrix in matrices), strict=True)
    return {source: path for source, path in paths if path is not None}


def make_path(matrices: Float64, frames: Sequence[int], scale: float) -> Path | None:
    """How something moves that is at these places at these frames.

    Args:
        matrices: float64 (F, 4, 4), its world matrix at each frame.
        frames: F frame numbers, growing.
        scale: metres per Blender unit.

    Returns:
        The path, or None where it stands still or has no finite place.
    """
    if not np.all(np.isfinite(matrices)):
        return None
    axes = matrices[:, :3, :3]
    since_start = matrix_product(axes, pseudo_inverse(axes[0]))  # an object scaled flat has no inverse
    turn = np.unwrap(arctan2(since_start[:, 1, 0] - since_start[:, 0, 1], since_start[:, 0, 0] + since_start[:, 1, 1]))
    places = matrices[:, :2, 3] * scale
    rise = matrices[:, 2, 3] * scale
    motion = _motion_in_plan(np.asarray(frames, dtype=np.float64), places, _facing(axes[0]) + turn)
    turns_upright = _turns_upright(since_start, turn)
    if motion is None and turns_upright and np.ptp(rise) <= _STILL:
        return None
    return Path(motion, turns_upright, rise, places)


def _motion_in_plan(frames: Float64, places: Float64, yaw: Float64) -> Motion | None:
    poses = np.column_stack([places, yaw])
    if np.abs(poses - poses[0]).max() <= _STILL:
        return None
    rows = needed_samples(frames, poses, _STILL)
    x, y, turned = poses[rows].T.copy()
    return Motion(frames=frames[rows], x=x, y=y, yaw=turned)


def _facing(axes: Float64) -> float:
    """Which way the x axis points in plan [rad]; 0 where it points up or down."""
    x_axis = axes[:, 0]
    level = np.hypot(x_axis[0], x_axis[1]) > 0.1 * length(x_axis)
    return float(arctan2(x_axis[1], x_axis[0])) if level else 0.0


def _turns_upright(since_start: Float64, turn: Float64) -> bool:
    cos, sin = cos_sin(turn)
    in_plan = np.stack([np.stack([cos, -sin], axis=-1), np.stack([sin, cos], axis=-1)], axis=-2)  # (F, 2, 2)
    change = np.abs(since_start[:, :2, :2] - in_plan).max()
    lean = max(np.abs(since_start[:, :2, 2]).max(), np.abs(since_start[:, 2, :2]).max())
    return bool(max(change, lean) <= _RIGID)
