# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations that end when there is nothing more to see; what is made is the same to the bit."""

from __future__ import annotations

from collections.abc import Callable

from core.scene import Scene
from core.simulation import Simulation
from core.trajectories import Trajectories


def simulate_until(scene: Scene, over: Callable[[Simulation], bool]) -> Trajectories:
    """Simulate a scene until something has come about, or to its last frame.

    Args:
        scene: what is simulated.
        over: whether it has, asked after each frame.
    """
    simulation = Simulation(scene)
    while not simulation.done and not over(simulation):
        simulation.step()
    return simulation.result()


def walk_to_the_end(scene: Scene) -> Trajectories:
    """Simulate a scene until everybody has arrived, or to its last frame.

    Args:
        scene: in which people go somewhere to stay there.
    """
    return simulate_until(scene, lambda made: bool((made._recording.arrived_frame >= 0).all()))
