# SPDX-License-Identifier: GPL-3.0-or-later
"""Look along headings, take the one that leads to the target soonest, no faster than one can stop: numpy kernel.

Source: Moussaid, Helbing and Theraulaz 2011; Guzzi et al. 2013.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Fan, Float64, HeadingAims, Int64, Ragged, Segments, SortedAgents, rows_of
from .view import Discs, Vector, bodies, chosen_of, disc_urgency, fan_of
from .walls import wall_urgency

CHUNK = 256

NO_TIME = 1e-9
"""A body at its target walks for so long, rather than for no time at all [s]."""


def new_velocity(
    agents: SortedAgents, aims: HeadingAims, neighbours: Int64, edges: Ragged, segments: Segments, fan: Fan
) -> Float64:
    """New velocities of the first N agents.

    Args:
        agents: everybody.
        aims: what they want.
        neighbours: int64 (K, N), -1 where there is none.
        edges: for each of these agents the obstacle edges to avoid.
        segments: all edges.
        fan: headings to look along, and what they cost.

    Returns:
        float64 (N, 2) [m/s].
    """
    count = neighbours.shape[1]
    result = np.empty((count, 2))
    with np.errstate(divide="ignore"):
        for begin in range(0, count, CHUNK):
            rows = slice(begin, min(begin + CHUNK, count))
            result[rows] = _steer(agents, aims, rows, neighbours[:, rows], edges, segments, fan)
    return result + 0.0  # no negative zeros


def look(
    agents: SortedAgents, aims: HeadingAims, row: int, other: Int64, edges: Ragged, segments: Segments, fan: Fan
) -> tuple[Float64, Float64, Float64]:
    """What one agent sees: headings (1 + M, 2), how long each is free, and how long the way along it takes (1 + M,)."""
    rows = slice(row, row + 1)
    with np.errstate(divide="ignore"):
        e = fan_of(aims, rows, fan)
        walls = wall_urgency(agents, aims, rows, edges, segments, e, fan.creep)
        free = _free(aims, rows, walls, bodies(agents, aims, rows, other[:, None], fan.creep), e)
    x, y = (np.broadcast_to(part, free.shape)[:, 0] for part in e)
    return np.stack((x, y), axis=1), free[:, 0], _expected_time(aims, rows, free, e, fan)[:, 0]


def _free(aims: HeadingAims, rows: slice, walls: Float64, people: Discs, e: Vector) -> Float64:
    """How long each heading is free, at most the horizon, (1 + M, n) [s]."""
    urgency = walls.copy()
    for rank in range(people.bound.shape[0]):
        np.maximum(urgency, disc_urgency(rows_of(people, rank), *e), out=urgency)
    return np.minimum(1.0 / urgency, aims.horizon[rows])


def _steer(
    agents: SortedAgents, aims: HeadingAims, rows: slice, other: Int64, edges: Ragged, segments: Segments, fan: Fan
) -> Float64:
    """New velocities of some agents, (n, 2)."""
    e = fan_of(aims, rows, fan)
    walls = wall_urgency(agents, aims, rows, edges, segments, e, fan.creep)
    people = bodies(agents, aims, rows, other, fan.creep)
    free = _free(aims, rows, walls, people, e)
    choice = _expected_time(aims, rows, free, e, fan).argmin(axis=0)
    way = chosen_of(e, choice)
    urgent = walls[choice, np.arange(choice.size)]
    speed = np.minimum(_speed_behind(aims, rows, people, urgent, way), _speed_in_turns(aims, rows, free[1:], way, fan))
    return np.stack((speed * way[0], speed * way[1]), axis=1)


def _expected_time(aims: HeadingAims, rows: slice, free: Float64, e: Vector, fan: Fan) -> Float64:
    """How long the way to the target takes along each heading, (1 + M, n) [s].

    One walks until the target is abeam, at least a stride, or is stopped before; the rest takes longer. Turning takes
    its time, and so does being stopped.
    """
    distance = aims.distance[rows]
    (to_x, to_y), (h_x, h_y) = aims.direction[rows].T, aims.heading[rows].T
    foot = distance * (e[0] * to_x + e[1] * to_y)
    wanted = np.maximum(np.maximum(foot, np.minimum(distance, fan.stride)), NO_TIME)
    walked = np.minimum(free, wanted)
    left = distance * distance - 2.0 * walked * foot + walked * walked
    turn = 2.0 - 2.0 * (e[0] * h_x + e[1] * h_y)
    time = walked + fan.detour * np.sqrt(np.maximum(left, 0.0)) + fan.turning * np.sqrt(np.maximum(turn, 0.0))
    return time + fan.stop * (1.0 - walked / wanted)


def _speed_behind(aims: HeadingAims, rows: slice, people: Discs, walls: Float64, way: Vector) -> Float64:
    """The speed at which one comes to nobody nearer than one can stop, (n,) [m/s]."""
    wanted, reaction = aims.speed[rows], aims.reaction[rows]
    speed = wanted * np.minimum(1.0 / (reaction * walls), 1.0)
    if people.bound.shape[0]:
        soon = np.minimum(1.0 / (reaction * disc_urgency(people, *way)), 1.0)  # (K, n)
        with_them = people.recede_x * way[0] + people.recede_y * way[1]
        with_them = np.minimum(np.maximum(with_them, 0.0), wanted)
        behind = np.where(soon < 1.0, with_them + (wanted - with_them) * soon, np.inf)  # rounded, it may be below all
        speed = np.minimum(speed, behind.min(axis=0))
    return speed


def _speed_in_turns(aims: HeadingAims, rows: slice, free: Float64, way: Vector, fan: Fan) -> Float64:
    """The speed at which the turn from one's heading to the chosen one stays within the free border, (n,) [m/s].

    The border is as far as each heading (M, n) between the two is free, widened a little; a circle that begins along
    one's heading reaches out 2 r sin(angle) at an angle.
    """
    h_x, h_y = aims.heading[rows].T
    cos, aside = h_x * way[0] + h_y * way[1], h_x * way[1] - h_y * way[0]
    out = fan.sin[:, None] * np.where(aside < 0.0, -1.0, 1.0)
    between = (out > 0.0) & (fan.cos[:, None] >= cos)
    radius = (aims.speed[rows] * free + fan.margin) / (2.0 * out)
    return aims.turn_rate[rows] * np.where(between, radius, np.inf).min(axis=0)
