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
    result = agents.preferred.copy()
    for begin in range(0, len(result) if len(neighbours) else 0, CHUNK):
        rows = slice(begin, begin + CHUNK)
        result[rows] = _turned(agents, rows, np.ascontiguousarray(neighbours[:, rows]), turn)
    return result


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
    turned = break_symmetry(agents, nearest(agents.position, strips, reach, count, who), turn)
    return np.where(who[:, None], turned, agents.preferred)


def _turned(agents: SortedAgents, rows: slice, other: Int64, turn: Turn) -> Float64:
    """Preferred velocities of N agents, float64 (N, 2), each turned from one of its others, int64 (K, N)."""
    gap, closing, time = _times_to_contact(agents, rows, other, turn)
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
    x, y = agents.preferred[rows].T
    along, onward = gap_x * closing_x + gap_y * closing_y, x * closing_x + y * closing_y
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        slope = np.minimum(turn.enough * lack * speed2 / (along * onward * time), turn.slope)
    slope = np.where((onward > 0.0) & (time > 0.0), slope, turn.slope)
    fade = (turn.none - np.minimum(time, turn.none)) / (turn.none - turn.full)
    slope = side * (slope * np.minimum(fade, 1.0))
    size = np.sqrt(1.0 + slope * slope)
    turned = np.stack(((x + slope * y) / size, (y - slope * x) / size), axis=1)
    return np.where(np.isfinite(time)[:, None], turned, agents.preferred[rows])


def _likeness(agents: SortedAgents, rows: slice, other: Int64) -> tuple[Float64, Float64]:
    """The dot products of the preferred velocities of two, and those of the squares of their lengths."""
    own, wish = agents.preferred[rows].T[:, None], np.take(agents.preferred.T, other, axis=1)
    squares = (own[0] * own[0] + own[1] * own[1]) * (wish[0] * wish[0] + wish[1] * wish[1])
    return own[0] * wish[0] + own[1] * wish[1], squares


def _times_to_contact(agents: SortedAgents, rows: slice, other: Int64, turn: Turn) -> tuple[Float64, Float64, Float64]:
    """From N agents to K others each: the gaps and the velocities at which they close, float64 (2, K, N) [m, m/s].

    And when each touches each who walks and goes another way, if all got their way, float64 (K, N); inf if never, or
    too late to matter. Not as they go now: who has begun to turn aside would turn back at once, and so to and fro.
    """
    gap = np.take(agents.position.T, other, axis=1)  # (2, K, N)
    gap -= agents.position[rows].T[:, None]
    alike, lengths2 = _likeness(agents, rows, other)
    same_way = (alike > 0.0) & (alike * alike > turn.alike * lengths2)
    same_way |= np.abs(np.take(agents.along, other) - agents.along[rows]) < turn.apart
    closing = agents.preferred[rows].T[:, None] - np.take(agents.preferred.T, other, axis=1)
    reach = np.take(agents.radius, other) + agents.radius[rows]
    speed2 = closing[0] * closing[0] + closing[1] * closing[1]
    along = gap[0] * closing[0] + gap[1] * closing[1]
    outside = gap[0] * gap[0] + gap[1] * gap[1] - reach * reach
    discriminant = along * along - speed2 * outside
    meets = (other >= 0) & (lengths2 > 0.0) & ~same_way & (along > 0.0) & (discriminant > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        time = (along - np.sqrt(np.maximum(discriminant, 0.0))) / speed2
    return gap, closing, np.where(meets & (time < turn.none), time, np.inf)
