# SPDX-License-Identifier: GPL-3.0-or-later
"""Building a corridor map: its counts, its event points, what it takes and what it refuses."""

import sys

import numpy as np
import pytest

from core.errors import FootfallError, GeometryError
from core.geometry.segments import nearest_on_segments
from core.routing import CorridorMap

from .conftest import box, edges_of_all, regular

ROOM = box(0.0, 0.0, 10.0, 10.0)
COORDINATE = 0.002
"""How far a surface may have moved on the grid [m]: three steps at a mitred corner of a map of two kilometres."""


@pytest.mark.parametrize(("name", "obstacles"), [("military", 18), ("city", 63), ("city2x2", 243), ("city4x4", 990)])
def test_there_is_one_loop_for_each_obstacle(built, name, obstacles):
    corridors = built(name)
    assert len(corridors.edges) - len(corridors.vertices) + 1 == obstacles


def test_the_largest_map_has_the_nodes_and_edges_that_others_counted(built):
    corridors = built("city4x4")
    assert (len(corridors.vertices), len(corridors.edges)) == (2688, 3677)


def test_an_empty_square_has_its_diagonals():
    corridors = CorridorMap([], ROOM)
    assert len(corridors.edges) == 4
    degree = np.bincount(corridors.edges.ravel())
    np.testing.assert_allclose(corridors.vertices[degree == 4], [[5.0, 5.0]], atol=1e-5)


def test_a_column_in_a_square_room_has_a_ring_round_it():
    corridors = CorridorMap([box(4.0, 4.0, 2.0, 2.0)], ROOM)
    assert len(corridors.edges) - len(corridors.vertices) + 1 == 1
    inner = corridors.vertices[np.bincount(corridors.edges.ravel()) > 1]
    assert inner == pytest.approx(10.0 - inner[[np.argmin(np.abs(inner + p - 10.0).sum(1)) for p in inner]], abs=1e-5)


def test_a_ring_without_a_node_becomes_a_loop():
    wheel = regular(np.array([0.0, 0.0]), 10.0, 3)
    corridors = CorridorMap([regular(np.array([0.0, 0.0]), 1.0, 3)], wheel)
    a, b = corridors.edges.T
    assert len(corridors.edges) - len(corridors.vertices) + 1 == 1
    assert np.all((a >= 0) & (b < len(corridors.vertices)))


@pytest.mark.parametrize("name", ["military", "city"])
def test_event_points_are_equally_far_from_left_and_right_and_nothing_is_nearer(built, town, name):
    corridors, (outlines, bounds) = built(name), town(name)
    starts, ends = edges_of_all([*outlines, bounds])
    for edge in range(len(corridors.edges)):
        events = corridors.events(edge)
        for side in (events.left, events.right):
            np.testing.assert_allclose(np.hypot(*(side - events.point).T), events.clearance, atol=1e-9)
        distance, _, _ = nearest_on_segments(events.point, starts, ends)
        np.testing.assert_allclose(distance, events.clearance, atol=COORDINATE)


def test_events_have_left_on_the_left(built):
    corridors = built("city")
    for edge in range(len(corridors.edges)):
        events = corridors.events(edge)
        run = np.diff(events.point, axis=0)
        middle = 0.5 * (events.point[1:] + events.point[:-1])
        for side, sign in ((events.left, 1.0), (events.right, -1.0)):
            apart = 0.5 * (side[1:] + side[:-1]) - middle
            assert np.all(sign * (run[:, 0] * apart[:, 1] - run[:, 1] * apart[:, 0]) >= -1e-9)


def test_edges_join_the_nodes_that_their_events_begin_and_end_in(built):
    corridors = built("city")
    for edge, (a, b) in enumerate(corridors.edges):
        events = corridors.events(edge)
        np.testing.assert_array_equal(events.point[[0, -1]], corridors.vertices[[a, b]])


