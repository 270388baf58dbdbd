# SPDX-License-Identifier: GPL-3.0-or-later
"""Route queries to a map, in metres of the world, and the reasons for those without a route."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Float64, Int64
from ..errors import GeometryError, NoRoute
from ..geometry.ragged import rows_of_each
from .corridors.taut_lines import TautLines
from .graph.anchors import Anchor, AxisGraph
from .graph.corridor_graph import EdgeChange
from .medial_axis.free_space import LARGEST_COORDINATE, OBSTACLE_GROWTH, Grid
from .standing_places import StandingPlaces
from .wayfinding import EdgeFactors, RouteRequest, Wayfinder

_FREE: EdgeFactors = {}


class RouteQueries:
    """Finds routes in one map."""

    def __init__(self, axis_graph: AxisGraph, standing_places: StandingPlaces, grid: Grid, lines: TautLines) -> None:
        """Prepare.

        Args:
            axis_graph: the map.
            standing_places: free positions in it.
            grid: on which it was built.
            lines: cache of lines.
        """
        self._standing_places = standing_places
        self._wayfinder = Wayfinder(axis_graph, lines)
        self._origin = np.array(grid.origin)
        self._growth = OBSTACLE_GROWTH / grid.steps

    def update(self, edge_change: EdgeChange | None) -> None:
        """Follow a change of the graph.

        Args:
            edge_change: removed and added edges, None for all.
        """
        self._wayfinder.update(edge_change)

    def path(self, start: ArrayLike, goal: ArrayLike, radius: float, edge_factors: EdgeFactors = _FREE) -> Float64:
        """Find a short route: see `CorridorMap.path`."""
        begin, end = self._ends(start, goal, radius)
        ((route,),) = self._wayfinder.routes([RouteRequest([begin], end, np.array([float(radius)]))], edge_factors)
        if route is None:
            raise self._no_route(begin, end, radius)
        return route + self._origin

    def alternatives(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        radius: float,
        count: int,
        longest: float,
        edge_factors: EdgeFactors = _FREE,
    ) -> list[Float64]:
        """Find routes through different corridors: see `CorridorMap.alternatives`."""
        begin, end = self._ends(start, goal, radius)
        routes = self._wayfinder.alternatives(
            begin, end, float(radius), count=count, longest=longest, edge_factors=edge_factors
        )
        if not routes:
            raise self._no_route(begin, end, radius)
        return [route + self._origin for route in routes]

    def paths(
        self, starts: ArrayLike, goals: ArrayLike, radii: ArrayLike, edge_factors: EdgeFactors = _FREE
    ) -> list[Float64 | NoRoute]:
        """Find routes for many: see `CorridorMap.paths`."""
        begins, ends, radius = _all_of(starts, goals, radii)
        places, whose = np.unique(ends, axis=0, return_inverse=True)
        self._standing_places.look_ahead(np.concatenate((begins, places)) - self._origin)
        from_where = self._standing_places.anchors(begins - self._origin, radius)
        result: list[Float64 | NoRoute] = [NoRoute()] * len(begins)
        people: list[list[int]] = []
        requests: list[RouteRequest] = []
        for number, group, end in self._shared_goals(places - self._origin, radius, rows_of_each(whose)):
            ready = {k: begin for k in group.tolist() if (begin := from_where[k]) is not None and end is not None}
            for k in group.tolist():
                if k not in ready:
                    result[k] = self._refusal(begins[k], from_where[k], places[number], float(radius[k]))
            if end is not None and ready:
                people.append(list(ready))
                requests.append(RouteRequest(list(ready.values()), end, radius[list(ready)]))
        self._fill_in_routes(result, people, requests, edge_factors)
        return result

    def own_paths(
        self, starts: ArrayLike, goals: ArrayLike, radii: ArrayLike, *, rounds: int | None = None
    ) -> list[Float64 | None]:
        """Find routes for many, each independent of the others: see `CorridorMap.own_paths`."""
        begins, ends, radius = _all_of(starts, goals, radii)
        anchors = [self._standing_places.anchors(places - self._origin, radius) for places in (begins, ends)]
        pairs = [(k, begin, end) for k, (begin, end) in enumerate(zip(*anchors, strict=True)) if begin and end]
        requests = [RouteRequest([begin], end, radius[k : k + 1]) for k, begin, end in pairs]
        result: list[Float64 | None] = [None] * len(begins)
        for (k, _, _), (route,) in zip(pairs, self._wayfinder.routes(requests, rounds=rounds), strict=True):
            result[k] = None if route is None else route + self._origin
        return result

    def _ends(self, start: ArrayLike, goal: ArrayLike, radius: float) -> tuple[Anchor, Anchor]:
        """Anchors of the start and the goal.

        Raises:
            NoRoute: there is no free point close enough to the start or to the goal.
        """
        ends = [_checked(place, radius).ravel() for place in (start, goal)]
        if any(len(end) != 2 for end in ends):
            raise GeometryError("A start or goal must be one place (x, y).")
        places = np.stack(ends)
        begin, end = self._standing_places.anchors(places - self._origin, np.full(2, float(radius)))
        if begin is None or end is None:
            raise self._refusal(places[0], begin, places[1], radius)
        return begin, end

    def _shared_goals(
        self, places: Float64, radius: Float64, going: Sequence[Int64]
    ) -> list[tuple[int, Int64, Anchor | None]]:
        """Groups that share one anchor of a goal: bodies that fit there, and those for which it has to be moved.

        Args:
            places: float64 (P, 2), of the goals [m from the grid's origin].
            radius: float64 (N,), of all bodies [m].
            going: int64 each, the bodies that go to each place.

        Returns:
            Number of the place, bodies, and anchor, None where there is no room.
        """
        room = self._standing_places.clearance(places).tolist()
        groups = [
            (number, group)
            for number, (rows, wide) in enumerate(zip(going, room, strict=True))
            for group in (rows[radius[rows] <= wide], rows[~(radius[rows] <= wide)])
            if len(group)
        ]
        largest = np.array([radius[group].max() for _, group in groups])
        ends = self._standing_places.anchors(places[[number for number, _ in groups]], largest)
        shared: list[tuple[int, Int64, Anchor | None]] = []
        for (number, group), end in zip(groups, ends, strict=True):
            if end is not None:
                shared.append((number, group, end))
                continue
            own = self._standing_places.anchors(np.tile(places[number], (len(group), 1)), radius[group])
            shared += [(number, group[k : k + 1], end) for k, end in enumerate(own)]
        return shared

    def _fill_in_routes(
        self,
        result: list[Float64 | NoRoute],
        people: list[list[int]],
        requests: list[RouteRequest],
        edge_factors: EdgeFactors,
    ) -> None:
        """Fill in the routes of the people of some requests, or why they have none."""
        for persons, request, routes in zip(
            people, requests, self._wayfinder.routes(requests, edge_factors), strict=True
        ):
            for person, begin, radius, route in zip(
                persons, request.begins, request.radii.tolist(), routes, strict=True
            ):
                lost = route is None
                result[person] = self._no_route(begin, request.end, radius) if lost else route + self._origin

    def _refusal(self, start: Float64, begin: Anchor | None, goal: Float64, radius: float) -> NoRoute:
        """Say that the start or, if that is free, the goal is blocked."""
        what, place = ("start", start) if begin is None else ("goal", goal)
        return NoRoute(
            f"The {what} ({place[0]:.2f}, {place[1]:.2f}) is in an obstacle, outside the bounds or too "
            f"close to either, and there is no free place for a body of radius {radius:.2f} m within that "
            "distance of it.",
            needed=2.0 * radius,
            place=(float(place[0]), float(place[1])),
        )

    def _no_route(self, begin: Anchor, end: Anchor, radius: float) -> NoRoute:
        """Name the widest gap on the best route and its position."""
        start, goal = begin.place + self._origin, end.place + self._origin
        between = f"from ({start[0]:.1f}, {start[1]:.1f}) to ({goal[0]:.1f}, {goal[1]:.1f})"
        gap = self._wayfinder.widest_gap(begin, end)
        if gap is None:
            return NoRoute(
                f"There is no route {between}: obstacles or the bounds block it completely.", needed=2.0 * radius
            )
        clearance, place = gap
        width = 2.0 * (clearance + self._growth)  # between the exact surfaces
        x, y = (place + self._origin).tolist()
        return NoRoute(
            f"There is no route {between} for a body of radius {radius:.2f} m: gap "
            f"{np.floor(100.0 * width) / 100.0:.2f} m, needs {2.0 * radius:.2f} m at ({x:.1f}, {y:.1f}).",
            gap=width,
            needed=2.0 * radius,
            place=(x, y),
        )


def _all_of(starts: ArrayLike, goals: ArrayLike, radii: ArrayLike) -> tuple[Float64, Float64, Float64]:
    """Starts and goals, float64 (N, 2), and radii, float64 (N,), where goals and radii may be one for all."""
    begins = np.atleast_2d(_checked(starts, radii))
    try:
        ends = np.broadcast_to(_checked(goals, radii), begins.shape)
        radius = np.broadcast_to(np.asarray(radii, dtype=np.float64), len(begins))
    except ValueError as error:
        raise GeometryError("There must be as many goals and radii as starts, or one for all.") from error
    return begins, ends, radius


def _checked(places: ArrayLike, radii: ArrayLike) -> Float64:
    """Points as an array, float64 (..., 2), after a check of points and radii."""
    try:
        points = np.asarray(places, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GeometryError("A start or goal is not a place (x, y).") from error
    if points.shape[-1:] != (2,):
        raise GeometryError(f"A start or goal must be a place (x, y), got an array of shape {points.shape}.")
    if not np.all(np.abs(points) <= LARGEST_COORDINATE):
        raise GeometryError(
            f"A start or goal has a coordinate that is not a finite number up to {LARGEST_COORDINATE:g} m."
        )
    if not np.all(np.isfinite(radii)) or np.any(np.asarray(radii) < 0.0):
        raise GeometryError("A radius must be a number that is not negative.")
    return points
