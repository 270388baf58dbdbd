# SPDX-License-Identifier: GPL-3.0-or-later
"""People enter the scene: all at once, or one by one where there is room."""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ..world.agents import ARRIVED, OUTSIDE, WALKING, Agents
from ..world.environment import Environment


class Entrances:
    """The people who have not entered yet, for each crowd.

    Args:
        agents: all agents; those of a flow enter in the order of their numbers.
        flow: bool (C,), which crowds enter one by one.
        headway: float64 (C,), least time between two entries of a crowd [s].
        gap: free room that a person needs to enter, beyond both bodies [m].
    """

    def __init__(self, agents: Agents, flow: Bool, headway: Float64, gap: float) -> None:
        self._flow, self._gap = flow, gap
        self._headway = headway
        self._last_entry = np.full(len(flow), -np.inf)
        enters = np.isfinite(agents.entry_time)
        self._queue = [
            np.flatnonzero((agents.crowd == crowd) & enters) if flow[crowd] else None for crowd in range(len(flow))
        ]
        self._entered = np.zeros(len(flow), dtype=np.int64)

    def enter(self, agents: Agents, time: float, environment: Environment) -> Int64:
        """Let people enter at a time [s], and return their rows, int64 (N,)."""
        together = (agents.status == OUTSIDE) & ~self._flow[agents.crowd] & (agents.entry_time <= time)
        entering = [np.flatnonzero(together)]
        agents.status[together] = WALKING
        for crowd, queue in enumerate(self._queue):
            if queue is None or self._entered[crowd] == len(queue):
                continue
            row = int(queue[self._entered[crowd]])
            due = max(agents.entry_time[row], self._last_entry[crowd] + self._headway[crowd])
            if time + 1e-9 >= due and self._has_room(agents, row, time, environment):
                agents.status[row] = WALKING
                self._last_entry[crowd] = time
                self._entered[crowd] += 1
                entering.append(np.array([row]))
        entered = np.concatenate(entering)
        agents.status[entered[agents.refused[entered]]] = ARRIVED  # people without a route stay, and make room
        return entered

    def _has_room(self, agents: Agents, row: int, time: float, environment: Environment) -> bool:
        """Return whether the place where an agent would enter is free."""
        place, radius = agents.position[row], agents.radius[row]
        apart = agents.position[agents.present] - place
        distance = np.sqrt((apart * apart).sum(axis=1))
        if (distance < radius + agents.radius[agents.present] + self._gap).any():
            return False
        return bool(environment.is_free(place[None], float(radius), time)[0])
