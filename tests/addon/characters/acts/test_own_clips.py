# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of the user's own in place of ours: known by their names, chosen in the cast table, or named by a stop."""

import dataclasses

import bpy
import numpy as np
import pytest

from ..statues import Statue, loosen_feet, t_pose
from .acting import FRAMES, NAMES, acting


@pytest.mark.parametrize("moves", [False, True])
def test_who_has_only_a_still_pose_to_stand_in_stands_as_ours(make, stage, addon, moves):
    statue = Statue(make, addon, "Mixamo")
    path = f'pose.bones["{statue.names["chest"]}"].rotation_quaternion'
    angle = np.array([0.0, 0.1 * moves, 0.0])
    turns = np.array([np.cos(angle / 2.0), np.sin(angle / 2.0), 0.0 * angle, 0.0 * angle])
    channels = [make.actions.Channel(path, k, np.array([0.0, 24.0, 48.0]), turns[k]) for k in range(4)]
    make.actions.new_clip("Armature|Idle", channels, group="Bones").action.use_fake_user = True
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    (mover,) = stage.bake(acting(make, ("stand",)))
    played = [strip for track in mover.animation_data.nla_tracks for strip in track.strips if "acts" in track.name]
    assert bool(played) != moves


def test_a_clip_of_the_users_takes_the_place_of_ours(make, stage, addon):
    """Known by its name, whatever frame it begins at."""
    statue = Statue(make, addon, "Mixamo")
    frames = np.array([11.0, 35.0])
    turns = np.array([[1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0]]).T
    path = f'pose.bones["{statue.names["head"]}"].rotation_quaternion'
    channels = [make.actions.Channel(path, k, frames, turns[k]) for k in range(4)]
    make.actions.new_clip("Armature|Waving", channels, group="Head").action.use_fake_user = True
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    (mover, other) = stage.bake(acting(make, ("wave", "clap")))
    played = [strip for track in mover.animation_data.nla_tracks for strip in track.strips if "acts" in track.name]
    assert len(played) == 1
    assert [strip.action_frame_start for strip in played] == [0.0]
    assert [strip.action_frame_end for strip in played] == [24.0]
    assert "Waving" in played[0].name
    assert bpy.data.actions["Armature|Waving"].frame_range[0] == 11.0
    acts = [strip.action for track in other.animation_data.nla_tracks for strip in track.strips if "acts" in track.name]
    assert len(acts) == 1
    stage.clear()
    assert not [action.name for action in bpy.data.actions if "clap" in action.name]


@pytest.mark.parametrize(
    ("seat", "feet", "shape"), [(0.45, "are sunk by", t_pose), (1.1, "hang by", t_pose), (1.1, "hang by", loosen_feet)]
)
def test_feet_that_hang_or_sink_in_a_sitting_clip_of_the_users_are_told(make, stage, addon, seat, feet, shape):
    statue = Statue(make, addon, "Mixamo")
    shape(statue)
    dance(make, statue.names["head"], "Sitting")  # sits as high as somebody stands
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    stage.bake(acting(make, ("sit",), seat=seat))
    told = [notice for notice in stage.notices if "sits in 'Sitting', which fits seats" in notice]
    assert len(told) == 1
    assert feet in told[0]


def test_clips_of_sitting_down_and_of_sitting_are_both_found(make, addon):
    statue = Statue(make, addon, "Mixamo")
    for name in ("Sit Down", "Sitting", "Sitting Idle", "Stand Up"):
        dance(make, statue.names["head"], name)
    found = addon.module("blender_addon.characters.acts.own_acts").own_acts(statue.rig, [], None)
    names = {role: clip.action.name for role, clip in found.items()}
    assert names == {"sit_down": "Sit Down", "sit_1": "Sitting", "sit_2": "Sitting Idle", "stand_up": "Stand Up"}


@pytest.mark.parametrize("is_brought", [False, True])
def test_a_clip_of_sitting_down_is_no_way_of_sitting_whatever_its_name(make, addon, is_brought):
    """On a seat people would stand up and sit down again and again in it."""
    statue, other = Statue(make, addon, "Mixamo"), Statue(make, addon, "Unreal")
    source = other if is_brought else statue
    for name, heights in (("Sitting", (0.0, -0.4)), ("Sitting Idle", (-0.4, -0.4)), ("Sit", (-0.4, 0.0))):
        path = f'pose.bones["{source.names["hips"]}"].location'
        channels = [make.actions.Channel(path, 1, np.array([0.0, 24.0]), heights)]
        action = make.actions.new_clip(name, channels, group="Hips").action
        action.use_fake_user = True
        if is_brought:
            addon.module("blender_addon.characters.clips.skeletons").Skeleton.of(source.rig).store(action)
    body = addon.module("blender_addon.characters.retargeting.humanoids").find_humanoid(statue.rig, statue.rig)
    found = addon.module("blender_addon.characters.acts.own_acts").own_acts(statue.rig, [], body)
    assert {role: clip.action.name for role, clip in found.items()} == {"sit_1": "Sitting Idle"}


