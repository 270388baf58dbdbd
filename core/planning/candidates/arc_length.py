# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance along a path from the distance walked on a course beside it, and the inverse.

A course is given at even nodes of the path: the distance walked up to there, and its rate. Between nodes the distance
along the path is a cubic in the distance walked that fits both. Where a course nearly stands still, at the centre of a
bend, its slopes at the nodes are limited to three times its mean: a steeper one would lead back.

Source of the limit: Fritsch and Carlson 1980, "Monotone piecewise cubic interpolation".
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64

_NEWTON_STEPS = 8
_PARTS = 4  # of courses: most people are in the first one


def path_distance_at(
    step: Float64, walked: Float64, rate: Float64, distance: Float64, rows: Int64 | None = None
) -> Float64:
    """Return the distance along the path after some distance has been walked.

    Args:
        step: float64 (N,), distance between nodes along the path [m].
        walked: float64 (A, K), distance walked up to each node, increasing [m].
        rate: float64 (A, K), distance walked per metre of path there.
        distance: float64 (N,), walked, not negative [m].
        rows: int64 (N,), whose of these A; None: one each, in their order.

    Returns:
        float64 (N,) [m]; linear past the last node.
    """
    rows = np.arange(len(distance)) if rows is None else rows
    node = np.clip(_nodes_up_to(walked, distance, rows) - 1, 0, walked.shape[1] - 2)
    before = walked[rows, node]
    gap = walked[rows, node + 1] - before
    share = (distance - before) / gap
    first, second = _slopes(step, gap, rate[rows, node], rate[rows, node + 1])
    inside = np.minimum(share, 1.0)
    cubic, square = first + second - 2.0 * step, 3.0 * step - 2.0 * first - second
    part = inside * (first + inside * (square + inside * cubic)) + np.maximum(share - 1.0, 0.0) * second
    return node * step + part


def _nodes_up_to(walked: Float64, distance: Float64, rows: Int64) -> Int64:
    """How many of the walked distances of some, increasing, float64 (A, K), are at most one each: int64 (N,)."""
    part = walked.shape[1] // _PARTS
    count = np.sum(walked[rows, :part] <= distance[:, None], axis=1)
    more = (count == part).nonzero()[0]
    count[more] += np.sum(walked[rows[more], part:] <= distance[more, None], axis=1)
    return count


def walked_distance_at(step: Float64, walked: Float64, rate: Float64, distance: Float64) -> Float64:
    """Return the distance walked up to some distance along the path: the inverse of `path_distance_at`.

    Args:
        step: float64 (N,) [m].
        walked: float64 (N, K) [m].
        rate: float64 (N, K).
        distance: float64 (N,), along the path [m].

    Returns:
        float64 (N,) [m]; 0 behind the start, inf past the last node.
    """
    last = walked.shape[1] - 1
    ahead = np.clip(distance / step, 0.0, float(last))
    node = np.minimum(ahead.astype(np.int64), last - 1)
    rows = np.arange(len(node))
    gap = walked[rows, node + 1] - walked[rows, node]
    target = (ahead - node) * step
    first, second = _slopes(step, gap, rate[rows, node], rate[rows, node + 1])
    cubic, square = first + second - 2.0 * step, 3.0 * step - 2.0 * first - second
    share = ahead - node
    for _ in range(_NEWTON_STEPS):
        error = share * (first + share * (square + share * cubic)) - target
        slope = first + share * (2.0 * square + 3.0 * cubic * share)
        share = np.clip(share - error / np.maximum(slope, 1e-9), 0.0, 1.0)
    return np.where(distance > last * step, np.inf, walked[rows, node] + share * gap)


def _slopes(step: Float64, gap: Float64, rate: Float64, next_rate: Float64) -> tuple[Float64, Float64]:
    """Slopes of the cubics at their two nodes, per share of the gap, float64 (N,) each [m]."""
    steepest = 3.0 * step
    return np.minimum(gap / rate, steepest), np.minimum(gap / next_rate, steepest)
