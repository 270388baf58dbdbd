# SPDX-License-Identifier: GPL-3.0-or-later
"""When triggers are set off, and who reacts to them when."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import length, length2
from ...geometry.segments import contains
from ...scene import AT_FRAME, IN_ZONE, NEAR_MARK, PASSES, Trigger
from ..population.drawn_crowd import DrawnCrowd
from ..population.population import PeopleAtStart
from ..visits.crowd_events import CrowdEvents
from ..world.agents import Agents
from ..world.environment import Environment


class TriggerEvents:
    """When which people react to which trigger.

    Args:
        people: of the scene.
        triggers: of the scene.
        environment: with areas and marks.
        crowd_events: what happens to crowds.

    Attributes:
        triggers, crowd_events: as given.
        due: float64 (T, A), when each reacts to each trigger [s]; infinite: not.
    """

    def __init__(
        self, people: PeopleAtStart, triggers: Sequence[Trigger], environment: Environment, crowd_events: CrowdEvents
    ) -> None:
        self.triggers, self.crowd_events, self._environment, clock = (
            triggers,
            crowd_events,
            environment,
            environment.clock,
        )
        shape = len(triggers), len(people.agents)
        self.due = np.full(shape, np.inf)
        self._inside, self._done = np.zeros(shape, dtype=bool), np.zeros(shape[0], dtype=bool)
        self._times = [
            sorted((frame - clock.first) / clock.fps for frame in trigger.when.frames) for trigger in triggers
        ]
        drawn = [_drawn(trigger, people.drawn) for trigger in triggers]
        self._reacts = np.array([reacts for reacts, _ in drawn], dtype=bool).reshape(shape)
        self._delay = np.array([delay for _, delay in drawn], dtype=np.float64).reshape(shape)

    def update(self, agents: Agents, time: float) -> None:
        """Find the triggers that are set off at a time [s]."""
        here = agents.shown
        for number, trigger in enumerate(self.triggers):
            what = trigger.when.what
            if what == AT_FRAME:
                times = self._times[number]
                while times and time >= times[0] - 1e-6:
                    times.pop(0)
                    self._set_off(number, agents, here, None, time)
            elif what in (IN_ZONE, NEAR_MARK):
                self._watch(number, agents, here, time)
            elif not self._done[number] and self._does(number, time):
                self._done[number] = True
                self._set_off(number, agents, here, None, time)

    def _watch(self, number: int, agents: Agents, here: Bool, time: float) -> None:
        """Find who has come into an area, or near a mark; the first one sets off a trigger that spreads."""
        trigger, rows = self.triggers[number], np.flatnonzero(here & self._reacts[number] & ~self._inside[number])
        if trigger.when.what == IN_ZONE:
            inside = contains(self._environment.areas[trigger.when.area], agents.position[rows])
        else:
            off = agents.position[rows] - self._environment.mark_at(trigger.when.mark, time)
            inside = length2(off) < trigger.when.distance**2
        new = rows[inside]
        self._inside[number, rows] |= inside  # everybody reacts once
        if not len(new):
            return
        if not trigger.spreads:
            self.due[number, new] = time + self._delay[number, new]
        elif not self._done[number]:
            self._done[number] = True
            self._set_off(number, agents, here, agents.position[new[0]], time)

    def _does(self, number: int, time: float) -> bool:
        """Return whether somebody of a crowd does what a trigger waits for."""
        when = self.triggers[number].when
        place = self._environment.mark_at(when.mark, time) if when.does == PASSES else np.zeros(2)
        return self.crowd_events.does(when.crowd, when.does, place, when.distance, but=number)

    def _set_off(self, number: int, agents: Agents, here: Bool, origin: Float64 | None, time: float) -> None:
        """Let everybody react to a trigger, later those who are farther from where it begins where it spreads."""
        trigger = self.triggers[number]
        rows = np.flatnonzero(here & self._reacts[number])
        if origin is None and trigger.target:
            origin = self._environment.mark_at(trigger.target, time)
        distance = np.zeros(len(rows))
        if origin is not None:
            off = agents.position[rows] - origin
            distance = length(off)
        reached = (distance < trigger.within) if trigger.within else np.ones(len(rows), dtype=bool)
        later = distance / trigger.spreads if trigger.spreads else np.zeros(len(rows))
        self.due[number, rows[reached]] = (time + later + self._delay[number, rows])[reached]

    def due_now(self, time: float) -> list[int]:
        """Return the numbers of the triggers to which somebody reacts now."""
        if self.due.min(initial=np.inf) > time + 1e-9:
            return []
        return np.flatnonzero((self.due <= time + 1e-9).any(axis=1)).tolist()

    def take_due(self, number: int, time: float) -> Int64:
        """Return who reacts to a trigger now, int64 (N,), once."""
        rows = np.flatnonzero(self.due[number] <= time + 1e-9)
        self.due[number, rows] = np.inf
        return rows


def _drawn(trigger: Trigger, everybody: Sequence[DrawnCrowd]) -> tuple[Bool, Float64]:
    """Return who may react to a trigger, bool (A,), and how much later each does, float64 (A,) [s]."""
    key, parts = trigger.known_as or trigger.name, [(np.zeros(0, dtype=bool), np.zeros(0))]
    for crowd in everybody:
        asked = not trigger.crowds or crowd.crowd.name in trigger.crowds
        share = crowd.chosen(f"trigger {key} share", trigger.share)
        spread = crowd.normal(f"trigger {key} delay")
        parts.append((share & asked, np.maximum(trigger.delay.mean + trigger.delay.sd * spread, 0.0)))
    return np.concatenate([share for share, _ in parts]), np.concatenate([delay for _, delay in parts])
