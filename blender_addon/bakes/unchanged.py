# SPDX-License-Identifier: GPL-3.0-or-later
"""Detects whether an object is unchanged since a bake made it.

Not compared are values that keys and drivers move, which change from frame to frame; the keys themselves (see
`edited_people`); and data that copies share with the user's character. Valid as long as Blender runs, as data-blocks
are identified by their `session_uid`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache, lru_cache
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..blender_data import animation, nla_strips
from ..blender_data.curve_keys import Paths, animated_paths

_PLAIN = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
_ANIMATED = ("location", "rotation_euler", "hide_viewport", "hide_render")
_ANIMATED_IN_POSES = {
    "location": 3,
    "rotation_quaternion": 4,
    "rotation_euler": 3,
    "rotation_axis_angle": 4,
    "scale": 3,
}  # with the number of components
_LEFT_OUT = {
    "Object": {*_ANIMATED},
    "NlaStrip": {"strip_time", "influence"},
    "Action": {"id_root"},  # depends on its users; Blender 4.2 warns where it is not set
}
_DERIVED = {
    "matrix_world",
    "matrix_local",
    "matrix_basis",
    "dimensions",
    "tag",
}  # from others, or meaningless


class SharedParts:
    """State of data that many objects share, computed once; valid until anything is changed.

    Attributes:
        paths: data paths that Actions animate.
        actions: state of each Action without its keys, by `session_uid`.
    """

    def __init__(self) -> None:
        self.paths: Paths = {}
        self.actions: dict[int, Hashable] = {}


def state_of(block: bpy.types.Object, shared: SharedParts) -> int:
    """Return a hash that changes when anything of an object changes that a bake would write."""
    animation = block.animation_data
    moved = animated_paths(animation, shared.paths)
    state = (
        block.session_uid,
        _values(block),
        _static_values(block, moved),
        tuple(_part(modifier) for modifier in block.modifiers),
        tuple(_part(constraint) for constraint in block.constraints),
        tuple((slot.link, _uid(slot.material)) for slot in block.material_slots),
        tuple(group.name for group in block.vertex_groups),
        bones_of(block, moved),
        tuple(sorted((key, str(value)) for key, value in block.items() if not _is_group(value))),
        None if animation is None else _animation(animation, shared),
    )
    return hash(state)


def _part(part: Any) -> Hashable:
    """Return the state of a modifier or a constraint, with its targets."""
    targets = tuple(_values(target) for target in getattr(part, "targets", ()))
    return part.type, _values(part), targets


def bones_of(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """Return the constraints and pose of an armature's bones, without the data paths that keys move."""
    if block.pose is None:
        return ()
    bones = block.pose.bones
    names = tuple(bones.keys())
    modes = np.empty(len(names), dtype=np.int16)
    bones.foreach_get("rotation_mode", modes)
    posed = [modes.tobytes()]
    for (name, size), is_moved in zip(
        _ANIMATED_IN_POSES.items(), _keyed_in_poses(names, frozenset(moved)), strict=True
    ):
        values = np.empty((len(names), size), dtype=np.float32)
        bones.foreach_get(name, values.ravel())
        values[is_moved] = 0.0
        posed.append(values.tobytes())
    return names, tuple(posed), tuple([tuple(map(_part, bone.constraints)) for bone in bones])


@lru_cache(maxsize=64)
def _keyed_in_poses(names: tuple[str, ...], moved: frozenset[str]) -> NDArray[np.bool_]:
    """Return bool (V, B): which values of bones are keyed."""
    places = [f'pose.bones["{bpy.utils.escape_identifier(name)}"].' for name in names]
    return np.array([[place + value in moved for place in places] for value in _ANIMATED_IN_POSES], dtype=bool)


def _static_values(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """Return the values of an object that keys may move but do not."""
    values = [getattr(block, name) for name in _ANIMATED if name not in moved]
    return tuple([tuple(value) if hasattr(value, "__len__") else value for value in values])


def _animation(data: bpy.types.AnimData, shared: SharedParts) -> Hashable:
    clip = animation.active_clip(data)
    return (
        _action(data.action, shared),
        clip is not None,
        _values(data),
        tuple((curve.data_path, curve.array_index, curve.driver.expression) for curve in data.drivers),
        tuple(
            (_values(track), tuple((_values(strip), _action(strip.action, shared)) for strip in track.strips))
            for track in nla_strips.tracks_of(data)
        ),
    )


def _action(action: bpy.types.Action | None, shared: SharedParts) -> Hashable:
    if action is None:
        return None
    uid = action.session_uid
    if uid not in shared.actions:
        shared.actions[uid] = uid, _values(action)
    return shared.actions[uid]


def _values(struct: Any) -> Hashable:
    """Return all plain values of a struct that can be set, and the data-blocks that it refers to."""
    plain, arrays, pointers = _names(type(struct), struct.bl_rna)
    return (
        tuple([getattr(struct, name) for name in plain]),
        tuple([_flat(getattr(struct, name)) for name in arrays]),
        tuple([_uid(getattr(struct, name)) for name in pointers]),
    )


@cache
def _names(_kind: type, rna: Any) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the names of a struct's scalar properties, of its arrays and sets, and of its data-block pointers."""
    left_out = _DERIVED | _LEFT_OUT.get(rna.identifier, set())
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
    """Return the components of a vector or a matrix, or the members of a set."""
    if isinstance(value, set):
        return tuple(sorted(value))
    flat = tuple(value)
    return tuple(map(tuple, flat)) if flat and hasattr(flat[0], "__len__") else flat


def _uid(block: Any) -> int | None:
    return block.session_uid if block is not None else None


def _is_group(value: Any) -> bool:
    """Whether a custom property is a group, of an add-on for example, which may hold anything."""
    return hasattr(value, "keys")
