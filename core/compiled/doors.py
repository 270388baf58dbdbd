# SPDX-License-Identifier: GPL-3.0-or-later
"""Doors on paths: a twin of `core.simulation.guidance.doors`, a loop over people."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..array_types import Float64, Int64
from .circular import cos_sin
from .compiling import each_row, note, part, peak_of, run_over, with_notes
from .distances import pack_grid, room_at, signed_at
from .frames import PathRows, frame_at, heading_at, is_missing, numbers_of, place_at
from .path_rows import value_at


def next_doors(rows: PathRows, stretches: tuple[Int64, Float64, Float64], numbers: Float64, counts: Int64) -> Any:
    """Where on the path of each person the next door is; see `core.simulation.guidance.doors`.

    Args:
        rows: of the paths.
        stretches: of N people: `Stretch`.
        numbers: float64 (4,): `spacing`, `greatest_width`, `width_tolerance`, `narrowing`.
        counts: int64 (3,): places before people, all places, and places to a metre.

    Returns:
        float64 (2, N), the place, and its middle's offset to the left [m], NaN for none; None where a row is missing.
    """
    found, missing = np.full((2, len(stretches[1])), np.nan), np.zeros(1, dtype=np.bool_)
    run_over(found.shape[1], _find_doors, rows, stretches, numbers, counts, found, missing)
    return None if missing[0] else found


def search_ground(
    rows: PathRows,
    grid: Float64,
    stretches: tuple[Int64, Float64, Float64],
    limits: tuple[Float64, Float64, Int64],
    *,
    noted: bool,
) -> tuple[Float64, Float64]:
    """Where on the straight path of each person the next door is, by the obstacles beside it.

    Args:
        rows: of the paths, also of all those places.
        grid: of the obstacles.
        stretches: of N people: `Stretch`.
        limits: float64 (6,): `spacing`, `greatest_width`, `width_tolerance`, `narrowing`, `touch`, `tracing_steps`;
            float64 (2, C), cosines and sines of `chord_angles`; and counts as in `next_doors`.
        noted: whether to return the discs on whose obstacles the answer depends.

    Returns:
        float64 (5, N), the middle of the door, the direction of the path and the place there, NaN for none; and
        float64 (M, 3), x, y and radius of the discs [m].
    """
    found = np.full((5, len(stretches[1])), np.nan)
    notes = with_notes(found.shape[1], _search_all, rows, grid, stretches, limits, found, noted=noted)
    return found, notes


def crossed(begin: Float64, end: Float64, place: Float64, axis: Float64, width: Float64) -> Float64:
    """After which shares of lines, of N people, these lead through doors near them, float64 (N, D); else inf.

    Args:
        begin: float64 (N, 2) [m].
        end: float64 (N, 2) [m].
        place: float64 (D, 2), of the doors [m].
        axis: float64 (D, 2), unit vectors.
        width: float64 (D,) [m].
    """
    share = np.full((len(begin), len(width)), np.inf)
    run_over(len(begin), _cross_all, begin, end, place, axis, width, share)
    return share


def warm_up() -> None:
    """Compile."""
    one, two, none = np.ones(1), np.ones((2, 1)), np.zeros(1, dtype=np.int64)
    rows = PathRows(one, 0.0 * one, one, none + 1, none - 1, none + 1, none - 1, none + 1, np.zeros((15, 4)))
    lists, counts = (np.zeros(2, dtype=np.int64), none[:0]), np.ones(3, dtype=np.int64)
    grid = pack_grid((0.0, 0.0, 1.0, 1, 1, 1.0), (one, none), lists, lists, np.zeros((1, 5)))
    next_doors(rows, (none, one, one), np.ones(4), counts)
    crossed(two.T.copy(), two.T.copy(), two.T.copy(), two.T.copy(), one)
    for noted in (False, True):
        search_ground(rows, grid, (none, one, one), (np.ones(6), two, counts), noted=noted)


@each_row(takes=0.02)
def _cross_all(begin, end, starts, ends, place, axis, width, share):
    for k in range(begin, end):
        x, y = starts[k, 0], starts[k, 1]
        run_x, run_y = ends[k, 0] - x, ends[k, 1] - y
        run = math.sqrt(run_x * run_x + run_y * run_y)
        for door in range(width.size):
            off_x, off_y, reach = x - place[door, 0], y - place[door, 1], run + width[door]
            if not off_x * off_x + off_y * off_y < reach * reach:
                continue
            away_x, away_y, axis_x, axis_y = place[door, 0] - x, place[door, 1] - y, axis[door, 0], axis[door, 1]
            to_door, speed = away_x * axis_x + away_y * axis_y, run_x * axis_x + run_y * axis_y
            if not (speed > 0.0 and to_door > 0.0):
                continue
            along = to_door / speed
            beside = abs((run_x * along - away_x) * axis_y - (run_y * along - away_y) * axis_x)
            if along <= 1.0 and beside < 0.5 * width[door]:
                share[k, door] = along


@each_row(takes=10.0)  # from 1 far from obstacles to 80 among houses
def _search_all(begin, end, rows, grid, stretches, limits, found, notes):
    (path_of, s_of, end_of), (numbers, angles, counts) = stretches, limits
    spacing, greatest, columns, places = numbers[0], numbers[1], rows.columns, counts[1]
    half, width, place, middle = 0.5 * greatest, np.empty(places), np.empty(places), np.empty((places, 2))
    for k in range(begin, end):
        path, first, some, free = numbers_of(rows, path_of[k]), math.floor(s_of[k] / spacing) * 1.0, False, 0
        for j in range(places):
            place[j], width[j] = min(max(spacing * (first + (j - counts[0])), 0.0), end_of[k]), math.inf
            if j < free:
                continue
            x, y, cos, sin, _, _ = frame_at(columns, path, place[j])
            x, y = x - sin * 0.0, y + cos * 0.0
            clear, more = room_at(grid, x, y, half)
            free = j + 1 + int(more / (spacing * (1.0 + 1e-3)))  # no place is farther from that before than on the path
            note(notes, x, y, abs(clear) + more)
            if clear < half:
                ahead = cos_sin(heading_at(columns, path, rows.turn[path_of[k]], place[j])[0])
                width[j], middle[j, 0], middle[j, 1] = _chord(grid, (x, y, clear), ahead, angles, numbers, notes)
                some = some or width[j] < greatest
        at = -1
        if some:
            at = _next_narrowest(width, place, s_of[k], counts, (greatest, numbers[2], numbers[3]))
        if at >= 0:
            found[0, k], found[1, k], found[4, k] = middle[at, 0], middle[at, 1], place[at]
            found[2, k], found[3, k] = cos_sin(heading_at(columns, path, rows.turn[path_of[k]], place[at])[0])


@part
def _chord(grid, place, ahead, angles, numbers, notes):
    """The shortest of some chords through a place between obstacles, its length and its middle.

    Beyond a door's width, and so much more that a door is narrower than that, its length may be infinite.
    """
    (x, y, _), (ahead_x, ahead_y) = place, ahead
    width, middle_x, middle_y, most = math.inf, x, y, numbers[1] / numbers[3] * (1.0 + 1e-9)
    for angle in range(angles.shape[1]):
        cos, sin = angles[0, angle], angles[1, angle]
        across_x, across_y = -sin * ahead_x - cos * ahead_y, cos * ahead_x - sin * ahead_y
        left = _free_length(grid, place, across_x, across_y, most, numbers, notes)
        if not left < most:
            continue
        right = _free_length(grid, place, -1.0 * across_x, -1.0 * across_y, most - left, numbers, notes)
        if left + right < most:
            most = width = left + right
            off = 0.5 * (left - right)
            middle_x, middle_y = x + off * across_x, y + off * across_y
    return width, middle_x, middle_y


@part
def _free_length(grid, place, along_x, along_y, most, numbers, notes):
    """How far it is to an obstacle, by sphere tracing; infinite where there is none within a distance."""
    (x, y, free), greatest, length = place, numbers[1], 0.0
    for step in range(int(numbers[5])):
        if step:
            at_x, at_y = x + length * along_x, y + length * along_y
            free = signed_at(grid, at_x, at_y, greatest)[0]
            note(notes, at_x, at_y, abs(free))
        length += max(free, 0.0)
        if free < numbers[4]:
            return length
        if not length < min(greatest, most):
            break
    return math.inf


_FREE_LEFT, _FREE_RIGHT = 8, 9
"""Columns of the free width."""


@each_row(takes=1.6)
def _find_doors(begin, end, rows, stretches, numbers, counts, found, missing):
    path_of, s_of, end_of = stretches
    spacing, greatest, tolerance, narrowing = numbers[0], numbers[1], numbers[2], numbers[3]
    behind, places = counts[0], counts[1]
    width, beside, place = np.empty(places), np.empty(places), np.empty(places)
    for k in range(begin, end):
        path, low, high = numbers_of(rows, path_of[k]), rows.low[path_of[k]], rows.high[path_of[k]]
        first, narrowest = math.floor(s_of[k] / spacing) * 1.0, math.inf
        for j in range(places):
            place[j] = min(max(spacing * (first + (j - behind)), 0.0), end_of[k])
            if is_missing(path, low, high, place[j], 0):
                missing[0] = True
                return
            row, past, _ = place_at(path, place[j])
            right = value_at(rows.columns, _FREE_RIGHT, row, past, path[0])
            left = value_at(rows.columns, _FREE_LEFT, row, past, path[0])
            width[j], beside[j] = right + left, 0.5 * (left - right)
            narrowest = min(narrowest, width[j])
        if narrowest < greatest:
            at = _next_narrowest(width, place, s_of[k], counts, (greatest, tolerance, narrowing))
            if at >= 0:
                found[0, k], found[1, k] = place[at], beside[at]


@part
def _next_narrowest(width, place, s, counts, limits):
    """At which place the next door is narrowest, -1 for none."""
    (greatest, tolerance, narrowing), behind, metre = limits, counts[0], counts[2]
    was_narrow = False
    for j in range(behind, width.size - metre):
        at, is_narrow = j, width[j] < greatest
        if is_narrow:
            most = peak_of(width[j - behind : j + 1])
            for k in range(j, j + metre + 1):
                at = k if width[k] < width[at] else at
            is_narrow = width[j] <= tolerance * width[at] and width[j] < narrowing * most
        if is_narrow and not was_narrow and place[j] > s:
            return at
        was_narrow = is_narrow
    return -1
