# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to outlines and walls, against trying every edge."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import GeometryError
from core.geometry.distance_field import ObstacleField
from core.geometry.sampled_field import about_is_less_by
from core.geometry.segments import contains, crosses_itself, edges_of, nearest_on_segments


def scattered(rng, count=60, extent=30.0):
    """Star-shaped outlines of either direction, some overlapping, some with a courtyard, and a few walls."""
    shapes = []
    for number in range(count):
        corners = rng.integers(3, 9)
        angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, corners))
        star = rng.uniform(0.4, 2.5, corners)[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=-1)
        middle = rng.uniform(0.0, extent, 2)
        outline = middle + star[:: 1 if number % 2 else -1]
        courtyard = number % 7 == 0 and bool(contains(outline, [middle])[0])
        shapes.append((outline, [middle + 0.4 * star] if courtyard else []))
    walls = [rng.uniform(0.0, extent, size=(3, 2)) for _ in range(4)]
    return shapes, walls


def by_trying_everything(shapes, walls, points):
    rings = [ring for outline, holes in shapes for ring in (outline, *holes)]
    edges = [edges_of(ring) for ring in rings] + [(wall[:-1], wall[1:]) for wall in walls]
    starts, ends = (np.concatenate(side) for side in zip(*edges, strict=True))
    distance, closest, _ = nearest_on_segments(points, starts, ends)
    solid = np.zeros(len(points), dtype=bool)
    for outline, holes in shapes:
        solid |= contains(outline, points) & ~np.any([contains(h, points) for h in holes] or [solid & False], axis=0)
    return np.where(solid, -distance, distance), closest


@pytest.mark.parametrize(
    ("seed", "extent"),
    [(1, (30.0, 30.0)), (2, (30.0, 30.0)), (3, (200.0, 3.0)), (4, (6.0, 90.0)), (5, (45.0, 30.0)), (6, (4000.0, 1.0))],
)
def test_signed_distances_are_exact_near_far_inside_and_beyond_the_grid(seed, extent):
    rng = np.random.default_rng(seed)
    shapes, walls = scattered(rng, extent=extent)
    shapes = [shape for shape in shapes if not crosses_itself(shape[0])]  # whose inside would be a matter of taste
    field = ObstacleField(shapes, walls)
    points = rng.uniform(-20.0, np.add(extent, 20.0), size=(3000, 2))
    points[:1000] = [shapes[k % len(shapes)][0][0] + rng.normal(0.0, 1.0, 2) for k in range(1000)]
    expected, _ = by_trying_everything(shapes, walls, points)
    assert (expected < 0.0).sum() > 50
    np.testing.assert_allclose(field.signed_distance(points), expected, atol=1e-12)
    np.testing.assert_allclose(field.signed_distance(points, at_most=0.7), np.minimum(expected, 0.7), atol=1e-12)
    distance, closest = field.nearest(points)
    np.testing.assert_allclose(distance, np.abs(expected), atol=1e-12)
    np.testing.assert_allclose(np.hypot(*(closest - points).T), distance, atol=1e-12)


def test_sampled_distances_are_near_and_hardly_ever_too_large():
    rng = np.random.default_rng(4)
    shapes, walls = scattered(rng)
    field = ObstacleField(shapes, walls)
    points = rng.uniform(-5.0, 35.0, size=(20_000, 2))
    exact = field.signed_distance(points)
    for limit, spacing in ((0.5, 0.05), (1.1, 0.1), (2.3, 0.2)):
        about = field.about(points, limit)
        off = about - np.minimum(exact, limit)
        assert np.abs(off).max() < 0.75 * spacing
        assert off[(exact > 4.0 * spacing)].max() < 0.04 * spacing
    # every point its own limit, whoever else is asked for
    mixed = np.where(np.arange(len(points)) % 2 == 0, 0.5, 2.3)
    np.testing.assert_array_equal(field.about(points, mixed)[::2], field.about(points[::2], 0.5))
    np.testing.assert_array_equal(field.about(points, 5.0), field.signed_distance(points, 5.0))


def test_samples_are_no_more_too_small_than_is_told():
    rng = np.random.default_rng(5)
    gaps = [np.array([[x, 0.0], [x + 0.3, 9.0]]) for x in np.cumsum(rng.uniform(0.1, 1.5, 30))]
    field = ObstacleField(walls=gaps)
    points = rng.uniform((0.0, 0.0), (20.0, 9.0), size=(40_000, 2))
    exact = field.signed_distance(points)
    for limit in (0.5, 1.1):
        short = np.minimum(exact, limit) - field.about(points, limit)
        np.testing.assert_array_equal(field.about_and_reach(points, limit)[0], field.about(points, limit))
        assert 0.3 * about_is_less_by(limit) < short.max() <= about_is_less_by(limit)


