# SPDX-License-Identifier: GPL-3.0-or-later
"""Heroes: everybody makes way for those whose motion is given, and the rest of the scene goes on."""

import numpy as np
import pytest

from core.inspection.reasons import explain
from core.inspection.replay import Replay
from core.scene import Agent, Area, Crowd, Hero, Scene, Track
from core.simulation import simulate
from core.simulation.world.doing import Doing
from core.steering.half_planes import OBSTACLE
from tests.sweeps import sweep

pytestmark = pytest.mark.once

WALK = Track(np.array([1.0, 240.0]), np.array([13.0, -2.0]), np.zeros(2))  # 1.5 m/s against the crowd
HERO = Hero("Hero", 0.4, WALK)


def gap(made, hero):
    """Room between a hero and the nearest body at each frame."""
    place = np.stack([np.interp(made.frames, hero.motion.frames, way) for way in (hero.motion.x, hero.motion.y)], 1)
    return np.nanmin(np.linalg.norm(made.position[..., :2] - place[:, None], axis=2) - made.radius - hero.radius, 1)


def walking(avoidance, heroes=(HERO,)):
    gates = [Area(name, np.array([[x, -1], [x + 3, -1], [x + 3, 1], [x, 1.0]])) for name, x in (("A", 0), ("B", 9))]
    crowd = Crowd("Walkers", count=8, start="A", goal="B", avoidance=avoidance)
    return simulate(Scene(frames=(1, 300), areas=tuple(gates), crowds=(crowd,), heroes=heroes))


def standing(avoidance, speed):
    places = tuple((x, y) for x in (4.0, 5.0, 6.0) for y in (-0.8, 0.0, 0.8))
    crowd = Crowd("Onlookers", count=9, agents=tuple(Agent(p, p) for p in places), avoidance=avoidance)
    track = Track(np.array([1.0, 1.0 + 24 * 13 / speed]), np.array([11.0, -2.0]), np.zeros(2))
    return Scene(frames=(1, 140), crowds=(crowd,), heroes=(Hero("Runner", 0.4, track),))


@pytest.mark.parametrize("avoidance", sweep(["human_like", "orca"], usual=1))
def test_walkers_go_round_a_hero_who_walks_through_them(avoidance):
    made = walking(avoidance)
    assert gap(walking(avoidance, ()), HERO).min() < -0.1  # who does not know of the hero walks into it
    assert gap(made, HERO).min() >= 0.0
    assert (made.arrived_frame > 0).all()


@pytest.mark.parametrize("avoidance", ["orca", "human_like"])
@pytest.mark.parametrize("speed", [1.3, 2.5])
def test_who_stands_steps_out_of_a_heros_way(avoidance, speed):
    scene = standing(avoidance, speed)
    assert gap(simulate(scene), scene.heroes[0]).min() >= 0.0


def test_nobody_comes_in_where_a_hero_stands():
    statue = Hero("Statue", 0.4, Track(np.ones(1), np.array([1.5]), np.zeros(1)))
    assert gap(walking("orca", (statue,)), statue)[0] >= 0.0


@pytest.mark.parametrize("avoidance", ["orca", "human_like"])
def test_who_stands_in_the_way_of_a_hero_is_recorded_as_avoiding_what_moves(avoidance):
    scene = standing(avoidance, 1.3)
    made = simulate(scene)
    replay = Replay(scene, made.position, made.reasons_of_people())
    moments = range(90, 102)  # the hero comes to (6, 0)
    assert Doing.DODGING in {explain(replay, 7, replay.moment(frame)).doing for frame in moments}
    assert (replay.steering(7, replay.moment(96)).planes.other == OBSTACLE).any()
