# SPDX-License-Identifier: GPL-3.0-or-later
"""How characters stand: in a pose made of the walk where nothing better is there, and at their origin.

The mean of a walk has all feet side by side and the arms at the sides, or the four legs under the body; it is lowered
as far as that leaves the feet above the ground. A bake puts the origin of a character on its path: clips in which the
body is elsewhere, or its origin at the hips, are moved there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Float64
from ...blender_data import animation, nla_strips
from ...blender_data.curve_keys import scale_values
from ...blender_data.evaluation import evaluation_scene
from ...blender_data.fcurves import Channel
from ..clips.clips import BELOW_ORIGIN, Clips, WalkCycle
from ..clips.joints import turn_to_world
from ..clips.seen_joints import read_joints
from ..legs.bone_legs import RestPose, leg_bones
from .humanoids import SIDES, Humanoid, find_humanoid

_MOMENTS, _FEW_MOMENTS = 48, 12
"""In which the walk is checked; chosen."""

_SEEN_HOP = 0.01  # of the height: a body that hops less far as it starts is not seen to; chosen
_CARRYING = {"ARMATURE", "CHILD_OF", "COPY_LOCATION", "COPY_TRANSFORMS"}  # constraints that take a bone along
_SAME_WAY = 0.94  # cosine of the angle between ways that are the same, 20 degrees; chosen


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


def stand_at_origin(
    clips: Clips, *, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> Clips:
    """Move clips to the origin in which the body is far from it, and raise those in which feet are far below it.

    Walk and run are also moved to where the body stands in a clip that was made, or it would hop as it starts.

    Args:
        clips: of a character.
        armature: a copy of its armature, without animation.
        mover: a copy of the object that moves it, at the world's origin; may be the same.
        scene: provides frame rate and units.
    """
    moved = {name: cycle for name in ("walk", "idle", "run") if (cycle := getattr(clips, name)) is not None}
    moved |= {
        name: moved_cycle(cycle, -cycle.away, armature, mover)
        for name, cycle in moved.items()
        if cycle.away is not None
    }
    rig = (armature, mover, scene)
    body = find_humanoid(armature, mover) if clips.idle is not None and clips.idle.source is None else None
    if body is not None:
        stands = _place(moved["idle"], body, *rig)
        for name, cycle in moved.items():
            if cycle.source is not None and not cycle.lost:
                way = stands - _place(cycle, body, *rig)
                is_seen = np.linalg.norm(way) > _SEEN_HOP * body.rest.height
                moved[name] = moved_cycle(cycle, way, armature, mover) if is_seen else cycle
    if any(cycle.is_sunk for cycle in moved.values()):
        feet = [each for *_, foot in leg_bones(armature, RestPose.of(armature, mover)) for each in _with_toes(foot)]
        data: Any = armature.data
        joints = [data.bones.find(bone.name) for bone in feet]
        for name, cycle in moved.items() if joints else ():
            low = float(_joints(cycle, _MOMENTS, armature, mover, scene)[:, joints, 2].min())
            if low < -BELOW_ORIGIN * clips.walk.height:
                moved[name] = moved_cycle(cycle, np.array([0.0, 0.0, -low]), armature, mover)
    return replace(clips, **moved)


def yaw_in_walk(
    walk: WalkCycle, *, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> float:
    """Return how a body is turned in its walk from where it looks at rest [rad]; 0: hardly, or no body like ours.

    Recordings go in any direction of the room, and turn the hips of a body that looks along an axis at rest.
    """
    body = find_humanoid(armature, mover)
    if body is None or walk.direction is None or walk.direction @ body.ahead[:2] > _SAME_WAY:
        return 0.0
    data: Any = armature.data
    left, right = (data.bones.find(body.bones[f"{body.apart}.{side}"]) for side in SIDES)
    points = _joints(walk, _FEW_MOMENTS, armature, mover, scene)
    across = (points[:, left, :2] - points[:, right, :2]).mean(axis=0)
    own, rest = (math.atan2(way[1], way[0]) for way in (across, body.across))
    yaw = math.remainder(own - rest, math.tau)
    return yaw if math.cos(yaw) < _SAME_WAY else 0.0


def _place(
    cycle: WalkCycle, body: Humanoid, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> Float64:
    """Mean place of the hips on the ground, float64 (3,)."""
    data: Any = armature.data
    hips = _joints(cycle, _FEW_MOMENTS, armature, mover, scene)[:-1, data.bones.find(body.bones["hips"])]
    return hips.mean(axis=0) * [1.0, 1.0, 0.0]


def _with_toes(foot: bpy.types.Bone) -> Sequence[bpy.types.Bone]:
    return [foot, *foot.children_recursive]


def moved_cycle(cycle: WalkCycle, way: Float64, armature: bpy.types.Object, mover: bpy.types.Object) -> WalkCycle:
    """Return a clip in which the body is moved in the world.

    Args:
        cycle: the clip.
        way: float64 (3,) [Blender units].
        armature: a copy of the armature that plays it.
        mover: a copy of the object that moves it, at the world's origin; may be the same.
    """
    clip = cycle.clip if cycle.is_copy else animation.copy_clip(cycle.clip)
    clip.action.pop(animation.KEYS, None)
    curves = {(curve.data_path, curve.array_index): curve for curve in animation.curves_of(clip)}
    frames = np.array([0.0, max(cycle.length, 1.0)])
    still = []
    for path, axis, posed, added in _locations(way, armature, mover):
        curve = curves.get((path, axis))
        if curve is None:
            still.append(Channel(path, axis, frames, [posed + added] * 2))
        elif added:
            scale_values(curve, 1.0, added)
    animation.add_channels(clip, still, group="Footfall")
    return replace(cycle, clip=clip, is_copy=True, low=cycle.low + float(way[2]), away=None)


def _locations(
    way: Float64, armature: bpy.types.Object, mover: bpy.types.Object
) -> Iterator[tuple[str, int, float, float]]:
    """Yield each location of the bones that carry all others, as posed, and what moves it in the world if added."""
    data: Any = armature.data
    to_world = np.array(turn_to_world(mover, armature), dtype=np.float64)[:3, :3]
    for bone, pose in zip(data.bones, armature.pose.bones, strict=True):
        if bone.parent is None and not _is_carried(pose, armature):
            axes = to_world @ np.array(bone.matrix_local, dtype=np.float64)[:3, :3]
            path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].location'
            for axis, added in enumerate((np.linalg.inv(axes) @ way).tolist()):
                yield path, axis, pose.location[axis], added


def _is_carried(pose: bpy.types.PoseBone, armature: bpy.types.Object) -> bool:
    """Whether a constraint lets a bone without a parent follow another bone of its armature, as in rigs of controls."""
    for each in pose.constraints:
        if each.type in _CARRYING and not each.mute and each.influence > 0.0:
            constraint: Any = each
            if armature in (each.target for each in getattr(constraint, "targets", (constraint,))):
                return True
    return False


def _lowered(
    means: dict[tuple[str, int], float],
    drop: float,
    frames: Float64,
    *,
    armature: bpy.types.Object,
    mover: bpy.types.Object,
) -> list[Channel]:
    """Return the locations of the bones that carry all others, lower by a distance in the world."""
    return [
        Channel(path, axis, frames, [means.get((path, axis), 0.0) + added] * 2)
        for path, axis, _, added in _locations(np.array([0.0, 0.0, -drop]), armature, mover)
    ]
