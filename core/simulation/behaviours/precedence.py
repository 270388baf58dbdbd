# SPDX-License-Identifier: GPL-3.0-or-later
"""In a throng before a door, the person in front goes first; without this, all would wait for each other."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...steering.neighbours import close_pairs
from ..settings.behaviour_settings import PrecedenceSettings
from ..world.agents import WALKING, Agents


def find_leads(agents: Agents, rows: Int64, preferred: Float64, settings: PrecedenceSettings) -> Float64:
    """Return float64 (R,), from -1 to 1, how far each is in front of people around who walk in the same direction.

    Args:
        agents: all agents.
        rows: int64 (R,), who is present.
        preferred: float64 (R, 2), [m/s].
        settings: who counts.
    """
    position, radius = agents.position[rows], agents.radius[rows]
    speed = np.sqrt((preferred * preferred).sum(axis=1))
    unit = preferred / np.maximum(speed, 1e-9)[:, None]
    pairs = close_pairs(position, radius + settings.neighbour_distance)
    if not len(pairs):
        return np.zeros(len(rows))
    pairs = pairs[(agents.status[rows] == WALKING)[pairs].all(axis=1)]
    pairs = pairs[(unit[pairs[:, 0]] * unit[pairs[:, 1]]).sum(axis=1) > settings.cos_same_direction]
    who, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    ahead = ((position[who] - position[other]) * unit[who]).sum(axis=1)
    count = np.bincount(who, minlength=len(rows))
    return np.clip(np.bincount(who, ahead, len(rows)) / (np.maximum(count, 1) * settings.full_lead), -1.0, 1.0)
