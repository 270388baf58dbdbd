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
def _smoother(lengths: tuple[float, ...]) -> tuple[Float64, Float64]:
    """Return the linear maps from offsets preferred at free nodes, and given at the first two, to smooth courses.

    They minimise the squared distance plus length^6 times the squared third difference.

    Args:
        lengths: over which courses are smoothed [nodes].

    Returns:
        float64 (F, M F) and (2, M F), for rows of offsets: the free nodes of all M courses, one course after another.
    """
    third, courses = np.diff(np.eye(COURSE_NODES), n=3, axis=0), []
    for length in lengths:
        stiffness = power(length, 6) * matrix_product(third.T, third)
        normal = np.diag((np.arange(COURSE_NODES) >= _FIXED_NODES).astype(float)) + stiffness
        inverse = inverse_of(normal[_FIXED_NODES:, _FIXED_NODES:])
        courses.append((inverse.T, -matrix_product(inverse, normal[_FIXED_NODES:, :_FIXED_NODES]).T))
    free, fixed = (np.concatenate(maps, axis=1) for maps in zip(*courses, strict=True))
    return free, fixed


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
    free, fixed = _smoother(tuple(lengths))
    after = matrix_product(wanted[:, _FIXED_NODES:], free) + matrix_product(given, fixed)
    d = np.empty((len(given), len(lengths), COURSE_NODES))
    d[:, :, :_FIXED_NODES], d[:, :, _FIXED_NODES:] = given[:, None], after.reshape(d[:, :, _FIXED_NODES:].shape)
    d_prime, d_second = np.zeros_like(d), np.zeros_like(d)
    gap = step[:, None]
    d_prime[..., 1:-1] = (d[..., 2:] - d[..., :-2]) / (2.0 * gap)
    d_second[..., 1:-1] = (d[..., 2:] - 2.0 * d[..., 1:-1] + d[..., :-2]) / (gap * gap)
    d_prime[..., 0], d_second[..., 0] = start.d_prime[:, None], start.d_second[:, None]
    return d, d_prime, d_second
