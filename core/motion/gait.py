# SPDX-License-Identifier: GPL-3.0-or-later
"""How far everybody has walked, which puts them where they are in their stride.

The stride advances with the distance, never with time: a foot that is planted in the clip is then planted on the
ground at any speed, and who stands still stands still.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.reproducible_math import heading_vector

Float64 = NDArray[np.float64]


def distance_walked(position: Float64, present: NDArray[np.bool_]) -> Float64:
    """Add up the way of each agent on the ground plan.

    Args:
        position: float64 (F, A, 2 or 3), places [m]; whatever stands where an agent is absent is ignored.
        present: bool (F, A).

    Returns:
        float64 (F, A): way since the agent's first present frame [m], 0 before it and held while absent. The gap
        between two stretches of presence counts as no way at all.
    """
    step = np.hypot(*np.moveaxis(np.diff(position[..., :2], axis=0), -1, 0))  # (F - 1, A)
    return _added_up(step, present)


def distance_ahead(position: Float64, heading: Float64, present: NDArray[np.bool_]) -> Float64:
    """Add up how far each agent goes where it faces: sideways is no way, and backwards is less than none.

    Args:
        position: float64 (F, A, 2 or 3), places [m]; whatever stands where an agent is absent is ignored.
        heading: float64 (F, A) [rad]; finite where an agent is absent, too.
        present: bool (F, A).

    Returns:
        float64 (F, A) [m], where `distance_walked` has the whole way.
    """
    step = np.diff(position[..., :2], axis=0)
    return _added_up((step * heading_vector(heading[1:])).sum(axis=-1), present)


def _added_up(step: Float64, present: NDArray[np.bool_]) -> Float64:
    walked = np.zeros(present.shape)
    walked[1:] = np.where(present[1:] & present[:-1], step, 0.0)
    return np.cumsum(walked, axis=0)
