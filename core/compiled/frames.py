# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on reference paths and projections onto them: twins of `core.planning.paths.reference_path`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Float64, Int64
from .circular import cos_sin
from .compiling import each_row, part, run_over
from .path_rows import GAUSS_NODES, GAUSS_WEIGHTS


class PathRows(NamedTuple):
    """The rows of many paths: see `PathWindows`.

    Attributes:
        cell, lap: float64 (P,), distance between nodes, and length of a lap, 0 of an open path [m].
        turn: float64 (P,), by how much a lap turns [rad].
        first, lowest, top: int64 (P,), row of node 0, and the least and greatest node that may have a row.
        low, high: int64 (P,), those that have one now.
        columns: float64 (C, R), of which x, y, heading, curvature and its rate are the first.
    """

    cell: Float64
    lap: Float64
    turn: Float64
    first: Int64
    lowest: Int64
    top: Int64
    low: Int64
    high: Int64
    columns: Float64


class Search(NamedTuple):
    """How the foot of a normal is searched.

    Attributes:
        cells: searched to each side of the predicted place.
        steps: at most.
        tolerance: within which it is found before the last step [m].
    """

    cells: int
    steps: int
    tolerance: float


def locate(rows: PathRows, path: Int64, s: Float64) -> tuple[Int64, Float64, Float64] | None:
    """Row, distance from its node and lap of each s, (N,) each; None where a row is missing."""
    row, way_and_lap = np.empty(len(s), dtype=np.int64), np.empty((2, len(s)))
    missing = np.zeros(1, dtype=np.bool_)
    run_over(len(s), _locate_all, rows, path, s, row, way_and_lap, missing)
    return None if missing[0] else (row, way_and_lap[0], way_and_lap[1])


def frame(rows: PathRows, path: Int64, s: Float64) -> Float64 | None:
    """Place, cosine and sine of the heading, curvature and its rate: float64 (6, N); None where a row is missing."""
    found, missing = np.empty((6, len(s))), np.zeros(1, dtype=np.bool_)
    run_over(len(s), _frame_all, rows, path, s, found, missing)
    return None if missing[0] else found


def heading(rows: PathRows, path: Int64, s: Float64) -> tuple[Float64, Float64] | None:
    """Heading and curvature at each s, (N,) each; None where a row is missing."""
    found, missing = np.empty((2, len(s))), np.zeros(1, dtype=np.bool_)
    run_over(len(s), _heading_all, rows, path, s, found, missing)
    return None if missing[0] else (found[0], found[1])


def to_frenet(
    rows: PathRows, path: Int64, xy: Float64, s_near: Float64, search: Search
) -> tuple[Float64, Float64] | None:
    """Arc length and offset, (N,) each, of places (N, 2) near a predicted one [m]; None where a row is missing."""
    found = np.empty((3, len(s_near)))
    run_over(len(s_near), _project_all, rows, path, xy, s_near, search, found)
    return None if found[2].any() else (found[0], found[1])


def warm_up() -> None:
    """Compile."""
    one, none = np.ones(1), np.zeros(1, dtype=np.int64)
    rows = PathRows(one, 0.0 * one, one, none + 1, none - 1, none + 1, none - 1, none + 1, np.zeros((5, 4)))
    locate(rows, none, one)
    frame(rows, none, one)
    to_frenet(rows, none, np.ones((1, 2)), one, Search(10, 40, 1e-6))
    heading(rows, none, one)


# Parts take the columns and a few numbers of one path: to hand on many arrays at each call would take most of the time.


@part
def numbers_of(rows, path):
    """What parts need to know of a path: cell, lap, first, lowest, top."""
    return rows.cell[path], rows.lap[path], rows.first[path], rows.lowest[path], rows.top[path]


@part
def place_at(path, s):
    """Row of a place on a path, how far it is behind the row's node, and its lap."""
    cell, length, first, lowest, top = path
    lap, past = 0.0, s
    if length > 0.0:
        lap = math.floor(s / length) * 1.0
        past = s - lap * length
    node = math.floor(past / cell)
    node = min(max(node, lowest), top)
    return first + node, past - max(node, 0) * cell, lap


