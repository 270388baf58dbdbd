# SPDX-License-Identifier: GPL-3.0-or-later
"""People who react to a trigger: they stand while they perform something, and it is recorded who flees and runs.

`reactions/` decides who reacts to what, and leads them away.
"""

from __future__ import annotations

import numpy as np

from ...geometry.reproducible_math import dot, length, length2
from ...scene import FLEE, GO_TO, LEAVE_SCENE, RUN
from ..reactions.reactions import Reactions
from ..settings.reaction_settings import ReactionSettings
from ..settings.stop_settings import StopSettings
from ..world.agents import WALKING
from ..world.doing import Doing
from .behaviour import Step

_DOING = {FLEE: Doing.FLEEING, RUN: Doing.RUNNING, GO_TO: Doing.GOING_ELSEWHERE, LEAVE_SCENE: Doing.GOING_ELSEWHERE}


class Reacting:
    """Lets people stand who have stopped because of a trigger: sets `agents.firm`.

    Args:
        reactions: of people.
        stops: how people stand.
        settings: how people react.
    """

    def __init__(self, reactions: Reactions, stops: StopSettings, settings: ReactionSettings) -> None:
        self._reactions, self._stops, self._settings = reactions, stops, settings
        then = [trigger.then for trigger in reactions.triggers]
        self._doing = np.array([_DOING.get(each, Doing.WALKING) for each in then], dtype=np.int8)
        self._are_seen = bool((self._doing != Doing.WALKING).any())  # who reacts while they walk

    def act(self, step: Step) -> None:
        """Let people stand, and record who reacts."""
        reactions, agents, rows = self._reactions, step.agents, step.rows
        if not (self._are_seen or reactions.halts.some):
            return
        reaction = reactions.reaction[rows]
        if not (reaction >= 0).any():
            return
        reactions.halts.show(agents)
        walks = (reaction >= 0) & (agents.status[rows] == WALKING)
        doing = np.where(walks, self._doing[reaction], Doing.WALKING)
        step.hurries |= (doing == Doing.FLEEING) | (doing == Doing.RUNNING)
        free = (doing != Doing.WALKING) & ((step.doing == Doing.WALKING) | (step.doing == Doing.MAKING_WAY))
        step.doing[free] = doing[free]
        spot = reactions.halts.spot[rows]
        halted = np.flatnonzero(np.isfinite(spot[:, 0]))
        if not len(halted):
            return
        people = rows[halted]
        velocity, off = step.velocity[people], reactions.halts.spot[people] - agents.position[people]
        rest = length2(velocity) < self._stops.held_up_speed**2
        rest |= dot(off, velocity) < 0.0  # nobody walks back to where they could not stop
        reactions.halts.spot[people[rest]] = agents.position[people[rest]]
        off = reactions.halts.spot[people] - agents.position[people]
        distance = length(off)
        speed = np.minimum(distance / self._settings.stopping, self._stops.settling_speed)
        speed = np.where(distance > self._stops.settled, speed, 0.0)
        step.preferred[halted] = off * (speed / np.maximum(distance, 1e-9))[:, None]
        agents.firm[people] = speed == 0.0
        step.record(halted, Doing.REACTING)
