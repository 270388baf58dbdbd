# SPDX-License-Identifier: GPL-3.0-or-later
"""What was said of single people holds over bakes, and what was edited by hand is not lost unasked."""

import json

import bpy
import numpy as np
import pytest

from ...street import new_box


@pytest.fixture
def baked(street, addon):
    """The street with four boxes that walk for a second; with a way to say something of one of them."""
    street.scene.frame_end = 24
    street.crowd.count = 4
    new_box("Small", street.crowd.characters, height=0.5)
    bpy.ops.footfall.bake()

    def of(name, what, **settings):
        bpy.ops.object.select_all(action="DESELECT")
        bpy.data.objects[name].select_set(True)
        return getattr(bpy.ops.footfall, what)(**settings)

    street.of = of
    street.edits = lambda: {edit.name: edit for edit in street.crowd.edits}
    street.actions = addon.module("blender_addon.blender_data.animation")
    street.core_crowd_of = addon.module("blender_addon.reading").read_scene
    street.core_crowd = lambda: street.core_crowd_of(street.scene)
    return street


def keys(street, name):
    """Every key of an object's own Action."""
    clip = street.actions.active_clip(bpy.data.objects[name].animation_data)
    return np.concatenate([found[0] for _, found in street.actions.keys_of(clip)])


def path(name):
    """Where an object is at each frame."""
    places = []
    for frame in range(1, 25):
        bpy.context.scene.frame_set(frame)
        places.append(tuple(bpy.data.objects[name].matrix_world.translation))
    return np.array(places)


def test_a_pinned_character_stays_as_it_is_and_others_make_way(baked):
    before, pinned = keys(baked, "Crowd 002"), bpy.data.objects["Crowd 002"]
    baked.of("Crowd 002", "pin_people")
    reading = baked.core_crowd()
    assert reading.scene.crowds[0].absent == (1,)
    (hero,) = reading.scene.heroes
    assert hero.name == "Crowd 002"
    baked.settings.seed = 5
    bpy.ops.footfall.bake()
    assert bpy.data.objects["Crowd 002"] == pinned
    np.testing.assert_array_equal(keys(baked, "Crowd 002"), before)
    assert sorted(each.name for each in baked.scene.objects if each.name.startswith("Crowd 0")) == [
        f"Crowd {number:03d}" for number in (1, 2, 3, 4)
    ]
    assert list(path("Crowd 002")[:, 0]) == pytest.approx(
        np.interp(range(1, 25), hero.motion.frames, hero.motion.x), abs=2e-3
    )


@pytest.mark.parametrize(("what", "counted", "stays"), [("pin_people", 3, True), ("hide_people", 4, False)])
def test_the_report_counts_who_is_hidden_and_not_who_is_pinned(baked, what, counted, stays):
    baked.of("Crowd 002", what)
    assert ("Crowd 002" in baked.scene.objects) == stays
    bpy.ops.footfall.bake()
    assert json.loads(baked.settings.report)["total"]["agents"] == counted
    assert ("Crowd 002" in baked.scene.objects) == stays
    bpy.ops.footfall.restore_person(person="Crowd 002")
    bpy.ops.footfall.bake()
    assert json.loads(baked.settings.report)["total"]["agents"] == 4
    assert "Crowd 002" in baked.scene.objects


def test_a_bake_says_how_many_of_all_were_made_and_what_became_of_the_others(baked, addon):
    job = addon.module("blender_addon.baking.bake")
    baked.crowd.spawn.mode, baked.crowd.spawn.rate, baked.crowd.count = "FLOW", 1.5, 5
    whole = job.bake(baked.scene)
    late = int((~whole.trajectories.present.any(axis=0)).sum())
    assert late == 3
    assert whole.summary.startswith("2 of 5 characters baked over frames 1-24 in ")
    assert " s (3 never enter); " in whole.summary
    baked.of("Crowd 001", "pin_people")
    baked.scene.frame_set(24)  # the second is there only now
    baked.of("Crowd 002", "hide_people")
    told = job.bake(baked.scene).summary
    assert told.startswith("0 of 5 characters baked over frames 1-24 in ")
    assert " s (1 pinned, 1 hidden, 3 never enter); " in told


