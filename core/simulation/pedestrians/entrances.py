# SPDX-License-Identifier: GPL-3.0-or-later
"""People enter the scene: all at once, one by one where there is room, or each at a time of their own.

Before the first frame they are moved out of walls, and those stand who would collide before they could brake.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import length, length2
from ...planning import ReferenceSet
from ...steering.neighbours import close_pairs
from ..settings import SimulationSettings
from ..world.agents import ARRIVED, OUTSIDE, WALKING, Agents
from ..world.environment import Environment

_TIME_TOLERANCE = 1e-9  # [s]


class Entrances:
    """The people who have not entered yet, for each crowd.

    Args:
        agents: all agents; those of a flow enter in the order of their times.
        flow: bool (C,), which crowds enter one by one.
        headway: float64 (C,), least time between two entries of a crowd [s].
        gap: free room that a person of a flow needs to enter, beyond both bodies [m].
    """

    def __init__(self, agents: Agents, flow: Bool, headway: Float64, gap: float) -> None:
        self._flow, self._gap = flow, gap
        self._headway = headway
        self._last_entry = np.full(len(flow), -np.inf)
        enters = np.isfinite(agents.entry_time)
        in_order = np.argsort(agents.entry_time, kind="stable")
        in_order = in_order[enters[in_order]]
        self._queue = [in_order[agents.crowd[in_order] == crowd] if flow[crowd] else None for crowd in range(len(flow))]
        self._entered = np.zeros(len(flow), dtype=np.int64)
        self._own_time = in_order[~flow[agents.crowd[in_order]] & (agents.entry_time[in_order] > 0.0)]

    def enter(self, agents: Agents, time: float, environment: Environment) -> Int64:
        """Let people of flows enter at a time [s], and all who start at the first frame; return rows, int64 (N,)."""
        together = (agents.status == OUTSIDE) & ~self._flow[agents.crowd] & (agents.entry_time <= 0.0)
        entering = [together.nonzero()[0]]
        agents.status[together] = WALKING
        for crowd, queue in enumerate(self._queue):
            if queue is None or self._entered[crowd] == len(queue):
                continue
            row = int(queue[self._entered[crowd]])
            due = max(agents.entry_time[row], self._last_entry[crowd] + self._headway[crowd])
            if time + _TIME_TOLERANCE >= due and self._has_room(agents, row, time, environment, self._gap):
                agents.status[row] = WALKING
                self._last_entry[crowd] = time
                self._entered[crowd] += 1
                entering.append(np.array([row]))
        return _settle(agents, np.concatenate(entering))

    def enter_at_own_time(self, agents: Agents, time: float, environment: Environment) -> Int64:
        """Let those enter whose own time has come [s], where there is room for their body; return rows, int64 (N,)."""
        entered: list[int] = []
        if not len(self._own_time):
            return np.zeros(0, dtype=np.int64)
        for row in self._own_time[agents.entry_time[self._own_time] <= time + _TIME_TOLERANCE].tolist():
            if self._has_room(agents, row, time, environment, 0.0):
                agents.status[row] = WALKING
                entered.append(row)
        self._own_time = self._own_time[~np.isin(self._own_time, entered)]
        return _settle(agents, np.array(entered, dtype=np.int64))

    @staticmethod
    def _has_room(agents: Agents, row: int, time: float, environment: Environment, gap: float) -> bool:
        """Return whether the place where an agent would enter is free, and a gap around the body [m]."""
        place, radius = agents.position[row], agents.radius[row]
        apart = agents.position[agents.present] - place
        distance = length(apart)
        if (distance < radius + agents.radius[agents.present] + gap).any():
            return False
        return bool(environment.is_free(place[None], float(radius), time)[0])


def _settle(agents: Agents, entered: Int64) -> Int64:
    """Return who has entered; people without a route stay where they are, and make room."""
    agents.status[entered[agents.refused[entered]]] = ARRIVED
    return entered


def move_out_of_walls(
    agents: Agents, rows: Int64, references: ReferenceSet, environment: Environment, least: float
) -> Int64:
    """Move people who were placed in an obstacle out of it before the first frame.

    Args:
        agents: all agents.
        rows: int64 (R,), the people present.
        references: the paths.
        environment: with the obstacles.
        least: people moved by no more than this keep their place on the path [m].

    Returns:
        int64 (M,), the people moved by more.
    """
    before = agents.position[rows]
    agents.position[rows] = environment.push_out(before, agents.radius[rows], 0.0)
    off2 = length2(agents.position[rows] - before)
    moved = rows[np.sqrt(off2) > least]
    path, position = agents.path[moved], agents.position[moved]
    agents.s[moved], agents.d[moved] = references.to_frenet(path, position, agents.s[moved])
    return moved


def stop_before_collisions(agents: Agents, rows: Int64, settings: SimulationSettings) -> None:
    """Let those of some people, int64 (R,), start from standing who would collide before they could brake."""
    position, velocity, radius = agents.position[rows], agents.velocity[rows], agents.radius[rows]
    speed = length(velocity)
    hardest = min(settings.max_deceleration, settings.grip)
    braking = 0.5 * speed * speed / hardest + speed * settings.longest_step
    first, second = close_pairs(position, radius + braking).T
    apart = position[second] - position[first]
    closing = ((velocity[second] - velocity[first]) * apart).sum(axis=1) < 0.0
    both = np.concatenate((first[closing], second[closing]))
    agents.velocity[rows[both]] = 0.0
