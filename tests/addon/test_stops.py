# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops from the panel to the baked file: read, walked to, looked at, queued for, and left out with a sentence."""

import json
import math

import bpy
import numpy as np
import pytest
from mathutils import Vector

FRAMES = 420


def empty(name, x, y, turn=0.0):
    found = bpy.data.objects.new(name, None)
    found.location, found.rotation_euler = (x, y, 0.0), (0.0, 0.0, turn)
    bpy.context.scene.collection.objects.link(found)
    return found


def add_stop(crowd, place, **values):
    stop = crowd.stops.add()
    stop.name, stop.place, stop.stay_variation = place.name if place else "Stop", place, 0.0
    for name, value in values.items():
        setattr(stop, name, value)
    return stop


@pytest.fixture
def market(street, make):
    """A straight path of 16 m with a window to look into on the left, and a kiosk to queue at on the right."""
    points = street.path.data.splines[0].points
    for point, x in zip(points, (0.0, 8.0, 16.0), strict=True):
        point.co = (x, 0.0, 0.0, 1.0)
    street.scene.frame_start, street.scene.frame_end = 1, FRAMES
    street.crowd.count, street.crowd.spawn.mode, street.crowd.arrival = 4, "SPREAD", "LEAVE"
    street.crowd.speed.sd = 0.0
    street.crowd.characters, street.crowd.forward_axis = make.collection("Props", make.cube("Box", 0.4)), "POS_X"
    street.window = make.cube("Window", 1.0)
    street.window.location = (12.0, 4.0, 0.0)
    make.link(street.window)
    street.spot = empty("Spot", 12.0, 2.5)
    street.stall = empty("Stall", 13.0, -2.5, -math.pi / 2.0)  # its Y axis along +X
    add_stop(street.crowd, street.spot, do="LOOK_AT", look_at=street.window, stay=3.0)
    add_stop(street.crowd, street.stall, do="QUEUE", stay=1.5, room=3)
    bpy.context.view_layer.update()
    return street


def read(street, addon):
    bpy.context.view_layer.update()
    return addon.module("blender_addon.reading").read_scene(street.scene)


def test_stops_reach_the_core_with_the_places_that_crowds_share(market, addon):
    bpy.ops.footfall.crowd_add()
    other = market.settings.crowds[1]
    other.route = market.path
    add_stop(other, market.stall, do="STAND", share=0.5)
    scene = read(market, addon).scene
    assert [place.name for place in scene.places] == ["Spot", "Stall"]
    assert scene.places[1].points == pytest.approx(np.array([[13.0, -2.5]]))
    assert scene.places[1].headings == pytest.approx([0.0], abs=1e-6)
    look, queue = scene.crowds[0].stops
    assert (look.do, look.place, look.duration.mean) == ("look_at", "Spot", 3.0)
    assert look.look_at == pytest.approx((12.0, 4.0, 0.5))
    assert (queue.do, queue.place, queue.room) == ("queue", "Stall", 3)
    assert [(stop.place, stop.share) for stop in scene.crowds[1].stops] == [("Stall", 0.5)]


def test_a_collection_a_curve_and_a_mesh_are_places_too(market, addon, make):
    two = make.collection("Benches", empty("A", 3.0, 3.0), empty("B", 5.0, 3.0))
    stop = add_stop(market.crowd, None, places=two)
    square = make.cube("Square", 2.0)
    square.location = (6.0, -3.0, 0.0)
    make.link(square)
    add_stop(market.crowd, square)
    rail = bpy.data.objects.new("Rail", market.path.data.copy())
    rail.location = (0.0, 3.0, 0.0)
    make.link(rail)
    add_stop(market.crowd, rail, do="QUEUE")
    assert stop.name == "Stop"
    found = {place.name: place for place in read(market, addon).scene.places}
    assert found["Benches"].points == pytest.approx(np.array([[3.0, 3.0], [5.0, 3.0]]))
    assert np.ptp(found["Square"].outlines[0], axis=0) == pytest.approx([2.0, 2.0])
    assert found["Rail"].lines[0][0] == pytest.approx([0.0, 3.0])


def test_seats_are_empties_points_of_meshes_and_what_is_scattered_as_they_are_evaluated(market, addon, make):
    bench = bpy.data.objects.new("Bench", bpy.data.meshes.new("Bench"))
    bench.data.from_pydata([(3.0, 2.0, 0.5), (4.0, 2.0, 0.5)], [], [])
    array = bench.modifiers.new("Array", "ARRAY")
    array.count, array.use_relative_offset, array.use_constant_offset = 2, False, True
    array.constant_offset_displace = (0.0, 1.0, 0.0)
    make.link(bench)
    add_stop(market.crowd, bench, do="SIT", then="BACK")
    stool = empty("Stool", 5.0, 3.0, math.pi / 2.0)
    stool.location.z = 0.4
    add_stop(market.crowd, stool, do="SIT")
    scene = read(market, addon).scene
    found = {place.name: place for place in scene.places}
    assert found["Bench"].points[:4] == pytest.approx(np.array([[3, 2], [4, 2], [3, 3], [4, 3]], dtype=float))
    assert found["Bench"].heights == pytest.approx(np.full(4, 0.5))
    assert found["Bench"].headings == pytest.approx(np.full(4, math.pi / 2.0))  # the Y axis of the object
    assert np.cos(found["Stool"].headings) == pytest.approx([-1.0])
    assert found["Stool"].heights == pytest.approx([0.4])
    assert [stop.then for stop in scene.crowds[0].stops] == ["on", "on", "back", "on"]


