# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths ahead of people, and quintics to offsets: twins of `tabulate_ahead` and of `quintic_offsets`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64
from ..compiling import each_row, run_over
from ..frames import PathRows, frame_at, is_missing, numbers_of, row_at
from ..path_rows import value_at
from .speeds import quintic, value_and_slopes

_LEFT, _RIGHT, _FREE_LEFT, _FREE_RIGHT = 6, 7, 8, 9
"""Columns of the limits of bends and of the free width."""


class AheadWalkers(NamedTuple):
    """Those who walk, float64 (A,) each: see `StartState`; `reach` is how far they look [m]."""

    s: Float64
    d: Float64
    radius: Float64
    wanted_offset: Float64
    reach: Float64


def tabulate(paths: PathRows, path: Int64, walkers: AheadWalkers, nodes: int) -> tuple[Float64, Float64] | None:
    """Tabulate the paths ahead.

    Args:
        paths: rows of paths.
        path: int64 (A,), the path of each.
        walkers: those who walk.
        nodes: how many.

    Returns:
        The steps, float64 (A,) [m], and float64 (12, A, nodes), as the attributes of `PathAhead`; None where a row is
        missing.
    """
    step, found = np.empty(len(path)), np.empty((12, len(path), nodes))
    missing = np.zeros(len(path), dtype=np.bool_)
    run_over(len(path), _tabulate_all, paths, path, walkers, (step, found), missing)
    return None if missing.any() else (step, found)


def lay_quintics(state: tuple[Float64, Float64, Float64], distance: Float64, length: Float64, end: Float64) -> Float64:
    """Return d, d', d'', float64 (3, A, M, K), of quintics to offsets within lengths, which are then kept.

    Args:
        state: d, d' and d'' where they start, float64 (A,) each.
        distance: float64 (A, K), of the nodes [m].
        length: float64 (A, M) [m].
        end: float64 (A, M), offsets [m].
    """
    course = np.empty((3, *length.shape, distance.shape[1]))
    run_over(len(length), _lay_all, state, distance, length, end, course)
    return course


def warm_up() -> None:
    """Compile."""
    one, none = np.ones(1), np.zeros(1, dtype=np.int64)
    paths = PathRows(one, 0.0 * one, one, none + 1, none - 1, none + 1, none - 1, none + 1, np.zeros((15, 4)))
    tabulate(paths, none, AheadWalkers(one, one, one, one, one), 3)
    lay_quintics((one, one, one), np.ones((1, 3)), np.ones((1, 2)), np.ones((1, 2)))


@each_row(takes=4.0)
def _tabulate_all(begin, end, paths, path_of, walkers, found, missing):
    (steps, ahead), columns = found, paths.columns
    distance, x, y, cos, sin, bend, bend_rate, target, walk_low, walk_high, bend_low, bend_high = ahead
    last = distance.shape[1] - 1
    for a in range(begin, end):
        path, low, high = numbers_of(paths, path_of[a]), paths.low[path_of[a]], paths.high[path_of[a]]
        begun, radius, step = walkers.s[a], walkers.radius[a], walkers.reach[a] / last
        steps[a] = step
        missing[a] = is_missing(path, low, high, begun, 0) or is_missing(path, low, high, begun + step * last, 0)
        if missing[a]:
            continue
        out_right = out_left = 0.0
        for k in range(last + 1):
            distance[a, k] = step * k
            s = begun + distance[a, k]
            x[a, k], y[a, k], cos[a, k], sin[a, k], bend[a, k], bend_rate[a, k] = frame_at(columns, path, s)
            row, past = row_at(path, s)
            bend_low[a, k] = -value_at(columns, _RIGHT, row, past, path[0])
            bend_high[a, k] = value_at(columns, _LEFT, row, past, path[0])
            right = max(value_at(columns, _FREE_RIGHT, row, past, path[0]) - radius, 0.0)
            left = max(value_at(columns, _FREE_LEFT, row, past, path[0]) - radius, 0.0)
            lowest, highest = max(bend_low[a, k], -right), min(bend_high[a, k], left)
            target[a, k] = min(max(walkers.wanted_offset[a], lowest), highest)
            if k == 0:
                out_right, out_left = max(-walkers.d[a] - right, 0.0), max(walkers.d[a] - left, 0.0)
            walk_low[a, k] = max(bend_low[a, k], -(right + out_right))
            walk_high[a, k] = min(bend_high[a, k], left + out_left)


@each_row(takes=1.0)
def _lay_all(begin, end, state, distance, length, offset, course):
    d, d_prime, d_second = state
    for a in range(begin, end):
        for m in range(length.shape[1]):
            kept = length[a, m]
            made = quintic((d[a], d_prime[a], d_second[a]), (offset[a, m], 0.0, 0.0), kept)
            for k in range(distance.shape[1]):
                made_at = value_and_slopes(made, min(distance[a, k], kept))
                course[0, a, m, k], course[1, a, m, k], course[2, a, m, k] = made_at
