# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways through a corridor map: clear of every obstacle, nearly as short as possible, and refused in plain words."""

import heapq
import re

import numpy as np
import pytest

from core.errors import GeometryError
from core.geometry.segments import contains, nearest_on_segments, signed_area
from core.routing import CorridorMap, NoRoute
from tests.sweeps import sweep

from ..conftest import box, clearance_of, edges_of_all, regular

ROOM = box(0.0, 0.0, 10.0, 10.0)
TOLERANCE = 1e-6
"""By how much a way may come nearer than the radius [m]."""


def length_of(way):
    return np.hypot(*np.diff(way, axis=0).T).sum()


def free_places(rng, count, shapes, bounds, margin):
    """Random places that are at least `margin` from everything, by brute force."""
    starts, ends = edges_of_all([*shapes, bounds])
    found = []
    while len(found) < count:
        points = rng.random((200, 2)) * bounds.max(axis=0)
        inside = np.any([contains(shape, points) for shape in shapes if len(shape) > 2] or [[False]], axis=0)
        distance, _, _ = nearest_on_segments(points, starts, ends)
        found += list(points[~inside & (distance > margin)])
    return np.array(found[:count])


@pytest.mark.parametrize("radius", sweep([0.24, 0.0, 0.6, 2.5], everywhere=1))
@pytest.mark.parametrize("name", ["military", "city", "city2x2"])
def test_ways_keep_clear_by_their_radius(built, town, name, radius):
    corridors, (outlines, bounds) = built(name), town(name)
    starts, ends = edges_of_all([*outlines, bounds])
    places = free_places(np.random.default_rng(7), 60, outlines, bounds, radius + 0.01)
    walked = 0
    for start, goal in places.reshape(-1, 2, 2):
        try:
            way = corridors.path(start, goal, radius)
        except NoRoute:
            continue
        walked += 1
        np.testing.assert_allclose(way[[0, -1]], [start, goal], atol=1e-9)
        assert clearance_of(way, starts, ends) >= radius - TOLERANCE
    assert walked >= 25


@pytest.mark.parametrize("part", sweep(range(50), usual=4, everywhere=2))
def test_ways_keep_clear_in_troublesome_scenes(random_scene, part):
    rng = np.random.default_rng(part)
    for seed in range(20 * part, 20 * part + 20):
        obstacles, bounds = random_scene(seed)
        corridors = CorridorMap(obstacles, bounds)
        starts, ends = edges_of_all([*obstacles, bounds])
        for radius in (0.0, 0.1, 0.4, 0.9):
            start, goal = rng.random((2, 2)) * 40.0
            try:
                way = corridors.path(start, goal, radius)
            except NoRoute:
                continue
            assert clearance_of(way, starts, ends) >= radius - TOLERANCE


def test_a_way_round_one_corner_is_the_tangent_way():
    corridors = CorridorMap([box(4.0, 0.0, 2.0, 5.0)], ROOM)
    radius = 0.5
    way = corridors.path([1.0, 1.0], [9.0, 1.0], radius)
    assert length_of(way) == pytest.approx(tangent_length(radius), rel=2e-3)
    assert length_of(way) >= tangent_length(radius)


def tangent_length(radius):
    """From (1, 1) over the corners (4, 5) and (6, 5) at a distance to (9, 1): tangents, two arcs, and a straight."""
    dx, dy = 3.0, 4.0
    apart = np.hypot(dx, dy)
    tangent = np.sqrt(apart**2 - radius**2)
    turn = np.arcsin(radius / apart)
    heading = np.arctan2(dy, dx) + turn
    return 2.0 * tangent + 2.0 * radius * heading + 2.0


