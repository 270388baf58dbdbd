# SPDX-License-Identifier: GPL-3.0-or-later
"""People who stand are ground for others: these walk round them, and nobody is pushed unless there is no other way."""

import numpy as np
import pytest

from core.report import make_report
from core.scene import Agent, Area, Crowd, Hero, Motion, Obstacle, Route, Scene, Track
from core.simulation import simulate
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

KNOT = ((10.0, 0.0), (10.5, 0.4), (10.5, -0.4), (9.9, 0.6), (11.0, 0.1), (10.3, -0.9))
MODELS = ("orca", "human_like")
STANDING = 0.15  # [m/s]


def still(*places):
    """A crowd of people who have arrived where they start."""
    return Crowd("Knot", agents=tuple(Agent(place, place, 0.2, 1.2) for place in places), arrival="stop")


def moved(made, first):
    """How far each of the agents from a number on is at most from where it started [m]."""
    off = made.position[:, first:, :2] - made.position[0, first:, :2]
    return np.hypot(off[..., 0], off[..., 1]).max(axis=0)


def longest_stand(made, count):
    """How long each of the first agents has stood before it arrived [s]."""
    speed = np.hypot(*np.diff(made.position[:, :count, :2], axis=0).transpose(2, 0, 1)) * made.fps
    return (np.nan_to_num(speed, nan=9.0) < STANDING).sum(axis=0).max() / made.fps


@pytest.mark.parametrize(
    ("avoidance", "along_a_path"),
    sweep([("human_like", False), ("orca", True), ("orca", False), ("human_like", True)], usual=2),
)
def test_people_walk_round_a_group_who_stand_and_do_not_push_them(avoidance, along_a_path):
    path = Route("Path", np.array([[2.0, 0.0, 0.0], [18.0, 0.0, 0.0]]), width=3.0)
    if along_a_path:
        walkers = Crowd("Walk", count=3, route="Path", arrival="leave", avoidance=avoidance)
    else:
        agents = tuple(Agent((2.0 + k, 0.3 * k), (18.0, 0.1 * k), 0.2, 1.2) for k in range(3))
        walkers = Crowd("Walk", agents=agents, arrival="leave", avoidance=avoidance)
    made = walk_to_the_end(Scene(fps=12.0, frames=(1, 216), routes=(path,), crowds=(walkers, still(*KNOT))))
    assert (made.arrived_frame[:3] > 0).all()
    assert longest_stand(made, 3) < 1.0
    assert moved(made, 3).max() < 0.05


@pytest.mark.once
def test_heroes_at_rest_are_ground_too():
    heroes = tuple(
        Hero(f"Hero {k}", 0.2, Track(np.array([1.0]), np.array([x]), np.array([y]))) for k, (x, y) in enumerate(KNOT)
    )
    walkers = Crowd("Walk", agents=(Agent((5.0, 0.1), (16.0, 0.0), 0.2, 1.2),), arrival="leave")
    made = walk_to_the_end(Scene(fps=12.0, frames=(1, 160), crowds=(walkers,), heroes=heroes))
    assert made.arrived_frame[0] > 0
    assert longest_stand(made, 1) < 0.5


@pytest.mark.once
def test_people_who_close_the_only_way_let_others_through():
    hall = np.array([[0.0, 0.0], [16.0, 0.0], [16.0, 2.0], [0.0, 2.0]])
    walkers = Crowd("Walk", agents=(Agent((4.0, 1.0), (15.0, 1.0), 0.2, 1.2),), arrival="leave")
    row = still((9.0, 0.35), (9.0, 1.0), (9.0, 1.65))
    made = walk_to_the_end(Scene(fps=12.0, frames=(1, 320), bounds=hall, crowds=(walkers, row)))
    assert made.arrived_frame[0] > 0
    assert 0.05 < moved(made, 1).max() < 1.5


