# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene with every key of the format, and its places, each of which can be spoilt."""

import copy

from core import SceneError
from core.scene import PlanWeights
from core.scene.file import scene_from_json

# Every key that format 1 knows, each with a value that is not its default where it has one.
FULL = {
    "footfall_scene": 1,
    "fps": 23.976,
    "frames": [1, 250],
    "seed": 7,
    "bounds": [[0, 0], [40, 0], [40, 20], [0, 20]],
    "obstacles": [
        {
            "name": "Kiosk",
            "outline": [[8, 8], [14, 8], [14, 14], [8, 14]],
            "holes": [[[9, 9], [11, 9], [11, 11]]],
        },
        {
            "name": "Tram",
            "outline": [[-1, -4], [1, -4], [1, 4], [-1, 4]],
            "motion": {"frames": [1, 120], "x": [5, 35], "y": [12, 12], "yaw": [0, 0.5]},
        },
    ],
    "walls": [[[0, 5], [6, 5]]],
    "routes": [
        {
            "name": "Path",
            "points": [[0, 0, 0], [20, 4, 0.5]],
            "closed": True,
            "width": 2.5,
            "lanes": 2,
            "lane_width": 3.25,
            "two_way": True,
        },
        {"name": "Road", "points": [[0, 1], [20, 2], [30, 1]]},
    ],
    "terrain": {"corner": [1, -1], "cell": 0.5, "heights": [[0, 0.5], [1, 2]]},
    "areas": [
        {"name": "West gate", "outline": [[0, 0], [2, 0], [2, 8], [0, 8]]},
        {"name": "East gate", "outline": [[38, 0], [40, 0], [40, 8], [38, 8]]},
    ],
    "crowds": [
        {
            "name": "Walkers",
            "kind": "pedestrian",
            "count": 100,
            "route": "Path",
            "spawn": {"mode": "flow", "rate": 2.0, "headway": 0.25},
            "arrival": "loop",
            "radius": [0.2, 0.3],
            "speed": {"mean": 1.2, "sd": 0.1},
            "avoidance": "human_like",
            "flocking": {"separation": 1.0, "alignment": 0.5, "cohesion": 0.25, "distance": 2.0},
            "following": {
                "keep_to_line": 0.75,
                "comfort": 0.25,
                "spread": 0.5,
                "side": "right",
                "weights": dict.fromkeys(PlanWeights.__dataclass_fields__, 2.0),
            },
        },
        {
            "name": "Commuters",
            "count": 50,
            "start": "West gate",
            "goal": "East gate",
            "radius": 0.25,
            "stops": [
                {
                    "place": "Window",
                    "do": "look_at",
                    "look_at": [20, 10],
                    "duration": {"mean": 8.0, "sd": 2.0},
                    "share": 0.4,
                    "known_as": "Shop window",
                },
                {"place": "Booth", "do": "queue", "room": 8, "activities": ["phone", "look_round"], "then": "back"},
                {"place": "Booth", "do": "play_clip", "clip": "Dance"},
                {
                    "place": "Booth",
                    "do": "wait_until",
                    "awaits": {"what": "comes", "mark": "Bus", "distance": 3.0, "frame": 2},
                },
                {"place": "Booth", "do": "wait_until", "awaits": {"what": "crowd", "crowd": "Pair", "does": "passes"}},
            ],
            "stop_order": "random",
        },
        {"name": "Pair", "agents": [{"start": [1, 1], "goal": [9, 1], "radius": 0.25, "speed": 1.3, "enters": 2.5}]},
        {
            "name": "Cars",
            "kind": "vehicle",
            "count": 30,
            "route": "Road",
            "avoidance": "traffic",
            "length": 4.0,
            "width": 1.7,
            "max_acceleration": 1.25,
            "max_deceleration": 2.5,
            "time_headway": 1.0,
            "turning_radius": 5.0,
        },
    ],
    "places": [
        {"name": "Window", "outlines": [[[20, 8], [22, 8], [22, 9], [20, 9]]], "lines": [[[24, 8], [26, 8]]]},
        {
            "name": "Booth",
            "points": [[30, 10]],
            "headings": [1.5],
            "heights": [0.5],
            "objects": [[30, 11, 0.5, 2, 1, 1.2]],
        },
    ],
    "triggers": [
        {
            "name": "Panic",
            "when": {"what": "frame", "frames": [20, 80]},
            "then": "flee",
            "crowds": ["Walkers", "Pair"],
            "share": 0.8,
            "delay": {"mean": 0.5, "sd": 0.1},
            "spreads": 4.0,
            "within": 20.0,
            "mark": "Bus",
            "pace": 2.5,
            "known_as": "Fright",
        },
        {
            "name": "Hello",
            "when": {"what": "near", "mark": "Bus", "distance": 2.0},
            "then": "perform",
            "activity": "wave",
            "duration": {"mean": 2.0, "sd": 0.5},
        },
        {"name": "Dance", "when": {"what": "zone", "area": "West gate"}, "then": "perform", "clip": "Dance"},
        {"name": "Meet", "when": {"what": "crowd", "crowd": "Pair", "does": "stops"}, "then": "gather", "to": "Booth"},
    ],
    "marks": [{"name": "Bus", "motion": {"frames": [1, 90], "x": [3, 9], "y": [2, 2.5]}}],
    "heroes": [
        {"name": "Hero", "radius": 0.4, "motion": {"frames": [1, 90], "x": [3, 9], "y": [2, 2.5]}, "frames": [10, 80.5]}
    ],
}

