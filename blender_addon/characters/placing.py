# SPDX-License-Identifier: GPL-3.0-or-later
"""What places and hides an object, and how a copy of one is freed of it: matrices, keys and drivers of transforms."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from mathutils import Matrix, Vector

from ..blender_data import animation
from ..blender_data.bone_keys import bone_in

ROTATIONS = ("rotation_euler", "rotation_quaternion", "rotation_axis_angle")
_IMPORTERS_SHAPES = "glTF_not_exported"  # the collection in which the importer puts the shape of bones
_PLACING = ("location", "rotation_", "delta_location", "delta_rotation_")


def world_matrix(original: bpy.types.Object) -> Matrix:
    """Return the world matrix of an object; without a parent its own matrix, as it may never have been evaluated."""
    return original.matrix_world if original.parent is not None else original.matrix_basis


def turn_and_scale(original: bpy.types.Object, mover: bpy.types.Object) -> tuple[Matrix, Vector]:
    """Return rotation (3, 3) and scale of an object in the world; `mover` is its copy at the start of its walk."""
    if original.parent is not None:
        _, turn, scale = original.matrix_world.decompose()
        return turn.to_matrix(), scale
    if mover.rotation_mode == "QUATERNION":
        turn = mover.delta_rotation_quaternion.normalized() @ mover.rotation_quaternion.normalized()
        return turn.to_matrix(), mover.scale * mover.delta_scale
    if mover.rotation_mode == "AXIS_ANGLE":
        angle, *axis = mover.rotation_axis_angle
        return Matrix.Rotation(angle, 3, Vector(axis)), mover.scale * mover.delta_scale
    turn = mover.delta_rotation_euler.to_matrix() @ mover.rotation_euler.to_matrix()
    return turn, mover.scale * mover.delta_scale


def set_to_beginning(mover: bpy.types.Object, clip: animation.Clip) -> bool:
    """Set rotation and scale of an object to the start of its clip; return whether the clip keys Euler angles."""
    first, _ = animation.clip_range(clip)
    curves = [curve for curve in animation.curves_of(clip) if curve.data_path in {*ROTATIONS, "scale"}]
    for curve in curves:
        getattr(mover, curve.data_path)[curve.array_index] = curve.evaluate(first)
    return any(curve.data_path == "rotation_euler" for curve in curves)


def posed_as_it_begins(copy: bpy.types.Object) -> bpy.types.Object:
    """Pose the bones of a copy as its active Action begins, whatever the current frame is; returns the copy."""
    clip = animation.active_clip(copy.animation_data)
    if clip is None or copy.pose is None:
        return copy
    first, _ = animation.clip_range(clip)
    for curve in animation.curves_of(clip):
        bone = copy.pose.bones.get(bone_in(curve.data_path) or "")
        transform = curve.data_path.rpartition(".")[2]
        if bone is not None and transform in {"location", "scale", *ROTATIONS}:
            getattr(bone, transform)[curve.array_index] = curve.evaluate(first)
    return copy


def remove_drivers(mover: bpy.types.Object) -> bool:
    """Remove the drivers of an object's location and rotation; return whether there were any."""
    placing = [curve for curve in getattr(mover.animation_data, "drivers", ()) if curve.data_path.startswith(_PLACING)]
    for curve in placing:
        mover.animation_data.drivers.remove(curve)
    return bool(placing)


def show_what_is_hidden(parts: Sequence[bpy.types.Object]) -> None:
    """Unhide a character of which all parts are hidden, as originals often are."""
    visible = [part for part in parts if part.type not in {"ARMATURE", "EMPTY"} or part.instance_type == "COLLECTION"]
    for hidden in ("hide_viewport", "hide_render"):
        if all(getattr(part, hidden) for part in visible or parts):
            for part in parts:
                setattr(part, hidden, False)


def hide_importers_shapes(parts: Sequence[bpy.types.Object]) -> None:
    """Let bones not be drawn that the glTF importer shows as spheres: of a metre, they would hide all people."""
    for bone in (bone for part in parts if part.pose is not None for bone in part.pose.bones):
        shape = bone.custom_shape
        if shape is not None and any(each.name.startswith(_IMPORTERS_SHAPES) for each in shape.users_collection):
            bone.custom_shape_scale_xyz = (0.0, 0.0, 0.0)
