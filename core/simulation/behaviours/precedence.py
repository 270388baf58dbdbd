# SPDX-License-Identifier: GPL-3.0-or-later
"""In a throng before a door, the person in front goes first; without this, all would wait for each other."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import length
from ...steering.neighbours import NearPairs, both_ways
from ..settings.behaviour_settings import PrecedenceSettings
from ..world.agents import WALKING, Agents


def find_leads(
    agents: Agents, rows: Int64, near: NearPairs, preferred: Float64, settings: PrecedenceSettings
) -> Float64:
    """Return float64 (R,), from -1 to 1, how far each is in front of people around who walk in the same direction.

    Args:
        agents: all agents.
        rows: int64 (R,), the people present.
        near: which of them are near each other.
        preferred: float64 (R, 2), [m/s].
        settings: which people count.
    """
    position, reach = agents.position.take(rows, 0), agents.radius[rows] + settings.neighbour_distance
    walks, kernels = agents.status[rows] == WALKING, twins.twin(twins.PAIRS)
    if kernels is not None:
        numbers = np.array([settings.cos_same_direction, settings.full_lead])
        pairs = near.searched(2.0 * float(reach.max(initial=0.0)))
        return kernels.leads(pairs, position, preferred, reach, walks, numbers)
    (x, y), (unit_x, unit_y) = position.T, (preferred / np.maximum(length(preferred), 1e-9)[:, None]).T
    first, second = near.within(reach)
    cosine = unit_x[first] * unit_x[second] + unit_y[first] * unit_y[second]
    counts = walks[first] & walks[second] & (cosine > settings.cos_same_direction)
    who, other = both_ways(first[counts], second[counts])
    ahead = (x[who] - x[other]) * unit_x[who] + (y[who] - y[other]) * unit_y[who]
    count = np.bincount(who, minlength=len(rows))
    return np.clip(np.bincount(who, ahead, len(rows)) / (np.maximum(count, 1) * settings.full_lead), -1.0, 1.0)
