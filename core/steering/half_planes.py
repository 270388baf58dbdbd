# SPDX-License-Identifier: GPL-3.0-or-later
"""The half planes of ORCA for one agent, to show why it moves as it does.

Source: van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", 2011, section 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .backends import kernels_of
from .bodies import Bodies, checked_horizons, edges_in_reach, order_and_find
from .kernels.arrays import Float64, Int64
from .kernels.reference.linear_program import NO_LINE
from .kernels.reference.obstacle_planes import obstacle_planes
from .kernels.reference.planes import agent_planes
from .obstacles import ObstacleSegments
from .orca import OrcaSettings

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


def half_planes(
    agent: int, bodies: Bodies, settings: OrcaSettings, obstacles: ObstacleSegments, dt: float
) -> HalfPlanes:
    """The half planes from which `Orca.new_velocity` takes the velocity of one agent.

    Args:
        agent: its number among the bodies.
        bodies: A bodies; their preferred velocities do not matter here.
        settings: how far ahead ORCA avoids collisions, and with whom.
        obstacles: what `prepare_obstacles` returned.
        dt: length of the step [s].

    Returns:
        Those of obstacles first.

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
    """
    horizons = checked_horizons(dt, settings.time_horizon, settings.time_horizon_obstacles)
    kernels = kernels_of("numpy")
    everybody = order_and_find(bodies.checked, settings.neighbour_distance, settings.max_neighbours, kernels)
    agents, order, near, _ = everybody
    row = int(np.flatnonzero(order == agent)[0])
    rows = slice(row, row + 1)
    reach = horizons.obstacles * agents.max_speed + agents.radius
    edges = edges_in_reach(obstacles, everybody, reach, kernels)
    lines = agent_planes(agents, rows, near[:, rows], horizons)[:, :, 0]
    other = order[near[:, row]]
    if edges.first[row + 1] > edges.first[row]:
        walls = obstacle_planes(agents, rows, edges, obstacles.segments, horizons)[0][:, :, 0]
        lines = np.concatenate((walls, lines), axis=1)
        other = np.concatenate((np.full(walls.shape[1], OBSTACLE), other))
    real = (lines != NO_LINE[:, None]).any(axis=0)
    return HalfPlanes(lines[:2, real].T, lines[2:, real].T, other[real])
