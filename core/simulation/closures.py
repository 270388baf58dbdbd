# SPDX-License-Identifier: GPL-3.0-or-later
"""What closes the way of those who have come to stand before it: what it is called, and where."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..geometry.segments import closest_on_segments, edges_of
from ..planning import ReferenceSet
from ..scene import Scene
from .agents import Agents
from .detours import Detours
from .gaps import Gap
from .still_ground import Still
from .surroundings import bounds_of

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

STEP = 0.1
"""So far apart the way ahead is looked at [m]."""

AT_ONCE = 256
"""So many places on it at a time."""

NEAR = 3.0
"""Who has a free way ahead and stands is told of what is so near beside [m]."""

BOUNDS = "the edge of the bounds"


def tell_place(place: tuple[float, float]) -> str:
    """Return a place x, y [m] as it is told."""
    return "({:.1f}, {:.1f})".format(*(round(value, 1) + 0.0 for value in place))  # no -0.0


@dataclass(frozen=True)
class Closure:
    """What closes a way.

    Attributes:
        name: what it is called in a sentence: the name of an obstacle in quotes, the place of a wall in the scene.
        place: where on it the way comes to it, x, y [m].
    """

    name: str
    place: tuple[float, float]

    @property
    def where(self) -> str:
        """The place, as it is told."""
        return tell_place(self.place)


class Closures:
    """Finds what closes ways, as things stand.

    Args:
        scene: whose obstacles and walls are named.
        still: what stands now.
        detours: who is led round something.
        references: the paths of everybody; nobody is told that they are looked at.
    """

    def __init__(self, scene: Scene, still: Still, detours: Detours, references: ReferenceSet) -> None:
        self._scene, self._still, self._detours, self._references = scene, still, detours, references
        self._bounds = bounds_of(scene)

    def before(self, agents: Agents, row: int) -> Closure | None:
        """Return the first thing that leaves somebody no room on the way ahead, else what is beside; None for nothing.

        Args:
            agents: everybody.
            row: who.
        """
        radius = float(agents.radius[row])
        with self._references.unwatched(), nullcontext() if self._still.notes is None else self._still.notes.unnoted():
            for points in self._ahead(agents, row):
                closed = self._still.field.signed_distance(points, at_most=radius) < radius
                if closed.any():
                    return self._nearest(points[np.argmax(closed)], np.inf)
        return self._nearest(agents.position[row], radius + NEAR)

    def beside(self, gap: Gap) -> str:
        """Return what is on both sides of a gap, in the words of a sentence."""
        sides = (self._nearest(np.array(side), np.inf) for side in gap.sides)
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

    def _nearest(self, place: Float64, reach: float) -> Closure | None:
        """What is the nearest to a place, float64 (2,), and not so far off [m]."""
        names, first, starts, ends = self._edges
        points = closest_on_segments(place, starts, ends)
        apart = np.sqrt(((points - place) ** 2).sum(axis=1))
        nearest = int(np.argmin(apart))
        if not apart[nearest] < reach:
            return None
        name = names[int(np.searchsorted(first, nearest, side="right")) - 1]
        return Closure(name, (float(points[nearest, 0]), float(points[nearest, 1])))

    @cached_property
    def _edges(self) -> tuple[list[str], Int64, Float64, Float64]:
        """What all that stands is called, the first edge of each, and the ends of all edges, float64 (S, 2)."""
        names, starts, ends = zip(*self._things(), strict=True)
        first = np.cumsum([0, *map(len, starts[:-1])])
        return list(names), first, np.concatenate(starts), np.concatenate(ends)

    def _things(self) -> Iterator[tuple[str, Float64, Float64]]:
        """All that stands now: what it is called, and its edges."""
        moving = [each for each in self._scene.obstacles if each.motion is not None]
        for obstacle in self._scene.obstacles:
            if obstacle.motion is None:
                for ring in (obstacle.outline, *obstacle.holes):
                    yield f"'{obstacle.name}'", *edges_of(ring)
        for number, pose in self._still.resting:
            for ring in (moving[number].outline, *moving[number].holes):
                yield f"'{moving[number].name}'", *edges_of(pose.to_world(ring))
        for number, wall in enumerate(self._scene.walls):
            yield f"walls[{number}]", wall[:-1], wall[1:]
        yield BOUNDS, *edges_of(self._bounds)