@pytest.mark.parametrize("what", ["hide_people", "delete_people"])
def test_people_are_known_though_the_user_has_taken_their_names(baked, what):
    bpy.ops.footfall.clear()
    new_box("Crowd 002", baked.scene.collection, (30.0, 0.0, 0.0))
    bpy.ops.footfall.bake()
    baked.of("Crowd 002.001", what)
    for _ in range(2):
        bpy.ops.footfall.bake()
        assert [edit.name for edit in baked.crowd.edits] == ["Crowd 002"]
        assert sorted(obj.name for obj in baked.scene.objects if "footfall_crowd" in obj) == [
            f"Crowd {number:03d}" for number in (1, 3, 4)
        ]


@pytest.mark.parametrize("output", ["CHARACTERS", "INSTANCES"])
def test_a_crowd_that_is_called_otherwise_is_the_same_people(baked, output, tmp_path):
    baked.of("Crowd 001", "hide_people")
    baked.of("Crowd 004", "replace_character", character="Small")
    baked.of("Crowd 002", "pin_people")
    bpy.ops.footfall.bake()
    before = {number: path(f"Crowd {number:03d}") for number in (2, 3, 4)}
    baked.crowd.name = "Late"
    where = str(tmp_path / "renamed.blend")
    bpy.ops.wm.save_as_mainfile(filepath=where)
    bpy.ops.wm.open_mainfile(filepath=where)
    settings = bpy.context.scene.footfall
    settings.crowds[0].output = output
    bpy.ops.footfall.bake()
    if output == "INSTANCES":
        bpy.context.view_layer.objects.active = bpy.data.objects["Late"]
        bpy.ops.footfall.make_real(agents="1, 2")
    made = {obj.name for obj in bpy.context.scene.objects if obj.name.startswith(("Crowd 0", "Late 0"))}
    assert made == {"Crowd 002", "Late 003", "Late 004"}
    assert bpy.data.objects["Late 004"].dimensions.z == pytest.approx(0.5)
    for name in made:
        np.testing.assert_allclose(path(name), before[int(name[-3:])], atol=1e-4)


def test_a_new_crowd_takes_nobodys_place_and_nobodys_name(baked):
    spline = baked.crowd.route.data.splines.new("POLY")
    spline.points.add(1)
    for point, x in zip(spline.points, (0.0, 9.0), strict=True):
        point.co = (x, 6.0, 0.0, 1.0)
    bpy.ops.footfall.bake()
    on_the_second = next(obj.name for obj in baked.scene.objects if obj.name.startswith("Crowd.2 "))
    baked.of(on_the_second, "delete_people")
    before = baked.core_crowd().scene.crowds
    baked.crowd.name = "Late"
    baked.settings.crowds.add()
    new = baked.settings.crowds[1]
    new.name, new.route, new.count = "Crowd", baked.crowd.route, 2
    after = baked.core_crowd().scene.crowds
    assert [crowd.name for crowd in after] == ["Late", "Late.2", "Crowd", "Crowd.2"]
    assert [crowd.identity for crowd in after[:2]] == [crowd.identity for crowd in before]
    assert [crowd.absent for crowd in after[:2]] == [crowd.absent for crowd in before]
    assert any(crowd.absent for crowd in after)
    assert len({crowd.identity for crowd in after}) == 4


def test_a_camera_follows_a_crowd_of_instances_that_is_called_otherwise(baked):
    baked.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    camera = new_box("Watcher", baked.scene.collection)
    follows = camera.constraints.new("TRACK_TO")
    follows.target = bpy.data.objects["Crowd"]
    baked.crowd.name = "Late"
    bpy.ops.footfall.bake()
    assert follows.target == bpy.data.objects["Late"]


