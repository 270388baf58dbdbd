# SPDX-License-Identifier: GPL-3.0-or-later
"""People get out of the way of what moves fast, and do not start by running into each other."""

import numpy as np
import pytest

from core.report import make_report
from core.scene import Area, Crowd, Motion, Obstacle, Route, Scene, Spawn
from core.simulation import simulate
from tests.sweeps import sweep

pytestmark = pytest.mark.once

FAST = 5.0  # [m/s], a cart
CART = np.array([[-0.9, -0.6], [0.9, -0.6], [0.9, 0.6], [-0.9, 0.6]])
PATH = Route("Path", np.array([[0.0, 0.0, 0.0], [40.0, 0.0, 0.0]]), width=4.0)


def square(x0, y0, x1, y1):
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=float)


def cart(*keys, yaw=0.0):
    """A cart over (frame, x, y)."""
    frames, x, y = np.array(keys, dtype=float).T
    return Obstacle("Cart", CART, motion=Motion(frames, x, y, np.full(len(x), yaw)))


def hardest_push(made) -> float:
    """The greatest speed of anybody [m/s]: whom something shoves goes as fast as it does."""
    return float(np.nanmax(np.hypot(*np.diff(made.position[..., :2], axis=0).transpose(2, 0, 1)))) * made.fps


ACROSS = ((1, 20.0, 15.0), (144, 20.0, 15.0 - FAST * 6)), np.pi / 2  # the path
TOWARDS = ((1, 48.0, 0.0), (144, 48.0 - FAST * 6, 0.0)), 0.0  # people, along the path


@pytest.mark.parametrize(
    ("way", "avoidance"),
    sweep([(ACROSS, "orca"), (TOWARDS, "human_like"), (ACROSS, "human_like"), (TOWARDS, "orca")], usual=1),
)
def test_a_cart_runs_nobody_over(way, avoidance):
    keys, yaw = way
    crowd = Crowd("Walkers", count=30, route="Path", spawn=Spawn("spread"), avoidance=avoidance)
    scene = Scene(frames=(1, 144), routes=(PATH,), obstacles=(cart(*keys, yaw=yaw),), crowds=(crowd,))
    made = simulate(scene)
    total = make_report(made, scene)["total"]
    assert hardest_push(made) < 2.5
    assert total["deepest_overlap"] < 0.05
    assert total["deepest_wall_penetration"] < 0.02


def test_people_who_have_arrived_dodge_too():
    goal = Area("Corner", square(18, -2, 22, 2))
    start = Area("Yard", square(10, -2, 14, 2))
    crowd = Crowd("Idlers", count=8, start="Yard", goal="Corner")
    through = cart((1, 20.0, 20.0), (240, 20.0, 20.0), (432, 20.0, 20.0 - FAST * 8), yaw=np.pi / 2)
    met = simulate(Scene(frames=(1, 384), obstacles=(through,), areas=(start, goal), crowds=(crowd,)))
    assert ((met.arrived_frame > 0) & (met.arrived_frame < 300)).all()
    assert hardest_push(met) < 2.5


def test_two_crowds_on_one_path_do_not_begin_by_running_into_each_other():
    back = Route("Back", PATH.points[::-1].copy(), width=4.0)
    crowds = [Crowd(name, count=40, route=name, spawn=Spawn("spread")) for name in ("Path", "Back")]
    for seed in range(3):
        scene = Scene(frames=(1, 24), routes=(PATH, back), crowds=tuple(crowds), seed=seed)
        total = make_report(simulate(scene), scene)["total"]
        assert total["deepest_overlap"] < 0.02
