# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do besides walking, put together: bystanders, who stops where, and who reacts to what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...planning import ReferenceSet
from ...scene import Scene
from ..behaviours.behaviour import Behaviour
from ..behaviours.reacting import Reacting
from ..behaviours.stops import Stops
from ..guidance.guidance import Guidance
from ..movement.facing import Facing
from ..places.bystander_activities import Bystanders
from ..population.population import PeopleAtStart
from ..reactions.reactions import Reactions
from ..reactions.trigger_events import TriggerEvents
from ..settings import SimulationSettings
from ..visits.awaited_events import AwaitedEvents
from ..visits.crowd_events import CrowdEvents
from ..visits.stop_activities import StopActivities
from ..visits.trips import Trips
from ..visits.visits import Visits
from ..world.activities import clips_of
from ..world.agents import Agents
from ..world.environment import Environment


def move_bystanders(
    bystanders: Bystanders, agents: Agents, paths: ReferenceSet, facing: Facing, turn_rate: float, interval: float
) -> None:
    """Let bystanders turn to what they look at, and those who have left come down to the ground.

    Args:
        bystanders: the bystanders.
        agents: all people.
        paths: of those who walk.
        facing: turns them.
        turn_rate: see `BystanderSettings` [rad/s].
        interval: since this was done before [s].
    """
    turns, left = bystanders.rows[np.isfinite(agents.faces[bystanders.rows])], bystanders.left
    if len(turns):
        pace = {"max_turn_rate": turn_rate, "dt": interval, "at_door": np.zeros(len(turns), dtype=bool)}
        still = np.zeros(len(turns))  # who stands is slower
        facing.turn(turns, paths, agents.velocity[turns], still_speed=still, **pace)
    if len(left):
        bystanders.come_down(agents, paths.height(agents.path[left], agents.s[left]), interval)


@dataclass(eq=False)
class Lives:
    """Stops and reactions of people.

    Attributes:
        visits: of people to stops.
        reactions: of people to triggers; None where there are none.
        stops: what people do at stops.
        reacting: what they do when they react; None where nobody does.
    """

    visits: Visits
    reactions: Reactions | None
    stops: Stops
    reacting: Reacting | None

    @property
    def behaviours(self) -> tuple[Behaviour, ...]:
        """Both, in this order."""
        return (self.stops,) if self.reacting is None else (self.stops, self.reacting)

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
            bystanders: those of the scene.
            references: the paths on which people start.
            settings: of the simulation.
        """
        own, clips = settings.stops, clips_of(scene)
        if not scene.all_stops and not scene.triggers:
            return None
        trips = Trips(people, scene.all_stops, environment.places, scene.triggers, scene.seed, own)
        crowd_events = CrowdEvents(people, len(scene.triggers), environment, own)
        awaited = AwaitedEvents(environment, crowd_events, own)
        visits = Visits(people.agents, trips, awaited, environment, references, settings)
        stops = Stops(visits, StopActivities(visits, clips, people.keys("activities"), own), own)
        if not scene.triggers:
            return cls(visits, None, stops, None)
        events = TriggerEvents(people, scene.triggers, environment, crowd_events)
        reactions = Reactions(people, events, clips, environment, visits, bystanders, settings)
        return cls(visits, reactions, stops, Reacting(reactions, own, settings.reactions))

    def move(self, agents: Agents, paths: ReferenceSet, time: float) -> None:
        """Let people at stops move between two decisions at a time [s]: what they do changes in decisions alone."""
        self.stops.activities.move(agents, paths, time)

    def update(self, time: float, guidance: Guidance) -> None:
        """Let people leave for stops, go on from them, and react, at a time [s]."""
        self.visits.update(time, guidance)
        if self.reactions is not None:
            self.reactions.update(time, guidance)

    def notices(self, time: float) -> list[str]:
        """Return sentences about stops that people missed, and places to which triggers sent them, until a time [s]."""
        missed = self.visits.trips.missed.notices(self.visits.stays.still_waiting())
        return missed if self.reactions is None else [*missed, *self.reactions.notices(time)]