@part
def is_missing(path, low, high, s, around):
    """Whether rows of a place, or of so many cells around it, are not there."""
    cell, length, _, lowest, top = path
    if length > 0.0:
        return False
    node = math.floor(s / cell)
    return min(max(node - around, lowest), top) < low or min(max(node + around, lowest), top) > high


@part
def frame_at(columns, path, s):
    """Place, cosine and sine of the heading, curvature and its rate, at a place on a path."""
    row, past, _ = place_at(path, s)
    heading, curvature, rate = columns[2, row], columns[3, row], columns[4, row]
    first, middle, last = GAUSS_WEIGHTS
    cos, sin = cos_sin(heading + past * (curvature + 0.5 * rate * past))
    cos0, sin0, cos1, sin1, cos2, sin2 = cos, sin, cos, sin, cos, sin
    if not (curvature == 0.0 and rate == 0.0):  # else all four are the same
        along = GAUSS_NODES[0] * past
        cos0, sin0 = cos_sin(heading + along * (curvature + 0.5 * rate * along))
        along = GAUSS_NODES[1] * past
        cos1, sin1 = cos_sin(heading + along * (curvature + 0.5 * rate * along))
        along = GAUSS_NODES[2] * past
        cos2, sin2 = cos_sin(heading + along * (curvature + 0.5 * rate * along))
    x = first * cos0 + middle * cos1 + last * cos2
    y = first * sin0 + middle * sin1 + last * sin2
    return columns[0, row] + x * past, columns[1, row] + y * past, cos, sin, curvature + rate * past, rate


@part
def row_at(path, s):
    """Row of a place on a path, and how far it is behind the row's node."""
    row, past, _ = place_at(path, s)
    return row, past


@part
def bend_at(columns, path, s):
    """Curvature and its rate at a place on a path."""
    row, past, _ = place_at(path, s)
    return columns[3, row] + columns[4, row] * past, columns[4, row]


@part
def heading_at(columns, path, lap_turn, s):
    """Heading without jumps, and curvature, at a place on a path."""
    row, past, lap = place_at(path, s)
    curvature, rate = columns[3, row], columns[4, row]
    turned = past * (curvature + 0.5 * rate * past)
    return columns[2, row] + turned + lap * lap_turn, curvature + rate * past


@each_row(takes=0.15)
def _heading_all(begin, end, rows, path, s, found, missing):
    for k in range(begin, end):
        own = numbers_of(rows, path[k])
        if is_missing(own, rows.low[path[k]], rows.high[path[k]], s[k], 0):
            missing[0] = True
            return
        found[0, k], found[1, k] = heading_at(rows.columns, own, rows.turn[path[k]], s[k])


@each_row(takes=0.1)
def _locate_all(begin, end, rows, path, s, row, way_and_lap, missing):
    for k in range(begin, end):
        own = numbers_of(rows, path[k])
        if is_missing(own, rows.low[path[k]], rows.high[path[k]], s[k], 0):
            missing[0] = True
            return
        row[k], way_and_lap[0, k], way_and_lap[1, k] = place_at(own, s[k])


@each_row(takes=0.45)
def _frame_all(begin, end, rows, path, s, found, missing):
    columns = rows.columns
    for k in range(begin, end):
        own = numbers_of(rows, path[k])
        if is_missing(own, rows.low[path[k]], rows.high[path[k]], s[k], 0):
            missing[0] = True
            return
        x, y, cos, sin, curvature, rate = frame_at(columns, own, s[k])
        found[0, k], found[1, k], found[2, k], found[3, k] = x, y, cos, sin
        found[4, k], found[5, k] = curvature, rate


@part
def _foot(columns, path, x, y, s):
    """Distance of a place ahead of the normal at s, distance to the left, and 1 - curvature d."""
    at_x, at_y, cos, sin, curvature, _ = frame_at(columns, path, s)
    apart_x, apart_y = x - at_x, y - at_y
    d = apart_y * cos - apart_x * sin
    return apart_x * cos + apart_y * sin, d, 1.0 - curvature * d


