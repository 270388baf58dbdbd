# SPDX-License-Identifier: GPL-3.0-or-later
"""Straight lines that people walk without a map."""

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.routing import are_free, direct_clearance


@pytest.mark.parametrize("count", [30, 400])
def test_lines_are_free_where_their_clearance_suffices(count):
    rng = np.random.default_rng(3)
    corners = rng.uniform(0.0, 40.0, (15, 1, 2)) + np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [0.0, 2.0]])
    field = ObstacleField([(corner, []) for corner in corners])
    starts, goals = rng.uniform(-2.0, 42.0, (2, count, 2))
    goals = starts + rng.choice([0.02, 0.3, 1.0], (count, 1)) * (goals - starts)
    room = rng.uniform(0.1, 0.5, count)
    expected = direct_clearance(starts, goals, field) >= room
    assert expected.any()
    assert not expected.all()
    np.testing.assert_array_equal(are_free(starts, goals, room, field), expected)
    assert not len(are_free(starts[:0], goals[:0], room[:0], field))
