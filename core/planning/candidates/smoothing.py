# SPDX-License-Identifier: GPL-3.0-or-later
"""Sequences of offsets made smooth courses that begin as the agents move."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...geometry.reproducible_math import inverse as inverse_of
from ...geometry.reproducible_math import matrix_product
from ..settings import PlannerSettings
from .lateral_courses import NODES, Ahead, Start

Float64 = NDArray[np.float64]

_LENGTHS = (3.0, 5.0, 8.0)  # over which sequences are smoothed, in nodes
_GIVEN = 2  # nodes whose offset follows from how the agent moves


@cache
def _smoother(length: float) -> tuple[Float64, Float64]:
    """The linear map from offsets wanted at the free nodes, and given at the first two, to the smoothest near them.

    It minimises the squared distance plus length^6 times the squared third difference.
    """
    third = np.diff(np.eye(NODES), n=3, axis=0)
    normal = np.diag((np.arange(NODES) >= _GIVEN).astype(float)) + length**6 * matrix_product(third.T, third)
    inverse: Float64 = inverse_of(normal[_GIVEN:, _GIVEN:])
    fixed: Float64 = -matrix_product(inverse, normal[_GIVEN:, :_GIVEN])
    return inverse, fixed


def plan_along(
    start: Start, ahead: Ahead, _obstacles: Distances | None, _settings: PlannerSettings
) -> tuple[Float64, Float64, Float64]:
    """Courses that keep to the wanted offset where it varies: bends force those on their inner side outwards.

    Args:
        start: the agents.
        ahead: their paths.
        _obstacles: of no account.
        _settings: of no account.

    Returns:
        d, d', d'': float64 (A, 3, K) each.
    """
    return smooth(start, ahead, ahead.target)


def smooth(start: Start, ahead: Ahead, wanted: Float64) -> tuple[Float64, Float64, Float64]:
    """Smooth courses near sequences of offsets, from tight to loose.

    Args:
        start: the agents.
        ahead: their paths.
        wanted: float64 (A, K), an offset for every node [m].

    Returns:
        d, d', d'': float64 (A, 3, K) each.
    """
    step = ahead.step[:, None]
    way = step * np.arange(_GIVEN)
    given = start.d[:, None] + way * (start.d_prime[:, None] + 0.5 * way * start.d_second[:, None])
    courses: list[Float64] = []
    for length in _LENGTHS:
        free, fixed = _smoother(length)
        # not a matrix product: its sums would depend on how many agents there are
        after = np.einsum("kj,aj->ak", free, wanted[:, _GIVEN:]) + np.einsum("kj,aj->ak", fixed, given)
        courses.append(np.concatenate((given, after), axis=1))
    d: Float64 = np.stack(courses, axis=1)
    d_prime, d_second = np.zeros_like(d), np.zeros_like(d)
    gap = step[:, None]
    d_prime[..., 1:-1] = (d[..., 2:] - d[..., :-2]) / (2.0 * gap)
    d_second[..., 1:-1] = (d[..., 2:] - 2.0 * d[..., 1:-1] + d[..., :-2]) / (gap * gap)
    d_prime[..., 0], d_second[..., 0] = start.d_prime[:, None], start.d_second[:, None]
    return d, d_prime, d_second
