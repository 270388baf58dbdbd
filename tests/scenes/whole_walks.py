# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations that end when there is nothing more to see."""

from __future__ import annotations

from core.scene import Scene
from core.simulation import Simulation
from core.trajectories import Trajectories


def walk_to_the_end(scene: Scene) -> Trajectories:
    """Simulate a scene until everybody has arrived, or to its last frame; what is made is the same to the bit.

    Args:
        scene: in which people go somewhere to stay there.
    """
    simulation = Simulation(scene)
    while not simulation.done and (simulation._recording.arrived_frame < 0).any():  # pyright: ignore[reportPrivateUsage]
        simulation.step()
    return simulation.result()
