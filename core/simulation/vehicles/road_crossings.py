# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the roads of a scene cross, with who goes first, and where they run together."""

from __future__ import annotations

import numpy as np

from ...scene import Scene
from ...steering.traffic.conflict_zones import find_crossings, find_meetings
from ...steering.traffic.lane_joins import Joins, find_joins
from ...steering.traffic.right_of_way import EQUAL, MAIN, STOP, RightOfWay
from ...steering.traffic.settings import TrafficSettings
from .roads import Roads

RANKS = {"stop": STOP, "equal": EQUAL, "main": MAIN}
"""Ranks of roads, by the words of a scene."""


def find_road_crossings(scene: Scene, roads: Roads, settings: TrafficSettings) -> tuple[RightOfWay, Joins]:
    """Find the crossings of roads, and where roads run together.

    Args:
        scene: whose routes the roads follow.
        roads: all of them.
        settings: how all drive.
    """
    route_lap = np.full(len(scene.routes), np.inf)
    route_lap[roads.route] = roads.lap
    longest = np.zeros(len(scene.routes))
    for number, route in enumerate(scene.routes):
        longest[number] = max((c.length for c in scene.crowds if c.route == route.name), default=0.0)
    waiting_room = longest[roads.route] + 2.0 * settings.standing_gap + settings.stop_line
    meetings = find_meetings(roads.samples, route_lap)
    joins, crosses = find_joins(roads.samples, meetings, roads.lap)
    stretches, conflicts = find_crossings(roads.samples, meetings.take(crosses), roads.lap, waiting_room)
    rank = np.array([RANKS[scene.routes[number].priority] for number in roads.route], dtype=np.int64)
    return RightOfWay(stretches, conflicts, rank, roads.lap, settings, from_left=scene.keep_left), joins
