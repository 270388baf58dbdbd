# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to obstacles and discs are those to the nearest of them."""

import numpy as np
import pytest

from core.geometry.disc_field import FAR_REACH, REACH, DiscField, StandingDiscs
from core.geometry.distance_field import ObstacleField

BLOCK = np.array([[2.0, 2.0], [4.0, 2.0], [4.0, 3.0], [2.0, 3.0]])


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(4)
    centre, radius = rng.uniform(-3.0, 9.0, (40, 2)), rng.uniform(0.15, 0.4, 40)
    points = rng.uniform(-8.0, 14.0, (3000, 2))
    base = ObstacleField([(BLOCK, [])])
    gaps = np.linalg.norm(points[:, None] - centre, axis=2) - radius
    return DiscField(base, StandingDiscs(centre, radius)), base, points, gaps


def test_the_distance_is_the_lesser_one_as_far_as_discs_reach(case):
    field, base, points, gaps = case
    nearest = gaps.min(axis=1)
    expected = np.minimum(base.signed_distance(points), np.where(nearest < REACH, nearest, np.inf))
    np.testing.assert_allclose(field.signed_distance(points), expected, atol=1e-12)
    assert (field.about(points, REACH) <= np.minimum(nearest, REACH) + 1e-12)[nearest < REACH].all()


def test_what_may_not_be_within_a_distance_is_not(case):
    field, _, points, gaps = case
    for distance in (0.3, REACH, 2.5, FAR_REACH, 6.0):
        may_be = field.may_be_within(points, np.full(len(points), distance))
        assert may_be[gaps.min(axis=1) < distance].all()
        together = field.any_may_be_within(points.reshape(-1, 3, 2), np.full(len(points) // 3, distance))
        assert together[may_be.reshape(-1, 3).any(axis=1)].all()
    assert not field.may_be_within(points, np.full(len(points), 0.1)).all()


def test_the_nearest_point_lies_on_the_disc_that_is_nearer_than_the_block(case):
    field, base, points, gaps = case
    distance, closest = field.nearest(points)
    nearest = np.abs(np.where(gaps < REACH, gaps, np.inf)).min(axis=1)
    np.testing.assert_allclose(distance, np.minimum(base.nearest(points)[0], nearest), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(points - closest, axis=1), distance, atol=1e-9)


def test_no_discs_change_nothing():
    field = DiscField(ObstacleField(), StandingDiscs(np.zeros((0, 2)), np.zeros(0)))
    assert field.empty
    assert np.isinf(field.signed_distance([[0.0, 0.0]])).all()
    assert not field.may_be_within([[0.0, 0.0]], 3.0).any()
