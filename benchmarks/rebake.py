# SPDX-License-Identifier: GPL-3.0-or-later
"""What a re-bake costs beside a whole bake: a crate is moved in a station hall that 200 people cross.

    python benchmarks/rebake.py [--frames 250]                     with the bpy module and the add-on installed
    blender -b --python benchmarks/rebake.py                       with Blender

Three places: a corner of the street that nobody comes near; a corner of the hall in which many ways were looked for;
and one that changes ways from the first frame on. Each re-bake is timed twice, there and back, in the same run as the
whole bake. Seconds are of the processor, as other work on the machine then matters less.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "blend_examples"))
stage, station = (importlib.import_module(name) for name in ("stage", "station"))

EXTENSION = "bl_ext.user_default.footfall"
HALF = 0.2  # of the side of a crate [m]
PLACES = {
    "street corner, nobody passes": ((-21.5, -18.5), (-21.5, -18.35)),
    "hall corner, nobody passes": ((19.2, 11.2), (19.2, 11.35)),
    "on the platform, in the way at once": ((-15.3, 13.3), (-15.3, 13.45)),
}


def build(frames: int) -> dict[str, bpy.types.Object]:
    """Build the station with a crate at the first of each two places."""
    setattr(station, "FRAMES", (1, frames))  # noqa: B010 - found only when it runs
    settings = stage.settings(station.build())
    crates = {}
    for name, (place, _) in PLACES.items():
        outline = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)]
        wood = stage.material("Crate", (0.5, 0.35, 0.2))
        crates[name] = stage.solid(f"Crate, {name}", [(outline, 0.0, 0.8)], wood, settings.obstacles)
        crates[name].location = (*place, 0.0)
    return crates


def timed_bake(scene: Any) -> tuple[float, Any]:
    """Bake, and return the seconds of the processor, and the job."""
    baking = importlib.import_module(f"{EXTENSION}.blender_addon.baking.bake")
    bpy.context.view_layer.update()
    begin = time.process_time()
    job = baking.BakeJob(scene)
    while not job.run_for(1.0):
        pass
    return time.process_time() - begin, job


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=250)
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    wanted = parser.parse_args([] if bpy.app.binary_path and "--" not in sys.argv else words)
    crates = build(wanted.frames)
    scene: Any = bpy.context.scene
    whole, job = timed_bake(scene)
    print(f"Blender {bpy.app.version_string}, {job.result.characters} people x {wanted.frames} frames")
    print(f"{'':<36}{'s':>7}{'of the whole':>14}   changed")
    print(f"{'whole bake':<36}{whole:>7.2f}{1.0:>14.1%}", flush=True)
    for name, ends in PLACES.items():
        for place in reversed(ends):
            crates[name].location = (*place, 0.0)
            seconds, job = timed_bake(scene)
            changes = job.result.report["changes"]
            print(f"{name:<36}{seconds:>7.2f}{seconds / whole:>14.1%}   {changes}", flush=True)


if __name__ == "__main__":
    main()
