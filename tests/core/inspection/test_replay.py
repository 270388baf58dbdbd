# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded scene is looked at again: everybody is where they were, and the next plan starts from there."""

import numpy as np
import pytest

from core import simulate
from core.inspection.replay import Replay
from core.scene import Agent, Crowd, Obstacle, Route, Scene, Spawn, Speed
from core.trajectories import Reasons

pytestmark = pytest.mark.once

FRAMES = (1, 120)


@pytest.fixture(scope="module")
def recorded():
    """Five people on a round that crosses itself, one after the other, and a sixth crowd of one on a bend."""
    turn = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    eight = np.stack([8 * np.sin(turn), 4 * np.sin(2 * turn), np.zeros(60)], axis=1)
    bend = np.array([[-5.0, 20.0, 1.0], [0.0, 20.0, 1.0], [0.0, 25.0, 1.0]])
    scene = Scene(
        frames=FRAMES,
        routes=(Route("Eight", eight, closed=True), Route("Bend", bend)),
        crowds=(
            Crowd("Round", count=5, route="Eight", arrival="loop", spawn=Spawn("flow", rate=1.0), speed=Speed(2.5, 0)),
            Crowd("One", count=1, route="Bend", speed=Speed(1.4, 0.0)),
        ),
    )
    trajectories = simulate(scene, backend="numpy")
    return trajectories, Replay(scene, trajectories.position, trajectories.reasons_of_people())


def test_everybody_is_where_they_were(recorded):
    trajectories, replay = recorded
    moment = replay.moment(60)
    np.testing.assert_array_equal(moment.position, trajectories.position[59])
    np.testing.assert_array_equal(moment.present, trajectories.present[59])
    before = trajectories.present[58] & trajectories.present[59]
    np.testing.assert_allclose(moment.velocity[before], trajectories.velocity[59, before], atol=1e-9)
    assert 0 < moment.present.sum() < 6


def test_frames_outside_are_those_at_the_ends(recorded):
    _, replay = recorded
    np.testing.assert_array_equal(replay.moment(-7).position, replay.moment(1).position)
    np.testing.assert_array_equal(replay.moment(999).position, replay.moment(120).position)


def test_a_path_that_crosses_itself_is_followed_all_along(recorded):
    trajectories, replay = recorded
    along = np.array([replay.along(0, frame)[0] for frame in range(1, 121)])
    walked = np.linalg.norm(np.diff(trajectories.position[:, 0, :2], axis=0), axis=1)
    assert np.abs(np.diff(along) - walked).max() < 0.05
    assert along[-1] - along[0] > 9.0


def test_heading_is_held_while_standing(recorded):
    trajectories, replay = recorded
    assert trajectories.arrived_frame[5] < 0 or np.hypot(*trajectories.velocity[-1, 5]) < 0.05
    standing = np.zeros((120, 6, 3))
    standing[:60, :, 0] = np.linspace(0.0, 3.0, 60)[:, None]
    standing[60:, :, 0] = 3.0
    replay = Replay(replay.scene, standing)
    assert replay.moment(100).heading == pytest.approx(np.zeros(6))


def test_the_next_plan_starts_where_somebody_is_and_as_fast(recorded):
    trajectories, replay = recorded
    moment = replay.moment(40)
    plan = replay.planner.plan(replay.planner_input(5, moment), replay.still(moment).field)
    position, velocity, *_ = plan.at([0], [0.0])
    assert position[0] == pytest.approx(trajectories.position[39, 5, :2], abs=1e-3)
    assert velocity[0] == pytest.approx(trajectories.velocity[39, 5], abs=0.05)


@pytest.mark.parametrize(("way", "arrived"), [(0.5, False), (0.9, False), (0.98, True)])
def test_who_is_at_the_end_has_arrived(recorded, way, arrived):
    _, replay = recorded
    position = np.full((120, 6, 3), np.nan)
    share = np.linspace(0.0, way, 120)
    position[:, 5, 0] = np.interp(share, [0.0, 0.5], [-5.0, 0.0])
    position[:, 5, 1] = np.interp(share, [0.5, 1.0], [20.0, 25.0])
    walked = Replay(replay.scene, position)
    assert walked.has_arrived(5, walked.moment(120)) is arrived


