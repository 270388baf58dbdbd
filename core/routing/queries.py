# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers to those who ask a map for a way, in metres of the world, and the sentences for those who get none.

RouteQueries(axis_graph, standing_places, grid)
    .path(start, goal, radius, crowding) -> (P, 2)
    .alternatives(start, goal, radius, ...) -> list of (P, 2)
    .paths(starts, goals, radii, crowding) -> list of (P, 2) or NoRoute
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import GeometryError, NoRoute
from .corridors.taut_lines import PulledLines
from .graph.anchors import Anchor, AxisGraph
from .graph.corridor_graph import Renewed
from .medial_axis.free_space import FARTHEST, GROWTH, Grid
from .standing_places import StandingPlaces
from .wayfinding import Burden, Outing, Wayfinder

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_FREE: Burden = {}


class RouteQueries:
    """Finds ways in one map."""

    def __init__(self, axis_graph: AxisGraph, standing_places: StandingPlaces, grid: Grid, lines: PulledLines) -> None:
        """Prepare.

        Args:
            axis_graph: the map.
            standing_places: where bodies can stand in it.
            grid: on which it was built.
            lines: that were pulled tight before.
        """
        self._standing_places = standing_places
        self._wayfinder = Wayfinder(axis_graph, lines)
        self._origin = np.array(grid.origin)
        self._growth = GROWTH / grid.steps

    def update(self, renewed: Renewed | None) -> None:
        """Follow a change of the graph.

        Args:
            renewed: the edges that went and came, None for all.
        """
        self._wayfinder.update(renewed)

    def path(self, start: ArrayLike, goal: ArrayLike, radius: float, burden: Burden = _FREE) -> Float64:
        """Find a short way: see `CorridorMap.path`."""
        begin, end = self._ends(start, goal, radius)
        ((way,),) = self._wayfinder.ways([Outing([begin], end, np.array([float(radius)]))], burden)
        if way is None:
            raise self._no_way(begin, end, radius)
        return way + self._origin

    def alternatives(
        self, start: ArrayLike, goal: ArrayLike, radius: float, count: int, longest: float, burden: Burden = _FREE
    ) -> list[Float64]:
        """Find ways through different corridors: see `CorridorMap.alternatives`."""
        begin, end = self._ends(start, goal, radius)
        ways = self._wayfinder.alternatives(begin, end, float(radius), count=count, longest=longest, burden=burden)
        if not ways:
            raise self._no_way(begin, end, radius)
        return [way + self._origin for way in ways]

    def paths(
        self, starts: ArrayLike, goals: ArrayLike, radii: ArrayLike, burden: Burden = _FREE
    ) -> list[Float64 | NoRoute]:
        """Find ways for many: see `CorridorMap.paths`."""
        begins, ends, radius = _all_of(starts, goals, radii)
        places, whose = np.unique(ends, axis=0, return_inverse=True)
        self._standing_places.look_ahead(np.concatenate((begins, places)) - self._origin)
        from_where = self._standing_places.anchors(begins - self._origin, radius)
        result: list[Float64 | NoRoute] = [NoRoute()] * len(begins)
        people: list[list[int]] = []
        outings: list[Outing] = []
        for number, place in enumerate(places):
            rows = np.flatnonzero(whose.ravel() == number)
            for group, end in self._shared_goals(place, radius, rows):
                ready = {k: begin for k in group.tolist() if (begin := from_where[k]) is not None and end is not None}
                for k in group.tolist():
                    if k not in ready:
                        result[k] = self._refusal(begins[k], from_where[k], place, float(radius[k]))
                if end is not None and ready:
                    people.append(list(ready))
                    outings.append(Outing(list(ready.values()), end, radius[list(ready)]))
        self._lead(result, people, outings, burden)
        return result

    def own_paths(
        self, starts: ArrayLike, goals: ArrayLike, radii: ArrayLike, *, rounds: int | None = None
    ) -> list[Float64 | None]:
        """Find ways for many, each as if alone: see `CorridorMap.own_paths`."""
        begins, ends, radius = _all_of(starts, goals, radii)
        anchors = [self._standing_places.anchors(places - self._origin, radius) for places in (begins, ends)]
        pairs = [(k, begin, end) for k, (begin, end) in enumerate(zip(*anchors, strict=True)) if begin and end]
        outings = [Outing([begin], end, radius[k : k + 1]) for k, begin, end in pairs]
        result: list[Float64 | None] = [None] * len(begins)
        for (k, _, _), (way,) in zip(pairs, self._wayfinder.ways(outings, rounds=rounds), strict=True):
            result[k] = None if way is None else way + self._origin
        return result

    def _ends(self, start: ArrayLike, goal: ArrayLike, radius: float) -> tuple[Anchor, Anchor]:
        """Where somebody's way begins and ends.

        Raises:
            NoRoute: there is no free place near enough to the start or to the goal.
        """
        ends = [_checked(place, radius).ravel() for place in (start, goal)]
        if any(len(end) != 2 for end in ends):
            raise GeometryError("A start or goal must be one place (x, y).")
        places = np.stack(ends)
        begin, end = self._standing_places.anchors(places - self._origin, np.full(2, float(radius)))
        if begin is None or end is None:
            raise self._refusal(places[0], begin, places[1], radius)
        return begin, end

    def _shared_goals(self, place: Float64, radius: Float64, going: Int64) -> list[tuple[Int64, Anchor | None]]:
        """Who can share the same anchor on a goal: all who fit there, and those for whom it has to be moved."""
        standing_places = self._standing_places
        where = place - self._origin
        fits = radius[going] <= standing_places.clearance(where[None])
        groups = [group for group in (going[fits], going[~fits]) if len(group)]
        shared: list[tuple[Int64, Anchor | None]] = []
        for group in groups:
            end = standing_places.anchors(where[None], radius[group].max(keepdims=True))[0]
            if end is not None:
                shared.append((group, end))
                continue
            ends = standing_places.anchors(np.tile(where, (len(group), 1)), radius[group])
            shared += [(group[k : k + 1], end) for k, end in enumerate(ends)]
        return shared

    def _lead(
        self, result: list[Float64 | NoRoute], people: list[list[int]], outings: list[Outing], burden: Burden
    ) -> None:
        """Write down the ways of the people of some outings, or why they have none."""
        for persons, outing, ways in zip(people, outings, self._wayfinder.ways(outings, burden), strict=True):
            for person, begin, radius, way in zip(persons, outing.begins, outing.radii.tolist(), ways, strict=True):
                lost = way is None
                result[person] = self._no_way(begin, outing.end, radius) if lost else way + self._origin

    def _refusal(self, start: Float64, begin: Anchor | None, goal: Float64, radius: float) -> NoRoute:
        """Say that it is the start or, where that has room, the goal that has none."""
        what, place = ("start", start) if begin is None else ("goal", goal)
        return NoRoute(
            f"The {what} ({place[0]:.2f}, {place[1]:.2f}) is in an obstacle, outside the bounds or too "
            f"close to either, and there is no free place for a body of radius {radius:.2f} m within that "
            "distance of it.",
            needed=2.0 * radius,
            place=(float(place[0]), float(place[1])),
        )

    def _no_way(self, begin: Anchor, end: Anchor, radius: float) -> NoRoute:
        """Say how wide the widest gap on the best way is, and where."""
        start, goal = begin.place + self._origin, end.place + self._origin
        between = f"from ({start[0]:.1f}, {start[1]:.1f}) to ({goal[0]:.1f}, {goal[1]:.1f})"
        gap = self._wayfinder.widest_gap(begin, end)
        if gap is None:
            return NoRoute(
                f"There is no route {between}: obstacles or the bounds block it completely.", needed=2.0 * radius
            )
        clearance, place = gap
        width = 2.0 * (clearance + self._growth)  # between the surfaces themselves
        x, y = (place + self._origin).tolist()
        return NoRoute(
            f"There is no route {between} for a body of radius {radius:.2f} m: gap "
            f"{np.floor(100.0 * width) / 100.0:.2f} m, needs {2.0 * radius:.2f} m at ({x:.1f}, {y:.1f}).",
            gap=width,
            needed=2.0 * radius,
            place=(x, y),
        )


