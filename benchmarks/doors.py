# SPDX-License-Identifier: GPL-3.0-or-later
"""How people get through doors where two streams meet: what shows in one room in ten shows here.

python -m benchmarks.doors [--avoidance orca human_like power_law] [--rooms 24] [--width 1.2] [--each 12] [--opens 8]

Two streams between areas on both sides of a wall, a door that opens after some seconds (0: it stands open). One row for
each avoidance, over all rooms: people who come through, in the worst room; the time until the last one is, after the
door has opened, mean and worst; people who turn by more than half a turn on the spot, and who walk backwards, as the
report lists them, for each room, and the longest way back.
"""

from __future__ import annotations

import argparse

import numpy as np

from core import simulate
from core.array_types import Float64
from core.report import make_report
from core.scene import Area, Crowd, Motion, Obstacle, Scene

FPS, SECONDS = 24, 60


def room(width: float, each: int, opens: float, avoidance: str, seed: int) -> Scene:
    """Two streams of `each` people through a door of some width [m] that opens after a time [s]."""
    half, last = width / 2.0, float(FPS * SECONDS)
    walls = [Obstacle("North", _box(-0.1, half, 0.1, 6.0)), Obstacle("South", _box(-0.1, -6.0, 0.1, -half))]
    if opens:
        frames, shut = np.array([1.0, FPS * opens, FPS * (opens + 1.0), last]), np.zeros(4)
        aside = Motion(frames, np.array([0.0, 0.0, -0.2, -0.2]), np.array([0.0, 0.0, -1.0, -1.0]) * (width + 0.2), shut)
        walls.append(Obstacle("Leaf", _box(-0.05, -half, 0.05, half), motion=aside))
    ends = ("West", "East")
    return Scene(
        fps=FPS,
        frames=(1, int(last)),
        seed=seed,
        bounds=_box(-9.0, -6.0, 9.0, 6.0),
        obstacles=tuple(walls),
        areas=(Area("West", _box(-7.0, -2.0, -1.0, 2.0)), Area("East", _box(1.0, -2.0, 7.0, 2.0))),
        crowds=tuple(
            Crowd(f"To {goal}", count=each, start=start, goal=goal, arrival="leave", avoidance=avoidance)
            for start, goal in (ends, ends[::-1])
        ),
    )


def figures(scene: Scene, each: int, opens: float) -> tuple[int, float, int, list[float]]:
    """How many come through, how long after the opening the last does [s], spins, and ways walked backwards [m]."""
    made = simulate(scene)
    x = np.where(made.present, made.position[..., 0], 0.0) * np.repeat((1.0, -1.0), each)
    through = x > 0.15
    last = np.where(through.any(axis=0), through.argmax(axis=0), 0).max() / FPS - opens
    events = make_report(made, scene)["events"]
    back = [event["amount"] for event in events if event["kind"] == "backwards"]
    return int(through.any(axis=0).sum()), float(last), sum(event["kind"] == "spinning" for event in events), back


def _box(left: float, low: float, right: float, high: float) -> Float64:
    return np.array([[left, low], [right, low], [right, high], [left, high]])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--avoidance", nargs="+", default=["orca", "human_like", "power_law"])
    parser.add_argument("--rooms", type=int, default=24)
    parser.add_argument("--width", type=float, default=1.2, help="of the door [m]")
    parser.add_argument("--each", type=int, default=12, help="people of each stream")
    parser.add_argument("--opens", type=float, default=8.0, help="when the door opens [s]")
    options = parser.parse_args()
    print(f"{'avoidance':12} {'through':>9} {'last mean':>9} {'worst':>6} {'spins':>6} {'backwards':>9} {'longest':>7}")
    for avoidance in options.avoidance:
        rooms = (
            figures(room(options.width, options.each, options.opens, avoidance, seed), options.each, options.opens)
            for seed in range(options.rooms)
        )
        through, last, spins, back = zip(*rooms, strict=True)
        ways = [way for own in back for way in own]
        print(
            f"{avoidance:12} {min(through):4d}/{2 * options.each:<4d} {np.mean(last):9.1f} {max(last):6.1f}"
            f" {sum(spins) / options.rooms:6.2f} {len(ways) / options.rooms:9.2f} {max(ways, default=0.0):7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