@part
def _apart(columns, path, x, y, node):
    """Distance of a place ahead of the normal at a node, and across it there."""
    row, past, _ = place_at(path, node + 1e-9 * path[0])
    cos, sin = cos_sin(columns[2, row])
    apart_x, apart_y = x - columns[0, row], y - columns[1, row]
    return apart_x * cos + apart_y * sin - past, apart_y * cos - apart_x * sin


@part
def _bracket(columns, path, x, y, s_near, cells):
    """The cell that contains the foot of the normal: where it begins, roughly where that is, and whether there is one.

    Cells are tried from the predicted place outwards, until no other can hold a foot that is nearer to it.
    """
    cell = path[0]
    middle = math.floor(s_near / cell) * 1.0
    found, least, best, foot = False, math.inf, 0.0, 0.0
    low, high = middle * cell, (middle + 1.0) * cell
    behind_along = _apart(columns, path, x, y, low)[0]
    ahead_along = _apart(columns, path, x, y, high)[0]
    if behind_along > 0.0 and ahead_along <= 0.0:
        foot = low + behind_along / (behind_along - ahead_along) * cell
        found, least, best = True, abs(foot - s_near), low
        if least < min(s_near - low, high - s_near) - 1e-9 * cell:
            return best, foot, True
    for reach in range(1, cells + 1):
        if found and least < (reach - 1) * cell * (1.0 - 1e-9):
            break
        for k in (reach, -reach):
            low, high = (middle + k) * cell, (middle + k + 1) * cell
            if k > 0:
                before = ahead_along
                after = ahead_along = _apart(columns, path, x, y, high)[0]
            else:
                after = behind_along
                before = behind_along = _apart(columns, path, x, y, low)[0]
            if before > 0.0 and after <= 0.0:
                place = low + before / (before - after) * cell
                off = abs(place - s_near)
                if off < least or (off == least and low < best):
                    found, least, best, foot = True, off, low, place
    if not found:
        best = foot = _nearest_node(columns, path, x, y, middle, cells)
    return best, foot, found


@part
def _nearest_node(columns, path, x, y, middle, cells):
    """The node nearest to a place."""
    nearest, close = 0.0, math.inf
    for k in range(-cells, cells + 2):
        node = (middle + k) * path[0]
        along, across = _apart(columns, path, x, y, node)
        apart2 = along * along + across * across
        if apart2 < close:
            close, nearest = apart2, node
    return nearest


@part
def _project(columns, path, x, y, s_near, search):
    """Arc length and offset of a place, near a predicted one."""
    low, place, found = _bracket(columns, path, x, y, s_near, search.cells)
    if not found:
        return place, _foot(columns, path, x, y, place)[1]
    high, d = low + path[0], 0.0
    for _ in range(search.steps):
        along, d, slope = _foot(columns, path, x, y, place)
        if along > 0.0:
            low = place
        else:
            high = place
        newton = place + along / max(slope, 0.02)
        place = 0.5 * (low + high) if newton < low or newton > high else newton
        if not (abs(along) > search.tolerance and high - low > search.tolerance):
            break
    return place, d


@each_row(takes=1.0)
def _project_all(begin, end, rows, path, xy, s_near, search, found):
    for k in range(begin, end):
        own = numbers_of(rows, path[k])
        found[2, k] = is_missing(own, rows.low[path[k]], rows.high[path[k]], s_near[k], search.cells + 2)
        if not found[2, k]:
            found[0, k], found[1, k] = _project(rows.columns, own, xy[k, 0], xy[k, 1], s_near[k], search)


@part
def follow_one(columns, path, ends, place, velocity, step, search):
    """Arc length and offset of somebody after a step, and whether rows are missing: see `path_tracking.project`."""
    (turn, low, high), (s, d, x, y), (dt, least_stretch) = ends, place, step
    if is_missing(path, low, high, s, 0):
        return s, d, True
    heading, curvature = heading_at(columns, path, turn, s)
    cos, sin = cos_sin(heading)
    near = s + (velocity[0] * cos + velocity[1] * sin) / max(1.0 - curvature * d, least_stretch) * dt
    if is_missing(path, low, high, near, search.cells + 2):
        return s, d, True
    s, d = _project(columns, path, x, y, near, search)
    return s, d, False
