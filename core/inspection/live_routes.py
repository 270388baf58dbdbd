# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody's route from start to goal, kept up to date while an object is dragged, as far as time allows.

A route is searched again if an obstacle has moved onto it, or away from a place through which a shorter one may lead.
Crowding and doors are ignored: these are the routes of people who are alone.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.distance_field import ObstacleField
from ..geometry.segments import contains, length_of
from ..routing import CorridorMap
from ..scene import VEHICLE, Scene
from ..simulation.population.drawn_crowd import DrawnCrowd
from ..simulation.population.entry_places import goals_in_area, place_in_area
from ..simulation.settings.population_settings import RouteSettings
from ..simulation.world.environment import bounds_of
from .live_bypasses import LiveBypasses, routes_alone


@dataclass(frozen=True)
class LiveRouteSettings:
    """Which routes are searched again, and how many together.

    Attributes:
        affected_distance: a route this close to a changed box is searched again [m]; chosen: a body and its clearance.
        batch: people whose routes are searched together; measured: larger batches hardly save time per route.
    """

    affected_distance: float = 0.5
    batch: int = 32


_SETTINGS = LiveRouteSettings()


@dataclass(frozen=True, eq=False)
class Journeys:
    """Starts and goals of N people.

    Attributes:
        starts, goals: float64 (N, 2) [m].
        radius: float64 (N,), of their bodies [m].
    """

    starts: Float64
    goals: Float64
    radius: Float64


def journeys_of(scene: Scene) -> Journeys:
    """Return the journeys of all people between areas or places; they begin where their crowd starts.

    Raises:
        SceneError: a crowd does not fit into its start area.
    """
    bounds = bounds_of(scene)
    standing = [obstacle.polygon for obstacle in scene.fixed_obstacles]
    field = ObstacleField(standing, [*scene.walls, np.concatenate([bounds, bounds[:1]])])

    def free(points: Float64, radius: float | Float64) -> Bool:
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
    """Routes on a map that changes.

    Args:
        scene: people, static obstacles and walls.

    Attributes:
        version: changes with every change of any route.
        past: the bypasses of obstacles on added lines.

    Raises:
        FootfallError: a package that the map is built with is missing, nothing is free, or a crowd does not fit.
    """

    def __init__(self, scene: Scene) -> None:
        self.version = 0
        self._who = journeys_of(scene)
        standing = [obstacle.polygon for obstacle in scene.fixed_obstacles]
        self._map = CorridorMap(standing, bounds_of(scene), walls=scene.walls)
        self.past = LiveBypasses(self._map)
        self._shown: dict[int, list[Float64]] = {
            number: [outline] for number, outline in enumerate([*(each for each, _ in standing), *scene.walls])
        }
        self._routes: list[Float64 | None] = [None] * len(self._who.radius)
        self._length = np.full(len(self._routes), np.inf)
        self._waiting = list(range(len(self._routes)))
        self._rough: list[int] = []
        self._located = False

    @property
    def routes(self) -> Sequence[Float64 | None]:
        """Float64 (P, 2) for each person [m]; None without a route, or before the search."""
        return self._routes

    @property
    def waiting(self) -> frozenset[int]:
        """People whose routes are still to be searched again."""
        return frozenset(self._waiting)

    @property
    def journeys(self) -> Journeys:
        """The journeys of the routes."""
        return self._who

    def put(self, numbers: Sequence[int], things: Sequence[tuple[Any, bool]]) -> list[int]:
        """Replace obstacles by others.

        Args:
            numbers: of the removed obstacles, as returned here; at first solids and walls are numbered as in the scene.
            things: each an outline with its holes, or a line, and whether it is closed [m].

        Returns:
            The numbers of the added obstacles.

        Raises:
            FootfallError: nothing would be free, or an obstacle has no points.
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
        """Search waiting routes for about this time: all of them quickly, then again thoroughly.

        Returns:
            Whether all are done.
        """
        deadline = time.perf_counter() + seconds
        self.version += self.past.work()
        if self._waiting and not self._located:
            self._map.look_ahead(np.concatenate((self._who.starts[self._waiting], self._who.goals[self._waiting])))
            self._located = True
        while self._waiting or self._rough:
            if self._waiting:
                people, self._waiting = self._waiting[: _SETTINGS.batch], self._waiting[_SETTINGS.batch :]
                self._lead(people, quick=True)
                self._rough += people
            else:
                people, self._rough = self._rough[: _SETTINGS.batch], self._rough[_SETTINGS.batch :]
                self._lead(people, quick=False)
            if time.perf_counter() >= deadline:
                break
        return not (self._waiting or self._rough)

    def _lead(self, people: list[int], *, quick: bool) -> None:
        self.version += 1
        ends = self._who.starts[people], self._who.goals[people]
        routes = routes_alone(
            self._map,
            *ends,
            self._who.radius[people],
            rooms=(RouteSettings.clearance, RouteSettings.least_clearance),
            quick=quick,
        )
        for person, route in zip(people, routes, strict=True):
            self._routes[person] = route
            self._length[person] = np.inf if route is None else length_of(route)

    def _mark(self, lines: Sequence[Float64]) -> None:
        """Mark the routes that added or removed outlines may change."""
        if not lines:
            return
        corners = np.concatenate(lines)
        low, high = corners.min(axis=0), corners.max(axis=0)
        self.past.note_change(low, high)
        through_box = _distance(self._who.starts, low, high) + _distance(self._who.goals, low, high)
        shorter = np.flatnonzero(through_box < self._length).tolist()
        blocked = _meeting(self._routes, low, high).tolist()
        self._waiting = list(dict.fromkeys([*blocked, *self._waiting, *shorter]))
        waiting = set(self._waiting)
        self._rough = [person for person in self._rough if person not in waiting]
        self._located = False


def _distance(points: Float64, low: Float64, high: Float64) -> Float64:
    """Float64 (N,), from points to a box [m]."""
    apart = np.maximum(np.maximum(low - points, points - high), 0.0)
    return np.sqrt((apart**2).sum(axis=1))


def _meeting(routes: Sequence[Float64 | None], low: Float64, high: Float64) -> Int64:
    """The routes close to a box, by the boxes of their pieces, int64 (M,)."""
    known = [route for route in routes if route is not None]
    if not known:
        return np.zeros(0, dtype=np.int64)
    whose = np.repeat(
        [number for number, route in enumerate(routes) if route is not None], [len(route) for route in known]
    )
    points = np.concatenate(known)
    begin, end = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
    near = np.all(
        (end >= low - _SETTINGS.affected_distance) & (begin <= high + _SETTINGS.affected_distance), axis=1
    ) & (whose[1:] == whose[:-1])
    return np.unique(whose[1:][near])
