# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a scene file holds to a `Scene`, in one pass that notes every fault of structure and of meaning."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import SceneError
from .basics.file_values import (
    FORMAT,
    FileReading,
    Key,
    list_of,
    object_of,
    read_as_it_is,
    read_column,
    read_format,
    read_grid,
    read_number,
    read_pair,
    read_points,
    read_radius,
    read_route_points,
    read_sizes,
    read_wall,
    read_whole,
    read_whole_numbers,
)
from .basics.terrain import Terrain
from .basics.value_checks import shown
from .basics.vehicle_kinds import CAR, VEHICLE_KINDS
from .entities import (
    VEHICLE,
    Agent,
    Area,
    Crowd,
    Flocking,
    Following,
    Hero,
    Mark,
    Motion,
    Obstacle,
    PlanWeights,
    Route,
    SceneContent,
    Spawn,
    Speed,
    Track,
)
from .lives.awaited import Awaited
from .lives.places import Place
from .lives.stops import Stop, StopDuration
from .lives.triggers import Occasion, Trigger
from .scene import Scene
from .validation import find_faults, in_file_order


def scene_from_json(data: Any) -> Scene:
    """Make a scene of what a scene file holds.

    Args:
        data: what `json.loads` gave.

    Raises:
        SceneError: with every fault there is.
    """
    reading = FileReading()
    parts = reading.members("", data, _SCENE, "a scene file")
    parts.pop("footfall_scene", None)
    if not reading.faults:
        return Scene(**parts)
    faults = [*reading.faults, *find_faults(SceneContent(**parts), unread=reading.unread)]
    raise SceneError(in_file_order(faults))


def _crowd(reading: FileReading, place: str, value: Any) -> Crowd:
    parts = reading.members(place, value, _CROWD, "a crowd")
    agents = parts.get("agents")
    if agents == ():
        reading.refuse(f"{place}.agents", "is empty; list at least one agent")
    if agents:
        count = parts.setdefault("count", len(agents))
        if count != len(agents):
            reading.refuse(f"{place}.count", f"is {shown(count)}, and {len(agents)} agents are listed; remove it")
    if parts.get("kind") == VEHICLE:
        _take_from_kind(parts)
    return Crowd(**parts)


