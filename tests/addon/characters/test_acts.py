# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do besides walking, as it is baked: no pops, planted feet, hips on seats, heads that turn."""

import collections
import dataclasses
import math
from itertools import combinations, pairwise

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from .statues import Statue, any_rolls, loosen_feet, t_pose

NAMES = ("none", "stand", "talk", "listen", "phone", "sit", "cheer", "clap", "wave", "point", "look_round", "play_clip")
DONE = ("talk", "listen", "phone", "sit", "cheer", "clap", "wave", "point", "look_round", "sit", "stand", "stand")
FRAMES, FIRST, LAST = 150, 24, 132  # who does something begins and ends so; the last sitter sits all the time
SEAT, FPS = 0.45, 24.0
ALWAYS = 9
SLIDE = 1.2  # for which somebody slides onto a seat in the recorded motion [s]

_kept = {}


def acting(make, done, *, seat=SEAT, gaze=None):
    """Trajectories of people side by side who face +X and each do something in the same place."""
    agents = len(done)
    rows = np.arange(FRAMES)
    still = make.walk(agents=agents, frames=(1, FRAMES), speed=0.0)
    position, heading = np.zeros((FRAMES, agents, 3)), np.zeros((FRAMES, agents))
    position[..., 1] = 1.2 * np.arange(agents)
    activity = np.zeros((FRAMES, agents), dtype=np.int8)
    height = np.full((FRAMES, agents), np.nan, dtype=np.float32)
    for agent, name in enumerate(done):
        first, last = (0, FRAMES) if agent == ALWAYS or name == "stand" else (FIRST, LAST)
        activity[first:last, agent] = NAMES.index(name)
        if name == "sit":
            height[first:last, agent] = seat
            ends = np.minimum(rows - first, last - 1 - rows) if agent != ALWAYS else np.full(FRAMES, FRAMES)
            part = np.clip(ends / (SLIDE * FPS), 0.0, 1.0)
            position[:, agent, 0] -= 0.4 * part * part * (3.0 - 2.0 * part)
    looked_at = np.full((FRAMES, agents, 3), np.nan, dtype=np.float32) if gaze is None else gaze
    return dataclasses.replace(
        still,
        position=position,
        heading=heading,
        velocity=np.zeros((FRAMES, agents, 2)),
        activity=activity,
        activity_names=NAMES,
        seat_height=height,
        gaze=looked_at,
    )


def joints_of(make, movers, frames=range(1, FRAMES + 1)):
    """Where bones begin in the world, float64 (F, A, B, 3), and how they are turned, (F, A, B, 4)."""
    for each in bpy.context.scene.objects:
        each.hide_viewport = each.type == "MESH"  # nobody looks at bodies here
    places, turns = [], []
    for frame in frames:
        seen = make.all_evaluated(movers, frame)
        places.append([[(each.matrix_world @ bone.head)[:] for bone in each.pose.bones] for each in seen])
        turns.append([[bone.matrix_basis.to_quaternion()[:] for bone in each.pose.bones] for each in seen])
    return np.array(places), np.array(turns)


@pytest.fixture
def people(make, stage):
    """(joints, turns, names of bones) of built-in people who each do something; baked once."""
    if "people" not in _kept:
        stage.crowd.motion.looks_about = False
        movers = stage.bake(acting(make, DONE))
        _kept["people"] = (*joints_of(make, movers), [bone.name for bone in movers[0].pose.bones])
    return _kept["people"]


def both(joints, bones, part):
    """The joint on both sides, float64 (F, A, 2, 3)."""
    return joints[:, :, [bones.index(f"{part}.{side}") for side in "LR"]]


@pytest.mark.once
def test_no_joint_is_faster_where_clips_change_than_inside_them(people):
    joints, _, _ = people
    speed = np.linalg.norm(np.diff(joints, axis=0), axis=3).max(axis=2) * FPS  # (F - 1, A)
    changes = np.zeros(FRAMES - 1, dtype=bool)
    changes[FIRST - 1 : FIRST + 32] = changes[LAST - 34 : LAST + 1] = True
    inside = speed[~changes].max()
    assert inside > 1.0  # who cheers is quick
    assert speed[changes].max() < 1.5 * inside
    assert np.abs(np.diff(joints, 2, axis=0)).max() * FPS * FPS < 60.0  # [m/s2]


