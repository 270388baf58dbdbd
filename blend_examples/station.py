# SPDX-License-Identifier: GPL-3.0-or-later
"""A station: people find their own routes through a hall, and get out of a train and into it while its doors are open.

    python blend_examples/station.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/station.py -- --out out       with Blender

Nobody draws a route: each crowd has a place to start from and a place to go to. Two of the four doors to the platforms
move: one is opened late, and one is closed while people are on their way to it. The train has a timetable: its doors
slide open at a frame, and those in it get out; those who stand beside the doors let them, and then get in. Saves
station.blend and renders station.png, station.mp4, and station_train.png, in which people wait for the doors to open.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import bpy

if __package__:  # opened from the panel
    from . import scenery, stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import scenery
    import stage

FRAMES = (1, 360)
HALF_LENGTH, HALF_WIDTH, WALL = 20.0, 12.0, 0.4  # of the hall [m]
DOORS = (-13.5, -4.5, 4.5, 13.5)  # x of the doors to the platforms [m]
ENTRANCES = (-11.0, 0.0, 11.0)  # x of the entrances from the street [m]
DOOR_WIDTH, ENTRANCE_WIDTH = 2.8, 4.0
OPENED_LATE, CLOSED_EARLY = 1, 2  # which of the doors move
OPENS, CLOSES = 110, 120  # [frames] and take so long:
SLIDING = 30
BENCHES = ((-4.2, 6.0), (4.2, 6.0), (-4.2, -6.2), (4.2, -6.2))  # [m]

CARS = (-24.5, 0.0, 24.5)  # x of the middles of the train's cars [m]
CAR, TRACKSIDE = (23.6, 2.8), 19.97  # length and width of one, and y of their middles [m]
CAR_DOORS, CAR_DOOR = (-9.0, -3.0, 3.0, 9.0), 1.6  # of each: x from its middle, and width [m]
CALLS = 60  # the frame at which the train opens its doors


LETS_OUT = 4.0  # so long after that those outside let others get out [s]


class Car(NamedTuple):
    """A car of the train: its inside, and where people stand inside and outside of its doors."""

    number: int
    inside: bpy.types.Object
    behind_doors: bpy.types.Collection
    beside_doors: bpy.types.Collection


def build() -> bpy.types.Scene:
    """Build the hall with its people, the train with its doors, and what people do there."""
    scene = build_hall()
    settings = stage.settings(scene)
    train = stage.collection("Train", scene.collection)
    settings.bounds = scenery.mark("Grounds and train", (-36.8, -19.0, 36.8, 21.6), train)
    cars = [_car(number, x, settings.obstacles, train) for number, x in enumerate(CARS)]
    _serve(scene, cars, train)
    for car in cars:
        _fill(scene, car, settings.crowds["From the trains"].goal)
    _linger(scene, train)
    stage.camera(scene, place=(-30.0, 2.5, 14.0), target=(0.0, 13.0, 0.0), lens=30)
    return scene


def build_hall() -> bpy.types.Scene:
    """Build the hall, its doors, the places and the crowds between them, the light and the camera."""
    scene = stage.begin(frames=FRAMES)
    settings = stage.settings(scene)
    hall = stage.collection("Hall", scene.collection)
    obstacles = stage.collection("Obstacles", scene.collection)
    settings.obstacles = obstacles
    settings.bounds = scenery.mark("Grounds", (-22, -19, 22, 19), hall)
    settings.seed = 3
    _floor(hall)
    _walls(obstacles)
    _furnish(obstacles, hall)
    for number, x in enumerate(DOORS):
        _door(number, x, obstacles)
    _send_people(scene, hall)
    stage.sun_and_sky(scene, direction=(0.45, 0.75, -0.85), strength=3.2)
    stage.camera(scene, place=(-17.0, -27.0, 21.0), target=(0.6, -0.4, 0.0), lens=27)
    return scene


def _send_people(scene: bpy.types.Scene, hall: bpy.types.Collection) -> None:
    """Six crowds between the street, the platforms and the two sides of the hall."""
    street = scenery.mark("Street", (-17, -16.5, 17, -13.8), hall)
    platforms = scenery.mark("Platforms", (-17, 14.2, 17, 17), hall)
    west, east = _gate("West gate", -17.8, 0.5, hall), _gate("East gate", 17.8, -0.5, hall)
    _crowd(scene, "To the trains", street, platforms, 56, "SPREAD")
    _crowd(scene, "From the trains", platforms, street, 50, "SPREAD")
    _crowd(scene, "Eastward", west, east, 20, "SPREAD")
    _crowd(scene, "Westward", east, west, 20, "SPREAD")
    _crowd(scene, "Late for the trains", street, platforms, 28, "FLOW")
    _crowd(scene, "Just arrived", platforms, street, 26, "FLOW")


def _crowd(
    scene: bpy.types.Scene, name: str, start: bpy.types.Object, goal: bpy.types.Object, count: int, enter: str
) -> None:
    """Add a crowd from one place to another, either walking at the first frame or coming in one by one."""
    crowd = stage.add_crowd(scene)
    crowd.name, crowd.mode, crowd.start, crowd.goal, crowd.count = name, "AREAS", start, goal, count
    crowd.spawn.mode, crowd.spawn.rate, crowd.spawn.headway = enter, 3.0, 0.2
    crowd.arrival = "LEAVE"


def _gate(name: str, x: float, y: float, into: bpy.types.Collection) -> bpy.types.Object:
    """Mark a round place by an empty."""
    made = bpy.data.objects.new(name, None)
    made.empty_display_type, made.empty_display_size, made.location = "CIRCLE", 1.6, (x, y, 0.0)
    made.rotation_euler = (math.pi / 2, 0.0, 0.0)
    into.objects.link(made)
    return made


def _floor(hall: bpy.types.Collection) -> None:
    """Lay the street, the terrazzo of the hall with darker bands, and the platform with its edge line."""
    grounds = (
        ("Street paving", (-200, -90, 200, 12), (0.16, 0.16, 0.17), -0.012),
        ("Terrazzo", (-20, -12, 20, 12), (0.55, 0.5, 0.43), 0.0),
        ("Platform", (-200, 12, 200, 18.4), (0.36, 0.36, 0.36), -0.006),
        ("Edge line", (-200, 17.6, 200, 17.8), (0.85, 0.7, 0.1), 0.0),
        ("Track bed", (-200, 18.4, 200, 200), (0.07, 0.065, 0.06), -0.9),
    )
    for name, (x0, y0, x1, y1), colour, z in grounds:
        corners = [(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)]
        stage.from_faces(name, corners, [(0, 1, 2, 3)], stage.material(name, colour, roughness=0.55), hall)
    bands = [scenery.box(x, 0.0, 0.35, 23.6) for x in (-16, -8, 0, 8, 16)]
    bands += [scenery.box(0.0, y, 39.6, 0.35) for y in (-6, 6)]
    stage.solid("Bands", [(band, 0.001, 0.004) for band in bands], stage.material("Band", (0.2, 0.1, 0.08)), hall)


def _walls(obstacles: bpy.types.Collection) -> None:
    """Put up walls with entrances to the south, doors to the north, and none to the camera's height."""
    brick = stage.material("Brick", (0.42, 0.2, 0.13), roughness=0.9)
    plaster = stage.material("Plaster", (0.75, 0.7, 0.6), roughness=0.9)
    for name, y, gaps, width, paint, height in (
        ("South wall", -HALF_WIDTH, ENTRANCES, ENTRANCE_WIDTH, brick, 2.3),
        ("North wall", HALF_WIDTH, DOORS, DOOR_WIDTH, plaster, 3.6),
    ):
        left = -HALF_LENGTH
        parts = []
        for gap in (*gaps, None):
            right = HALF_LENGTH if gap is None else gap - width / 2
            parts.append((scenery.box((left + right) / 2, y, right - left, WALL), 0.0, height))
            left = right + width
        stage.solid(name, parts, paint, obstacles)
    for name, x in (("West wall", -HALF_LENGTH), ("East wall", HALF_LENGTH)):
        stage.solid(name, [(scenery.box(x, 0.0, WALL, 2 * HALF_WIDTH + WALL), 0.0, 2.3)], plaster, obstacles)


