# SPDX-License-Identifier: GPL-3.0-or-later
"""How far each person is with a visit: what `visits.py` and `departures.py` both read and change."""

from __future__ import annotations

import numpy as np

from ..world.agents import Agents
from .trips import Claim

NONE, GOING, THERE, TURNING, RETURNING = range(5)


class VisitStates:
    """How far each of A people is.

    Args:
        agents: all agents, at the start.

    Attributes:
        phase: int8 (A,): NONE, GOING, THERE, TURNING or RETURNING.
        next_phase: int8 (A,), the phase after turning.
        deadline: float64 (A,), until when they try to reach their stop or route; inf: as long as they like [s].
        led_to: float64 (A, 2), where their latest route ends [m].
        goal: float64 (A, 2), where they go after their last stop [m]; NaN on drawn routes.
        leaves: bool (A,), whether they disappear there.
        rejoin: float64 (A,), where they come back to their drawn route, along it [m].
        claims: the spot or queue of those who are at a stop or on the way to it, by the row.
        left: of those who turn to go on: what they leave, by the row.
    """

    def __init__(self, agents: Agents) -> None:
        count = len(agents)
        self.phase, self.next_phase = np.zeros(count, dtype=np.int8), np.zeros(count, dtype=np.int8)
        self.deadline, self.led_to = np.full(count, np.inf), np.full((count, 2), np.nan)
        self.goal, self.leaves, self.rejoin = agents.goal.copy(), agents.leaves.copy(), np.zeros(count)
        self.claims: dict[int, Claim] = {}
        self.left: dict[int, Claim] = {}
