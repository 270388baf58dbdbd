# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of bones: rotations from rest and, for controls, locations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Quaternion

from ...core.array_types import Bool, Float64
from ...core.geometry.reproducible_math import arccos
from .animation import Clip, curves_of
from .fcurves import Channel

_BONES = 'pose.bones["'


def bone_in(path: str) -> str | None:
    """Return the name of the bone that a data path moves, or None."""
    quoted = path.removeprefix(_BONES)
    return bpy.utils.unescape_identifier(quoted[: quoted.find('"]')]) if quoted != path else None


def bones_of(clip: Clip) -> set[str]:
    """Return the names of the bones that a clip moves."""
    paths = {curve.data_path for curve in curves_of(clip)}  # of about ten curves for each bone
    return {bone for bone in map(bone_in, paths) if bone is not None}


def share_of_bones(clip: Clip, armature: bpy.types.Object) -> float:
    """Return the share of the bones moved by a clip that an armature has; 0 where it moves none, or only one frame."""
    names = bones_of(clip)
    known = names.intersection(armature.pose.bones.keys()) if armature.pose is not None else set()
    lasts = known and any(last > first for first, last in (curve.range() for curve in curves_of(clip)))
    return len(known) / len(names) if lasts else 0.0


class BoneMotion(NamedTuple):
    """The motion of a bone.

    Attributes:
        bone: its name.
        turns: float64 (4, ...), rotation from rest as unit quaternions.
        locations: float64 (3, ...), or None: the location is not keyed.
    """

    bone: str
    turns: Float64
    locations: Float64 | None = None

    def of(self, agent: int) -> BoneMotion:
        """Return the motion of one agent (..., F) out of several (..., A, F)."""
        locations = self.locations[:, agent] if self.locations is not None else None
        return BoneMotion(self.bone, self.turns[:, agent], locations)

    def shaped(self, shape: tuple[int, ...]) -> BoneMotion:
        """Return the same motion with its moments in another shape."""
        locations = self.locations.reshape(3, *shape) if self.locations is not None else None
        return BoneMotion(self.bone, self.turns.reshape(4, *shape), locations)


def channels_of(armature: bpy.types.Object, motion: BoneMotion, frames: Float64, rows: Bool) -> Iterator[Channel]:
    """Yield the motion of a bone (..., F) as channels, in its rotation mode.

    Args:
        armature: of the bone.
        motion: of the bone.
        frames: float64 (F,), frames of keys.
        rows: bool (F,), the frames that get keys.
    """
    bone = armature.pose.bones[motion.bone]
    path = f'{_BONES}{bpy.utils.escape_identifier(bone.name)}"].'
    frames = frames[rows]
    if motion.locations is not None:
        for axis in range(3):
            yield Channel(f"{path}location", axis, frames, motion.locations[axis, rows])
    yield from _rotations(bone, path, frames, motion.turns[:, rows])


def _rotations(bone: bpy.types.PoseBone, path: str, frames: Float64, turns: Float64) -> Iterator[Channel]:
    if bone.rotation_mode == "QUATERNION":
        for axis in range(4):
            yield Channel(f"{path}rotation_quaternion", axis, frames, turns[axis])
        return
    if bone.rotation_mode == "AXIS_ANGLE":
        angle = 2.0 * arccos(turns[0])
        size = np.sqrt((turns[1:] ** 2).sum(axis=0))
        axes = np.where(size > 1e-9, turns[1:] / np.maximum(size, 1e-9), np.array([[0.0], [1.0], [0.0]]))
        for axis, values in enumerate((angle, *axes)):
            yield Channel(f"{path}rotation_axis_angle", axis, frames, values)
        return
    angles = []
    for turn in turns.T.tolist():
        quaternion = Quaternion(turn)
        order = bone.rotation_mode
        angles.append(quaternion.to_euler(order, angles[-1]) if angles else quaternion.to_euler(order))
    for axis in range(3):
        yield Channel(f"{path}rotation_euler", axis, frames, [angle[axis] for angle in angles])
