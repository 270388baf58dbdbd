# SPDX-License-Identifier: GPL-3.0-or-later
"""All candidates of a planner, for display: each with its cost and the reason why it was not chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from .lateral_courses import CourseFault


class Reason(IntEnum):
    """Why a candidate is not the plan."""

    CHOSEN = 0
    """It is the plan."""
    COSTLIER = 1
    """It has no fault, but another one costs less."""
    NOT_NEEDED = 2
    """It is of a family that is tried only where the earlier ones have no clean course."""
    COLLIDES = 3
    """It runs into an obstacle."""
    OUTSIDE = 4
    """It leaves the free width beside the path."""
    TOO_SHARP = 5
    """It goes beyond the centre of a bend."""


_OF_FAULT = {
    CourseFault.COLLIDES: Reason.COLLIDES,
    CourseFault.OUTSIDE: Reason.OUTSIDE,
    CourseFault.TOO_SHARP: Reason.TOO_SHARP,
}


@dataclass(frozen=True, eq=False)
class Candidates:
    """M candidates of some agents.

    Attributes:
        agent: int64 (M,), the agent of each, by row of the input.
        points: float64 (M, K, 2), the courses, as far as the plan looks ahead [m].
        cost: float64 (M,), of the course and of the best speed profile along it.
        reason: int64 (M,), a `Reason` each.
        chosen: int64 (A,), the candidate that is each agent's plan.
    """

    agent: Int64
    points: Float64
    cost: Float64
    reason: Int64
    chosen: Int64


def find_reasons(fault: NDArray[np.int8], not_needed: Bool, chosen: Int64) -> Int64:
    """Return why candidates are not plans.

    Args:
        fault: int8 (M,), the fault of each.
        not_needed: bool (M,), which were not tried.
        chosen: int64 (A,), which are plans.

    Returns:
        int64 (M,), a `Reason` each.
    """
    reason = np.where(not_needed, int(Reason.NOT_NEEDED), int(Reason.COSTLIER))
    for found, why in _OF_FAULT.items():
        reason[fault == found] = why
    reason[chosen] = Reason.CHOSEN
    return reason
