# SPDX-License-Identifier: GPL-3.0-or-later
"""People who are stopped by an obstacle step aside to where the route is free.

A plan d(s) leaves the line only while it moves along it. A body so near to an obstacle that no such plan is free any
more walks sideways, as people do, to the nearest offset at which the route ahead is free, and continues from there.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.distances import Distances
from ...planning import ReferenceSet
from ..settings.guidance_settings import SidestepSettings
from ..world.agents import Agents


def step_aside(
    agents: Agents, rows: Int64, references: ReferenceSet, obstacles: Distances, settings: SidestepSettings
) -> Float64:
    """Return float64 (R, 2), velocities to the nearest free offset; zero where there is none [m/s].

    Args:
        agents: all agents.
        rows: int64 (R,), people stopped by an obstacle.
        references: the reference paths.
        obstacles: distances to obstacles that stand.
        settings: how people step aside.
    """
    if not len(rows):
        return np.zeros((0, 2))
    path, s, d, radius = agents.path[rows], agents.s[rows], agents.d[rows], agents.radius[rows]
    offset = _offsets(path, s, radius, references, settings)  # (R, O)
    ahead = np.linspace(0.0, settings.open_distance, 7)
    wide = radius + settings.clearance
    is_open = _have_room(path, s[:, None, None] + ahead, offset[..., None], wide, references, obstacles)
    if not is_open.any():
        return np.zeros((len(rows), 2))
    # First back, then across: the corner of an obstacle is left before it is passed.
    back, share = np.array(settings.steps_back), np.linspace(0.0, 1.0, 8)[1:]
    behind = s[:, None, None, None] - back[:, None, None] * np.minimum(1.0, 2.0 * share)
    across = d[:, None, None] + share * (offset - d[:, None])[..., None]
    reachable = _have_room(path, behind, across[:, None], radius - settings.clearance, references, obstacles)
    away = np.abs(offset - d[:, None])[:, None] + back[:, None]
    cost = np.where(is_open[:, None] & reachable, away, np.inf).reshape(len(rows), -1)  # (R, B O)
    least = cost.argmin(axis=1)
    each, (steps, nearest) = np.arange(len(rows)), np.divmod(least, offset.shape[1])
    # The next place on the way there: straight back where that comes first, else across.
    aim = offset[each, nearest]
    goal = references.to_cartesian(path, s - back[steps] * (np.abs(aim - d) > settings.back_first_offset), aim)
    target = np.where(np.isfinite(cost[each, least])[:, None], goal, agents.position[rows])
    to_target = target - agents.position[rows]
    length = np.sqrt((to_target * to_target).sum(axis=1, keepdims=True))
    return to_target * (np.minimum(settings.speed, settings.approach_rate * length) / np.maximum(length, 1e-9))


def _offsets(path: Int64, s: Float64, radius: Float64, references: ReferenceSet, settings: SidestepSettings) -> Float64:
    """Return float64 (R, O), offsets from the right to the left, also outside the width of the route [m]."""
    right, left = references.bend_limits(path, s)
    room_right, room_left = references.free_width(path, s)
    low = np.maximum(right, radius - room_right - settings.beyond_width)
    high = np.minimum(left, room_left - radius + settings.beyond_width)
    return low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, settings.offsets)


def _have_room(
    path: Int64, s: Float64, d: Float64, radius: Float64, references: ReferenceSet, obstacles: Distances
) -> Bool:
    """Return bool (R, ...), where bodies of a radius have room at all places s, d, (R, ..., P) together."""
    s, d = np.broadcast_arrays(s, d)
    paths = np.repeat(path, s[0].size)
    points = references.to_cartesian(paths, s.ravel(), d.ravel())
    distance = obstacles.signed_distance(points, float(radius.max(initial=0.0))).reshape(len(s), -1)
    return np.all((distance >= radius[:, None]).reshape(s.shape), axis=-1)
