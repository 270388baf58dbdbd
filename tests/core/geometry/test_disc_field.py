# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to obstacles and discs are those to the nearest of them."""

import numpy as np
import pytest

from core.geometry.disc_field import DiscField, StandingDiscs
from core.geometry.distance_field import ObstacleField
from core.geometry.field_settings import DISC_FIELD, DiscFieldSettings

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
    expected = np.minimum(base.signed_distance(points), np.where(nearest < DISC_FIELD.reach, nearest, np.inf))
    np.testing.assert_allclose(field.signed_distance(points), expected, atol=1e-12)
    assert (field.about(points, DISC_FIELD.reach) <= np.minimum(nearest, DISC_FIELD.reach) + 1e-12)[
        nearest < DISC_FIELD.reach
    ].all()


def test_what_may_not_be_within_a_distance_is_not(case):
    field, _, points, gaps = case
    for distance in (0.3, DISC_FIELD.reach, 2.5, DISC_FIELD.far_reach, 6.0):
        may_be = field.may_be_within(points, np.full(len(points), distance))
        assert may_be[gaps.min(axis=1) < distance].all()
        together = field.any_may_be_within(points.reshape(-1, 3, 2), np.full(len(points) // 3, distance))
        assert together[may_be.reshape(-1, 3).any(axis=1)].all()
    assert not field.may_be_within(points, np.full(len(points), 0.1)).all()


def test_the_nearest_point_lies_on_the_disc_that_is_nearer_than_the_block(case):
    field, base, points, gaps = case
    distance, closest = field.nearest(points)
    nearest = np.abs(np.where(gaps < DISC_FIELD.reach, gaps, np.inf)).min(axis=1)
    np.testing.assert_allclose(distance, np.minimum(base.nearest(points)[0], nearest), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(points - closest, axis=1), distance, atol=1e-9)


def test_no_discs_change_nothing():
    field = DiscField(ObstacleField(), StandingDiscs(np.zeros((0, 2)), np.zeros(0)))
    assert field.empty
    assert np.isinf(field.signed_distance([[0.0, 0.0]])).all()
    assert not field.may_be_within([[0.0, 0.0]], 3.0).any()


def test_small_discs_beside_a_giant_one_take_the_cells_that_they_reach_alone():
    rng = np.random.default_rng(5)
    centre, radius = rng.uniform(0.0, 300.0, (2001, 2)), np.full(2001, 0.25)
    radius[0] = 100.0
    discs = StandingDiscs(centre, radius)
    assert len(discs._near._lists.entries) < 60_000  # 80 million for cells as far as the largest reaches
    points = rng.uniform(-10.0, 310.0, (500, 2))
    gaps = (np.linalg.norm(points[:, None] - centre, axis=2) - radius).min(axis=1)
    near = gaps < 1.0
    assert near.any()
    np.testing.assert_allclose(DiscField(ObstacleField(), discs).signed_distance(points)[near], gaps[near], atol=1e-9)


def test_large_bodies_are_asked_for_as_far_as_they_reach():
    discs = StandingDiscs(np.zeros((1, 2)), np.array([0.25]), DiscFieldSettings(reach=3.0))
    field = DiscField(ObstacleField(), discs)
    assert field.signed_distance([[2.75, 0.0]])[0] == 2.5
    assert field.may_be_within([[2.75, 0.0]], 2.6).all()


def test_discs_that_are_new_or_differ_are_told_from_those_that_were_there():
    before = StandingDiscs(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([0.2, 0.25, 0.2]))
    after = StandingDiscs(np.array([[2.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0.2, 0.2, 0.3, 0.2]))
    assert after.added_to(before).tolist() == [2, 3]
    assert before.added_to(before).tolist() == []
    assert before.added_to(StandingDiscs(np.zeros((0, 2)), np.zeros(0))).tolist() == [0, 1, 2]
