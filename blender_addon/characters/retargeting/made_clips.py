# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes clips for a body that has none: Actions that belong to the bake."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ....core.array_types import Float64
from ....core.motion.quaternions import NO_TURN, about_z, quaternions, rotations_of, times, turned
from ....core.motion.retargeting import pose_of
from ...blender_data import animation
from ...blender_data.bone_keys import BoneMotion, channels_of
from ...figures.figure import STRIDE_PROPERTY
from ..clips.joints import turn_to_world
from ..legs.rest_in_world import find_root, raising_turn
from .fitted_gait import GAITS, PlannedGait, plan_body
from .humanoids import Humanoid, find_humanoid

AHEAD_PROPERTY = "footfall_ahead"
"""Custom property of an Action that was made: where its body looks, level, in the world."""


class MadeClips(NamedTuple):
    """Clips that were made for a character.

    Attributes:
        part: number of the armature that they move.
        by_gait: cyclic from frame 0 on, for each of `GAITS`.
    """

    part: int
    by_gait: dict[str, animation.Clip]


def make_clips(
    name: str, parts: Sequence[bpy.types.Object], gaits: Iterable[str] = tuple(GAITS), yaw: float = 0.0
) -> MadeClips | None:
    """Make clips with the gait of the built-in figures for a character; None where it has no body like theirs.

    Args:
        name: of the character.
        parts: copies of its objects; the first moves all others, and is at the world's origin.
        gaits: the clips that are made, keys of `GAITS`.
        yaw: how the body is turned in its other clips from where it looks at rest [rad].
    """
    for number, part in enumerate(parts):
        body = find_humanoid(part, parts[0]) if part.type == "ARMATURE" else None
        if body is not None:
            return MadeClips(number, _make_clips(replace(body, yaw=yaw), name, part, parts[0], gaits))
    return None


def _make_clips(
    body: Humanoid, name: str, armature: bpy.types.Object, mover: bpy.types.Object, gaits: Iterable[str]
) -> dict[str, animation.Clip]:
    made = {}
    for gait in gaits:
        motion = plan_body(body, gait)
        frames = np.arange(float(motion.middle.shape[1]))
        made[gait] = write_clip(f"{name} {gait}", body, motion, armature, mover, frames)
        made[gait].action.use_cyclic = True
        if motion.stride:
            made[gait].action[STRIDE_PROPERTY] = motion.stride * _posed_size(armature.pose.bones[body.bones["hips"]])
            made[gait].action[AHEAD_PROPERTY] = turned(about_z(np.array([body.yaw])), body.ahead[:, None])[
                :2, 0
            ].tolist()
    return made


def _posed_size(bone: bpy.types.PoseBone) -> float:
    """Return how many times as large as at rest a body is posed: glTF files may scale the bone that carries it."""
    scales: list[Any] = [each.scale for each in (bone, *bone.parent_recursive)]
    return math.prod(float(np.mean(scale)) for scale in scales)


def write_clip(
    name: str,
    body: Humanoid,
    motion: PlannedGait,
    armature: bpy.types.Object,
    mover: bpy.types.Object,
    frames: Float64,
    *,
    only: Container[str] | None = None,
) -> animation.Clip:
    """Write a motion of a body as an Action.

    Args:
        name: of the Action.
        body: of the armature.
        motion: its N moments.
        armature: whose bones get keys.
        mover: the object that moves it; may be the same.
        frames: float64 (N,), increasing.
        only: the bones that get keys; None: all that it moves.
    """
    rows = np.ones(len(frames), dtype=bool)
    clip = animation.new_clip(name, [], group="Footfall")
    for each in _bone_motions(body, motion, armature, mover):
        if only is None or each.bone in only:
            animation.add_channels(clip, channels_of(armature, each, frames, rows), group=each.bone)
    clip.action.use_frame_range = True
    clip.action.frame_start, clip.action.frame_end = frames[0], frames[-1]
    return clip


def _bone_motions(
    body: Humanoid, motion: PlannedGait, armature: bpy.types.Object, mover: bpy.types.Object
) -> Iterator[BoneMotion]:
    """Yield the pose of each bone; bones that carry them are at rest, whatever their pose is now."""
    data: Any = armature.data
    placed = turn_to_world(mover, armature)
    raised = Matrix() if body.posed else raising_turn(armature, placed)
    to_world = np.array(placed @ raised, dtype=np.float64)[:3, :3]
    ways = {body.bones["hips"]: _hips_way(body, motion)}
    ways |= {body.bones[foot]: _loose_way(body, motion, foot) for foot in body.loose}
    turns = {name: turn for name, turn in motion.turns.items() if name in data.bones}  # ends of shins turn with those
    if body.posed:
        turns = {name: times(turn, body.posed[name]) for name, turn in turns.items()}
        rest = np.array(placed, dtype=np.float64)
        hips = np.append(data.bones[body.bones["hips"]].head_local, 1.0)
        ways[body.bones["hips"]] += (body.joint("hips") - (rest @ hips)[:3])[:, None]
    for name, turn in turns.items():
        bone = data.bones[name]
        axes = to_world @ np.array(bone.matrix_local, dtype=np.float64)[:3, :3]
        rest = quaternions(rotations_of(axes)[None]).T
        carrier = next((each.name for each in bone.parent_recursive if each.name in turns), None)
        parent = turns[carrier] if carrier is not None else NO_TURN
        places = np.linalg.inv(axes) @ ways[name] if name in ways else None
        if places is None and armature.pose.bones[name].location.length > 0.0:
            places = np.zeros_like(motion.middle)  # as some BVH files pose every joint
        yield _raised(BoneMotion(name, pose_of(turn, rest, parent), places), armature, raised)
    carriers = (each.name for name in turns for each in data.bones[name].parent_recursive)
    shape = motion.middle.shape[1]
    for name in dict.fromkeys(carriers):
        if name not in motion.turns:
            still = BoneMotion(name, np.repeat(NO_TURN, shape, axis=1), np.zeros((3, shape)))
            yield _raised(still, armature, raised)


def _raised(motion: BoneMotion, armature: bpy.types.Object, turn: Matrix) -> BoneMotion:
    """Return the motion of a bone; that of the root also raises the body if it lies at rest, by a turn (4, 4)."""
    root = find_root(armature)
    if root.name != motion.bone or turn == Matrix():
        return motion
    place, own, _ = (root.bone.matrix_local.inverted_safe() @ turn @ root.bone.matrix_local).decompose()
    stood = np.array(own)[:, None]
    ways = np.zeros((3, 1)) if motion.locations is None else motion.locations
    return BoneMotion(motion.bone, times(stood, motion.turns), np.array(place)[:, None] + turned(stood, ways))


def _hips_way(body: Humanoid, motion: PlannedGait) -> Float64:
    """Way of the joint of the hips, about which they turn, so that the middle between the legs goes its way."""
    arm = (body.hip - body.joint("hips"))[:, None]
    return motion.middle + arm - turned(motion.turns[body.bones["hips"]], arm)


def _loose_way(body: Humanoid, motion: PlannedGait, foot: str) -> Float64:
    """Way of a foot that does not hang on its leg, so that it is where the shin ends."""
    side = foot[-2:]
    joints = [body.joint(role) for role in ("hips", f"thigh{side}", f"shin{side}", foot)]
    way = joints[0][:, None] + _hips_way(body, motion) - joints[-1][:, None]
    for role, begin, end in zip(("hips", f"thigh{side}", f"shin{side}"), joints, joints[1:], strict=False):
        way = way + turned(motion.turns[body.bones[role]], (end - begin)[:, None])
    return way
