# SPDX-License-Identifier: GPL-3.0-or-later
"""The stride of baked rigs, measured on evaluated bones."""

import math
from itertools import pairwise

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

pytestmark = pytest.mark.each_blender("actions and strips are evaluated")

LYING = Matrix.Rotation(math.radians(90.0), 3, "X")


def bone_in_body(make, rig, bone, frame):
    """Head of a bone in the axes of the walking body: sideways, ahead, up [Blender units]."""
    seen = make.evaluated(rig, frame)
    heading = seen.rotation_euler.z
    place = seen.matrix_world @ seen.pose.bones[bone].head - seen.matrix_world.translation
    return Matrix.Rotation(-heading, 3, "Z") @ place


def expected_ahead(phase, stride, rest_ahead=0.0):
    """How far an ankle of the rig is ahead of the body at a phase of its walk."""
    phase = phase % 1.0
    swing = max(0.0, 2.0 * phase - 1.0)
    return rest_ahead + (stride / 4 - stride * phase if phase < 0.5 else -stride / 4 + stride / 2 * swing)


def phase_of(stage, agent, count, walked, stride):
    """Runs of the walk after some way, by the lot that the agent drew."""
    randomness = stage.addon.module("core.simulation.world.randomness")
    return float(randomness.uniform(0, "Walkers", "stride", count)[agent]) + walked / stride


@pytest.mark.parametrize("first_frame", [0, 1, 10])
@pytest.mark.parametrize("root_motion", [False, True])
def test_the_stride_follows_the_distance(make, stage, first_frame, root_motion):
    rig, body = make.rig(stride=1.2, first_frame=first_frame, root_motion=root_motion)
    stage.crowd.characters = make.collection("People", rig, body)
    stage.crowd.stride_length = 1.2
    trajectories = make.walk(agents=3, speed=1.0, turn=0.7)
    baked = stage.bake(trajectories)
    sway = 0.02 if root_motion else 0.0
    for agent, each in enumerate(baked):
        for frame in (1, 2, 13, 37, 50):
            walked = 1.0 / 24.0 * (frame - 1)
            phase = phase_of(stage, agent, 3, walked, 1.2)
            ahead = -bone_in_body(make, each, "foot.L", frame).y - sway * math.sin(4 * math.pi * phase)
            # the clip has a key at every frame and is linear between: the corners of the stride are 1/24 run wide
            assert ahead == pytest.approx(expected_ahead(phase, 1.2), abs=0.004 + 0.1 * sway)


def test_phase_is_exact_in_strip_time(make, stage):
    rig, body = make.rig(stride=1.2)
    stage.crowd.characters = make.collection("People", rig, body)
    stage.crowd.stride_length = 0.9
    (first, *_) = stage.bake(make.walk(agents=1, speed=1.3))
    (strip,) = first.animation_data.nla_tracks[0].strips
    curve = strip.fcurves.find("strip_time")
    start = phase_of(stage, 0, 1, 0.0, 0.9)
    for frame in (1, 1.5, 20, 50):
        runs = start + 1.3 / 24.0 * (frame - 1) / 0.9
        assert curve.evaluate(frame) / 24.0 == pytest.approx(runs, abs=1e-4)


def test_who_stands_does_not_step(make, stage):
    rig, body = make.rig()
    stage.crowd.characters = make.collection("People", rig, body)
    (first, *_) = stage.bake(make.walk(agents=1, speed=0.0))
    poses = [tuple(bone_in_body(make, first, "foot.L", frame)) for frame in (1, 20, 50)]
    np.testing.assert_allclose(poses, [poses[0]] * 3, atol=1e-6)


def test_agents_are_not_in_step(make, stage):
    rig, body = make.rig()
    stage.crowd.characters = make.collection("People", rig, body)
    baked = stage.bake(make.walk(agents=8))
    ahead = [round(bone_in_body(make, each, "foot.L", 10).y, 3) for each in baked]
    assert len(set(ahead)) == 8


