# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways through free ground: round what stands there, through gaps that are wide enough, and nowhere else."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning.ways_past import straighten, survey_ground

START = np.array([0.3, -0.2])
LEAST = 0.27


def box(left, low, right, high):
    return np.array([(left, low), (right, low), (right, high), (left, high)]), []


def length_of(way):
    return np.hypot(*np.diff(way, axis=0).T).sum()


def along(way):
    """Places on a polyline, at most 2 cm apart."""
    return np.concatenate([a + np.linspace(0.0, 1.0, 200)[:, None] * (b - a) for a, b in pairwise(way)])


def test_where_nothing_stands_the_way_is_straight():
    ground = survey_ground(ObstacleField(), START, LEAST, 0.1)
    for goal in ([3.0, 1.0], [-3.3, -3.9], [0.33, -0.2]):
        way = straighten(ground.way_to(np.array(goal)), ObstacleField(), LEAST)
        np.testing.assert_array_equal(way, [START, goal])


@pytest.mark.parametrize("cell", [0.1, 0.05])
def test_a_box_is_gone_round_on_the_shorter_side(cell):
    standing = ObstacleField([box(1.0, -2.0, 1.5, 0.5)])
    ground, goal = survey_ground(standing, START, LEAST, cell), np.array([2.2, -0.2])
    way = straighten(ground.way_to(goal), standing, LEAST)
    np.testing.assert_array_equal(way[[0, -1]], [START, goal])
    assert standing.signed_distance(along(way)).min() > LEAST - 0.01
    assert way[:, 1].max() > 0.5
    assert length_of(way) < 1.15 * (np.hypot(0.7, 1.0) + 0.5 + np.hypot(0.7, 1.0))


def test_a_gap_is_gone_through_if_it_is_wide_enough_and_nothing_beyond_is_reached_otherwise():
    goal = np.array([[2.2, -0.2]])
    for gap, fits in ((0.66, True), (0.5, False)):
        standing = ObstacleField([box(1.0, -9.0, 1.2, -0.2), box(1.0, -0.2 + gap, 1.2, 9.0)])
        ground = survey_ground(standing, START, LEAST, 0.05)
        assert ground.reaches(goal)[0] == fits
        if fits:
            assert standing.signed_distance(along(ground.way_to(goal[0]))).min() > LEAST - 0.01


def test_places_in_solid_and_far_away_are_not_reached():
    standing = ObstacleField([box(1.0, -1.0, 2.0, 1.0)])
    ground = survey_ground(standing, START, LEAST, 0.1)
    places = np.array([[1.5, 0.0], [0.9, 0.0], [0.5, 0.0], [3.0, 0.0], [100.0, 0.0]])
    np.testing.assert_array_equal(ground.reaches(places), [False, False, True, True, False])


def test_whoever_stands_too_near_gets_away():
    standing = ObstacleField([box(0.5, -9.0, 1.0, 9.0)])  # 20 cm from the start
    ground, goal = survey_ground(standing, START, LEAST, 0.1), np.array([-2.0, 1.0])
    way = straighten(ground.way_to(goal), standing, LEAST)
    clear = standing.signed_distance(along(way))
    assert clear.min() > 0.19
    assert clear[-1] > LEAST


@pytest.mark.parametrize(("cell", "least"), [(0.1, 0.36), (0.05, 0.27)])
@pytest.mark.parametrize("off", [0.2, 0.1, 0.02, 0.0])
def test_whoever_stands_against_a_wall_gets_away_from_it_and_keeps_away_from_all_others(cell, least, off):
    # straight on to the goal one would brush along the ends of both walls
    walls = [np.array([(0.0, -5.0), (0.0, 1.5)]), np.array([(1.2, -1.5), (1.2, 5.0)])]
    standing, start, goal = ObstacleField([], walls), np.array([off, 0.0]), np.array([2.4, 0.0])
    way = straighten(survey_ground(standing, start, least, cell).way_to(goal), standing, least)
    places = along(way)
    escaped = off + 0.5 * np.hypot(*(places - start).T)
    assert (standing.signed_distance(places) > np.minimum(least, escaped) - 0.01).all()
