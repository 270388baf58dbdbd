# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds that meet where two cannot pass: one side waits, and all get through."""

from dataclasses import replace

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.report import make_report
from core.scene import Agent, Area, Crowd, Motion, Obstacle, Route, Scene
from core.simulation import simulate
from core.simulation.guidance.narrow_places import find_passage
from core.simulation.settings.behaviour_settings import NarrowPassageSettings
from core.simulation.world.environment import Environment
from tests.scenes.crowd_scenes import block, box
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

pytestmark = pytest.mark.once

SETTINGS = NarrowPassageSettings()


def head_on(width, depth, people, avoidance="orca", frames=720):
    """Two crowds in two rooms who change places through one door."""
    low, high = 5 - width / 2, 5 + width / 2
    walls = (block(10, -1, 10 + depth, low), block(10, high, 10 + depth, 11))
    areas = (Area("West", box(2, 2, 7, 8)), Area("East", box(13 + depth, 2, 18 + depth, 8)))
    crowds = (
        Crowd("Out", count=people, start="West", goal="East", avoidance=avoidance),
        Crowd("In", count=people, start="East", goal="West", avoidance=avoidance),
    )
    return Scene(frames=(1, frames), bounds=box(-1, -1, 21 + depth, 11), obstacles=walls, areas=areas, crowds=crowds)


@pytest.mark.parametrize(
    ("width", "depth", "people", "avoidance"),
    sweep([(0.9, 0.3, 4, "human_like"), (0.9, 3.0, 3, "orca"), (0.8, 0.05, 4, "orca")], usual=2),
    ids=["wall", "corridor", "thin wall"],
)
def test_two_crowds_change_places_through_one_door(width, depth, people, avoidance):
    scene = head_on(width, depth, people, avoidance, frames=720)
    made = walk_to_the_end(scene)
    found = make_report(made, scene)["total"]
    assert found["arrived"] == 2 * people
    assert found["deepest_overlap"] <= 0.03
    assert found["deepest_wall_penetration"] <= 0.01
    assert not made.notices


@pytest.mark.parametrize("seed", sweep([10, 12], usual=1))
def test_two_who_stand_in_an_arch_before_a_door_for_one_get_free(seed):
    draw, people = np.random.default_rng(seed), 6
    apart = 3.0 + 2.0 * np.arange(people)
    west, east = (
        np.stack([sign * (apart + draw.uniform(0, 0.8, people)), draw.uniform(-1.5, 1.5, people)], axis=1)
        for sign in (-1.0, 1.0)
    )
    beyond = np.array([0.0, 1.0])
    starts, goals = np.concatenate((west, east)), np.concatenate((east[::-1] + beyond, west[::-1] - beyond))
    speeds, radii = draw.uniform(1.1, 1.5, 2 * people), draw.uniform(0.22, 0.25, 2 * people)
    agents = tuple(map(Agent, starts.tolist(), goals.tolist(), radii.tolist(), speeds.tolist()))
    walls = (block(-0.1, 0.35, 0.1, 8), block(-0.1, -8, 0.1, -0.35))
    crowd = Crowd("Both", count=len(agents), agents=agents)
    made = simulate(Scene(frames=(1, 800), bounds=box(-30, -8, 30, 8), obstacles=walls, crowds=(crowd,)))
    x = made.position[..., 0]
    assert (x[-1] * x[0] < 0.0).all()


@pytest.mark.thorough
def test_two_at_the_wall_beside_an_open_door_do_not_wait_for_each_other_for_ever():
    walls = (block(-0.1, 0.6, 0.1, 6), block(-0.1, -6, 0.1, -0.6))
    areas = (Area("L", box(-7, -2, -1, 2)), Area("R", box(1, -2, 7, 2)))
    crowds = (
        Crowd("LR", count=12, start="L", goal="R", arrival="leave"),
        Crowd("RL", count=12, start="R", goal="L", arrival="leave"),
    )
    scene = Scene(frames=(1, 900), seed=1, bounds=box(-9, -6, 9, 6), obstacles=walls, areas=areas, crowds=crowds)
    made = walk_to_the_end(scene)
    assert (made.arrived_frame > 0).all()


@pytest.mark.parametrize("half", [0.3, 0.45])
def test_the_length_and_the_direction_of_a_narrow_place_are_found(half):
    field = ObstacleField([(box(0, half, 2, 9), ()), (box(0, -9, 2, -half), ())])
    found = find_passage(np.array([1.4, 0.1]), np.array([0.8, 0.6]), 0.5, field, SETTINGS)
    assert found is not None
    assert abs(found.axis[0]) == pytest.approx(1.0, abs=0.01)
    assert found.middle == pytest.approx([1.0, 0.0], abs=0.06)
    assert found.half_width == pytest.approx(half, abs=0.05)
    assert 1.0 <= found.half_length <= 1.6


