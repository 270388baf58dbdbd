# SPDX-License-Identifier: GPL-3.0-or-later
"""How people keep clear of each other and of what stands, by the rule of their crowd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..scene import Flocking
from ..steering import flocking, human_like, orca
from ..steering.half_planes import HalfPlanes, half_planes
from .agents import Agents
from .queueing import find_leads
from .settings import SimulationSettings
from .surroundings import Surroundings

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


LEAD = 2.0
"""How much more it counts to be in front of others than to be one who rather goes first."""


class Avoidance:
    """Turns preferred velocities into such that do not collide.

    Args:
        agents: everybody.
        surroundings: what stands and moves.
        settings: how far people look.
        backend: name of the kernels.
        herds: for each crowd, how it keeps together, or None.
    """

    def __init__(
        self,
        agents: Agents,
        surroundings: Surroundings,
        settings: SimulationSettings,
        backend: str,
        herds: Sequence[Flocking | None] = (),
    ) -> None:
        self.agents, self.settings = agents, settings
        self._surroundings, self._backend = surroundings, backend
        self._keep = _rules(herds, agents.crowd) if any(herds) else None

    def new_velocity(self, rows: Int64, preferred: Float64, time: float, dt: float) -> Float64:
        """Return float64 (R, 2), velocities without collision as near to the preferred ones as can be.

        Where both kinds are in a scene, each sees everybody: who does not avoid by ORCA is taken to make its half.
        """
        wishes = self._decide_on_sides(rows, self._keep_together(rows, preferred))
        obstacles = self._surroundings.orca_obstacles(time, dt)
        looking = self.agents.human_like[rows]
        if looking.all():
            return self._look_along_headings(rows, wishes, obstacles)
        found = self._reciprocate(rows, wishes, self._right_of_way(rows, preferred), obstacles, dt)
        return (
            np.where(looking[:, None], self._look_along_headings(rows, wishes, obstacles), found)
            if looking.any()
            else found
        )

    def _look_along_headings(self, rows: Int64, wishes: Float64, obstacles: orca.ObstacleSegments) -> Float64:
        """Return float64 (R, 2), the velocities of people who look for the way that is free the longest."""
        agents, settings = self.agents, self.settings
        return human_like.new_velocity(
            agents.position[rows],
            agents.velocity[rows],
            wishes,
            agents.radius[rows] + settings.comfort,
            settings.haste * agents.wanted_speed[rows],
            time_horizon=settings.foresight,
            neighbour_distance=settings.sight,
            max_neighbours=settings.most_looked_at,
            max_turn_rate=settings.max_turn_rate,
            heading=agents.heading[rows],
            avoids=agents.avoids[rows],
            obstacles=obstacles,
            backend=self._backend,
        )

    def _reciprocate(
        self, rows: Int64, wishes: Float64, precedence: Float64, obstacles: orca.ObstacleSegments, dt: float
    ) -> Float64:
        """Return float64 (R, 2), the velocities of people who share each change between them.

        Args:
            rows: int64 (R,), who is present.
            wishes: float64 (R, 2), preferred velocities [m/s].
            precedence: float64 (R,), who goes first.
            obstacles: what stands and moves.
            dt: [s].
        """
        agents, settings = self.agents, self.settings
        return orca.new_velocity(
            agents.position[rows],
            agents.velocity[rows],
            wishes,
            agents.radius[rows] + settings.comfort,
            settings.haste * agents.wanted_speed[rows],
            dt=dt,
            time_horizon=settings.time_horizon,
            time_horizon_obstacles=settings.time_horizon_obstacles,
            neighbour_distance=settings.neighbour_distance,
            max_neighbours=settings.max_neighbours,
            obstacles=obstacles,
            avoids=agents.avoids[rows],
            precedence=precedence,
            backend=self._backend,
        )

    def _keep_together(self, rows: Int64, preferred: Float64) -> Float64:
        """Return preferred velocities, float64 (R, 2), shifted for those whose crowd keeps together."""
        if self._keep is None:
            return preferred
        agents = self.agents
        shifted = flocking.keep_together(
            agents.position[rows],
            agents.velocity[rows],
            preferred,
            self.settings.haste * agents.wanted_speed[rows],
            backend=self._backend,
            **{name: values[rows] for name, values in self._keep.items()},
        )
        return np.where((self._keep["herd"][rows] >= 0)[:, None], shifted, preferred)

    def _right_of_way(self, rows: Int64, preferred: Float64) -> Float64:
        """Return float64 (R,), who goes first where two meet: by lot, and whoever is in front of others."""
        lead = find_leads(self.agents, rows, preferred)
        return self.settings.precedence * np.clip(self.agents.precedence[rows] + LEAD * lead, -1.0, 1.0)

    def half_planes(self, rows: Int64, agent: int, preferred: Float64, time: float, dt: float) -> HalfPlanes:
        """Return what one of the rows, by its number among them, owes to whom."""
        agents, settings = self.agents, self.settings
        return half_planes(
            agent,
            agents.position[rows],
            agents.velocity[rows],
            agents.radius[rows] + settings.comfort,
            settings.haste * agents.wanted_speed[rows],
            dt=dt,
            time_horizon=settings.time_horizon,
            time_horizon_obstacles=settings.time_horizon_obstacles,
            neighbour_distance=settings.neighbour_distance,
            max_neighbours=settings.max_neighbours,
            avoids=agents.avoids[rows],
            precedence=self._right_of_way(rows, preferred),
            obstacles=self._surroundings.orca_obstacles(time, dt),
        )

    def headings(self, rows: Int64, agent: int, preferred: Float64, time: float, dt: float) -> human_like.Headings:
        """Return what one of the rows, by its number among them, looks along."""
        agents, settings = self.agents, self.settings
        return human_like.headings(
            agent,
            agents.position[rows],
            agents.velocity[rows],
            self._decide_on_sides(rows, preferred),
            agents.radius[rows] + settings.comfort,
            settings.haste * agents.wanted_speed[rows],
            time_horizon=settings.foresight,
            neighbour_distance=settings.sight,
            max_neighbours=settings.most_looked_at,
            max_turn_rate=settings.max_turn_rate,
            heading=agents.heading[rows],
            obstacles=self._surroundings.orca_obstacles(time, dt),
        )

    def _decide_on_sides(self, rows: Int64, preferred: Float64) -> Float64:
        """Return preferred velocities, float64 (R, 2), turned to the right where two would meet.

        Only of those with ways of their own, which cross and meet at any angle. On a drawn route people are led back to
        their lines, and turning from them only makes them sway.
        """
        agents, settings = self.agents, self.settings
        own_way = np.isfinite(agents.goal[rows, 0])
        if not own_way.any():
            return preferred
        turned = orca.break_symmetry(
            agents.position[rows],
            agents.velocity[rows],
            preferred,
            agents.radius[rows],
            neighbour_distance=settings.sight,
            max_neighbours=settings.most_seen,
            settings=settings.symmetry,
            backend=self._backend,
        )
        return np.where((own_way & agents.avoids[rows])[:, None], turned, preferred)


def _rules(herds: Sequence[Flocking | None], crowd: Int64) -> dict[str, Any]:
    """Return the rules by which everybody keeps together, as arrays (A,); each crowd is a herd."""
    rules = [herd or Flocking() for herd in herds]
    number = np.where([herd is not None for herd in herds], np.arange(len(herds)), -1)
    weights = ("separation", "alignment", "cohesion", "distance")
    each = {name: np.array([getattr(rule, name) for rule in rules], dtype=np.float64)[crowd] for name in weights}
    return {"herd": number[crowd], **each}
