# SPDX-License-Identifier: GPL-3.0-or-later
"""People turn into a bend a little before they walk it, within the rate that bodies turn at."""

import math
from unittest.mock import MagicMock

import numpy as np
import pytest

from core import Scene, Simulation, simulate
from core.report import make_report
from core.scene import Agent, Area, Crowd, Hero, Obstacle, Route, Speed, Track
from core.simulation.movement.facing import Facing
from core.simulation.settings import PedestrianSettings, SimulationSettings
from core.simulation.settings.pedestrian_settings import FacingSettings
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

pytestmark = pytest.mark.once

FPS = 24.0
FACING = FacingSettings()


def bend(radius, angle):
    """Straight for 4 m, a bend of a radius, straight on for 4 m: float64 (P, 3)."""
    ts = np.linspace(0.0, angle, 60)[1:]
    side = 1.0 if angle > 0.0 else -1.0
    arc = np.column_stack([4.0 + radius * np.abs(np.sin(ts)), side * radius * (1.0 - np.cos(ts))])
    on = np.array([math.cos(angle), math.sin(angle)])
    ends = [
        np.column_stack([np.linspace(0.0, 4.0, 20), np.zeros(20)]),
        arc[-1] + np.outer(np.linspace(0.1, 4.0, 20), on),
    ]
    points = np.concatenate([ends[0], arc, ends[1]])
    return np.column_stack([points, np.zeros(len(points))])


def walked(points, *, count=1, frames=190, facing=FACING, **crowd_settings):
    route = Route("Way", points, width=1.0)
    crowd = Crowd("One", count=count, route="Way", speed=Speed(1.3, 0.0), **crowd_settings)
    settings = SimulationSettings(pedestrians=PedestrianSettings(facing=facing))
    simulation = Simulation(Scene(fps=FPS, frames=(1, frames), routes=(route,), crowds=(crowd,)), settings=settings)
    while not simulation.done:
        simulation.step()
    return simulation.result()


def directions(t, agent=0):
    """The way that somebody walks at each frame, float64 (F,), without jumps [rad]."""
    return np.unwrap(np.arctan2(t.velocity[:, agent, 1], t.velocity[:, agent, 0]))


def half_turned(angles, middle):
    """Time at which angles pass a middle one [s]."""
    first = int(np.argmax(np.abs(angles) > abs(middle)))
    before, after = np.abs(angles[first - 1 : first + 1])
    return (first - 1 + (abs(middle) - before) / (after - before)) / FPS


@pytest.mark.parametrize("angle", [math.pi / 2, -math.pi / 2])
def test_the_body_turns_into_a_bend_before_its_trajectory_does(angle):
    t = walked(bend(1.5, angle))
    way, body = directions(t), np.unwrap(t.heading[:, 0])
    ahead = half_turned(way, angle / 2) - half_turned(body, angle / 2)
    assert ahead == pytest.approx(FACING.lead_time, abs=0.03)
    assert np.abs(body - way).max() <= FACING.greatest_lead + 1e-9
    assert np.abs(body[:54]).max() < 1e-7  # nobody looks aside before the filter sees the bend
    assert np.abs(np.diff(body)).max() * FPS <= SimulationSettings().max_turn_rate + 1e-9
    assert np.abs(np.diff(body, 2)).max() < 2.0 * np.abs(np.diff(way, 2)).max()  # about as smoothly


def test_people_who_start_in_a_bend_face_into_it_at_once():
    ring = np.linspace(0.0, 2.0 * math.pi, 60, endpoint=False)
    points = np.column_stack([3.0 * np.cos(ring), 3.0 * np.sin(ring), np.zeros(60)])
    route = Route("Ring", points, closed=True, width=0.5)
    crowd = Crowd("Round", count=1, route="Ring", speed=Speed(1.2, 0.0), arrival="loop")
    t = simulate(Scene(fps=FPS, frames=(1, 60), routes=(route,), crowds=(crowd,)))
    off = t.heading - np.arctan2(t.velocity[..., 1], t.velocity[..., 0])
    off = (off + math.pi) % (2.0 * math.pi) - math.pi
    ahead = np.hypot(t.velocity[..., 0], t.velocity[..., 1]) * FACING.lead_time / 3.0
    np.testing.assert_allclose(off[5:], ahead[5:], atol=0.03)
    assert np.abs(np.diff(np.unwrap(t.heading, axis=0), 2, axis=0)).max() < 0.02


def test_trajectories_do_not_depend_on_how_early_people_look_into_a_bend():
    first = walked(bend(1.0, math.pi / 2), count=3, avoidance="human_like")
    second = walked(bend(1.0, math.pi / 2), count=3, avoidance="human_like", facing=FacingSettings(lead_time=0.0))
    np.testing.assert_array_equal(first.position, second.position)
    np.testing.assert_array_equal(first.velocity, second.velocity)
    assert np.nanmax(np.abs(first.heading - second.heading)) > 0.1


