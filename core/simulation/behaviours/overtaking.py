# SPDX-License-Identifier: GPL-3.0-or-later
"""People lean to the side of slower people ahead, and so overtake them where there is room.

Avoidance that sees somebody straight ahead slows down as often as it steps aside, and whoever follows exactly behind
would follow for ever. Only slower people count: people who lean away from everybody near them sway.
"""

from __future__ import annotations

import numpy as np

from ...steering.neighbours import both_ways
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
        speed = np.sqrt((step.preferred * step.preferred).sum(axis=1))
        walks = (agents.status[rows] == WALKING) & (speed > own.least_speed) & agents.avoids[rows] & ~agents.rolls[rows]
        walks &= self._door_queues.distance[rows] > own.door_distance
        forward = np.where(walks[:, None], step.preferred / np.maximum(speed, 1e-9)[:, None], 0.0)
        (x, y), (forward_x, forward_y) = agents.position[rows].T, forward.T
        radius, group = agents.radius[rows], agents.group[rows]
        first, second = step.around.near.within(radius.max(initial=0.0) + 0.5 * own.reach)
        cosine = forward_x[first] * forward_x[second] + forward_y[first] * forward_y[second]
        same_way = (cosine > 0.0) & ((group[first] < 0) | (group[first] != group[second]))
        who, other = both_ways(first[same_way], second[same_way])
        cosine = np.tile(cosine[same_way], 2)
        # Not by their velocities: people who start together are not slower than each other.
        slower = agents.wanted_speed[rows][who] - agents.pace[rows][other] * cosine
        counts = np.flatnonzero(slower > own.least_difference)
        who, other, cosine, slower = who[counts], other[counts], cosine[counts], slower[counts]
        apart_x, apart_y = x[other] - x[who], y[other] - y[who]
        ahead = apart_x * forward_x[who] + apart_y * forward_y[who]
        beside = forward_x[who] * apart_y - forward_y[who] * apart_x
        counts = np.flatnonzero(ahead > 0.0)
        if not len(counts):
            return
        who, other, cosine, slower = who[counts], other[counts], cosine[counts], slower[counts]
        ahead, beside = ahead[counts], beside[counts]
        both = radius[who] + radius[other]
        near = np.maximum(1.0 - np.maximum(ahead - both, 0.0) / own.reach, 0.0)
        alike = np.minimum(cosine / own.same_direction, 1.0)
        slower = np.minimum((slower - own.least_difference) / own.difference, 1.0)
        missing = np.clip((both + agents.personal_space[rows[who]] - np.abs(beside)) / own.full_lack, 0.0, 1.0)
        side = np.where(np.abs(beside) > own.straight_ahead, np.sign(beside), np.where(who < other, 1.0, -1.0))
        push = own.speed * near * alike * slower * missing
        lean = np.clip(np.bincount(who, -side * push, len(rows)), -own.greatest_speed, own.greatest_speed)
        step.preferred = step.preferred + np.column_stack((-forward[:, 1], forward[:, 0])) * lean[:, None]
        order = np.argsort(push, kind="stable")
        first = np.zeros(len(rows), dtype=np.int64)
        first[who[order]] = other[order]  # the last one counts
        overtakes = (np.abs(lean) > own.recorded_speed) & (step.doing == Doing.WALKING)
        step.record(overtakes, Doing.OVERTAKING, rows[first[overtakes]])
