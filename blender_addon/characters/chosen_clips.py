# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user has chosen for characters in the cast table, put in the place of what is found by names and motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy

from ..blender_data import animation
from ..settings.cast_rows import ACT_ROLES, AS_CROWD, CLIP_ROLES, LEAST_SHARE, fitting_clip
from .character import Character, find_characters
from .clips.clip_faults import is_whole


def characters_of(crowd: Any) -> list[Character]:
    """Find the characters of a crowd that has some, as the user wants them.

    Args:
        crowd: one of `scene.footfall.crowds`.

    Raises:
        FootfallError: see `find_characters`.
    """
    rows = {row.mover: row for row in crowd.id_data.footfall.cast if row.mover is not None}
    found = find_characters(crowd.characters)
    return [_as_chosen(each, rows[each.parts[0]]) if each.parts[0] in rows else each for each in found]


def _as_chosen(character: Character, row: Any) -> Character:
    character = replace(character, facing=None if row.facing == AS_CROWD else row.facing, scale=row.own_scale or None)
    armature = character.walker or _armature(character, row)
    locked = [(role, getattr(row, role.name)) for role in CLIP_ROLES if getattr(row, role.name).locked]
    if armature is None or not locked:
        return character
    clips: dict[str, animation.Clip | None] = {}
    strides, doubts = [], []
    for role, chosen in locked:
        problem, clip = _usable(chosen, armature)
        if problem:
            doubts.append((role.name, problem))
            continue
        clips[role.name] = clip
        if chosen.has_own_stride and role.travels:
            strides.append((role.name, chosen.stride))
    used = set(clips.values())
    return replace(
        character,
        walker=armature if clips.get("walk", character.walk) is not None else None,
        others=tuple(clip for clip in character.others if clip not in used),
        chosen=tuple(clips),
        acts=tuple([(role.name, clips[role.name]) for role in ACT_ROLES if role.name in clips]),
        own_strides=tuple(strides),
        doubts=tuple(doubts),
        **{name: clip for name, clip in clips.items() if hasattr(character, name)},
    )


def _armature(character: Character, row: Any) -> bpy.types.Object | None:
    rigs = [part for part in character.parts if part.type == "ARMATURE"]
    if row.armature in rigs:
        return row.armature
    return max(rigs, key=lambda rig: len(rig.pose.bones), default=None)


def _usable(chosen: Any, armature: bpy.types.Object) -> tuple[str, animation.Clip | None]:
    """Return why a locked clip cannot be played, with the way out, or nothing; and the clip, None for none."""
    action = chosen.clip
    if action is None:
        if chosen.clip_name:
            return f"the locked clip '{chosen.clip_name}' was deleted: choose another, or unlock it", None
        return "", None
    clip = fitting_clip(action, armature)
    if clip is not None and not is_whole(clip):
        return (
            f"the locked clip '{action.name}' has a key that is not a number: delete the key, or choose another",
            None,
        )
    if clip is not None:
        return "", clip
    clips = animation.clips_of_action(action)
    if clips and all(animation.clip_range(each)[0] == animation.clip_range(each)[1] for each in clips):
        return f"the locked clip '{action.name}' has no length: choose another, or unlock it", None
    return (
        f"the locked clip '{action.name}' moves other bones: '{armature.name}' has less than {LEAST_SHARE:.0%} of "
        "them; choose another, or unlock it"
    ), None
