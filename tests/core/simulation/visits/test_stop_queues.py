# SPDX-License-Identifier: GPL-3.0-or-later
"""How many people a queue has room for."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.simulation.visits.stop_queues import StopQueue

pytestmark = pytest.mark.once

AROUND = np.array([(-5.0, -5.0), (20.0, -5.0), (20.0, 5.0), (-5.0, 5.0)])
BOX = np.array([(4.0, -1.0), (5.0, -1.0), (5.0, 1.0), (4.0, 1.0)])


@pytest.mark.parametrize(
    ("room", "length", "obstacles", "bounds", "expected"),
    [
        (10, 1e3, [], AROUND, 10),  # as many as the stop gives
        (10, 3.0, [], AROUND, 4),  # as the line: at 0, 1, 2 and 3 m
        (10, 1e3, [(BOX, [])], AROUND, 4),  # as the ground before a box 4 m away: a body at 4 m would stand in it
        (10, 1e3, [], AROUND * [0.125, 1.0], 3),  # or before the edge of the bounds at 2.5 m
    ],
)
def test_a_queue_has_room_for_as_many_as_stop_line_and_free_ground_give(room, length, obstacles, bounds, expected):
    queue = StopQueue(np.array([(0.0, 0.0), (length, 0.0)]), 1.0)
    assert queue.capacity(room, 0.25, ObstacleField(obstacles), bounds) == expected
