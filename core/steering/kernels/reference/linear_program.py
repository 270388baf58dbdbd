# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear programs of ORCA for many agents at once: numpy kernel.

Half planes are float64 (4, M, N): point x, point y, direction x, direction y of M lines for each of N agents; what lies
left of a line is allowed. A row that an agent does not use holds `NO_LINE`, which nothing can violate.

What linear program 1 finds on a line depends on the lines before it alone, not on the way there. So it is worked out
only for agents whose result breaks the line, and linear program 3 for all its lines at once.

Source: van den Berg et al. 2011, section 5; names of the programs as in the authors' library.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float64, Int64

PARALLEL = 1e-5
CHUNK = 512  # agents, each with some ten lines, in linear program 3
NO_LINE = np.array([0.0, -np.inf, 1.0, 0.0])


def solve(lines: Float64, hard: int, preferred: Float64, max_speed: Float64) -> Float64:
    """Find the allowed velocity nearest to the preferred one, or the one that breaks the soft lines least.

    Args:
        lines: float64 (4, M, N), half planes in the order in which they are taken up.
        hard: the first so many rows are never given up.
        preferred: float64 (2, N) [m/s].
        max_speed: float64 (N,) [m/s].

    Returns:
        float64 (2, N) [m/s].
    """
    result = _shortened(preferred, max_speed)
    troubled = np.logical_or.reduce(_excess(lines, result) > 0.0, axis=0).nonzero()[0]
    if not troubled.size:
        return result
    lines = lines.take(troubled, axis=2)
    max_speed, preferred = max_speed[troubled], preferred[:, troubled]
    with np.errstate(divide="ignore", invalid="ignore"):
        found, failed_at = linear_program_2(lines, max_speed, preferred, result[:, troubled], direction=False)
        all_failed = (failed_at < lines.shape[1]).nonzero()[0]
        for begin in range(0, all_failed.size, CHUNK):
            failed = all_failed[begin : begin + CHUNK]
            kept = lines.take(failed, axis=2)
            found[:, failed] = linear_program_3(kept, hard, failed_at[failed], max_speed[failed], found[:, failed])
    result[:, troubled] = found
    return result


def linear_program_1(lines: Float64, max_speed: Float64, wanted: Float64, *, direction: bool) -> tuple[Bool, Float64]:
    """The best point on the last of the lines that all the lines before it allow, and whether there is one."""
    x, y, along_x, along_y = lines[:, -1]  # (N,)
    dot = x * along_x + y * along_y
    discriminant = dot * dot + max_speed * max_speed - (x * x + y * y)
    feasible = discriminant >= 0.0
    root = np.sqrt(np.maximum(discriminant, 0.0))
    left, right = -dot - root, root - dot
    if lines.shape[1] > 1:
        other_x, other_y, other_along_x, other_along_y = lines[:, :-1]  # (M - 1, N)
        denominator = along_x * other_along_y - along_y * other_along_x
        numerator = other_along_x * (y - other_y) - other_along_y * (x - other_x)
        crossing = numerator / denominator
        bounds_right, bounds_left = denominator > PARALLEL, denominator < -PARALLEL
        right = np.minimum(right, np.minimum.reduce(np.where(bounds_right, crossing, np.inf), axis=0))
        left = np.maximum(left, np.maximum.reduce(np.where(bounds_left, crossing, -np.inf), axis=0))
        barred = (numerator < 0.0) & ~(bounds_right | bounds_left)
        feasible &= (left <= right) & ~np.logical_or.reduce(barred, axis=0)
    if direction:
        t = np.where(wanted[0] * along_x + wanted[1] * along_y > 0.0, right, left)
    else:
        t = along_x * (wanted[0] - x) + along_y * (wanted[1] - y)
        t = np.where(t < left, left, np.where(t > right, right, t))
    return feasible, np.array((x + t * along_x, y + t * along_y))


def linear_program_2(
    lines: Float64, max_speed: Float64, wanted: Float64, begun: Float64, *, direction: bool
) -> tuple[Float64, Int64]:
    """The best point that all lines allow, from `begun` on; and the line at which there was none, or M."""
    rows, agents = lines.shape[1:]
    result = begun.copy()
    failed_at = np.full(agents, rows)
    for row in range(rows):
        who = ((_excess(lines[:, row], result) > 0.0) & (failed_at == rows)).nonzero()[0]
        if not who.size:
            continue
        before = lines[:, : row + 1].take(who, axis=2)
        feasible, found = linear_program_1(before, max_speed[who], wanted[:, who], direction=direction)
        result[:, who] = np.where(feasible, found, result[:, who])
        failed_at[who[~feasible]] = row
    return result, failed_at


def linear_program_3(lines: Float64, hard: int, begin: Int64, max_speed: Float64, begun: Float64) -> Float64:
    """The point that breaks the soft lines least while it keeps the hard ones; agent n begins at line `begin[n]`."""
    rows = lines.shape[1]
    number = np.arange(rows)[:, None]
    row, who = np.nonzero((number >= begin) & (lines[1] > -np.inf))
    line = lines[:, row, who]
    before = lines.take(who, axis=2)
    before[:, hard:] = np.where(number[hard:] < row, _bisector(before[:, hard:], line), NO_LINE[:, None, None])
    steepest = np.array((-line[3], line[2]))
    start = steepest * max_speed[who]
    found, failed_at = linear_program_2(before, max_speed[who], steepest, start, direction=True)
    best = np.full((2, *lines.shape[1:]), np.nan)
    best[:, row, who] = np.where(failed_at == rows, found, np.nan)

    result = begun.copy()
    worst = np.zeros(begin.size)
    for at in range(int(begin.min()), rows):
        broken = (_excess(lines[:, at], result) > worst) & (at >= begin)
        solved = broken & ~np.isnan(best[0, at])
        result = np.where(solved, best[:, at], result)
        worst = np.where(broken, _excess(lines[:, at], result), worst)
    return result


def _shortened(preferred: Float64, max_speed: Float64) -> Float64:
    speed2 = preferred[0] * preferred[0] + preferred[1] * preferred[1]
    fast = speed2 > max_speed * max_speed
    speed = np.sqrt(np.where(fast, speed2, 1.0))
    return np.where(fast, preferred / speed * max_speed, preferred)


def _excess(lines: Float64, point: Float64) -> Float64:
    """How far a point lies on the forbidden side; same rows as `lines`."""
    return lines[2] * (lines[1] - point[1]) - lines[3] * (lines[0] - point[0])


def _bisector(lines: Float64, line: Float64) -> Float64:
    """The lines along which `lines` (4, M, N) are broken as much as `line` (4, N)."""
    x, y, along_x, along_y = line
    other_x, other_y, other_along_x, other_along_y = lines
    determinant = along_x * other_along_y - along_y * other_along_x
    parallel = np.abs(determinant) <= PARALLEL
    t = (other_along_x * (y - other_y) - other_along_y * (x - other_x)) / determinant
    turn_x, turn_y = other_along_x - along_x, other_along_y - along_y
    length = np.sqrt(turn_x * turn_x + turn_y * turn_y)
    middle_x = np.where(parallel, 0.5 * (x + other_x), x + t * along_x)
    middle_y = np.where(parallel, 0.5 * (y + other_y), y + t * along_y)
    bisectors = np.array((middle_x, middle_y, turn_x / length, turn_y / length))
    unused = np.isneginf(other_y) | (parallel & (along_x * other_along_x + along_y * other_along_y > 0.0))
    bisectors[:, unused] = NO_LINE[:, None]
    return bisectors