def _all_of(starts: ArrayLike, goals: ArrayLike, radii: ArrayLike) -> tuple[Float64, Float64, Float64]:
    """Starts and goals, float64 (N, 2), and radii, float64 (N,), of which goals and radii may be one for all."""
    begins = np.atleast_2d(_checked(starts, radii))
    try:
        ends = np.broadcast_to(_checked(goals, radii), begins.shape)
        radius = np.broadcast_to(np.asarray(radii, dtype=np.float64), len(begins))
    except ValueError as error:
        raise GeometryError("There must be as many goals and radii as starts, or one for all.") from error
    return begins, ends, radius


def _checked(places: ArrayLike, radii: ArrayLike) -> Float64:
    """Places as an array, float64 (..., 2), when they and the radii mean something."""
    try:
        points = np.asarray(places, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GeometryError("A start or goal is not a place (x, y).") from error
    if points.shape[-1:] != (2,):
        raise GeometryError(f"A start or goal must be a place (x, y), got an array of shape {points.shape}.")
    if not np.all(np.abs(points) <= FARTHEST):
        raise GeometryError(f"A start or goal has a coordinate that is not a finite number up to {FARTHEST:g} m.")
    if not np.all(np.isfinite(radii)) or np.any(np.asarray(radii) < 0.0):
        raise GeometryError("A radius must be a number that is not negative.")
    return points
