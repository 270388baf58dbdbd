# SPDX-License-Identifier: GPL-3.0-or-later
"""What the planner had to choose from, for the overlay."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning import FrenetPlanner, PlannerInput, Reason, ReferenceSet

WAYS = [[(0, 0), (20, 0)], [(0, 40), (6, 40), (6, 46)], [(0, 80), (20, 80)]]


@pytest.fixture
def planner():
    return FrenetPlanner(ReferenceSet.from_polylines(WAYS))


def three_agents(**values):
    given = {"s": 4.0, "s_dot": 1.3, "wanted_speed": 1.3, "radius": 0.24} | values
    others = {"path", "stop_at_end", "preferences"}
    names = [name for name in PlannerInput.__dataclass_fields__ if name not in others]
    arrays = {name: np.broadcast_to(np.asarray(given.get(name, 0.0)), 3) for name in names}
    return PlannerInput(path=np.arange(3), stop_at_end=np.ones(3, dtype=bool), **arrays)


def standing():
    pillar = [(6.5, -0.4), (7.3, -0.4), (7.3, 0.4), (6.5, 0.4)]
    wall = [(6.5, 70), (7.0, 70), (7.0, 90), (6.5, 90)]
    return ObstacleField([(pillar, []), (wall, [])])


def test_the_chosen_candidate_is_the_plan(planner):
    agents, obstacles = three_agents(d=[0.1, -0.2, 0.0]), standing()
    candidates, plans = planner.candidates(agents, obstacles), planner.plan(agents, obstacles)
    np.testing.assert_array_equal(candidates.agent[candidates.chosen], [0, 1, 2])
    for row, chosen in enumerate(candidates.chosen):
        count = candidates.points.shape[1]
        np.testing.assert_allclose(candidates.points[chosen], plans.course(row, count), atol=1e-9)
        assert candidates.reason[chosen] == Reason.CHOSEN
    assert np.count_nonzero(candidates.reason == Reason.CHOSEN) == 3
    assert candidates.points.shape == (len(candidates.agent), count, 2)
    assert np.isfinite(candidates.points).all()


def test_reasons_are_those_seen_on_the_ground(planner):
    obstacles = standing()
    candidates = planner.candidates(three_agents(), obstacles)
    clear = obstacles.signed_distance(candidates.points.reshape(-1, 2)).reshape(candidates.points.shape[:2]) - 0.24
    collides = candidates.reason == Reason.COLLIDES
    assert collides.any()
    assert np.all(clear[collides].min(axis=1) < 0.03)
    free = (candidates.reason == Reason.COSTLIER) | (candidates.reason == Reason.NOT_NEEDED)
    assert np.all(clear[free].min(axis=1) > 0.0)
    outside = candidates.points[(candidates.reason == Reason.OUTSIDE) & (candidates.agent == 0)]
    assert np.all(np.abs(outside[..., 1]).max(axis=1) > 0.76)


def test_whom_nothing_hinders_is_offered_a_fan_that_is_not_needed(planner):
    candidates = planner.candidates(three_agents())
    mine = candidates.agent == 0
    assert np.count_nonzero(candidates.reason[mine] == Reason.NOT_NEEDED) > 10
    assert np.ptp(candidates.points[mine][:, -1, 1]) > 2.0
    needed = mine & (candidates.reason == Reason.COSTLIER)
    assert np.all(candidates.cost[needed] >= candidates.cost[candidates.chosen[0]])


def test_merges_beyond_the_centre_of_a_bend_are_too_sharp(planner):
    tight = ReferenceSet.from_polylines([[(0, 0), (2, 0), (2, 2)]] * 3)
    candidates = FrenetPlanner(tight).candidates(three_agents(s=0.5, d=0.7))
    assert np.any(candidates.reason == Reason.TOO_SHARP)


def test_before_a_closed_way_the_chosen_one_collides_all_the_same(planner):
    candidates = planner.candidates(three_agents(), standing())
    others = (candidates.agent == 2) & (candidates.reason != Reason.CHOSEN)
    assert np.all(candidates.reason[others] == Reason.COLLIDES)
