# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans: the planned motion of each agent as a function of time, which can be evaluated any number of times.

Plans.empty(count, references) -> Plans of agents who stay at s = 0
plans.at(rows (N,), time (N,)) -> position (N, 2), velocity (N, 2), s, d, d_prime        time since planning [s]
plans.state(rows, time) -> FrenetState                       input of the next plan for agents that were not displaced
plans.put(rows, other)                                       replace these rows by the rows of `other`
plans.take(rows) -> Plans
plans.collides -> bool (A,)                                  every course ahead is blocked; this one brakes before it

Past the planned time the last speed and offset are held.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Bool, Float64, Int64
from ..compiled import twins
from .candidates.arc_length import path_distance_at
from .candidates.course_tracing import TRACED_NODES, offsets_at, path_distance_between
from .candidates.path_ahead import COURSE_NODES
from .candidates.polynomials import evaluate
from .paths.frenet import CourseGeometry, FrenetState, course_geometry
from .paths.reference_path import ReferenceSet


@dataclass(frozen=True, eq=False)
class PlanTables:
    """The arrays that a plan consists of, agents first.

    Attributes:
        path: int64 (A,).
        s: float64 (A,), where it starts [m].
        step: float64 (A,), distance of its nodes along the path [m].
        d, d_prime, d_second: float64 (A, K), at the nodes.
        rate: float64 (A, K), distance walked per metre of path there.
        walked: float64 (A, K), distance walked up to there [m].
        uneven: bool (A,), the walked distance changes too fast between nodes to be interpolated from them.
        polynomial: float64 (A, 6), walked distance as a function of time.
        span: float64 (A,), time from which on `end_speed` is held [s].
        end_speed: float64 (A,) [m/s].
        collides: bool (A,).
    """

    path: Int64
    s: Float64
    step: Float64
    d: Float64
    d_prime: Float64
    d_second: Float64
    rate: Float64
    walked: Float64
    uneven: Bool
    polynomial: Float64
    span: Float64
    end_speed: Float64
    collides: Bool


