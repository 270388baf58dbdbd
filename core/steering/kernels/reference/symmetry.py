# SPDX-License-Identifier: GPL-3.0-or-later
"""Step aside from whom one would run into: numpy kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bool, Float64, Int64, SortedAgents, Strips, Turn, rows_of
from .neighbours import INDEX, NOBODY, in_reach, least_of

CHUNK = 1024


def break_symmetry(agents: SortedAgents, neighbours: Int64, turn: Turn) -> Float64:
    """Preferred velocities, those of the first N agents turned away from whom they would lead into first.

    Args:
        agents: everybody.
        neighbours: int64 (K, N), -1 where there is none.
        turn: how far and when.

    Returns:
        float64 (A, 2) [m/s].
    """
    rank, own = np.nonzero(neighbours >= 0)
    result = agents.preferred.copy()
    _turn(agents, _meetings(agents, own, neighbours[rank, own], rank, turn), turn, result)
    return result


def turn_aside(agents: SortedAgents, strips: Strips, reach: float, count: int, turn: Turn, who: Bool) -> Float64:
    """As `break_symmetry` of some agents, where the others are the nearest `count` of each within a distance.

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
    result, rows = agents.preferred.copy(), who.nonzero()[0]
    x, y = np.ascontiguousarray(agents.position.T)
    for begin in range(0, len(rows) if count else 0, CHUNK):
        some = rows[begin : begin + CHUNK]
        packed, kept = in_reach(some, x, y, strips, reach)
        meetings = _meetings(agents, some.repeat(kept), packed & INDEX, packed, turn)
        _turn(agents, _among_nearest(meetings, some, packed, kept, count), turn, result)
    return result


class _Meetings(NamedTuple):
    """Pairs of agents of whom the first would touch the second.

    Attributes:
        own, other: int64 (P,), who would touch whom.
        order: int64 (P,), of those of equal times the one with the least counts.
        time: float64 (P,), until then [s].
    """

    own: Int64
    other: Int64
    order: Int64
    time: Float64


def _among_nearest(meetings: _Meetings, rows: Int64, packed: Int64, kept: Int64, count: int) -> _Meetings:
    """Meetings of some with the `count` nearest of their others alone, who are packed, and `kept` so many for each."""
    meets = np.zeros(rows[-1] + 1, dtype=bool)
    meets[meetings.own] = True
    many = meets[rows] & (kept > count)
    if not many.any():
        return meetings
    farthest = np.full(len(meets), NOBODY)
    farthest[rows[many]] = least_of(packed[many.repeat(kept)], kept[many], count)[:, -1]
    return rows_of(meetings, (meetings.order <= farthest[meetings.own]).nonzero()[0])


def _turn(agents: SortedAgents, meetings: _Meetings, turn: Turn, result: Float64) -> None:
    """Write the preferred velocities of those who would touch somebody, turned from whom they would touch first."""
    own, other, order, time = meetings
    (gap_x, gap_y), (closing_x, closing_y) = _gaps(agents, own, other)
    reach = agents.radius[other] + agents.radius[own]
    speed2 = closing_x * closing_x + closing_y * closing_y
    beside = closing_x * gap_y - closing_y * gap_x
    most = turn.left * reach
    alike, lengths2 = _likeness(agents, own, other)
    head_on = (alike < 0.0) & (alike * alike > turn.head_on * lengths2)
    on_left = (beside >= 0.0) | (beside * beside <= most * most * speed2) | head_on
    # From those on the right only where there is nobody else.
    first = np.lexsort((order, time, ~on_left, own))
    first = first[np.diff(own[first], prepend=-1) > 0]
    rows, time, speed2, side = own[first], time[first], speed2[first], np.where(on_left[first], 1.0, -1.0)
    lack = reach[first] * np.sqrt(speed2) - side * beside[first]
    x, y = agents.preferred.take(rows, 0).T
    along = gap_x[first] * closing_x[first] + gap_y[first] * closing_y[first]
    onward = x * closing_x[first] + y * closing_y[first]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        slope = np.minimum(turn.enough * lack * speed2 / (along * onward * time), turn.slope)
    slope = np.where((onward > 0.0) & (time > 0.0), slope, turn.slope)
    fade = (turn.none - time) / (turn.none - turn.full)
    slope = side * (slope * np.minimum(fade, 1.0))
    size = np.sqrt(1.0 + slope * slope)
    result[rows, 0], result[rows, 1] = (x + slope * y) / size, (y - slope * x) / size


def _likeness(agents: SortedAgents, own: Int64, other: Int64) -> tuple[Float64, Float64]:
    """The dot products of the preferred velocities of two, and those of the squares of their lengths."""
    (own_x, own_y), (x, y) = agents.preferred.take(own, 0).T, agents.preferred.take(other, 0).T
    return own_x * x + own_y * y, (own_x * own_x + own_y * own_y) * (x * x + y * y)


def _gaps(agents: SortedAgents, own: Int64, other: Int64) -> tuple[Float64, Float64]:
    """From one to the other of P pairs: the gaps and the velocities at which they close, float64 (2, P) [m, m/s]."""
    gap = agents.position.T.take(other, axis=1)
    gap -= agents.position.T.take(own, axis=1)
    closing = agents.preferred.T.take(own, axis=1)
    closing -= agents.preferred.T.take(other, axis=1)
    return gap, closing


def _meetings(agents: SortedAgents, own: Int64, other: Int64, order: Int64, turn: Turn) -> _Meetings:
    """Those of pairs who touch soon enough to matter, if all got their way, and do not go the same way.

    Not as they go now: who has begun to turn aside would turn back at once, and so to and fro.
    """
    gap, closing = _gaps(agents, own, other)
    along = gap[0] * closing[0] + gap[1] * closing[1]
    speed2 = closing[0] * closing[0] + closing[1] * closing[1]
    reach = agents.radius.take(other) + agents.radius.take(own)
    outside = gap[0] * gap[0] + gap[1] * gap[1] - reach * reach
    discriminant = along * along - speed2 * outside
    touch = ((along > 0.0) & (discriminant > 0.0)).nonzero()[0]
    along, speed2, discriminant = along[touch], speed2[touch], discriminant[touch]
    with np.errstate(divide="ignore", invalid="ignore"):
        time = (along - np.sqrt(discriminant)) / speed2
    found = _Meetings(own[touch], other[touch], order[touch], time)
    found = rows_of(found, (time < turn.none).nonzero()[0])
    alike, lengths2 = _likeness(agents, found.own, found.other)
    same_way = (alike > 0.0) & (alike * alike > turn.alike * lengths2)
    same_way |= np.abs(agents.along[found.other] - agents.along[found.own]) < turn.apart
    return rows_of(found, ((lengths2 > 0.0) & ~same_way).nonzero()[0])
