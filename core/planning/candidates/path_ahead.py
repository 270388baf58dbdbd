# SPDX-License-Identifier: GPL-3.0-or-later
"""Where agents are who plan, and the part of the path ahead of each, at even nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Float64, Int64
from ...compiled import twins
from ..paths.reference_path import ReferenceSet
from .preferences import PlannerPreferences

COURSE_NODES = 57
"""Nodes of every course: the length of all tables."""


@dataclass(frozen=True, eq=False)
class StartState:
    """States and preferences of A agents, in the range from which plans can be made; float64 (A,) each.

    Attributes:
        path: int64 (A,).
        s, d, d_prime, d_second: along the path.
        speed, acceleration: along the walked course [m/s, m/s2].
        wanted_speed, wanted_offset, radius: preferred speed and offset, and of the body [m/s], [m], [m].
        stop_at: s where the agent stops [m]; inf for nowhere.
        preferences: limits and weights of each.
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
    preferences: PlannerPreferences

    def rows(self, rows: Int64) -> StartState:
        """These agents alone."""
        own = {name: getattr(self, name)[rows] for name in _START_COLUMNS}
        return StartState(**own, preferences=self.preferences.rows(rows))


_START_COLUMNS = tuple(name for name in StartState.__dataclass_fields__ if name != "preferences")


@dataclass(frozen=True, eq=False)
class PathAhead:
    """The part of the path ahead of each agent, at K even nodes; float64 (A, K), `step` (A,).

    Attributes:
        step: distance between nodes [m].
        distance: s - s0 [m].
        x, y, cos, sin, bend, bend_rate: place, direction and curvature of the line.
        target: the preferred offset, limited to the width and bends [m].
        walk_low, walk_high: limits of the body's centre within the width and bends, for who is outside the width
            from where the body is [m].
        bend_low, bend_high: what bends alone allow [m].
    """

    step: Float64
    distance: Float64
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

    def rows(self, rows: Int64) -> PathAhead:
        """PathAhead of these agents alone."""
        return PathAhead(*(getattr(self, name).take(rows, 0) for name in self.__dataclass_fields__))


def tabulate_ahead(references: ReferenceSet, start: StartState, reach: Float64) -> PathAhead:
    """Tabulate the paths ahead.

    Args:
        references: the paths.
        start: the agents.
        reach: float64 (A,), distance that is looked ahead [m].

    Returns:
        See `PathAhead`.
    """
    kernels = twins.twin(twins.AHEAD)
    if kernels is not None:
        walkers = kernels.AheadWalkers(start.s, start.d, start.radius, start.wanted_offset, reach)
        found = kernels.tabulate(references.compiled_rows(kernels), start.path, walkers, COURSE_NODES)
        if found is not None:  # else rows of the paths are missing
            return PathAhead(found[0], *found[1])
    step = reach / (COURSE_NODES - 1)
    distance = step[:, None] * np.arange(COURSE_NODES)
    path, s = start.path[:, None], start.s[:, None] + distance
    x, y, cos, sin, bend, bend_rate = references.frame(path, s)
    bend_low, bend_high = references.bend_limits(path, s)
    right, left = (np.maximum(side - start.radius[:, None], 0.0) for side in references.free_width(path, s))
    low, high = np.maximum(bend_low, -right), np.minimum(bend_high, left)
    target = np.clip(start.wanted_offset[:, None], low, high)
    # Who is outside the width may come back to it gently: it is no fault to be there, only costly.
    right, left = right + _outside(right, -start.d), left + _outside(left, start.d)
    low, high = np.maximum(bend_low, -right), np.minimum(bend_high, left)
    return PathAhead(step, distance, x, y, cos, sin, bend, bend_rate, target, low, high, bend_low, bend_high)


def _outside(width: Float64, offset: Float64) -> Float64:
    """Return float64 (A, 1), by how much offsets, float64 (A,), are outside the widths at the start of (A, K) [m]."""
    return np.maximum(offset[:, None] - width[:, :1], 0.0)
