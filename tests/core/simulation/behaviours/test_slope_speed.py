# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds uphill and downhill."""

import json

import numpy as np
import pytest

from core import load_scene, simulate
from core.errors import SceneError
from core.scene.basics.terrain import Terrain
from core.scene.file import save_scene
from core.simulation.behaviours.slope_speed import share_on_slope
from core.simulation.settings.behaviour_settings import SlopeSpeedSettings
from tests.scenes.whole_walks import simulate_until, walk_to_the_end
from tests.sweeps import sweep

pytestmark = pytest.mark.once

SETTINGS = SlopeSpeedSettings()


THIRD = 10.0  # [m] of level ground, of the slope, and of level ground again
APART = 60.0  # [m], so that nobody sees anybody


def mean_speeds(tmp_path, *walkers):
    """Mean speeds of people side by side, each with a slope and an effect of slopes: before, on, behind it [m/s]."""
    routes, crowds = [], []
    for number, (slope, effect) in enumerate(walkers):
        name, y, rise = f"Path {number}", APART * number, THIRD * slope
        points = [[0, y, 0], [THIRD, y, 0], [2 * THIRD, y, rise], [3 * THIRD, y, rise]]
        routes.append({"name": name, "points": points, "closed": False, "width": 2.0})
        speed = {"mean": 1.3, "sd": 0.0}
        crowds.append({"name": name, "count": 1, "route": name, "speed": speed, "slope_effect": effect})
    data = {"footfall_scene": 1, "fps": 24, "frames": [1, 1400], "routes": routes, "crowds": crowds}
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    made = simulate_until(load_scene(path), lambda made: bool((made.agents.s > 3 * THIRD - 2.0).all()))
    parts = ((3, 8), (13, 18), (23, 28))
    return [[mean_speed(made, number, *part) for part in parts] for number in range(len(walkers))]


def mean_speed(trajectories, number, first, last):
    """Of one person over the part of the route between two x [m/s]."""
    x = trajectories.position[:, number, 0]
    inside = np.flatnonzero((x > first) & (x < last))
    return (x[inside[-1]] - x[inside[0]]) / (inside[-1] - inside[0]) * trajectories.fps


def test_shares_are_those_of_the_literature():
    # Irmischer and Clarke 2018, men on paths: 1.096 m/s on the level, 0.992 at +10 %, 0.817 at +20 %, 1.110 at -5 %
    slopes = np.array([0.0, 0.1, 0.2, -0.05, -0.1])
    np.testing.assert_allclose(
        share_on_slope(slopes, SETTINGS), np.array([1.096, 0.992, 0.817, 1.110, 1.096]) / 1.096, atol=1e-3
    )
    # Weidmann 1993: 0.61 m/s up and 0.69 m/s down stairs, of 1.34 m/s; stairs rise by 50 % or more
    stairs = share_on_slope(np.array([0.5, 0.55, 0.7, -0.5, -0.55, -0.7]), SETTINGS)
    assert 1.34 * stairs == pytest.approx([0.61, 0.61, 0.61, 0.69, 0.69, 0.69])


def test_shares_change_steadily_and_steeper_ground_is_never_faster():
    slopes = np.linspace(0.0, 1.0, 201)
    for shares in (share_on_slope(slopes, SETTINGS), share_on_slope(-slopes[10:], SETTINGS)):
        assert (np.diff(shares) <= 0.0).all()
        assert np.diff(shares).min() > -0.02


def test_people_slow_down_on_a_slope_and_speed_up_again_each_as_far_as_the_crowd_minds_slopes(tmp_path):
    slopes = np.array([0.1, 0.5, -0.3])
    found = np.array(mean_speeds(tmp_path, *((slope, 1.0) for slope in slopes), (0.3, 0.0), (0.3, 0.5), (0.3, 1.0)))
    before, on, behind = found.T
    np.testing.assert_allclose((on / before)[:3], share_on_slope(slopes, SETTINGS), rtol=0.05)
    np.testing.assert_allclose(behind, before, rtol=0.03)
    unminded, half, minded = on[3:]
    assert unminded == pytest.approx(1.3, rel=0.03)
    assert half == pytest.approx((unminded + minded) / 2, rel=0.05)


def speeds_over_steps(tmp_path, treads, riser):
    """Speed of somebody who goes up steps 10 m ahead, at each way gone, float64 (2, F) [m, m/s]."""
    points = [[0.0, 0.0, 0.0]]
    for number in range(treads):
        edge = 10.0 + 0.29 * number
        points += [[edge - 0.01, 0.0, riser * number], [edge, 0.0, riser * (number + 1)]]
    points.append([30.0, 0.0, riser * treads])
    route = {"name": "Steps", "points": points, "closed": False, "width": 2.0}
    crowd = {"name": "One", "count": 1, "route": "Steps", "speed": {"mean": 1.34, "sd": 0.0}}
    data = {"footfall_scene": 1, "fps": 24, "frames": [1, 700], "routes": [route], "crowds": [crowd]}
    path = tmp_path / "steps.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    made = simulate_until(load_scene(path), lambda made: bool((made.agents.s > 25.0).all()))
    return made.position[:, 0, 0], np.hypot(*made.velocity[:, 0].T)


