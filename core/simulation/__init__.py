# SPDX-License-Identifier: GPL-3.0-or-later
"""From a scene to trajectories: who enters, and how everybody moves from frame to frame."""

from .settings import SimulationSettings
from .simulation import Simulation, simulate
from .world.shared_map import SharedMap

__all__ = ["SharedMap", "Simulation", "SimulationSettings", "simulate"]
