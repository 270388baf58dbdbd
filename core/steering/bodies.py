# SPDX-License-Identifier: GPL-3.0-or-later
"""`Bodies`, what avoidance models are given; and what all of them do first: check, sort, find who is near whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from ..geometry.ragged import Lists
from .backends import Kernels
from .kernels.arrays import Bool, Float64, Horizons, Int64, Ragged, SortedAgents, take_rows
from .neighbours import checked_search, checked_vectors, order_along_strips
from .obstacles import ObstacleSegments, prepare_obstacles

MOST_PRECEDENCE = 0.25
"""With a greater difference of precedences an agent would turn towards others instead of away (ORCA's share of a change
is 0.5 plus the difference of two precedences: at most 1)."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """A bodies at one time, as avoidance models see them; the arrays are not to be changed after that.

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

    @cached_property
    def checked(self) -> SortedAgents:
        """The bodies as arrays that match, in their own order; or GeometryError with what is wrong."""
        places = checked_vectors(self.position)
        velocity = checked_vectors(self.velocity, "velocity")
        preferred = checked_vectors(self.preferred, "preferred_velocity")
        for name, vectors in (("velocity", velocity), ("preferred_velocity", preferred)):
            if vectors.shape != places.shape:
                raise GeometryError(f"{name} must have the shape of position {places.shape}, got {vectors.shape}")
        radius = checked_numbers(self.radius, "radius", places.shape[0])
        max_speed = checked_numbers(self.max_speed, "max_speed", places.shape[0])
        share = _shares(self.avoids, places.shape[0])
        precedence = _precedence(self.precedence, share)
        along = np.full(places.shape[0], np.nan) if self.along is None else np.asarray(self.along, dtype=np.float64)
        if along.shape != places.shape[:1] or np.isinf(along).any():
            raise GeometryError(f"along must be a finite number or NaN for each of {len(places)} agents")
        return SortedAgents(places, velocity, preferred, radius, max_speed, share, precedence, along)


class Deciders(NamedTuple):
    """Those for whom a velocity is wanted, and whom they see, in the order of strips.

    Attributes:
        agents: B bodies, of whom the first N decide.
        order: int64 (B,), their rows among all.
        near: int64 (K, N), neighbours of those who decide.
        asks: bool (N,), whose velocity is wanted; None for all of these.
    """

    agents: SortedAgents
    order: Int64
    near: Int64
    asks: Bool | None

    @property
    def size(self) -> int:
        """N."""
        return self.near.shape[1]


Decision = Callable[[SortedAgents, Int64, Ragged, Int64 | slice], Float64]
"""What a kernel decides for the first N of some agents, with their neighbours and edges; then which of `Deciders` these
are."""


def decide(bodies: Bodies, deciders: Deciders, edges: Ragged, decision: Decision) -> Float64:
    """Return what a kernel decides for those who insist by the velocities of all, else by those shown.

    Args:
        bodies: in the caller's order.
        deciders: some of these.
        edges: of obstacles near each of those who decide.
        decision: of the kernel.

    Returns:
        float64 (A, 2), in the caller's order: preferred velocities of those who avoid nobody or are not asked [m/s].
    """
    agents, order, near, asks = deciders
    own = order[: deciders.size]
    if bodies.insists is None or bodies.shown is None:
        found = decision(agents, near, edges, slice(None))
    else:
        shown = agents._replace(velocity=bodies.shown.take(order, 0))
        found = decision(shown, near, edges, slice(None))
        insists = bodies.insists[own] if asks is None else bodies.insists[own] & asks
        if bodies.squeezes is not None and bodies.squeezed is not None:
            squeezes, narrow = bodies.squeezes[own] & insists, agents._replace(radius=bodies.squeezed[order])
            _decide_again(found, squeezes, deciders._replace(agents=narrow), edges, decision)
            insists &= ~squeezes
        _decide_again(found, insists, deciders, edges, decision)
    avoid = agents.share[: deciders.size] != 1.0
    some = (avoid if asks is None else avoid & asks).nonzero()[0]
    result = bodies.checked.preferred.copy()
    result[own[some]] = found.take(some, 0)
    return result


def _decide_again(found: Float64, asks: Bool, deciders: Deciders, edges: Ragged, decision: Decision) -> None:
    """Write into `found`, float64 (N, 2), what a kernel decides for those who ask, bool (N,)."""
    some = asks.nonzero()[0]
    if not len(some):
        return
    if _are_most(some, deciders.size):
        found[some] = decision(deciders.agents, deciders.near, edges, slice(None)).take(some, 0)
        return
    agents, near, _ = _those_who_ask(some, deciders.agents, deciders.near)
    counts, items = Lists(edges.first, edges.items).joined(some)
    found[some] = decision(agents, near, Ragged(np.concatenate(([0], np.cumsum(counts))), items), some)


def _are_most(some: Int64, everybody: int) -> bool:
    """Whether so many ask that to leave others out would take longer than to decide for all."""
    return 2 * len(some) > everybody


def _those_who_ask(some: Int64, agents: SortedAgents, near: Int64) -> tuple[SortedAgents, Int64, Int64]:
    """Return some agents and after them whom they see, and, of `near`, their neighbours; then the rows of all these."""
    others = near.take(some, 1)  # contiguous, as kernels are compiled for
    seen, number = np.zeros(len(agents.radius) + 1, dtype=bool), np.full(len(agents.radius) + 1, -1)
    seen[others] = True  # -1, nobody, is the last one
    seen[some] = seen[-1] = False
    who = np.concatenate((some, seen.nonzero()[0]))
    number[who] = np.arange(len(who))
    return take_rows(agents, who), number.take(others), who


def order_and_find(
    agents: SortedAgents, distance: float, count: int, kernels: Kernels, asks: Bool | None = None
) -> Deciders:
    """Sort agents along strips, and find the neighbours, up to so many, of those who ask, bool (A,), None for all."""
    checked_search(distance, count)
    order, strips = order_along_strips(agents.position, distance, distance)
    ordered = take_rows(agents, order)
    count = min(int(count), max(order.size - 1, 0))
    searched = np.ones(order.size, dtype=bool) if asks is None else asks[order]
    near = kernels.neighbours.nearest(ordered.position, strips, float(distance), count, searched)
    if asks is None:
        return Deciders(ordered, order, near, None)
    some = searched.nonzero()[0]
    if _are_most(some, order.size):
        return Deciders(ordered, order, near, searched)
    agents, near, who = _those_who_ask(some, ordered, near)
    return Deciders(agents, order[who], near, None)


def edges_in_reach(obstacles: ObstacleSegments, deciders: Deciders, reach: Float64, kernels: Kernels) -> Ragged:
    """The edges nearer to each of those who decide than its reach, float64 (N,) [m]."""
    if deciders.asks is not None:
        reach = np.where(deciders.asks, reach, 0.0)
    if not len(obstacles) or not len(reach):
        return Ragged(np.zeros(reach.size + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    grid = obstacles.grid_for(float(reach.max()))
    return kernels.edges.edges_near(deciders.agents.position[: len(reach)], reach, grid, obstacles.segments)


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
