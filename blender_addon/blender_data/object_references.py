# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object speaks of other objects: parent, modifiers, constraints, drivers.

`Object.copy` leaves all of these as they were, so a copied rig would go on pulling at the original. They are looked
up once for an original, and then set in each of its copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import bpy

_REST_MATRICES = {bpy.types.Object: "matrix_parent_inverse", bpy.types.HookModifier: "matrix_inverse"}
"""Where Blender notes how two objects stood when they were joined, which it forgets when another is named."""


class Reference(NamedTuple):
    """A place in an object where another object stands.

    Attributes:
        path: data path from the object to the struct that holds it; empty: the object itself.
        key: name of the struct's property, or keys into its custom properties.
        target: the other object.
    """

    path: str
    key: str | tuple[str, ...]
    target: bpy.types.Object


def references_in(owner: bpy.types.Object) -> list[Reference]:
    """All places where an object speaks of other objects that keep it in shape or move it."""
    found = [Reference("", "parent", owner.parent)] if owner.parent is not None else []
    for number, modifier in enumerate(owner.modifiers):
        found += _pointers(modifier, f"modifiers[{number}]")
        found += _node_inputs(modifier, f"modifiers[{number}]")
    found += _in_constraints(owner.constraints, "constraints")
    for number, bone in enumerate(owner.pose.bones if owner.pose is not None else ()):
        found += _in_constraints(bone.constraints, f"pose.bones[{number}].constraints")
    found += _in_drivers(owner.animation_data)
    return found


def point(owner: bpy.types.Object, reference: Reference, target: bpy.types.Object) -> None:
    """Put another object at the place that `reference` names, in `owner`, a copy of the object it was found in."""
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
def _object_properties(struct_type: type) -> tuple[str, ...]:
    """Names of the properties of a kind of struct that hold an object."""
    properties = struct_type.bl_rna.properties
    pointers = (each for each in properties if each.type == "POINTER" and not each.is_readonly)
    return tuple(each.identifier for each in pointers if each.fixed_type.identifier == "Object")


def _pointers(struct: Any, path: str) -> Iterator[Reference]:
    for name in _object_properties(type(struct)):
        target = getattr(struct, name)
        if target is not None:
            yield Reference(path, name, target)


def _node_inputs(modifier: Any, path: str) -> Iterator[Reference]:
    """The objects that are inputs of a geometry nodes modifier; from 5.2 on they lie in a struct of their own."""
    if modifier.type != "NODES" or modifier.node_group is None:
        return
    own_struct = hasattr(modifier, "properties")
    for socket in modifier.node_group.interface.items_tree:
        if socket.item_type != "SOCKET" or socket.in_out != "INPUT" or socket.socket_type != "NodeSocketObject":
            continue
        name = socket.identifier
        target = modifier.properties.inputs[name]["value"] if own_struct else modifier.get(name)
        if target is not None:
            yield (
                Reference(f"{path}.properties.inputs", (name, "value"), target)
                if own_struct
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
