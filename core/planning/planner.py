# SPDX-License-Identifier: GPL-3.0-or-later
"""The planner: for each agent the cheapest of many courses and of many ways to walk it, always one.

    FrenetPlanner(references, settings=None).plan(agents: PlannerInput, obstacles: Distances | None) -> Plans

Every candidate has a cost; what it breaks or runs into adds to it, so that there is always a cheapest. A course that is
closed by something can be walked up to it and no farther: when all are, the agent brakes along the best.
No agent's plan depends on who else is planned for in the same call.

Source: Werling et al. 2010, with d as a function of s throughout and speeds along the way really walked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.distances import Distances
from .candidates.course_tracing import TRACED
from .candidates.explanation import Candidates, give_reasons
from .candidates.lateral_courses import (
    LEAST_ACROSS,
    NODES,
    Ahead,
    CourseFault,
    Courses,
    Start,
    look_ahead,
    survey,
    trace_courses,
)
from .candidates.offset_lattice import plan_round
from .candidates.quintic_offsets import plan_legs, plan_merges
from .candidates.smoothing import plan_along
from .paths.frenet import stretch
from .paths.reference_path import ReferenceSet
from .plans import Plans, PlanTables
from .preferences import PlannerPreferences
from .settings import PlannerSettings
from .speed_profiles import Speeds, least_cost, plan_speeds

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

Family = Callable[[Start, Ahead, Distances | None, PlannerSettings], tuple[Float64, Float64, Float64]]
# A course is sought in these families, the later ones by those alone whom the earlier ones have not served well
_FAMILIES = (plan_legs, plan_along, plan_round)
_LAST_RESORT = plan_merges  # for those alone whose best course has a fault
_ROUNDS = ((0, 1), (1, 2), (2, 99))  # ranks of the courses that are tried together
_TOGETHER = 1024  # agents whose candidates are one array: more take memory and no less time
_HARDLY_APART = 0.005  # [m]
_SLOW = 0.5  # [m/s] below, who finds every way closed looks closer
_CLOSE_LOOK = 1.2  # [m]
_CAREFUL = 0.9 * _SLOW  # [m/s] and walks no faster until the way farther ahead is open too
_LAST_MOMENT = 0.2  # [s] more slowness than would bring a body to rest in this time does not last
_STANDING = 0.05  # [m/s] below, a body turns on the spot
_STEEPEST = 3.0  # d' over D from which one still plans: 72 degrees off the path
_UNEVEN = 0.03  # change of the way walked per metre of path, from node to node, from which on that is not even
_SHARPEST = 6.0  # [1/m] change of direction along the way from which one still plans


@dataclass(frozen=True, eq=False)
class PlannerInput:
    """A agents to plan for; float64 (A,) each but `path` and `stop_at_end`.

    Attributes:
        path: int (A,), number of the path in the set.
        s: arc length along it; past `length` on closed paths, lap after lap [m].
        s_dot: its speed, not negative [m/s].
        s_ddot: its acceleration, 0 where not known [m/s2].
        d: offset, positive to the left [m].
        d_prime: dd/ds.
        d_second: d2d/ds2, 0 where not known [1/m].
        wanted_speed: [m/s].
        wanted_offset: where across the path the agent likes to walk [m].
        radius: of the body [m].
        stop_at_end: bool (A,), come to rest at s = `length` of an open path; otherwise walk on past it.
        manners: limits and weights of each; None where all have those of the planner's settings.
    """

    path: NDArray[np.integer]
    s: Float64
    s_dot: Float64
    s_ddot: Float64
    d: Float64
    d_prime: Float64
    d_second: Float64
    wanted_speed: Float64
    wanted_offset: Float64
    radius: Float64
    stop_at_end: NDArray[np.bool_]
    manners: PlannerPreferences | None = None

    def rows(self, rows: Int64 | NDArray[np.bool_]) -> PlannerInput:
        """These agents alone."""
        own = {name: getattr(self, name)[rows] for name in self.__dataclass_fields__ if name != "manners"}
        return PlannerInput(**own, manners=self.manners and self.manners.rows(rows))


class FrenetPlanner:
    """Plans the next seconds of agents on the paths of one set."""

    def __init__(self, references: ReferenceSet, settings: PlannerSettings | None = None) -> None:
        self.references = references
        self.settings = settings or PlannerSettings()

    def plan(self, agents: PlannerInput, obstacles: Distances | None = None) -> Plans:
        """Plan for some agents.

        Args:
            agents: where they are and what they want.
            obstacles: what stands still there.

        Returns:
            One plan per agent, beginning now.
        """
        count = len(agents.path)
        plans = Plans.empty(count, self.references)
        for first in range(0, count, _TOGETHER):
            rows = np.arange(first, min(first + _TOGETHER, count))
            plans.put(rows, self._plan_together(agents.rows(rows), obstacles))
        return plans

    def _plan_together(self, agents: PlannerInput, obstacles: Distances | None) -> Plans:
        """Plan for some agents, at least one, in arrays of all their candidates."""
        start = self._start(agents)
        settings = self.settings
        reach = settings.look_ahead_time * np.maximum(start.speed, start.wanted_speed)
        plans = self._plan(start, np.maximum(reach, settings.least_look_ahead), obstacles)
        stuck = np.flatnonzero(plans.collides & (start.speed < _SLOW))
        if len(stuck):
            some = start.rows(stuck)
            some = replace(some, wanted_speed=np.minimum(some.wanted_speed, _CAREFUL))
            closer = self._plan(some, np.full(len(stuck), _CLOSE_LOOK), obstacles)
            found = np.flatnonzero(~closer.collides)
            plans.put(stuck[found], closer.take(found))
        return plans

    def candidates(self, agents: PlannerInput, obstacles: Distances | None = None) -> Candidates:
        """Tell what there is to choose from, for a look at a few agents: all families, whether needed or not.

        Args:
            agents: where they are and what they want.
            obstacles: what stands still there.

        Returns:
            See `Candidates`; chosen are those that `plan` takes.
        """
        plans, start, settings = self.plan(agents, obstacles), self._start(agents), self.settings
        ahead = look_ahead(self.references, start, plans.tables.step * (NODES - 1))
        families = (*_FAMILIES, _LAST_RESORT)
        surveys = [survey(start, ahead, f(start, ahead, obstacles, settings), obstacles, settings) for f in families]
        search, spared = _CourseSearch(len(start.s)), []
        for family, some in zip(families, surveys, strict=True):
            waiting = search.waiting_for(family)
            spared.append(~waiting[some.agent])
            search.note(np.flatnonzero(waiting), some.rows(np.flatnonzero(waiting[some.agent])))
        courses = Courses.join(surveys)
        agent = courses.agent
        speeds = plan_speeds(start.rows(agent), ahead.rows(agent), courses, settings)
        apart = np.max(np.abs(courses.d - plans.tables.d[agent]), axis=1)
        order = np.lexsort((apart, agent))
        chosen = order[np.searchsorted(agent[order], np.arange(len(start.s)))]
        s = start.s[agent, None] + ahead.way[agent]
        path = np.broadcast_to(start.path[agent, None], s.shape)
        points = self.references.to_cartesian(path, s, courses.d)
        reason = give_reasons(courses.fault, np.concatenate(spared), chosen)
        return Candidates(agent, points, courses.cost + speeds.cost, reason, chosen)

    def _plan(self, start: Start, reach: Float64, obstacles: Distances | None) -> Plans:
        """Plan for agents who look ahead this far [m], with one family of courses more until one is clean."""
        ahead = look_ahead(self.references, start, reach)
        found, search = [], _CourseSearch(len(reach))
        for family in (*_FAMILIES, _LAST_RESORT):
            waiting = np.flatnonzero(search.waiting_for(family))
            if not len(waiting):
                continue
            some, theirs = (start, ahead) if not found else (start.rows(waiting), ahead.rows(waiting))
            course = family(some, theirs, obstacles, self.settings)
            more = survey(some, theirs, course, obstacles, self.settings)
            found.append(replace(more, agent=waiting[more.agent]))
            search.note(waiting, more)
        return self._walk(start, ahead, Courses.join(found))

    def _start(self, agents: PlannerInput) -> Start:
        """The agents' states, brought within what can be planned from."""
        path = np.asarray(agents.path, dtype=np.int64)
        _, _, _, _, bend, bend_rate = self.references.frame(path, agents.s)
        rate = np.hypot(np.maximum(1.0 - bend * agents.d, 0.0), agents.d_prime)
        to_centre = (1.0 - LEAST_ACROSS) / np.maximum(np.abs(bend), 1e-9)
        d = np.where(bend > 0.0, np.minimum(agents.d, to_centre), np.maximum(agents.d, -to_centre))
        across = 1.0 - bend * d
        s_dot = np.maximum(agents.s_dot, 0.0)
        speed = s_dot * rate
        standing = speed < _STANDING
        d_prime = np.where(standing, 0.0, np.clip(agents.d_prime, -_STEEPEST * across, _STEEPEST * across))
        sharpest = _SHARPEST * across
        d_second = np.where(standing, 0.0, np.clip(agents.d_second, -sharpest, sharpest))
        lay = stretch(bend, bend_rate, d, d_prime, d_second)
        acceleration = agents.s_ddot * lay.rate + s_dot * s_dot * lay.rate_prime
        manners = PlannerPreferences.alike(self.settings, len(path)) if agents.manners is None else agents.manners
        hardest = np.minimum(manners.max_deceleration, speed / _LAST_MOMENT)
        stops = np.asarray(agents.stop_at_end) & ~self.references.closed[path]
        return Start(
            path=path,
            s=np.asarray(agents.s, dtype=np.float64),
            d=d,
            d_prime=d_prime,
            d_second=d_second,
            speed=speed,
            acceleration=np.clip(acceleration, -hardest, manners.max_acceleration),
            wanted_speed=np.maximum(agents.wanted_speed, 0.0),
            wanted_offset=np.asarray(agents.wanted_offset, dtype=np.float64),
            radius=np.asarray(agents.radius, dtype=np.float64),
            stop_at=np.where(stops, self.references.lengths[path], np.inf),
            manners=manners,
        )

    def _walk(self, start: Start, ahead: Ahead, courses: Courses) -> Plans:
        """The cheapest sum of course and speeds, best first.

        Courses are tried in the order of their own cost, first the cheapest of each agent, then the next, then the
        rest; and only those whose own cost and the least that walking can cost do not exceed the best sum found: the
        result is that of trying all. Left out are those that hardly differ from the first.
        """
        order = np.lexsort((courses.cost, courses.agent))
        agent = courses.agent[order]
        first = np.searchsorted(agent, np.arange(len(start.s)))
        rank = np.arange(len(agent)) - first[agent]
        bound = courses.cost[order] + least_cost(start, ahead)[agent]
        best, choice = np.full(len(start.s), np.inf), order[first]
        uneven = self._look_closely(start, ahead, courses, choice)
        speeds = Speeds.empty(len(start.s))
        for low, high in _ROUNDS:
            tried = np.flatnonzero((rank >= low) & (rank < high) & (bound < best[agent]))
            if low:
                apart = np.max(np.abs(courses.d[order[tried]] - courses.d[order[first[agent[tried]]]]), axis=1)
                tried = tried[apart > _HARDLY_APART]
            if not len(tried):
                continue
            rows, chosen = agent[tried], courses.rows(order[tried])
            found = plan_speeds(start.rows(rows), ahead.rows(rows), chosen, self.settings)
            total = chosen.cost + found.cost
            winner = np.lexsort((total, rows))
            winner = winner[np.append(True, np.diff(rows[winner]) > 0)]  # the cheapest of each agent
            winner = winner[total[winner] < best[rows[winner]]]
            best[rows[winner]] = total[winner]
            speeds.put(rows[winner], found.rows(winner))
            choice[rows[winner]] = order[tried[winner]]
        other = np.flatnonzero(choice != order[first])
        uneven[other] = self._look_closely(start, ahead, courses, choice[other])
        return Plans(self.references, _tables(start, ahead, courses.rows(choice), uneven, speeds))

    def _look_closely(self, start: Start, ahead: Ahead, courses: Courses, rows: Int64) -> NDArray[np.bool_]:
        """Look at some courses between their nodes where they are uneven; tells which are: bool (R,)."""
        uneven = np.max(np.abs(np.diff(courses.rate[rows, :TRACED])), axis=1) > _UNEVEN
        close = rows[uneven]
        if len(close):
            agent, seen = courses.agent[close], courses.rows(close)
            traced = trace_courses(self.references, start.rows(agent), ahead.rows(agent), seen)
            courses.walked[close], courses.bend[close] = traced.walked, traced.bend
            courses.open_for[close] = traced.open_for
        return uneven


