# SPDX-License-Identifier: GPL-3.0-or-later
"""How long scans take to read as obstacles: `python benchmarks/scans.py [--faces 80000 500000] [--scans room]`.

Run it with the Python of a bpy environment, after `build_addon.py build --dev` has laid out a profile that
BLENDER_USER_RESOURCES names. Every scan is rough by some millimetres, as photogrammetry is: a statue with an arm, holes
and loose parts, a wall of 6 m, a room with a door, rock that overhangs, a tree whose leaves are single faces, and a
heap of pebbles, each a closed shell. The scene is read as a bake reads it. Seconds are of the processor; memory is the
most by which the process grew while it read.

Blender 5.0.1 on two busy cores. With the exact union of all polygons, before footprints were read on a grid: statue,
wall, room, rock and tree of 80,000 faces 0.8, 1.7, 0.7, 0.8 and 22 s; the room of 500,000 faces 10 s, and the polygons
of the statue and the wall alone 20 and 31 s. On the grid: 80,000 faces 0.3, 0.3, 0.4, 0.5 and 1.8 s, pebbles 4 s;
500,000 faces 2.5, 2.5, 2.9, 2.3 and 5.0 s, pebbles 9 s, with 150 to 400 MiB. Of 5,000,000 faces a statue takes 44 s and
1.9 GB, a tree 74 s and 2.1 GB.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "blend_examples"))
stage = importlib.import_module("stage")

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Scan = tuple[Float64, Int64]  # points (V, 3) [m], triangles (T, 3)


def waves(points: Float64, rng: np.random.Generator, height: float, frequency: float) -> Float64:
    """Eight waves across space, each shorter and lower than the one before."""
    total = np.zeros(len(points))
    for k in range(8):
        direction = rng.normal(size=3)
        direction *= frequency * 1.6**k / np.sqrt((direction**2).sum())
        total += height * 0.6**k * np.sin((points * direction).sum(axis=1) + rng.uniform(0.0, 6.3))
    return total


def sheet(rows: int, columns: int, *, closed: bool = False) -> Int64:
    """Triangles of a grid of points, whose last column may be joined to its first."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns if closed else columns - 1), indexing="ij")
    a, b = i * columns + j, i * columns + (j + 1) % columns
    quads = np.stack([a, b, b + columns, a + columns], axis=-1).reshape(-1, 4)
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def joined(parts: Sequence[Scan]) -> Scan:
    """Several scans as one."""
    first = np.cumsum([0, *(len(points) for points, _ in parts)])[:-1]
    triangles = [triangles + row for (_, triangles), row in zip(parts, first, strict=True)]
    return np.concatenate([points for points, _ in parts]), np.concatenate(triangles)


def lump(faces: int, size: Sequence[float], centre: ArrayLike, seed: int = 1, holes: int = 30) -> Scan:
    """A lumpy body with holes."""
    rng = np.random.default_rng(seed)
    columns = int(np.sqrt(0.75 * faces))
    rows = faces // (2 * columns) + 2
    polar, round_it = np.meshgrid(
        np.linspace(1e-3, np.pi - 1e-3, rows), np.linspace(0.0, 2.0 * np.pi, columns, endpoint=False), indexing="ij"
    )
    sine = np.sin(polar)
    out = np.stack([sine * np.cos(round_it), sine * np.sin(round_it), np.cos(polar)], axis=-1).reshape(-1, 3)
    points = out * (1.0 + waves(out, rng, 0.12, 3.0))[:, None] * size
    points += np.stack([waves(out, rng, 0.02, 9.0) for _ in range(3)], axis=1) * min(size) * 2.0
    points += rng.normal(size=points.shape) * 0.002 + np.asarray(centre, dtype=np.float64)
    triangles = sheet(rows, columns, closed=True)
    middle, kept = out[triangles].mean(axis=1), np.ones(len(triangles), dtype=bool)
    for place in rng.normal(size=(holes, 3)):
        apart = middle - place / np.sqrt((place**2).sum())
        kept &= (apart**2).sum(axis=1) > rng.uniform(0.005, 0.05) ** 2
    return points, triangles[kept]


