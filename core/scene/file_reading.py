# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a scene file holds to a `Scene`, in one pass that notes every fault of structure and of meaning.

What could not be read is replaced by a stand-in and its place remembered, so that the rest can be checked all the same
and nothing is said of what only follows from it.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Float64
from ..errors import Fault, SceneError
from .entities import (
    VEHICLE,
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
from .places import Place, Stop, StopDuration
from .scene import Scene
from .terrain import Terrain
from .validation import find_faults, in_file_order
from .value_checks import LISTED_POINTS, Checker, is_number, quoted, shown
from .vehicle_kinds import CAR, VEHICLE_KINDS

FORMAT = 1

_UNREAD: Any = object()
_OPTIONAL: Any = object()


def scene_from_json(data: Any) -> Scene:
    """Make a scene of what a scene file holds.

    Args:
        data: what `json.loads` gave.

    Raises:
        SceneError: with every fault there is.
    """
    reading = _Reading()
    parts = reading.members("", data, _SCENE, "a scene file")
    parts.pop("footfall_scene", None)
    if not reading.faults:
        return Scene(**parts)
    faults = [*reading.faults, *find_faults(SceneContent(**parts), unread=reading.unread)]
    raise SceneError(in_file_order(faults))


@dataclass(frozen=True)
class _Key:
    """A key of a JSON object: how its value is read, and what stands in for it where it is needed but not there."""

    read: Callable[[_Reading, str, Any], Any]
    stand_in: Any = _OPTIONAL


class _Reading:
    """One pass over a scene file.

    Attributes:
        faults: what is wrong with its structure.
        unread: places whose value could not be read, or that a misspelled key was meant for.
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.unread: set[str] = set()

    def refuse(self, place: str, message: str) -> Any:
        """Note that a value could not be read, and why; returns what says so to the reader above."""
        self.faults.append(Fault(place, message))
        self.unread.add(place)
        return _UNREAD

    def members(self, place: str, value: Any, keys: Mapping[str, _Key], what: str) -> dict[str, Any]:
        """Read the values of an object by key: those that are there and readable, and stand-ins for those needed."""
        if not isinstance(value, dict):
            self.refuse(place, f"{what} must be an object {{...}}, got {shown(value)}")
            return {name: key.stand_in for name, key in keys.items() if key.stand_in is not _OPTIONAL}
        self._tell_unknown_keys(place, value, keys, what)
        parts = {}
        for name, key in keys.items():
            spot = _join(place, name)
            read = _UNREAD
            if name in value:
                read = self._value(spot, value[name], key)
            elif key.stand_in is not _OPTIONAL and spot not in self.unread:
                self.refuse(spot, f"is missing; {what} needs one")
            if read is not _UNREAD:
                parts[name] = read
            elif key.stand_in is not _OPTIONAL:
                parts[name] = key.stand_in
        return parts

    def _value(self, place: str, value: Any, key: _Key) -> Any:
        if value is None:
            return self.refuse(place, "must not be null; remove the key")
        return key.read(self, place, value)

    def _tell_unknown_keys(self, place: str, value: dict[Any, Any], keys: Mapping[str, _Key], what: str) -> None:
        for name in value:
            if name in keys:
                continue
            missing = [known for known in keys if known not in value]
            meant = difflib.get_close_matches(str(name).lower(), missing, n=1, cutoff=0.5)
            if meant:
                self.unread.add(_join(place, meant[0]))
                way_out = f"did you mean {meant[0]!r}?"
            else:
                way_out = f"there are: {quoted(keys)}"
            self.faults.append(Fault(_join(place, name), f"is not a key of {what}; {way_out}"))
        for name in getattr(value, "repeated", ()):
            self.faults.append(Fault(_join(place, name), "occurs more than once; keep one"))

    def items(self, place: str, value: Any, read: Callable[[_Reading, str, Any], Any]) -> Any:
        """Read a list, item by item; returns a tuple."""
        if not isinstance(value, list):
            return self.refuse(place, f"must be a list [...], got {shown(value)}")
        return tuple(read(self, f"{place}[{i}]", item) for i, item in enumerate(value))

    def points(self, place: str, value: Any, columns: tuple[int, ...]) -> Any:
        """Read a list of points; returns float64 (V, columns[-1]), shorter points filled with zeros."""
        if not isinstance(value, list):
            return self.refuse(place, f"must be a list of points, got {shown(value)}")
        array = np.zeros((len(value), columns[-1]))
        wrong = []
        for i, point in enumerate(value):
            if not isinstance(point, list) or len(point) not in columns:
                numbers = " or ".join(str(count) for count in columns)
                wrong.append(Fault(f"{place}[{i}]", f"must be a point of {numbers} numbers, got {shown(point)}"))
                continue
            for j, number in enumerate(point):
                if is_number(number):
                    array[i, j] = _number(self, place, number)
                else:
                    wrong.append(Fault(f"{place}[{i}][{j}]", f"must be a number, got {shown(number)}"))
        return array if not wrong else self._refuse_points(place, wrong, array)

    def _refuse_points(self, place: str, wrong: list[Fault], array: Float64) -> Any:
        """Note the faults of a list of points, and what else can be said of the numbers in it."""
        check = Checker()
        check.finite(place, array)
        self.faults += [*wrong[:LISTED_POINTS], *check.faults]
        if len(wrong) > LISTED_POINTS:
            self.faults.append(Fault(place, f"and {len(wrong) - LISTED_POINTS} more points that cannot be read"))
        self.unread.add(place)
        return _UNREAD


def _join(place: str, key: object) -> str:
    """Return the place of a key, as one would write it in Python where it is no plain word."""
    if not (isinstance(key, str) and key.isidentifier()):
        return f"{place}[{shown(key)}]"
    return f"{place}.{key}" if place else key


def _as_it_is(_reading: _Reading, _place: str, value: Any) -> Any:
    return value


def _number(_reading: _Reading, _place: str, value: Any) -> Any:
    """Return a number as float64; anything else stays what it is, for the check of the scene."""
    if not is_number(value):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _whole(_reading: _Reading, _place: str, value: Any) -> Any:
    """Return 250.0 as 250: JSON has one kind of number. Anything else stays what it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _whole_numbers(reading: _Reading, place: str, value: Any) -> Any:
    return tuple(_whole(reading, place, frame) for frame in value) if isinstance(value, list) else value


def _format(reading: _Reading, place: str, value: Any) -> Any:
    if value != FORMAT or isinstance(value, bool):
        return reading.refuse(place, f"must be {FORMAT}, the format of this version, got {shown(value)}")
    return value


def _points_2d(reading: _Reading, place: str, value: Any) -> Any:
    return reading.points(place, value, (2,))


def _points_of_wall(reading: _Reading, place: str, value: Any) -> Any:
    points = reading.points(place, value, (2,))
    return np.zeros((0, 2)) if points is _UNREAD else points


def _points_of_route(reading: _Reading, place: str, value: Any) -> Any:
    return reading.points(place, value, (2, 3))


def _column(reading: _Reading, place: str, value: Any) -> Any:
    """Read a list of numbers; returns float64 (M,)."""
    if not isinstance(value, list):
        return reading.refuse(place, f"must be a list of numbers, got {shown(value)}")
    wrong = [i for i, number in enumerate(value) if not is_number(number)]
    for i in wrong[:LISTED_POINTS]:
        reading.refuse(f"{place}[{i}]", f"must be a number, got {shown(value[i])}")
    if wrong:
        reading.unread.add(place)
        return _UNREAD
    return np.array([_number(reading, place, number) for number in value], dtype=np.float64)


def _grid(reading: _Reading, place: str, value: Any) -> Any:
    """Read rows of numbers, all as long; returns float64 (X, Y)."""
    if not isinstance(value, list) or not value:
        return reading.refuse(place, f"must be a list of rows of numbers, got {shown(value)}")
    rows = [_column(reading, f"{place}[{i}]", row) for i, row in enumerate(value)]
    if any(row is _UNREAD for row in rows):
        reading.unread.add(place)
        return _UNREAD
    if len({len(row) for row in rows}) > 1:
        return reading.refuse(place, "must be rows of the same length")
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


def _pair(reading: _Reading, place: str, value: Any) -> Any:
    return tuple(_number(reading, place, number) for number in value) if isinstance(value, list) else value


def _radius(reading: _Reading, place: str, value: Any) -> Any:
    if isinstance(value, list):
        return _pair(reading, place, value)
    number = _number(reading, place, value)
    return (number, number) if is_number(value) else value


def _sizes(reading: _Reading, place: str, value: Any) -> Any:
    """Read the least and the largest of something, or one number for both."""
    if isinstance(value, list):
        return tuple(_whole(reading, place, size) for size in value)
    size = _whole(reading, place, value)
    return (size, size) if is_number(value) else value


def _object(what: str, keys: Mapping[str, _Key], make: Callable[..., Any]) -> Callable[[_Reading, str, Any], Any]:
    """Return the reader of an object that becomes a dataclass."""

    def read(reading: _Reading, place: str, value: Any) -> Any:
        return make(**reading.members(place, value, keys, what))

    return read


def _list_of(read: Callable[[_Reading, str, Any], Any]) -> _Key:
    """Return an optional key that holds a list."""
    return _Key(lambda reading, place, value: reading.items(place, value, read))


def _crowd(reading: _Reading, place: str, value: Any) -> Crowd:
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


def _take_from_kind(parts: dict[str, Any]) -> None:
    """Fill in what a crowd of vehicles does not say, from its kind of vehicle."""
    name = parts.get("vehicle", CAR)
    kind = VEHICLE_KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        return
    parts.setdefault("speed", Speed(kind.speed, kind.speed_sd))
    for key in ("length", "width", "max_acceleration", "max_deceleration", "time_headway", "turning_radius"):
        parts.setdefault(key, getattr(kind, key))


_NAME = _Key(_as_it_is, "")
_PLAIN, _NUMBER, _WHOLE = _Key(_as_it_is), _Key(_number), _Key(_whole)
_EMPTY_OUTLINE = _Key(_points_2d, np.zeros((0, 2)))
_COLUMN = _Key(_column, np.zeros(0))

_MOTION = {"frames": _COLUMN, "x": _COLUMN, "y": _COLUMN, "yaw": _COLUMN}
_TRACK = {"frames": _COLUMN, "x": _COLUMN, "y": _COLUMN}
_HERO = {
    "name": _NAME,
    "radius": _Key(_number, 1.0),
    "motion": _Key(_object("a track", _TRACK, Track), Track(np.zeros(0), np.zeros(0), np.zeros(0))),
    "frames": _Key(_pair),
}
_OBSTACLE = {
    "name": _NAME,
    "outline": _EMPTY_OUTLINE,
    "holes": _list_of(_points_of_wall),
    "motion": _Key(_object("a motion", _MOTION, Motion)),
}
_ROUTE = {
    "name": _NAME,
    "points": _Key(_points_of_route, np.zeros((0, 3))),
    "closed": _PLAIN,
    "width": _NUMBER,
    "lanes": _WHOLE,
    "lane_width": _NUMBER,
    "two_way": _PLAIN,
    "priority": _PLAIN,
}
_TERRAIN = {"corner": _Key(_pair, (0.0, 0.0)), "cell": _Key(_number, 1.0), "heights": _Key(_grid, np.zeros((2, 2)))}
_AREA = {"name": _NAME, "outline": _EMPTY_OUTLINE}
_POINT = _Key(_pair, (0.0, 0.0))
_AGENT = {"start": _POINT, "goal": _POINT, "radius": _NUMBER, "speed": _NUMBER, "enters": _NUMBER}
_SPAWN = {"mode": _PLAIN, "rate": _NUMBER, "headway": _NUMBER}
_SPEED = {"mean": _NUMBER, "sd": _NUMBER}
_FLOCKING = {"separation": _NUMBER, "alignment": _NUMBER, "cohesion": _NUMBER, "distance": _NUMBER}
_WEIGHTS = dict.fromkeys(PlanWeights.__dataclass_fields__, _NUMBER)
_FOLLOWING = {
    "keep_to_line": _NUMBER,
    "comfort": _NUMBER,
    "spread": _NUMBER,
    "side": _PLAIN,
    "weights": _Key(_object("weights of planning", _WEIGHTS, PlanWeights)),
}
_PLACE_LISTS = {"lines": _list_of(_points_of_wall), "outlines": _list_of(_points_of_wall)}
_PLACE = {"name": _NAME, "points": _Key(_points_2d), "headings": _Key(_column), **_PLACE_LISTS}
_STOP = dict.fromkeys(("do", "known_as"), _PLAIN) | {"place": _NAME, "look_at": _Key(_pair)}
_STOP |= {"share": _NUMBER, "room": _WHOLE, "duration": _Key(_object("a duration", _SPEED, StopDuration))}
_CROWD = {
    "name": _NAME,
    "kind": _PLAIN,
    "count": _WHOLE,
    "route": _PLAIN,
    "start": _PLAIN,
    "goal": _PLAIN,
    "agents": _list_of(_object("an agent", _AGENT, Agent)),
    "spawn": _Key(_object("a spawn", _SPAWN, Spawn)),
    "arrival": _PLAIN,
    "radius": _Key(_radius),
    "speed": _Key(_object("a speed", _SPEED, Speed)),
    "avoidance": _PLAIN,
    "flocking": _Key(_object("a flocking", _FLOCKING, Flocking)),
    "length": _NUMBER,
    "width": _NUMBER,
    "max_acceleration": _NUMBER,
    "max_deceleration": _NUMBER,
    "time_headway": _NUMBER,
    "following": _Key(_object("a way of following", _FOLLOWING, Following)),
    "vehicle": _PLAIN,
    "turning_radius": _NUMBER,
    "groups": _Key(_sizes),
    "absent": _Key(_whole_numbers),
    "body": _PLAIN,
    "slope_effect": _NUMBER,
    "delay": _NUMBER,
    "known_as": _PLAIN,
    "stops": _list_of(_object("a stop", _STOP, Stop)),
    "stop_order": _PLAIN,
}
_SCENE = {
    "footfall_scene": _Key(_format, FORMAT),
    "fps": _NUMBER,
    "frames": _Key(_whole_numbers),
    "seed": _WHOLE,
    "bounds": _Key(_points_2d),
    "obstacles": _list_of(_object("an obstacle", _OBSTACLE, Obstacle)),
    "walls": _list_of(_points_of_wall),
    "routes": _list_of(_object("a route", _ROUTE, Route)),
    "areas": _list_of(_object("an area", _AREA, Area)),
    "crossings": _list_of(_object("a crossing", _AREA, Area)),
    "crowds": _list_of(_crowd),
    "heroes": _list_of(_object("a hero", _HERO, Hero)),
    "keep_left": _PLAIN,
    "terrain": _Key(_object("a terrain", _TERRAIN, Terrain)),
    "places": _list_of(_object("a place", _PLACE, Place)),
}
