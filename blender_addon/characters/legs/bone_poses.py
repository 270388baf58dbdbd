# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of bones in the clips, sampled once for all characters of one skeleton that play the same.

In the axes of their armature, bones are where skeleton and clips have them, whatever the size of the character; unless
constraints or drivers move them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ....core.array_types import Float32, Float64
from ....core.geometry.reproducible_math import determinant
from ...bakes.aspects import bones_of
from ...blender_data import animation, nla_strips
from ...blender_data.evaluation import evaluation_scene
from ..clips.shin_ends import find_soles
from .observed_clips import ClipObservation, ObservedPoses
from .rest_in_world import rest_to_world

_MOST_KEPT = 64
_FEW_BONES = 128  # of a skeleton of which all are read at once
_AT_REST = {"matrix_local": 16, "head_local": 3, "tail_local": 3}
_SETTINGS = ("use_connect", "use_inherit_rotation", "use_local_location", "inherit_scale")

_kept: dict[Hashable, Float32] = {}


class BonePoses(NamedTuple):
    """Poses of bones as Blender has them, in the frames of `ClipObservation.show_all`.

    Attributes:
        own: float32 (T, B, 4, 4), matrices of the bones in the axes of the armature.
        world: float32 (T, 4, 4), matrices of the armature; or (1, 4, 4) where it stays.
    """

    own: Float32
    world: Float32

    def in_world(self, bone: int) -> Float32:
        """Return the matrices of a bone in the world, float32 (T, 4, 4)."""
        return _product(self.world, self.own[:, bone])

    def points(self, carrier: Sequence[int], places: Float32) -> Float32:
        """Return where points are in the world, float32 (T, N, 3), at places (N, 3) in the axes of bones (N,)."""
        return moved(_product(self.world[:, None], self.own)[:, carrier], places)


class ObservedSole(NamedTuple):
    """The sole of a foot in the clips.

    Attributes:
        poses: its points as joints.
        points: float64 (N, 3), the same in the axes of the bones that move them.
    """

    poses: ObservedPoses
    points: Mapping[str, Float64]


def sample_bones(observation: ClipObservation, names: Sequence[str]) -> BonePoses:
    """Return the poses of some bones in the clips of a character.

    Args:
        observation: of its clips.
        names: of bones of its armature.
    """
    skeleton = _skeleton_of(observation)
    there = [bone.name for bone in observation.armature.pose.bones]
    read = there if len(there) <= _FEW_BONES else list(names)  # legs and whole bodies then share them
    key = skeleton, *read
    if skeleton is None or key not in _kept:
        poses = _sample(observation, read, observation.show_all())
    else:
        poses = BonePoses(_kept.pop(key), _sample(observation, [], 1).world)
    if skeleton is not None:
        _kept[key] = poses.own  # as the last
        for oldest in list(_kept)[:-_MOST_KEPT]:
            del _kept[oldest]
    return BonePoses(poses.own[:, [read.index(name) for name in names]], poses.world)


def find_points_of_soles(
    observation: ClipObservation, feet: Sequence[Sequence[bpy.types.Bone]]
) -> list[dict[str, Float64]]:
    """Return the points (N, 3) of the meshes of each sole on its bones; none unless a mesh is on every foot.

    Args:
        observation: of the clips; of clips whose feet are exact nothing is returned.
        feet: bones of each foot, from heel to toe.
    """
    bones = list(dict.fromkeys(bone for own in feet for bone in own))
    if observation.clips.walk.is_exact or not bones:
        return []
    to_world = rest_to_world(observation.copies[0], observation.armature)
    points = find_soles(observation.copies, observation.armature, bones, to_world, observation.scene)
    soles = {bone.name: own for bone, own in zip(bones, points, strict=True) if len(own)}
    on_mesh = [{bone.name: soles[bone.name] for bone in own if bone.name in soles} for own in feet]
    return on_mesh if all(on_mesh) else []


def read_sole(armature: bpy.types.Object, sole: Mapping[str, Float64]) -> Float64:
    """Return the points (N, 3) of a sole of an evaluated armature in the world; arguments as found."""
    world, bones = armature.matrix_world, armature.pose.bones
    return np.concatenate([_placed(np.array([world @ bones[name].matrix]), own)[0] for name, own in sole.items()])


