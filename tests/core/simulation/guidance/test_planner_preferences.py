# SPDX-License-Identifier: GPL-3.0-or-later
"""How a crowd is told to follow its way shows in how it walks."""

from __future__ import annotations

import numpy as np
import pytest

from core.planning import PlannerPreferences, PlannerSettings
from core.scene import Crowd, Following, Obstacle, PlanWeights, Route, Scene, Speed
from core.simulation import simulate
from core.simulation.population.planner_preferences import preferences_of

pytestmark = pytest.mark.once

ROAD = Route("Road", np.array([[0.0, 0, 0], [14, 0, 0]]), width=4.0)
BEND = Route("Bend", np.array([[0.0, 0, 0], [6, 0, 0], [6, 6, 0]]), width=2.0)
PILLAR = Obstacle("Pillar", np.array([[6.7, -0.3], [7.3, -0.3], [7.3, 0.3], [6.7, 0.3]]))


def walk(route, following, count=1, seconds=1, obstacles=()):
    crowd = Crowd("Walkers", count=count, route=route.name, speed=Speed(1.34, 0.0), following=following)
    scene = Scene(frames=(1, 1 + round(24 * seconds)), routes=(route,), crowds=(crowd,), obstacles=obstacles)
    return simulate(scene)


@pytest.mark.parametrize(
    ("following", "low", "high"),
    [
        (Following(), -1.75, 1.75),
        (Following(spread=0.4), -0.7, 0.7),
        (Following(spread=0.0), 0.0, 0.0),
        (Following(side="right"), -1.75, 0.0),
        (Following(spread=0.5, side="left"), 0.0, 0.875),
    ],
)
def test_people_start_within_their_share_of_the_width(following, low, high):
    across = walk(ROAD, following, count=20).position[0, :, 1]
    assert low - 1e-9 <= across.min() < low + 0.2
    assert high - 0.2 < across.max() <= high + 1e-9


@pytest.mark.parametrize(("side", "sign"), [("left", 1.0), ("right", -1.0)])
def test_an_obstacle_is_passed_on_the_preferred_side(side, sign):
    path = walk(ROAD, Following(side=side, spread=0.0), seconds=9, obstacles=(PILLAR,)).position[:, 0]
    beside = np.argmin(np.abs(path[:, 0] - 7.0))
    assert sign * path[beside, 1] > 0.5


def test_the_comfortable_take_bends_more_slowly_than_the_hurried():
    slowest = [
        np.hypot(*walk(BEND, Following(comfort=comfort), seconds=7).velocity[48:, 0].T).min() for comfort in (0.0, 1.0)
    ]
    assert slowest[0] > 1.25 * slowest[1]


def test_who_keeps_to_the_line_loosely_takes_longer_to_come_back_to_it_from_an_obstacle():
    back = []
    for keep in (0.0, 0.5):
        way = walk(ROAD, Following(keep_to_line=keep, spread=0.0), seconds=10, obstacles=(PILLAR,)).position[:, 0]
        beyond = way[way[:, 0] > 7.6]
        back.append(beyond[np.argmax(np.abs(beyond[:, 1]) < 0.1), 0])
    assert back[0] > back[1] + 0.5


def test_the_scale_of_keeping_to_the_line_acts_from_end_to_end():
    off = []
    for keep in (0.0, 0.25, 0.5, 0.75, 1.0):
        way = walk(ROAD, Following(keep_to_line=keep, spread=0.0), seconds=10, obstacles=(PILLAR,)).position[:, 0]
        off.append(np.abs(way[:, 1]).mean())
    assert (np.diff(off) < -0.001).all(), off


def test_the_more_obstacles_are_minded_the_more_room_is_left_beside_them():
    room = []
    for weight in (0.3, 1.0, 2.0, 4.0, 8.0):
        minded = Following(spread=0.0, weights=PlanWeights(k_obstacle=weight))
        way = walk(ROAD, minded, seconds=8, obstacles=(PILLAR,)).position[:, 0, :2]
        room.append(np.hypot(*np.maximum(np.abs(way - (7.0, 0.0)) - 0.3, 0.0).T).min() - 0.25)
    assert (np.diff(room) > 0.01).all(), room
    assert room[-1] > 0.4


def test_settings_in_the_middle_are_those_of_the_planner_and_all_others_scale_them():
    settings = PlannerSettings()
    usual, eager = Crowd("Usual"), Crowd("Eager", following=Following(1.0, 0.0, weights=PlanWeights(k_jerk=4.0)))
    manners = preferences_of((usual, eager), np.array([0, 1, 0]), settings)
    alike = PlannerPreferences.alike(settings, 1)
    for name in PlannerPreferences.__dataclass_fields__:
        assert getattr(manners, name)[0] == getattr(manners, name)[2] == getattr(alike, name)[0]
    assert manners.off_line[1] == pytest.approx(10.0 * settings.off_line)
    assert manners.lateral_acceleration[1] == pytest.approx(2.0 * settings.lateral_acceleration)
    assert manners.jerk[1] == pytest.approx(2.0 * settings.jerk)


@pytest.mark.parametrize("radius", [3.0, 1.5, 0.75, 0.3])
def test_who_walks_alone_keeps_to_the_line_in_bends(radius):
    turn = np.radians(165.0) * np.linspace(0.0, 1.0, 60)
    bend = np.stack([radius * (1.0 - np.cos(turn)), 4.0 + radius * np.sin(turn), 0.0 * turn], axis=1)
    out = bend[-1] + 4.0 * np.array([np.sin(turn[-1]), np.cos(turn[-1]), 0.0])
    line = np.vstack([[0.0, 0.0, 0.0], bend, out])
    walked = walk(Route("Turn", line, width=2.0), Following(spread=0.0), seconds=12).position[:, 0]
    start, along = line[:-1, :2], np.diff(line[:, :2], axis=0)
    to_place = walked[:, None, :2] - start
    share = np.clip((to_place * along).sum(axis=2) / (along * along).sum(axis=1), 0.0, 1.0)
    beside = np.linalg.norm(to_place - share[..., None] * along, axis=2).min(axis=1)
    assert beside.max() < 0.05
    assert np.linalg.norm(np.diff(walked[:, :2], axis=0), axis=1).sum() > 4.0 + radius * turn[-1]  # beyond the bend
