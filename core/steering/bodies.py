# SPDX-License-Identifier: GPL-3.0-or-later
"""`Bodies`, what avoidance models are given; and what all of them do first: check, sort, find who is near whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from .backends import Kernels
from .kernels.arrays import Bool, Float64, Horizons, Int64, Ragged, SortedAgents, take_rows
from .neighbours import checked_search, checked_vectors, order_along_strips
from .obstacles import ObstacleSegments, prepare_obstacles

MOST_PRECEDENCE = 0.25
"""With a greater difference of precedences an agent would turn towards others instead of away (ORCA's share of a change
is 0.5 plus the difference of two precedences: at most 1)."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """A bodies at one time, as avoidance models see them.

    Attributes:
        position: float64 (A, 2) [m].
        velocity: float64 (A, 2) [m/s].
        preferred: float64 (A, 2), the velocity that each would take if alone; its length is the wanted speed [m/s].
        radius: float64 (A,), or () for all [m].
        max_speed: float64 (A,), or () for all [m/s].
        heading: float64 (A,), where each body faces [rad]; None for the direction of its velocity.
        avoids: bool (A,), whether each avoids others; None for everybody. The others take their preferred velocities.
        precedence: float64 (A,), from -0.25 to 0.25: of two, the one with more changes its velocity by the difference
            less than half, the other by as much more; None for halves. Models that share no changes ignore it.
        insists: bool (A,), who does not yield, and shows others another velocity than its own; None for nobody. Those
            who insist know the velocities of all.
        shown: float64 (A, 2), the velocities that are shown to those who yield; None where nobody insists [m/s].
        along: float64 (A,), where each is along the line that it follows; lines that differ lie far apart, and NaN is
            on none; None for nobody on a line [m]. People near each other along a line do not step aside from each
            other.
        squeezes: bool (A,), who of those who insist sees the bodies by other radii; None for nobody,
        squeezed: float64 (A,), by these, the own one too; None where nobody does [m].
        asks: bool (A,), for whom a velocity is wanted; None for everybody. That of the others is not to be used.
    """

    position: Float64
    velocity: Float64
    preferred: Float64
    radius: Float64
    max_speed: Float64
    heading: Float64 | None = None
    avoids: Bool | None = None
    precedence: Float64 | None = None
    insists: Bool | None = None
    shown: Float64 | None = None
    along: Float64 | None = None
    squeezes: Bool | None = None
    squeezed: Float64 | None = None
    asks: Bool | None = None

    def asking(self, order: Int64) -> Bool | None:
        """Who asks, bool (A,), in the order int64 (A,) of their rows; None for all."""
        return None if self.asks is None else self.asks[order]


Decision = Callable[[SortedAgents, Int64, Ragged, Int64 | slice], Float64]
"""What a kernel decides for the first N of the agents, with their neighbours and edges; then their rows among all."""


def decide(
    bodies: Bodies, order: Int64, agents: SortedAgents, near: Int64, edges: Ragged, decision: Decision
) -> Float64:
    """Return what a kernel decides, float64 (A, 2), for those who insist by the velocities of all, else by those shown.

    Args:
        bodies: in the caller's order.
        order: int64 (A,), their rows among these.
        agents: all of them, sorted.
        near: int64 (K, A), their neighbours.
        edges: of obstacles near each.
        decision: of the kernel.
    """
    asks = bodies.asking(order)
    if bodies.insists is None or bodies.shown is None:
        return _decide_some(asks, agents, near, edges, decision)
    shown = agents._replace(velocity=bodies.shown[order])
    result = _decide_some(asks, shown, near, edges, decision)
    insists = bodies.insists[order] if asks is None else bodies.insists[order] & asks
    if bodies.squeezes is not None and bodies.squeezed is not None:
        squeezes, narrow = bodies.squeezes[order] & insists, agents._replace(radius=bodies.squeezed[order])
        result[squeezes] = _decide_some(squeezes, narrow, near, edges, decision)[squeezes]
        insists &= ~squeezes
    result[insists] = _decide_some(insists, agents, near, edges, decision)[insists]
    return result


def _decide_some(asks: Bool | None, agents: SortedAgents, near: Int64, edges: Ragged, decision: Decision) -> Float64:
    """Return what a kernel decides, float64 (A, 2), for those who ask, bool (A,), None for all; of others anything."""
    if asks is None or 2 * np.count_nonzero(asks) > len(asks):  # to leave others out takes longer than to decide
        return decision(agents, near, edges, slice(None))
    some = np.flatnonzero(asks)
    result = np.zeros_like(agents.velocity)
    if not len(some):
        return result
    others = near.take(some, 1)  # contiguous, as kernels are compiled for
    seen = np.zeros(len(asks), dtype=bool)
    seen[others[others >= 0]] = True
    who = np.concatenate((some, np.flatnonzero(seen & ~asks)))
    number = np.full(len(asks), -1)
    number[who] = np.arange(len(who))
    counts = np.diff(edges.first)[some]
    first = np.concatenate(([0], np.cumsum(counts)))
    items = edges.items[np.arange(first[-1]) + np.repeat(edges.first[some] - first[:-1], counts)]
    known = np.where(others >= 0, number[others], -1)
    result[some] = decision(take_rows(agents, who), known, Ragged(first, items), who)
    return result


def order_and_find(
    agents: SortedAgents, distance: float, count: int, kernels: Kernels, asks: Bool | None = None
) -> tuple[SortedAgents, Int64, Int64]:
    """All agents sorted along strips, their rows in the caller's arrays, and the neighbours (K, A) of those who ask."""
    checked_search(distance, count)
    order, strips = order_along_strips(agents.position, distance, distance)
    ordered = take_rows(agents, order)
    count = min(int(count), max(order.size - 1, 0))
    searched = np.ones(order.size, dtype=bool) if asks is None else asks[order]
    return ordered, order, kernels.neighbours.nearest(ordered.position, strips, float(distance), count, searched)


