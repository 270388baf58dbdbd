# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a part of the built-in figures was edited since it was made: such a part is the user's work and is kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np

from ..blender_data import animation

AS_MADE = "footfall_figure_as_made"
"""Custom property of a part of the figures: the digests of its values as it was made."""

_OF_MATERIALS = ("diffuse_color", "metallic", "roughness")
_OF_NODES = ("bl_idname", "mute", "operation", "blend_type", "data_type", "attribute_name", "attribute_type")


def note_as_made(block: bpy.types.ID) -> None:
    """Record on a part of the figures how it is now."""
    block[AS_MADE] = json.dumps(digests_of(block))


def is_edited(block: bpy.types.ID) -> bool:
    """Whether a part of the figures is not as it was made; of its values those that both versions of Blender have."""
    made, now = json.loads(block.get(AS_MADE, "{}")), digests_of(block)
    return any(made[name] != now[name] for name in made.keys() & now.keys())


def digests_of(block: bpy.types.ID) -> dict[str, str]:
    """Return a digest of each value of a mesh, an armature, an Action or a material."""
    return {name: blake2b(repr(value).encode(), digest_size=6).hexdigest() for name, value in _values(block)}


def _values(block: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(block, bpy.types.Mesh):
        return _of_mesh(block)
    if isinstance(block, bpy.types.Material):
        return _of_material(block)
    if isinstance(block, bpy.types.Armature):
        bones = [(bone.name, *bone.head_local, *bone.tail_local, bone.use_deform) for bone in block.bones]
        return [("bones", bones)]
    return [("keys", animation.digest(block)), ("markers", [marker.name for marker in block.pose_markers])]


def _of_mesh(mesh: Any) -> Iterator[tuple[str, Any]]:
    places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", places)
    yield "places", places.tobytes()
    slots = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("material_index", slots)
    yield "slots", slots.tobytes()
    yield "corners", len(mesh.loops)
    yield "layers", sorted(each.name for each in mesh.attributes if not each.name.startswith("."))
    yield "shape keys", mesh.shape_keys is not None
    yield "weights", [(group.group, group.weight) for vertex in mesh.vertices for group in vertex.groups]


def _of_material(material: Any) -> Iterator[tuple[str, Any]]:
    yield "values", [_flat(getattr(material, name)) for name in _OF_MATERIALS]
    tree = material.node_tree
    if tree is None:
        return
    yield "images", [image.name_full for node in tree.nodes if (image := getattr(node, "image", None)) is not None]
    yield "links", [(link.from_node.name, link.from_socket.name, link.to_node.name) for link in tree.links]
    yield "nodes", [(node.name, [getattr(node, name, None) for name in _OF_NODES]) for node in tree.nodes]
    for node in tree.nodes:
        for socket in node.inputs:
            yield f"{node.name} {socket.identifier}", _flat(getattr(socket, "default_value", None))
        if hasattr(node, "color_ramp"):
            yield f"{node.name} ramp", [(each.position, *each.color) for each in node.color_ramp.elements]


def _flat(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
