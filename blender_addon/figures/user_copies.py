# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in figures as the user's own: copies of all that they are made of, to dress, to animate and to share."""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Vector

from ..blender_data import animation, nla_strips
from .as_made import AS_MADE
from .figure import DRAWS_COLOUR, FIGURE_TAG, STRIDE_PROPERTY, Figure, ensure_figures, remove_unused_figures

_APART = 1.2
"""So far from each other they stand [m]."""


def make_own_figures(scene: bpy.types.Scene, unit: float) -> bpy.types.Collection:
    """Put the figures into a scene, side by side at the 3D cursor: nothing of them is shared with what bakes use.

    Each is in a collection of its own, which is marked as an asset: from the Asset Browser it can be taken into other
    scenes, and into other files once this one lies in an asset library.

    Args:
        scene: the scene.
        unit: metres per Blender unit.

    Returns:
        The collection of all, for a crowd to take as its characters.
    """
    figures = ensure_figures()
    together = bpy.data.collections.new("Figures")
    scene.collection.children.link(together)
    materials: dict[bpy.types.Material, bpy.types.Material] = {}
    for place, figure in enumerate(figures):
        rig = _copy(figure, together, materials)
        rig.scale *= 1.0 / unit
        aside = (place - (len(figures) - 1) / 2) * _APART / unit
        rig.location = scene.cursor.location + Vector((aside, 0.0, 0.0))
    remove_unused_figures()
    return together


def _copy(
    figure: Figure, together: bpy.types.Collection, materials: dict[bpy.types.Material, bpy.types.Material]
) -> bpy.types.Object:
    name = figure.name.removeprefix("Footfall ").capitalize()
    alone = bpy.data.collections.new(name)
    together.children.link(alone)
    rig = _own(figure.armature, name)
    alone.objects.link(rig)
    for mesh in figure.meshes:
        body = _own(mesh, f"{name} body")
        alone.objects.link(body)
        body.parent = rig
        body[DRAWS_COLOUR] = True
        body.modifiers["Armature"].object = rig  # ty: ignore[missing-attribute]
        for slot in body.material_slots:
            known = slot.material
            assert known is not None
            if known not in materials:
                materials[known] = _freed(known.copy(), known.name)
            slot.material = materials[known]
    _give_clips(rig, figure, name)
    alone.asset_mark()
    alone.asset_data.description = "Walks, runs and stands; a character for Footfall crowds"  # ty: ignore[invalid-assignment]
    return rig


def _own(template: bpy.types.Object, name: str) -> bpy.types.Object:
    """A copy of an object of a figure and of its data."""
    own: Any = _freed(template.copy(), name)
    own.data = _freed(own.data.copy(), name)
    return own


def _freed(block: Any, name: str) -> Any:
    for key in (FIGURE_TAG, STRIDE_PROPERTY, AS_MADE):
        block.pop(key, None)
    block.name = name
    return block


def _give_clips(rig: bpy.types.Object, figure: Figure, name: str) -> None:
    """The walk as what it plays; running and standing in tracks of their own, where a bake finds them."""
    clips = {"walk": figure.walk, "idle": figure.idle, "run": figure.run}
    own = {what: animation.copy_clip(clip) for what, clip in clips.items()}
    for what, clip in own.items():
        _freed(clip.action, f"{name} {what}")
    animation.assign_clip(rig, own.pop("walk"))
    for what, clip in own.items():
        track = nla_strips.add_track(rig, what.capitalize())
        animation.add_strip(track, clip.action.name, clip, 0)
        track.mute = True
