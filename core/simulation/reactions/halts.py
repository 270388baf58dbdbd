# SPDX-License-Identifier: GPL-3.0-or-later
"""People who stop because of a trigger: where they stand until when, where they face, and what they do."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import arctan2
from ..world.activities import Activity
from ..world.agents import STOPPED, WALKING, Agents


class Halts:
    """People who stop because of a trigger, and until when.

    Args:
        count: A, how many agents there are.

    Attributes:
        until: float64 (A,), until when each stops [s]; infinite for those who do not.
        spot: float64 (A, 2), where those stand who have stopped walking [m]; NaN for others.
        some: whether anybody has stopped.
    """

    def __init__(self, count: int) -> None:
        self.until, self.spot, self.some = np.full(count, np.inf), np.full((count, 2), np.nan), False
        self._activity, self._gaze = np.zeros(count, dtype=np.int8), np.full((count, 3), np.nan)
        self._faces, self._faced_before = np.full(count, np.nan), np.full(count, np.nan)

    def begin(
        self, agents: Agents, rows: Int64, until: Float64, activity: int, target: Float64 | None, stopping: float
    ) -> None:
        """Let people stop.

        Args:
            agents: all agents.
            rows: int64 (R,), who.
            until: float64 (R,), until when [s].
            activity: what they do meanwhile.
            target: float64 (3,), to which they turn who do not sit [m]; None: they face as they do.
            stopping: they come to rest within about this time [s].
        """
        new = rows[np.isinf(self.until[rows])]
        self._faced_before[new], self._faces[new] = agents.faces[new], np.nan
        self.until[rows], self._activity[rows], self.some = until, activity, True
        self._gaze[rows] = np.nan if target is None else target
        walks = rows[agents.status[rows] == WALKING]
        self.spot[walks] = agents.position[walks] + 0.5 * stopping * agents.velocity[walks]
        agents.status[walks] = STOPPED
        if target is not None:
            turns = rows[np.isnan(agents.seat_height[rows])]
            off = target[:2] - agents.position[turns]
            agents.faces[turns] = self._faces[turns] = arctan2(off[:, 1], off[:, 0])

    def end(self, agents: Agents, rows: Int64) -> Int64:
        """Let people go on, and return those of them who walk again, int64 (N,)."""
        walks = rows[np.isfinite(self.spot[rows, 0])]
        halted = rows[np.isfinite(self.until[rows])]
        self.until[halted], self.spot[halted] = np.inf, np.nan
        self.some = bool(np.isfinite(self.until).any())
        agents.status[walks], agents.firm[walks] = WALKING, False
        back = halted[agents.faces[halted] == self._faces[halted]]  # the others have turned for their stop since
        agents.faces[back] = self._faced_before[back]
        agents.activity[halted], agents.gaze[halted] = Activity.NONE, np.nan
        return walks

    def over(self, time: float) -> Int64:
        """Return those who have stopped long enough at a time [s], int64 (N,)."""
        return np.flatnonzero(self.until <= time) if self.some else np.zeros(0, dtype=np.int64)

    def show(self, agents: Agents) -> None:
        """Set what people do who have stopped, unless they sit, and where they look."""
        rows = np.flatnonzero(np.isfinite(self.until) & agents.present)
        stand = rows[agents.activity[rows] != Activity.SIT]
        agents.activity[stand] = self._activity[stand]
        looks = rows[np.isfinite(self._gaze[rows, 0])]
        agents.gaze[looks] = self._gaze[looks]
