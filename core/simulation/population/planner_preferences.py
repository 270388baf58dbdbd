# SPDX-License-Identifier: GPL-3.0-or-later
"""From how a crowd is to follow its way to the limits and weights that its people plan with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...planning import PlannerPreferences, PlannerSettings
from ...scene import LEFT_SIDE, NO_SIDE, RIGHT_SIDE, Crowd

Float64 = NDArray[np.float64]

TIGHTNESS = 10.0
"""So many times as much is being off the line minded when it is kept tightly, and as little when loosely."""

LEISURE = 2.0
"""And so many times as long do those who keep to it loosely take to come back to it, and as short a time the others."""

EASE = 2.0
"""So many times as hard do people turn and brake who are in a hurry, and as softly those who take it easy."""

_SIDES = {LEFT_SIDE: 1.0, NO_SIDE: 0.0, RIGHT_SIDE: -1.0}


def preferences_of(crowds: Sequence[Crowd], crowd: NDArray[np.int64], settings: PlannerSettings) -> PlannerPreferences:
    """Return what everybody plans with.

    Args:
        crowds: of the scene.
        crowd: int64 (A,), whose people they are.
        settings: what stands for the middle of all scales.
    """
    own = [_of_crowd(each, PlannerPreferences.alike(settings, 1)) for each in crowds]
    together = PlannerPreferences(
        *(np.array([getattr(m, name)[0] for m in own], dtype=np.float64) for name in PlannerPreferences.__dataclass_fields__)
    )
    return together.rows(crowd)


def _of_crowd(crowd: Crowd, usual: PlannerPreferences) -> PlannerPreferences:
    """Return the manners of one, of this crowd."""
    following, weights = crowd.following, crowd.following.weights
    tightness = TIGHTNESS ** (2.0 * following.keep_to_line - 1.0)
    haste = EASE ** (1.0 - 2.0 * following.comfort)
    return replace(
        usual,
        lateral_acceleration=usual.lateral_acceleration * haste,
        max_acceleration=usual.max_acceleration * haste,
        max_deceleration=usual.max_deceleration * haste,
        comfortable_deceleration=usual.comfortable_deceleration * haste,
        off_line=usual.off_line * tightness * weights.k_offset * weights.k_lateral,
        clearance=usual.clearance * max(1.0, weights.k_obstacle),  # who has all the room they like minds nothing
        near_obstacle=usual.near_obstacle * weights.k_obstacle,
        slope=usual.slope * weights.k_jerk * weights.k_lateral,
        lateral_jerk=usual.lateral_jerk * weights.k_jerk * weights.k_lateral / haste,
        slowness=usual.slowness * weights.k_speed * weights.k_longitudinal,
        jerk=usual.jerk * weights.k_jerk * weights.k_longitudinal / haste,
        leisure=usual.leisure * LEISURE ** (1.0 - 2.0 * following.keep_to_line),
        side=usual.side + _SIDES[following.side],
    )
