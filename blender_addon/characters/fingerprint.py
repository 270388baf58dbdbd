# SPDX-License-Identifier: GPL-3.0-or-later
"""The fingerprint of characters: what a bake copies from them, in plain values, to detect changes.

Materials and meshes that no bones move are left out: the copies share them, so their changes are visible at once; of
meshes on bones the vertices count, as feet are planted by them. Left out are also animated values, which change from
frame to frame, and the location of an original, which its copies do not have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import bpy

from ...core.errors import FootfallError
from ..blender_data import animation, nla_strips
from ..blender_data.curve_keys import animated_paths
from .character import Character
from .chosen_clips import characters_of
from .clips.shin_ends import digest_of_shape
from .retargeting.humanoids import given_parts

_ROTATIONS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}


def fingerprint_of(crowd: Any) -> list[Any] | None:
    """Return the fingerprint of the characters of a crowd.

    Args:
        crowd: its settings.

    Returns:
        Values that JSON can hold, the same after reloading and at every frame; None for the built-in figures.
    """
    if crowd.characters is None:
        return None
    try:
        characters = characters_of(crowd)
    except FootfallError:
        return []  # there are none, which the bake reports
    return fingerprint_of_all(characters)


def fingerprint_of_all(characters: Sequence[Character]) -> list[Any]:
    """Return the fingerprint of the characters of a crowd that has some."""
    keys: dict[str, str] = {}
    return sorted((_character(character, keys) for character in characters), key=lambda each: each["parts"][0]["name"])


def _character(character: Character, keys: dict[str, str]) -> dict[str, Any]:
    parts = sorted(character.parts, key=lambda part: part.name_full)
    roots = [part for part in parts if part.parent not in parts]
    without_place = roots if len(roots) == 1 else []
    parents = dict.fromkeys(parent for root in roots for parent in _parents(root))
    walk = None
    if character.walker is not None and character.walk is not None:
        clips = [character.walk, character.idle, character.run, *character.others]
        keyed = [[_clip(clip), _keys(clip, keys)] for clip in clips if clip is not None]
        walk = {"by": character.walker.name_full, "clips": keyed}
    brought = [[_clip(clip), _keys(clip, keys)] for clip in character.brought]
    return {
        "parts": [_part(part, with_place=part not in without_place) for part in parts],
        "bearers": [_part(parent, with_place=not without_place) for parent in parents],
        "walk": walk,
        **({"brought": brought} if brought else {}),
        **_choices(character),
        **({"weight": character.weight} if character.weight != 1.0 else {}),
    }


def _choices(character: Character) -> dict[str, Any]:
    """Return what the user has chosen beside the clips themselves."""
    said = {name: getattr(character, name) for name in ("chosen", "facing", "scale")}
    said["strides"] = character.own_strides
    return {name: value for name, value in said.items() if value}


def _parents(part: bpy.types.Object) -> Iterator[bpy.types.Object]:
    while part.parent is not None:
        part = part.parent
        yield part


def _part(part: bpy.types.Object, *, with_place: bool) -> dict[str, Any]:
    data = part.animation_data
    active = animation.active_clip(data)
    return {
        "name": part.name_full,
        "data": part.data.name_full if part.data is not None else None,
        **({"shape": shape} if (shape := digest_of_shape(part)) else {}),
        "shows": part.instance_collection.name_full if part.instance_collection is not None else None,
        "parent": [part.parent.name_full, part.parent_type, part.parent_bone] if part.parent is not None else None,
        "stands": _transform(part, animated_paths(data), with_place=with_place),
        "modifiers": [[modifier.type, modifier.name] for modifier in part.modifiers],
        "constraints": [[constraint.type, constraint.name] for constraint in part.constraints],
        "clip": _clip(active) if active is not None else None,
        "strips": nla_strips.values_of(data),
        **({"body": given} if (given := given_parts(part)) else {}),
    }


def _transform(part: bpy.types.Object, animated: set[str], *, with_place: bool) -> dict[str, Any]:
    """Return rotation, scale and location of an object as far as they are not animated."""
    turn = _ROTATIONS.get(part.rotation_mode, "rotation_euler")
    delta = "delta_rotation_quaternion" if turn == "rotation_quaternion" else "delta_rotation_euler"
    names = [turn, delta, "scale", "delta_scale", *(("location", "delta_location") if with_place else ())]
    values: dict[str, Any] = {name: list(getattr(part, name)) for name in names if name not in animated}
    values["rotation_mode"] = part.rotation_mode
    if part.parent is not None:
        values["parent_inverse"] = [value for row in part.matrix_parent_inverse[:] for value in row[:]]
    return values


def _clip(clip: animation.Clip) -> list[Any]:
    action = clip.action
    span = [action.frame_start, action.frame_end] if action.use_frame_range else None
    return [action.name_full, animation.slot_of(clip), span]


def _keys(clip: animation.Clip, known: dict[str, str]) -> str:
    """Return a digest of all keys of a clip, computed once for all that share it."""
    name = str(_clip(clip))
    if name not in known:
        digest = hashlib.sha256()
        for curve, keys in animation.keys_of(clip):
            digest.update(f"{curve.data_path}[{curve.array_index}]{len(curve.modifiers)}".encode())
            digest.update(keys.astype("<f4").tobytes())
        known[name] = digest.hexdigest()
    return known[name]
