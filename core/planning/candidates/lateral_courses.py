# SPDX-License-Identifier: GPL-3.0-or-later
"""Courses: candidate ways d(s) ahead of each agent, how they lie in the plane, and what speaks against them.

A course is told at even nodes along the path, by d, d' and d'' there; between nodes it is the quintic that joins them.
Arrays are (A agents, M courses, K nodes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...geometry.reproducible_math import power
from ..paths.frenet import stretch
from ..paths.reference_path import ReferenceSet
from ..preferences import PlannerPreferences
from ..settings import PlannerSettings
from .clearance import may_meet, meet
from .course_tracing import PIECES, TRACED, trace, walked_over

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

NODES = 57
_COARSE = 8  # nodes between the places where one looks whether anything is beside the way
LEAST_ACROSS = 0.15  # D below which a course counts as beyond the centre of the bend
_NEIGHBOURS = 2  # nodes to each side that are near by
_BEYOND_CENTRE = 1e5  # cost of that
_HARD_TURN = 1.35  # times the lateral acceleration that is borne without slowing down: none turns harder
_AT_ONCE = 0.15  # [s] before a body begins to brake
_TOO_FAST = 2e3  # cost of having to turn twice as hard
_WIDEST = 2.0  # D up to which it is dearer to swing out of a bend
_WRONG_SIDE = 3.0  # how much dearer the side is that is not preferred, as a share
_HARDLY_OUTSIDE = 0.05  # [m] that a course may go beyond the limits and still be as good as any


@dataclass(frozen=True, eq=False)
class Start:
    """Where A agents are and what they want, fit to be planned from; float64 (A,) each.

    Attributes:
        path: int64 (A,).
        s, d, d_prime, d_second: along the path.
        speed, acceleration: along the way really walked [m/s, m/s2].
        wanted_speed, wanted_offset, radius: [m/s], [m], [m].
        stop_at: s where to come to rest [m]; inf for nowhere.
        manners: limits and weights of each.
    """

    path: Int64
    s: Float64
    d: Float64
    d_prime: Float64
    d_second: Float64
    speed: Float64
    acceleration: Float64
    wanted_speed: Float64
    wanted_offset: Float64
    radius: Float64
    stop_at: Float64
    manners: PlannerPreferences

    def rows(self, rows: Int64) -> Start:
        """These agents alone."""
        own = {name: getattr(self, name)[rows] for name in _OF_START}
        return Start(**own, manners=self.manners.rows(rows))


_OF_START = tuple(name for name in Start.__dataclass_fields__ if name != "manners")


@dataclass(frozen=True, eq=False)
class Ahead:
    """The stretch of path ahead of each agent, at K even nodes; float64 (A, K), `step` and `length` (A,).

    Attributes:
        step: distance between nodes [m].
        way: x = s - s0 [m].
        x, y, cos, sin, bend, bend_rate: place, direction and curvature of the line.
        target: the wanted offset as far as width and bends allow [m].
        walk_low, walk_high: where the body's middle may be within the width and bends [m].
        bend_low, bend_high: what bends alone allow [m].
    """

    step: Float64
    way: Float64
    x: Float64
    y: Float64
    cos: Float64
    sin: Float64
    bend: Float64
    bend_rate: Float64
    target: Float64
    walk_low: Float64
    walk_high: Float64
    bend_low: Float64
    bend_high: Float64

    def rows(self, rows: Int64) -> Ahead:
        """Ahead of these agents alone."""
        return Ahead(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


class CourseFault(IntEnum):
    """What is wrong with a course, the worst of it."""

    NONE = 0
    OUTSIDE = 1
    TOO_SHARP = 2
    COLLIDES = 3


@dataclass(frozen=True, eq=False)
class Courses:
    """P candidate courses, any number for each agent.

    Attributes:
        agent: int64 (P,), whose it is.
        d, d_prime, d_second: float64 (P, K).
        rate: float64 (P, K), q: way walked per metre of path.
        walked: float64 (P, K), way walked from the start [m].
        bend: float64 (P, K), curvature of the way walked, without its sign [1/m].
        open_for: float64 (P,), way that can be walked before something is met [m]; inf = to the end.
        cost: float64 (P,).
        fault: int8 (P,), a `CourseFault` each.
        clean: bool (P,), no fault, and room enough: nothing speaks against it but its own offset and jerk.
    """

    agent: Int64
    d: Float64
    d_prime: Float64
    d_second: Float64
    rate: Float64
    walked: Float64
    bend: Float64
    open_for: Float64
    cost: Float64
    fault: NDArray[np.int8]
    clean: NDArray[np.bool_]

    def rows(self, rows: Int64) -> Courses:
        """These courses alone."""
        return Courses(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @staticmethod
    def join(parts: Sequence[Courses]) -> Courses:
        """The courses of all the parts."""
        if len(parts) == 1:
            return parts[0]
        return Courses(*(np.concatenate([getattr(p, n) for p in parts]) for n in Courses.__dataclass_fields__))


def look_ahead(references: ReferenceSet, start: Start, reach: Float64) -> Ahead:
    """Tabulate the paths ahead.

    Args:
        references: the paths.
        start: the agents.
        reach: float64 (A,), how far to look [m].

    Returns:
        See `Ahead`.
    """
    step = reach / (NODES - 1)
    way = step[:, None] * np.arange(NODES)
    path = np.broadcast_to(start.path[:, None], way.shape)
    s = start.s[:, None] + way
    x, y, cos, sin, bend, bend_rate = references.frame(path, s)
    bend_low, bend_high = references.bend_limits(path, s)
    right, left = (np.maximum(side - start.radius[:, None], 0.0) for side in references.room(path, s))
    low, high = np.maximum(bend_low, -right), np.minimum(bend_high, left)
    target = np.clip(start.wanted_offset[:, None], low, high)
    return Ahead(step, way, x, y, cos, sin, bend, bend_rate, target, low, high, bend_low, bend_high)


def survey(
    start: Start,
    ahead: Ahead,
    course: tuple[Float64, Float64, Float64],
    obstacles: Distances | None,
    settings: PlannerSettings,
) -> Courses:
    """Lay courses into the plane and weigh them.

    Args:
        start: the agents.
        ahead: their paths.
        course: d, d', d'', float64 (A, M, K) each.
        obstacles: what stands there.
        settings: weights.

    Returns:
        See `Courses`.
    """
    d, d_prime, d_second = course
    lay = stretch(ahead.bend[:, None], ahead.bend_rate[:, None], d, d_prime, d_second)
    walked = walked_over(lay.rate, ahead.step[:, None])
    jerk = np.diff(d_second, axis=-1) / ahead.step[:, None, None]
    pace = np.maximum(start.speed, np.maximum(0.5 * start.wanted_speed, 0.3))[:, None]
    manners = start.manners
    cost = manners.lateral_jerk[:, None] * power(pace, 5) * ahead.step[:, None] * np.sum(jerk * jerk, axis=-1)
    off_line = off_line_cost(d - ahead.target[:, None], manners)
    # as jerk per metre of path is the more there; but whoever has to pass something may have to swing out
    swinging = np.flatnonzero(~np.all(lay.across <= 1.0, axis=(1, 2)))
    free = swinging[~_is_anything_beside(start.rows(swinging), ahead.rows(swinging), obstacles)]
    off_line[free] *= power(np.clip(lay.across[free], 1.0, _WIDEST), 5)
    cost = cost + np.mean(off_line, axis=-1)
    outside = np.maximum(np.maximum(ahead.walk_low[:, None] - d, d - ahead.walk_high[:, None]), 0.0)
    cost = cost + settings.off_width * np.mean(outside, axis=-1)
    beyond = np.max(np.maximum(LEAST_ACROSS - least_across(ahead, d), 0.0), axis=-1)
    cost = cost + _BEYOND_CENTRE * beyond
    bend = np.abs(lay.curvature)
    cost = cost + _TOO_FAST * _too_fast(start, bend, walked)
    fault = np.where(
        np.max(outside, axis=-1) < _HARDLY_OUTSIDE, np.int8(CourseFault.NONE), np.int8(CourseFault.OUTSIDE)
    )
    fault[beyond > 0.0] = CourseFault.TOO_SHARP
    clean = fault == CourseFault.NONE
    open_for = np.full(cost.shape, np.inf)
    x, y = ahead.x[:, None] - ahead.sin[:, None] * d, ahead.y[:, None] + ahead.cos[:, None] * d
    meeting = may_meet(start.radius, start.manners, x, y, obstacles, settings)
    if obstacles is not None and np.any(meeting):
        rows, near = np.flatnonzero(meeting), np.zeros(cost.shape)
        who = start.radius[rows], start.manners.rows(rows)
        open_for[rows], near[rows] = meet(*who, x[rows], y[rows], walked[rows], obstacles, settings)
        closed = np.isfinite(open_for)
        share = np.where(closed, 2.0 - np.where(closed, open_for, 0.0) / walked[..., -1], 0.0)
        cost = cost + manners.near_obstacle[:, None] * near + settings.closed_way * share
        fault[closed] = CourseFault.COLLIDES
        clean &= ~closed & (near <= 0.0)
    agent = np.repeat(np.arange(d.shape[0]), d.shape[1])
    return Courses(
        agent=agent,
        d=d.reshape(-1, NODES),
        d_prime=d_prime.reshape(-1, NODES),
        d_second=d_second.reshape(-1, NODES),
        rate=lay.rate.reshape(-1, NODES),
        walked=walked.reshape(-1, NODES),
        bend=bend.reshape(-1, NODES),
        open_for=open_for.ravel(),
        cost=cost.ravel(),
        fault=fault.ravel(),
        clean=clean.ravel(),
    )


def trace_courses(references: ReferenceSet, start: Start, ahead: Ahead, course: Courses) -> Courses:
    """Look at one course of each agent between its nodes too, as far as it is walked before the next plan.

    Args:
        references: the paths.
        start: the agents.
        ahead: their paths.
        course: one per agent.

    Returns:
        The same with `walked`, `bend` and `open_for` told by that: at each node the sharpest bend about it.
    """
    near = course.d[:, :TRACED], course.d_prime[:, :TRACED], course.d_second[:, :TRACED]
    lay = trace(references, start.path, start.s, ahead.step, near)
    walked = walked_over(lay.rate, ahead.step / PIECES)[:, ::PIECES]
    more = walked[:, -1:] - course.walked[:, TRACED - 1 : TRACED]
    half = PIECES // 2
    around = np.pad(np.abs(lay.curvature), ((0, 0), (half, half)), mode="edge")
    bend = np.maximum.reduce([around[:, k : k + lay.curvature.shape[1]] for k in range(2 * half + 1)])[:, ::PIECES]
    return replace(
        course,
        walked=np.concatenate((walked, course.walked[:, TRACED:] + more), axis=1),
        bend=np.concatenate((bend, course.bend[:, TRACED:]), axis=1),
        open_for=course.open_for * (course.walked[:, -1] + more[:, 0]) / course.walked[:, -1],
    )


def _too_fast(start: Start, bend: Float64, walked: Float64) -> Float64:
    """By how much courses turn harder than anybody does, even when braking from now on, as a share: float64 (A, M).

    Speeds are chosen later and obey what bends allow, but nobody can be slower at once.
    """
    manners, speed = start.manners, start.speed[:, None, None]
    braked = np.maximum(walked - _AT_ONCE * speed, 0.0)
    squared = speed * speed - 2.0 * manners.comfortable_deceleration[:, None, None] * braked
    hardest = np.max(squared * bend, axis=-1) / (_HARD_TURN * manners.lateral_acceleration[:, None])
    return np.maximum(hardest - 1.0, 0.0)


def off_line_cost(offset: Float64, manners: PlannerPreferences) -> Float64:
    """What being off the wanted offset costs, more on the side that is not preferred.

    Near 0 it is like the square, but from 1 m on it grows evenly: a long way round is dear, not unthinkable.

    Args:
        offset: float64 (A, M, K), from the wanted one [m].
        manners: of the agents.

    Returns:
        float64 (A, M, K).
    """
    cost = manners.off_line[:, None, None] * (2.0 * (np.sqrt(1.0 + offset * offset) - 1.0))
    choosy = np.flatnonzero(manners.side)
    if len(choosy):
        wrong = offset[choosy] * manners.side[choosy, None, None] < 0.0
        cost[choosy] *= np.where(wrong, 1.0 + _WRONG_SIDE, 1.0)
    return cost


def least_across(ahead: Ahead, d: Float64) -> Float64:
    """Least D of offsets at each node and on to the nodes near by: below 0 they lie beyond the centre of a bend.

    Args:
        ahead: the paths.
        d: float64 (A, M, K), or (A, J) to try the same offsets at every node [m].

    Returns:
        float64 (A, M, K), or (A, K, J).
    """
    padded = np.pad(ahead.bend, ((0, 0), (_NEIGHBOURS, _NEIGHBOURS)), mode="edge")
    near = [padded[:, k : k + NODES] for k in range(2 * _NEIGHBOURS + 1)]
    sharpest, opposite = np.maximum.reduce(near), np.minimum.reduce(near)
    if d.ndim == 2:
        sharpest, opposite, d = sharpest[..., None], opposite[..., None], d[:, None]
    else:
        sharpest, opposite = sharpest[:, None], opposite[:, None]
    return 1.0 - np.maximum(sharpest * d, opposite * d)


def _is_anything_beside(start: Start, ahead: Ahead, obstacles: Distances | None) -> NDArray[np.bool_]:
    """Who may have anything near within the width that they may use, bool (A,): all their courses are weighed alike."""
    if obstacles is None or obstacles.empty or not len(start.s):
        return np.zeros(len(start.s), dtype=bool)
    widest = np.maximum(np.max(np.abs(ahead.walk_low), axis=1), np.max(np.abs(ahead.walk_high), axis=1))
    within = widest + start.radius + start.manners.clearance + 0.5 * _COARSE * ahead.step
    return obstacles.any_may_be_within(np.stack((ahead.x, ahead.y), axis=-1)[:, ::_COARSE], within)
