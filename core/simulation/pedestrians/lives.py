# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do besides walking, put together: who is simply there, who stops where, and who reacts to what."""

from __future__ import annotations

from dataclasses import dataclass

from ...planning import ReferenceSet
from ...scene import Scene
from ..behaviours.behaviour import Behaviour
from ..behaviours.reacting import Reacting
from ..behaviours.stops import Stops
from ..guidance.guidance import Guidance
from ..places.bystander_activities import Bystanders
from ..places.nearby_bodies import NearbyBodies
from ..population.population import PeopleAtStart
from ..reactions.reactions import Reactions
from ..settings import SimulationSettings
from ..settings.stop_settings import StopSettings
from ..visits.stop_activities import StopActivities
from ..visits.visits import Visits
from ..world.environment import Environment


def stand_by(people: PeopleAtStart, scene: Scene, environment: Environment, settings: StopSettings) -> Bystanders:
    """Return those who are simply there; who walks avoids them from now on.

    Args:
        people: of the scene.
        scene: with the places.
        environment: round the people.
        settings: how people stand, sit and talk.
    """
    agents, begin = people.agents, people.bystanders
    found = Bystanders(agents, scene, people.crowds, begin.ring, begin.seat_height, settings)
    rows, reach = found.rows, settings.bystanders.reach
    environment.bystanders = NearbyBodies(agents.position[rows], agents.radius[rows], reach) if len(rows) else None
    return found


@dataclass(eq=False)
class Lives:
    """Who stops and who reacts.

    Attributes:
        visits: who is at which stop.
        reactions: who reacts to which trigger; None where there are none.
        behaviours: what people do at stops, and when they react, in this order.
    """

    visits: Visits
    reactions: Reactions | None
    behaviours: tuple[Behaviour, ...]

    @classmethod
    def of(
        cls,
        people: PeopleAtStart,
        scene: Scene,
        environment: Environment,
        bystanders: Bystanders,
        references: ReferenceSet,
        settings: SimulationSettings,
    ) -> Lives | None:
        """Return those of a scene; None where nobody stops or reacts.

        Args:
            people: of the scene.
            scene: with stops and triggers.
            environment: the obstacles.
            bystanders: those who are simply there.
            references: the paths on which people start.
            settings: of the simulation.
        """
        agents, crowds, own = people.agents, people.crowds, settings.stops
        if not (scene.triggers or any(crowd.stops for crowd in crowds)):
            return None
        visits = Visits(agents, scene, crowds, environment, references, settings)
        horizon = settings.avoidance.models.orca.time_horizon
        stops = Stops(visits, StopActivities(visits, scene, crowds, own), own, horizon)
        if not scene.triggers:
            return cls(visits, None, (stops,))
        reactions = Reactions(agents, scene, crowds, environment, visits, bystanders, settings)
        return cls(visits, reactions, (stops, Reacting(reactions, own, settings.reactions)))

    def update(self, time: float, guidance: Guidance) -> None:
        """Let people leave for stops, go on from them, and react, at a time [s]."""
        self.visits.update(time, guidance)
        if self.reactions is not None:
            self.reactions.update(time, guidance)
