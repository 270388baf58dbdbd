# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters without any clip, with bones as other programs name and turn them, walk with the gait of the figures."""

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from ..statues import (
    PARTS,
    SCHEMES,
    Statue,
    a_pose,
    any_rolls,
    crouching_legs,
    euler_angles,
    in_centimetres,
    lie_down,
    long_tails,
    mirrored,
    narrow_shoulders,
    on_all_fours,
    one_leg,
    other_facing,
    short_legs,
    t_pose,
    y_up,
)
from .gait import check_walk, walked


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
