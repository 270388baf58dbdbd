# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake costs, part by part: reading, simulating, writing; and keys per second beside `keyframe_insert`.

python benchmarks/bake.py [--agents 1000] [--frames 250] [--figures]    with the bpy module and the add-on installed
blender -b --python benchmarks/bake.py                                  with Blender

The crowd consists of plain objects or, with `--figures`, of the built-in figures. It is baked several times, each
time in a new file: the first bake of a Blender without a window loads compiled kernels, for which a window has time
beforehand.
Seconds are of the processor; to measure a compiled bake, install a zip that was built with `--compiled`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

import bpy

# isort: split
import addon_utils  # can be found once bpy is there

EXTENSION = "bl_ext.user_default.footfall"
LATER = 2  # bakes after the first one; the quickest counts


def build(agents: int, frames: int, *, figures: bool = False) -> bpy.types.Scene:
    """Build a long avenue with 60 kiosks, for plain objects or the built-in figures spread over it."""
    bpy.ops.wm.read_homefile(use_empty=True)
    if not addon_utils.check(EXTENSION)[1]:
        addon_utils.enable(EXTENSION, default_set=True)
    scene: Any = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    settings = scene.footfall
    length = agents * 0.6 + 40
    data = bpy.data.curves.new("Avenue", "CURVE")
    spline = data.splines.new("POLY")
    spline.points.add(40)
    for number, point in enumerate(spline.points):
        point.co = (length * number / 40, 4.0 * (number % 2), 0.0, 1.0)
    avenue = bpy.data.objects.new("Avenue", data)
    scene.collection.objects.link(avenue)
    settings.obstacles = bpy.data.collections.new("Obstacles")
    scene.collection.children.link(settings.obstacles)
    for number in range(60):
        kiosk = _box("Kiosk", 1.0)
        kiosk.location = (length * (number + 0.5) / 60, 1.0 + 2.0 * (number % 2), 0.5)
        settings.obstacles.objects.link(kiosk)
    bpy.ops.footfall.crowd_add()  # ty: ignore[missing-attribute]
    crowd = settings.crowds[0]
    crowd.route, crowd.count, crowd.path_width = avenue, agents, 6.0
    if not figures:
        crowd.characters = bpy.data.collections.new("Figures")
        crowd.characters.objects.link(_box("Figure", 0.4))
    crowd.spawn.mode = "SPREAD"
    return scene


def _box(name: str, size: float) -> bpy.types.Object:
    half = size / 2
    corners = [(x, y, z) for z in (-half, half) for y in (-half, half) for x in (-half, half)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    return bpy.data.objects.new(name, mesh)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long something takes the processor [s], and what it gives."""
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def insert_one_by_one(frames: int, objects: int = 20) -> float:
    """Return keys per second of `keyframe_insert`, on a few plain objects."""
    boxes = [_box("Inserted", 0.4) for _ in range(objects)]
    begin = time.process_time()
    for box in boxes:
        for frame in range(1, frames + 1):
            box.location = (0.01 * frame, 0.0, 0.0)
            box.keyframe_insert("location", frame=frame)
            box.keyframe_insert("rotation_euler", index=2, frame=frame)
    return objects * frames * 4 / (time.process_time() - begin)


def _keys_in_file() -> int:
    """Return how many keys all actions hold."""
    actions = importlib.import_module(f"{EXTENSION}.blender_addon.blender_data.animation")
    clips = [clip for action in bpy.data.actions for clip in actions.clips_of_action(action)]
    return sum(len(curve.keyframe_points) for clip in clips for curve in actions.curves_of(clip))


def timed_bake(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """Bake, and return what reading, simulating and writing take the processor [s]."""
    baking = importlib.import_module(f"{EXTENSION}.blender_addon.baking.bake")
    reading, job = timed(lambda: baking.BakeJob(scene))

    def until(stage: str) -> None:
        while job.stage not in {stage, "Finished"}:  # a slice may hold the whole of a short stage
            job.run_for(0.02)

    simulating, _ = timed(lambda: until("Writing"))
    writing, _ = timed(lambda: until("Finished"))
    return reading, simulating, writing


def with_sum(parts: tuple[float, ...]) -> tuple[float, ...]:
    """Return parts and their sum."""
    return (*parts, sum(parts))


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=250)
    parser.add_argument("--figures", action="store_true", help="the built-in figures instead of plain objects")
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    wanted = parser.parse_args([] if bpy.app.binary_path and "--" not in sys.argv else words)
    bakes = [timed_bake(build(wanted.agents, wanted.frames, figures=wanted.figures)) for _ in range(1 + LATER)]
    keys = _keys_in_file()
    inserted = insert_one_by_one(wanted.frames)
    per = 1e3 / (wanted.agents * wanted.frames / 250_000)
    what = f"{wanted.agents} {'built-in figures' if wanted.figures else 'plain objects'} x {wanted.frames} frames"
    print(f"Blender {bpy.app.version_string}, {what}, 60 obstacles")
    later = min(bakes[1:], key=sum)
    print(f"{'part':<12}{'first bake, s':>16}{'later, s':>12}{'ms per 1,000 agents x 250 frames':>36}")
    for part, first, seconds in zip(
        ("read", "simulate", "write", "all"), *map(with_sum, (bakes[0], later)), strict=True
    ):
        print(f"{part:<12}{first:>16.3f}{seconds:>12.3f}{seconds * per:>36.0f}")
    rate = keys / later[-1]
    print(f"keys per second: {rate:,.0f} written, {inserted:,.0f} by keyframe_insert, x {rate / inserted:.0f}")


if __name__ == "__main__":
    main()
