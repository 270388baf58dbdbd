# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear programs of ORCA for one agent: numba kernel.

`lines` is float64 (M, 4): point x, y and direction x, y of each half plane; what lies left of a line is allowed.
"""

from __future__ import annotations

import math

from ....compiled.compiling import part

PARALLEL = 1e-5


@part
def solve(lines, count, hard, preferred_x, preferred_y, max_speed, spare):
    """The allowed velocity nearest to the preferred one, or the one that breaks the soft lines least."""
    x, y = preferred_x, preferred_y
    speed2 = x * x + y * y
    if speed2 > max_speed * max_speed:
        speed = math.sqrt(speed2)
        x, y = x / speed * max_speed, y / speed * max_speed
    failed_at, x, y = linear_program_2(lines, count, max_speed, preferred_x, preferred_y, x, y, False)
    if failed_at < count:
        x, y = linear_program_3(lines, count, hard, failed_at, max_speed, x, y, spare)
    return x, y


@part
def linear_program_1(lines, row, max_speed, wanted_x, wanted_y, direction):
    """The best point on a line that all the lines before it allow, and whether there is one."""
    x, y, along_x, along_y = lines[row]
    dot = x * along_x + y * along_y
    discriminant = dot * dot + max_speed * max_speed - (x * x + y * y)
    if discriminant < 0.0:
        return False, 0.0, 0.0
    root = math.sqrt(discriminant)
    left, right = -dot - root, root - dot
    for before in range(row):
        other_x, other_y, other_along_x, other_along_y = lines[before]
        denominator = along_x * other_along_y - along_y * other_along_x
        numerator = other_along_x * (y - other_y) - other_along_y * (x - other_x)
        if denominator > PARALLEL:
            right = min(right, numerator / denominator)
        elif denominator < -PARALLEL:
            left = max(left, numerator / denominator)
        elif numerator < 0.0:
            return False, 0.0, 0.0
        if left > right:
            return False, 0.0, 0.0
    if direction:
        t = right if wanted_x * along_x + wanted_y * along_y > 0.0 else left
    else:
        t = along_x * (wanted_x - x) + along_y * (wanted_y - y)
        t = left if t < left else min(t, right)
    return True, x + t * along_x, y + t * along_y


@part
def linear_program_2(lines, count, max_speed, wanted_x, wanted_y, x, y, direction):
    """The line at which no point was left, or `count`; and the best point that the lines before it allow."""
    for row in range(count):
        if _excess(lines, row, x, y) > 0.0:
            feasible, found_x, found_y = linear_program_1(lines, row, max_speed, wanted_x, wanted_y, direction)
            if not feasible:
                return row, x, y
            x, y = found_x, found_y
    return count, x, y


@part
def linear_program_3(lines, count, hard, begin, max_speed, x, y, spare):
    """The point that breaks the soft lines least while it keeps the hard ones; `spare` is room for as many lines."""
    worst = 0.0
    for row in range(begin, count):
        if _excess(lines, row, x, y) <= worst:
            continue
        for before in range(hard):
            for number in range(4):  # whole rows at once take numba another second to compile
                spare[before, number] = lines[before, number]
        used = hard
        for before in range(hard, row):
            used += _bisector(lines, row, before, spare[used])
        steepest_x, steepest_y = -lines[row, 3], lines[row, 2]
        start_x, start_y = steepest_x * max_speed, steepest_y * max_speed
        failed_at, found_x, found_y = linear_program_2(
            spare, used, max_speed, steepest_x, steepest_y, start_x, start_y, True
        )
        if failed_at == used:
            x, y = found_x, found_y
        worst = _excess(lines, row, x, y)
    return x, y


@part
def _excess(lines, row, x, y):
    """How far a point lies on the forbidden side of a line."""
    return lines[row, 2] * (lines[row, 1] - y) - lines[row, 3] * (lines[row, 0] - x)


@part
def _bisector(lines, row, before, line):
    """Write the line along which two lines are broken alike; how many were written, none if they agree."""
    x, y, along_x, along_y = lines[row]
    other_x, other_y, other_along_x, other_along_y = lines[before]
    determinant = along_x * other_along_y - along_y * other_along_x
    if abs(determinant) <= PARALLEL:
        if along_x * other_along_x + along_y * other_along_y > 0.0:
            return 0
        line[0], line[1] = 0.5 * (x + other_x), 0.5 * (y + other_y)
    else:
        t = (other_along_x * (y - other_y) - other_along_y * (x - other_x)) / determinant
        line[0], line[1] = x + t * along_x, y + t * along_y
    turn_x, turn_y = other_along_x - along_x, other_along_y - along_y
    length = math.sqrt(turn_x * turn_x + turn_y * turn_y)
    line[2], line[3] = turn_x / length, turn_y / length
    return 1
