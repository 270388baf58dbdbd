# SPDX-License-Identifier: GPL-3.0-or-later
"""What slows vehicles down, and because of whom: recorded, without any effect on motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import heading_vector, length
from ..settings.vehicle_settings import DrivingReasonSettings
from ..world.agents import PeopleOnFoot
from ..world.doing import NOBODY, AgentNumbers, Decisions, Doing
from .driving import Leaders, Scenery
from .roads import Roads
from .vehicles import Vehicles


class StopLines(NamedTuple):
    """How far R vehicles may go.

    Attributes:
        stop_in: float64 (R,), distance to the line, inf without one [m].
        doing: int8 (R,), what stopping there means, a `Doing`.
    """

    stop_in: Float64
    doing: NDArray[np.int8]


class Ahead(NamedTuple):
    """What R vehicles have ahead of them: on their lanes, and lines that they may not pass yet."""

    leaders: Leaders
    scenery: Scenery
    lines: StopLines


def decide(
    vehicles: Vehicles,
    rows: Int64,
    slowed: Bool,
    ahead: Ahead,
    people: PeopleOnFoot,
    numbers: AgentNumbers,
    roads: Roads,
    settings: DrivingReasonSettings,
) -> Decisions:
    """Return what moving vehicles do and why.

    Args:
        vehicles: all of them.
        rows: int64 (R,), the vehicles under way.
        slowed: bool (R,), whether each accelerates less than on a free road.
        ahead: what is ahead of them.
        people: on foot.
        numbers: of people and vehicles among all agents.
        roads: their roads.
        settings: what counts.
    """
    leaders, scenery, lines = ahead
    place, heading = vehicles.poses(rows, roads)
    forward = heading_vector(heading)
    doing = np.full(len(rows), Doing.DRIVING, dtype=np.int8)
    because_of = np.full(len(rows), NOBODY, dtype=np.int64)
    at_line = slowed & (lines.stop_in <= leaders.gap)
    doing[at_line] = lines.doing[at_line]
    behind = slowed & ~at_line & (leaders.body >= 0)
    leader = vehicles.leader[rows]
    follows = behind & (leader >= 0)
    queues = vehicles.speed[rows] < settings.queueing_speed
    doing[follows] = np.where(queues[follows], Doing.QUEUEING_IN_LANE, Doing.FOLLOWING_VEHICLE)
    because_of[follows] = numbers.first_vehicle + leader[follows]
    others = behind & ~follows
    doing[others] = np.where(leaders.body[others] < scenery.standing_end, Doing.STOPPING_FOR_OBSTACLE, -1)
    for each in np.flatnonzero((doing == -1) | (doing == Doing.STOPPING_FOR_PEOPLE)):  # few
        distance = min(float(leaders.gap[each]), float(lines.stop_in[each])) + 0.5 * float(vehicles.length[rows[each]])
        within = np.inf if doing[each] != -1 else settings.person_reach
        person = _nearest(people, place[each, :2] + distance * forward[each], within)
        doing[each] = Doing.STOPPING_FOR_OBSTACLE if person < 0 else Doing.STOPPING_FOR_PEOPLE
        because_of[each] = numbers.people[person] if person >= 0 else NOBODY
    wish = vehicles.drivers.wanted_speed[rows, None] * forward
    return Decisions(doing, because_of, wish, np.full(len(rows), NOBODY))


def _nearest(people: PeopleOnFoot, place: Float64, within: float) -> int:
    """Return who is nearest to a place, float64 (2,), within a distance [m]; -1 for nobody."""
    if not len(people.radius):
        return NOBODY
    off = people.position - place
    distance = length(off) - people.radius
    nearest = int(distance.argmin())
    return nearest if distance[nearest] < within else NOBODY
