# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlay Routes follows what is moved, before the scene is read again."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from ...street import new_path


def _box(name, x, y, half, height):
    corners = [(a * half, b * half, z) for z in (0.0, height) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    faces = [(3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    made = bpy.data.objects.new(name, mesh)
    made.location = (x, y, 0.0)
    bpy.context.scene.collection.objects.link(made)
    return made


def _place(name, x):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(x + a, b, 0.0) for a, b in ((-1, -2), (1, -2), (1, 2), (-1, 2))], [], [(0, 1, 2, 3)])
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    return made


@pytest.fixture
def square(addon):
    """Twelve people who go past a box, and one who follows a curve."""
    scene = bpy.context.scene
    settings = scene.footfall
    across = settings.crowds.add()
    across.name, across.mode, across.count = "Across", "AREAS", 12
    across.start, across.goal = _place("Start", -8.0), _place("Goal", 8.0)
    along = settings.crowds.add()
    along.name, along.count = "Along", 1
    along.route = new_path("Way", scene.collection, [(-6.0, 8.0, 0.5), (6.0, 8.0, 0.5)])
    settings.obstacles = bpy.data.collections.new("Obstacles")
    scene.collection.children.link(settings.obstacles)
    for name, x, y, half in (("Box", 0.0, -6.0, 1.5), ("Low", -12.0, -12.0, 0.3), ("High", 12.0, 12.0, 0.3)):
        settings.obstacles.objects.link(_box(name, x, y, half, 2.0))  # the last two: the bounds stay where they are
    bpy.context.view_layer.update()
    return scene


@pytest.fixture
def live(addon):
    return addon.module("blender_addon.runtime.live_routes")


def _read(addon, scene):
    return addon.module("blender_addon.reading").read_scene(scene)


def _work(live, scene):
    while not live.work(scene, bpy.context.evaluated_depsgraph_get()):
        pass


def _routes_now(live, scene, reading):
    return [way.copy() for way in live.routes_of(scene, reading).people.routes]


def test_ways_go_round_a_box_as_soon_as_it_is_moved_and_back(addon, live, square):
    reading = _read(addon, square)
    routes = live.routes_of(square, reading)
    _work(live, square)
    before = _routes_now(live, square, reading)
    assert all(len(way) == 2 for way in before), "nothing is in the way"
    box = bpy.data.objects["Box"]
    box.location.y = 0.0
    bpy.context.view_layer.update()
    _work(live, square)
    during = _routes_now(live, square, reading)
    assert routes.people.routes is live.routes_of(square, reading).people.routes
    for old, new in zip(before, during, strict=True):
        steps = np.concatenate([np.linspace(*pair, 50) for pair in pairwise(new)])
        assert np.abs(steps).max(axis=1).min() > 1.5 + 0.2, "it leads through the box"
        np.testing.assert_allclose((new[0], new[-1]), (old[0], old[-1]))
    box.location.y = -6.0
    bpy.context.view_layer.update()
    _work(live, square)
    for old, new in zip(before, _routes_now(live, square, reading), strict=True):
        np.testing.assert_array_equal(old, new)


def test_a_scan_that_is_moved_waits_for_the_next_reading(addon, live, square, monkeypatch):
    monkeypatch.setattr(live, "PACING", replace(live.PACING, quick_vertices=7))
    reading = _read(addon, square)
    live.routes_of(square, reading)
    _work(live, square)
    before = _routes_now(live, square, reading)
    bpy.data.objects["Box"].location.y = 0.0
    bpy.context.view_layer.update()
    _work(live, square)
    for old, new in zip(before, _routes_now(live, square, reading), strict=True):
        np.testing.assert_array_equal(old, new)
    later = _read(addon, square)
    live.routes_of(square, later)
    _work(live, square)
    assert all(len(way) > 2 for way in _routes_now(live, square, later))


def test_a_reading_that_says_the_same_is_gone_on_with(addon, live, square):
    routes = live.routes_of(square, _read(addon, square))
    _work(live, square)
    bpy.data.objects["Box"].location.y = -1.0
    bpy.context.view_layer.update()
    _work(live, square)
    assert live.routes_of(square, _read(addon, square)) is routes
    square.footfall.crowds[0].count = 9
    other = live.routes_of(square, _read(addon, square))
    assert other is not routes
    assert len(other.people.routes) == 9


def test_the_path_of_a_curve_follows_it(addon, live, square):
    routes = live.routes_of(square, _read(addon, square))
    (line,) = routes.lines
    assert line[:, 2] == pytest.approx(0.5)
    np.testing.assert_allclose(line[[0, -1], :2], [(-6.0, 8.0), (6.0, 8.0)], atol=0.05)
    bpy.data.objects["Way"].location.y = 2.0
    bpy.context.view_layer.update()
    _work(live, square)
    np.testing.assert_allclose(routes.lines[0][[0, -1], :2], [(-6.0, 10.0), (6.0, 10.0)], atol=0.05)


def test_the_path_of_a_curve_that_is_moved_turned_and_bent_is_that_of_a_new_reading(addon, live, square):
    routes = live.routes_of(square, _read(addon, square))
    way = bpy.data.objects["Way"]

    def move():
        way.location = (30.0, 1.0, 0.25)

    def turn():
        way.rotation_euler.z = 0.4

    def bend():
        way.data.splines[0].points.add(1)
        way.data.splines[0].points[2].co = (9.0, 3.0, 0.0, 1.0)

    for change in (move, turn, bend, move):
        change()
        bpy.context.view_layer.update()
        _work(live, square)
        fresh = live.LiveRoutes(_read(addon, square))
        np.testing.assert_allclose(routes.lines[0], fresh.lines[0], atol=1e-4)


def test_what_is_drawn_tells_ways_from_those_that_wait(addon, live, square):
    overlay = addon.module("blender_addon.interface.overlays.layers.routes")
    view = SimpleNamespace(reading=_read(addon, square))
    assert len(overlay.draw(view)) == 1, "the curve's path alone, as long as nobody is led"
    _work(live, square)
    version = overlay.OVERLAY.version()
    ways, path = overlay.draw(view)
    assert len(ways.points) == 2 * 12
    assert tuple(ways.colours[0]) == pytest.approx(overlay.STYLE.route)
    assert tuple(path.colours[0]) == pytest.approx(overlay.STYLE.path)
    bpy.data.objects["Box"].location.y = 0.0
    bpy.context.view_layer.update()
    live.work(square, bpy.context.evaluated_depsgraph_get())
    assert overlay.OVERLAY.version() != version


def test_the_way_past_a_box_on_a_curve_is_drawn_while_it_is_dragged(addon, live, square):
    overlay = addon.module("blender_addon.interface.overlays.layers.routes")
    view = SimpleNamespace(reading=_read(addon, square))
    routes = live.routes_of(square, view.reading)
    _work(live, square)
    assert routes.people.past.bypasses == []
    box = bpy.data.objects["Box"]
    box.location = (0.0, 8.0, 0.0)
    bpy.context.view_layer.update()
    version = overlay.OVERLAY.version()
    _work(live, square)
    assert overlay.OVERLAY.version() != version
    (bypass,) = routes.people.past.bypasses
    steps = np.concatenate([np.linspace(*pair, 50) for pair in pairwise(bypass.route[:, :2])])
    assert np.abs(steps - (0.0, 8.0)).max(axis=1).min() > 1.5 + 0.2, "it leads through the box"
    _, path, past = overlay.draw(view)
    assert tuple(path.colours[0]) == pytest.approx(overlay.STYLE.path)
    assert tuple(past.colours[0]) == pytest.approx(overlay.STYLE.route)
    assert past.points[:, 2].min() > 0.5, "at the height of the curve"
    bpy.data.objects["Way"].location.y = -4.0
    bpy.context.view_layer.update()
    _work(live, square)
    assert routes.people.past.bypasses == []


def test_the_way_past_a_box_goes_when_nobody_follows_the_curve_any_more(addon, live, square):
    bpy.data.objects["Box"].location = (0.0, 8.0, 0.0)
    along = square.footfall.crowds[1]
    along.kind = "VEHICLE"
    bpy.context.view_layer.update()
    routes = live.routes_of(square, _read(addon, square))
    for kind, count in (("PEDESTRIAN", 1), ("VEHICLE", 0), ("PEDESTRIAN", 1)):
        along.kind = kind
        version = routes.version
        assert live.routes_of(square, _read(addon, square)) is routes
        assert routes.version != version
        _work(live, square)
        assert len(routes.people.past.bypasses) == count


def test_cars_are_not_led_past_what_stands_on_their_road(addon, live, square):
    square.footfall.crowds[1].kind = "VEHICLE"
    routes = live.routes_of(square, _read(addon, square))
    bpy.data.objects["Box"].location = (0.0, 8.0, 0.0)
    bpy.context.view_layer.update()
    _work(live, square)
    assert routes.people.past.bypasses == []
