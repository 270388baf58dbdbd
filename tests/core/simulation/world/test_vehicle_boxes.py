# SPDX-License-Identifier: GPL-3.0-or-later
"""The discs by which people who plan a way see vehicles."""

import numpy as np
import pytest

from core.geometry.boxes import Boxes
from core.simulation.world.vehicle_boxes import MovingBoxes


def discs_of(*sizes):
    """Discs of boxes (length, width) that stand along x, 100 m from each other."""
    length, width = np.array(sizes, dtype=float).T
    place = np.stack((100.0 * np.arange(len(sizes)), np.zeros(len(sizes))), axis=1)
    return MovingBoxes(Boxes.of(place, np.zeros(len(sizes)), length, width), np.zeros((len(sizes), 2))).discs()


@pytest.mark.parametrize(("length", "width"), [(4.5, 1.8), (5.9, 2.0), (12.0, 2.5)])
def test_discs_cover_a_vehicle_but_for_a_little_at_its_edge(length, width):
    discs = discs_of((length, width))
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, 41) * length, np.linspace(-0.5, 0.5, 21) * width)
    apart = np.hypot(x.ravel()[:, None] - discs.position[:, 0], y.ravel()[:, None] - discs.position[:, 1])
    assert (apart.min(axis=1) < discs.radius[0] + 0.4).all()
    assert (np.abs(discs.position) + discs.radius[:, None] <= (0.5 * length - 0.09, 0.5 * width - 0.09)).all()


def test_a_vehicle_has_as_many_discs_as_its_own_length_asks_for():
    alone, beside_a_bus = discs_of((1.8, 0.6)), discs_of((1.8, 0.6), (12.0, 2.5))
    assert np.count_nonzero(beside_a_bus.position[:, 0] < 50.0) == len(alone.radius)


@pytest.mark.parametrize(("length", "width"), [(4.5, 0.001), (3.0, 0.3), (1.0, 3.0), (0.1, 0.1), (0.1, 20.0)])
def test_thin_and_short_vehicles_have_few_discs_that_keep_within_their_ends(length, width):
    discs = discs_of((length, width))
    assert len(discs.radius) <= 2 * (1 + np.ceil(length / 0.15))
    assert (discs.radius > 0.0).all()
    assert (np.abs(discs.position[:, 0]) + discs.radius <= 0.5 * length).all()
