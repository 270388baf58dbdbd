# SPDX-License-Identifier: GPL-3.0-or-later
"""A goal: 10,000 people sit in the bowl of a stadium, fans cheer, and a wave runs round it; 400 leave already.

    python blend_examples/stadium.py --out out                       with the bpy module and the add-on installed
    blender -b --python blend_examples/stadium.py -- --out out       with Blender

The stands are meshes of seats, on which people simply are; ten triggers, one for each part of the stands, pass the wave
on at a set speed. Saves stadium.blend, renders stadium.png, stadium.mp4 and stadium_fans.png, and prints how long the
bake took.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import bpy

if __package__:  # opened from the panel
    from . import scenery, stage
else:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import scenery
    import stage

FRAMES = (1, 240)
LEAVING, SPECTATORS, EXITS = 400, 10_000, 10
WAVE_SPEED, WAVE_FROM = 12.0, 40  # [m/s], and the frame at which it begins
FANS = (1, 2)  # the parts of the stands in which many stand
SEAT_WIDTH, SEAT_HEIGHT, HIPS = 0.66, 0.45, 0.56  # in the front row; above its step; behind the edge of the step [m]
BENCH = 0.17  # from hips to the edges of a bench, to the front and to the back [m]
PITCH = (58.0, 40.0)  # half axes of the ellipse round which the front row runs [m]
ROWS, ROW_DEPTH = 32, 0.8
FRONT, TOP = 1.2, 12.4  # heights of the front row and of the walk round the rim [m]
RIM = ROWS * ROW_DEPTH  # from the front row to the rim [m]
EDGE = RIM + 5.0  # and to the outer wall
FOOT = EDGE + 30.0  # and to the foot of the stairs
GANGWAY, STAIRS = 5.0, 7.5  # widths [m]
SIDES = 360  # corners of the ellipse

Point = tuple[float, float, float]


class Ray(NamedTuple):
    """A place on the ellipse of the front row, and the way out of the bowl from there: at right angles to the rows."""

    x: float
    y: float
    nx: float
    ny: float

    def at(self, out: float, z: float = 0.0, aside: float = 0.0) -> Point:
        """The place so far out, and so far to the left of the way out [m]."""
        return (self.x + out * self.nx - aside * self.ny, self.y + out * self.ny + aside * self.nx, z)


def ray(turn: float) -> Ray:
    """The way out at an angle of the ellipse."""
    a, b = PITCH
    nx, ny = math.cos(turn) / a, math.sin(turn) / b
    size = math.hypot(nx, ny)
    return Ray(a * math.cos(turn), b * math.sin(turn), nx / size, ny / size)


def exits() -> list[Ray]:
    """The exits, at even distances round the bowl."""
    rays = [ray(2 * math.pi * k / SIDES) for k in range(SIDES)]
    steps = [math.hypot(b.x - a.x, b.y - a.y) for a, b in pairwise([*rays, rays[0]])]
    apart, walked, found = sum(steps) / EXITS, 0.5 * sum(steps) / EXITS, []
    for one, step in zip(rays, steps, strict=True):
        if walked >= apart:
            walked -= apart
            found.append(one)
        walked += step
    return found


def build() -> bpy.types.Scene:
    """Build the stadium, the square, the people, the light and the camera."""
    scene = stage.begin(frames=FRAMES)
    stage.settings(scene).seed = 4
    ground = stage.collection("Stadium", scene.collection)
    _pitch(ground)
    _stands(ground)
    _rim(ground)
    square = stage.material("Square", (0.46, 0.43, 0.39), roughness=0.95)
    stage.solid("Square", [(stage.circle(0, 0, 420, 96), -0.4, -0.02)], square, ground)
    paving = stage.material("Paving", (0.3, 0.29, 0.28), roughness=0.95)
    for number, out in enumerate(exits()):
        _stairs(f"Stairs {number + 1}", out, ground)
        _band(f"Paving {number + 1}", list(_outside(out)), 11.0, paving, ground)
    _leaving(scene, _paths(exits(), ground))
    _audience(scene, ground)
    _trees(ground)
    stage.sun_and_sky(scene, direction=(0.75, 0.35, -0.42), strength=4.5)
    stage.camera(scene, place=(-58.0, -70.0, 34.0), target=(6.0, 16.0, 3.0), lens=26)
    scene.camera.data.clip_end = 2000  # ty: ignore[invalid-assignment]
    return scene


def _outside(out: Ray) -> Iterator[Point]:
    """Where a path runs over the square: straight away from the stairs, then round towards the nearer end of town."""
    side = 1.0 if (out.nx * -out.ny) * (1 if out.x * out.y > 0 else -1) < 0 else -1.0
    for step in range(31):
        far = 3.0 * step
        yield out.at(FOOT + far, aside=side * 0.0035 * far * far)


def _paths(ways: list[Ray], into: bpy.types.Collection) -> bpy.types.Object:
    """Draw the paths as splines of one curve: up a gangway, over the rim, down the stairs and away."""
    slope = (TOP - FRONT) / RIM
    data: Any = bpy.data.curves.new("Ways out", "CURVE")
    data.dimensions = "3D"
    for out in ways:
        bowl = [out.at(1.5, FRONT + 1.5 * slope), out.at(RIM, TOP), out.at(EDGE, TOP)]
        points = [*bowl, *_outside(out)]
        spline = data.splines.new("POLY")
        spline.points.add(len(points) - 1)
        for knot, place in zip(spline.points, points, strict=True):
            knot.co = (*place, 1.0)
    made = bpy.data.objects.new("Ways out", data)
    into.objects.link(made)
    return made


def _leaving(scene: bpy.types.Scene, paths: bpy.types.Object) -> None:
    """Let people leave by the paths: all are on them already when the film begins.

    They are one crowd, as each crowd of instances takes about as long to play, however few people it has.
    """
    crowd = stage.add_crowd(scene)
    crowd.name, crowd.route, crowd.count, crowd.output = "Leaving", paths, LEAVING, "INSTANCES"
    crowd.path_width, crowd.spawn.mode, crowd.arrival = GANGWAY - 0.6, "SPREAD", "LEAVE"


def _audience(scene: bpy.types.Scene, into: bpy.types.Collection) -> None:
    """Fill the stands between the gangways, and let a wave run round them against the clock."""
    ways, start = exits(), float(WAVE_FROM)
    for number, (one, two) in enumerate(pairwise([*ways, ways[0]])):
        name = f"Stand {number + 1}"
        places, long = _places_between(one, two)
        seats = _seats(f"{name} seats", places, into)
        _benches(f"{name} benches", places, into)
        crowd = stage.add_crowd(scene)
        crowd.name, crowd.mode, crowd.count, crowd.output = name, "PLACE", SPECTATORS // EXITS, "INSTANCES"
        crowd.presence.place, crowd.presence.activities = seats, {"SIT", "CHEER", "CLAP"} if number in FANS else {"SIT"}
        first = one.at(0.5 * RIM, 0.5 * (FRONT + TOP))
        trigger = stage.settings(scene).triggers.add()
        trigger.name, trigger.when, trigger.frame, trigger.who = f"Wave {number + 1}", "FRAME", round(start), name
        trigger.then, trigger.activity, trigger.mark = (
            "PERFORM",
            "CHEER",
            scenery.spot(f"Wave {number + 1}", first, into),
        )
        trigger.spreads, trigger.delay, trigger.delay_variation = WAVE_SPEED, 0.4, 0.3
        trigger.stay, trigger.stay_variation = 2.0, 0.5
        start += long / WAVE_SPEED * scene.render.fps


def _places_between(one: Ray, two: Ray) -> tuple[list[Ray], float]:
    """The seats of the front row between two gangways, and how far it is from one to the other halfway up [m]."""
    a, b = PITCH
    begin, end = (math.atan2(each.y / b, each.x / a) for each in (one, two))
    end += math.tau if end < begin else 0.0
    rays = [ray(begin + (end - begin) * k / 400) for k in range(401)]
    middle = [each.at(0.5 * RIM) for each in rays]
    steps = [math.dist((p.x, p.y), (q.x, q.y)) for p, q in pairwise(rays)]
    left, places, walked = GANGWAY / 2 + 0.6, list[Ray](), 0.0
    for place, step in zip(rays[1:], steps, strict=True):
        walked += step
        if walked >= left and walked < sum(steps) - GANGWAY / 2 - 0.6:
            places.append(place)
            left = walked + SEAT_WIDTH
    return places, sum(math.dist(p, q) for p, q in pairwise(middle))


def _seats(name: str, places: list[Ray], into: bpy.types.Collection) -> bpy.types.Object:
    """Mark seats by the corners of a sheet over all rows, each half a seat aside of that before it.

    Its normals lean down to the pitch, to where people face.
    """
    rise, across = (TOP - FRONT) / ROWS, len(places)
    rows = [
        (row * ROW_DEPTH + HIPS, FRONT + row * rise + SEAT_HEIGHT, 0.25 * SEAT_WIDTH * (-1) ** row)
        for row in range(ROWS)
    ]
    corners = [place.at(out, z, aside) for out, z, aside in rows for place in places]
    starts = [row * across + k for row in range(ROWS - 1) for k in range(across - 1)]
    faces = [(k, k + across, k + across + 1, k + 1) for k in starts]
    sheet = stage.from_faces(name, corners, faces, stage.material("Place", (0.2, 0.5, 0.9)), into)
    sheet.display_type, sheet.hide_render = "WIRE", True
    return sheet


def _benches(name: str, places: list[Ray], into: bpy.types.Collection) -> None:
    """Build a bench along each row, half a seat longer than the row at both ends."""
    rise, across = (TOP - FRONT) / ROWS, len(places)
    asides = [-0.5 * SEAT_WIDTH, *[0.0] * (across - 2), 0.5 * SEAT_WIDTH]
    corners: list[Point] = []
    faces: list[tuple[int, ...]] = []
    for row in range(ROWS):
        hips, step = row * ROW_DEPTH + HIPS, FRONT + row * rise
        for out, z in ((-BENCH, 0.0), (-BENCH, SEAT_HEIGHT), (BENCH, SEAT_HEIGHT), (BENCH, 0.0)):
            corners += [place.at(hips + out, step + z, aside) for place, aside in zip(places, asides, strict=True)]
        first = 4 * row * across
        starts = [first + side * across + k for side in range(3) for k in range(across - 1)]
        faces += [(k, k + 1, k + across + 1, k + across) for k in starts]
    stage.from_faces(name, corners, faces, stage.material("Seats", (0.05, 0.12, 0.4)), into)


def _pitch(into: bpy.types.Collection) -> None:
    """Lay the grass in stripes, and the lines."""
    for number in range(12):
        green = stage.material(
            f"Grass {number % 2}", ((0.07, 0.2, 0.045), (0.1, 0.26, 0.06))[number % 2], roughness=1.0
        )
        low = -48.0 + 8.0 * number
        stage.from_faces(f"Grass {number}", _rectangle(low, -30.0, low + 8.0, 30.0, 0.0), [(0, 1, 2, 3)], green, into)
    surround = stage.material("Track", (0.32, 0.11, 0.07), roughness=1.0)
    rim = [ray(2 * math.pi * k / SIDES).at(-0.5, -0.015) for k in range(SIDES)]
    stage.from_faces("Track", rim, [tuple(range(SIDES))], surround, into)
    white = stage.material("Lines", (0.8, 0.8, 0.78), roughness=0.9)
    lines = [
        (-45, -28, 45, -27.8),
        (-45, 27.8, 45, 28),
        (-45, -28, -44.8, 28),
        (44.8, -28, 45, 28),
        (-0.1, -28, 0.1, 28),
    ]
    lines += [(-45, -16, -30, -15.8), (-45, 15.8, -30, 16), (-30.2, -16, -30, 16)]
    lines += [(30, -16, 45, -15.8), (30, 15.8, 45, 16), (30, -16, 30.2, 16)]
    corners: list[Point] = []
    for x0, y0, x1, y1 in lines:
        corners += _rectangle(x0, y0, x1, y1, 0.01)
    stage.from_faces("Lines", corners, [tuple(range(k, k + 4)) for k in range(0, len(corners), 4)], white, into)
    circle = [_point for turn in range(65) for _point in _ring_pair(turn * math.tau / 64, 8.0, 8.25)]
    faces = [(2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2) for k in range(64)]
    stage.from_faces("Middle", circle, faces, white, into)


def _ring_pair(turn: float, inner: float, outer: float) -> tuple[Point, Point]:
    cos, sin = math.cos(turn), math.sin(turn)
    return (inner * cos, inner * sin, 0.01), (outer * cos, outer * sin, 0.01)


def _rectangle(x0: float, y0: float, x1: float, y1: float, z: float) -> list[Point]:
    return [(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)]


def _stands(into: bpy.types.Collection) -> None:
    """Raise the rows in steps, in the colours of seats, and lay the gangways up through them."""
    rays = [ray(2 * math.pi * k / SIDES) for k in range(SIDES)]
    rise = (TOP - FRONT) / ROWS
    corners: list[Point] = []
    faces: list[tuple[int, ...]] = []
    paints: list[int] = []
    for row in range(ROWS):
        for out, height in ((row, row), (row, row + 1), (row + 1, row + 1)):
            corners += [each.at(out * ROW_DEPTH, FRONT + (height - 1) * rise) for each in rays]
        first = 3 * row * SIDES
        for k in range(SIDES):
            after = (k + 1) % SIDES
            for level in range(2):
                low = first + level * SIDES
                faces.append((low + k, low + after, low + SIDES + after, low + SIDES + k))
                paints.append(_seat(row, k) if level else 2)
    concrete = stage.material("Concrete", (0.5, 0.49, 0.47), roughness=0.9)
    stands: Any = stage.from_faces("Stands", corners, faces, stage.material("Seats", (0.05, 0.12, 0.4)), into)
    stands.data.materials.append(stage.material("Light seats", (0.55, 0.6, 0.68)))
    stands.data.materials.append(concrete)
    stands.data.polygons.foreach_set("material_index", paints)
    for number, out in enumerate(exits()):
        slope = [out.at(0.0, FRONT), out.at(RIM, TOP)]
        _band(f"Gangway {number + 1}", slope, GANGWAY, concrete, into)
    front = [(each.at(0.0, 0.0), each.at(0.0, FRONT)) for each in rays]
    _fence("Front", front, concrete, into, closed=True)


def _seat(row: int, k: int) -> int:
    """Which colour a seat has: a broad wave of light seats runs through the dark ones."""
    wave = 16.0 + 7.0 * math.sin(6 * math.tau * k / SIDES)
    return int(abs(row - wave) < 3.0)


def _rim(into: bpy.types.Collection) -> None:
    """Lay the walk round the rim, and raise the outer wall with its ribs, open where the stairs begin."""
    concrete = stage.material("Concrete", (0.5, 0.49, 0.47), roughness=0.9)
    rays = [ray(2 * math.pi * k / SIDES) for k in range(SIDES)]
    corners = [each.at(out, TOP) for out in (RIM, EDGE) for each in rays]
    faces = [(k, SIDES + k, SIDES + (k + 1) % SIDES, (k + 1) % SIDES) for k in range(SIDES)]
    stage.from_faces("Walk", corners, faces, concrete, into)
    wall = stage.material("Wall", (0.62, 0.58, 0.52), roughness=0.85)
    _fence("Wall", [(each.at(EDGE, 0.0), each.at(EDGE, TOP)) for each in rays], wall, into, closed=True)
    open_at = [(each.x + EDGE * each.nx, each.y + EDGE * each.ny) for each in exits()]
    rail = stage.material("Rail", (0.3, 0.32, 0.35), roughness=0.5)
    for number, (one, two) in enumerate(pairwise([*rays, rays[0]])):
        place = one.at(EDGE)
        near = min(math.dist(place[:2], gap) for gap in open_at)
        if near > STAIRS / 2 + 1.0:
            _fence("Rail", [(each.at(EDGE, TOP), each.at(EDGE, TOP + 1.2)) for each in (one, two)], rail, into)
        if number % 4 == 0 and near > STAIRS / 2 + 1.5:
            rib = [one.at(EDGE + out, aside=aside)[:2] for out, aside in ((0, -0.3), (1.3, -0.3), (1.3, 0.3), (0, 0.3))]
            stage.solid("Rib", [(rib, 0.0, TOP + 1.2)], concrete, into)


def _stairs(name: str, out: Ray, into: bpy.types.Collection) -> None:
    """Build a flight of stairs from the rim to the square, with walls to both sides."""
    step = stage.material("Steps", (0.42, 0.4, 0.37), roughness=0.9)
    wall = stage.material("Wall", (0.62, 0.58, 0.52), roughness=0.85)
    _band(name, [out.at(EDGE - 0.05, TOP), out.at(FOOT, 0.0)], STAIRS, step, into)
    nose = stage.material("Noses", (0.25, 0.24, 0.23), roughness=0.9)
    for number in range(1, 40):
        part = number / 40
        far, high = EDGE + part * (FOOT - EDGE), TOP * (1 - part)
        _band("Nose", [out.at(far - 0.12, high + 0.06), out.at(far + 0.12, high - 0.03)], STAIRS, nose, into)
    for aside in (-STAIRS / 2, STAIRS / 2):
        sides = [
            out.at(where, aside=aside + thick)[:2]
            for where, thick in ((EDGE, -0.2), (FOOT, -0.2), (FOOT, 0.2), (EDGE, 0.2))
        ]
        low = [(*corner, 0.0) for corner in sides]
        high = [(*corner, z) for corner, z in zip(sides, (TOP + 1.1, 1.1, 1.1, TOP + 1.1), strict=True)]
        faces = [(4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
        stage.from_faces(f"{name} wall", low + high, faces, wall, into)


def _band(
    name: str, places: list[Point], width: float, paint: bpy.types.Material, into: bpy.types.Collection
) -> bpy.types.Object:
    """Lay a band along places, level across."""
    corners: list[Point] = []
    for number, (x, y, z) in enumerate(places):
        before, after = places[max(number - 1, 0)], places[min(number + 1, len(places) - 1)]
        dx, dy = after[0] - before[0], after[1] - before[1]
        size = math.hypot(dx, dy)
        sx, sy = -dy / size * width / 2, dx / size * width / 2
        corners += [(x + sx, y + sy, z), (x - sx, y - sy, z)]
    faces = [(2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2) for k in range(len(places) - 1)]
    return stage.from_faces(name, corners, faces, paint, into)


def _fence(
    name: str,
    posts: list[tuple[Point, Point]],
    paint: bpy.types.Material,
    into: bpy.types.Collection,
    *,
    closed: bool = False,
) -> None:
    """Raise a thin wall between foot and top of each post."""
    corners = [corner for post in posts for corner in post]
    faces = [(2 * k, 2 * k + 2, 2 * k + 3, 2 * k + 1) for k in range(len(posts) - 1)]
    if closed:
        faces.append((len(corners) - 2, 0, 1, len(corners) - 1))
    stage.from_faces(name, corners, faces, paint, into)


def _trees(into: bpy.types.Collection) -> None:
    """Plant round trees between the paths."""
    bark = stage.material("Bark", (0.12, 0.08, 0.05), roughness=1.0)
    leaf = stage.material("Leaves", (0.09, 0.16, 0.035), roughness=1.0)
    ways = exits()
    for number, (one, two) in enumerate(pairwise([*ways, ways[0]])):
        for far in (14.0, 26.0, 38.0, 52.0, 68.0):
            for part in (0.35, 0.5, 0.65):
                start, end = one.at(EDGE + far), two.at(EDGE + far)
                x, y = start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])
                size = 2.1 + 0.5 * math.sin(7.0 * number + far + 11.0 * part)
                stage.solid("Trunk", [(stage.circle(x, y, 0.22, 6), 0.0, 2.6)], bark, into)
                scenery.crown(x, y, 2.2 + size, size, leaf, into)


def main() -> None:
    """Build, bake, save, render, and print how long the bake took."""
    wanted = stage.arguments(__doc__ or "")
    scene = build()
    begin = time.perf_counter()
    bpy.ops.footfall.bake()  # ty: ignore[missing-attribute]
    seconds = time.perf_counter() - begin
    frames = FRAMES[1] - FRAMES[0] + 1
    print(f"{SPECTATORS + LEAVING:,} people over {frames} frames simulated and baked in {seconds:.0f} s")
    report = json.loads(stage.settings(scene).report)
    print(json.dumps(report["total"], indent=2))
    bpy.ops.wm.save_as_mainfile(filepath=str(wanted.out / "stadium.blend"), compress=True)
    stage.still(scene, wanted.out / "stadium.png", frame=120, samples=wanted.samples)
    if not wanted.still_only:
        stage.clip(scene, wanted.out / "stadium.mp4", frames=(100, 171))
    gangway = exits()[FANS[1]]
    stage.camera(scene, place=gangway.at(1.0, 6.5, 6.0), target=gangway.at(16.0, 7.5, -1.0), lens=32)
    stage.still(scene, wanted.out / "stadium_fans.png", frame=30, samples=wanted.samples)


if __name__ == "__main__":
    main()
