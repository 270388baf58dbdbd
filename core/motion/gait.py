# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance that everybody has walked, which gives the phase of their stride.

The stride advances with the distance, never with time: a foot that is planted in the clip is then planted on the
ground at any speed, and people who stand do not move their feet.
"""

from __future__ import annotations

import numpy as np

from ..array_types import Bool, Float64
from ..geometry.reproducible_math import heading_vector


def distance_walked(position: Float64, present: Bool) -> Float64:
    """Sum up the horizontal distance of each agent.

    Args:
        position: float64 (F, A, 2 or 3), places [m]; values of absent agents are ignored.
        present: bool (F, A).

    Returns:
        float64 (F, A): distance since the agent's first present frame [m], 0 before it and held while absent. The gap
        between two periods of presence counts as no distance.
    """
    step = np.hypot(*np.moveaxis(np.diff(position[..., :2], axis=0), -1, 0))  # (F - 1, A)
    return _summed_up(step, present)


def distance_ahead(position: Float64, heading: Float64, present: Bool) -> Float64:
    """Sum up the distance of each agent along its heading: sideways counts 0, backwards is negative.

    Args:
        position: float64 (F, A, 2 or 3), places [m]; values of absent agents are ignored.
        heading: float64 (F, A) [rad]; finite for absent agents, too.
        present: bool (F, A).

    Returns:
        float64 (F, A) [m]; `distance_walked` is the full distance.
    """
    step = np.diff(position[..., :2], axis=0)
    return _summed_up((step * heading_vector(heading[1:])).sum(axis=-1), present)


def _summed_up(step: Float64, present: Bool) -> Float64:
    walked = np.zeros(present.shape)
    walked[1:] = np.where(present[1:] & present[:-1], step, 0.0)
    return np.cumsum(walked, axis=0)
