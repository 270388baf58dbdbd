# SPDX-License-Identifier: GPL-3.0-or-later
"""A parade over hilly ground: 30 people on a winding path, seen from close to the ground, where feet show.

    python blend_examples/parade.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/parade.py -- --out out       with Blender

Saves parade.blend and renders parade.png, parade.mp4 and, of feet alone, parade_feet.mp4.
"""

from __future__ import annotations

import json
import math
import sys
from itertools import pairwise
from pathlib import Path

import bpy

if __package__:  # opened from the panel
    from . import stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import stage

FRAMES = (1, 160)
PATH = [(-16, -3), (-10, 1.5), (-5, -0.5), (0, -1.5), (4.5, 1.0), (9, -1), (15, 1)]


def height(x: float, y: float) -> float:
    """Height of the hills [m]: slopes of up to one in eight."""
    return 0.45 * math.sin(0.27 * x + 0.4) + 0.18 * math.sin(0.5 * y + 0.31 * x)


def build() -> bpy.types.Scene:
    """Build the hills, the path, the people, the light and the camera."""
    scene = stage.begin(frames=FRAMES)
    settings = stage.settings(scene)
    land = stage.collection("Land", scene.collection)
    settings.ground = _hills(land)
    settings.seed = 2
    path = stage.curve("Path", PATH, land)
    crowd = stage.add_crowd(scene)
    crowd.name, crowd.route, crowd.count, crowd.path_width = "Parade", path, 30, 2.4
    crowd.spawn.mode = "SPREAD"
    crowd.speed.mean, crowd.speed.sd = 1.2, 0.1
    stage.sun_and_sky(scene, direction=(0.6, 0.7, -0.55))
    place = (1.6, -6.2, height(1.6, -6.2) + 0.75)
    stage.camera(scene, place=place, target=(-0.4, -0.6, height(-0.4, -0.6) + 0.72), lens=34)
    return scene


def _look_at_feet(scene: bpy.types.Scene) -> None:
    """Put the camera beside the path, knee-high."""
    place = (0.7, -4.1, height(0.7, -4.1) + 0.5)
    stage.camera(scene, place=place, target=(-0.15, -1.0, height(-0.15, -1.0) + 0.36), lens=32)


def _hills(land: bpy.types.Collection) -> bpy.types.Object:
    """Lay the ground as a fine grid, smooth, in the green of a mown meadow, with a trodden path in it."""
    grass = stage.material("Grass", (0.16, 0.27, 0.07), roughness=1.0)
    earth = stage.material("Earth", (0.42, 0.33, 0.22), roughness=1.0)
    across, along, cell = 240, 400, 0.125
    corners = [
        (x, y, height(x, y))
        for x in (cell * (column - along / 2) for column in range(along + 1))
        for y in (cell * (row - across / 2) for row in range(across + 1))
    ]
    faces = [
        (k, k + across + 1, k + across + 2, k + 1)
        for column in range(along)
        for k in range(column * (across + 1), column * (across + 1) + across)
    ]
    ground = stage.from_faces("Hills", corners, faces, grass, land, smooth=True)
    ground.data.materials.append(earth)
    trodden = [int(_is_trodden(*corners[face[0]][:2])) for face in faces]
    ground.data.polygons.foreach_set("material_index", trodden)
    return ground


def _is_trodden(x: float, y: float) -> bool:
    """Whether the path runs near a place."""
    for (x0, y0), (x1, y1) in pairwise(PATH):
        part = max(0.0, min(1.0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2)))
        if math.hypot(x - x0 - part * (x1 - x0), y - y0 - part * (y1 - y0)) < 1.7:
            return True
    return False


def main() -> None:
    """Build, bake, save, render, and print the report."""
    wanted = stage.arguments(__doc__ or "")
    scene = build()
    bpy.ops.footfall.bake()  # ty: ignore[missing-attribute]
    bpy.ops.wm.save_as_mainfile(filepath=str(wanted.out / "parade.blend"), compress=True)
    report = json.loads(stage.settings(scene).report)
    print(json.dumps(report["total"], indent=2))
    for notice in report["notices"]:
        print(notice)
    stage.still(scene, wanted.out / "parade.png", frame=80, samples=wanted.samples)
    if not wanted.still_only:
        stage.clip(scene, wanted.out / "parade.mp4", frames=(70, 129))
        _look_at_feet(scene)
        stage.clip(scene, wanted.out / "parade_feet.mp4", frames=(60, 127), size=(480, 270))


if __name__ == "__main__":
    main()
