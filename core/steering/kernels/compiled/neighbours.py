# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is near whom: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import each_row, part, run_over
from ....compiled.strips import INDEX, advance, enter, pack, strip_gap
from ..arrays import Bool, Float64, Int64, Strips

NOBODY = np.iinfo(np.int64).max


def nearest(position: Float64, strips: Strips, reach: float, count: int, asks: Bool) -> Int64:
    """The nearest others of those who ask; see `reference`."""
    agents = position.shape[0]
    found = np.full((count, agents), -1)
    if count and agents:
        run_over(agents, _search, position, strips, reach, asks, found)
    return found


@each_row(takes=0.4)
def _search(begin, end, position, strips, reach, asks, found):
    count = found.shape[0]
    nearest_so_far = np.empty(count, dtype=np.int64)  # packed, ascending
    span = math.ceil(reach / strips.height)
    windows = np.empty((2 * span + 1, 3), dtype=np.int64)  # first, one past the last, and where one's own x falls
    number = -1
    for agent in range(begin, end):
        if not asks[agent]:
            continue
        if strips.number[agent] != number:
            number = strips.number[agent]
            enter(strips, number, span, windows)
        nearest_so_far[:] = NOBODY
        for turn in range(2 * span + 1):  # one's own strip, then those below and above, farther and farther
            offset = -((turn + 1) // 2) if turn % 2 else turn // 2
            window = windows[offset + span]
            advance(strips.key, window, strips.key[agent] + offset * strips.width)
            gap = strip_gap(strips, position[agent, 1], number + offset)
            if gap * gap < reach * reach and pack(gap * gap, 0) <= nearest_so_far[-1]:
                _scan(position, agent, window, reach * reach, nearest_so_far)
        for rank in range(count):
            found[rank, agent] = nearest_so_far[rank] & INDEX if nearest_so_far[rank] != NOBODY else -1


@part
def _scan(position, agent, window, limit, nearest_so_far):
    """Walk along a strip to the right and to the left from the agent's x, as far as anybody could still count."""
    x, y = position[agent, 0], position[agent, 1]
    for step in (1, -1):
        other = window[2] if step == 1 else window[2] - 1
        while window[0] <= other < window[1]:
            gap_x = position[other, 0] - x
            gap2 = gap_x * gap_x
            if gap_x * step > 0.0 and (gap2 >= limit or pack(gap2, 0) > nearest_so_far[-1]):
                break
            gap_y = position[other, 1] - y
            distance2 = gap2 + gap_y * gap_y
            if distance2 < limit and other != agent:
                _insert(pack(distance2, other), nearest_so_far)
            other += step


@part
def _insert(packed, nearest_so_far):
    if packed < nearest_so_far[-1]:
        for place in range(nearest_so_far.size - 1, 0, -1):  # no branches, which would go wrong half of the time
            nearest_so_far[place] = min(nearest_so_far[place], max(nearest_so_far[place - 1], packed))
        nearest_so_far[0] = min(nearest_so_far[0], packed)
