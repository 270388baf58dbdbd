# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds of vehicles: what the panel says of them and their roads reaches the core."""

import bpy
import numpy as np
import pytest

KEYS = ("length", "width", "max_acceleration", "max_deceleration", "time_headway", "turning_radius")


@pytest.fixture
def road(street):
    """The street, as a road of 100 m."""
    street.path.data.splines[0].points[2].co[0] = 100.0
    street.crowd.kind = "VEHICLE"
    return street


def read(street, addon):
    bpy.context.view_layer.update()
    return addon.module("blender_addon.reading").read_scene(street.scene)


@pytest.mark.parametrize("kind", ["van", "bus", "bicycle", "car"])
def test_a_kind_of_vehicle_brings_its_numbers_to_the_core(road, addon, kind):
    known = addon.module("core.scene.basics.vehicle_kinds").VEHICLE_KINDS[kind]
    road.crowd.vehicle.length = 3.0
    road.crowd.vehicle.kind = kind.upper()
    crowd = read(road, addon).scene.crowds[0]
    assert (crowd.kind, crowd.vehicle) == ("vehicle", kind)
    assert [getattr(crowd, key) for key in KEYS] == pytest.approx([getattr(known, key) for key in KEYS], rel=1e-6)
    assert (crowd.speed.mean, crowd.speed.sd) == pytest.approx((known.speed, known.speed_sd), rel=1e-6)
    assert crowd.avoidance_rule == "traffic"


def test_lanes_reach_the_core_and_places_of_people_do_not(road, addon):
    vehicle = road.crowd.vehicle
    vehicle.lanes, vehicle.lane_width, vehicle.two_way, vehicle.priority = 2, 3.0, True, "MAIN"
    road.crowd.mode = "AREAS"  # vehicles have a road all the same
    scene = read(road, addon).scene
    route = scene.routes[0]
    assert (route.lanes, route.lane_width, route.two_way, route.priority) == (2, 3.0, True, "main")
    assert (scene.crowds[0].route, scene.areas) == (route.name, ())


def test_crowds_on_one_curve_share_its_road_and_must_agree_on_it(road, addon):
    bpy.ops.footfall.crowd_add()
    buses = road.settings.crowds[1]
    buses.name, buses.kind, buses.route, buses.vehicle.kind = "Buses", "VEHICLE", road.path, "BUS"
    scene = read(road, addon).scene
    assert len(scene.routes) == 1
    assert {crowd.route for crowd in scene.crowds} == {"Path"}
    buses.vehicle.lanes, buses.vehicle.two_way = 2, True
    with pytest.raises(addon.errors.SceneError, match="a different setting: lanes and two way") as caught:
        read(road, addon)
    assert caught.value.faults[0].place == "Buses"


def test_marked_crossings_are_read_and_stand_in_nobodys_way(road, addon):
    marks = bpy.data.collections.new("Crossings")
    road.scene.collection.children.link(marks)
    mesh = bpy.data.meshes.new("Zebra")
    mesh.from_pydata([(48, -4, 0), (52, -4, 0), (52, 4, 0), (48, 4, 0)], [], [(0, 1, 2, 3)])
    marks.objects.link(bpy.data.objects.new("Zebra", mesh))
    road.obstacles.objects.link(marks.objects[0])
    before = read(road, addon)
    road.settings.crossings = marks
    after = read(road, addon)
    assert before.scene.crossings == ()
    (zebra,) = after.scene.crossings
    assert zebra.name == "Zebra"
    assert np.ptp(zebra.outline, axis=0) == pytest.approx((4.0, 8.0), abs=0.01)
    assert "Zebra" not in {obstacle.name for obstacle in after.scene.obstacles}
    assert before.fingerprint != after.fingerprint


def test_what_a_road_cannot_bear_is_told_by_the_name_of_the_curve(road):
    road.crowd.vehicle.kind = "BUS"
    road.crowd.vehicle.lane_width = 2.0
    with pytest.raises(RuntimeError, match=r"wider than the lanes of 2 m"):
        bpy.ops.footfall.bake()
