# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever only wants to get somewhere walks straight towards the farthest place of the way that is in sight.

The line of a drawn route is meant, and people come back to it. The line of a way that was found for somebody is not:
pushed aside, one goes on from there. The way is taken to its next corners, and plans are made only where nothing of
it is in sight.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..planning import ReferenceSet
from .agents import Agents
from .glances import Glances, Sight
from .still_ground import Still

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

AHEAD = (16.0, 8.0, 4.0, 2.0, 1.0)
"""So far ahead on the way an aim is looked for, the farthest first [m]."""

ROOM = 0.02
"""Room that the straight line to the aim must have beside the body [m]."""

PRESSED_AHEAD = (2.0, 1.0, 0.5)
"""So far ahead those look who are pressed against something, or before a corner [m]."""

PRESSED_SHARE = 0.4
"""They slide along what leaves this share of their radius free."""


class Aims:
    """What each of A people walks towards.

    Args:
        count: A.

    Attributes:
        point: float64 (A, 2), NaN for those who have nothing of their way in sight [m].
        at: float64 (A,), how far along its way each one's aim lies [m].
        clear: bool (A,), who has room all the way to the aim; others slide along something to get there.
    """

    def __init__(self, count: int) -> None:
        self.point = np.full((count, 2), np.nan)
        self.at = np.zeros(count)
        self.clear = np.zeros(count, dtype=bool)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Bool (A,), who has an aim."""
        return np.isfinite(self.point[:, 0])

    def forget(self, rows: Int64) -> None:
        """Let some have no aim."""
        self.point[rows] = np.nan
        self.clear[rows] = False

    def look(
        self, agents: Agents, rows: Int64, references: ReferenceSet, still: Still, glances: Glances | None = None
    ) -> None:
        """Find the aims of some agents anew.

        Args:
            agents: everybody.
            rows: int64 (R,), who looks: people on ways of their own, not on detours.
            references: the paths.
            still: what stands in the way.
            glances: where to write down what they look for; None for nowhere.
        """
        self.forget(rows)
        pressed = self._look(agents, rows, references, still, AHEAD, agents.radius + ROOM, glances)
        self.clear[rows] = self.known[rows]
        self._look(agents, pressed, references, still, PRESSED_AHEAD, PRESSED_SHARE * agents.radius, glances)

    def _look(
        self,
        agents: Agents,
        rows: Int64,
        references: ReferenceSet,
        still: Still,
        distances: tuple[float, ...],
        room: Float64,
        glances: Glances | None,
    ) -> Int64:
        """Find aims at some distances that leave each of A people so much room; return who has found none."""
        for ahead in distances:
            if not len(rows):
                break
            sought = agents.s[rows] + ahead
            s = np.minimum(sought, agents.end[rows])
            with references.unwatched():
                aim = references.to_cartesian(agents.path[rows], s, np.zeros(len(rows)))
            at_end = s >= agents.end[rows]
            aim[at_end] = agents.goal[rows[at_end]]
            sight = Sight(
                path=agents.path[rows],
                start=agents.s[rows],
                place=s,
                point=aim,
                goal=agents.goal[rows],
                position=agents.position[rows],
                room=room[rows],
            )
            if glances is None:
                seen = sight.is_aim(references, still.field, float(room[rows].max()), ahead)[0]
            else:
                seen = glances.see(sight, sought, still.field, ahead)
            self.point[rows[seen]] = aim[seen]
            self.at[rows[seen]] = s[seen]
            rows = rows[~seen]
        return rows

    def velocity(self, agents: Agents, rows: Int64, deceleration: Float64, look_ahead: float) -> Float64:
        """Return float64 (R, 2), velocities towards the aims, braking towards the goal of those who stop there [m/s].

        Args:
            agents: everybody.
            rows: int64 (R,), people who have an aim.
            deceleration: float64 (R,), to brake with [m/s2].
            look_ahead: the goal is not passed within this time [s].
        """
        way = self.point[rows] - agents.position[rows]
        distance = np.sqrt((way * way).sum(axis=1))
        left = distance + (agents.end[rows] - self.at[rows])
        slow = np.minimum(np.sqrt(2.0 * deceleration * left), left / look_ahead)
        speed = np.where(agents.leaves[rows], np.inf, slow)
        return way * (np.minimum(speed, agents.pace[rows]) / np.maximum(distance, 1e-9))[:, None]
