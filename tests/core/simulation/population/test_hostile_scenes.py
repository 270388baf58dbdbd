# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that nobody would draw on purpose: what is to be done is done, or said in words."""

import numpy as np
import pytest

from core.errors import SceneError
from core.scene import Agent, Crowd, Scene
from core.scene.file import scene_from_json
from core.simulation import simulate

pytestmark = pytest.mark.once

AREAS = [
    {"name": "West", "outline": [[0, 0], [4, 0], [4, 6], [0, 6]]},
    {"name": "East", "outline": [[12, 0], [12.5, 0], [12.5, 0.5], [12, 0.5]]},
]
BLOCK = {"name": "Block", "outline": [[4, 4], [8, 4], [8, 8], [4, 8]]}


def scene_of(crowd, **changes):
    data = {"footfall_scene": 1, "frames": [1, 26], "routes": [{"name": "Path", "points": [[0, 0], [20, 0]]}]}
    return scene_from_json({**data, "areas": AREAS, "crowds": [{"name": "X", **crowd}], **changes})


def deepest(made, row):
    """How far the two who overlap most reach into each other at a frame [m]."""
    place, radius = made.position[row, :, :2], made.radius
    depth = radius[:, None] + radius - np.linalg.norm(place[:, None] - place, axis=2)
    np.fill_diagonal(depth, 0.0)
    return depth.max()


def agents(*starts, goal=(15.0, 5.0)):
    return {"agents": [{"start": list(start), "goal": list(goal)} for start in starts]}


@pytest.mark.parametrize("avoidance", ["orca", "human_like"])
@pytest.mark.parametrize("starts", [[(5, 5)] * 25, [(0.05 * k, 5) for k in range(20)]], ids=["one place", "a row"])
def test_those_who_start_on_each_other_are_apart_within_a_second_and_told_of(starts, avoidance):
    made = simulate(scene_of({**agents(*starts), "avoidance": avoidance}))
    assert deepest(made, 24) <= 0.01
    assert any("started on top of others and were moved apart" in notice for notice in made.notices)
    assert np.isfinite(made.position).all()


@pytest.mark.parametrize("goals", [(5.0, -3.0), None], ids=["behind the wall", "where they stand"])
def test_those_who_start_beside_a_wall_are_not_moved_onto_others(goals):
    wall = {"name": "Wall", "outline": [[-6, -0.1], [6, -0.1], [6, 0.1], [-6, 0.1]]}
    starts = [(-1 + 0.47 * column, 0.34 + 0.47 * row) for column in range(4) for row in range(2)]
    people = [{"start": list(start), "goal": list(goals or start), "radius": 0.23} for start in starts]
    made = simulate(scene_of({"agents": people}, obstacles=[wall], frames=[1, 2]))
    assert deepest(made, 0) <= 0.01
    assert np.linalg.norm(made.position[0, :, :2] - starts, axis=1).max() < 0.025


def test_who_heeds_nobody_stays_where_the_user_put_it():
    made = simulate(scene_of({**agents((5, 5), (5, 5)), "avoidance": "none"}))
    assert not any("moved" in told for told in made.notices)
    assert deepest(made, 0) > 0.4


@pytest.mark.parametrize(
    "obstacles",
    [
        [BLOCK],
        [
            {"name": "Low", "outline": [[4, 4], [8, 4], [8, 6], [4, 6]]},
            {**BLOCK, "outline": [[4, 6.2], [8, 6.2], [6, 9]]},
        ],
        [{**BLOCK, "holes": [[[5.9, 5.9], [6.1, 5.9], [6.1, 6.1], [5.9, 6.1]]]}],
    ],
    ids=["block", "gap between two", "hole too small"],
)
def test_who_starts_in_an_obstacle_begins_at_the_nearest_free_point_and_has_a_way_from_there(obstacles):
    made = simulate(scene_of(agents((6, 6.1)), obstacles=obstacles, frames=[1, 220]))
    assert "X: 1 of 1 started in an obstacle or outside the bounds and were moved to free ground." in made.notices
    assert np.linalg.norm(made.position[0, 0, :2] - (6, 6.1)) <= 2.6
    assert made.arrived_frame[0] > 0


def test_who_starts_outside_the_bounds_is_brought_in():
    made = simulate(scene_of(agents((-9, 5)), bounds=[[0, 0], [20, 0], [20, 10], [0, 10]]))
    assert 0.2 <= made.position[0, 0, 0] <= 1.0
    assert any("outside the bounds" in notice for notice in made.notices)


@pytest.mark.parametrize(
    ("crowd", "place"),
    [
        ({"route": "Path", "speed": {"mean": 0}}, "crowds[0].speed.mean: must be above 0"),
        ({"route": "Path", "radius": 0}, "crowds[0].radius: must be above 0"),
        ({"agents": [{"start": [0, 0], "goal": [9, 0], "speed": 0}]}, "crowds[0].agents[0].speed: must be above 0"),
        ({"agents": []}, "crowds[0].agents: is empty"),
        (agents((6, 6), goal=(6, 7)), "lies inside the obstacle 'Block'"),
        (agents((float("nan"), 0)), "must be a finite number"),
        (agents((1e9, 0)), "lies beyond 1e+08"),
        ({"count": 7, **agents((0, 0), (1, 1))}, "crowds[0].count: is 7, and 2 agents are listed"),
    ],
)
def test_what_has_no_meaning_is_refused_with_its_place(crowd, place):
    with pytest.raises(SceneError, match=place.replace("[", r"\[").replace("+", r"\+")):
        scene_of(crowd, obstacles=[BLOCK])


def test_a_goal_beyond_the_horizon_is_refused_before_anybody_looks_for_a_way():
    with pytest.raises(SceneError, match=r"crowds\[0\].agents\[0\].goal: the goal is 2000 km away"):
        simulate(scene_of(agents((-1e6, 0), goal=(1e6, 0))))


def test_a_goal_too_small_for_all_is_told():
    made = simulate(scene_of({"count": 9, "start": "West", "goal": "East"}))
    assert any("the goal 'East' has room for 1 of 9 who stop there" in notice for notice in made.notices)


@pytest.mark.parametrize("count", [0, 1])
def test_one_and_none_are_crowds_too(count):
    for way in ({"route": "Path"}, {"start": "West", "goal": "East"}):
        assert simulate(scene_of({"count": count, **way})).position.shape == (26, count, 3)


def test_start_and_goal_may_be_the_same():
    made = simulate(scene_of(agents((5, 5), goal=(5, 5))))
    assert made.arrived_frame.tolist() == [1]
    assert np.linalg.norm(np.ptp(made.position[:, 0], axis=0)) < 0.01


def test_listed_people_need_not_be_counted():
    people = tuple(Agent((k, 0.0), (k, 5.0)) for k in range(3))
    assert Crowd("X", agents=people).count == 3
    with pytest.raises(SceneError, match="is 2, and 3 agents are listed"):
        Scene(crowds=(Crowd("X", count=2, agents=people),))


def test_nobody_can_be_absent_from_an_empty_crowd():
    assert simulate(scene_of({"count": 0, "route": "Path", "absent": [1]})).position.shape == (26, 0, 3)


@pytest.mark.thorough
def test_a_huge_area_is_no_hindrance():
    wide = [{"name": "Land", "outline": [[0, 0], [9e4, 0], [9e4, 9e4], [0, 9e4]]}]
    crowd = {"name": "X", "count": 3, "start": "Land", "goal": "Land"}
    made = simulate(scene_from_json({"footfall_scene": 1, "frames": [1, 2], "areas": wide, "crowds": [crowd]}))
    assert made.position.shape == (2, 3, 3)
