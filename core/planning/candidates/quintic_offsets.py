# SPDX-License-Identifier: GPL-3.0-or-later
"""Courses that are one quintic to an offset, which is then kept (Werling et al. 2010, section V)."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64
from ...compiled import twins
from ...geometry.distances import Distances
from .path_ahead import COURSE_NODES, PathAhead, StartState
from .polynomials import evaluate, quintic
from .settings import PlannerSettings

_GREATEST_SLOPE = 1.875  # of a quintic to another offset that starts and ends along the line, times length over offset


def plan_quintics(
    start: StartState, ahead: PathAhead, _obstacles: Distances | None, settings: PlannerSettings
) -> tuple[Float64, Float64, Float64]:
    """Lay courses that reach the preferred offset within several distances.

    Arguments are those of every family: the agents, their paths, the obstacles (not needed here) and the settings.

    Returns:
        d, d', d'': float64 (A, M, K) each.
    """
    return _lay_quintics(start, ahead, *_quintic_ends(start, ahead, settings))


def plan_merges(
    start: StartState, ahead: PathAhead, _obstacles: Distances | None, settings: PlannerSettings
) -> tuple[Float64, Float64, Float64]:
    """Lay courses that merge to offsets other than the preferred one: every offset within every distance.

    Arguments and result are those of `plan_quintics`.
    """
    length, end = _quintic_ends(start, ahead, settings)
    offsets = np.array(settings.courses.merge_offsets)
    end = np.clip(end[:, None] + offsets[:, None], ahead.bend_low[:, :1, None], ahead.bend_high[:, :1, None])
    length, end = np.broadcast_arrays(length[:, None], end)  # (A, offsets, lengths)
    return _lay_quintics(start, ahead, length.reshape(len(length), -1), end.reshape(len(end), -1))


def _quintic_ends(start: StartState, ahead: PathAhead, settings: PlannerSettings) -> tuple[Float64, Float64]:
    """Lengths of the quintics, and the preferred offset at the end of each: float64 (A, lengths) each [m]."""
    pace = np.maximum(start.speed, 0.4 * start.wanted_speed)
    times, shortest = np.array(settings.courses.merge_times), settings.courses.shortest_merge
    factor = start.preferences.merge_time_factor[:, None]
    length = factor * np.maximum(pace[:, None] * times, shortest * times / times[0])
    node = np.minimum(length / ahead.step[:, None], COURSE_NODES - 1.0)
    last = np.rint(node).astype(np.int64)
    end = np.take_along_axis(ahead.target, last, axis=1)
    aside = settings.courses.steepest_merge / _GREATEST_SLOPE * length
    near = np.clip(end, start.d[:, None] - aside, start.d[:, None] + aside)
    low, high = (np.take_along_axis(side, last, axis=1) for side in (ahead.walk_low, ahead.walk_high))
    end = np.clip(near, low, high)
    return np.minimum(length, (COURSE_NODES - 1) * ahead.step[:, None]), end


def _lay_quintics(
    start: StartState, ahead: PathAhead, length: Float64, end: Float64
) -> tuple[Float64, Float64, Float64]:
    """Quintics to offsets within lengths, float64 (A, M) each, then constant: d, d', d'', float64 (A, M, K)."""
    kernels = twins.twin(twins.AHEAD)
    if kernels is not None:
        state = start.d, start.d_prime, start.d_second
        d, d_prime, d_second = kernels.lay_quintics(state, ahead.distance, length, end)
        return d, d_prime, d_second
    begin = [value[:, None] for value in (start.d, start.d_prime, start.d_second)]
    coefficients = quintic((begin[0], begin[1], begin[2]), (end, 0.0, 0.0), length)
    return evaluate(coefficients[..., None], np.minimum(ahead.distance[:, None, :], length[..., None]))
