# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidate courses d(s) ahead of each agent, how they lie in the plane, their costs and their faults.

A course is given at even nodes along the path, by d, d' and d'' there; between nodes it is the quintic that joins them.
Arrays are (A agents, M courses, K nodes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.distances import Distances
from ...geometry.reproducible_math import power
from ..paths.frenet import course_geometry
from .clearance import may_be_near, measure_clearance
from .course_tracing import walked_over
from .path_ahead import COURSE_NODES, PathAhead, StartState
from .preferences import PlannerPreferences
from .settings import CourseSettings, PlannerSettings

_COARSE_NODES = 8  # nodes from one place to the next where obstacles beside the path are checked
_FEW_COURSES = 64  # so many take less time at once than the cheapest before the others
_CERTAINLY_LESS = 0.999  # as a share: rounding makes no difference
_NEIGHBOUR_NODES = 2  # nodes to each side whose bend also counts: the sharpest may lie between two nodes


class CourseFault(IntEnum):
    """The worst fault of a course."""

    NONE = 0
    OUTSIDE = 1
    TOO_SHARP = 2
    COLLIDES = 3


@dataclass(frozen=True, eq=False)
class Courses:
    """P candidate courses, any number for each agent.

    Attributes:
        agent: int64 (P,), the agent of each.
        d, d_prime, d_second: float64 (P, K).
        rate: float64 (P, K), q: distance walked per metre of path.
        walked: float64 (P, K), distance walked from the start [m].
        bend: float64 (P, K), absolute curvature of the course [1/m].
        x, y: float64 (P, K), places [m].
        open_for: float64 (P,), distance that can be walked before an obstacle [m]; inf = to the end.
        cost: float64 (P,).
        fault: int8 (P,), a `CourseFault` each.
        clean: bool (P,), no fault and full clearance: it costs only its offset and jerk.
        measured: bool (P,), whether obstacles are taken into account: with them a course costs as much or more.
    """

    agent: Int64
    d: Float64
    d_prime: Float64
    d_second: Float64
    rate: Float64
    walked: Float64
    bend: Float64
    x: Float64
    y: Float64
    open_for: Float64
    cost: Float64
    fault: NDArray[np.int8]
    clean: Bool
    measured: Bool

    def rows(self, rows: Int64) -> Courses:
        """These courses alone."""
        return Courses(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @staticmethod
    def join(parts: Sequence[Courses]) -> Courses:
        """All courses of the parts."""
        if len(parts) == 1:
            return parts[0]
        return Courses(*(np.concatenate([getattr(p, n) for p in parts]) for n in Courses.__dataclass_fields__))


def evaluate_courses(
    start: StartState,
    ahead: PathAhead,
    course: tuple[Float64, Float64, Float64],
    obstacles: Distances | None,
    settings: PlannerSettings,
) -> Courses:
    """Compute how courses lie in the plane, their costs and their faults.

    Obstacles are taken into account as far as it is needed to tell which course of each agent is the cheapest.

    Args:
        start: the agents.
        ahead: their paths.
        course: d, d', d'', float64 (A, M, K) each.
        obstacles: obstacles that stand still.
        settings: weights.

    Returns:
        See `Courses`.
    """
    kernels = twins.twin(twins.COURSES)
    lay = _lie_in_plane if kernels is None else partial(_lie_compiled, kernels)
    (rate, walked, bend, x, y), cost, most_outside, beyond = lay(start, ahead, course, obstacles, settings)
    is_outside = most_outside >= settings.courses.outside_tolerance
    fault = np.where(is_outside, np.int8(CourseFault.OUTSIDE), np.int8(CourseFault.NONE))
    fault[beyond > 0.0] = CourseFault.TOO_SHARP
    near = may_be_near(start.radius, start.preferences.clearance, x, y, obstacles, settings)
    agent = np.repeat(np.arange(cost.shape[0]), cost.shape[1])
    (d, d_prime, d_second), fault = (each.reshape(-1, COURSE_NODES) for each in course), fault.ravel()
    rate, walked, bend, x, y = (each.reshape(-1, COURSE_NODES) for each in (rate, walked, bend, x, y))
    of_each = np.full(cost.size, np.inf), cost.ravel(), fault, fault == CourseFault.NONE, ~near[agent]
    courses = Courses(agent, d, d_prime, d_second, rate, walked, bend, x, y, *of_each)
    if obstacles is not None and near.any():
        _measure_cheapest(start, courses, np.flatnonzero(near)[:, None], obstacles, settings)
    return courses


def _measure_cheapest(
    start: StartState, courses: Courses, agents: Int64, obstacles: Distances, settings: PlannerSettings
) -> None:
    """Take obstacles into account on courses of some agents, int64 (N, 1), until it is known which is the cheapest."""
    each = np.arange(len(courses.agent) // len(start.s))
    which = agents * len(each) + each  # (N, M)
    if which.size <= _FEW_COURSES:
        measure_courses(start, courses, which.ravel(), obstacles, settings)
        return
    cheapest = np.argmin(courses.cost[which], axis=1)[:, None]
    measure_courses(start, courses, (agents * len(each) + cheapest).ravel(), obstacles, settings)
    cost = courses.cost[which]
    least = np.take_along_axis(cost, cheapest, axis=1)
    other = (cost < least) | ((cost == least) & (each < cheapest))
    measure_courses(start, courses, which[other], obstacles, settings)


def measure_courses(
    start: StartState, courses: Courses, which: Int64, obstacles: Distances, settings: PlannerSettings
) -> None:
    """Take obstacles into account on some courses, int64 (N,): they cost more, or are blocked.

    Args:
        start: the agents.
        courses: of all of them; those that are measured are changed.
        which: of the courses, not measured before.
        obstacles: obstacles that stand still.
        settings: weights.
    """
    if not len(which):
        return
    agent, walked = courses.agent[which], courses.walked.take(which, 0)
    who = start.radius[agent], start.preferences.clearance[agent]
    x, y = courses.x.take(which, 0), courses.y.take(which, 0)
    places = x[:, None], y[:, None], walked[:, None]
    found = measure_clearance(*who, *places, obstacles, settings)
    open_for, near = (each[:, 0] for each in found)
    closed = np.isfinite(open_for)
    share = np.where(closed, 2.0 - np.where(closed, open_for, 0.0) / walked[:, -1], 0.0)
    cost = courses.cost[which] + start.preferences.near_obstacle[agent] * near
    courses.cost[which], courses.open_for[which] = cost + settings.closed_way * share, open_for
    courses.fault[which[closed]] = CourseFault.COLLIDES
    courses.clean[which] &= ~closed & (near <= 0.0)
    courses.measured[which] = True


Laid = tuple[tuple[Float64, ...], Float64, Float64, Float64]
"""Rate, distance walked, curvature, x and y at the nodes, (A, M, K) each; the cost without obstacles, the greatest
distance outside the width, and what is missing of the least scale, (A, M) each."""


def _lie_in_plane(
    start: StartState,
    ahead: PathAhead,
    course: tuple[Float64, Float64, Float64],
    obstacles: Distances | None,
    settings: PlannerSettings,
) -> Laid:
    """How courses lie in the plane, and what they cost."""
    (d, _, d_second), limits, preferences = course, settings.courses, start.preferences
    geometry = course_geometry(ahead.bend[:, None], ahead.bend_rate[:, None], *course)
    walked = walked_over(geometry.rate, ahead.step[:, None])
    jerk = np.diff(d_second, axis=-1)
    jerk /= ahead.step[:, None, None]
    jerk *= jerk
    pace = np.maximum(start.speed, np.maximum(0.5 * start.wanted_speed, 0.3))[:, None]
    cost = preferences.lateral_jerk[:, None] * power(pace, 5) * ahead.step[:, None] * np.sum(jerk, axis=-1)
    off_line = off_line_cost(d - ahead.target[:, None], preferences, limits.wrong_side)
    swinging = np.flatnonzero(~np.all(geometry.scale <= 1.0, axis=(1, 2)))
    free = _swing_freely(start, ahead, swinging, obstacles)
    off_line[free] *= power(np.clip(geometry.scale[free], 1.0, limits.widest_scale), 5)
    cost = cost + np.mean(off_line, axis=-1)
    outside = ahead.walk_low[:, None] - d
    np.maximum(outside, d - ahead.walk_high[:, None], out=outside)
    most_outside = np.maximum(np.max(outside, axis=-1), 0.0)
    leaves = most_outside > 0.0
    cost[leaves] += settings.off_width * np.mean(np.maximum(outside[leaves], 0.0), axis=-1)
    beyond = _beyond_centre(ahead.bend, d, limits.least_scale)
    cost = cost + limits.cost_beyond_centre * beyond
    bend = np.abs(geometry.curvature)
    cost = cost + limits.cost_hard_turn * _excess_turn(start, bend, walked, limits)
    x, y = ahead.sin[:, None] * d, ahead.cos[:, None] * d
    np.subtract(ahead.x[:, None], x, out=x)
    y += ahead.y[:, None]
    return (geometry.rate, walked, bend, x, y), cost, most_outside, beyond


def _lie_compiled(
    kernels: Any,
    start: StartState,
    ahead: PathAhead,
    course: tuple[Float64, Float64, Float64],
    obstacles: Distances | None,
    settings: PlannerSettings,
) -> Laid:
    """The same by compiled kernels."""
    limits, own, free = settings.courses, start.preferences, np.zeros(len(start.s), dtype=bool)
    free[_swing_freely(start, ahead, np.flatnonzero(kernels.swinging(ahead.bend, course[0])), obstacles)] = True
    weights = own.lateral_jerk, own.off_line, own.side, own.comfortable_deceleration, own.lateral_acceleration
    nodes, (cost, outside, beyond) = kernels.evaluate(
        kernels.CourseWalkers(start.speed, start.wanted_speed, *weights, ahead.step),
        kernels.PathsAhead(*(getattr(ahead, name) for name in kernels.PathsAhead._fields)),
        course,
        free,
        kernels.Weights(
            *(getattr(limits, name) for name in kernels.Weights._fields[:-1]), off_width=settings.off_width
        ),
    )
    return tuple(nodes), cost, outside, beyond


def _swing_freely(start: StartState, ahead: PathAhead, swinging: Int64, obstacles: Distances | None) -> Int64:
    """Return which of those who swing out of a bend have no obstacle beside them: int64.

    Jerk per metre of path is larger there; but agents who pass an obstacle may have to swing out.
    """
    if obstacles is None or obstacles.empty or not len(swinging):
        return swinging
    return swinging[~_have_obstacle_beside(start, ahead, swinging, obstacles)]


def _excess_turn(start: StartState, bend: Float64, walked: Float64, limits: CourseSettings) -> Float64:
    """By how much courses turn harder than anybody does, even when braking from now on, as a share: float64 (A, M).

    Speeds are chosen later and obey what bends allow, but nobody can be slower at once.
    """
    limit, speed = limits.hard_turn * start.preferences.lateral_acceleration, start.speed
    found = np.zeros(bend.shape[:2])
    who, which = np.nonzero((speed * speed)[:, None] * np.max(bend, axis=-1) > limit[:, None])  # unless they brake
    speed = speed[who, None]
    braked = np.maximum(walked[who, which] - limits.reaction_time * speed, 0.0)
    squared = speed * speed - 2.0 * start.preferences.comfortable_deceleration[who, None] * braked
    hardest = np.max(squared * bend[who, which], axis=-1) / limit[who]
    found[who, which] = np.maximum(hardest - 1.0, 0.0)
    return found


def off_line_cost(offset: Float64, preferences: PlannerPreferences, wrong_side: float) -> Float64:
    """Cost of being off the preferred offset, higher on the side that is not preferred.

    Near 0 it is like the square, but from 1 m on it grows linearly: a long detour is costly, not impossible.

    Args:
        offset: float64 (A, M, K), from the preferred one [m].
        preferences: of the agents.
        wrong_side: additional share of the cost on that side.

    Returns:
        float64 (A, M, K).
    """
    cost = offset * offset
    cost += 1.0
    np.sqrt(cost, out=cost)
    cost -= 1.0
    cost *= 2.0
    cost *= preferences.off_line[:, None, None]
    sided = np.flatnonzero(preferences.side)
    if len(sided):
        wrong = offset[sided] * preferences.side[sided, None, None] < 0.0
        cost[sided] *= np.where(wrong, 1.0 + wrong_side, 1.0)
    return cost


def around_nodes(extreme: np.ufunc, bend: Float64) -> Float64:
    """Return the extremes of curvatures at nodes and those beside each, float64 (A, K): it may lie between two."""
    found = bend.copy()
    for k in range(1, _NEIGHBOUR_NODES + 1):
        extreme(found[:, k:], bend[:, :-k], out=found[:, k:])
        extreme(found[:, :-k], bend[:, k:], out=found[:, :-k])
    return found


def bends_around(bend: Float64) -> tuple[Float64, Float64]:
    """Return the greatest and the least curvature at each node and its neighbours, float64 (A, K) each [1/m]."""
    return around_nodes(np.maximum, bend), around_nodes(np.minimum, bend)


def _beyond_centre(bend: Float64, d: Float64, least_scale: float) -> Float64:
    """What is missing of the least D, at each node and its neighbours: below 0 it lies beyond the centre of a bend.

    Args:
        bend: float64 (A, K), curvature of the paths [1/m].
        d: float64 (A, M, K) [m].
        least_scale: the least D that is allowed.

    Returns:
        float64 (A, M).
    """
    missing = np.zeros(d.shape[:2])
    widest = np.maximum(np.max(d, axis=(1, 2)), -np.min(d, axis=(1, 2)))
    some = np.flatnonzero(np.max(np.abs(bend), axis=1) * widest > _CERTAINLY_LESS * (1.0 - least_scale))
    sharpest, opposite = (each[:, None] for each in bends_around(bend[some]))
    scale = 1.0 - np.maximum(sharpest * d[some], opposite * d[some])
    missing[some] = np.max(np.maximum(least_scale - scale, 0.0), axis=-1)
    return missing


def _have_obstacle_beside(start: StartState, ahead: PathAhead, rows: Int64, obstacles: Distances) -> Bool:
    """Return who of some may have an obstacle within the width that they may use, bool (R,): for all their courses."""
    low, high = ahead.walk_low.take(rows, 0), ahead.walk_high.take(rows, 0)
    widest = np.maximum(np.max(np.abs(low), axis=1), np.max(np.abs(high), axis=1))
    within = widest + start.radius[rows] + start.preferences.clearance[rows] + 0.5 * _COARSE_NODES * ahead.step[rows]
    places = np.stack((ahead.x[rows, ::_COARSE_NODES], ahead.y[rows, ::_COARSE_NODES]), axis=-1)
    return obstacles.any_may_be_within(places, within)
