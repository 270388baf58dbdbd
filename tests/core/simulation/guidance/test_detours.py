# SPDX-License-Identifier: GPL-3.0-or-later
"""People who walk round a box that stands on their route return to it beyond the box."""

from __future__ import annotations

import numpy as np
import pytest

from core.scene import Crowd, Obstacle, Route, Scene
from core.simulation import simulate
from tests.core.simulation.runs import box


@pytest.mark.parametrize("seed", [3, 6])
def test_nobody_turns_back_into_the_lee_of_a_box_that_they_have_walked_round(seed):
    """Twenty people who start together on a path of 2 m width, on which a cube of 2 m stands."""
    path = Route("Path", np.column_stack([np.linspace(-12.0, 12.0, 33), np.full(33, 3.0), np.zeros(33)]), width=2.0)
    crowd, cube = Crowd("Crowd", count=20, route="Path"), Obstacle("Cube", box(0.0, 3.0, 1.0))
    walked = simulate(Scene(frames=(1, 600), seed=seed, obstacles=[cube], routes=[path], crowds=[crowd]))
    x = walked.position[:, :, 0]
    receded = (np.maximum.accumulate(x, axis=0) - x).max(axis=0)
    assert receded.max() <= 0.9, receded.round(2)
    assert (x[-1] > 2.0).all()
