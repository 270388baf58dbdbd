# SPDX-License-Identifier: GPL-3.0-or-later
"""Who comes into the scene now: all at once, or one by one where there is room."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..world.agents import ARRIVED, OUTSIDE, WALKING, Agents
from ..world.environment import Environment

ENTRY_ROOM = 0.2
"""Free room between somebody who enters and everybody else [m]."""


class Entrances:
    """The queues in front of the scene, one for each crowd that enters one by one.

    Args:
        agents: everybody; those of a flow wait in the order of their numbers.
        flow: bool (C,), which crowds enter one by one.
        headway: float64 (C,), least time between two entries of a crowd [s].
    """

    def __init__(self, agents: Agents, flow: NDArray[np.bool_], headway: NDArray[np.float64]) -> None:
        self._flow = flow
        self._headway = headway
        self._last_entry = np.full(len(flow), -np.inf)
        comes = np.isfinite(agents.entry_time)
        self._queue = [
            np.flatnonzero((agents.crowd == crowd) & comes) if flow[crowd] else None for crowd in range(len(flow))
        ]
        self._entered = np.zeros(len(flow), dtype=np.int64)

    def enter(self, agents: Agents, time: float, environment: Environment) -> NDArray[np.int64]:
        """Let in whoever may enter at a time, and return their rows."""
        together = (agents.status == OUTSIDE) & ~self._flow[agents.crowd] & (agents.entry_time <= time)
        entering = [np.flatnonzero(together)]
        agents.status[together] = WALKING
        for crowd, queue in enumerate(self._queue):
            if queue is None or self._entered[crowd] == len(queue):
                continue
            row = int(queue[self._entered[crowd]])
            due = max(agents.entry_time[row], self._last_entry[crowd] + self._headway[crowd])
            if time + 1e-9 >= due and _has_room(agents, row, time, environment):
                agents.status[row] = WALKING
                self._last_entry[crowd] = time
                self._entered[crowd] += 1
                entering.append(np.array([row]))
        entered = np.concatenate(entering)
        agents.status[entered[agents.refused[entered]]] = ARRIVED  # who has no way to go stays, and gives way
        return entered


def _has_room(agents: Agents, row: int, time: float, environment: Environment) -> bool:
    """Tell whether the place where somebody would enter is free."""
    place, radius = agents.position[row], agents.radius[row]
    apart = agents.position[agents.present] - place
    distance = np.sqrt((apart * apart).sum(axis=1))
    if (distance < radius + agents.radius[agents.present] + ENTRY_ROOM).any():
        return False
    return bool(environment.is_free(place[None], float(radius), time)[0])