@pytest.mark.once
@pytest.mark.parametrize("root_motion", [False, True])
@pytest.mark.parametrize(("turned", "scale"), [(None, 1.0), (LYING, 0.01)])
def test_the_stride_is_measured_from_the_clip(make, stage, root_motion, turned, scale):
    rig, body = make.rig(stride=1.37, root_motion=root_motion, turned=turned, scale=scale)
    stage.crowd.characters = make.collection("People", rig, body)
    before = make.data_blocks()
    cast = stage.cast(make.walk())
    role = stage.casting.Role("Walkers", 0, 1)
    assert cast.stride_length(role) == pytest.approx(1.37, rel=0.01)
    assert cast.notices == []
    cast.discard()
    assert make.data_blocks() == before


def test_the_stride_of_a_hidden_armature_is_measured_too(make, stage):
    rig, body = make.rig(stride=1.37)
    rig.hide_viewport = True
    stage.crowd.characters = make.collection("People", rig, body)
    cast = stage.cast(make.walk())
    assert cast.stride_length(stage.casting.Role("Walkers", 0, 1)) == pytest.approx(1.37, rel=0.01)


@pytest.mark.once
def test_the_measured_stride_is_in_metres(make, stage):
    rig, body = make.rig(stride=130.0, height=180.0)
    stage.crowd.characters = make.collection("People", rig, body)
    cast = stage.cast(make.walk(), unit=0.01)
    assert cast.stride_length(stage.casting.Role("Walkers", 0, 1)) == pytest.approx(1.3, rel=0.01)


def test_planted_feet_stay_where_they_are(make, stage):
    rig, body = make.rig(stride=1.2, turned=LYING, scale=0.01)
    stage.crowd.characters = make.collection("People", rig, body)
    (first, *_) = stage.bake(make.walk(agents=1, speed=1.1, frames=(1, 100)))
    ground = []
    for frame in range(1, 101):
        seen = make.evaluated(first, frame)
        ground.append(seen.matrix_world @ seen.pose.bones["foot.R"].head)
    low = [place.z < 0.5 + 0.05 * 1.8 + 1e-3 for place in ground]
    slides = [
        (b - a).length for (a, planted), (b, still) in pairwise(zip(ground, low, strict=True)) if planted and still
    ]
    assert len(slides) > 30
    assert max(slides) < 2e-3


def test_a_foreign_rig_keeps_its_turn_and_scale(make, stage):
    rig, body = make.rig(turned=LYING, scale=0.01)
    stage.crowd.characters, stage.crowd.motion.lean = make.collection("People", rig, body), 0.0
    trajectories = make.walk(agents=1, turn=1.0)
    (first, *_) = stage.bake(trajectories)
    matrix = make.matrix(first, 30)
    heading = trajectories.heading[29, 0]
    expected = np.array(Matrix.Rotation(heading + math.pi / 2, 3, "Z") @ LYING) * 0.01
    np.testing.assert_allclose(matrix[:3, :3], expected, atol=1e-6)
    np.testing.assert_allclose(matrix[:3, 3], trajectories.position[29, 0], atol=1e-4)
    seen = make.evaluated(first, 30)
    head = seen.matrix_world @ seen.pose.bones["spine"].tail
    assert head.z == pytest.approx(0.5 + 1.8, abs=1e-3)


def test_object_motion_of_the_clip_is_replaced_by_the_path(make, stage):
    """A clip that moves and turns the armature object itself, as some importers write it."""
    stage.crowd.motion.lean = 0.0
    rig, body = make.rig(stride=1.2, turned=LYING)
    rig.rotation_mode = "XYZ"
    clip = make.actions.active_clip(rig.animation_data)
    frames = np.arange(1, 26)
    channels = [make.actions.Channel("location", 1, frames, -1.2 * (frames - 1) / 24.0)]
    channels += [make.actions.Channel("rotation_euler", 0, [1], [math.pi / 2])]
    channels += [make.actions.Channel("rotation_euler", 2, [1], [0.0])]
    make.actions.add_channels(clip, channels, group="Object")
    rig.rotation_euler = (0.0, 0.0, 2.0)  # moved by hand since
    stage.crowd.characters = make.collection("People", rig, body)
    trajectories = make.walk(agents=1, turn=1.0)
    cast = stage.cast(trajectories)
    assert cast.stride_length(stage.casting.Role("Walkers", 0, 1)) == pytest.approx(1.2, rel=0.01)
    cast.discard()
    (first, *_) = stage.bake(trajectories)
    for frame in (1, 30):
        matrix = make.matrix(first, frame)
        np.testing.assert_allclose(matrix[:3, 3], trajectories.position[frame - 1, 0], atol=1e-4)
        heading = trajectories.heading[frame - 1, 0]
        expected = Matrix.Rotation(heading + math.pi / 2, 3, "Z") @ LYING
        np.testing.assert_allclose(matrix[:3, :3], np.array(expected), atol=1e-4)