REQUIRED = {
    *(f"triggers[{number}].{key}" for number in range(4) for key in ("name", "when", "then")),
    *(
        "triggers[1].activity",
        "triggers[0].mark",
        "triggers[1].when.mark",
        "triggers[2].when.area",
        "triggers[3].when.crowd",
        "triggers[3].to",
    ),
    "crowds[1].stops[2].clip",
    "crowds[1].stops[3].awaits.mark",
    "crowds[1].stops[4].place",
    "crowds[1].stops[4].awaits.crowd",
    "footfall_scene",
    "terrain.corner",
    "terrain.cell",
    "terrain.heights",
    "obstacles[0].name",
    "obstacles[0].outline",
    "obstacles[1].name",
    "obstacles[1].outline",
    "obstacles[1].motion.frames",
    "obstacles[1].motion.x",
    "obstacles[1].motion.y",
    "obstacles[1].motion.yaw",
    "routes[0].name",
    "routes[0].points",
    "routes[1].name",
    "routes[1].points",
    "areas[0].name",
    "areas[0].outline",
    "areas[1].name",
    "areas[1].outline",
    "crowds[0].name",
    "crowds[1].name",
    "crowds[1].start",
    "crowds[1].goal",
    "crowds[1].stops[0].place",
    *(f"crowds[1].stops[{number}].place" for number in (1, 2, 3)),
    *(f"marks[0].{key}" for key in ("name", "motion", "motion.frames", "motion.x", "motion.y")),
    "places[0].name",
    "places[1].name",
    "crowds[2].name",
    "crowds[2].agents[0].start",
    "crowds[2].agents[0].goal",
    "crowds[3].name",
    "heroes[0].name",
    "heroes[0].radius",
    "heroes[0].motion",
    "heroes[0].motion.frames",
    "heroes[0].motion.x",
    "heroes[0].motion.y",
}

# What is left out of these is asked for elsewhere, and that is told instead, or as well.
WAYS = {"crowds[0].route": "crowds[0]", "crowds[2].agents": "crowds[2]", "crowds[3].route": "crowds[3]"}
WAYS |= {"triggers[2].clip": "triggers[2].activity"}


def faults_of(data):
    """The faults as pairs of place and message; nothing may be told twice in the same words."""
    try:
        scene_from_json(data)
    except SceneError as error:
        found = [(fault.place, fault.message) for fault in error.faults]
    else:
        found = []
    assert len(set(found)) == len(found)
    return found


def places(data):
    return [place for place, _ in faults_of(data)]


def walk(value, place=""):
    """Every value in the file below the top, with its place, its holder and its key."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        spot = f"{place}[{key}]" if isinstance(value, list) else f"{place}.{key}".lstrip(".")
        yield spot, value, key
        yield from walk(item, spot)


ALL_PLACES = [place for place, _, _ in walk(FULL)]
KEYS = [place for place, holder, _ in walk(FULL) if isinstance(holder, dict)]


def corrupted(place, change):
    """The full scene with `change(holder, key)` done at one place."""
    data = copy.deepcopy(FULL)
    for spot, holder, key in walk(data):
        if spot == place:
            change(holder, key)
            return data
    raise AssertionError(place)


def put(value):
    def change(holder, key):
        holder[key] = value

    return change


def rename(holder, key):
    holder[f"{key}_x"] = holder.pop(key)
