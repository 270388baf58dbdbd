# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons as plain numbers: of an armature, or stored with an Action whose armature is gone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import inverse_transform, matrix_product
from ...blender_data import animation
from ...blender_data.bone_keys import bone_in
from .joints import Joints, ends_of
from .shin_ends import find_shin_ends

SKELETON = "footfall_skeleton"
"""Custom property of an Action: the skeleton for which it was made; such an Action is a clip that the user added."""

_AXES = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "rotation_axis_angle": 4}


@dataclass(frozen=True, eq=False)
class RestBone:
    """A bone at rest.

    Attributes:
        name: of the bone.
        parent: the bone that carries it, or None.
        matrix: float64 (4, 4), in the axes of the armature.
        length: to its tail.
        mode: order of its rotation.
    """

    name: str
    parent: RestBone | None
    matrix: Float64
    length: float
    mode: str

    @property
    def lineage(self) -> list[RestBone]:
        """The bone and all that carry it, up to the root."""
        return [self, *(self.parent.lineage if self.parent is not None else ())]


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The bones of an armature at rest, parents first.

    Attributes:
        bones: the bones.
        world: float64 (4, 4), from the axes of the armature to the world.
    """

    bones: tuple[RestBone, ...]
    world: Float64

    @classmethod
    def of(cls, armature: bpy.types.Object, to_world: Any = None) -> Skeleton:
        """Read the skeleton of an armature; with the ends of its shins where it has no bones for feet.

        Args:
            armature: the armature.
            to_world: transform (4, 4) from its axes to the world; None: where it is.
        """
        data: Any = armature.data
        modes = {bone.name: bone.rotation_mode for bone in armature.pose.bones} if armature.pose is not None else {}
        found: dict[str, RestBone] = {}
        for bone in data.bones:
            parent = found[bone.parent.name] if bone.parent is not None else None
            matrix = np.array(bone.matrix_local, dtype=np.float64)
            found[bone.name] = RestBone(bone.name, parent, matrix, bone.length, modes.get(bone.name, "QUATERNION"))
        for end in find_shin_ends(armature, armature.matrix_world if to_world is None else to_world):
            matrix = np.array(end.matrix_local, dtype=np.float64)
            found[end.name] = RestBone(end.name, found[end.parent.name], matrix, 0.0, "QUATERNION")
        return cls(tuple(found.values()), np.array(armature.matrix_world, dtype=np.float64))

    @classmethod
    def stored_with(cls, action: bpy.types.Action) -> Skeleton | None:
        """Return the skeleton stored with an Action, or None."""
        stored: Any = action.get(SKELETON)
        if stored is None:
            return None
        names, modes = stored["names"].split("\n"), stored["modes"].split(" ")
        matrices = np.array(stored["matrices"]).reshape(-1, 4, 4)
        bones: list[RestBone] = []
        for name, parent, matrix, length, mode in zip(
            names, stored["parents"], matrices, stored["lengths"], modes, strict=True
        ):
            bones.append(RestBone(name, bones[parent] if parent >= 0 else None, matrix, length, mode))
        return cls(tuple(bones), np.array(stored["world"]).reshape(4, 4))

    def store(self, action: bpy.types.Action) -> None:
        """Store it with an Action."""
        number = {bone: each for each, bone in enumerate(self.bones)}
        action[SKELETON] = {
            "names": "\n".join(bone.name for bone in self.bones),
            "modes": " ".join(bone.mode for bone in self.bones),
            "parents": [number[bone.parent] if bone.parent is not None else -1 for bone in self.bones],
            "lengths": [float(bone.length) for bone in self.bones],
            "matrices": np.stack([bone.matrix for bone in self.bones]).ravel().tolist(),
            "world": self.world.ravel().tolist(),
        }

    @cached_property
    def joints(self) -> Joints:
        """Where its bones begin and end."""
        begin = np.array([bone.matrix[:3, 3] for bone in self.bones]).reshape(-1, 3)
        along = np.array([bone.length * bone.matrix[:3, 1] for bone in self.bones]).reshape(-1, 3)
        number = {bone: each for each, bone in enumerate(self.bones)}
        parents = [number[bone.parent] if bone.parent is not None else -1 for bone in self.bones]
        return Joints(begin, ends_of(begin, begin + along, parents, [bone.name for bone in self.bones]))

    def posed(self, armature: bpy.types.Object) -> Skeleton:
        """Return the skeleton as the bones of its armature are posed now, without constraints."""
        found: dict[RestBone | None, RestBone | None] = {None: None}
        for bone in self.bones:
            own = armature.pose.bones.get(bone.name)
            matrix = bone.matrix if own is None else matrix_product(bone.matrix, np.array(own.matrix_basis))
            carrier = found[bone.parent]
            if bone.parent is not None and carrier is not None:
                matrix = matrix_product(matrix_product(carrier.matrix, inverse_transform(bone.parent.matrix)), matrix)
            found[bone] = replace(bone, parent=carrier, matrix=matrix)
        return Skeleton(tuple(bone for bone in found.values() if bone is not None), self.world)

    def pose(self, clip: animation.Clip, frames: Float64) -> Float64:
        """Return what a clip makes of the bones without constraints, in the axes of the armature.

        Args:
            clip: a clip of this skeleton.
            frames: float64 (N,), frames of the clip.

        Returns:
            float64 (B, N, 4, 4).
        """
        values = _keyed_values(clip, frames)
        found: dict[RestBone, Float64] = {}
        for bone in self.bones:
            own = np.stack([_basis(values.get(bone.name, {}), bone.mode, at) for at in range(len(frames))])
            if bone.parent is None:
                found[bone] = matrix_product(bone.matrix, own)
            else:
                beside = matrix_product(inverse_transform(bone.parent.matrix), bone.matrix)
                found[bone] = matrix_product(matrix_product(found[bone.parent], beside), own)
        return np.stack([found[bone] for bone in self.bones])


def _keyed_values(clip: animation.Clip, frames: Float64) -> dict[str, dict[str, Float64]]:
    """Return location and rotation of each bone, float64 (N, 3 or 4) by the property."""
    values: dict[str, dict[str, Float64]] = {}
    for curve in animation.curves_of(clip):
        bone, kind = bone_in(curve.data_path), curve.data_path.rpartition(".")[2]
        if bone is not None and kind in _AXES:
            empty = np.zeros((len(frames), _AXES[kind]))
            column = values.setdefault(bone, {}).setdefault(kind, empty)
            column[:, curve.array_index] = [curve.evaluate(frame) for frame in frames.tolist()]
    return values


def _basis(values: dict[str, Float64], mode: str, at: int) -> Float64:
    turn = Quaternion()
    if mode == "QUATERNION" and "rotation_quaternion" in values:
        turn = Quaternion(values["rotation_quaternion"][at]).normalized()
    elif mode == "AXIS_ANGLE" and "rotation_axis_angle" in values:
        angle, *axis = values["rotation_axis_angle"][at]
        turn = Quaternion(axis, angle)
    elif mode not in {"QUATERNION", "AXIS_ANGLE"} and "rotation_euler" in values:
        turn = Euler(values["rotation_euler"][at], mode).to_quaternion()
    place = Vector(values["location"][at]) if "location" in values else Vector()
    return np.array(Matrix.Translation(place) @ turn.to_matrix().to_4x4(), dtype=np.float64)
