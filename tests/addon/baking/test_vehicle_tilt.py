# SPDX-License-Identifier: GPL-3.0-or-later
"""Vehicles on hills stand on the road with both axles, wheels roll along the slope, and bicycles lean into bends."""

import math
from itertools import pairwise

import bpy
import numpy as np
import pytest
from mathutils import Vector

from ..street import new_box, new_path

HALF, HIGH, SIDE = 40.0, 6.0, 5.0  # of the hill [m]


def hill(x):
    """The height of a hill whose slopes reach 13 degrees."""
    return np.where(np.abs(x) < HALF, HIGH * np.cos(0.5 * np.pi * x / HALF) ** 2, 0.0)


@pytest.fixture
def drive(addon):
    """A crowd of one vehicle that drives over the hill in 12 seconds, on a curve as high as the road."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 12 * 24
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    along = np.arange(-60.0, 61.0).tolist()
    crowd.route = new_path("Road", scene.collection, [(x, 0.0, float(hill(x))) for x in along])
    crowd.kind, crowd.count, crowd.vehicle.speed_sd = "VEHICLE", 1, 0.0
    crowd.spawn.mode, crowd.arrival = "FLOW", "LEAVE"
    return crowd


def new_slope(collection):
    """The hill as a mesh."""
    along = np.arange(-70.0, 71.0).tolist()
    corners = [(x, y, float(hill(x))) for y in (-SIDE, SIDE) for x in along]
    n = len(along)
    mesh = bpy.data.meshes.new("Slope")
    mesh.from_pydata(corners, [], [(i, i + 1, n + i + 1, n + i) for i in range(n - 1)])
    slope = bpy.data.objects.new("Slope", mesh)
    collection.objects.link(slope)
    return slope


def made_by(crowd):
    """The baked mover, and its wheels."""
    made = [each for each in bpy.context.scene.objects if each.get("footfall_crowd") == crowd.uid]
    mover = next(each for each in made if each.parent is None)
    return mover, [each for each in made if each.parent == mover and "Wheel" in each.name]


def frames_on_hill(mover):
    """Set the scene to frames at which a vehicle is on the hill, and yield each."""
    for frame in range(1, 289, 8):
        bpy.context.scene.frame_set(frame)
        if not mover.hide_render and abs(mover.matrix_world.translation.x) < HALF:
            yield frame


def off_road(place):
    return place.z - float(hill(place.x))


@pytest.mark.parametrize("kind", ["CAR", "BUS"])
def test_wheels_of_vehicles_on_a_hill_stand_on_the_road_and_roll_along_the_slope(drive, kind):
    drive.vehicle.kind = kind
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    mover, wheels = made_by(drive)
    radius = 0.48 if kind == "BUS" else 0.33
    seen = [off_road(each.matrix_world.translation) - radius for _ in frames_on_hill(mover) for each in wheels]
    assert len(seen) > 30
    assert np.abs(seen).max() < 0.03  # a wheel on a slope is higher over the road, measured upright
    first, *_, last = frames_on_hill(mover)
    rolled, places = [], []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        rolled.append(wheels[0].delta_rotation_euler.y)
        places.append(mover.matrix_world.translation.copy())
    way = sum((b - a).length for a, b in pairwise(places))
    assert rolled[-1] - rolled[0] == pytest.approx(way / radius, rel=1e-3)


@pytest.mark.parametrize("place", [-36.0, 20.0, 36.0])
def test_a_bus_stands_on_the_road_also_in_the_last_frame_wherever_that_finds_it(drive, place):
    scene = bpy.context.scene
    drive.vehicle.kind = "BUS"
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    mover, _ = made_by(drive)
    frames = range(scene.frame_start, scene.frame_end)
    scene.frame_end = next(each for each in frames if (scene.frame_set(each), mover.location.x)[1] > place)
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    mover, wheels = made_by(drive)
    for frame in (1, scene.frame_end):
        scene.frame_set(frame)
        assert np.abs([off_road(each.matrix_world.translation) - 0.48 for each in wheels]).max() < 0.03


@pytest.mark.parametrize("has_ground", [False, True])
def test_a_vehicle_of_the_user_without_wheels_pitches_whatever_it_faces_and_however_it_is_rotated(drive, has_ground):
    scene = bpy.context.scene
    mine = bpy.data.collections.new("Mine")
    body = new_box("Truck", mine, height=1.0)
    body.scale, body.rotation_mode = (6.0, 2.0, 2.0), "QUATERNION"
    drive.characters, drive.forward_axis, drive.vehicle.length = mine, "NEG_X", 6.0
    if has_ground:
        scene.footfall.ground = new_slope(scene.collection)
        for point in drive.route.data.splines[0].points:
            point.co.z += 0.4  # drawn roughly
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    mover, _ = made_by(drive)
    seen = [
        off_road(mover.matrix_world @ Vector((end * 0.3, 0.0, 0.0)))
        for _ in frames_on_hill(mover)
        for end in (-1.0, 1.0)
    ]
    assert len(seen) > 30
    assert np.abs(seen).max() < 0.02
    ahead = mover.matrix_world.to_3x3() @ Vector((-1.0, 0.0, 0.0))
    assert ahead.x > 0.0


@pytest.mark.once
def test_a_vehicle_on_a_level_road_has_no_keys_of_tilt(drive, addon):
    for point in drive.route.data.splines[0].points:
        point.co.z = 0.0
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    mover, _ = made_by(drive)
    animation = addon.module("blender_addon.blender_data.animation")
    curves = animation.curves_of(animation.active_clip(mover.animation_data))
    assert {each.array_index for each in curves if each.data_path == "rotation_euler"} == {2}


@pytest.mark.parametrize(("kind", "leans"), [("BICYCLE", True), ("CAR", False)])
def test_a_bicycle_leans_into_a_bend_as_balance_wants_and_a_car_does_not(drive, kind, leans):
    radius, speed = 9.0, 4.5
    turns = np.linspace(0.0, 2.0 * math.pi, 120, endpoint=False).tolist()
    ring = [(radius * math.cos(turn), radius * math.sin(turn), 0.0) for turn in turns]
    drive.route = new_path("Ring", bpy.context.scene.collection, ring)
    drive.route.data.splines[0].use_cyclic_u = True
    drive.spawn.mode, drive.arrival, drive.vehicle.kind = "SPREAD", "LOOP", kind
    drive.vehicle.speed, drive.vehicle.speed_sd = speed, 0.0
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    mover, wheels = made_by(drive)
    places = []
    for frame in (239, 240, 241):
        bpy.context.scene.frame_set(frame)
        places.append(mover.matrix_world.translation.copy())
    way = (places[2] - places[0]).length * 12.0
    bpy.context.scene.frame_set(240)
    inwards = -places[1].normalized()
    up = mover.matrix_world.to_3x3() @ Vector((0.0, 0.0, 1.0))
    balanced = math.atan(way**2 / (places[1].length * 9.81))
    assert balanced > math.radians(9.0)
    assert math.asin(up @ inwards) == pytest.approx(balanced if leans else 0.0, rel=0.05, abs=1e-4)
    for each in wheels:
        assert (each.matrix_world.translation - places[1]).dot(up) == pytest.approx(0.33, abs=0.01)


@pytest.mark.once
def test_a_road_is_as_high_as_the_storey_on_which_a_vehicle_is_and_goes_on_beyond_its_ends(addon):
    tilt, core = addon.module("blender_addon.baking.casting.vehicle_tilt"), addon.module("core.scene")
    ramp = np.array([(-20.0, 0.0, 0.0), (20.0, 0.0, 0.0), (20.0, 30.0, 3.0), (0.0, 30.0, 6.0), (0.0, -20.0, 6.5)])
    road = tilt.RoadHeights(core.Route("Ramp", ramp))
    places = np.array([(1.0, 0.5), (0.5, -1.0), (-23.0, 2.0), (0.0, -30.0), (20.0, 15.0), (20.0, 15.0)])
    heights = road.heights(places, np.array([0.2, 6.1, 0.0, 6.5, 1.5, 0.4]))
    assert heights == pytest.approx([0.0, 6.31, 0.0, 6.6, 1.5, 1.5], abs=1e-9)
    ring = tilt.RoadHeights(core.Route("Ring", ramp[:3], closed=True))
    assert ring.heights(np.array([(0.0, 15.0)]), np.array([1.0])) == pytest.approx([1.5], abs=1e-9)
