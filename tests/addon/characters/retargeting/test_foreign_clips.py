# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of other bodies: limbs point where those of the source do, whatever bones are called and however they rest."""

import dataclasses

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.sweeps import sweep

from ..acts.acting import acting
from ..statues import Statue, a_pose, any_rolls, euler_angles, in_centimetres, long_tails, short_legs, t_pose, y_up
from ..strangers import give_walk, walking
from .gait import angles, check_walk, joints, walked


def larger(statue):
    statue.rig.data.transform(Matrix.Scale(100.0, 4))


@pytest.fixture
def foreign(addon):
    return addon.module("blender_addon.characters.retargeting.foreign_clips")


@pytest.fixture
def skeletons(addon):
    return addon.module("blender_addon.characters.clips.skeletons")


def watched(make, statue, clip, frames):
    make.actions.assign_clip(statue.rig, clip)
    return joints(make, statue.rig, statue.names, frames)


@pytest.mark.parametrize(
    "change",
    sweep([short_legs, any_rolls, in_centimetres, t_pose, a_pose, euler_angles, y_up, long_tails, larger], usual=3),
)
def test_limbs_point_where_those_of_the_source_do(make, addon, foreign, skeletons, change):
    source, mocap, statue = walking(make, addon, "BVH"), Statue(make, addon, "VRM"), Statue(make, addon, "MakeHuman")
    t_pose(statue)
    change(mocap)
    bpy.context.view_layer.update()
    scene = bpy.context.scene
    there = foreign.adapted_to(source.walk, mocap.rig, mocap.rig, scene)
    first, last = (int(frame) for frame in make.actions.clip_range(source.walk))
    moving = joints(make, source.rig, source.names, range(first, last + 1))
    carried = watched(make, mocap, there, range(last - first + 1))
    assert max(angles(moving, carried).values()) < 1.0
    skeletons.Skeleton.of(mocap.rig).store(there.action)
    for _ in ("the armature plays it", "its armature is gone"):
        back = foreign.adapted_to(there, statue.rig, statue.rig, scene)
        assert max(angles(moving, watched(make, statue, back, range(last - first + 1))).values()) < 1.0
        mocap.rig.animation_data_clear()


def test_who_lacks_a_walk_plays_the_one_that_was_brought(make, stage):
    source = walking(make, stage.addon, "BVH")
    statue = Statue(make, stage.addon, "VRM")
    t_pose(statue)
    in_centimetres(statue)
    check_walk(*walked(make, stage, statue))
    assert stage.notices == ["'Statue' has no walk of its own: it plays 'Walking', made for other bones"]
    ours = [action for action in bpy.data.actions if "footfall_crowd" in action]
    assert any("Walking" in action.name for action in ours)
    stage.clear()
    assert [*bpy.data.actions] == [source.walk.action]


@pytest.mark.parametrize(
    ("name", "stands_as"),
    [("Sitting Idle", "Walkers Statue idle"), ("Talking", "Walkers Statue idle"), ("Breathing Idle", "Breathing Idle")],
)
def test_a_clip_whose_name_says_otherwise_is_no_walk(make, stage, name, stands_as):
    """Whatever its feet do: here they step as those of somebody who walks."""
    statue = Statue(make, stage.addon, "Mixamo")
    give_walk(make, stage.addon, statue, name)
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, 24), speed=1.2))
    assert [each for each in stage.notices if "walk" in each] == [
        f"'Statue' has no walk: '{name}' is not one; it walks with Footfall's"
    ]
    played = [strip.action.name for track in mover.animation_data.nla_tracks for strip in track.strips]
    assert [name for name in played if not name.endswith("feet")] == ["Walkers Statue walk", stands_as]


def test_neither_a_pose_nor_a_leap_is_taken_for_a_walk(make, stage):
    statue = Statue(make, stage.addon, "Mixamo")
    give_walk(make, stage.addon, statue, "Running")
    paths = [f'pose.bones["{statue.names[name]}"].rotation_quaternion' for name in ("thigh.L", "thigh.R")]
    turns = {"T-Pose": [0.0, 0.0, 0.0], "air_jump": [0.0, -0.4, 0.0]}
    for name, values in turns.items():
        channels = [make.actions.Channel(path, 1, np.array([0.0, 3.0, 6.0]), np.array(values)) for path in paths]
        make.actions.new_clip(name, channels, group="Bones").action.use_fake_user = True
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, 24), speed=1.2))
    played = [strip.action.name for track in mover.animation_data.nla_tracks for strip in track.strips]
    assert played[0] == "Walkers Statue walk"
    assert [each for each in stage.notices if "is not one; it walks with Footfall's" in each] == stage.notices


