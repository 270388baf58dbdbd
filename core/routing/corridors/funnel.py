# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest lines through portals: the funnel algorithm.

Where a corridor bends round a corner, a body of radius r has to stay outside a circle. Here it stays outside a regular
polygon round that circle, so that the line has few points and never comes nearer than r.

Source: the funnel algorithm (Chazelle 1982; Lee and Preparata 1984), in Mononen's form.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import length
from .portals import Portals

CORNER_ROUNDING = 2.0**-22
"""Rounding of a line's corners, and largest deviation of a corner that is dropped as straight [m].

It gives the same line the same bits, however its corridor was cut into portals. Only corners midway between two steps
may be rounded to either: such lines count as different, and less of an earlier simulation is reused.
"""


def shortest_lines(starts: Float64, goals: Float64, portals: Portals) -> list[Float64]:
    """Find the shortest lines through portals.

    Args:
        starts: float64 (C, 2), where each line begins [m from the grid's origin].
        goals: float64 (C, 2), where it ends.
        portals: in the order in which they are passed; those that start and goal need not pass are dropped.

    Returns:
        float64 (P, 2) each, the line's points.
    """
    first, last = _between(starts, goals, portals)
    counts = last - first + 1  # + 1: the goal is the last portal
    low = np.cumsum(counts) - counts
    chosen = np.arange(counts.sum()) + np.repeat(first - low, counts)
    chords = np.concatenate((portals.left, portals.right), axis=1).take(np.minimum(chosen, len(portals.left) - 1), 0)
    chords[low + counts - 1] = np.concatenate((goals, goals), axis=1)
    columns = [chords[:, k].tolist() for k in range(4)]
    ends = zip(starts.tolist(), goals.tolist(), low.tolist(), (low + counts).tolist(), strict=True)
    lines = [
        _without_straight_points([start, *_funnel(start, columns, begin, end), goal])
        for start, goal, begin, end in ends
    ]
    counts = np.array([len(line) for line in lines], dtype=np.int64)
    return rounded_lines(np.array([corner for line in lines for corner in line], dtype=np.float64), counts)


def rounded_lines(points: Float64, counts: Int64) -> list[Float64]:
    """Return lines rounded but for their ends, without repeated points; two of each remain.

    Args:
        points: float64 (P, 2), of all lines, which are changed [m].
        counts: int64 (C,), how many each line has.
    """
    ends = np.cumsum(counts)
    is_first, is_last = np.zeros((2, len(points)), dtype=bool)
    is_first[ends - counts], is_last[ends - 1] = True, True
    inner = ~(is_first | is_last)
    points[inner] = np.round(points[inner] / CORNER_ROUNDING) * CORNER_ROUNDING
    kept = is_first.copy()
    kept[1:] |= (points[1:] != points[:-1]).any(axis=1)
    alone = np.add.reduceat(kept.astype(np.int64), ends - counts) == 1
    kept[ends[alone] - 1] = True
    return np.split(points[kept], np.cumsum(kept)[ends[:-1] - 1])


def _without_straight_points(points: list[list[float]]) -> list[list[float]]:
    """A line without the points at which it is straight within rounding."""
    kept = [points[0]]
    for (x, y), (next_x, next_y) in pairwise(points[1:]):
        last_x, last_y = kept[-1]
        run_x, run_y = next_x - last_x, next_y - last_y
        aside = run_x * (y - last_y) - run_y * (x - last_x)
        back = run_x * (x - last_x) + run_y * (y - last_y) < 0.0 or run_x * (next_x - x) + run_y * (next_y - y) < 0.0
        if back or aside * aside > CORNER_ROUNDING * CORNER_ROUNDING * (run_x * run_x + run_y * run_y):
            kept.append([x, y])
    return [*kept, points[-1]]


def _between(starts: Float64, goals: Float64, portals: Portals) -> tuple[Int64, Int64]:
    """Drop the portals before the start, and those behind the goal.

    From a point within the free disc round a portal's middle the straight line to it is free, so earlier portals do
    not matter; the portal itself is dropped if the point lies beyond it.

    Returns:
        First portal of each line, and the one after its last: int64 (C,).
    """
    low, high = portals.first[:-1], portals.first[1:]
    whose = np.repeat(np.arange(len(low)), high - low)
    number, nowhere = np.arange(len(whose)), len(whose)
    room = portals.clearance - portals.reach[whose]
    sees_start, sees_goal = (length(portals.middle - place.take(whose, 0)) <= room for place in (starts, goals))
    nearest = np.minimum.reduceat(np.where(sees_goal, number, nowhere), low)
    bound = np.where(nearest < nowhere, nearest + 1, high)
    seen = np.maximum.reduceat(np.where(sees_start & (number < bound[whose]), number, -1), low)
    first = np.where(seen >= 0, seen, low)
    behind = np.minimum.reduceat(np.where(sees_goal & (number >= first[whose]), number, nowhere), low)
    last = np.where(behind < nowhere, behind + 1, high)
    last -= (behind < nowhere) & (_side(goals, portals, last - 1) < 0.0)
    first = first + ((seen >= 0) & (_side(starts, portals, first) > 0.0))
    return first, np.maximum(first, last)


def _side(points: Float64, portals: Portals, numbers: Int64) -> Float64:
    """Positive where a point lies beyond a portal, negative before it; float64 (C,)."""
    left = portals.left.take(numbers, 0)
    across, apart = portals.right.take(numbers, 0) - left, points - left
    return across[:, 0] * apart[:, 1] - across[:, 1] * apart[:, 0]


def _funnel(apex: list[float], columns: list[list[float]], begin: int, end: int) -> list[list[float]]:
    """The corners of the shortest line from the apex through portals, the last one being the goal.

    Args:
        apex: where it begins.
        columns: x and y of the left ends of all portals, x and y of the right ends.
        begin: the first portal of the line.
        end: the one after its last.

    Coordinates are relative to the apex. This is the inner loop of a line.
    """
    corners: list[list[float]] = []
    ax, ay = apex
    lx = ly = rx = ry = 0.0
    left_x, left_y, right_x, right_y = columns
    left_at = right_at = -1
    k = begin
    while k < end:
        x, y = right_x[k] - ax, right_y[k] - ay
        if rx * y - ry * x >= 0.0:  # the right side does not open
            if (rx == 0.0 and ry == 0.0) or lx * y - ly * x < 0.0:
                rx, ry, right_at = x, y, k
            else:  # it crosses the left side: a corner there
                ax, ay = left_x[left_at], left_y[left_at]
                corners.append([ax, ay])
                k = left_at + 1
                right_at = left_at
                lx = ly = rx = ry = 0.0
                continue
        x, y = left_x[k] - ax, left_y[k] - ay
        if lx * y - ly * x <= 0.0:
            if (lx == 0.0 and ly == 0.0) or rx * y - ry * x > 0.0:
                lx, ly, left_at = x, y, k
            else:
                ax, ay = right_x[right_at], right_y[right_at]
                corners.append([ax, ay])
                k = right_at + 1
                left_at = right_at
                lx = ly = rx = ry = 0.0
                continue
        k += 1
    return corners