def test_who_follows_no_bend_faces_where_it_goes():
    t = walked(np.array([[0.0, 0.0, 0.0], [12.0, 5.0, 0.0]]), frames=60)
    np.testing.assert_allclose(t.heading[:, 0], math.atan2(5.0, 12.0), atol=1e-9)


def set_off(fps, seed):
    """Two streams that meet head-on and stop each other, and people who come out of two places at a slant."""
    there, back = np.array([[0.0, 0.0, 0.0], [14.0, 0.0, 0.0]]), np.array([[14.0, 0.2, 0.0], [0.0, 0.2, 0.0]])
    square = np.array([[0.0, 9.0], [5.0, 9.0], [5.0, 14.0], [0.0, 14.0]])
    crowds = (
        Crowd("Out", count=20, route="There"),
        Crowd("Home", count=20, route="Back"),
        Crowd("East", count=12, start="West end", goal="East end"),
        Crowd("West", count=12, start="East end", goal="West end"),
    )
    routes = (Route("There", there, width=2.0), Route("Back", back, width=2.0))
    areas = (Area("West end", square), Area("East end", square + np.array([13.0, 0.0])))
    return simulate(Scene(fps=fps, frames=(1, int(7 * fps)), routes=routes, areas=areas, crowds=crowds, seed=seed))


@pytest.mark.parametrize(("fps", "seeds"), sweep([(24.0, 1), (60.0, 3)], usual=1))
def test_people_who_start_in_another_direction_than_they_face_turn_with_inertia(fps, seeds):
    off_way = [_turn_with_inertia(set_off(fps, seed), fps) for seed in range(seeds)]
    off_way = np.concatenate(off_way)
    assert (off_way > math.radians(30.0)).mean() < 0.012  # hardly anybody walks sideways for that, or to step aside
    assert off_way.mean() < math.radians(3.0)


def _turn_with_inertia(t, fps):
    """Check how bodies turn, and return how far those who walk face off their way, float64 (N,) [rad]."""
    speed = np.hypot(t.velocity[..., 0], t.velocity[..., 1])
    way = np.arctan2(t.velocity[..., 1], t.velocity[..., 0])
    off = np.abs((t.heading - way + math.pi) % (2.0 * math.pi) - math.pi)
    begins = (speed >= 0.12) & (speed < 0.4)
    assert ((off > math.radians(15.0)) & begins).any(axis=0).sum() >= 5  # people: else nothing is tried
    turned = np.diff(t.heading, axis=0)
    most, slowest, swing = SimulationSettings().max_turn_rate, FACING.calm_turn_rate, FACING.angular_acceleration
    assert np.nanmax(np.abs(turned)) <= most / fps + 1e-9
    slow = speed[1:] < 0.3
    assert np.nanmax(np.abs(turned[slow])) <= (slowest + 0.3 * (most - slowest) + swing / fps) / fps + 1e-9
    # 1.6 degrees at 24 frames a second: where its window ends, the filter adds to it.
    most_change = 1.6 * swing / fps**2
    assert np.nanmax(np.abs(np.diff(turned, axis=0))) <= most_change
    assert np.nanmax(np.abs(t.heading[1] - t.heading[0])) <= most_change  # also in the first frame
    return off[speed > 0.5]


def test_who_steps_aside_for_a_hero_turns_as_fast_as_a_body_may_and_no_faster():
    """The first walks, and what turns is the velocity; the second stands, and turns before they walk."""
    starts, goals = ((0.0, 0.0), (0.0, 30.0)), ((20.0, 0.0), (0.0, 30.0))
    agents = tuple(Agent(start, goal, 0.25, 1.3) for start, goal in zip(starts, goals, strict=True))
    heroes = tuple(
        Hero(name, 0.4, Track(np.array([1.0, 49.0]), np.array([9.0, -3.0]), np.full(2, y + 0.1)))  # 6 m/s
        for name, (_, y) in zip(("Runner", "Other"), starts, strict=True)
    )
    people = Crowd("People", agents=agents, count=2)
    simulation = Simulation(Scene(fps=FPS, frames=(1, 48), crowds=(people,), heroes=heroes))
    seen = []
    while not simulation.done:
        seen.append((*simulation.agents.velocity[0], simulation.agents.heading[1]))
        simulation.step()
    x, y, heading = np.array(seen).T
    moving = np.minimum(np.hypot(x, y)[1:], np.hypot(x, y)[:-1]) > 0.3  # who stands turns on the spot
    of_velocity = np.abs(np.diff(np.unwrap(np.arctan2(y, x))))[moving].max() * FPS
    of_body = np.abs(np.diff(heading)).max() * FPS
    limit = simulation.settings.max_turn_rate
    assert 0.8 * limit < of_velocity <= limit + 1e-9
    assert 0.8 * limit < of_body <= limit + 1e-9


