# SPDX-License-Identifier: GPL-3.0-or-later
"""The Explicit Corridor Map: the medial axis of free ground, with the nearest obstacles on either side.

Source: Geraerts 2010, "Planning short paths with clearance using explicit corridors"; van Toll et al. 2012.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Float64, Int64
from ..errors import GeometryError, NoRoute
from .corridors.edge_sampling import Events, Gaps, Sampled, events_along, refused_gaps, sampled_edges
from .corridors.side_clearance import clearance_beside
from .graph.edge_crowding import crowding_of
from .map_state import MapState
from .medial_axis.building import build, is_on_finest_grid
from .medial_axis.canonical_order import in_order, obstacle_set_in_order
from .medial_axis.free_space import read_obstacle
from .medial_axis.obstacle_set import ObstacleSet
from .medial_axis.partition import EditablePartition


class CorridorMap:
    """Free ground between obstacles, for routes of any width and distances."""

    def __init__(self, obstacles: Iterable[Any], bounds: ArrayLike, *, walls: Iterable[ArrayLike] = ()) -> None:
        """Build the map.

        Args:
            obstacles: each float64 (V, 2) [m]: an outline in either direction, two points for a thin wall, or one
                point; or a pair of an outline and its holes. They may overlap, touch and lie in each other. Their
                ids are 0, 1, 2...
            bounds: float64 (B, 2), the outline of the ground [m].
            walls: open lines, float64 (W, 2) each [m]; their ids follow.

        Raises:
            GeometryError: an obstacle has no points or a coordinate that is not finite, or the bounds no area.
            FootfallError: pyvoronoi or pyclipper is missing.
        """
        limits = read_obstacle(bounds)
        if not limits.rings:
            raise GeometryError("The bounds of a corridor map must be an outline with an area.")
        shapes = [*map(read_obstacle, obstacles), *(read_obstacle(wall, closed=False) for wall in walls)]
        self._bounds = limits.rings[0]
        read = ObstacleSet.of(shapes)
        self._map_state = MapState(read, self._bounds, build(read, self._bounds))
        self._next_id = len(shapes)

    @property
    def map_state(self) -> MapState:
        """The search structures, valid until the map is changed or put in order."""
        return self._map_state

    @property
    def vertices(self) -> Float64:
        """Nodes: float64 (V, 2), where corridors meet or end [m]."""
        axis_graph = self._map_state.axis_graph
        return axis_graph.axis.vertices[axis_graph.graph.flat.nodes] + self._map_state.origin

    @property
    def edges(self) -> Int64:
        """Corridor edges: int64 (E, 2), the two nodes of each."""
        return self._map_state.axis_graph.graph.flat.ends

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the obstacles."""
        return tuple(self._map_state.obstacles.shapes)

    def events(self, edge: int) -> Events:
        """Return the event points along a corridor edge.

        Args:
            edge: row of `edges`.
        """
        events, origin = events_along(self._map_state.axis_graph, edge), self._map_state.origin
        return replace(events, point=events.point + origin, left=events.left + origin, right=events.right + origin)

    def insert(self, outline: Any, *, closed: bool = True) -> int:
        """Add an obstacle.

        Args:
            outline: as for the map's `obstacles`.
            closed: False for an open wall of more than two points.

        Returns:
            Its id.

        Raises:
            GeometryError: it has no points or a coordinate that is not finite; the map is as before.
        """
        new = self._next_id
        self._map_state.change(new, self._map_state.obstacles.with_shape(new, read_obstacle(outline, closed=closed)))
        self._next_id = new + 1
        return new

    def remove(self, number: int) -> None:
        """Remove an obstacle.

        Args:
            number: its id.

        Raises:
            GeometryError: there is no such obstacle.
        """
        self._require(number)
        self._map_state.change(number, self._map_state.obstacles.without(number))

    def move(self, number: int, outline: Any, *, closed: bool = True) -> None:
        """Move an obstacle, or change its outline.

        Args:
            number: its id, which it keeps.
            outline: as for the map's `obstacles`.
            closed: False for an open wall of more than two points.

        Raises:
            GeometryError: there is no such obstacle, or the outline has no points or is not finite; the map is as
                before.
        """
        self._require(number)
        self._map_state.change(
            number, self._map_state.obstacles.with_shape(number, read_obstacle(outline, closed=closed))
        )

    @property
    def is_on_finest_grid(self) -> bool:
        """Whether it lies on the grid that is tried first; a map built from scratch most likely would too."""
        return is_on_finest_grid(self._map_state.partition, self._bounds)

    def put_in_order(self) -> None:
        """Number nodes, edges and other rows by their coordinates, whatever was changed before.

        Between equally long routes the numbers decide. In canonical order a changed map and one built of the same
        obstacles on the same grid give the same answers, bit for bit. The search structures are built again when next
        needed.
        """
        obstacles, partition = (
            obstacle_set_in_order(self._map_state.obstacles),
            EditablePartition(in_order(self._map_state.partition.snapshot())),
        )
        self._map_state = MapState(obstacles, self._bounds, partition, self._map_state.lines)

    def nearest_obstacle(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """Nearest point on the surface of an obstacle, on a wall or on the bounds.

        Args:
            points: float64 (N, 2) [m].

        Returns:
            distance float64 (N,), not signed [m], and closest float64 (N, 2) [m].
        """
        return self._map_state.surfaces.nearest(points, self._map_state.obstacles)

    def path(self, start: ArrayLike, goal: ArrayLike, radius: float, *, crowding: ArrayLike | None = None) -> Float64:
        """Find a short route for a round body.

        Args:
            start: float64 (2,), [m]; within an obstacle or too close to one it is moved to the nearest free point, if
                there is one within the radius.
            goal: float64 (2,), likewise.
            radius: of the body [m], not negative.
            crowding: float64 (E,), factor on each corridor edge's length, or None: see `crowding`.

        Returns:
            float64 (P, 2): the route's points [m]; its clearance is at least the radius everywhere.

        Raises:
            NoRoute: no route is wide enough; the message names the widest gap and its position.
            GeometryError: a coordinate is not finite, or the radius negative.
        """
        return self._map_state.queries.path(start, goal, radius, self._edge_factors(crowding))

    def alternatives(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        radius: float,
        *,
        count: int = 3,
        longest: float = 1.5,
        crowding: ArrayLike | None = None,
    ) -> list[Float64]:
        """Find short routes for a round body through different corridors.

        Args:
            start: float64 (2,), as for `path`.
            goal: float64 (2,), likewise.
            radius: of the body [m], not negative.
            count: most routes.
            longest: largest ratio of their lengths to the first.
            crowding: as for `path`; with it, the order is that of length times crowding.

        Returns:
            At least one route, float64 (P, 2) each [m], the shortest first.

        Raises:
            NoRoute: no route is wide enough.
            GeometryError: a coordinate is not finite, or the radius negative.
        """
        if count < 1:
            raise GeometryError(f"At least one route must be requested, got {count}.")
        return self._map_state.queries.alternatives(start, goal, radius, count, longest, self._edge_factors(crowding))

    def paths(
        self,
        starts: ArrayLike,
        goals: ArrayLike,
        radii: ArrayLike,
        *,
        crowding: ArrayLike | None = None,
    ) -> list[Float64 | NoRoute]:
        """Find routes for many; those that start close together and have the same goal share searches.

        Args:
            starts: float64 (N, 2), [m].
            goals: float64 (N, 2), or (2,) for all [m].
            radii: float64 (N,), or one for all [m].
            crowding: as for `path`.

        Returns:
            For each the route's points, float64 (P, 2) [m], or the reason why there is none.

        Raises:
            GeometryError: a coordinate is not finite, or a radius negative.
        """
        return self._map_state.queries.paths(starts, goals, radii, self._edge_factors(crowding))

    def own_paths(
        self, starts: ArrayLike, goals: ArrayLike, radii: ArrayLike, *, quick: bool = False
    ) -> list[Float64 | None]:
        """Find routes for many, each independent of the others.

        Args:
            starts: as for `paths`.
            goals: likewise.
            radii: likewise.
            quick: use the first corridor that is found, in half the time; sometimes another one is shorter.

        Returns:
            For each the route's points, float64 (P, 2) [m], or None.

        Raises:
            GeometryError: a coordinate is not finite, or a radius negative.
        """
        return self._map_state.queries.own_paths(starts, goals, radii, rounds=1 if quick else None)

    def edge_at(self, points: ArrayLike) -> Int64:
        """Return the corridor that contains each point.

        Args:
            points: float64 (N, 2) [m].

        Returns:
            int64 (N,), the row of `edges`, -1 for points that are not on free ground.
        """
        places = np.asarray(points, dtype=np.float64).reshape(-1, 2) - self._map_state.origin
        arc, graph = self._map_state.standing_places.arc_at(places), self._map_state.axis_graph.graph
        return np.where(arc >= 0, np.searchsorted(graph.flat.numbers, graph.edge_of[arc]), -1)

    def crowding(self, people: ArrayLike) -> Float64:
        """Return the factor on each corridor's length because of the people in it.

        Args:
            people: float64 (N, 2), their positions [m].

        Returns:
            float64 (E,), for each corridor edge: 1 without people, growing with density as walking slows down and with
            the queue before a narrow place (Weidmann 1993), 10 at most. It is valid until the map changes.
        """
        return crowding_of(self.edge_at(people), self._map_state.capacity)

    def clearance(self, points: Float64) -> Float64:
        """Return the clearance of points, float64 (N, 2) [m]; minus infinity off free ground."""
        return self._map_state.standing_places.clearance(points - self._map_state.origin)

    def look_ahead(self, points: Float64) -> None:
        """Locate points of coming queries together, which is much faster than one by one; valid until the map changes.

        Args:
            points: float64 (N, 2) [m].
        """
        self._map_state.standing_places.look_ahead(points - self._map_state.origin)

    def corridor(self, route: ArrayLike, radius: float, *, at_most: float = 5.0) -> tuple[Float64, Float64]:
        """Return how far a round body may deviate from a route at each of its points.

        Obstacles to the left of a point are those left of the route's direction there, ahead and behind alike; the
        same on the right.

        Args:
            route: float64 (P, 2), P >= 2, points close enough together to follow its bends [m].
            radius: of the body [m].
            at_most: larger clearances are not measured [m].

        Returns:
            left, right: float64 (P,), how far its centre may deviate to either side [m], not negative.

        Raises:
            GeometryError: the route has fewer than two points, or is not finite.
        """
        points = np.asarray(route, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.all(np.isfinite(points)):
            raise GeometryError("A route must be two points (x, y) or more, all of them finite.")
        return self.corridors([points], np.array([radius]), np.array([at_most]))[0]

    def corridors(self, routes: Sequence[Float64], radii: Float64, at_most: Float64) -> list[tuple[Float64, Float64]]:
        """As `corridor`, of many routes at once: float64 (P, 2) each, with `radii` and `at_most`, float64 (N,) [m]."""
        lines = [route - self._map_state.origin for route in routes]
        return clearance_beside(lines, self._map_state.partition.surfaces, radii, at_most)

    def refused_gaps(self, radius: float) -> Gaps:
        """List gaps that are too narrow for a round body.

        Args:
            radius: of the body [m].

        Returns:
            The narrowest place of each corridor edge that is too narrow; dead ends in corners are left out.
        """
        gaps = refused_gaps(self._map_state.axis_graph, radius)
        origin = self._map_state.origin
        return replace(gaps, place=gaps.place + origin, left=gaps.left + origin, right=gaps.right + origin)

    def sampled_edges(self, step: float = 0.5) -> Sampled:
        """Return the medial axis as polylines, for drawing.

        Args:
            step: distance between points of a corridor edge [m], roughly; up to twice as much in bends.

        Returns:
            For each corridor edge points on it, and the clearance there.

        Raises:
            GeometryError: the step is not positive.
        """
        if not step > 0.0:
            raise GeometryError(f"The step along corridor edges must be positive, got {step}.")
        sampled = sampled_edges(self._map_state.axis_graph, step)
        return replace(sampled, points=sampled.points + self._map_state.origin)

    def _edge_factors(self, crowding: ArrayLike | None) -> dict[int, float]:
        """Factors of the corridor edges whose factor exceeds 1."""
        if crowding is None:
            return {}
        factor = np.asarray(crowding, dtype=np.float64)
        if factor.shape != (len(self.edges),) or not np.all(factor >= 1.0) or not np.all(np.isfinite(factor)):
            raise GeometryError(f"Crowding must be one number of at least 1 for each of {len(self.edges)} edges.")
        more = np.flatnonzero(factor > 1.0)
        numbers = self._map_state.axis_graph.graph.flat.numbers[more]
        return dict(zip(numbers.tolist(), factor[more].tolist(), strict=True))

    def _require(self, number: int) -> None:
        if number not in self._map_state.obstacles.shapes:
            raise GeometryError(f"There is no obstacle {number} in the corridor map.")
