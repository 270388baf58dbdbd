# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights of the ground against formulas and against every triangle."""

import numpy as np
import pytest


@pytest.fixture
def ground_class(addon):
    return addon.module("blender_addon.reading.ground.ground").GroundMesh


def _hills(count=60, size=20.0):
    x, y = np.meshgrid(np.linspace(-size, size, count), np.linspace(-size, size, count))
    points = np.stack([x, y, np.sin(x / 4) + 0.1 * y], axis=-1).reshape(-1, 3)
    row = np.arange(count * count).reshape(count, count)
    a, b, c, d = row[:-1, :-1].ravel(), row[:-1, 1:].ravel(), row[1:, 1:].ravel(), row[1:, :-1].ravel()
    return points, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def _square(z, low=-1.0, high=1.0):
    return [(low, low, z), (high, low, z), (high, high, z), (low, high, z)]


TWO = np.array([(0, 1, 2), (0, 2, 3)])


def _all_heights(points, triangles, place):
    """Every height at which a vertical line meets a triangle."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    with np.errstate(all="ignore"):
        u, v = np.linalg.solve(np.stack([(b - a)[:, :2], (c - a)[:, :2]], axis=2), (place - a[:, :2])[..., None])[
            ..., 0
        ].T
    hit = (u >= 0) & (v >= 0) & (u + v <= 1)
    return (a[:, 2] + u * (b - a)[:, 2] + v * (c - a)[:, 2])[hit]


def test_heights_of_hills_are_those_of_their_formula(ground_class):
    ground = ground_class(*_hills(200))
    places = np.random.default_rng(1).uniform(-20, 20, (5000, 2))
    truth = np.sin(places[:, 0] / 4) + 0.1 * places[:, 1]
    assert np.abs(ground.heights(places) - truth).max() < 1e-3  # chords of a sine, 0.2 m apart
    assert ground.covers(places).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_storey_nearest_to_a_height_is_taken(ground_class, seed):
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-2, 1, 300)  # triangles of very different sizes
    corners = rng.uniform(-8, 8, (300, 1, 3)) + rng.normal(size=(300, 3, 3)) * size[:, None, None] * (1, 1, 0.2)
    points, triangles = corners.reshape(-1, 3), np.arange(900).reshape(-1, 3)
    ground = ground_class(points, triangles)
    places, wishes = rng.uniform(-8, 8, (400, 2)), rng.uniform(-8, 8, 400)
    found, topmost, covered = ground.heights(places, wishes), ground.heights(places), ground.covers(places)
    for place, wish, height, top, has_ground in zip(places, wishes, found, topmost, covered, strict=True):
        met = _all_heights(points, triangles, place)
        assert has_ground == (len(met) > 0)
        if len(met):
            assert abs(height - wish) == pytest.approx(np.abs(met - wish).min(), abs=1e-6)
            assert top == pytest.approx(met.max(), abs=1e-6)


CORNERS = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
BOX = np.array([*((0, 2, 3), (0, 3, 1)), *((4, 5, 7), (4, 7, 6)), *((0, 1, 5), (0, 5, 4)), *((2, 6, 7), (2, 7, 3))])
BOX = np.concatenate([BOX, [(0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5)]])


def _joined(*parts):
    """One mesh of some: points and triangles."""
    first = np.cumsum([0, *(len(points) for points, _ in parts)])
    points = np.concatenate([np.asarray(points, dtype=float) for points, _ in parts])
    return points, np.concatenate([triangles + low for (_, triangles), low in zip(parts, first, strict=False)])


def _box(low, high, *, turned=False):
    return np.asarray(low) + CORNERS * np.subtract(high, low), BOX[:, ::-1] if turned else BOX


@pytest.mark.parametrize("built", ["side by side", "in layers", "into each other", "turned inside out"])
@pytest.mark.parametrize("floor", [[], [(np.array(_square(0.0, -20.0, 20.0)), TWO)]])
def test_on_a_staircase_of_boxes_people_walk_on_the_treads(ground_class, built, floor):
    def step(k):
        if built == "in layers":
            return _box((0.3 * k, -2.0, 0.17 * k), (4.0, 2.0, 0.17 * (k + 1)))
        if built == "into each other":
            return _box((0.3 * k, -2.0, 0.0), (4.0, 2.0, 0.17 * (k + 1)))
        return _box((0.3 * k, -2.0, 0.0), (0.3 * (k + 1), 2.0, 0.17 * (k + 1)), turned=built == "turned inside out")

    ground = ground_class(*_joined(*(step(k) for k in range(10)), *floor))
    x = np.random.default_rng(3).uniform(0.01, 2.99, 300)
    places = np.stack([x, np.linspace(-1.9, 1.9, 300)], axis=1)
    for near_z in (0.0, 1.0):
        assert ground.heights(places, near_z) == pytest.approx(0.17 * (np.floor(x / 0.3) + 1.0))
    if floor:
        assert ground.heights([(-5.0, 0.0), (-0.1, 1.0)], 1.0).tolist() == [0.0, 0.0]
    else:  # beyond the edge, too, the treads are the ground
        beside = np.stack([x, np.where(x < 1.5, -3.0, 3.0)], axis=1)
        assert ground.heights(beside, 0.0) == pytest.approx(0.17 * (np.floor(x / 0.3) + 1.0))


def test_under_a_bridge_there_is_ground_and_on_it_too(ground_class):
    hills = np.array([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], dtype=float), TWO
    ground = ground_class(*_joined(hills, _box((-2.0, -9.0, 2.8), (2.0, 9.0, 3.0)), (_square(6.0), TWO)))
    places = np.random.default_rng(4).uniform(-0.9, 0.9, (50, 2))
    for near_z, storey in ((0.3, 0.0), (3.2, 3.0), (2.4, 3.0), (9.0, 6.0)):
        assert ground.heights(places, near_z) == pytest.approx(storey)
    turned_down = ground_class(*_joined((hills[0], TWO[:, ::-1]), _box((-2.0, -9.0, 2.8), (2.0, 9.0, 3.0))))
    assert turned_down.heights(places, 0.3) == pytest.approx(0.0)


def test_beyond_the_edge_the_nearest_edge_counts(ground_class):
    ground = ground_class(np.array([(0, 0, 0), (10, 0, 5), (10, 10, 5), (0, 10, 0)], dtype=float), TWO)
    places = np.array([(5, -3), (-4, 2), (14, 7), (20, 20), (5, 5)], dtype=float)
    np.testing.assert_allclose(ground.heights(places), [2.5, 0.0, 5.0, 5.0, 2.5], atol=1e-5)
    assert ground.covers(places).tolist() == [False, False, False, False, True]


def test_absent_people_have_no_height(ground_class):
    ground = ground_class(np.array(_square(3.0)), TWO)
    heights = ground.heights(np.array([(np.nan, np.nan), (0.0, 0.0)]), np.array([np.nan, 1.0]))
    assert np.isnan(heights[0])
    assert heights[1] == 3.0


def test_places_on_edges_and_corners_have_ground(ground_class):
    points, triangles = _hills(20)
    assert ground_class(points, triangles).covers(points[:, :2]).all()


def test_far_from_the_origin_heights_are_as_good(ground_class):
    points, triangles = _hills(40)
    places = np.random.default_rng(5).uniform(-20, 20, (500, 2))
    near = ground_class(points, triangles).heights(places)
    there = np.array([30_000, -50_000, 0])
    far = ground_class(points + there, triangles).heights(places + there[:2])
    np.testing.assert_allclose(far, near, atol=1e-6)


def test_upright_faces_carry_nobody(addon, ground_class):
    wall = np.array([(0, 0, 0), (5, 0, 0), (5, 0, 3), (0, 0, 3)], dtype=float)
    with pytest.raises(addon.errors.GeometryError, match="it has no faces, or only vertical ones"):
        ground_class(wall, TWO)
    floor_and_wall = np.concatenate([np.array(_square(1.0, -5, 5)), wall])
    ground = ground_class(floor_and_wall, np.concatenate([TWO, TWO + 4]))
    assert ground.heights([(2.0, 0.0)], 2.5).tolist() == [1.0]


def test_nothing_is_no_ground(addon, ground_class):
    with pytest.raises(addon.errors.GeometryError):
        ground_class(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64))
