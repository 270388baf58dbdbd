# SPDX-License-Identifier: GPL-3.0-or-later
"""People who enter at times of their own."""

from dataclasses import replace

import numpy as np
import pytest

from core.scene import Agent, Area, Crowd, Hero, Obstacle, Scene, Spawn, Track
from core.simulation import simulate
from core.simulation.settings import SimulationSettings
from core.simulation.world.doing import Doing

from ..runs import box, differences, run

pytestmark = pytest.mark.once

FPS = 24.0
EARLY = (Agent((0.0, 0.0), (20.0, 0.0), 0.2, 1.3), Agent((2.0, 4.0), (2.0, -16.0), 0.2, 1.3))


def scene(*agents, frames=96, **crowd):
    return Scene(fps=FPS, frames=(1, frames), crowds=(Crowd("People", agents=agents, count=len(agents), **crowd),))


def first_frames(made):
    """The first frame of each; 0: never."""
    return np.where(made.present.any(axis=0), made.frames[made.present.argmax(axis=0)], 0).tolist()


@pytest.mark.parametrize("avoidance", ["orca", "human_like"])
def test_who_enters_later_is_absent_before_unnoticed_and_comes_walking_at_the_frame_of_that_time(avoidance):
    late = Agent((2.5, 0.3), (-20.0, 0.3), 0.2, 1.3, 1.75)  # beside the path of the first, who is there then
    made, without = (simulate(scene(*agents, avoidance=avoidance)) for agents in ((*EARLY, late), EARLY))
    enters = round(1.75 * FPS)  # frames after the first one
    assert first_frames(made) == [1, 1, 1 + enters]
    for name in ("position", "heading", "velocity", "wish"):
        assert np.isnan(getattr(made, name)[:enters, 2]).all(), name
    assert (made.doing[:enters, 2] == -1).all()
    np.testing.assert_allclose(made.position[enters, 2, :2], late.start, atol=0.02)
    assert np.hypot(*made.velocity[enters, 2]) == pytest.approx(1.3)
    before = slice(0, enters + 1 - 20)  # smoothing looks 0.8 s ahead
    assert made.position[before, :2].tobytes() == without.position[before].tobytes()
    assert not np.array_equal(made.position[enters + 1 :, :2], without.position[enters + 1 :])
    assert made.present[enters:, 2].all()


def test_times_between_frames_count_from_the_next_one_and_zero_is_the_first():
    at = (0.0, 0.5 / FPS, 1.0 / FPS, 30.1 / FPS, 4.1)
    agents = [Agent((0.0, 3.0 * k), (9.0, 3.0 * k), enters=time) for k, time in enumerate(at)]
    made = simulate(scene(*agents))
    assert first_frames(made) == [1, 2, 2, 32, 0]
    assert "People: 1 of 5 have not entered by the last frame." in made.notices
    assert not made.velocity[0, 0].any()  # starts from standing, as without a time


def test_people_of_one_place_wait_until_there_is_room_and_enter_in_the_order_of_their_times():
    agents = [Agent((0.0, 0.0), (30.0, 0.0), 0.2, 1.3, time) for time in (0.6, 0.5, 0.7)]
    made = simulate(scene(*agents))
    first = first_frames(made)
    assert first[1] == 13
    assert first[1] < first[0] < first[2]
    apart = np.linalg.norm(made.position[:, [0, 1], :2] - made.position[:, [2, 0], :2], axis=2)
    assert np.nanmin(apart) > 0.4 - 1e-3


def test_who_finds_no_room_does_not_enter_and_is_reported():
    stands = Hero("Stands", 0.3, Track(np.ones(1), np.zeros(1), np.zeros(1)), frames=(1, 40))
    block = Obstacle("Block", box(9.0, 9.0, 1.0))
    agents = [Agent((0.1, 0.0), (30.0, 0.0), enters=1.0), Agent((0.2, 8.0), (5.0, 8.0))]
    agents.append(replace(agents[1], enters=0.2, goal=agents[1].start))  # where the second does not leave
    agents[1] = replace(agents[1], goal=agents[1].start)
    made = simulate(replace(scene(*agents, frames=60), heroes=(stands,), obstacles=(block,)))
    assert first_frames(made) == [41, 1, 0]
    assert "People: 1 of 3 could not enter: there is no room at the start." in made.notices


