# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object is like, aspect by aspect: all that an animator could change on it, but for its keys and its name.

Not among it are values that keys and drivers move, which change from frame to frame; what only the interface shows,
such as which modifier is open; and data that people share with the user's character.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from functools import cache, lru_cache
from hashlib import blake2b
from operator import itemgetter
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ..blender_data import animation, nla_strips
from ..blender_data.curve_keys import Paths, animated_paths
from ..blender_data.object_references import inputs_of
from ..blender_data.tags import TAG

OURS = "footfall_"
_PLAIN = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
_IN_POSES = {
    "location": 3,
    "rotation_quaternion": 4,
    "rotation_euler": 3,
    "rotation_axis_angle": 4,
    "scale": 3,
}  # with the number of components
_TRANSFORM = (
    "location",
    "rotation_euler",
    "rotation_quaternion",
    "rotation_axis_angle",
    "scale",
    "delta_location",
    "delta_rotation_euler",
    "delta_rotation_quaternion",
    "delta_scale",
    "rotation_mode",
)
_VISIBILITY = ("hide_viewport", "hide_render", "hide_select")
_STRIP = (
    "mute",
    "blend_type",
    "blend_in",
    "blend_out",
    "use_auto_blend",
    "extrapolation",
    "scale",
    "repeat",
    "use_reverse",
    "use_animated_time",
    "use_animated_time_cyclic",
    "use_animated_influence",
    "frame_start",
    "frame_end",
    "action_frame_start",
    "action_frame_end",
)
_PARTS_OF_OBJECTS = ("display", "lineart", "field", "rigid_body", "rigid_body_constraint", "light_linking")
_NOT_FLAT = (str, bpy.types.bpy_struct)
_LEFT_OUT = {
    "matrix_world",
    "matrix_local",
    "matrix_basis",
    "matrix",
    "dimensions",
    "tag",
    "head",
    "tail",
    "length",
    "id_root",  # depends on the users of an Action; Blender 4.2 warns where it is not set
    # What only the interface shows
    "name",
    "active",
    "active_material",
    "active_material_index",
    "active_shape_key_index",
    "is_active",
    "is_expanded",
    "select",
    "show_expanded",
    "use_pin_to_last",
}  # derived from others, meaningless, or no property of what is seen


class SharedParts:
    """What many objects share, computed once; valid until anything is changed.

    Attributes:
        paths: data paths that Actions animate.
    """

    def __init__(self) -> None:
        self.paths: Paths = {}


class Aspect(NamedTuple):
    """One aspect of an object.

    Attributes:
        name: as users read it.
        values: plain values; floats as Blender stores them.
        uses: data-blocks that belong to it.
        is_of_this_version: the values name whatever properties this Blender has: another one may have others.
    """

    name: str
    values: Hashable
    uses: tuple[bpy.types.ID | None, ...] = ()
    is_of_this_version: bool = False


