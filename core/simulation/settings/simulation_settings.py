# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a whole simulation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...planning import PlannerSettings
from ...steering.traffic.settings import TrafficSettings
from .avoidance_settings import AvoidanceSettings
from .behaviour_settings import BehaviourSettings
from .guidance_settings import GuidanceSettings
from .pedestrian_settings import PedestrianSettings
from .population_settings import PopulationSettings
from .reaction_settings import ReactionSettings
from .stop_settings import StopSettings
from .vehicle_settings import VehicleSettings
from .world_settings import WorldSettings


@dataclass(frozen=True)
class SimulationSettings:
    """Settings of a whole simulation; values without a source were chosen by trial on the example scenes.

    Attributes:
        longest_step: longest time step [s].
        decision_interval: longest time for which people keep the velocity that they have chosen [s]. Chosen by trial on
            the standard scenes.
        replanning_interval: interval at which plans are checked [s].
        look_ahead: people off their plan return to it within this time [s].
        planning_horizon: where an obstacle that moves comes to rest within this time counts for routes [s].
        catching_up: greatest speed for returning to the plan, as a factor of the preferred speed.
        haste: greatest speed for making way, as a factor of the preferred speed.
        max_acceleration, max_deceleration: of the velocity [m/s2].
        urgent_acceleration, urgent_deceleration: of people in danger or at a door, and of bodies on wheels [m/s2].
        grip: greatest acceleration in any direction, turning included, of people on drawn routes, and of others
            as long as nobody is in their way [m/s2].
        calm_acceleration: of people who have arrived and make room [m/s2].
        max_turn_rate: of the velocity's direction and of the body [rad/s].
        traffic: how vehicles drive.
        planner: how plans are made and evaluated.
        avoidance: how people avoid each other and obstacles.
        blocked_speed: people slower than this whose every plan hits an obstacle step aside [m/s].
        idle_speed: people slower than this take a detour [m/s],
        company: if nobody else is nearer than this [m].
        world, population, guidance, behaviours, pedestrians, vehicles: settings of the folders of these names.
        stops: how people stop on their way.
        reactions: how they react to triggers.
        standing_speed: below it a body may turn on the spot and keeps its heading [m/s].
    """

    longest_step: float = 0.05
    decision_interval: float = 0.1
    replanning_interval: float = 0.3
    look_ahead: float = 0.35
    planning_horizon: float = 4.0
    catching_up: float = 1.15
    haste: float = 1.3
    max_acceleration: float = 1.5
    max_deceleration: float = 2.5
    urgent_acceleration: float = 3.0
    urgent_deceleration: float = 4.0
    grip: float = 2.0
    calm_acceleration: float = 1.0
    max_turn_rate: float = 3.0
    blocked_speed: float = 0.4
    idle_speed: float = 0.15
    company: float = 0.5
    standing_speed: float = 0.12
    traffic: TrafficSettings = field(default_factory=TrafficSettings)
    planner: PlannerSettings = field(default_factory=PlannerSettings)
    avoidance: AvoidanceSettings = field(default_factory=AvoidanceSettings)
    world: WorldSettings = field(default_factory=WorldSettings)
    population: PopulationSettings = field(default_factory=PopulationSettings)
    guidance: GuidanceSettings = field(default_factory=GuidanceSettings)
    behaviours: BehaviourSettings = field(default_factory=BehaviourSettings)
    pedestrians: PedestrianSettings = field(default_factory=PedestrianSettings)
    vehicles: VehicleSettings = field(default_factory=VehicleSettings)
    stops: StopSettings = field(default_factory=StopSettings)
    reactions: ReactionSettings = field(default_factory=ReactionSettings)

    def steps_within(self, interval: float) -> int:
        """Return into how many steps the time between two frames is divided [s]."""
        return max(1, int(np.ceil(interval / self.longest_step - 1e-9)))

    def steps_between_decisions(self, dt: float) -> int:
        """Return for how many steps of so long [s] people keep a decision."""
        return max(1, int(np.floor(self.decision_interval / dt + 1e-9)))
