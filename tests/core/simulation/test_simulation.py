# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole simulation, judged from outside: where people are, checked by brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.errors import SceneError
from core.scene import Agent, Area, Crowd, Flocking, Motion, Obstacle, Route, Scene, Spawn, Speed
from core.simulation import simulate
from core.simulation.settings import SimulationSettings
from core.simulation.world.agents import GONE
from core.simulation.world.randomness import normal
from core.steering import available_backends
from tests.scenes.whole_walks import simulate_until, walk_to_the_end
from tests.sweeps import sweep

pytestmark = pytest.mark.once

BEND = np.array([[0, 0, 0], [5, 0, 0], [7, 1.5, 0], [9, 3, 0], [11, 3, 0]], dtype=float)
END = BEND[-1, :2]
KIOSK = Obstacle("Kiosk", np.array([[3.0, -0.6], [4.0, -0.6], [4.0, 0.4], [3.0, 0.4]]))


def bending_route(**changes) -> Route:
    return replace(Route("Path", BEND, width=3.0), **changes)


def walkers(**changes) -> Crowd:
    return replace(Crowd("Walkers", count=12, route="Path"), **changes)


def least_gap(made) -> float:
    """Least room between any two bodies in any frame, pair by pair."""
    least = np.inf
    for frame in range(len(made.frames)):
        here = np.flatnonzero(made.present[frame])
        one, other = (here[each] for each in np.triu_indices(len(here), 1))
        apart = np.hypot(*(made.position[frame, one, :2] - made.position[frame, other, :2]).T)
        least = min(least, (apart - made.radius[one] - made.radius[other]).min(initial=np.inf))
    return least


def box_clearance(points: np.ndarray, low, high) -> np.ndarray:
    """Distance to an upright box, negative inside."""
    beyond = np.maximum(np.asarray(low) - points, points - np.asarray(high))
    outside = np.hypot(*np.maximum(beyond, 0.0).T)
    return np.where(beyond.max(axis=1) > 0, outside, beyond.max(axis=1))


def all_have_been_there_for_two_seconds(simulation) -> bool:
    arrived = simulation._recording.arrived_frame
    return bool((arrived >= 0).all()) and simulation.frame > arrived.max() + 48


def everybody_is_gone(simulation) -> bool:
    """Whether all have come in and left again; simulations end with the frame in which they have."""
    return bool((simulation.agents.status == GONE).all())


def test_a_single_walker_starts_at_the_start_and_ends_at_the_end():
    crowd = walkers(count=1, speed=Speed(1.3, 0.0))
    made = simulate(Scene(frames=(1, 270), routes=(bending_route(),), crowds=(crowd,)))
    assert made.position[0, 0] == pytest.approx([0, 0, 0], abs=1e-3)
    assert made.position[-1, 0, :2] == pytest.approx(END, abs=0.12)
    arrived = made.arrived_frame[0]
    assert arrived > 0
    at_arrival = np.hypot(*(made.position[arrived - 1, 0, :2] - END))
    before = np.hypot(*(made.position[arrived - 2, 0, :2] - END))
    assert at_arrival <= 0.31 < before + 0.02
    assert (arrived - 1) / 24 == pytest.approx(made.unhindered_time[0], rel=0.25)


@pytest.fixture(scope="module")
def passing():
    """Twelve people who pass an obstacle in a bend, to the end."""
    return walk_to_the_end(Scene(frames=(1, 800), routes=(bending_route(),), obstacles=(KIOSK,), crowds=(walkers(),)))


def test_walkers_pass_an_obstacle_and_each_other_without_touching(passing):
    made = passing
    assert (made.arrived_frame > 0).all()
    assert least_gap(made) > -0.02
    for frame in range(len(made.frames)):
        gap = box_clearance(made.position[frame, :, :2], (3.0, -0.6), (4.0, 0.4)) - made.radius
        assert gap.min() > -1e-3


def test_two_streams_pass_through_each_other():
    there, back = bending_route(width=4.0), bending_route(name="Back", points=BEND[::-1], width=4.0)
    crowds = (
        walkers(count=7, spawn=Spawn("spread"), arrival="leave"),
        Crowd("Returning", count=7, route="Back", spawn=Spawn("spread"), arrival="leave"),
    )
    scene = Scene(frames=(1, 800), seed=3, routes=(there, back), crowds=crowds)
    made = simulate_until(scene, everybody_is_gone)
    assert (made.arrived_frame > 0).all()
    assert least_gap(made) > -0.02
    assert not made.present[-1].any()


