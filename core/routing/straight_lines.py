# SPDX-License-Identifier: GPL-3.0-or-later
"""Clearance of straight lines: most people need no map."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.distances import Distances
from ..geometry.reproducible_math import length

LINE_SPACING = 0.25
"""Distance between tested points of a line [m]: no obstacle wider than this less a body is missed."""

_BESIDE = 3  # points to each side of one that show by its distance that they are free
_FEW = 4000  # points that are sooner asked for than sorted out
_TOLERANCE = 1e-6  # [m] between two computations of one distance

POINTS_AT_ONCE = 1 << 18
"""Tested points that are processed in one array, to bound memory."""


def direct_clearance(starts: Float64, goals: Float64, obstacles: Distances, at_most: float = np.inf) -> Float64:
    """Return the clearance of straight lines: the least distance to an obstacle along each.

    Args:
        starts: float64 (N, 2), [m].
        goals: float64 (N, 2), [m].
        obstacles: distances to obstacles.
        at_most: largest distance that is needed [m].

    Returns:
        float64 (N,), [m]; negative where the line runs through an obstacle, `at_most` where none is nearer.
    """
    if not len(starts):
        return np.zeros(0)
    points, whose = points_between(starts, goals)
    first = np.searchsorted(whose, np.arange(len(starts)))
    return np.minimum(np.minimum.reduceat(obstacles.signed_distance(points, at_most), first), at_most)


def are_free(starts: Float64, goals: Float64, room: Float64, obstacles: Distances) -> Bool:
    """Return bool (N,), whether straight lines have some clearance: as `direct_clearance` says, asking for less.

    Few points tell that a line is blocked, and where one is far from obstacles, those beside it are free.

    Args:
        starts: float64 (N, 2), [m].
        goals: float64 (N, 2), [m].
        room: float64 (N,), the clearance of each [m].
        obstacles: distances to obstacles.
    """
    free = np.ones(len(starts), dtype=bool)
    if not len(starts):
        return free
    points, line = points_between(starts, goals)
    if len(points) < _FEW:
        free[line[obstacles.signed_distance(points, float(room.max())) < room[line]]] = False
        return free
    number, needed = np.arange(len(points)) - np.searchsorted(line, np.arange(len(starts)))[line], room[line]
    some, most = np.flatnonzero(number % (2 * _BESIDE + 1) == _BESIDE), float(room.max())
    clear = obstacles.signed_distance(points[some], most + _BESIDE * LINE_SPACING) - needed[some]
    free[line[some[clear < 0.0]]] = False
    known = np.zeros(len(points), dtype=bool)
    for beside in range(-_BESIDE, _BESIDE + 1):
        at = np.minimum(some + beside, len(points) - 1)
        known[
            at[(clear >= abs(beside) * LINE_SPACING + (_TOLERANCE if beside else 0.0)) & (line[at] == line[some])]
        ] = True
    rest = np.flatnonzero(~known & free[line])
    free[line[rest[obstacles.signed_distance(points[rest], most) < needed[rest]]]] = False
    return free


def parts_of_length(starts: Float64, goals: Float64) -> list[slice]:
    """Return parts of many straight lines of so many tested points together that memory stays bounded.

    Args:
        starts: float64 (N, 2), [m].
        goals: float64 (N, 2), [m].
    """
    points = np.cumsum(2.0 + length(goals - starts) / LINE_SPACING)
    cuts = np.flatnonzero(np.diff(points // POINTS_AT_ONCE)) + 1
    return [slice(first, last) for first, last in pairwise([0, *cuts.tolist(), len(starts)])]


def points_between(starts: Float64, goals: Float64) -> tuple[Float64, Int64]:
    """Return the points at which straight lines are tested.

    Args:
        starts: float64 (N, 2), [m].
        goals: float64 (N, 2), [m].

    Returns:
        float64 (M, 2), [m]; and int64 (M,), the line of each.
    """
    lengths = length(goals - starts)
    pieces = np.maximum(1, np.ceil(lengths / LINE_SPACING).astype(np.int64))
    whose = np.arange(len(starts)).repeat(pieces + 1)
    first = np.concatenate([[0], (pieces + 1).cumsum()[:-1]]).astype(np.int64)
    along = (np.arange(len(whose)) - first[whose]) / pieces[whose]
    return starts[whose] + along[:, None] * (goals - starts)[whose], whose
