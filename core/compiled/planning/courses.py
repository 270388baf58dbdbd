# SPDX-License-Identifier: GPL-3.0-or-later
"""How courses lie in the plane and what they cost: a twin of `core.planning.candidates.lateral_courses`.

Sums are added up in the order of numpy's: eight at a time, and these in pairs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64
from ..compiling import each_row, part, run_over

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
    run_over(len(d), _swing_all, bend, d, found)
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
    run_over(rows, _evaluate_all, walkers, ahead, course, (free, weights), (nodes, values))
    return nodes, values


def boxes(x: Float64, y: Float64, every: int) -> Float64:
    """What pieces of so many nodes lie within, of all courses of each agent; see `clearance.may_be_near`.

    Args:
        x: float64 (A, M, K), of the nodes [m].
        y: likewise [m].
        every: nodes of a piece.

    Returns:
        float64 (4, A, P), least and greatest x, least and greatest y [m].
    """
    found = np.empty((4, len(x), -(-x.shape[2] // every)))
    run_over(len(x), _box_all, x, y, every, found)
    return found


def measure(
    radius: Float64, preferred: Float64, clear: Float64, walked: Float64, numbers: Float64
) -> tuple[Float64, Float64]:
    """How far courses are open and how near they come to obstacles, float64 (A, M) each; see `measure_clearance`.

    Args:
        radius: float64 (A,) [m].
        preferred: float64 (A,), clearance [m].
        clear: float64 (A, M, K), distances at the nodes [m].
        walked: float64 (A, M, K) [m].
        numbers: float64 (4,): the rounding of distances, `least_clearance`, `escape_slope`, `escape_delay`.
    """
    open_for, near = np.empty(clear.shape[:2]), np.empty(clear.shape[:2])
    run_over(len(clear), _measure_all, radius, preferred, clear, walked, numbers, (open_for, near))
    return open_for, near


def warm_up() -> None:
    """Compile."""
    one, nodes, course = np.ones(1), np.ones((1, 9)), np.ones((1, 1, 9))
    boxes(course, course, 4)
    measure(one, one, course, course, np.ones(4))
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


@each_row(takes=0.2)
def _swing_all(begin, end, bend, d, found):
    for a in range(begin, end):
        for m in range(d.shape[1]):
            for k in range(d.shape[2]):
                found[a] = found[a] or not 1.0 - bend[a, k] * d[a, m, k] <= 1.0


@part
def rate_and_bend(bend, bend_rate, d, d_prime, d_second):
    """Distance walked per metre of path, and absolute curvature of a course: see `frenet.course_geometry`."""
    scale, scale_prime = 1.0 - bend * d, -(bend_rate * d + bend * d_prime)
    rate = math.sqrt(scale * scale + d_prime * d_prime)
    turning = (d_second * scale - scale_prime * d_prime) / (rate * rate) + bend
    return rate, abs(turning / rate)


@part
def _lay(a, m, ahead, course, gap, nodes):
    """Write how a course lies in the plane."""
    rate, walked, curvature, x, y = nodes
    half, so_far = 0.5 * gap, 0.0
    for k in range(course[0].shape[2]):
        d, d_prime, d_second = course[0][a, m, k], course[1][a, m, k], course[2][a, m, k]
        bend = ahead.bend[a, k]
        rate[k], curvature[k] = rate_and_bend(bend, ahead.bend_rate[a, k], d, d_prime, d_second)
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
def off_line(offset, weight, side, wrong_side):
    """Cost of being off the preferred offset: see `lateral_courses.off_line_cost`."""
    cost = weight * (2.0 * (math.sqrt(1.0 + offset * offset) - 1.0))
    return cost * (1.0 + wrong_side) if side != 0.0 and offset * side < 0.0 else cost


@each_row(takes=2.5)
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
            off[k] = off_line(d[k] - ahead.target[a, k], walkers.off_line[a], walkers.side[a], weights.wrong_side)
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


@each_row(takes=0.4)
def _box_all(begin, end, x, y, every, found):
    for a in range(begin, end):
        for piece in range(found.shape[2]):
            left, right, below, above = math.inf, -math.inf, math.inf, -math.inf
            for m in range(x.shape[1]):
                for k in range(piece * every, min((piece + 1) * every, x.shape[2])):
                    left, right = min(left, x[a, m, k]), max(right, x[a, m, k])
                    below, above = min(below, y[a, m, k]), max(above, y[a, m, k])
            found[0, a, piece], found[1, a, piece] = left, right
            found[2, a, piece], found[3, a, piece] = below, above


@each_row(takes=0.15)
def _measure_all(begin, end, radius, preferred, clear, walked, numbers, found):
    rounding, least, slope, delay = numbers[0], numbers[1], numbers[2], numbers[3]
    (open_for, near), last = found, clear.shape[2]
    lacking = np.empty(last)
    for a in range(begin, end):
        body, needed = radius[a] + least, radius[a] + preferred[a] - rounding
        for m in range(clear.shape[1]):
            begun, before, after, first = clear[a, m, 0] - rounding, 0.0, 0.0, -1
            for k in range(last):
                if first < 0:
                    spare = clear[a, m, k] - min(body, begun + slope * max(walked[a, m, k] - delay, 0.0))
                    if spare < 0.0 and k > 0:
                        first, after = k, spare
                    elif spare < 0.0:  # at once: the piece after the first node counts
                        next_ = clear[a, m, 1] - min(body, begun + slope * max(walked[a, m, 1] - delay, 0.0))
                        first, before, after = 1, spare, next_
                    else:
                        before = spare
                missing = min(max((needed - clear[a, m, k]) / preferred[a], 0.0), 2.0)
                lacking[k] = missing * missing
            near[a, m], open_for[a, m] = _sum(lacking, last) / last, math.inf
            if first > 0:
                share = min(max(before / (before - after if before > after else 1.0), 0.0), 1.0)
                from_, to = walked[a, m, first - 1], walked[a, m, first]
                open_for[a, m] = from_ + share * (to - from_)
