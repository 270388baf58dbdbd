# SPDX-License-Identifier: GPL-3.0-or-later
"""Out of the way of what moves: a cart, a tram, a gate is seen coming, and people step aside before it is there.

Avoidance looks less than a second ahead, which does between people; at the speed of a cart that is too late. The
animator's keys say where everything that moves will be. Whoever would be run into within some seconds chooses, of a
fan of velocities, the one that leaves most room and changes least.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...geometry.reproducible_math import heading_vector
from ..world.agents import Agents
from ..world.environment import Environment
from ..world.moving_obstacles import Mover

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

TIMES = np.array([0.25, 0.5, 0.75, 1.0, 1.3, 1.6, 2.0, 2.4])
"""When it is looked where everything will be, from now on [s]."""

BERTH = 0.35
"""Room that people want to what moves, beyond their bodies [m]; less where there is no more to be had."""

REACTION = 0.3
"""So long somebody goes on as before while changing the velocity [s]."""

HURRY = 1.6
"""How fast people step aside, at least [m/s]."""

DIRECTIONS = 16

_DEAR_ROOM, _DEAR_CHANGE, _DEAR_JERK, _DEAR_WALL = 10.0, 1.0, 0.3, 4.0  # per metre, per m/s, per m/s, per metre


def make_way(
    agents: Agents, rows: Int64, preferred: Float64, time: float, surroundings: Environment, standing: Distances
) -> tuple[Float64, NDArray[np.bool_]]:
    """Change the preferred velocities of those whom something that moves would run into.

    Args:
        agents: everybody.
        rows: int64 (R,), who is present.
        preferred: float64 (R, 2), where each would go [m/s].
        time: now [s].
        surroundings: with what moves.
        standing: distances to what stands.

    Returns:
        The preferred velocities, float64 (R, 2) [m/s], and whose were changed, bool (R,).
    """
    moving = surroundings.moving_within(time, float(TIMES[-1]))
    in_danger = np.zeros(len(rows), dtype=bool)
    if not moving:
        return preferred, in_danger
    radius = agents.radius[rows]
    mine = agents.avoids[rows]
    ahead = _places(agents.position[rows], agents.velocity[rows], preferred[:, None])  # (R, 1, T, 2)
    in_danger[mine] = _room(moving, ahead[mine], time, surroundings)[:, 0] < radius[mine] + BERTH
    who = np.flatnonzero(in_danger)
    if len(who) == 0:
        return preferred, in_danger
    chosen = preferred.copy()
    chosen[who] = _best(agents, rows[who], preferred[who], moving, time, surroundings, standing)
    return chosen, in_danger


def _best(
    agents: Agents,
    rows: Int64,
    preferred: Float64,
    moving: list[Mover],
    time: float,
    surroundings: Environment,
    standing: Distances,
) -> Float64:
    """Of a fan of velocities, the one with most room to what moves and stands, and least change."""
    radius, velocity = agents.radius[rows], agents.velocity[rows]
    fan = heading_vector(2.0 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS)
    speed = np.maximum(HURRY, agents.wanted_speed[rows])
    choices = np.concatenate(
        (preferred[:, None], np.zeros((len(rows), 1, 2)), speed[:, None, None] * fan[None]), axis=1
    )  # (R, C, 2)
    ahead = _places(agents.position[rows], velocity, choices)
    lacking = np.maximum(radius[:, None] + BERTH - _room(moving, ahead, time, surroundings), 0.0)
    soon = ahead[:, :, :4].reshape(-1, 2)
    wall = standing.signed_distance(soon, float(radius.max())).reshape(*ahead.shape[:2], 4).min(axis=2)
    change = choices - preferred[:, None]
    jerk = choices - velocity[:, None]
    cost = _DEAR_ROOM * lacking + _DEAR_WALL * np.maximum(radius[:, None] - wall, 0.0)
    cost += _DEAR_CHANGE * np.sqrt((change * change).sum(axis=2)) + _DEAR_JERK * np.sqrt((jerk * jerk).sum(axis=2))
    return choices[np.arange(len(rows)), cost.argmin(axis=1)]


def _places(position: Float64, velocity: Float64, choices: Float64) -> Float64:
    """Where choices (R, C, 2) lead at the times looked at, float64 (R, C, T, 2) [m]."""
    before = np.minimum(TIMES, REACTION)
    start = position[:, None] + before[:, None] * velocity[:, None]  # (R, T, 2)
    return start[:, None] + (TIMES - before)[:, None] * choices[:, :, None]


def _room(moving: list[Mover], places: Float64, time: float, surroundings: Environment) -> Float64:
    """The least distance to anything that moves at any of the times, float64 (R, C) [m]; no more than is wanted."""
    least = np.full(places.shape[:2], np.inf)
    for mover in moving:
        for k, later in enumerate(TIMES.tolist()):
            own = surroundings.pose_of(mover, time + later).to_own(places[:, :, k].reshape(-1, 2))
            least = np.minimum(least, mover.shape.signed_distance(own).reshape(least.shape))
    return least
