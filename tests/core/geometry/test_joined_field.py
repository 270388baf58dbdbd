# SPDX-License-Identifier: GPL-3.0-or-later
"""Two fields joined answer as one of all obstacles would."""

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.geometry.joined_field import JoinedField

SQUARE = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
HOLE = SQUARE * 0.5 + 1.0
WALL = np.array([[-6.0, -3.0], [9.0, -3.0]])
DOOR = np.array([[4.5, 1.0], [6.5, 1.0], [6.5, 1.1], [4.5, 1.1]])
FAR = np.add(DOOR, (20.0, 5.0))


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(3).uniform((-10.0, -8.0), (32.0, 14.0), (20_000, 2))


@pytest.mark.parametrize("more", [[(DOOR, ())], [(DOOR, ()), (FAR, ())], []])
def test_distances_are_those_of_all_together(points, more):
    one = ObstacleField([(SQUARE, [HOLE]), *more], [WALL])
    joined = JoinedField(ObstacleField([(SQUARE, [HOLE])], [WALL]), more)
    np.testing.assert_array_equal(joined.signed_distance(points), one.signed_distance(points))
    np.testing.assert_array_equal(joined.signed_distance(points, 0.7), one.signed_distance(points, 0.7))
    for found, expected in zip(joined.nearest(points), one.nearest(points), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_what_may_be_within_misses_nothing_and_samples_are_near(points):
    joined = JoinedField(ObstacleField([(SQUARE, [HOLE])], [WALL]), [(DOOR, ())])
    exact = joined.signed_distance(points)
    assert joined.may_be_within(points, 0.5)[exact < 0.5].all()
    of_four = joined.any_may_be_within(points.reshape(-1, 4, 2), np.full(5000, 0.5))
    np.testing.assert_array_equal(of_four, joined.may_be_within(points, 0.5).reshape(-1, 4).any(axis=1))
    about = joined.about(points, np.linspace(0.3, 0.6, len(points)))
    known = exact < 0.3
    assert np.abs(about - exact)[known].max() < 0.03


def test_something_that_stands_alone_is_found_and_nothing_is_nowhere():
    nothing = JoinedField(ObstacleField(), [])
    assert nothing.empty
    assert np.isinf(nothing.signed_distance([[0.0, 0.0]])).all()
    alone = JoinedField(ObstacleField(), [(DOOR, ())])
    assert not alone.empty
    np.testing.assert_allclose(alone.signed_distance([[5.0, 2.1], [5.0, 1.05]]), [1.0, -0.05])
