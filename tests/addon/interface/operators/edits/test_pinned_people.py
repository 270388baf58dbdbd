# SPDX-License-Identifier: GPL-3.0-or-later
"""People who are pinned stay as they are, and are counted, let go and moved in time."""

import json

import bpy
import numpy as np
import pytest


def test_a_pinned_character_stays_as_it_is_and_others_make_way(baked):
    before, pinned = baked.keys("Crowd 002"), bpy.data.objects["Crowd 002"]
    baked.of("Crowd 002", "pin_people")
    reading = baked.core_crowd()
    assert reading.scene.crowds[0].absent == (1,)
    (hero,) = reading.scene.heroes
    assert hero.name == "Crowd 002"
    baked.settings.seed = 5
    bpy.ops.footfall.bake()
    assert bpy.data.objects["Crowd 002"] == pinned
    np.testing.assert_array_equal(baked.keys("Crowd 002"), before)
    assert sorted(each.name for each in baked.scene.objects if each.name.startswith("Crowd 0")) == [
        f"Crowd {number:03d}" for number in (1, 2, 3, 4)
    ]
    assert list(baked.path_of("Crowd 002")[:, 0]) == pytest.approx(
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
    before = {number: baked.path_of(f"Crowd {number:03d}")[0] for number in (1, 3, 4)}
    baked.of("Crowd 002", "pin_people")
    bpy.ops.footfall.bake()
    for number, place in before.items():
        np.testing.assert_allclose(baked.path_of(f"Crowd {number:03d}")[0], place, atol=1e-5)


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


def test_who_is_retimed_does_the_same_later_and_is_pinned(baked):
    before = baked.path_of("Crowd 002")
    baked.of("Crowd 002", "retime_people", frames=6.0)
    np.testing.assert_allclose(baked.path_of("Crowd 002")[6:], before[:-6], atol=1e-5)
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