def test_instances_of_an_older_bake_are_read(baked):
    baked.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    shown = bpy.data.objects["Crowd"]
    shown["footfall_people"] = json.dumps([row[:2] for row in json.loads(shown["footfall_people"])])
    bpy.context.view_layer.objects.active = shown
    bpy.ops.footfall.make_real(agents="2")
    assert "Crowd 002" in bpy.data.objects
    bpy.ops.footfall.bake()
    assert "Crowd 002" in bpy.data.objects


def test_a_pinned_character_that_was_deleted_is_made_anew_and_told_of_once(baked, addon):
    baked.of("Crowd 002", "pin_people")
    bpy.data.objects.remove(bpy.data.objects["Crowd 002"])
    bpy.ops.footfall.bake()
    assert "'Crowd 002' was pinned, but its character was deleted" in baked.settings.report
    assert "Crowd 002" in bpy.data.objects
    assert not baked.edits()
    assert baked.crowd.baked == baked.core_crowd().fingerprint
    bpy.ops.footfall.bake()
    assert "was pinned" not in baked.settings.report


def test_who_is_pinned_moves_nobody_at_the_first_frame(baked):
    before = {number: path(f"Crowd {number:03d}")[0] for number in (1, 3, 4)}
    baked.of("Crowd 002", "pin_people")
    bpy.ops.footfall.bake()
    for number, place in before.items():
        np.testing.assert_allclose(path(f"Crowd {number:03d}")[0], place, atol=1e-5)


def test_a_person_is_let_go_by_the_name_that_is_shown(baked):
    baked.of("Crowd 003", "hide_people")
    baked.crowd.name = "Late"
    bpy.ops.footfall.restore_person(person="Late 003")
    assert not baked.edits()


def test_a_copy_of_a_pinned_character_is_scenery(baked):
    baked.of("Crowd 002", "pin_people")
    copy = bpy.data.objects["Crowd 002"].copy()
    baked.scene.collection.objects.link(copy)
    copy.animation_data_clear()
    assert baked.core_crowd().scene.crowds[0].absent == (1,)
    (hero,) = baked.core_crowd().scene.heroes
    assert len(set(hero.motion.x)) > 1


def test_who_is_let_go_is_baked_again(baked):
    baked.of("Crowd 002", "pin_people")
    bpy.data.objects["Crowd 002"].animation_data.action.name = "Mine"
    baked.of("Crowd 002", "restore_people")
    assert not baked.edits()
    bpy.ops.footfall.bake()
    assert bpy.data.objects["Crowd 002"].animation_data.action.name == "Crowd 002"
    assert baked.core_crowd().scene.crowds[0].absent == ()


@pytest.mark.each_blender("files are saved and opened")
def test_pins_survive_saving_and_clearing(baked, tmp_path):
    baked.of("Crowd 002", "pin_people")
    where = str(tmp_path / "pinned.blend")
    bpy.ops.wm.save_as_mainfile(filepath=where)
    bpy.ops.wm.open_mainfile(filepath=where)
    bpy.ops.footfall.clear()
    assert "Crowd 002" in bpy.data.objects
    assert "Crowd 003" not in bpy.data.objects
    bpy.ops.footfall.bake()
    assert {f"Crowd {number:03d}" for number in (1, 2, 3, 4)} <= set(bpy.data.objects.keys())
    assert "Crowd 002.001" not in bpy.data.objects


