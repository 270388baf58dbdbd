# SPDX-License-Identifier: GPL-3.0-or-later
"""People who turn or slow down the more, the sooner a contact is to come: the power law of human interactions.

Recorded people behave as if each pair had an energy that falls with the square of the time to contact. Its forces are
stiff shortly before a contact, so that steps of a frame need the implicit form: the new velocity is the one at which
the energy and the cost of leaving the preferred velocity are least together.

- Everybody minimises over the own velocity, from the one now on, and assumes of the others that they make their share
  of the change, as in ORCA; so no system of equations joins people, and in a pair the two agree on the common least.
- The time to contact ends abruptly where two would just pass. Relative velocities are taken as known with some
  uncertainty, so that it fades there.
- Of walls, the sooner met count for all of them: a round outline of many edges is one obstacle.

Sources: Karamouzas, Skinner and Guy, "Universal power law governing pedestrian interactions", 2014; Karamouzas, Sohre,
Narain and Guy, "Implicit crowds: optimization integrator for robust crowd simulation", 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import GeometryError
from ..scene.avoidance_models import POWER_LAW
from .backends import choose_backend, kernels_of, model_kernel
from .bodies import Bodies, decide, edges_in_reach, order_and_find
from .kernels.arrays import Bool, ContactEnergy, Float64, Int64
from .kernels.reference.power_law import people_near, urgency
from .neighbours import checked_search
from .obstacles import ObstacleSegments


@dataclass(frozen=True)
class PowerLawSettings:
    """How much expected contacts count.

    Attributes:
        strength: k of the energy k / t^2 exp(-t / time_scale) of a contact in t seconds [m2]. Karamouzas et al. 2014.
        time_scale: contacts later than this hardly count [s]. Karamouzas et al. 2014.
        relaxation_time: within it people return to their preferred velocity [s]. Karamouzas et al. 2014, after Helbing.
        sideways: uncertainty of relative velocities across the line between two people [m/s]. Chosen by trial.
        closing: the same along that line [m/s]. Chosen by trial.
        least_gap: bodies that are nearer to each other or touch are treated as so far apart [m]. Chosen by trial.
        parting_time: they part as fast as would restore the gap in this time [s]. Chosen by trial.
        neighbour_distance: others farther away are ignored [m]. Chosen by trial.
        max_neighbours: number of others considered, nearest first. Chosen by trial.
        obstacle_horizon: obstacles that are farther away than people walk in this time are ignored [s]. Chosen by
            trial.
        steps: of Newton's method; each comes nearer to the least. Chosen by trial.
    """

    strength: float = 1.5
    time_scale: float = 3.0
    relaxation_time: float = 0.5
    sideways: float = 0.2
    closing: float = 0.05
    least_gap: float = 0.02
    parting_time: float = 0.05
    neighbour_distance: float = 8.0
    max_neighbours: int = 12
    obstacle_horizon: float = 2.0
    steps: int = 8

    def __post_init__(self) -> None:
        """Refuse what has no meaning, with GeometryError."""
        for name in (
            "strength",
            "time_scale",
            "relaxation_time",
            "sideways",
            "closing",
            "least_gap",
            "parting_time",
            "obstacle_horizon",
        ):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise GeometryError(f"{name} must be finite and above 0, got {value}")
        checked_search(self.neighbour_distance, self.max_neighbours)
        if self.steps < 1:
            raise GeometryError(f"steps must be 1 or more, got {self.steps}")


class ContactTimes(NamedTuple):
    """When an agent would touch others whom it considers, if it took its preferred velocity and they kept theirs.

    Attributes:
        other: int64 (K,), their numbers among the bodies, nearest first.
        time: float64 (K,), until then [s]; as smooth as the energy, so never infinite.
    """

    other: Int64
    time: Float64


@dataclass(frozen=True)
class PowerLaw:
    """The avoidance model `power_law`.

    Attributes:
        settings: how much expected contacts count.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.
    """

    settings: PowerLawSettings
    backend: str = "auto"

    @property
    def name(self) -> str:
        """As scene files call it."""
        return POWER_LAW

    @property
    def obstacle_horizon(self) -> float:
        """How far ahead obstacles matter [s]."""
        return self.settings.obstacle_horizon

    def new_velocity(
        self,
        bodies: Bodies,
        obstacles: ObstacleSegments,
        dt: float,  # noqa: ARG002
        asks: Bool | None = None,
    ) -> Float64:
        """The velocities that all bodies take for the next step: `AvoidanceModel.new_velocity`, whatever the step.

        Nobody goes first here.
        """
        settings, kernels = self.settings, kernels_of(self.backend)
        kernel = model_kernel(self.name, choose_backend(self.backend))
        deciders = order_and_find(bodies.checked, settings.neighbour_distance, settings.max_neighbours, kernels, asks)
        reach = settings.obstacle_horizon * deciders.agents.max_speed + deciders.agents.radius
        edges = edges_in_reach(obstacles, deciders, reach[: deciders.size], kernels)
        rest = obstacles.segments, energy_of(settings)
        return decide(bodies, deciders, edges, lambda who, near, edges, _: kernel.new_velocity(who, near, edges, *rest))

    def contact_times(self, agent: int, bodies: Bodies) -> ContactTimes:
        """Whom an agent considers, by its number among the bodies, and how soon it would touch them.

        Raises:
            GeometryError: shapes that do not match, numbers that are not finite or out of range.
        """
        settings = self.settings
        found = order_and_find(
            bodies.checked, settings.neighbour_distance, settings.max_neighbours, kernels_of("numpy")
        )
        agents, order, near, _ = found
        row = int(np.flatnonzero(order == agent)[0])
        others = near[:, row][near[:, row] >= 0]
        alone = agents._replace(share=np.ones(len(order)))  # of the whole change
        energy, wish = energy_of(settings), agents.preferred[row][:, None]
        people = people_near(alone, slice(row, row + 1), others[:, None], energy)
        soon, *_ = urgency(wish, people, energy)
        return ContactTimes(order[others], 1.0 / soon[:, 0])


def energy_of(settings: PowerLawSettings) -> ContactEnergy:
    """The settings as the kernels take them."""
    return ContactEnergy(
        settings.relaxation_time * settings.strength,
        settings.time_scale,
        settings.sideways,
        settings.closing,
        settings.least_gap,
        1.0 / settings.parting_time,
        settings.steps,
    )
