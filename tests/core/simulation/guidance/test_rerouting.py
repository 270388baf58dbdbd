# SPDX-License-Identifier: GPL-3.0-or-later
"""Doors that open and close while people are on their way."""

import numpy as np
import pytest

from core.report import make_report
from core.scene import Agent, Area, Crowd, Motion, Obstacle, Scene, Spawn
from core.simulation import Simulation
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

pytestmark = pytest.mark.once

BOUNDS = np.array([[0.0, 0], [20, 0], [20, 12], [0, 12]])
WEST = Area("West", np.array([[3.0, 3.0], [6.5, 3], [6.5, 9], [3.0, 9]]))
EAST = Area("East", np.array([[13.5, 3], [17, 3], [17, 9], [13.5, 9]]))
NEAR, FAR = 5.0, 10.0
"""Where the two doors are along the wall [m]; each is 1.8 m wide."""


def box(x, y, width, height):
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])


def wall(*doors):
    """A wall across the room at x = 10 with doors 1.8 m wide."""
    parts, below = [], 0.0
    for door in (*doors, None):
        top = 12.0 if door is None else door - 0.9
        parts.append(Obstacle(f"Wall {len(parts) + 1}", box(9.8, below, 0.4, top - below)))
        below = top + 1.8
    return parts


def sliding(name, y, *, shut, opened):
    """A door at y that is beside the gap but between these frames; sliding takes 15 frames."""
    frames, shift = [0.0], [0.0 if shut == 0 else 1.9]
    for frame, place in sorted([(shut, 0.0), (opened, 1.9)]):
        if 0 < frame < 10_000:
            frames += [frame, frame + 15.0]
            shift += [shift[-1], place]
    frames, shift = np.array(frames), np.array(shift)
    still = np.zeros(len(frames))
    leaf = np.array([[-0.1, -0.9], [0.1, -0.9], [0.1, 0.9], [-0.1, 0.9]])
    return Obstacle(name, leaf, motion=Motion(frames, still + 10.0, y + shift, still))


def walk(obstacles, frames=800, count=12, **changes):
    crowd = Crowd("People", count=count, start="West", goal="East", **changes)
    scene = Scene(frames=(1, frames), bounds=BOUNDS, obstacles=tuple(obstacles), areas=(WEST, EAST), crowds=(crowd,))
    made = walk_to_the_end(scene)
    return made, make_report(made, scene)["total"]


def passed_at(made, y):
    """How many walked through the wall within a door."""
    x = made.position[..., 0]
    frame = np.argmax(x > 10.0, axis=0)
    crossed = np.nan_to_num(x).max(axis=0) > 10.0
    return int(np.sum(crossed & (np.abs(made.position[frame, np.arange(x.shape[1]), 1] - y) < 0.9)))


def test_all_go_round_by_the_other_door_when_theirs_closes():
    obstacles = [*wall(NEAR, FAR), sliding("Near door", NEAR, shut=40, opened=10_000)]
    made, report = walk(obstacles)
    assert report["arrived"] == 12
    assert passed_at(made, FAR) >= 8
    assert passed_at(made, NEAR) + passed_at(made, FAR) == 12
    assert report["deepest_wall_penetration"] < 0.05
    open_all_the_time, _ = walk(wall(NEAR, FAR), frames=180)
    assert passed_at(open_all_the_time, NEAR) > passed_at(made, NEAR)
    again, _ = walk(obstacles, frames=70)  # the door has closed by then
    np.testing.assert_array_equal(again.position[:50], made.position[:50])  # smoothing looks 0.8 s ahead


def test_people_wait_before_a_door_and_pass_when_it_opens():
    made, report = walk([*wall(NEAR), sliding("Door", NEAR, shut=0, opened=150)], frames=900, count=16)
    before = made.frames <= 150
    assert np.nanmax(made.position[before, :, 0]) < 10.0
    speed = np.hypot(*np.moveaxis(made.velocity[(made.frames > 125) & before], -1, 0))
    assert np.nanmean(speed < 0.2) > 0.45  # they stand before it, but for a step now and then
    assert report["arrived"] == 16
    assert report["deepest_wall_penetration"] < 0.05
    assert made.notices == ()


def test_a_door_that_opens_saves_the_detour():
    far_only, _ = walk([*wall(NEAR, 11.0), sliding("Near door", NEAR, shut=0, opened=10_000)], frames=270, count=8)
    opening, report = walk([*wall(NEAR, 11.0), sliding("Near door", NEAR, shut=0, opened=60)])
    assert passed_at(far_only, 11.0) == 8
    assert passed_at(opening, NEAR) >= 8
    assert report["arrived"] == 12


def test_a_door_that_closes_for_good_is_named_with_its_gap():
    made, report = walk([*wall(NEAR), sliding("Only door", NEAR, shut=20, opened=10_000)], frames=220)
    assert report["arrived"] < 12
    told = next(notice for notice in made.notices if "have no route left" in notice)
    assert "'Only door' blocks the route at (1" in told or "'Only door' blocks the route at (9" in told
    assert "There is no route from" in told
    assert np.nanmax(np.where(made.arrived_frame < 0, made.position[-1, :, 0], 0.0)) < 10.0
    assert report["deepest_wall_penetration"] < 0.05


def test_a_door_left_ajar_is_reported_with_the_width_of_its_gap():
    ajar = sliding("Only door", NEAR + 0.4, shut=20, opened=10_000)  # leaves 0.4 m
    made, _ = walk([*wall(NEAR), ajar], frames=200, count=6)
    assert any("gap 0.39 m, needs 0.5" in notice for notice in made.notices)


