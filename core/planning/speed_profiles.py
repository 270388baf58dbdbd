# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds along a chosen course: quintics in the way really walked, kept under what bends, ends and obstacles allow.

Candidates are one family, polynomials of fifth degree: to a speed that is then held (cruising), or to rest at a given
place (stopping). Arrays are (A agents, L candidates, ...).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.reproducible_math import log
from .arc_length import walked_at
from .candidates.lateral_courses import NODES, Ahead, Courses, Start
from .polynomials import evaluate, quintic, reached_cruising, squared_difference, squared_jerk
from .preferences import PlannerPreferences
from .settings import PlannerSettings

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Candidates = tuple[Float64, Float64, Float64]

_TIMES = np.array([0.5, 0.8, 1.2, 1.7, 2.4])  # [s] to reach a cruising speed
_SHARES = np.array([1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.1, 0.0])  # of the wanted speed
_STOP_TIMES = np.array([0.3, 0.4, 0.55, 0.75, 1.0, 1.35, 1.8, 2.4, 3.2])  # [s]
_STOP_PACES = np.array([1.6, 1.8, 2.0, 2.25, 2.6])  # stopping time over that of going on at this speed
_LINGERING = 0.5  # weight of the time it takes to get to the stop, beside that of slowness
_AGES = 3.0  # [s] from about which on longer times count less and less
_HORIZON = 2.4  # [s] over which speeds are judged
_WATCHED = 1.2  # [s] over which limits are watched: the speed allowed already leaves room to brake for what is beyond
_TICKS = 8
_NEXT = 2  # nodes to each side whose bend already limits the speed
_STOP_SHORT = 0.02  # [m] before what is in the way
_FEW = 8  # candidates that are looked at closely first


@dataclass(frozen=True, eq=False)
class Speeds:
    """One way of walking a course for each agent.

    Attributes:
        polynomial: float64 (6, A), way walked as a function of time.
        span: float64 (A,), time from which on `end_speed` is held [s].
        end_speed: float64 (A,) [m/s].
        cost: float64 (A,).
    """

    polynomial: Float64
    span: Float64
    end_speed: Float64
    cost: Float64

    @classmethod
    def empty(cls, count: int) -> Speeds:
        """Room for those of `count` agents, who stand until told otherwise."""
        return cls(np.zeros((6, count)), np.zeros(count), np.zeros(count), np.zeros(count))

    def rows(self, rows: Int64) -> Speeds:
        """These alone."""
        return Speeds(self.polynomial[:, rows], self.span[rows], self.end_speed[rows], self.cost[rows])

    def put(self, rows: Int64, other: Speeds) -> None:
        """Replace those of some agents by the others, in their order."""
        self.polynomial[:, rows] = other.polynomial
        self.span[rows], self.end_speed[rows], self.cost[rows] = other.span, other.end_speed, other.cost


@dataclass(frozen=True, eq=False)
class _Cap:
    """The square of the speed allowed, at even distances along the way walked, and where to be at rest."""

    squared: Float64  # (A, G)
    spacing: Float64  # (A,)
    stop: Float64  # (A,)
    top: Float64  # (A,)
    braking: Float64  # (A,)

    def rows(self, rows: Int64) -> _Cap:
        """The caps of these agents alone."""
        return _Cap(self.squared[rows], self.spacing[rows], self.stop[rows], self.top[rows], self.braking[rows])

    def at(self, walked: Float64) -> Float64:
        """Speed allowed after ways walked, float64 (A, ...)."""
        shape = (-1, *(1,) * (walked.ndim - 1))
        place = np.clip(walked / self.spacing.reshape(shape), 0.0, self.squared.shape[1] - 1.001)
        whole = place.astype(np.int64)
        flat = whole + (np.arange(len(walked)) * self.squared.shape[1]).reshape(shape)
        low, high = self.squared.ravel()[flat], self.squared.ravel()[flat + 1]
        squared = low + (place - whole) * (high - low)
        before_stop = 2.0 * self.braking.reshape(shape) * np.maximum(self.stop.reshape(shape) - walked, 0.0)
        return np.minimum(np.sqrt(np.minimum(squared, before_stop)), self.top.reshape(shape))