class VisibilityGraph:
    """Shortest ways for a point among outlines, by trying all pairs of their corners."""

    def __init__(self, outlines):
        outlines = [outline if signed_area(outline) > 0 else outline[::-1] for outline in outlines]
        self.corners = np.concatenate(outlines)
        self.after = np.concatenate([np.roll(outline, -1, axis=0) for outline in outlines])
        self.before = np.concatenate([np.roll(outline, 1, axis=0) for outline in outlines])
        self.seen = np.stack([self.seen_from(corner) for corner in self.corners])
        self.seen &= self.seen.T

    @staticmethod
    def cross(a, b):
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]

    def seen_from(self, point):
        """Which corners a straight line reaches without passing through an edge or into its own corner's solid."""
        ahead, behind = self.after - self.corners, self.corners - self.before
        apart = point - self.corners
        into = (self.cross(behind, apart) > 1e-9) & (self.cross(ahead, apart) > 1e-9)
        return ~into & (self.cross(behind, ahead) > 0) & ~self.crossed(point, self.corners)

    def crossed(self, point, targets):
        a, b = self.corners[None], self.after[None]
        t = targets[:, None]
        side = self.cross(b - a, point - a) * self.cross(b - a, t - a) < -1e-9
        between = self.cross(t - point, a - point) * self.cross(t - point, b - point) < -1e-9
        return np.any(side & between, axis=1)

    def shortest(self, start, goal):
        if not self.crossed(start, goal[None])[0]:
            return np.hypot(*(goal - start))
        last = np.where(self.seen_from(goal), np.hypot(*(self.corners - goal).T), np.inf)
        cost = np.where(self.seen_from(start), np.hypot(*(self.corners - start).T), np.inf)
        queue = [(c, k) for k, c in enumerate(cost) if np.isfinite(c)]
        heapq.heapify(queue)
        while queue:
            c, k = heapq.heappop(queue)
            if c > cost[k]:
                continue
            there = np.where(self.seen[k], c + np.hypot(*(self.corners - self.corners[k]).T), np.inf)
            for other in np.flatnonzero(there < cost):
                cost[other] = there[other]
                heapq.heappush(queue, (there[other], other))
        return (cost + last).min()


@pytest.mark.parametrize("name", sweep(["military", "city"], everywhere=1))
def test_ways_are_within_a_hundredth_of_the_shortest(built, town, name):
    corridors, (outlines, bounds) = built(name), town(name)
    graph = VisibilityGraph(outlines)
    places = free_places(np.random.default_rng(5), 100, outlines, bounds, 0.05)
    ratio = [
        length_of(corridors.path(start, goal, 0.0)) / graph.shortest(start, goal)
        for start, goal in places.reshape(-1, 2, 2)
    ]
    assert min(ratio) > 1.0 - 1e-9
    assert np.quantile(ratio, 0.9) < 1.01


def test_straight_ways_have_two_points():
    corridors = CorridorMap([box(4.0, 4.0, 2.0, 2.0)], ROOM)
    np.testing.assert_allclose(corridors.path([1, 1], [9, 2], 0.3), [[1, 1], [9, 2]])
    np.testing.assert_allclose(corridors.path([1, 1], [1, 1], 0.3), [[1, 1], [1, 1]])


def wall_with_gap(width):
    return [box(-1.0, 4.0, 6.0 - width / 2, 0.5), box(5.0 + width / 2, 4.0, 6.0, 0.5)]


def test_a_gap_that_is_wide_enough_is_passed():
    way = CorridorMap(wall_with_gap(0.61), ROOM).path([1, 1], [9, 9], 0.3)
    assert clearance_of(way, *edges_of_all(wall_with_gap(0.61))) >= 0.3 - TOLERANCE


def test_a_gap_that_is_too_narrow_is_named():
    with pytest.raises(NoRoute, match=r"gap 0\.52 m, needs 0\.60 m at \(5\.0, 4\.\d\)"):
        CorridorMap(wall_with_gap(0.5201), ROOM).path([1, 1], [9, 9], 0.3)


def test_the_widest_of_two_gaps_is_named():
    wall = [box(-1, 4, 3, 0.5), box(2.3, 4, 5, 0.5), box(7.8, 4, 5, 0.5)]
    with pytest.raises(NoRoute) as refusal:
        CorridorMap(wall, ROOM).path([1, 1], [9, 9], 0.4)
    place = re.search(r"gap (\S+) m, needs (\S+) m at \((\S+), (\S+)\)", str(refusal.value))
    assert place is not None
    width, needed, x, _ = (float(number) for number in place.groups())
    assert (width, needed) == (pytest.approx(0.5, abs=0.011), 0.8)
    assert x == pytest.approx(7.55, abs=0.06)


