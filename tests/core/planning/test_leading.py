# SPDX-License-Identifier: GPL-3.0-or-later
"""Following somebody on the same path, with the planner alone."""

from __future__ import annotations

import numpy as np

from core.planning import FrenetPlanner, Leaders, PlannerInput, ReferenceSet

TICK, REPLANNING = 0.05, 6
LEAST, HEADWAY = 0.5, 1.0


def drive(gap, leader_speed, *, seconds, s_dot=1.3, wanted=1.34):
    """Gaps, speeds (T, A) and peak accelerations of A followers behind leaders whose speed is a function of time."""
    count = len(gap)
    references = ReferenceSet.from_polylines([[(0, 0), (300, 0)]])
    planner, rows = FrenetPlanner(references), np.arange(count)
    path, zeros = np.zeros(count, dtype=int), np.zeros(count)
    state = {"s": zeros, "s_dot": zeros + s_dot, "s_ddot": zeros, "d": zeros, "d_prime": zeros, "d_second": zeros}
    leader, gaps, speeds = np.array(gap, dtype=float), [], []
    for number in range(round(seconds / (TICK * REPLANNING))):
        begin = number * TICK * REPLANNING
        follows = Leaders.ahead(leader - state["s"], leader_speed(begin), least_gap=LEAST, headway=HEADWAY)
        plans = planner.plan(
            PlannerInput(
                path=path,
                wanted_speed=zeros + wanted,
                wanted_offset=zeros,
                radius=zeros + 0.24,
                stop_at_end=np.zeros(count, dtype=bool),
                leaders=follows,
                **state,
            )
        )
        for tick in range(REPLANNING):
            now = plans.state(rows, zeros + tick * TICK)
            gaps.append(leader - now.s)
            speeds.append(now.s_dot)
            leader = leader + leader_speed(begin + tick * TICK) * TICK
        after = plans.state(rows, zeros + TICK * REPLANNING)
        state = {name: getattr(after, name) for name in state}
    gaps, speeds = np.stack(gaps), np.stack(speeds)
    return gaps, speeds, np.abs(np.diff(speeds, axis=0)).max(axis=0) / TICK


def test_behind_somebody_slower_one_settles_at_their_speed_and_at_the_distance_liked():
    gaps, speeds, peak = drive([3.0, 8.0, 20.0], lambda _: np.full(3, 0.8), seconds=60.0)
    np.testing.assert_allclose(speeds[-1], 0.8, atol=0.03)
    liked = LEAST + HEADWAY * 0.8
    assert np.all(np.abs(gaps[-1] - liked) < 0.25)
    assert gaps.min() > LEAST
    assert peak.max() < 1.6


def test_behind_somebody_who_stops_one_stops_too_and_goes_on_with_them():
    def speed(time):
        return np.full(2, 1.2 if time < 8.0 or time > 20.0 else 0.0)

    gaps, speeds, peak = drive([2.5, 6.0], speed, seconds=34.0)
    halted = round(19.0 / TICK)
    np.testing.assert_allclose(speeds[halted], 0.0, atol=0.02)
    assert gaps.min() > LEAST - 0.02
    assert gaps[halted].max() < 2.0
    assert speeds[-1].min() > 1.1
    assert peak.max() < 2.5


def test_behind_somebody_faster_and_far_ahead_one_walks_as_if_alone():
    _, speeds, _ = drive([4.0, 60.0, np.inf], lambda _: np.full(3, 2.0), seconds=9.0)
    np.testing.assert_allclose(speeds[-1], 1.34, atol=0.02)


def test_a_leader_out_of_reach_changes_no_plan():
    references = ReferenceSet.from_polylines([[(0, 0), (30, 0)]])
    given = {name: np.array([0.3]) for name in ("s", "s_dot", "s_ddot", "d", "d_prime", "d_second")}
    alone = PlannerInput(
        path=np.zeros(1, dtype=int),
        **given,
        wanted_speed=np.ones(1),
        wanted_offset=np.zeros(1),
        radius=np.full(1, 0.24),
        stop_at_end=np.ones(1, dtype=bool),
    )
    behind = PlannerInput(**{**vars(alone), "leaders": Leaders.nobody(1)})
    planner = FrenetPlanner(references)
    for name in ("polynomial", "d", "span"):
        one, other = (getattr(planner.plan(each).tables, name) for each in (alone, behind))
        np.testing.assert_array_equal(one, other)