def test_what_people_wait_for_play_and_are_seen_to_do_reaches_the_core(market, addon, make):
    bus = make.cube("Bus", 2.0)
    make.link(bus)
    for frame, x in ((1, -20.0), (100, 10.0)):
        bus.location = (x, 6.0, 0.0)
        bus.keyframe_insert("location", frame=frame)
    add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaits="COMES", awaited=bus, awaited_distance=6.0)
    add_stop(market.crowd, market.stall, do="PLAY_CLIP", clip=bpy.data.actions.new("Dance"), then="LEAVE")
    add_stop(market.crowd, market.stall, activities={"PHONE", "CLAP"})
    crowd = {"awaits": "CROWD", "awaited_crowd": market.crowd.name, "awaited": bus}
    add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaited_deed="PASSES", **crowd)
    add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaited_deed="ARRIVES", **crowd)
    scene = read(market, addon).scene
    waits, plays, stands, passes, arrives = scene.crowds[0].stops[2:]
    assert (passes.awaits.crowd, passes.awaits.does, passes.awaits.mark) == (market.crowd.name, "passes", "Bus")
    assert (arrives.awaits.what, arrives.awaits.does, arrives.awaits.mark) == ("crowd", "arrives", "")
    assert (waits.awaits.what, waits.awaits.mark, waits.awaits.distance) == ("comes", "Bus", 6.0)
    assert scene.marks[0].motion.x[[0, -1]] == pytest.approx([-20.0, 10.0])
    assert (plays.clip, plays.then, stands.activities) == ("Dance", "leave", ("clap", "phone"))


def test_people_stop_facing_the_window_and_the_file_says_so_after_loading(market, addon, make, tmp_path):
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    looks = []
    people = [each for each in market.scene.objects if each.get("footfall_crowd") == market.crowd.uid]
    watched = np.array([make.matrices(people, frame) for frame in range(1, FRAMES + 1, 6)])
    for places in watched.swapaxes(0, 1):
        speed = np.hypot(*np.diff(places[:, :2, 3], axis=0).T) * 4.0
        near = np.hypot(*(places[1:, :2, 3] - (12.0, 2.5)).T) < 1.5
        for matrix in places[1:][near & (speed < 0.02)]:
            apart = np.array((12.0, 4.0)) - matrix[:2, 3]
            off = math.atan2(apart[1], apart[0]) - math.atan2(matrix[1, 0], matrix[0, 0])
            looks.append(abs(math.remainder(off, 2.0 * math.pi)))
    assert len(looks) > 10
    assert np.median(looks) < math.radians(15.0)  # the first of them are still turning
    reasons = addon.module("blender_addon.bakes.stored_reasons").read_reasons(market.scene, market.crowd.uid)
    assert (reasons.stop >= 0).any()
    frame, agent = np.argwhere(reasons.doing == addon.module("core.simulation.world.doing").Doing.LOOKING)[30]
    market.scene.frame_set(int(frame) + 1)
    person = sorted(each.name for each in market.scene.objects if each.get("footfall_crowd") == market.crowd.uid)
    bpy.ops.footfall.explain_person(person=person[agent])
    told = json.loads(market.settings.explanation)
    assert (told["sentence"], told["stop"]) == ("looks at Spot", "Spot")
    path = tmp_path / "market.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    scene = bpy.context.scene
    bpy.ops.footfall.compare_bake()
    assert scene.footfall.bake_state == "UP_TO_DATE"
    bpy.data.objects["Spot"].location.x = 11.0
    bpy.context.view_layer.update()
    bpy.ops.footfall.compare_bake()
    assert scene.footfall.bake_state == "OUT_OF_DATE"


def gone(market):
    bpy.context.scene.collection.objects.unlink(market.spot)
    market.scene.collection.children.link(bpy.data.collections.new("Elsewhere"))


def bare(name):
    """A mesh of nothing."""
    made = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    bpy.context.scene.collection.objects.link(made)
    return made


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda market: bpy.data.objects.remove(market.spot), "its stop 'Spot' has no place: choose an object"),
        (gone, "its stop 'Spot' names 'Spot', which is no longer in the scene"),
        (lambda market: setattr(market.crowd.stops[1], "place", market.window), "is a queue at the mesh 'Window'"),
        (lambda market: setattr(market.crowd.stops[1], "do", "PLAY_CLIP"), "has no clip to play: choose an action"),
        (lambda market: add_stop(market.crowd, market.path, do="SIT"), "has seats on the curve 'Path'"),
        (lambda market: add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaits="MOVES"), "waits for an object"),
        (lambda market: add_stop(market.crowd, bare("Bench"), do="SIT"), "has no seats: 'Bench' has no points"),
        (lambda market: add_stop(market.crowd, bare("Lawn")), "has nothing to stand on: 'Lawn' has no faces"),
        (lambda market: add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaits="CROWD"), "waits for a crowd"),
        (
            lambda market: add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaits="CROWD", awaited_crowd="Nobody"),
            "waits for the crowd 'Nobody', which does not exist",
        ),
    ],
)
def test_a_stop_that_cannot_be_read_is_left_out_with_a_sentence_and_the_others_stay(market, addon, spoil, message):
    market.crowd.stops[0].look_at = None
    known = {stop.known_as or stop.place for stop in read(market, addon).scene.crowds[0].stops}
    spoil(market)
    found = read(market, addon)
    (told,) = (notice for notice in found.notices if message in notice)
    assert told.startswith(f"{market.crowd.name}: its stop '")
    assert told.endswith("Until then nobody stops there.")
    left = {stop.known_as or stop.place for stop in found.scene.crowds[0].stops}
    assert left <= known
    assert len(left) >= len(known) - 1