def test_a_wall_without_a_gap_is_no_gap():
    with pytest.raises(NoRoute, match="completely"):
        CorridorMap([box(-1, 4, 12, 0.5)], ROOM).path([1, 1], [9, 9], 0.0)


@pytest.mark.parametrize("place", [[4.2, 5.0], [3.9, 5.0], [3.75, 3.9], [0.1, 0.1]])
def test_ends_in_or_near_obstacles_are_moved_to_free_ground(place):
    obstacles = [box(4.0, 4.0, 2.0, 2.0)]
    corridors = CorridorMap(obstacles, ROOM)
    starts, ends = edges_of_all([*obstacles, ROOM])
    for way in (corridors.path(place, [9, 9], 0.3), corridors.path([9, 9], place, 0.3)[::-1]):
        assert np.hypot(*(way[0] - place)) <= 0.6
        assert clearance_of(way, starts, ends) >= 0.3 - TOLERANCE


def test_ends_deep_in_an_obstacle_are_refused():
    corridors = CorridorMap([box(4.0, 4.0, 2.0, 2.0)], ROOM)
    with pytest.raises(NoRoute, match=r"The goal \(5\.00, 5\.00\) is in an obstacle"):
        corridors.path([1, 1], [5, 5], 0.3)
    with pytest.raises(NoRoute, match=r"The start \(50\.00, 5\.00\) is in an obstacle, outside"):
        corridors.path([50, 5], [1, 1], 0.3)


def test_ways_of_many_are_as_clear_and_as_short_as_ways_of_one(built, town):
    corridors, (outlines, bounds) = built("city"), town("city")
    starts, ends = edges_of_all([*outlines, bounds])
    rng = np.random.default_rng(11)
    places = free_places(rng, 62, outlines, bounds, 1.0)
    radii = rng.uniform(0.2, 0.9, 60)
    ways = corridors.paths(places[:60], places[60 + np.arange(60) % 2], radii)
    for k, way in enumerate(ways):
        assert isinstance(way, np.ndarray)
        np.testing.assert_allclose(way[[0, -1]], [places[k], places[60 + k % 2]], atol=1e-9)
        assert clearance_of(way, starts, ends) >= radii[k] - TOLERANCE
    alone = [length_of(corridors.path(places[k], places[60 + k % 2], radii[k])) for k in range(60)]
    assert np.mean([length_of(way) for way in ways]) <= 1.01 * np.mean(alone)


def test_ways_of_many_tell_who_has_none():
    corridors = CorridorMap(wall_with_gap(0.7), ROOM)
    ways = corridors.paths([[1, 1], [1, 1], [5, 4.2], [50, 50]], [9, 9], [0.3, 0.4, 0.2, 0.2])
    assert isinstance(ways[0], np.ndarray)
    assert "gap 0.7" in str(ways[1]) or "gap 0.69" in str(ways[1])
    assert isinstance(ways[2], np.ndarray)
    assert isinstance(ways[3], NoRoute)
    assert "start" in str(ways[3])


@pytest.mark.parametrize(
    ("start", "radius"),
    [([np.nan, 1], 0.3), ([1, np.inf], 0.3), ([1e300, 1], 0.3), ([1, 1, 0], 0.3), ("gate", 0.3), ([1, 1], -0.1)],
)
def test_ends_that_are_no_places_and_radii_that_are_none_are_refused(start, radius):
    corridors = CorridorMap([], ROOM)
    with pytest.raises(GeometryError, match=r"finite number|not negative|place \(x, y\)"):
        corridors.path(start, [9, 9], radius)
    with pytest.raises(GeometryError, match=r"finite number|not negative|place \(x, y\)"):
        corridors.paths([start], [9, 9], radius)


