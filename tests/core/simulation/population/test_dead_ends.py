# SPDX-License-Identifier: GPL-3.0-or-later
"""A route that turns back on itself is cut short where the ground allows it."""

import numpy as np
import pytest

from core.geometry.reproducible_math import length
from core.simulation.population.personal_routes import without_dead_ends

pytestmark = pytest.mark.once

THERE_AND_BACK = np.array([(0.0, 0.0), (6.0, 0.0), (1.0, 0.2), (1.0, 4.0)])


class Post:
    """Distances to a round post."""

    def __init__(self, *centre):
        self._centre = np.array(centre)

    def signed_distance(self, points, at_most=np.inf):
        return np.minimum(length(points - self._centre) - 0.1, at_most)


def test_a_corner_at_which_a_route_turns_back_is_left_out():
    assert without_dead_ends(THERE_AND_BACK, 0.3, Post(9.0, 9.0)).tolist() == THERE_AND_BACK[[0, 2, 3]].tolist()


def test_no_corner_is_left_out_round_which_a_route_leads():
    assert without_dead_ends(THERE_AND_BACK, 0.3, Post(0.5, 0.4)) is THERE_AND_BACK
