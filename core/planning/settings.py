# SPDX-License-Identifier: GPL-3.0-or-later
"""What a planner is told once, for everybody."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlannerSettings:
    """How plans are made and judged.

    Attributes:
        look_ahead_time: plans reach this far ahead at the wanted speed [s].
        least_look_ahead: and at least this far [m].
        lateral_acceleration: borne in bends without slowing down [m/s2].
        max_acceleration: [m/s2].
        max_deceleration: [m/s2].
        comfortable_deceleration: with which bends, stops and obstacles are approached [m/s2].
        clearance: wanted between a body and what stands there [m].
        least_clearance: without which a way counts as closed [m].
        off_line: cost of being off the wanted offset.
        off_width: cost of leaving the width of the path, to pass what stands in the way.
        near_obstacle: cost of having less than the wanted clearance.
        closed_way: cost of a way that ends at something.
        slope: cost of crossing the line at an angle, on the way round something.
        lateral_jerk: cost of jerk across the line.
        slowness: cost of another speed than the wanted one.
        jerk: cost of jerk along the line.
        excess: cost of breaking a limit of speed or acceleration.
    """

    look_ahead_time: float = 3.0
    least_look_ahead: float = 2.5
    lateral_acceleration: float = 1.7
    max_acceleration: float = 1.8
    max_deceleration: float = 2.0
    comfortable_deceleration: float = 1.2
    clearance: float = 0.08
    least_clearance: float = 0.02
    off_line: float = 10.0
    off_width: float = 6.0
    near_obstacle: float = 100.0
    closed_way: float = 200.0
    slope: float = 20.0
    lateral_jerk: float = 0.01
    slowness: float = 1.0
    jerk: float = 0.04
    excess: float = 200.0