def test_who_climbs_stairs_slows_down_before_the_first_step_and_is_as_slow_on_each(tmp_path):
    """Of 17 over 29 cm, by their average slope: 0.61 m/s (Weidmann 1993)."""
    x, speed = speeds_over_steps(tmp_path, 16, 0.17)
    assert speed[x < 8.0][-1] == pytest.approx(1.34, rel=0.03)
    assert speed[x < 10.0][-1] < 0.9
    on = speed[(x > 11.0) & (x < 14.0)]
    assert on.mean() == pytest.approx(0.61, rel=0.05)
    assert np.ptp(on) < 0.05
    assert speed[x > 18.0].min() == pytest.approx(1.34, rel=0.05)


def test_a_single_kerb_slows_nobody_down(tmp_path):
    x, speed = speeds_over_steps(tmp_path, 1, 0.15)
    assert speed[(x > 5.0) & (x < 20.0)].min() > 0.97 * 1.34


def hill_of(tmp_path, slope, *, down=False, effect=1.0, towards=(1.0, 0.0), frames=900):
    """One person from place to place over ground whose middle third rises along a direction."""
    x, y = np.meshgrid(np.arange(-50.0, 51.0), np.arange(-50.0, 51.0), indexing="ij")
    along = x * towards[0] + y * towards[1]
    heights = slope * np.clip(along - THIRD, 0.0, THIRD)
    places = [np.array([0.5, 0.5]), (3 * THIRD - 0.5) * np.array(towards)]
    start, goal = places[::-1] if down else places
    square = np.array([[-0.4, -0.4], [0.4, -0.4], [0.4, 0.4], [-0.4, 0.4]])
    data = {
        "footfall_scene": 1,
        "fps": 24,
        "frames": [1, frames],
        "bounds": [[-50, -50], [50, -50], [50, 50], [-50, 50]],
        "areas": [{"name": name, "outline": (place + square).tolist()} for name, place in (("A", start), ("B", goal))],
        "terrain": {"corner": [-50, -50], "cell": 1, "heights": heights.tolist()},
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
    path.write_text(json.dumps(data), encoding="utf-8")
    return load_scene(path)


def speed_over(trajectories, towards, first, last):
    """Mean speed of somebody while the way along a direction is between two marks [m/s]."""
    along = trajectories.position[:, 0, :2] @ np.array(towards)
    inside = np.flatnonzero((along > first) & (along < last))
    return np.hypot(*trajectories.velocity[inside, 0].T).mean()


@pytest.mark.parametrize(
    ("slope", "down", "towards"),
    sweep([(0.3, True, (0.6, 0.8)), (0.1, False, (0.6, 0.8)), (0.3, True, (1.0, 0.0))], usual=1),
)
def test_who_goes_from_place_to_place_slows_down_on_slopes_too(tmp_path, slope, down, towards):
    done = walk_to_the_end(hill_of(tmp_path, slope, down=down, towards=towards))
    share = float(share_on_slope(np.array([-slope if down else slope]), SETTINGS)[0])
    level = speed_over(done, towards, 3.0, 8.0)
    assert level == pytest.approx(1.3, rel=0.03)
    assert speed_over(done, towards, 13.0, 18.0) / level == pytest.approx(share, rel=0.05)
    assert speed_over(done, towards, 23.0, 27.0) / level == pytest.approx(1.0, rel=0.03)


def test_places_are_as_far_apart_for_those_who_do_not_mind_slopes(tmp_path):
    first = simulate(hill_of(tmp_path, 0.3, effect=0.0, frames=280))
    second = simulate(hill_of(tmp_path, 0.0, frames=280))
    assert np.nanmax(first.position[..., 0]) > THIRD + 4.0
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
    path.write_text(json.dumps({"footfall_scene": 1, "terrain": terrain}), encoding="utf-8")
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert [fault.place for fault in caught.value.faults] == [place]


def test_a_terrain_is_the_same_when_it_is_written_and_read_again(tmp_path):
    scene = hill_of(tmp_path, 0.25)
    save_scene(scene, tmp_path / "again.json")
    again = load_scene(tmp_path / "again.json").terrain
    assert (again.corner, again.cell) == ((-50.0, -50.0), 1.0)
    np.testing.assert_array_equal(again.heights, scene.terrain.heights)
