# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people go who flee."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.simulation.reactions.refuges import find_refuges, nearest_edge
from core.simulation.settings.reaction_settings import ReactionSettings

pytestmark = pytest.mark.once

BOUNDS = np.array([(-30.0, -30.0), (30.0, -30.0), (30.0, 30.0), (-30.0, 30.0)])
WALL = np.array([(6.0, -40.0), (40.0, -40.0), (40.0, 40.0), (6.0, 40.0)])  # all that is ahead


def refuge(obstacles, **settings):
    ground, here = SimpleNamespace(field=ObstacleField(obstacles)), np.zeros((1, 2))
    known = {"ground": ground, "bounds": BOUNDS, "settings": replace(ReactionSettings(), **settings)}
    return find_refuges(here, np.array([-2.0, 0.0]), 0.25, **known)[0]


def test_people_flee_straight_away_as_far_as_they_look():
    np.testing.assert_allclose(refuge([]), (12.0, 0.0), atol=1e-12)


def test_where_a_wall_is_ahead_they_turn_unless_that_costs_more_than_it_gains():
    turned = refuge([(WALL, [])])
    assert turned[0] < 6.0
    assert np.hypot(*turned) > 11.9
    np.testing.assert_allclose(refuge([(WALL, [])], weight_turn=40.0), (5.0, 0.0), atol=1e-12)


def test_nobody_flees_to_the_other_side_of_a_wall_while_there_is_a_place_in_sight():
    square = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    room = [(6.0 * square, [5.8 * square])]  # walls of 0.2 m round all
    assert np.abs(refuge(room)).max() < 5.8
    tight = [(1.5 * square, [1.3 * square])]  # nowhere to go
    assert np.abs(refuge(tight)).max() > 1.5


def test_who_leaves_the_scene_keeps_room_before_the_nearest_edge():
    people, room = np.array([(20.0, 3.0), (-2.0, -29.9)]), np.array([0.4, 0.4])
    np.testing.assert_allclose(nearest_edge(people, BOUNDS, room), [(29.6, 3.0), (-2.0, -29.9)], atol=1e-9)
