# SPDX-License-Identifier: GPL-3.0-or-later
"""What leads people through a map: alternatives, crowding, room beside a way, refused gaps, the axis to draw."""

import numpy as np
import pytest

from core.errors import GeometryError, NoRoute
from core.geometry.segments import contains
from core.routing import CorridorMap

from .conftest import box, clearance_of, edges_of_all

ROOM = box(0.0, 0.0, 20.0, 10.0)


@pytest.fixture(scope="module")
def two_doors():
    """A wall across the room with a door near the straight way, 1.6 m wide, and one far from it, 2 m wide."""
    return CorridorMap([box(9.5, -1.0, 1, 4.2), box(9.5, 4.8, 1, 2.2), box(9.5, 9.0, 1, 2.0)], ROOM)


def length_of(way):
    return np.hypot(*np.diff(way, axis=0).T).sum()


def door_of(way):
    """At which y a way passes through the wall."""
    return np.interp(10.0, way[:, 0], way[:, 1])


def test_alternatives_lead_through_different_doors_the_shortest_first(two_doors):
    ways = two_doors.alternatives([2, 3], [18, 3], 0.3)
    assert [length_of(way) for way in ways] == sorted(length_of(way) for way in ways)
    assert len(ways) == 2
    assert [door_of(way) > 6.0 for way in ways] == [False, True]
    np.testing.assert_array_equal(ways[0], two_doors.path([2, 3], [18, 3], 0.3))
    assert len(two_doors.alternatives([2, 3], [18, 3], 0.3, count=1)) == 1
    assert len(two_doors.alternatives([2, 3], [18, 3], 0.3, longest=1.05)) == 1
    assert len(two_doors.alternatives([2, 3], [18, 3], 0.9)) == 1  # the near door is too narrow
    with pytest.raises(NoRoute, match=r"gap 2\.00 m"):
        two_doors.alternatives([2, 3], [18, 3], 1.1)


@pytest.mark.parametrize("seed", range(8))
def test_alternatives_keep_their_clearance_and_differ(random_scene, seed):
    obstacles, bounds = random_scene(seed)
    corridors = CorridorMap(obstacles, bounds)
    starts, ends = edges_of_all([*obstacles, bounds])
    rng = np.random.default_rng(seed)
    for start, goal in rng.random((6, 2, 2)) * 40.0:
        try:
            ways = corridors.alternatives(start, goal, 0.25)
        except NoRoute:
            continue
        lengths = [length_of(way) for way in ways]
        assert lengths == sorted(lengths)
        assert len({way.tobytes() for way in ways}) == len(ways)
        for way in ways:
            assert clearance_of(way, starts, ends) >= 0.25 - 1e-6


def test_people_are_sent_the_other_way_when_a_door_is_crowded(two_doors):
    rng = np.random.default_rng(3)
    queue = rng.uniform((7.0, 3.0), (9.4, 5.0), (20, 2))
    crowding = two_doors.crowding(queue)
    assert crowding.shape == (len(two_doors.edges),)
    assert crowding.min() == 1.0
    assert 1.2 < crowding.max() <= 10.0
    assert door_of(two_doors.path([2, 3], [18, 3], 0.3)) < 5.0
    assert door_of(two_doors.path([2, 3], [18, 3], 0.3, crowding=crowding)) > 7.0
    ways = two_doors.paths(np.tile([2.0, 3.0], (4, 1)), [18, 3], 0.3, crowding=crowding)
    assert all(door_of(way) > 7.0 for way in ways)
    np.testing.assert_array_equal(two_doors.crowding(np.zeros((0, 2))), 1.0)


@pytest.mark.parametrize("crowding", [[1.0], "short", "low", "nan"])
def test_crowding_that_means_nothing_is_refused(two_doors, crowding):
    whole = np.ones(len(two_doors.edges))
    made = {"short": whole[1:], "low": 0.5 * whole, "nan": np.nan * whole}
    with pytest.raises(GeometryError, match="at least 1 for each of"):
        two_doors.path([2, 3], [18, 3], 0.3, crowding=made[crowding] if isinstance(crowding, str) else crowding)


def test_places_know_their_corridor(two_doors):
    edges = two_doors.edge_at([[10.0, 4.0], [10.0, 8.0], [10.0, 1.0], [-5.0, 0.0]])
    assert edges[0] != edges[1]
    assert np.all(edges[:2] >= 0)
    np.testing.assert_array_equal(edges[2:], -1)


