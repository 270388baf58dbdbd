# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole job, with real reading and simulation: in slices, all or nothing."""

import json

import addon_utils
import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from ..street import new_path

NOTHING_KEPT = "the last bake is no longer in memory, as after opening a file or copying a scene"


@pytest.fixture
def bake(remembered_bakes):
    return remembered_bakes


@pytest.fixture
def street(make, stage):
    """A short scene: five people on a bent curve for 40 frames, as plain boxes."""
    path = new_path("Path", stage.scene.collection, [(0, 0, 0), (4, 1, 0), (8, 0, 0)])
    stage.scene.frame_start, stage.scene.frame_end = 1, 40
    stage.crowd.route, stage.crowd.count = path, 5
    stage.crowd.characters, stage.crowd.forward_axis = make.collection("Props", make.cube("Box", 0.4)), "POS_X"
    return stage


def state(make, street):
    """All that must be as before when a bake does not come to its end."""
    keys = {
        each.name: [tuple(key.co) for curve in make.curves(each, "location") for key in curve.keyframe_points]
        for each in street.baked()
    }
    settings = street.scene.footfall
    return make.data_blocks(), keys, [crowd.baked for crowd in settings.crowds], settings.report


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


@pytest.mark.each_blender("undo")
def test_after_an_undo_nobody_is_compared_with_the_bake_that_was_undone(street, bake):
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.footfall.bake()
    first = json.loads(street.scene.footfall.report)
    bpy.ops.ed.undo_push(message="baked")
    street.scene.footfall.seed = 3
    bpy.ops.footfall.bake()
    assert "move differently" in json.loads(street.scene.footfall.report)["changes"]
    bpy.ops.ed.undo_push(message="baked again")
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    assert (json.loads(scene.footfall.report)["motion"], scene.footfall.seed) == (first["motion"], 0)
    again = bake.bake(scene)
    assert again.report["motion"] == first["motion"]
    assert again.report["changes"] == ""
    assert bake.bake(scene).report["changes"] == "everybody moves as before"


def test_a_crowd_that_is_renamed_keeps_its_motion_and_is_not_simulated_again(street, bake):
    first = bake.bake(street.scene).report
    street.crowd.name = "Guests"
    again = bake.bake(street.scene).report
    assert (again["simulated"], again["changes"]) == ("all frames reused", "everybody moves as before")
    assert again["motion"] == first["motion"]
    assert list(again["crowds"]) == ["Guests"]
    assert sorted(each.name for each in street.baked()) == [f"Guests {number:03d}" for number in range(1, 6)]


def test_a_rebake_goes_on_from_the_last_one_and_says_who_changed(make, street, bake):
    post = make.cube("Post", 0.4)
    far, corners = make.cube("Far", 0.4), [make.cube("Low", 0.4), make.cube("High", 0.4)]
    street.scene.footfall.obstacles = make.collection("Obstacles", post, far, *corners)
    street.scene.collection.children.link(street.scene.footfall.obstacles)
    post.location, far.location = (5.0, 0.4, 0.0), (-1.5, 5.0, 0.0)
    corners[0].location, corners[1].location = (-4.0, 8.0, 0.0), (12.0, -8.0, 0.0)  # the bounds stay where they are
    bake.bake(street.scene)
    far.location.x -= 0.2
    again = bake.bake(street.scene)
    assert bake.last_simulation(street.scene).taken_over == 40
    assert again.report["changes"] == "everybody moves as before"
    assert again.summary.endswith("; everybody moves as before; all frames reused")
    post.location.y -= 0.3
    moved = bake.bake(street.scene)
    went_on = bake.last_simulation(street.scene)
    bake.forget()
    fresh = bake.bake(street.scene)
    np.testing.assert_array_equal(moved.trajectories.position, fresh.trajectories.position)
    np.testing.assert_array_equal(moved.trajectories.heading, fresh.trajectories.heading)
    apart = np.abs(moved.trajectories.position - again.trajectories.position).max(axis=(1, 2))
    turned = np.abs(moved.trajectories.heading - again.trajectories.heading).max(axis=1)
    first, seen = (np.flatnonzero((apart > m) | (turned > rad))[0] + 1 for m, rad in ((0.0, 0.0), (1e-3, 1e-2)))
    assert first < seen
    told = f"of 5 move differently, from frame {seen} (less than 1 mm from frame {first})"
    assert moved.report["changes"].endswith(told)
    assert went_on.taken_over < first
    anew = "simulated again from frame 1, because somebody starts elsewhere or takes another route"
    assert moved.report["simulated"] == anew
    assert moved.summary.endswith(f"{told}; {anew}")
    assert fresh.report["changes"] == ""
    assert fresh.report["simulated"] == f"simulated again from frame 1, because {NOTHING_KEPT}"