@pytest.mark.once
def test_people_who_wait_before_a_shut_door_stand_and_do_not_shuffle():
    x, below, above = np.array([9.8, 10.2, 10.2, 9.8]), np.array([0.0, 0.0, 5.1, 5.1]), np.array([6.9, 6.9, 12.0, 12.0])
    walls = tuple(Obstacle("Wall", np.column_stack((x, y))) for y in (below, above))
    frames, leaf = np.array([1.0, 90.0, 96.0]), np.array([[-0.1, -0.9], [0.1, -0.9], [0.1, 0.9], [-0.1, 0.9]])
    door = Obstacle("Door", leaf, motion=Motion(frames, np.full(3, 10.0), np.array([6.0, 6.0, 7.9]), np.zeros(3)))
    west, east = (np.array([[x, 4.0], [x + 3, 4.0], [x + 3, 8.0], [x, 8.0]]) for x in (5.5, 11.5))
    areas = Area("West", west), Area("East", east)
    bounds = np.array([[0.0, 0.0], [20.0, 0.0], [20.0, 12.0], [0.0, 12.0]])
    crowd = Crowd("Come", count=8, start="West", goal="East")
    scene = Scene(fps=12.0, frames=(1, 216), bounds=bounds, obstacles=(*walls, door), areas=areas, crowds=(crowd,))
    made = walk_to_the_end(scene)
    speed = np.hypot(*np.diff(made.position[48:84, :, :2], axis=0).transpose(2, 0, 1)) * made.fps
    assert (speed < 0.05).mean() > 0.7
    assert ((speed >= 0.05) & (speed < 0.2)).mean() < 0.15
    assert (made.arrived_frame > 90).all()


@pytest.mark.once
@pytest.mark.parametrize("avoidance", MODELS)
def test_people_make_room_for_those_who_share_their_goal(avoidance):
    agents = tuple(Agent((6.0 - k, 1.0 + k), (10.0, 1.0), 0.2, 1.2) for k in range(3))
    made = walk_to_the_end(
        Scene(fps=12.0, frames=(1, 240), crowds=(Crowd("Meet", agents=agents, avoidance=avoidance),))
    )
    assert (made.arrived_frame > 0).all()


@pytest.mark.once
def test_a_crowd_spreads_out_at_the_end_of_its_path():
    path = Route("Path", np.array([[0.0, 0.0, 0.0], [14.0, 0.0, 0.0]]), width=2.0)
    crowd = Crowd("Walk", count=10, route="Path")
    made = walk_to_the_end(Scene(fps=12.0, frames=(1, 300), routes=(path,), crowds=(crowd,)))
    assert (made.arrived_frame > 0).all()


@pytest.mark.thorough
def test_nobody_waits_for_long_behind_those_who_fill_the_end_of_a_path():
    path = Route("Path", np.array([[0.0, 0.0, 0.0], [14.0, 0.0, 0.0]]), width=1.2)
    crowd = Crowd("Walk", count=16, route="Path", avoidance="power_law")
    scene = Scene(frames=(1, 800), seed=4, routes=(path,), crowds=(crowd,))
    made = simulate(scene)
    assert (made.arrived_frame > 0).all()
    assert make_report(made, scene)["total"]["longest_stop"] < 6.0


@pytest.mark.once
def test_who_stands_where_somebody_wants_to_stop_is_not_pushed_by_those_who_pass():
    goal = Area("Square", np.array([[9.0, -2.0], [12.0, -2.0], [12.0, 2.0], [9.0, 2.0]]))
    start = Area("Yard", np.array([[0.0, -2.0], [3.0, -2.0], [3.0, 2.0], [0.0, 2.0]]))
    crowd = Crowd("Come", count=6, start="Yard", goal="Square")
    made = simulate(Scene(fps=12.0, frames=(1, 240), areas=(start, goal), crowds=(crowd,)))
    assert (made.arrived_frame > 0).all()
    rest = made.position[-24:, :, :2]
    assert np.hypot(*(rest[-1] - rest[0]).T).max() < 0.02
