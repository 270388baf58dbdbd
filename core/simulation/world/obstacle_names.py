# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands about, by the names that the user knows it by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...geometry.segments import closest_on_segments, edges_of
from ...scene import Scene
from .environment import bounds_of
from .static_ground import Still

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

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


class NamedThings:
    """All that stands at a time, by its names.

    Args:
        scene: whose obstacles and walls are named.
        still: what stands.
    """

    def __init__(self, scene: Scene, still: Still) -> None:
        self._scene, self._still = scene, still

    def nearest(self, place: Float64, reach: float = np.inf) -> Closure | None:
        """Return what is the nearest to a place, float64 (2,), and not so far off [m]; None for nothing."""
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
        yield BOUNDS, *edges_of(bounds_of(self._scene))
