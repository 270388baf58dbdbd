# SPDX-License-Identifier: GPL-3.0-or-later
"""A station hall: 200 people find their own ways between gates, round pillars and kiosks, through doors that move.

    python blend_examples/station.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/station.py -- --out out       with Blender

Nobody draws a route: each crowd has a place to start from and a place to go to. Two of the four doors to the platforms
move: one is opened late, and one is closed while people are on their way to it. Saves station.blend and renders
station.png and station.mp4.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import bpy

if __package__:  # opened from the panel
    from . import stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import stage

FRAMES = (1, 360)
HALF_LENGTH, HALF_WIDTH, WALL = 20.0, 12.0, 0.4  # of the hall [m]
DOORS = (-13.5, -4.5, 4.5, 13.5)  # x of the doors to the platforms [m]
ENTRANCES = (-11.0, 0.0, 11.0)  # x of the entrances from the street [m]
DOOR_WIDTH, ENTRANCE_WIDTH = 2.8, 4.0
OPENED_LATE, CLOSED_EARLY = 1, 2  # which of the doors move
OPENS, CLOSES = 110, 120  # [frames] and take so long:
SLIDING = 30

Outline = list[tuple[float, float]]


def build() -> bpy.types.Scene:
    """Build the hall, its doors, the places and the crowds between them, the light and the camera."""
    scene = stage.begin(frames=FRAMES)
    settings = stage.settings(scene)
    hall = stage.collection("Hall", scene.collection)
    obstacles = stage.collection("Obstacles", scene.collection)
    settings.obstacles = obstacles
    settings.bounds = _place("Grounds", (-22, -19, 22, 19), hall)
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
    street = _place("Street", (-17, -16.5, 17, -13.8), hall)
    platforms = _place("Platforms", (-17, 14.2, 17, 17), hall)
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
    """Add a crowd from one place to another, either under way at the first frame or coming in one by one."""
    bpy.ops.footfall.crowd_add()  # pyright: ignore[reportAttributeAccessIssue]
    crowd: Any = stage.settings(scene).crowds[-1]
    crowd.name, crowd.mode, crowd.start, crowd.goal, crowd.count = name, "AREAS", start, goal, count
    crowd.spawn.mode, crowd.spawn.rate, crowd.spawn.headway = enter, 3.0, 0.2
    crowd.arrival = "LEAVE"


def _place(name: str, box: tuple[float, float, float, float], into: bpy.types.Collection) -> bpy.types.Object:
    """Mark a place by a flat mesh that is shown as wire and not rendered."""
    x0, y0, x1, y1 = box
    corners = [(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)]
    made = stage.from_faces(name, corners, [(0, 1, 2, 3)], stage.material("Place", (0.2, 0.5, 0.9)), into)
    made.display_type, made.hide_render = "WIRE", True
    return made


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
    bands = [_box(x, 0.0, 0.35, 23.6) for x in (-16, -8, 0, 8, 16)] + [_box(0.0, y, 39.6, 0.35) for y in (-6, 6)]
    _train(hall)
    stage.solid("Bands", [(band, 0.001, 0.004) for band in bands], stage.material("Band", (0.2, 0.1, 0.08)), hall)


def _train(hall: bpy.types.Collection) -> None:
    """Let a train of three cars stand beyond the platform's edge."""
    cream, blue = stage.material("Train cream", (0.72, 0.68, 0.58)), stage.material("Train blue", (0.05, 0.12, 0.3))
    glass = stage.material("Train window", (0.03, 0.04, 0.06), roughness=0.15)
    for number, x in enumerate((-24.5, 0.0, 24.5)):
        stage.solid(f"Car {number + 1} body", [(_box(x, 20.4, 23.6, 2.9), -0.5, 0.75)], blue, hall)
        stage.solid(f"Car {number + 1} top", [(_box(x, 20.4, 23.6, 2.9), 0.75, 2.6)], cream, hall)
        panes = [(_box(x + 2.0 * k, 20.4, 1.3, 2.94), 1.05, 1.9) for k in range(-5, 6)]
        stage.solid(f"Car {number + 1} windows", panes, glass, hall)


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
            parts.append((_box((left + right) / 2, y, right - left, WALL), 0.0, height))
            left = right + width
        stage.solid(name, parts, paint, obstacles)
    for name, x in (("West wall", -HALF_LENGTH), ("East wall", HALF_LENGTH)):
        stage.solid(name, [(_box(x, 0.0, WALL, 2 * HALF_WIDTH + WALL), 0.0, 2.3)], plaster, obstacles)


