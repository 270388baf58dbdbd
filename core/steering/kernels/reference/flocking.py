# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep with one's herd: numpy kernel.

Source: Reynolds 1987.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Herds, Int64, SortedAgents

CHUNK = 8192


def keep_together(agents: SortedAgents, herds: Herds, neighbours: Int64) -> Float64:
    """Preferred velocities shifted by what the nearest of one's herd do.

    Args:
        agents: everybody.
        herds: the bodies that keep together.
        neighbours: int64 (K, A), nearest first, -1 where there is none.

    Returns:
        float64 (A, 2), no longer than `max_speed` [m/s].
    """
    result = np.empty_like(agents.preferred)
    for begin in range(0, agents.radius.size, CHUNK):
        rows = slice(begin, min(begin + CHUNK, agents.radius.size))
        result[rows] = _shifted(agents, herds, rows, neighbours[:, rows]).T
    return result + 0.0  # no negative zeros


def _shifted(agents: SortedAgents, herds: Herds, rows: slice, others: Int64) -> Float64:
    """The same for some agents, (2, n)."""
    wish, speed = agents.preferred[rows].T, _length(agents.preferred[rows].T)
    distance = herds.distance[rows]
    sums = np.zeros((3, 2, wish.shape[1]))  # apart, velocities, and gaps
    count = np.zeros(wish.shape[1])
    for other in others:
        gap = (agents.position[other] - agents.position[rows]).T
        off = _length(gap)
        counts = (other >= 0) & (herds.number[other] == herds.number[rows])
        fade = np.where(counts, np.maximum(1.0 - off / distance, 0.0), 0.0)
        close = np.maximum(1.0 - off / (0.5 * distance), 0.0) / np.where(off > 0.0, off, 1.0)
        sums[0] += np.where(counts, close * -gap, 0.0)
        sums[1] += fade * (0.5 * (agents.velocity[other] + agents.velocity[rows]).T)
        sums[2] += fade * gap
        count += fade
    each = 1.0 / np.maximum(count, 1.0)
    shift = speed * (herds.separation[rows] * sums[0] + herds.cohesion[rows] / distance * (each * sums[2]))
    pull = herds.alignment[rows] * each
    # The mean of one's wish and of how oneself and the others go: what is added instead overshoots, to and fro.
    shifted = (wish + shift + pull * sums[1]) / (1.0 + pull * count)
    moved = np.where((herds.number[rows] >= 0) & (speed > 0.0), shifted, wish)
    length, most = _length(moved), agents.max_speed[rows]
    return moved * np.where(length > most, most / np.where(length > 0.0, length, 1.0), 1.0)


def _length(vectors: Float64) -> Float64:
    return np.sqrt(vectors[0] * vectors[0] + vectors[1] * vectors[1])
