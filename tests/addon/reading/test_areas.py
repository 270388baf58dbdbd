# SPDX-License-Identifier: GPL-3.0-or-later
"""Places to start from and to go to, and bounds, from meshes, curves and empties."""

import math

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.each_blender("objects are read as they are evaluated")

SQUARE = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)]


def _area(ring):
    x, y = ring.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


@pytest.fixture
def gates(bench):
    """A crowd that goes from one flat mesh to another."""
    west = bench.mesh("West gate", SQUARE, [(0, 1, 2, 3)], location=(-20, 0, 5))
    east = bench.mesh("East gate", SQUARE, [(0, 1, 2, 3)], location=(20, 0, 5))
    bench.crowd(name="Commuters", mode="AREAS", start=west, goal=east)
    return bench


def _replace_start(bench, item):
    bench.settings.crowds[0].start = item


def _start(scene):
    name = scene.crowds[0].start
    return next(area.outline for area in scene.areas if area.name == name)


def test_a_crowd_goes_from_mesh_to_mesh(gates):
    scene = gates.read().scene
    (crowd,) = scene.crowds
    assert (crowd.name, crowd.start, crowd.goal, crowd.route) == ("Commuters", "West gate", "East gate", None)
    assert [area.name for area in scene.areas] == ["West gate", "East gate"]
    np.testing.assert_allclose(scene.areas[0].outline.min(axis=0), (-20, 0))
    np.testing.assert_allclose(scene.areas[0].outline.max(axis=0), (-18, 2))


def test_without_a_ground_the_height_of_the_places_is_the_ground(gates):
    gates.box("Up here", gates.obstacles(), location=(0, 0, 5))
    gates.box("Down there", gates.obstacles(), location=(5, 0, 0))
    assert [o.name for o in gates.read().scene.obstacles] == ["Up here"]


def test_a_place_counts_at_any_height_and_whole(gates):
    _replace_start(gates, gates.box("Tower", location=(-30, 0, 50), size=(1, 1, 9)))
    np.testing.assert_allclose(_area(_start(gates.read().scene)), 4.0, atol=1e-3)


def test_a_closed_curve_is_a_place(gates):
    _replace_start(gates, gates.curve("Ring", [(-40, 0, 0), (-30, 0, 0), (-30, 5, 0), (-40, 5, 0)], closed=True))
    reading = gates.read()
    assert _area(_start(reading.scene)) == pytest.approx(50.0, abs=1e-3)
    assert reading.notices == []


def test_an_open_curve_is_closed_and_that_is_told(gates):
    _replace_start(gates, gates.curve("Arc", [(-40, 0, 0), (-30, 0, 0), (-30, 5, 0), (-40, 5, 0)]))
    reading = gates.read()
    assert _area(_start(reading.scene)) == pytest.approx(50.0, abs=1e-3)
    assert reading.notices == ["'Arc' is an open curve; Footfall closes it to use it as a place."]


def test_an_empty_is_a_disc_as_large_as_it_is_drawn(gates):
    empty = gates.link(bpy.data.objects.new("Mark", None))
    empty.empty_display_size, empty.scale, empty.location = 0.5, (4, 4, 4), (-30, 7, 0)
    _replace_start(gates, empty)
    outline = _start(gates.read().scene)
    np.testing.assert_allclose(np.hypot(*(outline - (-30, 7)).T), 2.0, atol=1e-3)
    assert _area(outline) == pytest.approx(math.pi * 4, rel=0.02)


def test_a_cube_empty_is_a_box_and_a_turned_circle_still_lies_flat(gates):
    empty = gates.link(bpy.data.objects.new("Mark", None))
    empty.empty_display_size, empty.scale, empty.location = 0.5, (4, 4, 4), (-30, 7, 0)
    empty.empty_display_type, empty.rotation_euler.x = "CIRCLE", math.pi / 2
    _replace_start(gates, empty)
    assert _area(_start(gates.read().scene)) == pytest.approx(math.pi * 4, rel=0.02)
    empty.empty_display_type, empty.rotation_euler = "CUBE", (0, 0, 0.3)
    outline = _start(gates.read().scene)
    assert len(outline) == 4
    assert _area(outline) == pytest.approx(16.0, abs=1e-3)


def test_of_several_parts_the_largest_is_taken_and_that_is_told(gates):
    points = [*SQUARE, *((x * 3 + 9, y * 3, z) for x, y, z in SQUARE)]
    _replace_start(gates, gates.mesh("Islands", points, [(0, 1, 2, 3), (4, 5, 6, 7)], location=(-40, 0, 0)))
    reading = gates.read()
    assert _area(_start(reading.scene)) == pytest.approx(36.0, abs=1e-3)
    assert reading.notices == ["'Islands' has 2 separate parts; Footfall uses the largest."]


@pytest.mark.parametrize("kind", ["upright", "points only", "nothing"])
def test_what_covers_no_ground_is_no_place(gates, kind):
    points = {"upright": [(0, 0, 0), (2, 0, 0), (2, 0, 2), (0, 0, 2)], "points only": SQUARE, "nothing": []}[kind]
    _replace_start(gates, gates.mesh("Slab", points, [(0, 1, 2, 3)] if kind == "upright" else []))
    assert gates.refusal() == "Slab: covers no ground: a place is a mesh or closed curve that lies flat."


def test_a_start_inside_an_obstacle_or_outside_the_bounds_is_told_by_all_names(gates):
    gates.settings.bounds = gates.mesh("Fence", [(-30, -9, 0), (30, -9, 0), (30, 9, 0), (-30, 9, 0)], [(0, 1, 2, 3)])
    gates.settings.crowds[0].goal.location.x = 70
    gates.box("House", gates.obstacles(), location=(-19, 1, 5), size=(4, 4, 1))
    refusal = gates.refusal()
    assert "Start: the area 'West gate' lies inside the obstacle 'House'" in refusal
    assert "Goal: the area 'East gate' lies outside the bounds 'Fence'" in refusal


def test_a_goal_inside_an_obstacle_is_told_in_the_users_words(gates):
    gates.box("House", gates.obstacles(), location=(21, 1, 5), size=(4, 4, 1))
    refusal = gates.refusal()
    assert refusal.startswith("Commuters: ")
    assert "'East gate' lies inside the obstacle 'House'" in refusal
    assert "[" not in refusal


@pytest.mark.parametrize("missing", ["start", "goal"])
def test_a_missing_place_is_told(gates, missing):
    setattr(gates.settings.crowds[0], missing, None)
    assert gates.refusal().startswith("Commuters: has no ")


def test_bounds_are_a_ground_plan(gates):
    gates.settings.bounds = gates.mesh("Yard", [(x * 30 - 30, y * 30 - 30, 0) for x, y, _ in SQUARE], [(0, 1, 2, 3)])
    bounds = gates.read().scene.bounds
    np.testing.assert_allclose([bounds.min(axis=0), bounds.max(axis=0)], [(-30, -30), (30, 30)], atol=1e-4)


def test_holes_in_the_bounds_are_obstacles(gates):
    ring = [(x * s, y * s, 0) for s in (40, 10) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    gates.settings.bounds = gates.mesh("Yard", ring, [(k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4)])
    scene = gates.read().scene
    assert _area(scene.bounds) == pytest.approx(6400.0, abs=0.1)
    assert [(o.name, round(_area(o.outline))) for o in scene.obstacles] == [("Yard", 400)]


def test_without_bounds_there_are_none(gates):
    assert gates.read().scene.bounds is None