@pytest.mark.each_blender("NLA strips are blended and combined, geometry nodes pick poses")
def test_feet_stay_where_they_stand(people):
    joints, _, bones = people
    balls = both(joints, bones, "toe")
    assert np.ptp(balls[FIRST:, :, :, :2], axis=0).max() < 0.01  # before, the sitter steps to where it reaches the seat
    assert balls[..., 2].min() > 0.0


@pytest.mark.parametrize("agent", [3, ALWAYS])
def test_hips_are_on_the_seat(people, agent):
    """The joints of the hips lie a thigh's thickness above it, and behind the feet."""
    joints, _, bones = people
    frames = slice(None) if agent == ALWAYS else slice(FIRST + 48, LAST - 44)
    hips = both(joints, bones, "thigh").mean(axis=2)[frames, agent]
    hip, knee, ankle = (both(joints, bones, part)[0, agent, 0] for part in ("thigh", "shin", "foot"))
    leg = np.linalg.norm(hip - knee) + np.linalg.norm(knee - ankle)
    assert np.abs(hips[:, 2] - 0.13 * leg - SEAT).max() < 0.02
    assert np.abs(hips[:, :2] - (-0.4, 1.2 * agent)).max() < 0.03


def test_knees_and_elbows_bend_the_right_way(people):
    joints, _, bones = people
    hip, knee, ankle = (both(joints, bones, part) for part in ("thigh", "shin", "foot"))
    assert ((knee - (hip + ankle) / 2.0)[..., 0] > -0.005).all()  # people look along +X
    shoulder, elbow, wrist = (both(joints, bones, part) for part in ("upper_arm", "forearm", "hand"))
    upper, fore = elbow - shoulder, wrist - elbow
    cosine = (upper * fore).sum(axis=-1) / np.linalg.norm(upper, axis=-1) / np.linalg.norm(fore, axis=-1)
    bend = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
    assert bend.max() < 160.0
    low = elbow[..., 2] < shoulder[..., 2] - 0.1  # arms that hang bend ahead
    hangs = low & (wrist[..., 2] < elbow[..., 2]) & (bend > 8.0)
    bad = hangs & ~(fore[..., 0] > 0.9 * upper[..., 0] - 0.05)
    assert not bad.any(), np.unique(np.argwhere(bad)[:, 1:], axis=0)


def test_hands_are_not_in_the_body(people):
    """Wrists keep away from the line through the trunk, in parts of the size of each body."""
    joints, _, bones = people
    spine = np.stack([joints[:, :, bones.index(name)] for name in ("hips", "spine", "chest", "neck")], axis=2)
    wrists = both(joints, bones, "hand")
    size = np.linalg.norm(spine[..., 3, :] - spine[..., 0, :], axis=-1)  # (F, A)
    points = spine[..., :1, :] + np.linspace(0.0, 1.0, 12)[:, None] * (spine[..., -1:, :] - spine[..., :1, :])
    away = np.linalg.norm(wrists[:, :, :, None] - points[:, :, None], axis=-1).min(axis=(2, 3))
    assert (away / size).min() > 0.3


def test_hands_clap_and_hold_the_phone(people):
    joints, _, bones = people
    inside = slice(FIRST + 36, LAST - 36)
    left, right = np.moveaxis(both(joints, bones, "hand")[inside], 2, 0)
    clap = np.linalg.norm(left - right, axis=-1)[:, DONE.index("clap")]
    assert clap.min() < 0.09
    assert clap.max() > 0.2
    assert np.count_nonzero(np.diff((clap < 0.12).astype(int)) > 0) >= 1
    head, phone = joints[inside, :, bones.index("head")], DONE.index("phone")
    assert np.linalg.norm(right - head, axis=-1)[:, phone].max() < 0.25
    cheer = DONE.index("cheer")
    assert (np.stack([left, right])[:, :, cheer, 2].max(axis=1) > head[:, cheer, 2].max()).all()


def least_difference(turns, bones, pairs):
    """The least angle at any frame by which the poses of two people differ where they differ most [rad]."""
    arms = [bones.index(f"{part}.{side}") for part in ("upper_arm", "forearm") for side in "LR"]
    trunk = [bones.index(name) for name in ("hips", "chest", "head")]
    least = math.inf
    for one, other in pairs:
        same = np.abs((turns[:, one] * turns[:, other]).sum(axis=-1))  # (F, B)
        off = 2.0 * np.arccos(np.clip(same[:, arms + trunk], 0.0, 1.0))
        least = min(least, float(off.max(axis=1).min()))
    return least


