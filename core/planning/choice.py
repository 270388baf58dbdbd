# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice among all courses of each agent and all speed profiles along them: the cheapest sum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..array_types import Bool, Int64
from ..compiled import twins
from ..geometry.distances import Distances
from .candidates.course_tracing import PIECES_PER_NODE, TRACED_NODES, trace, walked_over
from .candidates.lateral_courses import Courses, measure_courses
from .candidates.path_ahead import PathAhead, StartState
from .candidates.settings import PlannerSettings
from .paths.reference_path import ReferenceSet
from .plans import Plans, PlanTables
from .speed_profiles import Speeds, least_cost, plan_speeds

_RANK_RANGES = ((0, 1), (1, 2), (2, 99))  # ranks of the courses that are tried together
_COURSE_TOLERANCE = 0.005  # [m]: courses that differ by less are one


def choose_plans(
    references: ReferenceSet,
    start: StartState,
    ahead: PathAhead,
    courses: Courses,
    obstacles: Distances | None,
    settings: PlannerSettings,
) -> Plans:
    """Choose the cheapest sum of course and speed profile, best first.

    Courses are tried in the order of their own cost, first the cheapest of each agent, then the next, then the
    rest; and only those whose own cost plus the least cost of any speed profile does not exceed the best sum found:
    the result is that of trying all. Courses that hardly differ from the first are left out. Obstacles are taken
    into account on further courses only where these are tried.

    Args:
        references: the paths.
        start: the agents.
        ahead: their paths.
        courses: at least one of each agent.
        obstacles: obstacles that stand still.
        settings: weights and limits.

    Returns:
        A plan of each.
    """
    kernels = twins.twin(twins.CHOICE)
    if kernels is not None and settings.speeds.limit_samples == kernels.SAMPLES:
        plans = _choose_compiled(kernels, (references, start, ahead, courses), obstacles, settings)
        if plans is not None:
            return plans
    order = np.lexsort((courses.cost, courses.agent))
    agent = courses.agent[order]
    first = np.searchsorted(agent, np.arange(len(start.s)))
    rank = np.arange(len(agent)) - first[agent]
    least = least_cost(start, ahead, settings.speeds)[agent]
    bound = courses.cost[order] + least
    best, choice = np.full(len(start.s), np.inf), order[first]
    uneven = _refine(references, (start, ahead, courses), choice, settings)
    speeds = Speeds.empty(len(start.s))
    for low, high in _RANK_RANGES:
        if low == 1 and obstacles is not None:
            asked = (bound < best[agent]) & ~courses.measured[order]
            measure_courses(start, courses, order[asked], obstacles, settings)
            order = np.lexsort((courses.cost, courses.agent))
            bound = courses.cost[order] + least
        tried = ((rank >= low) & (rank < high) & (bound < best[agent])).nonzero()[0]
        if low:
            apart = np.max(np.abs(courses.d[order[tried]] - courses.d[order[first[agent[tried]]]]), axis=1)
            tried = tried[apart > _COURSE_TOLERANCE]
        if not len(tried):
            continue
        rows, chosen = agent[tried], order[tried]
        found = plan_speeds(start, ahead, courses, rows, chosen, settings)
        total = courses.cost[chosen] + found.cost
        winner = np.lexsort((total, rows))
        winner = winner[np.append(True, np.diff(rows[winner]) > 0)]  # the cheapest of each agent
        winner = winner[total[winner] < best[rows[winner]]]
        best[rows[winner]] = total[winner]
        speeds.put(rows[winner], found.rows(winner))
        choice[rows[winner]] = order[tried[winner]]
    other = np.flatnonzero(choice != order[first])
    uneven[other] = _refine(references, (start, ahead, courses), choice[other], settings)
    return Plans(
        references,
        PlanTables(
            **_begins(start, ahead),
            **{name: getattr(courses, name).take(choice, 0) for name in ("d", "d_prime", "d_second", "rate", "walked")},
            polynomial=np.ascontiguousarray(speeds.polynomial.T),
            span=speeds.span,
            end_speed=speeds.end_speed,
            uneven=uneven,
            collides=np.isfinite(courses.open_for[choice]),
        ),
    )


def _refine(
    references: ReferenceSet, given: tuple[StartState, PathAhead, Courses], rows: Int64, settings: PlannerSettings
) -> Bool:
    """Evaluate uneven courses between their nodes too; return which are uneven: bool (R,)."""
    start, ahead, courses = given
    uneven = np.max(np.abs(np.diff(courses.rate[rows, :TRACED_NODES])), axis=1) > settings.courses.uneven_rate
    close = rows[uneven]
    if len(close):
        agent, seen = courses.agent[close], courses.rows(close)
        traced = _trace_courses(references, start.rows(agent), ahead.rows(agent), seen)
        courses.walked[close], courses.bend[close] = traced.walked, traced.bend
        courses.open_for[close] = traced.open_for
    return uneven


