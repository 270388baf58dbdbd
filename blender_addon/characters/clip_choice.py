# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses walk, run and idle among a character's clips, by name or else by speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy

from ...core.array_types import Bool
from ...core.motion.blending import running_speed
from ..blender_data import animation
from ..blender_data.tags import without_number
from .character import Character
from .clips.clip_names import ClipKind, read_name
from .clips.clips import Clips, WalkCycle
from .clips.walk_cycles import CLIP_SETTINGS, blend, make_idle, make_walk
from .retargeting.foreign_clips import adapted_to
from .retargeting.humanoids import is_held
from .retargeting.made_clips import make_clips

_GAITS = {ClipKind.WALKS: "walk", ClipKind.STANDS: "idle", ClipKind.RUNS: "run"}


def with_clips(character: Character, parts: Sequence[bpy.types.Object], scene: bpy.types.Scene) -> Character:
    """Give a character with a human body the clips that it lacks: those brought for others, or the figures' gait.

    Args:
        character: the character.
        parts: copies of its objects; the first is at the world's origin.
        scene: provides frame rate and units.
    """
    if character.walker is not None:
        adapted = _adapted(character, parts[character.parts.index(character.walker)], parts[0], scene)
        return replace(character, made=tuple(adapted.values()), **adapted)
    made = make_clips(character.name, parts)
    if made is None:
        return character
    adapted = _adapted(character, parts[made.part], parts[0], scene)
    bpy.data.batch_remove([clip.action for gait, clip in made.by_gait.items() if gait in adapted])
    clips = made.by_gait | adapted
    why = f"'{character.name}' has no clip of its own: it walks with Footfall's"
    if "walk" in adapted:
        walk = without_number(adapted["walk"].action.name)
        why = f"'{character.name}' has no walk of its own: it plays '{walk}', made for other bones"
    return replace(character, walker=character.parts[made.part], made=tuple(clips.values()), walks_as=why, **clips)


def say_it_slides(name: str, parts: Sequence[bpy.types.Object]) -> str:
    """Compose the notice about a character without a walk.

    Args:
        name: of the character.
        parts: copies of its objects; the first is at the world's origin.
    """
    if any(part.type == "ARMATURE" and is_held(part, parts[0]) for part in parts):
        return (
            f"'{name}' has no walk clip, and constraints move its legs: it slides along in its current pose. Animate a "
            "walk with its controls, or use an armature without constraints"
        )
    return f"'{name}' has no walk clip: it slides along in its current pose"


def _adapted(
    character: Character, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> dict[str, animation.Clip]:
    """Adapt the first clip of each kind that was brought for a character and can be adapted."""
    found: dict[str, animation.Clip] = {}
    for clip in character.brought:
        kind = read_name(clip.action.name).kind
        gait = _GAITS.get(kind) if kind is not None else None
        if gait is None or gait in found:
            continue
        adapted = adapted_to(clip, armature, mover, scene)
        if adapted is not None:
            found[gait] = adapted
    return found


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

    def measured(clip: animation.Clip, known: float | None, feet: Bool | None = None) -> WalkCycle:
        if known is None:
            return make_walk(clip, name=character.name, armature=walker, mover=mover, scene=scene, feet=feet)
        first, last = animation.clip_range(clip)
        return WalkCycle(clip.action.name, clip, is_copy=False, length=last - first, stride=known / unit)

    assert character.walk is not None
    walk = measured(character.walk, character.stride)
    run = measured(character.run, character.run_stride, walk.feet) if character.run is not None else None
    idle = make_idle(character.idle) if character.idle is not None else None
    unused: list[WalkCycle] = []
    if character.others:
        rate = scene.render.fps / scene.render.fps_base
        found = [walk, *(measured(clip, None) for clip in character.others)]
        kinds = [read_name(each.name).kind or _kind(each, rate, unit) for each in found]
        walk, idle, run = _by_kind(found, kinds, idle, run)
        unused = [each for each in found if not any(each is used for used in (walk, idle, run))]
    walk, idle, run = (
        each and replace(each, is_copy=each.is_copy or each.clip in character.made) for each in (walk, idle, run)
    )
    assert walk is not None
    clips, why = blend(walk, idle=idle, run=run)
    if character.run_ahead is not None:
        clips = replace(clips, run_ahead=character.run_ahead)
    notices = list(walk.notices)
    if character.walks_as:
        notices.append(character.walks_as)
    if run is not None and clips.run is None:
        notices.append(f"'{character.name}' does not use the run clip '{run.name}': {why}")
        unused.append(run)
    left = {each.clip.action for each in unused if each.is_copy} | {clip.action for clip in character.made}
    bpy.data.batch_remove(list(left - {each.clip.action for each in clips.all}))
    return clips, notices


def _by_kind(
    found: list[WalkCycle], kinds: list[ClipKind], idle: WalkCycle | None, run: WalkCycle | None
) -> tuple[WalkCycle, WalkCycle | None, WalkCycle | None]:
    """Choose walk, idle and run of measured clips; the first is the walk unless only another one walks.

    A clip whose name says something else, such as Wave, is not for running; for standing it is better than none, as
    somebody would stop in the middle of a step.
    """
    walks = [each for each, kind in zip(found, kinds, strict=True) if kind == ClipKind.WALKS]
    walk = next((each for each in walks if each.direction is not None), next(iter(walks), found[0]))
    rest = [
        (read_name(each.name).doubt, each, kind) for each, kind in zip(found, kinds, strict=True) if each is not walk
    ]
    standing = [(doubt, each) for doubt, each, kind in rest if kind == ClipKind.STANDS]
    if idle is None and standing:
        _, idle = min(standing, key=lambda each: each[0])
    return walk, idle, run or next((each for doubt, each, kind in rest if kind == ClipKind.RUNS and not doubt), None)


def _kind(walk: WalkCycle, rate: float, unit: float) -> ClipKind:
    """Classify a clip by its speed at the scene's frame rate."""
    speed = walk.stride * rate / walk.length  # [Blender units / s]
    if not walk.steps or speed < CLIP_SETTINGS.standing_speed * walk.height:
        return ClipKind.STANDS
    usual_stride = CLIP_SETTINGS.usual_stride * walk.height * unit
    return ClipKind.RUNS if speed * unit > running_speed(usual_stride) else ClipKind.WALKS
