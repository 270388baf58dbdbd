# SPDX-License-Identifier: GPL-3.0-or-later
"""What one agent owes to whom: the half planes of ORCA by themselves, for those who want to see why it moves so.

Source: van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", 2011, section 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arguments import checked_agents, checked_horizons, edges_in_reach, order_and_find, prepared_obstacles
from .backends import kernels_of
from .kernels.arrays import Float64, Int64
from .kernels.reference.linear_program import NO_LINE
from .kernels.reference.obstacle_planes import obstacle_planes
from .kernels.reference.planes import agent_planes
from .obstacles import ObstacleSegments

OBSTACLE = -1
"""Stands for the number of another agent where an obstacle makes the half plane."""


class HalfPlanes(NamedTuple):
    """K half planes of velocities; what is allowed lies on the left of each line.

    Attributes:
        point: float64 (K, 2), on the line [m/s].
        direction: float64 (K, 2), unit vectors along it.
        other: int64 (K,), number of the agent whom it keeps clear of, or `OBSTACLE`.
    """

    point: Float64
    direction: Float64
    other: Int64


def half_planes(  # noqa: PLR0913 - those of `orca.new_velocity`
    agent: int,
    position: ArrayLike,
    velocity: ArrayLike,
    radius: ArrayLike,
    max_speed: ArrayLike,
    *,
    dt: float,
    time_horizon: float,
    time_horizon_obstacles: float,
    neighbour_distance: float,
    max_neighbours: int,
    avoids: ArrayLike | None = None,
    precedence: ArrayLike | None = None,
    obstacles: ObstacleSegments | Iterable[ArrayLike] = (),
) -> HalfPlanes:
    """The half planes from which `orca.new_velocity` takes the velocity of one agent.

    Args:
        agent: number of the agent.
        position: and all further arguments: see `orca.new_velocity`.
        velocity: float64 (A, 2) [m/s].
        radius: float64 (A,) or one number for all [m].
        max_speed: float64 (A,) or one number for all [m/s].
        dt: length of the step [s].
        time_horizon: [s].
        time_horizon_obstacles: [s].
        neighbour_distance: [m].
        max_neighbours: how many others are minded.
        avoids: bool (A,), who avoids others.
        precedence: float64 (A,), who rather goes first.
        obstacles: what `prepare_obstacles` gave, or polygons.

    Returns:
        Those of obstacles first.

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
    """
    agents = checked_agents(position, velocity, velocity, radius, max_speed, avoids, precedence)
    horizons = checked_horizons(dt, time_horizon, time_horizon_obstacles)
    kernels = kernels_of("numpy")
    agents, order, near = order_and_find(agents, neighbour_distance, max_neighbours, kernels)
    row = int(np.flatnonzero(order == agent)[0])
    rows = slice(row, row + 1)
    reach = horizons.obstacles * agents.max_speed + agents.radius
    prepared = prepared_obstacles(obstacles, None)
    edges = edges_in_reach(prepared, agents.position, reach, kernels)
    lines = agent_planes(agents, rows, near[:, rows], horizons)[:, :, 0]
    other = order[near[:, row]]
    if edges.first[row + 1] > edges.first[row]:
        walls = obstacle_planes(agents, rows, edges, prepared.segments, horizons)[0][:, :, 0]
        lines = np.concatenate((walls, lines), axis=1)
        other = np.concatenate((np.full(walls.shape[1], OBSTACLE), other))
    real = (lines != NO_LINE[:, None]).any(axis=0)
    return HalfPlanes(lines[:2, real].T, lines[2:, real].T, other[real])