def _furnish(obstacles: bpy.types.Collection, hall: bpy.types.Collection) -> None:
    """Put pillars, kiosks with counters, benches, and ticket machines into the hall."""
    stone = stage.material("Stone", (0.62, 0.6, 0.56), roughness=0.6)
    for number, (x, y) in enumerate((x, y) for x in (-16, -8, 8, 16) for y in (-6, 6)):
        parts = [(stage.circle(x, y, 0.62, 24), 0.0, 0.3), (stage.circle(x, y, 0.45, 24), 0.3, 3.4)]
        stage.solid(f"Pillar {number + 1}", parts, stone, obstacles)
    green, cream = stage.material("Green", (0.05, 0.2, 0.14)), stage.material("Cream", (0.82, 0.74, 0.55))
    red = stage.material("Red", (0.5, 0.06, 0.04))
    for name, x, y, length, width, paint in (
        ("News kiosk", -11.5, 1.5, 3.4, 2.4, green),
        ("Bakery", 11.5, -1.0, 3.0, 3.0, red),
        ("Information", 0.0, 0.0, 2.6, 2.6, green),
    ):
        walls = [(scenery.box(x, y, length, width), 0.0, 1.1), (scenery.box(x, y, length - 0.5, width - 0.5), 1.1, 2.2)]
        stage.solid(name, walls, paint, obstacles)
        stage.solid(f"{name} roof", [(scenery.box(x, y, length + 0.5, width + 0.5), 2.2, 2.4)], cream, hall)
    wood = stage.material("Wood", (0.33, 0.18, 0.08))
    for number, (x, y) in enumerate(BENCHES):
        stage.solid(f"Bench {number + 1}", [(scenery.box(x, y, 2.2, 0.45), 0.0, 0.45)], wood, obstacles)
    steel = stage.material("Steel", (0.5, 0.52, 0.55), roughness=0.3, metallic=0.6)
    machines = [(scenery.box(x, -11.45, 0.8, 0.6), 0.0, 1.7) for x in (-6.4, -5.4, -4.4, 4.4, 5.4, 6.4)]
    stage.solid("Ticket machines", machines, steel, obstacles)


