# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene files: JSON, format 1, metres, seconds and radians."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Fault, SceneError
from ..safe_writing import reason, whole_file
from .basics.file_values import FORMAT
from .entities import PEDESTRIAN, Crowd, Following, Hero, Mark, Obstacle
from .file_reading import scene_from_json
from .lives.awaited import Awaited
from .lives.places import Place
from .lives.stops import Stop
from .lives.triggers import Trigger
from .scene import Scene

__all__ = ["load_scene", "save_scene", "scene_from_json", "scene_to_json"]

_OF_VEHICLES = ("length", "width", "max_acceleration", "max_deceleration", "time_headway", "vehicle", "turning_radius")
_SAID_WHERE_IT_MATTERS = (
    "absent",
    "slope_effect",
    "groups",
    "body",
    "delay",
    "known_as",
    "stop_order",
    "activities",
    "time_gap",
    "personal_space",
    "reach",
)


def load_scene(path: str | Path) -> Scene:
    """Read a scene file.

    Args:
        path: of a JSON file, UTF-8.

    Raises:
        SceneError: with every fault there is: that the file cannot be read, or is not JSON, or what is wrong in it.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        data = json.loads(text, object_pairs_hook=_Object, parse_int=_whole_number_from)
    except UnicodeDecodeError as error:
        raise _file_fault(path, f"is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except json.JSONDecodeError as error:
        raise _file_fault(path, f"is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from error
    except RecursionError as error:
        raise _file_fault(path, "is not a scene: its lists are nested too deeply") from error
    except IsADirectoryError as error:
        raise _file_fault(path, "is a folder; give the scene file in it") from error
    except FileNotFoundError as error:
        raise _file_fault(path, "there is no such file") from error
    except (OSError, ValueError) as error:
        raise _file_fault(path, f"cannot be read: {reason(error)}") from error
    return scene_from_json(data)


def save_scene(scene: Scene, path: str | Path) -> None:
    """Write a scene file; the same scene gives the same bytes.

    Raises:
        FootfallError: it cannot be written; what stood there before is untouched.
    """
    text = _laid_out(scene_to_json(scene)).encode()
    with whole_file(path) as stream:
        stream.write(text)


def scene_to_json(scene: Scene) -> dict[str, Any]:
    """Return what a scene file holds: plain lists, numbers and text. `scene_from_json` gives the same scene back."""
    data: dict[str, Any] = {
        "footfall_scene": FORMAT,
        "fps": float(scene.fps),
        "frames": [int(frame) for frame in scene.frames],
        "seed": int(scene.seed),
    }
    if scene.bounds is not None:
        data["bounds"] = scene.bounds.tolist()
    return data | {
        "obstacles": [_obstacle_to_json(obstacle) for obstacle in scene.obstacles],
        "walls": [wall.tolist() for wall in scene.walls],
        "routes": [_plain(route) for route in scene.routes],
        "areas": [_plain(area) for area in scene.areas],
        **({"crossings": [_plain(crossing) for crossing in scene.crossings]} if scene.crossings else {}),
        "crowds": [_crowd_to_json(crowd) for crowd in scene.crowds],
        **({"heroes": [_moving(hero) for hero in scene.heroes]} if scene.heroes else {}),
        **({"keep_left": True} if scene.keep_left else {}),
        **({"terrain": _plain(scene.terrain)} if scene.terrain is not None else {}),
        **({"places": [_place_to_json(place) for place in scene.places]} if scene.places else {}),
        **({"triggers": [_trigger_to_json(trigger) for trigger in scene.triggers]} if scene.triggers else {}),
        **({"marks": [_moving(mark) for mark in scene.marks]} if scene.marks else {}),
    }


def _obstacle_to_json(obstacle: Obstacle) -> dict[str, Any]:
    data = _plain(obstacle) | {"holes": [hole.tolist() for hole in obstacle.holes]}
    return data | ({} if obstacle.motion is None else {"motion": _plain(obstacle.motion)})


def _moving(thing: Hero | Mark) -> dict[str, Any]:
    return _plain(thing) | {"motion": _plain(thing.motion)}


def _place_to_json(place: Place) -> dict[str, Any]:
    return {key: value for key, value in _plain(place).items() if value != []}


def _trigger_to_json(trigger: Trigger) -> dict[str, Any]:
    when = {key: value for key, value in _plain(trigger.when).items() if value not in ("", [])}
    data = _plain(trigger) | {"when": when, "delay": _plain(trigger.delay), "duration": _plain(trigger.duration)}
    return {key: value for key, value in data.items() if value not in ("", [])}


def _stop_to_json(stop: Stop) -> dict[str, Any]:
    data = _plain(stop) | {"duration": _plain(stop.duration)}
    del data["awaits"]
    if stop.awaits != Awaited():
        data["awaits"] = {key: value for key, value in _plain(stop.awaits).items() if value != ""}
    left = {"known_as": "", "clip": "", "activities": [], "then": Stop.then}
    return {key: value for key, value in data.items() if key not in left or value != left[key]}


def _crowd_to_json(crowd: Crowd) -> dict[str, Any]:
    data = _plain(crowd)
    if crowd.agents:
        data["agents"] = [_plain(agent) for agent in crowd.agents]
        del data["count"]
    else:
        del data["agents"]
    if crowd.kind == PEDESTRIAN:  # the body of a vehicle says nothing of people
        data = {key: value for key, value in data.items() if key not in _OF_VEHICLES or value != vars(Crowd)[key]}
    least, largest = crowd.radius
    data["radius"] = float(least) if least == largest else [float(least), float(largest)]
    nested = {"spawn": crowd.spawn, "speed": crowd.speed, "flocking": crowd.flocking}
    data |= {key: _plain(value) for key, value in nested.items() if value is not None}
    for key in _SAID_WHERE_IT_MATTERS:
        if getattr(crowd, key) == getattr(Crowd, key):
            del data[key]
    del data["stops"]
    if crowd.stops:
        data["stops"] = [_stop_to_json(stop) for stop in crowd.stops]
    del data["following"]
    if crowd.following != Following():
        data["following"] = _plain(crowd.following) | {"weights": _plain(crowd.following.weights)}
    return data


def _plain(thing: object) -> dict[str, Any]:
    """Return the fields of a dataclass that are not None as JSON has them; nested dataclasses are the caller's."""
    fields = vars(thing).items()
    return {key: _plain_value(value) for key, value in fields if value is not None}


def _plain_value(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain_value(item) for item in value] if isinstance(value, tuple) else value


def _laid_out(data: Mapping[str, Any]) -> str:
    """Return JSON with one line for each thing in the scene."""
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            text = "[\n" + ",\n".join(f"    {_one_line(item)}" for item in value) + "\n  ]"
        else:
            text = _one_line(value)
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys stood in it more than once."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        pairs = list(pairs)
        super().__init__(pairs)
        keys = [key for key, _ in pairs] if len(self) < len(pairs) else []
        self.repeated = [key for key in self if keys.count(key) > 1]


def _whole_number_from(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else math.copysign(math.inf, -1 if digits.startswith("-") else 1)


def _file_fault(path: str | Path, message: str) -> SceneError:
    return SceneError([Fault(f"'{path}'", message)])
