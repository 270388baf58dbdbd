# SPDX-License-Identifier: GPL-3.0-or-later
"""The obstacles that block people: their names, and where they meet the path."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...array_types import Float64
from ...planning import ReferenceSet
from ..guidance.detours import Detours
from ..population.narrow_gaps import Gap
from ..settings.pedestrian_settings import ClosureSettings
from ..world.agents import Agents
from ..world.obstacle_names import Closure, NamedObstacles
from ..world.static_ground import StaticGround

CHUNK = 256
"""So many places on the path are checked at a time."""


class Closures:
    """Finds the obstacles that block people now.

    Args:
        ground: the obstacles that stand now.
        detours: of people.
        references: the reference paths of all agents.
        settings: how closely paths are checked.
    """

    def __init__(
        self, ground: StaticGround, detours: Detours, references: ReferenceSet, settings: ClosureSettings
    ) -> None:
        self._ground, self._detours, self._references = ground, detours, references
        self._settings = settings
        self._obstacles = NamedObstacles(ground)

    def find_before(self, agents: Agents, row: int) -> Closure | None:
        """Return the first obstacle on the path ahead of an agent, else one beside the agent; None for none.

        Queries of the ground for it are not recorded: they do not change motion.

        Args:
            agents: all agents.
            row: of the agent.
        """
        radius = float(agents.radius[row])
        with self._ground.unrecorded():
            for points in self._points_ahead(agents, row):
                closed = self._ground.field.signed_distance(points, at_most=radius) < radius
                if closed.any():
                    return self._obstacles.nearest(points[np.argmax(closed)])
        return self._obstacles.nearest(agents.position[row], radius + self._settings.beside_distance)

    def describe_gap(self, gap: Gap) -> str:
        """Return the names of the obstacles on both sides of a gap, as part of a sentence."""
        sides = (self._obstacles.nearest(np.array(side)) for side in gap.sides)
        names = list(dict.fromkeys(each.name for each in sides if each is not None))
        return f"the gap {'between' if len(names) > 1 else 'in'} {' and '.join(names)}"

    def _points_ahead(self, agents: Agents, row: int) -> Iterator[Float64]:
        """Yield points on the paths that an agent still has to walk, float64 (P, 2) at a time [m]."""
        path, s = int(agents.path[row]), float(agents.s[row])
        if self._references.closed[path]:  # once round
            stretches = [(path, s, s + float(self._references.lengths[path]))]
        else:
            stretches = self._detours.remaining_stretches(agents, row, self._references)
        for on, begin, end in stretches:
            s = np.append(np.arange(begin, end, self._settings.spacing), end)
            for part in np.split(s, np.arange(CHUNK, len(s), CHUNK)):
                yield self._references.to_cartesian(np.full(len(part), on), part, np.zeros(len(part)))