@pytest.mark.parametrize("part", range(8))
def test_troublesome_scenes_are_built(random_scene, part):
    for seed in range(12 * part, 12 * part + 12):
        obstacles, bounds = random_scene(seed)
        corridors = CorridorMap(obstacles, bounds)
        starts, ends = edges_of_all([*obstacles, bounds])
        distance, _, _ = nearest_on_segments(corridors.vertices, starts, ends)
        degree = np.bincount(corridors.edges.ravel(), minlength=len(corridors.vertices))
        assert np.all(distance[degree > 1] > 0.0)


def test_obstacles_that_overlap_are_one():
    apart = CorridorMap([box(2, 2, 2, 2), box(6, 6, 2, 2)], ROOM)
    joined = CorridorMap([box(2, 2, 2, 2), box(3, 3, 2, 2)], ROOM)
    assert len(apart.edges) - len(apart.vertices) == 1
    assert len(joined.edges) - len(joined.vertices) == 0


def test_points_and_walls_without_area_are_obstacles():
    corridors = CorridorMap([[[3.0, 3.0]], [[6.0, 2.0], [6.0, 8.0]]], ROOM, walls=[[[2, 6], [3, 7], [2, 8], [4, 8.5]]])
    assert len(corridors.edges) - len(corridors.vertices) + 1 == 3
    distance, closest = corridors.nearest_obstacle([[3.0, 3.5], [6.5, 5.0]])
    np.testing.assert_allclose(distance, [0.5, 0.5])
    np.testing.assert_allclose(closest, [[3.0, 3.0], [6.0, 5.0]])


def test_a_courtyard_is_free_ground_of_its_own():
    corridors = CorridorMap([(box(2, 2, 6, 6), [box(4, 4, 2, 2)])], ROOM)
    loops = len(corridors.edges) - len(corridors.vertices) + 2  # of two connected parts
    assert loops == 1


def test_far_from_the_origin_the_map_is_the_same(town):
    outlines, bounds = town("military")
    away = np.array([1e6, -1e6])
    here, there = CorridorMap(outlines, bounds), CorridorMap([outline + away for outline in outlines], bounds + away)
    np.testing.assert_array_equal(here.edges, there.edges)
    np.testing.assert_allclose(here.vertices, there.vertices - away, atol=1e-4)


@pytest.mark.parametrize("name", ["military", "city2x2"])
def test_the_nearest_obstacle_is_that_of_brute_force(built, town, name):
    corridors, (outlines, bounds) = built(name), town(name)
    points = np.random.default_rng(7).random((2000, 2)) * bounds.max(axis=0)
    distance, closest = corridors.nearest_obstacle(points)
    expected, _, _ = nearest_on_segments(points, *edges_of_all([*outlines, bounds]))
    np.testing.assert_allclose(distance, expected, atol=1e-9)
    np.testing.assert_allclose(np.hypot(*(closest - points).T), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("obstacle", "message"),
    [
        ([[0.0, np.nan], [1.0, 1.0], [2.0, 0.0]], "not a finite number: point 0"),
        ([[0.0, 0.0], [1.0, np.inf]], "not a finite number: point 1"),
        (np.zeros((0, 2)), "list of points"),
        ([[1.0, 2.0, 3.0]], "list of points"),
        ("house", "list of points"),
        ([[0.0, 0.0], [1e15, 1.0]], "farther than 1e[+]09 m"),
    ],
)
def test_what_is_no_obstacle_is_refused(obstacle, message):
    with pytest.raises(GeometryError, match=message):
        CorridorMap([obstacle], ROOM)


def test_bounds_need_an_area():
    with pytest.raises(GeometryError, match="bounds"):
        CorridorMap([], [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])


def test_bounds_filled_wholly_leave_no_ground():
    with pytest.raises(GeometryError, match="No free ground"):
        CorridorMap([box(-1, -1, 12, 12)], ROOM)


def test_without_pyvoronoi_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyvoronoi", None)
    with pytest.raises(FootfallError, match=r"pyvoronoi is missing.*pip install pyvoronoi"):
        CorridorMap([], ROOM)
