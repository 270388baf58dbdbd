# SPDX-License-Identifier: GPL-3.0-or-later
"""How all people carry out what they have decided, step by step: limits -> integrate -> separate -> project -> turn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import length
from ...planning import ReferenceSet
from ...planning.paths.reference_path import FOOT_SEARCH
from ...steering import body_limits
from ..guidance.path_tracking import LEAST_STRETCH, project
from ..settings import SimulationSettings
from ..world.agents import ARRIVED, STOPPED, WALKING, Agents, put_rows
from ..world.environment import Environment
from ..world.heroes import followed_by
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
        hurries: bool (N,), who may be abrupt: in danger, or before a door.
        at_door: bool (N,), who is close to a door, before or behind it, and is not in danger.
    """

    velocity: Float64
    preferred: Float64
    along_path: Float64
    grip: Float64
    in_danger: Bool
    hurries: Bool
    at_door: Bool

    @classmethod
    def to_keep(cls, velocity: Float64, grip: float) -> Intents:
        """Return those of people who keep their velocities, float64 (N, 2) [m/s], with a grip [m/s2]."""
        calm = np.zeros(len(velocity), dtype=bool)
        keeps, usual, calms = velocity.copy, np.full(len(velocity), grip), calm.copy
        return cls(keeps(), keeps(), keeps(), usual, calm, calms(), calms())

    def put(self, rows: Int64, others: Intents) -> None:
        """Replace those of some people."""
        for own, other in zip(self, others, strict=True):
            put_rows(own, rows, other)


