# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters: where the place of a stop is put before one, and how its queue runs."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector

from ...market import empty
from ...street import new_wall, select
from .test_stop_places import walk_between_places


@pytest.mark.parametrize(("name", "mode"), [("Booth", "ROUTE"), ("Counter", "ROUTE"), ("Booth", "AREAS")])
def test_people_queue_before_a_kiosk_that_is_selected(market, make, name, mode):
    kiosk = make.cube(name, 2.0)
    make.link(kiosk)
    route = market.crowd.route
    ys = [(route.matrix_world @ Vector(corner)).y for corner in route.bound_box]
    kiosk.location = (3.0, max(ys) + 12.0, 1.0)
    if mode == "AREAS":
        walk_between_places(market, make)
    bpy.context.view_layer.update()
    select(kiosk)
    bpy.ops.footfall.stop_add(kind="COUNTER")
    stop = market.crowd.stops[2]
    bpy.context.view_layer.update()
    front = min((kiosk.matrix_world @ Vector(corner)).y for corner in kiosk.bound_box)
    y = stop.place.matrix_world.translation.y
    assert (stop.name, stop.do, stop.place.type, stop.place.parent) == (name, "QUEUE", "EMPTY", kiosk)
    assert front - y == pytest.approx(0.5, abs=0.05), "on the side of the route, outside the kiosk"
    assert stop.place.matrix_world.col[1].y < -0.9, "the line runs towards the route"
    assert kiosk in set(market.settings.obstacles.all_objects)


@pytest.mark.parametrize(
    ("middle", "blocked", "place", "away"),
    [
        ((0.0, 0.0), False, (-1.5, 0.0), (-1.0, 0.0)),  # people come from -x, right through it
        ((0.0, -1.0), False, (0.0, 0.5), (0.0, 1.0)),  # the line touches its face
        ((0.0, -1.2), False, (0.0, 0.3), (0.0, 1.0)),  # nearer to the line than half a metre
        ((0.0, 0.0), True, (-1.5, 0.75), (-1.0, 0.0)),  # something else stands there
    ],
)
def test_people_queue_on_free_ground_where_their_way_runs_into_the_counter(market, make, middle, blocked, place, away):
    crowd = market.crowd
    crowd.mode, crowd.start, crowd.goal = "AREAS", empty("In", -10.0, 0.0), empty("Out", 10.0, 0.0)
    counter = make.cube("Till", 2.0)
    counter.location = (*middle, 0.5)
    make.link(counter)
    if blocked:
        post = make.cube("Post", 0.5)
        post.location = (-1.5, 0.0, 0.5)
        make.link(post)
        market.settings.obstacles.objects.link(post)
    bpy.context.view_layer.update()
    select(counter)
    bpy.ops.footfall.stop_add(kind="COUNTER")
    made = crowd.stops[2].place
    bpy.context.view_layer.update()
    x, y, _ = made.matrix_world.translation
    if blocked:
        place = (place[0], math.copysign(place[1], y))  # either side of it
    assert (x, y) == pytest.approx(place, abs=0.02)
    assert tuple(made.matrix_world.col[1].xy) == pytest.approx(away, abs=1e-5), "the line runs away from the counter"


@pytest.mark.parametrize("metre", [1.0, 0.01])
def test_people_queue_beside_the_path_where_they_would_stand_across_it(market, make, metre):
    bpy.context.scene.unit_settings.scale_length = metre
    market.path.scale = (1.0 / metre,) * 3
    kiosk = make.cube("Kiosk", 2.0 / metre)
    make.link(kiosk)
    kiosk.location = (9.0 / metre, -5.0 / metre, 1.0 / metre)
    bpy.context.view_layer.update()
    select(kiosk)
    bpy.ops.footfall.stop_add(kind="COUNTER")
    place = market.crowd.stops[2].place
    bpy.context.view_layer.update()
    points = place.data.splines[0].points
    line = metre * np.array([place.matrix_world @ point.co.to_3d() for point in points])[:, :2]
    assert line[0] == pytest.approx([9.0, -3.5], abs=1e-4)
    assert line[1] == pytest.approx([9.0, -3.2], abs=1e-4), "the first one faces the kiosk"
    assert line[2:, 1] == pytest.approx(-3.2, abs=1e-4)
    assert line[-1, 0] < -4.0, "towards those who come, beyond where they start: 20 people have room"
    assert (np.diff(line[1:, 0]) < 0.0).all()
    curve = place.data.name
    bpy.ops.footfall.stop_remove()
    assert curve not in bpy.data.curves


def test_a_queue_beside_a_path_goes_round_its_bends_on_the_side_of_the_counter(addon):
    beside = addon.module("blender_addon.interface.beside_route")
    turns = np.linspace(0.0, np.pi, 60)
    path = 12.0 * np.column_stack((np.cos(turns), np.sin(turns)))
    for radius in (9.0, 15.0):
        line = beside.line_beside(path, np.array([0.0, radius]), half_width=1.0, room=10)
        assert np.hypot(*line[1:].T) == pytest.approx(radius + np.sign(12.0 - radius) * 0.3, abs=0.03)
        assert line[-1, 0] > 5.0, "towards those who come"
    for far in (np.array([0.0, 25.0]), np.array([0.0, 12.1])):
        assert beside.line_beside(path, far, half_width=1.0, room=10) is None


FAR = ((30.0, 5.0), (30.0, -5.0))
SLANTED = ((-12.0, 0.5), (9.0, 20.0))  # the place is in the box round it, 7 m from the face


@pytest.mark.parametrize("ends", [None, FAR, FAR[::-1], SLANTED, SLANTED[::-1]])
def test_a_far_wall_whose_face_looks_away_takes_no_place_before_a_counter(market, make, ends):
    crowd = market.crowd
    crowd.mode, crowd.start, crowd.goal = "AREAS", empty("In", -10.0, 0.0), empty("Out", 10.0, 0.0)
    counter, post = make.cube("Till", 2.0), make.cube("Post", 0.5)
    counter.location, post.location = (0.0, 0.0, 0.5), (-1.5, 0.0, 0.5)
    make.link(counter)
    make.link(post)
    market.settings.obstacles.objects.link(post)
    if ends is not None:
        new_wall("Wall", market.settings.obstacles, *ends)
    bpy.context.view_layer.update()
    select(counter)
    bpy.ops.footfall.stop_add(kind="COUNTER")
    bpy.context.view_layer.update()
    assert tuple(crowd.stops[2].place.matrix_world.translation.xy) == pytest.approx((-1.5, 0.75), abs=0.01)
