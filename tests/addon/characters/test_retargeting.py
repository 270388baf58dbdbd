# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters without any clip, with bones as other programs name and turn them, walk with the gait of the figures."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.sweeps import sweep

from .statues import (
    PARTS,
    SCHEMES,
    Statue,
    a_pose,
    any_rolls,
    euler_angles,
    in_centimetres,
    long_tails,
    mirrored,
    narrow_shoulders,
    other_facing,
    short_legs,
    t_pose,
    y_up,
)

FRAMES = 60
UP = Vector((0.0, 0.0, 1.0))


def walked(make, stage, statue, speed=1.2):
    """Bake one person; returns the joints by the figure's names, float64 (FRAMES, 3), and the place of the body."""
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=speed))
    for each in bpy.context.scene.objects:
        each.hide_viewport = each.type == "MESH"  # nobody looks at bodies here
    joints = {old: np.zeros((FRAMES, 3)) for old in statue.names}
    place = np.zeros((FRAMES, 3))
    for frame in range(FRAMES):
        seen = make.evaluated(mover, frame + 1)
        place[frame] = seen.matrix_world.translation
        for old, new in statue.names.items():
            joints[old][frame] = seen.matrix_world @ seen.pose.bones[new].head - seen.matrix_world.translation.z * UP
    return joints, place


def check_walk(joints, place, leg=0.839):
    """Hold a walk against what everybody's walk is like."""
    step = np.diff(place, axis=0)
    speed = np.linalg.norm(step, axis=1)
    ahead = step[0] / speed[0]
    hip_height = (joints["thigh.L"] + joints["thigh.R"])[:, 2] / 2.0
    assert 0.94 * leg < hip_height.mean() - 0.086 < leg
    stance = []
    for side in (".L", ".R"):
        thigh, shin, foot, toe = (joints[part + side] for part in PARTS[:4])
        moved = np.linalg.norm(np.diff(np.stack([foot, toe]), axis=1), axis=2)
        stance.append((moved < 0.15 * speed).any(axis=0).mean())
        assert 0.5 * leg < np.ptp((foot - place) @ ahead) < 1.1 * leg
        knee_ahead = (shin - (thigh + foot) / 2.0) @ ahead
        assert knee_ahead.min() > -0.01
        assert knee_ahead.max() > 0.08 * leg
        assert (((toe - foot) @ ahead) > 0.03).mean() > 0.75
        shoulder, elbow, hand = (joints[part + side] for part in ("upper_arm", "forearm", "hand"))
        assert (hand[:, 2] < elbow[:, 2]).all()
        assert (elbow[:, 2] < shoulder[:, 2] - 0.2).all()
        assert np.ptp((hand - place) @ ahead) > 0.2
        assert (((hand - elbow) @ ahead) > ((elbow - shoulder) @ ahead)).all()
    assert np.mean(stance) > 0.4
    lowest = min(joints[part + side][:, 2].min() for part in ("foot", "toe") for side in (".L", ".R"))
    assert -0.03 < lowest < 0.03
    across = (joints["thigh.L"] - joints["thigh.R"]) @ np.array([-ahead[1], ahead[0], 0.0])
    assert across.min() > 0.1


@pytest.mark.each_blender("Actions and slots")
@pytest.mark.parametrize("scheme", ["Mixamo"])
def test_who_has_no_clip_walks_with_the_figures(make, stage, scheme):
    statue = Statue(make, stage.addon, scheme)
    t_pose(statue)
    check_walk(*walked(make, stage, statue))
    assert stage.notices == ["'Statue' has no clip of its own: it walks with Footfall's"]


@pytest.mark.parametrize("scheme", [None, *list(SCHEMES)[1:]])
def test_names_of_other_programs_are_read(make, stage, scheme):
    statue = Statue(make, stage.addon, scheme)
    found = stage.addon.module("blender_addon.characters.retargeting.humanoids").find_humanoid(statue.rig, statue.rig)
    limbs = {f"{part}.{side}" for part in PARTS for side in "LR"}
    assert {role: found.bones[role] for role in limbs} == {role: statue.names[role] for role in limbs}
    assert found.bones["hips"] == statue.names["hips"]
    assert found.spine == (statue.names["spine"], statue.names["chest"])
    assert found.neck == (statue.names["neck"], statue.names["head"])