@pytest.mark.parametrize("opened", sweep([10_000, 900], usual=1))
def test_people_who_wait_at_the_last_frame_are_reported(opened):
    made, report = walk([*wall(NEAR), sliding("Door", NEAR, shut=0, opened=opened)], frames=200, count=4)
    assert report["arrived"] == 0
    assert "People: 4 of 4 have no route from 'West' to 'East' and stay where they are." in made.notices[0]


def test_people_who_enter_later_know_the_doors_at_that_time():
    obstacles = [*wall(NEAR, FAR), sliding("Near door", NEAR, shut=40, opened=10_000)]
    made, report = walk(obstacles, frames=900, spawn=Spawn("flow", rate=1.5), arrival="stop")
    late = np.argmax(made.present, axis=0) > 60
    assert late.sum() > 6
    assert report["arrived"] == 12
    assert passed_at(made, FAR) >= late.sum()


def test_a_crowd_spreads_over_both_doors_and_few_people_all_take_the_near_one():
    few, _ = walk(wall(NEAR, FAR), frames=200, count=4)
    assert passed_at(few, FAR) == 0
    many, report = walk(wall(NEAR, FAR), frames=820, count=30)  # the slowest walks at 0.8 m/s
    assert 4 <= passed_at(many, FAR) <= 15
    assert report["arrived"] == 30
    # People walk round those who have arrived: 1.32 to 1.58 with nine seeds.
    assert report["time_ratio_mean"] < 1.6


def room_with_a_bar():
    """A slow walker whose way is barred by something that creeps through the room, so that a detour is needed."""
    bar = np.array([[-4.0, -0.5], [4, -0.5], [4, 0.5], [-4, 0.5]])
    frames, still = np.array([1.0, 30, 159]), np.zeros(3)
    creeping = Obstacle("Bar", bar, motion=Motion(frames, still + 5.0, np.array([0.6, 0.6, 7.6]), still))
    walls = tuple(np.array([[15.0, low], [15.0, high]]) for low, high in ((0, 2), (4, 6), (9, 10)))
    crowd = Crowd("Walker", agents=(Agent((3.0, 2.0), (28.0, 3.0), speed=0.5),))
    return creeping, walls, crowd


def test_a_door_may_close_while_somebody_is_on_a_detour():
    creeping, walls, crowd = room_with_a_bar()
    frames, still = np.array([1.0, 192, 200, 300]), np.zeros(4)
    leaf = np.array([[-0.2, -1.2], [0.2, -1.2], [0.2, 1.2], [-0.2, 1.2]])
    door = Obstacle("Door", leaf, motion=Motion(frames, still + 15.0, np.array([7.5, 7.5, 3, 3]), still))
    scene = Scene(
        frames=(1, 230),
        bounds=np.array([[0.0, 0], [30, 0], [30, 10], [0, 10]]),
        walls=walls,
        obstacles=(creeping, door),
        crowds=(crowd,),
    )
    simulation = Simulation(scene)
    detours, on_detour = simulation._pedestrians._guidance.detours, []
    while not simulation.done:
        simulation.step()
        if detours.on_detour[0]:
            on_detour.append(simulation.frame)
    assert on_detour[-1] >= 190  # until the door is known to close; then the other one is headed for
    assert simulation._pedestrians.agents.end[0] < 40.0


def test_a_door_that_swings_for_ever_is_not_remembered_for_ever():
    frames = np.arange(1.0, 400, 10)
    place = np.where(np.arange(len(frames)) // 2 % 2, 6.9, 5.0)
    leaf = np.array([[-0.1, -0.9], [0.1, -0.9], [0.1, 0.9], [-0.1, 0.9]])
    door = Obstacle("Door", leaf, motion=Motion(frames, 0 * frames + 10.0, place, 0 * frames))
    crowd = Crowd("Walker", agents=(Agent((1.0, 2.0), (8.0, 2.0)),))
    simulation = Simulation(Scene(frames=(1, 100), bounds=BOUNDS, obstacles=(door,), crowds=(crowd,)))
    rerouting = simulation._pedestrians._rerouting
    while not simulation.done:
        simulation.step()
    assert max(rerouting._states) >= 1
    assert len(rerouting._states) <= 2


@pytest.mark.parametrize(("open_first", "moves"), [(True, 70), (False, 90)], ids=["shuts", "opens"])
def test_nobody_foresees_that_a_door_will_move(open_first, moves):
    """What people do until it begins to move is the same as if it never did."""
    made = []
    for begin in (moves, 1000):
        y = np.array([1.9, 1.9, 0.0, 0.0] if open_first else [0.0, 0.0, 1.9, 1.9])
        frames, still = np.array([0.0, begin, begin + 15.0, 2000.0]), np.zeros(4)
        leaf = np.array([[-0.1, -0.9], [0.1, -0.9], [0.1, 0.9], [-0.1, 0.9]])
        door = Obstacle("Door", leaf, motion=Motion(frames, still + 10.0, NEAR + y, still))
        crowd = Crowd("People", count=8, start="West", goal="East")
        scene = Scene(
            frames=(1, 3000), bounds=BOUNDS, obstacles=(*wall(NEAR), door), areas=(WEST, EAST), crowds=(crowd,)
        )
        simulation = Simulation(scene)
        positions = []
        while simulation.frame < moves + 40:
            simulation.step()
            positions.append(simulation.agents.position.copy())
        made.append(np.array(positions))
    assert np.hypot(*(made[0][moves - 3] - (10.0, NEAR)).T).min() < 3.0  # somebody is before it
    np.testing.assert_array_equal(made[0][: moves - 2], made[1][: moves - 2])
    assert (made[0][-1] != made[1][-1]).any()