def edit_keys(street, name):
    """Drag the middle key of an object's first channel, as in the Graph Editor."""
    curve = street.actions.curves_of(street.actions.active_clip(bpy.data.objects[name].animation_data))[0]
    curve.keyframe_points[len(curve.keyframe_points) // 2].co.y += 0.25
    curve.update()


@pytest.mark.each_blender("keys are compared")
def test_edited_keys_are_not_overwritten_unasked(baked):
    edit_keys(baked, "Crowd 003")
    mine = keys(baked, "Crowd 003")
    with pytest.raises(RuntimeError, match=r"'Crowd 003' \(keys\) was edited by hand"):
        bpy.ops.footfall.bake()
    np.testing.assert_array_equal(keys(baked, "Crowd 003"), mine)
    assert not baked.edits()
    bpy.ops.footfall.bake(edited="KEEP")
    np.testing.assert_array_equal(keys(baked, "Crowd 003"), mine)
    assert baked.edits()["Crowd 003"].pinned


def test_edited_keys_may_be_overwritten(baked):
    first = keys(baked, "Crowd 003")
    edit_keys(baked, "Crowd 003")
    bpy.ops.footfall.bake(edited="OVERWRITE")
    np.testing.assert_array_equal(keys(baked, "Crowd 003"), first)
    bpy.ops.footfall.bake()  # nothing to ask about any more


def test_how_a_curve_goes_on_beyond_its_keys_is_an_edit_by_hand(baked):
    clip = baked.actions.active_clip(bpy.data.objects["Crowd 003"].animation_data)
    curve = baked.actions.curves_of(clip)[0]
    curve.extrapolation = "LINEAR"
    with pytest.raises(RuntimeError, match=r"'Crowd 003' \(keys\) was edited by hand"):
        bpy.ops.footfall.bake()
    curve.extrapolation = "CONSTANT"
    bpy.ops.footfall.bake()
    assert not baked.edits()


def test_how_the_time_of_a_walk_goes_on_beyond_its_keys_is_an_edit_by_hand(street):
    street.scene.frame_end, street.crowd.characters, street.crowd.count = 24, None, 2
    bpy.ops.footfall.bake()
    parts = [obj for obj in street.scene.objects if "footfall_crowd" in obj and obj.animation_data]
    strips = [strip for part in parts for track in part.animation_data.nla_tracks for strip in track.strips]
    timed = next(strip for strip in strips if len(strip.fcurves))
    timed.fcurves[0].extrapolation = "LINEAR"
    with pytest.raises(RuntimeError, match=r"was edited by hand|were edited by hand"):
        bpy.ops.footfall.bake()


def test_a_bake_that_fails_pins_nobody(baked, addon, monkeypatch):
    edit_keys(baked, "Crowd 003")
    job = addon.module("blender_addon.baking.bake")

    def fail(*_args, **_settings):
        raise addon.errors.FootfallError("broken")

    monkeypatch.setattr(job, "make_report", fail)
    with pytest.raises(RuntimeError, match="broken"):
        bpy.ops.footfall.bake(edited="KEEP")
    assert not baked.edits()
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match="edited by hand"):
        bpy.ops.footfall.bake()


