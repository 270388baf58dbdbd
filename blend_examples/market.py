# SPDX-License-Identifier: GPL-3.0-or-later
"""A market: people look at stalls, queue at a kiosk, sit, and talk in rings, until a stall burns and all of them flee.

    python blend_examples/market.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/market.py -- --out out       with Blender

The stops of three crowds make them live; two triggers make them run, first away from the fire and then out of the
market. Saves market.blend, renders market.png and market.mp4.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

if __package__:  # opened from the panel
    from . import scenery, stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import scenery
    import stage

FRAMES = (1, 460)
FIRE = 330  # the frame at which the stall begins to burn
STALLS = (-10.0, -5.6, -1.2, 3.2, 7.6)  # x of their middles [m]
COUNTER = 4.2  # y of their tables [m]
BURNING = 3  # which of them
BENCHES = ((-8.6, -4.6, -1.2), (-5.4, -6.4, -0.2))  # x and y [m], and to where they face, from north [rad]
RINGS = ((-2.4, -3.2), (0.7, -6.6), (2.4, -3.3))  # where people talk [m]
KIOSK = (10.4, -3.6)  # its middle [m]

Stop = tuple[str, Any, dict[str, Any]]
"""Of a crowd: its name, a place or a collection of places, and settings."""


def build() -> bpy.types.Scene:
    """Build the market, its people and what they do, the fire, the light and the camera."""
    scene = stage.begin(frames=FRAMES)
    settings = stage.settings(scene)
    settings.seed = 7
    market = stage.collection("Market", scene.collection)
    obstacles = stage.collection("Obstacles", scene.collection)
    settings.obstacles = obstacles
    settings.bounds = scenery.mark("Grounds", (-24, -12, 24, 10.5), market)
    scenery.pave((-30, -24, 30, 12), (0.36, 0.32, 0.27), market)
    scenery.houses([(10, 9.5), (8, 11), (12, 9), (9, 12), (11, 10), (10, 9)], (-30.0, 11.0), market)
    for number, x in enumerate(STALLS):
        _stall(number, x, obstacles, market)
    _kiosk(obstacles, market)
    for number, place in enumerate(BENCHES):
        _bench(f"Bench {number + 1}", *place, obstacles)
    obstacles.objects.link(scenery.tree("Lime", -8.6, -7.2, 1.15, market))
    stops = _stops(market)
    _shoppers(scene, market, stops)
    _people_there(scene, market, stops[0][1])
    _panic(scene, market)
    stage.sun_and_sky(scene, direction=(0.55, 0.75, -0.7), strength=3.4)
    stage.camera(scene, place=(0.2, -17.0, 5.3), target=(1.2, 0.0, 0.7), lens=28)
    return scene


def _stall(number: int, x: float, obstacles: bpy.types.Collection, market: bpy.types.Collection) -> None:
    """Put up a table with baskets of goods under a striped awning."""
    wood = stage.material("Table", (0.36, 0.22, 0.11))
    stage.solid(f"Stall {number + 1}", [(scenery.box(x, COUNTER, 2.8, 0.9), 0.0, 0.85)], wood, obstacles)
    posts = [(scenery.box(x + dx, COUNTER + dy, 0.07, 0.07), 0.0, h) for dx in (-1.45, 1.45) for dy, h in _POSTS]
    stage.solid(f"Posts {number + 1}", posts, wood, market)
    colours = ((0.6, 0.07, 0.05), (0.06, 0.24, 0.42), (0.08, 0.3, 0.12), (0.68, 0.36, 0.03), (0.36, 0.08, 0.3))
    paints = (stage.material(f"Awning {number + 1}", colours[number]), stage.material("Canvas", (0.82, 0.78, 0.68)))
    (south, low), (north, high) = _POSTS
    for stripe in range(8):
        left, right = x - 1.6 + 0.4 * stripe, x - 1.2 + 0.4 * stripe
        edge, back = COUNTER + south - 0.25, COUNTER + north + 0.15
        corners = [(left, edge, low - 0.2), (right, edge, low - 0.2), (right, edge, low), (left, edge, low)]
        corners += [(right, back, high), (left, back, high)]
        stage.from_faces("Awning", corners, [(0, 1, 2, 3), (3, 2, 4, 5)], paints[stripe % 2], market)
    goods = ((0.72, 0.1, 0.03), (0.75, 0.5, 0.04), (0.16, 0.38, 0.05), (0.8, 0.28, 0.03), (0.4, 0.02, 0.1))
    for basket in range(5):
        dx = x - 1.12 + 0.56 * basket
        stage.solid("Basket", [(scenery.box(dx, COUNTER - 0.1, 0.48, 0.6), 0.85, 0.98)], wood, market)
        paint = stage.material(f"Goods {(basket + 2 * number) % 5}", goods[(basket + 2 * number) % 5], roughness=0.5)
        heap = [
            (stage.circle(dx + 0.11 * i, COUNTER - 0.1 + 0.13 * j, 0.065, 6), 0.97, 1.07 + 0.02 * ((i * j) % 2))
            for i in (-1.5, -0.5, 0.5, 1.5)
            for j in (-1.5, -0.5, 0.5, 1.5)
        ]
        stage.solid("Goods", heap, paint, market)


_POSTS = ((-0.75, 2.25), (1.15, 2.75))  # of an awning: y from the middle of the table, and height [m]


def _kiosk(obstacles: bpy.types.Collection, market: bpy.types.Collection) -> None:
    """Build a kiosk whose counter faces west, with a roof that shades it."""
    x, y = KIOSK
    green, cream = stage.material("Kiosk green", (0.06, 0.22, 0.17)), stage.material("Kiosk roof", (0.75, 0.68, 0.5))
    dark = stage.material("Window", (0.05, 0.07, 0.1), roughness=0.15)
    stage.solid("Kiosk", [(scenery.box(x, y, 2.2, 2.4), 0.0, 2.35)], green, obstacles)
    stage.solid("Counter", [(scenery.box(x - 1.15, y, 0.3, 1.7), 0.98, 1.04)], cream, market)
    stage.solid("Hatch", [(scenery.box(x - 1.08, y, 0.08, 1.6), 1.06, 1.95)], dark, market)
    roof = [(scenery.box(x - 0.2, y, 3.1, 2.9), 2.35, 2.47), (scenery.box(x, y, 1.8, 1.8), 2.47, 2.75)]
    stage.solid("Roof", roof, cream, market)


def _bench(name: str, x: float, y: float, turn: float, obstacles: bpy.types.Collection) -> None:
    """Put up a bench that faces a direction, with a back."""
    wood = stage.material("Bench", (0.3, 0.16, 0.07))
    parts = [(scenery.box(0.0, 0.0, 1.9, 0.42), 0.38, 0.44), (scenery.box(0.0, -0.27, 1.9, 0.05), 0.55, 0.86)]
    parts += [(scenery.box(side, -0.05, 0.08, 0.44), 0.0, 0.38) for side in (-0.8, 0.8)]
    parts += [(scenery.box(side, -0.27, 0.08, 0.06), 0.0, 0.6) for side in (-0.8, 0.8)]
    made = stage.solid(name, parts, wood, obstacles)
    made.location, made.rotation_euler = (x, y, 0.0), (0.0, 0.0, turn)


def _stops(market: bpy.types.Collection) -> list[Stop]:
    """Mark where people stop, from west to east: before the benches, the stalls and the kiosk."""
    benches = stage.collection("Seats", market)
    for x, y, turn in BENCHES:
        for aside in (-0.55, 0.05, 0.6):
            seat = (x + aside * math.cos(turn), y + aside * math.sin(turn), 0.44)
            scenery.spot("Seat", seat, benches, turn=turn)
    stops: list[Stop] = [("Benches", benches, {"do": "SIT", "stay": 14.0, "stay_variation": 5.0, "share": 0.3})]
    for number, x in enumerate(STALLS):
        front = stage.curve(f"Front {number + 1}", [(x - 1.2, COUNTER - 0.95), (x + 1.2, COUNTER - 0.95)], market)
        look = {"do": "LOOK_AT", "look_at": scenery.spot(f"Goods {number + 1}", (x, COUNTER, 0.95), market)}
        seen = {"activities": {"STAND", "POINT", "LOOK_ROUND"}}
        stops.append((f"Stall {number + 1}", front, {**look, **seen, "stay": 8.0, "stay_variation": 3.0, "share": 0.3}))
    x, y = KIOSK
    line = [(x - 1.75, y), (x - 3.5, y - 0.1), (x - 5.5, y - 0.9), (x - 7.4, y - 2.2)]
    served = {"do": "QUEUE", "stay": 5.0, "stay_variation": 1.5, "share": 0.5, "room": 9}
    stops.append(("Kiosk queue", stage.curve("Queue", line, market), {**served, "activities": {"STAND", "PHONE"}}))
    return stops


def _shoppers(scene: bpy.types.Scene, market: bpy.types.Collection, stops: Sequence[Stop]) -> None:
    """Let people walk through the market in both directions, and stop here and there."""
    lane = [(-23.0, 0.9), (-9.0, 1.2), (0.0, 0.6), (9.0, 1.2), (23.0, 0.6)]
    for name, points, count, visited in (("Eastward", lane, 26, stops), ("Westward", lane[::-1], 22, stops[::-1])):
        crowd = _crowd(scene, name, count)
        crowd.route, crowd.path_width = stage.curve(f"{name} way", points, market), 3.6
        crowd.spawn.mode, crowd.arrival = "SPREAD", "LEAVE"
        for title, place, values in visited:
            stop = crowd.stops.add()
            stop.name = title
            setattr(stop, "places" if isinstance(place, bpy.types.Collection) else "place", place)
            for key, value in values.items():
                setattr(stop, key, value)


def _people_there(scene: bpy.types.Scene, market: bpy.types.Collection, benches: bpy.types.Collection) -> None:
    """Put people behind the tables and on some seats, and rings of people who talk on the square."""
    behind, rings = stage.collection("Behind the tables", market), stage.collection("Rings", market)
    for number, x in enumerate(STALLS):
        scenery.spot(f"Seller {number + 1}", (x + 0.5 - 0.25 * number, COUNTER + 0.85, 0.0), behind, turn=math.pi)
    for number, (x, y) in enumerate(RINGS):
        scenery.mark(f"Ring {number + 1}", (x - 1.3, y - 1.3, x + 1.3, y + 1.3), rings)
    for name, places, count, seen in (
        ("Sellers", behind, len(STALLS), {"STAND", "TALK", "POINT", "WAVE", "LOOK_ROUND"}),
        ("Talkers", rings, 7, {"TALK"}),
        ("Resting", benches, 3, {"SIT"}),
    ):
        crowd = _crowd(scene, name, count)
        crowd.mode, crowd.presence.places, crowd.presence.activities = "PLACE", places, seen


def _crowd(scene: bpy.types.Scene, name: str, count: int) -> Any:
    """Add a crowd of so many people."""
    crowd = stage.add_crowd(scene)
    crowd.name, crowd.count = name, count
    return crowd


def _panic(scene: bpy.types.Scene, market: bpy.types.Collection) -> None:
    """Let a stall burn, everybody flee from it, and leave by the side that is nearer."""
    fire = (STALLS[BURNING], COUNTER, 0.9)
    _burn(fire, market)
    source = scenery.spot("Fire", fire, market)
    west = scenery.mark("West exit", (-23.5, -2.0, -21.0, 4.0), market)
    east = scenery.mark("East exit", (21.0, -2.0, 23.5, 4.0), market)
    for name, then, frame, mark, more in (
        ("Fire", "FLEE", FIRE, source, {"delay": 0.7, "delay_variation": 0.5, "spreads": 8.0, "pace": 2.2}),
        ("Out to the west", "LEAVE", FIRE + 60, west, {"to": west, "within": 24.5, "pace": 1.9}),
        ("Out to the east", "LEAVE", FIRE + 60, east, {"to": east, "within": 19.5, "pace": 1.9}),
    ):
        trigger = stage.settings(scene).triggers.add()
        trigger.name, trigger.when, trigger.frame, trigger.then, trigger.mark = name, "FRAME", frame, then, mark
        for key, value in more.items():
            setattr(trigger, key, value)


def _burn(place: tuple[float, float, float], market: bpy.types.Collection) -> None:
    """Light flames that flicker, and a lamp, on a table."""
    for number in range(9):
        colour = ((1.0, 0.25, 0.02), (1.0, 0.5, 0.06), (1.0, 0.12, 0.01))[number % 3]
        paint = stage.material(f"Flame {number % 3}", colour)
        shader: Any = next(node for node in paint.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        shader.inputs["Emission Color"].default_value = (*colour, 1.0)
        shader.inputs["Emission Strength"].default_value = 6.0
        corners = [*((0.2 * math.cos(k), 0.2 * math.sin(k), 0.0) for k in range(6)), (0.0, 0.0, 1.0)]
        flame = stage.from_faces("Flame", corners, [(k, (k + 1) % 6, 6) for k in range(6)], paint, market)
        flame.location = (place[0] - 1.0 + 0.25 * number, place[1] + 0.15 * math.sin(5.0 * number), place[2])
        flame.scale = (0.0, 0.0, 0.0)
        flame.keyframe_insert("scale", frame=FIRE - 4)
        for beat in range(0, FRAMES[1] - FIRE, 4):
            high = min(1.0, 0.25 + beat / 40.0) * (1.1 + 0.5 * math.sin(2.3 * number + 1.7 * beat))
            flame.scale = (1.0 + 0.2 * math.sin(beat + number), 1.0, high)
            flame.keyframe_insert("scale", frame=FIRE + beat)


if __name__ == "__main__":
    stage.show("market", build, description=__doc__ or "", picture=250, film=(300, 419))
