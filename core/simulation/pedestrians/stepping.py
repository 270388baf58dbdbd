# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is held up stands or takes a step: feet cannot follow each small speed that avoidance would still allow."""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import dot, length2
from ...steering.neighbours import both_ways
from ..behaviours.behaviour import Step
from ..settings.pedestrian_settings import StepRoomSettings
from ..world.agents import WALKING


class Stepping:
    """Who stands because others hold them up.

    Args:
        count: A, how many agents there are.
        settings: from which speed on people walk.
    """

    def __init__(self, count: int, settings: StepRoomSettings) -> None:
        self._settings = settings
        self._stands_since = np.full(count, np.inf)

    def stand_or_step(self, step: Step, velocity: Float64, exempt: Bool) -> Float64:
        """Return velocities in which those stand who are held up and have no room for a step.

        Who would walk as slowly without the others, as right before a goal, keeps that speed. So does who insists.

        Args:
            step: after all behaviours.
            velocity: float64 (R, 2), that people would take [m/s].
            exempt: bool (R,), who steps all the same.

        Returns:
            float64 (R, 2) [m/s].
        """
        agents, rows, own = step.agents, step.rows, self._settings
        held_up = (agents.status[rows] == WALKING) & ~agents.rolls[rows] & ~exempt & ~step.insists
        held_up &= length2(step.along_path) > own.start_speed**2
        rests = length2(agents.velocity.take(rows, 0)) < own.rest_speed**2
        least = np.where(rests, own.start_speed, own.stop_speed)
        held_up &= length2(velocity) < least * least
        if held_up.any():
            held_up[held_up] = self._has_no_room(step, held_up.nonzero()[0])
        since = self._stands_since[rows]
        since = np.where(held_up, np.minimum(since, step.time), np.where(rests, since, np.inf))
        stood = step.time - since
        self._stands_since[rows] = np.where(stood < own.patience + own.step_time, since, step.time)
        held_up &= stood < own.patience
        return np.where(held_up[:, None], 0.0, velocity) if held_up.any() else velocity

    def _has_no_room(self, step: Step, some: Int64) -> Bool:
        """Return bool (N,), who of some people waits, or has somebody who goes the same way right before them."""
        agents, rows, own, wish = step.agents, step.rows, self._settings, step.preferred
        waits = length2(wish.take(some, 0)) == 0.0
        if waits.all():
            return waits
        asks, blocked = np.zeros((2, len(rows)), dtype=bool)
        asks[some] = True
        who, other = both_ways(*step.around.near.within(agents.radius[rows] + 0.5 * own.room))
        asked = asks[who].nonzero()[0]
        who, other = who[asked], other[asked]
        apart = agents.position.take(rows[other], 0) - agents.position.take(rows[who], 0)
        own_wish = wish.take(who, 0)
        ahead = dot(apart, own_wish)
        is_ahead = (ahead > 0.0) & (ahead * ahead > own.cos_ahead**2 * length2(apart) * length2(own_wish))
        same_way = dot(own_wish, wish.take(other, 0)) >= 0.0  # or stands: those who meet go round each other
        blocked[who[is_ahead & same_way]] = True
        return waits | blocked[some]
