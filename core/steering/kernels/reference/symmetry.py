# SPDX-License-Identifier: GPL-3.0-or-later
"""Step aside from whom one would run into: numpy kernel."""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float64, Int64, SortedAgents, Strips, Turn
from .neighbours import nearest

CHUNK = 1024


def break_symmetry(agents: SortedAgents, neighbours: Int64, turn: Turn) -> Float64:
    """Preferred velocities turned away from whom they would lead into first.

    Args:
        agents: everybody.
        neighbours: int64 (K, A), -1 where there is none.
        turn: how far and when.

    Returns:
        float64 (A, 2) [m/s].
    """
    return _turned(agents, np.arange(len(agents.preferred)), neighbours, turn)


def turn_aside(agents: SortedAgents, strips: Strips, reach: float, count: int, turn: Turn, who: Bool) -> Float64:
    """The same of some agents, where the others are the nearest `count` of each within a distance.

    Args:
        agents: everybody.
        strips: how they are ordered.
        reach: the distance; strictly nearer ones count [m].
        count: how many at most.
        turn: how far and when.
        who: bool (A,), who turns.

    Returns:
        float64 (A, 2) [m/s].
    """
    return _turned(agents, np.flatnonzero(who), nearest(agents.position, strips, reach, count, who), turn)


def _turned(agents: SortedAgents, rows: Int64, neighbours: Int64, turn: Turn) -> Float64:
    """Preferred velocities of all, float64 (A, 2), those of some turned from one of their others, int64 (K, A)."""
    result = agents.preferred.copy()
    for begin in range(0, len(rows) if len(neighbours) else 0, CHUNK):
        some = rows[begin : begin + CHUNK]
        other = np.take(neighbours, some, axis=1)
        time = _times_to_contact(agents, some, other, turn)
        meets = np.isfinite(time).any(axis=0)
        some = some[meets]
        result[some] = _turned_from(agents, some, other[:, meets], time[:, meets], turn)
    return result


def _turned_from(agents: SortedAgents, rows: Int64, other: Int64, time: Float64, turn: Turn) -> Float64:
    """Preferred velocities, float64 (N, 2), of N agents each of whom touches one of its others at a time (K, N) [s]."""
    gap, closing = _gaps(agents, rows, other)
    reach = np.take(agents.radius, other) + agents.radius[rows]
    speed2 = closing[0] * closing[0] + closing[1] * closing[1]
    beside = closing[0] * gap[1] - closing[1] * gap[0]
    most = turn.left * reach
    alike, lengths2 = _likeness(agents, rows, other)
    head_on = (alike < 0.0) & (alike * alike > turn.head_on * lengths2)
    on_left = (beside >= 0.0) | (beside * beside <= most * most * speed2) | head_on
    to_right = np.where(on_left, time, np.inf)
    right = np.isfinite(to_right).any(axis=0)
    # From those on the right only where there is nobody else.
    first = np.argmin(np.where(right, to_right, time), axis=0)
    each = first, np.arange(len(first))
    time, speed2, side = time[each], speed2[each], np.where(right, 1.0, -1.0)
    lack = reach[each] * np.sqrt(speed2) - side * beside[each]
    (gap_x, gap_y), (closing_x, closing_y) = gap[:, *each], closing[:, *each]
    x, y = agents.preferred.take(rows, 0).T
    along, onward = gap_x * closing_x + gap_y * closing_y, x * closing_x + y * closing_y
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        slope = np.minimum(turn.enough * lack * speed2 / (along * onward * time), turn.slope)
    slope = np.where((onward > 0.0) & (time > 0.0), slope, turn.slope)
    fade = (turn.none - time) / (turn.none - turn.full)
    slope = side * (slope * np.minimum(fade, 1.0))
    size = np.sqrt(1.0 + slope * slope)
    return np.stack(((x + slope * y) / size, (y - slope * x) / size), axis=1)


def _likeness(agents: SortedAgents, rows: Int64, other: Int64) -> tuple[Float64, Float64]:
    """The dot products of the preferred velocities of two, and those of the squares of their lengths."""
    own, wish = agents.preferred.take(rows, 0).T[:, None], np.take(agents.preferred.T, other, axis=1)
    squares = (own[0] * own[0] + own[1] * own[1]) * (wish[0] * wish[0] + wish[1] * wish[1])
    return own[0] * wish[0] + own[1] * wish[1], squares


def _gaps(agents: SortedAgents, rows: Int64, other: Int64) -> tuple[Float64, Float64]:
    """From N agents to K others each: the gaps and the velocities at which they close, float64 (2, K, N) [m, m/s]."""
    gap = np.take(agents.position.T, other, axis=1)
    gap -= agents.position.take(rows, 0).T[:, None]
    return gap, agents.preferred.take(rows, 0).T[:, None] - np.take(agents.preferred.T, other, axis=1)


def _times_to_contact(agents: SortedAgents, rows: Int64, other: Int64, turn: Turn) -> Float64:
    """When N agents touch each of K others who walks and goes another way, if all got their way, float64 (K, N) [s].

    Inf if never, or too late to matter. Not as they go now: who has begun to turn aside would turn back at once, and
    so to and fro.
    """
    gap, closing = _gaps(agents, rows, other)
    along = gap[0] * closing[0] + gap[1] * closing[1]
    speed2 = closing[0] * closing[0] + closing[1] * closing[1]
    reach = np.take(agents.radius, other) + agents.radius[rows]
    outside = gap[0] * gap[0] + gap[1] * gap[1] - reach * reach
    discriminant = along * along - speed2 * outside
    with np.errstate(divide="ignore", invalid="ignore"):
        time = (along - np.sqrt(np.maximum(discriminant, 0.0))) / speed2
    meets = (other >= 0) & (along > 0.0) & (discriminant > 0.0) & (time < turn.none)
    alike, lengths2 = _likeness(agents, rows, other)
    same_way = (alike > 0.0) & (alike * alike > turn.alike * lengths2)
    same_way |= np.abs(np.take(agents.along, other) - agents.along[rows]) < turn.apart
    return np.where(meets & (lengths2 > 0.0) & ~same_way, time, np.inf)
