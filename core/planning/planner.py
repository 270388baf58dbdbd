# SPDX-License-Identifier: GPL-3.0-or-later
"""The planner: for each agent the cheapest of many courses and of many speed profiles along it, always one.

Every candidate has a cost; limits that it breaks and obstacles that it meets add to it, so there is always a cheapest.
A course that is blocked by an obstacle can be walked up to it: when all are, the agent brakes along the best.
The plan of an agent does not depend on the other agents in the same call.

Source: Werling et al. 2010, with d as a function of s throughout and speeds along the walked course.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.distances import Distances
from .candidates.explanation import Candidates, find_reasons
from .candidates.lateral_courses import (
    CourseFault,
    Courses,
    evaluate_courses,
    measure_courses,
)
from .candidates.offset_lattice import plan_lattice
from .candidates.path_ahead import COURSE_NODES, PathAhead, StartState, tabulate_ahead
from .candidates.quintic_offsets import plan_merges, plan_quintics
from .candidates.settings import PlannerSettings
from .candidates.smoothing import plan_target
from .choice import choose_plans
from .paths.reference_path import ReferenceSet
from .planner_input import PlannerInput, start_states
from .plans import Plans
from .speed_profiles import plan_speeds

Family = Callable[[StartState, PathAhead, Distances | None, PlannerSettings], tuple[Float64, Float64, Float64]]
# the later families are only tried for agents for whom the earlier ones have no clean course
_FAMILIES = (plan_quintics, plan_target, plan_lattice)
_LAST_RESORT = plan_merges  # only for agents whose best course has a fault
_AGENTS_PER_CHUNK = 1024  # agents whose candidates are one array: more need more memory and save no time


class FrenetPlanner:
    """Plans the next seconds of agents on the paths of one set."""

    def __init__(self, references: ReferenceSet, settings: PlannerSettings | None = None) -> None:
        self.references = references
        self.settings = settings or PlannerSettings()

    def plan(
        self, agents: PlannerInput, obstacles: Distances | None = None, likely_blocked: Bool | None = None
    ) -> Plans:
        """Plan for some agents.

        Args:
            agents: their states and preferences.
            obstacles: obstacles that stand still.
            likely_blocked: bool (A,), whose courses are likely to be blocked, as those of the plan before were: what
                they need then is planned along with the others, which is quicker; the plans are the same.

        Returns:
            One plan per agent, starting now.
        """
        count = len(agents.path)
        likely = np.zeros(count, dtype=bool) if likely_blocked is None else likely_blocked
        if 0 < count <= _AGENTS_PER_CHUNK:
            return self._plan_at_once(agents, obstacles, likely)
        plans = Plans.empty(count, self.references)
        for first in range(0, count, _AGENTS_PER_CHUNK):
            rows = np.arange(first, min(first + _AGENTS_PER_CHUNK, count))
            plans.put(rows, self._plan_at_once(agents.rows(rows), obstacles, likely[rows]))
        return plans

    def _plan_at_once(self, agents: PlannerInput, obstacles: Distances | None, likely_blocked: Bool) -> Plans:
        """Plan for some agents, at least one, in arrays of all their candidates."""
        settings = self.settings
        start = start_states(agents, self.references, settings)
        reach = settings.look_ahead_time * np.maximum(start.speed, start.wanted_speed)
        reach, slow = np.maximum(reach, settings.least_look_ahead), start.speed < settings.close_look.below_speed
        likely, everybody = likely_blocked & slow, np.arange(len(reach))
        plans = self._plan_both(start, reach, (everybody, np.flatnonzero(likely)), obstacles)
        if likely.any():
            closer, plans = plans.take(np.arange(len(reach), len(plans))), plans.take(everybody)
            _take_open(plans, np.flatnonzero(likely), closer)
        rest = np.flatnonzero(plans.collides & slow & ~likely)
        if len(rest):
            _take_open(plans, rest, self._plan_both(start, reach, (rest[:0], rest), obstacles))
        return plans

    def were_blocked(self, plans: Plans) -> Bool:
        """Return bool (A,), whose courses are all blocked, at the end of the plan or beyond a closer look."""
        reach = plans.tables.step * (COURSE_NODES - 1)
        return plans.collides | (reach < (1.0 - 1e-9) * self.settings.least_look_ahead)

    def _plan_both(
        self, start: StartState, reach: Float64, rows: tuple[Int64, Int64], obstacles: Distances | None
    ) -> Plans:
        """Return plans of some agents, who look ahead as far as they reach [m], and after them closer looks of some."""
        (far, near), look = rows, self.settings.close_look
        if not len(near):
            return self._plan(start, reach, obstacles)
        some = start.rows(np.concatenate(rows))
        some.wanted_speed[len(far) :] = np.minimum(some.wanted_speed[len(far) :], look.max_speed)
        return self._plan(some, np.concatenate((reach[far], np.full(len(near), look.distance))), obstacles)

    def candidates(self, agents: PlannerInput, obstacles: Distances | None = None) -> Candidates:
        """Return all candidates of a few agents, for display: of all families, needed or not.

        Args:
            agents: their states and preferences.
            obstacles: obstacles that stand still.

        Returns:
            See `Candidates`; chosen are those that `plan` chooses.
        """
        plans, start, settings = (
            self.plan(agents, obstacles),
            start_states(agents, self.references, self.settings),
            self.settings,
        )
        ahead = tabulate_ahead(self.references, start, plans.tables.step * (COURSE_NODES - 1))
        families = (*_FAMILIES, _LAST_RESORT)
        parts = [
            evaluate_courses(start, ahead, family(start, ahead, obstacles, settings), obstacles, settings)
            for family in families
        ]
        search, not_needed = _CourseSearch(len(start.s)), []
        for family, some in zip(families, parts, strict=True):
            waiting = search.waiting_for(family)
            not_needed.append(~waiting[some.agent])
            search.note(np.flatnonzero(waiting), some.rows(np.flatnonzero(waiting[some.agent])))
        courses = Courses.join(parts)
        if obstacles is not None:
            measure_courses(start, courses, np.flatnonzero(~courses.measured), obstacles, settings)
        agent = courses.agent
        speeds = plan_speeds(start, ahead, courses, agent, np.arange(len(agent)), settings)
        apart = np.max(np.abs(courses.d - plans.tables.d[agent]), axis=1)
        order = np.lexsort((apart, agent))
        chosen = order[np.searchsorted(agent[order], np.arange(len(start.s)))]
        s = start.s[agent, None] + ahead.distance[agent]
        path = np.broadcast_to(start.path[agent, None], s.shape)
        points = self.references.to_cartesian(path, s, courses.d)
        reason = find_reasons(courses.fault, np.concatenate(not_needed), chosen)
        return Candidates(agent, points, courses.cost + speeds.cost, reason, chosen)

    def _plan(self, start: StartState, reach: Float64, obstacles: Distances | None) -> Plans:
        """Plan for agents who look ahead this far [m], with one more family of courses until one is clean."""
        ahead = tabulate_ahead(self.references, start, reach)
        found, search = [], _CourseSearch(len(reach))
        for family in (*_FAMILIES, _LAST_RESORT):
            waiting = search.waiting_for(family).nonzero()[0]
            if not len(waiting):
                continue
            some, theirs = (start, ahead) if len(waiting) == len(reach) else (start.rows(waiting), ahead.rows(waiting))
            course = family(some, theirs, obstacles, self.settings)
            more = evaluate_courses(some, theirs, course, obstacles, self.settings)
            found.append(replace(more, agent=waiting[more.agent]))
            search.note(waiting, more)
        return choose_plans(self.references, start, ahead, Courses.join(found), obstacles, self.settings)


def _take_open(plans: Plans, rows: Int64, closer: Plans) -> None:
    """Replace blocked plans of some agents by closer looks that are not."""
    found = np.flatnonzero(plans.collides[rows] & ~closer.collides)
    plans.put(rows[found], closer.take(found))


class _CourseSearch:
    """Which of A agents have a course: the cheapest found so far is clean, or has no fault at least."""

    def __init__(self, count: int) -> None:
        self._clean = np.zeros(count, dtype=bool)
        self._passable = np.zeros(count, dtype=bool)
        self._least = np.full(count, np.inf)

    def waiting_for(self, family: Family) -> Bool:
        """Return who needs the courses of a family: bool (A,)."""
        return ~(self._passable if family is _LAST_RESORT else self._clean)

    def note(self, rows: Int64, courses: Courses) -> None:
        """Add the courses of one more family for some agents, equally many for each, in their order."""
        if not len(rows):
            return
        cost = courses.cost.reshape(len(rows), -1)
        each, cheapest = np.arange(len(rows)), np.argmin(cost, axis=1)
        better = cost[each, cheapest] < self._least[rows]
        self._least[rows] = np.minimum(self._least[rows], cost[each, cheapest])
        self._clean[rows[better]] = courses.clean.reshape(cost.shape)[each, cheapest][better]
        passable = courses.fault <= CourseFault.OUTSIDE
        self._passable[rows[better]] = passable.reshape(cost.shape)[each, cheapest][better]
