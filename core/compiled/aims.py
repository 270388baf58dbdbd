# SPDX-License-Identifier: GPL-3.0-or-later
"""The farthest visible places on routes, and bypasses of who stands before them: loops over people.

Twins of `core.simulation.guidance.aiming` and `bypasses`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Float64, Int64
from .compiling import each_row, note, part, with_notes
from .distances import nearest_at, pack_grid, room_at, signed_at
from .frames import PathRows, frame_at, numbers_of


class PlacesTried(NamedTuple):
    """Which places are tried, and which lines to them are allowed: see `AimSettings`.

    Attributes:
        distances: float64 (D,) [m].
        shares: float64 (D, K), of the stretch to each, at which the width is measured; as many as `counts` says.
        counts: int64 (D,).
        cut_places: float64 (C,), shares at which the distance from the chord is measured.
        numbers: float64 (4,): `free_distance`, `greatest_cut`, `narrow_width`, and the spacing of points on lines [m].
    """

    distances: Float64
    shares: Float64
    counts: Int64
    cut_places: Float64
    numbers: Float64


def find(
    paths: PathRows,
    grid: Float64,
    rows: Int64,
    people: tuple[Int64, Float64, Float64, Float64, Float64, Float64],
    tried: PlacesTried,
    *,
    noted: bool,
) -> tuple[Float64, Float64]:
    """Find the first place that each sees and may walk straight to.

    Args:
        paths: the rows of their paths, of all between them and the farthest place.
        grid: of the obstacles.
        rows: int64 (R,), of whom.
        people: of all agents: path, s, end, goal, position, and the clearance that the line must have.
        tried: in which order.
        noted: whether to return the discs on whose obstacles the answer depends.

    Returns:
        float64 (4, R): whether there is a place, its x and y, and s there [m]; and float64 (M, 3), x, y and radius of
        the discs [m].
    """
    found = np.zeros((4, len(rows)))
    notes = with_notes(len(rows), _find, paths, grid, (rows, people), tried, found, noted=noted)
    return found, notes


def first_free(
    grid: Float64, discs: Float64, ends: Float64, over: Float64, room: Float64, spacing: float, *, noted: bool
) -> tuple[Int64, Float64]:
    """Find the first of some points over which the straight lines from both ends are free.

    Args:
        grid: of the obstacles.
        discs: float64 (K, 4), of people who stand: x and y, radius, and up to where each is looked for [m].
        ends: float64 (2, N, 2) [m].
        over: float64 (N, C, 2), the points, in their order [m].
        room: float64 (N,), the clearance of the lines [m].
        spacing: of the points of a line that are tested [m].
        noted: whether to return the discs on whose obstacles the answer depends.

    Returns:
        int64 (N,), their numbers, -1 for none; and float64 (M, 3), x, y and radius of the discs [m].
    """
    found = np.full(len(room), -1)
    return found, with_notes(len(room), _first_free, (grid, discs), (ends, over), room, spacing, found, noted=noted)


def warm_up() -> None:
    """Compile."""
    one, two, none = np.ones(1), np.ones((1, 2)), np.zeros(1, dtype=np.int64)
    paths = PathRows(one, 0.0 * one, one, none + 1, none - 1, none + 1, none - 1, none + 1, np.zeros((15, 4)))
    lists = np.zeros(2, dtype=np.int64), none[:0]
    grid = pack_grid((0.0, 0.0, 1.0, 1, 1, 1.0), (one, none), lists, lists, np.zeros((1, 5)))
    for noted in (False, True):
        find(
            paths,
            grid,
            none,
            (none, one, one, two, two, one),
            PlacesTried(one, two, none, one, np.ones(4)),
            noted=noted,
        )
        first_free(grid, np.ones((1, 4)), np.ones((2, 1, 2)), np.ones((1, 1, 2)), one, 1.0, noted=noted)


@part
def _is_free(grid, x, y, to_x, to_y, room, spacing, notes):
    """Whether a straight line has a clearance; where a point is far from obstacles, so are those after it."""
    run_x, run_y = to_x - x, to_y - y
    pieces, j = max(1, math.ceil(math.sqrt(run_x * run_x + run_y * run_y) / spacing)), 0
    while j <= pieces:
        along = j / pieces
        at_x, at_y = x + along * run_x, y + along * run_y
        clear, more = room_at(grid, at_x, at_y, room)
        skipped = int(more / spacing)
        note(notes, at_x, at_y, abs(clear) + skipped * spacing)
        if clear < room:
            return False
        j += 1 + skipped
    return True


@part
def _meets_disc(discs, x, y, to_x, to_y, room, spacing):
    """Whether one of the points of a straight line is too near to a disc."""
    run_x, run_y = to_x - x, to_y - y
    pieces = max(1, math.ceil(math.sqrt(run_x * run_x + run_y * run_y) / spacing))
    for j in range(pieces + 1):
        along = j / pieces
        at_x, at_y = x + along * run_x, y + along * run_y
        for disc in range(len(discs)):
            off_x, off_y = at_x - discs[disc, 0], at_y - discs[disc, 1]
            gap = math.sqrt(off_x * off_x + off_y * off_y) - discs[disc, 2]
            if gap < discs[disc, 3] and gap < room:
                return True
    return False


@each_row(takes=10.0)
def _first_free(begin, end, ground, lines, room, spacing, found, notes):
    (grid, discs), (ends, over) = ground, lines
    for k in range(begin, end):
        for c in range(over.shape[1]):
            x, y, are_free = over[k, c, 0], over[k, c, 1], True
            for n in range(2):
                from_x, from_y = ends[n, k, 0], ends[n, k, 1]
                if _meets_disc(discs, from_x, from_y, x, y, room[k], spacing):
                    are_free = False
                    break
            for n in range(2 if are_free else 0):
                if not _is_free(grid, ends[n, k, 0], ends[n, k, 1], x, y, room[k], spacing, notes):
                    are_free = False
                    break
            if are_free:
                found[k] = c
                break


@part
def _cuts_far(columns, path, start, place, shares, most):
    """Whether a path is anywhere farther than so much from the chord between a person and a place."""
    run = place - start
    x, y = frame_at(columns, path, start + 0.0 * run)[:2]
    to_x, to_y = frame_at(columns, path, start + 1.0 * run)[:2]
    chord_x, chord_y = to_x - x, to_y - y
    chord = max(math.sqrt(chord_x * chord_x + chord_y * chord_y), 1e-9)
    for share in shares:
        at_x, at_y = frame_at(columns, path, start + share * run)[:2]
        if abs(chord_x * (at_y - y) - chord_y * (at_x - x)) / chord > most:
            return True
    return False


@part
def _is_narrow(columns, path, start, place, grid, shares, narrow, notes):
    """Whether a path is narrow anywhere between a person and a place."""
    least, least_x, least_y, half, j = 0.5 * narrow, 0.0, 0.0, 0.5 * narrow, 0
    step = max((place - start) / max(len(shares) - 1, 1), 1e-3) * (1.0 + 1e-3)
    while j < len(shares):
        x, y = frame_at(columns, path, start + shares[j] * (place - start))[:2]
        clear, more = room_at(grid, x, y, half)
        skipped = int(more / step)  # no point is farther from the one before than along the path
        note(notes, x, y, abs(clear) + skipped * step)
        if clear < least:
            least, least_x, least_y = clear, x, y
        j += 1 + skipped
    width = 2.0 * least
    if width < narrow:
        distance, x, y = nearest_at(grid, least_x, least_y)
        note(notes, least_x, least_y, distance)
        x, y = 2.0 * least_x - x, 2.0 * least_y - y  # as far away on the other side
        distance = signed_at(grid, x, y, narrow)[0]
        note(notes, x, y, abs(distance))
        width += max(distance, 0.0)
    return width < narrow


@each_row(takes=10.0)
def _find(begin, end, paths, grid, who, tried, found, notes):
    rows, people = who
    path_of, s_of, end_of, goal, position, clearance = people
    columns, distances, cut_places, numbers = paths.columns, tried.distances, tried.cut_places, tried.numbers
    free_distance, greatest_cut, narrow, spacing = numbers[0], numbers[1], numbers[2], numbers[3]
    for k in range(begin, end):
        row = rows[k]
        path, start, last = numbers_of(paths, path_of[row]), s_of[row], end_of[row]
        for n in range(distances.size):
            place = min(start + distances[n], last)
            x, y, cos, sin, _, _ = frame_at(columns, path, place)
            x, y = x - sin * 0.0, y + cos * 0.0
            if place >= last:
                x, y = goal[row, 0], goal[row, 1]
            if not _is_free(grid, position[row, 0], position[row, 1], x, y, clearance[row], spacing, notes):
                continue
            if distances[n] > free_distance and _cuts_far(columns, path, start, place, cut_places, greatest_cut):
                shares = tried.shares[n, : tried.counts[n]]
                if not _is_narrow(columns, path, start, place, grid, shares, narrow, notes):
                    continue
            found[0, k], found[1, k], found[2, k], found[3, k] = 1.0, x, y, place
            break
