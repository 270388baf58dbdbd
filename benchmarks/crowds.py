# SPDX-License-Identifier: GPL-3.0-or-later
"""How crowds walk: the figures of the report for each standard scene, and walking speed against density.

python -m benchmarks.crowds [--scenes ring door] [--avoidance orca] [--seeds 1] [--density]

One row for each scene, the worst of all seeds: who arrived, time over the time alone (mean, and the slowest twentieth),
deepest overlap and reach into walls, share of time standing and the longest stop, turning, acceleration and jerk, and
the flow through its gate by metre of width.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from core import simulate
from tests.scenes.crowd_figures import figures_of, weidmann
from tests.scenes.crowd_scenes import Standard, closed_loop, standard_scenes

DENSITIES = (0.5, 1.0, 1.5, 2.0, 2.5)
SETTLING = 20.0
"""Speeds are measured after so long [s]."""

COLUMNS = (
    ("arrived", "arrived"),
    ("ratio", "time_ratio_mean"),
    ("p95", "time_ratio_p95"),
    ("overlap cm", "deepest_overlap"),
    ("wall cm", "deepest_wall_penetration"),
    ("stopped %", "stopped_share"),
    ("stop s", "longest_stop"),
    ("turn p99", "turn_rate_p99"),
    ("turn max", "turn_rate_max"),
    ("acc p99", "acceleration_p99"),
    ("jerk p99", "jerk_p99"),
    ("flow/m", "flow"),
    ("CPU s", "seconds"),
)
HUNDREDS = ("deepest_overlap", "deepest_wall_penetration", "stopped_share")


def worst_of(every: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the worst of each figure over several runs: the fewest who arrived, the least flow, the most of others."""
    worst = {}
    for key in every[0]:
        values = [figures[key] for figures in every if isinstance(figures[key], int | float)]
        if values:
            worst[key] = min(values) if key in ("arrived", "flow") else max(values)
    return worst


def speed_at(density: float) -> float:
    """Return the mean walking speed round a closed corridor at a density [m/s]."""
    made = simulate(closed_loop(density).scene)
    late = made.velocity[int(SETTLING * made.fps) :]
    forward = np.hypot(late[..., 0], late[..., 1])
    return float(np.nanmean(forward))


def print_quality(scenes: dict[str, Callable[[], Standard]], seeds: int) -> None:
    """Print a row for each scene."""
    print(f"{'scene':24}" + "".join(f"{title:>11}" for title, _ in COLUMNS), flush=True)
    for name, make in scenes.items():
        every = []
        for seed in range(seeds):
            standard = make()
            every.append(figures_of(replace(standard, scene=replace(standard.scene, seed=seed))))
        worst = worst_of(every)
        row = f"{name:24}{worst['arrived']:>7}/{worst['agents']:<3}"
        for _, key in COLUMNS[1:]:
            value = worst.get(key)
            shown = "-" if value is None else f"{value * (100 if key in HUNDREDS else 1):.2f}"
            row += f"{shown:>11}"
        print(row, flush=True)


def print_densities() -> None:
    """Print walking speed against density, beside Weidmann's curve."""
    print(f"{'people/m2':>10}{'speed m/s':>11}{'Weidmann':>10}{'ratio':>8}")
    for density in DENSITIES:
        speed = speed_at(density)
        print(f"{density:>10.1f}{speed:>11.2f}{weidmann(density):>10.2f}{speed / weidmann(density):>8.2f}", flush=True)


def main() -> None:
    """Measure what was asked for and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", nargs="+", default=[""], help="only scenes whose name contains one of these words")
    parser.add_argument("--avoidance", default="orca")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--density", action="store_true", help="only walking speed against density")
    arguments = parser.parse_args()
    if not arguments.density:
        scenes = standard_scenes(arguments.avoidance)
        chosen = {name: make for name, make in scenes.items() if any(word in name for word in arguments.scenes)}
        print_quality(chosen, arguments.seeds)
    if arguments.density or arguments.scenes == [""]:
        print_densities()


if __name__ == "__main__":
    main()
