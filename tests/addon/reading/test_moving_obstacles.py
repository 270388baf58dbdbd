# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving obstacles: whatever moves them, their outline at each frame lies where Blender shows them."""

import math

import bpy
import numpy as np
import pytest

from ..bench import key

pytestmark = pytest.mark.each_blender("animation of every kind is evaluated")


@pytest.fixture
def street(bench):
    bench.scene.frame_start, bench.scene.frame_end = 1, 60
    bench.crowd(bench.curve("Path", [(-50, -50, 0), (50, -50, 0)]))
    return bench


def _by_own_action(bench, box):
    key(box, "location", (1, (0, 0, 0)), (31, (10, 5, 0)), (60, (10, 20, 0)))
    key(box, "rotation_euler", (1, (0, 0, 0.4)), (60, (0, 0, 2.0)))


def _by_its_parent(bench, box):
    parent = bench.link(bpy.data.objects.new("Cart", None))
    key(parent, "location", (1, (3, 0, 0)), (60, (-8, 2, 0)))
    key(parent, "rotation_euler", (1, (0, 0, 0)), (60, (0, 0, -1.5)))
    box.parent, box.location = parent, (2, 1, 0)


def _by_a_constraint(bench, box):
    leader = bench.link(bpy.data.objects.new("Leader", None))
    key(leader, "location", (1, (0, 0, 0)), (20, (0, 6, 0)), (60, (30, 6, 0)))
    box.constraints.new("COPY_LOCATION").target = leader


def _along_a_curve(bench, box):
    line = bench.curve("Rail", [(0, 0, 0), (10, 0, 0), (20, 15, 0)], kind="BEZIER")
    follow = box.constraints.new("FOLLOW_PATH")
    follow.target, follow.use_curve_follow, follow.use_fixed_location = line, True, True
    driver = follow.driver_add("offset_factor").driver
    driver.expression = "(frame - 1) / 59"


def _by_a_driver(bench, box):
    box.driver_add("location", 1).driver.expression = "frame * 0.1"


def _by_nla(bench, box):
    key(box, "location", (1, (0, 0, 0)), (40, (7, 7, 0)))
    action = box.animation_data.action
    track = box.animation_data.nla_tracks.new()
    strip = track.strips.new("ride", 10, action)
    if hasattr(strip, "action_slot"):
        strip.action_slot = action.slots[0]
    box.animation_data.action = None


def _by_a_bone(bench, box):
    armature = bpy.data.armatures.new("Rig")
    rig = bench.link(bpy.data.objects.new("Rig", armature))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.edit_bones.new("Arm")
    bone.tail = (0, 1, 0)
    bpy.ops.object.mode_set(mode="OBJECT")
    box.parent, box.parent_type, box.parent_bone = rig, "BONE", "Arm"
    key(rig.pose.bones["Arm"], "location", (1, (0, 0, 0)), (60, (4, 9, 0)))


MOVERS = [_by_own_action, _by_its_parent, _by_a_constraint, _along_a_curve, _by_a_driver, _by_nla, _by_a_bone]


def _pose(motion, frame):
    return [np.interp(frame, motion.frames, values) for values in (motion.x, motion.y, motion.yaw)]


def _corners_in_world(obstacle, frame):
    x, y, yaw = _pose(obstacle.motion, frame) if obstacle.motion else (0.0, 0.0, 0.0)
    cos, sin = math.cos(yaw), math.sin(yaw)
    return obstacle.outline @ np.array([[cos, sin], [-sin, cos]]) + (x, y)


def _true_corners(box, frame):
    bpy.context.scene.frame_set(frame)
    matrix = box.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
    return np.array([(matrix @ v.co)[:2] for v in box.data.vertices if v.co.z == 0.0])


def _apart(first, second):
    """Largest distance from a corner of one to the nearest of the other."""
    away = np.linalg.norm(first[:, None] - second[None], axis=2)
    return max(away.min(axis=0).max(), away.min(axis=1).max())


