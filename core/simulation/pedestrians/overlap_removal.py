# SPDX-License-Identifier: GPL-3.0-or-later
"""The last resort after avoidance: bodies that touch are moved apart, gently and a little at a time.

Avoidance works on velocities, and limits on acceleration and turning may keep a body from the velocity that would have
been free of collision. What is left of an overlap, mostly millimetres, is taken out of the positions here, slowly
enough not to be seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...steering import neighbours

Float64 = NDArray[np.float64]

SEPARATION_SPEED = 0.5
"""How fast two touching bodies are moved apart, each of them [m/s]."""

ROUNDS = 3


def push_apart(position: Float64, radius: Float64, *, movable: NDArray[np.bool_], dt: float) -> Float64:
    """Return positions in which overlapping bodies have been moved apart, each by at most `SEPARATION_SPEED` dt.

    Args:
        position: float64 (A, 2), [m].
        radius: float64 (A,), [m].
        movable: bool (A,), who may be moved; the other of a pair then takes the whole of it.
        dt: step [s].

    Returns:
        float64 (A, 2), [m].
    """
    pairs = neighbours.close_pairs(position, radius + SEPARATION_SPEED * dt)
    pairs = pairs[movable[pairs].any(axis=1)]
    if len(pairs) == 0:
        return position
    first, second = pairs.T
    share = movable[pairs] / movable[pairs].sum(axis=1, keepdims=True)  # (M, 2)
    moved = position.copy()
    for _ in range(ROUNDS):
        apart = moved[first] - moved[second]
        distance = np.sqrt((apart * apart).sum(axis=1))
        # Two bodies in one place have no direction to part in: the order of their numbers gives one.
        unit = np.where(distance[:, None] > 1e-9, apart / np.maximum(distance, 1e-9)[:, None], (1.0, 0.0))
        overlap = np.maximum(radius[first] + radius[second] - distance, 0.0)[:, None] * unit
        np.add.at(moved, first, overlap * share[:, :1])
        np.subtract.at(moved, second, overlap * share[:, 1:])
    shift = moved - position
    length = np.sqrt((shift * shift).sum(axis=1, keepdims=True))
    return position + shift * np.minimum(1.0, SEPARATION_SPEED * dt / np.maximum(length, 1e-12))
