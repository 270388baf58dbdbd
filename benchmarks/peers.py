# SPDX-License-Identifier: GPL-3.0-or-later
"""Other libraries for crowds that pip installs, each made to step the same people by its own model.

    pip install pyrvo jupedsim navground

What a library is given before a step, and what is read from it after, is not on the clock. Models differ in what they
reckon with, so that a row says what a step of that library costs, and no more.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Step = Callable[[], float]
"""Makes a step; how long it took [s]."""


class People(NamedTuple):
    """People on an open place: float64 (A, 2), where they are and where they go [m]; and what is known of each.

    Attributes:
        position, goal: see above.
        radius, speed, max_speed: of each [m, m/s].
        settings: dt, time_horizon, time_horizon_obstacles, neighbour_distance, max_neighbours.
    """

    position: Float64
    goal: Float64
    radius: float
    speed: float
    max_speed: float
    settings: dict[str, Any]


def towards(goal: Float64, position: Float64, speed: float) -> Float64:
    """Velocities straight to goals, float64 (A, 2), that come to rest there [m/s]."""
    gap = goal - position
    distance = np.sqrt((gap * gap).sum(axis=1))
    return gap / np.maximum(distance, 1e-9)[:, None] * np.minimum(speed, distance)[:, None]


def pyrvo(people: People) -> Step:
    """ORCA by its authors' library RVO2: `do_step`."""
    module, settings = importlib.import_module("pyrvo"), people.settings
    simulator = module.RVOSimulator(
        settings["dt"],
        settings["neighbour_distance"],
        settings["max_neighbours"],
        settings["time_horizon"],
        settings["time_horizon_obstacles"],
        people.radius,
        people.max_speed,
    )
    for place in people.position.tolist():
        simulator.add_agent(tuple(place))
    agents = range(len(people.position))

    def step() -> float:
        now = np.array([simulator.get_agent_position(agent).to_tuple() for agent in agents])
        for agent, wish in enumerate(towards(people.goal, now, people.speed).tolist()):
            simulator.set_agent_pref_velocity(agent, tuple(wish))
        return _timed(simulator.do_step)

    return step


def jupedsim(people: People) -> Step:
    """The collision-free speed model (Tordeux et al. 2016) by JuPedSim: `iterate`; each is steered to its goal."""
    module = importlib.import_module("jupedsim")
    low, high = people.position.min(axis=0) - 50.0, people.position.max(axis=0) + 50.0
    box = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    simulation = module.Simulation(model=module.CollisionFreeSpeedModel(), geometry=box, dt=people.settings["dt"])
    stage = simulation.add_direct_steering_stage()
    journey = simulation.add_journey(module.JourneyDescription([stage]))
    for place, goal in zip(people.position.tolist(), people.goal.tolist(), strict=True):
        known = {"desired_speed": people.speed, "radius": people.radius, "journey_id": journey, "stage_id": stage}
        number = simulation.add_agent(module.CollisionFreeSpeedModelAgentParameters(position=tuple(place), **known))
        simulation.agent(number).target = tuple(goal)
    return lambda: _timed(simulation.iterate)


def _navground(people: People, behaviour: str, **properties: float) -> Step:
    """One of navground's behaviours: `World.update`; people look as far as ours do."""
    core, sim = importlib.import_module("navground.core"), importlib.import_module("navground.sim")
    world = sim.World()
    for place, goal in zip(people.position.tolist(), people.goal.tolist(), strict=True):
        agent = sim.Agent(radius=people.radius)
        agent.kinematics = core.kinematics.OmnidirectionalKinematics(people.max_speed, 3.0)
        agent.behavior = core.Behavior.make_type(behaviour)
        agent.behavior.optimal_speed = people.speed
        agent.behavior.horizon = people.settings["neighbour_distance"]
        for name, value in properties.items():
            agent.behavior.set(name, value)
        agent.state_estimation = sim.state_estimations.BoundedStateEstimation(people.settings["neighbour_distance"])
        agent.task = sim.tasks.WaypointsTask([goal], loop=False, tolerance=0.3)
        agent.position = place
        world.add_agent(agent)
    return lambda: _timed(lambda: world.update(people.settings["dt"]))


def navground_orca(people: People) -> Step:
    """ORCA by navground, which carries RVO2."""
    settings = people.settings
    return _navground(people, "ORCA", time_horizon=settings["time_horizon"], max_neighbors=settings["max_neighbours"])


def navground_human_like(people: People) -> Step:
    """Human-like avoidance (Guzzi et al. 2013) by navground."""
    return _navground(people, "HL")


PEERS: dict[str, Callable[[People], Step]] = {
    "pyrvo: ORCA": pyrvo,
    "navground: ORCA": navground_orca,
    "navground: human-like": navground_human_like,
    "JuPedSim: collision-free speed": jupedsim,
}


def _timed(step: Callable[[], object]) -> float:
    """How long a step takes [s]."""
    begun = time.perf_counter()
    step()
    return time.perf_counter() - begun
