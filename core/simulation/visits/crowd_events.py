# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether somebody of a crowd does what others wait for, or react to: arrives, stops, reacts, or passes a place."""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.reproducible_math import length2
from ...scene import ARRIVES, REACTS, STOPS
from ..population.population import PeopleAtStart
from ..settings.stop_settings import StopSettings
from ..world.agents import ARRIVED, GONE, STOPPED
from ..world.environment import Environment


class CrowdEvents:
    """What the people and vehicles of crowds do.

    Args:
        people: of the scene.
        triggers: how many there are.
        environment: knows the vehicles.
        settings: when a vehicle has driven and rests.

    Attributes:
        reacted: bool (T, C), of which crowds somebody has reacted to each trigger.
    """

    def __init__(self, people: PeopleAtStart, triggers: int, environment: Environment, settings: StopSettings) -> None:
        self._agents, self._environment, self._settings = people.agents, environment, settings
        self._numbers = {crowd.name: number for number, crowd in enumerate(people.crowds)}
        self.reacted = np.zeros((triggers, len(people.crowds)), dtype=bool)

    def does(self, crowd: str, event: str, place: Float64, distance: float, but: int = -1, row: int = -1) -> bool:
        """Return whether somebody of a crowd does something now, or has arrived or reacted before.

        Args:
            crowd: its name.
            event: one of `core.scene.CROWD_EVENTS`.
            place: float64 (2,), the place that they pass [m].
            distance: nearer to it than this they pass it [m].
            but: the number of the trigger that does not count.
            row: the person who asks at a stop; -1 for a trigger. They do not pass, nor do others who stop there.
        """
        number, agents = self._numbers[crowd], self._agents
        if event == REACTS:
            return bool(self.reacted[np.arange(len(self.reacted)) != but, number].any())
        there = agents.crowd == number
        if event == ARRIVES:
            found = there & np.isin(agents.status, (ARRIVED, GONE))
        elif event == STOPS:
            found = there & (agents.status == STOPPED)
        else:
            passes = there & agents.shown
            if row >= 0:
                passes &= agents.stop != agents.stop[row]
            found = _near(agents.position, passes, place, distance)
        return bool(found.any()) or self._drives(number, event, place, distance)

    def _drives(self, number: int, event: str, place: Float64, distance: float) -> bool:
        """Return whether a vehicle of a crowd does something now; those that have driven and stand anywhere stop."""
        if self._environment.traffic is None:
            return False
        traffic = self._environment.traffic()
        there = traffic.crowd == number
        if event == ARRIVES:
            return bool((there & traffic.arrived).any())
        there &= traffic.present
        if event == STOPS:
            drove = traffic.fastest >= self._settings.drove
            return bool((there & drove & (traffic.speed < self._settings.rests)).any())
        return bool(_near(traffic.place, there, place, distance + traffic.half_length).any())


def _near(points: Float64, some: Bool, place: Float64, distance: float | Float64) -> Bool:
    """Return bool (N,), which of some points, float64 (N, 2), are within a distance of a place [m]."""
    off = points - place
    return some & (length2(off) < np.square(distance))