@pytest.mark.parametrize(("beside", "astray"), [(1.0, False), (2.8, False), (3.2, True), (8.0, True)])
def test_who_is_far_beside_the_path_was_led_another_way(recorded, beside, astray):
    _, replay = recorded
    position = np.full((120, 6, 3), np.nan)
    position[:, 5, 0] = np.linspace(-4.0, -2.0, 120)
    position[:, 5, 1] = 20.0 - np.linspace(0.0, beside, 120)
    walked = Replay(replay.scene, position)
    assert walked.has_left_path(5, walked.moment(120)) is astray


def test_positions_of_other_people_are_refused(recorded):
    _, replay = recorded
    with pytest.raises(ValueError, match="6 agents"):
        Replay(replay.scene, np.zeros((120, 2, 3)))


@pytest.fixture(scope="module")
def meeting():
    """Two people who walk towards each other, and a third far away."""
    agents = (
        Agent((0.0, 0.0), (12.0, 0.0), 0.25, 1.3),
        Agent((12.0, 0.1), (0.0, 0.1), 0.25, 1.3),
        Agent((0.0, 30.0), (12.0, 30.0), 0.25, 1.3),
    )
    scene = Scene(frames=FRAMES, crowds=(Crowd("Pair", count=3, agents=agents),))
    trajectories = simulate(scene, backend="numpy")
    return trajectories, Replay(scene, trajectories.position, trajectories.reasons_of_people())


def test_steering_tells_whom_one_avoids(meeting):
    _, replay = meeting
    assert replay.steering(0, replay.moment(84)).planes.other.tolist() == [1]
    assert replay.steering(2, replay.moment(84)).planes.other.tolist() == []


def test_what_is_drawn_of_steering_is_the_recorded_wish_and_velocity(meeting):
    trajectories, replay = meeting
    for frame in range(2, 120, 7):
        now = replay.moment(frame)
        for agent in range(3):
            steering = replay.steering(agent, now)
            np.testing.assert_array_equal(steering.wanted, trajectories.wish[frame - 1, agent].astype(np.float64))
            np.testing.assert_allclose(steering.taken, trajectories.velocity[frame - 1, agent], atol=1e-9)


def test_who_looks_along_headings_has_headings_to_draw():
    agents = (Agent((0.0, 0.0), (12.0, 0.0), 0.25, 1.3), Agent((12.0, 0.1), (0.0, 0.1), 0.25, 1.3))
    crowd = Crowd("Pair", count=2, agents=agents, avoidance="human_like")
    scene = Scene(frames=(1, 40), crowds=(crowd,))
    made = simulate(scene, backend="numpy")
    replay = Replay(scene, made.position, made.reasons_of_people())
    headings = replay.steering(0, replay.moment(40)).headings
    best = headings.direction[headings.time.argmin()]
    assert best[0] > 0.8


def test_who_looks_for_a_way_round_others_has_headings_to_draw_and_who_walks_freely_half_planes():
    places = [(x, y) for x in (-0.4, 0.4) for y in (-0.4, 0.4)]
    knot = [Agent((x, y), (-16.0 if x > 0.0 else 16.0, y), radius=0.25, speed=1.6) for x, y in places]
    alone = Agent((0.0, 30.0), (16.0, 30.0), radius=0.25, speed=1.6)
    scene = Scene(fps=12.0, frames=(1, 24), crowds=(Crowd("Walkers", count=5, agents=(*knot, alone)),))
    made = simulate(scene, backend="numpy")
    replay = Replay(scene, made.position, made.reasons_of_people())
    assert any(replay.steering(agent, replay.moment(6)).headings is not None for agent in range(4))
    assert all(
        replay.steering(4, replay.moment(frame)).planes is not None for frame in range(2, 25)
    )  # as it starts, too


