# SPDX-License-Identifier: GPL-3.0-or-later
"""What stops and triggers cost: people who look, sit and queue on their way, beside the same people who only walk.

    python -m benchmarks.lives [--backends numpy numba] [--seeds 0 1 2]

Scenes: 50 people on a drawn path, 50 from place to place in a street, and 400 from place to place in a hall. Times are
of the processor; those who walk and those who stop are simulated in turns, frame by frame, so that other programs slow
down both alike. As people who stop are there for longer, the ratio is also given for each person and frame.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any

import numpy as np

from core import Simulation, simulate
from core.scene import Scene
from core.scene.file import scene_from_json

TWO_WAYS = ("East", "West")


def street(*, stops: bool, drawn: bool) -> Scene:
    """50 people both ways, past a window, a bench of six seats and a kiosk; at frame 400 those at stops go on."""
    bench = [[20 + 0.6 * k, -3.6] for k in range(6)]
    places = [
        {"name": "Window", "points": [[14, 3.4]]},
        {"name": "Bench", "points": bench, "headings": [1.57] * 6, "heights": [0.45] * 6},
        {"name": "Kiosk", "points": [[28, 3.5]], "headings": [0.0]},
    ]
    there = {"arrival": "leave", "spawn": {"mode": "flow", "rate": 0.8}, "count": 25}
    ends = {"East": [[0, 0], [20, 0.5], [40, 0]], "West": [[40, 0], [20, 0.5], [0, 0]]}
    trigger = {"name": "Bell", "when": {"what": "frame", "frames": [400]}, "then": "walk"}
    return _scene(
        places if stops else [],
        [{"name": name, **_way(name, drawn=drawn), **there} for name in TWO_WAYS],
        (0.4, 0.2, 0.3),
        frames=[1, 1200],
        routes=[{"name": name, "points": points, "width": 3} for name, points in ends.items()] if drawn else [],
        areas=[] if drawn else [_area("West", 0, -2, 2), _area("East", 39, -2, 2)],
        triggers=[trigger] if stops else [],
        bounds=[[-2, -6], [42, -6], [42, 6], [-2, 6]],
        obstacles=[{"name": "Shop", "outline": [[8, 4], [22, 4], [22, 5], [8, 5]]}],
    )


def hall(*, stops: bool) -> Scene:
    """400 people across a hall of 122 m with twelve windows, twenty seats and four kiosks; nobody leaves meanwhile."""
    seats = [[40 + 2 * k, 2] for k in range(20)]
    places = [
        {"name": "Window", "points": [[30 + 5 * k, 78.5] for k in range(12)]},
        {"name": "Bench", "points": seats, "headings": [1.57] * 20, "heights": [0.45] * 20},
        {"name": "Kiosk", "points": [[60, 40 + 4 * k] for k in range(4)], "headings": [0.0] * 4},
    ]
    there = {"arrival": "leave", "count": 200}
    return _scene(
        places if stops else [],
        [{"name": name, **_way(name, drawn=False), **there} for name in TWO_WAYS],
        (0.4, 0.2, 0.2),
        frames=[1, 1000],
        areas=[_area("West", 0, 0, 80, 3), _area("East", 117, 0, 80, 3)],
        bounds=[[-1, -1], [121, -1], [121, 81], [-1, 81]],
        obstacles=[{"name": "Pillar", "outline": [[80, 30], [82, 30], [82, 32], [80, 32]]}],
    )


def _way(name: str, *, drawn: bool) -> dict[str, str]:
    if drawn:
        return {"route": name}
    start, goal = TWO_WAYS[::-1] if name == "East" else TWO_WAYS
    return {"start": start, "goal": goal}


def _area(name: str, left: float, low: float, high: float, wide: float = 1.0) -> dict[str, Any]:
    return {"name": name, "outline": [[left, low], [left + wide, low], [left + wide, high], [left, high]]}


def _scene(
    places: list[dict[str, Any]], crowds: list[dict[str, Any]], shares: tuple[float, float, float], **given: Any
) -> Scene:
    """A scene whose crowds stop at a window, a bench and a kiosk, each with a share of its people."""
    does = (("Window", "look_at", 6, 2), ("Bench", "sit", 20, 8), ("Kiosk", "queue", 4, 1))
    stops = [
        {"place": place, "do": do, "share": share, "duration": {"mean": mean, "sd": sd}}
        for (place, do, mean, sd), share in zip(does, shares, strict=True)
    ]
    crowds = [crowd | {"stops": stops if places else []} for crowd in crowds]
    return scene_from_json({"footfall_scene": 1, "fps": 24, "crowds": crowds, "places": places, **given})


def measure(scenes: list[Scene], backend: str) -> np.ndarray:
    """Return float64 (2, S): processor time of the steps of S simulations in turns [s], and frames of a person."""
    runs, found = [Simulation(scene, backend=backend) for scene in scenes], np.zeros((2, len(scenes)))
    while not all(run.done for run in runs):
        for number, run in enumerate(runs):
            if not run.done:
                begin = time.process_time()
                run.step()
                found[0, number] += time.process_time() - begin
                found[1, number] += np.count_nonzero(run.agents.present)
    return found


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backends", nargs="+", default=["numpy", "numba"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    wanted = parser.parse_args()
    scenes = {
        "50 on a path": [street(stops=stops, drawn=True) for stops in (False, True)],
        "50 from place to place": [street(stops=stops, drawn=False) for stops in (False, True)],
        "400 in a hall": [hall(stops=stops) for stops in (False, True)],
    }
    print(f"{'scene':<24}{'kernels':<9}{'walk s':>8}{'stop s':>8}{'ratio':>8}{'of a person-frame':>19}")
    for name, both in scenes.items():
        for backend in wanted.backends:
            simulate(both[1], backend=backend)  # compiles what is not yet
            seeds = [[replace(scene, seed=seed) for scene in both] for seed in wanted.seeds]
            (walk, stop), (walking, stopping) = np.sum([measure(scenes, backend) for scenes in seeds], axis=0)
            each = (stop / stopping) / (walk / walking)
            row = f"{walk:>8.2f}{stop:>8.2f}{stop / walk:>8.2f}{each:>19.2f}"
            print(f"{name:<24}{backend:<9}{row}", flush=True)


if __name__ == "__main__":
    main()
