# SPDX-License-Identifier: GPL-3.0-or-later
"""The cheapest speed profile along a course: parts that are twins of `core.planning.speed_profiles`.

Candidates are tried in the order of their least cost, until no other can be cheaper.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...array_types import Float64
from ..circular import log
from ..compiling import part
from .courses import sharpest_beside

_NEWTON_STEPS = 8
SAMPLES = 8
"""Moments at which limits are checked: numpy adds up so many in pairs."""


class SpeedWalkers(NamedTuple):
    """Those who walk: float64 (A,) each, see `StartState` and `PlannerPreferences`; `step` of `PathAhead`."""

    s: Float64
    speed: Float64
    acceleration: Float64
    wanted_speed: Float64
    stop_at: Float64
    lateral_acceleration: Float64
    max_acceleration: Float64
    max_deceleration: Float64
    comfortable_deceleration: Float64
    jerk: Float64
    slowness: Float64
    step: Float64


class Tried(NamedTuple):
    """What is tried: see `SpeedSettings`."""

    cruise_times: Float64
    cruise_shares: Float64
    stop_times: Float64
    stop_ratios: Float64
    longest_stop: float
    weight_stop_time: float
    stop_time_scale: float
    horizon: float
    limit_horizon: float
    stop_margin: float
    excess: float


@part
def _cap_of(person, walked, bend, rate, step, squared):
    """Write the squares of the allowed speed at even walked distances; return the distance to the end."""
    s, speed, wanted, stop_at, lateral, braking = person
    nodes, last = len(walked), len(walked) - 1
    top = max(wanted, speed)
    fast = 4.0 * top * top + 1.0
    by_node = np.empty(nodes)
    least = math.inf
    for k in range(last, -1, -1):
        sharpest, _ = sharpest_beside(bend, k)
        gained = 2.0 * braking * walked[k]
        least = min(least, min(lateral / max(sharpest, 1e-6), fast) + gained)
        by_node[k] = least - gained
    spacing, after = walked[last] / last, 0
    for k in range(nodes):
        even = spacing * k
        while after < nodes and walked[after] <= even:
            after += 1
        at = min(max(after, 1), last)
        low, high = walked[at - 1], walked[at]
        share = min(max((even - low) / (high - low), 0.0), 1.0)
        squared[k] = by_node[at - 1] + share * (by_node[at] - by_node[at - 1])
    return _walked_distance(step, walked, rate, stop_at - s)


@part
def _walked_distance(step, walked, rate, distance):
    last = len(walked) - 1
    if distance > last * step:
        return math.inf
    ahead = min(max(distance / step, 0.0), last * 1.0)
    node = min(int(ahead), last - 1)
    gap = walked[node + 1] - walked[node]
    target, share = (ahead - node) * step, ahead - node
    first, second = min(gap / rate[node], 3.0 * step), min(gap / rate[node + 1], 3.0 * step)
    cubic, square = first + second - 2.0 * step, 3.0 * step - 2.0 * first - second
    for _ in range(_NEWTON_STEPS):
        error = share * (first + share * (square + share * cubic)) - target
        steep = first + share * (2.0 * square + 3.0 * cubic * share)
        share = min(max(share - error / max(steep, 1e-9), 0.0), 1.0)
    return walked[node] + share * gap


@part
def _allowed(squared, cap, walked):
    """Allowed speed after a walked distance."""
    spacing, stop, top, braking = cap
    place = min(max(walked / spacing, 0.0), len(squared) - 1.001)
    whole = int(place)
    at = squared[whole] + (place - whole) * (squared[whole + 1] - squared[whole])
    return min(math.sqrt(min(at, 2.0 * braking * max(stop - walked, 0.0))), top)


@part
def _reached(speed, acceleration, end_speed, span):
    return span * (0.5 * (speed + end_speed) + span * acceleration / 12.0)


@part
def _list_candidates(squared, cap, motion, tried, found):
    """Write distances, end speeds and times; return how many."""
    begin, change, wanted = motion
    stop, count = cap[1], 0
    for span in tried.cruise_times:
        for share in tried.cruise_shares:
            speed = wanted * share
            for _ in range(2):
                speed = min(speed, _allowed(squared, cap, _reached(begin, change, speed, span)))
            found[0, count], found[1, count], found[2, count] = _reached(begin, change, speed, span), speed, span
            count += 1
    if stop < math.inf:
        for k in range(len(tried.stop_times) + len(tried.stop_ratios)):
            if k < len(tried.stop_times):
                span = tried.stop_times[k]
            else:
                span = tried.stop_ratios[k - len(tried.stop_times)] * stop / max(begin, 0.1)
                span = min(max(span, tried.stop_times[0]), tried.longest_stop)
            found[0, count], found[1, count], found[2, count] = stop, 0.0, span
            count += 1
    return count


@part
def _bound(coefficients, candidate, stop, weights, tried):
    """Cost of jerk and slowness of a candidate."""
    distance, end_speed, span = candidate
    wanted, jerk, slowness = weights
    rough = jerk * squared_jerk(coefficients, span)
    if stop < math.inf:
        time = span + max(stop - distance, 0.0) / max(end_speed, 0.02)
        scale = tried.stop_time_scale
        return rough + slowness * (tried.weight_stop_time * (wanted * wanted) * scale * log(1.0 + time / scale))
    off = squared_difference(coefficients, wanted, min(span, tried.horizon))
    off = off + (end_speed - wanted) * (end_speed - wanted) * max(tried.horizon - span, 0.0)
    return rough + slowness * off


@part
def _excess(squared, cap, coefficients, candidate, limits, tried):
    """Cost of the limits that a candidate exceeds."""
    _, end_speed, span = candidate
    most, hardest = limits
    each = np.empty(SAMPLES)
    for k in range(SAMPLES):
        time = (tried.limit_horizon / SAMPLES) * (k + 0.5)
        until = min(time, span)
        distance, speed, acceleration = value_and_slopes(coefficients, until)
        distance = distance + (time - until) * end_speed
        over = max(speed - _allowed(squared, cap, distance), -speed, 0.0) + max(distance - cap[1], 0.0)
        hard = max(acceleration - most, -acceleration - hardest, 0.0)
        each[k] = over * (1.0 + over) + hard * hard
    total = ((each[0] + each[1]) + (each[2] + each[3])) + ((each[4] + each[5]) + (each[6] + each[7]))
    return tried.excess * (total / SAMPLES)


@part
def least_cost(walkers, a, tried):
    """A lower bound of the cost of any profile, whatever the course: see `speed_profiles.least_cost`."""
    begin, change, wanted = walkers.speed[a], walkers.acceleration[a], walkers.wanted_speed[a]
    weights, lowest = (wanted, walkers.jerk[a], walkers.slowness[a]), math.inf
    for span in tried.cruise_times:
        slow = _cruise((begin, change, 0.0 * wanted), span, weights, tried)
        middle = _cruise((begin, change, 0.5 * wanted), span, weights, tried)
        fast = _cruise((begin, change, 1.0 * wanted), span, weights, tried)
        second, first = slow - 2.0 * middle + fast, 0.5 * (fast - slow)
        lowest = min(lowest, middle - 0.5 * first * first / max(second, 1e-12))
    return max(lowest, 0.0)


@part
def _cruise(motion, span, weights, tried):
    """Cost of a change to another speed within a time."""
    begin, change, speed = motion
    distance = _reached(begin, change, speed, span)
    made = quintic((0.0, begin, change), (distance, speed, 0.0), span)
    return _bound(made, (distance, speed, span), math.inf, weights, tried)


@part
def cheapest_profile(walkers, a, walk, tried, buffers, found):
    """Write the polynomial, its span and the end speed of a person on a course into (8,); return the cost.

    `walk` is the distance walked, the bend and the rate at the nodes, and how far the course is open.
    """
    (walked, bend, rate, open_for), (squared, candidates, bounds) = walk, buffers
    speed, change, wanted = walkers.speed[a], walkers.acceleration[a], walkers.wanted_speed[a]
    braking = walkers.comfortable_deceleration[a]
    person = walkers.s[a], speed, wanted, walkers.stop_at[a], walkers.lateral_acceleration[a], braking
    stop = _cap_of(person, walked, bend, rate, walkers.step[a], squared)
    stop = min(stop, max(open_for - tried.stop_margin, 0.0))
    cap = walked[-1] / (len(walked) - 1), stop, max(wanted, speed), braking
    count = _list_candidates(squared, cap, (speed, change, wanted), tried, candidates)
    weights = wanted, walkers.jerk[a], walkers.slowness[a]
    limits = walkers.max_acceleration[a], walkers.max_deceleration[a]
    for c in range(count):
        candidate = candidates[0, c], candidates[1, c], candidates[2, c]
        made = quintic((0.0, speed, change), (candidate[0], candidate[1], 0.0), candidate[2])
        bounds[c] = _bound(made, candidate, stop, weights, tried)
    least = math.inf
    for _ in range(count):
        c = np.argmin(bounds[:count])
        if not bounds[c] < least:
            break
        candidate = candidates[0, c], candidates[1, c], candidates[2, c]
        made = quintic((0.0, speed, change), (candidate[0], candidate[1], 0.0), candidate[2])
        cost = bounds[c] + _excess(squared, cap, made, candidate, limits, tried)
        if cost < least:
            least = cost
            for number in range(6):
                found[number] = made[number]
            found[6], found[7] = candidate[2], candidate[1]
        bounds[c] = math.inf
    return least


# Twins of `core.planning.candidates.polynomials`.


@part
def quintic(start, end, t):
    """The coefficients of the polynomial from one state to another within a span."""
    (x0, v0, a0), (x1, v1, a1) = start, end
    x = x1 - (x0 + t * (v0 + 0.5 * t * a0))
    v = t * (v1 - (v0 + t * a0))
    a = t * t * (a1 - a0)
    t3 = t * t * t
    third, fourth = (10.0 * x - 4.0 * v + 0.5 * a) / t3, (-15.0 * x + 7.0 * v - a) / (t3 * t)
    return x0, v0, 0.5 * a0, third, fourth, (6.0 * x - 3.0 * v + 0.5 * a) / (t3 * t * t)


@part
def value_and_slopes(coefficients, x):
    """Value, slope and second derivative."""
    c0, c1, c2, c3, c4, c5 = coefficients
    value = c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))))
    slope = c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * (5.0 * c5))))
    return value, slope, 2.0 * c2 + x * (6.0 * c3 + x * (12.0 * c4 + x * (20.0 * c5)))


@part
def squared_jerk(coefficients, t):
    """Integral of the squared third derivative from 0 to t."""
    _, _, _, c3, c4, c5 = coefficients
    a, b, c = 6.0 * c3, 24.0 * c4, 60.0 * c5
    return t * (a * a + t * (a * b + t * ((b * b + 2.0 * a * c) / 3.0 + t * (0.5 * b * c + t * (c * c / 5.0)))))


@part
def squared_difference(coefficients, wanted, t):
    """Integral of the squared difference between the slope and a target, from 0 to t."""
    _, c1, c2, c3, c4, c5 = coefficients
    a, b, c = c1 - wanted, 2.0 * t * c2, 3.0 * t * t * c3
    d, e = 4.0 * t * t * t * c4, 5.0 * t * t * t * t * c5
    even = a * a + (b * b + 2.0 * a * c) / 3.0 + (c * c + 2.0 * (a * e + b * d)) / 5.0 + (d * d + 2.0 * c * e) / 7.0
    odd = a * b + 0.5 * (a * d + b * c) + (b * e + c * d) / 3.0 + 0.25 * d * e
    return t * (even + e * e / 9.0 + odd)