def facing_off(made):
    """The angle between body and motion of each at each frame, float64 (F, A), 0 where they step slowly [rad]."""
    way = np.arctan2(made.velocity[..., 1], made.velocity[..., 0])
    off = np.abs((made.heading - way + math.pi) % (2.0 * math.pi) - math.pi)
    return np.where(np.hypot(made.velocity[..., 0], made.velocity[..., 1]) > 0.3, np.nan_to_num(off), 0.0)


def test_nobody_goes_back_by_more_than_a_step_or_turns_fast_where_two_streams_meet_at_a_door():
    square = np.array([[-1.0, -1.5], [1.0, -1.5], [1.0, 1.5], [-1.0, 1.5]])
    areas = (Area("West", square - np.array([3.0, 0.0])), Area("East", square + np.array([3.0, 0.0])))
    walls = tuple(
        Obstacle(name, np.array([[-0.1, low], [0.1, low], [0.1, high], [-0.1, high]]))
        for name, low, high in (("North", 0.45, 4.0), ("South", -4.0, -0.45))
    )
    crowds = (Crowd("Out", count=4, start="West", goal="East"), Crowd("In", count=4, start="East", goal="West"))
    bounds = np.array([[-6.0, -4.0], [6.0, -4.0], [6.0, 4.0], [-6.0, 4.0]])
    scene = Scene(fps=FPS, frames=(1, 500), bounds=bounds, obstacles=walls, areas=areas, crowds=crowds)
    made = walk_to_the_end(scene)
    assert (facing_off(made) > math.radians(110.0)).sum(axis=0).max() <= 8  # frames of one person, a step back
    assert not [event for event in make_report(made, scene)["events"] if event["kind"] in ("backwards", "spinning")]
    turn_rate = np.abs(np.diff(made.heading, axis=0)) * FPS
    at_door = np.abs(made.position[1:, :, 0]) < 2.5
    assert np.nanpercentile(turn_rate[at_door], 99) <= 1.5  # nobody spins round
    assert (made.doing == made.doing_names.index("letting others through")).any()
    assert (made.arrived_frame > 0).all()


@pytest.mark.parametrize(
    ("off", "most", "at_door"),
    [
        *[(off, most, False) for off, most in ((0.0, 1.4), (45.0, 1.4), (75.0, 0.84), (110.0, 0.2), (180.0, 0.2))],
        *[(off, most, True) for off, most in ((45.0, 1.4), (90.0, 0.73), (110.0, 0.2), (180.0, 0.2))],  # no backing
    ],
)
def test_people_who_set_off_to_where_they_do_not_face_are_held_back(off, most, at_door):
    agents = MagicMock(wanted_speed=np.array([1.4]))
    agents.__len__.return_value = 1
    facing = Facing(agents, FACING)
    facing._angle[:] = 0.5
    way = 0.5 + math.radians(off)
    wanted = 1.4 * np.array([[math.cos(way), math.sin(way)]])
    door = np.array([at_door])
    held = facing.hold_back(np.zeros(1, dtype=np.int64), wanted, None, np.zeros(1), door)
    assert np.hypot(*held[0]) == pytest.approx(most, abs=0.02)
    assert held[0, 0] * wanted[0, 1] - held[0, 1] * wanted[0, 0] == pytest.approx(0.0, abs=1e-12)
    braking = facing.hold_back(np.zeros(1, dtype=np.int64), wanted, None, np.ones(1), door)
    assert np.hypot(*braking[0]) == pytest.approx(max(most, 1.0), abs=0.02)  # no faster than a body brakes


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_who_is_called_back_from_a_door_turns_to_the_side_at_most_and_keeps_to_it(side):
    """Called back to the left of the way, to the right, straight back while facing a side, and hardly to the other."""
    called = np.radians([120.0, 170.0, 180.0, 185.0, 60.0, 120.0])
    looks = np.radians([0.0, 0.0, 70.0, 70.0, 0.0, 0.0])
    at_door = np.array([True, True, True, True, True, False])
    agents = MagicMock(velocity=np.zeros((6, 2)))
    agents.__len__.return_value = 6
    facing = Facing(agents, FACING)
    facing._angle[:] = side * looks
    preferred = 0.6 * np.stack([np.cos(called), side * np.sin(called)], axis=1)
    ahead = np.tile((1.3, 0.0), (6, 1))
    wish = facing.wish(np.arange(6), preferred, ahead, at_door)
    towards = side * np.degrees(np.arctan2(wish[:, 1], wish[:, 0]))
    np.testing.assert_allclose(np.hypot(*wish.T), 0.6)
    most = 180.0 - math.degrees(math.acos(FACING.cos_behind))  # where straight back is a step to the side
    np.testing.assert_allclose(towards, [most, most, most, most, 60.0, 120.0], atol=1e-9)
