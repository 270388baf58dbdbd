# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the roads of a scene cross, with who goes first, and where they run together."""

from __future__ import annotations

from ...steering.traffic.conflict_zones import find_crossings, find_meetings, find_zones
from ...steering.traffic.lane_joins import Joins, find_joins
from ...steering.traffic.right_of_way import RightOfWay
from ...steering.traffic.roundabouts import find_circulating
from ...steering.traffic.settings import TrafficSettings
from .roads import Roads


def find_road_crossings(roads: Roads, settings: TrafficSettings) -> tuple[RightOfWay, Joins]:
    """Find the crossings of roads, and where roads run together.

    Args:
        roads: all of them.
        settings: how all drive.
    """
    waiting_room = roads.longest + 2.0 * settings.standing_gap + settings.stop_line
    meetings = find_meetings(roads.samples, roads.lap)
    joins, crosses = find_joins(roads.samples, meetings, roads.lap)
    keeps_left, zones = roads.outside > 0, find_zones(roads.samples, meetings.take(crosses), roads.lap)
    lanes = roads.lap, roads.rank
    circulates = find_circulating(roads.samples, zones, joins, lanes, settings, keeps_left=keeps_left)
    stretches, conflicts = find_crossings(roads.samples, zones, circulates, roads.lap, waiting_room)
    return RightOfWay(stretches, conflicts, roads.rank, roads.lap, settings, from_left=keeps_left), joins
