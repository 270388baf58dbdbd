# SPDX-License-Identifier: GPL-3.0-or-later
"""What closes the way of those who have come to stand before it: what it is called, and where."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...planning import ReferenceSet
from ..guidance.detours import Detours
from ..population.narrow_gaps import Gap
from ..world.agents import Agents
from ..world.obstacle_names import Closure, NamedObstacles
from ..world.static_ground import StaticGround

Float64 = NDArray[np.float64]

STEP = 0.1
"""So far apart the way ahead is looked at [m]."""

AT_ONCE = 256
"""So many places on it at a time."""

NEAR = 3.0
"""Who has a free way ahead and stands is told of what is so near beside [m]."""


class Closures:
    """Finds what closes ways, as things stand.

    Args:
        still: what stands now.
        detours: who is led round something.
        references: the paths of everybody; nobody is told that they are looked at.
    """

    def __init__(self, still: StaticGround, detours: Detours, references: ReferenceSet) -> None:
        self._still, self._detours, self._references = still, detours, references
        self._things = NamedObstacles(still)

    def before(self, agents: Agents, row: int) -> Closure | None:
        """Return the first thing that leaves somebody no room on the way ahead, else what is beside; None for nothing.

        Args:
            agents: everybody.
            row: who.
        """
        radius = float(agents.radius[row])
        with self._still.unrecorded():
            for points in self._ahead(agents, row):
                closed = self._still.field.signed_distance(points, at_most=radius) < radius
                if closed.any():
                    return self._things.nearest(points[np.argmax(closed)])
        return self._things.nearest(agents.position[row], radius + NEAR)

    def beside(self, gap: Gap) -> str:
        """Return what is on both sides of a gap, in the words of a sentence."""
        sides = (self._things.nearest(np.array(side)) for side in gap.sides)
        names = list(dict.fromkeys(each.name for each in sides if each is not None))
        return f"the gap {'between' if len(names) > 1 else 'in'} {' and '.join(names)}"

    def _ahead(self, agents: Agents, row: int) -> Iterator[Float64]:
        """The line that somebody has still to walk, piece by piece, float64 (P, 2) each [m]."""
        path, s = int(agents.path[row]), float(agents.s[row])
        if self._references.closed[path]:  # once round
            stretches = [(path, s, s + float(self._references.lengths[path]))]
        else:
            stretches = self._detours.stretches_left(agents, row, self._references)
        for on, begin, end in stretches:
            s = np.append(np.arange(begin, end, STEP), end)
            for part in np.split(s, np.arange(AT_ONCE, len(s), AT_ONCE)):
                yield self._references.to_cartesian(np.full(len(part), on), part, np.zeros(len(part)))
