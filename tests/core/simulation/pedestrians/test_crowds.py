# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds in standard scenes, of which the benchmark has many more: everybody gets there, in time, without touching."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.report import make_report
from tests.scenes.crowd_scenes import bent_corridor, crossing, random_goals, ring, two_way_corridor
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

pytestmark = pytest.mark.once


def figures(standard, **changes):
    scene = replace(standard.scene, **changes)
    return make_report(walk_to_the_end(scene), scene)["total"]


@pytest.mark.parametrize(
    ("people", "radius", "avoidance"),
    sweep(
        [
            (24, 5.0, "orca"),
            (16, 5.0, "human_like"),
            (10, 5.0, "power_law"),
            (32, 5.0, "orca"),
            (16, 5.0, "power_law"),
            (8, 5.0, "orca"),
            (64, None, "orca"),
            (32, 5.0, "human_like"),
            (32, 5.0, "power_law"),
        ],
        usual=3,
    ),
)
def test_rings_change_places(people, radius, avoidance):
    found = figures(ring(people, radius, seconds=25.0, avoidance=avoidance), seed=1)
    assert found["arrived"] == people
    assert found["time_ratio_mean"] <= (1.35 if people <= 16 else 1.6)  # who follows somebody keeps a distance
    assert found["deepest_overlap"] <= 0.04
    assert found["turn_rate_max"] <= 1.03 * 3.0  # smoothing may overshoot


def test_people_of_both_kinds_pass_each_other_in_one_scene():
    standard = two_way_corridor(10, 3.0, length=12.0)
    first, second = standard.scene.crowds
    found = figures(standard, frames=(1, 900), crowds=(first, replace(second, avoidance="human_like")))
    assert found["arrived"] == 20
    assert found["deepest_overlap"] <= 0.05


@pytest.mark.parametrize(
    "standard", sweep([two_way_corridor(14, 2.5, length=12.0), crossing(80)], usual=1), ids=["corridor", "crossing"]
)
def test_streams_pass_through_each_other(standard):
    found = figures(standard, frames=(1, 1000))
    assert found["arrived"] == found["agents"]
    assert found["deepest_overlap"] <= 0.03
    assert found["deepest_wall_penetration"] <= 0.01
    assert found["longest_stop"] <= 5.0


@pytest.mark.parametrize("seed", sweep([13, 2], usual=1))
def test_people_with_random_goals_go_round_a_knot_of_others(seed):
    scene = random_goals(seed=seed).scene
    walked = walk_to_the_end(scene)
    agents = scene.crowds[0].agents
    alone = [math.dist(agent.start, agent.goal) / agent.speed for agent in agents]
    late = walked.arrived_frame > 24 * (1.5 * np.array(alone) + 3.0)
    assert (walked.arrived_frame > 0).all()
    assert late.mean() <= 0.1  # .15 and .14 when nobody looked for a way round


@pytest.mark.thorough
def test_people_from_both_sides_keep_to_their_side_round_a_corner():
    found = figures(bent_corridor(30), frames=(1, 1200))
    assert found["arrived"] == 30
    assert found["time_ratio_mean"] <= 1.25
    assert found["deepest_overlap"] <= 0.03
