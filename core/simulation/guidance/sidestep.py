# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever has come to stand before an obstacle steps aside to where the way goes on.

A plan d(s) leaves the line only while it moves along it. A body that was pressed so near to an obstacle that no such
plan is free any more walks sideways, as people do, to the nearest offset at which the way ahead is open, and goes on
from there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...planning import ReferenceSet
from ..world.agents import Agents

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

OFFSETS = 33
"""How many places across the way are looked at."""

BEYOND_WIDTH = 1.5
"""How far outside the width of the route somebody steps to get past something [m]."""

OPEN_WAY = 1.6
"""So far ahead the way must be open at the new offset [m]."""

STEPS_BACK = (0.0, 0.35)
"""How far back somebody may go on the way across [m]."""

ROOM = 0.04
"""Room between the body and obstacles on the open way [m]."""

SPEED = 0.7
"""How fast people step aside [m/s]."""


def step_aside(agents: Agents, rows: Int64, references: ReferenceSet, obstacles: Distances) -> Float64:
    """Return float64 (R, 2), the velocity that leads to the nearest opening; zero where there is none [m/s].

    Args:
        agents: everybody.
        rows: int64 (R,), who stands before something.
        references: the reference paths.
        obstacles: what stands.
    """
    path, s, d, radius = agents.path[rows], agents.s[rows], agents.d[rows], agents.radius[rows]
    offset = _offsets(path, s, radius, references)  # (R, O)
    ahead = np.linspace(0.0, OPEN_WAY, 7)
    is_open = _clear(path, s[:, None, None] + ahead, offset[..., None], radius + ROOM, references, obstacles)
    best = np.full(len(rows), np.inf)
    target = agents.position[rows].copy()
    share = np.linspace(0.0, 1.0, 8)[1:]
    for back in STEPS_BACK:
        # First back, then across: the corner of an obstacle is left before it is passed.
        behind = s[:, None, None] - back * np.minimum(1.0, 2.0 * share)
        across = d[:, None, None] + share * (offset - d[:, None])[..., None]
        reachable = _clear(path, behind, across, radius - ROOM, references, obstacles)
        cost = np.where(is_open & reachable, np.abs(offset - d[:, None]) + back, np.inf)
        nearest = cost.argmin(axis=1)
        least = cost[np.arange(len(rows)), nearest]
        better = least < best
        # The next place on the way there: straight back where that comes first, else across.
        goal_s = s - back * (np.abs(offset[np.arange(len(rows)), nearest] - d) > 0.5)
        goal = references.to_cartesian(path, goal_s, offset[np.arange(len(rows)), nearest])
        target[better] = goal[better]
        best = np.minimum(best, least)
    way = target - agents.position[rows]
    length = np.sqrt((way * way).sum(axis=1, keepdims=True))
    return way * (np.minimum(SPEED, 3.0 * length) / np.maximum(length, 1e-9))


def _offsets(path: Int64, s: Float64, radius: Float64, references: ReferenceSet) -> Float64:
    """Return float64 (R, O), offsets across the way from the right to the left, those off it included."""
    right, left = references.bend_limits(path, s)
    room_right, room_left = references.free_width(path, s)
    low = np.maximum(right, radius - room_right - BEYOND_WIDTH)
    high = np.minimum(left, room_left - radius + BEYOND_WIDTH)
    return low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, OFFSETS)


def _clear(
    path: Int64, s: Float64, d: Float64, room: Float64, references: ReferenceSet, obstacles: Distances
) -> NDArray[np.bool_]:
    """Return bool (R, O), where a body has room at all of the places s, d, (R, O, P) together."""
    s, d = np.broadcast_arrays(s, d)
    whose = np.broadcast_to(path[:, None, None], s.shape).ravel()
    points = references.to_cartesian(whose, s.ravel(), d.ravel())
    distance = obstacles.signed_distance(points, float(room.max(initial=0.0))).reshape(s.shape)
    return np.all(distance >= room[:, None, None], axis=2)
