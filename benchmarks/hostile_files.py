# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene files with random damage: each is read, and simulated for a few frames where it is sound.

python -m benchmarks.hostile_files [--first 0] [--cases 20000] [--seconds 10] [--gigabytes 3] [--show 17]

A second process takes one case after the other, within a bound of memory; a case that takes longer than the bound of
time is killed there. Counted are cases that were refused in words, simulated, or ended in any other way: those are
listed, with the slowest. The same number is always the same file: `--show` prints it. Linux only.
"""

from __future__ import annotations

import argparse
import copy
import json
import multiprocessing
import random
import resource
import signal
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from core import FootfallError, Simulation, load_scene
from tests.core.scene.full_scene import walk

FRAMES = 4
"""So many frames of a sound scene are simulated."""

SLOW = 2.0
"""Cases that take longer are listed [s]."""

VALUES: tuple[Any, ...] = (
    0, 1, -1, 2, 7, 0.5, 1e-9, 1e-300, 1e3, 1e5, 1e7, 1e8, 1e12, 1e300, -1e5, 10**30, -0.0, 1e-3,
    float("nan"), float("inf"), None, True, False, "", "Path", "x" * 3000, [], {}, [[]], [0, 0], [[0, 0], [0, 0]],
    "orca", "human_like", "power_law", "none", "flow", "spread", "loop", "leave", "vehicle", "wheels", "bus", "stop",
)  # fmt: skip

BASE: dict[str, Any] = {
    "footfall_scene": 1,
    "fps": 24,
    "frames": [1, 100],
    "seed": 7,
    "bounds": [[-5, -5], [45, -5], [45, 25], [-5, 25]],
    "obstacles": [
        {"name": "Kiosk", "outline": [[8, 8], [12, 8], [12, 12], [8, 12]], "holes": [[[9, 9], [11, 9], [11, 11]]]},
        {
            "name": "Tram",
            "outline": [[-1, -4], [1, -4], [1, 4], [-1, 4]],
            "motion": {"frames": [1, 60], "x": [5, 35], "y": [15, 15], "yaw": [0, 0.5]},
        },
    ],
    "walls": [[[0, 5], [6, 5]]],
    "routes": [
        {"name": "Path", "points": [[0, 0, 0], [20, 4, 0.5], [20, 16, 0]], "closed": True, "width": 2.5},
        {
            "name": "Road",
            "points": [[0, 20], [20, 21], [40, 18]],
            "width": 4,
            "lanes": 2,
            "lane_width": 3.25,
            "two_way": True,
            "priority": "main",
        },
    ],
    "areas": [
        {"name": "West", "outline": [[0, 0], [2, 0], [2, 4], [0, 4]]},
        {"name": "East", "outline": [[38, 0], [40, 0], [40, 4], [38, 4]]},
    ],
    "crossings": [{"name": "Zebra", "outline": [[15, 15], [18, 15], [18, 24], [15, 24]]}],
    "keep_left": False,
    "terrain": {"corner": [1, -1], "cell": 0.5, "heights": [[0, 0.5], [1, 2]]},
    "crowds": [
        {
            "name": "Walkers",
            "kind": "pedestrian",
            "count": 4,
            "route": "Path",
            "spawn": {"mode": "spread", "rate": 2.0, "headway": 0.25},
            "arrival": "loop",
            "radius": [0.2, 0.3],
            "speed": {"mean": 1.2, "sd": 0.1},
            "avoidance": "human_like",
            "flocking": {"separation": 1.0, "alignment": 0.5, "cohesion": 0.25, "distance": 2.0},
            "following": {
                "keep_to_line": 0.75,
                "comfort": 0.25,
                "spread": 0.5,
                "side": "right",
                "weights": {"k_jerk": 2.0, "k_obstacle": 0.5},
            },
            "groups": [1, 2],
            "absent": [1],
        },
        {"name": "Commuters", "count": 4, "start": "West", "goal": "East", "radius": 0.25, "slope_effect": 0.5},
        {
            "name": "Pair",
            "body": "wheels",
            "delay": 0.1,
            "agents": [{"start": [1, 7], "goal": [9, 3], "radius": 0.25, "speed": 1.3}],
        },
        {
            "name": "Cars",
            "kind": "vehicle",
            "vehicle": "van",
            "count": 3,
            "route": "Road",
            "avoidance": "traffic",
            "spawn": {"mode": "flow", "rate": 1.0, "headway": 1.0},
            "length": 4.0,
            "width": 1.7,
            "max_acceleration": 1.25,
            "max_deceleration": 2.5,
            "time_headway": 1.0,
            "turning_radius": 5.0,
        },
    ],
    "heroes": [
        {"name": "Hero", "radius": 0.4, "motion": {"frames": [1, 90], "x": [3, 9], "y": [2, 2.5]}, "frames": [10, 80.5]}
    ],
}


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Return the holder and the key of every value in a file, from the outside in."""
    return [(holder, key) for _, holder, key in walk(value)]


def _replaced(draw: random.Random, holder: Any, key: Any, _data: Any) -> None:
    holder[key] = copy.deepcopy(draw.choice(VALUES))


