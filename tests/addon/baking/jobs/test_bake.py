# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole job: who is baked, where and when, and what stays as the user has it."""

import json

import addon_utils
import bpy
import numpy as np
import pytest

from .short_scene import state


def add_crowd(street, name):
    other = street.scene.footfall.crowds.add()
    other.name, other.count = name, 3
    other.route = bpy.data.objects["Path"]
    other.characters, other.forward_axis = street.crowd.characters, "POS_X"
    return other


@pytest.mark.each_blender("a whole bake")
def test_people_stand_where_the_simulation_put_them(make, street, bake):
    result = bake.bake(street.scene)
    baked = street.baked()
    assert result.characters == len(baked) == 5
    for frame in (1, 20, 40):
        places = make.matrices(baked, frame)[:, :3, 3]
        np.testing.assert_allclose(places, result.trajectories.position[frame - 1], atol=1e-4)
    assert result.summary.startswith("5 characters baked over frames 1-40 in ")
    assert result.summary.endswith(" arrived")


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_a_report_that_tells_of_metres_says_what_they_are_in_a_scene_of_another_unit(make, street, bake, unit):
    street.scene.unit_settings.system, street.scene.unit_settings.scale_length = "METRIC", unit
    for point in street.crowd.route.data.splines[0].points:
        point.co = (*(value / unit for value in point.co[:3]), 1.0)
    post = make.cube("Post", 1.0 / unit)  # at the beginning of the curve: told with the place
    street.scene.footfall.obstacles = make.collection("Obstacles", post)
    street.scene.collection.children.link(street.scene.footfall.obstacles)
    notices = bake.bake(street.scene).report["notices"]
    assert any("0.9 m farther on" in notice for notice in notices)
    told = "Lengths and places are in metres: 1 m is 100 units of this scene."
    assert (notices[-1] == told) == (unit != 1.0)


def test_the_result_is_noted_in_the_scene(street, bake):
    result = bake.bake(street.scene)
    assert street.crowd.baked == result.reading.fingerprint != ""
    report = json.loads(street.scene.footfall.report)
    assert report == json.loads(json.dumps(result.report))
    assert report["total"]["agents"] == 5
    assert bake.clear_crowd(street.scene, street.crowd) == []
    assert street.crowd.baked == ""
    assert street.baked() == []


def test_the_frame_range_and_the_frame_rate_are_the_scenes(make, street, bake):
    scene = street.scene
    scene.frame_start, scene.frame_end = 101, 130
    scene.render.fps, scene.render.fps_base = 30, 1.001
    result = bake.bake(scene)
    assert (result.trajectories.frames[0], result.trajectories.frames[-1]) == (101, 130)
    assert result.trajectories.fps == pytest.approx(29.97003)
    (first, *_) = street.baked()
    np.testing.assert_allclose(make.matrix(first, 130)[:3, 3], result.trajectories.position[-1, 0], atol=1e-4)
    assert tuple(make.curves(first, "location")[0].range()) == (101.0, 130.0)


def test_a_scene_in_centimetres_is_baked_in_centimetres(make, street, bake):
    street.scene.unit_settings.scale_length = 0.01
    bpy.data.objects["Path"].scale = (100.0,) * 3
    result = bake.bake(street.scene)
    (first, *_) = street.baked()
    assert result.reading.unit == pytest.approx(0.01)
    place = make.matrix(first, 40)[:3, 3]
    np.testing.assert_allclose(place, 100.0 * result.trajectories.position[-1, 0], atol=1e-2)


def test_a_crowd_of_nobody_beside_another_is_told(make, street, bake):
    add_crowd(street, "Others").count = 0
    result = bake.bake(street.scene)
    assert result.characters == 5
    assert "'Others' is empty: its count is 0" in result.report["notices"]


def test_one_crowd_is_baked_among_all(make, street, bake):
    other = add_crowd(street, "Others")
    everybody = bake.bake(street.scene)
    before = state(make, street)
    result = bake.bake(street.scene, crowd="Others")
    assert result.characters == 3
    np.testing.assert_array_equal(result.trajectories.position, everybody.trajectories.position)
    after = state(make, street)
    assert after[:3] == before[:3]
    bake.clear_crowd(street.scene, street.crowd)
    assert (street.crowd.baked, other.baked) == ("", result.reading.fingerprint)
    assert len(street.ownership.owned_objects(street.scene, other.uid)) == 3


