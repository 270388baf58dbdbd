# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds are added for what is selected, given a route, and removed with what was baked for them."""

import bpy
import pytest

from ...street import rig_with_body, select

pytestmark = pytest.mark.each_blender("operators, undo and reports")

ops = bpy.ops


def test_crowds_are_added_and_removed(addon):
    settings = bpy.context.scene.footfall
    for _ in range(3):
        ops.footfall.crowd_add()
    assert [crowd.name for crowd in settings.crowds] == ["Crowd", "Crowd.001", "Crowd.002"]
    assert len({crowd.uid for crowd in settings.crowds} - {""}) == 3
    assert settings.active_crowd_index == 2
    assert [crowd.spawn.sets_off_within for crowd in settings.crowds] == [1.0] * 3, "people are no platoon"
    settings.active_crowd_index = 1
    ops.footfall.crowd_remove()
    assert ([crowd.name for crowd in settings.crowds], settings.active_crowd_index) == (["Crowd", "Crowd.002"], 1)
    ops.footfall.crowd_remove()
    ops.footfall.crowd_remove()
    assert (len(settings.crowds), settings.active_crowd_index) == (0, 0)
    with pytest.raises(RuntimeError, match="no crowd to remove"):
        ops.footfall.crowd_remove()


def test_removing_a_crowd_removes_its_bake_only(street):
    ops.footfall.crowd_add()
    other = street.settings.crowds[1]
    other.route, other.characters, other.count = street.path, street.crowd.characters, 2
    other.spawn.mode = "SPREAD"
    ops.footfall.bake()
    uid = other.uid
    before = street.baked_count
    street.settings.active_crowd_index = 1
    ops.footfall.crowd_remove()
    assert street.baked_count == before > 0
    assert not [obj for obj in street.scene.objects if obj.get("footfall_crowd") == uid]


def test_the_active_curve_becomes_the_route(street):
    street.crowd.route, street.crowd.mode = None, "AREAS"
    select(street.path)
    ops.footfall.use_selected_route()
    assert (street.crowd.route, street.crowd.mode) == (street.path, "ROUTE")


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_new_crowd_takes_the_active_curve_where_nothing_is_selected(street, is_shown):
    select(street.path)
    street.path.select_set(False)
    street.path.hide_set(not is_shown)
    ops.footfall.crowd_add()
    assert street.settings.crowds[-1].route == (street.path if is_shown else None)


def test_a_mesh_of_edges_alone_becomes_the_route_and_is_walked(street):
    mesh = bpy.data.meshes.new("Line")
    mesh.from_pydata([(0, 0, 0), (5, 0, 0), (10, 1, 0)], [(0, 1), (1, 2)], [])
    line = bpy.data.objects.new("Line", mesh)
    street.scene.collection.objects.link(line)
    select(line)
    ops.footfall.use_selected_route()
    assert street.crowd.route == line
    street.scene.frame_end = 3
    assert ops.footfall.bake() == {"FINISHED"}


def test_what_is_no_curve_cannot_become_the_route(street):
    select(street.kiosk)
    with pytest.raises(RuntimeError, match="'Kiosk' has faces: click on a curve first, or delete all faces"):
        ops.footfall.use_selected_route()
    lamp = bpy.data.objects.new("Lamp", None)
    street.scene.collection.objects.link(lamp)
    select(lamp)
    with pytest.raises(RuntimeError, match="'Lamp' is not a curve"):
        ops.footfall.use_selected_route()
    select()
    with pytest.raises(RuntimeError, match="No object is active"):
        ops.footfall.use_selected_route()
    ops.footfall.crowd_remove()
    with pytest.raises(RuntimeError, match="no crowd yet"):
        ops.footfall.use_selected_route()


def test_a_new_crowd_takes_the_selected_curve(street):
    select(street.path, street.kiosk)
    ops.footfall.crowd_add()
    new = street.settings.crowds[1]
    assert (new.mode, new.route) == ("ROUTE", street.path)
    assert set(bpy.context.selected_objects) == {street.path, street.kiosk}


