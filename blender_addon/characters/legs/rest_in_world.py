# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the bones of an armature at rest are in the world, also of bodies that lie at rest and stand in their pose.

Files of MakeHuman come so from the FBX importer: the rest pose lies on its back, and root and pelvis are posed so that
all that they carry stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import dot, matrix_product
from ..clips.joints import Joints, turn_to_world


@dataclass(frozen=True)
class RaisedRestSettings:
    """When a pose raises a body that lies at rest; chosen.

    Attributes:
        least_turn: of its root [rad].
        taller: it stands at least this many times as high as at rest.
        still: bones turned by less are not posed [rad].
        carried: share of the bones that the last posed bone carries at least.
    """

    least_turn: float = np.pi / 4.0
    taller: float = 1.5
    still: float = 0.02
    carried: float = 0.8


_RAISED = RaisedRestSettings()


def rest_to_world(mover: bpy.types.Object, armature: bpy.types.Object) -> Matrix:
    """Return the transform from the rest pose of an armature to the world, raised if only its pose stands."""
    to_world = turn_to_world(mover, armature)
    return to_world @ raising_turn(armature, to_world)


def raising_turn(armature: bpy.types.Object, to_world: Any) -> Matrix:
    """Return the transform by which the pose of its root raises a body that lies at rest, in the armature's axes.

    Args:
        armature: of the body.
        to_world: transform (4, 4) from its axes to the world.

    Returns:
        The transform (4, 4); the identity of bodies that stand at rest, or lie in their pose, too.
    """
    root = find_root(armature)
    if root is None or root.matrix_basis.to_quaternion().angle < _RAISED.least_turn:
        return Matrix()
    turn = root.bone.matrix_local @ root.matrix_basis @ root.bone.matrix_local.inverted_safe()
    begin = np.append(Joints.of(armature).begin, np.ones((len(armature.pose.bones), 1)), axis=1)
    lies, stands = (float(np.ptp(dot(begin, np.array(each)[2]))) for each in (to_world, to_world @ turn))
    return turn if stands > _RAISED.taller * lies else Matrix()


def find_root(armature: bpy.types.Object) -> Any:
    """Return the posed bone that carries the most others, or None."""
    bones = armature.pose.bones
    carried = Counter((bone.parent_recursive or [bone])[-1].name for bone in bones)
    return max((bone for bone in bones if bone.parent is None), key=lambda bone: carried[bone.name], default=None)


def pose_roots_alone(parts: Sequence[bpy.types.Object]) -> None:
    """Let the roots of bodies that lie at rest raise them alone, if root and bones near it do so together.

    Args:
        parts: copies of a character's objects, whose poses may be changed; the first moves all others.
    """
    for part in parts:
        if part.type == "ARMATURE":
            _pose_root_alone(part, turn_to_world(parts[0], part))


def _pose_root_alone(armature: bpy.types.Object, to_world: Matrix) -> None:
    root, posed = find_root(armature), [bone for bone in armature.pose.bones if is_posed(bone)]
    if len(posed) < 2 or any(above not in below.parent_recursive for above, below in pairwise(posed)):
        return
    last, before = posed[-1], {bone: bone.matrix_basis.copy() for bone in posed}
    if root not in {last, *last.parent_recursive}:
        return
    if len(last.bone.children_recursive) < _RAISED.carried * len(armature.pose.bones):
        return
    turn = _pose_of(last) @ last.bone.matrix_local.inverted_safe()
    for bone in posed:
        bone.matrix_basis = Matrix()
    root.matrix_basis = root.bone.matrix_local.inverted_safe() @ turn @ root.bone.matrix_local
    if raising_turn(armature, to_world) == Matrix():
        for bone, pose in before.items():
            bone.matrix_basis = pose


def is_posed(bone: bpy.types.PoseBone) -> bool:
    """Whether the pose of a bone differs from its rest pose."""
    size = bone.matrix_basis.translation.length
    return bone.matrix_basis.to_quaternion().angle > _RAISED.still or size > _RAISED.still * bone.bone.length


def _pose_of(bone: Any) -> Matrix:
    """Return the pose of a bone in the axes of its armature, which need not have been evaluated."""
    if bone.parent is None:
        return bone.bone.matrix_local @ bone.matrix_basis
    return (
        _pose_of(bone.parent)
        @ bone.parent.bone.matrix_local.inverted_safe()
        @ bone.bone.matrix_local
        @ bone.matrix_basis
    )


def world_of(armature: bpy.types.Object, to_world: Float64) -> Float64:
    """Return the transform float64 (4, 4) from the rest pose to the world where an armature is placed by a matrix."""
    return matrix_product(to_world, np.array(raising_turn(armature, Matrix(to_world.tolist()))))
