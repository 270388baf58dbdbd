# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody walks faster than leaves them time behind the person ahead.

Avoidance keeps bodies apart, and no more: people would tread on each other's heels. Their speed is bounded by the gap
to the nearest person in the band that their body will sweep, over a time gap that is drawn for each of them. Those who
come towards them are passed, which is the task of avoidance; of two who converge, the one with the other more straight
ahead slows down. Right before a door people press on, and queue as `behaviours/door_queues.py` says.

Sources: Tordeux, Chraibi and Seyfried 2016, "Collision-free speed model for pedestrian dynamics", eq. 3 and 4; who will
have left the band in the meantime is not in it, as in Xu, Chraibi and Seyfried 2021, "Anticipation in a velocity-based
model for pedestrian dynamics".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...steering.neighbours import both_ways
from ..behaviours.behaviour import Step
from ..settings.pedestrian_settings import HeadwaySettings
from ..world.agents import WALKING
from ..world.doing import NOBODY, Doing


def keep_headway(step: Step, velocity: Float64, exempt: Bool, settings: HeadwaySettings) -> Float64:
    """Return velocities in the same directions at which people keep their time gaps, and record who follows whom.

    Args:
        step: after all behaviours.
        velocity: float64 (R, 2), the velocities that avoidance chose [m/s].
        exempt: bool (R,), who slows down for nobody.
        settings: who counts.

    Returns:
        float64 (R, 2) [m/s].
    """
    agents, rows = step.agents, step.rows
    speed, time_gap = _length(velocity), agents.time_gap[rows]
    walks = agents.status[rows] == WALKING
    slows = walks & agents.avoids[rows] & (speed > settings.creep) & (time_gap > 0.0) & ~exempt
    if not slows.any():
        return velocity
    forward = velocity / np.maximum(speed, 1e-9)[:, None]
    everybody = _everybody(step, walks, settings)
    reach = float(everybody.radius.max() + 0.5 * (speed * time_gap).max())
    who, other = both_ways(*step.around.near.within(reach, others=True))
    group, asks = everybody.group, np.zeros(len(everybody.radius), dtype=bool)
    asks[: len(rows)] = slows
    asked = np.flatnonzero(asks[who] & ((group[who] < 0) | (group[who] != group[other])))
    who, other = who[asked], other[asked]
    limit = _limits(everybody, who, other, _Walk(forward, speed, time_gap), settings)
    counts = np.flatnonzero(limit < speed[who])
    counts = counts[np.argsort(-limit[counts], kind="stable")]  # of several, the last one counts
    least, leader = speed.copy(), np.full(len(rows), NOBODY)
    least[who[counts]], leader[who[counts]] = limit[counts], other[counts]
    follows = (speed - least > settings.recorded_change) & (leader < len(rows)) & (step.doing == Doing.WALKING)
    step.record(follows, Doing.FOLLOWING, rows[leader[follows]])
    return forward * least[:, None]


class _Everybody(NamedTuple):
    """People, heroes and bystanders: `position`, `velocity`, `wish` float64 (N, 2), `radius` (N,), `group` int64 (N,).

    The wish has length 1 in who walks at full speed, and 0 in who stands.
    """

    position: Float64
    velocity: Float64
    wish: Float64
    radius: Float64
    group: Int64


class _Walk(NamedTuple):
    """How R people are about to walk: `forward` float64 (R, 2), `speed` (R,) [m/s], `time_gap` (R,) [s]."""

    forward: Float64
    speed: Float64
    time_gap: Float64


def _everybody(step: Step, walks: Bool, settings: HeadwaySettings) -> _Everybody:
    agents, rows = step.agents, step.rows
    given = step.around.given
    wish = np.concatenate((np.where(walks[:, None], step.preferred, 0.0), given.velocity))
    return _Everybody(
        np.concatenate((agents.position[rows], given.position)),
        np.concatenate((agents.velocity[rows], given.velocity)),
        wish / np.maximum(_length(wish), settings.full_speed)[:, None],
        np.concatenate((agents.radius[rows], given.radius)),
        np.concatenate((agents.group[rows], np.full(len(given.radius), -1))),
    )


def _limits(everybody: _Everybody, who: Int64, other: Int64, walk: _Walk, settings: HeadwaySettings) -> Float64:
    """Return float64 (P,), the greatest speeds of people behind others [m/s]; infinite behind whom they do not walk."""
    apart, forward = everybody.position[other] - everybody.position[who], walk.forward[who]
    both = everybody.radius[who] + everybody.radius[other]
    ahead, beside = _dot(apart, forward), _cross(forward, apart)
    distance = np.sqrt(ahead * ahead + beside * beside)
    arrival = np.minimum(distance / np.maximum(walk.speed[who], settings.full_speed), settings.anticipation)
    then = beside + arrival * _cross(forward, everybody.velocity[other])
    in_band = (ahead > 0.0) & (np.maximum(np.abs(beside), np.abs(then)) <= both)
    # 1 for the one who has the other straight ahead and is not faced by it, 0 for each of two who meet
    toward = (ahead + _dot(apart, everybody.wish[other])) / np.maximum(distance, 1e-9)
    share = np.clip(toward / settings.full_share, 0.0, 1.0)
    # Who crosses is passed, too: only those count who walk the same way, or stand.
    wish = everybody.wish[other]
    alike = _dot(forward, wish) + (1.0 - _length(wish))
    share *= np.clip(alike / settings.same_direction, 0.0, 1.0)
    free = np.maximum((distance - both) / walk.time_gap[who], settings.creep)
    return np.where(in_band & (share > 0.0), free / np.maximum(share, 1e-9), np.inf)


def _length(vectors: Float64) -> Float64:
    return np.sqrt(_dot(vectors, vectors))


def _dot(one: Float64, other: Float64) -> Float64:
    return one[:, 0] * other[:, 0] + one[:, 1] * other[:, 1]


def _cross(one: Float64, other: Float64) -> Float64:
    return one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
