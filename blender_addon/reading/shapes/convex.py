# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds bodies with a convex footprint all at once: boxes, columns and domes need no union of polygons. numpy only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core.array_types import Bool, Float64, Int64
from ....core.geometry.reproducible_math import arctan2, dot, length

STRAIGHT_TOLERANCE = 2e-6
"""A corner may lie this far inside its neighbours' line, and a point outside [m]: Blender's single precision."""

_MOST_TESTS = 1 << 17  # points times edges of one body: more would need too much memory


def convex_plans(rings: Sequence[Float64], owner: Int64, areas: Float64) -> dict[int, Float64]:
    """Find bodies with only counter-clockwise rings that all lie in one convex ring, and return that ring.

    Args:
        rings: float64 (V, 2) each [m], of any number of bodies.
        owner: int64 (R,), the body of each ring.
        areas: float64 (R,) [m2], positive where a ring runs counter-clockwise.

    Returns:
        The ring by body; other bodies are missing.
    """
    if not rings:
        return {}
    count = np.array([len(ring) for ring in rings])
    first = np.cumsum(count) - count
    points = np.concatenate(rings)
    following = np.arange(len(points)) + 1
    following[first + count - 1] = first
    run = points[following] - points
    largest = np.lexsort((areas, owner))
    largest = largest[np.r_[owner[largest][1:] != owner[largest][:-1], True]]  # the last of each body
    good = largest[_are_convex(run, following, first)[largest]]
    choice = np.full(int(owner.max()) + 1, -1, dtype=np.int64)
    choice[owner[good]] = good
    choice[owner[areas <= 0.0]] = -1
    of_point = np.repeat(owner, count)
    tests = np.bincount(of_point, minlength=len(choice)) * np.where(choice >= 0, count[choice], 0)
    choice[tests > _MOST_TESTS] = -1
    rows = np.flatnonzero(choice[of_point] >= 0)
    outside = _count_outside(points, run, rows, first[choice[of_point[rows]]], count[choice[of_point[rows]]])
    held = np.bincount(of_point[rows], weights=outside, minlength=len(choice)) == 0
    return {int(body): rings[choice[body]] for body in np.flatnonzero((choice >= 0) & held)}


def _are_convex(run: Float64, following: Int64, first: Int64) -> Bool:
    """Return which rings turn left at every corner, and once in all."""
    after = run[following]
    turn = run[:, 0] * after[:, 1] - run[:, 1] * after[:, 0]
    angle = arctan2(turn, dot(run, after))
    left = turn >= -STRAIGHT_TOLERANCE * length(run + after)
    return np.logical_and.reduceat(left, first) & (np.abs(np.add.reduceat(angle, first) - 2.0 * np.pi) < 1e-6)


def _count_outside(points: Float64, run: Float64, rows: Int64, first: Int64, count: Int64) -> Int64:
    """Count for each point the edges from `first` to `first + count` that it lies outside of."""
    of_row = np.repeat(np.arange(len(rows)), count)
    edge = np.arange(len(of_row)) + np.repeat(first - (np.cumsum(count) - count), count)
    away = points[rows[of_row]] - points[edge]
    side = run[edge, 0] * away[:, 1] - run[edge, 1] * away[:, 0]
    wrong = side < -STRAIGHT_TOLERANCE * length(run[edge])
    return np.bincount(of_row[wrong], minlength=len(rows))
