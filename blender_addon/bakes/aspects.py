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
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ..blender_data import animation, nla_strips
from ..blender_data.curve_keys import Paths, animated_paths
from ..blender_data.object_references import inputs_of
from ..blender_data.tags import TAG
from .rna_values import Found, custom_properties, flat, is_compared, joined, plain_and_blocks, plain_values
from .sampled_crowd import IS_REAL

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
_ATTRIBUTES = {
    "FLOAT": ("value", 1),
    "INT": ("value", 1),
    "BOOLEAN": ("value", 1),
    "FLOAT_VECTOR": ("vector", 3),
    "FLOAT_COLOR": ("color", 4),
}  # with the name and the number of values
_NODE_SETTINGS = ("operation", "mode", "data_type", "input_type", "domain", "blend_type", "transform_space")
_PARTS_OF_MODIFIERS = ("settings", "collision_settings", "particle_system", "point_cache")


BONES = "bones"
OF_BONES = frozenset({BONES, "pose", "pose bones", "bone constraints"})
"""Aspects that cannot be compared where an armature has other bones: its names of bones, and what depends on them."""


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
    yield Aspect("parent", (block.parent_type, block.parent_bone, flat(block.matrix_parent_inverse)), (block.parent,))
    yield Aspect("data", _samples(block.data), (block.data,))
    own_slots = [slot for slot in block.material_slots if slot.link == "OBJECT"]  # the others belong to shared data
    numbers = tuple([slot.slot_index for slot in own_slots])
    yield Aspect("materials", numbers, tuple([slot.material for slot in own_slots]))
    effects = getattr(block, "shader_effects", ())
    for name, parts in (("modifiers", block.modifiers), ("constraints", block.constraints), ("effects", effects)):
        yield from _aspects_of_parts(name, list(parts), moved)
    if block.pose is not None:
        yield Aspect(BONES, tuple(block.pose.bones.keys()))
        yield Aspect("pose", _pose(block, moved))
        bones = list(block.pose.bones)
        own = [
            (bone.custom_shape is not None, *custom_properties(bone, moved, f'{bone.path_from_id()}["'))
            for bone in bones
        ]
        yield Aspect("pose bones", (tuple(map(str, own)), _numbers_of_bones(block, moved)), (), True)
        yield from _aspects_of_parts("bone constraints", [part for bone in bones for part in bone.constraints], moved)
    yield Aspect("custom properties", *custom_properties(block, moved, '["'))
    trees = [
        tree for part in block.modifiers if (tree := getattr(part, "node_group", None)) is not None and TAG in tree
    ]
    if trees:
        yield Aspect("nodes", *joined(list(map(_nodes, trees))), True)
    own = [plain_values(block, moved | {*_TRANSFORM, *_VISIBILITY, "parent", "data"})]
    own += [plain_values(part) for name in _PARTS_OF_OBJECTS if (part := getattr(block, name, None)) is not None]
    yield Aspect("object settings", *joined(own), True)


def _aspects_of_animation(data: bpy.types.AnimData) -> Iterator[Aspect]:
    clip = animation.active_clip(data)
    plays = clip is not None, data.use_nla, data.action_influence, data.action_blend_type, data.action_extrapolation
    yield Aspect("Action", plays, (data.action,))
    yield Aspect("Action", getattr(data, "action_slot_handle", 0), (), True)
    tracks = nla_strips.tracks_of(data)
    strips = [strip for track in tracks for strip in track.strips]
    if tracks:
        yield Aspect("keys of NLA strips", animation.digest_of_strips(data))
        yield Aspect("NLA tracks", tuple(map(_track, tracks)), tuple([strip.action for strip in strips]))
        yield Aspect("NLA tracks", tuple([getattr(strip, "action_slot_handle", 0) for strip in strips]), (), True)
    if len(data.drivers):
        drivers = [curve.driver for curve in data.drivers]
        targets = [target for driver in drivers for variable in driver.variables for target in variable.targets]
        yield Aspect("drivers", tuple(map(_driver, data.drivers)), tuple([target.id for target in targets]))
        yield Aspect("drivers", *joined([plain_values(each, ["id"]) for each in (*drivers, *targets)]), True)


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
    """Return those of some values, or of their components, that keys may move but do not."""
    found = []
    for name in names:
        value = getattr(block, name)
        if name not in moved:
            found.append(flat(value))
        elif hasattr(value, "__len__") and not isinstance(value, str):
            found.append(tuple([part for index, part in enumerate(value) if f"{name}[{index}]" not in moved]))
    return tuple(found)