def test_room_beside_a_way_is_what_is_free_on_either_side():
    corridors = CorridorMap([box(5, 0, 1, 4)], box(0, 0, 20, 10))
    way = np.stack((np.linspace(1, 19, 73), np.full(73, 5.0)), axis=1)
    left, right = corridors.corridor(way, 0.3)
    np.testing.assert_allclose(left[20:-20], 4.7, atol=1e-4)
    at_block = np.flatnonzero((way[:, 0] >= 5) & (way[:, 0] <= 6))
    np.testing.assert_allclose(right[at_block], 0.7, atol=1e-4)
    before = int(np.searchsorted(way[:, 0], 4.0))
    np.testing.assert_allclose(right[before], np.hypot(5.0 - way[before, 0], 1.0) - 0.3, atol=1e-4)
    np.testing.assert_allclose(corridors.corridor(way, 0.3, at_most=1.0)[0][20:-20], 1.0)
    backwards = corridors.corridor(way[::-1], 0.3)
    np.testing.assert_allclose(backwards[0][::-1], right, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_bodies_beside_a_way_keep_clear(random_scene, seed):
    obstacles, bounds = random_scene(seed)
    corridors = CorridorMap(obstacles, bounds)
    rng = np.random.default_rng(seed)
    for start, goal in rng.random((4, 2, 2)) * 40.0:
        try:
            way = corridors.path(start, goal, 0.25)
        except NoRoute:
            continue
        spacing = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(way, axis=0).T))))
        if spacing[-1] < 1.0:
            continue
        at = np.linspace(0.0, spacing[-1], 60)
        points = np.stack([np.interp(at, spacing, way[:, k]) for k in (0, 1)], axis=1)
        left, right = corridors.corridor(points, 0.25)
        middle = points[1:-1]
        ahead = points[2:] - points[:-2]
        side = np.stack((-ahead[:, 1], ahead[:, 0]), axis=1) / np.hypot(*ahead.T)[:, None]
        for room, sign in ((left, 1.0), (right, -1.0)):
            aside = middle + sign * (room[1:-1] * (1.0 - 1e-9))[:, None] * side
            straight = np.abs(np.diff(np.unwrap(np.arctan2(*np.diff(points, axis=0).T)))) < 1e-9
            assert np.all(corridors.nearest_obstacle(aside[straight])[0] >= 0.25 - 1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_room_beside_many_ways_is_what_it_is_beside_each_alone_and_beside_what_stands_there(random_scene, seed):
    obstacles, bounds = random_scene(seed)
    corridors = CorridorMap(obstacles, bounds)
    rng = np.random.default_rng(seed)
    counts = [2, 16, 17, *rng.integers(2, 80, 60).tolist()]
    ways = [rng.random(2) * 40.0 + np.cumsum(rng.normal(0.0, 0.3, (count, 2)), axis=0) for count in counts]
    ways[1] = np.concatenate((ways[1][:8], ways[1][7::-1]))  # straight back
    radii, most = rng.uniform(0.1, 0.4, len(ways)), rng.uniform(0.5, 4.0, len(ways))
    found = corridors.corridors(ways, radii, most)
    for way, radius, at_most, (left, right) in zip(ways, radii, most, found, strict=True):
        alone = corridors.corridor(way, radius, at_most=at_most)
        assert alone[0].tobytes() == left.tobytes()
        assert alone[1].tobytes() == right.tobytes()
        nearest = corridors.nearest_obstacle(way)[0]
        free = contains(bounds, way) & ~np.any([contains(outline, way) for outline in obstacles], axis=0)
        least = np.clip(nearest[free] - radius, 0.0, at_most)
        np.testing.assert_allclose(np.minimum(left, right)[free], least, atol=1e-4)
    assert corridors.corridors([], np.zeros(0), np.zeros(0)) == []


@pytest.mark.parametrize("way", [[[0.0, 0.0]], [[0.0, np.nan], [1, 1]], np.zeros((3, 3))])
def test_what_is_no_way_has_no_room_beside_it(two_doors, way):
    with pytest.raises(GeometryError, match="two points"):
        two_doors.corridor(way, 0.3)


def test_refused_gaps_are_the_narrow_doors(two_doors):
    gaps = two_doors.refused_gaps(0.9)
    assert len(gaps.width) == 1
    np.testing.assert_allclose(gaps.width, 1.6, atol=1e-4)
    assert 9.49 <= gaps.place[0, 0] <= 10.51
    np.testing.assert_allclose(gaps.place[0, 1], 4.0, atol=1e-4)
    np.testing.assert_allclose(np.sort([gaps.left[0, 1], gaps.right[0, 1]]), [3.2, 4.8], atol=1e-4)
    assert len(two_doors.refused_gaps(0.3).width) == 0
    assert len(two_doors.refused_gaps(1.1).width) == 2


def test_no_route_tells_its_gap_in_numbers(two_doors):
    with pytest.raises(NoRoute) as caught:
        two_doors.path([2, 3], [18, 3], 1.25)
    assert caught.value.gap == pytest.approx(2.0, abs=1e-3)
    assert caught.value.needed == pytest.approx(2.5)
    assert caught.value.place[1] == pytest.approx(8.0, abs=1e-3)
    with pytest.raises(NoRoute) as caught:
        two_doors.path([-5.0, 3], [18, 3], 0.3)
    assert caught.value.gap is None
    assert caught.value.place == (-5.0, 3.0)


@pytest.mark.parametrize("seed", range(5))
def test_samples_of_the_axis_lie_on_it(random_scene, seed):
    obstacles, bounds = random_scene(seed)
    corridors = CorridorMap(obstacles, bounds)
    sampled = corridors.sampled_edges(0.3)
    assert len(sampled.first) == len(corridors.edges) + 1
    assert sampled.first[-1] == len(sampled.points)
    np.testing.assert_allclose(corridors.nearest_obstacle(sampled.points)[0], sampled.clearance, atol=1e-4)
    nodes = corridors.vertices
    for edge, (a, b) in enumerate(corridors.edges):
        line = sampled.points[sampled.first[edge] : sampled.first[edge + 1]]
        np.testing.assert_allclose(line[[0, -1]], nodes[[a, b]], atol=1e-9)
        assert np.hypot(*np.diff(line, axis=0).T).max() < 0.6
    with pytest.raises(GeometryError, match="must be positive"):
        corridors.sampled_edges(0.0)
