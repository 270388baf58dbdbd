# SPDX-License-Identifier: GPL-3.0-or-later
"""The way along a path against the way really walked on a course beside it, both ways.

A course is known at even nodes of the path: how far one has walked there, and how fast that grows. Between nodes the
way along the path is a cubic in the way walked that fits both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_ROOT_STEPS = 8


def way_at(step: Float64, walked: Float64, rate: Float64, distance: Float64) -> Float64:
    """Way along the path when some distance has been walked.

    Args:
        step: float64 (N,), distance between nodes along the path [m].
        walked: float64 (N, K), way walked up to each node, growing [m].
        rate: float64 (N, K), way walked per metre of path there.
        distance: float64 (N,), way walked, not negative [m].

    Returns:
        float64 (N,), way [m]; past the last node evenly on.
    """
    node = np.clip(np.sum(walked <= distance[:, None], axis=1) - 1, 0, walked.shape[1] - 2)
    rows = np.arange(len(node))
    gap = walked[rows, node + 1] - walked[rows, node]
    share = (distance - walked[rows, node]) / gap
    first, second = gap / rate[rows, node], gap / rate[rows, node + 1]
    inside = np.minimum(share, 1.0)
    cubic, square = first + second - 2.0 * step, 3.0 * step - 2.0 * first - second
    way = inside * (first + inside * (square + inside * cubic)) + np.maximum(share - 1.0, 0.0) * second
    return node * step + way


def walked_at(step: Float64, walked: Float64, rate: Float64, way: Float64) -> Float64:
    """Way walked when some way along the path has been made: the inverse of `way_at`.

    Args:
        step: float64 (N,) [m].
        walked: float64 (N, K) [m].
        rate: float64 (N, K).
        way: float64 (N,), along the path [m].

    Returns:
        float64 (N,) [m]; 0 behind the start, inf past the last node.
    """
    last = walked.shape[1] - 1
    ahead = np.clip(way / step, 0.0, float(last))
    node = np.minimum(ahead.astype(np.int64), last - 1)
    rows = np.arange(len(node))
    gap = walked[rows, node + 1] - walked[rows, node]
    wanted = (ahead - node) * step
    first, second = gap / rate[rows, node], gap / rate[rows, node + 1]
    cubic, square = first + second - 2.0 * step, 3.0 * step - 2.0 * first - second
    share = ahead - node
    for _ in range(_ROOT_STEPS):
        miss = share * (first + share * (square + share * cubic)) - wanted
        slope = first + share * (2.0 * square + 3.0 * cubic * share)
        share = np.clip(share - miss / np.maximum(slope, 1e-9), 0.0, 1.0)
    return np.where(way > last * step, np.inf, walked[rows, node] + share * gap)