def test_nobody_stands_like_a_neighbour(people):
    _, turns, bones = people
    standing = [agent for agent, name in enumerate(DONE) if name == "stand"]
    assert least_difference(turns, bones, combinations(standing, 2)) > math.radians(1.0)


def test_nobody_is_a_statue(addon):
    """Who stands shifts the weight, and all move trunk and head, in any two seconds of a clip that is repeated."""
    repertoire = addon.module("blender_addon.figures.motion.repertoire")
    body = addon.module("blender_addon.figures.mesh.people").PEOPLE[0].body
    bones = addon.module("blender_addon.figures.mesh.skeleton").build_skeleton(body)
    for name, act in repertoire.ACTS.items():
        if not act.is_cycle or act.seconds < 4.0:
            continue
        frames = np.arange(0.0, act.frames + 1.0)
        motion = repertoire.plan_act(name, body, bones, frames, 0.45 if act.is_seated else 0.0)
        seen = np.lib.stride_tricks.sliding_window_view
        moved = np.ptp(seen(motion.hips, 48, axis=0), axis=2).max(axis=1)
        assert act.is_seated or moved.min() > 0.004, name
        for bone, least in (("head", 1.0), ("chest", 0.3)):
            turned = np.ptp(seen(motion.rotations[bone], 48, axis=0), axis=2).max(axis=1)
            assert 2.0 * turned.min() > math.radians(least), (name, bone)


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


@pytest.mark.parametrize("name", sweep(["stand", "sit", "none", "talk"], usual=2))
def test_no_two_neighbours_of_a_row_show_the_same_at_the_same_moment(make, stage, name):
    """Six who look alike, so that only the moment and the choice of clips can differ."""
    stage.crowd.motion.looks_about = False
    statue = Statue(make, stage.addon, "Mixamo")
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    movers = stage.bake(acting(make, (name,) * 6))
    _, turns = joints_of(make, movers, range(FIRST + 48, LAST - 48, 9))
    bones = [next(old for old, new in statue.names.items() if new == bone.name) for bone in movers[0].pose.bones]
    assert least_difference(turns, bones, pairwise(range(6))) > math.radians(0.5)


def test_who_only_walks_costs_nothing_more(make, stage):
    stage.crowd.motion.looks_about = False
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, 60)))
    assert [track.name for track in mover.animation_data.nla_tracks if "acts" in track.name] == []
    assert not [action.name for action in bpy.data.actions if "talk" in action.name or "stand" in action.name]


def test_a_foreign_body_does_the_same(make, stage, addon):
    """Bones as VRM names them, in a T-pose, with any rolls."""
    statue = Statue(make, addon, "VRM")
    t_pose(statue)
    any_rolls(statue)
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    done = ("sit", "cheer", "talk")
    movers = stage.bake(acting(make, done))
    joints, _ = joints_of(make, movers, range(1, FRAMES + 1, 3))
    number = {old: [bone.name for bone in movers[0].pose.bones].index(new) for old, new in statue.names.items()}
    balls = joints[:, :, [number["toe.L"], number["toe.R"]]]
    assert np.ptp(balls[..., :2], axis=0).max() < 0.02
    hips = joints[30, 0, [number["thigh.L"], number["thigh.R"]]].mean(axis=0)
    assert hips[2] - 0.13 * 0.839 == pytest.approx(SEAT, abs=0.03)
    assert hips[0] == pytest.approx(-0.4, abs=0.03)
    hands, head = joints[:, 1, [number["hand.L"], number["hand.R"]], 2], joints[:, 1, number["head"], 2]
    assert hands[25].min() > head[25]
    knees = joints[:, :, [number["shin.L"], number["shin.R"]], 0]
    ankles = joints[:, :, [number["foot.L"], number["foot.R"]], 0]
    thighs = joints[:, :, [number["thigh.L"], number["thigh.R"]], 0]
    assert (knees > (ankles + thighs) / 2.0 - 0.005).all()


def test_who_has_loose_feet_does_the_same(make, stage, addon):
    """Feet on the root and not on the shin, as of rigs that were exported without their constraints."""
    statue = Statue(make, addon, "Mixamo")
    loosen_feet(statue)
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    (mover,) = stage.bake(acting(make, ("talk",)))
    joints, _ = joints_of(make, [mover], range(FIRST, LAST, 6))
    names = [bone.name for bone in mover.pose.bones]
    feet = joints[:, 0, [names.index(statue.names[f"foot.{side}"]) for side in "LR"]]
    hips = joints[:, 0, names.index(statue.names["hips"])]
    assert np.ptp(feet, axis=0).max() < 0.03
    assert np.ptp(hips, axis=0).max() > 0.01, "it does not talk"


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


