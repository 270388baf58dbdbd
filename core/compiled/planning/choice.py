# SPDX-License-Identifier: GPL-3.0-or-later
"""Which course and which speed profile each person takes: a twin of `core.planning.choice`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ..compiling import copy_into, each_row, part, run_over
from ..frames import PathRows, bend_at, is_missing, numbers_of
from .courses import rate_and_bend
from .speeds import SAMPLES, SpeedWalkers, Tried, cheapest_profile, least_cost, quintic, value_and_slopes

__all__ = ["SAMPLES", "Ranked", "Rules", "SpeedWalkers", "Tried", "choose"]

_PIECES = 4  # of the way between two nodes, of an uneven course


class Ranked(NamedTuple):
    """P courses, see `Courses`, and which of them are whose.

    Attributes:
        d, d_prime, d_second, rate, walked, bend: float64 (P, K).
        open_for, cost: float64 (P,).
        measured: bool (P,).
        order: int64 (P,), the courses of each person one after another, the cheapest first.
        first: int64 (A + 1,), where those of each person begin in it.
    """

    d: Float64
    d_prime: Float64
    d_second: Float64
    rate: Float64
    walked: Float64
    bend: Float64
    open_for: Float64
    cost: Float64
    measured: Bool
    order: Int64
    first: Int64


class Rules(NamedTuple):
    """How is chosen.

    Attributes:
        uneven_rate: see `CourseSettings`.
        tolerance: courses that differ by less are one [m].
        traced: nodes of uneven courses between which they are evaluated more closely.
    """

    uneven_rate: float
    tolerance: float
    traced: int


Found = tuple[Float64, Float64, Bool]
"""Of A people d, d', d'', rate and walked distance, float64 (5, A, K); the polynomial, its span and the end speed,
float64 (A, 8); uneven, collides, whether rows of the path are missing, and who may be better off with a course that
is not measured, bool (4, A)."""


def no_choice(people: int, nodes: int) -> Found:
    """What `choose` is to fill, for so many people and nodes of a course."""
    return np.empty((5, people, nodes)), np.zeros((people, 8)), np.zeros((4, people), dtype=np.bool_)


def choose(
    ways: tuple[PathRows, Int64],
    who: Int64,
    walkers: SpeedWalkers,
    courses: Ranked,
    rules: tuple[Rules, Tried],
    found: Found,
) -> None:
    """Choose for some of A people.

    Args:
        ways: rows of paths, and the path of each, int64 (A,).
        who: int64 (N,), for whom.
        walkers: who walk.
        courses: theirs, at least one each.
        rules: of the choice, and which speed profiles are tried.
        found: what is found.
    """
    given = ways, who, walkers, courses, rules, found
    run_over(len(who), _choose_all, *given)


def warm_up() -> None:
    """Compile."""
    one, none, two = np.ones(1), np.zeros(1, dtype=np.int64), np.array([0, 1])
    paths = PathRows(one, 0.0 * one, one, none + 1, none - 1, none + 1, none - 1, none + 1, np.zeros((5, 4)))
    nodes = np.arange(1.0, 4.0)[None]
    courses = Ranked(nodes, nodes, nodes, nodes, nodes, nodes, one, one, one > 0.0, none, two)
    tried = Tried(one, one, one, one, 6.0, 0.5, 3.0, 2.4, 1.2, 0.02, 200.0)
    rules = Rules(0.03, 0.005, 2), tried
    choose((paths, none), none, SpeedWalkers(*[one] * 12), courses, rules, no_choice(1, 3))


@each_row(takes=12.0)
def _choose_all(begin, end, ways, who, walkers, courses, both, found):
    (paths, path_of), (nodes, speeds, flags), (rules, tried), last = ways, found, both, courses.d.shape[1] - 1
    most = len(tried.cruise_times) * len(tried.cruise_shares) + len(tried.stop_times) + len(tried.stop_ratios)
    buffers, profile = (np.empty(last + 1), np.empty((3, most)), np.empty(most)), np.empty(8)
    walked, bend = np.empty(last + 1), np.empty(last + 1)
    for k in range(begin, end):
        a = who[k]
        own, number, step = courses.order[courses.first[a] : courses.first[a + 1]], path_of[a], walkers.step[a]
        path = numbers_of(paths, number)
        far = walkers.s[a] + step * (rules.traced - 1)
        low, high = paths.low[number], paths.high[number]
        flags[2, a] = is_missing(path, low, high, walkers.s[a], 0) or is_missing(path, low, high, far, 0)
        if flags[2, a]:
            continue
        choice = own[0]
        line = paths.columns, path, walkers.s[a], step
        uneven, open_for = _refine(line, courses, choice, rules, walked, bend)
        walk = walked, bend, courses.rate[choice], open_for
        least = limit = courses.cost[choice] + cheapest_profile(walkers, a, walk, tried, buffers, speeds[a])
        bound, flags[3, a] = 0.0, False
        if walkers.stop_at[a] - walkers.s[a] > step * last:
            bound = least_cost(walkers, a, tried)
        for rank in range(1, len(own)):
            c = own[rank]
            limit = least if rank <= 2 else limit  # the third and all after it are tried together
            if not courses.cost[c] + bound < limit or _apart(courses.d[c], courses.d[own[0]]) <= rules.tolerance:
                continue
            if not courses.measured[c]:
                flags[3, a] = True
                break
            walk = courses.walked[c], courses.bend[c], courses.rate[c], courses.open_for[c]
            total = courses.cost[c] + cheapest_profile(walkers, a, walk, tried, buffers, profile)
            if total < least:
                choice, least = c, total
                copy_into(speeds[a], profile)
        if choice != own[0]:
            uneven, open_for = _refine(line, courses, choice, rules, walked, bend)
        flags[0, a], flags[1, a] = uneven, open_for < math.inf
        copy_into(nodes[0, a], courses.d[choice])
        copy_into(nodes[1, a], courses.d_prime[choice])
        copy_into(nodes[2, a], courses.d_second[choice])
        copy_into(nodes[3, a], courses.rate[choice])
        copy_into(nodes[4, a], walked)


@part
def _apart(d, other):
    """The greatest distance between two courses."""
    most = 0.0
    for k in range(len(d)):
        most = max(most, abs(d[k] - other[k]))
    return most


@part
def _refine(line, courses, c, rules, walked, bend):
    """Write the distances walked and bends of a course, of an uneven one by what is between its nodes.

    Returns whether it is uneven, and for how far it is open.
    """
    rate, open_for = courses.rate[c], courses.open_for[c]
    copy_into(walked, courses.walked[c])
    copy_into(bend, courses.bend[c])
    most = 0.0
    for k in range(rules.traced - 1):
        most = max(most, abs(rate[k + 1] - rate[k]))
    if not most > rules.uneven_rate:
        return False, open_for
    (_, _, _, step), last = line, rules.traced - 1
    rates, bends = _trace(line, (courses.d[c], courses.d_prime[c], courses.d_second[c]), last)
    so_far, half = 0.0, 0.5 * (step / _PIECES)
    for k in range(len(rates)):
        if k:
            so_far += half * (rates[k] + rates[k - 1])
        if k % _PIECES == 0:
            walked[k // _PIECES] = so_far
            sharpest = 0.0
            for near in range(max(k - _PIECES // 2, 0), min(k + _PIECES // 2, len(rates) - 1) + 1):
                sharpest = max(sharpest, bends[near])
            bend[k // _PIECES] = sharpest
    more = walked[last] - courses.walked[c, last]
    for k in range(last + 1, len(walked)):
        walked[k] = courses.walked[c, k] + more
    return True, open_for * (courses.walked[c, -1] + more) / courses.walked[c, -1]


@part
def _trace(line, course, last):
    """Distance walked per metre of path and absolute curvature, at nodes and between them: see `course_tracing`."""
    (columns, path, s, step), (d, d_prime, d_second) = line, course
    rates, bends = np.empty(_PIECES * last + 1), np.empty(_PIECES * last + 1)
    for node in range(last + 1):
        own = d[node], d_prime[node], d_second[node]
        made = quintic(own, (d[node + 1], d_prime[node + 1], d_second[node + 1]), step)
        for piece in range(_PIECES if node < last else 1):
            k = _PIECES * node + piece
            if node < last:
                own = value_and_slopes(made, step * (piece / _PIECES))
            bend, bend_rate = bend_at(columns, path, s + step / _PIECES * k)
            rates[k], bends[k] = rate_and_bend(bend, bend_rate, own[0], own[1], own[2])
    return rates, bends