def test_a_start_inside_an_obstacle_is_moved_to_its_edge():
    block = Obstacle("Block", box(0.0, 0.0, 1.0))
    made = simulate(replace(scene(Agent((0.0, 0.8), (0.0, 9.0), 0.2, enters=0.5)), obstacles=(block,)))
    assert first_frames(made) == [13]
    assert 1.2 - 1e-6 <= made.position[12, 0, 1] < 1.6


def test_in_a_flow_a_time_of_their_own_takes_the_place_of_the_drawn_one():
    agents = [Agent((0.0, 0.0), (30.0, 0.0), enters=time) for time in (3.0, 0.5)]
    first = first_frames(simulate(scene(*agents, spawn=Spawn("flow", 1.0, 0.5))))
    assert first[1] == 14  # flows let people enter within the step that follows the time
    assert first[0] == 74


def test_a_rebake_lets_the_same_people_enter_at_the_same_frames():
    agents = [Agent((0.0, 2.0 * k), (20.0, 2.0 * k), 0.2, 1.3, 0.5 * k) for k in range(6)]
    before, after = (
        replace(scene(*agents, frames=90), obstacles=(Obstacle("Post", box(x, 13.0, 0.3)),)) for x in (12.0, 13.0)
    )
    first = run(before, remembers=True)
    again = run(after, remembers=True, earlier=first)
    assert again.taken_over > 12
    assert differences(again, run(after)) == []


def test_people_at_the_start_set_off_at_times_of_their_own_a_group_together_and_all_at_once_without_it():
    within, settings = 1.5, {"count": 48, "start": "Start", "goal": "Goal", "groups": (1, 2)}
    areas = (Area("Start", box(0.0, 0.0, 9.0)), Area("Goal", box(60.0, 0.0, 9.0)))
    moves, made = [], []
    for time in (0.0, within):
        crowd = Crowd("People", spawn=Spawn(sets_off_within=time), **settings)
        made.append(run(Scene(fps=FPS, frames=(1, 60), crowds=(crowd,), areas=areas, seed=4)))
        moves.append((np.hypot(*made[-1].result().velocity.T).T > 0.05).argmax(axis=0) / FPS)
    assert moves[0].max() <= 3.0 / FPS
    waits = made[1].result().doing == Doing.NOT_SET_OFF
    assert moves[1].max() <= within + 3.0 / FPS
    for k in range(3):  # some in each third
        assert np.count_nonzero((moves[1] * 3.0 // within).clip(0, 2) == k) > 6
    np.testing.assert_allclose(waits.sum(axis=0) / FPS, moves[1], atol=6.0 / FPS)
    assert waits[0].all()
    agents = made[1].agents
    for group in np.unique(agents.group[agents.group >= 0]):
        assert 0.0 < np.ptp(agents.sets_off[agents.group == group]) <= 0.15 * within
    ahead = made[1].result().unhindered_time - made[0].result().unhindered_time
    np.testing.assert_allclose(ahead, agents.sets_off, atol=1e-9)


def test_people_of_a_flow_enter_no_sooner_after_each_other_than_the_headway():
    agents = [Agent((0.0, 3.0 * k), (30.0, 3.0 * k), enters=0.5) for k in range(2)]
    first = first_frames(simulate(scene(*agents, frames=60, spawn=Spawn("flow", 1.0, 1.5))))
    assert first[1] - first[0] >= 1.5 * FPS


def test_people_of_a_flow_enter_only_where_there_is_a_gap_between_bodies():
    gap = SimulationSettings().pedestrians.entry_gap
    first = []
    for room in (0.5 * gap, 2.0 * gap):
        there = Agent((0.0, 0.4 + room), (0.0, 0.4 + room), 0.2)
        made = replace(scene(Agent((0.0, 0.0), (0.0, -30.0), 0.2), frames=30, spawn=Spawn("flow", 1.0, 0.5)), seed=1)
        stands = Crowd("Stands", agents=(there,), count=1, avoidance="none")
        first.append(first_frames(simulate(replace(made, crowds=(*made.crowds, stands))))[0])
    assert first[0] == 0
    assert first[1] > 0
