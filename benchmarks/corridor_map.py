# SPDX-License-Identifier: GPL-3.0-or-later
"""The corridor map on the paper's four maps, beside the paper's own figures.

    python -m benchmarks.corridor_map

The maps are those of the tests (84, 286, 1144 and 4664 obstacle vertices). Times are medians in milliseconds of wall
clock, and in brackets of the processor alone: on a machine that others use as well the two differ. The paper's figures
were measured on another machine.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.geometry.segments import nearest_on_segments
from core.routing import CorridorMap, NoRoute
from core.routing.free_space import Grid, ground_of, read_obstacle, rings_between
from core.routing.voronoi import diagram_of

Float64 = NDArray[np.float64]

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
PAPER = {  # build, insert, delete [ms]
    "military": (37.0, 4.0, 6.9),
    "city": (69.0, 5.2, 7.7),
    "city2x2": (278.0, 9.9, 16.0),
    "city4x4": (1222.0, 14.2, 18.6),
}
REPEATS = 5
EDITS = 60
WAYS = 200
POINTS = 10_000
RADIUS = 0.3


class Stopwatch:
    """Times of one kind of work.

    Attributes:
        wall, processor: seconds of each run.
    """

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.processor: list[float] = []

    def run(self, work: Callable[[], Any]) -> Any:
        """Do the work and note how long it took."""
        wall, processor = time.perf_counter(), time.process_time()
        result = work()
        self.wall.append(time.perf_counter() - wall)
        self.processor.append(time.process_time() - processor)
        return result

    def __str__(self) -> str:
        return f"{1e3 * np.median(self.wall):.2f} ({1e3 * np.median(self.processor):.2f})"


def measure(name: str) -> dict[str, str]:
    """Measure everything on one map.

    Args:
        name: of the map.

    Returns:
        Cells of the table under their headings.
    """
    data = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    outlines, bounds = [np.array(outline) for outline in data["obstacles"]], np.array(data["bounds"])
    build, diagram = Stopwatch(), Stopwatch()
    corridors = CorridorMap(outlines, bounds)
    for _ in range(REPEATS):
        corridors = build.run(lambda: CorridorMap(outlines, bounds))
    ground = ground_of(rings_between([read_obstacle(outline) for outline in outlines], bounds, Grid.round(bounds, 24)))
    pairs = np.stack((ground.corners, ground.corners[ground.following]), axis=1)
    for _ in range(REPEATS):
        diagram.run(lambda: diagram_of(pairs))
    cells = {
        "map": name,
        "vertices": str(sum(map(len, outlines))),
        "paper build": f"{PAPER[name][0]:g}",
        "build": str(build),
        "of it Voronoi": str(diagram),
        "bytes/vertex": str(bytes_per_vertex(outlines, bounds)),
    }
    return cells | measure_edits(corridors, bounds, PAPER[name]) | measure_queries(corridors, outlines, bounds)


def bytes_per_vertex(outlines: list[Float64], bounds: Float64) -> int:
    """Return what a map keeps in memory for each vertex of its obstacles, everything for ways included."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    corridors = CorridorMap(outlines, bounds)
    corridors.paths([bounds.min(axis=0) + 1.0], bounds.max(axis=0) - 1.0, RADIUS)
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return round(kept / sum(map(len, outlines)))


def measure_edits(corridors: CorridorMap, bounds: Float64, paper: tuple[float, float, float]) -> dict[str, str]:
    """Insert, move and remove a square of ten metres in random places; the map is as before in the end."""
    rng = np.random.default_rng(7)
    insert, move, remove, afterwards = Stopwatch(), Stopwatch(), Stopwatch(), Stopwatch()
    extent = bounds.max(axis=0)
    for number in range(EDITS):
        angle = rng.random() * 6.0 + np.arange(4) * np.pi / 2.0
        square = rng.uniform(0.05, 0.95, 2) * extent + 7.0 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
        new = insert.run(lambda outline=square: corridors.insert(outline))
        if number % 6 == 0:
            afterwards.run(lambda: corridors.paths([extent * 0.01], extent * 0.99, RADIUS))
        move.run(lambda outline=square + 2.0, obstacle=new: corridors.move(obstacle, outline))
        remove.run(lambda obstacle=new: corridors.remove(obstacle))
    return {
        "paper insert": f"{paper[1]:g}",
        "insert": str(insert),
        "move": str(move),
        "paper remove": f"{paper[2]:g}",
        "remove": str(remove),
        "first path after": str(afterwards),
    }


def measure_queries(corridors: CorridorMap, outlines: list[Float64], bounds: Float64) -> dict[str, str]:
    """Ways between random free places, each to a goal of its own, and the nearest obstacle of many points."""
    rng = np.random.default_rng(11)
    extent = bounds.max(axis=0)
    path, longest = Stopwatch(), 0.0
    corridors.paths([extent * 0.01], extent * 0.99, RADIUS)
    while len(path.wall) < WAYS:
        start, goal = rng.random((2, 2)) * extent
        try:
            path.run(lambda ends=(start, goal): corridors.path(*ends, RADIUS))
        except NoRoute:  # an end in a building
            continue
        longest = max(longest, path.wall[-1])
    points = rng.random((POINTS, 2)) * extent
    nearest, field = Stopwatch(), Stopwatch()
    found = np.zeros(0)
    field.run(lambda: corridors.nearest_obstacle(points[:1]))
    for _ in range(REPEATS):
        found, _ = nearest.run(lambda: corridors.nearest_obstacle(points))
    starts = np.concatenate([*outlines, bounds])
    ends = np.concatenate([np.roll(ring, -1, axis=0) for ring in [*outlines, bounds]])
    wrong = np.abs(found[:200] - nearest_on_segments(points[:200], starts, ends)[0]).max()
    per_point = 1e6 * np.median(nearest.wall) / POINTS
    return {
        "path": str(path),
        "longest": f"{1e3 * longest:.1f}",
        "nearest us/pt": f"{per_point:.2f}",
        "the first of it": str(field),
        "error m": f"{wrong:.0e}",
    }


def main() -> None:
    """Print the table, one column for each map."""
    columns = [measure(name) for name in sys.argv[1:] or PAPER]
    for heading in columns[0]:
        print(f"{heading:17}" + "".join(f"{column[heading]:>20}" for column in columns))


if __name__ == "__main__":
    main()
