# SPDX-License-Identifier: GPL-3.0-or-later
"""The Explicit Corridor Map: the medial axis of the ground between obstacles, with what is nearest on either side.

    CorridorMap(obstacles, bounds, *, walls=())
        .vertices (V, 2) ; .edges (E, 2) ; .events(edge) -> Events
        .insert(outline) -> id ; .remove(id) ; .move(id, outline)
        .nearest_obstacle(points (N, 2)) -> distance (N,), closest (N, 2)
        .path(start, goal, radius) -> (P, 2)
        .paths(starts (N, 2), goals (N, 2), radii (N,)) -> list of (P, 2) or NoRoute
        .save(path) ; CorridorMap.load(path)

Source: Geraerts 2010, "Planning short paths with clearance using explicit corridors"; van Toll et al. 2012.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import GeometryError, NoRoute
from ..geometry.distance_field import ObstacleField
from .corridor_graph import CorridorGraph
from .free_space import GROWTH, read_obstacle
from .location import CellIndex
from .routes import Anchor, Net
from .standing import Standing
from .stock import Stock
from .storing import Content, load_map, save_map
from .update import Terrain, build, change
from .wayfinding import Wayfinder

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Events:
    """The event points along a corridor edge: where the nearest obstacle on a side becomes another.

    Attributes:
        point: float64 (K, 2), on the medial axis, the edge's two nodes first and last [m].
        left, right: float64 (K, 2), the nearest obstacle points on either side, seen from first to last [m].
        clearance: float64 (K,), distance to both [m].
    """

    point: Float64
    left: Float64
    right: Float64
    clearance: Float64


class _Layout:
    """All that is made from one stock of obstacles, each thing when it is first asked for."""

    def __init__(self, stock: Stock, bounds: Float64, terrain: Terrain) -> None:
        self.stock = stock
        self.terrain = terrain
        self.grid = terrain.grid
        self.origin = np.array(terrain.grid.origin)
        self._bounds = bounds

    @cached_property
    def net(self) -> Net:
        """The medial axis as a graph."""
        axis, sites = self.terrain.axis, self.terrain.sites
        return Net(sites, axis, CorridorGraph.of(axis, sites))

    @cached_property
    def standing(self) -> Standing:
        """Where a body can stand."""
        return Standing(CellIndex(self.net.axis, self.net.sites, self.net.graph), self.net.sites)

    @cached_property
    def wayfinder(self) -> Wayfinder:
        """Ways through the corridors."""
        return Wayfinder(self.net)

    @cached_property
    def field(self) -> ObstacleField:
        """Distances to the shapes themselves, not to their image on the grid."""
        shapes = self.stock.shapes.values()
        solids = [(shape.rings[0], shape.rings[1:]) for shape in shapes if shape.rings]
        lines = [shape.line for shape in shapes if shape.line is not None]
        lines = [line if len(line) > 1 else np.concatenate((line, line)) for line in lines]
        return ObstacleField(solids, [*lines, np.concatenate((self._bounds, self._bounds[:1]))])


class CorridorMap:
    """Free ground between obstacles, for finding ways of any width and what is near."""

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
        stock = Stock.of(shapes)
        self._layout = _Layout(stock, self._bounds, build(stock, self._bounds))
        self._next_id = len(shapes)

    @property
    def vertices(self) -> Float64:
        """Nodes: float64 (V, 2), where corridors meet or end [m]."""
        return self._layout.net.axis.vertices[self._layout.net.graph.nodes] + self._layout.origin

    @property
    def edges(self) -> Int64:
        """Corridor edges: int64 (E, 2), between which nodes each runs."""
        return self._layout.net.graph.edges

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the obstacles that stand."""
        return tuple(self._layout.stock.shapes)

    def events(self, edge: int) -> Events:
        """Return the event points along a corridor edge.

        Args:
            edge: row of `edges`.
        """
        sites, axis, graph = self._layout.net.sites, self._layout.net.axis, self._layout.net.graph
        arcs = np.arange(graph.first[edge], graph.first[edge + 1])
        vertex = np.append(graph.tail[arcs], graph.head[arcs[-1]])
        beside = np.append(arcs, arcs[-1])
        point = axis.vertices[vertex]
        left, right = sites.feet(point, graph.left[beside]), sites.feet(point, graph.right[beside])
        return Events(
            point + self._layout.origin, left + self._layout.origin, right + self._layout.origin, axis.clearance[vertex]
        )

    def insert(self, outline: Any) -> int:
        """Add an obstacle.

        Args:
            outline: as for the map's `obstacles`.

        Returns:
            Its id.

        Raises:
            GeometryError: it has no points or a coordinate that is not finite; the map is as before.
        """
        new = self._next_id
        self._change(new, self._layout.stock.with_shape(new, read_obstacle(outline)))
        self._next_id = new + 1
        return new

    def remove(self, number: int) -> None:
        """Take an obstacle away.

        Args:
            number: its id.

        Raises:
            GeometryError: there is no such obstacle.
        """
        self._require(number)
        self._change(number, self._layout.stock.without(number))

    def move(self, number: int, outline: Any) -> None:
        """Put an obstacle elsewhere, or give it another outline.

        Args:
            number: its id, which it keeps.
            outline: as for the map's `obstacles`.

        Raises:
            GeometryError: there is no such obstacle, or the outline has no points or is not finite; the map is as
                before.
        """
        self._require(number)
        self._change(number, self._layout.stock.with_shape(number, read_obstacle(outline)))

    def nearest_obstacle(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """Nearest place on the surface of an obstacle, on a wall or on the bounds.

        Args:
            points: float64 (N, 2) [m].

        Returns:
            distance float64 (N,), not signed [m], and closest float64 (N, 2) [m].
        """
        return self._layout.field.nearest(points)

    def path(self, start: ArrayLike, goal: ArrayLike, radius: float) -> Float64:
        """Find a short way for a round body.

        Args:
            start: float64 (2,), [m]; within an obstacle or too near to one it is moved to the nearest free place, if
                there is one within the radius.
            goal: float64 (2,), likewise.
            radius: of the body [m], not negative.

        Returns:
            float64 (P, 2): the way's points [m]; everywhere on it the clearance is at least the radius.

        Raises:
            NoRoute: no way is wide enough; the message says how wide the widest gap is, and where.
            GeometryError: a coordinate is not finite, or the radius negative.
        """
        layout = self._layout
        places = _checked(np.array([start, goal], dtype=np.float64).reshape(2, 2), radius)
        ends = places - layout.origin
        begin, end = layout.standing.anchors(ends, np.full(2, float(radius)))
        if begin is None or end is None:
            what, place = ("start", ends[0]) if begin is None else ("goal", ends[1])
            raise _no_place(what, place + layout.origin, radius)
        way = layout.wayfinder.ways([begin], end, np.array([float(radius)]))[0]
        if way is None:
            raise self._no_way(begin, end, radius)
        return way + layout.origin

    def paths(self, starts: ArrayLike, goals: ArrayLike, radii: ArrayLike) -> list[Float64 | NoRoute]:
        """Find ways for many; those who start near each other and go to the same goal share their searches.

        Args:
            starts: float64 (N, 2), [m].
            goals: float64 (N, 2), or (2,) for all [m].
            radii: float64 (N,), or one for all [m].

        Returns:
            For each the way's points, float64 (P, 2) [m], or the reason why there is none.

        Raises:
            GeometryError: a coordinate is not finite, or a radius negative.
        """
        layout = self._layout
        begins = _checked(np.asarray(starts, dtype=np.float64).reshape(-1, 2), radii)
        ends = np.broadcast_to(_checked(np.asarray(goals, dtype=np.float64), radii), begins.shape)
        radius = np.broadcast_to(np.asarray(radii, dtype=np.float64), len(begins))
        from_where = layout.standing.anchors(begins - layout.origin, radius)
        places, whose = np.unique(ends, axis=0, return_inverse=True)
        result: list[Float64 | NoRoute] = [NoRoute()] * len(begins)
        for number, place in enumerate(places):
            going = np.flatnonzero(whose.ravel() == number)
            for group, end in self._shared_goals(place, radius, going):
                self._fill(result, group, (begins, place, radius), ([from_where[k] for k in group], end))
        return result

    def save(self, path: str | Path) -> None:
        """Write the map to an npz file, which takes its place only when it is whole.

        Raises:
            FootfallError: it cannot be written; what stood there before is untouched.
        """
        save_map(path, Content(self._layout.stock, self._bounds, self._next_id, self._layout.terrain))

    @classmethod
    def load(cls, path: str | Path) -> CorridorMap:
        """Read what `save` wrote; nothing is built, so this does without pyvoronoi.

        Raises:
            FootfallError: there is no such file, it holds no corridor map, or the map in it is damaged.
        """
        content = load_map(path)
        corridors = cls.__new__(cls)
        corridors._bounds = content.bounds
        corridors._layout = _Layout(content.stock, content.bounds, content.terrain)
        corridors._next_id = content.next_id
        return corridors

    def _shared_goals(self, place: Float64, radius: Float64, going: Int64) -> list[tuple[Int64, Anchor | None]]:
        """Who can share the same hold on a goal: all who fit there, and those for whom it has to be moved."""
        standing = self._layout.standing
        where = place - self._layout.origin
        fits = radius[going] <= standing.clearance(where)
        groups = [group for group in (going[fits], going[~fits]) if len(group)]
        shared: list[tuple[Int64, Anchor | None]] = []
        for group in groups:
            end = standing.anchors(where[None], radius[group].max(keepdims=True))[0]
            if end is not None:
                shared.append((group, end))
                continue
            ends = standing.anchors(np.tile(where, (len(group), 1)), radius[group])
            shared += [(group[k : k + 1], end) for k, end in enumerate(ends)]
        return shared

    def _fill(
        self,
        result: list[Float64 | NoRoute],
        group: Int64,
        wish: tuple[Float64, Float64, Float64],
        anchors: tuple[list[Anchor | None], Anchor | None],
    ) -> None:
        """Write down the ways of those who go to one goal."""
        starts, goal, radius = wish
        begins, end = anchors
        ready = [] if end is None else [k for k, begin in enumerate(begins) if begin is not None]
        for k in range(len(group)):
            if begins[k] is None:
                result[group[k]] = _no_place("start", starts[group[k]], float(radius[group[k]]))
            elif end is None:
                result[group[k]] = _no_place("goal", goal, float(radius[group[k]]))
        if end is None or not ready:
            return
        setting_out = [begin for begin in begins if begin is not None]
        ways = self._layout.wayfinder.ways(setting_out, end, radius[group[ready]])
        for k, begin, way in zip(ready, setting_out, ways, strict=True):
            person = group[k]
            result[person] = (
                self._no_way(begin, end, float(radius[person])) if way is None else way + self._layout.origin
            )

    def _no_way(self, begin: Anchor, end: Anchor, radius: float) -> NoRoute:
        """Say how wide the widest gap on the best way is, and where."""
        layout = self._layout
        start, goal = begin.place + layout.origin, end.place + layout.origin
        between = f"from ({start[0]:.1f}, {start[1]:.1f}) to ({goal[0]:.1f}, {goal[1]:.1f})"
        gap = layout.wayfinder.widest_gap(begin, end)
        if gap is None:
            return NoRoute(f"There is no way {between}: obstacles or the bounds close it wholly.")
        clearance, place = gap
        width = 2.0 * (clearance + GROWTH / layout.grid.steps)  # between the surfaces themselves
        place = place + layout.origin
        return NoRoute(
            f"There is no way {between} for a body of radius {radius:.2f} m: "
            f"gap {np.floor(100.0 * width) / 100.0:.2f} m, needs {2.0 * radius:.2f} m "
            f"at ({place[0]:.1f}, {place[1]:.1f})."
        )

    def _change(self, number: int, stock: Stock) -> None:
        """Stand by another stock from now on; the map stays as it is if that cannot be built."""
        layout = self._layout
        terrain = change(layout.terrain, layout.stock, stock, number, self._bounds)
        self._layout = _Layout(stock, self._bounds, terrain)

    def _require(self, number: int) -> None:
        if number not in self._layout.stock.shapes:
            raise GeometryError(f"There is no obstacle {number} in the corridor map.")


def _checked(places: Float64, radii: ArrayLike) -> Float64:
    if not np.all(np.isfinite(places)):
        raise GeometryError("A start or goal has a coordinate that is not a finite number.")
    if not np.all(np.isfinite(radii)) or np.any(np.asarray(radii) < 0.0):
        raise GeometryError("A radius must be a number that is not negative.")
    return places


def _no_place(what: str, place: Float64, radius: float) -> NoRoute:
    return NoRoute(
        f"The {what} ({place[0]:.2f}, {place[1]:.2f}) lies in an obstacle, outside the bounds or too near to either, "
        f"and there is no free place for a body of radius {radius:.2f} m within that distance of it."
    )