def test_nobody_is_touched_by_an_obstacle_that_drives_across():
    cart = np.array([[-1.0, -0.6], [1.0, -0.6], [1.0, 0.6], [-1.0, 0.6]])
    motion = Motion(np.array([1.0, 150.0]), np.array([4.0, 4.0]), np.array([-4.5, 4.5]), np.array([1.57, 1.57]))
    straight = Route("Path", np.array([[0.0, 0, 0], [9, 0, 0]]), width=3.0)
    scene = Scene(
        frames=(1, 650),
        routes=(straight,),
        obstacles=(Obstacle("Cart", cart, motion=motion),),
        crowds=(walkers(count=8),),
    )
    made = walk_to_the_end(scene)
    assert (made.arrived_frame > 0).all()
    for number, frame in enumerate(made.frames):
        y = np.interp(frame, [1, 150], [-4.5, 4.5])
        away = made.position[number, :, :2] - [4.0, y]
        turned = np.stack([away @ [np.cos(1.57), np.sin(1.57)], away @ [-np.sin(1.57), np.cos(1.57)]], axis=1)
        assert (box_clearance(turned, (-1, -0.6), (1, 0.6)) - made.radius).min() > -0.01


def test_people_enter_no_sooner_than_their_headway_after_one_another():
    crowd = walkers(count=3, spawn=Spawn("flow", rate=20.0, headway=2.5))
    made = simulate(Scene(frames=(1, 144), routes=(bending_route(),), crowds=(crowd,)))
    first = np.sort(made.present.argmax(axis=0)) / made.fps
    assert made.present.any(axis=0).all()
    assert (np.diff(first) >= 2.5 - 1.5 / made.fps).all()


def test_a_flow_enters_one_by_one_and_leaves():
    crowd = walkers(count=7, spawn=Spawn("flow", rate=1.0, headway=0.4))
    made = simulate_until(Scene(frames=(1, 900), routes=(bending_route(),), crowds=(crowd,)), everybody_is_gone)
    entered = made.present.argmax(axis=0)
    assert not made.present[0, 1:].any()
    assert (np.diff(entered) >= 0.4 * 24 - 1).all()
    assert np.diff(entered).mean() == pytest.approx(24, rel=0.25)
    assert (made.arrived_frame > 0).all()
    assert not made.present[-1].any()
    assert least_gap(made) > -0.02
    assert np.isnan(made.position[~made.present]).all()


def test_those_who_loop_go_round_and_round():
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = np.stack([2 * np.cos(turns), 2 * np.sin(turns), 0 * turns], axis=1)
    crowd = walkers(count=4, spawn=Spawn("spread"), arrival="loop")
    made = simulate(Scene(seed=1, frames=(1, 420), routes=(Route("Path", ring, closed=True),), crowds=(crowd,)))
    angle = np.unwrap(np.arctan2(made.position[..., 1], made.position[..., 0]), axis=0)
    assert (angle[-1] - angle[0] > 2 * np.pi).all()
    assert (made.arrived_frame == -1).all()
    assert np.abs(np.hypot(made.position[..., 0], made.position[..., 1]) - 2).max() < 1.25  # half the width and a body


def test_many_who_stop_at_the_same_end_all_arrive_and_make_room():
    # One of them comes late, round all who stand there already, which takes about 12 s more than straight through them.
    scene = Scene(frames=(1, 880), routes=(bending_route(width=1.5),), crowds=(walkers(count=12),))
    made = simulate_until(scene, all_have_been_there_for_two_seconds)
    assert (made.arrived_frame > 0).all()
    assert least_gap(made) > -0.02
    standing = np.hypot(*made.velocity[-1].T)
    assert standing.max() < 0.3


def test_people_between_areas_walk_straight_over_and_stay_when_there_is_no_way():
    west = Area("West", np.array([[0.0, 0], [3, 0], [3, 6], [0, 6]]))
    east = Area("East", np.array([[15.0, 0], [18, 0], [18, 6], [15, 6]]))
    crowd = Crowd("Commuters", count=12, start="West", goal="East")
    scene = Scene(frames=(1, 500), areas=(west, east), crowds=(crowd,))
    made = walk_to_the_end(scene)
    assert (made.arrived_frame > 0).all()
    inside = made.position[made.arrived_frame - 1, np.arange(12), :2]
    assert (inside[:, 0] >= 15 - 0.31).all()
    assert made.notices == ()
    wall = Obstacle("Wall", np.array([[8.0, -5], [8.4, -5], [8.4, 9], [8, 9]]))
    bounds = np.array([[-2.0, -5], [20, -5], [20, 9], [-2, 9]])
    blocked = simulate(replace(scene, frames=(1, 100), obstacles=(wall,), bounds=bounds))
    assert "Commuters: 12 of 12 have no route from 'West' to 'East' and stay where they are" in blocked.notices[0]
    assert (blocked.position[blocked.present][:, 0] < 4.0).all()
    assert (blocked.arrived_frame == -1).all()