@pytest.mark.parametrize("move", MOVERS, ids=lambda move: move.__name__[1:])
def test_the_outline_is_where_blender_shows_the_object(street, move):
    box = street.box(collection=street.obstacles(), size=(1.0, 2.0, 1.0))
    move(street, box)
    (obstacle,) = street.read().scene.obstacles
    assert obstacle.name == "Kiosk"
    for frame in (1, 2, 17, 31, 45, 60):
        assert _apart(_corners_in_world(obstacle, frame), _true_corners(box, frame)) < 1e-3


def test_a_steady_ride_is_told_by_two_frames(street):
    box = street.box(collection=street.obstacles(), rotation_euler=(0, 0, 0.3))
    box.driver_add("location", 0).driver.expression = "frame - 1"
    (obstacle,) = street.read().scene.obstacles
    assert obstacle.motion.frames.tolist() == [1.0, 60.0]
    np.testing.assert_allclose(obstacle.motion.x, [0.0, 59.0], atol=1e-4)
    np.testing.assert_allclose(obstacle.motion.yaw, [0.3, 0.3], atol=1e-6)
    np.testing.assert_allclose(np.abs(obstacle.outline), 1.0, atol=1e-4)  # in its own axes: 2 m square about its origin


def test_three_turns_are_three_turns(street):
    box = street.box(collection=street.obstacles())
    key(box, "rotation_euler", (1, (0, 0, 0)), (60, (0, 0, 6 * math.pi)))
    (obstacle,) = street.read().scene.obstacles
    assert obstacle.motion.yaw[-1] - obstacle.motion.yaw[0] == pytest.approx(6 * math.pi, abs=1e-4)


@pytest.mark.parametrize("rest", ["no animation", "keys that do not move it", "a constraint that does nothing"])
def test_what_stands_still_has_no_motion(street, rest):
    box = street.box(collection=street.obstacles(), location=(3, 3, 0))
    if rest.startswith("keys"):
        key(box, "location", (1, (3, 3, 0)), (60, (3, 3, 0)))
    elif rest.startswith("a constraint"):
        box.constraints.new("LIMIT_LOCATION")
    (obstacle,) = street.read().scene.obstacles
    assert obstacle.motion is None
    assert obstacle.outline.min(axis=0).tolist() == [2.0, 2.0]


def test_units_hold_for_motion(street):
    street.scene.unit_settings.system, street.scene.unit_settings.scale_length = "METRIC", 0.01
    box = street.box(collection=street.obstacles(), size=(100, 100, 100))
    key(box, "location", (1, (0, 0, 0)), (60, (500, 0, 0)))
    (obstacle,) = street.read().scene.obstacles
    assert obstacle.motion.x[-1] == pytest.approx(5.0)
    np.testing.assert_allclose(np.abs(obstacle.outline), 1.0, atol=1e-4)


@pytest.mark.parametrize(
    ("path", "last", "words", "moves"),
    [
        ("rotation_euler", (1.0, 0, 0.5), "'Kiosk' tilts or changes its size", True),
        ("scale", (2.0, 1.0, 1.0), "'Kiosk' tilts or changes its size", False),
        ("location", (4.0, 0, 3.0), "'Kiosk' rises or sinks", True),
        ("location", (0.0, 0, 3.0), "'Kiosk' rises or sinks", False),
    ],
)
def test_what_an_outline_cannot_follow_is_told(street, path, last, words, moves):
    box = street.box(collection=street.obstacles())
    key(box, path, (1, tuple(getattr(box, path))), (60, last))
    reading = street.read()
    assert [notice for notice in reading.notices if words in notice]
    assert (reading.scene.obstacles[0].motion is not None) == moves
    low, high = _corners_in_world(reading.scene.obstacles[0], 1).min(axis=0), _true_corners(box, 1).min(axis=0)
    np.testing.assert_allclose(low, high, atol=1e-4)


