# SPDX-License-Identifier: GPL-3.0-or-later
"""Vehicles stand on the ground and look along the road; their wheels roll as far as they go, and steer."""

import math
from itertools import pairwise

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.sweeps import sweep

pytestmark = pytest.mark.each_blender("actions are evaluated")

RADIUS = 20.0


@pytest.fixture
def road(addon):
    """A crowd of one vehicle that goes round a circle of 20 m radius, to the right."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 30
    bpy.ops.curve.primitive_bezier_circle_add(radius=RADIUS)
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.route, crowd.kind, crowd.count = bpy.context.object, "VEHICLE", 1
    crowd.vehicle.speed, crowd.vehicle.speed_sd, crowd.arrival = 5.0, 0.0, "LOOP"
    return crowd


def bake(crowd):
    """Bake, and return the vehicle's objects by the ends of their names."""
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    made = [each for each in bpy.context.scene.objects if each.get("footfall_crowd") == crowd.uid]
    mover = next(each for each in made if each.parent is None)
    return mover, {each.name.split("Wheel.")[1]: each for each in made if "Wheel." in each.name}


@pytest.mark.once
def test_cars_differ_in_paint_by_the_seed_in_renders_and_in_solid_mode(road, addon):
    road.count, road.route.data.splines[0].use_cyclic_u = 12, True

    def paints():
        bake(road)
        bodies = [each for each in bpy.context.scene.objects if each.get("footfall_crowd") == road.uid]
        bodies = sorted((each for each in bodies if each.parent is None), key=lambda each: each.name)
        slots = [slot.material for body in bodies for slot in body.material_slots if slot.link == "OBJECT"]
        assert len(bodies) == len(slots) == road.count
        shown = [tuple(material.diffuse_color) for material in slots]
        assert shown == [pytest.approx(tuple(body.color)) for body in bodies]
        return shown

    first = paints()
    assert len(set(first)) >= 4
    assert all(a != b for a, b in pairwise(first))
    assert paints() == first
    bpy.context.scene.footfall.seed += 1
    assert paints() != first
    road.vehicle.kind, road.vehicle.length, road.count = "BUS", 6.0, 6
    assert len(set(paints())) == 1


def at(frame, block):
    bpy.context.scene.frame_set(frame)
    return block.matrix_world.copy()


def lowest(*objects):
    return min((each.matrix_world @ Vector(corner)).z for each in objects for corner in each.bound_box)


@pytest.mark.parametrize("kind", sweep(["CAR", "VAN", "BUS", "BICYCLE"], everywhere=1))
def test_a_built_in_vehicle_has_its_size_and_stands_on_the_ground(road, addon, kind):
    road.vehicle.kind = kind
    road.vehicle.speed = 4.0
    mover, wheels = bake(road)
    known = addon.module("core.scene.basics.vehicle_kinds").VEHICLE_KINDS[kind.lower()]
    parts = [mover, *wheels.values()]
    corners = np.array(
        [mover.matrix_world.inverted() @ each.matrix_world @ v.co for each in parts for v in each.data.vertices]
    )
    size = np.ptp(corners, axis=0)
    assert size[1] == pytest.approx(known.length, abs=0.03)
    assert np.ptp([v.co.x for v in mover.data.vertices]) <= known.width + 1e-5  # steered wheels stand out a little
    assert lowest(*parts) == pytest.approx(0.0, abs=0.02)
    assert set(wheels) == ({"F", "R"} if kind == "BICYCLE" else {"FL", "FR", "RL", "RR"})
    assert lowest(*mover.children) == pytest.approx(0.0, abs=0.02)  # nor are pedals or feet in it
    assert sum(len(each.data.polygons) for each in (mover, *mover.children)) < 2500


@pytest.mark.parametrize(
    ("kind", "length", "width"),
    sweep(
        [("CAR", 6.2, 1.9), ("CAR", 2.4, 1.4), ("VAN", 5.2, 2.2), ("BUS", 14.5, 2.4), ("BICYCLE", 2.2, 0.8)],
        everywhere=1,
    ),
)
def test_a_built_in_vehicle_is_as_long_and_as_wide_as_asked_for_and_its_wheels_are_round(road, kind, length, width):
    road.vehicle.kind = kind
    road.vehicle.length, road.vehicle.width, road.vehicle.speed = length, width, 4.0
    road.vehicle.lane_width = 4.5
    mover, wheels = bake(road)
    parts = [mover, *wheels.values()]
    to_body = mover.matrix_world.to_3x3().normalized().inverted().to_4x4()
    corners = np.array([to_body @ each.matrix_world @ v.co for each in parts for v in each.data.vertices])
    bodywork = np.array([to_body @ mover.matrix_world @ v.co for v in mover.data.vertices])
    assert np.ptp(corners[:, 1]) == pytest.approx(length, abs=0.06)
    assert np.ptp(bodywork[:, 0]) == pytest.approx(width, abs=0.08)
    assert lowest(*parts) == pytest.approx(0.0, abs=0.02)
    for each in wheels.values():
        assert len({round(value, 4) for value in each.matrix_world.to_scale()}) == 1


