# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses walk, run and idle among a character's clips, by name or else by speed."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import bpy

from ...core.motion.blending import running_speed
from ..blender_data import animation
from .character import Character, is_named_walk
from .legs.clips import Clips, WalkCycle
from .walk_cycles import CLIP_SETTINGS, blend, clip_range, make_idle, make_walk


class _Kind(Enum):
    STANDS = "stands"
    WALKS = "walks"
    RUNS = "runs"


def choose_clips(
    character: Character, *, walker: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene, unit: float
) -> tuple[Clips, list[str]]:
    """Measure the clips of a character, and combine them.

    Args:
        character: a character with a walk.
        walker: a copy of its armature, without animation.
        mover: a copy of the object that moves it, at the world's origin; may be the same.
        scene: provides frame rate and units.
        unit: metres per Blender unit.

    Returns:
        The clips, and sentences for the user.
    """

    def measured(clip: animation.Clip, known: float | None) -> WalkCycle:
        if known is None:
            return make_walk(clip, name=character.name, armature=walker, mover=mover, scene=scene)
        first, last = clip_range(clip)
        return WalkCycle(clip.action.name, clip, is_copy=False, length=last - first, stride=known / unit)

    assert character.walk is not None
    walk = measured(character.walk, character.stride)
    run = measured(character.run, character.run_stride) if character.run is not None else None
    idle = make_idle(character.idle) if character.idle is not None else None
    unused: list[WalkCycle] = []
    if character.others:
        rate = scene.render.fps / scene.render.fps_base
        found = [walk, *(measured(clip, None) for clip in character.others)]
        kinds = [_kind(each, rate, unit) for each in found]
        if is_named_walk(character.walk):
            kinds[0] = _Kind.WALKS
        walk, idle, run = _by_kind(found, kinds, idle, run)
        unused = [each for each in found if not any(each is used for used in (walk, idle, run))]
    clips, why = blend(walk, idle=idle, run=run)
    if character.run_ahead is not None:
        clips = replace(clips, run_ahead=character.run_ahead)
    notices = list(walk.notices)
    if run is not None and clips.run is None:
        notices.append(f"'{character.name}' does not use the run clip '{run.name}': {why}")
        unused.append(run)
    bpy.data.batch_remove([each.clip.action for each in unused if each.is_copy])
    return clips, notices


def _by_kind(
    found: list[WalkCycle], kinds: list[_Kind], idle: WalkCycle | None, run: WalkCycle | None
) -> tuple[WalkCycle, WalkCycle | None, WalkCycle | None]:
    """Choose walk, idle and run of measured clips; the first is the walk unless only another one walks."""
    walk = next((each for each, kind in zip(found, kinds, strict=True) if kind == _Kind.WALKS), found[0])
    rest = [(each, kind) for each, kind in zip(found, kinds, strict=True) if each is not walk]
    idle = idle or next((each for each, kind in rest if kind == _Kind.STANDS), None)
    return walk, idle, run or next((each for each, kind in rest if kind == _Kind.RUNS), None)


def _kind(walk: WalkCycle, rate: float, unit: float) -> _Kind:
    """Classify a clip by its speed at the scene's frame rate."""
    speed = walk.stride * rate / walk.length  # [Blender units / s]
    if not walk.steps or speed < CLIP_SETTINGS.standing_speed * walk.height:
        return _Kind.STANDS
    usual_stride = CLIP_SETTINGS.usual_stride * walk.height * unit
    return _Kind.RUNS if speed * unit > running_speed(usual_stride) else _Kind.WALKS
