# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the overlays of a whole crowd take to make for a frame: `python benchmarks/overlays.py [people]`.

Run it with the Python of a bpy environment, after `build_addon.py build --dev` has laid out a profile that
BLENDER_USER_RESOURCES names. What the graphics card then does is not measured: the background has none.
"""

from __future__ import annotations

import importlib
import sys
import time
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np

# isort: split
import addon_utils

NAME = "bl_ext.user_default.footfall"
FRAMES = 250
FPS = 24.0
SIDE = 60.0  # [m] of the square that they walk on


def walk(people: int, seed: int = 7) -> np.ndarray:
    """Straight walks over a square, float64 (F, A, 3) [m]; who leaves it comes in again on the other side."""
    rng = np.random.default_rng(seed)
    start, direction = rng.uniform(0.0, SIDE, (people, 2)), rng.uniform(0.0, 2.0 * np.pi, people)
    velocity = 1.34 * np.column_stack([np.cos(direction), np.sin(direction)])
    path = start + np.arange(FRAMES)[:, None, None] / FPS * velocity
    return np.concatenate([path % SIDE, np.zeros((FRAMES, people, 1))], axis=2)


def make_people(module: Any, people: int) -> Any:
    """Everybody as overlays see them, without a bake: only what the overlays of a whole crowd ask for."""
    position = walk(people)
    scene = SimpleNamespace(fps=FPS, frames=(1, FRAMES))
    agents = SimpleNamespace(radius=np.full(people, 0.25), crowd=np.arange(people) % 2)
    replay = SimpleNamespace(scene=scene, agents=agents, position=position)
    moment_of = module("core.inspection.replay").Moment

    def at(frame: int) -> Any:
        row = frame - 1
        velocity = (position[row] - position[max(row - 1, 0)])[:, :2] * FPS
        here = np.ones(people, dtype=bool)
        moment = moment_of(frame, row / FPS, here, position[row], velocity, np.zeros(people))
        return SimpleNamespace(replay=replay, moment=moment, selected=0)

    return at


def main(people: int) -> None:
    """Print CPU times, the best of frames 100 to 120."""
    assert addon_utils.enable(NAME) is not None, f"{NAME} is not laid out in BLENDER_USER_RESOURCES"
    load = lambda dotted: importlib.import_module(f"{NAME}.{dotted}")  # noqa: E731
    at = make_people(load, people)
    overlay_options = load("blender_addon.interface.overlays.layers.overlay").Options
    print(f"{people} people, Blender {bpy.app.version_string}; CPU time to make the marks, best of 20 frames")
    for name in ("people", "density", "trails"):
        draw = load(f"blender_addon.interface.overlays.layers.{name}").draw
        best, made = np.inf, []
        for frame in range(100, 120):
            view = SimpleNamespace(people=at(frame), options=overlay_options())
            begin = time.process_time()
            made = draw(view)
            best = min(best, time.process_time() - begin)
        points = sum(len(mark.points) for mark in made)
        print(f"{name:10} {1e3 * best:7.2f} ms  {points:9,} points")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
