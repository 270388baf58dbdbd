# SPDX-License-Identifier: GPL-3.0-or-later
"""Bends: how closely people keep to a drawn line, through bends, past obstacles and back, and round ever tighter turns.

    python blend_examples/bends.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/bends.py -- --out out       with Blender

Saves bends.blend and renders two pictures: bends.png, the same line of many bends free, with obstacles on it, and with
one so wide that the line is left and taken up again; and bends_tight.png, four turns of growing curvature. Drawn lines
are blue, walked tracks orange. They are the situations of figures 4 and 5 of the paper on virtual characters that
follow curves by Frenet planning (Werling et al. 2010), which lost the line in strong bends and had no plan for the
tightest.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

import bpy

if __package__:  # opened from the panel
    from . import stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import stage

FRAMES = (1, 580)
PICTURE = 230
WALKERS = 3

SNAKE = [(0, 0), (3, 1.9), (6, -1.6), (8.6, 1.8), (11.2, -1.7), (13.4, 1.3), (16, -0.4), (19, 0)]
ROWS = (("free", 13.0), ("obstacles", 6.5), ("off and back", 0.0))
RADII = (3.0, 1.5, 0.75, 0.3)
TURN = math.radians(165.0)
STRAIGHT = 6.0
TIGHT_AT = (40.0, 0.0)
VIEWS = {
    "bends": ((9.5, -14.0, 30.0), (9.5, 6.0, 0.0), 43),
    "bends_tight": ((51.8, -13.5, 29.0), (51.8, 3.3, 0.0), 37),
}

Point = tuple[float, float]


def build() -> bpy.types.Scene:
    """Build the lines, the obstacles and the people, for both pictures."""
    scene = stage.begin(frames=FRAMES)
    board = stage.collection("Board", scene.collection)
    obstacles = stage.collection("Obstacles", scene.collection)
    stage.settings(scene).obstacles = obstacles
    _lay_ground(board)
    for name, y in ROWS:
        _line(scene, name, [(x, y + dy) for x, dy in SNAKE], board)
        stage.words(name, (-0.3, y + 2.6), 0.75, stage.material("Ink", (0.05, 0.06, 0.08)), board)
    _obstruct(obstacles)
    x, y = TIGHT_AT
    for radius in RADII:
        name = f"radius {radius:g} m"
        _line(scene, name, _turn(x, y, radius), board)
        stage.words(name, (x - 0.7, y - 1.3), 0.6, stage.material("Ink", (0.05, 0.06, 0.08)), board)
        x += 2.0 * radius + 4.2
    stage.sun_and_sky(scene, direction=(0.35, 0.5, -0.9), strength=3.0)
    _look_at(scene, "bends")
    return scene


def _look_at(scene: bpy.types.Scene, picture: str) -> None:
    """Aim the camera at what a picture shows."""
    place, target, lens = VIEWS[picture]
    stage.camera(scene, place=place, target=target, lens=lens)


def _lay_ground(board: bpy.types.Collection) -> None:
    """Lay pale ground with a line at each metre."""
    paper = stage.material("Paper", (0.72, 0.71, 0.68), roughness=1.0)
    corners = [(-60, -60, -0.01), (120, -60, -0.01), (120, 90, -0.01), (-60, 90, -0.01)]
    stage.from_faces("Ground", corners, [(0, 1, 2, 3)], paper, board)
    grid = [(x - 0.01, -10.0, x + 0.01, 24.0) for x in range(-8, 76)]
    grid += [(-8.0, y - 0.01, 76.0, y + 0.01) for y in range(-10, 24)]
    corners = [(x, y, 0.0) for x0, y0, x1, y1 in grid for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
    faces = [tuple(range(4 * k, 4 * k + 4)) for k in range(len(grid))]
    stage.from_faces("Metres", corners, faces, stage.material("Metres", (0.58, 0.58, 0.57), roughness=1.0), board)


def _line(scene: bpy.types.Scene, name: str, points: Sequence[Point], board: bpy.types.Collection) -> None:
    """Draw a line, and let a few people walk along it in file."""
    route = stage.curve(name, points, board)
    stage.ribbon(f"{name}, line", route, 0.16, stage.material("Line", (0.03, 0.2, 0.62)), board)
    crowd = stage.add_crowd(scene)
    crowd.name, crowd.route, crowd.count, crowd.path_width = name, route, WALKERS, 2.0
    crowd.speed.mean, crowd.speed.sd = 1.5, 0.0
    crowd.following.spread = 0.0
    crowd.spawn.mode, crowd.spawn.rate, crowd.spawn.headway = "FLOW", 1.0, 3.0


def _obstruct(obstacles: bpy.types.Collection) -> None:
    """Put things on the second line, and on the third one that closes all of its width."""
    paint = stage.material("Obstacle", (0.55, 0.12, 0.1), roughness=0.6)
    for number, (x, dy, size) in enumerate([(4.55, 0.1, 0.8), (7.35, 0.25, 0.7), (9.9, 0.0, 0.6), (16.0, -0.4, 0.8)]):
        outline = stage.circle(x, ROWS[1][1] + dy, size / 2, 24)
        stage.solid(f"Drum {number + 1}", [(outline, 0.0, 0.9)], paint, obstacles)
    y = ROWS[2][1]
    wall = [(9.5, y - 1.3), (9.9, y - 1.3), (10.4, y + 1.5), (10.0, y + 1.5)]
    stage.solid("Wall", [(wall, 0.0, 1.0)], paint, obstacles)


def _turn(x: float, y: float, radius: float) -> list[Point]:
    """A straight line up, a turn of a radius to the right, and a straight line on."""
    points = [(x, y + STRAIGHT * k / 4) for k in range(4)]
    steps = max(8, round(radius * 8))
    centre = x + radius
    for k in range(steps + 1):
        angle = TURN * k / steps
        points.append((centre - radius * math.cos(angle), y + STRAIGHT + radius * math.sin(angle)))
    (end_x, end_y), heading = points[-1], math.pi / 2 - TURN
    points += [(end_x + 1.5 * k * math.cos(heading), end_y + 1.5 * k * math.sin(heading)) for k in range(1, 5)]
    return points


def main() -> None:
    """Bake, draw the walked tracks, measure them, save, and render both pictures."""
    wanted = stage.arguments(__doc__ or "")
    scene = build()
    stage.bake(scene)
    tracks = stage.collection("Tracks", scene.collection)
    paint = stage.material("Track", (0.95, 0.36, 0.02), roughness=0.5)
    for crowd in stage.settings(scene).crowds:
        walked = stage.track(scene, bpy.data.objects[f"{crowd.name} 001"])
        stage.tube(f"{crowd.name}, track", walked, 0.035, paint, tracks)
        farthest, slowest = stage.measure(crowd.route, walked, scene.render.fps)
        print(f"{crowd.name}: at most {farthest:.2f} m beside the line, slowest {slowest:.2f} m/s")
    for name in VIEWS:
        _look_at(scene, name)
        stage.still(scene, wanted.out / f"{name}.png", frame=PICTURE, samples=wanted.samples)
    bpy.ops.wm.save_as_mainfile(filepath=str(wanted.out / "bends.blend"), compress=True)
    if not wanted.still_only:
        stage.clip(scene, wanted.out / "bends.mp4", frames=(60, 180))


if __name__ == "__main__":
    main()