def statue(faces: int) -> Scan:
    """A body, an arm, and 40 loose parts."""
    rng = np.random.default_rng(5)
    loose = [
        lump(max(faces // 1300, 20), (0.02, 0.02, 0.02), rng.normal(size=3) * (0.6, 0.5, 0.3) + (0.0, 0.0, 1.0), 10 + k)
        for k in range(40)
    ]
    body, arm = lump(int(0.8 * faces), (0.7, 0.5, 1.3), (0.0, 0.0, 1.2)), (0.9, 0.15, 0.12)
    return joined([body, lump(int(0.17 * faces), arm, (0.1, 0.0, 1.7), 3), *loose])


def upright(faces: int, start: Sequence[float], end: Sequence[float], seed: int = 2) -> Scan:
    """One side of a rough wall."""
    rng = np.random.default_rng(seed)
    columns = int(np.sqrt(faces))
    rows = faces // (2 * columns) + 1
    z, share = np.meshgrid(np.linspace(-0.3, 2.7, rows), np.linspace(0.0, 1.0, columns), indexing="ij")
    run = np.subtract(end, start)
    points = np.column_stack([np.asarray(start) + share.reshape(-1, 1) * run, z.reshape(-1)])
    across = np.array([-run[1], run[0], 0.0]) / np.hypot(*run)
    points += across * waves(points, rng, 0.03, 2.0)[:, None] + rng.normal(size=points.shape) * 0.002
    return points, sheet(rows, columns)


def wall(faces: int) -> Scan:
    """A wall of 6 m."""
    return upright(faces, (0.0, 0.0), (6.0, 0.0))


def room(faces: int) -> Scan:
    """The inside of a room of 6 by 5 m with a door, without its floor."""
    corners = [(0.0, 0.0), (6.0, 0.0), (6.0, 5.0), (0.0, 5.0), (0.0, 0.0)]
    sides = [upright(faces // 4, corners[k], corners[k + 1], k) for k in range(4)]
    points, triangles = sides[0]
    middle = points[triangles].mean(axis=1)
    door = (middle[:, 0] > 2.0) & (middle[:, 0] < 3.0) & (middle[:, 2] < 2.1)
    return joined([(points, triangles[~door]), *sides[1:]])


def rock(faces: int) -> Scan:
    """Ten by eight metres of rock with overhangs."""
    rng = np.random.default_rng(4)
    columns = int(np.sqrt(0.5 * faces))
    rows = faces // (2 * columns) + 1
    y, x = np.meshgrid(np.linspace(0.0, 8.0, rows), np.linspace(0.0, 10.0, columns), indexing="ij")
    flat = np.stack([x, y, 0.0 * x], axis=-1).reshape(-1, 3)
    points = flat + np.stack([waves(flat, rng, height, 0.9) for height in (0.3, 0.3, 0.8)], axis=1) + (0.0, 0.0, 0.6)
    return points + rng.normal(size=points.shape) * 0.004, sheet(rows, columns)


def tree(faces: int) -> Scan:
    """Leaves of 8 by 4 cm round a trunk, from the ground to 4 m."""
    rng = np.random.default_rng(7)
    count = faces // 2
    out, along, beside = (rng.normal(size=(count, 3)) for _ in range(3))
    out *= rng.uniform(0.4, 1.0, (count, 1)) ** (1 / 3) / np.sqrt((out**2).sum(axis=1, keepdims=True))
    along *= 0.04 / np.sqrt((along**2).sum(axis=1, keepdims=True))
    beside = np.cross(along, beside)
    beside *= 0.02 / np.sqrt((beside**2).sum(axis=1, keepdims=True))
    leaves = (out * (2.0, 2.0, 1.6) + (0.0, 0.0, 2.4))[:, None] + np.stack(
        [-along - beside, along - beside, along + beside, beside - along], axis=1
    )
    triangles = 4 * np.arange(count)[:, None, None] + np.array([(0, 1, 2), (0, 2, 3)])
    return joined([(leaves.reshape(-1, 3), triangles.reshape(-1, 3)), lump(2000, (0.2, 0.2, 2.0), (0.0, 0.0, 1.0))])


def pebbles(faces: int) -> Scan:
    """A heap of stones of 6 cm with eight faces each."""
    rng = np.random.default_rng(8)
    count = faces // 8
    stone = 0.03 * np.concatenate([np.eye(3), -np.eye(3)])
    turned, _ = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    points = (rng.normal(size=(count, 3)) * (1.0, 1.0, 0.3) + (0.0, 0.0, 0.5))[:, None] + stone @ turned
    octant = np.array([(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)])
    return points.reshape(-1, 3), (6 * np.arange(count)[:, None, None] + octant).reshape(-1, 3)


SCANS: dict[str, Callable[[int], Scan]] = {
    "statue": statue,
    "wall": wall,
    "room": room,
    "rock": rock,
    "tree": tree,
    "pebbles": pebbles,
}


def show_as_obstacle(scan: Scan) -> bpy.types.Scene:
    """Make a scene in which one crowd walks far from a scan that is an obstacle."""
    scene = stage.begin(frames=(1, 50))
    settings = stage.settings(scene)
    points, triangles = scan
    mesh: Any = bpy.data.meshes.new("Scan")
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.astype(np.float32).reshape(-1))
    mesh.loops.add(triangles.size)
    mesh.loops.foreach_set("vertex_index", triangles.astype(np.int32).reshape(-1))
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", 3 * np.arange(len(triangles), dtype=np.int32))
    mesh.update(calc_edges=True)
    settings.obstacles = stage.collection("Obstacles", scene.collection)
    settings.obstacles.objects.link(bpy.data.objects.new("Scan", mesh))
    bpy.ops.footfall.crowd_add()  # ty: ignore[missing-attribute]
    settings.crowds[-1].mode = "ROUTE"
    settings.crowds[-1].route = stage.curve("Path", [(-20.0, -20.0), (20.0, -20.0)], scene.collection)
    return scene


def memory(field: str) -> float:
    """Memory of this process by its name in Linux [MiB]."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faces", type=int, nargs="+", default=[80_000, 500_000])
    parser.add_argument("--scans", nargs="+", choices=list(SCANS), default=list(SCANS))
    wanted = parser.parse_args()
    read_scene = importlib.import_module(f"{stage.EXTENSION}.blender_addon.reading").read_scene
    print(f"Blender {bpy.app.version_string}")
    print(f"{'':10}{'faces':>9}{'seconds':>9}{'MiB':>7}{'outlines':>10}{'corners':>9}")
    for name in wanted.scans:
        for faces in wanted.faces:
            scene = show_as_obstacle(SCANS[name](faces))
            bpy.context.view_layer.update()
            Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak is reset
            before, begin = memory("VmRSS"), time.process_time()
            reading = read_scene(scene)
            seconds, grown = time.process_time() - begin, memory("VmHWM") - before
            found = reading.scene.obstacles
            corners = sum(len(each.outline) + sum(map(len, each.holes)) for each in found)
            print(f"{name:10}{faces:9}{seconds:9.1f}{grown:7.0f}{len(found):10}{corners:9}", flush=True)
            for notice in reading.notices:
                print(f"          {notice}")


if __name__ == "__main__":
    main()
