# SPDX-License-Identifier: GPL-3.0-or-later
"""What people at stops are seen to do, and where they look."""

from __future__ import annotations

import numpy as np

from ...scene import LOOK_AT
from ..world.activities import Activity
from ..world.agents import STOPPED, Agents
from .visits import THERE, Visits


class StopActivities:
    """Sets `activity`, `gaze`, `seat_height` and `shown_beside` of people at stops.

    Args:
        visits: who visits which stop.
    """

    def __init__(self, visits: Visits) -> None:
        self._visits = visits
        self._looks = np.array([stop.do == LOOK_AT for stop in visits.trips.stops], dtype=bool)

    def show(self, agents: Agents) -> None:
        """Let people be seen to do what they do now."""
        there = np.flatnonzero((agents.status == STOPPED) & (self._visits.phase == THERE))
        agents.activity[:], agents.gaze[:] = Activity.NONE, np.nan
        agents.activity[there] = Activity.STAND
        looking = there[self._looks[agents.stop[there]]]
        agents.gaze[looking] = self._visits.trips.look_at[agents.stop[looking]]
