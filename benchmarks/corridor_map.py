# SPDX-License-Identifier: GPL-3.0-or-later
"""The corridor map on the paper's four maps, beside the paper's own figures, Boost inside it, and jupedsim's routing.

    python -m benchmarks.corridor_map [--markdown] [MAP ...]

The maps are those of the tests (84, 286, 1144 and 4664 obstacle vertices). Times are medians in milliseconds of the
processor's time, of the calmest fifth of all runs one after another: others may use the machine too. The paper's
figures were measured on another machine. jupedsim is measured where it is installed (`pip install jupedsim`): its
`RoutingEngine`, which triangulates the ground and finds routes of no width.

The paper's figures: the tables of van Toll and Geraerts for the Explicit Corridor Map.
"""

from __future__ import annotations

import argparse
import json
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.compiled import twins
from core.geometry.segments import nearest_on_segments
from core.routing import CorridorMap, NoRoute
from core.routing.medial_axis.free_space import Grid, ground_of, read_obstacle, rings_between
from core.steering import warm_up

Float64 = NDArray[np.float64]

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
PAPER = {  # build, insert, delete [ms]
    "military": (37.0, 4.0, 6.9),
    "city": (69.0, 5.2, 7.7),
    "city2x2": (278.0, 9.9, 16.0),
    "city4x4": (1222.0, 14.2, 18.6),
}
REPEATS = 5
ROUNDS = 5
EDITS = 200
WAYS = 200
POINTS = 10_000
RADIUS = 0.3


class Stopwatch:
    """Times of one kind of work.

    Attributes:
        seconds: of processor time, for each run.
    """

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def run(self, work: Callable[[], Any]) -> Any:
        """Do the work and note how long it took."""
        before = time.process_time()
        result = work()
        self.seconds.append(time.process_time() - before)
        return result

    def __str__(self) -> str:
        rounds = np.array_split(self.seconds, min(ROUNDS, len(self.seconds)))
        milliseconds = 1e3 * min(float(np.median(part)) for part in rounds)
        return f"{milliseconds:.2f}" if milliseconds < 10.0 else f"{milliseconds:.0f}"


def measure(name: str) -> dict[str, str]:
    """Measure everything on one map.

    Args:
        name: of the map.

    Returns:
        Cells of the table under their headings.
    """
    data = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    outlines, bounds = [np.array(outline) for outline in data["obstacles"]], np.array(data["bounds"], dtype=np.float64)
    build, search, boost = Stopwatch(), Stopwatch(), Stopwatch()
    corridors = CorridorMap(outlines, bounds)
    for _ in range(REPEATS):
        corridors = build.run(lambda: CorridorMap(outlines, bounds))
        search.run(partial(corridors.edge_at, bounds[:1]))
    ground = ground_of(rings_between([read_obstacle(outline) for outline in outlines], bounds, Grid.round(bounds, 24)))
    for _ in range(REPEATS):
        measure_boost(np.stack((ground.corners, ground.corners[ground.following]), axis=1), boost)
    cells = {
        "obstacle vertices": str(sum(map(len, outlines))),
        "build, the paper": f"{PAPER[name][0]:g}",
        "build": str(build),
        "of it Boost": str(boost),
        "search structures, once": str(search),
        "bytes per vertex": str(bytes_per_vertex(outlines, bounds)),
    }
    cells |= measure_edits(corridors, bounds, PAPER[name]) | measure_queries(corridors, outlines, bounds)
    return cells | measure_jupedsim(outlines, bounds)


def measure_boost(segments: NDArray[np.int64], watch: Stopwatch) -> None:
    """Let Boost make its diagram, and measure that alone."""
    builder = import_module("pyvoronoi").Pyvoronoi(1)
    for segment in segments.tolist():
        builder.AddSegment(segment)
    watch.run(builder.Construct)


def measure_jupedsim(outlines: list[Float64], bounds: Float64) -> dict[str, str]:
    """Measure jupedsim's routing between the same places, where it is installed."""
    try:
        jupedsim, shapely = import_module("jupedsim"), import_module("shapely")
    except ImportError:
        return {}
    solid = shapely.unary_union([shapely.Polygon(outline).buffer(0) for outline in outlines])
    ground = shapely.Polygon(bounds).difference(solid)
    ground = max(getattr(ground, "geoms", [ground]), key=lambda part: part.area)
    build, path = Stopwatch(), Stopwatch()
    engine = build.run(lambda: jupedsim.RoutingEngine(ground))
    rng = np.random.default_rng(11)
    while len(path.seconds) < WAYS:
        start, goal = (tuple(place) for place in rng.random((2, 2)) * bounds.max(axis=0))
        if all(ground.buffer(-RADIUS).contains(shapely.Point(place)) for place in (start, goal)):
            path.run(lambda ends=(start, goal): engine.compute_waypoints(*ends))
    return {"build, jupedsim": str(build), "path, jupedsim": str(path)}


