# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose to stand in, made of a walk, for those who have no clip for standing and no body like ours.

The mean of a walk has all feet side by side and the arms at the sides, or the four legs under the body; it is lowered
as far as that leaves the feet above the ground.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ....core.array_types import Float64
from ...blender_data import animation, nla_strips
from ...blender_data.evaluation import evaluation_scene
from ...blender_data.fcurves import Channel
from ..clips.clips import WalkCycle
from ..clips.joints import read_joints
from ..legs.bone_legs import turn_to_world

_MOMENTS = 48
"""In which the walk is checked; chosen."""


def make_standing(
    walk: WalkCycle, *, name: str, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> WalkCycle:
    """Make a clip of one pose in which a character stands.

    Args:
        walk: its walk.
        name: of the character.
        armature: a copy of its armature, without animation.
        mover: a copy of the object that moves it, at the world's origin; may be the same.
        scene: provides frame rate and units.
    """
    frames = np.array([0.0, max(walk.length, 1.0)])
    means = _means(walk)
    channels = [Channel(path, axis, frames, [value] * 2) for (path, axis), value in means.items()]
    clip = animation.new_clip(f"{name} idle", channels, group="Footfall")
    cycle = WalkCycle(clip.action.name, clip, is_copy=True, length=float(frames[1]))
    floor, low = (
        float(_joints(each, count, armature, mover, scene)[..., 2].min())
        for each, count in ((walk, _MOMENTS), (cycle, 1))
    )
    lowered = _lowered(means, low - floor, frames, armature=armature, mover=mover)
    animation.add_channels(clip, lowered, group="Footfall")
    clip.action.use_frame_range = clip.action.use_cyclic = True
    clip.action.frame_start, clip.action.frame_end = frames.tolist()
    return cycle


def _means(walk: WalkCycle) -> dict[tuple[str, int], float]:
    """Return the mean of each F-curve over a cycle, by data path and component; quaternions have the length 1."""
    moments = np.linspace(0.0, walk.length, _MOMENTS, endpoint=False).tolist()
    found: dict[str, dict[int, Float64]] = {}
    for curve in animation.curves_of(walk.clip):
        values = np.array([curve.evaluate(moment) for moment in moments])
        found.setdefault(curve.data_path, {})[curve.array_index] = values
    means: dict[tuple[str, int], float] = {}
    for path, parts in found.items():
        values = np.stack(list(parts.values()))
        if path.endswith("rotation_quaternion") and len(parts) == 4:
            values = values * np.where(values[:, :1].T @ values < 0.0, -1.0, 1.0)  # the same turns
            values = values / max(float(np.linalg.norm(values.mean(axis=1))), 1e-9)
        means |= {(path, axis): float(value) for axis, value in zip(parts, values.mean(axis=1), strict=True)}
    return means


def _joints(
    cycle: WalkCycle, count: int, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> Float64:
    nla_strips.play_once(armature, cycle.clip, count, 0.0, cycle.length)
    try:
        with evaluation_scene(scene, remapped=False) as evaluation:
            return read_joints(map(evaluation.watch(mover, armature), range(count)))
    finally:
        nla_strips.take_off(armature)


def _lowered(
    means: dict[tuple[str, int], float],
    drop: float,
    frames: Float64,
    *,
    armature: bpy.types.Object,
    mover: bpy.types.Object,
) -> list[Channel]:
    """Return the locations of the bones that carry all others, lower by a distance in the world."""
    data: Any = armature.data
    to_world = np.array(turn_to_world(mover, armature), dtype=np.float64)[:3, :3]
    channels = []
    for bone in data.bones:
        if bone.parent is None:
            axes = to_world @ np.array(bone.matrix_local, dtype=np.float64)[:3, :3]
            path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].location'
            place = [means.get((path, axis), 0.0) for axis in range(3)] - np.linalg.inv(axes)[:, 2] * drop
            channels += [Channel(path, axis, frames, [place[axis]] * 2) for axis in range(3)]
    return channels
