# SPDX-License-Identifier: GPL-3.0-or-later
"""How people keep clear of each other and of what stands, by the rule of their crowd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.reproducible_math import arctan2
from ...scene import Flocking
from ...steering import flocking, human_like, orca
from ...steering.half_planes import HalfPlanes, half_planes
from ..behaviours.door_queues import DoorQueues
from ..behaviours.precedence import find_leads
from ..settings import SimulationSettings
from ..world.agents import Agents
from ..world.environment import Surroundings

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


LEAD = 2.0
"""How much more it counts to be in front of others than to be one who rather goes first."""


INSISTENCE = 0.5
"""Who is next at a door, and held up, is taken to set out at this speed [m/s]."""


class _Seen(NamedTuple):
    """Everybody whom avoidance sees: R agents, and after them H heroes.

    Attributes:
        position, velocity: float64 (R + H, 2) [m, m/s].
        radius, max_speed: float64 (R + H,) [m, m/s].
        heading: float64 (R + H,) [rad].
        avoids: bool (R + H,).
    """

    position: Float64
    velocity: Float64
    radius: Float64
    max_speed: Float64
    heading: Float64
    avoids: NDArray[np.bool_]

    def wishes(self, preferred: Float64) -> Float64:
        """Preferred velocities of all, float64 (R + H, 2), of those of R: heroes go on as they go."""
        return np.concatenate([preferred, self.velocity[len(preferred) :]])


class Avoidance:
    """Turns preferred velocities into such that do not collide.

    Args:
        agents: everybody.
        surroundings: what stands and moves.
        settings: how far people look.
        backend: name of the kernels.
        herds: for each crowd, how it keeps together, or None.
        turns: who is next at a door; None where nobody waits for others.
    """

    def __init__(
        self,
        agents: Agents,
        surroundings: Surroundings,
        settings: SimulationSettings,
        backend: str,
        herds: Sequence[Flocking | None] = (),
        turns: DoorQueues | None = None,
    ) -> None:
        self.agents, self.settings = agents, settings
        self._turns = turns
        self._surroundings, self._backend = surroundings, backend
        self._keep = _rules(herds, agents.crowd) if any(herds) else None

    def use(self, backend: str) -> None:
        """Take the kernels of another backend from now on; the result is the same."""
        self._backend = backend

    def new_velocity(self, rows: Int64, preferred: Float64, time: float, dt: float) -> Float64:
        """Return float64 (R, 2), velocities without collision as near to the preferred ones as can be.

        Where both kinds are in a scene, each sees everybody: who does not avoid by ORCA is taken to make its half.
        Looking for a heading moves nobody who wants to stand: out of a hero's way all step by ORCA.
        """
        seen = self._seen(rows, time, dt)
        wishes = seen.wishes(self._decide_on_sides(rows, self._keep_together(rows, preferred), seen))
        obstacles = self._obstacles(rows, seen, time, dt)
        looking = self.agents.human_like[rows] & ~self.flees(rows, time)
        if looking.all():
            return self._look_along_headings(seen, wishes, obstacles)[: len(rows)]
        precedence = self._right_of_way(rows, preferred, seen)
        insists = self._insists(rows)
        if insists.any():  # who is next makes itself slender, and keeps no more room than its body needs
            seen.radius[: len(rows)] -= np.where(insists, self.settings.comfort, 0.0)
        found = self._reciprocate(seen, wishes, precedence, obstacles, dt)[: len(rows)]
        if insists.any():
            shown = self._insisting(insists, wishes, seen)
            others = self._reciprocate(shown, wishes, precedence, obstacles, dt)[: len(rows)]
            found = np.where(insists[:, None], found, others)
        if not looking.any():
            return found
        return np.where(looking[:, None], self._look_along_headings(seen, wishes, obstacles)[: len(rows)], found)

    def _obstacles(self, rows: Int64, seen: _Seen, time: float, dt: float) -> orca.ObstacleSegments:
        """All that stands or moves near some agents, as far as each of them looks."""
        settings, count = self.settings, len(rows)
        horizon = np.where(self.agents.human_like[rows], settings.foresight, 0.0)
        horizon = np.maximum(horizon, settings.time_horizon_obstacles)  # who looks along headings may flee a hero
        reach = horizon * seen.max_speed[:count] + seen.radius[:count] + settings.comfort
        return self._surroundings.orca_obstacles(time, dt, seen.position[:count], reach)

    def flees(self, rows: Int64, time: float) -> NDArray[np.bool_]:
        """Bool (R,), who is in the way of a hero."""
        heroes, agents = self._surroundings.heroes, self.agents
        return heroes.come_upon(agents.position[rows], agents.radius[rows], time, self.settings.time_horizon)

    def _seen(self, rows: Int64, time: float, dt: float) -> _Seen:
        """Everybody whom avoidance sees: some agents by their rows, and the heroes."""
        agents, heroes = self.agents, self._surroundings.heroes.at(time, dt)
        own = (
            agents.position[rows],
            agents.velocity[rows],
            agents.radius[rows] + np.where(agents.rolls[rows], self.settings.rolling_room, 0.0),
            self.settings.haste * agents.wanted_speed[rows],
            agents.heading[rows],
            agents.avoids[rows],
        )
        if not len(heroes.radius):
            return _Seen(*own)
        x, y = heroes.velocity.T
        others = (*heroes, np.sqrt(x * x + y * y), arctan2(y, x), np.zeros(len(x), dtype=bool))
        return _Seen(*(np.concatenate(parts) for parts in zip(own, others, strict=True)))

    def _looking(self, seen: _Seen) -> dict[str, Any]:
        """How far people look who look along headings, and how they turn."""
        settings = self.settings
        return {
            "time_horizon": settings.foresight,
            "neighbour_distance": settings.sight,
            "max_neighbours": settings.most_looked_at,
            "max_turn_rate": settings.max_turn_rate,
            "heading": seen.heading,
            "avoids": seen.avoids,
        }

    def _reckoning(self, dt: float) -> dict[str, Any]:
        """How far ahead people reckon who share each change, and with how many others."""
        settings = self.settings
        return {
            "dt": dt,
            "time_horizon": settings.time_horizon,
            "time_horizon_obstacles": settings.time_horizon_obstacles,
            "neighbour_distance": settings.neighbour_distance,
            "max_neighbours": settings.max_neighbours,
        }

    def _look_along_headings(self, seen: _Seen, wishes: Float64, obstacles: orca.ObstacleSegments) -> Float64:
        """Return float64 (R + H, 2), the velocities of people who look for the way that is free the longest."""
        return human_like.new_velocity(
            seen.position,
            seen.velocity,
            wishes,
            seen.radius + self.settings.comfort,
            seen.max_speed,
            **self._looking(seen),
            obstacles=obstacles,
            backend=self._backend,
        )

    def _reciprocate(
        self, seen: _Seen, wishes: Float64, precedence: Float64, obstacles: orca.ObstacleSegments, dt: float
    ) -> Float64:
        """Return float64 (R + H, 2), the velocities of people who share each change between them.

        Args:
            seen: everybody.
            wishes: float64 (R + H, 2), preferred velocities [m/s].
            precedence: float64 (R + H,), who goes first.
            obstacles: what stands and moves.
            dt: [s].
        """
        return orca.new_velocity(
            seen.position,
            seen.velocity,
            wishes,
            seen.radius + self.settings.comfort,
            seen.max_speed,
            **self._reckoning(dt),
            obstacles=obstacles,
            avoids=seen.avoids,
            precedence=precedence,
            backend=self._backend,
        )

    def _insists(self, rows: Int64) -> NDArray[np.bool_]:
        """Return bool (R,), who is next at a door, and held up."""
        if self._turns is None:
            return np.zeros(len(rows), dtype=bool)
        speed2 = (self.agents.velocity[rows] ** 2).sum(axis=1)
        return self._turns.insists[rows] & (speed2 < INSISTENCE * INSISTENCE)

    def _insisting(self, insists: NDArray[np.bool_], wishes: Float64, seen: _Seen) -> _Seen:
        """Return everybody as the others are to see them where some are next at a door, and held up.

        Two who stand against each other owe each other nothing, as long as neither moves: the others are to see what
        the first one wants, and make room.
        """
        count = len(insists)
        wish = wishes[:count]
        speed = np.sqrt((wish * wish).sum(axis=1))
        shown = wish * np.minimum(1.0, INSISTENCE / np.maximum(speed, 1e-9))[:, None]
        velocity = seen.velocity.copy()
        velocity[:count] = np.where(insists[:, None], shown, velocity[:count])
        return seen._replace(velocity=velocity)

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

    def _right_of_way(self, rows: Int64, preferred: Float64, seen: _Seen) -> Float64:
        """Return float64 (R + H,), who goes first where two meet: by lot, and whoever is in front of others."""
        lead = find_leads(self.agents, rows, preferred, self.settings.behaviours.precedence)
        own = self.settings.precedence * np.clip(self.agents.precedence[rows] + LEAD * lead, -1.0, 1.0)
        return np.concatenate([own, np.zeros(len(seen.radius) - len(rows))])

    def half_planes(self, rows: Int64, agent: int, preferred: Float64, time: float, dt: float) -> HalfPlanes:
        """Return what one of the rows, by its number among them, owes to whom; heroes are numbered after the rows."""
        seen = self._seen(rows, time, dt)
        return half_planes(
            agent,
            seen.position,
            seen.velocity,
            seen.radius + self.settings.comfort,
            seen.max_speed,
            **self._reckoning(dt),
            avoids=seen.avoids,
            precedence=self._right_of_way(rows, preferred, seen),
            obstacles=self._obstacles(rows, seen, time, dt),
        )

    def headings(self, rows: Int64, agent: int, preferred: Float64, time: float, dt: float) -> human_like.Headings:
        """Return what one of the rows, by its number among them, looks along."""
        seen = self._seen(rows, time, dt)
        return human_like.headings(
            agent,
            seen.position,
            seen.velocity,
            seen.wishes(self._decide_on_sides(rows, self._keep_together(rows, preferred), seen)),
            seen.radius + self.settings.comfort,
            seen.max_speed,
            **self._looking(seen),
            obstacles=self._obstacles(rows, seen, time, dt),
        )

    def _decide_on_sides(self, rows: Int64, preferred: Float64, seen: _Seen) -> Float64:
        """Return preferred velocities, float64 (R, 2), turned to the right where two would meet.

        Only of those with ways of their own, which cross and meet at any angle. On a drawn route people are led back to
        their lines, and turning from them only makes them sway.
        """
        agents, settings = self.agents, self.settings
        own_way = np.isfinite(agents.goal[rows, 0])
        if not own_way.any():
            return preferred
        turned = orca.break_symmetry(
            seen.position,
            seen.velocity,
            seen.wishes(preferred),
            seen.radius,
            neighbour_distance=settings.sight,
            max_neighbours=settings.most_seen,
            settings=settings.symmetry,
            backend=self._backend,
        )[: len(rows)]
        return np.where((own_way & agents.avoids[rows])[:, None], turned, preferred)


def _rules(herds: Sequence[Flocking | None], crowd: Int64) -> dict[str, Any]:
    """Return the rules by which everybody keeps together, as arrays (A,); each crowd is a herd."""
    rules = [herd or Flocking() for herd in herds]
    number = np.where([herd is not None for herd in herds], np.arange(len(herds)), -1)
    weights = ("separation", "alignment", "cohesion", "distance")
    each = {name: np.array([getattr(rule, name) for rule in rules], dtype=np.float64)[crowd] for name in weights}
    return {"herd": number[crowd], **each}