def test_people_between_areas_find_their_way_round_a_building():
    building = Obstacle("Building", np.array([[4.0, -2], [7, -2], [7, 12], [4, 12]]))
    west = Area("West", np.array([[0.0, 0], [3, 0], [3, 6], [0, 6]]))
    east = Area("East", np.array([[8.0, 0], [11, 0], [11, 6], [8, 6]]))
    crowd = Crowd("Commuters", count=12, start="West", goal="East")
    made = walk_to_the_end(Scene(frames=(1, 1000), areas=(west, east), obstacles=(building,), crowds=(crowd,)))
    assert (made.arrived_frame > 0).all()
    for place in made.position[..., :2]:
        assert (box_clearance(place, (4, -2), (7, 12)) - made.radius).min() > -1e-3


def test_a_long_hedge_across_a_route_is_walked_round():
    hedge = Obstacle("Hedge", np.array([[3.0, -0.5], [3.6, -0.5], [3.6, 6], [3, 6]]))
    straight = Route("Path", np.array([[0.0, 3, 0], [8, 3, 0]]), width=2.0)
    scene = Scene(frames=(1, 1200), routes=(straight,), obstacles=(hedge,), crowds=(walkers(count=4),))
    made = walk_to_the_end(scene)
    assert (made.arrived_frame > 0).all()
    for place in made.position[..., :2]:
        assert (box_clearance(place, (3, -0.5), (3.6, 6)) - made.radius).min() > -1e-3


def test_two_who_meet_head_on_pass_each_other():
    agents = (Agent((1, 1), (9, 1), 0.25, 1.3), Agent((9, 1), (1, 1), 0.25, 1.3))
    made = simulate(Scene(frames=(1, 300), crowds=(Crowd("Pair", count=2, agents=agents),)))
    assert (made.arrived_frame > 0).all()
    assert least_gap(made) > -0.02
    assert np.hypot(*(made.position[-1, 0, :2] - [9, 1])) < 0.3


def test_who_starts_at_the_goal_has_arrived():
    crowd = Crowd("Here", count=1, agents=(Agent((2, 2), (2, 2)),))
    made = simulate(Scene(frames=(1, 20), crowds=(crowd,)))
    assert made.arrived_frame[0] == 1
    assert np.hypot(*(made.position[..., 0, :2] - 2).T).max() < 0.05


def test_nobody_turns_or_speeds_up_beyond_the_limits(passing):
    """Who has arrived is pushed by those who come: as hard as feet hold."""
    limits = SimulationSettings()
    assert np.abs(np.diff(passing.heading, axis=0)).max() * 24 <= limits.max_turn_rate + 1e-6
    speed = np.hypot(passing.velocity[..., 0], passing.velocity[..., 1])
    on_the_way = passing.frames[1:, None] < passing.arrived_frame
    acceleration, overshoot = 24.0 * np.diff(speed, axis=0)[on_the_way], 1.06  # of smoothing
    assert (passing.arrived_frame > 0).all()
    assert 24.0 * np.abs(np.diff(speed, axis=0)).max() <= overshoot * limits.grip
    assert acceleration.max() <= overshoot * limits.max_acceleration
    assert acceleration.min() >= -overshoot * limits.max_deceleration


def test_heights_come_from_the_route():
    ramp = Route("Path", np.array([[0.0, 0, 0], [10, 0, 2]]))
    made = simulate(Scene(frames=(1, 250), routes=(ramp,), crowds=(walkers(count=1),)))
    assert made.position[:, 0, 2] == pytest.approx(0.2 * made.position[:, 0, 0].clip(0, 10), abs=0.02)


