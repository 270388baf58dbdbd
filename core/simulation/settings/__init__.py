# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a simulation: numbers that a user or a paper would name, each with unit and source."""

from .avoidance_settings import AvoidanceSettings
from .behaviour_settings import BehaviourSettings
from .guidance_settings import GuidanceSettings
from .pedestrian_settings import PedestrianSettings
from .population_settings import PopulationSettings
from .simulation_settings import SimulationSettings
from .vehicle_settings import VehicleSettings
from .world_settings import WorldSettings

__all__ = [
    "AvoidanceSettings",
    "BehaviourSettings",
    "GuidanceSettings",
    "PedestrianSettings",
    "PopulationSettings",
    "SimulationSettings",
    "VehicleSettings",
    "WorldSettings",
]