def test_a_car_that_climbs_with_the_ground_does_not_rise(street):
    street.settings.ground = street.mesh(
        "Ramp", [(-90, -90, 0), (90, -90, 0), (90, 90, 60), (-90, 90, 60)], [(0, 1, 2, 3)]
    )
    box = street.box(collection=street.obstacles(), location=(0, 0, 30))
    key(box, "location", (1, (0, 0, 30)), (60, (0, 30, 40)))
    reading = street.read()
    assert reading.scene.obstacles[0].motion is not None
    assert reading.notices == []


def test_a_moving_wall_is_a_thin_outline(street):
    wall = street.mesh(
        "Gate", [(0, 0, 0), (4, 0, 0), (4, 0, 2), (0, 0, 2)], [(0, 1, 2, 3)], collection=street.obstacles()
    )
    key(wall, "location", (1, (0, 0, 0)), (60, (0, 9, 0)))
    scene = street.read().scene
    assert scene.walls == ()
    (obstacle,) = scene.obstacles
    low, high = obstacle.outline.min(axis=0), obstacle.outline.max(axis=0)
    np.testing.assert_allclose([low, high], [(0.0, -0.01), (4.0, 0.01)], atol=1e-4)


def test_the_parts_and_holes_of_an_obstacle_move_together(street):
    ring = [(x * s, y * s, z) for s in (3.0, 1.5) for z in (0.0, 1.0) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    faces = []
    for first, second in ((0, 4), (4, 12), (12, 8), (8, 0)):
        faces += [(first + k, first + (k + 1) % 4, second + (k + 1) % 4, second + k) for k in range(4)]
    points = [*ring, (9, 0, 0), (10, 0, 0), (10, 1, 0), (9, 1, 0)]
    item = street.mesh("Fort", points, [*faces, (16, 17, 18, 19)], collection=street.obstacles())
    key(item, "location", (1, (0, 0, 0)), (60, (6, 6, 0)))
    first, second = sorted(street.read().scene.obstacles, key=lambda o: len(o.holes), reverse=True)
    assert {first.name, second.name} == {"Fort", "Fort.2"}
    assert len(first.holes) == 1
    assert first.motion is second.motion


def test_a_driver_that_looks_at_the_scene_is_told(street):
    box = street.box(collection=street.obstacles())
    driver = box.driver_add("location", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id_type, variable.targets[0].id = "SCENE", street.scene
    variable.targets[0].data_path = "frame_current"
    driver.expression = variable.name
    reading = street.read()
    assert reading.scene.obstacles[0].motion is None
    assert [
        n for n in reading.notices if n.startswith("'Kiosk' is moved by a driver that depends on the scene 'Scene'")
    ]


@pytest.mark.parametrize("kind", ["ACTIVE", "PASSIVE"])
def test_a_rigid_body_that_falls_is_told(street, kind):
    box = street.box(collection=street.obstacles())
    bpy.context.view_layer.objects.active = box
    box.select_set(True)
    bpy.ops.rigidbody.object_add(type=kind)
    notices = street.read().notices
    assert (notices == []) == (kind == "PASSIVE")
    assert all(n.startswith("'Kiosk' is moved by the rigid body simulation") for n in notices)


def _hill(bench):
    """A ridge along y, 3 m high where x is 0, over which a door slides."""
    points = [(x, y, 3.0 - abs(x) / 3) for y in (-90, 90) for x in (-90, 0, 90)]
    bench.settings.ground = bench.mesh("Hill", points, [(0, 1, 4, 3), (1, 2, 5, 4)])


def test_a_door_that_slides_level_over_a_hill_does_not_rise(street):
    _hill(street)
    box = street.box("Door", street.obstacles(), location=(0, 0, 3))
    key(box, "location", (1, (0, 0, 3)), (60, (3, 0, 3)))
    reading = street.read()
    assert reading.scene.obstacles[0].motion is not None
    assert reading.notices == []


def test_a_gate_that_is_raised_over_a_hill_is_told(street):
    _hill(street)
    box = street.box("Gate", street.obstacles(), location=(0, 0, 3))
    key(box, "location", (1, (0, 0, 3)), (60, (3, 0, 6)))
    assert [notice for notice in street.read().notices if "'Gate' rises or sinks" in notice]