class Plans:
    """Plans of many agents, on the paths of one set."""

    def __init__(self, references: ReferenceSet, tables: PlanTables) -> None:
        self.references = references
        self.tables = tables

    @classmethod
    def empty(cls, count: int, references: ReferenceSet) -> Plans:
        """Plans of `count` agents who stand at the start of the first path, to be replaced."""
        return cls(
            references,
            PlanTables(
                path=np.zeros(count, dtype=np.int64),
                s=np.zeros(count),
                step=np.ones(count),
                d=np.zeros((count, COURSE_NODES)),
                d_prime=np.zeros((count, COURSE_NODES)),
                d_second=np.zeros((count, COURSE_NODES)),
                rate=np.ones((count, COURSE_NODES)),
                walked=np.tile(np.arange(float(COURSE_NODES)), (count, 1)),
                uneven=np.zeros(count, dtype=bool),
                polynomial=np.zeros((count, 6)),
                span=np.zeros(count),
                end_speed=np.zeros(count),
                collides=np.zeros(count, dtype=bool),
            ),
        )

    def __len__(self) -> int:
        return len(self.tables.path)

    @property
    def collides(self) -> Bool:
        """Whose courses are all blocked: bool (A,). Their plans stop before the obstacle."""
        return self.tables.collides

    def take(self, rows: ArrayLike) -> Plans:
        """The plans of these rows, int (R,) or bool (A,), in their order."""
        rows = np.asarray(rows)
        return Plans(self.references, PlanTables(*(getattr(self.tables, name)[rows] for name in _COLUMNS)))

    def put(self, rows: ArrayLike, other: Plans) -> None:
        """Replace plans.

        Args:
            rows: int (R,) or bool (A,), which.
            other: R plans on the paths of the same set.
        """
        for name in _COLUMNS:
            getattr(self.tables, name)[rows] = getattr(other.tables, name)

    def at(self, rows: ArrayLike, time: ArrayLike) -> tuple[Float64, Float64, Float64, Float64, Float64]:
        """Positions and velocities of plans.

        Args:
            rows: int (N,), the plan of each.
            time: float64 (N,), since they were made [s].

        Returns:
            position (N, 2) [m], velocity (N, 2) [m/s], s (N,) [m], d (N,) [m], d_prime (N,).
        """
        position, velocity, state = self.motion(rows, time)
        return position, velocity, state.s, state.d, state.d_prime

    def motion(self, rows: ArrayLike, time: ArrayLike) -> tuple[Float64, Float64, FrenetState]:
        """Positions and velocities of plans, and the states along the paths.

        Args:
            rows: int (N,), the plan of each.
            time: float64 (N,), since they were made [s].

        Returns:
            position (N, 2) [m], velocity (N, 2) [m/s], and see `FrenetState`.
        """
        kernels = twins.twin(twins.PLANS)
        if kernels is not None:
            found = self._compiled_motion(kernels, rows, time)
            if found is not None:
                return found
        state, geometry, (x, y, cos, sin) = self._look_up(rows, time)
        along, lateral = state.s_dot * geometry.scale, state.s_dot * state.d_prime
        position = np.stack((x - sin * state.d, y + cos * state.d), axis=-1)
        velocity = np.stack((cos * along - sin * lateral, sin * along + cos * lateral), axis=-1)
        return position, velocity, state

    def state(self, rows: ArrayLike, time: ArrayLike) -> FrenetState:
        """States along the paths.

        Args:
            rows: int (N,), the plan of each.
            time: float64 (N,), since they were made [s].

        Returns:
            See `FrenetState`.
        """
        return self._look_up(rows, time)[0]

    def course(self, row: int, count: int = 50) -> Float64:
        """The planned course as far as the plan looks ahead: float64 (count, 2) [m]."""
        plan = self.take(np.full(count, row)).tables
        distance = plan.step * np.linspace(0.0, plan.d.shape[1] - 1.0, count)
        d, _, _ = offsets_at(plan.step, (plan.d, plan.d_prime, plan.d_second), distance)
        return self.references.to_cartesian(plan.path, plan.s + distance, d)

    def _compiled_motion(
        self, kernels: Any, rows: ArrayLike, time: ArrayLike
    ) -> tuple[Float64, Float64, FrenetState] | None:
        """As `motion`, by compiled kernels; None where rows of the paths are missing."""
        plan, rows = self.tables, np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        plans = kernels.PlanRows(
            plan.path,
            (plan.s, plan.step, plan.span, plan.end_speed),
            (plan.d, plan.d_prime, plan.d_second, plan.rate, plan.walked),
            plan.polynomial,
            plan.uneven,
        )
        since = np.array(np.broadcast_to(time, rows.shape), dtype=np.float64)
        paths = self.references.compiled_rows(kernels)
        (position, velocity), state, missing = kernels.motion(paths, plans, rows, since, TRACED_NODES)
        return None if missing.any() else (position, velocity, FrenetState(*state))

    def _look_up(self, rows: ArrayLike, time: ArrayLike) -> tuple[FrenetState, CourseGeometry, tuple[Float64, ...]]:
        """States along the paths, the geometry of the courses, and the paths' x, y, cos, sin there."""
        plan, rows = self.tables, np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        path, begun, step, span = plan.path[rows], plan.s[rows], plan.step[rows], plan.span[rows]
        time = np.maximum(np.broadcast_to(np.asarray(time, dtype=np.float64), rows.shape), 0.0)
        walked, speed, acceleration = evaluate(plan.polynomial[rows].T, np.minimum(time, span))
        held = np.maximum(time - span, 0.0)
        acceleration = np.where(held > 0.0, 0.0, acceleration)
        distance = self._path_distance(rows, np.maximum(walked + held * plan.end_speed[rows], 0.0))
        s = begun + distance
        d, d_prime, d_second = offsets_at(step, (plan.d, plan.d_prime, plan.d_second), distance, rows)
        *frame, bend, bend_rate = self.references.frame(path, s)
        geometry = course_geometry(bend, bend_rate, d, d_prime, d_second)
        past = distance >= step * (plan.d.shape[1] - 1)  # there the rate is constant
        s_dot = speed / np.where(past, plan.rate[rows, -1], geometry.rate)
        s_ddot = (acceleration - s_dot * s_dot * np.where(past, 0.0, geometry.rate_prime)) / geometry.rate
        return FrenetState(s, s_dot, s_ddot, d, d_prime, d_second), geometry, tuple(frame)

    def _path_distance(self, rows: Int64, walked: Float64) -> Float64:
        """Distance along the path after so much has been walked on some plans, float64 (N,) [m]."""
        plan = self.tables
        distance = path_distance_at(plan.step[rows], plan.walked, plan.rate, walked, rows)
        some = (plan.uneven[rows] & (walked < plan.walked[rows, TRACED_NODES - 1])).nonzero()[0]
        if not len(some):
            return distance
        rows = rows[some]
        step = plan.step[rows]
        node = np.minimum(distance[some] / step, TRACED_NODES - 2.0).astype(np.int64)
        cell = rows[:, None], node[:, None] + np.arange(2)
        course = plan.d[cell], plan.d_prime[cell], plan.d_second[cell]
        since = walked[some] - plan.walked[rows, node]
        distance[some] = node * step + path_distance_between(
            self.references, plan.path[rows], plan.s[rows] + node * step, step, course, since
        )
        return distance


_COLUMNS = tuple(PlanTables.__dataclass_fields__)
