# SPDX-License-Identifier: GPL-3.0-or-later
"""How far it is to the nearest obstacle on either side of a line.

    room_beside(points (P, 2), starts (S, 2), ends (S, 2), at_most) -> left (P,), right (P,)

What stands to the left of a point is what lies left of the line's direction there, ahead and behind alike. So half a
disc is free on each side, and one that drifts no farther aside than that meets nothing between two points either.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

_TOGETHER = 16
"""So many neighbouring points look for what is near them together."""


def room_beside(points: Float64, starts: Float64, ends: Float64, at_most: float) -> tuple[Float64, Float64]:
    """Measure the room on either side of a line.

    Args:
        points: float64 (P, 2), P >= 2, of the line [m].
        starts: float64 (S, 2), where the edges of obstacles start [m].
        ends: float64 (S, 2), where they end [m].
        at_most: farther than this nothing is looked for [m].

    Returns:
        left, right: float64 (P,), distance to what is nearest on that side, `at_most` where there is nothing [m].
    """
    tangent = _tangents(points)
    low, high = np.minimum(starts, ends) - at_most, np.maximum(starts, ends) + at_most
    left, right = np.full(len(points), at_most), np.full(len(points), at_most)
    for first in range(0, len(points), _TOGETHER):
        part = slice(first, first + _TOGETHER)
        here = points[part]
        near = np.flatnonzero(np.all((low <= here.max(axis=0)) & (high >= here.min(axis=0)), axis=1))
        if len(near):
            a, b = starts[near] - here[:, None], ends[near] - here[:, None]  # (P, S, 2)
            side = (_cross(tangent[part, None], a), _cross(tangent[part, None], b))
            left[part] = np.minimum(at_most, _nearest_left(a, b, *side))
            right[part] = np.minimum(at_most, _nearest_left(a, b, -side[0], -side[1]))
    return left, right


def _nearest_left(a: Float64, b: Float64, side_a: Float64, side_b: Float64) -> Float64:
    """Least distance from the origin to the parts of segments a-b, (P, S, 2), whose side is not negative."""
    run, change = b - a, side_b - side_a
    crossing = np.clip(np.divide(-side_a, change, out=np.zeros_like(change), where=change != 0.0), 0.0, 1.0)
    low = np.where(side_a < 0.0, crossing, 0.0)
    high = np.where(side_b < 0.0, crossing, 1.0)
    length2 = np.maximum((run * run).sum(axis=-1), 1e-300)
    share = np.clip(-(a * run).sum(axis=-1) / length2, low, high)
    nearest = a + share[..., None] * run
    distance = np.hypot(nearest[..., 0], nearest[..., 1])
    return np.where((side_a < 0.0) & (side_b < 0.0), np.inf, distance).min(axis=1)


def _tangents(points: Float64) -> Float64:
    """Unit directions of a line at its points: the mean of the pieces that meet there."""
    run = np.diff(points, axis=0)
    run = run / np.maximum(np.hypot(*run.T), 1e-300)[:, None]
    mean = np.concatenate((run[:1], run[:-1] + run[1:], run[-1:]))
    back = np.hypot(*mean.T) < 1e-9  # a line that turns straight round: the direction in which it arrives
    mean[back] = np.concatenate((run[:1], run))[back]
    return mean / np.maximum(np.hypot(*mean.T), 1e-300)[:, None]


def _cross(a: Float64, b: Float64) -> Float64:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
