# SPDX-License-Identifier: GPL-3.0-or-later
"""A city square: 40 people on a path of many bends, round a fountain, a kiosk, a hedge, and a cart that drives across.

    python blend_examples/plaza.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/plaza.py -- --out out       with Blender

Saves plaza.blend and renders plaza.png and plaza.mp4.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import bpy

if __package__:  # opened from the panel
    from . import scenery, stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import scenery
    import stage

FRAMES = (1, 240)
PATH = [(-21, -6), (-14, 4), (-7, 5.5), (-2, -2.5), (5, -5), (11, 2.5), (17, 5), (23, -3)]


def build() -> bpy.types.Scene:
    """Build the square, its obstacles, the two streams of people, the light and the camera."""
    scene = stage.begin(frames=FRAMES)
    settings = stage.settings(scene)
    square = stage.collection("Square", scene.collection)
    obstacles = stage.collection("Obstacles", scene.collection)
    _surround(square)
    _obstruct(obstacles)
    settings.obstacles = obstacles
    settings.seed = 4
    there = stage.curve("Path", PATH, square)
    stage.ribbon("Band", there, 4.4, stage.material("Band", (0.62, 0.55, 0.45), roughness=0.9), square)
    back = stage.curve("Way back", PATH[::-1], square)
    _people(scene, "Walkers", there, 26)
    _people(scene, "Returning", back, 14)
    stage.sun_and_sky(scene, direction=(0.8, 0.55, -0.6))
    stage.camera(scene, place=(-4.5, -18.5, 5.8), target=(0.6, 0.6, 0.75), lens=31)
    return scene


def _people(scene: bpy.types.Scene, name: str, route: bpy.types.Object, count: int) -> None:
    """Add a crowd that is spread over its route at the first frame."""
    crowd = stage.add_crowd(scene)
    crowd.name, crowd.route, crowd.count = name, route, count
    crowd.path_width = 4.0
    crowd.spawn.mode = "SPREAD"
    crowd.arrival = "LEAVE"


def _surround(square: bpy.types.Collection) -> None:
    """Pave the square, put houses round its far sides, and trees before them."""
    scenery.pave((-28, -26, 28, 13), (0.46, 0.42, 0.37), square)
    scenery.houses([(9, 9), (12, 11.5), (8, 8.5), (11, 10.5), (10, 9), (12, 12)], (-30.0, 14.0), square)
    for number, x in enumerate((-24, -15, -5, 4, 13, 22)):
        scenery.tree(f"Tree {number + 1}", x, 11.0, 1.0 + 0.12 * math.sin(3 * number), square)


def _obstruct(obstacles: bpy.types.Collection) -> None:
    """Put the obstacles: a round fountain, a kiosk with eaves, an angled hedge, and a cart that drives across."""
    stone = stage.material("Stone", (0.62, 0.6, 0.55), roughness=0.7)
    water = stage.material("Water", (0.1, 0.32, 0.4), roughness=0.08)
    rim = [(stage.circle(-10.5, 4.9, 1.5, 40), 0.0, 0.5), (stage.circle(-10.5, 4.9, 0.22, 16), 0.5, 1.3)]
    rim.append((stage.circle(-10.5, 4.9, 0.7, 24), 1.3, 1.42))
    stage.solid("Fountain", rim, stone, obstacles)
    stage.solid("Fountain water", [(stage.circle(-10.5, 4.9, 1.3, 40), 0.5, 0.51)], water, obstacles)
    wood = stage.material("Kiosk green", (0.06, 0.22, 0.17))
    roof = stage.material("Kiosk roof", (0.75, 0.68, 0.5))
    stage.solid("Kiosk", [(scenery.box(1.6, -4.6, 2.0, 1.7), 0, 2.3)], wood, obstacles)
    stage.solid(
        "Kiosk roof",
        [(scenery.box(1.6, -4.6, 2.7, 2.4), 2.3, 2.45), (scenery.box(1.6, -4.6, 1.6, 1.3), 2.45, 2.7)],
        roof,
        obstacles,
    )
    box = stage.material("Hedge", (0.09, 0.2, 0.05))
    angle = [(8.6, -1.2), (12.2, -1.2), (12.2, 2.2), (11.4, 2.2), (11.4, -0.4), (8.6, -0.4)]
    stage.solid("Hedge", [(angle, 0, 0.9)], box, obstacles)
    _cart(obstacles)


def _cart(obstacles: bpy.types.Collection) -> None:
    """A sweeper's cart: drives across the path and back, turning on the way."""
    paint = stage.material("Cart orange", (0.85, 0.3, 0.04), roughness=0.5)
    parts = [(scenery.box(0, 0, 1.9, 1.1), 0.25, 0.95), (scenery.box(0.55, 0, 0.7, 1.0), 0.95, 1.75)]
    parts += [(scenery.box(x, y, 0.4, 0.16), 0.0, 0.4) for x in (-0.6, 0.6) for y in (-0.55, 0.55)]
    cart = stage.solid("Cart", parts, paint, obstacles)
    for frame, x, y, yaw in ((1, -4.0, 9.0, -90), (110, -4.8, -8.0, -90), (140, -4.8, -8.0, 90), (240, -4.2, 6.0, 90)):
        cart.location, cart.rotation_euler = (x, y, 0.0), (0.0, 0.0, math.radians(yaw))
        cart.keyframe_insert("location", frame=frame)
        cart.keyframe_insert("rotation_euler", index=2, frame=frame)


if __name__ == "__main__":
    stage.show("plaza", build, description=__doc__ or "", picture=70, film=(60, 131))
