# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds uphill and downhill."""

import json

import numpy as np
import pytest

from core import load_scene, simulate
from core.simulation.slopes import STAIRS_DOWN, STAIRS_UP, share_on_slope


def scene_of(tmp_path, slope, **crowd):
    """One person on a route of 60 m whose middle third has a slope."""
    rise = 20.0 * slope
    points = [[0, 0, 0], [20, 0, 0], [40, 0, rise], [60, 0, rise]]
    told = {"name": "Walker", "count": 1, "route": "Path", "speed": {"mean": 1.3, "sd": 0.0}, **crowd}
    data = {
        "footfall_scene": 1,
        "fps": 10,
        "frames": [1, 600],
        "routes": [{"name": "Path", "points": points, "closed": False, "width": 2.0}],
        "crowds": [told],
    }
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(data))
    return load_scene(path)


def mean_speed(trajectories, first, last):
    """Over the part of the route between two x [m/s]."""
    x = trajectories.position[:, 0, 0]
    inside = np.flatnonzero((x > first) & (x < last))
    return (x[inside[-1]] - x[inside[0]]) / (inside[-1] - inside[0]) * trajectories.fps


def test_shares_are_those_of_the_literature():
    # Tobler 1993: 6 km/h at -5 %, 5.04 on the level, 3.55 at +10 %
    assert share_on_slope(np.array([0.0, 0.1, -0.05])) == pytest.approx([1.0, 3.5495 / 5.0367, 6.0 / 5.0367], rel=1e-3)
    assert share_on_slope(np.array([0.55, -0.55])) == pytest.approx([STAIRS_UP, STAIRS_DOWN])


@pytest.mark.parametrize("slope", [0.1, 0.5, -0.3])
def test_people_slow_down_on_a_slope_and_speed_up_again(tmp_path, slope):
    done = simulate(scene_of(tmp_path, slope))
    level = mean_speed(done, 8.0, 18.0)
    share = float(share_on_slope(np.array([slope]))[0])
    assert mean_speed(done, 23.0, 38.0) / level == pytest.approx(share, rel=0.05)
    assert mean_speed(done, 44.0, 56.0) / level == pytest.approx(1.0, rel=0.03)


def test_a_crowd_may_mind_slopes_less_or_not_at_all(tmp_path):
    uphill = [
        mean_speed(simulate(scene_of(tmp_path, 0.3, slope_effect=effect)), 23.0, 38.0) for effect in (0.0, 0.5, 1.0)
    ]
    assert uphill[0] == pytest.approx(1.3, rel=0.03)
    assert uphill[1] == pytest.approx((uphill[0] + uphill[2]) / 2, rel=0.05)