def test_the_same_scene_gives_the_same_bytes():
    scene = Scene(frames=(1, 50), routes=(bending_route(),), obstacles=(KIOSK,), crowds=(walkers(),))
    first, second = simulate(scene), simulate(scene)
    for name in ("position", "heading", "velocity", "radius"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()


@pytest.mark.skipif("numba" not in available_backends(), reason="numba is not installed")
def test_both_backends_give_the_same_bytes():
    there, back = bending_route(width=4.0), bending_route(name="Back", points=BEND[::-1], width=4.0)
    cart = np.array([[-1.0, -0.6], [1.0, -0.6], [1.0, 0.6], [-1.0, 0.6]])
    motion = Motion(np.array([1.0, 70.0]), np.array([6.0, 6.0]), np.array([-6.0, 6.0]), np.array([1.57, 1.57]))
    crowds = (
        walkers(count=7, spawn=Spawn("spread")),
        Crowd("Returning", count=5, route="Back", spawn=Spawn("flow", rate=2.0)),
        Crowd("Pair", count=2, agents=(Agent((1, 1), (9, 1)), Agent((9, 1.1), (1, 1)))),
    )
    scene = Scene(
        frames=(1, 75), routes=(there, back), obstacles=(KIOSK, Obstacle("Cart", cart, motion=motion)), crowds=crowds
    )
    numpy, numba = simulate(scene, backend="numpy"), simulate(scene, backend="numba")
    for name in ("position", "heading", "velocity", "present", "arrived_frame"):
        assert getattr(numpy, name).tobytes() == getattr(numba, name).tobytes()


def test_another_crowd_changes_nobodys_draws():
    alone = simulate(Scene(frames=(1, 2), routes=(bending_route(),), crowds=(walkers(),)))
    more = walkers(name="More", count=5, spawn=Spawn("spread"))
    both = simulate(Scene(frames=(1, 2), routes=(bending_route(),), crowds=(walkers(count=14), more)))
    assert (both.radius[:12] == alone.radius).all()
    assert (normal(0, "Walkers", "speed", 12) == normal(0, "Walkers", "speed", 14)[:12]).all()
    assert (normal(0, "Walkers", "speed", 12) != normal(0, "More", "speed", 12)).all()


def test_the_frame_rate_does_not_change_how_far_people_get():
    def after_three_seconds(fps):
        last = round(3 * fps) + 1
        made = simulate(Scene(fps=fps, frames=(1, last), routes=(bending_route(),), crowds=(walkers(count=1),)))
        return made.position[-1]

    usual = after_three_seconds(24)
    for fps in (12, 23.976, 60):
        assert after_three_seconds(fps) == pytest.approx(usual, abs=0.12)


def test_a_route_that_is_wholly_closed_makes_people_stop_before_it():
    wall = Obstacle("Gate", np.array([[5.0, -40], [5.5, -40], [5.5, 40], [5, 40]]))
    straight = Route("Path", np.array([[0.0, 0, 0], [14, 0, 0]]), width=3.0)
    made = simulate(Scene(frames=(1, 312), routes=(straight,), obstacles=(wall,), crowds=(walkers(count=4),)))
    assert (made.position[..., 0].max(axis=0) <= 5.0 - made.radius + 1e-3).all()
    assert np.hypot(*made.velocity[-1].T).max() < 0.15
    assert (made.arrived_frame == -1).all()
    assert any("stand still because their path is blocked" in told for told in made.notices)


def test_a_scene_without_anybody_is_simulated():
    made = simulate(Scene(frames=(1, 10), routes=(bending_route(),), crowds=(walkers(count=0),)))
    assert made.position.shape == (10, 0, 3)


@pytest.mark.parametrize("avoidance", sweep(["orca", "human_like"], usual=1))
def test_a_crowd_that_flocks_keeps_together(avoidance):
    """Two who set off far apart, one ahead of the other: with cohesion the first waits and the second hurries."""
    spread = []
    for flocking in (None, Flocking(separation=0.2, alignment=0.2, cohesion=1.0, distance=8.0)):
        pair = tuple(Agent(start=(x, 0.0), goal=(x + 24.0, 0.0), speed=1.3) for x in (0.0, 5.0))
        crowd = Crowd("Pair", count=2, agents=pair, avoidance=avoidance, flocking=flocking)
        made = simulate(Scene(frames=(1, 240), crowds=(crowd,)))
        spread.append(float(np.hypot(*(made.position[-1, 1] - made.position[-1, 0])[:2])))
    assert spread[0] == pytest.approx(5.0, abs=0.5)
    assert 0.4 < spread[1] < 4.0


@pytest.mark.parametrize(
    ("crowd", "message"),
    [
        (walkers(count=100_000), r"crowds\[0\].count: 100000 people are requested, but route 'Path' .*room for \d+"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_place(crowd, message):
    with pytest.raises(SceneError, match=message):
        simulate(Scene(frames=(1, 10), routes=(bending_route(),), crowds=(crowd,)))


def test_progress_is_told_after_each_frame():
    told = []
    simulate(
        Scene(frames=(5, 9), routes=(bending_route(),), crowds=(walkers(count=1),)),
        progress=lambda done, of: told.append((done, of)),
    )
    assert told == [(2, 5), (3, 5), (4, 5), (5, 5)]
