# SPDX-License-Identifier: GPL-3.0-or-later
"""Who enters standing sets off at a time of their own."""

from __future__ import annotations

import numpy as np

from ..behaviours.behaviour import Step
from ..world.agents import Agents
from ..world.doing import Doing


class SettingOff:
    """A `Behaviour`: people stand until they set off.

    Args:
        agents: all people.
    """

    def __init__(self, agents: Agents) -> None:
        self._last = float(agents.sets_off.max(initial=0.0))

    def act(self, step: Step) -> None:
        """Let those stand who have entered and have not set off yet."""
        if step.time < self._last:
            stands = np.flatnonzero(step.agents.sets_off[step.rows] > step.time)
            step.preferred[stands] = 0.0
            step.record(stands, Doing.NOT_SET_OFF)
