# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimal reciprocal collision avoidance: everybody takes half of the change that keeps everybody apart.

Source: van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..scene.avoidance_models import ORCA
from .backends import choose_backend, kernels_of, model_kernel
from .bodies import Bodies, checked_horizons, decide, edges_in_reach, order_and_find, prepared_obstacles
from .kernels.arrays import Bool, Float64
from .obstacles import ObstacleSegments, prepare_obstacles
from .symmetry import SideTurning, SymmetryBreaking, break_symmetry, turned_aside

__all__ = [
    "KernelModel",
    "ObstacleSegments",
    "Orca",
    "OrcaSettings",
    "SideTurning",
    "SymmetryBreaking",
    "break_symmetry",
    "new_velocity",
    "prepare_obstacles",
]


@dataclass(frozen=True)
class OrcaSettings:
    """How far ahead ORCA avoids collisions, and with whom.

    Attributes:
        time_horizon: the new velocity is free of collisions with others for this time [s]. Chosen on the crowd
            benchmarks: people in a dense crowd walk so close together that with more they would stand.
        time_horizon_obstacles: the same for obstacles [s]. Chosen likewise.
        neighbour_distance: others farther away are ignored [m]. Chosen: no contact within `time_horizon` is that far.
        max_neighbours: number of others considered, nearest first. As in the examples of the authors' library RVO2.
        symmetry: makes people step aside from whom they would run into; None for plain ORCA.
    """

    time_horizon: float = 0.6
    time_horizon_obstacles: float = 0.4
    neighbour_distance: float = 6.0
    max_neighbours: int = 10
    symmetry: SymmetryBreaking | None = None


class KernelModel:
    """An avoidance model that is a kernel of the same input as ORCA's, and nothing else.

    Args:
        name: of the model and of its kernel file.
        settings: how far ahead collisions are avoided, and with whom.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.
    """

    def __init__(self, name: str, settings: OrcaSettings, backend: str = "auto") -> None:
        self.name, self.settings, self._backend = name, settings, backend

    @property
    def obstacle_horizon(self) -> float:
        """How far ahead obstacles matter [s]."""
        return self.settings.time_horizon_obstacles

    def new_velocity(self, bodies: Bodies, obstacles: ObstacleSegments, dt: float, asks: Bool | None = None) -> Float64:
        """The velocities that all bodies take for the next step, all from the same state.

        Args:
            bodies: A bodies; those who avoid nobody take their preferred velocities.
            obstacles: what `prepare_obstacles` returned.
            dt: length of the step [s].
            asks: bool (A,), for whom a velocity is wanted; None for everybody.

        Returns:
            float64 (A, 2) [m/s].

        Raises:
            GeometryError: shapes that do not match, numbers that are not finite or out of range.
            BackendError: the backend is not available.
        """
        settings, kernels = self.settings, kernels_of(self._backend)
        kernel = model_kernel(self.name, choose_backend(self._backend))
        horizons = checked_horizons(dt, settings.time_horizon, settings.time_horizon_obstacles)
        deciders = order_and_find(bodies.checked, settings.neighbour_distance, settings.max_neighbours, kernels, asks)
        if settings.symmetry is not None:
            deciders = turned_aside(deciders, settings.symmetry, kernels)
        agents = deciders.agents
        reach = horizons.obstacles * agents.max_speed + agents.radius
        edges = edges_in_reach(obstacles, deciders, reach[: deciders.size], kernels)
        rest = obstacles.segments, horizons
        return decide(bodies, deciders, edges, lambda who, near, edges, _: kernel.new_velocity(who, near, edges, *rest))


class Orca(KernelModel):
    """The avoidance model `orca`; arguments as of `KernelModel`, without the name."""

    def __init__(self, settings: OrcaSettings, backend: str = "auto") -> None:
        super().__init__(ORCA, settings, backend)


def new_velocity(  # noqa: PLR0913 - the public contract's arguments; all else takes `Bodies`
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
    """The velocities that all agents take for the next step, all from the same state: `Orca` for scripts.

    Args:
        position: float64 (A, 2) [m].
        velocity: float64 (A, 2) [m/s].
        preferred_velocity: float64 (A, 2), the velocity that each would take if alone [m/s].
        radius: float64 (A,) or one number for all [m].
        max_speed: float64 (A,) or one number for all [m/s].
        dt: length of the step [s].
        time_horizon: the new velocity is free of collisions with others for this time [s].
        time_horizon_obstacles: the same for obstacles [s].
        neighbour_distance: others farther away are ignored [m].
        max_neighbours: number of others considered, nearest first.
        avoids: bool (A,), whether each avoids others; None for everybody. The others take their preferred velocities,
            and those who meet one of them make the whole change.
        precedence: float64 (A,), from -0.25 to 0.25: of two, the one with more changes its velocity by the difference
            less than half, the other by as much more. None for halves; dense crowds that head for one point then
            form arches and stop.
        obstacles: what `prepare_obstacles` returned, or polygons, float64 (V, 2) each [m]: counter-clockwise ones are
            solid inside, clockwise ones outside.
        obstacle_velocities: for plain polygons: None, (2,) or (V, 2) for each [m/s].
        symmetry: makes people step aside from whom they would run into; None for plain ORCA.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.

    Returns:
        float64 (A, 2) [m/s].

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
        BackendError: the backend is not available.
    """
    vectors = (np.asarray(each, dtype=np.float64) for each in (position, velocity, preferred_velocity))
    numbers = (np.asarray(each, dtype=np.float64) for each in (radius, max_speed))
    flags = None if avoids is None else np.asarray(avoids)
    ranks = None if precedence is None else np.asarray(precedence, dtype=np.float64)
    bodies = Bodies(*vectors, *numbers, avoids=flags, precedence=ranks)
    settings = OrcaSettings(time_horizon, time_horizon_obstacles, neighbour_distance, max_neighbours, symmetry)
    return Orca(settings, backend).new_velocity(bodies, prepared_obstacles(obstacles, obstacle_velocities), dt)
