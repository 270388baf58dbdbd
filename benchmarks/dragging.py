# SPDX-License-Identifier: GPL-3.0-or-later
"""What one step of a drag costs while the overlay Routes is shown: `python benchmarks/dragging.py [--people 100]`.

Run it with the Python of a bpy environment, after `build_addon.py build --dev` has laid out a profile that
BLENDER_USER_RESOURCES names; or with Blender: `blender -b --python benchmarks/dragging.py`.

An obstacle, or a curve, is put a little farther again and again, as by a hand. Each time it is read as Blender has
evaluated it, the map is corrected, the routes of all concerned are searched again, quickly first, then fully, and the
marks of the overlay are made; what the graphics card then does is not measured. The route of everybody who is marked
as concerned is searched again; the table says how many, the median and the most. Times are milliseconds
of the processor's time, the median of all steps and the worst; the parts are medians.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "blend_examples"))
stage, station = (importlib.import_module(name) for name in ("stage", "station"))

EXTENSION = stage.EXTENSION
FOREVER = 1e9  # [s]
PARTS = ("read", "map", "quick", "final", "draw")
Place = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass
class Stopwatch:
    """How long the parts of each step took, in seconds of the processor.

    Attributes:
        steps: for each step the seconds of its parts.
        concerned: for each step, for how many a route was searched again.
    """

    steps: list[dict[str, float]] = field(default_factory=list)
    concerned: list[int] = field(default_factory=list)

    def run(self, part: str, work: Callable[[], Any]) -> Any:
        """Do a part of the present step."""
        begin = time.process_time()
        result = work()
        self.steps[-1][part] = self.steps[-1].get(part, 0.0) + time.process_time() - begin
        return result

    def row(self) -> str:
        """Everything in one line of the table."""
        table = 1e3 * np.array([[step.get(part, 0.0) for part in PARTS] for step in self.steps])
        quick, final = table[:, [0, 1, 2, 4]].sum(axis=1), table.sum(axis=1)
        cells = [np.median(self.concerned), max(self.concerned)]
        numbers = [np.median(quick), quick.max(), np.median(final), final.max(), *np.median(table, axis=0)]
        return f"{cells[0]:7.0f}{cells[1]:5.0f}" + "".join(f"{number:8.1f}" for number in numbers)


def along(*corners: Place, steps: int) -> list[Place]:
    """Places one after the other on the way through some corners [m]."""
    x, y = np.array(corners, dtype=np.float64).T
    far = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))))
    share = np.linspace(0.0, far[-1], steps)
    return list(zip(np.interp(share, far, x).tolist(), np.interp(share, far, y).tolist(), strict=True))


def station_hall(people: int, half: Place) -> bpy.types.Object:
    """The station of the examples with so many people, and a box on its floor."""
    settings = stage.settings(station.build_hall())
    share = people / sum(crowd.count for crowd in settings.crowds)
    for crowd in settings.crowds:
        crowd.count = round(share * crowd.count)
    settings.crowds[0].count += people - sum(crowd.count for crowd in settings.crowds)
    return crate(half, settings.obstacles)


def city(people: int, half: Place) -> bpy.types.Object:
    """A city of a square kilometre with 243 blocks, people who cross it from four sides, and a box in its streets."""
    data = json.loads((ROOT / "tests" / "data" / "city2x2.json").read_text(encoding="utf-8"))
    settings = stage.settings(stage.begin(frames=(1, 250)))
    into = bpy.context.scene.collection
    settings.obstacles = stage.collection("Obstacles", into)
    settings.bounds = flat("Grounds", (0, 0, 1000, 1000), into)
    stone = stage.material("Stone", (0.6, 0.6, 0.55))
    for number, outline in enumerate(data["obstacles"]):
        stage.solid(f"Block {number}", [(turned_left(outline), 0.0, 20.0)], stone, settings.obstacles)
    sides: dict[str, Box] = {
        "West": (20, 300, 80, 700),
        "East": (920, 300, 980, 700),
        "South": (300, 20, 700, 80),
        "North": (300, 920, 700, 980),
    }
    areas = {name: flat(name, box, into) for name, box in sides.items()}
    for start, goal in (("West", "East"), ("East", "West"), ("South", "North"), ("North", "South")):
        send(f"From the {start}", areas[start], areas[goal], people // 4)
    return crate(half, settings.obstacles)


def long_curve(people: int) -> tuple[bpy.types.Object, bpy.types.Object]:
    """People along a curve of 600 m, and a crate upon it; returns the crate and the curve."""
    settings = stage.settings(stage.begin(frames=(1, 250)))
    into = bpy.context.scene.collection
    settings.obstacles = stage.collection("Obstacles", into)
    settings.bounds = flat("Grounds", (-220, -60, 220, 60), into)
    line = stage.curve("Way", [(40.0 * k - 180.0, 25.0 * (-1) ** k) for k in range(10)], into)
    bpy.ops.footfall.crowd_add()  # ty: ignore[missing-attribute]
    crowd: Any = settings.crowds[-1]
    crowd.name, crowd.mode, crowd.route, crowd.count = "Along", "ROUTE", line, people
    crowd.spawn.mode = "SPREAD"
    return crate((0.5, 0.5), settings.obstacles), line


def turned_left(outline: list[Place]) -> list[Place]:
    """An outline, counter-clockwise."""
    x, y = np.array(outline, dtype=np.float64).T
    return outline if float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) > 0.0 else outline[::-1]


def flat(name: str, box: Box, into: bpy.types.Collection) -> bpy.types.Object:
    """A flat mesh that marks a place."""
    x0, y0, x1, y1 = box
    corners = [(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)]
    return stage.from_faces(name, corners, [(0, 1, 2, 3)], stage.material("Place", (0.2, 0.5, 0.9)), into)


def send(name: str, start: bpy.types.Object, goal: bpy.types.Object, count: int) -> None:
    """A crowd that goes from place to place."""
    bpy.ops.footfall.crowd_add()  # ty: ignore[missing-attribute]
    crowd: Any = stage.settings(bpy.context.scene).crowds[-1]
    crowd.name, crowd.mode, crowd.start, crowd.goal, crowd.count = name, "AREAS", start, goal, count


def crate(half: Place, obstacles: bpy.types.Collection) -> bpy.types.Object:
    """A box on the ground that is dragged, as long and as wide as twice this [m]."""
    x, y = half
    outline = [(-x, -y), (x, -y), (x, y), (-x, y)]
    return stage.solid("Crate", [(outline, 0.0, 1.5)], stage.material("Crate", (0.5, 0.35, 0.2)), obstacles)


def put(thing: bpy.types.Object, place: Place) -> None:
    """Put an object somewhere on the ground."""
    thing.location = (*place, 0.0)


def bend(line: bpy.types.Object, place: Place) -> None:
    """Put the middle knot of a curve somewhere on the ground."""
    knots: Any = line.data.splines[0].bezier_points
    knots[len(knots) // 2].co = (*place, 0.0)


def drag(
    thing: bpy.types.Object, places: Iterable[Place], move: Callable[[bpy.types.Object, Place], None] = put
) -> Stopwatch:
    """Put something where it is dragged, step by step, and time what follows it; what stands first is not timed."""
    live, reading, overlay = (
        importlib.import_module(f"{EXTENSION}.blender_addon.{name}")
        for name in ("interface.live_routes", "reading", "interface.overlays.layers.routes")
    )
    scene, watch = bpy.context.scene, Stopwatch()
    first, *others = places
    move(thing, first)
    bpy.context.view_layer.update()
    view = SimpleNamespace(reading=reading.read_scene(scene))
    routes = live.routes_of(scene, view.reading)
    routes.people.work(FOREVER)
    put_things = routes.people.put

    def timed_put(*what: Any) -> Any:
        return watch.run("map", lambda: put_things(*what))

    routes.people.put = timed_put
    head_height = stage.settings(scene).head_height
    for place in others:
        move(thing, place)
        bpy.context.view_layer.update()
        graph = bpy.context.evaluated_depsgraph_get()
        watch.steps.append({})
        watch.run("read", lambda graph=graph: routes.follow(thing, graph, head_height))
        watch.steps[-1]["read"] -= watch.steps[-1].get("map", 0.0)
        watch.concerned.append(len(routes.people.waiting))
        while routes.people.waiting:
            watch.run("quick", lambda: routes.people.work(0.0))
        watch.run("final", lambda: routes.people.work(FOREVER))
        watch.run("draw", lambda: overlay.draw(view))
    return watch


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--steps", type=int, default=24)
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    wanted = parser.parse_args([] if bpy.app.binary_path and "--" not in sys.argv else words)
    steps = wanted.steps + 1
    print(f"Blender {bpy.app.version_string}, {wanted.people} people, {wanted.steps} steps; ms of the processor's time")
    print(f"{'':26}{'concerned':>10}{'quick ways':>16}{'final ways':>16}   of it")
    columns = ("median", "most", "median", "worst", "median", "worst", *PARTS)
    print(f"{'':26}{columns[0]:>7}{columns[1]:>5}" + "".join(f"{name:>8}" for name in columns[2:]))

    def show(name: str, watch: Stopwatch) -> None:
        print(f"{name:26}{watch.row()}", flush=True)

    small, wide, stand, fence = (0.5, 0.5), (8.0, 0.2), (3.0, 3.0), (100.0, 0.2)
    thing = station_hall(wanted.people, small)
    show("station, a crate", drag(thing, along((-17.0, -9.0), (-14.0, 3.0), (17.0, 4.0), steps=steps)))
    thing = station_hall(wanted.people, wide)
    show("station, a barrier", drag(thing, along((0.0, -9.0), (0.0, 9.0), steps=steps)))
    thing = city(wanted.people, stand)
    show("city, a stand", drag(thing, along((400.0, 400.0), (600.0, 430.0), (520.0, 600.0), steps=steps)))
    thing = city(wanted.people, fence)
    show("city, a fence", drag(thing, along((500.0, 430.0), (500.0, 570.0), steps=steps)))
    thing, line = long_curve(wanted.people)
    show("curve, a crate upon it", drag(thing, along((-150.0, 5.0), (150.0, -5.0), steps=steps)))
    show("curve, moved", drag(line, along((0.0, 0.0), (5.0, 5.0), steps=steps)))
    show("curve, a knot of it", drag(line, along((20.0, -25.0), (30.0, 25.0), steps=steps), bend))


if __name__ == "__main__":
    main()
