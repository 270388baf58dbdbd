# SPDX-License-Identifier: GPL-3.0-or-later
"""People whom a moving obstacle presses push others aside: nobody is pushed into others or into the obstacle."""

from __future__ import annotations

import numpy as np
import pytest

from core.scene import Agent, Crowd, Motion, Obstacle, Scene
from core.simulation import Simulation, simulate
from core.simulation.world.environment import Environment
from tests.core.simulation.overlaps import deepest_between_people, deepest_in_obstacles
from tests.core.simulation.pressing_scenes import (
    cart_into_group,
    door_into_area,
    door_into_corridor,
    door_into_people_who_walk,
    door_into_queue,
    gate_into_people,
)
from tests.core.simulation.runs import box
from tests.sweeps import sweep

pytestmark = pytest.mark.once

DEEPEST = 0.02  # [m]
TRIED = [
    (door_into_corridor, "human_like", {}),
    (door_into_corridor, "orca", {"seconds": 0.5}),
    (door_into_queue, "human_like", {"count": 9, "abreast": 3, "seconds": 0.5}),
    (cart_into_group, "orca", {"speed": 6.0}),
    *((door_into_corridor, model, {"count": count}) for model in ("orca", "human_like") for count in (2, 4, 8)),
    *((door_into_queue, model, {"count": count}) for model in ("orca", "human_like") for count in (2, 4, 8)),
    *(
        (door_into_queue, model, {"count": 9, "abreast": 3, "seconds": seconds})
        for model in ("orca", "human_like")
        for seconds in (0.25, 0.5, 1.0)
    ),
    *(
        (door_into_corridor, model, {"count": 9, "abreast": 3, "width": 1.9, "seconds": seconds})
        for model in ("orca", "human_like")
        for seconds in (0.25, 0.5, 1.0)
    ),
    *((door_into_people_who_walk, model, {}) for model in ("orca", "human_like")),
    *((door_into_area, model, {}) for model in ("orca", "human_like")),
    *((gate_into_people, model, {"speed": speed}) for model in ("orca", "human_like") for speed in (0.5, 1.0)),
    *((cart_into_group, model, {"speed": v}) for model in ("orca", "human_like") for v in (0.5, 1.0, 1.5, 6.0)),
]


@pytest.mark.parametrize(("make", "avoidance", "how"), sweep(TRIED, usual=4))
def test_nobody_is_pushed_into_others_or_into_what_moves(make, avoidance, how):
    scene = make(avoidance, **how)
    made = simulate(scene)
    assert deepest_between_people(made).depth <= DEEPEST
    assert deepest_in_obstacles(made, scene).depth <= DEEPEST


@pytest.mark.parametrize("moves", [False, True])
def test_who_is_in_an_obstacle_is_moved_to_its_nearest_edge(moves):
    block, wall = Obstacle("Block", box(0.0, 0.0, 2.0)), np.array([[5.0, -3.0], [5.0, 3.0]])
    track = Motion(np.array([1.0, 25.0]), np.array([10.0, 14.0]), np.zeros(2), np.zeros(2))  # at 12 m in the middle
    cart = Obstacle("Cart", box(0.0, 0.0, 1.0), motion=track)
    around = Environment(Scene(frames=(1, 25), obstacles=(block, cart) if moves else (block,), walls=(wall,)))
    inside = np.array([[1.5, 0.2], [0.1, -2.1], [5.1, 1.0], [3.5, 0.0], [11.4, 0.0]])
    expected = np.array([[2.25, 0.2], [0.1, -2.25], [5.25, 1.0], [3.5, 0.0], [10.75 if moves else 11.4, 0.0]])
    np.testing.assert_allclose(around.push_out(inside, np.full(5, 0.25), 0.5), expected, atol=1e-6)


def test_bodies_that_push_each_other_are_not_pushed_into_a_wall():
    wall = np.array([[3.0, -6.0], [3.0, 6.0]])
    agents = tuple(Agent((x, 0.0), (x, 0.0), 0.25) for x in (2.0, 1.0))
    simulation = Simulation(
        Scene(frames=(1, 6), walls=(wall,), crowds=(Crowd("Two", agents=agents, count=2, avoidance="none"),))
    )
    simulation.agents.avoids[:] = True
    simulation.agents.position[:, 0] = 2.75, 2.45  # 0.2 m into each other
    simulation.step()
    assert simulation.agents.position[0, 0] <= 2.75 + 1e-9
    assert simulation.agents.position[1, 0] < 2.45
