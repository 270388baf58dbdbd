# SPDX-License-Identifier: GPL-3.0-or-later
"""Step aside from whom one would run into: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import entry, part, run_over
from ....compiled.pairs import INDEX, advance, enter, pack, strip_gap
from ..arrays import Bool, Float64, Int64, SortedAgents, Strips, Turn

NOBODY = -1


def break_symmetry(agents: SortedAgents, neighbours: Int64, turn: Turn) -> Float64:
    """Preferred velocities turned away from whom they would lead into; see `reference`."""
    result = np.empty_like(agents.preferred)
    run_over(result.shape[0], _turn, agents, neighbours, turn, result)
    return result


def turn_aside(agents: SortedAgents, strips: Strips, reach: float, count: int, turn: Turn, who: Bool) -> Float64:
    """The same of some among the nearest within a distance; see `reference`."""
    result = agents.preferred.copy()
    run_over(result.shape[0], _turn_aside, agents, strips, (reach, count), turn, who, result)
    return result


@entry
def _turn(begin, end, agents, neighbours, turn, result):
    for agent in range(begin, end):
        on_left, soonest_left, on_right, soonest_right = NOBODY, turn.none, NOBODY, turn.none
        for rank in range(neighbours.shape[0]):
            other = neighbours[rank, agent]
            if other < 0:
                break
            time = _time_to_contact(agents, agent, other, turn)
            if time < soonest_left and _passes_left(agents, agent, other, turn):
                on_left, soonest_left = other, time
            elif time < soonest_right and not _passes_left(agents, agent, other, turn):
                on_right, soonest_right = other, time
        if on_left >= 0:
            _write_turned(agents, agent, on_left, soonest_left, 1.0, turn, result)
        else:
            _write_turned(agents, agent, on_right, soonest_right, -1.0, turn, result)


@part
def _write_turned(agents, agent, other, time, side, turn, result):
    """Write the preferred velocity turned to the right (1) or left (-1) of whom it would lead into after some time."""
    x, y = agents.preferred[agent, 0], agents.preferred[agent, 1]
    result[agent, 0], result[agent, 1] = x, y
    if other < 0:
        return
    gap_x, gap_y = _gap(agents, agent, other)
    closing_x, closing_y = _closing(agents, agent, other)
    speed2 = closing_x * closing_x + closing_y * closing_y
    beside = closing_x * gap_y - closing_y * gap_x
    lack = (agents.radius[other] + agents.radius[agent]) * math.sqrt(speed2) - side * beside
    along, onward = gap_x * closing_x + gap_y * closing_y, x * closing_x + y * closing_y
    slope = turn.slope
    if onward > 0.0 and time > 0.0:
        slope = min(turn.enough * lack * speed2 / (along * onward * time), slope)
    slope = side * (slope * min((turn.none - time) / (turn.none - turn.full), 1.0))
    size = math.sqrt(1.0 + slope * slope)
    result[agent, 0], result[agent, 1] = (x + slope * y) / size, (y - slope * x) / size


@entry
def _turn_aside(begin, end, agents, strips, search, turn, who, result):
    reach, most = search
    span = math.ceil(reach / strips.height)
    windows = np.empty((2 * span + 1, 3), dtype=np.int64)
    near, hits = np.empty(agents.radius.size, dtype=np.int64), np.empty(agents.radius.size, dtype=np.int64)
    on_right = np.empty(agents.radius.size, dtype=np.int64)
    time = np.empty(agents.radius.size)  # of each hit
    number = -1
    for agent in range(begin, end):
        if not who[agent]:
            continue
        if strips.number[agent] != number:
            number = strips.number[agent]
            enter(strips, number, span, windows)
        known = 0
        for row in range(2 * span + 1):
            advance(strips.key, windows[row], strips.key[agent] + (row - span) * strips.width)
            gap = strip_gap(strips, agents.position[agent, 1], number + row - span)
            if gap * gap < reach * reach:
                known = _list_along(agents.position, agent, windows[row], reach, near, known)
        side = 1.0
        hit, rest = _list_hits(agents, agent, near[:known], turn, hits, time, on_right)
        first = _soonest(near[:known], most, hits[:hit], time)
        if first < 0:
            side, hit = -1.0, 0
            for packed in on_right[:rest]:
                hits[hit], time[hit] = packed, _time_to_contact(agents, agent, packed & INDEX, turn)
                hit += time[hit] < turn.none
            first = _soonest(near[:known], most, hits[:hit], time)
        other, when = (NOBODY, math.inf) if first < 0 else (hits[first] & INDEX, time[first])
        _write_turned(agents, agent, other, when, side, turn, result)


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
def _list_hits(agents, agent, near, turn, hits, time, on_right):
    """Write which of those near would be touched on the left, if both got their way, and when, and which on the right.

    Returns how many on the left, and how many on the right, of whom some may come too late.
    """
    count, rest = 0, 0
    x, y, radius = agents.position[agent, 0], agents.position[agent, 1], agents.radius[agent]
    own_x, own_y = agents.preferred[agent, 0], agents.preferred[agent, 1]
    for packed in near:
        other = packed & INDEX
        gap_x, gap_y = agents.position[other, 0] - x, agents.position[other, 1] - y
        closing_x, closing_y = own_x - agents.preferred[other, 0], own_y - agents.preferred[other, 1]
        reach = agents.radius[other] + radius
        speed2 = closing_x * closing_x + closing_y * closing_y
        along = gap_x * closing_x + gap_y * closing_y
        meets = (along > 0.0) & (along * along > speed2 * (gap_x * gap_x + gap_y * gap_y - reach * reach))
        if not meets:
            continue
        if _passes_left(agents, agent, other, turn):
            hits[count], time[count] = packed, _time_to_contact(agents, agent, other, turn)
            count += time[count] < turn.none
        else:
            on_right[rest] = packed
            rest += 1
    return count, rest


@part
def _soonest(near, most, hits, time):
    """Which hit among the `most` nearest has the least time, of several the nearest; -1 for none."""
    while True:
        first, least = -1, math.inf
        for k in range(hits.size):
            if time[k] < least or (time[k] == least and first >= 0 and hits[k] < hits[first]):
                first, least = k, time[k]
        if first < 0 or near.size <= most:
            return first
        nearer = 0
        for k in range(near.size):
            nearer += near[k] < hits[first]
        if nearer < most:
            return first
        time[first] = math.inf


@part
def _time_to_contact(agents, agent, other, turn):
    """When an agent touches another who walks, if both got their way; inf if never or not opposed."""
    alike, lengths2 = _likeness(agents, agent, other)
    if lengths2 == 0.0:
        return math.inf
    if alike > 0.0 and alike * alike > turn.alike * lengths2:
        return math.inf
    if abs(agents.along[other] - agents.along[agent]) < turn.apart:
        return math.inf
    gap_x, gap_y = _gap(agents, agent, other)
    closing_x, closing_y = _closing(agents, agent, other)
    reach = agents.radius[other] + agents.radius[agent]
    speed2 = closing_x * closing_x + closing_y * closing_y
    along = gap_x * closing_x + gap_y * closing_y
    outside = gap_x * gap_x + gap_y * gap_y - reach * reach
    discriminant = along * along - speed2 * outside
    if along > 0.0 and discriminant > 0.0:
        return (along - math.sqrt(discriminant)) / speed2
    return math.inf


@part
def _passes_left(agents, agent, other, turn):
    """Whether the other is head on, or would pass no farther to the right than a share of both radii."""
    alike, lengths2 = _likeness(agents, agent, other)
    if alike < 0.0 and alike * alike > turn.head_on * lengths2:
        return True
    gap_x, gap_y = _gap(agents, agent, other)
    closing_x, closing_y = _closing(agents, agent, other)
    beside = closing_x * gap_y - closing_y * gap_x
    most = turn.left * (agents.radius[other] + agents.radius[agent])
    return beside >= 0.0 or beside * beside <= most * most * (closing_x * closing_x + closing_y * closing_y)


@part
def _likeness(agents, agent, other):
    """The dot product of two preferred velocities, and that of the squares of their lengths."""
    own_x, own_y = agents.preferred[agent, 0], agents.preferred[agent, 1]
    wish_x, wish_y = agents.preferred[other, 0], agents.preferred[other, 1]
    squares = (own_x * own_x + own_y * own_y) * (wish_x * wish_x + wish_y * wish_y)
    return own_x * wish_x + own_y * wish_y, squares


@part
def _gap(agents, agent, other):
    x = agents.position[other, 0] - agents.position[agent, 0]
    return x, agents.position[other, 1] - agents.position[agent, 1]


@part
def _closing(agents, agent, other):
    x = agents.preferred[agent, 0] - agents.preferred[other, 0]
    return x, agents.preferred[agent, 1] - agents.preferred[other, 1]
