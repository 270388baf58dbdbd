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

from ..statues import Statue, any_rolls, loosen_feet, t_pose
from .acting import ALWAYS, FIRST, FPS, FRAMES, LAST, SEAT, acting, joints_of, points_of

DONE = ("talk", "listen", "phone", "sit", "cheer", "clap", "wave", "point", "look_round", "sit", "stand", "stand")

_kept = {}


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


def test_who_is_halted_at_a_run_runs_to_the_stop(make, stage):
    """They stood at once, and both feet skated for a metre and a half."""
    t, brakes, halts = acting(make, ("stand", "phone")), 60, 90
    speed = np.interp(np.arange(FRAMES), (0, brakes, halts), (3.0, 3.0, 0.0))
    position, velocity, activity = t.position.copy(), t.velocity.copy(), np.zeros_like(t.activity)
    position[..., 0], velocity[..., 0] = np.cumsum(speed)[:, None] / FPS, speed[:, None]
    activity[brakes:] = t.activity_names.index("stand"), t.activity_names.index("phone")
    halted = dataclasses.replace(t, position=position, velocity=velocity, activity=activity)
    movers = stage.bake(halted)
    joints, _ = joints_of(make, movers)
    balls = both(joints, [bone.name for bone in movers[0].pose.bones], "toe")
    moves = np.linalg.norm(np.diff(balls[..., :2], axis=0), axis=3) * FPS > 0.25
    low = balls[1:, ..., 2] < balls[halts + 24 :, ..., 2].max() + 0.02
    assert not (moves & low).all(axis=2)[:halts].any()


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


@pytest.mark.parametrize("name", sweep(["stand", "sit", "none", "talk"], usual=1))
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


@pytest.mark.once
def test_instances_show_it_and_sit_on_their_seats(make, stage, one_figure):
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
    plain = stage.bake_instances(make.walk(agents=1, frames=(1, 12)))
    assert "act" not in plain.data.attributes


def test_neighbours_choose_among_as_many_clips_as_there_are(addon):
    acts = addon.module("blender_addon.figures.motion.repertoire").ACTS
    known = addon.module("core.motion.acting.variants").VARIANTS
    cues = addon.module("core.motion.acting.cues")
    counts = collections.Counter(cues.activity_of(act) for act in acts if act not in cues.ONCE)
    assert {activity: known.clips_of(activity) for activity in counts} == counts
    activity, clip = known.wide
    assert [act for act in acts if acts[act].reach > 0.0] == [f"{activity}_{clip + 1}"]


def test_who_stands_and_looks_at_something_does_not_look_about(make, stage):
    """Heads turned by up to 46 degrees from a picture, as those of people who wait."""
    gaze = np.full((FRAMES, 6, 3), (3.0, 0.0, 1.5), dtype=np.float32)
    gaze[..., 1] = 1.2 * np.arange(6)
    movers = stage.bake(acting(make, ("stand",) * 6, gaze=gaze))
    yaw = []
    for frame in range(10, FRAMES, 4):
        seen = make.all_evaluated(movers, frame)
        ahead = [each.matrix_world.to_3x3() @ each.pose.bones["head"].z_axis for each in seen]
        yaw.append([abs(math.degrees(math.atan2(each.y, each.x))) for each in ahead])
    assert np.median(yaw) < 6.0
    assert np.percentile(yaw, 95) < 18.0
    assert np.max(yaw) < 25.0