def least_cost(start: Start, ahead: Ahead) -> Float64:
    """What walking costs an agent at least, whatever the course.

    Cruising costs are a parabola in the end speed; its lowest point, over the times, bounds them from below. Who has
    to stop may do so for less: nothing is said about them.

    Args:
        start: the agents.
        ahead: their paths.

    Returns:
        float64 (A,).
    """
    begin, change = start.speed[:, None], start.acceleration[:, None]
    cost = []
    for share in (0.0, 0.5, 1.0):
        speed = share * start.wanted_speed[:, None]
        way = reached_cruising(begin, change, speed, _TIMES)
        polynomials = quintic((0.0, begin, change), (way, speed, 0.0), _TIMES)
        cost.append(_smoothness(start, (polynomials, _TIMES, speed)))
    second, first = cost[0] - 2.0 * cost[1] + cost[2], 0.5 * (cost[2] - cost[0])
    lowest = np.min(cost[1] - 0.5 * first * first / np.maximum(second, 1e-12), axis=1)
    far_from_end = start.stop_at - start.s > ahead.way[:, -1]
    return np.where(far_from_end, np.maximum(lowest, 0.0), 0.0)


def plan_speeds(start: Start, ahead: Ahead, course: Courses, settings: PlannerSettings) -> Speeds:
    """Choose how fast to walk a course.

    The costs of jerk and slowness have a closed form and bound the cost from below. The rest, what limits a candidate
    breaks, is worked out for the cheapest few, and for the others only where those turn out dearer than a bound.

    Args:
        start: the agents.
        ahead: their paths.
        course: one course per agent, arrays (A, K).
        settings: weights and limits.

    Returns:
        The cheapest candidate of each agent: there is always one.
    """
    cap = _speed_cap(start, ahead, course)
    way, speed, span = _candidates(start, cap)
    polynomials = quintic((0.0, start.speed[:, None], start.acceleration[:, None]), (way, speed, 0.0), span)
    bound = _smoothness(start, (polynomials, span, speed))
    stops = np.flatnonzero(np.isfinite(cap.stop))
    if len(stops):
        lingering = _lingering(start.rows(stops), cap.stop[stops], (way[stops], speed[stops], span[stops]))
        jerk = start.manners.jerk[stops, None] * squared_jerk(polynomials[:, stops], span[stops])
        bound[stops] = jerk + start.manners.slowness[stops, None] * lingering
    order = np.argsort(bound, axis=1, kind="stable")
    rows = np.arange(len(order))
    best, cost = np.zeros(len(order), dtype=np.int64), np.full(len(order), np.inf)
    for first, last in ((0, _FEW), (_FEW, order.shape[1])):
        rows = rows[bound[rows, order[rows, first]] < cost[rows]]
        some = order[rows, first:last]
        at = rows[:, None], some
        candidates = polynomials[:, rows[:, None], some], span[at], speed[at]
        own = bound[at] + _excess(cap.rows(rows), candidates, start.manners.rows(rows), settings)
        cheapest = np.argmin(own, axis=1)
        own = own[np.arange(len(rows)), cheapest]
        better = own < cost[rows]
        best[rows[better]], cost[rows[better]] = some[better, cheapest[better]], own[better]
    rows = np.arange(len(order))
    return Speeds(polynomials[:, rows, best], span[rows, best], speed[rows, best], cost)


def _speed_cap(start: Start, ahead: Ahead, course: Courses) -> _Cap:
    """What bends allow, with room to brake before each, told at even distances."""
    top = np.maximum(start.wanted_speed, start.speed)
    fast = 4.0 * top * top + 1.0  # stands for no limit: more would spoil the values between nodes
    manners = start.manners
    bend = np.pad(course.bend, ((0, 0), (_NEXT, _NEXT)), mode="edge")  # the sharpest may lie between two nodes
    bend = np.maximum.reduce([bend[:, k : k + NODES] for k in range(2 * _NEXT + 1)])
    squared = manners.lateral_acceleration[:, None] / np.maximum(bend, 1e-6)
    squared = np.minimum(squared, fast[:, None])
    # what braking up to there takes off the square
    gained = 2.0 * manners.comfortable_deceleration[:, None] * course.walked
    squared = np.minimum.accumulate((squared + gained)[:, ::-1], axis=1)[:, ::-1] - gained
    spacing = course.walked[:, -1] / (NODES - 1)
    even = spacing[:, None] * np.arange(NODES)
    after = np.clip(np.sum(course.walked[:, None, :] <= even[..., None], axis=-1), 1, NODES - 1)
    low, high = (np.take_along_axis(course.walked, after + k, axis=1) for k in (-1, 0))
    share = np.clip((even - low) / (high - low), 0.0, 1.0)
    low, high = (np.take_along_axis(squared, after + k, axis=1) for k in (-1, 0))
    end = walked_at(ahead.step, course.walked, course.rate, start.stop_at - start.s)
    stop = np.minimum(end, np.maximum(course.open_for - _STOP_SHORT, 0.0))
    return _Cap(low + share * (high - low), spacing, stop, top, manners.comfortable_deceleration)


