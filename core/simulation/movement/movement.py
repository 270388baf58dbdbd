# SPDX-License-Identifier: GPL-3.0-or-later
"""How all people carry out what they have decided, step by step: limits -> integrate -> separate -> project -> turn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import length
from ...planning import ReferenceSet
from ...steering import body_limits
from ..guidance.path_tracking import project
from ..settings import SimulationSettings
from ..world.agents import ARRIVED, STOPPED, WALKING, Agents
from ..world.environment import Environment
from .actuation_delay import ActuationDelay
from .facing import Facing
from .overlap_removal import separate_bodies
from .pressing import clear_obstacles


class Intents(NamedTuple):
    """What N people have decided to do until they decide anew.

    Attributes:
        velocity: float64 (N, 2), that they take [m/s].
        preferred: float64 (N, 2), that they prefer [m/s].
        along_path: float64 (N, 2), and that they would prefer without the others [m/s].
        grip: float64 (N,), greatest acceleration in any direction [m/s2].
        in_danger: bool (N,), who has to be out of the way of a hero or a vehicle.
        hurries: bool (N,), who may be abrupt: in danger, or at a door.
    """

    velocity: Float64
    preferred: Float64
    along_path: Float64
    grip: Float64
    in_danger: Bool
    hurries: Bool

    @classmethod
    def to_keep(cls, velocity: Float64, grip: float) -> Intents:
        """Return those of people who keep their velocities, float64 (N, 2) [m/s], with a grip [m/s2]."""
        calm = np.zeros(len(velocity), dtype=bool)
        return cls(velocity.copy(), velocity.copy(), velocity.copy(), np.full(len(velocity), grip), calm, calm.copy())

    def put(self, rows: Int64, others: Intents) -> None:
        """Replace those of some people."""
        for own, other in zip(self, others, strict=True):
            own[rows] = other

    def take(self, rows: Int64) -> Intents:
        """Return those of some people."""
        moves = (self.velocity[rows], self.preferred[rows], self.along_path[rows], self.grip[rows])
        return Intents(*moves, self.in_danger[rows], self.hurries[rows])


class Movement:
    """The bodies of all people, and what these have decided.

    Args:
        agents: all people.
        environment: obstacles, heroes and vehicles.
        settings: of the simulation.

    Attributes:
        intents: of all people.
        pushed: whether somebody has been pushed aside in the last step.
        facing: the directions in which they face.
        delay: of bodies that carry out a command later.
    """

    def __init__(self, agents: Agents, environment: Environment, settings: SimulationSettings) -> None:
        self._agents, self._environment, self._settings = agents, environment, settings
        self.intents = Intents.to_keep(np.zeros((len(agents), 2)), settings.grip)
        self.pushed = False
        self.facing = Facing(agents, settings.pedestrians.facing)
        interval = environment.clock.interval
        self.delay = ActuationDelay(agents, interval / settings.steps_within(interval))

    def keep_velocities(self, rows: Int64) -> None:
        """Let people who have not decided anything yet keep their velocities."""
        self.delay.add_newcomers(self._agents)
        self.intents.put(rows, Intents.to_keep(self._agents.velocity[rows], self._settings.grip))

    def advance(self, rows: Int64, references: ReferenceSet, time: float, dt: float) -> None:
        """Move people by one time step.

        Args:
            rows: int64 (R,), the people present.
            references: the reference paths.
            time: at the end of the step [s].
            dt: its length [s].
        """
        intents = self.intents.take(rows)
        velocity = self.delay.exchange_commands(rows, intents.velocity)
        self._agents.velocity[rows] = self._reached(rows, velocity, references, intents, dt)
        self._integrate(rows, time, dt)
        self._turn(rows, intents, references, dt)

    def limits(self, rows: Int64, dt: float, calm: Bool | None = None) -> dict[str, Any]:
        """Return the limits of bodies in a step [s], as arguments of `core.steering.body_limits`.

        Args:
            rows: int64 (R,), the people present.
            dt: length of the step [s].
            calm: bool (R,), who makes room without haste; None for nobody.
        """
        settings, agents = self._settings, self._agents
        usual = settings.max_acceleration, settings.max_deceleration
        hardest, brakes = (np.full(len(rows), limit) for limit in usual)
        abrupt = self.intents.hurries[rows] | agents.rolls[rows]
        hardest[abrupt], brakes[abrupt] = settings.urgent_acceleration, settings.urgent_deceleration
        if calm is not None:
            hardest[calm] = settings.calm_acceleration
            slow = length(agents.velocity[rows]) < settings.standing_speed
            brakes[calm & slow] = settings.calm_acceleration  # no abrupt stop in one frame
        return {
            "max_acceleration": hardest,
            "max_deceleration": brakes,
            "max_turn_rate": settings.max_turn_rate,
            "dt": dt,
        }

    def _reached(self, rows: Int64, wanted: Float64, references: ReferenceSet, intents: Intents, dt: float) -> Float64:
        """Return float64 (R, 2), the velocities nearest to wanted ones that bodies reach in a step [m/s, s]."""
        agents, in_danger = self._agents, intents.in_danger
        now = agents.velocity[rows]
        limits = self.limits(rows, dt, calm=(agents.status[rows] == ARRIVED) & ~in_danger)
        rolls, rolling = agents.rolls[rows], wanted
        if rolls.any():
            rolling, heading = body_limits.roll_towards(now, agents.heading[rows], wanted, **limits)
            agents.heading[rows] = np.where(rolls, heading, agents.heading[rows])
        reached = body_limits.limit_velocity(now, wanted, **limits, grip=intents.grip)
        slowest = length(now) - limits["max_deceleration"] * dt
        least = np.where(in_danger, np.inf, slowest)
        held = self.facing.hold_back(rows, reached, references, least)
        return np.where(rolls[:, None], rolling, held)

    def _integrate(self, rows: Int64, time: float, dt: float) -> None:
        """Bring people to where they are at a time [s], apart from each other and from obstacles."""
        agents, own = self._agents, self._settings.pedestrians
        position = agents.position[rows] + agents.velocity[rows] * dt
        heroes = self._environment.given_bodies(position, time, dt)
        yields = np.where(agents.avoids[rows], np.where(agents.firm[rows], own.firm_yields, 1.0), 0.0)
        agents.position[rows] = separate_bodies(
            np.concatenate([position, heroes.position]),
            np.concatenate([agents.radius[rows], heroes.radius]),
            yields=np.concatenate([yields, np.zeros(len(heroes.radius))]),
            dt=dt,
            settings=own.overlap_removal,
        )[: len(rows)]
        free = rows[np.isnan(agents.seat_height[rows])]  # who sits is in the seat, which may be an obstacle
        agents.position[free] = clear_obstacles(
            agents.position[free],
            agents.radius[free],
            movable=agents.avoids[free],
            world=self._environment,
            time=time,
            dt=dt,
            settings=own.pressing,
        )
        self.pushed = bool((length(agents.position[rows] - position) > own.push_noticed).any())

    def _turn(self, rows: Int64, intents: Intents, references: ReferenceSet, dt: float) -> None:
        """Turn people, and project them onto their paths."""
        agents, settings = self._agents, self._settings
        stopped = agents.status[rows] == STOPPED
        sidles = (agents.status[rows] == ARRIVED) | stopped
        still_speed = np.where(sidles, settings.pedestrians.facing.sidling_speed, settings.standing_speed)
        turning = {"max_turn_rate": settings.max_turn_rate, "dt": dt, "still_speed": still_speed}
        turned = body_limits.turn_towards(agents.heading[rows], agents.velocity[rows], **turning)
        agents.heading[rows] = np.where(agents.rolls[rows], agents.heading[rows], turned)
        project(agents, rows[agents.status[rows] == WALKING], references, dt)
        wish = self.facing.wish(rows, intents.preferred, intents.along_path)
        self.facing.turn(rows, references, wish, **turning)
        turns = rows[stopped & ~agents.rolls[rows]]  # who stands walks on in the direction to which they have turned
        agents.heading[turns] = self.facing.directions(turns, references)
