# SPDX-License-Identifier: GPL-3.0-or-later
"""From the preferences of a crowd to the limits and weights with which its people plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...array_types import Int64
from ...geometry.reproducible_math import real_power
from ...planning import PlannerPreferences, PlannerSettings
from ...scene import LEFT_SIDE, NO_SIDE, RIGHT_SIDE, Crowd
from ..settings.population_settings import POPULATION, PreferenceSettings

_SIDES = {LEFT_SIDE: 1.0, NO_SIDE: 0.0, RIGHT_SIDE: -1.0}


def preferences_of(
    crowds: Sequence[Crowd],
    crowd: Int64,
    settings: PlannerSettings,
    scales: PreferenceSettings = POPULATION.preferences,
) -> PlannerPreferences:
    """Return what everybody plans with.

    Args:
        crowds: of the scene.
        crowd: int64 (A,), whose people they are.
        settings: the middle of all scales.
        scales: their ends.
    """
    own = [_of_crowd(each, PlannerPreferences.alike(settings, 1), scales) for each in crowds]
    together = PlannerPreferences(
        *(
            np.array([getattr(m, name)[0] for m in own], dtype=np.float64)
            for name in PlannerPreferences.__dataclass_fields__
        )
    )
    return together.rows(crowd)


def _of_crowd(crowd: Crowd, usual: PlannerPreferences, scales: PreferenceSettings) -> PlannerPreferences:
    """Return the preferences of one, of this crowd."""
    following, weights = crowd.following, crowd.following.weights
    tightness = float(real_power(scales.tightness, 2.0 * following.keep_to_line - 1.0))
    haste = float(real_power(scales.hurry, 1.0 - 2.0 * following.comfort))
    return_time = float(real_power(scales.return_time, 1.0 - 2.0 * following.keep_to_line))
    return replace(
        usual,
        lateral_acceleration=usual.lateral_acceleration * haste,
        max_acceleration=usual.max_acceleration * haste,
        max_deceleration=usual.max_deceleration * haste,
        comfortable_deceleration=usual.comfortable_deceleration * haste,
        off_line=usual.off_line * tightness * weights.k_offset * weights.k_lateral,
        # who has all the room they want keeps no distance
        clearance=usual.clearance * max(1.0, weights.k_obstacle) + crowd.reach,
        near_obstacle=usual.near_obstacle * weights.k_obstacle,
        slope=usual.slope * weights.k_jerk * weights.k_lateral,
        lateral_jerk=usual.lateral_jerk * weights.k_jerk * weights.k_lateral / haste,
        slowness=usual.slowness * weights.k_speed * weights.k_longitudinal,
        jerk=usual.jerk * weights.k_jerk * weights.k_longitudinal / haste,
        merge_time_factor=usual.merge_time_factor * return_time,
        side=usual.side + _SIDES[following.side],
    )
