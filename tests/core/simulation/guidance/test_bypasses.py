# SPDX-License-Identifier: GPL-3.0-or-later
"""Bypasses of people who stand on a path: free along every leg, also beyond where the straight line is checked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from core.geometry.disc_field import DiscField, StandingDiscs
from core.geometry.distance_field import ObstacleField
from core.simulation.guidance.bypasses import bypass_people, bypass_with_room, find_points_beside
from core.simulation.settings.guidance_settings import BypassSettings

pytestmark = pytest.mark.once

ROOM, WIDE = 0.2, 0.27
WALL = np.array([(1.0, 9.0), (20.0, 9.0), (20.0, 11.0), (1.0, 11.0)])
PATH = np.array([(0.0, 0.0), (0.0, 12.0), (6.0, 12.0)])  # round the end of the wall


def least_distances(way, *discs):
    """Brute force: the least distance of a way to the wall, and to each disc."""
    points = np.concatenate([a + np.linspace(0.0, 1.0, 400)[:, None] * (b - a) for a, b in pairwise(way)])
    outside = np.maximum(np.maximum(WALL[0] - points, points - WALL[2]), 0.0)
    to_discs = [np.hypot(*(points - disc).T).min() - 0.25 for disc in discs]
    return [np.hypot(*outside.T).min(), *to_discs]


@pytest.mark.parametrize("discs", [[(0.0, 3.0)], [(0.0, 2.0), (0.1, 2.6)], [(3.0, 12.0)]])
def test_the_way_past_people_runs_through_no_wall_and_nobody(discs):
    field = DiscField(ObstacleField([(WALL, [])]), StandingDiscs(np.array(discs), np.full(len(discs), 0.25)))
    assert min(least_distances(PATH, *map(np.array, discs))) < ROOM
    way = bypass_people(PATH, ROOM, WIDE, field, BypassSettings())
    assert way is not None
    np.testing.assert_array_equal(way[[0, -1]], PATH[[0, -1]])
    assert min(least_distances(way, *map(np.array, discs))) > ROOM - 0.01


def test_a_path_that_is_free_as_far_as_is_looked_stays_and_one_that_is_closed_has_no_way_round():
    people = StandingDiscs(np.array([(5.0, 0.0)]), np.array([0.25]))
    wall = ObstacleField([(WALL, [])])
    assert bypass_people(PATH, ROOM, WIDE, DiscField(wall, people), BypassSettings()) is PATH
    beyond = StandingDiscs(np.array([(0.0, 10.0)]), np.array([0.25]))
    assert bypass_people(PATH, ROOM, WIDE, DiscField(wall, beyond), BypassSettings()) is PATH
    row = StandingDiscs(np.column_stack((np.linspace(-9.0, 9.0, 46), np.full(46, 4.0))), np.full(46, 0.25))
    assert bypass_people(PATH, ROOM, WIDE, DiscField(wall, row), BypassSettings()) is None


@pytest.mark.parametrize("y", [6.0, 8.2, 11.4, 11.6, 11.7])
def test_a_bypass_keeps_room_beside_people_where_there_is_some(y):
    """Also where somebody stands so near the end of the path that with more room nothing blocks it."""
    path = np.array([(0.0, 0.0), (0.0, 12.0)])
    field = DiscField(ObstacleField([]), StandingDiscs(np.array([(0.0, y)]), np.array([0.25])))
    tight = bypass_people(path, ROOM, WIDE, field, BypassSettings())
    roomy = bypass_with_room(path, ROOM, WIDE, 0.58, field, BypassSettings())
    assert tight is not None
    assert roomy is not None
    assert (tight is path) == (roomy is path)
    distance = least_distances(roomy, np.array((0.0, y)))[1]
    assert tight is path or distance > (0.57 if y < 11.0 else WIDE - 0.01)


def test_somebody_straight_ahead_is_passed_on_the_right():
    people = StandingDiscs(np.array([(0.0, 4.0)]), np.array([0.25]))
    path = bypass_people(PATH, ROOM, WIDE, DiscField(ObstacleField([(WALL, [])]), people), BypassSettings())
    assert path is not None
    beside = path[np.abs(path[:, 1] - 4.0).argmin()]
    assert beside[0] > 0.4  # the path leads north


@pytest.mark.parametrize("way", [4.0, 7.0, 8.0])
def test_people_who_stand_round_the_goal_count_once_they_are_near(way):
    """Nobody turns aside for a row that begins 4 m ahead and ends behind the goal, but past somebody before it."""
    row = np.column_stack((np.linspace(4.0, 9.0, 9), np.zeros(9)))
    start, end, room = np.zeros((1, 2)), np.array([(way, 0.0)]), np.array([ROOM])
    nowhere = pytest.approx([np.nan, np.nan], nan_ok=True)
    open_ground = ObstacleField([(WALL, [])])

    def found(discs):
        field = DiscField(open_ground, StandingDiscs(discs, np.full(len(discs), 0.25)))
        beside, blocked = find_points_beside(start, end, room, field, BypassSettings())
        return beside[0], bool(blocked[0])

    assert found(row) == (nowhere, False)
    beside, blocked = found(np.concatenate(([(2.0, 0.0)], row)))
    assert blocked
    assert abs(beside[1]) > 0.4
    assert found(np.concatenate((row - (3.0, 0.0), row))) == (nowhere, True), "the row is near"
