# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of density: the number of people is kept, places and heights are right."""

import numpy as np
import pytest

from core.report.density_map import density_at, greatest_density, mean_density
from core.report.report_settings import DensitySettings

RADIUS = DensitySettings().radius
PEAK = 3.0 / (np.pi * RADIUS**2)  # of one person, by the kernel


def people(map_):
    return map_.density.sum() * map_.cell**2


def test_the_integral_is_the_number_of_people():
    rng = np.random.default_rng(7)
    position = np.column_stack([rng.uniform(-30.0, 40.0, (300, 2)), np.zeros(300)])
    position[::3] = np.nan
    assert people(density_at(position)) == pytest.approx(200.0, rel=0.01)


def test_one_person_is_a_bump_where_they_stand_at_their_height():
    found = density_at(np.array([[3.0, -2.0, 1.5]]))
    row, column = np.unravel_index(np.argmax(found.density), found.density.shape)
    assert found.origin + np.array([column, row]) * found.cell == pytest.approx([3.0, -2.0])
    assert found.density.max() == pytest.approx(PEAK)
    assert found.height[found.density > 0.0] == pytest.approx(1.5)


def test_a_lattice_of_one_to_the_square_metre_has_that_density_inside():
    across = np.arange(20.0)
    position = np.stack([*np.meshgrid(across, across), np.zeros((20, 20))], axis=-1).reshape(-1, 3)
    found = density_at(position)
    inside = found.density[10:-10, 10:-10]
    assert inside == pytest.approx(1.0, abs=0.05)


def test_over_time_the_mean_and_the_most():
    there, gone = [[0.0, 0.0, 0.0]], [[np.nan] * 3]
    position = np.array([there, there, gone, gone])
    assert mean_density(position).density.max() == pytest.approx(PEAK / 2)
    assert greatest_density(position).density.max() == pytest.approx(PEAK)


def test_the_mean_is_that_of_the_moments():
    rng = np.random.default_rng(3)
    position = np.concatenate([rng.uniform(0.0, 9.0, (12, 40, 2)), np.ones((12, 40, 1))], axis=2)
    alone = [people(density_at(row)) for row in position]
    assert people(mean_density(position)) == pytest.approx(np.mean(alone), rel=0.01)


@pytest.mark.parametrize("measure", [density_at, lambda none: mean_density(none[None])])
def test_nobody_is_an_empty_map(measure):
    assert not measure(np.full((4, 3), np.nan)).density.any()