def test_wheels_roll_as_far_as_the_vehicle_goes_and_steer_into_the_bend(road):
    mover, wheels = bake(road)
    rear = [wheels["RL"], wheels["RR"]]
    here, there = (sum((at(frame, each).translation for each in rear), Vector()) for frame in (14, 16))
    steps = [at(frame, mover).translation for frame in range(10, 21)]
    way = sum((b - a).length for a, b in pairwise(steps))
    heading = at(15, mover).to_3x3() @ Vector((0.0, -1.0, 0.0))
    assert heading.angle(there - here) < math.radians(1.0)  # rear wheels do not slide sideways
    turns = {}
    for name, each in wheels.items():
        bpy.context.scene.frame_set(10)
        before = each.delta_rotation_euler.y
        bpy.context.scene.frame_set(20)
        turns[name] = each.delta_rotation_euler.y - before
    assert list(turns.values()) == pytest.approx([way / 0.33] * 4, rel=0.02)
    bpy.context.scene.frame_set(15)
    steer = wheels["FL"].delta_rotation_euler.z - wheels["RL"].delta_rotation_euler.z
    assert steer == pytest.approx(-math.atan(2.68 / RADIUS), rel=0.1)
    top = Vector((0.0, 0.0, 1.0))
    one = at(10, wheels["RL"]).to_3x3()
    bpy.context.scene.frame_set(10, subframe=0.1)
    rolled = wheels["RL"].matrix_world.to_3x3() @ one.inverted() @ top
    bpy.context.scene.frame_set(10)
    assert rolled @ (mover.matrix_world.to_3x3() @ Vector((0.0, -1.0, 0.0))) > 0.005  # the top goes forwards


@pytest.mark.once
def test_front_wheels_turn_steadily_from_bend_to_bend_and_on_average_as_the_way_does(addon):
    """A van that enters a roundabout, goes half round it and leaves."""
    fps, speed, axle, entry, ring = 24.0, 5.0, 3.65, 8.0, 10.0
    ways = np.cumsum([0.0, 15.0, 0.7 * entry, np.pi * ring, 0.7 * entry, 15.0])
    headings = np.cumsum([0.0, 0.0, -0.7, np.pi, -0.7, 0.0])
    distance = np.arange(0.0, ways[-1], speed / fps)
    heading = np.interp(distance, ways, headings)
    steering = addon.module("blender_addon.characters.vehicles.wheels").steering_angle(distance, heading, axle, fps)
    assert np.degrees(np.abs(np.diff(steering)).max() * fps) < 40.0
    turned = np.sum(np.tan(steering) / axle * speed / fps)
    assert turned == pytest.approx(heading[-1], abs=math.radians(1.0))
    assert steering[len(steering) // 2] == pytest.approx(math.atan(axle / ring), rel=1e-3)


def test_a_vehicle_of_the_user_looking_along_x_rolls_its_named_wheels(road, addon):
    mine = bpy.data.collections.new("Mine")
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    body = bpy.context.object
    bpy.ops.mesh.primitive_cylinder_add(
        radius=0.5, depth=0.2, location=(1.0, 1.0, 0.5), rotation=(math.pi / 2, 0.0, 0.0)
    )
    wheel = bpy.context.object
    wheel.name, wheel.parent = "my Wheel.FL", body
    for each in (body, wheel):
        mine.objects.link(each)
    bpy.context.view_layer.update()
    axle = (wheel.matrix_world.to_3x3() @ Vector((0.0, 0.0, 1.0))).copy()
    road.characters, road.forward_axis = mine, "POS_X"
    mover, wheels = bake(road)
    assert wheels["FL"].data == wheel.data
    first = at(1, wheels["FL"])
    place = mover.matrix_world.inverted() @ first.translation
    assert tuple(place) == pytest.approx((1.0, 1.0, 0.5), abs=1e-5)
    across = mover.matrix_world.to_3x3().inverted() @ first.to_3x3() @ Vector((0.0, 0.0, 1.0))
    assert abs(across.normalized() @ axle.normalized()) > 0.95  # but for the steering
    bpy.context.scene.frame_set(20)
    assert wheels["FL"].delta_rotation_euler.y > 0.5


def test_wheels_are_seen_only_while_their_vehicle_is_there(road):
    road.spawn.mode, road.arrival, road.count = "FLOW", "LEAVE", 3
    road.spawn.rate, road.vehicle.speed = 5.0, 4.0
    bpy.ops.footfall.bake()
    made = [each for each in bpy.context.scene.objects if each.get("footfall_crowd") == road.uid]
    for frame in (1, 15, 30):
        bpy.context.scene.frame_set(frame)
        for each in made:
            assert each.parent is None or each.hide_render == each.parent.hide_render
    assert any(each.animation_data.action.name.endswith("front wheels") for each in made)
