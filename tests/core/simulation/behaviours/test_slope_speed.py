# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds uphill and downhill."""

import json

import numpy as np
import pytest

from core import load_scene, simulate
from core.errors import SceneError
from core.scene.file import save_scene
from core.scene.terrain import Terrain
from core.simulation.behaviours.slope_speed import share_on_slope
from core.simulation.settings.behaviour_settings import SlopeSpeedSettings

pytestmark = pytest.mark.once

SETTINGS = SlopeSpeedSettings()


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
    assert share_on_slope(np.array([0.0, 0.1, -0.05]), SETTINGS) == pytest.approx(
        [1.0, 3.5495 / 5.0367, 6.0 / 5.0367], rel=1e-3
    )
    assert share_on_slope(np.array([0.55, -0.55]), SETTINGS) == pytest.approx(
        [SETTINGS.stairs_up, SETTINGS.stairs_down]
    )


@pytest.mark.parametrize("slope", [0.1, 0.5, -0.3])
def test_people_slow_down_on_a_slope_and_speed_up_again(tmp_path, slope):
    done = simulate(scene_of(tmp_path, slope))
    level = mean_speed(done, 8.0, 18.0)
    share = float(share_on_slope(np.array([slope]), SETTINGS)[0])
    assert mean_speed(done, 23.0, 38.0) / level == pytest.approx(share, rel=0.05)
    assert mean_speed(done, 44.0, 56.0) / level == pytest.approx(1.0, rel=0.03)


def test_a_crowd_may_mind_slopes_less_or_not_at_all(tmp_path):
    uphill = [
        mean_speed(simulate(scene_of(tmp_path, 0.3, slope_effect=effect)), 23.0, 38.0) for effect in (0.0, 0.5, 1.0)
    ]
    assert uphill[0] == pytest.approx(1.3, rel=0.03)
    assert uphill[1] == pytest.approx((uphill[0] + uphill[2]) / 2, rel=0.05)


def hill_of(tmp_path, slope, *, down=False, effect=1.0, towards=(1.0, 0.0)):
    """One person from place to place over ground whose middle third rises along a direction, 20 m of 60 m."""
    x, y = np.meshgrid(np.arange(-70.0, 71.0), np.arange(-70.0, 71.0), indexing="ij")
    along = x * towards[0] + y * towards[1]
    heights = slope * np.clip(along - 20.0, 0.0, 20.0)
    places = [np.array([0.5, 0.5]), 59.5 * np.array(towards)]
    start, goal = places[::-1] if down else places
    square = np.array([[-0.4, -0.4], [0.4, -0.4], [0.4, 0.4], [-0.4, 0.4]])
    data = {
        "footfall_scene": 1,
        "fps": 10,
        "frames": [1, 600],
        "bounds": [[-70, -70], [70, -70], [70, 70], [-70, 70]],
        "areas": [{"name": name, "outline": (place + square).tolist()} for name, place in (("A", start), ("B", goal))],
        "terrain": {"corner": [-70, -70], "cell": 1, "heights": heights.tolist()},
        "crowds": [
            {
                "name": "One",
                "count": 1,
                "start": "A",
                "goal": "B",
                "speed": {"mean": 1.3, "sd": 0.0},
                "slope_effect": effect,
            }
        ],
    }
    path = tmp_path / "hill.json"
    path.write_text(json.dumps(data))
    return load_scene(path)


def speed_over(trajectories, towards, first, last):
    """Mean speed of somebody while the way along a direction is between two marks [m/s]."""
    along = trajectories.position[:, 0, :2] @ np.array(towards)
    inside = np.flatnonzero((along > first) & (along < last))
    return np.hypot(*trajectories.velocity[inside, 0].T).mean()


@pytest.mark.parametrize(("slope", "down", "towards"), [(0.1, False, (0.6, 0.8)), (0.3, True, (1.0, 0.0))])
def test_who_goes_from_place_to_place_slows_down_on_slopes_too(tmp_path, slope, down, towards):
    done = simulate(hill_of(tmp_path, slope, down=down, towards=towards))
    share = float(share_on_slope(np.array([-slope if down else slope]), SETTINGS)[0])
    level = speed_over(done, towards, 8.0, 18.0)
    assert level == pytest.approx(1.3, rel=0.03)
    assert speed_over(done, towards, 23.0, 37.0) / level == pytest.approx(share, rel=0.05)
    assert speed_over(done, towards, 44.0, 54.0) / level == pytest.approx(1.0, rel=0.03)


def test_places_are_as_far_apart_for_those_who_do_not_mind_slopes(tmp_path):
    first = simulate(hill_of(tmp_path, 0.3, effect=0.0))
    second = simulate(hill_of(tmp_path, 0.0))
    np.testing.assert_array_equal(first.position, second.position)


def test_heights_lie_on_the_planes_between_the_places_of_a_terrain():
    i, j = np.meshgrid(np.arange(5.0), np.arange(4.0), indexing="ij")
    terrain = Terrain((10.0, -2.0), 0.5, 1.0 + 0.3 * i - 0.2 * j)
    places = np.array([[10.0, -2.0], [10.6, -1.1], [12.0, -0.5], [99.0, -2.0], [11.0, -99.0]])
    np.testing.assert_allclose(terrain.height(places), [1.0, 1.0, 1.6, 2.2, 1.6], atol=1e-12)


@pytest.mark.parametrize(
    ("terrain", "place"),
    [
        ({"corner": [0, 0], "cell": 0, "heights": [[0, 0], [0, 0]]}, "terrain.cell"),
        ({"corner": [0], "cell": 1, "heights": [[0, 0], [0, 0]]}, "terrain.corner"),
        ({"corner": [0, 0], "cell": 1, "heights": [[0, 0], [0]]}, "terrain.heights"),
        ({"corner": [0, 0], "cell": 1, "heights": [[0, 0]]}, "terrain.heights"),
        ({"corner": [0, 0], "cell": 1, "heights": [[0, "high"], [0, 0]]}, "terrain.heights[0][1]"),
    ],
)
def test_a_faulty_terrain_is_refused_with_its_place(tmp_path, terrain, place):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"footfall_scene": 1, "terrain": terrain}))
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert [fault.place for fault in caught.value.faults] == [place]


def test_a_terrain_is_the_same_when_it_is_written_and_read_again(tmp_path):
    scene = hill_of(tmp_path, 0.25)
    save_scene(scene, tmp_path / "again.json")
    again = load_scene(tmp_path / "again.json").terrain
    assert (again.corner, again.cell) == ((-70.0, -70.0), 1.0)
    np.testing.assert_array_equal(again.heights, scene.terrain.heights)
