# SPDX-License-Identifier: GPL-3.0-or-later
"""Courses of one leg: a quintic over to an offset that is then kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ..polynomials import evaluate, quintic
from ..settings import PlannerSettings
from .lateral_courses import NODES, Ahead, Start

Float64 = NDArray[np.float64]

_LEG_TIMES = (0.9, 1.6, 2.5)  # [s] within which an offset is reached
_LEAST_LEG = 0.4  # [m]
_MERGES = np.array([-1.2, -0.8, -0.4, 0.4, 0.8, 1.2])  # [m] from the wanted offset


def plan_legs(
    start: Start, ahead: Ahead, _obstacles: Distances | None, _settings: PlannerSettings
) -> tuple[Float64, Float64, Float64]:
    """Courses that go over to the wanted offset within some lengths of way, and stay there.

    Args:
        start: the agents.
        ahead: their paths.
        _obstacles: of no account.
        _settings: of no account.

    Returns:
        d, d', d'': float64 (A, M, K) each.
    """
    return _lay_legs(start, ahead, *_legs(start, ahead))


def plan_merges(
    start: Start, ahead: Ahead, _obstacles: Distances | None, _settings: PlannerSettings
) -> tuple[Float64, Float64, Float64]:
    """Courses that merge to other offsets than the wanted one: every offset within every length.

    Args:
        start: the agents.
        ahead: their paths.
        _obstacles: of no account.
        _settings: of no account.

    Returns:
        d, d', d'': float64 (A, M, K) each.
    """
    leg, end = _legs(start, ahead)
    end = np.clip(end[:, None] + _MERGES[:, None], ahead.bend_low[:, :1, None], ahead.bend_high[:, :1, None])
    leg, end = np.broadcast_arrays(leg[:, None], end)  # (A, offsets, lengths)
    return _lay_legs(start, ahead, leg.reshape(len(leg), -1), end.reshape(len(end), -1))


def _legs(start: Start, ahead: Ahead) -> tuple[Float64, Float64]:
    """Lengths of legs, and the wanted offset where each ends: float64 (A, legs) each [m]."""
    pace = np.maximum(start.speed, 0.4 * start.wanted_speed)
    times = np.array(_LEG_TIMES)
    leg = start.manners.leisure[:, None] * np.maximum(pace[:, None] * times, _LEAST_LEG * times / times[0])
    node = np.minimum(leg / ahead.step[:, None], NODES - 1.0)
    end = np.take_along_axis(ahead.target, np.rint(node).astype(np.int64), axis=1)
    return np.minimum(leg, (NODES - 1) * ahead.step[:, None]), end


def _lay_legs(start: Start, ahead: Ahead, leg: Float64, end: Float64) -> tuple[Float64, Float64, Float64]:
    """Quintics to offsets within lengths, float64 (A, M) each, and straight on: d, d', d'', float64 (A, M, K)."""
    begin = [value[:, None] for value in (start.d, start.d_prime, start.d_second)]
    legs = quintic((begin[0], begin[1], begin[2]), (end, 0.0, 0.0), leg)
    return evaluate(legs[..., None], np.minimum(ahead.way[:, None, :], leg[..., None]))
