# SPDX-License-Identifier: GPL-3.0-or-later
"""How free the straight way is: most people need no map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.distances import Distances

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

SAMPLING = 0.25
"""Distance between the places of a line that are looked at; no obstacle wider than this less a body is missed [m]."""


def direct_clearance(starts: Float64, goals: Float64, obstacles: Distances, at_most: float = np.inf) -> Float64:
    """Return the clearance of straight ways: the least distance to an obstacle along each.

    Args:
        starts: float64 (N, 2), [m].
        goals: float64 (N, 2), [m].
        obstacles: what stands.
        at_most: more than this need not be known [m].

    Returns:
        float64 (N,), [m]; negative where the line runs through an obstacle, `at_most` where none is nearer.
    """
    points, whose = points_between(starts, goals)
    clearance = np.full(len(starts), at_most)
    np.minimum.at(clearance, whose, obstacles.signed_distance(points, at_most))
    return clearance


def points_between(starts: Float64, goals: Float64) -> tuple[Float64, Int64]:
    """Return the places at which straight ways are looked at.

    Args:
        starts: float64 (N, 2), [m].
        goals: float64 (N, 2), [m].

    Returns:
        float64 (M, 2), [m]; and int64 (M,), on which of the ways each is.
    """
    length = np.sqrt(((goals - starts) ** 2).sum(axis=1))
    pieces = np.maximum(1, np.ceil(length / SAMPLING).astype(np.int64))
    whose = np.repeat(np.arange(len(starts)), pieces + 1)
    first = np.concatenate([[0], np.cumsum(pieces + 1)[:-1]]).astype(np.int64)
    along = (np.arange(len(whose)) - first[whose]) / pieces[whose]
    return starts[whose] + along[:, None] * (goals - starts)[whose], whose