def test_a_bake_goes_on_without_a_stop_whose_place_was_deleted(market, addon):
    market.crowd.stops[0].stay = 1.0
    bpy.data.objects.remove(market.spot)
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    assert "its stop 'Spot' has no place" in market.settings.report
    reasons = addon.module("blender_addon.bakes.stored_reasons").read_reasons(market.scene, market.crowd.uid)
    doing = addon.module("core.simulation.world.doing").Doing
    assert (reasons.doing == doing.SERVED).any()
    assert not (reasons.doing == doing.LOOKING).any()


def test_stops_are_added_at_the_active_object_moved_and_removed(market):
    crowd = market.crowd
    for each in bpy.context.selected_objects:
        each.select_set(False)
    bench = empty("Bench", 4.0, 2.0)
    bench.select_set(True)
    bpy.context.view_layer.objects.active = bench
    bpy.ops.footfall.stop_add()
    assert (crowd.stops[2].name, crowd.stops[2].place, crowd.active_stop_index) == ("Bench", bench, 2)
    bpy.ops.footfall.stop_add(kind="BENCH")
    assert (crowd.stops[3].do, crowd.stops[3].share) == ("SIT", pytest.approx(0.2))
    made = crowd.stops[3].place
    assert made == bench
    bpy.ops.footfall.stop_remove()
    crowd.active_stop_index = 2
    bpy.ops.footfall.stop_move(direction="UP")
    assert [stop.name for stop in crowd.stops] == ["Spot", "Bench", "Stall"]
    bpy.ops.footfall.stop_remove()
    assert [stop.name for stop in crowd.stops] == ["Spot", "Stall"]
    assert bench.name in bpy.data.objects, "it is the user's"
    crowd.stops[1].name = "Spot"
    assert crowd.stops[1].name == "Spot.001"


def test_a_place_that_a_stop_made_goes_with_it_unless_something_else_needs_it(market):
    crowd = market.crowd
    bpy.ops.object.select_all(action="DESELECT")
    for kind in ("WINDOW", "BENCH", "PLAIN", "CHAT", "PHONE"):
        bpy.ops.footfall.stop_add(kind=kind)
    renamed, chat, phone = (stop.place for stop in list(crowd.stops)[-3:])
    renamed.name = "Corner"
    market.settings.triggers.add().to = chat
    child = empty("Sign", 0.0, 0.0)
    child.parent = phone
    for _ in range(5):
        crowd.active_stop_index = len(crowd.stops) - 1
        bpy.ops.footfall.stop_remove()
    assert [stop.name for stop in crowd.stops] == ["Spot", "Stall"]
    left = set(bpy.data.objects)
    assert left >= {renamed, chat, phone, child}
    assert "Shop Window" not in bpy.data.objects
    assert "Bench" not in bpy.data.objects
    assert "Bench" not in bpy.data.meshes


def test_without_a_place_among_the_selected_a_stop_is_made_at_the_cursor(market):
    crowd, scene = market.crowd, market.scene
    bpy.context.view_layer.update()
    for each in bpy.context.selected_objects:
        each.select_set(False)
    ys = [(crowd.route.matrix_world @ Vector(corner)).y for corner in crowd.route.bound_box]
    scene.cursor.location = (3.0, min(ys) - 4.0, 0.45)
    bpy.ops.footfall.stop_add(kind="WINDOW")
    bpy.ops.footfall.stop_add(kind="BENCH")
    window, bench = crowd.stops[2].place, crowd.stops[3].place
    assert [stop.name for stop in list(crowd.stops)[2:]] == ["Shop Window", "Bench"]
    assert (window.type, bench.type, len(bench.data.vertices)) == ("EMPTY", "MESH", 4)
    assert all(each.location == scene.cursor.location for each in (window, bench))
    assert bench.rotation_euler.z == pytest.approx(0.0, abs=1e-6)  # along Y, towards the route
    scene.cursor.location.y = max(ys) + 4.0
    bpy.ops.footfall.stop_add(kind="BENCH")
    assert abs(crowd.stops[4].place.rotation_euler.z) == pytest.approx(math.pi)


