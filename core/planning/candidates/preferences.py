# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits and weights in which agents differ when they plan."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ...array_types import Bool, Float64, Int64
from .settings import PlannerSettings

LEFT, NO_SIDE, RIGHT = 1.0, 0.0, -1.0


@dataclass(frozen=True, eq=False)
class PlannerPreferences:
    """The settings of `PlannerSettings` that differ between A agents, float64 (A,) each under the same names.

    Attributes:
        lateral_acceleration, max_acceleration, max_deceleration, comfortable_deceleration: [m/s2].
        clearance: preferred distance between a body and an obstacle [m].
        off_line, near_obstacle, slope, lateral_jerk, slowness, jerk: weights of costs.
        merge_time_factor: multiple of the usual time to reach the preferred offset.
        side: preferred side for passing obstacles and leaving the line: LEFT, RIGHT or NO_SIDE.
    """

    lateral_acceleration: Float64
    max_acceleration: Float64
    max_deceleration: Float64
    comfortable_deceleration: Float64
    clearance: Float64
    off_line: Float64
    near_obstacle: Float64
    slope: Float64
    lateral_jerk: Float64
    slowness: Float64
    jerk: Float64
    merge_time_factor: Float64
    side: Float64

    @classmethod
    def alike(cls, settings: PlannerSettings, count: int) -> PlannerPreferences:
        """The settings as they are for each of `count` agents, with a merge time factor of 1 and no preferred side."""
        names = [field.name for field in fields(cls) if field.name not in {"merge_time_factor", "side"}]
        own = {name: np.full(count, getattr(settings, name)) for name in names}
        return cls(**own, merge_time_factor=np.ones(count), side=np.full(count, NO_SIDE))

    def rows(self, rows: Int64 | Bool) -> PlannerPreferences:
        """Those of these agents alone."""
        return PlannerPreferences(*(getattr(self, name)[rows] for name in _COLUMNS))


_COLUMNS = tuple(field.name for field in fields(PlannerPreferences))