def bytes_per_vertex(outlines: list[Float64], bounds: Float64) -> int:
    """Return what a map keeps in memory for each vertex of its obstacles, everything for routes included."""
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
        if number % 4 == 0:
            ends = rng.random((2, 2)) * extent
            afterwards.run(lambda ends=ends: corridors.paths(ends[:1], ends[1], RADIUS))
        move.run(lambda outline=square + 2.0, obstacle=new: corridors.move(obstacle, outline))
        remove.run(lambda obstacle=new: corridors.remove(obstacle))
    return {
        "insert, the paper": f"{paper[1]:g}",
        "insert": str(insert),
        "remove, the paper": f"{paper[2]:g}",
        "remove": str(remove),
        "move": str(move),
        "first path after": str(afterwards),
    }


def measure_queries(corridors: CorridorMap, outlines: list[Float64], bounds: Float64) -> dict[str, str]:
    """Ways between random free places, each to a goal of its own, and the nearest obstacle of many points."""
    rng = np.random.default_rng(11)
    extent = bounds.max(axis=0)
    corridors.edge_at(extent[None])
    path = measure_paths(corridors, extent, wanted=False)
    compiled = {}
    if find_spec("numba"):
        warm_up("numba")
        compiled = {"path, compiled": str(measure_paths(corridors, extent, wanted=True))}
    points = rng.random((POINTS, 2)) * extent
    nearest, field, changed = Stopwatch(), Stopwatch(), Stopwatch()
    found = np.zeros(0)
    field.run(lambda: corridors.nearest_obstacle(points[:1]))
    for _ in range(REPEATS):
        found, _ = nearest.run(lambda: corridors.nearest_obstacle(points))
    for _ in range(REPEATS):
        corridors.move(0, outlines[0])
        changed.run(lambda: corridors.nearest_obstacle(points[:1]))
    starts = np.concatenate([*outlines, bounds])
    ends = np.concatenate([np.roll(ring, -1, axis=0) for ring in [*outlines, bounds]])
    wrong = np.abs(found[:200] - nearest_on_segments(points[:200], starts, ends)[0]).max()
    if wrong > 1e-9:
        raise AssertionError(f"nearest_obstacle is wrong by {wrong} m")
    return {
        "path": str(path),
        "path, nine in ten": f"{1e3 * np.quantile(path.seconds, 0.9):.2f}",
        **compiled,
        "nearest, us a point": f"{1e6 * np.median(nearest.seconds) / POINTS:.2f}",
        "nearest, the first": str(field),
        "nearest, after a change": str(changed),
    }


def measure_paths(corridors: CorridorMap, extent: Float64, *, wanted: bool) -> Stopwatch:
    """Find ways between random places one by one, with compiled code where that is wanted."""
    rng, watch = np.random.default_rng(11), Stopwatch()
    with twins.compiled(wanted):
        while len(watch.seconds) < WAYS:
            start, goal = rng.random((2, 2)) * extent
            try:
                watch.run(lambda ends=(start, goal): corridors.path(*ends, RADIUS))
            except NoRoute:  # an end in a building
                continue
    return watch


def main() -> None:
    """Print the table, one column for each map."""
    parser = argparse.ArgumentParser(description="Measure the corridor map.")
    parser.add_argument("maps", nargs="*", choices=[*PAPER, []], metavar="MAP", help=", ".join(PAPER))
    parser.add_argument("--markdown", action="store_true", help="print the table as markdown")
    settings = parser.parse_args()
    names = settings.maps or list(PAPER)
    columns = [measure(name) for name in names]
    between = " | " if settings.markdown else "  "
    rows = [["", *names], *([heading, *(column[heading] for column in columns)] for heading in columns[0])]
    if settings.markdown:
        rows.insert(1, ["---", *["---:"] * len(names)])
    for first, *cells in rows:
        line = between.join([f"{first:24}", *(f"{cell:>9}" for cell in cells)])
        print(f"| {line} |" if settings.markdown else line)


if __name__ == "__main__":
    main()
