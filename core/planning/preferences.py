# SPDX-License-Identifier: GPL-3.0-or-later
"""In what agents differ when they plan: how hard they turn and brake, and what they mind."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from .settings import PlannerSettings

Float64 = NDArray[np.float64]

LEFT, NO_SIDE, RIGHT = 1.0, 0.0, -1.0


@dataclass(frozen=True, eq=False)
class PlannerPreferences:
    """What of `PlannerSettings` each of A agents has of their own, float64 (A,) each under the same names.

    Attributes:
        lateral_acceleration, max_acceleration, max_deceleration, comfortable_deceleration: [m/s2].
        clearance: wanted between a body and what stands there [m].
        off_line, near_obstacle, slope, lateral_jerk, slowness, jerk: weights of costs.
        leisure: how many times as long as others they take to get over to their offset.
        side: on which side an obstacle is rather passed and the line rather left: LEFT, RIGHT or NO_SIDE.
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
    leisure: Float64
    side: Float64

    @classmethod
    def alike(cls, settings: PlannerSettings, count: int) -> PlannerPreferences:
        """The settings as they are for each of `count` agents, without leisure or a preferred side."""
        names = [field.name for field in fields(cls) if field.name not in {"leisure", "side"}]
        own = {name: np.full(count, getattr(settings, name)) for name in names}
        return cls(**own, leisure=np.ones(count), side=np.full(count, NO_SIDE))

    def rows(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> PlannerPreferences:
        """Those of these agents alone."""
        return PlannerPreferences(*(getattr(self, field.name)[rows] for field in fields(self)))
