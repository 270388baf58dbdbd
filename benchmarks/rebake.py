# SPDX-License-Identifier: GPL-3.0-or-later
"""What a re-bake costs beside a whole bake: a crate is moved in a station that 200 people cross.

    python benchmarks/rebake.py [--frames 250]                     with the bpy module and the add-on installed
    blender -b --python benchmarks/rebake.py                       with Blender

Four places in the station of the examples: a corner of the street that nobody comes near; a corner of the hall in
which many routes were searched; one behind a door that is opened late; and one that changes routes from the first frame
on. And one behind a passage: all start in a first hall and go through it to a second one, where the crate changes
ways of most, so that all is simulated. And one on a path: 200 people walk eight drawn paths from their trains to the
street, and the crate stands in one of these, where they come after seven seconds. Each re-bake is timed twice, there
and back, in the same run as the whole bake. Seconds are of the processor: other work on the machine matters less then.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "blend_examples"))
stage, station = (importlib.import_module(name) for name in ("stage", "station"))

Ends = tuple[tuple[float, float], tuple[float, float]]
EXTENSION = "bl_ext.user_default.footfall"
HALF = 0.2  # of the side of a crate [m]
OPENS = 178  # when the late door does: what stands behind it matters from 180 on [frames]
START = (1, 5, 13, 12)  # where people start before the passage [m]
BEHIND = {"behind the passage, on most ways": ((10.0, 29.0), (10.0, 29.4))}
ON_A_PATH = {"upon a path, met after seven seconds": ((16.0, 0.0), (16.0, 0.3))}
PLACES = {
    "street corner, nobody passes": ((-21.5, -18.5), (-21.5, -18.35)),
    "hall corner, nobody passes": ((19.2, 11.2), (19.2, 11.35)),
    "behind the late door, seen as it opens": ((-4.5, 9.5), (-4.5, 9.65)),
    "on the platform, in the way at once": ((-15.3, 13.3), (-15.3, 13.45)),
}


def build(frames: int) -> dict[str, bpy.types.Object]:
    """Build the station with a crate at the first of each two places."""
    for name, value in (("FRAMES", (1, frames)), ("OPENS", OPENS)):
        setattr(station, name, value)
    settings = stage.settings(station.build_hall())
    return {name: crate(name, place, settings.obstacles) for name, (place, _) in PLACES.items()}


def build_two_halls(frames: int) -> dict[str, bpy.types.Object]:
    """Build two halls with a passage between them, and a crate in the second one."""
    scene = stage.begin(frames=(1, frames))
    settings = stage.settings(scene)
    hall, obstacles = stage.collection("Hall", scene.collection), stage.collection("Obstacles", scene.collection)
    settings.obstacles, settings.bounds = obstacles, place("Grounds", (-20, -2, 20, 46), hall)
    settings.seed = 3
    plaster = stage.material("Plaster", (0.75, 0.7, 0.6))
    walls = [((-20.0, 20.0), (14.0, 26.0)), ((18.0, 20.0), (20.0, 26.0))]
    stage.solid(
        "Walls",
        [([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], 0.0, 3.0) for (x0, y0), (x1, y1) in walls],
        plaster,
        obstacles,
    )
    street, platforms = place("Street", START, hall), place("Platforms", (-16, 29, -4, 41), hall)
    for name, count, mode in (("In", 150, "AT_ONCE"), ("Late", 50, "FLOW")):
        bpy.ops.footfall.crowd_add()  # ty: ignore[missing-attribute]
        crowd: Any = stage.settings(scene).crowds[-1]
        crowd.name, crowd.mode, crowd.start, crowd.goal, crowd.count = name, "AREAS", street, platforms, count
        crowd.spawn.mode, crowd.spawn.rate, crowd.arrival = mode, 3.0, "LEAVE"
    return {name: crate(name, first, obstacles) for name, (first, _) in BEHIND.items()}


def build_paths(frames: int) -> dict[str, bpy.types.Object]:
    """Build eight paths side by side from the trains to the street, with pillars between them."""
    scene = stage.begin(frames=(1, frames))
    settings = stage.settings(scene)
    hall, obstacles = stage.collection("Hall", scene.collection), stage.collection("Obstacles", scene.collection)
    settings.obstacles, settings.bounds = obstacles, place("Grounds", (-10, -10, 60, 50), hall)
    stone = stage.material("Stone", (0.5, 0.5, 0.48))
    spots = [(x, 5.0 * number + 2.5) for number in range(7) for x in (8.0, 16.0, 24.0, 32.0)]
    stage.solid("Pillars", [(stage.circle(x, y, 0.3, 12), 0.0, 3.0) for x, y in spots], stone, obstacles)
    for number in range(8):
        y = 5.0 * number
        line = stage.curve(f"Path {number}", [(-5.0, y), (20.0, y), (45.0, y)], hall)
        bpy.ops.footfall.crowd_add()  # ty: ignore[missing-attribute]
        crowd: Any = stage.settings(scene).crowds[-1]
        crowd.name, crowd.route, crowd.count, crowd.path_width = f"Train {number}", line, 25, 3.0
    return {name: crate(name, first, obstacles) for name, (first, _) in ON_A_PATH.items()}


def place(name: str, box: tuple[float, float, float, float], into: bpy.types.Collection) -> bpy.types.Object:
    """Mark a place by a flat mesh."""
    x0, y0, x1, y1 = box
    corners = [(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)]
    return stage.from_faces(name, corners, [(0, 1, 2, 3)], stage.material("Place", (0.2, 0.5, 0.9)), into)


def crate(name: str, where: tuple[float, float], obstacles: bpy.types.Collection) -> bpy.types.Object:
    """Put a crate somewhere."""
    outline = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)]
    made = stage.solid(f"Crate, {name}", [(outline, 0.0, 0.8)], stage.material("Crate", (0.5, 0.35, 0.2)), obstacles)
    made.location = (*where, 0.0)
    return made


def timed_bake(scene: Any) -> tuple[float, Any]:
    """Bake, and return the seconds of the processor, and the job."""
    baking = importlib.import_module(f"{EXTENSION}.blender_addon.baking.bake")
    last_bakes = importlib.import_module(f"{EXTENSION}.blender_addon.runtime.last_bakes")
    bpy.context.view_layer.update()
    begin = time.process_time()
    job = baking.BakeJob(scene, memory=last_bakes.memory_of(scene))
    while not job.run_for(1.0):
        pass
    return time.process_time() - begin, job


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=250)
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    wanted = parser.parse_args([] if bpy.app.binary_path and "--" not in sys.argv else words)
    for builder, places in ((build, PLACES), (build_two_halls, BEHIND), (build_paths, ON_A_PATH)):
        measure(builder(wanted.frames), places, wanted.frames)


def measure(crates: dict[str, bpy.types.Object], places: Mapping[str, Ends], frames: int) -> None:
    """Time a whole bake of the scene, and one after each move of a crate."""
    scene: Any = bpy.context.scene
    whole, job = timed_bake(scene)
    print(f"Blender {bpy.app.version_string}, {job.result.characters} people x {frames} frames")
    print(f"{'':<36}{'s':>7}{'of the whole':>14}   changed")
    print(f"{'whole bake':<36}{whole:>7.2f}{1.0:>14.1%}", flush=True)
    for name, ends in places.items():
        for where in reversed(ends):
            crates[name].location = (*where, 0.0)
            seconds, job = timed_bake(scene)
            changes = job.result.report["changes"]
            print(f"{name:<36}{seconds:>7.2f}{seconds / whole:>14.1%}   {changes}", flush=True)


if __name__ == "__main__":
    main()
