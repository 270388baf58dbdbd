# SPDX-License-Identifier: GPL-3.0-or-later
"""What whole simulations cost: start, first frame, each other, its parts, memory; beside JuPedSim, another checkout.

    python -m benchmarks.simulation [--scenes avenue doors] [--people 100 1000] [--backends numpy numba] [--turns 3]
    python -m benchmarks.simulation --against PATH       another checkout of this repository, in turns
    python -m benchmarks.simulation --peer PYTHON        that of an environment with `jupedsim`, in turns

Every figure is of a process of its own. Times are of the processor, of the turn with the least, and of frames also by
the clock, where FOOTFALL_THREADS does not keep kernels on one thread; ratios are of pairs that ran one after the other,
the middle one of all turns. The share of each part is of the time of its own code, without parts that it calls.
JuPedSim has the same ground and people, and steers these by its own routing and its collision-free speed model: with
steps as long as a frame, and with those that it takes where nothing is said (0.01 s). It is left out where people walk
along drawn lines or enter later.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
FRAMES = ((100, 240), (1_000, 96), (5_000, 24), (20_000, 12))  # up to so many people, so many frames
SIMULATION = "core.simulation"
PARTS = {  # of a frame: the functions whose time counts, in any checkout that has them
    "planning": ("core.planning.planner:FrenetPlanner.plan",),
    "guidance": (
        f"{SIMULATION}.guidance.guidance:Guidance.replan",
        f"{SIMULATION}.guidance.guidance:Guidance.update_detours",
        f"{SIMULATION}.guidance.guidance:Guidance.preferred_velocity",
    ),
    "aims": (f"{SIMULATION}.guidance.aiming:Aims.find_aims",),
    "behaviours": tuple(
        f"{SIMULATION}.behaviours.{module}:{name}.act"
        for module, name in (
            ("arrived_people", "ArrivedPeople"),
            ("density_speed", "DensitySpeed"),
            ("dodging", "Dodging"),
            ("door_queues", "DoorQueues"),
            ("group_formation", "GroupFormation"),
            ("jams", "Jams"),
            ("making_way", "MakingWay"),
            ("narrow_passages", "NarrowPassages"),
            ("overtaking", "Overtaking"),
            ("slope_speed", "SlopeSpeed"),
            ("stops", "Stops"),
        )
    ),
    "avoidance": (f"{SIMULATION}.pedestrians.avoidance:Avoidance.new_velocity",),
    "moving": (
        f"{SIMULATION}.movement.movement:Movement.advance",
        f"{SIMULATION}.pedestrians.pedestrians:Pedestrians._move",
    ),
}
REST = "rest"
JUPEDSIM = {"JuPedSim": None, "JuPedSim 0.01 s": 0.01}  # its time step [s]; None for that of a frame


class Clock:
    """Processor time of parts, each without the parts that it calls."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._open: list[str] = [REST]
        self._since = time.process_time()

    def switch(self) -> None:
        """Count the time since the last switch for the part that is open."""
        now = time.process_time()
        self.seconds[self._open[-1]] += now - self._since
        self._since = now

    def watch(self, part: str, where: str) -> None:
        """Count what a function takes as a part; nothing where this checkout has no such function."""
        module, _, name = where.partition(":")
        try:
            owner: Any = importlib.import_module(module)
            *path, name = name.split(".")
            owner = functools.reduce(getattr, path, owner)
            function = getattr(owner, name)
        except (ImportError, AttributeError):
            return

        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self.switch()
            self._open.append(part)
            try:
                return function(*args, **kwargs)
            finally:
                self.switch()
                self._open.pop()

        setattr(owner, name, timed)


