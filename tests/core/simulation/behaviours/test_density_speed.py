# SPDX-License-Identifier: GPL-3.0-or-later
"""People walk more slowly the denser the crowd ahead that goes their way."""

import numpy as np
import pytest

from core import simulate
from core.scene import Area, Crowd, Scene, Speed
from core.simulation.behaviours.density_speed import crowd_ahead, share_of_speed
from core.simulation.settings.behaviour_settings import DensitySpeedSettings
from core.steering.neighbours import NearPairs
from tests.scenes.crowd_figures import weidmann
from tests.scenes.crowd_scenes import block, box, closed_loop
from tests.sweeps import sweep

pytestmark = pytest.mark.once

ALONE = np.array([-1, -1])
SETTINGS = DensitySpeedSettings()


def crowd_of(place, *of):
    return crowd_ahead(place, NearPairs(place, len(place), 0.0), *of, SETTINGS)


def density_ahead(*of):
    return crowd_of(*of)[0]


@pytest.mark.parametrize("density", sweep([2.0, 1.0], usual=1))
def test_streams_walk_as_fast_as_recorded_ones(density):
    made = simulate(closed_loop(density, length=14.0, seconds=10.0).scene)
    speed = np.hypot(*made.velocity[int(6 * made.fps) :].T)
    assert speed.mean() == pytest.approx(weidmann(density), rel=0.25)


def test_who_finds_gaps_walks_in_a_stream_as_fast_as_recorded_people():
    walls = (block(-1.0, -2.0, 30.0, -1.0), block(-1.0, 1.0, 30.0, 2.0))
    areas = (Area("West", box(0.0, -1.0, 6.0, 1.0)), Area("East", box(24.0, -1.0, 28.0, 1.0)))
    crowd = Crowd("Crowd", count=20, start="West", goal="East", speed=Speed(1.34, 0.0), avoidance="human_like")
    made = simulate(Scene(frames=(1, 120), obstacles=walls, areas=areas, crowds=(crowd,)))
    x = made.position[72, :, 0]
    behind = np.argsort(x)[:10]  # those in front have nobody ahead
    speed = np.hypot(*made.velocity[72:, behind].T)
    assert speed.mean() == pytest.approx(weidmann(len(x) / (2.0 * np.ptp(x))), rel=0.15)


def test_an_even_crowd_has_the_density_it_has():
    side = np.arange(-3.0, 3.0, 0.15)
    place = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    everybody = density_ahead(place, np.tile((0.6, 0.8), (len(place), 1)), np.full(len(place), -1))
    middle = np.abs(place).max(axis=1) < 0.9
    assert everybody[middle] == pytest.approx(1.0 / 0.15**2, rel=0.03)


def test_people_behind_or_with_another_direction_do_not_count():
    place = np.array([(0.0, 0.0), (1.0, 0.0)])
    ahead = density_ahead(place, np.array([(1.0, 0.0), (1.0, 0.0)]), ALONE)
    assert ahead[0] > 0.5
    assert ahead[1] == 0.0
    for other in ((-1.0, 0.0), (0.0, 1.0), (0.0, 0.0)):
        assert not density_ahead(place, np.array([(1.0, 0.0), other]), ALONE).any()


def test_friends_do_not_count_but_strangers_who_are_in_groups_do():
    place, way = np.array([(0.0, 0.0), (1.0, 0.0)]), np.tile((1.0, 0.0), (2, 1))
    assert not density_ahead(place, way, np.array([3, 3])).any()
    assert density_ahead(place, way, np.array([3, 4]))[0] == density_ahead(place, way, ALONE)[0] > 0.5


def test_the_density_is_continuous():
    way = np.tile((1.0, 0.0), (2, 1))
    x = np.linspace(-0.5, SETTINGS.reach + 0.5, 601)
    for beside in (0.0, 0.3, 0.7):
        density = np.array([density_ahead(np.array([(0.0, 0.0), (each, beside)]), way, ALONE)[0] for each in x])
        assert np.abs(np.diff(density)).max() < 0.02
        assert density[0] == density[-1] == 0.0


def test_speed_falls_with_density_down_to_that_of_a_throng():
    share = share_of_speed(np.linspace(0.0, 6.0, 61), SETTINGS)
    assert share[0] == pytest.approx(1.0)
    assert (np.diff(share) <= 0.0).all()
    assert share[-1] == pytest.approx(weidmann(SETTINGS.greatest_density) / 1.34)


def test_who_counts_most_is_in_the_middle_of_the_ellipse():
    place = np.array([(0.0, 0.0), (1.0, 0.0), (1.8, 0.3), (-1.0, 0.0)])
    _, most = crowd_of(place, np.tile((1.0, 0.0), (4, 1)), np.full(4, -1))
    assert most.tolist() == [1, 2, -1, 0]
