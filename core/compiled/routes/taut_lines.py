# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest lines through corridors: twin of `core.routing.corridors.funnel`."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ..compiling import each_row, part, run_over
from .portals import Chains, cut_all
from .searches import apart


def pull_tight(chains: Chains) -> tuple[Float64, Int64]:
    """Find the shortest lines through corridors.

    Portals of an arc are the same for all whose corridors contain it, but for the radius.

    Returns:
        float64 (P, 2), the points of all lines [m]; and int64 (C,), how many each has.
    """
    corners = (chains.beside >= len(chains.lengths) // 2).sum(axis=1)
    room = 2 + corners * (chains.arcs[:, 4].astype(np.int64) // 2 + 2)  # an arc turns by half a circle at most
    low, counts = np.cumsum(room) - room, np.empty(len(room), dtype=np.int64)
    portals = np.empty((room.sum(), 14))
    run_over(len(room), cut_all, chains, low, (portals, counts))
    most = np.add.reduceat(counts[chains.which], chains.first[:-1]) + 2
    begins, found = np.cumsum(most) - most, np.empty(len(most), dtype=np.int64)
    points = np.empty((most.sum(), 2))
    run_over(len(most), _pull_all, chains, (portals, low, counts), begins, (points, found))
    return points[np.arange(found.sum()) + np.repeat(begins - (np.cumsum(found) - found), found)], found


@part
def _corners(x, y, chords, begin, end, found):
    """Write the corners of the shortest line from a place through portals to rows of `found`; return how many."""
    count, k, left_at, right_at = 0, begin, -1, -1
    left_x = left_y = right_x = right_y = 0.0
    while k < end:
        to_x, to_y = chords[k, 2] - x, chords[k, 3] - y
        if right_x * to_y - right_y * to_x >= 0.0:  # the right side does not open
            if (right_x == 0.0 and right_y == 0.0) or left_x * to_y - left_y * to_x < 0.0:
                right_x, right_y, right_at = to_x, to_y, k
            else:  # it crosses the left side: a corner there
                x, y = chords[left_at, 0], chords[left_at, 1]
                found[count, 0], found[count, 1] = x, y
                count += 1
                k = left_at + 1
                right_at = left_at
                left_x = left_y = right_x = right_y = 0.0
                continue
        to_x, to_y = chords[k, 0] - x, chords[k, 1] - y
        if left_x * to_y - left_y * to_x <= 0.0:
            if (left_x == 0.0 and left_y == 0.0) or right_x * to_y - right_y * to_x > 0.0:
                left_x, left_y, left_at = to_x, to_y, k
            else:
                x, y = chords[right_at, 2], chords[right_at, 3]
                found[count, 0], found[count, 1] = x, y
                count += 1
                k = right_at + 1
                left_at = right_at
                left_x = left_y = right_x = right_y = 0.0
                continue
        k += 1
    return count


@part
def _without_straight(points, count, tolerance):
    """Drop points at which a line is straight, in place; return how many there are then."""
    kept = 1
    for k in range(1, count - 1):
        x, y, last_x, last_y = points[k, 0], points[k, 1], points[kept - 1, 0], points[kept - 1, 1]
        next_x, next_y = points[k + 1, 0], points[k + 1, 1]
        run_x, run_y = next_x - last_x, next_y - last_y
        aside = run_x * (y - last_y) - run_y * (x - last_x)
        back = run_x * (x - last_x) + run_y * (y - last_y) < 0.0 or run_x * (next_x - x) + run_y * (next_y - y) < 0.0
        if back or aside * aside > tolerance * tolerance * (run_x * run_x + run_y * run_y):
            points[kept, 0], points[kept, 1] = x, y
            kept += 1
    points[kept, 0], points[kept, 1] = points[count - 1, 0], points[count - 1, 1]
    return kept + 1


@each_row(takes=3.0)
def _pull_all(begin, end, chains, cut, begins, found):
    (portals, low, counts), (points, lengths) = cut, found
    most = 0
    for k in range(begin, end):
        count = 1
        for at in range(chains.first[k], chains.first[k + 1]):
            count += counts[chains.which[at]]
        most = max(most, count)
    chords = np.empty((most, 7))
    for k in range(begin, end):
        x, y, goal_x, goal_y, radius, reach = chains.bodies[k]
        count, last = 0, (np.inf, np.inf, np.inf, np.inf)
        for at in range(chains.first[k], chains.first[k + 1]):
            arc = chains.which[at]
            for row in range(low[arc], low[arc] + counts[arc]):
                left_x, left_y = _inset(portals[row, 2:8], radius)
                right_x, right_y = _inset(portals[row, 8:14], radius)
                apart_x, apart_y = (
                    abs(left_x - last[0]) + abs(right_x - last[2]),
                    abs(left_y - last[1]) + abs(right_y - last[3]),
                )
                last = (left_x, left_y, right_x, right_y)
                if apart_x > 1e-12 or apart_y > 1e-12:
                    chords[count, 0], chords[count, 1], chords[count, 2], chords[count, 3] = last
                    chords[count, 4], chords[count, 5] = portals[row, 0], portals[row, 1]
                    chords[count, 6] = portals[row, 6] - reach
                    count += 1
        first, final = _between(chords[:count], chains.bodies[k])
        chords[final, 0], chords[final, 1], chords[final, 2], chords[final, 3] = goal_x, goal_y, goal_x, goal_y
        own = points[begins[k] :]
        own[0, 0], own[0, 1] = x, y
        count = 2 + _corners(x, y, chords, first, final + 1, own[1:])
        own[count - 1, 0], own[count - 1, 1] = goal_x, goal_y
        lengths[k] = _without_straight(own, count, chains.tolerance)


@part
def _inset(foot, radius):
    """The end of a portal: the nearest point of a site, moved inwards by the radius."""
    share = min(radius / foot[5] / max(foot[4], 1e-300), 1.0)
    return foot[0] + share * foot[2], foot[1] + share * foot[3]


@part
def _between(chords, body):
    """The first portal that a line passes, and the one after its last; see `core.routing.corridors.funnel`."""
    x, y, goal_x, goal_y, _, _ = body
    seen = -1
    for k in range(len(chords)):
        if apart(chords[k, 4], chords[k, 5], x, y) <= chords[k, 6]:
            seen = k
        if apart(chords[k, 4], chords[k, 5], goal_x, goal_y) <= chords[k, 6]:
            break
    first, last = max(seen, 0), len(chords)
    for k in range(first, len(chords)):
        if apart(chords[k, 4], chords[k, 5], goal_x, goal_y) <= chords[k, 6]:
            last = k if _side(chords[k], goal_x, goal_y) < 0.0 else k + 1
            break
    if seen >= 0 and _side(chords[first], x, y) > 0.0:
        first += 1
    return first, max(first, last)


@part
def _side(portal, x, y):
    """Positive where a point lies beyond a portal, negative before it."""
    left_x, left_y, right_x, right_y = portal[0], portal[1], portal[2], portal[3]
    return (right_x - left_x) * (y - left_y) - (right_y - left_y) * (x - left_x)
