# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures that the tests of the simulation share."""

import numpy as np
import pytest


@pytest.fixture
def first_gap():
    """Least room between any two bodies at the first frame, pair by pair."""

    def measure(made):
        place, radius = made.position[0, :, :2], made.radius
        apart = np.linalg.norm(place[:, None] - place[None], axis=2) - radius[:, None] - radius[None]
        return apart[~np.eye(len(radius), dtype=bool)].min()

    return measure
