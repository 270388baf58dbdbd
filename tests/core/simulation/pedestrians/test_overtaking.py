# SPDX-License-Identifier: GPL-3.0-or-later
"""People lean past slower people and their friends on the side where there is room."""

import numpy as np
import pytest

from core import simulate
from core.scene import Crowd, Route, Scene, Spawn, Speed
from core.simulation.behaviours.overtaking import lean_past
from core.simulation.settings.behaviour_settings import OvertakingSettings
from core.steering.neighbours import NearPairs

SETTINGS = OvertakingSettings()


def lean(others, *, group=0, room=(5.0, 5.0)):
    """How fast somebody at the origin, who walks along x, leans to the left of slower people at some places [m/s]."""
    place = np.array([[0.0, 0.0], *others])
    people = np.tile([[0.23], [1.0], [1.0], [0.2], [room[0]], [room[1]]], len(place))
    people[1, 0] = 2.8
    groups = np.array([-1, *[group] * len(others)])
    forward = np.tile([1.0, 0.0], (len(place), 1))
    near = NearPairs(place, len(place), 6.0)
    return float(lean_past(place, near, forward, people, groups, SETTINGS)[0][0])


def test_somebody_exactly_ahead_is_passed_on_some_side_and_others_on_the_nearer_one():
    assert abs(lean([(1.2, 0.0)])) > 0.2
    assert lean([(1.2, 0.1)]) < 0.0 < lean([(1.2, -0.1)])
    assert lean([(1.2, -0.7)]) == 0.0  # there is room


@pytest.mark.parametrize("friends", [[(1.2, 0.52), (1.2, -0.13)], [(1.2, 0.64), (1.2, 0.0), (1.4, -0.6)]])
def test_friends_are_passed_on_one_side_where_the_way_round_them_all_is_shorter(friends):
    """Away from each of them it would lead between them, where nobody fits."""
    mirrored = [(x, -y) for x, y in friends]
    assert lean(friends) < -0.3
    assert lean(mirrored) > 0.3
    assert abs(lean(friends, group=-1)) < 0.3  # strangers drift apart


def test_nobody_leans_over_the_edge_of_the_path_if_there_is_room_on_the_other_side():
    friends = [(1.2, 0.52), (1.2, -0.13)]
    assert lean(friends, room=(0.1, 5.0)) > 0.3
    assert lean(friends, room=(0.1, 0.1)) < -0.3  # over the nearer edge less far
    assert lean([(1.2, 0.1)], room=(0.1, 5.0)) > 0.0


def test_a_jogger_gets_past_strollers_who_walk_abreast():
    """On a path 8 m wide: behind a pair there was no way past either of the two that did not lead to the other."""
    ways = [np.array([[x, 0.0, 0.0], [60.0, 0.0, 0.0]]) for x in (12.0, -4.0)]
    routes = Route("Strolling", ways[0], width=8.0), Route("Jogging", ways[1], width=8.0)
    strollers = Crowd("S", count=6, route="Strolling", groups=(2, 2), speed=Speed(1.0, 0.05), spawn=Spawn("spread"))
    jogger = Crowd("Jogger", route="Jogging", speed=Speed(2.8, 0.0))
    made = simulate(Scene(frames=(1, 300), seed=4, routes=routes, crowds=(strollers, jogger)))
    speed = np.hypot(*made.velocity[60:, -1, :2].T)
    assert np.nanmin(speed) > 1.6
