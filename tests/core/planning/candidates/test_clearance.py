# SPDX-License-Identifier: GPL-3.0-or-later
"""Clearance of courses: agents with nothing near by the quick check have nothing near by the exact one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning.candidates.clearance import may_be_near, measure_clearance
from core.planning.candidates.preferences import PlannerPreferences
from core.planning.candidates.settings import PlannerSettings

AGENTS, COURSES, COURSE_NODES = 400, 3, 57
NEVER = np.array([[1e3, 1e3], [1e3 + 1.0, 1e3]])


def courses(rng, step):
    """Winding lines all over a field, as sharp as hairpins, and courses beside each of them."""
    turns = rng.uniform(0.0, 1.5, (AGENTS, 1)) * rng.normal(size=(AGENTS, COURSE_NODES)) * np.sqrt(step)
    heading = rng.uniform(-np.pi, np.pi, (AGENTS, 1)) + np.cumsum(turns, axis=1)
    x, y = (rng.uniform(0.0, 30.0, (AGENTS, 1)) + np.cumsum(step * f(heading), axis=1) for f in (np.cos, np.sin))
    aside = rng.uniform(-1.0, 1.0, (AGENTS, COURSES, 1)) * np.linspace(0.0, 1.0, COURSE_NODES)
    return x[:, None] - np.sin(heading)[:, None] * aside, y[:, None] + np.cos(heading)[:, None] * aside


@pytest.mark.parametrize("least", [0.02, 0.2])
@pytest.mark.parametrize("step", [0.02, 0.07, 0.3])
def test_who_is_told_that_nothing_is_near_would_meet_nothing(step, least):
    rng = np.random.default_rng(int(100 * step))
    boxes = [np.array([[0, 0], [0.4, 0], [0.4, 0.4], [0, 0.4]]) + rng.uniform(0.0, 30.0, 2) for _ in range(60)]
    field = ObstacleField([(box, ()) for box in boxes])
    settings = replace(PlannerSettings(), least_clearance=least)
    radius, preferences = rng.uniform(0.1, 0.6, AGENTS), PlannerPreferences.alike(settings, AGENTS)
    x, y = courses(rng, step)
    may = may_be_near(radius, preferences.clearance, x, y, field, settings)
    walked = np.broadcast_to(step * np.arange(COURSE_NODES), x.shape)
    open_for, near = measure_clearance(radius, preferences.clearance, x, y, walked, field, settings)
    assert 20 < may.sum() < AGENTS - 20
    assert np.isinf(open_for[~may]).all()
    assert (near[~may] == 0.0).all()
    assert (near[may] > 0.0).any()


def test_in_narrow_gaps_where_distances_are_told_too_small_nobody_is_told_that_nothing_is_near_too_soon():
    rng, settings = np.random.default_rng(2), PlannerSettings()
    for gap in rng.uniform(0.7, 1.1, 20):
        walls = [np.add([[0.0, 0.0], [1.5, 0.4]], (x, 0.0)) for x in (0.0, gap)]
        field = ObstacleField(walls=walls)
        middle = np.mean(walls, axis=0)
        along = rng.uniform(0.2, 0.8, (AGENTS, 1, 1))
        place = middle[0] + along[..., 0] * (middle[1] - middle[0]) + rng.normal(0.0, 0.01, (AGENTS, 2))
        x, y = (np.repeat(place[:, k, None, None], COURSE_NODES, axis=2) for k in (0, 1))
        free = field.signed_distance(place)
        preferences = PlannerPreferences.alike(settings, AGENTS)
        radius = np.maximum(free - preferences.clearance - rng.uniform(0.0, 0.05, AGENTS), 0.05)
        may = may_be_near(radius, preferences.clearance, x, y, field, settings)
        open_for, near = measure_clearance(radius, preferences.clearance, x, y, np.zeros_like(x), field, settings)
        assert np.isinf(open_for[~may]).all()
        assert (near[~may] == 0.0).all()


def test_where_nothing_stands_nobody_may_meet_anything():
    x, y = courses(np.random.default_rng(1), 0.1)
    settings = PlannerSettings()
    for field in (None, ObstacleField(), ObstacleField(walls=[NEVER])):
        assert not may_be_near(np.full(AGENTS, 0.3), np.full(AGENTS, 0.1), x, y, field, settings).any()
