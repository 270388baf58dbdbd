# SPDX-License-Identifier: GPL-3.0-or-later
"""People keep a time gap behind others, overtake slower people and pass with room; figures of the field as bounds."""

import numpy as np
import pytest

from core import Simulation, simulate
from core.scene import Agent, Area, Crowd, Route, Scene
from core.simulation.pedestrians import headway, pedestrians
from tests.scenes.crowd_scenes import box
from tests.scenes.whole_walks import walk_to_the_end

AVOIDANCES = ("orca", "human_like")


@pytest.fixture(scope="module", params=AVOIDANCES)
def street(request):
    """Twenty people who start together on a street of 2 m that winds."""
    points = np.array([[0, 0, 0], [12, 1.5, 0], [24, -1.5, 0], [38, 1, 0], [52, 0, 0]], dtype=np.float64)
    crowd = Crowd("Walkers", count=20, route="Street", avoidance=request.param)
    return simulate(Scene(frames=(1, 330), routes=(Route("Street", points, width=2.0),), crowds=(crowd,)))


def neighbours(made, frame):
    """Of those who walk at a frame: distances to others, and cosines of the angles off straight ahead, (W, A) each."""
    place, velocity = made.position[frame, :, :2], made.velocity[frame]
    walks = np.flatnonzero(np.hypot(*velocity.T) > 0.5)
    apart = place - place[walks, None]
    distance = np.hypot(apart[..., 0], apart[..., 1])
    distance[np.arange(len(walks)), walks] = np.inf
    along = (apart * velocity[walks, None]).sum(axis=2)
    return distance, along / np.maximum(distance * np.hypot(*velocity[walks].T)[:, None], 1e-9)


def test_nobody_walks_on_the_heels_of_others(street):
    """Recorded: somebody within 0.75 m ahead in 0.2 to 5.7 % of moments, within 0.6 m of anybody in 5 to 24 %."""
    behind, near, moments = 0, 0, 0
    for frame in range(0, len(street.frames), 10):
        distance, ahead = neighbours(street, frame)
        behind += ((distance < 0.75) & (ahead > np.cos(np.pi / 4))).any(axis=1).sum()
        near += (distance < 0.6).any(axis=1).sum()
        moments += len(distance)
    assert behind <= 0.05 * moments
    assert near <= 0.10 * moments


def test_people_move_as_bodies_do(street):
    jerk = np.diff(street.position[..., :2], n=3, axis=0) * street.fps**3
    turn = np.diff(np.unwrap(np.arctan2(street.velocity[..., 1], street.velocity[..., 0]), axis=0), axis=0) * street.fps
    moves = np.hypot(street.velocity[..., 0], street.velocity[..., 1]) > 0.4
    assert np.percentile(np.hypot(jerk[..., 0], jerk[..., 1]), 99) <= 20.0
    assert np.percentile(np.abs(turn[moves[1:] & moves[:-1]]), 99) <= 2.0


def test_who_follows_is_recorded_with_whom(street):
    follows = street.doing == street.doing_names.index("following the people ahead")
    frame, who = np.nonzero(follows)
    assert len(frame) > 100
    apart = street.position[frame, street.because_of[frame, who], :2] - street.position[frame, who, :2]
    assert ((apart * street.velocity[frame, who]).sum(axis=1) > 0.0).mean() > 0.95


@pytest.mark.parametrize("avoidance", AVOIDANCES)
def test_a_faster_person_overtakes_whom_it_follows_exactly(avoidance):
    people = (Agent((-10.0, 0.0), (12.0, 0.0), 0.25, 1.6), Agent((-7.5, 0.0), (12.0, 0.0), 0.25, 0.6))
    crowd = Crowd("Two", agents=people, arrival="leave", avoidance=avoidance)
    made = walk_to_the_end(Scene(frames=(1, 480), crowds=(crowd,)))
    alone = 21.7 / 1.6
    assert made.present[:, 0].sum() / made.fps <= 1.15 * alone
    assert made.doing_names.index("overtaking somebody slower") in made.doing[:, 0]


def test_a_fast_walker_in_a_corridor_gets_past_a_slow_one_straight_ahead():
    """There is room on both sides alike, and who chose none would follow for ever."""
    walls = (np.array([[-12.0, 1.5], [15.0, 1.5]]), np.array([[-12.0, -1.5], [15.0, -1.5]]))
    people = (Agent((-10.0, 0.0), (12.0, 0.0), 0.25, 1.6), Agent((-8.0, 0.0), (12.0, 0.0), 0.25, 0.6))
    made = simulate(Scene(frames=(1, 120), walls=walls, crowds=(Crowd("Two", agents=people),)))
    fast, slow = made.position[-1, :, 0]
    assert fast > slow + 1.0