def edges_in_reach(
    obstacles: ObstacleSegments, position: Float64, reach: Float64, kernels: Kernels, asks: Bool | None = None
) -> Ragged:
    """The edges nearer to each agent than its reach, float64 (A,) [m]; of those who ask, bool (A,), None for all."""
    some = slice(None) if asks is None else np.flatnonzero(asks)
    position, reaches = position[some], reach[some]
    if not len(obstacles) or not len(reaches):
        return Ragged(np.zeros(reach.size + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    grid = obstacles.grid_for(float(reaches.max()))
    found = kernels.edges.edges_near(position, reaches, grid, obstacles.segments)
    if isinstance(some, slice):
        return found
    first = np.zeros(reach.size + 1, dtype=np.int64)
    first[some + 1] = np.diff(found.first)
    return Ragged(np.cumsum(first), found.items)


def checked_agents(bodies: Bodies) -> SortedAgents:
    """The bodies as arrays that match, in their own order; or GeometryError with what is wrong."""
    places = checked_vectors(bodies.position)
    velocity = checked_vectors(bodies.velocity, "velocity")
    preferred = checked_vectors(bodies.preferred, "preferred_velocity")
    for name, vectors in (("velocity", velocity), ("preferred_velocity", preferred)):
        if vectors.shape != places.shape:
            raise GeometryError(f"{name} must have the shape of position {places.shape}, got {vectors.shape}")
    radius = checked_numbers(bodies.radius, "radius", places.shape[0])
    max_speed = checked_numbers(bodies.max_speed, "max_speed", places.shape[0])
    share = _shares(bodies.avoids, places.shape[0])
    precedence = _precedence(bodies.precedence, share)
    along = np.full(places.shape[0], np.nan) if bodies.along is None else np.asarray(bodies.along, dtype=np.float64)
    if along.shape != places.shape[:1] or np.isinf(along).any():
        raise GeometryError(f"along must be a finite number or NaN for each of {len(places)} agents")
    return SortedAgents(places, velocity, preferred, radius, max_speed, share, precedence, along)


def checked_numbers(given: ArrayLike, name: str, agents: int) -> Float64:
    """One number per agent, float64 (A,), from one for all or one for each; or GeometryError."""
    numbers = np.asarray(given, dtype=np.float64)
    if numbers.shape not in {(), (agents,)}:
        raise GeometryError(f"{name} must be one number or have the shape {(agents,)}, got {numbers.shape}")
    least, most = (numbers.min(initial=0.0), numbers.max(initial=0.0)) if numbers.ndim else 2 * (float(numbers),)
    if not (least >= 0.0 and most < math.inf):
        raise GeometryError(f"{name} must be finite and 0 or more")
    return numbers if numbers.ndim else np.full(agents, numbers)


def _shares(avoids: ArrayLike | None, agents: int) -> Float64:
    """The share of a change that is left to those who meet each agent."""
    if avoids is None:
        return np.full(agents, 0.5)
    avoiding = np.asarray(avoids)
    if avoiding.shape != (agents,) or avoiding.dtype != np.bool_:
        raise GeometryError(
            f"avoids must be True or False for each of {agents} agents, got {avoiding.dtype} of shape {avoiding.shape}"
        )
    return np.where(avoiding, 0.5, 1.0)


def _precedence(precedence: ArrayLike | None, share: Float64) -> Float64:
    """Precedences, float64 (A,): those who avoid nobody go before all others."""
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
