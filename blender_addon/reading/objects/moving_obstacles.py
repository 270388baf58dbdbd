# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of obstacles and heroes: their pose at each frame, reduced to the samples that are needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import arctan2, cos_sin, length, matrix_product, pseudo_inverse
from ....core.scene import Motion
from ...blender_data.evaluation import evaluation_scene
from ...blender_data.nla_strips import plays_anything
from ..shapes.simplify import needed_samples


@dataclass(frozen=True)
class MotionReadSettings:
    """How motion of objects is read.

    Attributes:
        tolerance: less is no motion; also the largest error of interpolation [m, rad]; chosen: 0.1 mm is invisible.
        pinned_tolerance: the same for pinned characters [m]; chosen: their keys are in single precision.
        rigid_share: deformation relative to its size, or tilt, above which a moving obstacle is reported; chosen.
        bodiless_radius: radius of a hero without geometry, an empty or a camera [m]; chosen: that of a pedestrian.
    """

    tolerance: float = 1e-4
    pinned_tolerance: float = 1e-3
    rigid_share: float = 0.02
    bodiless_radius: float = 0.3


MOTION_SETTINGS = MotionReadSettings()


@dataclass(frozen=True, eq=False)
class Path:
    """The motion of an object over the frames.

    Attributes:
        motion: position and yaw in plan [m, rad]; None where both are constant and it only rises, tilts or deforms.
        turns_upright: it only translates and turns about the vertical; False: it also tilts or changes its size.
        rise: float64 (F,), height at each frame [m].
        places: float64 (F, 2), position at each frame [m].
    """

    motion: Motion | None
    turns_upright: bool
    rise: Float64
    places: Float64


def to_own_axes(points: Float64, motion: Motion) -> Float64:
    """Transform points into the axes that a moving object has at the first frame.

    Args:
        points: float64 (N, 2), in the world [m].
        motion: of the object.

    Returns:
        float64 (N, 2), in its own axes relative to its origin [m].
    """
    cos, sin = cos_sin(motion.yaw[0])
    return matrix_product(points - (motion.x[0], motion.y[0]), np.array([[cos, -sin], [sin, cos]]))


def could_move(source: bpy.types.Object) -> bool:
    """Whether anything may move an object: keys, NLA, drivers, constraints, or parents with any of these.

    Args:
        source: any object.

    Returns:
        False only if the object cannot move.
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
    """Return what moves an object in the animation although its motion cannot be read.

    Args:
        source: any object.
        scene: in which it is animated.

    Returns:
        What moves it; "" where all of its motion can be read.
    """
    holder: bpy.types.Object | None = source
    while holder is not None:
        body = holder.rigid_body
        if body is not None and body.type == "ACTIVE" and not body.kinematic:
            return "the rigid body simulation"
        data = holder.animation_data
        for curve in data.drivers if data is not None else ():
            if any(target.id == scene for variable in curve.driver.variables for target in variable.targets):
                return f"a driver that depends on the scene '{scene.name}' (drivers can use 'frame' directly)"
        holder = holder.parent
    return ""


def read_paths(
    scene: bpy.types.Scene, sources: Iterable[bpy.types.Object], frames: Sequence[int], scale: float
) -> dict[bpy.types.Object, Path]:
    """Read the motion of objects in one pass over the frames.

    Args:
        scene: provides frame rate and units.
        sources: objects; those that cannot move cost nothing.
        frames: frame numbers, increasing.
        scale: metres per Blender unit.

    Returns:
        The motion of each object that moves. One whose matrices are not finite counts as static.
    """
    movable = [source for source in sources if could_move(source)]
    if not movable:
        return {}
    matrices = np.empty((len(movable), len(frames), 4, 4))
    with evaluation_scene(scene) as evaluation:
        followers = [evaluation.follow(source) for source in movable]
        for row, frame in enumerate(frames):
            graph = evaluation.evaluate(frame)
            for matrix, follower in zip(matrices, followers, strict=True):
                matrix[row] = np.array(follower.evaluated_get(graph).matrix_world)
    paths = zip(movable, (make_path(matrix, frames, scale) for matrix in matrices), strict=True)
    return {source: path for source, path in paths if path is not None}


def make_path(matrices: Float64, frames: Sequence[int], scale: float) -> Path | None:
    """Make the motion of an object from its matrices.

    Args:
        matrices: float64 (F, 4, 4), its world matrix at each frame.
        frames: F frame numbers, increasing.
        scale: metres per Blender unit.

    Returns:
        The motion, or None where it is static or its matrices are not finite.
    """
    if not np.all(np.isfinite(matrices)):
        return None
    axes = matrices[:, :3, :3]
    since_start = matrix_product(axes, pseudo_inverse(axes[0]))  # the matrix of an object scaled to zero has no inverse
    turn = np.unwrap(arctan2(since_start[:, 1, 0] - since_start[:, 0, 1], since_start[:, 0, 0] + since_start[:, 1, 1]))
    places = matrices[:, :2, 3] * scale
    rise = matrices[:, 2, 3] * scale
    motion = _motion_in_plan(np.asarray(frames, dtype=np.float64), places, _facing(axes[0]) + turn)
    turns_upright = _turns_upright(since_start, turn)
    if motion is None and turns_upright and np.ptp(rise) <= MOTION_SETTINGS.tolerance:
        return None
    return Path(motion, turns_upright, rise, places)


def _motion_in_plan(frames: Float64, places: Float64, yaw: Float64) -> Motion | None:
    poses = np.column_stack([places, yaw])
    if np.abs(poses - poses[0]).max() <= MOTION_SETTINGS.tolerance:
        return None
    rows = needed_samples(frames, poses, MOTION_SETTINGS.tolerance)
    x, y, turned = poses[rows].T.copy()
    return Motion(frames=frames[rows], x=x, y=y, yaw=turned)


def _facing(axes: Float64) -> float:
    """Return the direction of the x axis in plan [rad]; 0 where it points up or down."""
    x_axis = axes[:, 0]
    level = length(x_axis[:2]) > 0.1 * length(x_axis)
    return float(arctan2(x_axis[1], x_axis[0])) if level else 0.0


def _turns_upright(since_start: Float64, turn: Float64) -> bool:
    cos, sin = cos_sin(turn)
    in_plan = np.stack([np.stack([cos, -sin], axis=-1), np.stack([sin, cos], axis=-1)], axis=-2)  # (F, 2, 2)
    change = np.abs(since_start[:, :2, :2] - in_plan).max()
    lean = max(np.abs(since_start[:, :2, 2]).max(), np.abs(since_start[:, 2, :2]).max())
    return bool(max(change, lean) <= MOTION_SETTINGS.rigid_share)
