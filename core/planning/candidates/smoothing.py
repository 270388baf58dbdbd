# SPDX-License-Identifier: GPL-3.0-or-later
"""Sequences of offsets smoothed to courses that continue the motion of the agents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from ...array_types import Float64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import inverse as inverse_of
from ...geometry.reproducible_math import matrix_product, power
from .path_ahead import COURSE_NODES, PathAhead, StartState
from .settings import PlannerSettings

_FIXED_NODES = 2  # nodes whose offset follows from the motion of the agent


@cache
def _smoother(length: float) -> tuple[Float64, Float64]:
    """Return the linear map from offsets preferred at free nodes, and given at the first two, to a smooth course.

    It minimises the squared distance plus length^6 times the squared third difference.
    """
    third = np.diff(np.eye(COURSE_NODES), n=3, axis=0)
    stiffness = power(length, 6) * matrix_product(third.T, third)
    normal = np.diag((np.arange(COURSE_NODES) >= _FIXED_NODES).astype(float)) + stiffness
    inverse: Float64 = inverse_of(normal[_FIXED_NODES:, _FIXED_NODES:])
    fixed: Float64 = -matrix_product(inverse, normal[_FIXED_NODES:, :_FIXED_NODES])
    return inverse, fixed


def plan_target(
    start: StartState, ahead: PathAhead, _obstacles: Distances | None, settings: PlannerSettings
) -> tuple[Float64, Float64, Float64]:
    """Lay courses along the preferred offset where it varies: bends force agents on their inner side outwards.

    Arguments and result are those of `plan_quintics`; obstacles are not needed.
    """
    return smooth(start, ahead, ahead.target, settings.courses.smoothing_lengths)


def smooth(
    start: StartState, ahead: PathAhead, wanted: Float64, lengths: Sequence[float]
) -> tuple[Float64, Float64, Float64]:
    """Smooth sequences of offsets to courses, from tight to loose.

    Args:
        start: the agents.
        ahead: their paths.
        wanted: float64 (A, K), an offset for every node [m].
        lengths: over which they are smoothed [nodes].

    Returns:
        d, d', d'': float64 (A, M, K) each, M lengths.
    """
    step = ahead.step[:, None]
    along = step * np.arange(_FIXED_NODES)
    given = start.d[:, None] + along * (start.d_prime[:, None] + 0.5 * along * start.d_second[:, None])
    courses: list[Float64] = []
    for length in lengths:
        free, fixed = _smoother(length)
        after = matrix_product(wanted[:, _FIXED_NODES:], free.T) + matrix_product(given, fixed.T)
        courses.append(np.concatenate((given, after), axis=1))
    d: Float64 = np.stack(courses, axis=1)
    d_prime, d_second = np.zeros_like(d), np.zeros_like(d)
    gap = step[:, None]
    d_prime[..., 1:-1] = (d[..., 2:] - d[..., :-2]) / (2.0 * gap)
    d_second[..., 1:-1] = (d[..., 2:] - 2.0 * d[..., 1:-1] + d[..., :-2]) / (gap * gap)
    d_prime[..., 0], d_second[..., 0] = start.d_prime[:, None], start.d_second[:, None]
    return d, d_prime, d_second