def test_a_walk_whose_feet_go_nowhere_is_none(make, stage):
    """As a recording of somebody who walks to and fro, or a clip that moves other things than the legs."""
    statue = Statue(make, stage.addon, "Mixamo")
    paths = [f'pose.bones["{statue.names[name]}"].rotation_quaternion' for name in ("thigh.L", "thigh.R")]
    channels = [
        make.actions.Channel(path, 1, np.linspace(0.0, 400.0, 5), np.array([0.0, turn, 0.0, -turn, 0.0]))
        for path, turn in zip(paths, (0.04, -0.04), strict=True)
    ]
    make.actions.new_clip("long_walk", channels, group="Bones").action.use_fake_user = True
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, 24), speed=1.2))
    assert "'Statue' has no walk: its feet go nowhere in 'long_walk'; it walks with Footfall's" in stage.notices
    assert mover.animation_data.nla_tracks[0].strips[0].action.name == "Walkers Statue walk"


def test_who_has_no_walk_and_fits_none_of_ours_is_told(make, stage):
    rig, body = make.rig()
    rig.animation_data.action.name = "Sitting Idle"
    stage.crowd.characters = make.collection("Robots", rig, body)
    stage.bake(make.walk(agents=1, frames=(1, 24)))
    no_walk = (
        "'Rig' has no walk: 'Sitting Idle' is not one, and Footfall's does not fit its body: choose a walk in the "
    )
    assert f"{no_walk}cast table" in stage.notices


def test_who_has_no_walk_and_fits_none_of_ours_jumps_on_rather_than_attack(make, stage):
    """As frogs do, of whom only clips of attacking, standing and jumping are there."""
    rig, body = make.rig(stride=3.6)
    own = rig.animation_data.action
    jump = own.copy()
    own.name, jump.name, jump.use_fake_user = "Frog_Attack", "Frog_Jump", True
    for clip in make.actions.clips_of_action(own):
        for key in (key for curve in make.actions.curves_of(clip) for key in curve.keyframe_points):
            key.co.y = 0.0
    stage.crowd.characters = make.collection("Frogs", rig, body)
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, 24)))
    played = [strip.action.name for track in mover.animation_data.nla_tracks for strip in track.strips]
    assert played[0] == "Walkers Frog_Jump"


def test_clips_of_other_characters_are_not_taken(make, stage):
    source = walking(make, stage.addon, "BVH")
    dressed = make.cube("Dressed")
    dressed.parent = source.rig
    make.link(dressed)
    statue = Statue(make, stage.addon, "VRM")
    walked(make, stage, statue)
    assert stage.notices == ["'Statue' has no clip of its own: it walks with Footfall's"]


def test_a_chosen_clip_of_bones_with_the_same_names_and_other_axes_is_fitted(make, stage):
    source, statue = walking(make, stage.addon, "Unreal"), Statue(make, stage.addon, "Unreal")
    any_rolls(statue)
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    bpy.ops.footfall.find_clips()
    (row,) = bpy.context.scene.footfall.cast
    row.walk.clip = source.walk.action
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, 48), speed=1.2))
    seen = joints(make, mover, statue.names, range(12, 40, 4))
    for side in "LR":
        assert (seen[f"hand.{side}"][:, 2] < seen[f"upper_arm.{side}"][:, 2] - 0.3).all()
        assert (seen[f"foot.{side}"][:, 2] < seen[f"thigh.{side}"][:, 2] - 0.5).all()
    bpy.ops.footfall.find_clips()
    assert row.walk.clip == source.walk.action
    assert row.walk.stride > 1.0


