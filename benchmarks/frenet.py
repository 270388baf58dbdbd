# SPDX-License-Identifier: GPL-3.0-or-later
"""Planning along curves: what a plan and a path cost, and what the formulation buys beside a plain Frenet planner.

    python -m benchmarks.frenet [--repeats 20] [--random 0]

Times are of the processor, the least of all repeats. The curves are those of the tests. Each is walked twice from its
start: by `benchmarks.werling`, with d and s as functions of time, and by ours, `simulate` of a scene with one person on
each curve. Printed are whether the end was reached, the largest distance between the drawn line and the path walked
(either from the other), and the largest acceleration. With `--random 1000` so many random polylines are walked too,
the first hundred of them by both. Ours also walks past drums of 50 cm, two on each curve and one on each random
polyline, placed three times at random.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.geometry.distance_field import ObstacleField
from core.planning import FrenetPlanner, PlannerInput, ReferencePath, ReferenceSet
from core.scene import Crowd, Obstacle, Route, Scene, Speed
from core.simulation import simulate
from core.trajectories import Trajectories

from . import werling

Float64 = NDArray[np.float64]

DATA = Path(__file__).resolve().parents[1] / "tests" / "data" / "curves.json"
COUNTS = (1, 10, 100, 1000)
SPEED, RADIUS = 1.34, 0.24
TICK, REPLANNING = 0.05, 6  # [s], and ticks between plans
PATIENCE = 60.0  # [s] of walking
PLAIN_RANDOM = 100  # random polylines that the plain planner walks too
LAYINGS = 3  # of drums on the same lines
APART = 100.0  # [m] between curves, so that nobody meets what stands on another


def least_time(work: Callable[[], Any], repeats: int) -> float:
    """The least processor time that some work takes [s]."""
    taken = []
    for _ in range(repeats):
        before = time.process_time()
        work()
        taken.append(time.process_time() - before)
    return min(taken)


def curves() -> dict[str, tuple[Float64, bool]]:
    """The trial curves, side by side: name -> (points (P, 2), closed)."""
    found = json.loads(DATA.read_text(encoding="utf-8"))["curves"]
    return {
        curve["name"]: (np.array(curve["points"])[:, :2] + (APART * number, 0.0), curve["closed"])
        for number, curve in enumerate(found)
    }


def walkers(references: ReferenceSet, count: int, obstacles: ObstacleField) -> PlannerInput:
    """People walking anywhere on the curves, side by side, none of them in an obstacle."""
    rng = np.random.default_rng(count)
    path = rng.integers(0, len(references), 20 * count)
    s, d = rng.random(len(path)) * references.lengths[path], rng.uniform(-0.5, 0.5, len(path))
    right, left = references.limits(path, s)
    d = np.clip(d, right, left)
    free = np.flatnonzero(obstacles.signed_distance(references.to_cartesian(path, s, d)) > RADIUS + 0.1)[:count]
    zeros = np.zeros(count)
    return PlannerInput(
        path=path[free],
        s=s[free],
        s_dot=rng.uniform(1.0, SPEED, count),
        s_ddot=zeros,
        d=d[free],
        d_prime=zeros,
        d_second=zeros,
        wanted_speed=np.full(count, SPEED),
        wanted_offset=d[free],
        radius=np.full(count, RADIUS),
        stop_at_end=np.ones(count, dtype=bool),
    )


def pillars(references: ReferenceSet) -> ObstacleField:
    """Two octagons of 60 cm on each curve, near its line."""
    rng, angle = np.random.default_rng(5), np.arange(8) * np.pi / 4.0
    path = np.repeat(np.arange(len(references)), 2)
    s = references.lengths[path] * np.tile([0.35, 0.7], len(references))
    middles = references.to_cartesian(path, s, rng.uniform(-0.3, 0.3, len(path)))
    octagon = 0.3 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    return ObstacleField([(middle + octagon, ()) for middle in middles])


def measure_plans(references: ReferenceSet, repeats: int) -> None:
    """Print what a plan costs, by how many are made together."""
    planner, standing = FrenetPlanner(references), pillars(references)
    print(f"{'ms a plan':24}" + "".join(f"{count:>10,}" for count in COUNTS))
    for name, obstacles in (("free", None), ("with obstacle outlines", standing)):
        cells = []
        for count in COUNTS:
            agents = walkers(references, count, standing)
            taken = least_time(lambda agents=agents, obstacles=obstacles: planner.plan(agents, obstacles), repeats)
            cells.append(f"{1e3 * taken / count:>10.3f}")
        print(f"{name:24}" + "".join(cells))


def measure_building(repeats: int) -> None:
    """Print what it costs to make drawn lines walkable, alone and together."""
    rng = np.random.default_rng(3)
    turns = np.cumsum(rng.normal(0.0, 0.5, (300, 51)), axis=1)
    steps = 2.0 * np.stack((np.cos(turns), np.sin(turns)), axis=2)
    lines = list(np.cumsum(steps, axis=1))  # 100 m each
    alone = least_time(lambda: ReferencePath.from_points(lines[0]), repeats)
    together = least_time(lambda: ReferenceSet.from_polylines(lines), max(2, repeats // 5))
    print(f"\nA path of 100 m: {1e3 * alone:.1f} ms alone, {1e3 * together / len(lines):.2f} ms among {len(lines)}")


def follow(
    lines: Sequence[Float64], closed: Sequence[bool], seconds: float, drums: Sequence[Float64] = ()
) -> Trajectories:
    """Simulate one person on each line.

    Args:
        lines: float64 (P, 2) each, far apart [m].
        closed: per line, whether one lap is walked.
        seconds: simulated time [s].
        drums: float64 (V, 2) each, outlines of obstacles [m].
    """
    numbers = range(len(lines))
    names = [f"Line {number}" for number in numbers]
    routes = [Route(names[k], np.column_stack((lines[k], np.zeros(len(lines[k])))), closed[k]) for k in numbers]
    crowds = [Crowd(name, count=1, route=name, speed=Speed(SPEED, 0.0), radius=(RADIUS, RADIUS)) for name in names]
    obstacles = [Obstacle(f"Drum {number}", outline) for number, outline in enumerate(drums)]
    return simulate(
        Scene(
            fps=1.0 / TICK,
            frames=(1, round(seconds / TICK)),
            routes=tuple(routes),
            crowds=tuple(crowds),
            obstacles=tuple(obstacles),
        )
    )


def deviation(places: Float64, points: Float64, closed: bool) -> float:
    """The largest distance from places (T, 2) to a drawn line and from the line to the places [m]."""
    ring = np.concatenate((points, points[:1])) if closed else points
    corners, walked = ring @ np.array([1.0, 1.0j]), places @ np.array([1.0, 1.0j])
    along = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(corners)))))
    line = np.interp(np.arange(0.0, along[-1] + 0.01, 0.02), along, corners)
    apart = np.abs(walked[:, None] - line)
    return float(max(apart.min(axis=1).max(), apart.min(axis=0).max()))


def peak_acceleration(places: Float64) -> float:
    """The largest acceleration between places a tick apart, float64 (T, 2) [m/s2]."""
    return float(np.hypot(*np.diff(places, 2, axis=0).T).max(initial=0.0)) / TICK**2


def judge(places: Float64, reached: bool, points: Float64, closed: bool) -> str:
    """Cells of the table for one walk."""
    if not len(places):
        return f"{'no':>10}{'-':>10}{'-':>10}"
    away, peak = deviation(places, points, closed), peak_acceleration(places)
    return f"{'yes' if reached else 'no':>10}{away:>10.2f}{peak:>10.1f}"


def compare() -> None:
    """Print how both planners walk along each curve."""
    columns = f"{'reached':>10}{'off by m':>10}{'m/s2':>10}"
    print(f"\n{'':16}{'plain Werling':>30}{'ours':>30}\n{'curve':16}{columns}{columns}")
    lines, loops = zip(*curves().values(), strict=True)
    ours = follow(lines, loops, PATIENCE)
    for number, (name, (points, closed)) in enumerate(curves().items()):
        theirs, arrived = werling.walk(points, closed, seconds=PATIENCE, tick=TICK, replanning=REPLANNING)
        mine, reached = ours.position[:, number, :2], bool(ours.arrived_frame[number] > 0)
        print(f"{name:16}{judge(theirs, arrived, points, closed)}{judge(mine, reached, points, closed)}")


def random_lines(count: int) -> list[Float64]:
    """Polylines with sharp turns, steps of no length, and reversals."""
    rng, lines = np.random.default_rng(7), []
    for _ in range(count):
        turns = np.cumsum(np.where(rng.random(9) < 0.15, np.pi, rng.normal(0.0, 1.2, 9)))
        steps = rng.choice([0.0, 0.05, 0.3, 1.0, 2.0, 4.0], 9) * rng.uniform(0.5, 1.5, 9)
        legs = steps[:, None] * np.stack((np.cos(turns), np.sin(turns)), axis=1)
        lines.append(np.concatenate((np.zeros((1, 2)), np.cumsum(legs, axis=0), [[0.0, 9.0]])))
    return lines


def apart(lines: Sequence[Float64], first: int = 0) -> list[Float64]:
    """The lines far from each other, in rows of 32."""
    return [line + APART * np.array(divmod(first + number, 32)) for number, line in enumerate(lines)]


def walk_random(count: int) -> None:
    """Print how many random polylines are walked to their end, and how."""
    lines = apart(random_lines(count))
    longest = max(float(np.hypot(*np.diff(line, axis=0).T).sum()) for line in lines)
    walked = follow(lines, [False] * count, 2.0 * longest / SPEED + 20.0)
    places, reached = walked.position[..., :2], np.count_nonzero(walked.arrived_frame > 0)
    away = [deviation(places[:, k], line, closed=False) for k, line in enumerate(lines)]
    jerk = np.hypot(*np.diff(places, 3, axis=0).T) / TICK**3
    peak = max(peak_acceleration(places[:, k]) for k in range(count))
    print(
        f"\n{count} random polylines: {reached} reached, off by {max(away):.2f} m at most, peak {peak:.1f} m/s2, "
        f"99th percentile of jerk {np.quantile(jerk, 0.99):.1f} m/s3"
    )
    first = lines[:PLAIN_RANDOM]
    plain = [werling.walk(line, closed=False, seconds=PATIENCE, tick=TICK, replanning=REPLANNING) for line in first]
    arrived = [places for places, arrived in plain if arrived]
    gentle = sum(peak_acceleration(places) <= 3.0 for places in arrived)
    print(f"the first {len(first)} by plain Werling: {len(arrived)} reached, {gentle} of them with at most 3 m/s2")


def walk_past_drums(name: str, lines: list[Float64], closed: list[bool], share: tuple[float, ...]) -> None:
    """Print how lines with drums on them are walked, without those that begin or end in one."""
    rng, angle = np.random.default_rng(2), np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    lines = [line for lap in range(LAYINGS) for line in apart(lines, lap * len(lines))]
    closed = closed * LAYINGS
    references = ReferenceSet.from_polylines(lines, closed)
    path = np.repeat(np.arange(len(lines)), len(share))
    s = references.lengths[path] * (np.tile(share, len(lines)) + rng.uniform(-0.1, 0.1, len(path)))
    middles = references.to_cartesian(path, s, rng.uniform(-0.3, 0.3, len(path)))
    ring = 0.25 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    drums = ObstacleField([(middle + ring, ()) for middle in middles])
    rows, zeros = np.arange(len(lines)), np.zeros(len(lines))
    ends = [references.to_cartesian(rows, s, zeros) for s in (zeros, references.lengths)]
    kept = np.flatnonzero(np.minimum(*(drums.signed_distance(end) for end in ends)) > RADIUS + 0.05)
    standing = [middles[k] + ring for k in np.flatnonzero(np.isin(path, kept))]
    walked = follow([lines[k] for k in kept], [closed[k] for k in kept], PATIENCE, standing)
    places, reached = walked.position[..., :2], walked.arrived_frame > 0
    clear = drums.signed_distance(places.reshape(-1, 2)).reshape(len(places), -1) - RADIUS
    peak = [peak_acceleration(places[:, k]) for k in range(len(kept))]
    print(
        f"{name:20}{len(kept):>10}{np.count_nonzero(reached):>10}{np.count_nonzero(clear.min(axis=0) < 0.0):>10}"
        f"{100.0 * clear.min():>10.1f}{max(peak):>10.1f}"
    )


def main() -> None:
    """Measure everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--random", type=int, default=0)
    arguments = parser.parse_args()
    lines, closed = zip(*curves().values(), strict=True)
    references = ReferenceSet.from_polylines(lines, closed)
    measure_plans(references, arguments.repeats)
    measure_building(arguments.repeats)
    compare()
    print(f"\n{'with drums on them':20}{'walked':>10}{'reached':>10}{'touch':>10}{'least cm':>10}{'m/s2':>10}")
    walk_past_drums("curves", [points - points[0] for points in lines], list(closed), (0.35, 0.7))
    if arguments.random:
        some = random_lines(arguments.random)
        walk_past_drums("random polylines", some, [False] * len(some), (0.5,))
    if arguments.random:
        walk_random(arguments.random)


if __name__ == "__main__":
    main()
