# SPDX-License-Identifier: GPL-3.0-or-later
"""Is an object still as a bake has made it? What tells it from one that somebody has changed since.

Left out is whatever keys and drivers move, which differs from frame to frame, the keys themselves (see `approving`),
and what hangs on the data that copies share with the user's character. Holds as long as Blender runs: data-blocks
are told apart by their `session_uid`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache
from typing import Any

import bpy

from . import actions
from .traits import animated_paths

_PLAIN = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
_MAY_MOVE = ("location", "rotation_euler", "hide_viewport", "hide_render")
_MAY_MOVE_IN_POSES = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
_LEFT_OUT = {
    "Object": {*_MAY_MOVE},
    "NlaStrip": {"strip_time", "influence"},
    "Action": {"id_root"},  # follows from what it is put on; Blender 4.2 warns where it is not set
}
_FOLLOWS = {"matrix_world", "matrix_local", "matrix_basis", "dimensions", "tag"}  # from the others, or means nothing


def state_of(block: bpy.types.Object) -> int:
    """A number that is another once anything of an object was changed that a new bake would make anew."""
    animation = block.animation_data
    moved = animated_paths(animation)
    told = (
        block.session_uid,
        _values(block),
        _unmoved(block, "", _MAY_MOVE, moved),
        tuple(_part(modifier) for modifier in block.modifiers),
        tuple(_part(constraint) for constraint in block.constraints),
        tuple((slot.link, _uid(slot.material)) for slot in block.material_slots),
        tuple(group.name for group in block.vertex_groups),
        _bones(block, moved),
        tuple(sorted((key, str(value)) for key, value in block.items() if not _is_group(value))),
        None if animation is None else _animation(animation),
    )
    return hash(told)


def _part(part: Any) -> Hashable:
    """A modifier or a constraint, with the values of its sockets or targets where it has such."""
    targets = tuple(_values(target) for target in getattr(part, "targets", ()))
    return part.type, _values(part), targets


def _bones(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """What holds the bones of an armature, and how those are posed that nothing moves."""
    if block.pose is None:
        return ()
    return tuple(
        (
            bone.name,
            bone.rotation_mode,
            _unmoved(bone, f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].', _MAY_MOVE_IN_POSES, moved),
            tuple(map(_part, bone.constraints)),
        )
        for bone in block.pose.bones
    )


def _unmoved(struct: Any, place: str, names: Iterable[str], moved: set[str]) -> Hashable:
    """Values of a struct that keys may move, where none do."""
    values = [getattr(struct, name) for name in names if place + name not in moved]
    return tuple([tuple(value) if hasattr(value, "__len__") else value for value in values])


def _animation(animation: bpy.types.AnimData) -> Hashable:
    clip = actions.active_clip(animation)
    return (
        _action(animation.action),
        clip is not None,
        _values(animation),
        tuple((curve.data_path, curve.array_index, curve.driver.expression) for curve in animation.drivers),
        tuple(
            (_values(track), tuple((_values(strip), _action(strip.action)) for strip in track.strips))
            for track in animation.nla_tracks
        ),
    )


def _action(action: bpy.types.Action | None) -> Hashable:
    return None if action is None else (action.session_uid, _values(action))


def _values(struct: Any) -> Hashable:
    """All plain values of a struct that can be set, and which data-blocks it points at."""
    plain, arrays, pointers = _names(type(struct), struct.bl_rna)
    return (
        tuple([getattr(struct, name) for name in plain]),
        tuple([_flat(getattr(struct, name)) for name in arrays]),
        tuple([_uid(getattr(struct, name)) for name in pointers]),
    )


@cache
def _names(_kind: type, rna: Any) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The names of a struct's plain properties, of those with several values, and of those that name a data-block."""
    left_out = _FOLLOWS | _LEFT_OUT.get(rna.identifier, set())
    chosen = [each for each in rna.properties if not each.is_readonly and each.identifier not in left_out]
    is_block = {each.identifier: each.type == "POINTER" and _names_a_block(each.fixed_type) for each in rna.properties}
    plain = [each for each in chosen if each.type in _PLAIN]
    arrays = [each.identifier for each in plain if getattr(each, "is_array", False)]
    sets = [each.identifier for each in plain if each.type == "ENUM" and each.is_enum_flag]
    single = [each.identifier for each in plain if each.identifier not in {*arrays, *sets}]
    return tuple(single), (*arrays, *sets), tuple(each.identifier for each in chosen if is_block[each.identifier])


def _names_a_block(rna: Any) -> bool:
    while rna is not None:
        if rna.identifier == "ID":
            return True
        rna = rna.base
    return False


def _flat(value: Iterable[Any]) -> Hashable:
    """The numbers of a vector or a matrix, or the words of a set."""
    if isinstance(value, set):
        return tuple(sorted(value))
    return tuple([tuple(each) if hasattr(each, "__len__") else each for each in value])


def _uid(block: Any) -> int | None:
    return block.session_uid if block is not None else None


def _is_group(value: Any) -> bool:
    """Whether a custom property is one of an add-on's own, which may hold anything."""
    return hasattr(value, "keys")
