# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender scene as a whole: what the core gets, what is refused, and when two readings are the same."""

import bpy
import numpy as np
import pytest

LINE = [(0, 0, 0), (20, 0, 0)]


def test_settings_reach_the_core(bench):
    bench.scene.render.fps, bench.scene.render.fps_base = 24, 1.001
    bench.scene.frame_start, bench.scene.frame_end = 10, 90
    bench.settings.seed = 7
    crowd = bench.crowd(bench.curve("Path", LINE), count=42, name="Shoppers", path_width=3.5, arrival="LEAVE")
    crowd.speed.mean, crowd.speed.sd = 1.5, 0.1
    crowd.radius, crowd.radius_variation = 0.3, 0.5
    crowd.spawn.mode, crowd.spawn.rate = "FLOW", 2.0
    scene = bench.read().scene
    assert scene.fps == pytest.approx(23.976, abs=1e-3)
    assert (scene.frames, scene.seed) == ((10, 90), 7)
    (core,) = scene.crowds
    assert (core.name, core.kind, core.count, core.route, core.arrival) == (
        "Shoppers",
        "pedestrian",
        42,
        "Path",
        "leave",
    )
    assert core.radius == pytest.approx((0.15, 0.45))
    assert (core.speed.mean, core.speed.sd) == pytest.approx((1.5, 0.1))
    assert (core.spawn.mode, core.spawn.rate) == ("flow", 2.0)
    assert scene.routes[0].width == 3.5


@pytest.mark.parametrize("count", [0, 100_000])
def test_any_number_of_people_can_be_asked_for(bench, count):
    bench.crowd(bench.curve("Path", LINE, [(0, 5, 0), (9, 5, 0)]), count=count)
    assert sum(crowd.count for crowd in bench.read().scene.crowds) == count


def test_a_scene_without_crowds_can_be_read(bench):
    bench.box(collection=bench.obstacles())
    reading = bench.read()
    assert reading.crowds == ()
    assert len(reading.scene.obstacles) == 1


def test_core_crowds_know_their_crowd_in_the_panel(bench):
    bench.crowd(bench.curve("One", LINE), name="A")
    bench.crowd(bench.curve("Two", LINE, [(0, 9, 0), (20, 9, 0)]), name="B")
    bench.crowd(bench.curve("Three", LINE), name="C")
    reading = bench.read()
    assert [(c.index, c.name) for c in reading.crowds] == [(0, "A"), (1, "B"), (1, "B.2"), (2, "C")]
    assert [c.name for c in reading.scene.crowds] == ["A", "B", "B.2", "C"]


def test_a_further_crowd_does_not_take_the_name_of_another(bench):
    bench.crowd(bench.curve("One", LINE, [(0, 9, 0), (20, 9, 0)]), name="A")
    bench.crowd(bench.curve("Two", LINE), name="A.2")
    assert [(c.index, c.name) for c in bench.read().crowds] == [(0, "A"), (0, "A.3"), (1, "A.2")]


def test_a_crowd_without_a_route_is_named(bench):
    bench.crowd(None, name="Lost")
    assert bench.refusal() == "Lost: has no route: choose a curve."


def test_a_route_that_was_deleted_from_the_scene_is_named(bench):
    path = bench.curve("Path", LINE)
    bench.crowd(path)
    bench.scene.collection.objects.unlink(path)
    assert bench.refusal() == ("Walkers: its route 'Path' is no longer in the scene 'Scene': choose another.")


@pytest.mark.parametrize("purpose", ["ground", "bounds"])
def test_other_objects_deleted_from_the_scene_are_named(bench, purpose):
    bench.crowd(bench.curve("Path", LINE))
    box = bench.box("Gone")
    setattr(bench.settings, purpose, box)
    bench.scene.collection.objects.unlink(box)
    assert bench.refusal() == f"Gone: is the {purpose}, but no longer in the scene 'Scene': choose another."


def test_an_obstacles_collection_that_was_unlinked_is_named(bench):
    bench.crowd(bench.curve("Path", LINE))
    bench.box(collection=bench.obstacles())
    bench.scene.collection.children.unlink(bench.settings.obstacles)
    assert "the obstacles' collection 'Obstacles' is no longer in the scene" in bench.refusal()


def test_objects_that_were_removed_altogether_leave_no_trace(bench):
    path = bench.curve("Path", LINE)
    bench.crowd(path)
    bpy.data.objects.remove(path)
    assert bench.refusal().startswith("Walkers: has no route")


