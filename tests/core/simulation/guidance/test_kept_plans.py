# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan is kept while it holds: alone on an open line few are made; near obstacles and in bends each is looked at."""

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


def planned_at(monkeypatch, route, *obstacles):
    """Where along the path a person was at each plan but the first ones, and how long that walk takes [m, s]."""
    made, plan = [], FrenetPlanner.plan
    monkeypatch.setattr(
        FrenetPlanner, "plan", lambda own, agents, *of: made.append(agents.s[0]) or plan(own, agents, *of)
    )
    crowd = Crowd("Walker", count=1, route=route.name, speed=Speed(1.34, 0.0))
    simulation = Simulation(
        Scene(frames=(1, 240), routes=(route,), crowds=(crowd,), obstacles=obstacles), backend="numpy"
    )
    while not simulation.done:
        simulation.step()
    return np.array(made)


def test_alone_on_an_open_line_a_plan_is_kept_for_three_intervals(monkeypatch):
    places = planned_at(monkeypatch, OPEN)
    steps = np.diff(places[(places > 3.0) & (places < 11.0)])
    assert steps == pytest.approx(1.34 * 0.9, abs=0.1)  # people decide in every second frame


def test_before_an_obstacle_each_interval_brings_a_plan_and_behind_it_they_are_kept_again(monkeypatch):
    places = planned_at(monkeypatch, OPEN, PILLAR)
    before = np.diff(places[(places > 11.5) & (places < 15.0)])
    assert before.max() < 1.34 * 0.45
    assert np.diff(places[(places > 3.0) & (places < 9.0)]).min() > 1.34 * 0.8


def test_in_bends_each_interval_brings_a_plan(monkeypatch):
    places = planned_at(monkeypatch, ZIGZAG)
    assert np.diff(places[(places > 1.0) & (places < 10.0)]).max() < 1.34 * 0.45
