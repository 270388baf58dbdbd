# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way people face: where they will soon be going, so that they turn into a bend a little before they walk it.

People look ahead into a bend, and the body follows before the feet do: the trunk turns some 0.2 s ahead of the walking
direction (Grasso et al. 1998, "Eye-head coordination for the steering of locomotion in humans"; Imai et al. 2001). Here
what is known of their way ahead turns them; how they walk, and what they heed of others, is as it was.

A body has weight: its turning begins and ends over some tenths of a second, and whoever hardly moves turns on the spot,
step by step, and so more slowly than who walks. Turning follows its aim with what is known of how that turns, so that
in a steady bend nobody lags behind.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...geometry.reproducible_math import arctan2, heading_vector
from ...planning.paths.reference_path import ReferenceSet
from ...steering.body_limits import swing_towards
from ..world.agents import WALKING, Agents

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

LEAD = 0.2
"""So far ahead in time people turn [s]."""

MOST_LEAD = 0.2
"""No further than this the body is turned out of the way that it goes [rad]."""

SWING = 10.0
"""Most change of the rate at which a body turns [rad/s2]."""

ON_THE_SPOT = 2.0
"""How fast who stands turns [rad/s]: half a turn takes some two seconds."""

_WALKS = 1.0  # from this speed on a body may turn as fast as its way can [m/s]
_EVENED = 0.12  # over this time what is known of how fast the aim turns is evened out [s]
_CLOSEST = 0.25  # share of the line's bend radius: nearer to the centre than this nobody is taken to walk


class Facing:
    """The way that each person faces.

    Args:
        agents: everybody on foot.
    """

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._angle = np.full(len(agents), np.nan)
        self._rate = np.zeros(len(agents))
        self._aim = np.full(len(agents), np.nan)  # where each wanted to face last; NaN: nowhere
        self._aim_rate = np.zeros(len(agents))

    def of(self, rows: Int64, references: ReferenceSet) -> Float64:
        """Float64 (R,), which way some face now [rad], unwrapped; those who are new face it at once."""
        new = rows[np.isnan(self._angle[rows])]
        self._angle[new] = self._agents.heading[new] + self._lead(new, references)
        return self._angle[rows]

    def turn(
        self, rows: Int64, references: ReferenceSet, *, max_turn_rate: float, dt: float, still_speed: Float64
    ) -> None:
        """Turn some to where they are about to go, no faster than a body turns.

        Args:
            rows: int64 (R,), those who are there.
            references: what they follow.
            max_turn_rate: [rad/s].
            dt: length of the step [s].
            still_speed: float64 (R,), below it they keep the way that they face [m/s].
        """
        agents = self._agents
        heading, velocity = self.of(rows, references), agents.velocity[rows]
        speed = np.sqrt((velocity * velocity).sum(axis=1))
        moving = speed >= still_speed
        aim = arctan2(velocity[:, 1], velocity[:, 0]) + self._lead(rows, references)
        share = np.minimum(speed / _WALKS, 1.0)
        most = np.minimum(ON_THE_SPOT + share * (max_turn_rate - ON_THE_SPOT), max_turn_rate)
        self._watch(rows, np.where(moving, aim, np.nan), most, dt)
        turned, rate = swing_towards(
            heading,
            self._rate[rows],
            np.where(moving, aim, heading),
            self._aim_rate[rows],
            max_turn_rate=most,
            max_change=SWING,
            dt=dt,
        )
        rolls = agents.rolls[rows]
        self._angle[rows] = np.where(rolls, agents.heading[rows], turned)
        self._rate[rows] = np.where(rolls, 0.0, rate)

    def _watch(self, rows: Int64, aim: Float64, most: Float64, dt: float) -> None:
        """Take notice of how fast the aims of some turn; NaN: who has none."""
        before = self._aim[rows]
        known = np.isfinite(before) & np.isfinite(aim)
        change = np.where(known, aim - before, 0.0)
        change -= 2.0 * math.pi * np.round(change / (2.0 * math.pi))
        part = dt / (dt + _EVENED)
        evened = self._aim_rate[rows] + part * (change / dt - self._aim_rate[rows])
        self._aim_rate[rows] = np.where(known, np.clip(evened, -most, most), 0.0)
        self._aim[rows] = aim

    def _lead(self, rows: Int64, references: ReferenceSet) -> Float64:
        """Float64 (R,), by how much the way of each turns within the time that people turn ahead [rad]."""
        agents = self._agents
        found = np.zeros(len(rows))
        led = np.flatnonzero((agents.status[rows] == WALKING) & ~agents.rolls[rows])
        if not len(led):
            return found
        path, s, d = (each[rows[led]] for each in (agents.path, agents.s, agents.d))
        _, heading, curvature, _ = references.pose(path, s)
        along = (agents.velocity[rows[led]] * heading_vector(heading)).sum(axis=1)
        way = LEAD * np.maximum(along, 0.0) / np.maximum(1.0 - curvature * d, _CLOSEST)
        _, soon, _, _ = references.pose(path, np.minimum(s + way, np.maximum(agents.end[rows[led]], s)))
        found[led] = np.clip(soon - heading, -MOST_LEAD, MOST_LEAD)
        return found
