# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimal reciprocal collision avoidance: everybody takes half of the change that keeps everybody apart.

Source: van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", 2011.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from .backends import Kernels, kernels_of
from .kernels.arrays import Agents, Float64, Horizons, Int64, Ragged, Turn
from .neighbours import checked_search, checked_vectors, order_along_strips
from .obstacles import ObstacleSegments, prepare_obstacles

__all__ = ["ObstacleSegments", "SymmetryBreaking", "break_symmetry", "new_velocity", "prepare_obstacles"]


@dataclass(frozen=True)
class SymmetryBreaking:
    """How people who would run into each other step to the right.

    Plain ORCA leaves people on opposite courses in front of each other for a long time, and rings of them for ever.

    Attributes:
        angle: by how much the preferred velocity turns to the right at most [rad].
        full_time: wholly if the contact is no farther off than this [s].
        none_time: not at all if it is farther off than this, and in between by degrees [s].
    """

    angle: float = math.radians(20.0)
    full_time: float = 2.0
    none_time: float = 4.0


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
    agents = _checked_agents(position, velocity, preferred_velocity, radius, max_speed, avoids)
    horizons = _checked_horizons(dt, time_horizon, time_horizon_obstacles)
    prepared = _prepared(obstacles, obstacle_velocities)
    heroes, wanted = agents.share == 1.0, agents.preferred
    kernels = kernels_of(backend)
    agents, order, near = _neighbours(agents, neighbour_distance, max_neighbours, kernels)
    if symmetry is not None:
        agents = agents._replace(preferred=kernels.symmetry.break_symmetry(agents, near, _turn(symmetry)))
    edges = _edges(prepared, agents, horizons, kernels)
    result = np.empty_like(agents.velocity)
    result[order] = kernels.orca.new_velocity(agents, near, edges, prepared.segments, horizons)
    result[heroes] = wanted[heroes]
    return result


def break_symmetry(
    position: ArrayLike,
    velocity: ArrayLike,
    preferred_velocity: ArrayLike,
    radius: ArrayLike,
    *,
    neighbour_distance: float,
    max_neighbours: int,
    settings: SymmetryBreaking | None = None,
    backend: str = "auto",
) -> Float64:
    """Preferred velocities turned to the right where they would soon lead into somebody.

    The same as `new_velocity` does with `symmetry`, for use ahead of other ways of avoidance.

    Args:
        position: float64 (A, 2) [m].
        velocity: float64 (A, 2) [m/s].
        preferred_velocity: float64 (A, 2), where each would go if alone [m/s].
        radius: float64 (A,) or one number for all [m].
        neighbour_distance: nobody farther off is minded [m].
        max_neighbours: nor more than so many, the nearest first.
        settings: how far and when; None for the usual.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.

    Returns:
        float64 (A, 2) [m/s].

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
        BackendError: the backend is not there.
    """
    agents = _checked_agents(position, velocity, preferred_velocity, radius, 0.0, None)
    kernels = kernels_of(backend)
    agents, order, near = _neighbours(agents, neighbour_distance, max_neighbours, kernels)
    result = np.empty_like(agents.velocity)
    result[order] = kernels.symmetry.break_symmetry(agents, near, _turn(settings or SymmetryBreaking()))
    return result


def _neighbours(agents: Agents, distance: float, count: int, kernels: Kernels) -> tuple[Agents, Int64, Int64]:
    """Everybody ordered along strips, their rows in the callers' arrays, and their neighbours (K, A)."""
    checked_search(distance, count)
    order, strips = order_along_strips(agents.position, distance, distance)
    ordered = Agents(*(np.ascontiguousarray(array[order]) for array in agents))
    count = min(int(count), max(order.size - 1, 0))
    return ordered, order, kernels.neighbours.nearest(ordered.position, strips, float(distance), count)


def _edges(obstacles: ObstacleSegments, agents: Agents, horizons: Horizons, kernels: Kernels) -> Ragged:
    """The edges that each agent could touch within the horizon."""
    count = agents.radius.size
    if not len(obstacles) or not count:
        return Ragged(np.zeros(count + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    reach = horizons.obstacles * agents.max_speed + agents.radius
    return kernels.edges.edges_near(agents.position, reach, obstacles.grid_for(float(reach.max())), obstacles.segments)


def _turn(settings: SymmetryBreaking) -> Turn:
    if not 0.0 <= settings.full_time < settings.none_time < math.inf:
        raise GeometryError(
            "the times of symmetry breaking must be finite, 0 <= full_time < none_time, "
            f"got {settings.full_time} and {settings.none_time}"
        )
    return Turn(math.cos(settings.angle), -math.sin(settings.angle), settings.full_time, settings.none_time)


def _checked_agents(
    position: ArrayLike,
    velocity: ArrayLike,
    preferred: ArrayLike,
    radius: ArrayLike,
    max_speed: ArrayLike,
    avoids: ArrayLike | None,
) -> Agents:
    places = checked_vectors(position)
    vectors = [checked_vectors(velocity, "velocity"), checked_vectors(preferred, "preferred_velocity")]
    for name, vector in zip(("velocity", "preferred_velocity"), vectors, strict=True):
        if vector.shape != places.shape:
            raise GeometryError(f"{name} must have the shape of position {places.shape}, got {vector.shape}")
    numbers = []
    for name, given in (("radius", radius), ("max_speed", max_speed)):
        number = np.asarray(given, dtype=np.float64)
        if number.shape not in {(), places.shape[:1]}:
            raise GeometryError(f"{name} must be one number or have the shape {places.shape[:1]}, got {number.shape}")
        if not (np.isfinite(number).all() and (number >= 0.0).all()):
            raise GeometryError(f"{name} must be finite and 0 or more")
        numbers.append(number if number.ndim else np.full(places.shape[:1], number))
    return Agents(places, *vectors, *numbers, share=_shares(avoids, places.shape[0]))


def _shares(avoids: ArrayLike | None, agents: int) -> Float64:
    """How much of the change is left to those who meet each agent."""
    if avoids is None:
        return np.full(agents, 0.5)
    avoiding = np.asarray(avoids)
    if avoiding.shape != (agents,) or avoiding.dtype != np.bool_:
        raise GeometryError(
            f"avoids must be True or False for each of {agents} agents, got {avoiding.dtype} of shape {avoiding.shape}"
        )
    return np.where(avoiding, 0.5, 1.0)


def _checked_horizons(dt: float, time_horizon: float, time_horizon_obstacles: float) -> Horizons:
    horizons = Horizons(float(dt), float(time_horizon), float(time_horizon_obstacles))
    for name, value in zip(("dt", "time_horizon", "time_horizon_obstacles"), horizons, strict=True):
        if not (math.isfinite(value) and value > 0.0):
            raise GeometryError(f"{name} must be a finite number above 0, got {value}")
    return horizons


def _prepared(
    obstacles: ObstacleSegments | Iterable[ArrayLike], velocities: Sequence[ArrayLike | None] | None
) -> ObstacleSegments:
    if not isinstance(obstacles, ObstacleSegments):
        return prepare_obstacles(obstacles, velocities=velocities)
    if velocities is not None:
        raise GeometryError("obstacle_velocities go with plain polygons; give them to prepare_obstacles instead")
    return obstacles