def test_what_nobody_edited_is_never_asked_about(baked, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "same.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "same.blend"))
    assert bpy.ops.footfall.bake() == {"FINISHED"}


@pytest.mark.parametrize("output", ["CHARACTERS", "INSTANCES"])
def test_hidden_people_are_walked_round_and_deleted_ones_are_not(baked, output):
    baked.of("Crowd 001", "hide_people")
    baked.of("Crowd 004", "delete_people")
    baked.crowd.output = output
    bpy.ops.footfall.bake()
    reading = baked.core_crowd()
    assert reading.scene.crowds[0].absent == (3,)
    if output == "CHARACTERS":
        assert not {"Crowd 001", "Crowd 004"} & set(bpy.data.objects.keys())
        assert {"Crowd 002", "Crowd 003"} <= set(bpy.data.objects.keys())
    else:
        shown = next(each for each in baked.scene.objects if "footfall_people" in each)
        assert len(shown.data.edges) == 2
    for name in ("Crowd 001", "Crowd 004"):
        bpy.ops.footfall.restore_person(person=name)
    baked.crowd.output = "CHARACTERS"
    bpy.ops.footfall.bake()
    assert {"Crowd 001", "Crowd 004"} <= set(bpy.data.objects.keys())


def test_a_character_can_be_replaced_for_all_bakes(baked):
    wanted = {"Box": "Small", "Small": "Box"}
    played = {name: bpy.data.objects[name].data.name for name in ("Crowd 001", "Crowd 002")}
    baked.of("Crowd 002", "replace_character", character=wanted[played["Crowd 002"]])
    for _ in range(2):
        bpy.ops.footfall.bake()
        assert bpy.data.objects["Crowd 002"].data.name == wanted[played["Crowd 002"]]
        assert bpy.data.objects["Crowd 001"].data.name == played["Crowd 001"]
    with pytest.raises(RuntimeError, match="no character 'Nobody'"):
        baked.of("Crowd 002", "replace_character", character="Nobody")


def poses_played(street):
    """Which character plays each person of a crowd of instances, by number."""
    shown = next(each for each in street.scene.objects if "footfall_people" in each)
    values = np.empty(len(shown.data.edges), dtype=np.int32)
    shown.data.attributes["character"].data.foreach_get("value", values)
    return shown, values


def test_a_character_can_be_replaced_for_instances_too(baked):
    baked.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    shown, drawn = poses_played(baked)
    assert set(drawn) <= {0, 1}
    where = ["Box", "Small"]
    for person, number in ((2, drawn[1]), (4, drawn[3])):
        baked.scene.footfall.overlays.person = person
        baked.of(shown.name, "replace_character", character=where[1 - number])
    for _ in range(2):
        bpy.ops.footfall.bake()
        shown, played = poses_played(baked)
        np.testing.assert_array_equal(played, [drawn[0], 1 - drawn[1], drawn[2], 1 - drawn[3]])
    bpy.context.view_layer.objects.active = shown
    bpy.ops.footfall.make_real(agents="2")
    assert bpy.data.objects["Crowd 002"].data.name == where[1 - drawn[1]]


def test_who_is_to_be_an_instance_of_what_has_no_body_is_told_of(baked):
    baked.of("Crowd 002", "replace_character", character="Small")
    bpy.data.objects["Small"].data = bpy.data.meshes.new("Nothing")
    baked.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    assert "'Crowd': 'Small' cannot be shown: its people use other characters" in baked.scene.footfall.report
    assert set(poses_played(baked)[1]) == {0}  # the box


def test_who_is_retimed_does_the_same_later_and_is_pinned(baked):
    before = path("Crowd 002")
    baked.of("Crowd 002", "retime_people", frames=6.0)
    np.testing.assert_allclose(path("Crowd 002")[6:], before[:-6], atol=1e-5)
    assert baked.edits()["Crowd 002"].pinned


def test_retiming_by_nothing_is_refused(baked):
    with pytest.raises(RuntimeError, match="0 frames changes nothing"):
        baked.of("Crowd 002", "retime_people", frames=0.0)
    assert not baked.edits()


@pytest.mark.each_blender("keys and strips are moved")
def test_a_walking_figure_is_retimed_with_its_walk(street):
    street.scene.frame_end = 48
    street.crowd.characters, street.crowd.count = None, 1
    bpy.ops.footfall.bake()
    rig = bpy.data.objects["Crowd 001"]

    def poses():
        found = []
        for frame in range(1, 49):
            street.scene.frame_set(frame)
            found.append([tuple(bone.head) for bone in rig.pose.bones])
        return np.array(found)

    before = poses()
    rig.select_set(True)
    bpy.ops.footfall.retime_people(frames=5.0)
    np.testing.assert_allclose(poses()[10:], before[5:-5], atol=2e-3)


def test_instances_say_what_must_be_done_first(baked):
    baked.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    shown = next(each for each in baked.scene.objects if "footfall_people" in each)
    baked.settings.overlays.person = 2
    for what in ("pin_people", "retime_people"):
        with pytest.raises(RuntimeError, match="press 'Make People Real' first"):
            baked.of(shown.name, what)
    baked.of(shown.name, "delete_people")
    assert [edit.name for edit in baked.crowd.edits] == ["Crowd 002"]
    bpy.ops.footfall.bake()
    shown = next(each for each in baked.scene.objects if "footfall_people" in each)
    assert len(shown.data.edges) == 3
