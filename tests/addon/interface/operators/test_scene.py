# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons beside Bake: each does its work, or says why it cannot."""

import json

import bpy
import pytest

pytestmark = pytest.mark.each_blender("operators, undo and reports")

ops = bpy.ops


def select(*objects):
    ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def test_crowds_are_added_and_removed(addon):
    settings = bpy.context.scene.footfall
    for _ in range(3):
        ops.footfall.crowd_add()
    assert [crowd.name for crowd in settings.crowds] == ["Crowd", "Crowd.001", "Crowd.002"]
    assert len({crowd.uid for crowd in settings.crowds} - {""}) == 3
    assert settings.active_crowd_index == 2
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


def test_marking_makes_the_collection_and_keeps_objects_where_they_are(street):
    bpy.data.collections.remove(street.obstacles)
    street.scene.collection.objects.link(street.kiosk)
    select(street.kiosk, street.path)
    ops.footfall.mark_obstacle()
    assert [obj.name for obj in street.settings.obstacles.objects] == ["Kiosk"]
    assert street.settings.obstacles.name in street.scene.collection.children
    assert street.kiosk.name in street.scene.collection.objects
    ops.footfall.mark_obstacle()
    assert len(street.settings.obstacles.objects) == 1


def test_unmarking_keeps_the_object_in_the_scene(street):
    inner = bpy.data.collections.new("Inner")
    street.obstacles.children.link(inner)
    inner.objects.link(street.kiosk)
    street.obstacles.objects.unlink(street.kiosk)
    select(street.kiosk)
    ops.footfall.unmark_obstacle()
    assert len(street.obstacles.all_objects) == 0
    assert street.kiosk.name in street.scene.objects
    with pytest.raises(RuntimeError, match="among the obstacles"):
        ops.footfall.unmark_obstacle()


def test_marking_brings_a_lost_collection_back_into_the_scene(street, capfd):
    street.scene.collection.children.unlink(street.obstacles)
    bench = bpy.data.objects.new("Bench", street.kiosk.data)
    street.scene.collection.objects.link(bench)
    select(bench)
    ops.footfall.mark_obstacle()
    assert street.obstacles in set(street.scene.collection.children)
    assert (
        "'Bench' added to 'Obstacles', which has 2 now; the collection is back in the scene" in capfd.readouterr().out
    )
    assert ops.footfall.bake() == {"FINISHED"}


@pytest.fixture
def linked_set(street, tmp_path):
    """A collection with one box, linked from another file into the obstacles' collection."""
    source = bpy.data.collections.new("Set")
    source.objects.link(bpy.data.objects.new("Bench", bpy.data.meshes.new("Bench")))
    library = str(tmp_path / "library.blend")
    bpy.data.libraries.write(library, {source})
    bpy.data.batch_remove([source.objects[0], source])
    with bpy.data.libraries.load(library, link=True) as (_, target):
        target.collections = ["Set"]
    return target.collections[0]


def test_what_another_file_holds_cannot_be_unmarked(street, linked_set, capfd):
    street.obstacles.children.link(linked_set)
    (bench,) = linked_set.objects
    select(bench)
    with pytest.raises(RuntimeError, match="'Bench' is in 'Set', which is linked from another file"):
        ops.footfall.unmark_obstacle()
    select(bench, street.kiosk)
    ops.footfall.unmark_obstacle()
    assert list(street.obstacles.all_objects) == [bench]
    assert "1 removed from 'Obstacles'; kept" in capfd.readouterr().out


def test_nothing_is_unmarked_in_a_linked_collection(street, linked_set):
    street.settings.obstacles = linked_set
    street.scene.collection.children.link(linked_set)
    select(linked_set.objects[0])
    with pytest.raises(RuntimeError, match="Collection 'Set' is linked from another file"):
        ops.footfall.unmark_obstacle()


