# SPDX-License-Identifier: GPL-3.0-or-later
"""How keys on the location of a bone move it: where it is without them, along which axes, and how far."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ....core.array_types import Float64
from ...blender_data import animation
from ...blender_data.bone_keys import bone_in
from .observed_clips import ClipObservation


def rest_matrix(bone: bpy.types.PoseBone) -> Matrix:
    """Return the matrix of a bone in its armature without its own transform and constraints."""
    return _pose_matrix(bone, Matrix())


def location_axes(bone: bpy.types.PoseBone) -> Matrix:
    """Return the motion of a bone in its armature for each component of its location, as columns (4, 4)."""
    start = rest_matrix(bone).translation
    axes = [_pose_matrix(bone, Matrix.Translation(axis)).translation - start for axis in Matrix.Identity(3)]
    return Matrix([axis[:] for axis in axes]).transposed().to_4x4()


def _pose_matrix(bone: bpy.types.PoseBone, basis: Matrix) -> Matrix:
    """Return the matrix of a bone in its armature with `basis` as its own transform, without constraints."""
    parent, own = bone.parent, bone.bone
    if parent is None:
        return own.convert_local_to_pose(basis, own.matrix_local)
    return own.convert_local_to_pose(
        basis, own.matrix_local, parent_matrix=parent.matrix, parent_matrix_local=parent.bone.matrix_local
    )


def moved_by(clip: animation.Clip) -> set[str]:
    """Return the names of the bones whose location a clip animates."""
    paths = {curve.data_path for curve in animation.curves_of(clip)}
    return {bone for path in paths if path.endswith(".location") and (bone := bone_in(path)) is not None}


def read_scales(observation: ClipObservation, bones: Sequence[str]) -> list[float]:
    """Return how far bones move in the world when a component of their location grows by 1."""

    def read(armature: bpy.types.Object) -> tuple[Float64, Float64]:
        axes = [armature.matrix_world @ location_axes(armature.pose.bones[bone]) for bone in bones]
        return np.array([each.median_scale for each in axes]), np.zeros(0)

    ((scales, _),) = observation.sample([read], 1)
    return scales[0].tolist()
