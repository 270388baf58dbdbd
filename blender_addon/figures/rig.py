# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures, made and changed wherever the user is: in the background, in any mode, in any operator.

Bones can only be added in edit mode. The armature enters it in a scene of its own, of which the user's window, mode
and selection know nothing, and leaves it before that scene is removed.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import bpy
from mathutils import Vector

from .mesh.skeleton import Bone


def make_armature(name: str, bones: dict[str, Bone]) -> bpy.types.Armature:
    """Make an armature with these bones."""
    data = bpy.data.armatures.new(name)
    with edited_bones(data) as made:
        _add_bones(made, bones)
    return data


@contextmanager
def edited_bones(armature: bpy.types.Armature) -> Generator[Any]:
    """Provide the bones of an armature for editing, for a while; no other object is in edit mode with it."""
    rig = bpy.data.objects.new(armature.name, armature)
    try:
        with _own_scene(rig) as own:
            with bpy.context.temp_override(**own, edit_object=None):
                bpy.ops.object.mode_set(mode="EDIT")
            yield armature.edit_bones
            with bpy.context.temp_override(**own, edit_object=rig):
                bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        bpy.data.objects.remove(rig)


def make_rig(name: str, armature: bpy.types.Armature) -> bpy.types.Object:
    """Make an object of an armature, its pose included, in no collection.

    An object gets its pose when it is first evaluated; before that, Blender 4.4 and later crash when an Action is
    taken from it.
    """
    rig = bpy.data.objects.new(name, armature)
    with _own_scene(rig) as own:
        own["view_layer"].update()
    return rig


@contextmanager
def _own_scene(rig: bpy.types.Object) -> Generator[dict[str, Any]]:
    """Show an object in a scene of its own for a while; what comes is the context in which it is the active one."""
    scene = bpy.data.scenes.new(rig.name)
    try:
        scene.collection.objects.link(rig)
        view_layer = scene.view_layers[0]
        view_layer.objects.active = rig
        yield {
            "scene": scene,
            "view_layer": view_layer,
            "object": rig,
            "active_object": rig,
            "selected_objects": [rig],
            "selected_editable_objects": [rig],
        }
    finally:
        bpy.data.batch_remove([scene])  # `scenes.remove` crashes up to Blender 4.3 where there is no window


def _add_bones(made: Any, bones: dict[str, Bone]) -> None:
    for bone in bones.values():
        new = made.new(bone.name)
        new.head, new.tail = Vector(bone.head.tolist()), Vector(bone.tail.tolist())
        new.align_roll(Vector(bone.up.tolist()))
        if bone.parent is not None:
            new.parent = made[bone.parent]
            new.use_connect = bool(abs(bones[bone.parent].tail - bone.head).max() < 1e-6)