def test_a_wall_on_one_side_or_ahead_or_a_wide_door_is_not_narrow():
    wall = ObstacleField([(box(0, 0.3, 2, 9), ())])
    door = ObstacleField([(box(0, 0.6, 2, 9), ()), (box(0, -9, 2, -0.6), ())])
    ahead = ObstacleField([(box(1.84, -9, 3, 9), ())])  # its mirror image lies in front of the wall
    for field in (wall, ahead, door):
        assert find_passage(np.array([1.0, 0.0]), np.array([1.0, 0.0]), 0.5, field, SETTINGS) is None


def test_who_waits_before_a_door_steps_aside_and_stands():
    """Nobody drifts backwards, however slowly, and who has found a place hardly shuffles there."""
    line = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
    routes = (Route("There", line, width=2.5), Route("Back", line[::-1].copy(), width=2.5))
    crowds = (Crowd("Out", count=4, route="There"), Crowd("In", count=4, route="Back"))
    walls = (block(4.9, 0.45, 5.1, 6), block(4.9, -6, 5.1, -0.45))
    scene = Scene(frames=(1, 300), seed=1, obstacles=walls, routes=routes, crowds=crowds)
    made = simulate(scene)
    waits = made.doing == made.doing_names.index("letting others through")
    assert waits.sum(axis=0).max() > 48
    assert [each for each in make_report(made, scene)["events"] if each["kind"] == "backwards"] == []
    speed = np.hypot(made.velocity[..., 0], made.velocity[..., 1])[waits]
    assert ((speed > 0.05) & (speed < 0.2)).mean() < 0.25


@pytest.mark.thorough
def test_who_comes_out_of_a_door_on_a_bend_gets_past_those_who_wait():
    """Those who wait stand beside the way out; as obstacles on it they locked the others in, and these the door."""
    x = np.linspace(-10.0, 10.0, 81)
    line = np.column_stack((x, np.sin(0.1 * np.pi * x), 0.0 * x))
    routes = (Route("There", line, width=2.5), Route("Back", line[::-1].copy(), width=2.5))
    crowds = tuple(
        Crowd(name, count=12, route=route, arrival="leave") for name, route in (("Out", "There"), ("In", "Back"))
    )
    walls = (block(-0.1, 0.6, 0.1, 8), block(-0.1, -8, 0.1, -0.6))
    scene = Scene(frames=(1, 1440), seed=1, bounds=box(-14, -8, 14, 8), obstacles=walls, routes=routes, crowds=crowds)
    made = walk_to_the_end(scene)
    assert (made.arrived_frame > 0).all()
    assert make_report(made, scene)["total"]["longest_stop"] < 25.0


@pytest.mark.parametrize("avoidance", sweep(["orca", "human_like"], usual=1))
def test_all_get_through_two_doors_in_a_row(avoidance):
    """Who waits for the second door, in the way of those who come out of the first, locked both for ever."""
    line = np.array([[-6.0, 0.0, 0.0], [8.5, 0.0, 0.0]])
    routes = (Route("There", line, width=2.5), Route("Back", line[::-1].copy(), width=2.5))
    crowds = tuple(
        Crowd(name, count=6, route=route, arrival="leave", avoidance=avoidance)
        for name, route in (("Out", "There"), ("In", "Back"))
    )
    walls = tuple(block(x - 0.1, *y) for x in (0.0, 2.5) for y in ((0.5, x + 0.1, 8), (-8, x + 0.1, -0.5)))
    made = walk_to_the_end(Scene(frames=(1, 1200), obstacles=walls, routes=routes, crowds=crowds))
    assert (made.arrived_frame > 0).all()


def test_who_comes_through_two_doors_in_a_row_is_let_out_by_those_who_want_in():
    """All four stood before the first door for ever, where nobody took turns."""
    inwards, outwards = [(-1.3, 0.3), (-0.9, -0.4)], [(0.6, -0.4), (3.1, 0.1)]
    people = [Agent(start, (3.5, 0.0), 0.25, 1.3) for start in inwards]
    people += [Agent(start, (-1.5, 0.0), 0.25, 1.3) for start in outwards]
    walls = tuple(block(x - 0.1, *y) for x in (0.0, 2.0) for y in ((0.45, x + 0.1, 3), (-3, x + 0.1, -0.45)))
    crowd = Crowd("Four", agents=tuple(people), arrival="leave")
    made = simulate(Scene(frames=(1, 180), obstacles=walls, crowds=(crowd,)))
    assert (made.arrived_frame[2:] > 0).all()


