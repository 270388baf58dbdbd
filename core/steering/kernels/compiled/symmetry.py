# SPDX-License-Identifier: GPL-3.0-or-later
"""Step to the right of whom one would run into: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import entry, part, run_over
from ....compiled.pairs import INDEX, advance, enter, pack, strip_gap
from ..arrays import Float64, Int64, SortedAgents, Strips, Turn


def break_symmetry(agents: SortedAgents, neighbours: Int64, turn: Turn) -> Float64:
    """Preferred velocities turned the more, the sooner they would lead into somebody; see `reference`."""
    result = np.empty_like(agents.preferred)
    run_over(result.shape[0], _turn, agents, neighbours, turn, result)
    return result


def turn_aside(agents: SortedAgents, strips: Strips, reach: float, count: int, turn: Turn) -> Float64:
    """The same among the nearest within a distance; see `reference`."""
    result = np.empty_like(agents.preferred)
    run_over(result.shape[0], _turn_aside, agents, strips, (reach, count), turn, result)
    return result


@entry
def _turn(begin, end, agents, neighbours, turn, result):
    for agent in range(begin, end):
        time = math.inf
        for rank in range(neighbours.shape[0]):
            other = neighbours[rank, agent]
            if other < 0:
                break
            time = min(time, _time_to_contact(agents, agent, other, turn.alike))
        _write_turned(agents, agent, time, turn, result)


@part
def _write_turned(agents, agent, time, turn, result):
    share = (turn.none - time) / (turn.none - turn.full)
    share = 0.0 if share < 0.0 else min(share, 1.0)
    x, y = agents.preferred[agent, 0], agents.preferred[agent, 1]
    turned_x, turned_y = x * turn.cos - y * turn.sin, x * turn.sin + y * turn.cos
    result[agent, 0], result[agent, 1] = x + share * (turned_x - x), y + share * (turned_y - y)


@entry
def _turn_aside(begin, end, agents, strips, search, turn, result):
    reach, most = search
    span = math.ceil(reach / strips.height)
    windows = np.empty((2 * span + 1, 3), dtype=np.int64)
    near, hits = np.empty(agents.radius.size, dtype=np.int64), np.empty(agents.radius.size, dtype=np.int64)
    time = np.empty(agents.radius.size)  # of each hit
    number = -1
    for agent in range(begin, end):
        if strips.number[agent] != number:
            number = strips.number[agent]
            enter(strips, number, span, windows)
        known = 0
        for row in range(2 * span + 1):
            advance(strips.key, windows[row], strips.key[agent] + (row - span) * strips.width)
            gap = strip_gap(strips, agents.position[agent, 1], number + row - span)
            if gap * gap < reach * reach:
                known = _list_along(agents.position, agent, windows[row], reach, near, known)
        hit = _list_hits(agents, agent, near[:known], turn, hits, time)
        _write_turned(agents, agent, _soonest(near[:known], most, hits[:hit], time), turn, result)


@part
def _list_along(position, agent, window, reach, near, known):
    """Add others in reach along a strip, packed as they sort, to those known, and return how many these are then."""
    x, y, limit = position[agent, 0], position[agent, 1], reach * reach
    first, end = window[2], window[2]
    while first > window[0] and (x - position[first - 1, 0]) * (x - position[first - 1, 0]) < limit:
        first -= 1
    while end < window[1] and (position[end, 0] - x) * (position[end, 0] - x) < limit:
        end += 1
    for other in range(first, end):
        gap_x, gap_y = position[other, 0] - x, position[other, 1] - y
        distance2 = gap_x * gap_x + gap_y * gap_y
        near[known] = pack(distance2, other)
        known += (distance2 < limit) & (other != agent)  # no branch, which would go wrong often
    return known


@part
def _list_hits(agents, agent, near, turn, hits, time):
    """Write which of those near would be touched, if both got their way, and when; return how many."""
    count = 0
    x, y, radius = agents.position[agent, 0], agents.position[agent, 1], agents.radius[agent]
    own_x, own_y = agents.preferred[agent, 0], agents.preferred[agent, 1]
    for packed in near:
        other = packed & INDEX
        gap_x, gap_y = agents.position[other, 0] - x, agents.position[other, 1] - y
        closing_x, closing_y = own_x - agents.preferred[other, 0], own_y - agents.preferred[other, 1]
        reach = agents.radius[other] + radius
        speed2 = closing_x * closing_x + closing_y * closing_y
        along = gap_x * closing_x + gap_y * closing_y
        if (along > 0.0) & (along * along > speed2 * (gap_x * gap_x + gap_y * gap_y - reach * reach)):
            hits[count], time[count] = packed, _time_to_contact(agents, agent, other, turn.alike)
            count += 1
    return count


@part
def _soonest(near, most, hits, time):
    """The least time of hits among the `most` nearest; inf for none."""
    while True:
        first, least = -1, math.inf
        for k in range(hits.size):
            if time[k] < least:
                first, least = k, time[k]
        if first < 0 or near.size <= most:
            return least
        nearer = 0
        for k in range(near.size):
            nearer += near[k] < hits[first]
        if nearer < most:
            return least
        time[first] = math.inf


@part
def _time_to_contact(agents, agent, other, most_alike):
    """When an agent touches another, if both got their way; inf if never or not opposed."""
    own_x, own_y = agents.preferred[agent, 0], agents.preferred[agent, 1]
    wish_x, wish_y = agents.preferred[other, 0], agents.preferred[other, 1]
    alike = own_x * wish_x + own_y * wish_y
    lengths2 = (own_x * own_x + own_y * own_y) * (wish_x * wish_x + wish_y * wish_y)
    if alike > 0.0 and alike * alike > most_alike * lengths2:
        return math.inf
    gap_x = agents.position[other, 0] - agents.position[agent, 0]
    gap_y = agents.position[other, 1] - agents.position[agent, 1]
    closing_x = own_x - wish_x
    closing_y = own_y - wish_y
    reach = agents.radius[other] + agents.radius[agent]
    speed2 = closing_x * closing_x + closing_y * closing_y
    along = gap_x * closing_x + gap_y * closing_y
    outside = gap_x * gap_x + gap_y * gap_y - reach * reach
    discriminant = along * along - speed2 * outside
    if along > 0.0 and discriminant > 0.0:
        return (along - math.sqrt(discriminant)) / speed2
    return math.inf
