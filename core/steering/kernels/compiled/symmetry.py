# SPDX-License-Identifier: GPL-3.0-or-later
"""Step aside from whom one would run into: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import each_row, part, run_over
from ....compiled.strips import INDEX, enter, pack, strip_gap
from ..arrays import Bool, Float64, Int64, SortedAgents, Strips, Turn

NOBODY = -1
_FAR = np.iinfo(np.int64).max  # sorts behind everybody


def break_symmetry(agents: SortedAgents, neighbours: Int64, turn: Turn) -> Float64:
    """Preferred velocities, those of the first N turned away from whom they would lead into; see `reference`."""
    result = agents.preferred.copy()
    run_over(neighbours.shape[1], _turn, agents, neighbours, turn, result)
    return result


def turn_aside(agents: SortedAgents, strips: Strips, reach: float, count: int, turn: Turn, who: Bool) -> Float64:
    """Preferred velocities, those of some turned away from the nearest within a distance; see `reference`."""
    result = agents.preferred.copy()
    run_over(result.shape[0], _turn_aside, agents, strips, (reach, count), turn, who, result)
    return result


@each_row(takes=0.5)
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


@each_row(takes=1.0)
def _turn_aside(begin, end, agents, strips, search, turn, who, result):
    reach, most = search
    span = math.ceil(reach / strips.height)
    windows = np.empty((2 * span + 1, 3), dtype=np.int64)
    near, hits = np.empty(agents.radius.size, dtype=np.int64), np.empty(agents.radius.size, dtype=np.int64)
    on_right, meets = np.empty(agents.radius.size, dtype=np.int64), np.empty(agents.radius.size, dtype=np.bool_)
    time = np.empty(agents.radius.size)  # of each hit
    columns = _columns_of(agents.position, agents.preferred)
    number = -1
    for agent in range(begin, end):
        if not who[agent]:
            continue
        if strips.number[agent] != number:
            number = strips.number[agent]
            enter(strips, number, span, windows)
        listed, known = 0, 0
        for row in range(2 * span + 1):
            gap = strip_gap(strips, agents.position[agent, 1], number + row - span)
            if gap * gap < reach * reach:
                first, last = _move_on(columns[0], columns[0, agent], windows[row], reach)
                into = near[listed : listed + last - first], meets[listed : listed + last - first]
                known += _look_along(columns, agents.radius, agent, first, reach, into)
                listed += last - first
        side = 1.0
        hit, rest = _list_hits(agents, agent, (near[:listed], meets[:listed]), turn, hits, time, on_right)
        first = _soonest(near[:listed], known, most, hits[:hit], time)
        if first < 0:
            side, hit = -1.0, 0
            for packed in on_right[:rest]:
                hits[hit], time[hit] = packed, _time_to_contact(agents, agent, packed & INDEX, turn)
                hit += time[hit] < turn.none
            first = _soonest(near[:listed], known, most, hits[:hit], time)
        other, when = (NOBODY, math.inf) if first < 0 else (hits[first] & INDEX, time[first])
        _write_turned(agents, agent, other, when, side, turn, result)


@part
def _columns_of(position, preferred):
    """Positions and preferred velocities as four rows: several people are looked at in one instruction."""
    columns = np.empty((4, len(position)))
    for agent in range(len(position)):
        columns[0, agent], columns[1, agent] = position[agent, 0], position[agent, 1]
        columns[2, agent], columns[3, agent] = preferred[agent, 0], preferred[agent, 1]
    return columns


@part
def _move_on(along, x, window, reach):
    """First and end of those along a strip who are no farther than the reach to the left or right of an x.

    Both are kept in the window: in the order of strips, x only grows until the next strip.
    """
    first, end, limit = window[0], window[2], reach * reach
    while first < window[1] and along[first] < x and not (x - along[first]) * (x - along[first]) < limit:
        first += 1
    end = max(end, first)
    while end < window[1] and (along[end] < x or (along[end] - x) * (along[end] - x) < limit):
        end += 1
    window[0], window[2] = first, end
    return first, end


@part
def _look_along(columns, radius, agent, first, reach, into):
    """Write who along a strip is in reach, packed as they sort, others as `_FAR`, and who of them would be touched.

    Returns how many are in reach. There is no branch, so that it is compiled to instructions for several people.
    """
    (near, meets), known, limit = into, 0, reach * reach
    x, y, own_x, own_y, own = columns[0, agent], columns[1, agent], columns[2, agent], columns[3, agent], radius[agent]
    xs, ys, wish_x, wish_y = columns[0, first:], columns[1, first:], columns[2, first:], columns[3, first:]
    radii = radius[first:]
    for k in range(near.size):
        gap_x, gap_y = xs[k] - x, ys[k] - y
        closing_x, closing_y = own_x - wish_x[k], own_y - wish_y[k]
        distance2, both = gap_x * gap_x + gap_y * gap_y, radii[k] + own
        speed2 = closing_x * closing_x + closing_y * closing_y
        along = gap_x * closing_x + gap_y * closing_y
        is_near = (distance2 < limit) & (first + k != agent)
        near[k] = pack(distance2, first + k) if is_near else _FAR
        meets[k] = is_near & (along > 0.0) & (along * along > speed2 * (distance2 - both * both))
        known += is_near
    return known


@part
def _list_hits(agents, agent, seen, turn, hits, time, on_right):
    """Write which of those seen would be touched on the left, if both got their way, and when, and which on the right.

    Returns how many on the left, and how many on the right, of whom some may come too late.
    """
    (near, meets), count, rest = seen, 0, 0
    for k in range(near.size):
        if not meets[k]:
            continue
        other = near[k] & INDEX
        if _passes_left(agents, agent, other, turn):
            hits[count], time[count] = near[k], _time_to_contact(agents, agent, other, turn)
            count += time[count] < turn.none
        else:
            on_right[rest] = near[k]
            rest += 1
    return count, rest


@part
def _soonest(near, known, most, hits, time):
    """Which hit among the `most` nearest of those known has the least time, of several the nearest; -1 for none."""
    while True:
        first, least = -1, math.inf
        for k in range(hits.size):
            if time[k] < least or (time[k] == least and first >= 0 and hits[k] < hits[first]):
                first, least = k, time[k]
        if first < 0 or known <= most:
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
