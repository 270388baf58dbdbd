# SPDX-License-Identifier: GPL-3.0-or-later
"""References from an object to other objects: parent, modifiers, constraints, drivers.

`Object.copy` does not change them, so a copied mesh would still follow the original rig. They are found once in the
original, and then set in each of its copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import bpy

_REST_MATRICES = {bpy.types.Object: "matrix_parent_inverse", bpy.types.HookModifier: "matrix_inverse"}
"""Matrices that Blender stores when two objects are joined, and resets when the other object is set."""


class Reference(NamedTuple):
    """A property of an object, or of one of its parts, whose value is another object.

    Attributes:
        path: data path from the object to the struct with the property; empty: the object itself.
        key: name of the struct's property, or keys into its custom properties.
        target: the other object.
    """

    path: str
    key: str | tuple[str, ...]
    target: bpy.types.Object


def references_in(owner: bpy.types.Object) -> list[Reference]:
    """Find all references to objects that deform or move an object."""
    found = [Reference("", "parent", owner.parent)] if owner.parent is not None else []
    for number, modifier in enumerate(owner.modifiers):
        found += _pointers(modifier, f"modifiers[{number}]")
        found += _node_inputs(modifier, f"modifiers[{number}]")
    found += _in_constraints(owner.constraints, "constraints")
    for number, bone in enumerate(owner.pose.bones if owner.pose is not None else ()):
        found += _in_constraints(bone.constraints, f"pose.bones[{number}].constraints")
    found += _in_drivers(owner.animation_data)
    return found


def seen_by_scenes() -> set[bpy.types.ID]:
    """Return what scenes refer to by themselves: cameras, also of markers and strips, drivers' targets, keying sets."""
    found: set[Any] = set()
    for scene in bpy.data.scenes:
        editor: Any = scene.sequence_editor
        strips = getattr(editor, "strips_all", None) or getattr(editor, "sequences_all", ())
        drivers = scene.animation_data.drivers if scene.animation_data is not None else ()
        found |= {scene.camera, *(marker.camera for marker in scene.timeline_markers)}
        found |= {getattr(strip, "scene_camera", None) for strip in strips}
        found |= {end.id for curve in drivers for variable in curve.driver.variables for end in variable.targets}
        found |= {path.id for keying_set in scene.keying_sets for path in keying_set.paths}
    return found


def carriers_of(part: bpy.types.Object) -> list[bpy.types.Object]:
    """Return the objects that an object follows: its parent, and the armatures that deform it."""
    rigs = [each.object for each in part.modifiers if isinstance(each, bpy.types.ArmatureModifier)]
    return [each for each in (part.parent, *rigs) if each is not None]


def inputs_of(modifier: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield identifiers, values and defaults of the inputs of a geometry nodes modifier; none of other modifiers.

    From Blender 5.2 on the inputs have their own struct.
    """
    if modifier.type != "NODES" or modifier.node_group is None:
        return
    for socket in modifier.node_group.interface.items_tree:
        if socket.item_type == "SOCKET" and socket.in_out == "INPUT":
            name, default = socket.identifier, getattr(socket, "default_value", None)
            if hasattr(modifier, "properties"):
                yield name, (modifier.properties.inputs.get(name) or {}).get("value", default), default
            else:
                yield name, modifier.get(name, default), default


def set_reference(owner: bpy.types.Object, reference: Reference, target: bpy.types.Object) -> None:
    """Set a reference to another object in `owner`, a copy of the object in which it was found."""
    struct: Any = owner.path_resolve(reference.path) if reference.path else owner
    rest_name = _REST_MATRICES.get(type(struct))
    rest = getattr(struct, rest_name).copy() if rest_name is not None else None
    if isinstance(reference.key, str):
        setattr(struct, reference.key, target)
    else:
        *outer, last = reference.key
        for key in outer:
            struct = struct[key]
        struct[last] = target
    if rest_name is not None:
        setattr(struct, rest_name, rest)


@cache
def _object_properties(struct_type: Any) -> tuple[str, ...]:
    """Return the names of a struct type's properties whose value is an object."""
    properties = struct_type.bl_rna.properties
    pointers = (each for each in properties if each.type == "POINTER" and not each.is_readonly)
    return tuple(each.identifier for each in pointers if each.fixed_type.identifier == "Object")


def _pointers(struct: Any, path: str) -> Iterator[Reference]:
    for name in _object_properties(type(struct)):
        target = getattr(struct, name)
        if target is not None:
            yield Reference(path, name, target)


def _node_inputs(modifier: Any, path: str) -> Iterator[Reference]:
    """Find objects that are inputs of a geometry nodes modifier."""
    for name, target, _ in inputs_of(modifier):
        if isinstance(target, bpy.types.Object):
            yield (
                Reference(f"{path}.properties.inputs", (name, "value"), target)
                if hasattr(modifier, "properties")
                else Reference(path, (name,), target)
            )


def _in_constraints(constraints: Any, path: str) -> Iterator[Reference]:
    for number, constraint in enumerate(constraints):
        yield from _pointers(constraint, f"{path}[{number}]")
        for place, target in enumerate(getattr(constraint, "targets", ())):
            yield from _pointers(target, f"{path}[{number}].targets[{place}]")


def _in_drivers(animation: bpy.types.AnimData | None) -> Iterator[Reference]:
    for number, curve in enumerate(animation.drivers if animation is not None else ()):
        for place, variable in enumerate(curve.driver.variables):
            for end, target in enumerate(variable.targets):
                if isinstance(target.id, bpy.types.Object):
                    path = f"animation_data.drivers[{number}].driver.variables[{place}].targets[{end}]"
                    yield Reference(path, "id", target.id)


def materials_behind(trees: list[Any]) -> tuple[bpy.types.Material | None, ...]:
    """Return the materials of the objects that nodes of trees, or in turn the nodes of these objects, are given."""
    meshes: list[bpy.types.Mesh] = []
    for _ in range(2):
        sockets = [socket for tree in trees for node in tree.nodes for socket in node.inputs]
        given = [getattr(socket, "default_value", None) for socket in sockets]
        objects = [each for each in given if isinstance(each, bpy.types.Object)]
        meshes += [each.data for each in objects if isinstance(each.data, bpy.types.Mesh)]
        modifiers = [modifier for each in objects for modifier in each.modifiers]
        trees = [each.node_group for each in modifiers if isinstance(each, bpy.types.NodesModifier) and each.node_group]
    meshes.sort(key=lambda mesh: mesh.name.casefold())
    return tuple([material for mesh in meshes for material in mesh.materials])
