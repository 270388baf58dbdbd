# SPDX-License-Identifier: GPL-3.0-or-later
"""From a scene to trajectories: who enters, and how everybody moves from frame to frame."""

from .ground_map import GroundMap
from .loop import Simulation, simulate
from .settings import SimulationSettings

__all__ = ["GroundMap", "Simulation", "SimulationSettings", "simulate"]
