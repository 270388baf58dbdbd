# SPDX-License-Identifier: GPL-3.0-or-later
"""People lean to the side of slower people ahead, and so overtake them where there is room.

Avoidance that sees somebody straight ahead slows down as often as it steps aside, and whoever follows exactly behind
would follow for ever. Only slower people count: people who lean away from everybody near them sway.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import length, length2, vectors_of
from ...steering.neighbours import NearPairs, both_ways
from ..settings.behaviour_settings import OvertakingSettings
from ..world.agents import WALKING
from ..world.doing import Doing
from .behaviour import Step
from .door_queues import DoorQueues


class Overtaking:
    """Adds to preferred velocities a velocity across, away from slower people ahead.

    Args:
        settings: whom people overtake, and how fast they step aside.
        door_queues: nobody overtakes who is close to the door ahead.
    """

    def __init__(self, settings: OvertakingSettings, door_queues: DoorQueues) -> None:
        self._settings, self._door_queues = settings, door_queues

    def act(self, step: Step) -> None:
        """Let people lean to the side of slower people ahead."""
        agents, rows, own = step.agents, step.rows, self._settings
        speed = length(step.preferred)
        walks = (agents.status[rows] == WALKING) & (speed > own.least_speed) & agents.avoids[rows] & ~agents.rolls[rows]
        walks &= self._door_queues.distance[rows] > own.door_distance
        forward = np.where(walks[:, None], step.preferred / np.maximum(speed, 1e-9)[:, None], 0.0)
        # Not by their velocities: people who start together are not slower than each other.
        people = agents.radius[rows], agents.wanted_speed[rows], agents.pace[rows], agents.personal_space[rows]
        lean, first = lean_past(
            agents.position.take(rows, 0), step.around.near, forward, np.array(people), agents.group[rows], own
        )
        step.preferred = step.preferred + vectors_of(-forward[:, 1], forward[:, 0]) * lean[:, None]
        overtakes = (np.abs(lean) > own.recorded_speed) & (step.doing == Doing.WALKING)
        overtakes &= length2(step.velocity.take(rows, 0)) > own.recorded_speed**2  # who stands overtakes nobody
        step.record(overtakes, Doing.OVERTAKING, rows[first[overtakes]])


def lean_past(
    position: Float64, near: NearPairs, forward: Float64, people: Float64, group: Int64, settings: OvertakingSettings
) -> tuple[Float64, Int64]:
    """Return how fast people lean to the left [m/s], and past whom most: float64 (R,) and int64 (R,).

    Args:
        position: float64 (R, 2) [m].
        near: which of them are near each other.
        forward: float64 (R, 2), unit vectors; zero for people who overtake nobody and are not overtaken.
        people: float64 (4, R), radius [m], wanted speed, pace [m/s], personal space [m].
        group: int64 (R,), number of the group of each; -1 for people who walk alone.
        settings: whom people overtake, and how fast they step aside.
    """
    radius, wanted_speed, pace, personal_space = people
    reach, kernels = float(radius.max(initial=0.0) + 0.5 * settings.reach), twins.twin(twins.PAIRS)
    if kernels is not None:
        numbers = np.array([reach + reach, *(getattr(settings, name) for name in _NUMBERS)])
        return kernels.lean_past(near.searched(reach + reach), position, forward, people, group, numbers)
    (x, y), (forward_x, forward_y) = position.T, forward.T
    first, second = near.within(reach)
    cosine = forward_x[first] * forward_x[second] + forward_y[first] * forward_y[second]
    same_way = (cosine > 0.0) & ((group[first] < 0) | (group[first] != group[second]))
    who, other = both_ways(first[same_way], second[same_way])
    cosine = np.tile(cosine[same_way], 2)
    slower = wanted_speed[who] - pace[other] * cosine
    counts = (slower > settings.least_difference).nonzero()[0]
    who, other, cosine, slower = who[counts], other[counts], cosine[counts], slower[counts]
    apart_x, apart_y = x[other] - x[who], y[other] - y[who]
    ahead = apart_x * forward_x[who] + apart_y * forward_y[who]
    beside = forward_x[who] * apart_y - forward_y[who] * apart_x
    counts = (ahead > 0.0).nonzero()[0]
    who, other, cosine, slower = who[counts], other[counts], cosine[counts], slower[counts]
    ahead, beside = ahead[counts], beside[counts]
    both = radius[who] + radius[other]
    close = np.maximum(1.0 - np.maximum(ahead - both, 0.0) / settings.reach, 0.0)
    alike = np.minimum(cosine / settings.same_direction, 1.0)
    slower = np.minimum((slower - settings.least_difference) / settings.difference, 1.0)
    missing = np.clip((both + personal_space[who] - np.abs(beside)) / settings.full_lack, 0.0, 1.0)
    side = np.where(np.abs(beside) > settings.straight_ahead, np.sign(beside), np.where(who < other, 1.0, -1.0))
    push = settings.speed * close * alike * slower * missing
    lean = np.bincount(who, -side * push, len(position)).astype(np.float64)
    order = np.argsort(push, kind="stable")
    most = np.zeros(len(position), dtype=np.int64)
    most[who[order]] = other[order]  # the last one counts
    return np.clip(lean, -settings.greatest_speed, settings.greatest_speed), most


_NUMBERS = (
    "reach",
    "least_difference",
    "difference",
    "same_direction",
    "full_lack",
    "straight_ahead",
    "speed",
    "greatest_speed",
)
