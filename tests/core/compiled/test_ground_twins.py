# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances, room, ways round and routes between obstacles are the same bits, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.disc_field import DiscField, StandingDiscs
from core.geometry.distance_field import ObstacleField
from core.routing import CorridorMap
from core.routing.corridors.side_clearance import clearance_beside
from core.simulation.guidance.bypasses import find_points_beside
from core.simulation.settings.guidance_settings import BypassSettings

from .answers import both, outlines

pytest.importorskip("numba")


@pytest.mark.parametrize("snapped", [False, True])
def test_distances_are_the_same_bits(rng, snapped):
    field = ObstacleField(outlines(rng, snapped=snapped), [rng.uniform(0.0, 40.0, (4, 2))])
    points = rng.uniform(-8.0, 48.0, (3000, 2))
    if snapped:
        points = np.round(2.0 * points) / 2.0
    points = np.concatenate((points, [[np.nan, 1.0], [1e9, -1e9]]))
    for at_most in (0.0, 0.3, 2.0, np.inf):
        expected, found = both(lambda most=at_most: field.signed_distance(points, most))
        assert found.tobytes() == expected.tobytes()
    assert (expected < 0.0).any()
    for expected, found in zip(*both(lambda: field.nearest(points[:-2])), strict=True):
        assert found.tobytes() == expected.tobytes()


def test_samples_are_the_same_bits_whoever_fills_them(rng):
    shapes, points = outlines(rng, snapped=False), rng.uniform(-8.0, 48.0, (3000, 2))
    expected, found = both(lambda: ObstacleField(shapes).about(points, 0.5))
    assert found.tobytes() == expected.tobytes()
    field = ObstacleField(shapes)
    expected, found = both(lambda: field.about(points, 0.5))
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("snapped", [False, True])
@pytest.mark.parametrize("count", [3, 600])
def test_the_room_beside_lines_is_the_same_bits(rng, snapped, count):
    """Lines of all lengths, some that turn back or repeat a point; few edges and many."""
    begins = rng.uniform(0.0, 60.0, (count, 2))
    edges = begins, begins + rng.normal(0.0, 2.0, (count, 2))
    lines = [rng.uniform(0.0, 50.0, 2) + np.cumsum(rng.normal(0.3, 0.5, (size, 2)), axis=0) for size in (2, 17, 90)]
    lines.append(np.array([[1.0, 1.0], [1.0, 1.0], [4.0, 1.0], [2.0, 1.0]]))
    if snapped:
        edges, lines = (np.round(edges[0]), np.round(edges[1])), [np.round(line) for line in lines]
    radii, at_most = np.array([0.0, 0.25, 0.3, 0.2]), np.array([2.0, 1.0, 3.0, 2.0])
    for expected, found in zip(*both(lambda: clearance_beside(lines, edges, radii, at_most)), strict=True):
        assert [side.tobytes() for side in found] == [side.tobytes() for side in expected]


@pytest.mark.parametrize("snapped", [False, True])
def test_distances_to_people_who_stand_are_the_same_bits(rng, snapped):
    centre, points = rng.uniform(0.0, 30.0, (40, 2)), rng.uniform(-20.0, 50.0, (400, 2))
    if snapped:  # on edges of cells, and on discs
        centre, points = np.round(centre), np.round(points)
    discs = StandingDiscs(centre, rng.uniform(0.2, 1.5, 40))
    field, reach = DiscField(ObstacleField(outlines(rng, snapped=snapped)), discs), rng.uniform(-1.0, 8.0, 400)
    for one, other in zip(
        *both(lambda: (field.signed_distance(points), field.may_be_within(points, reach))), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    near = discs.may_be_within(points, reach)
    assert near.any()
    assert not near.all()


@pytest.mark.parametrize("count", [3, 40])
def test_bypasses_of_people_who_stand_are_the_same_bits(rng, count):
    discs = StandingDiscs(rng.uniform(0.0, 30.0, (count, 2)), np.full(count, 0.25))
    bystanders = StandingDiscs(rng.uniform(0.0, 30.0, (9, 2)), np.full(9, 0.3))
    field = DiscField(DiscField(ObstacleField(outlines(rng, snapped=False)), bystanders), discs)
    start, off = np.repeat(discs.centre, 9, axis=0), rng.normal(0.0, 2.0, (2, 9 * count, 2))
    lines, room = (start + off[0], start - off[1]), rng.uniform(0.2, 0.35, 9 * count)
    expected, found = both(lambda: find_points_beside(*lines, room, field, BypassSettings()))
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)
    assert 0 < np.isfinite(expected[0][:, 0]).sum() < expected[1].sum(), "some find a bypass and some none"


def test_no_obstacle_needs_no_kernel():
    expected, found = both(lambda: ObstacleField().signed_distance(np.zeros((2, 2)), 3.0))
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("snapped", [False, True])
def test_routes_are_the_same_bits(rng, snapped):
    """Also between equal blocks, where many routes are equally long; with crowding, and after a change of the map."""
    if snapped:
        outlines_of = [
            np.array([[x, y], [x + 2, y], [x + 2, y + 2], [x, y + 2]]) for x in (4, 8, 12, 16) for y in (4, 8, 12, 16)
        ]
    else:
        outlines_of = [ring for ring, _ in outlines(rng, snapped=False)]
    starts, goals = rng.uniform(0.0, 40.0, (2, 300, 2))
    starts[:100], goals[:100] = np.round(starts[:100]), np.round(goals[:100])

    def ask():
        corridors = CorridorMap(outlines_of, [[-1.0, -1.0], [41.0, -1.0], [41.0, 41.0], [-1.0, 41.0]])
        crowding = 1.0 + np.arange(len(corridors.edges)) % 3
        found = corridors.paths(starts, goals, 0.3) + corridors.paths(starts, goals, 0.3, crowding=crowding)
        triangle = corridors.insert([[20.0, 20.0], [24.0, 20.0], [24.0, 26.0]])
        found += corridors.paths(starts, goals, 0.3)
        corridors.remove(triangle)
        return found + corridors.paths(goals, starts, 0.5)

    expected, found = both(ask)
    assert sum(not isinstance(way, Exception) for way in expected) > 600
    for one, other in zip(expected, found, strict=True):
        assert str(other) == str(one) if isinstance(one, Exception) else other.tobytes() == one.tobytes()