def test_a_rebake_that_simulates_all_anew_says_why_by_the_users_names(make, street, bake):
    def simulated() -> str:
        return bake.bake(street.scene).report["simulated"]

    assert simulated() == ""
    street.scene.frame_end = 50
    assert simulated() == "frames 1-40 reused, simulated from frame 41"
    street.scene.footfall.seed = 3
    assert simulated() == "simulated again from frame 1, because the seed changed"
    street.crowd.count += 1
    assert simulated() == f"simulated again from frame 1, because the crowd '{street.crowd.name}' changed"
    street.crowd.path_width += 0.5
    assert simulated() == "simulated again from frame 1, because the width of the route 'Path' changed"


@pytest.mark.parametrize("kind", sweep(["FULL_COPY", "LINK_COPY"], usual=1))
def test_a_copied_scene_is_not_said_to_be_a_file_that_was_opened(street, bake, kind: str):
    bake.bake(street.scene)
    with bpy.context.temp_override(scene=street.scene):
        bpy.ops.scene.new(type=kind)
    (copied,) = [scene for scene in bpy.data.scenes if scene != street.scene]
    assert bake.bake(copied).report["simulated"] == f"simulated again from frame 1, because {NOTHING_KEPT}"


def test_a_rebake_tells_what_a_change_of_the_crowd_itself_comes_to(make, street, bake):
    street.crowd.spawn.mode, street.crowd.spawn.rate = "FLOW", 1.0

    def changes() -> str:
        return bake.bake(street.scene).report["changes"]

    assert changes() == ""
    street.crowd.name = "Strollers"
    assert changes() == "everybody moves as before"
    street.crowd.count -= 1
    assert changes() == "1 is gone, the others move as before"
    figure = make.cube("Figure", 0.4)
    street.crowd.characters = make.collection("Cast", figure)
    assert changes() == "everybody moves as before"
    street.crowd.count += 2
    assert changes() == "2 are new, the others move as before"


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


def test_a_bake_that_is_cancelled_is_not_gone_on_from(street, bake):
    bake.bake(street.scene)
    last = bake.last_simulation(street.scene)
    street.scene.footfall.seed += 1
    job = bake.BakeJob(street.scene)
    job.run_for(0.0)
    job.cancel()
    assert bake.last_simulation(street.scene) is last


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


def test_the_job_comes_back_after_its_slice_and_tells_how_far_it_is(street, bake):
    job = bake.BakeJob(street.scene)
    assert (job.stage, job.fraction) == ("Simulating", 0.0)
    seen, finished = [], False
    while not finished:
        finished = job.run_for(0.0)
        seen.append((job.stage, job.fraction, job.frame))
    fractions = [fraction for _, fraction, _ in seen]
    assert len(seen) > 40
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert list(dict.fromkeys(stage for stage, _, _ in seen)) == ["Simulating", "Writing", "Finished"]
    assert [frame for _, _, frame in seen] == sorted(frame for _, _, frame in seen)
    assert seen[-1][2] == 40
    assert job.run_for(1.0)


def test_there_is_no_result_before_the_end(street, bake):
    job = bake.BakeJob(street.scene)
    with pytest.raises(RuntimeError, match="not ended"):
        _ = job.result
    job.cancel()


@pytest.mark.parametrize("slices", sweep([30, 45, 42, 0], usual=2))
@pytest.mark.parametrize(("baked_before", "built_in"), [(False, True), (True, False)])
def test_cancelling_leaves_the_file_as_it_was(make, street, bake, slices, baked_before, built_in):
    if baked_before:
        bake.bake(street.scene)
        street.scene.footfall.seed += 1  # all is simulated anew
    if built_in:
        street.crowd.characters = None
    before = state(make, street)
    job = bake.BakeJob(street.scene)
    for _ in range(slices):
        assert not job.run_for(0.0)
    job.cancel()
    assert state(make, street) == before
    assert job.stage == "Cancelled"
    job.cancel()
    assert not job.run_for(1.0)
    assert state(make, street) == before