def _trace_courses(references: ReferenceSet, start: StartState, ahead: PathAhead, course: Courses) -> Courses:
    """Evaluate one course of each agent between its nodes too, as far as it is walked before the next plan.

    Args:
        references: the paths.
        start: the agents.
        ahead: their paths.
        course: one per agent.

    Returns:
        The same with `walked`, `bend` and `open_for` from there: at each node the sharpest bend around it.
    """
    near = course.d[:, :TRACED_NODES], course.d_prime[:, :TRACED_NODES], course.d_second[:, :TRACED_NODES]
    geometry = trace(references, start.path, start.s, ahead.step, near)
    walked = walked_over(geometry.rate, ahead.step / PIECES_PER_NODE)[:, ::PIECES_PER_NODE]
    more = walked[:, -1:] - course.walked[:, TRACED_NODES - 1 : TRACED_NODES]
    half = PIECES_PER_NODE // 2
    around = np.pad(np.abs(geometry.curvature), ((0, 0), (half, half)), mode="edge")
    bend = np.maximum.reduce([around[:, k : k + geometry.curvature.shape[1]] for k in range(2 * half + 1)])[
        :, ::PIECES_PER_NODE
    ]
    return replace(
        course,
        walked=np.concatenate((walked, course.walked[:, TRACED_NODES:] + more), axis=1),
        bend=np.concatenate((bend, course.bend[:, TRACED_NODES:]), axis=1),
        open_for=course.open_for * (course.walked[:, -1] + more[:, 0]) / course.walked[:, -1],
    )


def _choose_compiled(
    kernels: Any,
    given: tuple[ReferenceSet, StartState, PathAhead, Courses],
    obstacles: Distances | None,
    settings: PlannerSettings,
) -> Plans | None:
    """As `choose_plans`, by a compiled kernel; None where rows of the paths are missing."""
    (references, start, ahead, courses), own, tried = given, given[1].preferences, settings.speeds
    limits = own.lateral_acceleration, own.max_acceleration, own.max_deceleration, own.comfortable_deceleration
    motion = start.s, start.speed, start.acceleration, start.wanted_speed, start.stop_at
    walkers = kernels.SpeedWalkers(*motion, *limits, own.jerk, own.slowness, ahead.step)
    rules = kernels.Rules(settings.courses.uneven_rate, _COURSE_TOLERANCE, TRACED_NODES)
    profiles = kernels.Tried(
        *map(np.array, (tried.cruise_times, tried.cruise_shares, tried.stop_times, tried.stop_ratios)),
        *(tried.longest_stop, tried.weight_stop_time, tried.stop_time_scale, tried.horizon, tried.limit_horizon),
        *(tried.stop_margin, settings.excess),
    )
    first = np.concatenate(([0], np.cumsum(np.bincount(courses.agent, minlength=len(start.s)))))
    ways, columns = (references.compiled_rows(kernels), start.path), kernels.Ranked._fields[:-2]
    found, who = kernels.no_choice(len(start.s), courses.d.shape[1]), np.arange(len(start.s))
    (d, d_prime, d_second, rate, walked), speeds, (uneven, collides, missing, asks) = found
    while len(who):
        order = np.lexsort((courses.cost, courses.agent))
        ranked = kernels.Ranked(*(getattr(courses, name) for name in columns), order, first)
        kernels.choose(ways, who, walkers, ranked, (rules, profiles), found)
        if missing.any():
            return None
        who = np.flatnonzero(asks)
        if len(who) and obstacles is not None:
            asked = np.flatnonzero(~courses.measured & asks[courses.agent])
            measure_courses(start, courses, asked, obstacles, settings)
    return Plans(
        references,
        PlanTables(
            **_begins(start, ahead),
            d=d,
            d_prime=d_prime,
            d_second=d_second,
            rate=rate,
            walked=walked,
            polynomial=np.ascontiguousarray(speeds[:, :6]),
            span=speeds[:, 6],
            end_speed=speeds[:, 7],
            uneven=uneven,
            collides=collides,
        ),
    )


def _begins(start: StartState, ahead: PathAhead) -> dict[str, Any]:
    """Where plans begin: the first of their tables."""
    return {"path": start.path.copy(), "s": start.s.copy(), "step": ahead.step.copy()}
