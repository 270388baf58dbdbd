# SPDX-License-Identifier: GPL-3.0-or-later
"""A crossing: four streams of 50 people each meet in the middle of a square and pass through each other.

    python blend_examples/crossing.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/crossing.py -- --out out       with Blender

Saves crossing.blend and renders crossing.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

if __package__:  # opened from the panel
    from . import stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import stage

FRAMES = (1, 1100)
A_STREAM = 50
NEAR, FAR, HALF = 7.5, 16.5, 3.5
SIDES = {"West": (-1, 0), "South": (0, -1), "East": (1, 0), "North": (0, 1)}
COLOURS = {"West": (0.65, 0.24, 0.16), "South": (0.75, 0.55, 0.2), "East": (0.2, 0.38, 0.5), "North": (0.3, 0.42, 0.22)}


def build() -> bpy.types.Scene:
    """Build the square, a field of colour for each stream to start from, the crowds, the light and the camera."""
    scene = stage.begin(frames=FRAMES)
    stage.settings(scene).seed = 2
    square = stage.collection("Square", scene.collection)
    ground = stage.material("Asphalt", (0.2, 0.2, 0.21), roughness=0.95)
    corners = [(-40.0, -40.0, -0.02), (40.0, -40.0, -0.02), (40.0, 40.0, -0.02), (-40.0, 40.0, -0.02)]
    stage.from_faces("Ground", corners, [(0, 1, 2, 3)], ground, square)
    _stripes(square)
    fields = {name: _field(name, side, square) for name, side in SIDES.items()}
    opposite = {"West": "East", "East": "West", "South": "North", "North": "South"}
    for name, field in fields.items():
        _stream(scene, f"From {name}", field, fields[opposite[name]])
    stage.sun_and_sky(scene, direction=(0.5, 0.6, -0.8))
    stage.camera(scene, place=(-10.0, -17.0, 15.0), target=(0.0, -0.5, 0.0), lens=30)
    return scene


def _field(name: str, side: tuple[int, int], square: bpy.types.Collection) -> bpy.types.Object:
    """Lay the field on one side of the square: where a stream starts, and the one from across goes to."""
    along, across = side, (-side[1], side[0])
    corners = [
        (a * along[0] + b * across[0], a * along[1] + b * across[1], 0.0)
        for a, b in ((NEAR, -HALF), (FAR, -HALF), (FAR, HALF), (NEAR, HALF))
    ]
    return stage.from_faces(name, corners, [(0, 1, 2, 3)], stage.material(name, COLOURS[name], roughness=0.9), square)


def _stripes(square: bpy.types.Collection) -> None:
    """Paint the white stripes of a crossing before each field."""
    white = stage.material("Stripes", (0.75, 0.75, 0.72), roughness=0.8)
    corners: list[tuple[float, float, float]] = []
    faces = []
    for along, across in (((1, 0), (0, 1)), ((-1, 0), (0, 1)), ((0, 1), (1, 0)), ((0, -1), (1, 0))):
        for number in range(7):
            low = -HALF + number + 0.2
            faces.append(tuple(range(len(corners), len(corners) + 4)))
            corners += [
                (a * along[0] + b * across[0], a * along[1] + b * across[1], 0.002)
                for a, b in ((4.2, low), (6.8, low), (6.8, low + 0.6), (4.2, low + 0.6))
            ]
    stage.from_faces("Stripes", corners, faces, white, square)


def _stream(scene: bpy.types.Scene, name: str, start: bpy.types.Object, goal: bpy.types.Object) -> None:
    """Add a crowd that crosses from a field to the one across, as instances."""
    crowd = stage.add_crowd(scene)
    crowd.name, crowd.count = name, A_STREAM
    crowd.mode, crowd.start, crowd.goal = "AREAS", start, goal
    crowd.arrival, crowd.output = "STOP", "INSTANCES"


if __name__ == "__main__":
    stage.show("crossing", build, description=__doc__ or "", picture=165)
