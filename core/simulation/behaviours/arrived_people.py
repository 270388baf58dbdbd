# SPDX-License-Identifier: GPL-3.0-or-later
"""Those who have arrived make room for those who still come."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.reproducible_math import heading_vector
from ...steering import neighbours
from ..world.agents import ARRIVED, WALKING, Agents

Float64 = NDArray[np.float64]

PERSONAL_SPACE = 0.35
"""Room that somebody who stands likes to have beside others [m]; twice that to somebody who walks."""

STEP_ASIDE_SPEED = 0.6
"""How fast those who stand make room [m/s]."""

PATIENCE = 0.3
"""Pressed less than this (0 = alone, 1 = touched), nobody who stands takes a step."""


def give_way(agents: Agents, rows: NDArray[np.int64], preferred: Float64) -> Float64:
    """Return preferred velocities in which those who have arrived step away from others, and onward.

    A walker cannot reach a goal that somebody stands on: those who stand move away from whoever is near, and a little
    in the direction they came in, so that a crowd at the end of its way spreads out beyond it.

    Args:
        agents: everybody.
        rows: int64 (R,), who is present.
        preferred: float64 (R, 2), [m/s].

    Returns:
        float64 (R, 2), [m/s].
    """
    standing = agents.status[rows] == ARRIVED
    if not standing.any():
        return preferred
    space = PERSONAL_SPACE * np.where(agents.status[rows] == WALKING, 2.0, 1.0)
    position, radius = agents.position[rows], agents.radius[rows]
    pairs = neighbours.close_pairs(position, radius + space)
    pressed = np.concatenate([pairs, pairs[:, ::-1]])
    pressed = pressed[standing[pressed[:, 0]]]
    who, by = pressed.T
    apart = position[who] - position[by]
    distance = np.sqrt((apart * apart).sum(axis=1))
    gap = distance - radius[who] - radius[by]
    pressure = np.clip(1.0 - gap / (space[who] + space[by]), 0.0, 1.0)
    push = np.zeros_like(preferred)
    np.add.at(push, who, pressure[:, None] * apart / np.maximum(distance, 1e-9)[:, None])
    most = np.zeros(len(rows))
    np.maximum.at(most, who, pressure)
    forward = heading_vector(agents.heading[rows])
    wish = push + 0.5 * most[:, None] * forward
    length = np.sqrt((wish * wish).sum(axis=1))
    step = wish * (STEP_ASIDE_SPEED * most / np.maximum(length, 1e-9))[:, None]
    return np.where((standing & (most > PATIENCE))[:, None], step, preferred)