def test_a_crowd_on_two_splines_has_numbers_of_its_own_on_each(street, bake):
    curve = bpy.data.objects["Path"].data
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    for point, place in zip(spline.points, ((0, 5, 0), (8, 5, 0)), strict=True):
        point.co = (*place, 1.0)
    result = bake.bake(street.scene)
    names = [each.name for each in street.baked()]
    assert result.characters == len(names) == 5
    assert {name.rpartition(" ")[0] for name in names} == {read.name for read in result.reading.crowds}


def test_those_who_are_never_there_get_no_character(make, street, bake):
    street.crowd.spawn.mode, street.crowd.spawn.rate = "FLOW", 1.0
    result = bake.bake(street.scene)
    present = result.trajectories.present
    assert not present[:, -1].any()
    assert result.characters == len(street.baked()) == np.count_nonzero(present.any(axis=0))
    baked = street.baked()
    hidden = [[seen.hide_render for seen in make.all_evaluated(baked, frame)] for frame in range(1, 41)]
    np.testing.assert_array_equal(hidden, ~present[:, : len(baked)])


@pytest.mark.each_blender("modes and selection")
def test_what_the_user_sees_and_does_stays(make, street, bake):
    box, other = make.cube("Box to look at"), make.cube("Other")
    make.link(box, other)
    box.location.x = 4.0
    box.keyframe_insert("location", frame=1)
    street.scene.frame_set(17)
    box.location.x = 99.0  # moved by hand, not keyed
    path = bpy.data.objects["Path"]
    bpy.context.view_layer.objects.active = path
    for each in (path, other):
        each.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    bake.bake(street.scene)
    assert path.mode == "EDIT"
    assert street.scene.frame_current == 17
    assert bpy.context.view_layer.objects.active == path
    assert sorted(each.name for each in bpy.context.view_layer.objects if each.select_get()) == ["Other", "Path"]
    assert box.location.x == 99.0
    bpy.ops.object.mode_set(mode="OBJECT")


def test_the_bake_stands_right_at_once_at_the_present_frame(street, bake):
    street.scene.frame_set(23)
    result = bake.bake(street.scene)
    bpy.context.view_layer.update()
    (first, *_) = street.baked()
    np.testing.assert_allclose(first.matrix_world.translation, result.trajectories.position[22, 0], atol=1e-4)


@pytest.mark.each_blender("what Blender warns of")
def test_nothing_is_printed(street, bake, two_figures, capfd):
    street.crowd.characters = None
    bake.bake(street.scene)
    bake.bake(street.scene)
    bake.clear_crowd(street.scene, street.crowd)
    assert capfd.readouterr() == ("", "")


def test_a_duplicated_crowd_gets_a_bake_of_its_own(street, bake):
    twin = add_crowd(street, "Twins")
    twin.uid = street.crowd.uid
    bake.bake(street.scene)
    assert twin.uid != street.crowd.uid
    assert len(street.ownership.owned_objects(street.scene, twin.uid)) == 3
    assert len(street.baked()) == 5


@pytest.mark.each_blender("files are saved and opened")
def test_the_baked_file_plays_where_the_add_on_is_absent(make, street, bake, addon, two_figures, tmp_path):
    street.crowd.characters = None
    street.crowd.forward_axis = "NEG_Y"
    result = bake.bake(street.scene)
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    addon_utils.disable(addon.package.__name__)
    try:
        bpy.ops.wm.open_mainfile(filepath=path)
        scene = bpy.context.scene
        rigs = sorted((each for each in scene.objects if each.type == "ARMATURE"), key=lambda each: each.name)
        assert len(rigs) == 5
        poses = set()
        for frame in (21, 33):
            for agent, seen in enumerate(make.all_evaluated(rigs, frame, scene)):
                place = seen.matrix_world.translation
                np.testing.assert_allclose(place, result.trajectories.position[frame - 1, agent], atol=1e-4)
                poses.add(tuple(np.round(seen.pose.bones["foot.L"].head, 4)))
        assert len(poses) == 10  # everybody is somewhere else in the stride
    finally:
        addon_utils.enable(addon.package.__name__, default_set=True)
