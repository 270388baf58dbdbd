# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/pedestrians`: the step of people.

Unless a source is named, a value was chosen by trial on the example scenes.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class AvoidanceReasonSettings:
    """When and because of whom a person is recorded as avoiding somebody; without any effect on motion.

    Attributes:
        recorded_change: avoidance is recorded where it changes the preferred velocity by more than this [m/s].
        reach: people count whose bodies are nearer than this [m].
        time_horizon: a person counts whom the preferred velocity would touch within this time [s].
        clearance: room that bodies keep between them [m].
        cos_ahead: cosine of the angle to the preferred velocity within which somebody is ahead.
        held_up_share: with less than this share of the wanted speed, a person is held up.
    """

    recorded_change: float = 0.1
    reach: float = 1.5
    time_horizon: float = 1.0
    clearance: float = 0.04
    cos_ahead: float = 0.4
    held_up_share: float = 0.3


@dataclass(frozen=True)
class PedestrianSettings:
    """How the step of people is put together.

    Attributes:
        reported_displacement: people who are moved out of an obstacle by more than this at the start are reported [m].
        sidling_speed: below this speed people who make room do not turn towards where they step [m/s].
    """

    reported_displacement: float = 0.02
    sidling_speed: float = 0.4
    avoidance_reasons: AvoidanceReasonSettings = field(default_factory=AvoidanceReasonSettings)