def test_an_armature_under_an_empty_walks(make, stage):
    rig, _ = make.rig(stride=1.2, root_motion=True)
    root = bpy.data.objects.new("Root", None)
    make.link(root)
    root.location, root.rotation_euler.z = (5.0, 5.0, 0.0), math.pi / 2
    rig.parent = root
    bpy.context.view_layer.update()
    stage.crowd.characters = make.collection("People", root)
    stage.crowd.forward_axis = "POS_X"  # -Y of the rig, turned by its parent
    trajectories = make.walk(agents=1, turn=0.5)
    (first,) = stage.bake(trajectories)
    assert first.type == "EMPTY"
    np.testing.assert_allclose(make.matrix(first, 40)[:3, 3], trajectories.position[39, 0], atol=1e-4)
    (armature,) = first.children
    offsets = [make.matrix(armature, frame)[:3, 3] - make.matrix(first, frame)[:3, 3] for frame in (1, 20, 50)]
    np.testing.assert_allclose(offsets, 0.0, atol=1e-4)
    reach = [
        (make.evaluated(armature, frame).pose.bones["root"].head - Vector((0, 0, 0))).length for frame in range(1, 51)
    ]
    assert max(reach) < 0.03  # the sway is left, the travel is not
    assert stage.notices == []


def test_a_walk_in_an_nla_track_is_found(make, stage):
    rig, body = make.rig(stride=1.2)
    walk = make.actions.active_clip(rig.animation_data)
    rig.animation_data.action = None
    idle = make.actions.copy_clip(walk)
    idle.action.name = "Idle"
    for number, clip in enumerate((idle, walk)):
        track = rig.animation_data.nla_tracks.new()
        make.actions.add_strip(track, clip.action.name, clip, 1 + 100 * number)
    stage.crowd.characters = make.collection("People", rig, body)
    (first, *_) = stage.bake(make.walk())
    names = [track.strips[0].action.name for track in first.animation_data.nla_tracks]
    assert "Rig walk" in names[0]
    assert "Idle" in names[1]
    assert len(rig.animation_data.nla_tracks) == 2


@pytest.mark.once
def test_a_walk_by_name_is_found(make, stage):
    rig, body = make.rig(stride=1.2)
    make.rig("Other")
    rig.animation_data_clear()
    bpy.data.actions["Rig walk"].use_fake_user = True
    bpy.data.actions["Other walk"].name = "Limp"
    stage.crowd.characters = make.collection("People", rig, body)
    (first, *_) = stage.bake(make.walk())
    assert "Rig walk" in first.animation_data.nla_tracks[0].strips[0].action.name


def test_an_armature_without_a_walk_is_carried(make, stage):
    rig, body = make.rig()
    rig.animation_data_clear()
    bpy.data.actions.remove(bpy.data.actions["Rig walk"])
    stage.crowd.characters = make.collection("People", rig, body)
    trajectories = make.walk()
    (first, *_) = stage.bake(trajectories)
    np.testing.assert_allclose(make.matrix(first, 25)[:3, 3], trajectories.position[24, 0], atol=1e-4)
    assert any("'Rig' has no walk clip" in notice for notice in stage.notices)


@pytest.mark.once
def test_feet_that_do_not_move_give_a_stride_by_height_and_a_notice(make, stage):
    rig, body = make.rig(stride=0.001)
    stage.crowd.characters = make.collection("People", rig, body)
    cast = stage.cast(make.walk())
    assert cast.stride_length(stage.casting.Role("Walkers", 0, 1)) == pytest.approx(0.8 * 1.8, rel=0.02)
    assert any("no steps found" in notice for notice in cast.notices)


