# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimal reciprocal collision avoidance: everybody takes half of the change that keeps everybody apart.

Source: van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .arguments import checked_agents, checked_horizons, edges_in_reach, order_and_find, prepared_obstacles
from .backends import kernels_of
from .kernels.arrays import Float64
from .obstacles import ObstacleSegments, prepare_obstacles
from .symmetry import SymmetryBreaking, break_symmetry, checked_turn

__all__ = ["ObstacleSegments", "SymmetryBreaking", "break_symmetry", "new_velocity", "prepare_obstacles"]


def new_velocity(  # noqa: PLR0913 - the contract's arguments
    position: ArrayLike,
    velocity: ArrayLike,
    preferred_velocity: ArrayLike,
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
    obstacle_velocities: Sequence[ArrayLike | None] | None = None,
    symmetry: SymmetryBreaking | None = None,
    backend: str = "auto",
) -> Float64:
    """The velocities that everybody takes for the next step, all from the same state.

    Args:
        position: float64 (A, 2) [m].
        velocity: float64 (A, 2) [m/s].
        preferred_velocity: float64 (A, 2), where each would go if alone [m/s].
        radius: float64 (A,) or one number for all [m].
        max_speed: float64 (A,) or one number for all [m/s].
        dt: length of the step [s].
        time_horizon: how long the velocity is free of collisions with others [s].
        time_horizon_obstacles: the same for obstacles [s].
        neighbour_distance: nobody farther off is minded [m].
        max_neighbours: nor more than so many, the nearest first.
        avoids: bool (A,), who avoids others; None for everybody. The others get their preferred velocities, and whoever
            meets one of them makes the whole of the change.
        precedence: float64 (A,), from -0.25 to 0.25: of two, the one with more of it changes by the difference less
            than half, and the other by as much more. None for halves, with which crowds that press towards one point
            close to arches.
        obstacles: what `prepare_obstacles` gave, or polygons, float64 (V, 2) each [m]: counter-clockwise ones are solid
            inside, clockwise ones outside.
        obstacle_velocities: for plain polygons: None, (2,) or (V, 2) for each [m/s].
        symmetry: let people step to the right of whom they would run into; None for plain ORCA.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.

    Returns:
        float64 (A, 2) [m/s].

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
        BackendError: the backend is not there.
    """
    agents = checked_agents(position, velocity, preferred_velocity, radius, max_speed, avoids, precedence)
    horizons = checked_horizons(dt, time_horizon, time_horizon_obstacles)
    prepared = prepared_obstacles(obstacles, obstacle_velocities)
    heroes, wanted = agents.share == 1.0, agents.preferred
    kernels = kernels_of(backend)
    agents, order, near = order_and_find(agents, neighbour_distance, max_neighbours, kernels)
    if symmetry is not None:
        agents = agents._replace(preferred=kernels.symmetry.break_symmetry(agents, near, checked_turn(symmetry)))
    reach = horizons.obstacles * agents.max_speed + agents.radius
    edges = edges_in_reach(prepared, agents.position, reach, kernels)
    result = np.empty_like(agents.velocity)
    result[order] = kernels.orca.new_velocity(agents, near, edges, prepared.segments, horizons)
    result[heroes] = wanted[heroes]
    return result