def test_a_window_or_bench_under_the_cursor_becomes_an_obstacle_and_no_floor_does(market, make):
    scene, before = market.scene, set(market.settings.obstacles.all_objects)
    street = make.cube("Street", 1.0)
    street.location, street.scale = (0.0, 0.0, -1.0), (90.0, 90.0, 1.0)
    make.link(street)
    bpy.context.view_layer.update()
    bpy.ops.object.select_all(action="DESELECT")
    pavement = make.cube("Pavement", 1.0)
    pavement.location, pavement.scale = (3.0, 8.0, -0.5), (4.0, 4.0, 1.0)
    bench = make.cube("Bench", 1.0)
    bench.location, bench.scale = (3.0, -8.0, 0.225), (2.0, 0.4, 0.45)
    make.link(pavement, bench)
    bpy.context.view_layer.update()
    for obj, axis, sign, kind in (
        (market.window, 1, -1.0, "WINDOW"),
        (street, 2, 1.0, "WINDOW"),
        (pavement, 2, 1.0, "WINDOW"),
        (bench, 2, 1.0, "BENCH"),
    ):
        corners = [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
        scene.cursor.location = sum(corners, Vector()) / 8.0
        scene.cursor.location[axis] = max(sign * corner[axis] for corner in corners) * sign
        bpy.ops.footfall.stop_add(kind=kind)
    assert set(market.settings.obstacles.all_objects) == before | {market.window, bench}
    assert all(stop.place.type == "EMPTY" for stop in list(market.crowd.stops)[-4:-1])


@pytest.mark.parametrize(("metre", "away", "is_on_it"), [(1.0, 0.01, True), (0.01, 1.0, True), (0.01, 3.0, False)])
def test_a_cursor_is_on_a_window_within_two_centimetres_in_scenes_of_any_unit(market, metre, away, is_on_it):
    bpy.context.view_layer.update()
    bpy.ops.object.select_all(action="DESELECT")
    market.scene.unit_settings.scale_length = metre
    market.window.location *= 1.0 / metre
    market.window.scale *= 1.0 / metre
    bpy.context.view_layer.update()
    corners = [market.window.matrix_world @ Vector(corner) for corner in market.window.bound_box]
    market.scene.cursor.location = sum(corners, Vector()) / 8.0
    market.scene.cursor.location.y = min(corner.y for corner in corners) - away
    bpy.ops.footfall.stop_add(kind="WINDOW")
    assert (market.window in set(market.settings.obstacles.all_objects)) == is_on_it


def test_people_stand_before_a_window_that_is_selected(market):
    bpy.ops.object.select_all(action="DESELECT")
    market.window.select_set(True)
    bpy.context.view_layer.objects.active = market.window
    bpy.ops.footfall.stop_add(kind="WINDOW")
    stop = market.crowd.stops[2]
    front = min((market.window.matrix_world @ Vector(corner)).y for corner in market.window.bound_box)
    assert (stop.name, stop.place.type) == ("Window", "EMPTY")
    assert stop.place.matrix_world.translation.y == pytest.approx(front - 0.05, abs=1e-4), "on the side of the route"
    assert market.window in set(market.settings.obstacles.all_objects)


def test_people_stand_before_the_middle_of_a_window_wherever_its_origin_is(market):
    bpy.ops.object.select_all(action="DESELECT")
    market.window.select_set(True)
    bpy.context.view_layer.objects.active = market.window
    bpy.ops.object.transform_apply()
    bpy.ops.footfall.stop_add(kind="WINDOW")
    xs = [corner[0] for corner in market.window.bound_box]
    assert market.crowd.stops[2].place.matrix_world.translation.x == pytest.approx(0.5 * (min(xs) + max(xs)), abs=1e-3)


def test_all_that_is_selected_becomes_one_stop_which_leaves_it_when_it_is_removed(market, make):
    benches = [make.cube(name, 1.0) for name in ("East", "West")]
    for number, bench in enumerate(benches):
        bench.location, bench.scale = (4.0 * number, -8.0, 0.0), (1.2, 0.4, 0.45)
        make.link(bench)
    stool = bpy.data.objects.new("Stool", None)
    make.link(stool)
    bpy.ops.object.select_all(action="DESELECT")
    for each in (*benches, stool, market.crowd.route):
        each.select_set(True)
    bpy.context.view_layer.objects.active = benches[1]
    bpy.context.view_layer.update()
    objects, collections = set(bpy.data.objects), set(bpy.data.collections)
    bpy.ops.footfall.stop_add(kind="BENCH")
    stop = market.crowd.stops[2]
    assert (stop.name, stop.place) == ("West", None)
    rows = set(stop.places.objects) - {stool}
    assert {row.parent for row in rows} == set(benches)
    assert stool.name in stop.places.objects
    assert set(benches) <= set(market.settings.obstacles.all_objects)
    bpy.ops.footfall.stop_remove()
    assert set(bpy.data.objects) == objects
    assert set(bpy.data.collections) - collections <= {market.settings.obstacles}


def test_a_selected_character_is_no_place_of_a_stop(market, make):
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    body = make.cube("Body", 1.0)
    body.modifiers.new("Armature", "ARMATURE").object = rig
    make.link(rig, body)
    bench = empty("Bench", 4.0, 2.0)
    bpy.ops.object.select_all(action="DESELECT")
    for each in (rig, body):
        each.select_set(True)
    bpy.context.view_layer.objects.active = body
    market.scene.cursor.location = (3.0, 5.0, 0.0)
    bpy.ops.footfall.stop_add()
    made = market.crowd.stops[2].place
    assert (made.type, made.location) == ("EMPTY", market.scene.cursor.location)
    bench.select_set(True)
    bpy.ops.footfall.stop_add()
    assert (market.crowd.stops[3].place, market.crowd.stops[3].places) == (bench, None)


@pytest.mark.parametrize("what", ["route", "start", "goal"])
def test_where_another_crowd_walks_is_no_place_of_a_stop(market, what):
    bench, other = empty("Bench", 4.0, 2.0), market.settings.crowds.add()
    walked = market.path.copy() if what == "route" else empty("Gate", 6.0, 2.0)
    if what == "route":
        market.scene.collection.objects.link(walked)
    setattr(other, what, walked)
    bpy.ops.object.select_all(action="DESELECT")
    for each in (bench, walked):
        each.select_set(True)
    bpy.context.view_layer.objects.active = walked
    market.settings.active_crowd_index = 0
    bpy.ops.footfall.stop_add()
    stop = market.settings.crowds[0].stops[2]
    assert (stop.name, stop.place, stop.places) == ("Bench", bench, None)


@pytest.mark.parametrize("name", ["Booth", "Counter"])
def test_people_queue_before_a_kiosk_that_is_selected(market, make, name):
    kiosk = make.cube(name, 2.0)
    make.link(kiosk)
    route = market.crowd.route
    ys = [(route.matrix_world @ Vector(corner)).y for corner in route.bound_box]
    kiosk.location = (3.0, max(ys) + 5.0, 1.0)
    bpy.context.view_layer.update()
    bpy.ops.object.select_all(action="DESELECT")
    kiosk.select_set(True)
    bpy.context.view_layer.objects.active = kiosk
    bpy.ops.footfall.stop_add(kind="COUNTER")
    stop = market.crowd.stops[2]
    bpy.context.view_layer.update()
    front = min((kiosk.matrix_world @ Vector(corner)).y for corner in kiosk.bound_box)
    y = stop.place.matrix_world.translation.y
    assert (stop.name, stop.do, stop.place.type, stop.place.parent) == (name, "QUEUE", "EMPTY", kiosk)
    assert front - y == pytest.approx(0.5, abs=0.05), "on the side of the route, outside the kiosk"
    assert stop.place.matrix_world.col[1].y < -0.9, "the line runs towards the route"
    assert kiosk in set(market.settings.obstacles.all_objects)


def furniture(make, name, *boxes):
    """Furniture of boxes, each with its size and the middle, which is linked."""
    made = make.cube(name, 1.0)
    points = np.array([vertex.co[:] for vertex in made.data.vertices])
    points = points / np.ptp(points, axis=0)
    points -= points.mean(axis=0)
    quads = [tuple(face.vertices) for face in made.data.polygons]
    faces = [tuple(8 * part + corner for corner in quad) for part in range(len(boxes)) for quad in quads]
    made.data.clear_geometry()
    made.data.from_pydata(np.concatenate([points * size + np.array(middle) for size, middle in boxes]), [], faces)
    make.link(made)
    return made


def put_seats_on(chosen):
    """Select only that, and add a bench there."""
    bpy.context.view_layer.update()
    bpy.ops.object.select_all(action="DESELECT")
    chosen.select_set(True)
    bpy.context.view_layer.objects.active = chosen
    bpy.ops.footfall.stop_add(kind="BENCH")
    bpy.context.view_layer.update()


@pytest.mark.parametrize("has_back", [True, False])
@pytest.mark.parametrize("turn", [0.0, 2.5])
def test_a_selected_bench_gets_seats_on_its_top_and_no_seat_at_its_corners(market, make, has_back, turn):
    back = ((1.8, 0.05, 0.9), (0.0, 0.2, 0.45))
    bench = furniture(make, "Old Oak", ((1.8, 0.4, 0.45), (0.0, 0.0, 0.225)), *[back] * has_back)
    bench.location, bench.rotation_euler = (3.0, -8.0, 0.0), (0.0, 0.0, turn)
    put_seats_on(bench)
    stop = market.crowd.stops[2]
    assert (stop.name, stop.place.name, stop.place.parent) == ("Old Oak", "Bench", bench)
    assert bench in set(market.settings.obstacles.all_objects)
    seats = np.array([bench.matrix_world.inverted() @ stop.place.matrix_world @ v.co for v in stop.place.data.vertices])
    assert len(seats) == 3
    assert seats[:, 2] == pytest.approx(0.45, abs=1e-4)
    assert sorted(seats[:, 0]) == pytest.approx([-0.55, 0.0, 0.55], abs=0.03)
    ahead = bench.matrix_world.inverted().to_3x3() @ stop.place.matrix_world.to_3x3() @ Vector((0.0, 1.0, 0.0))
    if has_back:
        assert ahead.y == pytest.approx(-1.0, abs=1e-3), "away from the backrest"
    else:
        route = bench.matrix_world.inverted().to_3x3() @ Vector((0.0, 1.0, 0.0))
        assert abs(ahead.y) == pytest.approx(1.0, abs=1e-3)
        assert ahead.dot(route) > 0.0, "towards the route"


@pytest.mark.parametrize("kind", ["BEVEL", "ARRAY"])
def test_a_bench_with_modifiers_gets_its_seats_on_its_top_too(market, make, kind):
    bench = furniture(make, "Old Oak", ((1.8, 0.4, 0.45), (0.0, 0.0, 0.225)))
    bench.location.y = -8.0
    added = bench.modifiers.new("Round", kind)
    if kind == "BEVEL":
        added.width = 0.02
    put_seats_on(bench)
    place = market.crowd.stops[2].place
    assert place.parent == bench
    assert len(place.data.vertices) == (3 if kind == "BEVEL" else 6), "as it is evaluated"


def test_what_geometry_nodes_scatter_is_no_furniture(market, node_points):
    put_seats_on(node_points)
    assert market.crowd.stops[2].place == node_points


@pytest.mark.parametrize("kind", ["corner sofa", "two legs", "three legs"])
@pytest.mark.parametrize("turn", [0.0, 0.6, 2.5])
def test_a_sofa_has_seats_on_each_leg_that_face_its_inside(market, make, capfd, kind, turn):
    """Its legs are along its top and its right, and its left; a corner sofa has backrests."""
    parts = [((3.0, 0.8, 0.45), (0.0, 0.0, 0.225)), ((0.8, 2.2, 0.45), (1.1, -1.5, 0.225))]
    if kind == "corner sofa":
        parts += [((3.0, 0.2, 0.8), (0.0, 0.5, 0.4)), ((0.2, 3.2, 0.8), (1.6, -1.0, 0.4))]
    if kind == "three legs":
        parts += [((0.8, 2.2, 0.45), (-1.1, -1.5, 0.225))]
    sofa = furniture(make, "Sofa", *parts)
    sofa.location, sofa.rotation_euler = (30.0, 20.0, 0.0), (0.0, 0.0, turn)
    put_seats_on(sofa)
    assert "beside its top" not in "".join(capfd.readouterr())
    stop = market.crowd.stops[2]
    rows = list(stop.places.objects)
    assert len(rows) == (3 if kind == "three legs" else 2)
    assert all(row.parent == sofa for row in rows)
    to_own = sofa.matrix_world.inverted()
    seats = [
        (to_own @ row.matrix_world @ v.co, to_own.to_3x3() @ row.matrix_world.to_3x3() @ Vector((0.0, 1.0, 0.0)))
        for row in rows
        for v in row.data.vertices
    ]
    wanted = {"corner sofa": 2, "two legs": 2, "three legs": 1}  # on the long leg, where no other is before it
    for where, facing in seats:
        assert where.z == pytest.approx(0.45, abs=1e-3)
        on_long = where.y > -0.4
        on_right = not on_long and where.x > 0.0
        assert facing.dot(Vector((0, -1, 0)) if on_long else Vector((-1 if on_right else 1, 0, 0))) > 0.99
        front = where.y + 0.4 if on_long else where.x - 0.7 if on_right else -0.7 - where.x
        assert front == pytest.approx(0.21, abs=0.06), "behind the front edge"
        assert abs(where.x if on_long else where.y + 1.5) < (1.5 if on_long else 1.1)
    assert sum(where.y > -0.4 for where, _ in seats) >= wanted[kind]
    assert all(
        sum(where.y < -0.4 and side * where.x > 0 for where, _ in seats) >= 2 for side in (-1, 1)[-len(rows) + 1 :]
    )
    knees = np.array([where + 0.45 * facing for where, facing in seats])
    apart = np.linalg.norm(knees[:, None] - knees, axis=2)
    assert apart[np.triu_indices(len(knees), 1)].min() > 0.45
    places = stop.places.name
    market.crowd.active_stop_index = 2
    bpy.ops.footfall.stop_remove()
    assert places not in bpy.data.collections
    assert len(sofa.children) == 0


def test_seats_beside_the_top_of_a_round_bench_are_told(market, make, capfd):
    angles = np.arange(12) * math.tau / 12
    parts = [((0.3, 0.3, 0.45), (2 * math.cos(angle), 2 * math.sin(angle), 0.225)) for angle in angles]
    put_seats_on(furniture(make, "Ring", *parts))
    assert "'Ring' is neither straight" in "".join(capfd.readouterr())


@pytest.mark.parametrize("metre", [1.0, 0.01])
def test_a_square_chair_is_sat_on_away_from_its_back_in_scenes_of_any_unit(market, make, metre):
    boxes = np.array([((0.45, 0.45, 0.45), (0.0, 0.0, 0.225)), ((0.45, 0.04, 0.9), (0.0, 0.2, 0.45))]) / metre
    chair = furniture(make, "Chair", *boxes)
    chair.rotation_euler.z = 0.5
    market.scene.unit_settings.scale_length = metre
    put_seats_on(chair)
    place = market.crowd.stops[2].place
    assert len(place.data.vertices) == 1
    ahead = chair.matrix_world.inverted().to_3x3() @ place.matrix_world.to_3x3() @ Vector((0.0, 1.0, 0.0))
    assert ahead.normalized().y == pytest.approx(-1.0, abs=0.01)
    at = chair.matrix_world.inverted() @ place.matrix_world @ place.data.vertices[0].co
    assert metre * at.z == pytest.approx(0.45, abs=1e-3)


def test_four_seats_without_a_bench_are_as_wide_in_scenes_of_any_unit(market):
    bpy.ops.object.select_all(action="DESELECT")
    market.scene.unit_settings.scale_length = 0.01
    bpy.ops.footfall.stop_add(kind="BENCH")
    x = sorted(vertex.co.x for vertex in market.crowd.stops[2].place.data.vertices)
    assert 0.01 * np.diff(x) == pytest.approx([0.55] * 3)


def test_furniture_without_a_seat_at_the_height_of_one_is_told(market, make, capfd):
    chair = make.cube("Chair of Giants", 2.0)
    chair.location.y = -8.0
    make.link(chair)
    put_seats_on(chair)
    assert market.crowd.stops[2].place == chair
    assert "'Chair of Giants' has nothing level 0.2 to 0.75 m above its foot" in "".join(capfd.readouterr())


def test_seats_that_were_put_on_a_bench_move_with_it(market, make):
    bench = make.cube("Bench", 1.0)
    bench.location, bench.scale = (3.0, -8.0, 0.0), (2.4, 0.4, 0.45)
    make.link(bench)
    bpy.context.view_layer.update()
    bpy.ops.object.select_all(action="DESELECT")
    top = Vector((*bench.location[:2], max((bench.matrix_world @ Vector(corner)).z for corner in bench.bound_box)))
    market.scene.cursor.location = top
    bpy.ops.footfall.stop_add(kind="BENCH")
    seats = market.crowd.stops[2].place
    assert market.crowd.stops[2].name == seats.name == "Seats on Bench", "told from the bench itself"
    bpy.context.view_layer.update()
    assert (seats.matrix_world.translation - top).length < 1e-4
    bench.location.x += 5.0
    bench.rotation_euler.z = math.pi / 2.0
    bpy.context.view_layer.update()
    assert (seats.matrix_world.translation - top - Vector((5.0, 0.0, 0.0))).length < 1e-4
    first, last = (seats.matrix_world @ seats.data.vertices[number].co for number in (0, 3))
    assert abs((last - first).y) == pytest.approx(1.65, abs=1e-4), "a row of four, turned, of the same length"


def test_a_place_made_inside_the_bend_of_a_route_faces_it(market):
    for point, place in zip(market.path.data.splines[0].points, ((0, 0), (8, 8), (16, 0)), strict=True):
        point.co = (*place, 0.0, 1.0)
    bpy.ops.object.select_all(action="DESELECT")
    market.scene.cursor.location = (11.0, 3.0, 0.0)
    bpy.ops.footfall.stop_add(kind="BENCH")
    assert market.crowd.stops[2].place.rotation_euler.z == pytest.approx(-math.pi / 4.0, abs=1e-4)  # towards +X, +Y


def test_a_stop_is_set_by_words(market, addon):
    addon.module("blender_addon.headless.overrides").set_by_words(
        market.scene, [f"crowds.{market.crowd.name}.stops.Stall.share=0.25"]
    )
    assert market.crowd.stops[1].share == 0.25


def test_people_who_are_simply_there_are_read_on_points_in_areas_and_along_lines(market, addon, make):
    crowd = market.crowd
    crowd.mode, crowd.presence.look_at = "PLACE", market.window
    plaza = make.cube("Plaza", 8.0)
    make.link(plaza)
    crowd.presence.place, crowd.presence.activities = plaza, {"TALK"}
    scene = read(market, addon).scene
    assert (scene.crowds[0].place, scene.crowds[0].route, scene.crowds[0].stops) == ("Plaza", None, ())
    assert scene.crowds[0].look_at == pytest.approx((12.0, 4.0, 0.5))
    assert len(scene.places[0].outlines) == 1
    crowd.presence.activities = {"SIT", "CHEER"}
    scene = read(market, addon).scene
    assert scene.crowds[0].activities == ("cheer", "sit")
    assert (len(scene.places[0].points), scene.places[0].outlines) == (8, ())
    crowd.presence.place = None
    with pytest.raises(addon.errors.SceneError, match="it has no place: choose an object or a collection"):
        read(market, addon)


def test_what_geometry_nodes_scatter_are_places(market, addon, make, node_points):
    market.crowd.mode = "PLACE"
    market.crowd.presence.place, market.crowd.presence.spots = node_points, "POINTS"
    place = read(market, addon).scene.places[0]
    assert place.points == pytest.approx(np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]]))
    assert place.heights == pytest.approx([1.0, 1.0, 1.0])  # half of each cube is under its point: no chair


