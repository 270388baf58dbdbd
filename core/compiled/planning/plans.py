# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions along plans: a twin of `core.planning.plans.Plans.motion` and of all that it calls."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ..compiling import each_row, part, run_over
from ..frames import PathRows, frame_at, is_missing, numbers_of
from .speeds import quintic, value_and_slopes

_PIECES = 4  # of the way between two nodes, of an uneven course


class PlanRows(NamedTuple):
    """The tables of A plans: see `PlanTables`.

    Attributes:
        path: int64 (A,).
        numbers: float64 (4, A), of which s, step, span and end speed are one row each.
        course: d, d', d'', rate and walked distance, float64 (A, K) each.
        polynomial: float64 (A, 6).
        uneven: bool (A,).
    """

    path: Int64
    numbers: tuple[Float64, ...]
    course: tuple[Float64, ...]
    polynomial: Float64
    uneven: Bool


def motion(paths: PathRows, plans: PlanRows, rows: Int64, time: Float64, traced: int) -> tuple[Float64, Float64, Bool]:
    """Return motions along plans.

    Args:
        paths: on which they are.
        plans: all of them.
        rows: int64 (N,), which.
        time: float64 (N,), since they were made [s].
        traced: nodes of uneven courses between which they are looked up more closely.

    Returns:
        Position and velocity, float64 (2, N, 2); the state, float64 (6, N), see `FrenetState`; and bool (N,), where a
        row of the path is missing: there nothing is written.
    """
    places, state, missing = np.empty((2, len(rows), 2)), np.empty((6, len(rows))), np.zeros(len(rows), dtype=np.bool_)
    run_over(len(rows), _move_all, paths, plans, rows, time, traced, (places, state, missing))
    return places, state, missing


def warm_up() -> None:
    """Compile."""
    one, none = np.ones(1), np.zeros(1, dtype=np.int64)
    paths = PathRows(one, 0.0 * one, one, none + 1, none - 1, none + 1, none - 1, none + 1, np.zeros((5, 4)))
    course = *np.zeros((3, 1, 2)), np.ones((1, 2)), np.arange(2.0)[None]
    motion(paths, PlanRows(none, (one, one, one, one), course, np.ones((1, 6)), none > 0), none, one, 2)


@part
def _rate(bend, d, d_prime):
    """Distance per metre of path at an offset, and distance walked."""
    scale = 1.0 - bend * d
    return scale, math.sqrt(scale * scale + d_prime * d_prime)


@part
def _between(step, gap, rate, next_rate, share):
    """Distance along the path within one piece, after a share of what is walked there."""
    first, second = min(gap / rate, 3.0 * step), min(gap / next_rate, 3.0 * step)
    inside = min(share, 1.0)
    cubic, square = first + second - 2.0 * step, 3.0 * step - 2.0 * first - second
    return inside * (first + inside * (square + inside * cubic)) + max(share - 1.0, 0.0) * second


@part
def _node_of(walked, distance):
    """The last node at most so far, but neither before the first nor the last."""
    low, high = 0, len(walked)
    while low < high:
        middle = (low + high) >> 1
        if walked[middle] <= distance:
            low = middle + 1
        else:
            high = middle
    return min(max(low - 1, 0), len(walked) - 2)


@part
def _state_at(course, row, node):
    return course[0][row, node], course[1][row, node], course[2][row, node]


@part
def _traced(columns, path, s, step, states, distance):
    """Distance along the path between two nodes of an uneven course, after so much has been walked from the first."""
    start, end = states
    piece, rates, walked = step / _PIECES, np.empty(_PIECES + 1), np.zeros(_PIECES + 1)
    for k in range(_PIECES + 1):
        d, d_prime = end[0], end[1]
        if k < _PIECES:
            d, d_prime, _ = value_and_slopes(quintic(start, end, step), step * (k / _PIECES))
        rates[k] = _rate(frame_at(columns, path, s + piece * k)[4], d, d_prime)[1]
        if k:
            walked[k] = walked[k - 1] + 0.5 * piece * (rates[k] + rates[k - 1])
    k = _node_of(walked, distance)
    gap = walked[k + 1] - walked[k]
    return k * piece + _between(piece, gap, rates[k], rates[k + 1], (distance - walked[k]) / gap)


@part
def _walked_on(numbers, course, polynomial, row, time):
    """Speed, acceleration, distance walked, and that along the path, of a plan after some time."""
    step, span, end_speed = numbers[1][row], numbers[2][row], numbers[3][row]
    held, rate, walked = max(time - span, 0.0), course[3], course[4]
    far, speed, acceleration = value_and_slopes(polynomial[row], min(time, span))
    if held > 0.0:
        acceleration = 0.0
    far = max(far + held * end_speed, 0.0)
    node = _node_of(walked[row], far)
    gap = walked[row, node + 1] - walked[row, node]
    inside = _between(step, gap, rate[row, node], rate[row, node + 1], (far - walked[row, node]) / gap)
    return speed, acceleration, far, node * step + inside


@each_row(takes=0.6)
def _move_all(begin, end, paths, plans, rows, time, traced, found):
    columns, course, numbers = paths.columns, plans.course, plans.numbers
    (places, state, missing), last = found, course[0].shape[1] - 1
    for k in range(begin, end):
        row, number = rows[k], plans.path[rows[k]]
        begun, step = numbers[0][row], numbers[1][row]
        speed, acceleration, far, distance = _walked_on(numbers, course, plans.polynomial, row, max(time[k], 0.0))
        path, low, high = numbers_of(paths, number), paths.low[number], paths.high[number]
        if plans.uneven[row] and far < course[4][row, traced - 1]:
            node = int(min(distance / step, traced - 2.0))
            states, at = (_state_at(course, row, node), _state_at(course, row, node + 1)), begun + node * step
            missing[k] = is_missing(path, low, high, at, 0) or is_missing(path, low, high, at + step, 0)
            if not missing[k]:
                distance = node * step + _traced(columns, path, at, step, states, far - course[4][row, node])
        s = begun + distance
        missing[k] = missing[k] or is_missing(path, low, high, s, 0)
        if missing[k]:
            continue
        place = min(distance / step, last * 1.0)
        node = min(int(place), last - 1)
        made = quintic(_state_at(course, row, node), _state_at(course, row, node + 1), step)
        d, d_prime, d_second = value_and_slopes(made, (place - node) * step)
        x, y, cos, sin, bend, bend_rate = frame_at(columns, path, s)
        scale, own_rate = _rate(bend, d, d_prime)
        rate_prime = (scale * -(bend_rate * d + bend * d_prime) + d_prime * d_second) / own_rate
        is_past = distance >= step * last
        s_dot = speed / (course[3][row, last] if is_past else own_rate)
        s_ddot = (acceleration - s_dot * s_dot * (0.0 if is_past else rate_prime)) / own_rate
        for column, value in enumerate((s, s_dot, s_ddot, d, d_prime, d_second)):
            state[column, k] = value
        along, lateral = s_dot * scale, s_dot * d_prime
        places[0, k, 0], places[0, k, 1] = x - sin * d, y + cos * d
        places[1, k, 0], places[1, k, 1] = cos * along - sin * lateral, sin * along + cos * lateral
