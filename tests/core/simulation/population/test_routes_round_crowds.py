# SPDX-License-Identifier: GPL-3.0-or-later
"""People go round crowds and narrow doors, unless they would have to go far or to turn back for it."""

import numpy as np
import pytest

from core.scene import Scene
from core.simulation.population.personal_routes import Travellers, find_routes
from core.simulation.world.environment import Environment

pytestmark = pytest.mark.once

BOUNDS = np.array([(-4.0, -12.0), (6.4, -12.0), (6.4, 10.0), (-4.0, 10.0)])
"""Round a corridor 2.4 m wide, from x = 0 to 2.4."""


def farthest_aside(starts, top, opening=1.3):
    """Return how far beside the corridor's axis the routes of 120 people lead out of it [m]."""
    half = 0.5 * opening
    ends = [(0.0, -4.0), (1.2 - half, -4.0)], [(2.4, -4.0), (1.2 + half, -4.0)]
    walls = tuple(np.array([(side, top), *line]) for side, line in zip((0.0, 2.4), ends, strict=True))
    ground = Environment(Scene(bounds=BOUNDS, walls=walls)).still_at(0.0)
    begins = np.column_stack([np.tile([0.3, 2.1], 60), np.full(120, starts)])
    ends = np.column_stack([np.full(120, 1.2), np.full(120, -9.0)])
    routes = find_routes(Travellers(begins, ends, np.full(120, 0.2), np.full(120, 0.5)), ground)
    return np.array([np.abs(line[:, 0] - 1.2).max() for line in routes.lines])


def test_nobody_turns_back_out_of_a_corridor_to_walk_round_the_crowd_in_it():
    assert (farthest_aside(starts=7.8, top=9.0) < 1.2).all()


def test_some_walk_round_the_corridor_who_need_not_turn_back():
    aside = farthest_aside(starts=3.0, top=1.5)
    assert (aside > 1.4).any()
    assert (aside < 1.2).any()


def test_a_door_with_little_room_beside_the_body_is_used_if_other_ways_lead_far_round():
    assert (farthest_aside(starts=7.8, top=9.0, opening=0.6) < 1.2).all()
    assert (farthest_aside(starts=0.0, top=9.0, opening=0.45) > 1.2).all()  # bodies are 0.4 m wide: too little