def observe_soles(observation: ClipObservation, feet: Sequence[Sequence[bpy.types.Bone]]) -> list[ObservedSole | None]:
    """Return the soles of a character in its clips; None of each unless a mesh is on every foot; arguments as above."""
    soles = find_points_of_soles(observation, feet)
    if not soles:
        return [None] * len(feet)
    names = list(dict.fromkeys(name for own in soles for name in own))
    poses = sample_bones(observation, names)
    found: list[ObservedSole | None] = []
    for own in soles:
        parts = [_placed(poses.in_world(names.index(name)), points) for name, points in own.items()]
        joints = np.concatenate(parts, axis=1)
        found.append(ObservedSole(observation.arranged(joints, np.zeros((len(joints), 0, 3, 3))), own))
    return found


def _placed(matrices: NDArray[Any], points: Float64) -> Float64:
    """Return where matrices (T, 4, 4) put points (N, 3), float64 (T, N, 3), the same on all machines."""
    turns = matrices[:, None, :3].astype(np.float64)  # (T, 1, 3, 4)
    return (turns[..., :3] * points[:, None]).sum(axis=-1) + turns[..., 3]


def moved(matrices: Float32, points: Vector | Float32) -> Float32:
    """Return where matrices (..., 4, 4) put points (..., 3), float32 (..., 3)."""
    places = np.asarray(points, dtype=np.float32)
    return _product(matrices[..., :3, :], np.append(places, np.ones_like(places[..., :1]), axis=-1)[..., None])[..., 0]


def beside(matrices: Float32, point: Vector) -> Float32:
    """Return matrices (T, 4, 4) with the same axes, at a point in these axes."""
    found = matrices.copy()
    found[:, :3, 3] = moved(matrices, point)
    return found


def turn_of(matrices: Float32) -> Float32:
    """Return the rotations of matrices (T, 4, 4), float32 (T, 3, 3); those of mirrored axes are of their opposites."""
    turns = matrices[:, :3, :3]
    x, y, z = np.moveaxis(turns * turns, 1, 0)
    with np.errstate(invalid="ignore"):  # poses that are no numbers are reported by who looks at the clip
        hand = np.float32(-1.0 if determinant(turns[0]) < 0.0 else 1.0)
    return turns * (hand / np.sqrt(x + y + z))[:, None]


def _product(left: Float32, right: Float32) -> Float32:
    """Return the products of matrices (..., I, 4) and (..., 4, K), rounded as Blender's own are."""
    total = (left[..., 0, None] * right[..., None, 0, :]).astype(np.float64)
    for k in range(1, 4):
        total += left[..., k, None] * right[..., None, k, :]
    return (total + 0.0).astype(np.float32)  # as sums are, never the negative zero


def _sample(observation: ClipObservation, names: Sequence[str], frames: int) -> BonePoses:
    armature = observation.armature
    rows = [armature.pose.bones.find(name) for name in names]
    values = np.empty((len(armature.pose.bones), 4, 4), dtype=np.float32)  # column by column
    own, world = [], []
    with evaluation_scene(observation.scene, remapped=False) as evaluation:
        for seen in map(evaluation.watch(observation.copies[0], armature), range(frames)):
            if rows:
                seen.pose.bones.foreach_get("matrix", values.ravel())
            own.append(values[rows])
            world.append(seen.matrix_world.copy())
    return BonePoses(np.stack(own).swapaxes(-1, -2), np.array(world, dtype=np.float32))


def _skeleton_of(observation: ClipObservation) -> Hashable | None:
    """Return all that the poses of an armature in its own axes depend on, where that is only its skeleton and clips."""
    armature = observation.armature
    data: Any = armature.data
    curves = [curve for clip in observation.clips.all for curve in animation.curves_of(clip.clip)]
    if (
        any(map(_is_moved, observation.copies))
        or any(part != armature and nla_strips.plays_anything(part.animation_data) for part in observation.copies)
        or data.animation_data is not None
        or any(len(bone.constraints) for bone in armature.pose.bones)
        or any(len(curve.modifiers) or not curve.data_path.startswith("pose.bones[") for curve in curves)
    ):
        return None
    bones = [
        (bone.name, bone.parent.name if bone.parent is not None else "", *(getattr(bone, name) for name in _SETTINGS))
        for bone in data.bones
    ]
    rest = [np.empty(size * len(bones), dtype=np.float32) for size in _AT_REST.values()]
    for name, values in zip(_AT_REST, rest, strict=True):
        data.bones.foreach_get(name, values)
    places = tuple([values.tobytes() for values in rest])
    posed = data.pose_position, bones_of(armature, observation.keyed_in_all)
    return tuple(bones), places, posed, observation.clips.run_ahead, observation.played


def _is_moved(part: bpy.types.Object) -> bool:
    """Whether something else than keys moves an object."""
    data = part.animation_data
    return len(part.constraints) > 0 or (data is not None and len(data.drivers) > 0)
