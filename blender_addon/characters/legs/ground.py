# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under the feet of people: how high it is, and how their soles lie on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....core.array_types import Bool, Float64, Int64
from ....core.geometry.ragged import runs_in
from ....core.motion.feet.body_motion import BodyMotion, turned
from ....core.motion.feet.slopes import Soles, lay_soles
from .find import AnyLeg

_SOLE = 0.05
"""The slope of the ground is taken from so far around a foot, as a share of the leg; chosen."""


class UnderFeet(NamedTuple):
    """The ground under A agents over F frames.

    Attributes:
        grounds: of each, its height at places float64 (N, 3) near them; None for who keeps the height of a path.
        height: float64 (A, F), of the bodies [Blender units].
        size: float64 (A,), Blender units in one unit of the motion.
    """

    grounds: list[Callable[[Float64], Float64] | None]
    height: Float64
    size: Float64

    def rise(self, motion: BodyMotion, feet: Float64) -> Float64:
        """Return the height of the ground under feet over the body, float64 (A, F) [unit of the motion].

        Args:
            motion: of the agents.
            feet: float64 (A, F, 2), positions of the feet in the axes of the bodies.
        """
        agent, frame = np.divmod(np.arange(self.height.size), self.height.shape[1])
        places = motion.position + turned(feet, *motion.towards)
        return self._rise_at(places.reshape(-1, 2), agent, frame).reshape(self.height.shape)

    def lay_soles(self, motion: BodyMotion, feet: Float64, planted: Bool, leg: AnyLeg) -> Soles:
        """Return how feet, as of `rise`, lie on the ground while they are planted, bool (A, F), and in between."""
        agent, frame = np.divmod(runs_in(planted).first, planted.shape[1])
        cos, sin = (each[agent, frame] for each in motion.towards)
        places = motion.position[agent, frame] + turned(feet[agent, frame], cos, sin)
        step, slope = _SOLE * leg.length, np.zeros((len(agent), 2))
        for axis, aside in enumerate(step * np.eye(2)):
            before, behind = (self._rise_at(places + side * aside, agent, frame) for side in (1.0, -1.0))
            slope[:, axis] = (before - behind) / (2.0 * step)
        return lay_soles(motion, feet, planted, slope, leg=leg.length, toe=leg.stance.toe)

    def _rise_at(self, places: Float64, agent: Int64, frame: Int64) -> Float64:
        """Return the height of the ground at places (N, 2) of agents int64 (N,) at frames, over the bodies."""
        rise, height, size = np.zeros(len(places)), self.height[agent, frame], self.size[agent]
        for ground in {each for each in self.grounds if each is not None}:
            own = np.array([each is ground for each in self.grounds])[agent]
            there = np.column_stack([size[own, None] * places[own], height[own]])
            rise[own] = (ground(there) - height[own]) / size[own]
        return rise
