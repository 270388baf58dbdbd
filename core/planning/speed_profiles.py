# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed profiles along a chosen course: quintics of the walked distance, limited by bends, path ends and obstacles.

Candidates are polynomials of fifth degree: to a speed that is then held (cruising), or to rest at a given place
(stopping), the two modes of Werling et al. 2010, section V. Arrays are (A agents, L candidates, ...).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.reproducible_math import log
from .candidates.arc_length import walked_distance_at
from .candidates.lateral_courses import Courses, around_nodes
from .candidates.path_ahead import COURSE_NODES, PathAhead, StartState
from .candidates.polynomials import evaluate, quintic, reached_cruising, squared_difference, squared_jerk
from .candidates.preferences import PlannerPreferences
from .candidates.settings import PlannerSettings, SpeedSettings

SpeedCandidates = tuple[Float64, Float64, Float64]

# Of the candidates, ordered by their bounds, part after part: mostly the first one is the cheapest.
_PARTS = slice(0, 1), slice(1, 4), slice(4, 12), slice(12, None)
_LEAST_BEND = 1e-6  # [1/m]
_MORE_THAN_TOP = 1.0 + 1e-6  # of the square of the top speed: who may be as fast everywhere is not slowed down


@dataclass(frozen=True, eq=False)
class Speeds:
    """One speed profile for each agent.

    Attributes:
        polynomial: float64 (6, A), walked distance as a function of time.
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
        """Profiles of `count` agents who stand, to be replaced."""
        return cls(np.zeros((6, count)), np.zeros(count), np.zeros(count), np.zeros(count))

    def rows(self, rows: Int64) -> Speeds:
        """These alone."""
        return Speeds(self.polynomial[:, rows], self.span[rows], self.end_speed[rows], self.cost[rows])

    def put(self, rows: Int64, other: Speeds) -> None:
        """Replace those of some agents by others, in their order."""
        self.polynomial[:, rows] = other.polynomial
        self.span[rows], self.end_speed[rows], self.cost[rows] = other.span, other.end_speed, other.cost


@dataclass(frozen=True, eq=False)
class _Cap:
    """The allowed speed after walked distances: the top speed, or less for those whom bends or a stop slow down."""

    squared: Float64  # (B, G), of those whom bends slow down: the square of the allowed speed at even walked distances
    number: Int64  # (A,), whose of these B it is; -1 for the others
    spacing: Float64  # (A,)
    stop: Float64  # (A,)
    top: Float64  # (A,)
    braking: Float64  # (A,)

    def rows(self, rows: Int64) -> _Cap:
        """The caps of these agents alone."""
        own = (each[rows] for each in (self.spacing, self.stop, self.top, self.braking))
        return _Cap(self.squared, self.number[rows], *own)

    def at(self, walked: Float64) -> Float64:
        """Allowed speed after walked distances, float64 (..., A)."""
        allowed = np.empty_like(walked)
        allowed[...] = self.top
        bends, stops = (self.number >= 0).nonzero()[0], np.isfinite(self.stop).nonzero()[0]
        if len(bends):
            squared = self._before_bends(bends, walked.take(bends, -1))
            allowed[..., bends] = np.minimum(np.sqrt(squared, out=squared), self.top[bends])
        if len(stops):
            squared = np.maximum(self.stop[stops] - walked.take(stops, -1), 0.0)
            squared *= 2.0 * self.braking[stops]
            allowed[..., stops] = np.minimum(np.sqrt(squared, out=squared), allowed.take(stops, -1))
        return allowed

    def _before_bends(self, rows: Int64, walked: Float64) -> Float64:
        """The square of the speed that bends allow some, after walked distances, float64 (..., R)."""
        nodes = self.squared.shape[1]
        place = walked / self.spacing[rows]
        place.clip(0.0, nodes - 1.001, out=place)
        whole = place.astype(np.int64)
        place -= whole
        whole += self.number[rows] * nodes
        low, allowed = self.squared.take(whole), self.squared.take(whole + 1)
        allowed -= low
        allowed *= place
        allowed += low
        return allowed


def least_cost(start: StartState, ahead: PathAhead, settings: SpeedSettings) -> Float64:
    """Return a lower bound of the cost of any speed profile of an agent, whatever the course.

    The cost of cruising is a parabola in the end speed; its lowest point, over the times, bounds it from below.
    Stopping may cost less: for agents who have to stop the bound is 0.

    Args:
        start: the agents.
        ahead: their paths.
        settings: the times that are tried.

    Returns:
        float64 (A,).
    """
    times = np.array(settings.cruise_times)
    begin, change = start.speed[:, None], start.acceleration[:, None]
    cost = []
    for share in (0.0, 0.5, 1.0):
        speed = share * start.wanted_speed[:, None]
        distance = reached_cruising(begin, change, speed, times)
        polynomials = quintic((0.0, begin, change), (distance, speed, 0.0), times)
        cost.append(_smoothness(start, (polynomials, times, speed), settings.horizon))
    second, first = cost[0] - 2.0 * cost[1] + cost[2], 0.5 * (cost[2] - cost[0])
    lowest = np.min(cost[1] - 0.5 * first * first / np.maximum(second, 1e-12), axis=1)
    far_from_end = start.stop_at - start.s > ahead.distance[:, -1]
    return np.where(far_from_end, np.maximum(lowest, 0.0), 0.0)


def plan_speeds(
    start: StartState, ahead: PathAhead, courses: Courses, rows: Int64, chosen: Int64, settings: PlannerSettings
) -> Speeds:
    """Choose the speed profile along courses.

    The costs of jerk and slowness have a closed form and bound the cost from below. The cost of exceeded limits is
    computed for the few cheapest candidates, and for the others only where those cost more than a bound.

    Args:
        start: the agents.
        ahead: their paths.
        courses: of all of them.
        rows: int64 (N,), whose speeds.
        chosen: int64 (N,), along which of the courses.
        settings: weights and limits.

    Returns:
        The cheapest candidate of each: there is always one.
    """
    start = start.rows(rows)
    cap = _speed_cap(start, ahead.step[rows], courses, chosen, settings.speeds.stop_margin)
    distance, speed, span = _candidates(start, cap, settings.speeds)
    polynomials = quintic((0.0, start.speed[:, None], start.acceleration[:, None]), (distance, speed, 0.0), span)
    bound = _smoothness(start, (polynomials, span, speed), settings.speeds.horizon)
    stops = np.flatnonzero(np.isfinite(cap.stop))
    if len(stops):
        candidates = distance[stops], speed[stops], span[stops]
        stop_cost = _stop_time_cost(start.rows(stops), cap.stop[stops], candidates, settings.speeds)
        jerk = start.preferences.jerk[stops, None] * squared_jerk(polynomials[:, stops], span[stops])
        bound[stops] = jerk + start.preferences.slowness[stops, None] * stop_cost
    order = np.argsort(bound, axis=1, kind="stable")
    bound = np.take_along_axis(bound, order, axis=1)
    rows, best, cost = np.arange(len(order)), np.zeros(len(order), dtype=np.int64), np.full(len(order), np.inf)
    for part in _PARTS:
        row, place = np.nonzero(bound[:, part] < cost[:, None])
        if not len(row):
            break
        at = row, order[row, place + part.start]
        candidates = polynomials[:, *at], span[at], speed[at]
        own = np.full(bound[:, part].shape, np.inf)
        excess = _excess(cap.rows(row), candidates, start.preferences.rows(row), settings)
        own[row, place] = bound[row, place + part.start] + excess
        cheapest = np.argmin(own, axis=1)
        own = own[rows, cheapest]
        better = own < cost
        best[better], cost[better] = order[better, cheapest[better] + part.start], own[better]
    return Speeds(polynomials[:, rows, best], span[rows, best], speed[rows, best], cost)


def _speed_cap(start: StartState, step: Float64, courses: Courses, chosen: Int64, stop_margin: float) -> _Cap:
    """Speeds that bends allow along some courses, with room to brake before each, and where they end."""
    top = np.maximum(start.wanted_speed, start.speed)
    spacing = courses.walked[chosen, -1] / (COURSE_NODES - 1)
    stop, until = np.maximum(courses.open_for[chosen] - stop_margin, 0.0), start.stop_at - start.s
    ends = np.flatnonzero(until <= (COURSE_NODES - 1) * step)
    if len(ends):
        walked, rate = courses.walked[chosen[ends]], courses.rate[chosen[ends]]
        stop[ends] = np.minimum(walked_distance_at(step[ends], walked, rate, until[ends]), stop[ends])
    lateral, braking = start.preferences.lateral_acceleration, start.preferences.comfortable_deceleration
    sharpest = np.maximum(np.max(courses.bend.take(chosen, 0), axis=1), _LEAST_BEND)
    number, slow = np.full(len(chosen), -1), np.flatnonzero(lateral <= _MORE_THAN_TOP * top * top * sharpest)
    number[slow] = np.arange(len(slow))
    walked, bend = courses.walked[chosen[slow]], courses.bend[chosen[slow]]
    squared = _squared_before_bends(walked, bend, spacing[slow], top[slow], lateral[slow], braking[slow])
    return _Cap(squared, number, spacing, stop, top, braking)


def _squared_before_bends(
    walked: Float64, bend: Float64, spacing: Float64, top: Float64, lateral: Float64, braking: Float64
) -> Float64:
    """Squares of the speeds that bends allow, float64 (B, K), at even distances [m].

    Args:
        walked: float64 (B, K), distance walked up to the nodes [m].
        bend: float64 (B, K), curvature there [1/m].
        spacing: float64 (B,), of the even distances [m].
        top: float64 (B,), top speeds [m/s].
        lateral: float64 (B,), accepted lateral accelerations [m/s2].
        braking: float64 (B,), accepted decelerations [m/s2].
    """
    fast = 4.0 * top * top + 1.0  # means no limit: more would distort the interpolated values
    squared = lateral[:, None] / np.maximum(around_nodes(np.maximum, bend), _LEAST_BEND)
    squared = np.minimum(squared, fast[:, None])
    # decrease of the squared speed by braking up to there
    gained = 2.0 * braking[:, None] * walked
    squared = np.minimum.accumulate((squared + gained)[:, ::-1], axis=1)[:, ::-1] - gained
    even = spacing[:, None] * np.arange(COURSE_NODES)
    after = np.clip(_count_up_to(walked, even, spacing), 1, COURSE_NODES - 1)
    low, high = (np.take_along_axis(walked, after + k, axis=1) for k in (-1, 0))
    share = np.clip((even - low) / (high - low), 0.0, 1.0)
    low, high = (np.take_along_axis(squared, after + k, axis=1) for k in (-1, 0))
    return low + share * (high - low)


def _count_up_to(walked: Float64, even: Float64, spacing: Float64) -> Int64:
    """Return int64 (A, K), how many of walked distances, ascending, are at most each of even ones, (A, K) [m]."""
    agents, nodes = walked.shape
    first = np.minimum((walked / spacing[:, None]).astype(np.int64), nodes - 1)  # the first even one that is not less
    first += np.take_along_axis(even, first, axis=1) < walked
    first -= (first > 0) & (np.take_along_axis(even, np.clip(first - 1, 0, nodes - 1), axis=1) >= walked)
    key = first + (nodes + 1) * np.arange(agents)[:, None]  # one more for those beyond the last
    count = np.bincount(key.ravel(), minlength=agents * (nodes + 1)).reshape(agents, nodes + 1)
    return np.cumsum(count, axis=1)[:, :nodes]


def _candidates(start: StartState, cap: _Cap, settings: SpeedSettings) -> SpeedCandidates:
    """Distances, end speeds and times, float64 (A, L) each.

    Cruising: shares of the preferred speed, at most the allowed speed at the place where they end. Stopping, where
    needed: at rest at the stop within times of which some are fixed and some depend on the distance to it.
    """
    times, shares = settings.cruise_times, settings.cruise_shares
    cruise_span = np.repeat(times, len(shares))[None, :]
    speed = start.wanted_speed[:, None] * np.tile(shares, len(times))
    begin, change = start.speed[:, None], start.acceleration[:, None]
    for _ in range(2):
        distance = reached_cruising(begin, change, speed, cruise_span)
        speed = np.minimum(speed, cap.at(distance.T).T)
    distance = reached_cruising(begin, change, speed, cruise_span)
    found = distance, speed, np.broadcast_to(cruise_span, speed.shape)
    if np.any(np.isfinite(cap.stop)):
        found = _add(found, _stopping(start, cap, settings), np.isfinite(cap.stop))
    return found


def _add(found: SpeedCandidates, more: SpeedCandidates, rows: Bool) -> SpeedCandidates:
    """Join further candidates to those found; agents who have none of them repeat their first one instead."""
    both = ((old, np.where(rows[:, None], new, old[:, :1])) for old, new in zip(found, more, strict=True))
    distance, speed, span = (np.concatenate(pair, axis=1) for pair in both)
    return distance, speed, span


def _stopping(start: StartState, cap: _Cap, settings: SpeedSettings) -> SpeedCandidates:
    """Candidates that end at rest at the stop, for agents who have one."""
    stop = np.where(np.isfinite(cap.stop), cap.stop, 0.0)[:, None]
    times = settings.stop_times
    by_speed = np.array(settings.stop_ratios) * stop / np.maximum(start.speed[:, None], 0.1)
    fixed = np.broadcast_to(times, (len(stop), len(times)))
    span = np.concatenate((fixed, np.clip(by_speed, times[0], settings.longest_stop)), axis=1)
    return np.broadcast_to(stop, span.shape), np.zeros_like(span), span


def _smoothness(start: StartState, candidates: SpeedCandidates, horizon: float) -> Float64:
    """Cost of jerk and slowness of each candidate, float64 (A, L)."""
    polynomials, span, end_speed = candidates
    wanted = start.wanted_speed[:, None]
    off = squared_difference(polynomials, wanted, np.minimum(span, horizon))
    off = off + (end_speed - wanted) ** 2 * np.maximum(horizon - span, 0.0)
    return start.preferences.jerk[:, None] * squared_jerk(polynomials, span) + start.preferences.slowness[:, None] * off


def _stop_time_cost(start: StartState, stop: Float64, candidates: SpeedCandidates, settings: SpeedSettings) -> Float64:
    """Cost of the time until the stop is reached, float64 (A, L), instead of slowness.

    The remaining distance is the same for all. With the cost of slowness, creeping up to the stop would be best.
    """
    distance, end_speed, span = candidates
    scale = settings.stop_time_scale
    time = span + np.maximum(stop[:, None] - distance, 0.0) / np.maximum(end_speed, 0.02)
    return settings.weight_stop_time * (start.wanted_speed**2)[:, None] * scale * log(1.0 + time / scale)


def _excess(
    cap: _Cap, candidates: SpeedCandidates, preferences: PlannerPreferences, settings: PlannerSettings
) -> Float64:
    """Cost of the limits that candidates exceed, one of each agent, float64 (A,)."""
    polynomials, span, end_speed = candidates
    horizon, samples = settings.speeds.limit_horizon, settings.speeds.limit_samples
    # moments first, (S, A): arrays of agents then fit each moment as they are
    time: Float64 = (horizon / samples) * (np.arange(samples, dtype=np.float64)[:, None] + 0.5)
    until = np.minimum(time, span)
    distance, speed, acceleration = evaluate(polynomials, until)
    distance += (time - until) * end_speed
    over = speed - cap.at(distance)
    np.maximum(over, np.maximum(-speed, 0.0), out=over)
    over += np.maximum(distance - cap.stop, 0.0)
    hard = np.maximum(acceleration - preferences.max_acceleration, 0.0)
    np.maximum(hard, -acceleration - preferences.max_deceleration, out=hard)
    hard *= hard
    hard += over * (1.0 + over)
    return settings.excess * np.mean(hard.T.copy(), axis=-1)
