# SPDX-License-Identifier: GPL-3.0-or-later
"""A ring of 24 people who all cross to the opposite side at once, each from one spot on the ground to the one across.

    python blend_examples/rings.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/rings.py -- --out out       with Blender

Saves rings.blend and renders rings.png.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import bpy

if __package__:  # opened from the panel
    from . import stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import stage

FRAMES = (1, 300)
PEOPLE, RADIUS, SPOT = 24, 5.5, 0.42


def build() -> bpy.types.Scene:
    """Build the ground, the spots, a crowd of one on each, the light and the camera."""
    scene = stage.begin(frames=FRAMES)
    stage.settings(scene).seed = 3
    plaza = stage.collection("Plaza", scene.collection)
    ground = stage.material("Ground", (0.42, 0.4, 0.37), roughness=0.95)
    corners = [(-40.0, -40.0, -0.02), (40.0, -40.0, -0.02), (40.0, 40.0, -0.02), (-40.0, 40.0, -0.02)]
    stage.from_faces("Ground", corners, [(0, 1, 2, 3)], ground, plaza)
    spots = [_spot(number, plaza) for number in range(PEOPLE)]
    for number, spot in enumerate(spots):
        crowd = stage.add_crowd(scene)
        crowd.name, crowd.count, crowd.mode = f"Person {number + 1}", 1, "AREAS"
        crowd.start, crowd.goal = spot, spots[(number + PEOPLE // 2) % PEOPLE]
    stage.sun_and_sky(scene, direction=(0.6, 0.5, -0.7))
    stage.camera(scene, place=(-5.5, -10.5, 7.5), target=(0.0, -0.3, 0.2), lens=32)
    return scene


def _spot(number: int, plaza: bpy.types.Collection) -> bpy.types.Object:
    """Lay a round spot on the ring, in its turn of the rainbow."""
    turn = 2 * math.pi * number / PEOPLE
    x, y = RADIUS * math.cos(turn), RADIUS * math.sin(turn)
    corners = [
        (x + SPOT * math.cos(2 * math.pi * k / 24), y + SPOT * math.sin(2 * math.pi * k / 24), 0.0) for k in range(24)
    ]
    colour = [0.35 + 0.3 * math.cos(turn - shift) for shift in (0.0, 2.1, 4.2)]
    paint = stage.material(f"Spot {number + 1}", colour, roughness=0.8)
    return stage.from_faces(f"Spot {number + 1}", corners, [tuple(range(24))], paint, plaza)


if __name__ == "__main__":
    stage.show("rings", build, description=__doc__ or "", picture=75)
