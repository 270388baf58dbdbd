# SPDX-License-Identifier: GPL-3.0-or-later
"""How people start, stop and turn, measured on evaluated bones: a foot is lifted, and set down where it shall stand."""

import numpy as np
import pytest

from .test_planted_feet import FPS, balls, on_a_way

HEADING = 0.4  # of `on_a_way`


def starts_and_stops():
    """Standing, walking and standing again: turn rate and speed, float64 (F,)."""
    seconds = np.arange(120) / FPS
    return 0.0 * seconds, np.clip(np.minimum(1.2 * (seconds - 0.5), 1.2 * (4.2 - seconds)), 0.0, 1.2)


def slips_back(places, heading):
    """How far each foot goes back over the ground at once, float64 (2,), of places (F, 2, 3) [m]."""
    ahead = places[..., :2] @ np.array([np.cos(heading), np.sin(heading)])
    return (np.maximum.accumulate(ahead, axis=0) - ahead).max(axis=0)


@pytest.mark.each_blender("actions are evaluated")
def test_no_foot_slips_back_at_the_first_step_or_the_last(make, stage):
    turn, speed = starts_and_stops()
    for places in balls(make, stage.bake(on_a_way(make, turn, speed)), len(speed)):
        assert slips_back(places, HEADING).max() < 0.025
