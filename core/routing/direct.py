# SPDX-License-Identifier: GPL-3.0-or-later
"""The way for those who are told only where to go: the straight line, and a plain word where it is not free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import NoRoute
from ..geometry.distance_field import ObstacleField

Float64 = NDArray[np.float64]

SAMPLING = 0.25
"""Distance between the places of a line that are looked at; no obstacle wider than this less a body is missed [m]."""


def direct_clearance(starts: Float64, goals: Float64, obstacles: ObstacleField) -> Float64:
    """Return the clearance of straight ways: the least distance to an obstacle along each.

    Args:
        starts: float64 (N, 2), [m].
        goals: float64 (N, 2), [m].
        obstacles: what stands.

    Returns:
        float64 (N,), [m]; negative where the line runs through an obstacle, infinite without obstacles.
    """
    length = np.sqrt(((goals - starts) ** 2).sum(axis=1))
    pieces = np.maximum(1, np.ceil(length / SAMPLING).astype(np.int64))
    whose = np.repeat(np.arange(len(starts)), pieces + 1)
    first = np.concatenate([[0], np.cumsum(pieces + 1)[:-1]]).astype(np.int64)
    along = (np.arange(len(whose)) - first[whose]) / pieces[whose]
    points = starts[whose] + along[:, None] * (goals - starts)[whose]
    clearance = np.full(len(starts), np.inf)
    np.minimum.at(clearance, whose, obstacles.signed_distance(points))
    return clearance


def route_directly(start: Float64, goal: Float64, *, radius: float, obstacles: ObstacleField) -> Float64:
    """Return the straight way from start to goal, if a body can walk it.

    Args:
        start: float64 (2,), [m].
        goal: float64 (2,), [m].
        radius: of the body [m].
        obstacles: what stands.

    Returns:
        float64 (2, 2), the way's points [m].

    Raises:
        NoRoute: something stands in the line; leading round it needs a corridor map.
    """
    ends = np.stack([start, goal]).astype(np.float64)
    clearance = float(direct_clearance(ends[:1], ends[1:], obstacles)[0])
    if clearance < radius:
        raise NoRoute(
            f"the straight line from ({start[0]:.2f}, {start[1]:.2f}) to ({goal[0]:.2f}, {goal[1]:.2f}) comes within "
            f"{max(clearance, 0.0):.2f} m of an obstacle and {radius:.2f} m are needed; there is no corridor map yet "
            "to lead round it: draw a curve as the route"
        )
    return ends
