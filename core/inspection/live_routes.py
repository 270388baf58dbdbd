# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody's way from start to goal, kept up to date while something is dragged: as much of it as time allows.

A way is looked for again where something has come upon it, or has gone from a place by which a shorter one might lead.
Crowds are not thought of, nor doors: these are the ways of people who are alone.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..geometry.distance_field import ObstacleField
from ..geometry.segments import contains, length_of
from ..routing import CorridorMap
from ..scene import VEHICLE, Scene
from ..simulation.population.drawn_crowd import DrawnCrowd
from ..simulation.population.entry_places import goals_in_area, place_in_area
from ..simulation.population.personal_routes import ways_alone
from ..simulation.settings.population_settings import RouteSettings
from ..simulation.world.environment import bounds_of
from .live_bypasses import LivePast

Float64 = NDArray[np.float64]

_NEAR = 0.5  # [m]: as near as a body and the room that it wants
_TOGETHER = 32  # are led together: for more at a time a way costs hardly less, for fewer far more


@dataclass(frozen=True, eq=False)
class Journeys:
    """Where N people want to go.

    Attributes:
        starts, goals: float64 (N, 2) [m].
        radius: float64 (N,), of their bodies [m].
    """

    starts: Float64
    goals: Float64
    radius: Float64


def journeys_of(scene: Scene) -> Journeys:
    """Return the journeys of all who find their own way; those of a crowd begin where it does, not under way.

    Raises:
        SceneError: a crowd has no room where it starts.
    """
    bounds = bounds_of(scene)
    standing = [(each.outline, each.holes) for each in scene.obstacles if each.motion is None]
    field = ObstacleField(standing, [*scene.walls, np.concatenate([bounds, bounds[:1]])])

    def free(points: Float64, radius: float | Float64) -> NDArray[np.bool_]:
        return (field.signed_distance(points) >= radius) & contains(bounds, points)

    outlines = {area.name: area.outline for area in scene.areas}
    parts = [(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))]
    for number, crowd in enumerate(scene.crowds):
        if crowd.kind == VEHICLE:
            continue
        if crowd.agents:
            starts, goals = (
                np.array([getattr(agent, end) for agent in crowd.agents], dtype=np.float64) for end in ("start", "goal")
            )
            given = [agent.radius for agent in crowd.agents]
        elif crowd.start is not None and crowd.goal is not None and crowd.count:
            drawn = DrawnCrowd(crowd, f"crowds[{number}]", scene.seed)
            starts = place_in_area(drawn, outlines[crowd.start], free=free, taken=np.zeros((0, 3)))
            goals = goals_in_area(drawn, outlines[crowd.goal], free=free)
            given = [None] * crowd.count
        else:
            continue
        radius = np.array([crowd.radius[1] if each is None else each for each in given], dtype=np.float64)
        comes = ~np.isin(np.arange(len(radius)), crowd.absent)
        parts.append((starts[comes], goals[comes], radius[comes]))
    return Journeys(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class LiveWays:
    """Ways on a map that changes.

    Args:
        scene: whose people, and whose standing obstacles and walls.

    Attributes:
        version: another number after each change of any way.
        past: the ways past what stands on the lines that it is told of.

    Raises:
        FootfallError: a package that the map is built with is missing, nothing is free, or a crowd has no room.
    """

    def __init__(self, scene: Scene) -> None:
        self.version = 0
        self._who = journeys_of(scene)
        standing = [(each.outline, each.holes) for each in scene.obstacles if each.motion is None]
        self._map = CorridorMap(standing, bounds_of(scene), walls=scene.walls)
        self.past = LivePast(self._map)
        self._shown: dict[int, list[Float64]] = {
            number: [outline] for number, outline in enumerate([*(each for each, _ in standing), *scene.walls])
        }
        self._ways: list[Float64 | None] = [None] * len(self._who.radius)
        self._length = np.full(len(self._ways), np.inf)
        self._waiting = list(range(len(self._ways)))
        self._rough: list[int] = []
        self._looked_ahead = False

    @property
    def ways(self) -> Sequence[Float64 | None]:
        """Float64 (P, 2) for each of the people [m]; None for who has none, or none yet."""
        return self._ways

    @property
    def waiting(self) -> frozenset[int]:
        """Who has not been led anew since the ground has changed."""
        return frozenset(self._waiting)

    @property
    def journeys(self) -> Journeys:
        """Whose ways they are."""
        return self._who

    def put(self, numbers: Sequence[int], things: Sequence[tuple[Any, bool]]) -> list[int]:
        """Put other things in the place of some.

        Args:
            numbers: of what goes, as this returned them; at first solids and walls are numbered as in the scene.
            things: each an outline with its holes, or a line, and whether it is closed [m].

        Returns:
            The numbers of what came.

        Raises:
            FootfallError: nothing would be free, or something has no points.
        """
        lines = [line for number in numbers for line in self._shown.pop(number)]
        kept = []
        for place, (thing, closed) in enumerate(things):
            if place < len(numbers):
                self._map.move(numbers[place], thing, closed=closed)
                kept.append(numbers[place])
            else:
                kept.append(self._map.insert(thing, closed=closed))
            outline = thing[0] if isinstance(thing, tuple) else thing
            self._shown[kept[-1]] = [np.asarray(outline, dtype=np.float64)]
            lines += self._shown[kept[-1]]
        for number in numbers[len(things) :]:
            self._map.remove(number)
        self._mark(lines)
        self.version += 1
        return kept

    def work(self, seconds: float) -> bool:
        """Lead those who wait, quickly first and then as well as may be, for about so long.

        Returns:
            Whether nobody is left.
        """
        deadline = time.perf_counter() + seconds
        self.version += self.past.work()
        if self._waiting and not self._looked_ahead:
            self._map.look_ahead(np.concatenate((self._who.starts[self._waiting], self._who.goals[self._waiting])))
            self._looked_ahead = True
        while self._waiting or self._rough:
            if self._waiting:
                people, self._waiting = self._waiting[:_TOGETHER], self._waiting[_TOGETHER:]
                self._lead(people, quick=True)
                self._rough += people
            else:
                people, self._rough = self._rough[:_TOGETHER], self._rough[_TOGETHER:]
                self._lead(people, quick=False)
            if time.perf_counter() >= deadline:
                break
        return not (self._waiting or self._rough)

    def _lead(self, people: list[int], *, quick: bool) -> None:
        self.version += 1
        ends = self._who.starts[people], self._who.goals[people]
        ways = ways_alone(
            self._map,
            *ends,
            self._who.radius[people],
            rooms=(RouteSettings.clearance, RouteSettings.least_clearance),
            quick=quick,
        )
        for person, way in zip(people, ways, strict=True):
            self._ways[person] = way
            self._length[person] = np.inf if way is None else length_of(way)

    def _mark(self, lines: Sequence[Float64]) -> None:
        """Have those led anew whom it may concern that some lines have come or gone."""
        if not lines:
            return
        corners = np.concatenate(lines)
        low, high = corners.min(axis=0), corners.max(axis=0)
        self.past.note_change(low, high)
        by_way_of_it = _distance(self._who.starts, low, high) + _distance(self._who.goals, low, high)
        shorter = np.flatnonzero(by_way_of_it < self._length).tolist()
        upon = _meeting(self._ways, low, high).tolist()
        self._waiting = list(dict.fromkeys([*upon, *self._waiting, *shorter]))
        waiting = set(self._waiting)
        self._rough = [person for person in self._rough if person not in waiting]
        self._looked_ahead = False


def _distance(points: Float64, low: Float64, high: Float64) -> Float64:
    """Float64 (N,), from points to a box [m]."""
    apart = np.maximum(np.maximum(low - points, points - high), 0.0)
    return np.sqrt((apart**2).sum(axis=1))


def _meeting(ways: Sequence[Float64 | None], low: Float64, high: Float64) -> NDArray[np.int64]:
    """Which ways come near a box, by the boxes of their pieces, int64 (M,)."""
    known = [way for way in ways if way is not None]
    if not known:
        return np.zeros(0, dtype=np.int64)
    whose = np.repeat([number for number, way in enumerate(ways) if way is not None], [len(way) for way in known])
    points = np.concatenate(known)
    begin, end = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
    near = np.all((end >= low - _NEAR) & (begin <= high + _NEAR), axis=1) & (whose[1:] == whose[:-1])
    return np.unique(whose[1:][near])
