# SPDX-License-Identifier: GPL-3.0-or-later
"""The people because of whom others cannot take their preferred velocity: recorded, without any effect on motion."""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import dot, length, length2
from ...steering.neighbours import both_ways, near_some
from ..behaviours.behaviour import Step, changed_by
from ..settings.pedestrian_settings import AvoidanceReasonSettings
from ..world.doing import NOBODY, Doing

_AFTER_ALL = 1e6  # beyond every contact

# What avoidance replaces as the recorded activity; others, such as queueing, say more.
_REPLACED = np.zeros(len(Doing), dtype=bool)
_REPLACED[[Doing.WALKING, Doing.FOLLOWING, Doing.WITH_GROUP, Doing.SIDE_STEPPING, Doing.ON_DETOUR, Doing.STANDING]] = (
    True
)
_REPLACED[Doing.GOING_TO_STOP] = True


def record_avoidance(step: Step, taken: Float64, settings: AvoidanceReasonSettings, side_distance: float) -> None:
    """Record who avoids whom, and who is held up by whom.

    Where the chosen velocity differs clearly from the preferred one, the reason is the person whom the preferred
    velocity would touch first, as others move now; if it would touch nobody, the nearest person ahead. Whoever avoids
    nobody near passes somebody farther away on one side.

    Args:
        step: after all behaviours.
        taken: float64 (R, 2), the velocities that avoidance chose [m/s].
        settings: what counts.
        side_distance: people decide on a side to pass others within this distance [m].
    """
    in_heroes_path = step.around.in_heroes_path
    changed = changed_by(step.preferred, taken, settings.recorded_change)
    step.record(changed & in_heroes_path, Doing.DODGING)
    rows, agents = step.rows, step.agents
    slow = settings.held_up_share * agents.wanted_speed[rows]
    held_up = (length(taken) < slow) & (length(step.preferred) >= slow)
    in_vain = held_up & (step.doing == Doing.OVERTAKING)
    changed &= ~in_heroes_path & (_REPLACED[step.doing] | in_vain)
    if not changed.any():
        return
    because_of = _most_urgent_near(step, changed, settings)
    missing = (changed & (because_of < 0)).nonzero()[0]  # few: in a crowd somebody is near
    if len(missing):
        _put_most_urgent_of_all(because_of, step, missing, settings, side_distance)
    found = (because_of >= 0).nonzero()[0]
    for some, doing in ((found[held_up[found]], Doing.HELD_UP), (found[~held_up[found]], Doing.MAKING_WAY)):
        step.record(some, doing, rows[because_of[some]])


def _most_urgent_near(step: Step, asks: Bool, settings: AvoidanceReasonSettings) -> Int64:
    """Return int64 (R,), the most urgent other near each person who asks, bool (R,); `NOBODY` for none."""
    agents, rows = step.agents, step.rows
    radius, half = agents.radius[rows], 0.5 * settings.reach
    kernels = twins.twin(twins.PAIRS)
    if kernels is not None:
        numbers = np.array([half, settings.time_horizon, settings.clearance, settings.cos_ahead, _AFTER_ALL])
        near = step.around.near.searched(2.0 * float((radius + half).max()))
        bodies = agents.position.take(rows, 0), agents.velocity.take(rows, 0), step.preferred, radius
        return kernels.most_urgent(near, *bodies, asks, numbers)
    because_of = np.full(len(rows), NOBODY)
    who, other = both_ways(*step.around.near.within(radius + half))
    asked = asks[who]
    _put_most_urgent(because_of, step, (who[asked], other[asked]), settings, settings.time_horizon)
    return because_of


def _put_most_urgent_of_all(
    because_of: Int64, step: Step, some: Int64, settings: AvoidanceReasonSettings, distance: float
) -> None:
    """Write into int64 (R,) the most urgent of all others within a distance [m] of some people, int64 (N,)."""
    agents, rows = step.agents, step.rows
    position, kernels = agents.position.take(rows, 0), twins.twin(twins.PAIRS)
    if kernels is None:
        who, other = near_some(position, some, distance)
        _put_most_urgent(because_of, step, (some[who], other), settings, np.inf)
        return
    numbers = np.array([distance, np.inf, settings.clearance, settings.cos_ahead, _AFTER_ALL])
    bodies = position, agents.velocity.take(rows, 0), step.preferred, agents.radius[rows]
    kernels.most_urgent_of_all(some, bodies, numbers, because_of)


def _put_most_urgent(
    because_of: Int64, step: Step, pairs: tuple[Int64, Int64], settings: AvoidanceReasonSettings, horizon: float
) -> None:
    """Write into int64 (R,) the most urgent other of each person, of pairs given as two int64 (P,)."""
    who, other = pairs
    cost = _urgency(step, who, other, settings, horizon)
    counted = np.isfinite(cost).nonzero()[0]
    order = counted[np.argsort(-cost[counted], kind="stable")]
    because_of[who[order]] = other[order]  # the last one counts


def _urgency(step: Step, who: Int64, other: Int64, settings: AvoidanceReasonSettings, horizon: float) -> Float64:
    """Return float64 (P,), the times until people would touch others at their preferred velocities [s].

    Pairs who would not touch within the horizon [s], but of whom the other is ahead, come after all of these, the
    nearest first; the rest is infinite.
    """
    agents, rows = step.agents, step.rows
    wish = step.preferred.take(who, 0)
    apart = agents.position.take(rows[other], 0) - agents.position.take(rows[who], 0)
    touching = agents.radius[rows[who]] + agents.radius[rows[other]] + settings.clearance
    closing = wish - agents.velocity.take(rows[other], 0)
    along, speed2 = dot(apart, closing), np.maximum(length2(closing), 1e-9)
    gap2 = length2(apart) - touching * touching
    meets = along * along - speed2 * gap2
    contact = np.maximum((along - np.sqrt(np.maximum(meets, 0.0))) / speed2, 0.0)
    soon = (along > 0.0) & (meets > 0.0) & (contact < horizon)
    distance = length(apart)
    ahead = dot(apart, wish) > settings.cos_ahead * distance * np.maximum(length(wish), 1e-9)
    return np.where(soon, contact, np.where(ahead, _AFTER_ALL + distance, np.inf))