@pytest.mark.each_blender("points of geometry nodes that are no instances")
@pytest.mark.parametrize("are_there", [True, False])
def test_points_without_instances_are_places_too(market, addon, node_points, are_there):
    """Blender shows a point cloud of a mesh as if it were an instance at the origin of the object."""
    tree = node_points.modifiers[0].node_group
    points = tree.nodes.new("GeometryNodeMeshToPoints")
    line, out = (
        next(n for n in tree.nodes if n.bl_idname == kind) for kind in ("GeometryNodeMeshLine", "NodeGroupOutput")
    )
    tree.links.new(line.outputs["Mesh"], points.inputs["Mesh"])
    tree.links.new(points.outputs["Points"], out.inputs[0])
    market.crowd.mode = "PLACE"
    market.crowd.presence.place, market.crowd.presence.spots = node_points, "POINTS"
    if not are_there:
        points.inputs["Selection"].default_value = False
        with pytest.raises(addon.errors.FootfallError, match=node_points.name):
            read(market, addon)
        return
    assert read(market, addon).scene.places[0].points == pytest.approx(np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]]))


def test_instances_of_chairs_are_seats_above_the_floor_on_which_they_stand(market, addon, make, node_points):
    tree = node_points.modifiers[0].node_group
    raise_up = tree.nodes.new("GeometryNodeTransform")
    chair = next(node for node in tree.nodes if node.bl_idname == "GeometryNodeMeshCube")
    chair.inputs["Size"].default_value = (0.5, 0.5, 0.9)
    raise_up.inputs["Translation"].default_value = (0.0, 0.0, 0.45)
    instances = next(node for node in tree.nodes if node.bl_idname == "GeometryNodeInstanceOnPoints")
    tree.links.new(chair.outputs["Mesh"], raise_up.inputs["Geometry"])
    tree.links.new(raise_up.outputs["Geometry"], instances.inputs["Instance"])
    market.crowd.mode = "PLACE"
    market.crowd.presence.place, market.crowd.presence.spots = node_points, "POINTS"
    market.crowd.presence.activities = {"SIT"}
    assert read(market, addon).scene.places[0].heights == pytest.approx([1.45, 1.45, 1.45])
    market.crowd.presence.activities = {"CLAP"}  # they stand where the chairs do
    assert read(market, addon).scene.places[0].heights == pytest.approx([1.0, 1.0, 1.0])