def test_a_clip_that_a_stop_names_is_fitted_to_bones_with_other_axes(make, stage):
    source, statue = walking(make, stage.addon, "Unreal"), Statue(make, stage.addon, "Unreal")
    any_rolls(statue)
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    there = make.walk(agents=1, frames=(1, 48), speed=0.0)
    named = f"play_clip:{source.walk.action.name}"
    plays = np.full(there.present.shape, 3, dtype=np.int8)
    (mover,) = stage.bake(dataclasses.replace(there, activity=plays, activity_names=("none", "stand", "sit", named)))
    seen = joints(make, mover, statue.names, range(30, 46, 4))
    for side in "LR":
        assert (seen[f"hand.{side}"][:, 2] < seen[f"upper_arm.{side}"][:, 2] - 0.3).all()
    assert np.ptp(seen["hand.L"], axis=0).max() > 0.05


def test_a_clip_that_was_added_for_another_skeleton_is_found_by_its_name_and_fitted(make, stage):
    source, statue = walking(make, stage.addon, "Unreal"), Statue(make, stage.addon, "Mixamo")
    action = source.walk.action
    action.name = "Talking"
    stage.addon.module("blender_addon.characters.clips.skeletons").Skeleton.of(source.rig).store(action)
    bpy.data.objects.remove(source.rig)
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    bpy.ops.footfall.find_clips()
    (row,) = bpy.context.scene.footfall.cast
    assert (row.talk.clip, row.listen.clip) == (action, None)
    (mover,) = stage.bake(acting(make, ("talk",)))
    seen = joints(make, mover, statue.names, range(60, 100, 4))
    for side in "LR":
        assert (seen[f"hand.{side}"][:, 2] < seen[f"upper_arm.{side}"][:, 2] - 0.3).all()
    assert np.ptp(seen["hand.L"], axis=0).max() > 0.2


@pytest.mark.parametrize("act", sweep(["sit", "talk"], usual=1))
def test_clips_chosen_for_talking_and_sitting_are_fitted_to_bones_with_other_axes(make, stage, act):
    """Only its torso and hands would show it: nobody lies down or throws up the arms."""
    source, statue = walking(make, stage.addon, "Unreal"), Statue(make, stage.addon, "Unreal")
    any_rolls(statue)
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    bpy.ops.footfall.find_clips()
    (row,) = bpy.context.scene.footfall.cast
    chosen = getattr(row, act)
    chosen.clip = source.walk.action
    (mover,) = stage.bake(acting(make, (act,)))
    seen = joints(make, mover, statue.names, range(60, 100, 4))
    for side in "LR":
        assert (seen[f"hand.{side}"][:, 2] < seen[f"upper_arm.{side}"][:, 2] - 0.3).all()
        assert (seen[f"foot.{side}"][:, 2] < seen[f"thigh.{side}"][:, 2] - 0.5).all()
    assert np.ptp(seen["hand.L"], axis=0).max() > 0.05
    made = set(bpy.data.actions)
    stage.clear()
    assert source.walk.action in set(bpy.data.actions) < made
    bpy.ops.footfall.find_clips()
    assert chosen.clip == source.walk.action


@pytest.mark.parametrize("stored", [True, False])
def test_same_names_with_a_few_bones_turned_do_not_fit_however_many_fingers_there_are(make, addon, skeletons, stored):
    fitting = addon.module("blender_addon.characters.clips.clip_search").fitting
    source, statue = walking(make, addon, "Unreal"), Statue(make, addon, "Unreal")
    for rig in (source.rig, statue.rig):
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        hand = rig.data.edit_bones[statue.names["hand.R"]]
        for number in range(60):
            finger = rig.data.edit_bones.new(f"index_{number}")
            finger.head, finger.tail, finger.parent = hand.tail, hand.tail + hand.vector / 9.0, hand
        bpy.ops.object.mode_set(mode="OBJECT")
    if stored:
        skeletons.Skeleton.of(source.rig).store(source.walk.action)
    assert fitting(statue.rig)(source.walk)

    def turn_thighs(bones):
        for side in "LR":
            bones[f"thigh.{side}"].roll += np.pi

    statue.edit(turn_thighs)
    assert not fitting(statue.rig)(source.walk)


def test_same_names_with_other_axes_do_not_fit(make, addon, skeletons):
    fitting = addon.module("blender_addon.characters.clips.clip_search").fitting
    source, statue = walking(make, addon, "Unreal"), Statue(make, addon, "Unreal")
    assert fitting(statue.rig)(source.walk)
    skeletons.Skeleton.of(source.rig).store(source.walk.action)
    assert fitting(statue.rig)(source.walk)
    any_rolls(statue)
    assert not fitting(statue.rig)(source.walk)