def test_of_what_stands_farther_off_than_anybody_wants_to_know_samples_need_not_know():
    square = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
    field, aside = ObstacleField([(square, ())]), 0.05 * np.sqrt(2.0)
    points = np.array([[2.0, 4.65], [2.0, 4.4], [2.0, 4.65], [2.0, 2.3]])
    _, reach = field.about_and_reach(points, [0.4, 0.4, 0.58, 0.4])
    assert reach[:3] == pytest.approx([0.4 + aside, 0.6 + aside, 0.6 + aside])
    assert 1.7 < reach[3] < 2.0  # in solid, as far as its nearest edge


def test_what_is_farther_off_than_samples_reach_changes_nothing():
    rng = np.random.default_rng(8)
    frame = np.array([[0.0, 0.0], [6.0, 0.0], [6.0, 6.0], [0.0, 6.0], [0.0, 0.0]])
    others = 0
    for _ in range(60):
        posts = [rng.uniform(1.0, 5.0, 2) + 0.1 * np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) for _ in range(7)]
        before, after, change = (
            ObstacleField([(each, ()) for each in some], walls)
            for some, walls in ((posts[:6], [frame]), (posts, [frame]), (posts[6:], ()))
        )
        points, most = posts[6][0] + rng.uniform(-0.9, 0.9, (3000, 2)), rng.uniform(0.2, 0.55, 3000)
        told, reach = before.about_and_reach(points, most)
        untouched = change.signed_distance(points) > reach
        np.testing.assert_array_equal(told[untouched], after.about(points, most)[untouched])
        others += np.count_nonzero(told != after.about(points, most))
    assert others > 1000


@pytest.mark.parametrize("field", [ObstacleField(*scattered(np.random.default_rng(6), count=12)), ObstacleField()])
def test_whether_anything_may_be_within_of_one_of_some_places_is_as_of_each(field):
    rng = np.random.default_rng(7)
    points, distance = rng.uniform(-20.0, 50.0, (400, 3, 2)), rng.uniform(0.2, 3.5, 400)
    points[7, 1] = np.nan
    each = field.may_be_within(points.reshape(-1, 2), np.repeat(distance, 3)).reshape(400, 3)
    some = field.any_may_be_within(points, distance)
    np.testing.assert_array_equal(some, each.any(axis=1))
    near = field.signed_distance(points.reshape(-1, 2)).reshape(400, 3) < distance[:, None]
    assert each[near].all()
    assert field.empty or 20 < some.sum() < 380
    assert field.any_may_be_within(points[:0], distance[:0]).shape == (0,)


def test_an_empty_field_is_infinitely_far():
    field = ObstacleField()
    points = np.zeros((3, 2))
    assert field.empty
    assert np.isinf(field.signed_distance(points)).all()
    assert field.signed_distance(points, at_most=2.0).tolist() == [2.0] * 3
    assert field.about(points, 0.5).tolist() == [0.5] * 3
    distance, closest = field.nearest(points)
    assert np.isinf(distance).all()
    assert np.isnan(closest).all()
    assert ObstacleField([], []).signed_distance(np.zeros((0, 2))).shape == (0,)


def test_walls_alone_have_no_inside():
    field = ObstacleField(walls=[[(0, 0), (4, 0), (4, 4), (0, 4), (0, 0)]])
    np.testing.assert_allclose(field.signed_distance([(2.0, 1.0), (-1.0, 2.0)]), [1.0, 1.0])


def test_a_courtyard_is_free_and_a_house_in_another_courtyard_stays_solid():
    ring = ([(0, 0), (10, 0), (10, 10), (0, 10)], [[(2, 2), (8, 2), (8, 8), (2, 8)]])
    inner = ([(4, 4), (5, 4), (5, 5), (4, 5)], [])
    points = [(1.0, 5.0), (3.0, 5.0), (4.5, 4.5), (-1.0, 5.0)]
    np.testing.assert_allclose(ObstacleField([ring, inner]).signed_distance(points), [-1.0, 1.0, -0.5, 1.0])


def test_points_that_are_not_finite_and_outlines_that_are_not():
    field = ObstacleField([([(0, 0), (1, 0), (1, 1)], [])])
    assert np.isnan(field.signed_distance([(np.nan, 0.0)])[0])
    with pytest.raises(GeometryError, match="point 2"):
        ObstacleField([([(0, 0), (1, 0), (np.inf, 1)], [])])


def test_inside_is_inside_on_every_line_of_the_grid_and_of_the_outlines():
    rng = np.random.default_rng(11)
    for _ in range(40):
        low = rng.integers(-8, 9, (6, 2)).astype(float)
        size = rng.integers(1, 4, (6, 2)).astype(float)
        boxes = [
            (corner + np.array([[0, 0], [w, 0], [w, h], [0, h]]), ()) for corner, (w, h) in zip(low, size, strict=True)
        ]
        field = ObstacleField(boxes)
        points = np.concatenate([rng.integers(-44, 45, (500, 2)) / 4.0, rng.uniform(-11, 11, (200, 2))])
        inside = np.any([contains(outline, points) for outline, _ in boxes], axis=0)
        off_edges = field.nearest(points)[0] > 1e-9
        assert ((field.signed_distance(points) < 0) == inside)[off_edges].all()