def test_a_route_wholly_inside_an_obstacle_is_named(bench):
    bench.crowd(bench.curve("Path", LINE))
    bench.box("Hall", bench.obstacles(), location=(10, 0, 0), size=(15, 5, 1))
    assert bench.refusal() == "Path: lies entirely inside the obstacle 'Hall', so nobody can walk along it."


def test_a_route_inside_several_obstacles_together_is_named(bench):
    bench.crowd(bench.curve("Path", [(x, 0, 0) for x in range(0, 21, 2)]))
    bench.box("Hall", bench.obstacles(), location=(0, 0, 0), size=(15, 5, 1))
    bench.box("Annex", bench.obstacles(), location=(19, 0, 0), size=(5, 5, 1))
    assert "Path: lies entirely inside the obstacle 'Hall'" in bench.refusal()


def test_a_route_through_a_courtyard_is_free(bench):
    ring = [(x * s, y * s, z) for s in (9.0, 6.0) for z in (0.0, 3.0) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    faces = []
    for first, second in ((0, 4), (4, 12), (12, 8), (8, 0)):
        faces += [(first + k, first + (k + 1) % 4, second + (k + 1) % 4, second + k) for k in range(4)]
    bench.mesh("Cloister", ring, faces, collection=bench.obstacles())
    bench.crowd(bench.curve("Path", [(-5, 0, 0), (5, 0, 0)]))
    assert len(bench.read().scene.obstacles[0].holes) == 1


def test_every_fault_is_told_in_one_pass(bench):
    bench.crowd(None, name="A")
    bench.crowd(bench.curve("Dot", LINE[:1]), name="B")
    bench.mesh("Broken", [(0, 0, 0), (1, 0, 0), (float("nan"), 1, 0)], [(0, 1, 2)], collection=bench.obstacles())
    bench.settings.ground = bench.mesh("Bare", [(0, 0, 0)])
    with pytest.raises(bench.addon.errors.SceneError) as caught:
        bench.read()
    assert {fault.place for fault in caught.value.faults} == {"A", "Dot", "Broken", "Bare"}


def test_a_fault_of_a_setting_names_the_crowd_and_the_setting(bench):
    bench.crowd(bench.curve("Path", LINE), arrival="LOOP")
    refusal = bench.refusal()
    assert refusal.startswith("Walkers: At the End: ")
    assert "'Path'" in refusal


def test_the_ground_is_read_in_metres(bench):
    bench.scene.unit_settings.system, bench.scene.unit_settings.scale_length = "METRIC", 0.01
    bench.crowd(bench.curve("Path", [(0, 0, 0), (500, 0, 0)]))
    plane = [(-1000, -1000, 0), (1000, -1000, 200), (1000, 1000, 200), (-1000, 1000, 0)]
    bench.settings.ground = bench.mesh("Slope", plane, [(0, 1, 2, 3)], location=(0, 0, 100), hide_viewport=True)
    reading = bench.read()
    assert reading.unit == pytest.approx(0.01)
    np.testing.assert_allclose(reading.ground.heights([(0.0, 0.0), (10.0, 3.0)]), [2.0, 3.0], atol=1e-5)


def test_a_ground_that_carries_nobody_is_named(bench):
    bench.crowd(bench.curve("Path", LINE))
    bench.settings.ground = bench.mesh("Wall", [(0, 0, 0), (1, 0, 0), (1, 0, 1)], [(0, 1, 2)])
    assert bench.refusal() == "Wall: cannot be the ground: it has no faces, or only vertical ones."


def test_another_scene_than_the_shown_one_can_be_read(bench):
    other = bpy.data.scenes.new("Other")
    path = bench.curve("Path", LINE)
    other.collection.objects.link(path)
    other.frame_end = 33
    crowd = other.footfall.crowds.add()
    crowd.name, crowd.route = "Walkers", path
    bench.scene = other
    assert bench.read().scene.frames == (1, 33)


def test_a_scene_that_was_read_can_be_exported_and_read_again(bench, tmp_path):
    bench.crowd(bench.curve("Path", LINE))
    bench.box(collection=bench.obstacles(), location=(9, 9, 0))
    scene = bench.read().scene
    core = bench.addon.core
    core.save_scene(scene, tmp_path / "scene.json")
    again = core.load_scene(tmp_path / "scene.json")
    np.testing.assert_array_equal(again.obstacles[0].outline, scene.obstacles[0].outline)
    np.testing.assert_array_equal(again.routes[0].points, scene.routes[0].points)


def _full_scene(bench):
    bench.settings.ground = bench.mesh("Lawn", [(-99, -99, 0), (99, -99, 0), (99, 99, 0), (-99, 99, 0)], [(0, 1, 2, 3)])
    bench.box(collection=bench.obstacles(), location=(9, 9, 0))
    bench.settings.crowds.clear()
    people = bench.collection("People")
    bench.box("Person", people, location=(0, 50, 0))
    bench.crowd(bench.curve("Path", LINE), characters=people)


CHANGES = {
    "route": lambda b: setattr(bpy.data.objects["Path"], "location", (0, 0.01, 0)),
    "obstacle": lambda b: setattr(bpy.data.objects["Kiosk"], "location", (9, 9.01, 0)),
    "ground": lambda b: setattr(bpy.data.objects["Lawn"], "location", (0, 0, 0.01)),
    "count": lambda b: setattr(b.settings.crowds[0], "count", 11),
    "seed": lambda b: setattr(b.settings, "seed", 1),
    "rig": lambda b: setattr(b.settings.crowds[0].motion, "rig", "DEFORM_ONLY"),
    "forward axis": lambda b: setattr(b.settings.crowds[0], "forward_axis", "POS_X"),
    "stride": lambda b: setattr(b.settings.crowds[0], "stride_length", 1.7),
    "characters": lambda b: setattr(b.settings.crowds[0], "characters", None),
    "another character": lambda b: b.box("Second", bpy.data.collections["People"]),
    "frames": lambda b: setattr(b.scene, "frame_end", 200),
    "rate": lambda b: setattr(b.scene.render, "fps", 30),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_that_matters_changes_the_fingerprint(bench, change):
    _full_scene(bench)
    before = bench.read().fingerprint
    CHANGES[change](bench)
    assert bench.read().fingerprint != before


@pytest.fixture
def walkers(bench):
    """A rig that walks, with a body on it, and what may be changed of it."""
    actions = bench.addon.module("blender_addon.blender_data.animation")
    people = bench.collection("People")
    rig = bench.link(bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig")), people)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.new("hip").tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    body = bench.box("Body", people)
    body.parent = rig

    def clip(name, *, last=20, way=0.5, path='pose.bones["hip"].location'):
        channels = [actions.Channel(path, axis, [1, last], [0.0, way]) for axis in range(3)]
        return actions.new_clip(name, channels, group="Bones")

    actions.assign_clip(rig, clip("Stroll"))
    bench.crowd(bench.curve("Path", LINE), characters=people)
    bench.actions, bench.clip, bench.rig, bench.body = actions, clip, rig, body
    return bench


def _move_a_key(b):
    (curve, *_) = b.actions.curves_of(b.actions.active_clip(b.rig.animation_data))
    curve.keyframe_points[1].co.y = 0.7


def _set_the_range(b):
    action = b.rig.animation_data.action
    action.use_frame_range, action.frame_start, action.frame_end = True, 1, 10


def _push_down(b):
    clip = b.actions.active_clip(b.rig.animation_data)
    b.rig.animation_data.action = None
    b.actions.add_strip(b.rig.animation_data.nla_tracks.new(), "Stroll", clip, 1)


CHANGES_OF_WALKERS = {
    "another clip": lambda b: b.actions.assign_clip(b.rig, b.clip("March")),
    "a key of the clip": _move_a_key,
    "the clip's range": _set_the_range,
    "the clip as a strip": _push_down,
    "no clip": lambda b: setattr(b.rig.animation_data, "action", None),
    "size": lambda b: setattr(b.rig, "scale", (1.1, 1.1, 1.1)),
    "turn": lambda b: setattr(b.rig, "rotation_euler", (0, 0, 1)),
    "place of a part": lambda b: setattr(b.body, "location", (0, 0, 0.1)),
    "a further part": lambda b: setattr(b.box("Hat"), "parent", b.rig),
    "a modifier": lambda b: b.body.modifiers.new("Smooth", "SUBSURF"),
}


@pytest.mark.parametrize("change", CHANGES_OF_WALKERS)
def test_every_change_of_the_characters_that_matters_changes_the_fingerprint(walkers, change):
    before = walkers.read().fingerprint
    assert walkers.read().fingerprint == before
    CHANGES_OF_WALKERS[change](walkers)
    assert walkers.read().fingerprint != before


def test_what_does_not_matter_of_the_characters_leaves_the_fingerprint(walkers, tmp_path):
    sway = walkers.clip("Sway", path="location", last=50, way=3.0)
    walkers.actions.assign_clip(walkers.body, sway)
    before = walkers.read().fingerprint
    walkers.rig.location = (50.0, 0.0, 0.0)  # out of the way
    walkers.scene.frame_set(33)
    assert walkers.read().fingerprint == before
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walkers.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "walkers.blend"))
    walkers.scene = bpy.context.scene
    assert walkers.read().fingerprint == before


def _look_away(item, _):
    item.hide_set(True)


def _exclude(_, layer):
    layer.exclude = True


def _hide_collection(_, layer):
    layer.hide_viewport = True


def _disable_collection(_, layer):
    layer.collection.hide_viewport = True


@pytest.mark.parametrize(
    "hide",
    [
        _look_away,
        lambda item, _: setattr(item, "hide_viewport", True),
        _exclude,
        _hide_collection,
        _disable_collection,
    ],
    ids=["eye", "monitor", "excluded", "eye of the collection", "monitor of the collection"],
)
def test_a_hidden_obstacle_stands_in_the_way_and_is_told(bench, hide):
    bench.crowd(bench.curve("Path", LINE))
    item = bench.box(collection=bench.obstacles(), location=(9, 9, 0))
    assert bench.read().notices == []
    hide(item, bpy.context.view_layer.layer_collection.children["Obstacles"])
    reading = bench.read()
    assert [obstacle.name for obstacle in reading.scene.obstacles] == ["Kiosk"]
    assert reading.notices == ["'Kiosk' (in 'Obstacles') is hidden but still an obstacle. Unmark it to ignore it."]


def test_many_hidden_obstacles_are_told_in_one_sentence(bench):
    bench.crowd(bench.curve("Path", LINE))
    inner = bench.collection("Old", bench.obstacles())
    for number in range(7):
        bench.box(f"Box{number}", inner if number < 2 else bench.obstacles(), location=(3 * number, 9, 0))
    for item in bench.obstacles().all_objects:
        item.hide_set(item.name != "Box6")
    (notice,) = bench.read().notices
    assert notice.endswith(
        "and 1 more (in 'Obstacles' and 'Old') are hidden but still obstacles. Unmark them to ignore them."
    )
    assert "Box6" not in notice


def test_a_hidden_obstacle_that_is_in_nobodys_way_is_not_said_to_be_in_it(bench):
    bench.crowd(bench.curve("Path", LINE))
    bench.box("Roof", bench.obstacles(), location=(9, 9, 5), hide_viewport=True)
    (notice,) = bench.read().notices
    assert "so it is not an obstacle" in notice


def test_a_scene_that_is_not_shown_hides_by_its_own_layers(bench):
    bench.crowd(bench.curve("Path", LINE))
    bench.box(collection=bench.obstacles(), location=(9, 9, 0))
    bench.scene = bench.scene.copy()
    assert bench.read().notices == []
    bench.scene.view_layers[0].layer_collection.children["Obstacles"].hide_viewport = True
    assert len(bench.read().notices) == 1


def test_what_does_not_matter_leaves_the_fingerprint(bench):
    _full_scene(bench)
    before = bench.read().fingerprint
    bench.box("Bystander", location=(3, 3, 0))
    bench.scene.frame_set(77)
    bpy.data.objects["Kiosk"].hide_viewport = True
    bench.settings.crowds[0].baked = "something"
    assert bench.read().fingerprint == before


def test_a_file_that_was_saved_and_opened_has_the_same_fingerprint(bench, tmp_path):
    _full_scene(bench)
    before = bench.read().fingerprint
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    bench.scene = bpy.context.scene
    assert bench.read().fingerprint == before


@pytest.mark.parametrize(("arrival", "told"), [("AUTO", True), ("STOP", False), ("LOOP", False)])
def test_who_stops_at_the_seam_of_a_closed_curve_is_told_how_to_go_on(bench, arrival, told):
    ring = bench.curve("Ring", [(0, 0, 0), (20, 0, 0), (20, 20, 0), (0, 20, 0)])
    ring.data.splines[0].use_cyclic_u = True
    bench.crowd(ring, count=3, arrival=arrival)
    assert any("Go Round Again" in notice for notice in bench.read().notices) == told