def bones_of(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """Return the constraints and pose of an armature's bones, without the data paths that keys move.

    It is valid as long as Blender runs, see `state_of`.
    """
    if block.pose is None:
        return ()
    parts = [part for bone in block.pose.bones for part in bone.constraints]
    return _pose(block, moved), tuple([_in_session(each) for each in _aspects_of_parts("", parts, moved)])


def state_of(block: bpy.types.Object, shared: SharedParts) -> int:
    """Return a hash that changes when anything of an object changes that copies of it would take over.

    It is valid as long as Blender runs, as data-blocks are identified by their `session_uid`.
    """
    return hash((block.session_uid, tuple([_in_session(each) for each in aspects_of(block, shared)])))


def _in_session(aspect: Aspect) -> Hashable:
    return aspect.values, tuple([used.session_uid if used is not None else None for used in aspect.uses])


def aspects_of(block: bpy.types.Object, shared: SharedParts) -> Iterator[Aspect]:
    """Yield the aspects of an object, in a fixed order."""
    data = block.animation_data
    moved = animated_paths(data, shared.paths)
    if data is not None:
        yield from _aspects_of_animation(data)
    yield Aspect("transform", _static_values(block, _TRANSFORM, moved))
    yield Aspect("visibility", _static_values(block, _VISIBILITY, moved))
    yield Aspect("parent", (block.parent_type, block.parent_bone, _flat(block.matrix_parent_inverse)), (block.parent,))
    yield Aspect("data", _samples(block.data), (block.data,))
    own_slots = [slot for slot in block.material_slots if slot.link == "OBJECT"]  # the others belong to shared data
    numbers = tuple([slot.slot_index for slot in own_slots])
    yield Aspect("materials", numbers, tuple([slot.material for slot in own_slots]))
    for name, parts in (("modifiers", block.modifiers), ("constraints", block.constraints)):
        yield from _aspects_of_parts(name, list(parts), moved)
    if block.pose is not None:
        yield Aspect("pose", _pose(block, moved))
        bones = list(block.pose.bones)
        own = [(bone.custom_shape is not None, *_custom_properties(bone, moved, f'{_path(bone)}["')) for bone in bones]
        yield Aspect("pose bones", (tuple(map(str, own)), _numbers_of_bones(block, moved)), (), True)
        yield from _aspects_of_parts("bone constraints", [part for bone in bones for part in bone.constraints], moved)
    yield Aspect("custom properties", *_custom_properties(block, moved, '["'))
    trees = [
        tree for part in block.modifiers if (tree := getattr(part, "node_group", None)) is not None and TAG in tree
    ]
    if trees:
        yield Aspect("nodes", tuple(map(_nodes, trees)), (), True)
    own = [_values(block, moved | {*_TRANSFORM, *_VISIBILITY, "parent", "data"})]
    own += [_values(part) for name in _PARTS_OF_OBJECTS if (part := getattr(block, name, None)) is not None]
    yield Aspect("object settings", *_joined(own), True)


def _aspects_of_animation(data: bpy.types.AnimData) -> Iterator[Aspect]:
    clip = animation.active_clip(data)
    plays = clip is not None, data.use_nla, data.action_influence, data.action_blend_type, data.action_extrapolation
    yield Aspect("Action", plays, (data.action,))
    tracks = nla_strips.tracks_of(data)
    strips = [strip for track in tracks for strip in track.strips]
    if tracks:
        yield Aspect("keys of NLA strips", animation.digest_of_strips(data))
        yield Aspect("NLA tracks", tuple(map(_track, tracks)), tuple([strip.action for strip in strips]))
    if len(data.drivers):
        drivers = [curve.driver for curve in data.drivers]
        targets = [target for driver in drivers for variable in driver.variables for target in variable.targets]
        yield Aspect("drivers", tuple(map(_driver, data.drivers)), tuple([target.id for target in targets]))


def _track(track: bpy.types.NlaTrack) -> Hashable:
    strips = [
        (tuple([getattr(strip, name) for name in _STRIP]), strip.use_animated_influence or strip.influence)
        for strip in track.strips
    ]
    return track.mute, track.is_solo, tuple(strips)


def _driver(curve: bpy.types.FCurve) -> Hashable:
    driver = curve.driver
    assert driver is not None
    variables = [
        (variable.name, variable.type, *((target.data_path, target.bone_target) for target in variable.targets))
        for variable in driver.variables
    ]
    return curve.data_path, curve.array_index, curve.mute, driver.type, driver.expression, tuple(variables)


def _static_values(block: bpy.types.Object, names: Iterable[str], moved: set[str]) -> Hashable:
    """Return those of some values that keys may move but do not."""
    values = [getattr(block, name) for name in names if name not in moved]
    return tuple([tuple(value) if hasattr(value, "__len__") else value for value in values])


def _samples(data: Any) -> Hashable:
    """Return the digest of the samples of a crowd of instances; other data are shared by all people."""
    if not isinstance(data, bpy.types.Mesh) or TAG not in data:
        return ()
    places = np.empty(3 * len(data.vertices), dtype=np.float32)
    data.vertices.foreach_get("co", places)
    return blake2b(places.data, digest_size=16).hexdigest()


def _nodes(tree: Any) -> Hashable:
    """Return the nodes of a tree with the values of their inputs, and its links."""
    nodes = [
        (node.bl_idname, node.mute, *(_flat(getattr(socket, "default_value", None)) for socket in node.inputs))
        for node in tree.nodes
    ]
    links = [(link.from_node.name, link.from_socket.identifier, link.to_node.name) for link in tree.links]
    return tuple(map(str, nodes)), tuple(links)


def _aspects_of_parts(name: str, parts: list[Any], moved: set[str]) -> Iterator[Aspect]:
    """Modifiers or constraints: which there are, their values and their targets."""
    if not parts:
        yield Aspect(name, ())
        return
    keyed = defaultdict(set)
    for path in moved:
        place, _, value = path.rpartition(".")
        keyed[place].add(value)
    is_keyed = any(place.startswith("modifiers[") or "constraints[" in place for place in keyed)
    found = [_values(part, keyed.get(part.path_from_id(), ()) if is_keyed else ()) for part in parts]
    found += [_values(target) for part in parts for target in getattr(part, "targets", ())]
    for part in parts:
        path = part.path_from_id()
        own = [each for each in inputs_of(part) if not any(each[0] in key and key.startswith(path) for key in moved)]
        found.append(_plain_and_blocks(own))
    yield Aspect(name, tuple([(part.type, part.name) for part in parts]))
    values, uses = _joined(found)
    yield Aspect(name, values, uses, True)


def _pose(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """Return the pose of an armature without the values that keys move."""
    assert block.pose is not None
    bones = block.pose.bones
    names = tuple(bones.keys())
    modes = np.empty(len(names), dtype=np.int16)
    bones.foreach_get("rotation_mode", modes)
    posed = [modes.tobytes()]
    for (name, size), is_moved in zip(_IN_POSES.items(), _keyed_in_poses(names, frozenset(moved)), strict=True):
        values = np.empty((len(names), size), dtype=np.float32)
        bones.foreach_get(name, values.ravel())
        values[is_moved] = 0.0
        posed.append(values.tobytes())
    return names, tuple(posed)


@lru_cache(maxsize=64)
def _keyed_in_poses(names: tuple[str, ...], moved: frozenset[str]) -> NDArray[np.bool_]:
    """Return bool (V, B): which values of bones are keyed."""
    places = [f'pose.bones["{bpy.utils.escape_identifier(name)}"].' for name in names]
    return np.array([[place + value in moved for place in places] for value in _IN_POSES], dtype=bool)


def _path(bone: bpy.types.PoseBone) -> str:
    return f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]'


def _numbers_of_bones(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """Return the settings of all bones of a pose that are numbers, but for the pose itself and for what keys move."""
    assert block.pose is not None
    bones = block.pose.bones
    if not len(bones):
        return ()
    values = np.empty(len(bones), dtype=np.float32)
    keyed = {path.rpartition(".")[2] for path in moved}
    found = []
    for name in _settings_of_bones(type(bones[0])):
        if name in keyed:
            continue
        bones.foreach_get(name, values)
        found.append(values.tobytes())
    return tuple(found)


@cache
def _settings_of_bones(kind: type) -> tuple[str, ...]:
    chosen = [
        each
        for each in kind.bl_rna.properties
        if not each.is_readonly and each.type in {"BOOLEAN", "INT", "FLOAT"} and not each.is_array
    ]
    return tuple(each.identifier for each in chosen if each.identifier not in _LEFT_OUT | {"hide"})


_Found = tuple[Hashable, tuple[bpy.types.ID | None, ...]]


def _custom_properties(owner: Any, moved: set[str], path: str) -> _Found:
    """Return the custom properties of something, or the inputs of its nodes; without groups, as an add-on has them.

    Left out are ours and those that keys move, whose data paths begin with `path`.
    """
    own = [(key, value) for key, value in owner.items() if not key.startswith(OURS) and f'{path}{key}"]' not in moved]
    return _plain_and_blocks(sorted(own, key=itemgetter(0)))


def _plain_and_blocks(values: Iterable[tuple[str, Any]]) -> _Found:
    own = list(values)
    blocks = [(key, value) for key, value in own if isinstance(value, bpy.types.ID)]
    plain = [(key, _flat(value)) for key, value in own if not hasattr(value, "keys")]
    return (tuple(plain), tuple(key for key, _ in blocks)), tuple(value for _, value in blocks)


def _joined(found: list[_Found]) -> _Found:
    return tuple(values for values, _ in found), tuple(used for _, uses in found for used in uses)


def _values(struct: Any, without: Iterable[str] = ()) -> _Found:
    """Return those plain values of a struct that can be set and are not their defaults, and its data-blocks."""
    plain, arrays, pointers = _names(type(struct), struct.bl_rna)
    own = [(name, value) for name, default in plain if (value := getattr(struct, name)) != default]
    own += [(name, value) for name, default in arrays if (value := _flat(getattr(struct, name))) != default]
    left_out = set(without)
    return (
        tuple([each for each in own if each[0] not in left_out]),
        tuple([getattr(struct, name) for name in pointers if name not in left_out]),
    )


_Named = tuple[tuple[str, Any], ...]


@cache
def _names(_kind: type, rna: Any) -> tuple[_Named, _Named, tuple[str, ...]]:
    """Return a struct's scalar properties and its arrays and sets with their defaults, and its data-block pointers."""
    chosen = [each for each in rna.properties if not each.is_readonly and each.identifier not in _LEFT_OUT]
    plain = [each for each in chosen if each.type in _PLAIN]
    arrays = [(each.identifier, _flat(each.default_array)) for each in plain if getattr(each, "is_array", False)]
    sets = [(each.identifier, _flat(each.default_flag)) for each in plain if each.type == "ENUM" and each.is_enum_flag]
    several = {name for name, _ in (*arrays, *sets)}
    single = [(each.identifier, each.default) for each in plain if each.identifier not in several]
    pointers = [each for each in chosen if each.type == "POINTER" and _names_a_block(each.fixed_type)]
    return tuple(single), (*arrays, *sets), tuple(each.identifier for each in pointers)


def _names_a_block(rna: Any) -> bool:
    while rna is not None:
        if rna.identifier == "ID":
            return True
        rna = rna.base
    return False


def _flat(value: Any) -> Any:
    """Return the components of a vector or a matrix, or the members of a set; other values as they are."""
    if not hasattr(value, "__len__") or isinstance(value, _NOT_FLAT):
        return value
    if isinstance(value, set):
        return tuple(sorted(value))
    flat = tuple(value)
    return tuple(map(tuple, flat)) if flat and hasattr(flat[0], "__len__") and not isinstance(flat[0], str) else flat