def _samples(data: Any) -> Hashable:
    """Return the digest of the samples of a crowd of instances; other data are shared by all people."""
    if not isinstance(data, bpy.types.Mesh) or TAG not in data:
        return ()
    state = blake2b(digest_size=16)
    attributes: Any = data.attributes
    for each in attributes:
        name, size = _ATTRIBUTES.get(each.data_type, ("", 0))
        if size and each.name != IS_REAL:
            values = np.empty(size * len(each.data), dtype=np.float32)
            each.data.foreach_get(name, values)
            state.update(values.data)
    return state.hexdigest()


def _nodes(tree: Any) -> Found:
    """Return the nodes of a tree with the values of their inputs, and its links."""
    inputs = [
        plain_and_blocks((socket.identifier, getattr(socket, "default_value", None)) for socket in node.inputs)
        for node in tree.nodes
    ]
    kinds = tuple(
        [(node.bl_idname, node.mute, *(getattr(node, name, None) for name in _NODE_SETTINGS)) for node in tree.nodes]
    )
    links = [(link.from_node.name, link.from_socket.identifier, link.to_node.name) for link in tree.links]
    return joined([((kinds, tuple(links)), ()), *inputs])


def _aspects_of_parts(name: str, parts: list[Any], moved: set[str]) -> Iterator[Aspect]:
    """Modifiers or constraints: which there are, their values and their targets."""
    if not parts:
        yield Aspect(name, ())
        return
    keyed = [path for path in moved if path.startswith("modifiers[") or "constraints[" in path]
    values_keyed = defaultdict(set)
    for path in keyed:
        place, _, value = path.rpartition(".")
        values_keyed[place].add(value)
    found = [plain_values(part, values_keyed.get(part.path_from_id(), ()) if keyed else ()) for part in parts]
    found += [plain_values(target) for part in parts for target in getattr(part, "targets", ())]
    inner = [getattr(part, name, None) for part in parts for name in _PARTS_OF_MODIFIERS]
    found += [plain_values(each) for each in inner if each is not None]
    for part in parts:
        keyed_here = [path for path in keyed if path.startswith(part.path_from_id())]
        own = [
            (name, value)
            for name, value, default in inputs_of(part)
            if flat(value) != flat(default) and not any(name in key for key in keyed_here)
        ]
        found.append(plain_and_blocks(own))
    yield Aspect(name, tuple([(part.type, part.name) for part in parts]))
    values, uses = joined(found)
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


def _numbers_of_bones(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """Return the settings of all bones of a pose that are numbers, but for the pose itself and for what keys move."""
    assert block.pose is not None
    bones = block.pose.bones
    if not len(bones):
        return ()
    keyed = {path.rpartition(".")[2] for path in moved}
    found = []
    for name, size in _settings_of_bones(type(bones[0])):
        if name in keyed:
            continue
        values = np.empty(len(bones) * size, dtype=np.float32)
        bones.foreach_get(name, values)
        found.append(values.tobytes())
    return tuple(found)


@cache
def _settings_of_bones(kind: type) -> tuple[tuple[str, int], ...]:
    """Return the names of the numbers of a pose bone, with the number of their components."""
    numbers = [each for each in kind.bl_rna.properties if each.type in {"BOOLEAN", "INT", "FLOAT"}]
    chosen = [each for each in numbers if is_compared(each) and each.identifier not in {"hide", *_IN_POSES}]
    return tuple([(each.identifier, max(1, each.array_length)) for each in chosen])
