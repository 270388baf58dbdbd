# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses a body as it stands in its clip, where its rest pose means nothing.

In files of motion capture all bones may lie along one axis at rest. What is up, ahead and straight is then seen in the
moment of a clip at which the body is tallest; a foot is level when it is lowest.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...blender_data import animation, nla_strips
from ...blender_data.evaluation import evaluation_scene
from .humanoids import SIDES, find_humanoid, recognised_parts

_SCALED = 0.01  # bones posed in another size are left as they are; chosen
_MOMENTS = 48  # of a clip that are looked at; chosen


def stand_as_in_clip(
    armature: bpy.types.Object, mover: bpy.types.Object, clip: animation.Clip, scene: bpy.types.Scene
) -> None:
    """Pose an armature as it stands in a clip, if legs are known by their names and its rest pose shows no body.

    Args:
        armature: a copy of a character's, without animation.
        mover: a copy of the object that moves it; may be the same.
        clip: of the armature.
        scene: provides frame rate and units.
    """
    found = recognised_parts(armature)
    legs: list[list[Any]] = [
        [found.get(f"{part}_{side.lower()}") for part in ("thigh", "shin", "foot", "toe")] for side in SIDES
    ]
    if not all(bone for leg in legs for bone in leg[:3]) or find_humanoid(armature, mover) is not None:
        return
    bones = armature.pose.bones
    if any(abs(size - 1.0) > _SCALED for bone in bones for size in bone.scale):
        return
    first, last = animation.clip_range(clip)
    nla_strips.play_once(armature, clip, _MOMENTS, first, last)
    try:
        with evaluation_scene(scene, remapped=False) as evaluation:
            seen = map(evaluation.watch(mover, armature), range(_MOMENTS + 1))
            moments: list[tuple[Any, dict[str, Any]]] = [
                (
                    each.matrix_world.copy(),
                    {bone.name: (bone.matrix.copy(), bone.matrix_basis.copy()) for bone in each.pose.bones},
                )
                for each in seen
            ]
    finally:
        nla_strips.take_off(armature)
    heights = np.array(
        [[(world @ own[name][0]).translation.z for name in leg[:3:2]] for world, own in moments for leg in legs]
    ).reshape(len(moments), len(SIDES), 2)
    tallest = int(np.argmax((heights[..., 0] - heights[..., 1]).min(axis=1)))
    for bone in bones:
        bone.matrix_basis = moments[tallest][1][bone.name][1]
    for leg in legs:
        if leg[3]:
            low = [sum((world @ own[name][0]).translation.z for name in leg[2:]) for world, own in moments]
            world, own = moments[int(np.argmin(low))]
            shin = (moments[tallest][0] @ moments[tallest][1][leg[1]][0]).to_3x3().normalized()
            _turn_foot(bones[leg[2]], shin, (world @ own[leg[2]][0]).to_3x3().normalized())


def _turn_foot(foot: Any, shin: Any, wanted: Any) -> None:
    """Pose a foot so that it is turned in the world as wanted, on a shin that is turned otherwise."""
    rest = (foot.parent.bone.matrix_local.inverted_safe() @ foot.bone.matrix_local).to_3x3()
    foot.matrix_basis = ((shin @ rest).inverted_safe() @ wanted).normalized().to_4x4()