def test_only_bodies_can_be_marked(street):
    empty = bpy.data.objects.new("Empty", None)
    fence = bpy.data.objects.new("Fence", street.path.data.copy())
    for obj in (empty, fence):
        street.scene.collection.objects.link(obj)
    for nothing in (empty, fence, street.path):
        select(nothing)
        with pytest.raises(RuntimeError, match="No selected object can be an obstacle"):
            ops.footfall.mark_obstacle()
    fence.data.extrude = 1.0
    empty.instance_type, empty.instance_collection = "COLLECTION", street.crowd.characters
    select(fence, empty)
    ops.footfall.mark_obstacle()
    assert {obj.name for obj in street.obstacles.objects} == {"Kiosk", "Fence", "Empty"}


def test_baked_characters_cannot_be_marked(street):
    ops.footfall.bake()
    select(*(obj for obj in street.scene.objects if obj.get("footfall_crowd") == street.crowd.uid))
    assert not ops.footfall.mark_obstacle.poll()


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


@pytest.mark.parametrize(("role", "where"), [("GROUND", "ground"), ("BOUNDS", "bounds")])
def test_the_active_mesh_is_marked_as_ground_or_bounds(street, role, where):
    select(street.kiosk)
    ops.footfall.mark_selected(role=role)
    assert getattr(street.settings, where) == street.kiosk
    select(street.path)
    with pytest.raises(RuntimeError, match="'Path' is not a mesh of yours"):
        ops.footfall.mark_selected(role=role)


def test_the_active_object_is_marked_as_start_or_goal_of_the_crowd(street):
    for role in ("START", "GOAL"):
        select(street.kiosk)
        ops.footfall.mark_selected(role=role)
    assert (street.crowd.mode, street.crowd.start, street.crowd.goal) == ("AREAS", street.kiosk, street.kiosk)
    select()
    with pytest.raises(RuntimeError, match="Nothing is selected"):
        ops.footfall.mark_selected(role="GOAL")
    select(street.path)
    with pytest.raises(RuntimeError, match="'Path' cannot be a goal"):
        ops.footfall.mark_selected(role="GOAL")


@pytest.mark.parametrize(("role", "where"), [("OBSTACLE", "obstacles"), ("HERO", "heroes"), ("CROSSING", "crossings")])
def test_selected_objects_are_marked_by_one_menu(street, role, where):
    post = street.kiosk.copy()
    street.scene.collection.objects.link(post)
    select(post)
    ops.footfall.mark_selected(role=role)
    assert post in set(getattr(street.settings, where).objects)
    select()
    with pytest.raises(RuntimeError, match="No selected object can be"):
        ops.footfall.mark_selected(role=role)


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


def rig_with_body(street):
    """An armature under an empty, as importers leave it, with a mesh on it."""
    top, rig = (
        bpy.data.objects.new(name, data) for name, data in (("Root", None), ("Rig", bpy.data.armatures.new("Rig")))
    )
    body = street.kiosk.copy()
    body.name = "Body"
    rig.parent = top
    body.modifiers.new("Armature", "ARMATURE").object = rig
    for each in (top, rig, body):
        street.scene.collection.objects.link(each)
    return top, rig, body


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
    street.settings.active_crowd_index = 0  # the report is of all crowds
    assert ops.footfall.hide_originals() == {"FINISHED"}
    assert all(each.hide_viewport and each.hide_render for each in parts)
    assert told not in [problem.name for problem in street.settings.problems]
    ops.footfall.bake()
    assert told not in [problem.name for problem in street.settings.problems]


def test_selected_characters_are_marked_for_the_active_crowd(street):
    street.crowd.characters = None
    select(street.path)
    with pytest.raises(RuntimeError, match="No selected object is a character"):
        ops.footfall.mark_selected(role="CHARACTER")
    parts = rig_with_body(street)
    select(parts[1])
    ops.footfall.mark_selected(role="CHARACTER")
    assert set(street.crowd.characters.objects) == set(parts)
