# SPDX-License-Identifier: GPL-3.0-or-later
"""Doors on people's paths: there is one where the free width drops below that of a door.

Routes through corridors keep the free width beside them. Straight paths were never measured: their width is that of the
shortest chord through each place, between the obstacles beside it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.distances import Distances, KernelGrid
from ...geometry.field_settings import FIELD
from ...geometry.reproducible_math import cos_sin, heading_vector, length, length2
from ...planning import ReferenceSet
from ..settings.door_settings import DoorSettings

PEOPLE_AT_ONCE = 512
"""People on whose paths doors are searched together, to bound memory."""


class DoorsAhead(NamedTuple):
    """The next doors of D people.

    Attributes:
        row: int64 (D,), whose.
        middle: float64 (D, 2) [m].
        direction: float64 (D, 2), of the path.
        place: float64 (D,), arc lengths on the paths [m].
    """

    row: Int64
    middle: Float64
    direction: Float64
    place: Float64


class Stretch(NamedTuple):
    """The paths ahead of N people: `path` int64 (N,), and from where to where, `s` and `end` float64 (N,) [m]."""

    path: Int64
    s: Float64
    end: Float64


class Openings(NamedTuple):
    """D doors: `middle` float64 (D, 2) [m], `axis` float64 (D, 2), unit vectors, and `width` float64 (D,) [m]."""

    middle: Float64
    axis: Float64
    width: Float64


def shares_through_near(begin: Float64, end: Float64, doors: Openings) -> Float64:
    """Return float64 (N, D), after which shares of lines, float64 (N, 2) each [m], they lead through doors; else inf.

    They count only nearer to where the lines begin than these are long, and doors wide.
    """
    kernels = twins.twin(twins.DOORS)
    if kernels is not None:
        return kernels.crossed(begin, end, *doors)
    off2, reach = length2(begin[:, None] - doors.middle), length(end - begin)[:, None] + doors.width
    share, (who, door) = np.full(off2.shape, np.inf), np.nonzero(off2 < reach * reach)
    near = Openings(doors.middle[door], doors.axis[door], doors.width[door])
    share[who, door] = shares_through(begin[who], end[who], near)
    return share


def shares_through(begin: Float64, end: Float64, doors: Openings) -> Float64:
    """Return float64 (..., D), after which shares of lines, (..., D, 2) each [m], they lead through doors; else inf."""
    run, away, (x, y) = end - begin, doors.middle - begin, doors.axis.T
    to_door, speed = away[..., 0] * x + away[..., 1] * y, run[..., 0] * x + run[..., 1] * y
    share = to_door / np.where(speed > 0.0, speed, np.inf)
    off = run * share[..., None] - away
    beside = np.abs(off[..., 0] * y - off[..., 1] * x)
    through = (speed > 0.0) & (to_door > 0.0) & (share <= 1.0) & (beside < 0.5 * doors.width)
    return np.where(through, share, np.inf)


def doors_by_route(paths: Stretch, references: ReferenceSet, settings: DoorSettings) -> DoorsAhead:
    """Find the next doors on routes, by the free width that these keep beside them.

    Args:
        paths: of some people.
        references: the paths.
        settings: what counts as a door.
    """
    kernels, found = twins.twin(twins.DOORS), None
    if kernels is not None:
        numbers = [settings.spacing, settings.greatest_width, settings.width_tolerance, settings.narrowing]
        counts = _counts(settings.look_ahead, settings)
        found = kernels.next_doors(references.compiled_rows(kernels), tuple(paths), np.array(numbers), counts)
    if found is not None:
        row = np.isfinite(found[0]).nonzero()[0]
        place, beside = found[:, row]
    else:  # also where rows of the paths are missing
        places = _places(paths, settings.look_ahead, settings)
        right, left = references.free_width(_each(paths.path, places), places.ravel())
        row, at = _next_doors(right + left, places, paths, settings)
        place, beside = places.ravel()[at], 0.5 * (left - right)[at]
    if not len(row):
        return DoorsAhead(row, np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
    path = paths.path[row]
    middle = references.to_cartesian(path, place, beside)
    return DoorsAhead(row, middle, heading_vector(references.heading(path, place)[0]), place)


def doors_on_ground(paths: Stretch, references: ReferenceSet, field: Distances, settings: DoorSettings) -> DoorsAhead:
    """Find the next doors on straight paths, by the obstacles beside them.

    Args:
        paths: of some people, at least one.
        references: the paths.
        field: distances to obstacles.
        settings: what counts as a door.
    """
    kernels = twins.twin(twins.DOORS)
    asked = None if kernels is None else field.kernel_grid
    if asked is not None and settings.greatest_width < FIELD.margin:
        return _search_compiled(kernels, paths, references, asked, settings)
    found: list[DoorsAhead] = []
    for first in range(0, len(paths.path), PEOPLE_AT_ONCE):
        own = slice(first, first + PEOPLE_AT_ONCE)
        some = Stretch(paths.path[own], paths.s[own], paths.end[own])
        seen = _doors_on_ground(some, references, field, settings)
        found.append(seen._replace(row=seen.row + first))
    row, middle, direction, place = (np.concatenate(values) for values in zip(*found, strict=True))
    return DoorsAhead(row, middle, direction, place)


def _search_compiled(
    kernels: Any, paths: Stretch, references: ReferenceSet, asked: KernelGrid, settings: DoorSettings
) -> DoorsAhead:
    """The same by a compiled kernel."""
    counts, spacing = _counts(settings.search_ahead, settings), settings.spacing
    behind, ahead = spacing * (counts[0] + 1), spacing * counts[1]
    references.have_rows(paths.path, np.maximum(paths.s - behind, 0.0), np.minimum(paths.s + ahead, paths.end))
    numbers = [spacing, settings.greatest_width, settings.width_tolerance, settings.narrowing]
    numbers += [settings.touch, settings.tracing_steps]
    limits = np.array(numbers), np.stack(cos_sin(np.array(settings.chord_angles))), counts
    rows, noted = references.compiled_rows(kernels), asked.note is not None
    (x, y, cos, sin, place), discs = kernels.search_ground(rows, asked.grid, tuple(paths), limits, noted=noted)
    if asked.note is not None:
        asked.note(discs[:, :2], discs[:, 2])
    row = np.isfinite(place).nonzero()[0]
    return DoorsAhead(row, np.column_stack((x, y))[row], np.column_stack((cos, sin))[row], place[row])


def _doors_on_ground(paths: Stretch, references: ReferenceSet, field: Distances, settings: DoorSettings) -> DoorsAhead:
    """As `doors_on_ground`, in arrays of all places on some paths."""
    places = _places(paths, settings.search_ahead, settings)
    path, place = _each(paths.path, places), places.ravel()
    point = references.to_cartesian(path, place, np.zeros(len(place)))
    half = 0.5 * settings.greatest_width
    near = (field.signed_distance(point, half) < half).nonzero()[0]
    direction = heading_vector(references.heading(path[near], place[near])[0])
    cos, sin = cos_sin(np.array(settings.chord_angles)[:, None])
    x, y = direction.T
    across = np.stack((-sin * x - cos * y, cos * x - sin * y), axis=-1)  # (angles, N, 2)
    both = np.stack((across, -1.0 * across))
    begin = np.broadcast_to(point[near], both.shape).reshape(-1, 2)
    both_lengths = _free_length(begin, both.reshape(-1, 2), field, settings).reshape(both.shape[:-1])
    width, middle = np.full(len(place), np.inf), point.copy()
    for left, right, side in zip(*both_lengths, across, strict=True):
        less = (left + right < width[near]).nonzero()[0]
        at, off = near[less], 0.5 * (left[less] - right[less])[:, None]
        width[at], middle[at] = (left + right)[less], point[at] + off * side[less]
    row, at = _next_doors(width, places, paths, settings)
    return DoorsAhead(row, middle[at], heading_vector(references.heading(path[at], place[at])[0]), place[at])


def _next_doors(width: Float64, places: Float64, paths: Stretch, settings: DoorSettings) -> tuple[Int64, Int64]:
    """Return who has a door ahead, int64 (D,), and at which of all places, (N, P), with widths (N * P,), it is."""
    width = width.reshape(places.shape)
    some = np.flatnonzero((width < settings.greatest_width).any(axis=1))
    if not len(some):
        return some, some
    found = next_narrowest(width[some], places[some] > paths.s[some, None], settings)
    row = some[found >= 0]
    return row, row * places.shape[1] + found[found >= 0]


def _free_length(point: Float64, direction: Float64, field: Distances, settings: DoorSettings) -> Float64:
    """Return float64 (N,), how far it is from points in directions, (N, 2) each, to an obstacle, by sphere tracing [m].

    Infinite where there is none within the width of a door.
    """
    length, stopped = np.zeros(len(point)), np.zeros(len(point), dtype=bool)
    for _ in range(settings.tracing_steps):
        on = (~stopped & (length < settings.greatest_width)).nonzero()[0]
        if not len(on):
            break
        free = field.signed_distance(point[on] + length[on, None] * direction[on], settings.greatest_width)
        length[on] += np.maximum(free, 0.0)
        stopped[on] = free < settings.touch
    return np.where(stopped, length, np.inf)


def _places(paths: Stretch, ahead: float, settings: DoorSettings) -> Float64:
    """Return float64 (N, P), arc lengths on paths, at even distances from behind people to so far ahead of them [m]."""
    places = settings.spacing * (np.floor(paths.s / settings.spacing)[:, None] + _numbers(ahead, settings))
    return np.minimum(np.maximum(places, 0.0), paths.end[:, None])


def _numbers(ahead: float, settings: DoorSettings) -> Int64:
    """Return int64 (P,), the numbers of places from behind a person, who is at or after number 0, to ahead of them."""
    return np.arange(-round(settings.look_behind / settings.spacing), round((ahead + 1.0) / settings.spacing))


@cache
def _counts(ahead: float, settings: DoorSettings) -> Int64:
    """Return int64 (3,), how many places are before people, all places, and those to a metre."""
    number = _numbers(ahead, settings)
    return np.array([-number[0], len(number), settings.steps_a_metre])


def _each(path: Int64, places: Float64) -> Int64:
    """Return int64 (N * P,), the path of each place."""
    return np.broadcast_to(path[:, None], places.shape).ravel()


def next_narrowest(width: Float64, ahead: Bool, settings: DoorSettings) -> Int64:
    """Return int64 (R,), at which place along paths, float64 (R, P), the next door is narrowest; -1 for none."""
    behind, metre = round(settings.look_behind / settings.spacing), settings.steps_a_metre
    count = width.shape[1] - metre
    most = np.zeros((len(width), count))
    most[:, behind:] = _over_windows(np.maximum, width, behind + 1)[:, : count - behind]
    here = width[:, :count]
    narrow = here <= settings.width_tolerance * _over_windows(np.minimum, width, metre + 1)
    narrow &= (here < settings.greatest_width) & (here < settings.narrowing * most)
    begins = narrow & ahead[:, :count]
    begins[:, 1:] &= ~narrow[:, :-1]
    found = np.full(len(width), -1)
    rows = np.flatnonzero(begins.any(axis=1))
    first = begins[rows].argmax(axis=1)
    found[rows] = first + width[rows[:, None], first[:, None] + np.arange(metre + 1)].argmin(axis=1)
    return found


def _over_windows(extreme: np.ufunc, values: Float64, length: int) -> Float64:
    """Return the extremes of each so many values in a row, float64 (R, P - length + 1): by doubling."""
    done = 1
    while 2 * done <= length:
        values, done = extreme(values[:, :-done], values[:, done:]), 2 * done
    rest = length - done
    return extreme(values[:, :-rest], values[:, rest:]) if rest else values
