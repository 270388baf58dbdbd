# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that cannot be played, as they have no length or keys that are not numbers, and what is said about them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import bpy

from ...blender_data import animation, nla_strips
from ...blender_data.bone_keys import bone_in
from ...blender_data.fcurves import lost_key
from .clip_names import read_name


def is_whole(clip: animation.Clip) -> bool:
    """Whether all keys of a clip are numbers."""
    return _lost_key(clip) is None


def moves_bones(clip: animation.Clip, armature: bpy.types.Object) -> bool:
    """Whether a clip has at least two keys for some bone of an armature."""
    bones = armature.pose.bones
    return any(
        (bone := bone_in(curve.data_path)) is not None and bone in bones and _lasts(curve)
        for curve in animation.curves_of(clip)
    )


def moves_object(data: bpy.types.AnimData | None) -> bool:
    """Whether a data-block has animation other than of its bones."""
    clips = nla_strips.played_clips(data)
    return nla_strips.plays_anything(data) and not (clips and all(map(_is_pose, clips)))


def is_used(name: str) -> bool:
    """Whether a clip with this name may be a walk, a run or for standing."""
    kind, doubt = read_name(name)
    return kind is not None or not doubt


def say_not_played(name: str, rigs: Sequence[bpy.types.Object], instead: str) -> list[str]:
    """Compose the notices about clips of a character's own that are not played, and the way out.

    Args:
        name: of the character.
        rigs: its armatures, the user's own.
        instead: name of the user's clip that is its walk; empty: none.
    """
    own = [(rig, clip) for rig in rigs for clip in _own(rig)]
    told = dict.fromkeys(reason for _, clip in own if (reason := _why_lost(clip)))
    still = [clip for rig, clip in own if not moves_bones(clip, rig) and not _moves_more(clip)]
    if len(still) < len(own):  # single poses, such as a T-pose, are no fault beside clips
        still = [clip for clip in still if read_name(clip.action.name).kind is not None]
    if still:
        listed = ", ".join(dict.fromkeys(f"'{clip.action.name}'" for clip in still))
        told[f"does not play {listed}: no bone moves in it, as none has two keys; choose another clip"] = None
    played = {clip.action.name for _, clip in own} - {clip.action.name for clip in still}
    other = f". It walks with '{instead}' of this file" if instead and instead not in played else ""
    return [f"'{name}' {reason}{other}" for reason in told]


def _own(rig: bpy.types.Object) -> Iterator[animation.Clip]:
    yield from dict.fromkeys(nla_strips.played_clips(rig.animation_data))


def _is_pose(clip: animation.Clip) -> bool:
    return all(bone_in(curve.data_path) is not None for curve in animation.curves_of(clip))


def _moves_more(clip: animation.Clip) -> bool:
    """Whether a clip moves something other than bones; importers also key where the object stays."""
    return any(bone_in(curve.data_path) is None and _lasts(curve) for curve in animation.curves_of(clip))


def _why_lost(clip: animation.Clip) -> str:
    lost = _lost_key(clip) if is_used(clip.action.name) else None
    if lost is None:
        return ""
    path, frame = lost
    at = f" at frame {frame:.0f}" if math.isfinite(frame) else ""
    place = f"bone '{bone_in(path)}'" if bone_in(path) is not None else f"'{path}'"
    return (
        f"does not play '{clip.action.name}': its key{at} for {place} is not a number; delete that key in the Graph "
        "Editor, or choose another clip"
    )


def _lost_key(clip: animation.Clip) -> tuple[str, float] | None:
    """Return data path and frame of the first key that is not a number, or None; its frame may be none either."""
    lost = ((curve.data_path, lost_key(curve)) for curve in animation.curves_of(clip))
    return next(((path, frame) for path, frame in lost if frame is not None), None)


def _lasts(curve: bpy.types.FCurve) -> bool:
    first, last = curve.range()
    return last > first
