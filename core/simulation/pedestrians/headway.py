# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody walks faster than leaves them time behind the person ahead.

Avoidance keeps bodies apart, and no more: people would tread on each other's heels. Their speed is bounded by the gap
to the nearest person in the band that their body will sweep, over a time gap that is drawn for each of them. Those who
come towards them are passed, which is the task of avoidance; of two who converge, the one with the other more straight
ahead slows down, and behind who walks away people fall back gently. A throng right before a door presses on, and queues
as `behaviours/door_queues.py` says.

Sources: Tordeux, Chraibi and Seyfried 2016, "Collision-free speed model for pedestrian dynamics", eq. 3 and 4; who will
have left the band in the meantime is not in it, as in Xu, Chraibi and Seyfried 2021, "Anticipation in a velocity-based
model for pedestrian dynamics"; of who walks away, Jiang, Wu and Zhu 2001, "Full velocity difference model for a
car-following theory".
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import length
from ...steering.neighbours import both_ways
from ..behaviours.behaviour import Step
from ..settings.pedestrian_settings import HeadwaySettings
from ..world.agents import WALKING
from ..world.doing import NOBODY, Doing
from ..world.heroes import followed_by


def keep_headway(step: Step, velocity: Float64, exempt: Bool, in_line: Bool, settings: HeadwaySettings) -> Float64:
    """Return velocities in the same directions at which people keep their time gaps, and record who follows whom.

    Args:
        step: after all behaviours.
        velocity: float64 (R, 2), the velocities that avoidance chose [m/s].
        exempt: bool (R,), whether each slows down for nobody.
        in_line: bool (R,), whether each stays behind whoever is ahead, though they walk away: before a door or a
            queue, or in a dense stream.
        settings: which people count.

    Returns:
        float64 (R, 2) [m/s].
    """
    agents, rows = step.agents, step.rows
    speed, time_gap = length(velocity), agents.time_gap[rows]
    walks = agents.status[rows] == WALKING
    slows = walks & agents.avoids[rows] & (speed > settings.creep) & (time_gap > 0.0) & ~exempt
    if not slows.any():
        return velocity
    forward = velocity / np.maximum(speed, 1e-9)[:, None]
    opening = np.where(in_line, 0.0, settings.opening)
    walk = np.array((*forward.T, speed, time_gap, opening))
    least, leader = _most_limited(step, _everybody(step, walks, settings), walk, slows, settings)
    follows = (speed - least > settings.recorded_change) & (leader < len(rows)) & (step.doing == Doing.WALKING)
    step.record(follows, Doing.FOLLOWING, rows[leader[follows]])
    return forward * least[:, None]


def _most_limited(
    step: Step, everybody: Float64, walk: Float64, slows: Bool, settings: HeadwaySettings
) -> tuple[Float64, Int64]:
    """Return the greatest speeds of people behind others [m/s], and behind whom: float64 (R,) and int64 (R,).

    Args:
        step: with who is near whom.
        everybody: see `_everybody`.
        walk: float64 (5, R), how people are about to walk: forward, a unit vector, speed [m/s], time gap [s], and how
            much it counts that somebody walks away from them.
        slows: bool (R,), whether each slows down.
        settings: which people count.
    """
    speed, time_gap, given = walk[2], walk[3], len(step.around.given.radius)
    group = followed_by(step.agents.group[step.rows], np.full(given, -1))
    reach = float(everybody[2].max() + 0.5 * (speed * time_gap).max())
    kernels = twins.twin(twins.PAIRS)
    if kernels is not None:
        numbers = np.array([reach + reach, *(getattr(settings, name) for name in _NUMBERS)])
        return kernels.most_limited(step.around.near.searched(reach + reach), everybody, walk, slows, group, numbers)
    who, other = both_ways(*step.around.near.within(reach, others=True))
    asks = followed_by(slows, np.zeros(given, dtype=bool))
    asked = (asks[who] & ((group[who] < 0) | (group[who] != group[other]))).nonzero()[0]
    who, other = who[asked], other[asked]
    limit = _limits(everybody[:, who], everybody[:, other], walk[:, who], settings)
    counts = (limit < speed[who]).nonzero()[0]
    counts = counts[np.argsort(-limit[counts], kind="stable")]  # of several, the last one counts
    least, leader = speed.copy(), np.full(len(speed), NOBODY)
    least[who[counts]], leader[who[counts]] = limit[counts], other[counts]
    return least, leader


_NUMBERS = ("creep", "anticipation", "full_speed", "full_share", "same_direction")


def _everybody(step: Step, walks: Bool, settings: HeadwaySettings) -> Float64:
    """Return float64 (8, N), of people, heroes and bystanders: x, y, radius [m], length of the wish, velocity, wish.

    The wish has length 1 in who walks at full speed, and 0 in who stands.
    """
    agents, rows = step.agents, step.rows
    given = step.around.given
    wish = followed_by(np.where(walks[:, None], step.preferred, 0.0), given.velocity)
    position = followed_by(agents.position.take(rows, 0), given.position)
    velocity = followed_by(agents.velocity.take(rows, 0), given.velocity)
    wish = wish / np.maximum(length(wish), settings.full_speed)[:, None]
    radius = followed_by(agents.radius[rows], given.radius)
    return np.array((*position.T, radius, length(wish), *velocity.T, *wish.T))


def _limits(own: Float64, other: Float64, walk: Float64, settings: HeadwaySettings) -> Float64:
    """Return float64 (P,), the greatest speeds of people behind others [m/s]; infinite behind whom they do not walk.

    Args:
        own: float64 (8, P), see `_everybody`.
        other: float64 (8, P), likewise of those behind whom they may walk.
        walk: float64 (5, P), see `_most_limited`.
        settings: which people count.
    """
    (apart_x, apart_y), (forward_x, forward_y, speed, time_gap, opening) = other[:2] - own[:2], walk
    both, wish, velocity_x, velocity_y, wish_x, wish_y = own[2] + other[2], *other[3:]
    ahead, beside = apart_x * forward_x + apart_y * forward_y, forward_x * apart_y - forward_y * apart_x
    distance = np.sqrt(ahead * ahead + beside * beside)
    arrival = np.minimum(distance / np.maximum(speed, settings.full_speed), settings.anticipation)
    then = beside + arrival * (forward_x * velocity_y - forward_y * velocity_x)
    in_band = (ahead > 0.0) & (np.maximum(np.abs(beside), np.abs(then)) <= both)
    # 1 for the one who has the other straight ahead and is not faced by it, 0 for each of two who meet
    toward = (ahead + (apart_x * wish_x + apart_y * wish_y)) / np.maximum(distance, 1e-9)
    share = np.clip(toward / settings.full_share, 0.0, 1.0)
    # Who crosses is passed, too: only those count who walk the same way, or stand.
    alike = forward_x * wish_x + forward_y * wish_y + (1.0 - wish)
    share *= np.clip(alike / settings.same_direction, 0.0, 1.0)
    free = np.maximum((distance - both) / time_gap, settings.creep)
    free += opening * np.maximum(forward_x * velocity_x + forward_y * velocity_y - free, 0.0)
    return np.where(in_band & (share > 0.0), free / np.maximum(share, 1e-9), np.inf)