def test_a_clip_of_turning_plays_while_somebody_stands_and_turns(make, stage, addon):
    statue = Statue(make, addon, "Mixamo")
    t_pose(statue)
    path = f'pose.bones["{statue.names["head"]}"].rotation_euler'
    statue.rig.pose.bones[statue.names["head"]].rotation_mode = "XYZ"
    channels = [make.actions.Channel(path, 0, np.array([1.0, 13.0, 25.0]), [0.0, 0.4, 0.0])]
    make.actions.new_clip("Left Turn", channels, group="Head").action.use_fake_user = True
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    still = acting(make, ("none", "none"))
    heading = np.zeros((FRAMES, 2))
    heading[:, 0] = 2.0 * np.clip((np.arange(FRAMES) - 48) / 48.0, 0.0, 1.0)
    turner, other = stage.bake(dataclasses.replace(still, heading=heading))
    strips = [each for track in turner.animation_data.nla_tracks for each in track.strips]
    (strip,) = [each for each in strips if "Turn" in each.name]
    assert 40 < strip.frame_start < 56
    after = min(each.frame_start for each in strips if strip.frame_start < each.frame_start < strip.frame_end)
    assert 90 < after < 106
    assert strip.frame_end == pytest.approx(after + 12, abs=1.0)
    assert not [each for track in other.animation_data.nla_tracks for each in track.strips if "Turn" in each.name]


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("Left Turn", "turn"),
        ("Sitting Idle", "sit"),
        ("Armature|mixamo.com|Talking", "talk"),
        ("Standing Clap", "clap"),
        ("HumanM@Cheering01", "cheer"),
        ("Waving", "wave"),
        ("Talking On Phone", "phone"),
        ("Stand To Sit", "sit_down"),
        ("Sit To Stand", "stand_up"),
        ("Sit_Chair_Down", "sit_down"),
        ("Sit_Chair_StandUp", "stand_up"),
        ("Sit_Floor_Idle", ""),
        ("Lie_StandUp", ""),
        ("Looking Around", "look_round"),
        ("Pointing Forward", "point"),
        ("Walking While Texting", ""),
        ("Wavering", ""),
        ("Idle", ""),
    ],
)
def test_names_of_downloads_say_what_clips_show(addon, name, act):
    assert addon.module("blender_addon.characters.clips.act_names").read_act_name(name) == act


def dance(make, bone, name="Dance@Hall"):
    """An Action that turns a bone."""
    turns = np.array([[1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0]]).T
    path = f'pose.bones["{bone}"].rotation_quaternion'
    channels = [make.actions.Channel(path, k, np.array([0.0, 24.0]), turns[k]) for k in range(4)]
    clip = make.actions.new_clip(name, channels, group="Dance")
    clip.action.use_fake_user = True
    return clip.action


def played_by(mover):
    return [strip.name for track in mover.animation_data.nla_tracks if "acts" in track.name for strip in track.strips]


def test_a_stop_may_name_the_clip_that_is_played(make, stage):
    """Who has other bones stands, and the report says so."""
    dance(make, "head")
    dance(make, "tentacle", "Swim")
    there = acting(make, ("play_clip",) * 5)
    activity = np.where(there.activity > 0, len(NAMES) + np.array([0, 1, 1, 1, 1]), 0).astype(np.int8)
    names = (*NAMES, "play_clip:Dance@Hall", "play_clip:Swim")
    movers = stage.bake(dataclasses.replace(there, activity=activity, activity_names=names))
    assert [played_by(mover)[:1] for mover in movers] == [["Dance@Hall"], *[[]] * 4]
    told = [notice for notice in stage.notices if "cannot play 'Swim', which moves other bones: it stands" in notice]
    assert len(told) == 1
    assert told[0].endswith("The same holds for 4 more")


@pytest.mark.parametrize(("lacks", "why"), [("action", "finds no such action"), ("skeleton", "has no skeleton")])
def test_a_clip_that_a_character_lacks_is_told_and_it_stands(make, stage, lacks, why):
    there = acting(make, ("play_clip",))
    names = (*NAMES, "play_clip:Jig")
    activity = np.where(there.activity > 0, len(NAMES), 0).astype(np.int8)
    if lacks == "skeleton":
        stage.crowd.characters = make.collection("Props", make.cube("Box", 0.4))
    stage.bake(dataclasses.replace(there, activity=activity, activity_names=names))
    told = [notice for notice in stage.notices if f"cannot play 'Jig', and {why}" in notice]
    assert len(told) == 1
    assert "Choose a character" in told[0]


def test_the_cast_table_says_which_clip_is_played(make, stage, addon):
    """Found by its name, chosen instead, or none; what is not the user's is ours."""
    statue = Statue(make, addon, "Mixamo")
    waving, other = (dance(make, statue.names["head"], name) for name in ("Waving", "Take"))
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    assert bpy.ops.footfall.find_clips() == {"FINISHED"}
    row = stage.scene.footfall.cast[0]
    assert (row.wave.clip, row.wave.is_made, row.clap.clip, row.clap.is_made) == (waving, False, None, True)
    done = acting(make, ("wave", "clap", "talk"))
    assert [played_by(mover)[0].split(".")[0] for mover in stage.bake(done)][:2] == ["Waving", "clap 1"]
    row.wave.clip = other
    row.clap.locked = True  # empty: none
    movers = stage.bake(done)
    assert played_by(movers[0])[0].split(".")[0] == "Take"
    assert played_by(movers[1]) == []
    assert played_by(movers[2])