@pytest.fixture
def node_points(make):
    """A mesh without vertices whose geometry nodes make three instances in a line."""
    source = bpy.data.objects.new("Scatter", bpy.data.meshes.new("Scatter"))
    source.location = (0.0, 5.0, 1.0)
    make.link(source)
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    line, chair, instances, out = (
        tree.nodes.new(kind)
        for kind in ("GeometryNodeMeshLine", "GeometryNodeMeshCube", "GeometryNodeInstanceOnPoints", "NodeGroupOutput")
    )
    line.inputs["Count"].default_value = 3
    line.inputs["Offset"].default_value = (2.0, 0.0, 0.0)
    tree.links.new(line.outputs["Mesh"], instances.inputs["Points"])
    tree.links.new(chair.outputs["Mesh"], instances.inputs["Instance"])
    tree.links.new(instances.outputs["Instances"], out.inputs[0])
    source.modifiers.new("Scatter", "NODES").node_group = tree
    return source


@pytest.mark.each_blender("a bake of people who are simply there")
def test_people_who_are_simply_there_are_baked_where_they_are(market, make, addon):
    crowd = market.crowd
    stand = bpy.data.objects.new("Stand", bpy.data.meshes.new("Stand"))
    stand.data.from_pydata([(x, 8.0 + y, 0.45 + 0.4 * y) for x in range(3) for y in range(2)], [], [])
    make.link(stand)
    crowd.mode, crowd.presence.place, crowd.presence.activities, crowd.count = "PLACE", stand, {"SIT"}, 6
    market.scene.frame_end = 5
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    people = [each for each in market.scene.objects if each.get("footfall_crowd") == crowd.uid]
    found = np.array(sorted(tuple(place) for place in make.matrices(people, 3)[:, :3, 3].round(2)))
    assert found == pytest.approx(np.array([(x, 8.0 + y, 0.4 * y) for x in range(3) for y in range(2)]), abs=0.02)