@pytest.mark.once
def test_a_wrong_facing_is_told(make, stage):
    rig, body = make.rig()
    stage.crowd.characters = make.collection("People", rig, body)
    stage.crowd.forward_axis = "POS_X"
    stage.bake(make.walk())
    (notice,) = stage.notices
    assert "'Rig' seems to walk towards -Y, but Facing is +X: set Facing to -Y" in notice


@pytest.mark.once
@pytest.mark.parametrize("facing", ["NEG_Y", "POS_Y", "POS_X"])
def test_legs_that_only_swing_say_nothing_about_the_facing(make, stage, facing):
    rig, body = make.rig()
    rig.animation_data_clear()
    bpy.data.actions.remove(bpy.data.actions["Rig walk"])  # a better walk, which would be preferred
    frames, swing = np.arange(25), 0.5 * np.sin(2.0 * np.pi * np.arange(25) / 24)
    channels = []
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for side in "LR":
        leg = rig.data.edit_bones[f"foot.{side}"]
        leg.head, leg.tail = (leg.head.x, 0.0, 0.9), (leg.head.x, 0.0, 0.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    for side, sign in (("L", 1.0), ("R", -1.0)):
        rig.pose.bones[f"foot.{side}"].rotation_mode = "XYZ"
        path = f'pose.bones["foot.{side}"].rotation_euler'
        channels.append(make.actions.Channel(path, 0, frames, sign * swing))
    make.actions.assign_clip(rig, make.actions.new_clip("Swing", channels, group="Bones"))
    stage.crowd.characters, stage.crowd.forward_axis = make.collection("People", rig, body), facing
    cast = stage.cast(make.walk())
    assert cast.notices == []
    below_the_hips = 2.0 * np.pi * 0.5 * 0.9  # as fast as a foot passes there [m/run]
    stride = cast.stride_length(stage.casting.Role("Walkers", 0, 1))
    assert 0.8 * below_the_hips < stride <= 1.05 * below_the_hips  # no longer than its legs reach


def test_smooth_keys_of_root_motion_lose_their_travel_and_keep_their_sway(make, stage):
    rig, body = make.rig(stride=1.2, root_motion=True)
    clip = make.actions.active_clip(rig.animation_data)
    for curve in make.actions.curves_of(clip):
        for key in curve.keyframe_points:
            key.interpolation = "BEZIER"
        curve.update()
    stage.crowd.characters = make.collection("People", rig, body)
    (first, *_) = stage.bake(make.walk(agents=1))
    fit = make.actions.clips_in_strips(first.animation_data)[0]
    pairs = zip(make.actions.curves_of(clip), make.actions.curves_of(fit), strict=True)
    for mine, theirs in pairs:
        travel = mine.evaluate(25) - mine.evaluate(1)
        times = np.linspace(0.0, 24.0, 97)
        expected = [mine.evaluate(time + 1.0) - travel * time / 24.0 for time in times]
        np.testing.assert_allclose([theirs.evaluate(time) for time in times], expected, atol=2e-5)


def test_the_users_clip_is_not_changed(make, stage):
    rig, body = make.rig(root_motion=True, first_frame=10)
    clip = make.actions.active_clip(rig.animation_data)
    before = [[tuple(key.co) for key in curve.keyframe_points] for curve in make.actions.curves_of(clip)]
    stage.crowd.characters = make.collection("People", rig, body)
    stage.bake(make.walk())
    assert [[tuple(key.co) for key in curve.keyframe_points] for curve in make.actions.curves_of(clip)] == before
    assert make.actions.active_clip(rig.animation_data) == clip


def test_built_in_figures_do_not_slide(make, stage):
    """The balls of the feet, while they are down, on a straight line."""
    (first,) = stage.bake(make.walk(agents=1, speed=1.4, frames=(1, 60)))
    for side in "LR":
        places = []
        for frame in range(1, 61):
            seen = make.evaluated(first, frame)
            places.append(seen.matrix_world @ seen.pose.bones[f"foot.{side}"].tail)
        low = min(place.z for place in places) + 0.002
        slides = [(b - a).xy.length for a, b in pairwise(places) if a.z < low and b.z < low]
        assert len(slides) > 10
        assert np.median(slides) < 0.001
        assert max(slides) < 0.005


def stopping(make, agents=2, frames=60, walking=30):
    """Trajectories of people who walk at 1.5 m/s and then stand."""
    trajectories = make.walk(agents=agents, frames=(1, frames), speed=1.5)
    trajectories.position[walking:] = trajectories.position[walking]
    return trajectories


@pytest.mark.parametrize("idle_from", [0, 7])
def test_who_stands_plays_the_idle_clip_and_who_walks_only_the_walk(make, stage, idle_from):
    rig, body = make.rig(stride=1.2)
    walk = make.actions.active_clip(rig.animation_data)
    path, frames = 'pose.bones["foot.L"].location', np.arange(25) + idle_from
    channels = [make.actions.Channel(path, axis, frames, np.full(25, 0.3 * (axis == 0))) for axis in range(3)]
    make.actions.new_clip("Rig Idle", channels, group="Bones").action.use_fake_user = True
    assert make.actions.active_clip(rig.animation_data) == walk
    rest = rig.data.bones["foot.L"].head_local.copy()
    stage.crowd.characters, stage.crowd.stride_length = make.collection("People", rig, body), 1.2
    first, _ = stage.bake(stopping(make, frames=90, walking=60))
    for frame in (1, 12, 25.5):  # the last steps are fitted to the stop
        moved = make.evaluated(first, frame).pose.bones["foot.L"].head - rest
        expected = expected_ahead(phase_of(stage, 0, 2, 1.5 * (frame - 1) / 24, 1.2), 1.2)
        assert -moved.y == pytest.approx(expected, abs=2e-3)
        assert moved.x == pytest.approx(0.0, abs=1e-5)
    for frame in (70, 90):
        moved = make.evaluated(first, frame).pose.bones["foot.L"].head - rest
        assert (moved - first.data.bones["foot.L"].matrix_local.to_3x3() @ Vector((0.3, 0, 0))).length < 1e-4


def test_built_in_figures_stand_on_both_feet_when_they_have_arrived(make, stage):
    for figure in stage.bake(stopping(make)):
        seen = make.evaluated(figure, 60)
        left, right = (seen.matrix_world @ seen.pose.bones[f"foot.{side}"].head for side in "LR")
        assert 0.15 < (left - right).length < 0.25
        breath = [make.evaluated(figure, frame).pose.bones["head"].head.copy() for frame in (45, 57)]
        assert (breath[0] - breath[1]).length > 1e-4


@pytest.mark.once
@pytest.mark.parametrize(("stride", "speed", "told"), [(0.2, 1.4, True), (0.2, 0.5, False), (1.2, 1.4, False)])
def test_whose_stride_is_far_too_short_for_the_speed_is_told(make, stage, stride, speed, told):
    stage.crowd.characters = make.collection("Beetles", *make.rig(stride=stride))
    stage.crowd.speed.mean = speed
    stage.bake(make.walk(agents=1, frames=(1, 24), speed=speed))
    found = [notice for notice in stage.notices if "strides a second to keep up" in notice]
    assert len(found) == told
    assert all(notice.startswith("'Rig' takes 7 strides a second") for notice in found)
    assert all("set Speed of 'Walkers' to 0.6 m/s" in notice for notice in found)


@pytest.mark.once
def test_whose_strides_are_too_short_is_told_of_each_crowd_by_itself(make, bench):
    beetles = make.collection("Beetles", *make.rig(stride=0.2))
    route = bench.curve("Path", [(0.0, 0.0, 0.0), (20.0, 0.0, 0.0)])
    for name, speed in (("Fast", 1.4), ("Slow", 0.5), ("Brisk", 1.0)):
        bench.crowd(route, count=1, name=name, characters=beetles).speed.mean = speed
    bench.scene.frame_end = 24
    report = bench.addon.module("blender_addon.baking.bake").bake(bench.scene).report
    told = [notice for notice in report["notices"] if "strides a second to keep up" in notice]
    assert [notice.split("Speed of ")[1].split(" to ")[0] for notice in told] == ["'Fast'", "'Brisk'"]