def test_cancelling_after_the_end_keeps_the_bake(street, bake):
    job = bake.BakeJob(street.scene)
    job.run_for(1000.0)
    job.cancel()
    assert len(street.baked()) == 5
    assert job.stage == "Finished"


@pytest.mark.parametrize("place", ["simulation", "writing", "report"])
def test_an_error_midway_leaves_the_file_as_it_was(make, street, bake, addon, monkeypatch, place):
    bake.bake(street.scene)
    street.scene.footfall.seed += 1  # all is simulated anew
    before = state(make, street)

    def fail(*args, **kwargs):
        raise addon.errors.FootfallError("something stood in the way")

    if place == "report":
        monkeypatch.setattr(bake.module, "make_report", fail)
    else:
        owner, name = {"simulation": (bake.Simulation, "step"), "writing": (bake.Cast, "_add")}[place]
        working, calls = getattr(owner, name), []

        def fail_later(*args, **kwargs):
            calls.append(1)
            return fail() if len(calls) == 4 else working(*args, **kwargs)

        monkeypatch.setattr(owner, name, fail_later)
    job = bake.BakeJob(street.scene)
    with pytest.raises(addon.errors.FootfallError, match="something stood in the way"):
        job.run_for(1000.0)
    assert state(make, street) == before


def test_a_fault_of_the_characters_is_found_before_simulating(make, street, bake, addon):
    street.crowd.characters = make.collection("Nobody")
    before = state(make, street)
    with pytest.raises(addon.errors.FootfallError, match="'Nobody' contains no characters"):
        bake.BakeJob(street.scene)
    assert state(make, street) == before


def test_a_scene_without_crowds_is_refused(street, bake, addon):
    street.scene.footfall.crowds.clear()
    with pytest.raises(addon.errors.FootfallError, match="'Scene' has no crowd"):
        bake.BakeJob(street.scene)


def test_a_crowd_of_nobody_is_refused(make, street, bake, addon):
    bake.bake(street.scene)
    before = state(make, street)
    street.crowd.count = 0
    with pytest.raises(addon.errors.SceneError, match="Walkers: there is nobody to bake"):
        bake.BakeJob(street.scene)
    assert state(make, street) == before


def test_a_crowd_of_nobody_beside_another_is_told(make, street, bake):
    add_crowd(street, "Others").count = 0
    result = bake.bake(street.scene)
    assert result.characters == 5
    assert "'Others' is empty: its count is 0" in result.report["notices"]


@pytest.mark.parametrize("count", [5_000, 100_000])
def test_more_people_than_there_can_be_are_refused_by_the_name_of_their_crowd(make, street, bake, addon, count):
    street.crowd.count = count
    before = state(make, street)
    with pytest.raises(addon.errors.SceneError, match=rf"^Walkers: .*{count // 1000}") as raised:
        bake.BakeJob(street.scene)
    assert [fault.place for fault in raised.value.faults] == ["Walkers"]
    assert state(make, street) == before


def add_crowd(street, name):
    other = street.scene.footfall.crowds.add()
    other.name, other.count = name, 3
    other.route = bpy.data.objects["Path"]
    other.characters, other.forward_axis = street.crowd.characters, "POS_X"
    return other


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


def test_an_unknown_crowd_is_refused_with_those_there_are(street, bake, addon):
    with pytest.raises(addon.errors.FootfallError, match="no crowd is named 'Othres'; there are: 'Walkers'"):
        bake.BakeJob(street.scene, crowd="Othres")


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
def test_nothing_is_printed(street, bake, capfd):
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
def test_the_baked_file_plays_where_the_add_on_is_absent(make, street, bake, addon, tmp_path):
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
        for frame in (1, 33):
            for agent, seen in enumerate(make.all_evaluated(rigs, frame, scene)):
                place = seen.matrix_world.translation
                np.testing.assert_allclose(place, result.trajectories.position[frame - 1, agent], atol=1e-4)
                poses.add(tuple(np.round(seen.pose.bones["foot.L"].head, 4)))
        assert len(poses) == 10  # everybody is somewhere else in the stride
    finally:
        addon_utils.enable(addon.package.__name__, default_set=True)
