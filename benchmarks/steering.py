# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step of avoidance costs each agent: ORCA and human-like, numpy and numba, and the peers that are installed.

python -m benchmarks.steering [--agents 100 1000 10000 100000] [--rounds 10]

People with random goals, one to 2 m2, heed the ten nearest within 4 m. All take turns within one run, so that whatever
else the machine does slows down each of them alike. The table gives the median step and, in brackets, the fastest.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.steering import available_backends, human_like, orca, warm_up
from core.steering.bodies import Bodies
from core.steering.model import AvoidanceModel
from core.steering.power_law import PowerLaw, PowerLawSettings

from .peers import PEERS, People, towards

Float64 = NDArray[np.float64]

NOTHING = orca.prepare_obstacles()
RADIUS, MAX_SPEED, SPEED, DENSITY = 0.25, 2.0, 1.3, 0.5
SETTINGS: dict[str, Any] = {
    "dt": 0.05,
    "time_horizon": 2.0,
    "time_horizon_obstacles": 1.0,
    "neighbour_distance": 4.0,
    "max_neighbours": 10,
}
"""As peers are given them."""

ORCA = orca.OrcaSettings(**{name: value for name, value in SETTINGS.items() if name != "dt"})
VIEW = human_like.Vision(time_horizon=3.0, neighbour_distance=4.0, max_neighbours=10, max_turn_rate=3.0)

STEPS_BEFORE = 20
"""Steps made before the clock starts, so that people move and meet."""

LONGEST = 20.0
"""A peer that would take longer for all its steps is left out of that size and larger ones [s of the processor]."""


class Crowd:
    """People on their way to random goals.

    Args:
        agents: how many.
        model: how they avoid each other.
    """

    def __init__(self, agents: int, model: AvoidanceModel) -> None:
        self.model = model
        rng = np.random.default_rng(agents)
        side = int(np.ceil(np.sqrt(agents)))
        cells = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)[:agents]
        self.position: Float64 = rng.permutation(cells + rng.uniform(0.2, 0.8, (agents, 2))) / np.sqrt(DENSITY)
        self.goal: Float64 = rng.uniform(0.0, side / np.sqrt(DENSITY), (agents, 2))
        self.velocity: Float64 = np.zeros((agents, 2))

    def preferred(self) -> Float64:
        """Velocities straight to the goals."""
        return towards(self.goal, self.position, SPEED)

    def step(self) -> float:
        """Make a step; how long its avoidance took [s]."""
        preferred = self.preferred()
        begun = time.perf_counter()
        bodies = Bodies(self.position, self.velocity, preferred, np.asarray(RADIUS), np.asarray(MAX_SPEED))
        self.velocity = self.model.new_velocity(bodies, NOTHING, SETTINGS["dt"])
        taken = time.perf_counter() - begun
        self.position = self.position + self.velocity * SETTINGS["dt"]
        return taken


def ours(crowd: Crowd, threads: int | None) -> Callable[[], float]:
    """A function that makes a step of ours and says how long it took."""
    for _ in range(STEPS_BEFORE):
        crowd.step()

    def step() -> float:
        os.environ["FOOTFALL_THREADS"] = str(threads or "")
        return crowd.step()

    return step


def _orca(backend: str) -> AvoidanceModel:
    return orca.Orca(ORCA, backend)


def _human_like(backend: str) -> AvoidanceModel:
    return human_like.HumanLike(VIEW, backend=backend)


def _power_law(backend: str) -> AvoidanceModel:
    return PowerLaw(PowerLawSettings(), backend)


def contenders(agents: int, rounds: int, too_slow: set[str]) -> dict[str, Callable[[], float] | None]:
    """Whoever can make a step of so many, ready for the clock.

    Args:
        agents: how many.
        rounds: how many steps they will be asked for.
        too_slow: peers that take too long, at this size too; those that do from this size on are added.

    Returns:
        By name; None for a peer that would take too long.
    """
    ready: dict[str, Callable[[], float] | None] = {}
    for name, make in (("ORCA", _orca), ("human-like", _human_like), ("power law", _power_law)):
        for backend in available_backends():
            for threads in (1, None) if backend == "numba" else (None,):
                on = {"numpy": ""}.get(backend, ", 1 thread" if threads else ", all threads")
                ready[f"{name}, {backend}{on}"] = ours(Crowd(agents, make(backend)), threads)
    crowd = Crowd(agents, _orca("auto"))
    people = People(crowd.position, crowd.goal, RADIUS, SPEED, MAX_SPEED, SETTINGS)
    for name, peer in PEERS.items():
        with contextlib.suppress(ImportError):
            ready[name] = None if name in too_slow else _begun(lambda peer=peer: peer(people), rounds)
        if name in ready and ready[name] is None:
            too_slow.add(name)
    return ready


def _begun(build: Callable[[], Callable[[], float]], rounds: int) -> Callable[[], float] | None:
    """A peer's step, once its people move and meet; None where building it, that and the rounds would take too long."""
    begun = time.process_time()
    step = build()
    built = time.process_time()
    for made in range(1, STEPS_BEFORE + 1):
        step()
        each = (time.process_time() - built) / made
        if made > 1 and built - begun + each * (STEPS_BEFORE + rounds) > LONGEST:
            return None  # not by its first step, which may build what the others use
    return step


def measure(agents: int, ready: dict[str, Callable[[], float] | None], rounds: int) -> dict[str, str]:
    """What a step costs each agent, by who makes it."""
    times: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(rounds):
        for name, step in ready.items():
            if step is not None:
                times[name].append(step())
    return {
        name: f"{1e9 * statistics.median(taken) / agents:,.0f} ({1e9 * min(taken) / agents:,.0f})"
        if taken
        else f"over {LONGEST:.0f} s"
        for name, taken in times.items()
    }


def main() -> None:
    """Measure all sizes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    warm_up()
    rounds = {agents: max(arguments.rounds, 20_000 // agents) for agents in arguments.agents}
    too_slow: set[str] = set()
    ready = {agents: contenders(agents, number, too_slow) for agents, number in sorted(rounds.items())}
    table = {agents: measure(agents, ready[agents], number) for agents, number in rounds.items()}
    print(f"{'ns per agent-step':32}" + "".join(f"{agents:>18,}" for agents in table))
    for name in next(iter(table.values())):
        print(f"{name:32}" + "".join(f"{row[name]:>18}" for row in table.values()))


if __name__ == "__main__":
    main()