class _CourseSearch:
    """Which of A agents are served: the cheapest course found for them so far is clean, or has no fault at least."""

    def __init__(self, count: int) -> None:
        self._clean = np.zeros(count, dtype=bool)
        self._passable = np.zeros(count, dtype=bool)
        self._least = np.full(count, np.inf)

    def waiting_for(self, family: Family) -> NDArray[np.bool_]:
        """Who needs what a family has: bool (A,)."""
        return ~(self._passable if family is _LAST_RESORT else self._clean)

    def note(self, rows: Int64, courses: Courses) -> None:
        """Note what one more family has for some agents, as many courses for each, in their order."""
        if not len(rows):
            return
        cost = courses.cost.reshape(len(rows), -1)
        each, cheapest = np.arange(len(rows)), np.argmin(cost, axis=1)
        better = cost[each, cheapest] < self._least[rows]
        self._least[rows] = np.minimum(self._least[rows], cost[each, cheapest])
        self._clean[rows[better]] = courses.clean.reshape(cost.shape)[each, cheapest][better]
        passable = courses.fault == CourseFault.NONE
        self._passable[rows[better]] = passable.reshape(cost.shape)[each, cheapest][better]


def _tables(start: Start, ahead: Ahead, course: Courses, uneven: NDArray[np.bool_], speeds: Speeds) -> PlanTables:
    return PlanTables(
        path=start.path.copy(),
        s=start.s.copy(),
        step=ahead.step.copy(),
        d=course.d,
        d_prime=course.d_prime,
        d_second=course.d_second,
        rate=course.rate,
        walked=course.walked,
        uneven=uneven,
        polynomial=speeds.polynomial.T,
        span=speeds.span,
        end_speed=speeds.end_speed,
        collides=np.isfinite(course.open_for),
    )
