# SPDX-License-Identifier: GPL-3.0-or-later
"""Actuation delay: bodies on wheels carry out each command after a delay, and decide from the predicted state.

A controller that uses the present state of such a body overshoots each turn. The commands that it has not carried out
yet are known, though: moved on by them, the body is where the next command takes effect.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...steering.body_limits import roll_towards
from ..world.agents import Agents


class BodyState(NamedTuple):
    """The state of N bodies: float64 (N, 2), (N, 2) and (N,) [m, m/s, rad]."""

    position: Float64
    velocity: Float64
    heading: Float64


class ActuationDelay:
    """The commands that A bodies have not carried out yet.

    Args:
        agents: all agents; their delays are rounded to whole steps.
        dt: length of a step [s].

    Attributes:
        dt: as given [s].
        delays: those that occur, in steps, without 0.
    """

    def __init__(self, agents: Agents, dt: float) -> None:
        self.dt = dt
        self._steps = np.round(agents.delay / dt).astype(np.int64)
        self._delayed = np.flatnonzero(self._steps)
        self.delays: list[int] = np.unique(self._steps[self._delayed]).tolist()
        self._slot = np.full(len(agents), -1)
        self._slot[self._delayed] = np.arange(len(self._delayed))
        self._commands = np.zeros((len(self._delayed), int(self._steps.max(initial=0)), 2))
        self._present = np.zeros(len(self._delayed), dtype=bool)

    def have_delay(self, rows: Int64, delay: int) -> Bool:
        """Return bool (R,), which of some agents have a delay of so many steps."""
        return self._steps[rows] == delay

    def add_newcomers(self, agents: Agents) -> None:
        """Let newcomers keep their velocity until they carry out their first commands."""
        if not len(self._delayed):
            return
        present = agents.present[self._delayed]
        new = present & ~self._present
        self._commands[new] = agents.velocity[self._delayed[new], None]
        self._present = present

    @contextmanager
    def predicted(
        self, agents: Agents, rows: Int64, limits: dict[str, Any], delay: int | None = None
    ) -> Generator[None]:
        """Set all agents to their predicted states after a delay, within the context.

        Args:
            agents: all agents.
            rows: int64 (R,), the people present.
            limits: of the bodies, numbers or arrays (R,), as arguments of `roll_towards`.
            delay: in steps; None: of each agent its own.
        """
        if not len(self._delayed):
            yield
            return
        now = BodyState(agents.position, agents.velocity, agents.heading)
        then = BodyState(*(values.copy() for values in now))
        steps = self._steps[rows] if delay is None else np.full(len(rows), delay)
        then.position[rows] += (steps * self.dt)[:, None] * now.velocity[rows]
        delayed = np.flatnonzero((self._steps[rows] > 0) & (steps > 0))
        for values, rolled in zip(then, self._rolled(now, rows, delayed, steps[delayed], limits), strict=True):
            values[rows[delayed]] = rolled
        agents.position, agents.velocity, agents.heading = then
        try:
            yield
        finally:
            agents.position, agents.velocity, agents.heading = now

    def _rolled(self, now: BodyState, rows: Int64, delayed: Int64, steps: Int64, limits: dict[str, Any]) -> BodyState:
        """Return the states of delayed bodies after some steps; their last command is repeated."""
        who = rows[delayed]
        limits = {name: values[delayed] if np.ndim(values) else values for name, values in limits.items()}
        position, velocity, heading = (values[who] for values in now)
        for step in range(int(steps.max(initial=0))):
            known = np.minimum(step, self._steps[who] - 1)
            rolled, turned = roll_towards(velocity, heading, self._commands[self._slot[who], known], **limits)
            moves = step < steps
            velocity, heading = np.where(moves[:, None], rolled, velocity), np.where(moves, turned, heading)
            position = np.where(moves[:, None], position + self.dt * velocity, position)
        return BodyState(position, velocity, heading)

    def exchange_commands(self, rows: Int64, wanted: Float64) -> Float64:
        """Store new commands and return those that are carried out now.

        Args:
            rows: int64 (R,), the people present.
            wanted: float64 (R, 2), the new commands: velocities [m/s].

        Returns:
            float64 (R, 2) [m/s]; of bodies without delay the new ones.
        """
        among = np.flatnonzero(self._slot[rows] >= 0) if len(self._delayed) else ()
        if not len(among):
            return wanted
        slots, carried_out = self._slot[rows[among]], wanted.copy()
        carried_out[among] = self._commands[slots, 0]
        self._commands[slots, :-1] = self._commands[slots, 1:]
        self._commands[slots, self._steps[rows[among]] - 1] = wanted[among]
        return carried_out
