# SPDX-License-Identifier: GPL-3.0-or-later
"""People stay those that they are when their crowd is called otherwise or their names are taken."""

import json

import bpy
import numpy as np
import pytest

from ....street import new_box


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
    before = {number: baked.path_of(f"Crowd {number:03d}") for number in (2, 3, 4)}
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
        np.testing.assert_allclose(baked.path_of(name), before[int(name[-3:])], atol=1e-4)


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


def test_a_person_is_let_go_by_the_name_that_is_shown(baked):
    baked.of("Crowd 003", "hide_people")
    baked.crowd.name = "Late"
    bpy.ops.footfall.restore_person(person="Late 003")
    assert not baked.edits()
