# SPDX-License-Identifier: GPL-3.0-or-later
"""Step to the right of whom one would run into: numpy kernel."""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Int64, SortedAgents, Strips, Turn
from .neighbours import nearest

CHUNK = 1024


def break_symmetry(agents: SortedAgents, neighbours: Int64, turn: Turn) -> Float64:
    """Preferred velocities turned the more, the sooner they would lead into somebody.

    Args:
        agents: everybody.
        neighbours: int64 (K, A), -1 where there is none.
        turn: how far and when.

    Returns:
        float64 (A, 2) [m/s].
    """
    time = np.full(agents.radius.size, np.inf)
    for begin in range(0, time.size, CHUNK):
        rows = slice(begin, begin + CHUNK)
        time[rows] = _time_to_contact(agents, rows, np.ascontiguousarray(neighbours[:, rows]), turn)
    share = (turn.none - time) / (turn.none - turn.full)
    share = np.where(share < 0.0, 0.0, np.where(share > 1.0, 1.0, share))
    x, y = agents.preferred.T
    turned_x, turned_y = x * turn.cos - y * turn.sin, x * turn.sin + y * turn.cos
    return np.stack((x + share * (turned_x - x), y + share * (turned_y - y)), axis=1)


def turn_aside(agents: SortedAgents, strips: Strips, reach: float, count: int, turn: Turn) -> Float64:
    """The same, where the others are the nearest `count` of each within a distance.

    Args:
        agents: everybody.
        strips: how they are ordered.
        reach: the distance; strictly nearer ones count [m].
        count: how many at most.
        turn: how far and when.

    Returns:
        float64 (A, 2) [m/s].
    """
    return break_symmetry(agents, nearest(agents.position, strips, reach, count), turn)


def _time_to_contact(agents: SortedAgents, rows: slice, other: Int64, turn: Turn) -> Float64:
    """When each touches the first who goes another way, if all got their way; inf if never.

    Not as they go now: a body that has begun to turn aside would turn back at once, and so to and fro.
    """
    gap = np.take(agents.position.T, other, axis=1)  # (2, K, N)
    gap -= agents.position[rows].T[:, None]
    own = agents.preferred[rows].T[:, None]
    wish = np.take(agents.preferred.T, other, axis=1)
    alike = own[0] * wish[0] + own[1] * wish[1]
    lengths2 = (own[0] * own[0] + own[1] * own[1]) * (wish[0] * wish[0] + wish[1] * wish[1])
    same_way = (alike > 0.0) & (alike * alike > turn.alike * lengths2)
    closing = own - wish
    reach = np.take(agents.radius, other) + agents.radius[rows]
    speed2 = closing[0] * closing[0] + closing[1] * closing[1]
    along = gap[0] * closing[0] + gap[1] * closing[1]
    outside = gap[0] * gap[0] + gap[1] * gap[1] - reach * reach
    discriminant = along * along - speed2 * outside
    meets = (other >= 0) & ~same_way & (along > 0.0) & (discriminant > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        time = (along - np.sqrt(np.maximum(discriminant, 0.0))) / speed2
    return np.min(np.where(meets, time, np.inf), axis=0, initial=np.inf)
