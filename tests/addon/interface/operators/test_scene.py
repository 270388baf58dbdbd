# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons beside Bake that are of the whole scene: each does its work, or says why it cannot."""

import json

import bpy
import pytest

from ...street import select

pytestmark = pytest.mark.each_blender("operators, undo and reports")

ops = bpy.ops


@pytest.mark.parametrize("name", ["crowd_add", "mark_obstacle", "use_selected_route", "crowd_remove"])
def test_each_is_one_undo_step(street, name):
    def state():
        settings = bpy.context.scene.footfall
        routes = [crowd.route and crowd.route.name for crowd in settings.crowds]
        return routes, sorted(obj.name for obj in settings.obstacles.objects), sorted(bpy.data.objects.keys())

    bench = bpy.data.objects.new("Bench", street.kiosk.data)
    street.scene.collection.objects.link(bench)
    new_route = bpy.data.objects.new("Other", street.path.data)
    street.scene.collection.objects.link(new_route)
    select(new_route, bench)
    ops.ed.undo_push(message="before")
    before = state()
    getattr(ops.footfall, name)("EXEC_DEFAULT", True)
    after = state()
    assert after != before
    ops.ed.undo()
    assert state() == before
    ops.ed.redo()
    assert state() == after


def test_export_writes_what_the_core_reads(addon, street, tmp_path):
    path = tmp_path / "scene.json"
    ops.footfall.export_scene(filepath=str(path))
    scene = addon.core.load_scene(path)
    assert [crowd.name for crowd in scene.crowds] == ["Crowd"]
    assert scene.crowds[0].count == 3
    assert json.loads(path.read_text(encoding="utf-8"))["frames"] == [1, 6]


def test_export_tells_what_is_worth_a_word(street, tmp_path, capfd):
    street.kiosk.hide_viewport = True
    ops.footfall.export_scene(filepath=str(tmp_path / "scene.json"))
    told = capfd.readouterr().out
    assert "Wrote '" in told
    assert "'Kiosk' (in 'Obstacles') is hidden but still an obstacle" in told


def test_export_of_a_curve_that_stands_upright_fails(street, tmp_path):
    for height, point in enumerate(street.path.data.splines[0].points):
        point.co = (0.0, 0.0, height, 1.0)
    with pytest.raises(RuntimeError, match=r"^Error: Path: is vertical"):
        ops.footfall.export_scene(filepath=str(tmp_path / "scene.json"))
    assert not list(tmp_path.iterdir())


def test_export_says_what_is_wrong(street, tmp_path):
    with pytest.raises(RuntimeError, match="no folder"):
        ops.footfall.export_scene(filepath=str(tmp_path / "nowhere" / "scene.json"))
    street.path.data.splines.clear()
    with pytest.raises(RuntimeError, match="Path"):
        ops.footfall.export_scene(filepath=str(tmp_path / "scene.json"))
    street.crowd.route = None
    with pytest.raises(RuntimeError, match="Crowd 'Crowd' has no route"):
        ops.footfall.export_scene(filepath=str(tmp_path / "scene.json"))
    assert not list(tmp_path.iterdir())


def test_a_linked_scene_says_that_it_cannot_be_changed(street, tmp_path):
    library = str(tmp_path / "library.blend")
    bpy.data.libraries.write(library, {street.scene})
    with bpy.data.libraries.load(library, link=True) as (source, target):
        target.scenes = source.scenes
    linked = target.scenes[0]
    with bpy.context.temp_override(scene=linked), pytest.raises(RuntimeError, match="is linked from another file"):
        ops.footfall.bake()


def test_who_is_selected_stays_so_over_a_bake(street):
    ops.footfall.bake()
    people = [bpy.data.objects[f"Crowd {number:03d}"] for number in (1, 2, 3)]
    select(people[1], people[0], street.kiosk)
    people[2].hide_set(True)
    ops.footfall.bake(edited="OVERWRITE")
    assert {obj.name for obj in bpy.context.selected_objects} == {"Crowd 001", "Crowd 002", "Kiosk"}
    assert bpy.context.view_layer.objects.active.name == "Crowd 002"
    assert bpy.data.objects["Crowd 003"].hide_get()


@pytest.mark.once
def test_a_button_gives_people_the_frames_that_they_need(street):
    ops.footfall.bake()
    assert street.scene.frame_end == 6
    ops.footfall.set_end_frame()
    assert street.scene.frame_end > 100
    ops.footfall.bake()
    report = json.loads(street.settings.report)
    assert report["total"]["arrived"] == 3
    with pytest.raises(RuntimeError, match="No later end frame"):
        ops.footfall.set_end_frame()