def _words(_reading: FileReading, _place: str, value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _take_from_kind(parts: dict[str, Any]) -> None:
    """Fill in what a crowd of vehicles does not say, from its kind of vehicle."""
    name = parts.get("vehicle", CAR)
    kind = VEHICLE_KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        return
    parts.setdefault("speed", Speed(kind.speed, kind.speed_sd))
    for key in ("length", "width", "max_acceleration", "max_deceleration", "time_headway", "turning_radius"):
        parts.setdefault(key, getattr(kind, key))


_NAME = Key(read_as_it_is, "")
_PLAIN, _NUMBER, _WHOLE = Key(read_as_it_is), Key(read_number), Key(read_whole)
_EMPTY_OUTLINE = Key(read_points, np.zeros((0, 2)))
_COLUMN = Key(read_column, np.zeros(0))

_MOTION = {"frames": _COLUMN, "x": _COLUMN, "y": _COLUMN, "yaw": _COLUMN}
_TRACK = {"frames": _COLUMN, "x": _COLUMN, "y": _COLUMN}
_NO_TRACK = Track(np.zeros(0), np.zeros(0), np.zeros(0))
_HERO = {
    "name": _NAME,
    "radius": Key(read_number, 1.0),
    "motion": Key(object_of("a track", _TRACK, Track), _NO_TRACK),
    "frames": Key(read_pair),
}
_OBSTACLE = {
    "name": _NAME,
    "outline": _EMPTY_OUTLINE,
    "holes": list_of(read_wall),
    "motion": Key(object_of("a motion", _MOTION, Motion)),
}
_ROUTE = {
    "name": _NAME,
    "points": Key(read_route_points, np.zeros((0, 3))),
    "closed": _PLAIN,
    "width": _NUMBER,
    "lanes": _WHOLE,
    "lane_width": _NUMBER,
    "two_way": _PLAIN,
    "priority": _PLAIN,
}
_TERRAIN = {
    "corner": Key(read_pair, (0.0, 0.0)),
    "cell": Key(read_number, 1.0),
    "heights": Key(read_grid, np.zeros((2, 2))),
}
_AREA = {"name": _NAME, "outline": _EMPTY_OUTLINE}
_POINT = Key(read_pair, (0.0, 0.0))
_AGENT = {"start": _POINT, "goal": _POINT, "radius": _NUMBER, "speed": _NUMBER, "enters": _NUMBER}
_SPAWN = {"mode": _PLAIN, "rate": _NUMBER, "headway": _NUMBER, "sets_off_within": _NUMBER}
_SPEED = {"mean": _NUMBER, "sd": _NUMBER}
_FLOCKING = {"separation": _NUMBER, "alignment": _NUMBER, "cohesion": _NUMBER, "distance": _NUMBER}
_WEIGHTS = dict.fromkeys(PlanWeights.__dataclass_fields__, _NUMBER)
_FOLLOWING = {
    "keep_to_line": _NUMBER,
    "comfort": _NUMBER,
    "spread": _NUMBER,
    "side": _PLAIN,
    "weights": Key(object_of("weights of planning", _WEIGHTS, PlanWeights)),
}
_PLACE_LISTS = {"lines": list_of(read_wall), "outlines": list_of(read_wall)}
_PLACE = {"name": _NAME, "points": Key(read_points), "headings": Key(read_column), **_PLACE_LISTS}
_PLACE |= {"heights": Key(read_column), "objects": Key(read_grid)}
_MARK = {"name": _NAME, "motion": Key(object_of("a track", _TRACK, Track), _NO_TRACK)}
_AWAITED = dict.fromkeys(("what", "mark", "crowd", "does"), _PLAIN) | {"frame": _WHOLE, "distance": _NUMBER}
_STOP = dict.fromkeys(("do", "known_as", "clip", "then"), _PLAIN) | {"place": _NAME, "look_at": Key(read_pair)}
_STOP |= {"share": _NUMBER, "room": _WHOLE, "duration": Key(object_of("a duration", _SPEED, StopDuration))}
_STOP |= {"activities": Key(_words), "awaits": Key(object_of("what is awaited", _AWAITED, Awaited))}
_OCCASION = dict.fromkeys(("what", "area", "mark", "crowd", "does"), _PLAIN)
_OCCASION |= {"frames": Key(read_whole_numbers), "distance": _NUMBER}
_TRIGGER = dict.fromkeys(("mark", "to", "activity", "clip", "known_as"), _PLAIN) | {"name": _NAME}
_TRIGGER |= dict.fromkeys(("share", "spreads", "within", "pace"), _NUMBER) | {"crowds": Key(_words)}
_TRIGGER |= {"then": Key(read_as_it_is, "walk")}
_TRIGGER |= {"when": Key(object_of("an occasion", _OCCASION, Occasion), Occasion())}
_TRIGGER |= dict.fromkeys(("delay", "duration"), Key(object_of("a duration", _SPEED, StopDuration)))
_CROWD = {
    "name": _NAME,
    "kind": _PLAIN,
    "count": _WHOLE,
    "route": _PLAIN,
    "start": _PLAIN,
    "goal": _PLAIN,
    "agents": list_of(object_of("an agent", _AGENT, Agent)),
    "spawn": Key(object_of("a spawn", _SPAWN, Spawn)),
    "arrival": _PLAIN,
    "radius": Key(read_radius),
    "speed": Key(object_of("a speed", _SPEED, Speed)),
    "avoidance": _PLAIN,
    "flocking": Key(object_of("a flocking", _FLOCKING, Flocking)),
    "length": _NUMBER,
    "width": _NUMBER,
    "max_acceleration": _NUMBER,
    "max_deceleration": _NUMBER,
    "time_headway": _NUMBER,
    "following": Key(object_of("a way of following", _FOLLOWING, Following)),
    "vehicle": _PLAIN,
    "turning_radius": _NUMBER,
    "groups": Key(read_sizes),
    "absent": Key(read_whole_numbers),
    "body": _PLAIN,
    "slope_effect": _NUMBER,
    "time_gap": _NUMBER,
    "personal_space": _NUMBER,
    "reach": _NUMBER,
    "delay": _NUMBER,
    "known_as": _PLAIN,
    "stops": list_of(object_of("a stop", _STOP, Stop)),
    "stop_order": _PLAIN,
    "place": _PLAIN,
    "activities": Key(_words),
    "look_at": Key(read_pair),
}
_SCENE = {
    "footfall_scene": Key(read_format, FORMAT),
    "fps": _NUMBER,
    "frames": Key(read_whole_numbers),
    "seed": _WHOLE,
    "bounds": Key(read_points),
    "obstacles": list_of(object_of("an obstacle", _OBSTACLE, Obstacle)),
    "walls": list_of(read_wall),
    "routes": list_of(object_of("a route", _ROUTE, Route)),
    "areas": list_of(object_of("an area", _AREA, Area)),
    "crossings": list_of(object_of("a crossing", _AREA, Area)),
    "crowds": list_of(_crowd),
    "heroes": list_of(object_of("a hero", _HERO, Hero)),
    "keep_left": _PLAIN,
    "terrain": Key(object_of("a terrain", _TERRAIN, Terrain)),
    "places": list_of(object_of("a place", _PLACE, Place)),
    "triggers": list_of(object_of("a trigger", _TRIGGER, Trigger)),
    "marks": list_of(object_of("a mark", _MARK, Mark)),
}
