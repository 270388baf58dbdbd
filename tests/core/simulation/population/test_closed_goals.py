# SPDX-License-Identifier: GPL-3.0-or-later
"""What closes the way to a place is named, with where it does, and when it would open."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from core.report import make_report
from core.scene import Agent, Area, Crowd, Motion, Obstacle, Scene
from core.simulation.simulation import Simulation

pytestmark = pytest.mark.once

BOUNDS = np.array([[-2.0, -5], [22, -5], [22, 5], [-2, 5]])
WEST, EAST = (
    Area("West", np.array([[0.0, -1], [2, -1], [2, 1], [0, 1]])),
    Area("East", np.array([[18.0, -1], [20, -1], [20, 1], [18, 1]])),
)


def box(x: float, y: float, half_x: float, half_y: float) -> np.ndarray:
    return np.array([[-half_x, -half_y], [half_x, -half_y], [half_x, half_y], [-half_x, half_y]]) + np.array([x, y])


def door(name: str, x: float, y: float, half: float, opens: float) -> Obstacle:
    motion = Motion(np.array([1.0, opens, opens + 24]), np.full(3, x), np.array([y, y, y + 20]), np.zeros(3))
    return Obstacle(name, box(0.0, 0.0, 0.1, half), motion=motion)


def told(obstacles: Iterable[Obstacle], last: int = 30, bounds: np.ndarray = BOUNDS) -> tuple[str, list[str]]:
    """The notice about those without a way, and the reasons in the lines of the report."""
    crowd = Crowd("People", count=10, start="West", goal="East")
    scene = Scene(frames=(1, last), areas=(WEST, EAST), obstacles=tuple(obstacles), bounds=bounds, crowds=(crowd,))
    simulation = Simulation(scene)
    while not simulation.done:
        simulation.step()
    made = simulation.result()
    events = make_report(made, scene, refused=simulation.refused)["events"]
    (notice,) = [each for each in made.notices if "have no route from" in each]
    return notice, [each["reason"] for each in events if each["kind"] == "refused"]


def test_what_closes_the_way_to_a_place_is_named_and_not_what_only_stands_on_the_line():
    notice, lines = told([Obstacle("Kiosk", box(6.0, 0.0, 1.0, 2.0)), Obstacle("Wall", box(12.0, 0.0, 0.2, 6.0))])
    assert "'Wall' blocks the route at (11.8, " in notice
    assert notice.endswith(". Move the obstacle.")
    (line,) = lines  # all ten are one line
    assert line.startswith("There is no route from (")
    assert "'Wall' blocks the route at (11.8, " in line
    assert "Kiosk" not in notice + line


def test_the_door_in_a_wall_is_named_with_the_frame_after_the_last_one_at_which_it_opens():
    walls = [Obstacle("South", box(12.0, -3.5, 0.1, 4.5)), Obstacle("North", box(12.0, 5.0, 0.1, 2.0))]
    notice, (line,) = told([*walls, door("Door", 12.0, 2.0, 1.2, opens=300)])
    for sentence in (notice, line):
        assert "'Door' blocks the route at (11.9, " in sentence
        assert " and opens only at frame 300, after the last frame." in sentence
        assert "South" not in sentence


def test_a_door_that_opens_in_time_is_not_what_closes_the_way():
    walls = [Obstacle("Wall", box(12.0, 0.0, 0.1, 6.0)), Obstacle("South", box(8.0, -4.0, 0.1, 3.0))]
    notice, _ = told(
        [*walls, Obstacle("North", box(8.0, 4.0, 0.1, 2.0)), door("Door", 8.0, 0.5, 1.6, opens=26)], last=60
    )
    assert "'Wall' blocks the route at (11.9, " in notice
    assert "'Door'" not in notice


def test_round_a_bend_of_the_bounds_it_is_still_the_wall_that_is_named():
    bounds = np.array([[-2.0, -5], [22, -5], [22, 5], [17, 5], [17, -2], [4, -2], [4, 5], [-2, 5]])
    notice, _ = told([Obstacle("Gate", box(10.0, -3.5, 0.2, 2.0))], bounds=bounds)
    assert "'Gate' blocks the route at (9.8, -" in notice


def test_those_who_are_closed_out_by_something_else_are_told_of_that():
    rooms = [Obstacle("One", box(12.0, 3.0, 2.0, 1.5), holes=(box(12.0, 3.0, 1.5, 1.0),))]
    rooms.append(Obstacle("Two", box(12.0, -3.0, 2.0, 1.5), holes=(box(12.0, -3.0, 1.5, 1.0),)))
    pair = [Agent(start=(0.0, y), goal=(12.0, y)) for y in (3.0, -3.0)]
    crowd = Crowd("Pair", count=2, agents=tuple(pair))
    simulation = Simulation(Scene(frames=(1, 3), obstacles=tuple(rooms), bounds=BOUNDS, crowds=(crowd,)))
    first, second = simulation.refused.values()
    assert "'One' blocks the route at (10.0, 3.0)." in first
    assert "'Two' blocks the route at (10.0, -3.0)." in second
