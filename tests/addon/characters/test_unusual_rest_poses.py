# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies without bones for their feet, and bodies that stand only in their pose, walk with the gait of the figures."""

import bpy
import numpy as np
from mathutils import Matrix

from .statues import Statue
from .test_retargeting import FRAMES, walked

LEG = ("thigh", "shin", "foot", "toe")


def test_shins_without_feet_stand_with_their_ends(make, stage):
    statue = Statue(make, stage.addon)
    names = [statue.names[f"{part}{side}"] for part in LEG[2:] for side in (".L", ".R")]
    statue.edit(lambda _: [statue.rig.data.edit_bones.remove(statue.rig.data.edit_bones[name]) for name in names])
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=1.2))
    ends, place = np.zeros((2, FRAMES, 3)), np.zeros((FRAMES, 3))
    for frame in range(FRAMES):
        seen = make.evaluated(mover, frame + 1)
        place[frame] = seen.matrix_world.translation
        for side, name in enumerate((statue.names["shin.L"], statue.names["shin.R"])):
            ends[side, frame] = seen.matrix_world @ seen.pose.bones[name].tail
    speed = np.linalg.norm(np.diff(place, axis=0), axis=1)
    moved = np.linalg.norm(np.diff(ends, axis=1), axis=2)
    stance = (moved < 0.15 * speed).mean(axis=1)
    assert stance.mean() > 0.4
    assert stance.min() > 0.3
    assert stance.max() < 0.75


def lying(make, addon):
    """A statue with legs that lie at rest and hang as they are posed."""
    statue = Statue(make, addon)
    aside = Matrix.Rotation(np.pi / 2.0, 4, "Y")

    def lay(bones):
        for side in (".L", ".R"):
            chain = [bones[f"{part}{side}"] for part in LEG]
            hip = chain[0].head.copy()
            turn = Matrix.Translation(hip) @ aside @ Matrix.Translation(-hip)
            ends = [(turn @ bone.head, turn @ bone.tail, turn @ bone.matrix) for bone in chain]
            for bone, (head, tail, matrix) in zip(chain, ends, strict=True):
                bone.head, bone.tail = head, tail
                bone.align_roll(matrix.to_3x3().col[2])

    statue.edit(lay)
    for side in (".L", ".R"):
        thigh = statue.rig.pose.bones[statue.names[f"thigh{side}"]]
        hip = thigh.bone.head_local
        back = Matrix.Translation(hip) @ aside.inverted() @ Matrix.Translation(-hip)
        thigh.matrix = back @ thigh.bone.matrix_local
    bpy.context.view_layer.update()
    return statue


def test_legs_that_lie_at_rest_and_hang_in_the_pose_walk(make, stage):
    joints, place = walked(make, stage, lying(make, stage.addon))
    speed = np.linalg.norm(np.diff(place, axis=0), axis=1)
    hips = (joints["thigh.L"] + joints["thigh.R"])[:, 2] / 2.0
    for side in (".L", ".R"):
        ankle, toe = joints[f"foot{side}"], joints[f"toe{side}"]
        moved = np.linalg.norm(np.diff(np.stack([ankle, toe]), axis=1), axis=2)
        assert 0.4 < (moved < 0.15 * speed).any(axis=0).mean() < 0.75
        assert (hips - ankle[:, 2] > 0.6 * hips).all()
    assert (joints["head"][:, 2] > hips + 0.4).all()


def test_copies_are_posed_as_their_action_begins_whatever_frame_is_shown(make, addon):
    """Whether a body is known by its pose, and how large bare bones are, had depended on the current frame."""
    statue = lying(make, addon)
    thigh = statue.rig.pose.bones[statue.names["thigh.L"]]
    hanging = thigh.matrix_basis.copy()
    for frame in (1, 60):
        for channel in ("rotation_quaternion", "location"):
            thigh.keyframe_insert(channel, frame=frame)
        thigh.matrix_basis.identity()
    local_copy = addon.module("blender_addon.characters.templates")._local_copy
    for frame in (1, 60):
        bpy.context.scene.frame_set(frame)
        posed = local_copy(statue.rig).pose.bones[thigh.name].matrix_basis
        assert np.allclose(np.array(posed), np.array(hanging), atol=1e-5)


def test_feet_of_a_body_that_rests_in_a_leap_are_level_on_the_ground(make, stage):
    statue = Statue(make, stage.addon)
    tip = Matrix.Rotation(np.radians(-35.0), 4, "X")

    def leap(bones):
        up = Matrix.Translation((0.0, 0.0, 0.4))
        turns = {}
        for side in (".L", ".R"):
            ankle = bones[f"foot{side}"].head.copy()
            turn = up @ Matrix.Translation(ankle) @ tip @ Matrix.Translation(-ankle)
            turns |= {f"{part}{side}": turn for part in LEG[2:]}
        ends = {role: [turns.get(role, up) @ end for end in (bone.head, bone.tail)] for role, bone in bones.items()}
        for role, bone in bones.items():
            bone.head, bone.tail = ends[role]

    statue.edit(leap)
    joints, _ = walked(make, stage, statue)
    for side in (".L", ".R"):
        above = joints[f"foot{side}"][:, 2] - joints[f"toe{side}"][:, 2]
        level = above[np.argsort(joints[f"toe{side}"][:, 2])[: FRAMES // 4]]
        assert np.median(level) > 0.03
