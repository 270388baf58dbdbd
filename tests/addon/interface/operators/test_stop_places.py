# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops that are added: at what is selected or at the 3D cursor, before windows and kiosks."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector

from ...market import empty
from ...street import select


def test_stops_are_added_at_the_active_object_moved_and_removed(market):
    crowd = market.crowd
    bench = empty("Bench", 4.0, 2.0)
    select(bench)
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


def walk_between_places(market, make):
    """Let the crowd walk from place to place, where its route begins and ends."""
    points = [market.crowd.route.matrix_world @ Vector(corner) for corner in market.crowd.route.bound_box]
    market.crowd.mode = "AREAS"
    for name, point in (("start", points[0]), ("goal", points[6])):
        place = make.cube(name.title(), 1.0)
        make.link(place)
        place.location = point
        setattr(market.crowd, name, place)
    bpy.context.view_layer.update()


@pytest.mark.parametrize("mode", ["ROUTE", "AREAS"])
def test_people_stand_before_a_window_that_is_selected(market, make, mode):
    if mode == "AREAS":
        walk_between_places(market, make)
    select(market.window)
    bpy.ops.footfall.stop_add(kind="WINDOW")
    stop = market.crowd.stops[2]
    front = min((market.window.matrix_world @ Vector(corner)).y for corner in market.window.bound_box)
    assert (stop.name, stop.place.type) == ("Window", "EMPTY")
    assert stop.place.matrix_world.translation.y == pytest.approx(front - 0.05, abs=1e-4), "on the side of the route"
    assert market.window in set(market.settings.obstacles.all_objects)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_statue_on_the_way_is_looked_at_from_where_people_come(market, make, sign):
    walk_between_places(market, make)
    statue = make.cube("Statue", 0.8)
    make.link(statue)
    start, goal = market.crowd.start.location.copy(), market.crowd.goal.location.copy()
    if sign < 0.0:
        market.crowd.start.location, market.crowd.goal.location = goal, start
    statue.location = (0.5 * (start.x + goal.x), 0.5 * (start.y + goal.y), 0.4)
    bpy.context.view_layer.update()
    select(statue)
    bpy.ops.footfall.stop_add(kind="WINDOW")
    place = market.crowd.stops[2].place.matrix_world.translation
    off = (place - statue.location).xy
    assert off.length < 0.7
    assert off.dot((market.crowd.start.location - statue.location).xy) > 0.0


def test_people_stand_before_the_middle_of_a_window_wherever_its_origin_is(market):
    select(market.window)
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
    select(*reversed(benches), stool, market.crowd.route)
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
    select(body, rig)
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
    select(walked, bench)
    market.settings.active_crowd_index = 0
    bpy.ops.footfall.stop_add()
    stop = market.settings.crowds[0].stops[2]
    assert (stop.name, stop.place, stop.places) == ("Bench", bench, None)


@pytest.mark.parametrize("kind", ["COUNTER", "BENCH"])
def test_two_crowds_on_one_side_of_a_counter_or_on_a_bench_share_its_place(market, make, kind):
    """Two queues in one place would stand in each other."""
    there = make.cube("There", 2.0)
    make.link(there)
    there.location, there.scale.z = (3.0, 8.0, 0.225), 0.225
    if kind == "COUNTER":
        there.location.z, there.scale.z = 1.0, 1.0
    bpy.context.view_layer.update()
    select(there)
    bpy.ops.footfall.stop_add(kind=kind)
    first, before = market.crowd.stops[2], set(bpy.data.objects)
    assert place_of(first)
    bpy.ops.footfall.crowd_add()
    second, far = market.settings.crowds[-1], market.path.copy()
    second.route = market.path
    bpy.ops.footfall.stop_add(kind=kind)
    assert place_of(second.stops[0]) == place_of(first)
    assert set(bpy.data.objects) - before == {far}
    bpy.ops.footfall.stop_remove()
    assert set(place_of(first)) <= set(bpy.context.scene.objects), "the other crowd needs it"
    if kind == "COUNTER":  # from the other side they come to another counter
        far.location.y += 16.0
        market.scene.collection.objects.link(far)
        second.route = far
        bpy.context.view_layer.update()
        bpy.ops.footfall.stop_add(kind=kind)
        assert place_of(second.stops[0]) != place_of(first)


def test_two_crowds_on_two_benches_that_are_selected_together_share_their_seats(market, make):
    benches = [make.cube(name, 2.0) for name in ("One", "Other")]
    for x, bench in zip((3.0, 9.0), benches, strict=True):
        make.link(bench)
        bench.location, bench.scale.z = (x, 8.0, 0.225), 0.225
    bpy.context.view_layer.update()
    select(*benches)
    bpy.ops.footfall.stop_add(kind="BENCH")
    first, before = market.crowd.stops[2], set(bpy.data.objects)
    others = []
    for chosen in (benches, benches, benches[1:]):
        select()
        bpy.ops.footfall.crowd_add()
        market.settings.crowds[-1].route = market.path
        select(*chosen)
        bpy.ops.footfall.stop_add(kind="BENCH")
        others.append(market.settings.crowds[-1].stops[0])
    assert [stop.places for stop in others] == [first.places, first.places, None]
    assert others[2].place.parent == benches[1]
    assert set(bpy.data.objects) == before


def place_of(stop):
    """The objects at which people stop."""
    return [stop.place] if stop.places is None else list(stop.places.objects)


def test_a_place_made_inside_the_bend_of_a_route_faces_it(market):
    for point, place in zip(market.path.data.splines[0].points, ((0, 0), (8, 8), (16, 0)), strict=True):
        point.co = (*place, 0.0, 1.0)
    bpy.ops.object.select_all(action="DESELECT")
    market.scene.cursor.location = (11.0, 3.0, 0.0)
    bpy.ops.footfall.stop_add(kind="BENCH")
    assert market.crowd.stops[2].place.rotation_euler.z == pytest.approx(-math.pi / 4.0, abs=1e-4)  # towards +X, +Y


@pytest.mark.parametrize("angle", [0.0, 0.5, 2.0])
def test_people_before_a_picture_know_how_wide_it_is(addon, market, make, angle):
    """They stood along the wall beside it, too, and looked at that."""
    picture = make.cube("Picture", 1.0)
    picture.location, picture.scale, picture.rotation_euler.z = (4.0, 9.0, 1.7), (0.7, 0.05, 0.5), angle
    make.link(picture)
    bpy.context.view_layer.update()
    select(picture)
    size = np.ptp([corner[:] for corner in picture.bound_box], axis=0) * picture.scale
    bpy.ops.footfall.stop_add(kind="WINDOW")
    scene = addon.module("blender_addon.reading").read_scene(market.scene).scene
    (place,) = (each for each in scene.places if len(each.objects))
    x, y, direction, *extents = place.objects[0]
    np.testing.assert_allclose([x, y, *extents], [4.0, 9.0, *size], atol=1e-5)
    assert abs(math.sin(direction - angle)) < 1e-5
