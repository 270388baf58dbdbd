# SPDX-License-Identifier: GPL-3.0-or-later
"""What all ways of avoidance do with their arguments: look at them, put them in order, find who is near what."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from .backends import Kernels
from .kernels.arrays import Float64, Horizons, Int64, Ragged, SortedAgents, rows_of
from .neighbours import checked_search, checked_vectors, order_along_strips
from .obstacles import ObstacleSegments, prepare_obstacles

MOST_PRECEDENCE = 0.25
"""With more than this, somebody would turn towards others instead of away."""


def order_and_find(
    agents: SortedAgents, distance: float, count: int, kernels: Kernels
) -> tuple[SortedAgents, Int64, Int64]:
    """Everybody ordered along strips, their rows in the callers' arrays, and their neighbours (K, A)."""
    checked_search(distance, count)
    order, strips = order_along_strips(agents.position, distance, distance)
    ordered = rows_of(agents, order)
    count = min(int(count), max(order.size - 1, 0))
    return ordered, order, kernels.neighbours.nearest(ordered.position, strips, float(distance), count)


def edges_in_reach(obstacles: ObstacleSegments, position: Float64, reach: Float64, kernels: Kernels) -> Ragged:
    """The edges nearer to each agent than its reach, float64 (A,) [m]."""
    count = reach.size
    if not len(obstacles) or not count:
        return Ragged(np.zeros(count + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    return kernels.edges.edges_near(position, reach, obstacles.grid_for(float(reach.max())), obstacles.segments)


def checked_agents(
    position: ArrayLike,
    velocity: ArrayLike,
    preferred: ArrayLike,
    radius: ArrayLike,
    max_speed: ArrayLike,
    avoids: ArrayLike | None,
    precedence: ArrayLike | None = None,
) -> SortedAgents:
    """The arguments of a way of avoidance as arrays that match; or GeometryError with what is wrong."""
    places = checked_vectors(position)
    vectors = [checked_vectors(velocity, "velocity"), checked_vectors(preferred, "preferred_velocity")]
    for name, vector in zip(("velocity", "preferred_velocity"), vectors, strict=True):
        if vector.shape != places.shape:
            raise GeometryError(f"{name} must have the shape of position {places.shape}, got {vector.shape}")
    numbers = [
        checked_numbers(given, name, places.shape[0]) for name, given in (("radius", radius), ("max_speed", max_speed))
    ]
    share = _shares(avoids, places.shape[0])
    return SortedAgents(places, *vectors, *numbers, share=share, precedence=_precedence(precedence, share))


def checked_numbers(given: ArrayLike, name: str, agents: int) -> Float64:
    """A number for each agent, float64 (A,), of one for all or of one for each; or GeometryError."""
    numbers = np.asarray(given, dtype=np.float64)
    if numbers.shape not in {(), (agents,)}:
        raise GeometryError(f"{name} must be one number or have the shape {(agents,)}, got {numbers.shape}")
    if not (np.isfinite(numbers).all() and (numbers >= 0.0).all()):
        raise GeometryError(f"{name} must be finite and 0 or more")
    return numbers if numbers.ndim else np.full(agents, numbers)


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


def _precedence(precedence: ArrayLike | None, share: Float64) -> Float64:
    """Who goes first; those who avoid nobody before all others."""
    numbers = np.zeros(share.shape) if precedence is None else np.asarray(precedence, dtype=np.float64)
    if numbers.shape != share.shape or not (np.abs(numbers) <= MOST_PRECEDENCE).all():
        raise GeometryError(
            f"precedence must be numbers from -{MOST_PRECEDENCE} to {MOST_PRECEDENCE}, "
            f"one for each of {share.size} agents"
        )
    return np.where(share == 1.0, MOST_PRECEDENCE, numbers)


def checked_horizons(dt: float, time_horizon: float, time_horizon_obstacles: float) -> Horizons:
    """The horizons as the kernels take them; or GeometryError."""
    horizons = Horizons(float(dt), float(time_horizon), float(time_horizon_obstacles))
    for name, value in zip(("dt", "time_horizon", "time_horizon_obstacles"), horizons, strict=True):
        if not (math.isfinite(value) and value > 0.0):
            raise GeometryError(f"{name} must be a finite number above 0, got {value}")
    return horizons


def prepared_obstacles(
    obstacles: ObstacleSegments | Iterable[ArrayLike], velocities: Sequence[ArrayLike | None] | None
) -> ObstacleSegments:
    """Obstacles prepared, if they are not yet."""
    if not isinstance(obstacles, ObstacleSegments):
        return prepare_obstacles(obstacles, velocities=velocities)
    if velocities is not None:
        raise GeometryError("obstacle_velocities go with plain polygons; give them to prepare_obstacles instead")
    return obstacles
