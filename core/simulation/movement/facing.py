# SPDX-License-Identifier: GPL-3.0-or-later
"""The direction in which bodies face: the direction of walking a moment ahead, so that people turn into bends early.

People look ahead into a bend, and the trunk turns some 0.2 s ahead of the walking direction (Grasso et al. 1998,
"Eye-head coordination for the steering of locomotion in humans"; Imai et al. 2001). Nobody walks far where
they do not face: people who set off to the side or backwards turn first, over small steps, and speed up as the body
comes round. Who is called back from a door, to let others through, does not turn the back to it, but steps to the side
or, for a moment, backwards.

A body has inertia: its turning begins and ends over some tenths of a second, and only those who are in a hurry turn as
fast as a body may. The turning follows the preferred direction together with its rate of change, so that no body lags
behind in a steady bend.
"""

from __future__ import annotations

import math

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import arctan2, dot, heading_vector, length, length2
from ...planning.paths.reference_path import ReferenceSet
from ...steering.body_limits import swing_towards
from ..settings.pedestrian_settings import FacingSettings
from ..world.agents import WALKING, Agents


class Facing:
    """The direction in which each person faces.

    Args:
        agents: all people.
        settings: how bodies turn.
    """

    def __init__(self, agents: Agents, settings: FacingSettings) -> None:
        self._agents, self._settings = agents, settings
        self._angle = np.full(len(agents), np.nan)
        self._rate = np.zeros(len(agents))
        self._preferred = np.full(len(agents), np.nan)  # at the last step; NaN for none
        self._preferred_rate = np.zeros(len(agents))

    @property
    def state(self) -> tuple[Float64, Float64, Float64, Float64]:
        """Directions in which all agents face and want to face, and rates of both, as compiled kernels take them."""
        return self._angle, self._rate, self._preferred, self._preferred_rate

    def directions(self, rows: Int64, references: ReferenceSet) -> Float64:
        """Return float64 (R,), the directions in which people face now [rad], unwrapped; newcomers at once."""
        new = rows[np.isnan(self._angle[rows])]
        if len(new):
            self._angle[new] = self._agents.heading[new] + self._lead(new, references)
        return self._angle[rows]

    def hold_back(
        self, rows: Int64, velocity: Float64, references: ReferenceSet, least: Float64, at_door: Bool
    ) -> Float64:
        """Return velocities, float64 (R, 2), at which people walk only where they face [m/s].

        Args:
            rows: int64 (R,), the people present.
            velocity: float64 (R, 2), at which they would walk whichever way they faced [m/s].
            references: their reference paths.
            least: float64 (R,), nobody is slowed below this [m/s].
            at_door: bool (R,), who is close to a door, and may step aside.
        """
        settings, facing = self._settings, heading_vector(self.directions(rows, references))
        speed = length(velocity)
        ahead = dot(facing, velocity) / np.maximum(speed, 1e-9)
        share = ((ahead - settings.cos_behind) / (settings.cos_ahead - settings.cos_behind)).clip(0.0, 1.0)
        steps = np.where(at_door, settings.side_step_speed, settings.step_speed) - settings.step_speed
        aside = ((ahead - settings.cos_back) / (settings.cos_behind - settings.cos_back)).clip(0.0, 1.0)
        most = settings.step_speed + steps * aside
        most = most + share * np.maximum(self._agents.wanted_speed[rows] - most, 0.0)
        most = np.maximum(np.where(share < 1.0, most, np.inf), least)
        return velocity * np.minimum(1.0, most / np.maximum(speed, 1e-9))[:, None]

    def wish(self, rows: Int64, preferred: Float64, along_path: Float64, at_door: Bool) -> Float64:
        """Return float64 (R, 2), velocities towards which people turn: their own, or those that they want [m/s].

        People who are held up do not turn with each small step, but face the way on. Who is called back from a door
        turns to the side at most.

        Args:
            rows: int64 (R,), the people present.
            preferred: float64 (R, 2), preferred velocities [m/s],
            along_path: and as they were without the others [m/s].
            at_door: bool (R,), who is close to a door.
        """
        velocity, settings = self._agents.velocity.take(rows, 0), self._settings
        least = np.where(at_door, settings.side_step_speed, settings.sidling_speed)
        slow, leads = ((length2(each) < least * least)[:, None] for each in (velocity, preferred))
        wish = np.where(slow, np.where(leads, along_path, preferred), velocity)
        speed, back = length(wish), dot(wish, along_path)
        aside = (at_door & (back < 0.0) & (speed < settings.aside_speed)).nonzero()[0]
        if len(aside):
            wish[aside] = self._aside(rows[aside], wish[aside], along_path[aside])
        return wish

    def _aside(self, rows: Int64, wish: Float64, along_path: Float64) -> Float64:
        """Return float64 (R, 2), as fast as what they wish, to a side of the way of who goes back on it [m/s]."""
        settings, ahead = self._settings, along_path / length(along_path)[:, None]
        left, speed = np.stack((-ahead[:, 1], ahead[:, 0]), axis=1), length(wish)
        looks = settings.side_weight * speed * dot(left, heading_vector(self._angle[rows])) + dot(left, wish)
        beside = math.sqrt(1.0 - settings.cos_behind * settings.cos_behind)
        beside = np.where(looks < 0.0, -beside, beside)
        return speed[:, None] * (beside[:, None] * left - settings.cos_behind * ahead)

    def turn(
        self,
        rows: Int64,
        references: ReferenceSet,
        wish: Float64,
        *,
        at_door: Bool,
        max_turn_rate: float,
        dt: float,
        still_speed: Float64,
    ) -> None:
        """Turn people towards the direction in which they will walk in a moment.

        Args:
            rows: int64 (R,), the people present.
            references: their reference paths.
            wish: float64 (R, 2), the velocity of each, or that of those who turn first to walk so [m/s].
            at_door: bool (R,), who is close to a door, and turns without haste.
            max_turn_rate: [rad/s].
            dt: length of the step [s].
            still_speed: float64 (R,), below it they keep their direction, or turn to where they want to face [m/s].
        """
        agents, settings = self._agents, self._settings
        heading, velocity = self.directions(rows, references), agents.velocity.take(rows, 0)
        speed = length(velocity)
        walks = length2(wish) >= still_speed * still_speed
        faces = np.where(speed <= still_speed, agents.faces[rows], np.nan)
        moving = walks | np.isfinite(faces)
        preferred = arctan2(wish[:, 1], wish[:, 0]) + self._lead(rows, references)
        preferred = np.where(np.isfinite(faces), faces, preferred)
        hurry = np.maximum(speed, length(wish)) - settings.hurried_speed
        share = np.minimum(np.maximum(hurry, 0.0) / (settings.full_turn_speed - settings.hurried_speed), 1.0)
        slowest = settings.calm_turn_rate
        max_rate = slowest + share * (max_turn_rate - slowest)
        max_rate = np.minimum(np.where(at_door, settings.door_turn_rate, max_rate), max_turn_rate)
        self._track_rate(rows, np.where(moving, preferred, np.nan), max_rate, dt)
        turned, rate = swing_towards(
            heading,
            self._rate[rows],
            np.where(moving, preferred, heading),
            self._preferred_rate[rows],
            max_turn_rate=max_rate,
            max_change=settings.angular_acceleration,
            dt=dt,
        )
        rolls = agents.rolls[rows]
        self._angle[rows] = np.where(rolls, agents.heading[rows], turned)
        self._rate[rows] = np.where(rolls, 0.0, rate)

    def _track_rate(self, rows: Int64, preferred: Float64, max_rate: Float64, dt: float) -> None:
        """Measure how fast the preferred directions, float64 (R,), of some people turn; NaN for none."""
        before = self._preferred[rows]
        known = np.isfinite(before) & np.isfinite(preferred)
        change = np.where(known, preferred - before, 0.0)
        change -= 2.0 * math.pi * np.round(change / (2.0 * math.pi))
        part = dt / (dt + self._settings.smoothing_time)
        smoothed = self._preferred_rate[rows] + part * (change / dt - self._preferred_rate[rows])
        self._preferred_rate[rows] = np.where(known, smoothed.clip(-max_rate, max_rate), 0.0)
        self._preferred[rows] = preferred

    def _lead(self, rows: Int64, references: ReferenceSet) -> Float64:
        """Return float64 (R,), the angles by which the paths turn within the lead time [rad]."""
        agents, settings = self._agents, self._settings
        found = np.zeros(len(rows))
        if not len(rows):
            return found
        led = ((agents.status[rows] == WALKING) & ~agents.rolls[rows]).nonzero()[0]
        if not len(led):
            return found
        path, s, d = (each[rows[led]] for each in (agents.path, agents.s, agents.d))
        heading, curvature = references.heading(path, s)
        along = dot(agents.velocity.take(rows[led], 0), heading_vector(heading))
        ahead = settings.lead_time * np.maximum(along, 0.0)
        ahead = ahead / np.maximum(1.0 - curvature * d, settings.least_radius_share)
        soon, _ = references.heading(path, np.minimum(s + ahead, np.maximum(agents.end[rows[led]], s)))
        found[led] = (soon - heading).clip(-settings.greatest_lead, settings.greatest_lead)
        return found
