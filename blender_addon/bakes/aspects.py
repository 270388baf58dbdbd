# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object is like, aspect by aspect: all that an animator could change on it, but for its keys and its name.

Not among it are values that keys and drivers move, which change from frame to frame; what only the interface shows,
such as which modifier is open; and data that people share with the user's character.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from functools import cache, lru_cache
from hashlib import blake2b
from math import nan
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...core.array_types import Bool
from ..blender_data import animation, nla_strips
from ..blender_data.curve_keys import Paths, animated_paths
from ..blender_data.object_references import inputs_of, materials_behind
from ..blender_data.tags import TAG
from .rna_values import (
    ComparedNames,
    Found,
    KnownNames,
    custom_properties,
    flat,
    joined,
    names_of,
    plain_and_blocks,
    plain_values,
)
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
)
_DISPLAY = (
    "color",
    "display_type",
    "display_bounds_type",
    "show_all_edges",
    "show_axis",
    "show_bounds",
    "show_in_front",
    "show_name",
    "show_texture_space",
    "show_transparent",
    "show_wire",
)
_VISIBILITY = ("hide_viewport", "hide_render", "hide_select")
_STRIP = (
    "name",
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
_PARTS_OF_OBJECTS = (
    "display",
    "lineart",
    "field",
    "rigid_body",
    "rigid_body_constraint",
    "light_linking",
    "pose",
    "asset_data",
)
_ATTRIBUTES = {
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "BOOLEAN": ("value", 1, np.bool_),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
}  # with the name, the number and the type of values; of its own type Blender copies them at once
_NODE_SETTINGS = ("operation", "mode", "data_type", "input_type", "domain", "blend_type", "transform_space")
_PARTS_OF_MODIFIERS = ("settings", "collision_settings", "particle_system", "point_cache")

VERSION = "{}.{}".format(*bpy.app.version)
"""This version of Blender, as far as others may have other properties."""

BONES, SLOTS, MATERIALS = "bones", "slots", "materials"
DISPLAY = "viewport display"
"""Aspect of how an object is shown (Object > Viewport Display), which the next bake takes over without a question."""

OF_BONES = frozenset({BONES, "pose", "pose bones", "bone constraints"})
"""Aspects that cannot be compared where an armature has other bones: its names of bones, and what depends on them."""


class SharedParts:
    """What many objects share, computed once; valid until anything is changed.

    Args:
        names: properties that are compared, by version of Blender as in `VERSION`.

    Attributes:
        paths: data paths that Actions animate.
        registered: the names of all properties of a type.
    """

    def __init__(self, names: dict[str, KnownNames] | None = None) -> None:
        self.paths: Paths = {}
        self._names = {} if names is None else names
        self.registered = cache(lambda kind: frozenset(kind.bl_rna.properties.keys()))

    def names(self, version: str) -> KnownNames:
        """Return the properties that are compared with those of a version of Blender; of this one they are all."""
        return self._names.setdefault(version, {})


class Aspect(NamedTuple):
    """One aspect of an object.

    Attributes:
        name: as users read it.
        values: plain values.
        uses: data-blocks that belong to it.
        is_of_this_version: another version of Blender may have other values.
        numbers: float32, further values; NaN where keys move them.
        parts: named values, plain ones or data-blocks, that are compared one by one; None where keys move them.
    """

    name: str
    values: Hashable
    uses: tuple[bpy.types.ID | None, ...] = ()
    is_of_this_version: bool = False
    numbers: bytes = b""
    parts: tuple[tuple[str, Any], ...] = ()


def bones_of(block: bpy.types.Object, moved: set[str]) -> Hashable:
    """Return the constraints and pose of an armature's bones, without the data paths that keys move.

    It is valid as long as Blender runs, see `state_of`.
    """
    if block.pose is None:
        return ()
    parts = [part for bone in block.pose.bones for part in bone.constraints]
    return _pose(block, moved), _in_session(_aspect_of_parts("", parts, moved, {}))


def state_of(block: bpy.types.Object, shared: SharedParts) -> int:
    """Return a hash that changes when anything of an object changes that copies of it would take over.

    It is valid as long as Blender runs, as data-blocks are identified by their `session_uid`.
    """
    return hash((block.session_uid, tuple([_in_session(each) for each in aspects_of(block, shared)])))


def _in_session(aspect: Aspect) -> Hashable:
    parts = [
        (name, value.session_uid if isinstance(value, bpy.types.ID) else flat(value)) for name, value in aspect.parts
    ]
    uses = tuple([used.session_uid if used is not None else None for used in aspect.uses])
    return aspect.values, uses, aspect.numbers, tuple(parts)


def aspects_of(
    block: bpy.types.Object, shared: SharedParts, version: str = VERSION, *, is_display_apart: bool = True
) -> Iterator[Aspect]:
    """Yield the aspects of an object, in a fixed order.

    Args:
        block: the object.
        shared: what it shares with others.
        version: of Blender, with whose record they are to be compared.
        is_display_apart: False: how it is shown belongs to its settings, as in records of earlier versions of Footfall.
    """
    data, known = block.animation_data, shared.names(version)
    moved = animated_paths(data, shared.paths)
    if data is not None:
        yield from _aspects_of_animation(data, known)
    yield Aspect("transform", block.rotation_mode, numbers=_transform(block, moved))
    yield Aspect("visibility", tuple([getattr(block, name) for name in _VISIBILITY if name not in moved]))
    yield Aspect("parent", (block.parent_type, block.parent_bone, flat(block.matrix_parent_inverse)), (block.parent,))
    yield Aspect("data", _samples(block.data), (block.data,))
    own_slots = [slot for slot in block.material_slots if slot.link == "OBJECT"]  # the others belong to shared data
    places = tuple([slot.slot_index for slot in own_slots])
    yield Aspect(SLOTS, len(block.material_slots))
    yield Aspect(MATERIALS, places, tuple([slot.material for slot in own_slots]))
    effects = getattr(block, "shader_effects", ())
    for name, parts in (("modifiers", block.modifiers), ("constraints", block.constraints), ("effects", effects)):
        yield _aspect_of_parts(name, list(parts), moved, known)
    if block.pose is not None:
        bones = list(block.pose.bones)
        yield Aspect(BONES, tuple([bone.name for bone in bones]))
        modes, numbers = _pose(block, moved)
        yield Aspect("pose", modes, numbers=numbers)
        own = [
            (bone.name, key, flat(value))
            for bone in bones
            if bone.keys()
            for key, value in custom_properties(bone, shared.registered, moved, f'{bone.path_from_id()}["')
        ]
        colours = [plain_values(bone.color, known) for bone in bones if bone.color.palette != "DEFAULT"]
        shapes = tuple([bone.custom_shape for bone in bones])
        yield Aspect("pose bones", (str(own), _numbers_of_bones(block, moved, known), *colours), shapes)
        constraints = [part for bone in bones for part in bone.constraints]
        yield _aspect_of_parts("bone constraints", constraints, moved, known)
    yield Aspect("custom properties", (), parts=tuple(custom_properties(block, shared.registered, moved, '["')))
    trees = [
        tree for part in block.modifiers if (tree := getattr(part, "node_group", None)) is not None and TAG in tree
    ]
    trees += [node.node_tree for tree in trees for node in tree.nodes if getattr(node, "node_tree", None) is not None]
    if trees:
        yield Aspect("nodes", *joined(list(map(_nodes, trees))), True)
        yield Aspect("materials of poses", (), materials_behind(trees))
    if is_display_apart:
        yield Aspect(
            DISPLAY, (), parts=tuple([(name, None if name in moved else at) for name, at in display_of(block)])
        )
    left_out = {*_TRANSFORM, *_VISIBILITY, *(_DISPLAY * is_display_apart), "rotation_mode", "parent", "data"}
    own = [plain_values(block, known, moved | left_out)]
    own += [plain_values(part, known) for name in _PARTS_OF_OBJECTS if (part := getattr(block, name, None)) is not None]
    if hasattr(block, "cycles") and any(found := plain_values(block.cycles, known)):  # the add-on may be off
        own.append(found)
    yield Aspect("object settings", *joined(own))


def display_of(block: bpy.types.Object) -> list[tuple[str, Any]]:
    """Return how an object is shown in the viewport: names of its properties, and their values."""
    return [(name, flat(getattr(block, name))) for name in _DISPLAY]


def _aspects_of_animation(data: bpy.types.AnimData, known: KnownNames) -> Iterator[Aspect]:
    clip = animation.active_clip(data)
    plays = clip is not None, data.use_nla, data.action_influence, data.action_blend_type, data.action_extrapolation
    yield Aspect("Action", plays, (data.action,))
    yield Aspect("Action", getattr(data, "action_slot_handle", 0), (), True)
    tracks = nla_strips.tracks_of(data)
    strips = [strip for track in tracks for strip in track.strips]
    if tracks:
        yield Aspect("keys of NLA strips", nla_strips.digest_of(data))
        yield Aspect("NLA tracks", tuple(map(_track, tracks)), tuple([strip.action for strip in strips]))
        yield Aspect("NLA tracks", tuple([getattr(strip, "action_slot_handle", 0) for strip in strips]), (), True)
    if len(data.drivers):
        drivers = [curve.driver for curve in data.drivers]
        targets = [target for driver in drivers for variable in driver.variables for target in variable.targets]
        values, uses = joined([plain_values(each, known, ["id"]) for each in (*drivers, *targets)])
        ids = tuple([target.id for target in targets])
        yield Aspect("drivers", (tuple(map(_driver, data.drivers)), values), (*ids, *uses))


def _track(track: bpy.types.NlaTrack) -> Hashable:
    strips = [
        (tuple([getattr(strip, name) for name in _STRIP]), strip.use_animated_influence or strip.influence)
        for strip in track.strips
    ]
    return track.name, track.lock, track.mute, track.is_solo, tuple(strips)


def _driver(curve: bpy.types.FCurve) -> Hashable:
    driver = curve.driver
    assert driver is not None
    variables = [
        (variable.name, variable.type, *((target.data_path, target.bone_target) for target in variable.targets))
        for variable in driver.variables
    ]
    return curve.data_path, curve.array_index, curve.mute, driver.type, driver.expression, tuple(variables)


def _transform(block: bpy.types.Object, moved: set[str]) -> bytes:
    """Return the place, turn and scale of an object; NaN where keys move them."""
    found: list[float] = []
    for name in _TRANSFORM:
        values = getattr(block, name)
        if name in moved:
            values = [nan if f"{name}[{index}]" in moved else value for index, value in enumerate(values)]
        found += list(values)
    return np.array(found, dtype=np.float32).tobytes()


def _samples(data: Any) -> Hashable:
    """Return the digest of the samples of a crowd of instances; other data are shared by all people."""
    if not isinstance(data, bpy.types.Mesh) or TAG not in data:
        return ()
    state = blake2b(digest_size=16)
    attributes: Any = data.attributes
    for each in attributes:
        name, size, kind = _ATTRIBUTES.get(each.data_type, ("", 0, np.float32))
        if size and each.name != IS_REAL:
            values = np.empty(size * len(each.data), dtype=kind)
            each.data.foreach_get(name, values)
            state.update(values.astype(np.float32, copy=False).data)
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


def _aspect_of_parts(name: str, parts: list[Any], moved: set[str], known: KnownNames) -> Aspect:
    """Modifiers or constraints: which there are, their values and their targets."""
    if not parts:
        return Aspect(name, ())
    keyed = [path for path in moved if path.startswith("modifiers[") or "constraints[" in path]
    values_keyed = defaultdict(set)
    for path in keyed:
        place, _, value = path.rpartition(".")
        values_keyed[place].add(value)
    found = [plain_values(part, known, values_keyed.get(part.path_from_id(), ()) if keyed else ()) for part in parts]
    found += [plain_values(target, known) for part in parts for target in getattr(part, "targets", ())]
    inner = [getattr(part, name, None) for part in parts for name in _PARTS_OF_MODIFIERS]
    found += [plain_values(each, known) for each in inner if each is not None]
    for part in parts:
        own = [(name, value) for name, value, default in inputs_of(part) if flat(value) != flat(default)]
        if own and keyed:
            place = part.path_from_id()  # slow where a rig has many bones
            keyed_here = [path for path in keyed if path.startswith(place)]
            own = [(name, value) for name, value in own if not any(name in path for path in keyed_here)]
        found.append(plain_and_blocks(own))
    values, uses = joined(found)
    return Aspect(name, (tuple([(part.type, part.name) for part in parts]), values), uses)


def _pose(block: bpy.types.Object, moved: set[str]) -> tuple[Hashable, bytes]:
    """Return the rotation modes of an armature's bones and their pose, with NaN where keys move it."""
    assert block.pose is not None
    bones = block.pose.bones
    names = tuple(bones.keys())
    modes = np.empty(len(names), dtype=np.int16)
    bones.foreach_get("rotation_mode", modes)
    posed = []
    for (name, size), is_moved in zip(_IN_POSES.items(), _keyed_in_poses(names, frozenset(moved)), strict=True):
        values = np.empty((len(names), size), dtype=np.float32)
        bones.foreach_get(name, values.ravel())
        values[is_moved] = np.nan
        posed.append(values.tobytes())
    return (names, modes.tobytes()), b"".join(posed)


@lru_cache(maxsize=64)
def _keyed_in_poses(names: tuple[str, ...], moved: frozenset[str]) -> Bool:
    """Return bool (V, B): which values of bones are keyed."""
    places = [f'pose.bones["{bpy.utils.escape_identifier(name)}"].' for name in names]
    return np.array([[place + value in moved for place in places] for value in _IN_POSES], dtype=bool)


def _numbers_of_bones(block: bpy.types.Object, moved: set[str], known: KnownNames) -> Hashable:
    """Return the settings of all bones of a pose that are numbers, but for the pose itself and for what keys move."""
    assert block.pose is not None
    bones = block.pose.bones
    if not len(bones):
        return ()
    left_out = {path.rpartition(".")[2] for path in moved}
    found = []
    for name, size in _settings_of_bones(names_of(bones[0], known)):
        if name not in left_out:
            values = np.empty(len(bones) * size, dtype=np.float32)
            bones.foreach_get(name, values)
            found.append(values.tobytes())
    return tuple(found)


@lru_cache(maxsize=8)
def _settings_of_bones(names: ComparedNames) -> list[tuple[str, int]]:
    """Return the names of the numbers of a pose bone, with the number of their components."""
    numbers = [(name, np.ravel(default)) for name, default in (*names.single, *names.several)]
    chosen = [(name, values.size) for name, values in numbers if values.dtype.kind in "bif" and values.size]
    kept = {*bpy.types.PoseBone.bl_rna.properties.keys()}.difference(("hide", *_IN_POSES))
    return [(name, size) for name, size in chosen if name in kept]