def _car(number: int, x: float, obstacles: bpy.types.Collection, train: bpy.types.Collection) -> Car:
    """Build a car whose doors slide open when the train calls: walls with openings, a roof, and marks for people."""
    blue, cream = stage.material("Train blue", (0.05, 0.12, 0.3)), stage.material("Train cream", (0.72, 0.68, 0.58))
    (length, width), thick = CAR, 0.12
    south, name = TRACKSIDE - width / 2 + thick / 2, f"Car {number + 1}"
    edges = [-length / 2, *(at + side * CAR_DOOR / 2 for at in CAR_DOORS for side in (-1, 1)), length / 2]
    walls = [((a + b) / 2 + x, south, b - a) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    walls.append((x, TRACKSIDE + width / 2 - thick / 2, length))
    ends = [scenery.box(x + side * (length / 2 - thick / 2), TRACKSIDE, thick, width) for side in (-1, 1)]
    low = [(scenery.box(at, y, long, thick), -0.5, 1.0) for at, y, long in walls]
    stage.solid(f"{name} walls", [*low, *((end, -0.5, 1.0) for end in ends)], blue, obstacles)
    posts = [
        (scenery.box(at + side * (long / 2 - 0.1), y, 0.2, thick), 1.0, 1.95)
        for at, y, long in walls
        for side in (-1, 1)
    ]
    tops = [(scenery.box(at, y, long, thick), 1.95, 2.45) for at, y, long in walls]
    stage.solid(f"{name} upper walls", [*posts, *tops, *((end, 1.0, 2.45) for end in ends)], cream, train)
    roof = [(scenery.box(x, TRACKSIDE, length, width), 2.45, 2.55), (scenery.box(x, TRACKSIDE, length, 2.0), 2.55, 2.7)]
    stage.solid(f"{name} roof", roof, stage.material("Train roof", (0.32, 0.33, 0.34)), train)
    floor = [(scenery.box(x, TRACKSIDE, length, width + 0.2), -0.2, 0.002)]
    stage.solid(f"{name} floor", floor, stage.material("Train floor", (0.22, 0.22, 0.24)), train)
    behind, beside = (stage.collection(f"{name} {where} doors", train) for where in ("behind", "beside"))
    for at in CAR_DOORS:
        stage.curve(f"{name} behind", [(x + at + 1.0, south + 0.65), (x + at - 1.0, south + 0.65)], behind)
        for side in (-1.0, 1.0):
            _leaf(f"{name} door", x + at, side, south, obstacles)
            points = [(x + at + side * out, 17.75 - back) for out, back in ((1.25, 0.0), (2.75, 0.35))]
            stage.curve(f"{name} beside", points[:: int(side)], beside)  # people face to its left: the train
    half = length / 2 - 0.6
    inside = scenery.mark(f"{name} inside", (x - half, south + 0.45, x + half, TRACKSIDE + width / 2 - 0.45), train)
    return Car(number, inside, behind, beside)


def _leaf(name: str, x: float, side: float, y: float, obstacles: bpy.types.Collection) -> None:
    """Hang a leaf of a train's door, which slides aside when the train calls."""
    half = CAR_DOOR / 2
    parts = [(scenery.box(0.0, 0.0, half, 0.1), 0.0, 1.0), (scenery.box(0.0, 0.0, half, 0.1), 1.9, 2.2)]
    parts += [(scenery.box(at, 0.0, 0.1, 0.1), 1.0, 1.9) for at in (-half / 2 + 0.05, half / 2 - 0.05)]
    leaf = stage.solid(name, parts, stage.material("Train door", (0.75, 0.55, 0.1), roughness=0.5), obstacles)
    shut, wide = x + side * half / 2, x + side * (1.5 * half - 0.02)
    leaf.location = (shut, y, 0.0)
    for frame, place in ((CALLS, shut), (CALLS + 14, wide)):
        leaf.location.x = place
        leaf.keyframe_insert("location", index=0, frame=frame)


def _serve(scene: bpy.types.Scene, cars: Sequence[Car], train: bpy.types.Collection) -> None:
    """Let those of the hall who go to the platforms get into the train, early ones when the others are out."""
    crowds = stage.settings(scene).crowds
    crowds["Just arrived"].start, crowds["Just arrived"].name = crowds["To the trains"].start, "Just in time"
    for name, car in (("Late for the trains", cars[0]), ("Just in time", cars[2])):
        crowds[name].goal, crowds[name].arrival = car.inside, "STOP"
    early = crowds["To the trains"]
    early.goal, early.arrival = scenery.mark("Before car 2", (-11.0, 14.0, 11.0, 16.6), train), "STOP"
    _board(scene, early.name, cars[1], later=1.5)


def _board(scene: bpy.types.Scene, crowd: str, car: Car, *, later: float = 0.0) -> None:
    """Let a crowd get into a car when others have had the time to get out, and so much later [s]."""
    _send(scene, crowd, car.inside, LETS_OUT + later, 0.3 * LETS_OUT)


def _send(scene: bpy.types.Scene, crowd: str, to: bpy.types.Object, delay: float, variation: float) -> None:
    """Let a crowd go to a place some seconds after the train opens its doors."""
    trigger = stage.settings(scene).triggers.add()
    trigger.name, trigger.frame, trigger.who, trigger.then, trigger.to = crowd, CALLS, crowd, "GO_TO", to
    trigger.delay, trigger.delay_variation, trigger.pace = delay, variation, 1.0


def _fill(scene: bpy.types.Scene, car: Car, street: bpy.types.Object) -> None:
    """Let people stand inside the doors of a car and get out when these open, and others get in after them."""
    number = car.number + 1
    for name, count, places, arrival in (
        (f"Out of car {number}", 12, car.behind_doors, "LEAVE"),
        (f"Into car {number}", 14, car.beside_doors, "STOP"),
    ):
        crowd = stage.add_crowd(scene)
        crowd.name, crowd.mode, crowd.count, crowd.arrival = name, "PLACE", count, arrival
        crowd.presence.places, crowd.presence.activities = places, {"STAND", "PHONE", "LOOK_ROUND"}
    _send(scene, f"Out of car {number}", street, 0.8, 0.3)
    _board(scene, f"Into car {number}", car)


def _linger(scene: bpy.types.Scene, train: bpy.types.Collection) -> None:
    """Let people sit on the benches of the hall, talk, and queue at the bakery."""
    seats, rings = stage.collection("Seats", train), stage.collection("Rings", train)
    for x, y in BENCHES:
        for aside in (-0.7, 0.0, 0.7):
            scenery.spot("Seat", (x + aside, y, 0.45), seats, turn=0.0 if y < 0.0 else math.pi)
    for number, (x, y) in enumerate(((-11.5, 4.7), (9.5, 8.7), (12.5, 4.0), (-16.5, -9.0))):
        scenery.mark(f"Ring {number + 1}", (x - 1.3, y - 1.3, x + 1.3, y + 1.3), rings)
    for name, places, count, seen in (("Sitting", seats, 8, {"SIT"}), ("Talking", rings, 8, {"TALK"})):
        crowd = stage.add_crowd(scene)
        crowd.name, crowd.mode, crowd.count = name, "PLACE", count
        crowd.presence.places, crowd.presence.activities = places, seen
    queue = scenery.spot("Bakery queue", (11.5, -3.2, 0.0), train, turn=math.pi)
    for name in ("Eastward", "Westward"):
        stop = stage.settings(scene).crowds[name].stops.add()
        stop.name, stop.place, stop.do, stop.stay, stop.share = "Bakery", queue, "QUEUE", 4.0, 0.3


def _door(number: int, x: float, obstacles: bpy.types.Collection) -> None:
    """Hang the two leaves of a door, which slide into the wall; most stand open all the time."""
    glass = stage.material("Glass", (0.25, 0.5, 0.55), roughness=0.1)
    frame = stage.material("Door frame", (0.1, 0.12, 0.13), roughness=0.4, metallic=0.5)
    for side, word in ((-1.0, "left"), (1.0, "right")):
        outline = scenery.box(0.0, 0.0, DOOR_WIDTH / 2, 0.12)
        rail = scenery.box(0.0, 0.0, DOOR_WIDTH / 2, 0.16)
        parts = [(rail, 0.0, 0.25), (outline, 0.25, 2.1), (rail, 2.1, 2.3)]
        leaf = stage.solid(f"Door {number + 1} {word}", parts, glass, obstacles)
        mesh: Any = leaf.data
        mesh.materials.append(frame)
        for face in mesh.polygons:
            face.material_index = int(not 6 <= face.index < 12)
        shut, wide = x + side * DOOR_WIDTH / 4, x + side * (3 * DOOR_WIDTH / 4 - 0.02)
        keys = {OPENED_LATE: ((OPENS, shut), (OPENS + SLIDING, wide))}
        keys[CLOSED_EARLY] = ((CLOSES, wide), (CLOSES + SLIDING, shut))
        leaf.location = (wide, HALF_WIDTH, 0.0)
        for when, place in keys.get(number, ()):
            leaf.location.x = place
            leaf.keyframe_insert("location", index=0, frame=when)


if __name__ == "__main__":
    waiting = stage.CloseUp("station_train", CALLS - 5, place=(-9.5, 15.4, 2.2), target=(4.0, 17.9, 1.1), lens=30)
    stage.show("station", build, description=__doc__ or "", picture=115, film=(90, 185), close_up=waiting)