class Movement:
    """The bodies of all people, and what these have decided.

    Args:
        agents: all people.
        environment: obstacles, heroes and vehicles.
        settings: of the simulation.

    Attributes:
        intents: of all people.
        pushed: whether somebody has been pushed aside in the last step, by others or by an obstacle that moves.
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
        self.intents.put(rows, Intents.to_keep(self._agents.velocity.take(rows, 0), self._settings.grip))

    def advance(self, rows: Int64, references: ReferenceSet, time: float, dt: float) -> None:
        """Move people by one time step.

        Args:
            rows: int64 (R,), the people present.
            references: the reference paths.
            time: at the end of the step [s].
            dt: its length [s].
        """
        wanted = self.delay.exchange_commands(rows, self.intents.velocity.take(rows, 0))
        agents, kernels = self._agents, twins.twin(twins.MOVING)
        if kernels is None or agents.rolls[rows].any():
            agents.velocity[rows] = self._reached(rows, wanted, references, dt)
            position = agents.position.take(rows, 0) + agents.velocity.take(rows, 0) * dt
        else:
            position = self._reach_compiled(kernels, rows, wanted, references, dt)
        self._integrate(rows, position, time, dt)
        if kernels is None:
            self._turn(rows, references, dt)
        else:
            self._turn_compiled(kernels, rows, references, dt)

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
            slow = length(agents.velocity.take(rows, 0)) < settings.standing_speed
            brakes[calm & slow] = settings.calm_acceleration  # no abrupt stop in one frame
        return {
            "max_acceleration": hardest,
            "max_deceleration": brakes,
            "max_turn_rate": settings.max_turn_rate,
            "dt": dt,
        }

    def _reached(self, rows: Int64, wanted: Float64, references: ReferenceSet, dt: float) -> Float64:
        """Return float64 (R, 2), the velocities nearest to wanted ones that bodies reach in a step [m/s, s]."""
        agents, in_danger = self._agents, self.intents.in_danger[rows]
        now = agents.velocity.take(rows, 0)
        limits = self.limits(rows, dt, calm=(agents.status[rows] == ARRIVED) & ~in_danger)
        rolls, rolling = agents.rolls[rows], wanted
        if rolls.any():
            rolling, heading = body_limits.roll_towards(now, agents.heading[rows], wanted, **limits)
            agents.heading[rows] = np.where(rolls, heading, agents.heading[rows])
        reached = body_limits.limit_velocity(now, wanted, **limits, grip=self.intents.grip[rows])
        slowest = length(now) - limits["max_deceleration"] * dt
        least = np.where(in_danger, np.inf, slowest)
        held = self.facing.hold_back(rows, reached, references, least, self.intents.at_door[rows])
        return np.where(rolls[:, None], rolling, held)

    def _reach_compiled(
        self, kernels: Any, rows: Int64, wanted: Float64, references: ReferenceSet, dt: float
    ) -> Float64:
        """Set the velocities that people reach, and return float64 (R, 2), where these bring them [m, m/s, s]."""
        agents, own, facing = self._agents, self._settings, self._settings.pedestrians.facing
        self.facing.directions(rows, references)  # of newcomers
        bodies = agents.position, agents.velocity, self.facing.state[0], agents.wanted_speed, agents.status
        numbers = [own.max_acceleration, own.max_deceleration, own.urgent_acceleration, own.urgent_deceleration]
        numbers += [own.calm_acceleration, own.standing_speed, own.max_turn_rate * dt, dt, body_limits.STILL_SPEED]
        numbers += [facing.cos_back, facing.cos_behind, facing.cos_ahead, facing.step_speed, facing.side_step_speed]
        intents = self.intents.grip, self.intents.in_danger, self.intents.hurries, self.intents.at_door
        return kernels.reach(rows, wanted, bodies, intents, ARRIVED, np.array(numbers))

    def _integrate(self, rows: Int64, position: Float64, time: float, dt: float) -> None:
        """Bring people who are at positions, (R, 2) [m], at a time [s], apart from each other and from obstacles."""
        agents, own = self._agents, self._settings.pedestrians
        heroes = self._environment.given_bodies(position, time, dt)
        yields = np.where(agents.avoids[rows], np.where(agents.firm[rows], own.firm_yields, 1.0), 0.0)
        bodies, radius = followed_by(position, heroes.position), followed_by(agents.radius[rows], heroes.radius)
        yields = followed_by(yields, np.zeros(len(heroes.radius)))
        apart = separated = separate_bodies(bodies, radius, yields=yields, dt=dt, settings=own.overlap_removal)
        put_rows(agents.position, rows, apart[: len(rows)])
        free = np.isnan(agents.seat_height[rows])  # who sits is in the seat, which may be an obstacle
        if not free.all():
            apart, radius = apart[: len(rows)][free], radius[: len(rows)][free]
        elif len(heroes.radius):
            apart, radius = apart[: len(rows)], radius[: len(rows)]
        there = rows[free]
        out, pressed = clear_obstacles(
            apart,
            radius,
            movable=agents.avoids[there],
            world=self._environment,
            time=time,
            dt=dt,
            settings=own.pressing,
        )
        if out is not apart:
            put_rows(agents.position, there, out)
        self.pushed = pressed or separated is not bodies
        if self.pushed:
            moved = (agents.position.take(rows, 0) if pressed else separated[: len(rows)]) - position
            self.pushed = bool((length(moved) > own.push_noticed).any())

    def _turn(self, rows: Int64, references: ReferenceSet, dt: float) -> None:
        """Turn people, and project them onto their paths."""
        agents, settings = self._agents, self._settings
        stopped = agents.status[rows] == STOPPED
        sidles = (agents.status[rows] == ARRIVED) | stopped
        still_speed = np.where(sidles, settings.pedestrians.facing.sidling_speed, settings.standing_speed)
        turning = {"max_turn_rate": settings.max_turn_rate, "dt": dt, "still_speed": still_speed}
        turned = body_limits.turn_towards(agents.heading[rows], agents.velocity.take(rows, 0), **turning)
        agents.heading[rows] = np.where(agents.rolls[rows], agents.heading[rows], turned)
        project(agents, rows[agents.status[rows] == WALKING], references, dt)
        intents, at_door = self.intents, self.intents.at_door[rows]
        wish = self.facing.wish(rows, intents.preferred.take(rows, 0), intents.along_path.take(rows, 0), at_door)
        self.facing.turn(rows, references, wish, at_door=at_door, **turning)
        turns = rows[stopped & ~agents.rolls[rows]]  # who stands walks on in the direction to which they have turned
        agents.heading[turns] = self.facing.directions(turns, references)

    def _turn_compiled(self, kernels: Any, rows: Int64, references: ReferenceSet, dt: float) -> None:
        """The same by a compiled kernel."""
        agents, own, facing = self._agents, self._settings, self._settings.pedestrians.facing
        numbers = [own.max_turn_rate, dt, facing.hurried_speed, facing.full_turn_speed, facing.calm_turn_rate]
        numbers += [facing.angular_acceleration, dt / (dt + facing.smoothing_time), facing.lead_time]
        numbers += [facing.least_radius_share, facing.greatest_lead, own.standing_speed, facing.sidling_speed]
        numbers += [LEAST_STRETCH, facing.side_step_speed, facing.door_turn_rate]
        numbers += [facing.aside_speed, facing.side_weight, facing.cos_behind]
        settings = np.array(numbers), FOOT_SEARCH
        places = agents.path, agents.s, agents.d, agents.end, agents.position
        bodies = *places, agents.velocity, agents.heading, agents.faces, agents.rolls, agents.status
        wishes = self.intents.preferred, self.intents.along_path, self.intents.at_door
        statuses = WALKING, ARRIVED, STOPPED
        for _ in range(2):
            paths = references.compiled_rows(kernels)
            missing = kernels.turn(paths, rows, bodies, self.facing.state, wishes, statuses, settings)
            rows = rows[missing]  # whose paths have no rows there yet
            if not len(rows):
                return
            reach = length(agents.velocity.take(rows, 0)) * (
                dt / LEAST_STRETCH + facing.lead_time / facing.least_radius_share
            )
            s = agents.s[rows]
            references.have_rows(agents.path[rows], s - reach, s + reach, FOOT_SEARCH[0] + 2)
        self._turn(rows, references, dt)  # no rows are those of a place that is no number