def test_goals_and_radii_must_be_as_many_as_starts():
    corridors = CorridorMap([], ROOM)
    for goals, radii in (([[1, 1], [2, 2], [3, 3]], 0.3), ([9, 9], [0.1, 0.2, 0.3])):
        with pytest.raises(GeometryError, match="as many"):
            corridors.paths([[1, 1], [2, 2]], goals, radii)
    with pytest.raises(GeometryError, match="At least one route"):
        corridors.alternatives([1, 1], [9, 9], 0.3, count=0)


def test_one_who_is_too_wide_for_the_own_doorway_does_not_hold_up_the_others():
    """Two on the same corridor edge, of nearly the same width, of whom only one gets out on one side."""
    corridors = CorridorMap(wall_with_gap(0.62), ROOM)
    starts = np.array([[5.0, 3.6], [5.0, 3.5], [5.0, 3.4]])
    radii = np.array([0.3, 0.305, 0.32])
    ways = corridors.paths(starts, [5.0, 9.0], radii)
    assert [isinstance(way, np.ndarray) for way in ways] == [True, True, False]


def test_a_slalom_is_pulled_tight():
    """Round posts alternately left and right: the way touches each at the radius, and no more."""
    walls = [box(2.0 * k, 0.0 if k % 2 else 1.5, 0.2, 8.5) for k in range(1, 5)]
    obstacles = [*walls]
    corridors = CorridorMap(obstacles, ROOM)
    way = corridors.path([0.5, 5], [9.5, 5], 0.4)
    starts, ends = edges_of_all([*obstacles, ROOM])
    assert clearance_of(way, starts, ends) == pytest.approx(0.4, abs=5e-3)


def test_a_way_through_a_ring_of_columns_keeps_its_distance():
    columns = [regular(5.0 + 3.0 * regular(0.0, 1.0, 12)[k], 0.45, 16) for k in range(12)]
    corridors = CorridorMap(columns, ROOM)
    starts, ends = edges_of_all([*columns, ROOM])
    for angle in np.linspace(0.0, 6.0, 25):
        way = corridors.path([5, 5], 5.0 + 4.5 * np.array([np.cos(angle), np.sin(angle)]), 0.3)
        assert clearance_of(way, starts, ends) >= 0.3 - TOLERANCE


@pytest.mark.parametrize("x", [5.0, 5.0 - 1e-9, 5.0 + 1e-9, 4.0])
@pytest.mark.parametrize("y", [1.0, 2.5, 9.0, 11.0])
def test_who_stands_in_the_very_middle_of_a_hall_finds_the_way_out(x, y):
    hall = box(0.0, 0.0, 20.0, 12.0)
    walls = (box(10.0, 0.0, 0.4, 5.0), box(10.0, 6.0, 0.4, 6.0))
    way = CorridorMap(walls, hall).path((x, y), (16.0, 4.0), 0.3)
    starts, ends = edges_of_all([*walls, hall])
    assert clearance_of(way, starts, ends) >= 0.3 - TOLERANCE


@pytest.mark.parametrize("place", [(12.0, 14.0), (12.5, 12.0), (5.0, 16.0), (26.0, 15.0)])
def test_the_same_way_has_the_same_points_wherever_something_stands_beside_it(place):
    hall = box(0.0, 0.0, 30.0, 20.0)
    walls = [box(10.0, 0.0, 0.4, 7.0), box(10.0, 9.0, 0.4, 11.0), box(20.0, 0.0, 0.4, 11.0), box(20.0, 13.0, 0.4, 7.0)]
    rng = np.random.default_rng(3)
    starts, goals = rng.uniform((0.5, 2.0), (8.0, 18.0), (40, 2)), rng.uniform((22.0, 2.0), (29.5, 18.0), (40, 2))
    radii = rng.uniform(0.2, 0.35, 40)
    before, after = (
        CorridorMap([*walls, box(14.0, 8.0, 2.0, 2.0), box(place[0], y, 0.4, 0.4)], hall).paths(starts, goals, radii)
        for y in (place[1], place[1] + 0.15)
    )
    as_long = [abs(length_of(one) - length_of(other)) < 1e-6 for one, other in zip(before, after, strict=True)]
    assert sum(as_long) >= 35
    assert all(np.array_equal(before[k], after[k]) for k in np.flatnonzero(as_long))
