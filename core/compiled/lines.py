# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that are pulled tight and walked: twins of `core.routing.corridors.funnel` and of `pure_pursuit`."""

from __future__ import annotations

import math

import numpy as np

from ..array_types import Float64, Int64
from .compiling import entry, part, run_over

_LINES_SERIAL = 32  # to hand fewer lines to threads takes longer than they do


def walk(samples: Float64, first: Int64, begins: Float64, limits: Float64, most: int) -> tuple[Float64, Int64]:
    """Walk along lines until each is past its goal.

    Args:
        samples: float64 (M, 5), of all lines: x and y, the step to the next sample, and its squared length.
        first: int64 (N,), the first sample of each line.
        begins: float64 (N, 6), x and y where it begins, of the heading there, the last place and the goal [samples].
        limits: float64 (7,), look-ahead, sharpest turn, its change, least progress, cell, window, cost of the window.
        most: cells that a line can take.

    Returns:
        Curvature and place along the line at each node, float64 (N, 2, most + 1), and int64 (N,), how many there are.
    """
    nodes, counts = np.empty((len(first), 2, most + 1)), np.empty(len(first), dtype=np.int64)
    run_over(len(first), _walk_all, samples, first, begins, limits, (nodes, counts), serial_below=_LINES_SERIAL)
    return nodes, counts


def pull_tight(ends: Float64, chords: Float64, low: Int64, tolerance: float) -> tuple[Float64, Int64]:
    """Find the shortest lines through portals.

    Args:
        ends: float64 (C, 4), x and y where each line begins, and where it ends [m].
        chords: float64 (K, 4), x and y of the left ends of all portals and of the right ones [m].
        low: int64 (C + 1,), the first portal of each line, and all portals.
        tolerance: largest deviation of a corner that is dropped as straight [m].

    Returns:
        float64 (P, 2), the points of all lines [m]; and int64 (C,), how many each has.
    """
    corners, counts = np.empty((len(chords) + 2 * len(ends), 2)), np.empty(len(ends), dtype=np.int64)
    run_over(len(ends), _pull_all, ends, chords, low, tolerance, (corners, counts), serial_below=_LINES_SERIAL)
    begins = low[:-1] + 2 * np.arange(len(ends))
    return corners[np.arange(counts.sum()) + np.repeat(begins - (np.cumsum(counts) - counts), counts)], counts


def warm_up() -> None:
    """Compile."""
    one, none = np.ones((1, 4)), np.zeros(1, dtype=np.int64)
    walk(np.ones((4, 5)), none, np.zeros((1, 6)), np.ones(7), 1)
    pull_tight(one, one, np.arange(2), 1.0)


@part
def _wanted_curvature(samples, first, pose, curvature, at, last, limits):
    x, y, cos, sin = pose
    ahead = min(at + limits[0], last)
    whole = int(ahead)
    share, row = ahead - whole, first + whole
    apart_x = samples[row, 0] + share * samples[row, 2] - x
    apart_y = samples[row, 1] + share * samples[row, 3] - y
    forward, aside = apart_x * cos - apart_y * -sin, apart_x * -sin + apart_y * cos
    most = limits[1]
    if forward < 0.0:
        turning = curvature if abs(curvature) > 0.5 * most else aside
        return -most if turning < 0.0 else most
    wanted = 2.0 * aside / max(forward * forward + aside * aside, 1e-12)
    return min(max(wanted, -most), most)


@part
def _progress(samples, first, x, y, at, last, limits):
    begin = first + int(at)
    near, best = math.inf, begin
    for k in range(int(limits[5])):
        away_x, away_y = x - samples[begin + k, 0], y - samples[begin + k, 1]
        cost = away_x * away_x + away_y * away_y + limits[6] * k
        if cost < near:
            near, best = cost, begin + k
    away_x, away_y = x - samples[best, 0], y - samples[best, 1]
    share = (away_x * samples[best, 2] + away_y * samples[best, 3]) / samples[best, 4]
    nearest = best - first + min(max(share, -1.0), 1.0)
    return min(max(nearest, at + limits[3]), last)


@entry
def _walk_all(begin, end, samples, first, begins, limits, found):
    (nodes, counts), cell, change = found, limits[4], limits[2]
    for k in range(begin, end):
        x, y, cos, sin, last, goal = begins[k]
        curvature, at, count = 0.0, 0.0, 1
        nodes[k, 0, 0], nodes[k, 1, 0] = curvature, at
        while at < goal and count < nodes.shape[2]:
            before = curvature
            curvature = _wanted_curvature(samples, first[k], (x, y, cos, sin), curvature, at, last, limits)
            curvature = min(max(curvature, before - change), before + change)
            turned, skew = (0.5 * cell) * (before + curvature), cell * (curvature - before)
            bow, skewed, half = turned * turned, 0.125 * skew, 0.5 * turned
            b = half * half
            half_x = 1.0 - b * (1.0 / 2.0 - b * (1.0 / 24.0 - b / 720.0))
            half_y = half * (1.0 - b * (1.0 / 6.0 - b * (1.0 / 120.0 - b / 5040.0)))
            middle_x, middle_y = cos * half_x - sin * half_y, cos * half_y + sin * half_x
            chord_x, chord_y = cell * (1.0 - bow * (1.0 / 24.0 - bow / 1920.0)), (cell / 24.0) * skew
            straight = 1.0 - 0.5 * skewed * skewed
            along_x, along_y = middle_x * straight - middle_y * -skewed, middle_x * -skewed + middle_y * straight
            x += along_x * chord_x - along_y * chord_y
            y += along_x * chord_y + along_y * chord_x
            cos, sin = middle_x * half_x - middle_y * half_y, middle_x * half_y + middle_y * half_x
            at = _progress(samples, first[k], x, y, at, last, limits)
            nodes[k, 0, count], nodes[k, 1, count] = curvature, at
            count += 1
        counts[k] = count


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


@entry
def _pull_all(begin, end, ends, chords, low, tolerance, found):
    corners, counts = found
    for k in range(begin, end):
        points = corners[low[k] + 2 * k : low[k + 1] + 2 * k + 2]
        points[0, 0], points[0, 1] = ends[k, 0], ends[k, 1]
        count = 2 + _corners(ends[k, 0], ends[k, 1], chords, low[k], low[k + 1], points[1:])
        points[count - 1, 0], points[count - 1, 1] = ends[k, 2], ends[k, 3]
        counts[k] = _without_straight(points, count, tolerance)