@pytest.mark.parametrize(("seat", "feet"), [(0.45, "are sunk by"), (1.1, "hang by")])
def test_feet_that_hang_or_sink_in_a_sitting_clip_of_the_users_are_told(make, stage, addon, seat, feet):
    statue = Statue(make, addon, "Mixamo")
    t_pose(statue)
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
    found = addon.module("blender_addon.characters.acts.act_clips").own_acts(statue.rig, [], adapts=False)
    names = {role: clip.action.name for role, clip in found.items()}
    assert names == {"sit_down": "Sit Down", "sit_1": "Sitting", "sit_2": "Sitting Idle", "stand_up": "Stand Up"}


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


@pytest.mark.each_blender("NLA strips are blended and combined, geometry nodes pick poses")
def test_heads_turn_to_what_is_looked_at(make, stage):
    gaze = np.full((FRAMES, 3, 3), np.nan, dtype=np.float32)
    gaze[30:, 0] = (2.0, 2.0, 1.5)  # half to the left
    gaze[30:, 1] = (-6.0, 1.0, 1.5)  # behind
    movers = stage.bake(acting(make, ("listen", "listen", "look_round"), gaze=gaze))
    seen = make.all_evaluated(movers, 100)
    ahead = [each.matrix_world.to_3x3() @ each.pose.bones["head"].z_axis for each in seen]
    yaw = [math.degrees(math.atan2(each.y, each.x)) for each in ahead]
    assert yaw[0] == pytest.approx(45.0, abs=15.0)
    assert abs(yaw[1]) < 20.0
    tracks = [[track for track in mover.animation_data.nla_tracks if "look" in track.name] for mover in movers]
    assert [len(each) for each in tracks] == [1, 0, 0]
    (strip,) = tracks[0][0].strips
    curves = make.actions.curves_of(make.actions.clips_of_action(strip.action)[0])
    keys = [len(curve.keyframe_points) for curve in curves]
    assert max(keys) < 20  # of 150 frames
    stage.crowd.motion.looks_about = False
    movers = stage.bake(acting(make, ("listen",), gaze=gaze[:, :1]))
    assert not [track for track in movers[0].animation_data.nla_tracks if "look" in track.name]


def points_of(mesh):
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


@pytest.mark.once
def test_instances_show_it_and_sit_on_their_seats(make, stage):
    done = ("sit", "cheer", "talk", "stand")
    shown = stage.bake_instances(acting(make, done))

    def poses(frame):
        make.evaluated(shown, frame)
        graph = bpy.context.evaluated_depsgraph_get()
        seen = (each for each in graph.object_instances if each.is_instance and each.parent.original == shown)
        return [(each.matrix_world.copy(), points_of(each.object.data)) for each in seen]

    before, during = poses(10), poses(70)
    high, there = ([points[:, 2].max() for _, points in some] for some in (before, during))
    assert there[0] < high[0] - 0.3  # sits
    higher = max(points[:, 2].max() for frame in (64, 70, 76, 82) for points in [poses(frame)[1][1]])
    assert higher > high[1] + 0.15  # arms are up
    assert there[3] == pytest.approx(high[3], abs=0.02)
    matrix, points = during[0]
    behind = points[points[:, 0] < -0.2]
    assert behind[:, 2].min() + matrix.translation.z == pytest.approx(SEAT, abs=0.06)  # clothes hang below the hips
    stage.clear()
    plain = stage.bake_instances(make.walk(agents=3))
    assert "act" not in plain.data.attributes


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
    assert told[0].endswith("The same holds for 3 more")


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


def test_neighbours_choose_among_as_many_clips_as_there_are(addon):
    acts = addon.module("blender_addon.figures.motion.repertoire").ACTS
    known = addon.module("core.motion.acting.variants").VARIANTS
    cues = addon.module("core.motion.acting.cues")
    counts = collections.Counter(cues.activity_of(act) for act in acts if act not in cues.ONCE)
    assert {activity: known.clips_of(activity) for activity in counts} == counts
    activity, clip = known.wide
    assert [act for act in acts if acts[act].reach > 0.0] == [f"{activity}_{clip + 1}"]
