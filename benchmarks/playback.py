# SPDX-License-Identifier: GPL-3.0-or-later
"""What a baked crowd costs: to write, to play, and in the file; as characters and as instances.

python benchmarks/playback.py [--characters 100 500 1000] [--instances 1000 10000 100000] [--frames 250] [--rigify 6 50]
    [--acting 10000]
blender -b --python benchmarks/playback.py

People walk on circles, as no simulation is measured here: `bake` is making all that the file holds from their
trajectories, `frame_set` is a whole evaluation of the scene at one frame, without drawing. What a character costs is
processor time of `frame_set`, all of it and with parts taken away; and that of a Rigify character with *Rig: Full* and
*Deform Only*, in one run. People who act are bystanders with six activities, baked as a user would, and played from
the saved file without the add-on.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

# isort: split
import addon_utils  # can be found once bpy is there

EXTENSION = "bl_ext.user_default.footfall"
PLAYED = 25  # frames, spread over all


def module(name: str) -> Any:
    """A module of the installed add-on."""
    return importlib.import_module(f"{EXTENSION}.{name}")


def circles(agents: int, frames: int) -> Any:
    """Trajectories of people who walk on circles of 3 to 10 m, side by side on a large field."""
    rng = np.random.default_rng(1)
    radius, start, speed = rng.uniform(3, 10, agents), rng.uniform(-np.pi, np.pi, agents), rng.normal(1.34, 0.2, agents)
    side = int(np.ceil(np.sqrt(agents)))
    centre = 2.0 * np.stack([np.arange(agents) % side, np.arange(agents) // side], axis=1)
    turn = start + speed / radius * (np.arange(frames)[:, None] / 24.0)  # (F, A)
    there = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    position = np.zeros((frames, agents, 3))
    position[..., :2] = centre + radius[:, None] * there
    velocity = speed[:, None] * np.stack([-there[..., 1], there[..., 0]], axis=-1)
    return module("core").Trajectories(
        frames=np.arange(1, frames + 1),
        fps=24.0,
        position=position,
        heading=turn + np.pi / 2,
        velocity=velocity,
        present=np.ones((frames, agents), dtype=bool),
        arrived_frame=np.full(agents, -1),
        radius=np.full(agents, 0.25),
        crowd=np.zeros(agents, dtype=np.int64),
        crowd_names=("Crowd",),
        unhindered_time=np.full(agents, np.nan),
    )


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """How long something takes [s], and what it gives."""
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def prepare(agents: int, frames: int) -> tuple[Any, Any]:
    """An empty file with one crowd: the scene and the crowd."""
    bpy.ops.wm.read_homefile(use_empty=True)
    if not addon_utils.check(EXTENSION)[1]:
        addon_utils.enable(EXTENSION, default_set=True)
    scene: Any = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    bpy.ops.footfall.crowd_add()  # ty: ignore[missing-attribute]
    crowd = scene.footfall.crowds[0]
    crowd.count = agents
    return scene, crowd


def measure(output: str, agents: int, frames: int, folder: Path) -> tuple[float, float, float, float]:
    """Bake a crowd of built-in figures and play it.

    Returns:
        Seconds to write it, milliseconds per `frame_set` in the median and at worst, and size of the file [MB].
    """
    scene, crowd = prepare(agents, frames)
    crowd.output = output
    trajectories = circles(agents, frames)
    writing, _ = timed(lambda: write(crowd, scene, trajectories))
    scene.frame_set(1)
    spread = np.linspace(1, frames, PLAYED).astype(int).tolist()
    each = np.array([timed(lambda frame=frame: scene.frame_set(frame))[0] for frame in spread])
    path = folder / f"{output}{agents}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=False)
    size = path.stat().st_size
    path.unlink()
    return writing, 1e3 * float(np.median(each)), 1e3 * float(each.max()), size / 1e6


def write(crowd: Any, scene: bpy.types.Scene, trajectories: Any) -> None:
    """Make everything that a bake leaves in the file."""
    kind = module("blender_addon.baking.bake").CASTS[crowd.output]
    cast = kind(crowd, scene=scene, frames=(scene.frame_start, scene.frame_end), unit=1.0, seed=0)
    performances = module("blender_addon.characters.performances").Performances(trajectories, ground=None, unit=1.0)
    role = module("blender_addon.bakes.roles").Role
    agents = len(trajectories.radius)
    for _ in cast.write(performances, [(role("Crowd", agent, agents), agent) for agent in range(agents)]):
        pass
    cast.replace_bake()


def cost(scene: bpy.types.Scene, agents: int) -> float:
    """Processor time of a frame for each person [ms], the median of several frames."""
    scene.frame_set(scene.frame_start)
    found = []
    for frame in np.linspace(scene.frame_start + 1, scene.frame_end, PLAYED).astype(int).tolist():
        begin = time.process_time()
        scene.frame_set(frame)
        found.append(time.process_time() - begin)
    return 1e3 * float(np.median(found)) / agents


def thin_out(bodies: list[Any], share: float) -> None:
    """Give people lighter meshes of the same shape, as a level of detail would."""
    lighter = {}
    for body in bodies:
        if body.data not in lighter:
            trial = body.copy()
            trial.modifiers.clear()
            bpy.data.collections[0].objects.link(trial)
            modifier: Any = trial.modifiers.new("Lighter", "DECIMATE")
            modifier.ratio = share
            graph = bpy.context.evaluated_depsgraph_get()
            lighter[body.data] = bpy.data.meshes.new_from_object(
                trial.evaluated_get(graph), preserve_all_data_layers=True, depsgraph=graph
            )
            bpy.data.objects.remove(trial)
        body.data = lighter[body.data]


def take_apart(agents: int, frames: int) -> None:
    """Print what a built-in figure costs, with one part after the other taken away."""
    scene, crowd = prepare(agents, frames)
    write(crowd, scene, circles(agents, frames))
    rigs = [each for each in scene.objects if each.type == "ARMATURE"]
    bodies = [each for each in scene.objects if each.type == "MESH"]
    bare = bpy.data.armatures.new("Bare")

    def remove_tracks(first: int) -> None:
        for tracks in (each.animation_data.nla_tracks for each in rigs):
            for track in list(tracks)[first:]:
                tracks.remove(track)

    steps = {
        "whole": lambda: None,
        "a quarter of the vertices": lambda: thin_out(bodies, 0.25),
        "modifiers off": lambda: [setattr(each.modifiers[0], "show_viewport", False) for each in bodies],
        "no meshes": lambda: bpy.data.batch_remove(bodies),
        "and only the walk's strip": lambda: remove_tracks(1),
        "and no strip": lambda: remove_tracks(0),
        "and no bones": lambda: [setattr(each, "data", bare) for each in rigs],
    }
    for name, take_away in steps.items():
        take_away()
        print(f"{name:<28}{cost(scene, agents):>8.3f} ms a person")


def rigify(agents: int, frames: int) -> float:
    """Print what a Rigify character costs with each kind of rig; return the ratio."""
    scene, crowd = prepare(agents, frames)
    addon_utils.enable("rigify", default_set=True)
    ops: Any = bpy.ops
    ops.object.armature_human_metarig_add()
    meta: Any = bpy.context.object
    ops.pose.rigify_generate()
    rig: Any = next(each for each in bpy.data.objects if each.type == "ARMATURE" and each != meta)
    bpy.data.objects.remove(meta)
    for frame, ahead in enumerate((0.22, 0.0, -0.22, 0.0, 0.22)):
        for side, swing in (("L", -ahead), ("R", ahead)):
            control = rig.pose.bones[f"foot_ik.{side}"]
            control.location = (0.0, swing, 0.1 if frame == (3 if side == "L" else 1) else 0.0)
            control.keyframe_insert("location", frame=6 * frame)
    rig.animation_data.action.name = "Walk"
    mesh = bpy.data.meshes.new("Body")
    deforming = [bone for bone in rig.data.bones if bone.use_deform]
    mesh.from_pydata([bone.head_local for bone in deforming for _ in range(16)], [], [])
    body: Any = bpy.data.objects.new("Body", mesh)
    for number, bone in enumerate(deforming):
        body.vertex_groups.new(name=bone.name).add(list(range(16 * number, 16 * number + 16)), 1.0, "REPLACE")
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    crowd.characters = bpy.data.collections.new("People")
    for each in (rig, body):
        crowd.characters.objects.link(each)
        each.hide_viewport = True
    found = []
    for kind in ("FULL", "DEFORM_ONLY"):
        crowd.motion.rig = kind
        write(crowd, scene, circles(agents, frames))
        found.append(cost(scene, agents))
        print(f"Rigify, {agents:>3} people, {kind:<12}{found[-1]:>8.3f} ms a person")
    return found[0] / found[1]


def acting(agents: int, frames: int, folder: Path) -> tuple[float, float, float]:
    """Bake bystanders with six activities as instances, and play the saved file without the add-on.

    Returns:
        Seconds to bake, and milliseconds of processor time per `frame_set`, the least and in the median.
    """
    scene, crowd = prepare(agents, frames)
    side = int(np.ceil(np.sqrt(agents)))
    seats = bpy.data.meshes.new("Stand")
    seats.from_pydata([(0.9 * k, 0.9 * row, 0.45) for row in range(side) for k in range(side)][:agents], [], [])
    stand: Any = bpy.data.objects.new("Stand", seats)
    scene.collection.objects.link(stand)
    crowd.mode, crowd.output = "PLACE", "INSTANCES"
    crowd.presence.place, crowd.presence.activities = stand, {"SIT", "CHEER", "CLAP", "WAVE", "STAND", "PHONE"}
    ops: Any = bpy.ops
    baking, _ = timed(ops.footfall.bake)
    path = str(folder / "acting.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True, compress=False)
    addon_utils.disable(EXTENSION)
    bpy.ops.wm.open_mainfile(filepath=path)
    opened: Any = bpy.context.scene
    each = []
    for frame in np.linspace(1, frames, PLAYED).astype(int).tolist():
        begin = time.process_time()
        opened.frame_set(frame)
        each.append(1e3 * (time.process_time() - begin))
    return baking, min(each), float(np.median(each))


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--characters", type=int, nargs="*", default=[100, 500, 1000])
    parser.add_argument("--instances", type=int, nargs="*", default=[1000, 10_000, 100_000])
    parser.add_argument("--apart", type=int, nargs="*", default=[200])
    parser.add_argument("--rigify", type=int, nargs="*", default=[6, 50])
    parser.add_argument("--acting", type=int, nargs="*", default=[10_000])
    parser.add_argument("--frames", type=int, default=250)
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    wanted = parser.parse_args([] if bpy.app.binary_path and "--" not in sys.argv else words)
    print(f"Blender {bpy.app.version_string}, built-in figures, {wanted.frames} frames")
    print(f"{'output':<12}{'agents':>9}{'write s':>9}{'ms a frame':>12}{'worst ms':>10}{'.blend MB':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for output in ("CHARACTERS", "INSTANCES"):
            for agents in getattr(wanted, output.lower()):
                figures = measure(output, agents, wanted.frames, Path(folder))
                print(f"{output.lower():<12}{agents:>9,}{'{:>9.2f}{:>12.1f}{:>10.1f}{:>11.1f}'.format(*figures)}")
                sys.stdout.flush()
        for agents in wanted.acting:
            figures = acting(agents, wanted.frames, Path(folder))
            print(f"{agents:,} who act: bake {'{:.1f} s, a frame {:.1f} ms, {:.1f} in the median'.format(*figures)}")
    for agents in wanted.apart:
        take_apart(agents, wanted.frames)
    for agents in wanted.rigify:
        print(f"ratio {rigify(agents, wanted.frames):.1f}")


if __name__ == "__main__":
    main()
