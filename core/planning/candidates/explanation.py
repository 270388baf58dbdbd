# SPDX-License-Identifier: GPL-3.0-or-later
"""What a planner had to choose from, to be looked at: every candidate with its cost and why it was not taken."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from .lateral_courses import CourseFault

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


class Reason(IntEnum):
    """Why a candidate is not the plan."""

    CHOSEN = 0
    """It is the plan."""
    COSTLIER = 1
    """Nothing wrong with it, but another one costs less."""
    SPARED = 2
    """It was not needed: of a family that is tried only where the ones before have no clean way."""
    COLLIDES = 3
    """It runs into something."""
    OUTSIDE = 4
    """It leaves the room beside the path."""
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
        agent: int64 (M,), whose each is, by row of what was asked.
        points: float64 (M, K, 2), the ways they take as far as is looked ahead [m].
        cost: float64 (M,), of the way and of the best speeds along it.
        reason: int64 (M,), a `Reason` each.
        chosen: int64 (A,), the candidate that is each agent's plan.
    """

    agent: Int64
    points: Float64
    cost: Float64
    reason: Int64
    chosen: Int64


def give_reasons(fault: NDArray[np.int8], spared: NDArray[np.bool_], chosen: Int64) -> Int64:
    """Tell why candidates are not plans.

    Args:
        fault: int8 (M,), what speaks against each.
        spared: bool (M,), which were not needed.
        chosen: int64 (A,), which are plans.

    Returns:
        int64 (M,), a `Reason` each.
    """
    reason = np.where(spared, int(Reason.SPARED), int(Reason.COSTLIER))
    for told, why in _OF_FAULT.items():
        reason[fault == told] = why
    reason[chosen] = Reason.CHOSEN
    return reason
