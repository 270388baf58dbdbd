# SPDX-License-Identifier: GPL-3.0-or-later
"""People who walk in opposite directions and block each other: where, since when, and how they get free.

Where streams meet in a wide place, pairs of people can stand face to face, each waiting for the other. After a while
the one of them who goes first insists, and both avoid others as ORCA does, in which everybody makes room: people who
look for a free heading find none there. Where the place is narrow, one side waits at a time (`narrow_passages.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import dot, length, length2
from ..settings.behaviour_settings import JamSettings
from ..world.agents import WALKING, Agents
from .behaviour import Step
from .door_queues import DoorQueues

JAM = "people block each other at"
"""How a notice about a jam continues after the number of people."""


class Blocked(NamedTuple):
    """Pairs of people who block each other: `one` and `other` int64 (P,), `way` float64 (P, 2), that of one of them."""

    one: Int64
    other: Int64
    way: Float64


class Jams:
    """Finds who block each other, and lets one of two insist.

    Args:
        count: A, how many agents there are.
        settings: who block each other, and for how long they bear it.
        door_queues: who queue at the same door do not block each other; None for nobody.

    Attributes:
        pairs: who block each other now, as agents.
        regulated: bool (A,), who takes turns at a narrow passage, where nobody needs to insist.
        since: float64 (A,), from when on each has been blocked; infinite for those who are not [s].
    """

    def __init__(self, count: int, settings: JamSettings, door_queues: DoorQueues | None = None) -> None:
        self.settings, self._door_queues = settings, door_queues
        nobody = np.zeros(0, dtype=np.int64)
        self.pairs = Blocked(nobody, nobody, np.zeros((0, 2)))
        self.since = np.full(count, np.inf)
        self.regulated = np.zeros(count, dtype=bool)
        self._jammed_until, self._insists_until = np.full(count, -np.inf), np.full(count, -np.inf)

    def act(self, step: Step) -> None:
        """Find who block each other, and set who of them is jammed and who insists."""
        rows, time, first = step.rows, step.time, step.agents.precedence
        self.pairs = self._find_pairs(step)
        one, other, _ = self.pairs
        since = np.full(len(first), np.inf)
        if len(one):
            both = np.concatenate([one, other])
            since[both] = np.minimum(self.since[both], time)
            self._let_insist(one, other, since, first, time)
        self.since = since
        step.jammed |= time < self._jammed_until[rows]
        step.insists |= time < self._insists_until[rows]

    def _let_insist(self, one: Int64, other: Int64, since: Float64, first: Float64, time: float) -> None:
        """Note who of pairs of people, int64 (P,) each, is jammed for a while now, and who of them insists.

        Args:
            one: of each pair.
            other: the other of each pair.
            since: float64 (A,), from when on each has been blocked [s].
            first: float64 (A,), the precedence of each.
            time: now [s].
        """
        settings = self.settings
        long = np.minimum(since[one], since[other]) <= time - settings.patience
        long &= ~(self.regulated[one] | self.regulated[other])
        insists = np.zeros(len(first), dtype=bool)
        insists[one[long]] = insists[other[long]] = True
        self._jammed_until[insists] = time + settings.insistence
        insists[np.where(first[one] < first[other], one, other)] = False
        self._insists_until[insists] = time + settings.insistence

    def _find_pairs(self, step: Step) -> Blocked:
        """Return who stand in front of each other and want to walk in opposite directions."""
        agents, rows, preferred, settings = step.agents, step.rows, step.preferred, self.settings
        speed = length(preferred)
        slow = length2(agents.velocity.take(rows, 0)) < settings.standing_speed**2
        held = slow & (agents.status[rows] == WALKING) & (speed > 0.0) & agents.avoids[rows]
        if np.count_nonzero(held) < 2:
            return Blocked(rows[:0], rows[:0], np.zeros((0, 2)))
        first, second = step.around.near.within(agents.radius[rows] + 0.5 * settings.blocking_distance)
        held_up = held[first] & held[second]
        first, second = first[held_up], second[held_up]
        way, way_back = preferred[first] / speed[first, None], preferred[second] / speed[second, None]
        gap = agents.position.take(rows[second], 0) - agents.position.take(rows[first], 0)
        against = dot(way, way_back) < settings.cos_opposite
        against &= dot(gap, way - way_back) > 0.0
        if self._door_queues is not None:  # who queue at one door take turns there
            door = self._door_queues.door[rows]
            against &= (door[first] != door[second]) | (door[first] < 0)
        return Blocked(rows[first[against]], rows[second[against]], (way - way_back)[against])

    def report(
        self,
        agents: Agents,
        time: float,
        frame: Callable[[float], int],
        closed_until: Callable[[Float64, float], float],
    ) -> list[str]:
        """Return notices about people who block each other for long, one for each place.

        Args:
            agents: all agents.
            time: now [s].
            frame: returns the frame at a time [s].
            closed_until: returns until when, from a time on, a moving obstacle was at one of some places [m, s].
        """
        held = np.flatnonzero(time - self.since >= self.settings.reported_after)
        held = held[np.argsort(self.since[held], kind="stable")]
        notices = []
        while len(held):
            off = agents.position[held] - agents.position[held[0]]
            here = length2(off) < self.settings.reported_reach**2
            places = agents.position[held[here]]
            x, y = places.mean(axis=0)
            count = np.count_nonzero(here)
            who = f"{count} {JAM}" if count > 1 else "one person is blocked by others at"
            between = 0.5 * (places[:, None] + places[None])  # their positions, and the middle between each two
            since = frame(closed_until(between.reshape(-1, 2), float(self.since[held[0]])))
            way_out = "Widen the place, or let one side start later."
            notices.append(f"{who} ({x:.1f}, {y:.1f}) from frame {since} on. {way_out}")
            held = held[~here]
        return notices
