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
from ..templates import Template


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
        shift: float64 (M, 2), of the ground under each, ahead and to the left [Blender units].
        still_height: height of what is not moved [Blender units].
        mid_stance: phase at which the foot on the ground is under the body, as in standing [runs of the walk].
        step: from there to where the other passes the one [runs of the walk].
        lowest: gait of the first pose.
        count: of poses in a cycle.
        ways: of a cycle of the walk and of the run [Blender units]; 0: no foot of it can stand.
    """

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

    def nearest(self, phase: Float64) -> Float64:
        """Return the phases of the poses that are shown, float64 (T,) [runs of the walk]."""
        return np.floor(phase * self.count + 0.5) / self.count

    def move(self, points: Float64, phase: Float64, gait: Float64) -> Float64:
        """Return joints in the nearest poses as they are shown.

        Args:
            points: float64 (T, P, 3), in the nearest poses, unsheared, that look along +X.
            phase: float64 (T,) [runs of the walk].
            gait: float64 (T,), of poses.
        """
        cycle, nearest = np.rint((gait - self.lowest) / STEPPING.gait_step), self.nearest(phase)
        shift = self.shift[np.rint((cycle + nearest % 1.0) * self.count).astype(np.int64)].copy()
        early = (nearest - phase) * stride_of(gait, Strides(*self.ways))
        shift[:, 0] += np.where(gait > STANDS, early, 0.0)
        moved = points.copy()
        moved[..., :2] += shift[:, None] * (1.0 - points[..., 2:] / self.still_height)
        return moved


def hold_poses(template: Template, gaits: Sequence[float], count: int, scene: bpy.types.Scene) -> HeldPoses:
    """Find out how to shear the poses of a character.

    Args:
        template: of the character.
        gaits: of its poses, increasing.
        count: of poses in a cycle.
        scene: provides frame rate and units.
    """
    walk, none = template.walk, np.zeros((count * len(gaits), 2))
    if template.walker is None or template.clips is None or walk is None or not walk.steps:
        return HeldPoses(none, 1.0, 0.0, 0.5, gaits[0], count)
    phase = np.tile(np.arange(count) / count, len(gaits))
    points = read_poses(template, np.repeat(gaits, count), phase, scene).reshape(len(gaits), count, -1, 3)
    height, unit = float(points[0, :, :, 2].max()), metres_per_unit(scene)
    still, most = _SHEAR.still_height * height, _SHEAR.longest_stride * height * unit
    if not 0.0 < template.stride < most:
        return HeldPoses(none, still or 1.0, 0.0, 0.5 / walk.strides, gaits[0], count)
    ways = stride_of(np.array(gaits), Strides(template.stride, template.run_stride)) / unit
    stands = (points[0] if gaits[0] == STANDS else points[list(gaits).index(WALKS)]).mean(axis=0)
    found = [hold_feet(own, way, stands, 2 * walk.strides) for own, way in zip(points, ways.tolist(), strict=True)]
    shift = [np.zeros((count, 2)) if gait == STANDS else own.shift for gait, own in zip(gaits, found, strict=True)]
    _, mid_stance = found[list(gaits).index(WALKS)]
    mid_stance = 0.0 if np.isnan(mid_stance) else mid_stance
    own = template.stride / unit, (template.run_stride or template.stride) / unit
    return HeldPoses(np.concatenate(shift), still, mid_stance, 0.5 / walk.strides, gaits[0], count, own)


def read_poses(template: Template, gait: Float64, phase: Float64, scene: bpy.types.Scene) -> Float64:
    """Return the joints of a character that has a walk, float64 (T, P, 3), at gaits and phases of it, facing +X."""
    assert template.walker is not None
    assert template.clips is not None
    copies = template.copy_to_watch()
    try:
        armature = copies[template.walker]
        template.clips.show_poses(armature, gait=gait, phase=phase, breath=phase)
        with evaluation_scene(scene, remapped=False) as evaluation:
            return read_joints(map(evaluation.watch(copies[0], armature), range(len(phase))))
    finally:
        bpy.data.batch_remove(copies)
