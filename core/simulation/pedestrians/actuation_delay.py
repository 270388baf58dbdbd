# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies on wheels that carry out each command late, and decide from where they will be by then.

Whoever steers such a body by where it is steers it by the past, and it overshoots each turn. What it was told before
is known, though: rolled on through those commands it is where the next one takes effect.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...steering.body_limits import roll_towards
from ..world.agents import Agents

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]


class BodyState(NamedTuple):
    """How bodies stand and move: float64 (N, 2), (N, 2) and (N,) [m, m/s, rad]."""

    position: Float64
    velocity: Float64
    heading: Float64


class LateBodies:
    """The commands on their way to A bodies.

    Args:
        agents: everybody; the `delay` of each is rounded to whole steps.
        dt: length of a step [s].
    """

    def __init__(self, agents: Agents, dt: float) -> None:
        self._dt = dt
        self._steps = np.round(agents.delay / dt).astype(np.int64)
        self._late = np.flatnonzero(self._steps)
        self._slot = np.full(len(agents), -1)
        self._slot[self._late] = np.arange(len(self._late))
        self._under_way = np.zeros((len(self._late), int(self._steps.max(initial=0)), 2))
        self._here = np.zeros(len(self._late), dtype=bool)

    @property
    def delays(self) -> list[int]:
        """The different delays there are, in steps, without 0."""
        return np.unique(self._steps[self._late]).tolist()

    def of(self, rows: Int64, delay: int) -> Bool:
        """Bool (R,), who among some agents is late by so many steps."""
        return self._steps[rows] == delay

    def begin(self, agents: Agents) -> None:
        """Let newcomers go on as they go until their first commands arrive."""
        here = agents.present[self._late]
        new = here & ~self._here
        self._under_way[new] = agents.velocity[self._late[new], None]
        self._here = here

    @contextmanager
    def foreseen(self, agents: Agents, rows: Int64, able: dict[str, Any], delay: int | None = None) -> Generator[None]:
        """Show everybody where they will be after a delay, and as they are again in the end.

        Args:
            agents: everybody.
            rows: int64 (R,), who is present.
            able: what bodies can do, numbers or arrays (R,), as `roll_towards` takes it.
            delay: of somebody who looks at all others, in steps; None: the own delay of each.
        """
        if not len(self._late):
            yield
            return
        now = BodyState(agents.position, agents.velocity, agents.heading)
        then = BodyState(*(values.copy() for values in now))
        steps = self._steps[rows] if delay is None else np.full(len(rows), delay)
        then.position[rows] += (steps * self._dt)[:, None] * now.velocity[rows]
        late = np.flatnonzero((self._steps[rows] > 0) & (steps > 0))
        for values, rolled in zip(then, self._rolled(now, rows, late, steps[late], able), strict=True):
            values[rows[late]] = rolled
        agents.position, agents.velocity, agents.heading = then
        try:
            yield
        finally:
            agents.position, agents.velocity, agents.heading = now

    def _rolled(self, now: BodyState, rows: Int64, late: Int64, steps: Int64, able: dict[str, Any]) -> BodyState:
        """Return the poses of late bodies after some steps: after their last command they go on with it."""
        who = rows[late]
        limits = {name: values[late] if np.ndim(values) else values for name, values in able.items()}
        position, velocity, heading = (values[who] for values in now)
        for step in range(int(steps.max(initial=0))):
            known = np.minimum(step, self._steps[who] - 1)
            rolled, turned = roll_towards(velocity, heading, self._under_way[self._slot[who], known], **limits)
            goes = step < steps
            velocity, heading = np.where(goes[:, None], rolled, velocity), np.where(goes, turned, heading)
            position = np.where(goes[:, None], position + self._dt * velocity, position)
        return BodyState(position, velocity, heading)

    def carried_out(self, rows: Int64, wanted: Float64) -> Float64:
        """Send off commands and return those that arrive now.

        Args:
            rows: int64 (R,), who is present.
            wanted: float64 (R, 2), velocities decided on [m/s].

        Returns:
            float64 (R, 2); of those who are not late what is wanted now.
        """
        among = np.flatnonzero(self._slot[rows] >= 0)
        if not len(among):
            return wanted
        slots, arriving = self._slot[rows[among]], wanted.copy()
        arriving[among] = self._under_way[slots, 0]
        self._under_way[slots, :-1] = self._under_way[slots, 1:]
        self._under_way[slots, self._steps[rows[among]] - 1] = wanted[among]
        return arriving