def _scaled(draw: random.Random, holder: Any, key: Any, _data: Any) -> None:
    value = holder[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = type(value)(value * draw.choice((-1, 0, 0.01, 0.1, 0.5, 2, 3, 10, 1000, 1e6)))
    else:
        _replaced(draw, holder, key, _data)


def _removed(_draw: random.Random, holder: Any, key: Any, _data: Any) -> None:
    del holder[key]


def _exchanged(draw: random.Random, holder: Any, key: Any, data: Any) -> None:
    other, place = draw.choice(places_in(data))
    holder[key] = copy.deepcopy(other[place])


def _repeated(draw: random.Random, holder: Any, key: Any, _data: Any) -> None:
    if isinstance(holder, list):
        for _ in range(draw.choice((1, 2, 5, 40))):
            holder.insert(key, copy.deepcopy(holder[key]))
    elif isinstance(holder[key], list):
        holder[key] = copy.deepcopy(holder[key]) * draw.choice((2, 3, 30))
    else:
        _replaced(draw, holder, key, _data)


def _shaken(draw: random.Random, holder: Any, key: Any, _data: Any) -> None:
    """Move every number in a value, by little or by much."""
    size = draw.choice((1e-9, 1e-3, 0.3, 5.0, 1e3))
    inside = places_in(holder[key]) or [(holder, key)]
    for inner, place in inside:
        if isinstance(inner[place], int | float) and not isinstance(inner[place], bool):
            inner[place] = inner[place] + draw.uniform(-size, size)


def _shuffled(draw: random.Random, holder: Any, key: Any, _data: Any) -> None:
    if isinstance(holder[key], list):
        draw.shuffle(holder[key])
    else:
        _scaled(draw, holder, key, _data)


CHANGES: tuple[Callable[[random.Random, Any, Any, Any], None], ...] = (
    _replaced, _scaled, _scaled, _removed, _exchanged, _repeated, _shaken, _shaken, _shuffled,
)  # fmt: skip


def damaged_file(case: int) -> bytes:
    """Return the file of a case: the same every time."""
    draw = random.Random(case)
    data = copy.deepcopy(BASE)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5))):
        holder, key = draw.choice(places_in(data) or [({"x": 0}, "x")])
        draw.choice(CHANGES)(draw, holder, key, data)
    content = json.dumps(data).encode()
    if draw.random() < 0.1:
        spoilt = bytearray(content)
        for _ in range(draw.choice((1, 3, 20))):
            at = draw.randrange(len(spoilt))
            spoilt[at : at + draw.choice((0, 1, 10))] = bytes(draw.choices(b'0123456789eE+-.,:[]{}" \xff', k=1))
        content = bytes(spoilt)
    return content


def outcome_of(path: Path) -> str:
    """Return how a file ends: `refused`, `simulated`, or the name of an error that should not be."""
    try:
        simulation = Simulation(load_scene(path), backend="numpy")
        for _ in range(FRAMES):
            if not simulation.done:
                simulation.step()
        simulation.result()
    except FootfallError:
        return "refused"
    except BaseException as error:  # noqa: BLE001  a fuzzer reports whatever comes
        return f"{type(error).__name__}: {str(error)[:200]}"
    return "simulated"


def _work(results: Connection, first: int, end: int, gigabytes: float) -> None:
    """Send the outcome and the seconds of each case."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    most = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.json"
        for case in range(first, end):
            path.write_bytes(damaged_file(case))
            begin = time.perf_counter()
            outcome = outcome_of(path)
            results.send((case, outcome, time.perf_counter() - begin))


def run_cases(first: int, count: int, *, seconds: float, gigabytes: float) -> list[tuple[int, str, float]]:
    """Return number, outcome and seconds of each case; `hang` where it had to be killed, `died` where it ended itself.

    Args:
        first: number of the first case.
        count: how many.
        seconds: bound of time for each [s].
        gigabytes: bound of memory of the process, with all that Python and the packages take.
    """
    found: list[tuple[int, str, float]] = []
    while len(found) < count:
        begin = first + len(found)
        ours, theirs = multiprocessing.Pipe(duplex=False)
        work = multiprocessing.Process(target=_work, args=(theirs, begin, first + count, gigabytes), daemon=True)
        work.start()
        theirs.close()
        found += _collected(ours, begin, first + count - begin, seconds)
        work.kill()
        work.join()
    return found


def _collected(results: Connection, first: int, count: int, seconds: float) -> list[tuple[int, str, float]]:
    """Return what a process sends until it has done all, hangs, or dies."""
    found: list[tuple[int, str, float]] = []
    for case in range(first, first + count):
        try:
            if not results.poll(seconds):
                return [*found, (case, "hang", seconds)]
            found.append(results.recv())
        except EOFError:
            return [*found, (case, "died", 0.0)]
    return found


def main() -> None:
    """Run cases and print what came of them."""
    parser = argparse.ArgumentParser(description="Read and simulate scene files with random damage.")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--gigabytes", type=float, default=3.0)
    parser.add_argument("--show", type=int, default=None, metavar="CASE", help="print the file of a case, and end")
    chosen = parser.parse_args()
    if chosen.show is not None:
        print(damaged_file(chosen.show).decode(errors="replace"))
        return
    counts: dict[str, int] = {}
    slowest: list[tuple[float, int, str]] = []
    step = 200
    for first in range(chosen.first, chosen.first + chosen.cases, step):
        count = min(step, chosen.first + chosen.cases - first)
        for case, outcome, took in run_cases(first, count, seconds=chosen.seconds, gigabytes=chosen.gigabytes):
            kind = outcome.partition(":")[0]
            counts[kind] = counts.get(kind, 0) + 1
            slowest = sorted([*slowest, (took, case, kind)], reverse=True)[:10]
            if kind not in ("refused", "simulated") or took > SLOW:
                print(f"case {case}: {outcome} after {took:.1f} s", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    print("slowest:", ", ".join(f"{case} {took:.1f} s ({kind})" for took, case, kind in slowest))


if __name__ == "__main__":
    main()