def measure(scene_name: str, people: int, frames: int, backend: str) -> dict[str, Any]:
    """Run a scene in this process.

    Args:
        scene_name: one of `run_scenes.SCENES`.
        people: how many.
        frames: how many are simulated after that of the start.
        backend: of the kernels.

    Returns:
        start [s], first [s]: the first frame, in which the doors on all paths are searched; of the others frame, and
        frame by the clock, which all threads shorten [us a person], memory [MiB], parts [share of a frame].
    """
    core, scenes = importlib.import_module("core"), importlib.import_module("benchmarks.run_scenes").SCENES
    # Neither importing nor compiling is what is measured.
    importlib.import_module("core.steering").warm_up(backend)
    warm = core.Simulation(scenes[scene_name](min(people, 100), 30), backend=backend)
    while not warm.done:
        warm.step()
    scene = scenes[scene_name](people, frames + 1)
    begun = time.process_time()
    simulation = core.Simulation(scene, backend=backend)
    started = time.process_time()
    simulation.step()
    first = time.process_time() - started
    clock = Clock()
    for part, functions in PARTS.items():
        for where in functions:
            clock.watch(part, where)
    present, clock_begun, waited_from = 0, time.process_time(), time.perf_counter()
    clock.switch()
    clock.seconds.clear()
    while not simulation.done:
        present += int(simulation.agents.present.sum())
        simulation.step()
    clock.switch()
    total, waited = time.process_time() - clock_begun, time.perf_counter() - waited_from
    parts = {part: seconds / total for part, seconds in clock.seconds.items()}
    figures = _figures(started - begun, total, present, (frames - 1) / scene.fps)
    return figures | {"first": first, "by the clock": 1e6 * waited / max(present, 1), "parts": parts}


def _figures(start: float, total: float, present: int, seconds: float) -> dict[str, Any]:
    return {
        "start": start,
        "frame": 1e6 * total / max(present, 1),
        "simulated second": total / seconds,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0,
    }


def measure_jupedsim(scene_name: str, people: int, frames: int, step: float | None) -> dict[str, Any]:
    """Run the same people on the same ground with JuPedSim, in this process; None: in steps as long as a frame [s]."""
    jupedsim, shapely = importlib.import_module("jupedsim"), importlib.import_module("shapely")
    scene = importlib.import_module("benchmarks.run_scenes").SCENES[scene_name](people, frames + 1)
    (crowd,) = scene.crowds
    begun = time.process_time()
    solid = shapely.unary_union([shapely.Polygon(obstacle.outline) for obstacle in scene.obstacles])
    ground = shapely.Polygon(scene.bounds).difference(solid)
    parts = list(getattr(ground, "geoms", [ground]))
    step, runs = step or 1.0 / scene.fps, []
    for part in parts:
        own = [agent for agent in crowd.agents if part.contains(shapely.Point(agent.start))]
        if not own:
            continue
        run = jupedsim.Simulation(model=jupedsim.CollisionFreeSpeedModel(), geometry=part, dt=step)
        for agent in own:
            stage = run.add_waypoint_stage(agent.goal, 0.3)
            journey = run.add_journey(jupedsim.JourneyDescription([stage]))
            run.add_agent(
                jupedsim.CollisionFreeSpeedModelAgentParameters(
                    position=agent.start, desired_speed=1.34, radius=0.2, journey_id=journey, stage_id=stage
                )
            )
        runs.append(run)
    started = time.process_time()
    present, steps = 0, round(frames / scene.fps / step)
    for _ in range(steps):
        for run in runs:
            present += run.agent_count()
            run.iterate()
    total = time.process_time() - started
    return _figures(started - begun, total, present, steps * step) | {"first": 0.0, "by the clock": 0.0, "parts": {}}


def run_apart(root: Path, python: str, scene: str, people: int, frames: int, backend: str) -> dict[str, Any] | None:
    """Measure in a process of its own, with the code of a checkout; None where that fails, which is printed."""
    arguments = [python, str(HERE / "benchmarks" / "simulation.py"), "--one", scene, str(people), str(frames), backend]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(root), str(HERE)))}
    ended = subprocess.run(arguments, env=environment, cwd=root, capture_output=True, encoding="utf-8", check=False)
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"{scene}, {people} people, {backend}, {root}: {last}", file=sys.stderr, flush=True)
        return None
    return json.loads(ended.stdout.splitlines()[-1])