def test_who_anticipates_has_times_of_contact_to_draw():
    agents = (
        Agent((0.0, 0.0), (12.0, 0.0), 0.25, 1.3),
        Agent((4.0, 0.1), (-6.0, 0.1), 0.25, 1.3),
        Agent((3.0, 3.0), (15.0, 3.0), 0.25, 1.3),
        Agent((0.0, 30.0), (12.0, 30.0), 0.25, 1.3),
    )
    scene = Scene(frames=(1, 3), crowds=(Crowd("Four", count=4, agents=agents, avoidance="power_law"),))
    made = simulate(scene, backend="numpy")
    replay = Replay(scene, made.position, made.reasons_of_people())
    contacts = replay.steering(0, replay.moment(3)).contacts
    time = dict(zip(contacts.other.tolist(), contacts.time.tolist(), strict=True))
    assert sorted(time) == [1, 2]  # the last one is far away
    gap = made.position[2, 1, 0] - made.position[2, 0, 0]
    assert (gap - 0.5) / 2.6 < time[1] < 3.0 * (gap - 0.5) / 2.6  # later, as velocities are uncertain
    assert time[2] > 5.0 * time[1]  # the same way, side by side


def test_a_record_without_reasons_still_shows_half_planes_but_no_wish(meeting):
    trajectories, replay = meeting
    steering = Replay(replay.scene, trajectories.position).steering(0, replay.moment(84))
    assert steering.wanted is None
    assert steering.planes.other.tolist() == [1]


def test_reasons_of_other_frames_are_refused(meeting):
    trajectories, replay = meeting
    with pytest.raises(ValueError, match="reasons"):
        Replay(replay.scene, trajectories.position, Reasons.none(5, 3))


def test_who_has_arrived_wants_to_stay():
    scene = Scene(frames=(1, 60), crowds=(Crowd("One", count=1, agents=(Agent((0.0, 0.0), (1.0, 0.0)),)),))
    made = simulate(scene, backend="numpy")
    replay = Replay(scene, made.position, made.reasons_of_people())
    np.testing.assert_array_equal(replay.steering(0, replay.moment(60)).wanted, (0.0, 0.0))


def replay_at(opening, begin):
    """Two who walk to an opening in a wall, the first from `begin` on, and one who comes towards them."""
    there, back = (np.array([(x, 0.0, 0.0), (-3.0 * x, 0.0, 0.0)]) for x in (-5.4, 3.2))
    routes = (Route("There", there, width=2.0), Route("Back", back, width=2.0))
    walls = tuple(
        Obstacle(name, np.array([[-0.1, low], [0.1, low], [0.1, high], [-0.1, high]]))
        for name, low, high in (("Left", 0.5 * opening, 40.0), ("Right", -40.0, -0.5 * opening))
    )
    crowds = tuple(
        Crowd(name, count=count, route=route, avoidance="human_like")
        for name, count, route in (("Two", 2, "There"), ("One", 1, "Back"))
    )
    scene = Scene(frames=(1, 2), obstacles=walls, routes=routes, crowds=crowds)
    now = np.array([(begin, 0.0, 0.0), (-5.0, 0.0, 0.0), (1.2, 0.0, 0.0)])
    step = np.array([(1.3, 0.0, 0.0), (1.3, 0.0, 0.0), (-1.3, 0.0, 0.0)]) / scene.fps
    return Replay(scene, np.stack((now - step, now)))


@pytest.mark.parametrize(("opening", "turned"), [(1.0, False), (30.0, True)])
def test_nobody_is_drawn_as_turning_aside_before_a_door(opening, turned):
    replay = replay_at(opening, -3.5)
    target = replay.steering(0, replay.moment(2)).headings.direction[0]
    assert (target[1] < -0.05) == turned


@pytest.mark.parametrize(
    ("opening", "begin", "has_planes"), [(1.0, -0.8, True), (1.0, -3.5, False), (30.0, -0.8, False)]
)
def test_who_may_be_next_at_a_door_is_drawn_with_half_planes_as_they_walk(opening, begin, has_planes):
    replay = replay_at(opening, begin)
    steering = replay.steering(0, replay.moment(2))
    assert (steering.planes is not None, steering.headings is not None) == (has_planes, not has_planes)
