# SPDX-License-Identifier: GPL-3.0-or-later
"""Bends that cannot be taken at the asked speed are told of, with the place and the speed."""

import numpy as np
import pytest

from core.scene import Crowd, Following, Route, Scene, Speed
from core.simulation import simulate

pytestmark = pytest.mark.once


def notices(points, *, comfort=0.5, speed=1.34, closed=False):
    line = np.column_stack([np.array(points, dtype=float), np.zeros(len(points))])
    crowd = Crowd(
        "Walkers", count=2, route="Path", speed=Speed(speed, 0.0), following=Following(comfort=comfort, spread=0.0)
    )
    made = simulate(Scene(frames=(1, 2), routes=(Route("Path", line, closed),), crowds=(crowd,)))
    return tuple(told for told in made.notices if "not arrived at frame" not in told)  # two frames are too few


def test_corners_are_reported_with_the_sharpest_and_the_speed_there():
    (told,) = notices([(0, 0), (6, 0), (6, 6), (12, 6)])
    assert told.startswith("Walkers: slowed by 2 bends of 'Path', most at (")
    assert "from 1.34 to 0.7" in told


def test_a_single_bend_is_reported_with_its_place():
    (told,) = notices([(0, 0), (6, 0), (6, 6)])
    assert "slowed by a bend of 'Path', most at (" in told
    x, y = (float(number) for number in told.split("(")[1].split(")")[0].split(","))
    assert np.hypot(x - 6.0, y) < 0.4


@pytest.mark.parametrize("points", [[(0, 0), (20, 0)], [(4 * np.cos(a), 4 * np.sin(a)) for a in np.linspace(0, 3, 40)]])
def test_bends_that_can_be_walked_at_the_preferred_speed_are_not_reported(points):
    assert notices(points) == ()


def test_who_takes_it_easy_or_runs_is_slowed_where_others_are_not():
    gentle = [(2 * np.cos(a), 2 * np.sin(a)) for a in np.linspace(0, 3, 40)]
    assert notices(gentle) == ()
    assert len(notices(gentle, comfort=1.0, speed=2.0)) == 1