@pytest.mark.parametrize("avoidance", AVOIDANCES)
def test_two_who_meet_alone_pass_with_room(avoidance):
    people = (Agent((-8.0, 0.0), (8.0, 0.0), 0.22, 1.3), Agent((8.0, 0.2), (-8.0, 0.2), 0.22, 1.3))
    crowd = Crowd("Two", agents=people, arrival="leave", avoidance=avoidance)
    made = simulate(Scene(frames=(1, 200), crowds=(crowd,)))
    apart = made.position[:, 0, :2] - made.position[:, 1, :2]
    assert np.nanmin(np.hypot(apart[:, 0], apart[:, 1])) >= 0.7


def test_with_a_longer_time_gap_people_follow_farther_behind():
    walls = (np.array([[-9.0, 0.4], [40.0, 0.4]]), np.array([[-9.0, -0.4], [40.0, -0.4]]))
    people = tuple(Agent((-1.0 * k, 0.0), (30.0, 0.0), 0.25, 1.5 if k else 0.8) for k in range(6))
    gaps = []
    for time_gap in (0.0, 0.6, 1.5):
        crowd = Crowd("File", agents=people, time_gap=time_gap)
        made = simulate(Scene(frames=(1, 300), walls=walls, crowds=(crowd,)))
        gaps.append(np.median(-np.diff(made.position[-1, :, 0])))
    assert gaps[0] + 0.2 < gaps[1] < gaps[2] - 0.2


@pytest.mark.parametrize(
    ("velocity", "slows"),
    [
        ((0.6, 0.0), True),
        ((0.0, 0.0), True),
        ((0.0, 0.4), False),
        ((-1.0, 0.0), False),
        ((0.0, 1.3), False),
        ((0.5, 1.0), False),
    ],
    ids=["walks slowly", "stands", "crosses slowly", "comes", "has crossed soon", "turns off"],
)
def test_people_slow_down_behind_who_walks_the_same_way_or_stands_and_pass_others(monkeypatch, velocity, slows):
    steps = []
    monkeypatch.setattr(pedestrians, "keep_headway", lambda step, chosen, *_: steps.append(step) or chosen)
    people = (Agent((0.0, 0.0), (9.0, 0.0), 0.25, 1.3), Agent((0.8, 0.0), (9.0, 1.0), 0.25, 1.3))
    simulation = Simulation(Scene(frames=(1, 2), crowds=(Crowd("Two", agents=people, time_gap=1.0),)))
    simulation.agents.velocity[:] = (1.3, 0.0), velocity
    simulation.step()
    step, wish = steps[0], np.array([[1.3, 0.0], velocity])
    simulation.agents.position[:], simulation.agents.velocity[:], step.preferred = [(0, 0), (0.8, 0)], wish, wish
    nobody = np.zeros(2, dtype=bool)
    chosen = headway.keep_headway(step, wish, nobody, nobody, headway.HeadwaySettings())
    assert (np.hypot(*chosen[0]) < 1.0) == slows
    assert chosen[0, 1] == 0.0


@pytest.fixture(scope="module", params=AVOIDANCES)
def square(request):
    """Two dozen people who cross a square the same way, each to a place of their own, twice."""
    areas = (Area("West", box(-16.0, -5.0, -8.0, 5.0)), Area("East", box(14.0, -5.0, 22.0, 5.0)))
    crowd = Crowd("People", count=24, start="West", goal="East", avoidance=request.param)
    return [Simulation(Scene(frames=(1, 360), areas=areas, crowds=(crowd,), seed=seed)) for seed in (0, 1)]


def test_who_crosses_a_square_among_others_neither_brakes_for_who_overtakes_nor_brushes_against_them(square):
    """Of somebody who walks away ahead one falls back gently; a finger's breadth is for who has no more room."""
    brakes, brushes, moments = 0, 0, 0
    for simulation in square:
        while not simulation.done:
            simulation.step()
        made, radius = simulation.result(), simulation.agents.radius
        speed, wish = (np.hypot(*np.moveaxis(each[40:], -1, 0)) for each in (made.velocity, made.wish))
        slow = speed < 0.6 * np.where(wish > 0.3, wish, 0.0)
        brakes += np.count_nonzero(slow[1:] & ~slow[:-1])
        for place in made.position[40::4, :, :2]:
            gap = np.hypot(*(place[:, None] - place).T) - radius - radius[:, None] + 9.0 * np.eye(len(place))
            brushes, moments = brushes + np.count_nonzero(gap.min(axis=0) < 0.1), moments + len(place)
    assert brakes <= 4  # 19 while the gap alone counted and nobody kept room for shoulders
    assert brushes <= 0.01 * moments  # 5 % and 2 % without room for shoulders
