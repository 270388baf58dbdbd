# SPDX-License-Identifier: GPL-3.0-or-later
"""How courses lie in the plane and what they cost: a twin of `core.planning.candidates.lateral_courses`.

Sums are added up in the order of numpy's: eight at a time, and these in pairs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Bool, Float64
from .compiling import entry, part, run_over

_SERIAL_BELOW = 200  # courses of a few microseconds each
_NEIGHBOUR_NODES = 2


class CourseWalkers(NamedTuple):
    """Those who walk, float64 (A,) each: see `StartState`, `PlannerPreferences` and `PathAhead`."""

    speed: Float64
    wanted_speed: Float64
    lateral_jerk: Float64
    off_line: Float64
    side: Float64
    comfortable_deceleration: Float64
    lateral_acceleration: Float64
    step: Float64


class PathsAhead(NamedTuple):
    """Their paths, float64 (A, K) each: see `PathAhead`."""

    x: Float64
    y: Float64
    cos: Float64
    sin: Float64
    bend: Float64
    bend_rate: Float64
    target: Float64
    walk_low: Float64
    walk_high: Float64


class Weights(NamedTuple):
    """Weights and limits: see `CourseSettings` and `PlannerSettings`."""

    wrong_side: float
    widest_scale: float
    least_scale: float
    cost_beyond_centre: float
    reaction_time: float
    hard_turn: float
    cost_hard_turn: float
    off_width: float


def swinging(bend: Float64, d: Float64) -> Bool:
    """Bool (A,), whose courses, float64 (A, M, K), lie on the outer side of a bend anywhere."""
    found = np.zeros(len(d), dtype=np.bool_)
    run_over(len(d), _swing_all, bend, d, found, serial_below=_SERIAL_BELOW)
    return found


def evaluate(
    walkers: CourseWalkers, ahead: PathsAhead, course: tuple[Float64, ...], free: Bool, weights: Weights
) -> tuple[Float64, Float64]:
    """Evaluate courses.

    Args:
        walkers: A of them.
        ahead: their paths.
        course: d, d', d'', float64 (A, M, K) each.
        free: bool (A,), for whom swinging out is more costly.
        weights: of costs.

    Returns:
        Rate, walked distance, curvature, x and y, float64 (5, A, M, K); and float64 (3, A, M), the cost, the greatest
        distance outside the width, and what is missing of the least scale.
    """
    shape = course[0].shape
    nodes, values = np.empty((5, *shape)), np.empty((3, *shape[:2]))
    rows = shape[0] * shape[1]
    run_over(rows, _evaluate_all, walkers, ahead, course, (free, weights), (nodes, values), serial_below=_SERIAL_BELOW)
    return nodes, values


def warm_up() -> None:
    """Compile."""
    one, nodes, course = np.ones(1), np.ones((1, 9)), np.ones((1, 1, 9))
    free = swinging(nodes, course)
    evaluate(CourseWalkers(*[one] * 8), PathsAhead(*[nodes] * 9), (course, course, course), free, Weights(*[1.0] * 8))


@part
def _sum(values, count):
    """The sum of so many values, 8 to 128."""
    a, b, c, d, e, f, g, h = values[:8]
    whole = count - count % 8
    for k in range(8, whole, 8):
        a, b, c, d = a + values[k], b + values[k + 1], c + values[k + 2], d + values[k + 3]
        e, f, g, h = e + values[k + 4], f + values[k + 5], g + values[k + 6], h + values[k + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for k in range(whole, count):
        total += values[k]
    return total


@part
def _power5(base):
    square = base * base
    return square * square * base


@entry
def _swing_all(begin, end, bend, d, found):
    for a in range(begin, end):
        for m in range(d.shape[1]):
            for k in range(d.shape[2]):
                found[a] = found[a] or not 1.0 - bend[a, k] * d[a, m, k] <= 1.0


@part
def _lay(a, m, ahead, course, gap, nodes):
    """Write how a course lies in the plane."""
    rate, walked, curvature, x, y = nodes
    half, so_far = 0.5 * gap, 0.0
    for k in range(course[0].shape[2]):
        d, d_prime, d_second = course[0][a, m, k], course[1][a, m, k], course[2][a, m, k]
        bend = ahead.bend[a, k]
        scale, scale_prime = 1.0 - bend * d, -(ahead.bend_rate[a, k] * d + bend * d_prime)
        rate[k] = math.sqrt(scale * scale + d_prime * d_prime)
        turning = (d_second * scale - scale_prime * d_prime) / (rate[k] * rate[k]) + bend
        curvature[k] = abs(turning / rate[k])
        if k:
            so_far = half * (rate[k] + rate[k - 1]) if k == 1 else so_far + half * (rate[k] + rate[k - 1])
        walked[k] = so_far
        x[k], y[k] = ahead.x[a, k] - ahead.sin[a, k] * d, ahead.y[a, k] + ahead.cos[a, k] * d


@part
def sharpest_beside(bend, k):
    """The greatest and the least curvature of a line around a node."""
    sharpest = opposite = bend[k]
    for near in range(max(k - _NEIGHBOUR_NODES, 0), min(k + _NEIGHBOUR_NODES, len(bend) - 1) + 1):
        sharpest, opposite = max(sharpest, bend[near]), min(opposite, bend[near])
    return sharpest, opposite


@part
def _jerk(second, gap, buffer):
    """The sum of the squared changes of the second derivative."""
    for k in range(len(second) - 1):
        change = (second[k + 1] - second[k]) / gap
        buffer[k] = change * change
    return _sum(buffer, len(second) - 1)


@part
def _off_line(offset, weight, side, wrong_side):
    cost = weight * (2.0 * (math.sqrt(1.0 + offset * offset) - 1.0))
    return cost * (1.0 + wrong_side) if side != 0.0 and offset * side < 0.0 else cost


@entry
def _evaluate_all(begin, end, walkers, ahead, course, judged, found):
    (free, weights), (nodes, values), (_, count, last) = judged, found, course[0].shape
    off, outside = np.empty(last), np.empty(last)
    for row in range(begin, end):
        a, m = row // count, row % count
        gap, speed, d = walkers.step[a], walkers.speed[a], course[0][a, m]
        _lay(a, m, ahead, course, gap, (nodes[0, a, m], nodes[1, a, m], nodes[2, a, m], nodes[3, a, m], nodes[4, a, m]))
        pace = max(speed, 0.5 * walkers.wanted_speed[a], 0.3)
        cost = walkers.lateral_jerk[a] * _power5(pace) * gap * _jerk(course[2][a, m], gap, off)
        most_outside, beyond, hardest = 0.0, 0.0, -math.inf
        for k in range(last):
            off[k] = _off_line(d[k] - ahead.target[a, k], walkers.off_line[a], walkers.side[a], weights.wrong_side)
            if free[a]:
                scale = 1.0 - ahead.bend[a, k] * d[k]
                off[k] *= _power5(min(max(scale, 1.0), weights.widest_scale))
            outside[k] = max(ahead.walk_low[a, k] - d[k], d[k] - ahead.walk_high[a, k], 0.0)
            most_outside = max(most_outside, outside[k])
            sharpest, opposite = sharpest_beside(ahead.bend[a], k)
            least = 1.0 - max(sharpest * d[k], opposite * d[k])
            beyond = max(beyond, weights.least_scale - least)
            braked = max(nodes[1, a, m, k] - weights.reaction_time * speed, 0.0)
            squared = speed * speed - 2.0 * walkers.comfortable_deceleration[a] * braked
            hardest = max(hardest, squared * nodes[2, a, m, k])
        cost = cost + _sum(off, last) / last
        cost = cost + weights.off_width * (_sum(outside, last) / last)
        cost = cost + weights.cost_beyond_centre * beyond
        hardest = hardest / (weights.hard_turn * walkers.lateral_acceleration[a])
        values[0, a, m] = cost + weights.cost_hard_turn * max(hardest - 1.0, 0.0)
        values[1, a, m], values[2, a, m] = most_outside, beyond