def test_a_queue_of_twelve_is_served_in_order_and_nobody_jumps_in_the_baked_file(market, make, addon):
    crowd = market.crowd
    crowd.stops.clear()
    market.stall.location.x = 7.0
    add_stop(crowd, market.stall, do="QUEUE", stay=1.0, room=12)
    crowd.count, crowd.spawn.mode, market.scene.frame_end = 12, "AT_ONCE", 1560
    bpy.context.view_layer.update()
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    doing = addon.module("core.simulation.world.doing").Doing
    reasons = addon.module("blender_addon.bakes.stored_reasons").read_reasons(market.scene, crowd.uid)
    people = [each for each in market.scene.objects if each.get("footfall_crowd") == crowd.uid]
    people.sort(key=lambda each: each.name)
    frames = range(120, market.scene.frame_end, 6)
    places = np.array([make.matrices(people, frame)[:, :2, 3] for frame in frames])
    steps = np.hypot(*np.diff(places, axis=0).transpose(2, 0, 1))
    gaps = []
    for row, frame in enumerate(frames[2:], start=2):
        still = (steps[row - 2 : row] < 0.02).all(axis=0)  # for half a second: not who comes and lets somebody pass
        waits = np.flatnonzero((reasons.doing[frame - 1] == doing.IN_QUEUE) & still)
        ahead = reasons.because_of[frame - 1, waits]
        pairs = [(one, other) for one, other in zip(waits, ahead, strict=True) if other >= 0 and still[other]]
        gaps += [np.hypot(*(places[row, one] - places[row, other])) for one, other in pairs]
    assert steps.max() < 0.6, "nobody jumps: 2.4 m/s"
    assert len(gaps) > 30
    assert 0.5 < min(gaps) < max(gaps) < 0.9
    joined = np.isin(reasons.doing, (doing.IN_QUEUE, doing.SERVED))
    served = [np.flatnonzero(column)[0] for column in (reasons.doing == doing.SERVED).T if column.any()]
    order = [joined[:, k].argmax() for k in range(12) if (reasons.doing[:, k] == doing.SERVED).any()]
    assert len(served) == 12
    assert (np.diff(np.array(served)[np.argsort(order, kind="stable")]) > 0).all()
    assert (np.diff(reasons.doing == doing.SERVED, axis=0).sum(axis=1) >= 0).all()