def _furnish(obstacles: bpy.types.Collection, hall: bpy.types.Collection) -> None:
    """Put pillars, kiosks with counters, benches, and ticket machines into the hall."""
    stone = stage.material("Stone", (0.62, 0.6, 0.56), roughness=0.6)
    for number, (x, y) in enumerate((x, y) for x in (-16, -8, 8, 16) for y in (-6, 6)):
        parts = [(_circle(x, y, 0.62, 24), 0.0, 0.3), (_circle(x, y, 0.45, 24), 0.3, 3.4)]
        stage.solid(f"Pillar {number + 1}", parts, stone, obstacles)
    green, cream = stage.material("Green", (0.05, 0.2, 0.14)), stage.material("Cream", (0.82, 0.74, 0.55))
    red = stage.material("Red", (0.5, 0.06, 0.04))
    for name, x, y, length, width, paint in (
        ("News kiosk", -11.5, 1.5, 3.4, 2.4, green),
        ("Bakery", 11.5, -1.0, 3.0, 3.0, red),
        ("Information", 0.0, 0.0, 2.6, 2.6, green),
    ):
        walls = [(_box(x, y, length, width), 0.0, 1.1), (_box(x, y, length - 0.5, width - 0.5), 1.1, 2.2)]
        stage.solid(name, walls, paint, obstacles)
        stage.solid(f"{name} roof", [(_box(x, y, length + 0.5, width + 0.5), 2.2, 2.4)], cream, hall)
    wood = stage.material("Wood", (0.33, 0.18, 0.08))
    for number, (x, y) in enumerate(((-4.2, 6.0), (4.2, 6.0), (-4.2, -6.2), (4.2, -6.2))):
        stage.solid(f"Bench {number + 1}", [(_box(x, y, 2.2, 0.55), 0.0, 0.45)], wood, obstacles)
    steel = stage.material("Steel", (0.5, 0.52, 0.55), roughness=0.3, metallic=0.6)
    machines = [(_box(x, -11.45, 0.8, 0.6), 0.0, 1.7) for x in (-6.4, -5.4, -4.4, 4.4, 5.4, 6.4)]
    stage.solid("Ticket machines", machines, steel, obstacles)


def _door(number: int, x: float, obstacles: bpy.types.Collection) -> None:
    """Hang the two leaves of a door, which slide into the wall; most stand open all the time."""
    glass = stage.material("Glass", (0.25, 0.5, 0.55), roughness=0.1)
    frame = stage.material("Door frame", (0.1, 0.12, 0.13), roughness=0.4, metallic=0.5)
    for side, word in ((-1.0, "left"), (1.0, "right")):
        outline = _box(0.0, 0.0, DOOR_WIDTH / 2, 0.12)
        rail = _box(0.0, 0.0, DOOR_WIDTH / 2, 0.16)
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


def _circle(x: float, y: float, radius: float, sides: int) -> Outline:
    turns = [2 * math.pi * k / sides for k in range(sides)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


def _box(x: float, y: float, length: float, width: float) -> Outline:
    a, b = length / 2, width / 2
    return [(x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b)]


if __name__ == "__main__":
    stage.show("station", build, description=__doc__ or "", picture=150, film=(90, 185))
