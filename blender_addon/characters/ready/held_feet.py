# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the feet of still poses on the ground: each is sheared so that a foot goes back as far as the body goes on.

A shear moves what is near the ground by some centimetres and what is as high as the chest not at all, so bodies do not
jerk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ....core.array_types import Float64
from ....core.motion.blending import STANDS, WALKS, Strides, stride_of
from ....core.motion.feet.footwork import hold_feet
from ....core.motion.whole_steps import STEPPING
from ...blender_data.evaluation import evaluation_scene, metres_per_unit
from ..clips.seen_joints import read_joints
from .pose_cycles import PoseCycles


@dataclass(frozen=True)
class ShearSettings:
    """How bodies follow their feet; chosen.

    Attributes:
        still_height: what is so high is not moved, as a share of the height of the skeleton: about as far above the
            hips as below the top of the head.
        longest_stride: of a longer walk, as a share of that height, no foot can stand.
    """

    still_height: float = 0.8
    longest_stride: float = 1.5


_SHEAR = ShearSettings()


class HeldPoses(NamedTuple):
    """How the poses of a character are sheared, gait by gait.

    Attributes:
        joints: float64 (M, P, 3), of each, unsheared, looking along +X [Blender units]; empty: it has no steps.
        shift: float64 (M, 2), of the ground under each, ahead and to the left [Blender units].
        still_height: height of what is not moved [Blender units].
        mid_stance: phase at which the foot on the ground is under the body, as in standing [runs of the walk].
        step: from there to where the other passes the one [runs of the walk].
        lowest: gait of the first pose.
        count: of poses in a cycle.
        ways: of a cycle of the walk and of the run [Blender units]; 0: no foot of it can stand.
    """

    joints: Float64
    shift: Float64
    still_height: float
    mid_stance: float
    step: float
    lowest: float
    count: int
    ways: tuple[float, float] = (0.0, 0.0)

    def apply(self, meshes: Sequence[bpy.types.Mesh]) -> None:
        """Shear the poses, which look along +X."""
        for mesh, (ahead, left) in zip(meshes, self.shift.tolist(), strict=True):
            shear = Matrix.Identity(4)
            shear[0][2], shear[1][2] = -ahead / self.still_height, -left / self.still_height
            shear[0][3], shear[1][3] = ahead, left
            mesh.transform(shear)

    def keep(self, cycles: slice) -> HeldPoses:
        """Return the same of some cycles."""
        poses = slice(cycles.start * self.count, cycles.stop * self.count)
        lowest = self.lowest + cycles.start * STEPPING.gait_step
        return self._replace(joints=self.joints[poses], shift=self.shift[poses], lowest=lowest)

    def shown(self, phase: Float64, gait: Float64) -> Float64:
        """Return the joints float64 (T, P, 3) of the nearest poses as they are shown, facing +X.

        Args:
            phase: float64 (T,) [runs of the walk].
            gait: float64 (T,), of poses.
        """
        nearest = np.floor(phase * self.count + 0.5) / self.count
        cycle = np.rint((gait - self.lowest) / STEPPING.gait_step)
        pose = np.rint((cycle + nearest % 1.0) * self.count).astype(np.int64)
        shift, points = self.shift[pose], self.joints[pose]
        early = (nearest - phase) * stride_of(gait, Strides(*self.ways))
        shift[:, 0] += np.where(gait > STANDS, early, 0.0)
        points[..., :2] += shift[:, None] * (1.0 - points[..., 2:] / self.still_height)
        return points


def hold_poses(cycles: PoseCycles, scene: bpy.types.Scene) -> HeldPoses:
    """Find out how to shear the poses of a character.

    Args:
        cycles: of the character.
        scene: provides frame rate and units.
    """
    template, gaits, count = cycles.template, cycles.gaits, cycles.count
    walk, none = template.walk, np.zeros((cycles.poses, 2))
    if template.walker is None or template.clips is None or walk is None or not walk.steps:
        return HeldPoses(np.empty((0, 0, 3)), none, 1.0, 0.0, 0.5, gaits[0], count)
    joints = _read_joints(cycles, scene)
    points = joints.reshape(len(gaits), count, -1, 3)
    height, unit = float(points[0, :, :, 2].max()), metres_per_unit(scene)
    still, most = _SHEAR.still_height * height, _SHEAR.longest_stride * height * unit
    if not 0.0 < template.stride < most:
        return HeldPoses(joints, none, still or 1.0, 0.0, 0.5 / walk.strides, gaits[0], count)
    ways = stride_of(np.array(gaits), Strides(template.stride, template.run_stride)) / unit
    stands = (points[0] if gaits[0] == STANDS else points[list(gaits).index(WALKS)]).mean(axis=0)
    found = [hold_feet(own, way, stands, 2 * walk.strides) for own, way in zip(points, ways.tolist(), strict=True)]
    shift = [np.zeros((count, 2)) if gait == STANDS else own.shift for gait, own in zip(gaits, found, strict=True)]
    _, mid_stance = found[list(gaits).index(WALKS)]
    mid_stance = 0.0 if np.isnan(mid_stance) else mid_stance
    own = template.stride / unit, (template.run_stride or template.stride) / unit
    return HeldPoses(joints, np.concatenate(shift), still, mid_stance, 0.5 / walk.strides, gaits[0], count, own)


def _read_joints(cycles: PoseCycles, scene: bpy.types.Scene) -> Float64:
    """Return the joints of a character in its poses, float64 (M, P, 3), facing +X."""
    assert cycles.template.walker is not None
    copies = cycles.template.copy_to_watch()
    try:
        cycles.show(copies)
        with evaluation_scene(scene, remapped=False) as evaluation:
            return read_joints(map(evaluation.watch(copies[0], copies[cycles.template.walker]), range(cycles.poses)))
    finally:
        bpy.data.batch_remove(copies)
