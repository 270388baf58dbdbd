# SPDX-License-Identifier: GPL-3.0-or-later
"""The reading room sees what is hidden and leaves no trace."""

import bpy
import pytest

pytestmark = pytest.mark.each_blender("scenes are made, shown and removed")

_DEPRECATED = {"use_nodes"}  # of scenes: Blender 5 warns at every look


@pytest.fixture
def room(addon):
    return addon.module("blender_addon.blender_data.evaluation")


def _state():
    """Everything about the file that a user could notice: data-blocks, their users, and all their plain properties."""
    told = {}
    for kind in ("scenes", "objects", "meshes", "curves", "collections", "actions", "armatures", "node_groups"):
        for block in getattr(bpy.data, kind):
            told[kind, block.name_full] = (block.users, _plain_values(block))
    for item in bpy.data.objects:
        told["world", item.name_full] = [list(row) for row in item.matrix_world]
    layer = bpy.context.view_layer
    told["selected"] = [item.name for item in layer.objects if item.select_get()]
    told["eye"] = [item.name for item in layer.objects if item.hide_get()]
    told["excluded"] = [child.name for child in layer.layer_collection.children if child.exclude]
    told["active"] = layer.objects.active.name if layer.objects.active else None
    told["shown"] = (bpy.context.scene.name, bpy.context.scene.frame_current, bpy.data.is_dirty)
    return told


def _plain_values(block):
    values = {}
    for prop in block.bl_rna.properties:
        if prop.identifier in _DEPRECATED:
            continue
        if prop.type in {"POINTER", "COLLECTION"}:
            target = getattr(block, prop.identifier) if prop.type == "POINTER" else None
            values[prop.identifier] = getattr(target, "name_full", None)
        else:
            value = getattr(block, prop.identifier)
            values[prop.identifier] = list(value) if getattr(prop, "is_array", False) else value
    return values


def _world_place(room, scene, source, frame):
    with room.evaluation_scene(scene) as open_room:
        stand_in = open_room.bring(source)
        return list(stand_in.evaluated_get(open_room.evaluate(frame)).matrix_world.translation)


def test_a_reading_leaves_the_file_as_it_was(bench):
    collection = bench.obstacles()
    parent = bench.link(bpy.data.objects.new("Parent", None))
    parent.keyframe_insert("location", frame=1)
    parent.location.x = 30.0
    parent.keyframe_insert("location", frame=250)
    bench.box("Tram", collection, parent=parent)
    bench.box("Hidden", collection, location=(0, 9, 0)).hide_viewport = True
    bench.box("Shut eye", collection, location=(9, 9, 0)).hide_set(True)
    away = bench.box("Excluded", bench.collection("Away", collection), location=(5, 15, 0))
    route = bench.curve("Path", [(0, -5, 0), (9, -5, 0)], [(0, -6, 0), (9, -6, 0)], kind="BEZIER")
    route.data.bevel_depth = 0.3
    bench.crowd(route)
    bench.scene.frame_set(40)
    parent.location.x = -77.0  # moved, not keyed
    bpy.context.view_layer.update()
    bpy.context.view_layer.layer_collection.children[collection.name].children["Away"].exclude = True
    away.select_set(False)
    before = _state()
    bench.read()
    assert _state() == before
    bpy.context.view_layer.update()
    assert parent.location.x == -77.0
    assert _state() == before


def test_a_change_that_blender_has_not_yet_evaluated_is_read_and_still_evaluated_later(bench, room):
    box = bench.box()
    bpy.context.view_layer.update()
    box.location.x = 4.0
    assert _world_place(room, bench.scene, box, 1)[0] == 4.0
    bpy.context.view_layer.update()
    assert box.matrix_world.translation.x == 4.0


def test_nothing_stays_behind_when_reading_fails(bench, room):
    box = bench.box(hide_viewport=True)
    before = _state()

    def fail():
        with room.evaluation_scene(bench.scene) as open_room:
            open_room.bring(box)
            open_room.follow(box)
            open_room.evaluate(7)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert _state() == before


def test_handlers_of_other_addons_do_not_see_the_room(bench, room):
    seen = []

    def note(scene, *_):
        seen.append(scene.name)

    lists = [bpy.app.handlers.frame_change_pre, bpy.app.handlers.frame_change_post]
    for handlers in lists:
        handlers.append(note)
    try:
        _world_place(room, bench.scene, bench.box(), 5)
        assert seen == []
        bench.scene.frame_set(6)
        assert seen == [bench.scene.name] * 2
    finally:
        for handlers in lists:
            handlers.remove(note)


@pytest.mark.parametrize("hide", ["monitor", "eye", "excluded", "parent's monitor", "collection's monitor"])
def test_what_the_user_has_hidden_is_read(bench, room, hide):
    parent = bench.box("Parent", location=(3, 0, 0))
    collection = bench.collection("Kept apart")
    box = bench.box(collection=collection, parent=parent, location=(0, 4, 0))
    if hide == "monitor":
        box.hide_viewport = True
    elif hide == "eye":
        box.hide_set(True)
    elif hide == "excluded":
        bpy.context.view_layer.layer_collection.children[collection.name].exclude = True
    elif hide == "parent's monitor":
        parent.hide_viewport = True
    else:
        collection.hide_viewport = True
    with room.evaluation_scene(bench.scene) as open_room:
        meshes = bench.addon.module("blender_addon.reading.shapes.meshes")
        bodies, disabled = meshes.read_bodies(open_room, [box], 1, 1.0)
    assert not disabled
    assert bodies[box].points.min(axis=0).tolist() == [2.0, 3.0, 0.0]
    assert bodies[box].points.max(axis=0).tolist() == [4.0, 5.0, 2.0]


def test_what_its_own_animation_hides_is_named_with_its_collection(bench):
    box = bench.box(collection=bench.obstacles(), hide_viewport=True)
    box.keyframe_insert("hide_viewport", frame=1)
    bench.crowd(bench.curve("Path", [(0, -9, 0), (9, -9, 0)]))
    refusal = bench.refusal()
    assert refusal.startswith("Kiosk: ")
    assert "disables it in viewports at frame 1" in refusal
    assert "'Obstacles'" in refusal


def test_frames_are_those_of_the_users_scene(bench, room):
    bench.scene.render.fps = 25
    bench.scene.frame_start, bench.scene.frame_end = 300, 500
    bench.scene.render.frame_map_old, bench.scene.render.frame_map_new = 100, 50
    box = bench.box()
    driver = box.driver_add("location", 0).driver
    driver.expression = "frame"
    assert _world_place(room, bench.scene, box, 400)[0] == pytest.approx(800.0)  # 100 frames play in 50


def test_reading_works_in_a_timer_and_in_edit_mode(bench):
    box = bench.box(collection=bench.obstacles(), location=(0, 5, 0))
    bench.crowd(bench.curve("Path", [(0, -5, 0), (9, -5, 0)]))
    bpy.context.view_layer.objects.active = box
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.delete(type="ONLY_FACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.edge_face_add()  # not yet in the mesh that others see
    reading = bench.read()
    assert box.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(reading.scene.obstacles) == 1
