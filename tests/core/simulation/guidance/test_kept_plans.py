# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan is kept while it holds: on an open line, beside obstacles and in bends; not where every course is blocked."""

from __future__ import annotations

import numpy as np
import pytest

from core import Simulation
from core.planning import FrenetPlanner
from core.scene import Crowd, Obstacle, Route, Scene, Speed

pytestmark = pytest.mark.once

OPEN = Route("Open", np.array([[0.0, 0, 0], [30, 0, 0]]), width=4.0)
ZIGZAG = Route("Zigzag", np.array([[0.0, 0, 0], [3, 0, 0], [3, 3, 0], [6, 3, 0], [6, 6, 0], [9, 6, 0]]), width=2.0)
PILLAR = Obstacle("Pillar", np.array([[14.7, -0.3], [15.3, -0.3], [15.3, 0.3], [14.7, 0.3]]))

WALL = Obstacle("Wall", np.array([[6.0, -20], [6.3, -20], [6.3, 20], [6.0, 20]]))


def planned_at(monkeypatch, route, *obstacles, frames=240):
    """Where along the path a person was at each plan but the first ones, and how long that walk takes [m, s]."""
    made, plan = [], FrenetPlanner.plan
    monkeypatch.setattr(
        FrenetPlanner, "plan", lambda own, agents, *of: made.append(agents.s[0]) or plan(own, agents, *of)
    )
    crowd = Crowd("Walker", count=1, route=route.name, speed=Speed(1.34, 0.0))
    simulation = Simulation(
        Scene(frames=(1, frames), routes=(route,), crowds=(crowd,), obstacles=obstacles), backend="numpy"
    )
    while not simulation.done:
        simulation.step()
    return np.array(made)


def test_alone_on_an_open_line_a_plan_is_kept_for_three_intervals(monkeypatch):
    places = planned_at(monkeypatch, OPEN)
    steps = np.diff(places[(places > 3.0) & (places < 11.0)])
    assert steps == pytest.approx(1.34 * 0.9, abs=0.1)  # people decide in every second frame


def test_beside_an_obstacle_and_in_bends_plans_are_kept_too(monkeypatch):
    for route, obstacles in ((OPEN, (PILLAR,)), (ZIGZAG, ())):
        with monkeypatch.context() as patch:
            places = planned_at(patch, route, *obstacles)
        steps = np.diff(places[(places > 1.0) & (places < 10.0)])
        assert steps.mean() > 1.34 * 0.5
        assert steps.max() < 1.34 * 1.0


def test_where_every_course_is_blocked_each_interval_brings_a_plan(monkeypatch):
    places = planned_at(monkeypatch, OPEN, WALL, frames=140)
    before = np.diff(places[(places > 3.5) & (places < 5.5)])
    assert len(before) > 3
    assert before.max() < 1.34 * 0.45