@pytest.mark.parametrize("avoidance", ["human_like", "orca", "power_law"])
@pytest.mark.thorough
def test_who_waits_round_a_corner_goes_back_from_where_the_others_come_out(avoidance):
    walls = (block(-0.6, -8, 1.2, -0.5), block(-0.6, 0.5, 1.2, 8), block(2.2, -8, 2.6, 8))
    up = np.array([[-6.0, 0.0, 0.0], [1.7, 0.0, 0.0], [1.7, 6.0, 0.0]])
    out = np.array([[1.7, -7.0, 0.0], [1.7, 0.0, 0.0], [-6.0, 0.0, 0.0]])
    crowds = tuple(Crowd(name, count=8, route=name, avoidance=avoidance) for name in ("Up", "Out"))
    routes = (Route("Up", up, width=1.0), Route("Out", out, width=1.0))
    made = walk_to_the_end(Scene(frames=(1, 1200), obstacles=walls, routes=routes, crowds=crowds))
    assert (made.arrived_frame > 0).all()


def test_people_who_block_each_other_to_the_end_are_reported():
    walls = (block(2, 0.3, 8, 3), block(2, -3, 8, -0.3), block(-1, -3, -0.5, 3), block(10.5, -3, 11, 3))
    # Nobody can leave the corridor again: its mouths open on cells as wide as one person.
    cells = (block(-0.5, 0.3, 2, 3), block(-0.5, -3, 2, -0.3), block(8, 0.3, 10.5, 3), block(8, -3, 10.5, -0.3))
    pair = (Agent((0, 0), (10.2, 0), radius=0.25), Agent((10, 0), (-0.2, 0), radius=0.25))
    crowd = Crowd("Pair", count=2, agents=pair)
    made = simulate(Scene(frames=(1, 520), obstacles=(*walls, *cells), crowds=(crowd,)))
    told = [notice for notice in made.notices if "block each other" in notice]
    assert len(told) == 1
    assert told[0].startswith("2 people block each other at (")


def test_who_meets_nobody_is_not_held_up():
    scene = head_on(0.9, 0.3, 3, frames=500)
    alone = walk_to_the_end(replace(scene, crowds=scene.crowds[:1]))
    assert (alone.arrived_frame > 0).all()


def test_the_time_since_when_a_place_was_free_of_moving_obstacles_is_found():
    still = np.zeros(3)
    door = Obstacle(
        "Door", box(-0.1, -1, 0.1, 1), motion=Motion(np.array([1.0, 240, 260]), still, np.array([0.0, 0, 4]), still)
    )
    around = Environment(Scene(frames=(1, 400), obstacles=(door,)))
    places = np.array([[-0.4, 0.0], [0.4, 0.0], [0.0, 0.0]])
    begin, end = 156 / 24, 399 / 24
    assert 240 < 1 + 24 * around.closed_until(places, begin, end) < 250  # its lower end passes 0 at frame 245
    assert around.closed_until(places[:2], begin, end) == begin  # nobody stands in it
    assert around.closed_until(places, 300 / 24, end) == 300 / 24


def opening_door(people, avoidance="orca", seed=1):
    """Two crowds who change rooms through a door of 1.2 m that opens after 8 s, while both wait before it."""
    walls = (block(-0.1, 0.6, 0.1, 6), block(-0.1, -6, 0.1, -0.6))
    keys, away = np.array([1.0, 192.0, 216.0]), np.array([0.0, 0.0, -1.4])
    leaf = replace(block(-0.05, -0.6, 0.05, 0.6), name="Leaf", motion=Motion(keys, 0.0 * keys, away, 0.0 * keys))
    areas = (Area("L", box(-7, -2, -1, 2)), Area("R", box(1, -2, 7, 2)))
    crowds = (Crowd("LR", count=people, start="L", goal="R"), Crowd("RL", count=people, start="R", goal="L"))
    crowds = tuple(replace(crowd, arrival="leave", avoidance=avoidance) for crowd in crowds)
    bounds, obstacles = box(-9, -6, 9, 6), (*walls, leaf)
    return Scene(frames=(1, 24 * 60), seed=seed, bounds=bounds, areas=areas, crowds=crowds, obstacles=obstacles)


@pytest.mark.thorough
def test_who_waits_beside_a_door_in_a_room_does_not_walk_back_as_round_a_corner():
    made = walk_to_the_end(opening_door(9))
    assert (made.arrived_frame > 0).all()  # 4 of 18 where those beside the door went back


@pytest.mark.thorough
def test_who_waits_steps_back_from_those_who_cannot_get_out_between_them():
    made = walk_to_the_end(opening_door(20, "human_like", seed=2))
    assert (made.arrived_frame > 0).all()  # 20 of 40 where all stood who were beside the door or had no room