@pytest.mark.parametrize(
    "change",
    sweep([a_pose, in_centimetres, any_rolls, y_up, long_tails, euler_angles, other_facing, mirrored], usual=4),
    ids=lambda c: c.__name__,
)
def test_neither_rest_pose_nor_axes_matter(make, stage, change):
    statue = Statue(make, stage.addon, "Unreal")
    change(statue)
    check_walk(*walked(make, stage, statue))


def test_short_legs_take_shorter_steps(make, stage):
    statue = Statue(make, stage.addon)
    short_legs(statue)
    check_walk(*walked(make, stage, statue, speed=1.0), leg=0.8 * 0.839)


def test_nothing_of_the_user_changes_and_clear_removes_the_clips(make, stage):
    statue = Statue(make, stage.addon)
    before = [np.array(bone.matrix_local) for bone in statue.rig.data.bones]
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.bake(make.walk(agents=2))
    assert any("Statue walk" in action.name for action in bpy.data.actions)
    first = {
        action.name: stage.addon.module("blender_addon.blender_data.animation").digest(action)
        for action in bpy.data.actions
    }
    stage.bake(make.walk(agents=2))
    again = {
        action.name: stage.addon.module("blender_addon.blender_data.animation").digest(action)
        for action in bpy.data.actions
    }
    assert again == first
    stage.clear()
    assert not bpy.data.actions
    assert statue.rig.animation_data is None or not statue.rig.animation_data.nla_tracks
    np.testing.assert_array_equal(before, [np.array(bone.matrix_local) for bone in statue.rig.data.bones])


def lie_down(statue):
    statue.rig.data.transform(Matrix.Translation((0, 0, 0.2)) @ Matrix.Rotation(np.pi / 2.0, 4, "X"))


def on_all_fours(statue):
    def change(bones):
        for side in (".L", ".R"):
            places = [(0.0, -0.6, 0.8), (0.0, -0.6, 0.45), (0.0, -0.6, 0.08), (0.0, -0.7, 0.02)]
            for part, start, end in zip(("upper_arm", "forearm", "hand"), places, places[1:], strict=False):
                bones[part + side].head, bones[part + side].tail = start, end

    statue.edit(change)


def crouching_legs(statue):
    def change(bones):
        for side in (".L", ".R"):
            bones[f"shin{side}"].head.y -= 0.4

    statue.edit(change)


def one_leg(statue):
    statue.edit(lambda bones: [statue.rig.data.edit_bones.remove(bones[f"{part}.R"]) for part in PARTS[:4]])


@pytest.mark.parametrize("change", [lie_down, on_all_fours, crouching_legs, one_leg], ids=lambda c: c.__name__)
def test_other_bodies_are_carried_along(make, stage, change):
    statue = Statue(make, stage.addon)
    change(statue)
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.bake(make.walk(agents=1))
    sentence = "'Statue' has no walk clip: it slides along in its current pose"
    assert any(notice.startswith(sentence) for notice in stage.notices)


def test_legs_that_constraints_move_are_freed_in_the_copies(make, stage):
    """As in generated rigs: the bones that deform the body are copied, without what moves them."""
    statue = Statue(make, stage.addon)
    statue.rig.pose.bones[statue.names["shin.L"]].constraints.new("COPY_ROTATION")
    check_walk(*walked(make, stage, statue))
    assert len(statue.rig.pose.bones["shin.L"].constraints) == 1
    assert len(bpy.data.armatures) == 2
    stage.clear()
    assert list(bpy.data.armatures) == [statue.rig.data]


def test_instances_walk_too(make, stage):
    statue = Statue(make, stage.addon, "Biped")
    t_pose(statue)
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.bake_instances(make.walk(agents=2))
    poses = [each for each in bpy.data.meshes if each.users and len(each.vertices) == len(statue.body.data.vertices)]
    lengths = [np.ptp([vertex.co.x for vertex in mesh.vertices]) for mesh in poses if mesh != statue.body.data]
    assert len(lengths) > 10
    assert np.ptp(lengths) > 0.2


@pytest.mark.parametrize("change", [t_pose, narrow_shoulders])
def test_hands_of_who_stands_hang_beside_the_thighs_whatever_the_shoulders(make, stage, addon, change):
    statue = Statue(make, addon, "Mixamo")
    change(statue)
    joints, _ = walked(make, stage, statue, speed=0.0)
    apart = np.linalg.norm((joints["hand.L"] - joints["hand.R"])[:, :2], axis=1)
    hips = np.linalg.norm((joints["thigh.L"] - joints["thigh.R"])[:, :2], axis=1)
    assert (apart - hips).min() > 0.27  # 13 cm beside each hip joint
