# SPDX-License-Identifier: GPL-3.0-or-later
"""How a crowd is told to follow its way shows in how it walks."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning import PlannerPreferences, PlannerSettings
from core.scene import Crowd, Following, Obstacle, PlanWeights, Route, Scene, Speed
from core.simulation import simulate
from core.simulation.population.planner_preferences import preferences_of

pytestmark = pytest.mark.once

ROAD = Route("Road", np.array([[0.0, 0, 0], [14, 0, 0]]), width=4.0)
BEND = Route("Bend", np.array([[0.0, 0, 0], [6, 0, 0], [6, 6, 0]]), width=2.0)
PILLAR = Obstacle("Pillar", np.array([[6.7, -0.3], [7.3, -0.3], [7.3, 0.3], [6.7, 0.3]]))

SETTING_OUT = 5
LATER = [Route("Road", np.array([[-0.08 * later, 0.0, 0.0], [14, 0, 0]]), width=4.0) for later in range(SETTING_OUT)]
"""Just where people first see the pillar decides much."""
APART = np.array([0.0, 60.0, 0.0])
"""Between routes: nobody sees anybody [m]."""


def walk_apart(walkers, seconds, obstacles=()):
    """Where one person is in each frame on each of some routes with a preference, all in one scene, each alone."""
    routes, crowds, everything = [], [], []
    for number, (route, following) in enumerate(walkers):
        aside = number * APART
        routes.append(Route(f"{number}", route.points + aside, width=route.width))
        alike = {"count": 1, "speed": Speed(1.34, 0.0), "radius": (0.25, 0.25)}
        crowds.append(Crowd(f"{number}", route=f"{number}", following=following, **alike))
        everything += [Obstacle(f"{each.name} {number}", each.outline + aside[:2]) for each in obstacles]
    frames = (1, 1 + round(24 * seconds))
    made = simulate(Scene(frames=frames, routes=tuple(routes), crowds=tuple(crowds), obstacles=tuple(everything)))
    return [made.position[:, number] - number * APART for number in range(len(walkers))]


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
    crowd = Crowd("Walkers", count=20, route="Road", following=following)
    across = simulate(Scene(frames=(1, 1), routes=(ROAD,), crowds=(crowd,))).position[0, :, 1]
    assert low - 1e-9 <= across.min() < low + 0.2
    assert high - 0.2 < across.max() <= high + 1e-9


def test_arms_are_kept_off_obstacles_where_there_is_room_and_pass_doors_all_the_same():
    """A pillar in the open, and a door that is wider than the body, but not than its arms."""
    door = [Obstacle(f"Jamb {side}", PILLAR.outline * (0.3, 6.0) + (5.0, side * 2.25)) for side in (-1, 1)]
    nearest = []
    for obstacles, reach in (((PILLAR,), 0.0), ((PILLAR,), 0.25), (door, 0.0), (door, 0.25)):
        alike = {"count": 1, "speed": Speed(1.34, 0.0), "radius": (0.25, 0.25), "reach": reach}
        crowd = Crowd("One", route="Road", following=Following(spread=0.0), **alike)
        scene = Scene(frames=(1, 300), routes=(ROAD,), crowds=(crowd,), obstacles=tuple(obstacles))
        made = simulate(scene)
        assert (made.arrived_frame > 0).all()
        field = ObstacleField([each.polygon for each in obstacles])
        nearest.append(field.signed_distance(made.position[made.present][:, :2]).min())
    assert 0.25 <= nearest[0] < 0.4
    assert nearest[1] > nearest[0] + 0.15
    assert nearest[2:] == pytest.approx([0.45, 0.45], abs=0.02)


def test_an_obstacle_is_passed_on_the_preferred_side():
    preferences = [(ROAD, Following(side=side, spread=0.0)) for side in ("left", "right")]
    left, right = walk_apart(preferences, seconds=9, obstacles=(PILLAR,))
    assert left[np.argmin(np.abs(left[:, 0] - 7.0)), 1] > 0.5
    assert right[np.argmin(np.abs(right[:, 0] - 7.0)), 1] < -0.5


def test_the_comfortable_take_bends_more_slowly_than_the_hurried():
    ways = walk_apart([(BEND, Following(comfort=comfort)) for comfort in (0.0, 1.0)], seconds=7)
    hurried, comfortable = (np.linalg.norm(np.diff(way[48:], axis=0), axis=1).min() for way in ways)
    assert hurried > 1.25 * comfortable


@pytest.fixture(scope="module")
def kept():
    """How people pass the pillar who keep to the line the more firmly, from not at all to as firmly as one can.

    Of each several who set out a little later.
    """
    scale = (0.0, 0.25, 0.5, 0.75, 1.0)
    preferences = [(road, Following(keep_to_line=keep, spread=0.0)) for keep in scale for road in LATER]
    return walk_apart(preferences, seconds=10, obstacles=(PILLAR,))


def test_who_keeps_to_the_line_loosely_takes_longer_to_come_back_to_it_from_an_obstacle(kept):
    back = []
    for way in (kept[0], kept[2 * SETTING_OUT]):
        beyond = way[way[:, 0] > 7.6]
        back.append(beyond[np.argmax(np.abs(beyond[:, 1]) < 0.1), 0])
    assert back[0] > back[1] + 0.3  # no more: everybody returns at a gentle angle


def test_the_scale_of_keeping_to_the_line_acts_from_end_to_end(kept):
    off = np.array([np.abs(way[:, 1]).mean() for way in kept]).reshape(-1, SETTING_OUT).mean(axis=1)
    assert (np.diff(off[::2]) < -0.009).all(), off
    assert (np.diff(off) < 0.003).all(), off


def test_the_more_obstacles_are_minded_the_more_room_is_left_beside_them():
    weights = (0.3, 1.0, 2.0, 4.0, 8.0)
    preferences = [
        (road, Following(spread=0.0, weights=PlanWeights(k_obstacle=weight))) for weight in weights for road in LATER
    ]
    ways = walk_apart(preferences, seconds=8, obstacles=(PILLAR,))
    beside = [np.maximum(np.abs(way[:, :2] - (7.0, 0.0)) - 0.3, 0.0) for way in ways]
    room = np.array([np.hypot(*each.T).min() - 0.25 for each in beside]).reshape(-1, SETTING_OUT).mean(axis=1)
    assert (np.diff(room) > 0.01).all(), room
    assert room[-1] > 0.4


def test_settings_in_the_middle_are_those_of_the_planner_and_all_others_scale_them():
    settings = PlannerSettings()
    usual, eager = Crowd("Usual"), Crowd("Eager", following=Following(1.0, 0.0, weights=PlanWeights(k_jerk=4.0)))
    preferences = preferences_of((usual, eager), np.array([0, 1, 0]), settings)
    alike = PlannerPreferences.alike(settings, 1)
    for name in PlannerPreferences.__dataclass_fields__:
        assert getattr(preferences, name)[0] == getattr(preferences, name)[2] == getattr(alike, name)[0]
    assert preferences.off_line[1] == pytest.approx(10.0 * settings.off_line)
    assert preferences.lateral_acceleration[1] == pytest.approx(2.0 * settings.lateral_acceleration)
    assert preferences.jerk[1] == pytest.approx(2.0 * settings.jerk)


def test_who_walks_alone_keeps_to_the_line_in_bends():
    turn, radii, lines = np.radians(165.0) * np.linspace(0.0, 1.0, 60), (3.0, 1.5, 0.75, 0.3), []
    for radius in radii:
        bend = np.stack([radius * (1.0 - np.cos(turn)), 4.0 + radius * np.sin(turn), 0.0 * turn], axis=1)
        out = bend[-1] + 4.0 * np.array([np.sin(turn[-1]), np.cos(turn[-1]), 0.0])
        lines.append(np.vstack([[0.0, 0.0, 0.0], bend, out]))
    ways = walk_apart([(Route("Turn", line, width=2.0), Following(spread=0.0)) for line in lines], seconds=12)
    for radius, line, walked in zip(radii, lines, ways, strict=True):
        start, along = line[:-1, :2], np.diff(line[:, :2], axis=0)
        to_place = walked[:, None, :2] - start
        share = np.clip((to_place * along).sum(axis=2) / (along * along).sum(axis=1), 0.0, 1.0)
        beside = np.linalg.norm(to_place - share[..., None] * along, axis=2).min(axis=1)
        assert beside.max() < (0.05 if radius > 0.5 else 0.1)  # a turn of 60 cm across is cut a little
        assert np.linalg.norm(np.diff(walked[:, :2], axis=0), axis=1).sum() > 4.0 + radius * turn[-1]  # beyond the bend


def test_who_keeps_loosely_to_the_line_cuts_corners_and_keeps_up_speed():
    cuts, slowest = [], []
    for keep in (0.0, 0.5, 1.0):
        (walked,) = walk_apart([(BEND, Following(keep_to_line=keep, spread=0.0))], seconds=9)
        near = np.linalg.norm(walked[:, :2] - (6.0, 0.0), axis=1)
        cuts.append(near.min())
        speed = np.linalg.norm(np.diff(walked[:, :2], axis=0), axis=1) * 24
        slowest.append(speed[near[1:] < 1.0].min())
    assert cuts[0] > 0.25
    assert 0.15 > cuts[1] > cuts[2]
    assert slowest[0] > 1.0
    assert slowest[0] > slowest[1] > slowest[2]


def test_crowds_that_keep_differently_to_the_same_line_have_paths_of_their_own():
    crowds = [
        Crowd(f"{keep}", count=1, route="Bend", following=Following(keep_to_line=keep, spread=0.0), avoidance="none")
        for keep in (1.0, 0.0)
    ]
    walked = simulate(Scene(frames=(1, 300), routes=(BEND,), crowds=tuple(crowds))).position[..., :2]
    tight, loose = np.linalg.norm(walked - (6.0, 0.0), axis=-1).min(axis=0)
    assert tight < 0.1
    assert loose > 0.25
