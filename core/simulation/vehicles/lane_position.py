# SPDX-License-Identifier: GPL-3.0-or-later
"""Where across its lane each vehicle drives: bicycles at the kerb, others so that they can pass where there is room."""

from __future__ import annotations

from collections.abc import Sequence

from ...scene import Crowd, Route
from ...scene.vehicle_kinds import BICYCLE
from ..settings.vehicle_settings import VEHICLES, LanePositionSettings


def outside_of(*, keep_left: bool) -> int:
    """The side of the kerb as seen by the driver: 1 left, -1 right."""
    return 1 if keep_left else -1


def inward_shift(
    crowd: Crowd, route: Route, crowds: Sequence[Crowd], settings: LanePositionSettings = VEHICLES.lane_position
) -> float:
    """How far from the middle of its lane a crowd drives, away from the kerb [m]; negative: towards it.

    Bicycles ride at the kerb. Others drive in the middle, unless there is but one lane that they share with bicycles:
    where it is wide enough to pass, they keep so far inside that they can.

    Args:
        crowd: of vehicles.
        route: that they follow.
        crowds: all crowds of vehicles on that route.
        settings: gaps beside bicycles.
    """
    half = 0.5 * (route.lane_width - crowd.width)
    if crowd.vehicle == BICYCLE:
        return -max(half - settings.kerb_gap, 0.0)
    bicycles = [other.width for other in crowds if other.vehicle == BICYCLE]
    if not bicycles or route.lanes > 1:
        return 0.0
    shift = settings.kerb_gap + max(bicycles) + settings.passing_gap - half
    return shift if 0.0 < shift <= half - settings.kerb_gap else 0.0
