# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen for a crowd: what people walk along, and where they come from and go to."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender_data.tags import TAG


def may_be_route(obj: bpy.types.Object) -> bool:
    """Whether an object is a curve, or a mesh of edges alone, and was not made by a bake."""
    mesh = obj.data
    is_line = isinstance(mesh, bpy.types.Mesh) and len(mesh.edges) > 0 and not len(mesh.polygons)
    return (obj.type == "CURVE" or is_line) and TAG not in obj


def offer_routes(_group: Any, candidate: bpy.types.Object) -> bool:
    """Offer what people can walk along."""
    return may_be_route(candidate)


def offer_places(_group: Any, candidate: bpy.types.Object) -> bool:
    """Offer meshes, and empties, which stand for a disc of the size they are drawn at."""
    return candidate.type in {"MESH", "EMPTY"} and TAG not in candidate


def why_no_route(obj: bpy.types.Object | None) -> str | None:
    """The reason why people cannot walk along an object, with the way out; None where they can."""
    if obj is None:
        return "No object is active: click on a curve in the viewport first"
    if may_be_route(obj):
        return None
    if TAG in obj:
        return f"'{obj.name}' was made by a bake: click on a curve in the viewport first"
    if isinstance(obj.data, bpy.types.Mesh) and len(obj.data.polygons):
        return f"'{obj.name}' has faces: click on a curve first, or delete all faces and keep the edges of the path"
    return f"'{obj.name}' is not a curve: click on a curve in the viewport first"
