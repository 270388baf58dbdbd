# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/population`: who stands where at first, and which routes people take."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ClosedGoalSettings:
    """How closely it is examined what blocks the route to an unreachable goal; chosen for notices, not for motion.

    Attributes:
        sampling: spacing of the places on a route whose reachability is tested [m].
        max_places: so many of them at most; the spacing grows on longer routes.
        fine_sampling: spacing of the places behind the last reachable one [m].
        max_examined: so many unreachable goals are examined at most.
    """

    sampling: float = 0.25
    max_places: int = 400
    fine_sampling: float = 0.02
    max_examined: int = 12


@dataclass(frozen=True)
class PopulationSettings:
    """Who stands where at first, and which routes people take."""

    closed_goals: ClosedGoalSettings = field(default_factory=ClosedGoalSettings)
