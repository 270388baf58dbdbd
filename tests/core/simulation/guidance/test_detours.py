# SPDX-License-Identifier: GPL-3.0-or-later
"""People who walk round a box that stands on their route return to it beyond the box."""

from __future__ import annotations

import numpy as np
import pytest

from core.scene import Crowd, Following, Obstacle, Route, Scene, Speed
from tests.core.simulation.runs import box
from tests.scenes.whole_walks import simulate_until, walk_to_the_end
from tests.sweeps import sweep


@pytest.mark.parametrize("seed", sweep([6, 3], usual=1))
def test_nobody_turns_back_into_the_lee_of_a_box_that_they_have_walked_round(seed):
    """Twenty people who start together on a path of 2 m width, on which a cube of 2 m stands."""
    path = Route("Path", np.column_stack([np.linspace(-12.0, 12.0, 33), np.full(33, 3.0), np.zeros(33)]), width=2.0)
    crowd, cube = Crowd("Crowd", count=20, route="Path"), Obstacle("Cube", box(0.0, 3.0, 1.0))
    scene = Scene(frames=(1, 600), seed=seed, obstacles=[cube], routes=[path], crowds=[crowd])
    walked = simulate_until(scene, lambda made: bool((made.agents.position[:, 0] > 2.0).all()))
    x = walked.position[:, :, 0]
    receded = (np.maximum.accumulate(x, axis=0) - x).max(axis=0)
    assert receded.max() <= 0.9, receded.round(2)
    assert (x[-1] > 2.0).all()


@pytest.mark.parametrize("beyond", sweep([0.6, 2.0, 1.0], usual=2))
def test_a_detour_to_the_end_of_a_line_ends_there(beyond):
    """The line ends so far behind a wall across the path [m]: people ended past the end."""
    line = np.array([[0.0, 0.0, 0.0], [8.0 + beyond, 0.0, 0.0]])
    loosely = Following(keep_to_line=0.0)
    crowd = Crowd("Walker", count=1, route="Line", speed=Speed(1.34, 0.0), radius=(0.24, 0.24), following=loosely)
    route, wall = Route("Line", line, width=2.0), Obstacle("Wall", box(7.5, 0.0, 0.5, 4.0))
    walked = walk_to_the_end(Scene(fps=20, frames=(1, 500), routes=(route,), crowds=(crowd,), obstacles=(wall,)))
    assert (walked.doing == walked.doing_names.index("on a detour")).any()
    assert walked.arrived_frame[0] > 0
    assert np.hypot(*(walked.position[-1, 0, :2] - line[-1, :2])) < 0.5
