# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles by the names that the user knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import length
from ...geometry.segments import closest_on_segments, edges_of
from .static_ground import StaticGround

BOUNDS = "the edge of the bounds"


def tell_place(place: tuple[float, float]) -> str:
    """Return a place x, y [m] as notices write it."""
    return "({:.1f}, {:.1f})".format(*(round(value, 1) + 0.0 for value in place))  # no -0.0


@dataclass(frozen=True)
class Closure:
    """What blocks a route.

    Attributes:
        name: its name in a sentence: of an obstacle in quotes, of a wall its number in the scene.
        place: where the route meets it, x, y [m].
    """

    name: str
    place: tuple[float, float]

    @property
    def where(self) -> str:
        """The place, as notices write it."""
        return tell_place(self.place)


class NamedObstacles:
    """The obstacles, walls and bounds at a time, by their names.

    Args:
        still: those that do not move at that time.
    """

    def __init__(self, still: StaticGround) -> None:
        self._still, self._ground = still, still.builder

    def nearest(self, place: Float64, reach: float = np.inf) -> Closure | None:
        """Return the one nearest to a place, float64 (2,), within a distance [m]; None for none."""
        names, first, starts, ends = self._edges
        points = closest_on_segments(place, starts, ends)
        apart = length(points - place)
        nearest = int(np.argmin(apart))
        if not apart[nearest] < reach:
            return None
        name = names[int(np.searchsorted(first, nearest, side="right")) - 1]
        return Closure(name, (float(points[nearest, 0]), float(points[nearest, 1])))

    @cached_property
    def _edges(self) -> tuple[list[str], Int64, Float64, Float64]:
        """The names of all rings and lines, the first edge of each, and the ends of all edges, float64 (S, 2)."""
        names, starts, ends = zip(*self._rings(), strict=True)
        first = np.cumsum([0, *map(len, starts[:-1])])
        return list(names), first, np.concatenate(starts), np.concatenate(ends)

    def _rings(self) -> Iterator[tuple[str, Float64, Float64]]:
        """Each ring and line: its name, and its edges."""
        for obstacle in self._ground.obstacles:
            for ring in (obstacle.outline, *obstacle.holes):
                yield f"'{obstacle.name}'", *edges_of(ring)
        for number, pose in self._still.resting:
            moving = self._ground.movers[number].obstacle
            for ring in (moving.outline, *moving.holes):
                yield f"'{moving.name}'", *edges_of(pose.to_world(ring))
        for number, wall in enumerate(self._ground.walls):
            yield f"walls[{number}]", wall[:-1], wall[1:]
        yield BOUNDS, *edges_of(self._ground.bounds)
