# SPDX-License-Identifier: GPL-3.0-or-later
"""People avoid moving obstacles in time: a cart, a tram, a gate.

Avoidance predicts less than a second ahead, which is enough between people; at the speed of a cart it is too late.
Where an obstacle that moves will be is known from its keyframes; nobody minds it before it begins to move. A person who
would be hit within some seconds takes, of a fan of velocities, the one with the least cost of missing clearance and
change.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import heading_vector, length
from ..settings.behaviour_settings import DodgingSettings
from ..world.doing import Doing
from ..world.moving_obstacles import Mover
from .behaviour import Step, changed_by


class Dodging:
    """Changes the preferred velocities of people whom a moving obstacle would hit.

    Args:
        count: A, how many agents there are.
        settings: how far ahead they predict, and the costs.
        recorded_change: a change of the velocity by more than this is recorded [m/s].

    Attributes:
        in_danger: bool (A,), whose velocity was changed in the last step.
    """

    def __init__(self, count: int, settings: DodgingSettings, recorded_change: float) -> None:
        self.in_danger = np.zeros(count, dtype=bool)
        self._settings, self._recorded_change = settings, recorded_change
        self._times = np.array(settings.times)

    def act(self, step: Step) -> None:
        """Let people avoid moving obstacles. Bodies with a delay decide this from their present state."""
        self.in_danger[:] = False
        moving = step.world.moving_at(step.time)
        if not moving:
            return
        rows, wide = step.rows, step.agents.radius[step.rows] + self._settings.clearance
        in_danger = np.zeros(len(rows), dtype=bool)
        avoids = step.agents.avoids[rows] & np.isnan(step.agents.seat_height[rows])  # who sits stays
        ahead = self._predict(step.position[rows], step.velocity[rows], step.preferred[:, None])  # (R, 1, T, 2)
        in_danger[avoids] = self._least_distance(moving, ahead[avoids], wide[avoids], step)[:, 0] < wide[avoids]
        who = np.flatnonzero(in_danger)
        if len(who) == 0:
            return
        chosen = step.preferred.copy()
        chosen[who] = self._choose_velocity(step, who, moving)
        waits = (step.doing == Doing.WAITING) & ~np.logical_or(*chosen.T)  # for what moves, before it
        step.record(changed_by(step.preferred, chosen, self._recorded_change) & ~waits, Doing.DODGING)
        step.preferred = chosen
        self.in_danger[rows[who]] = True

    def _choose_velocity(self, step: Step, who: Int64, moving: list[Mover]) -> Float64:
        """Return float64 (N, 2), the velocities of a fan with the lowest cost [m/s]."""
        settings, rows, preferred = self._settings, step.rows[who], step.preferred[who]
        radius, velocity = step.agents.radius[rows], step.velocity[rows]
        fan = heading_vector(2.0 * np.pi * np.arange(settings.directions) / settings.directions)
        speed = np.maximum(settings.least_speed, step.agents.wanted_speed[rows])
        choices = np.concatenate(
            (preferred[:, None], np.zeros((len(rows), 1, 2)), speed[:, None, None] * fan[None]), axis=1
        )  # (N, C, 2)
        ahead = self._predict(step.position[rows], velocity, choices)
        wide = radius + settings.clearance
        lacking = np.maximum(wide[:, None] - self._least_distance(moving, ahead, wide, step), 0.0)
        near = settings.near_times
        soon = ahead[:, :, :near].reshape(-1, 2)
        wall = step.ground.field.signed_distance(soon, float(radius.max())).reshape(*ahead.shape[:2], near).min(axis=2)
        change = choices - preferred[:, None]
        jerk = choices - velocity[:, None]
        cost = settings.weight_clearance * lacking + settings.weight_wall * np.maximum(radius[:, None] - wall, 0.0)
        cost += settings.weight_change * length(change)
        cost += settings.weight_jerk * length(jerk)
        return choices[np.arange(len(rows)), cost.argmin(axis=1)]

    def _predict(self, position: Float64, velocity: Float64, choices: Float64) -> Float64:
        """Return float64 (N, C, T, 2), predicted positions with velocities (N, C, 2) [m]."""
        before = np.minimum(self._times, self._settings.reaction_time)
        start = position[:, None] + before[:, None] * velocity[:, None]  # (N, T, 2)
        return start[:, None] + (self._times - before)[:, None] * choices[:, :, None]

    def _least_distance(self, moving: list[Mover], places: Float64, wide: Float64, step: Step) -> Float64:
        """Return float64 (N, C), the least distances to moving obstacles at any of the times.

        Args:
            moving: the obstacles.
            places: float64 (N, C, T, 2), predicted positions [m].
            wide: float64 (N,), larger distances do not matter [m].
            step: the step.
        """
        at_most = float(wide.max(initial=0.0))
        least = np.full(places.shape[:2], at_most)
        for mover in moving:
            for k, later in enumerate(self._times.tolist()):
                own = step.world.pose_of(mover, step.time + later).to_own(places[:, :, k].reshape(-1, 2))
                least = np.minimum(least, mover.distance(own, at_most).reshape(least.shape))
        return least
