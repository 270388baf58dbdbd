# SPDX-License-Identifier: GPL-3.0-or-later
"""Free places for those who were placed one by one: out of obstacles, inside the bounds, and apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import heading_vector, length, length2
from ...scene import Crowd
from ...steering.neighbours import close_pairs
from ..settings.population_settings import PlacementSettings

Free = Callable[[Float64, float | Float64], Bool]
"""From points, (N, 2), and a radius for all or (N,) [m] to bool (N,): where bodies can stand."""

FREE, IN_THE_WAY, ON_SOMEBODY = 0, 1, 2
"""Why somebody is moved: not at all, for an obstacle or the bounds, or for somebody else."""

RINGS = 0.025 * np.arange(1, 91) ** 2
"""Distances at which a free place is searched, nearest first [m]."""

GOLDEN_ANGLE = 2.399963229728653
"""Turned by it from one to the next, discs fill a plane evenly [rad] (Vogel 1979)."""


class Room(NamedTuple):
    """Where people stand: `points` float64 (N, 2) [m]; `moved` int64 (N,), whether and why they were moved."""

    points: Float64
    moved: Int64


def find_room(
    wanted: Float64,
    radius: Float64,
    solid: Bool,
    free: Free,
    push_out: Callable[[Float64], Float64],
    bodies: Float64,
    settings: PlacementSettings,
) -> Room:
    """Return where people can stand, near where they were placed.

    Args:
        wanted: float64 (N, 2) [m].
        radius: float64 (N,) [m].
        solid: bool (N,), whether each may not overlap with others.
        free: returns where they can stand.
        push_out: moves points, float64 (N, 2), out of obstacles by the shortest distance.
        bodies: float64 (T, 3), others who stay where they are, and their radii [m]: those who are solid keep off them.
        settings: how closely is searched.
    """
    points = _out_of_the_way(wanted, radius, free, push_out, settings.directions)
    moved = np.where(_far(points, wanted, settings.reported_move), IN_THE_WAY, FREE)
    for _ in range(3):
        apart = _apart(points, radius, solid, settings.separation_rounds)
        apart = _beside(apart, radius, solid, bodies, free, settings.directions)
        if apart is points:
            break
        points = _out_of_the_way(apart, radius, free, push_out, settings.directions)
    return Room(points, np.where((moved == FREE) & _far(points, wanted, settings.reported_move), ON_SOMEBODY, moved))


def tell_of_moves(crowd: Crowd, moved: Int64) -> list[str]:
    """Return sentences for the user about those of a crowd who were moved, int64 (N,)."""
    whys = (
        (IN_THE_WAY, "started in an obstacle or outside the bounds and were moved to free ground."),
        (ON_SOMEBODY, "started on top of others and were moved apart."),
    )
    counts = [(int((moved == why).sum()), told) for why, told in whys]
    return [f"{crowd.name}: {count} of {crowd.count} {told}" for count, told in counts if count]


def _far(points: Float64, wanted: Float64, least: float) -> Bool:
    return length(points - wanted) > least


def _out_of_the_way(
    wanted: Float64, radius: Float64, free: Free, push_out: Callable[[Float64], Float64], directions: int
) -> Float64:
    """Return points outside obstacles: by the shortest way out, or else the nearest free ones."""
    points = push_out(wanted).copy()
    for row in np.flatnonzero(~free(points, radius)).tolist():  # few, and only before the first frame
        points[row] = _free_near(wanted[row], float(radius[row]), free, directions)
    return points


def _beside(points: Float64, radius: Float64, solid: Bool, bodies: Float64, free: Free, directions: int) -> Float64:
    """Return points at which nobody solid stands on somebody who stays there; the same array where nobody does."""
    largest = float(bodies[:, 2].max(initial=0.0))

    def is_free(places: Float64, own: float | Float64) -> Bool:
        return free(places, own) & ~near_any(places, bodies[:, :2], own + largest)

    rows = np.flatnonzero(solid & near_any(points, bodies[:, :2], radius + largest))
    if not len(rows):
        return points
    moved = points.copy()
    for row in rows.tolist():  # few, and only before the first frame
        moved[row] = _free_near(points[row], float(radius[row]), is_free, directions)
    return moved


def near_any(points: Float64, others: Float64, distance: float | Float64) -> Bool:
    """Return bool (K,), which points have one of others within a distance.

    Args:
        points: float64 (K, 2) [m].
        others: float64 (T, 2) [m].
        distance: of all, or float64 (K,) [m].
    """
    found = np.zeros(len(points), dtype=bool)
    order = np.argsort(others[:, 0], kind="stable")
    others, square = others[order], np.broadcast_to(distance, len(points)) ** 2
    first = np.searchsorted(others[:, 0], points[:, 0] - distance, side="left")
    last = np.searchsorted(others[:, 0], points[:, 0] + distance, side="right")
    for step in range(int((last - first).max(initial=0))):
        some = np.flatnonzero(first + step < last)
        off = others[first[some] + step] - points[some]
        found[some] |= length2(off) < square[some]
    return found


def _free_near(wanted: Float64, radius: float, free: Free, directions: int) -> Float64:
    """Return float64 (2,), the free point that is nearest to the wanted one; itself where none is found [m]."""
    turns = np.linspace(0.0, 2.0 * np.pi, directions, endpoint=False)
    places = (wanted + RINGS[:, None, None] * heading_vector(turns)).reshape(-1, 2)
    found = np.flatnonzero(free(places, radius))
    return _nearest_free(wanted, places[found[0]], radius, free) if len(found) else wanted


def _nearest_free(wanted: Float64, place: Float64, radius: float, free: Free) -> Float64:
    """Return the free point nearest to the wanted one on the straight way to it from a free place [m]."""
    shares = np.linspace(0.0, 1.0, 1001)[:, None]
    line = place + shares * (wanted - place)
    return line[max(int(np.argmin(free(line, radius))) - 1, 0)]


def _apart(points: Float64, radius: Float64, solid: Bool, rounds: int) -> Float64:
    """Return points at which those who are solid do not overlap; the same array where nobody does."""
    reach = np.where(solid, radius, 0.0)
    if not len(_overlapping(points, reach, solid)):
        return points
    moved = _fanned_out(points, radius, solid)
    for _ in range(rounds):
        pairs = _overlapping(moved, reach, solid)
        if not len(pairs):
            break
        first, second = pairs.T
        gap = moved[first] - moved[second]
        distance = length(gap)
        unit = np.where(distance[:, None] > 1e-9, gap / np.maximum(distance, 1e-9)[:, None], (1.0, 0.0))
        push = (0.5 * (reach[first] + reach[second] - distance) + 1e-3)[:, None] * unit
        count = np.bincount(pairs.ravel(), minlength=len(moved))
        step = np.zeros_like(moved)
        np.add.at(step, first, push)
        np.subtract.at(step, second, push)
        moved = moved + step / np.maximum(1.0, 0.6 * count)[:, None]
    return moved


def _overlapping(points: Float64, reach: Float64, solid: Bool) -> Int64:
    pairs = close_pairs(points, reach)
    return pairs[solid[pairs].all(axis=1)]


def _fanned_out(points: Float64, radius: Float64, solid: Bool) -> Float64:
    """Return points with those at the same place spread evenly over a disc: they have no direction of separation."""
    place = np.unique(np.round(points, 6), axis=0, return_inverse=True)[1].ravel()
    place = np.where(solid, place, -1 - np.arange(len(points)))
    order = np.argsort(place, kind="stable")
    number = np.empty(len(points), dtype=np.int64)
    number[order] = np.arange(len(points)) - np.searchsorted(place[order], place[order])
    out = 2.0 * radius.max() * np.sqrt(number) * (number > 0)
    turn = GOLDEN_ANGLE * number
    return points + out[:, None] * heading_vector(turn)