def _candidates(start: Start, cap: _Cap) -> Candidates:
    """Ways, end speeds and times, float64 (A, L) each.

    Cruising: shares of the wanted speed, no more than allowed at the place where they lead. Stopping, where somebody
    has to: at rest at the stop within times of which some are fixed and some depend on how far it is.
    """
    cruise_span = np.repeat(_TIMES, len(_SHARES))[None, :]
    speed = start.wanted_speed[:, None] * np.tile(_SHARES, len(_TIMES))
    begin, change = start.speed[:, None], start.acceleration[:, None]
    for _ in range(2):
        way = reached_cruising(begin, change, speed, cruise_span)
        speed = np.minimum(speed, cap.at(way))
    way = reached_cruising(begin, change, speed, cruise_span)
    found = way, speed, np.broadcast_to(cruise_span, speed.shape)
    if np.any(np.isfinite(cap.stop)):
        found = _add(found, _stopping(start, cap), np.isfinite(cap.stop))
    return found


def _add(found: Candidates, more: Candidates, rows: NDArray[np.bool_]) -> Candidates:
    """Candidates of some kind besides those found; who has none of it has the first once more in their places."""
    both = ((old, np.where(rows[:, None], new, old[:, :1])) for old, new in zip(found, more, strict=True))
    way, speed, span = (np.concatenate(pair, axis=1) for pair in both)
    return way, speed, span


def _stopping(start: Start, cap: _Cap) -> Candidates:
    """Candidates that are at rest at the stop, for those who have one."""
    stop = np.where(np.isfinite(cap.stop), cap.stop, 0.0)[:, None]
    by_pace = _STOP_PACES * stop / np.maximum(start.speed[:, None], 0.1)
    fixed = np.broadcast_to(_STOP_TIMES, (len(stop), len(_STOP_TIMES)))
    span = np.concatenate((fixed, np.clip(by_pace, _STOP_TIMES[0], 6.0)), axis=1)
    return np.broadcast_to(stop, span.shape), np.zeros_like(span), span


def _smoothness(start: Start, candidates: Candidates) -> Float64:
    """Cost of jerk and slowness of each candidate, float64 (A, L)."""
    polynomials, span, end_speed = candidates
    wanted = start.wanted_speed[:, None]
    off = squared_difference(polynomials, wanted, np.minimum(span, _HORIZON))
    off = off + (end_speed - wanted) ** 2 * np.maximum(_HORIZON - span, 0.0)
    return start.manners.jerk[:, None] * squared_jerk(polynomials, span) + start.manners.slowness[:, None] * off


def _lingering(start: Start, stop: Float64, candidates: Candidates) -> Float64:
    """Cost of the time until the stop is reached, float64 (A, L): what counts in place of slowness where there is one.

    The way left is the same for all. If slowness counted, to creep there would be better than to be there.
    """
    way, end_speed, span = candidates
    time = span + np.maximum(stop[:, None] - way, 0.0) / np.maximum(end_speed, 0.02)
    return _LINGERING * (start.wanted_speed**2)[:, None] * _AGES * log(1.0 + time / _AGES)


def _excess(cap: _Cap, candidates: Candidates, manners: PlannerPreferences, settings: PlannerSettings) -> Float64:
    """Cost of the limits that each candidate breaks, float64 (A, L)."""
    polynomials, span, end_speed = candidates
    time: Float64 = (_WATCHED / _TICKS) * (np.arange(_TICKS, dtype=np.float64) + 0.5)
    until = np.minimum(time, span[..., None])
    way, speed, acceleration = evaluate(polynomials[..., None], until)
    way = way + (time - until) * end_speed[..., None]
    over = np.maximum(speed - cap.at(way), np.maximum(-speed, 0.0)) + np.maximum(way - cap.stop[:, None, None], 0.0)
    most, hardest = (limit[:, None, None] for limit in (manners.max_acceleration, manners.max_deceleration))
    hard = np.maximum(acceleration - most, -acceleration - hardest)
    hard = np.maximum(hard, 0.0)
    return settings.excess * np.mean(over * (1.0 + over) + hard * hard, axis=-1)
