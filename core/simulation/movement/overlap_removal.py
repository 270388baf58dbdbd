# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that overlap after avoidance are separated, slowly.

Avoidance works on velocities, and limits on acceleration and turning may keep a body from the velocity that would have
been free of collision. The remaining overlap, mostly millimetres, is removed from the positions here, slowly enough not
to be seen.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64
from ...geometry.reproducible_math import length
from ...steering import neighbours
from ..settings.pedestrian_settings import OverlapRemovalSettings


def separate_bodies(
    position: Float64, radius: Float64, *, yields: Float64, dt: float, settings: OverlapRemovalSettings
) -> Float64:
    """Return positions in which overlapping bodies are separated, each moved by at most `settings.speed` dt.

    Args:
        position: float64 (A, 2), [m].
        radius: float64 (A,), [m].
        yields: float64 (A,), how much each yields: two bodies are moved in proportion to it; 0 for never.
        dt: step [s].
        settings: how fast bodies are separated.

    Returns:
        float64 (A, 2), [m].
    """
    pairs = neighbours.close_pairs(position, radius + settings.speed * dt)
    if len(pairs):
        pairs = pairs[np.logical_or(*yields[pairs.T])]
    if not len(pairs):
        return position
    first, second = pairs.T
    share = yields[pairs] / yields[pairs].sum(axis=1, keepdims=True)  # (M, 2)
    moved = position.copy()
    for _ in range(settings.iterations):
        apart = moved[first] - moved[second]
        distance = length(apart)
        depth = np.maximum(radius[first] + radius[second] - distance, 0.0)
        if not depth.any():
            break
        # Two bodies in one place have no direction between them: the order of their numbers gives one.
        unit = np.where(distance[:, None] > 1e-9, apart / np.maximum(distance, 1e-9)[:, None], (1.0, 0.0))
        overlap = depth[:, None] * unit
        np.add.at(moved, first, overlap * share[:, :1])
        np.subtract.at(moved, second, overlap * share[:, 1:])
    shift = moved - position
    moves = length(shift)[:, None]
    return position + shift * np.minimum(1.0, settings.speed * dt / np.maximum(moves, 1e-12))
