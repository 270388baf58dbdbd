# SPDX-License-Identifier: GPL-3.0-or-later
"""An avenue: 60 vehicles on two lanes each way and on a street across, 40 people at a crossing, a van broken down.

    python blend_examples/avenue.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/avenue.py -- --out out       with Blender

Saves avenue.blend and renders avenue.png.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import bpy

if __package__:  # opened from the panel
    from . import stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import stage

FRAMES = (1, 700)
LANE = 3.5
HALF = 2 * LANE  # from the middle of the avenue to its kerb [m]
STREET = 24.0  # where the street crosses
ZEBRA = (-4.0, 0.0)  # the people's crossing, from where to where along the avenue
LONG, DEEP = 170.0, 90.0  # half the length of the avenue and of the street [m]


def build() -> bpy.types.Scene:
    """Build the roads, the crossing, the houses and the van; the crowds; the light and the camera."""
    scene = stage.begin(frames=FRAMES)
    settings = stage.settings(scene)
    settings.seed = 4
    town = stage.collection("Town", scene.collection)
    _pave(town)
    _paint_lines(town)
    _houses(town)
    standing = stage.collection("Obstacles", scene.collection)
    _broken_van(standing)
    settings.obstacles = standing
    settings.crossings = stage.collection("Crossings", scene.collection)
    _zebra(settings.crossings)
    avenue = _line("Avenue", (-LONG, 0.0), (LONG, 0.0), town)
    street = _line("Street", (STREET, -DEEP), (STREET, DEEP), town)
    for name, kind, count, rate in (("Cars", "CAR", 30, 0.9), ("Buses", "BUS", 4, 0.08), ("Vans", "VAN", 6, 0.15)):
        _vehicles(scene, name, avenue, kind=kind, count=count, rate=rate, lanes=2, priority="MAIN")
    for name, kind, count, rate in (("Street Cars", "CAR", 12, 0.35), ("Bicycles", "BICYCLE", 8, 0.25)):
        _vehicles(scene, name, street, kind=kind, count=count, rate=rate, lanes=1, priority="STOP")
    _people(scene, "Northwards", -1.0, town)
    _people(scene, "Southwards", 1.0, town)
    stage.sun_and_sky(scene, direction=(-0.45, 0.6, -0.75))
    stage.camera(scene, place=(-30.0, -19.0, 12.5), target=(4.0, 0.5, 0.0), lens=30)
    return scene


def _line(name: str, start: tuple[float, float], end: tuple[float, float], into: bpy.types.Collection) -> Any:
    middle = (0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1]))
    return stage.curve(name, [start, middle, end], into)


def _rectangle(
    name: str, x: tuple[float, float], y: tuple[float, float], height: float, paint: Any, into: bpy.types.Collection
) -> bpy.types.Object:
    corners = [(x[0], y[0], height), (x[1], y[0], height), (x[1], y[1], height), (x[0], y[1], height)]
    return stage.from_faces(name, corners, [(0, 1, 2, 3)], paint, into)


def _pave(town: bpy.types.Collection) -> None:
    paving = stage.material("Paving", (0.42, 0.4, 0.37), roughness=0.95)
    asphalt = stage.material("Asphalt", (0.11, 0.112, 0.12), roughness=0.95)
    _rectangle("Paving", (-400.0, 400.0), (-400.0, 400.0), -0.02, paving, town)
    _rectangle("Avenue Asphalt", (-400.0, 400.0), (-HALF, HALF), -0.008, asphalt, town)
    _rectangle("Street Asphalt", (STREET - LANE, STREET + LANE), (-400.0, 400.0), -0.006, asphalt, town)


def _paint_lines(town: bpy.types.Collection) -> None:
    """Paint the middle of both roads, and dashes between lanes."""
    white = stage.material("Road Paint", (0.78, 0.78, 0.75))
    for number, (low, high) in enumerate(((-LONG, ZEBRA[0] - 2), (ZEBRA[1] + 2, STREET - LANE), (STREET + LANE, LONG))):
        _rectangle(f"Middle {number}", (low, high), (-0.08, 0.08), 0.0, white, town)
        for side in (-LANE, LANE):
            for dash in range(int((high - low) // 6.0)):
                start = low + 6.0 * dash
                _rectangle(f"Dash {number}", (start, start + 3.0), (side - 0.06, side + 0.06), 0.0, white, town)
    for low, high in ((-DEEP, -HALF), (HALF, DEEP)):
        _rectangle("Street Middle", (STREET - 0.06, STREET + 0.06), (low, high), 0.0, white, town)
    for y, x in ((-HALF - 0.7, STREET + 0.2), (HALF + 0.3, STREET - LANE + 0.2)):
        _rectangle("Stop Line", (x, x + LANE - 0.4), (y, y + 0.4), 0.0, white, town)
    for stripe in range(14):
        low = -HALF + stripe + 0.2
        _rectangle("Stripe", ZEBRA, (low, low + 0.55), 0.002, white, town)


def _zebra(crossings: bpy.types.Collection) -> None:
    """Mark the crossing itself, unseen: the stripes show it."""
    mark = _rectangle("Zebra", ZEBRA, (-HALF, HALF), 0.0, stage.material("Road Paint", (0.78, 0.78, 0.75)), crossings)
    mark.hide_render = True


def _houses(town: bpy.types.Collection) -> None:
    walls = [
        stage.material(f"Wall {number}", colour, roughness=0.9)
        for number, colour in enumerate(((0.55, 0.42, 0.3), (0.6, 0.56, 0.5), (0.42, 0.25, 0.19), (0.5, 0.5, 0.46)))
    ]
    panes = stage.material("Panes", (0.05, 0.06, 0.08), roughness=0.15)
    for number in range(14):
        x = -52.0 + 17.0 * number + (11.0 if -52.0 + 17.0 * number > STREET - 16.0 else 0.0)
        high = 9.0 + 3.2 * (number * 5 % 3)
        outline = [(x, 15.0), (x + 15.5, 15.0), (x + 15.5, 28.0), (x, 28.0)]
        stage.solid(f"House {number}", [(outline, 0.0, high)], walls[number % 4], town)
        windows = [
            ([(u, 14.96), (u + 1.3, 14.96), (u + 1.3, 15.0), (u, 15.0)], low, low + 1.7)
            for low in [1.0 + 3.1 * storey for storey in range(int(high // 3.1))]
            for u in [x + 1.3 + 2.9 * column for column in range(5)]
        ]
        stage.solid(f"Windows {number}", windows, panes, town)


def _broken_van(standing: bpy.types.Collection) -> None:
    """Leave a van standing on the right lane."""
    outline = [(-24.0, -HALF + 0.7), (-18.5, -HALF + 0.7), (-18.5, -HALF + 2.7), (-24.0, -HALF + 2.7)]
    paint = stage.material("Broken Van", (0.65, 0.3, 0.04), roughness=0.4)
    cab = [(-19.6, -HALF + 0.8), (-18.6, -HALF + 0.8), (-18.6, -HALF + 2.6), (-19.6, -HALF + 2.6)]
    box = [(-24.0, -HALF + 0.7), (-19.7, -HALF + 0.7), (-19.7, -HALF + 2.7), (-24.0, -HALF + 2.7)]
    stage.solid("Broken-down Van", [(outline, 0.35, 1.0), (box, 1.0, 2.3), (cab, 1.0, 1.9)], paint, standing)
    tyre = stage.material("Tyres", (0.012, 0.012, 0.013))
    wheels = [
        ([(x, y), (x + 0.66, y), (x + 0.66, y + 0.2), (x, y + 0.2)], 0.0, 0.6)
        for x in (-23.3, -20.0)
        for y in (-HALF + 0.72, -HALF + 2.48)
    ]
    stage.solid("Broken-down Wheels", wheels, tyre, standing)


def _vehicles(
    scene: bpy.types.Scene,
    name: str,
    road: bpy.types.Object,
    *,
    kind: str,
    count: int,
    rate: float,
    lanes: int,
    priority: str,
) -> None:
    """Let vehicles of a kind come into a road from both ends, one by one."""
    crowd = stage.add_crowd(scene)
    crowd.name, crowd.kind, crowd.route, crowd.count = name, "VEHICLE", road, count
    vehicle = crowd.vehicle
    vehicle.kind, vehicle.lanes, vehicle.lane_width = kind, lanes, LANE
    vehicle.two_way, vehicle.priority = True, priority
    crowd.spawn.mode, crowd.spawn.rate, crowd.arrival = "FLOW", rate, "LEAVE"


def _people(scene: bpy.types.Scene, name: str, side: float, town: bpy.types.Collection) -> None:
    """Let 20 people cross the avenue, from one pavement to the other."""
    x = sum(ZEBRA) / 2 + 0.8 * side
    route = stage.curve(name, [(x, side * (HALF + 5.0)), (x, 0.0), (x, -side * (HALF + 5.0))], town)
    crowd = stage.add_crowd(scene)
    crowd.name, crowd.route, crowd.count, crowd.path_width = name, route, 20, 1.4
    crowd.spawn.mode, crowd.spawn.rate, crowd.arrival = "FLOW", 0.7, "LEAVE"


if __name__ == "__main__":
    stage.show("avenue", build, description=__doc__ or "", picture=420)