def least(runs: list[dict[str, Any]], name: str) -> float:
    """Return the least value of some runs."""
    return min(run[name] for run in runs)


def ratio(runs: list[dict[str, Any]], others: list[dict[str, Any]], name: str) -> float:
    """Return the middle ratio of pairs of runs."""
    return statistics.median(own[name] / other[name] for own, other in zip(runs, others, strict=True))


def ratios(name: str, runs: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return what runs of one column took as a share of what those of others took that ran in turns with them."""
    others = {against: runs.get(against, []) for against in (f"{name}, other", *JUPEDSIM)}
    return [
        f"  of {against.removeprefix(f'{name}, ')}: "
        + ", ".join(f"{key} {ratio(runs[name], made, key):.2f}" for key in ("start", "simulated second"))
        for against, made in others.items()
        if made and len(made) == len(runs[name])
    ]


def print_rows(scene: str, people: int, frames: int, settings: argparse.Namespace) -> None:
    """Measure a scene with each backend and whatever else was asked for, and print a line for each."""
    columns: dict[str, Callable[[], dict[str, Any] | None]] = {}
    for backend in settings.backends:
        columns[backend] = functools.partial(run_apart, HERE, sys.executable, scene, people, frames, backend)
        if settings.against:
            root = settings.against.resolve()
            columns[f"{backend}, other"] = functools.partial(
                run_apart, root, sys.executable, scene, people, frames, backend
            )
    if settings.peer and scene not in ("avenue", "station"):
        for name in JUPEDSIM:
            columns[name] = functools.partial(run_apart, HERE, settings.peer, scene, people, frames, name)
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in columns}
    for _ in range(settings.turns):
        for name, run in columns.items():
            made = run()
            if made is not None:
                runs[name].append(made)
    for name, made in runs.items():
        if not made:
            continue
        shares = {part: statistics.median(run["parts"].get(part, 0.0) for run in made) for part in (*PARTS, REST)}
        cells = [
            f"{scene:15}{people:>7} {name:14}",
            f"{least(made, 'start'):8.2f} s",
            f"{least(made, 'first'):8.3f} s",
            f"{least(made, 'frame'):8.1f} us",
            f"{least(made, 'by the clock'):8.1f} us",
            f"{least(made, 'simulated second'):8.3f} s/s",
            f"{least(made, 'memory'):7.0f} MiB ",
            *(f" {part} {100.0 * share:.0f} %" for part, share in shares.items() if made[0]["parts"]),
        ]
        cells += ratios(name, runs) if name in settings.backends else []
        print("".join(cells), flush=True)


def main() -> None:
    """Measure what was asked for and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", nargs="+", default=["avenue", "station", "crossing", "doors", "place to place"])
    parser.add_argument("--people", nargs="+", type=int, default=[count for count, _ in FRAMES])
    parser.add_argument("--backends", nargs="+", default=["numpy", "numba"])
    parser.add_argument("--frames", type=int, help="how many; else fewer of more people")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--against", type=Path, help="another checkout of this repository")
    parser.add_argument("--peer", help="python of an environment with jupedsim")
    parser.add_argument("--one", nargs=4, metavar=("SCENE", "PEOPLE", "FRAMES", "BACKEND"), help=argparse.SUPPRESS)
    settings = parser.parse_args()
    if settings.one:
        scene, people, frames, backend = settings.one
        arguments = (scene, int(people), int(frames))
        peer = backend in JUPEDSIM
        made = measure_jupedsim(*arguments, JUPEDSIM[backend]) if peer else measure(*arguments, backend)
        print(json.dumps(made))
        return
    print(
        "start, first frame; of the others, a person, processor and clock; a simulated second; memory; parts",
        flush=True,
    )
    for scene in settings.scenes:
        for people in settings.people:
            frames = settings.frames or next(many for count, many in FRAMES if people <= count or count == 20_000)
            print_rows(scene, people, frames, settings)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:  # the code of the checkout that is asked for, not of that beside this file
        sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).resolve().parent]
    main()
