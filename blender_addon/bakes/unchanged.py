# SPDX-License-Identifier: GPL-3.0-or-later
"""Is an object still as a bake has made it? What tells it from one that somebody has changed since.

Left out is whatever keys and drivers move, which differs from frame to frame, the keys themselves (see `approving`),
and what hangs on the data that copies share with the user's character. Holds as long as Blender runs: data-blocks
are told apart by their `session_uid`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache, lru_cache
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..blender_data import animation as actions
from ..blender_data import nla_strips
from ..blender_data.curve_keys import Paths, animated_paths

_PLAIN = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
_MAY_MOVE = ("location", "rotation_euler", "hide_viewport", "hide_render")
_MAY_MOVE_IN_POSES = {
    "location": 3,
    "rotation_quaternion": 4,
    "rotation_euler": 3,
    "rotation_axis_angle": 4,
    "scale": 3,
}  # and how many numbers each has
_LEFT_OUT = {
    "Object": {*_MAY_MOVE},
    "NlaStrip": {"strip_time", "influence"},
    "Action": {"id_root"},  # follows from what it is put on; Blender 4.2 warns where it is not set
}
_FOLLOWS = {"matrix_world", "matrix_local", "matrix_basis", "dimensions", "tag"}  # from the others, or means nothing


class Seen:
    """What many objects share, told once in one look at them all; to be dropped before anything is changed.

    Attributes:
        paths: what Actions move.
        actions: what tells an Action, without its keys, from an edited one.
    """

    def __init__(self) -> None:
        self.paths: Paths = {}
        self.actions: dict[int, Hashable] = {}


def state_of(block: bpy.types.Object, seen: Seen) -> int:
    """A number that is another once anything of an object was changed that a new bake would make anew."""
    animation = block.animation_data
    moved = animated_paths(animation, seen.paths)
    told = (
        block.session_uid,
        _values(block),
        _unmoved(block, moved),
        tuple(_part(modifier) for modifier in block.modifiers),
        tuple(_part(constraint) for constraint in block.constraints),
        tuple((slot.link, _uid(slot.material)) for slot in block.material_slots),
        tuple(group.name for group in block.vertex_groups),
        bones_of(block, moved),
        tuple(sorted((key, str(value)) for key, value in block.items() if not _is_group(value))),
        None if animation is None else _animation(animation, seen),
    )
    return hash(told)


def _part(part: Any) -> Hashable:
    """A modifier or a constraint, with the values of its sockets or targets where it has such."""
    targets = tuple(_values(target) for target in getattr(part, "targets", ()))
    return part.type, _values(part), targets


def bones_of(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """What holds the bones of an armature, and how they are posed but for the data paths that keys move."""
    if block.pose is None:
        return ()
    bones = block.pose.bones
    names = tuple(bones.keys())
    modes = np.empty(len(names), dtype=np.int16)
    bones.foreach_get("rotation_mode", modes)
    posed = [modes.tobytes()]
    for (name, size), is_moved in zip(
        _MAY_MOVE_IN_POSES.items(), _moved_in_poses(names, frozenset(moved)), strict=True
    ):
        values = np.empty((len(names), size), dtype=np.float32)
        bones.foreach_get(name, values.ravel())
        values[is_moved] = 0.0
        posed.append(values.tobytes())
    return names, tuple(posed), tuple([tuple(map(_part, bone.constraints)) for bone in bones])


@lru_cache(maxsize=64)
def _moved_in_poses(names: tuple[str, ...], moved: frozenset[str]) -> NDArray[np.bool_]:
    """Bool (V, B), which of the values of bones that keys may move are moved."""
    places = [f'pose.bones["{bpy.utils.escape_identifier(name)}"].' for name in names]
    return np.array([[place + value in moved for place in places] for value in _MAY_MOVE_IN_POSES], dtype=bool)


def _unmoved(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """Values of an object that keys may move, where none do."""
    values = [getattr(block, name) for name in _MAY_MOVE if name not in moved]
    return tuple([tuple(value) if hasattr(value, "__len__") else value for value in values])


def _animation(animation: bpy.types.AnimData, seen: Seen) -> Hashable:
    clip = actions.active_clip(animation)
    return (
        _action(animation.action, seen),
        clip is not None,
        _values(animation),
        tuple((curve.data_path, curve.array_index, curve.driver.expression) for curve in animation.drivers),
        tuple(
            (_values(track), tuple((_values(strip), _action(strip.action, seen)) for strip in track.strips))
            for track in nla_strips.tracks_of(animation)
        ),
    )


def _action(action: bpy.types.Action | None, seen: Seen) -> Hashable:
    if action is None:
        return None
    uid = action.session_uid
    if uid not in seen.actions:
        seen.actions[uid] = uid, _values(action)
    return seen.actions[uid]


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
    flat = tuple(value)
    return tuple(map(tuple, flat)) if flat and hasattr(flat[0], "__len__") else flat


def _uid(block: Any) -> int | None:
    return block.session_uid if block is not None else None


def _is_group(value: Any) -> bool:
    """Whether a custom property is one of an add-on's own, which may hold anything."""
    return hasattr(value, "keys")
