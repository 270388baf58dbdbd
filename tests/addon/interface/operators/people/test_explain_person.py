# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script is told of a person at a frame, and of the state of a bake."""

import json
import subprocess
import sys

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep


@pytest.fixture
def baked(street):
    """The street after a bake of a second, at a frame of it."""
    street.scene.frame_end = 24
    street.crowd.speed.sd = 0.0
    bpy.ops.footfall.bake()
    street.scene.frame_set(20)
    return street


def explained(street, **words):
    assert bpy.ops.footfall.explain_person(**words) == {"FINISHED"}
    return json.loads(street.settings.explanation)


def test_it_says_what_the_panel_says(baked, addon):
    told = explained(baked, person="Crowd 002")
    assert (told["person"], told["called"], told["frame"]) == ("Crowd 002", "Crowd 002", 20)
    bpy.context.view_layer.objects.active = bpy.data.objects["Crowd 002"]
    lines = addon.module("blender_addon.interface.panels.person")._tell(bpy.context).lines
    shown = {line.label: line.value for line in lines}
    assert shown["Activity"].lower() == told["sentence"].lower()
    assert shown["Speed"] == f"{told['speed']:.2f} m/s, prefers {told['wanted_speed']:.2f}"
    assert shown["Route"] == f"{told['way_left']:.1f} m left"


def test_the_speed_is_that_of_its_keys(baked):
    told = explained(baked, person="Crowd 001")
    places = []
    for frame in (19, 20):
        baked.scene.frame_set(frame)
        places.append(np.array(bpy.data.objects["Crowd 001"].location))
    assert told["speed"] == pytest.approx(np.hypot(*(places[1] - places[0])[:2]) * 24.0, abs=1e-3)


def test_without_a_name_it_is_about_the_active_object(baked):
    bpy.context.view_layer.objects.active = bpy.data.objects["Crowd 003"]
    assert explained(baked)["person"] == "Crowd 003"


def test_who_is_called_otherwise_is_found_by_either_name(baked):
    bpy.data.objects["Crowd 002"].name = "Alfred"
    assert explained(baked, person="Alfred") == explained(baked, person="Crowd 002")


def test_a_crowd_that_was_renamed_is_told_of_by_its_new_name(baked):
    baked.crowd.name = "Walkers"
    bpy.ops.footfall.bake()
    told = explained(baked, person="Walkers 002")
    assert (told["person"], told["called"]) == ("Crowd 002", "Walkers 002")


def test_who_is_held_up_names_because_of_whom(street):
    street.scene.frame_end = 120
    street.path.data.splines[0].points[-1].co.x = 40.0
    bpy.ops.footfall.crowd_add()
    slow = street.settings.crowds[1]
    slow.name, slow.route, slow.characters, slow.count = "Slow", street.path, street.crowd.characters, 1
    for crowd, speed in ((street.crowd, 2.0), (slow, 0.3)):
        crowd.speed.mean, crowd.speed.sd, crowd.path_width = speed, 0.0, 0.5
    bpy.ops.footfall.bake()
    found = []
    for frame in range(1, 121, 10):
        street.scene.frame_set(frame)
        found += [explained(street, person=person) for person in ("Crowd 001", "Crowd 002", "Crowd 003")]
    assert any(each["because_of"] == "Slow 001" and "Slow 001" in each["sentence"] for each in found)
    assert all(np.isfinite(each["wish"]).all() and each["doing"] for each in found)


def test_it_works_in_a_file_that_was_opened(baked, tmp_path):
    before = explained(baked, person="Crowd 001")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "street.blend"))
    settings = bpy.context.scene.footfall
    assert settings.bake_state == "NOT_COMPARED"
    bpy.ops.footfall.explain_person(person="Crowd 001")
    assert json.loads(settings.explanation) == before
    assert settings.bake_state == "UP_TO_DATE"


FRESH = """
import importlib, json, os, sys
import bpy, addon_utils  # bpy first: it makes the other one known
path, name, *people = sys.argv[1:]
addon_utils.enable(name, default_set=True)
bpy.ops.wm.open_mainfile(filepath=path)
importlib.import_module(name + ".core.simulation.simulation").Simulation.step = None  # nothing can be simulated
answers = []
for person in people:
    bpy.ops.footfall.explain_person(person=person)
    answers.append(json.loads(bpy.context.scene.footfall.explanation))
print("answers: " + json.dumps(answers), flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("output", sweep(["CHARACTERS", "INSTANCES"], usual=1))
def test_another_blender_explains_a_saved_bake_alike_without_a_simulation(baked, tmp_path, output):
    if output == "INSTANCES":
        baked.crowd.output = output
        bpy.ops.footfall.bake()
    people = [f"Crowd {number:03d}" for number in range(1, 4)]
    before = [explained(baked, person=person) for person in people]
    path = str(tmp_path / "street.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    command = [sys.executable, "-W", "ignore", "-c", FRESH, path, "bl_ext.user_default.footfall", *people]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=900, check=True, encoding="utf-8")
    (answers,) = [line for line in done.stdout.splitlines() if line.startswith("answers: ")]
    assert json.loads(answers.removeprefix("answers: ")) == before


def test_people_among_instances_are_told_of_by_name(baked):
    before = explained(baked, person="Crowd 002")
    baked.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    told = explained(baked, person="Crowd 002")
    assert told["sentence"] == before["sentence"]
    assert told["speed"] == pytest.approx(before["speed"], abs=1e-3)


def test_what_cannot_be_told_is_said(baked):
    with pytest.raises(RuntimeError, match="no baked person is named 'Nobody'"):
        bpy.ops.footfall.explain_person(person="Nobody")
    bpy.context.view_layer.objects.active = baked.kiosk
    with pytest.raises(RuntimeError, match="Select a baked person"):
        bpy.ops.footfall.explain_person()
    baked.crowd.count = 4
    baked.settings.crowds[0].speed.mean = 0.9
    bpy.ops.footfall.bake()
    baked.kiosk.location.x += 0.5
    bpy.ops.footfall.compare_bake()
    assert baked.settings.bake_state == "OUT_OF_DATE"
    bpy.ops.footfall.clear()
    assert baked.settings.bake_state == "NOT_BAKED"
    with pytest.raises(RuntimeError, match="Nothing is baked"):
        bpy.ops.footfall.explain_person(person="Crowd 001")


def test_in_a_file_that_is_out_of_date_it_says_so(baked, tmp_path):
    baked.crowd.count = 5
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "street.blend"))
    with pytest.raises(RuntimeError, match="out of date"):
        bpy.ops.footfall.explain_person(person="Crowd 001")


def test_with_a_crowd_that_was_not_baked_a_bake_would_come_out_otherwise(baked):
    baked.settings.crowds.add().name = "Later"
    later = baked.settings.crowds[-1]
    later.route, later.count = baked.crowd.route, 2
    bpy.ops.footfall.bake(crowd="Crowd")
    assert not later.baked
    assert baked.settings.bake_state == "OUT_OF_DATE"
    bpy.ops.footfall.bake()
    assert baked.settings.bake_state == "UP_TO_DATE"


def test_the_state_is_no_setting_and_changes_nothing(baked, addon):
    with pytest.raises(AttributeError):
        baked.settings.bake_state = "NOT_BAKED"
    explained(baked, person="Crowd 001")
    bpy.ops.footfall.compare_bake()
    assert baked.settings.bake_state == "UP_TO_DATE"
    names = addon.module("blender_addon.headless.overrides")._names_in(baked.settings)
    assert not {"bake_state", "explanation"} & set(names)
