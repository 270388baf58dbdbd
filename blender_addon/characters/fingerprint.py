# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake takes over from the user's characters, in plain values, so that a change of it can be told.

Meshes and materials are left out: the copies share them, so a change of those shows at once. So is whatever animation
moves, which differs from frame to frame, and the place of an original, which its copies do not take over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import bpy

from ...core.errors import FootfallError
from ..blender_data import animation as actions
from ..blender_data import nla_strips
from ..blender_data.curve_keys import animated_paths
from .character import Character, find_characters

_ROTATIONS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}


def fingerprint_of(collection: bpy.types.Collection | None) -> list[Any] | None:
    """What tells the characters of a collection from others.

    Args:
        collection: the characters, or None for the built-in figures.

    Returns:
        Values that JSON can hold, the same after reloading and at every frame; None for the built-in figures.
    """
    if collection is None:
        return None
    try:
        characters = find_characters(collection)
    except FootfallError:
        return []  # there are none; the bake says so
    keys: dict[str, str] = {}
    return sorted((_character(character, keys) for character in characters), key=lambda each: each["parts"][0]["name"])


def _character(character: Character, keys: dict[str, str]) -> dict[str, Any]:
    parts = sorted(character.parts, key=lambda part: part.name_full)
    roots = [part for part in parts if part.parent not in parts]
    without_place = roots if len(roots) == 1 else []
    bearers = dict.fromkeys(bearer for root in roots for bearer in _bearers(root))
    walk = None
    if character.walker is not None and character.walk is not None:
        clips = [character.walk, character.idle, character.run, *character.others]
        told = [[_clip(clip), _keys(clip, keys)] for clip in clips if clip is not None]
        walk = {"by": character.walker.name_full, "clips": told}
    return {
        "parts": [_part(part, with_place=part not in without_place) for part in parts],
        "bearers": [_part(bearer, with_place=not without_place) for bearer in bearers],
        "walk": walk,
        **({"weight": character.weight} if character.weight != 1.0 else {}),
    }


def _bearers(part: bpy.types.Object) -> Iterator[bpy.types.Object]:
    while part.parent is not None:
        part = part.parent
        yield part


def _part(part: bpy.types.Object, *, with_place: bool) -> dict[str, Any]:
    animation = part.animation_data
    active = actions.active_clip(animation)
    return {
        "name": part.name_full,
        "data": part.data.name_full if part.data is not None else None,
        "shows": part.instance_collection.name_full if part.instance_collection is not None else None,
        "parent": [part.parent.name_full, part.parent_type, part.parent_bone] if part.parent is not None else None,
        "stands": _stands(part, animated_paths(animation), with_place=with_place),
        "modifiers": [[modifier.type, modifier.name] for modifier in part.modifiers],
        "constraints": [[constraint.type, constraint.name] for constraint in part.constraints],
        "clip": _clip(active) if active is not None else None,
        "strips": nla_strips.values_of(animation),
    }


def _stands(part: bpy.types.Object, animated: set[str], *, with_place: bool) -> dict[str, Any]:
    """How an object is turned, scaled and placed, as far as nothing animates it."""
    turn = _ROTATIONS.get(part.rotation_mode, "rotation_euler")
    delta = "delta_rotation_quaternion" if turn == "rotation_quaternion" else "delta_rotation_euler"
    names = [turn, delta, "scale", "delta_scale", *(("location", "delta_location") if with_place else ())]
    told: dict[str, Any] = {name: list(getattr(part, name)) for name in names if name not in animated}
    told["rotation_mode"] = part.rotation_mode
    if part.parent is not None:
        told["parent_inverse"] = [value for row in part.matrix_parent_inverse[:] for value in row[:]]
    return told


def _clip(clip: actions.Clip) -> list[Any]:
    action = clip.action
    span = [action.frame_start, action.frame_end] if action.use_frame_range else None
    return [action.name_full, actions.slot_of(clip), span]


def _keys(clip: actions.Clip, known: dict[str, str]) -> str:
    """A number for all keys of a walk, from which its stride is measured; reckoned once for all who share it."""
    name = str(_clip(clip))
    if name not in known:
        digest = hashlib.sha256()
        for curve, keys in actions.keys_of(clip):
            digest.update(f"{curve.data_path}[{curve.array_index}]{len(curve.modifiers)}".encode())
            digest.update(keys.astype("<f4").tobytes())
        known[name] = digest.hexdigest()
    return known[name]