def test_a_new_crowd_says_that_a_selected_mesh_without_armature_is_no_character(street, capfd):
    box = bpy.data.objects.new("Toy", bpy.data.meshes.new("Toy"))
    street.scene.collection.objects.link(box)
    select(street.path, box)
    ops.footfall.crowd_add()
    assert "'Toy' has no armature, so the people of 'Crowd.001' are the built-in ones" in capfd.readouterr().out
    assert street.settings.crowds[1].characters is None


def test_a_new_crowd_takes_two_places_the_active_one_as_its_goal(street):
    gate, bench = (bpy.data.objects.new(name, None) for name in ("Gate", "Bench"))
    for place in (gate, bench):
        street.scene.collection.objects.link(place)
    select(bench, gate)
    ops.footfall.crowd_add()
    new = street.settings.crowds[1]
    assert (new.mode, new.start, new.goal) == ("AREAS", gate, bench)
    assert new.spawn.mode == "FLOW"  # for twenty there is no room round an empty
    select(gate)
    ops.footfall.crowd_add()
    assert street.settings.crowds[2].start is None


def test_a_new_crowd_is_on_the_points_of_a_mesh_that_has_nothing_else(street):
    seats = bpy.data.meshes.new("Seats")
    seats.from_pydata([(x, 5.0, 0.45) for x in (0.0, 0.6, 1.2)], [], [])
    stand = bpy.data.objects.new("Stand", seats)
    nothing, huge = (bpy.data.objects.new(name, bpy.data.meshes.new(name)) for name in ("Nothing", "Huge"))
    huge.data.vertices.add(100_001)
    for each in (stand, nothing, huge):
        street.scene.collection.objects.link(each)
    walks = ("ROUTE", None, "AREA", 20)
    for chosen, there in (
        (stand, ("PLACE", stand, "POINTS", 3)),
        (huge, ("PLACE", huge, "POINTS", 100_000)),
        (street.kiosk, walks),
        (nothing, walks),
    ):
        select(chosen)
        ops.footfall.crowd_add()
        new = street.settings.crowds[-1]
        assert (new.mode, new.presence.place, new.presence.spots, new.count) == there


def test_a_new_crowd_copies_the_selected_characters(street):
    parts = rig_with_body(street)
    select(parts[2], street.path)
    ops.footfall.crowd_add()
    new = street.settings.crowds[1]
    assert (new.mode, new.route) == ("ROUTE", street.path)
    assert set(new.characters.objects) == set(parts)
    assert all(each.name in street.scene.collection.objects for each in parts)
    again = street.scene.collection.children
    count = len(again)
    select(parts[1])
    ops.footfall.crowd_add()
    assert street.settings.crowds[2].characters == new.characters
    assert len(again) == count


def test_originals_among_their_copies_are_told_and_hidden_by_a_button(street):
    parts = rig_with_body(street)
    street.crowd.characters = None
    with pytest.raises(RuntimeError, match="no originals"):
        ops.footfall.hide_originals()
    select(parts[2], street.path)
    ops.footfall.crowd_add()
    assert bpy.context.selected_objects == [street.path]  # nor are the people selected who are made of them
    parts[0].location = street.path.matrix_world @ street.path.data.splines[0].points[0].co.to_3d()
    ops.footfall.bake()
    told = f"'{parts[0].name}' itself stands where people walk, and is rendered, too. Hide the originals"
    assert told in [problem.name for problem in street.settings.problems]
    ops.footfall.bake()
    assert told in [problem.name for problem in street.settings.problems]  # though nobody is written anew
    street.settings.active_crowd_index = 0  # the report is of all crowds
    assert ops.footfall.hide_originals() == {"FINISHED"}
    assert all(each.hide_viewport and each.hide_render for each in parts)
    assert told not in [problem.name for problem in street.settings.problems]
    ops.footfall.bake()
    assert told not in [problem.name for problem in street.settings.problems]
