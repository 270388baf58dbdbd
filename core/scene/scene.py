# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user asks for: a `Scene` of obstacles, routes, areas and crowds, validated as a whole when it is made.

Every fault is found in one pass and reported with its place, as a path into the scene file.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SceneError
from .avoidance_models import HUMAN_LIKE, MODEL_NAMES, ORCA
from .entities import (
    ARRIVALS,
    AT_ONCE,
    AVOIDANCES,
    BODIES,
    EQUAL_ROAD,
    FLOW,
    KINDS,
    LEAVE,
    LEFT_SIDE,
    LOOP,
    MAIN_ROAD,
    NO_AVOIDANCE,
    NO_SIDE,
    PEDESTRIAN,
    PERSON,
    PRIORITIES,
    RIGHT_SIDE,
    SIDES,
    SPAWN_MODES,
    SPREAD,
    STOP,
    STOP_ROAD,
    TRAFFIC,
    VEHICLE,
    WHEELS,
    Agent,
    Area,
    Crowd,
    Flocking,
    Following,
    Hero,
    Motion,
    Obstacle,
    PlanWeights,
    Route,
    SceneContent,
    Spawn,
    Speed,
    Track,
)
from .validation import find_faults

__all__ = [
    "ARRIVALS",
    "AT_ONCE",
    "AVOIDANCES",
    "BODIES",
    "EQUAL_ROAD",
    "FLOW",
    "HUMAN_LIKE",
    "KINDS",
    "LEAVE",
    "LEFT_SIDE",
    "LOOP",
    "MAIN_ROAD",
    "MODEL_NAMES",
    "NO_AVOIDANCE",
    "NO_SIDE",
    "ORCA",
    "PEDESTRIAN",
    "PERSON",
    "PRIORITIES",
    "RIGHT_SIDE",
    "SIDES",
    "SPAWN_MODES",
    "SPREAD",
    "STOP",
    "STOP_ROAD",
    "TRAFFIC",
    "VEHICLE",
    "WHEELS",
    "Agent",
    "Area",
    "Crowd",
    "Flocking",
    "Following",
    "Hero",
    "Motion",
    "Obstacle",
    "PlanWeights",
    "Route",
    "Scene",
    "SceneContent",
    "Spawn",
    "Speed",
    "Track",
]


@dataclass(frozen=True, eq=False)
class Scene(SceneContent):
    """A sound `SceneContent`: see there for its fields.

    Raises:
        SceneError: with every fault there is.
    """

    def __post_init__(self) -> None:
        faults = find_faults(self)
        if faults:
            raise SceneError(faults)
