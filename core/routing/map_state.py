# SPDX-License-Identifier: GPL-3.0-or-later
"""Search structures of a corridor map: built when first needed, updated when the partition changes."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..array_types import Float64
from .corridors.taut_lines import TautLines
from .graph.anchors import AxisGraph
from .graph.corridor_graph import CorridorGraph
from .graph.edge_crowding import Capacity, capacity_of
from .medial_axis.building import change
from .medial_axis.obstacle_set import ObstacleSet
from .medial_axis.partition import EditablePartition
from .medial_axis.point_location import CellIndex
from .medial_axis.surface_distance import Surfaces
from .queries import RouteQueries
from .standing_places import StandingPlaces


class _SearchStructures:
    """Structures built of one partition, which follow its updates."""

    def __init__(self, partition: EditablePartition, lines: TautLines) -> None:
        self._partition = partition
        partition.changed.clear()
        self.axis_graph = AxisGraph(partition, CorridorGraph(partition))
        self._index = CellIndex(partition)
        self.standing_places = StandingPlaces(self._index, partition)
        self.queries = RouteQueries(self.axis_graph, self.standing_places, partition.grid, lines)
        self._capacity: Capacity | None = None

    @property
    def capacity(self) -> Capacity:
        if self._capacity is None:
            self._capacity = capacity_of(self.axis_graph)
        return self._capacity

    def update(self) -> None:
        """Update after changes of the partition."""
        changed = self._partition.changed
        if changed:
            self.queries.update(self.axis_graph.graph.update(changed))
            self._index.update(changed)
            self.standing_places.forget()
            self._capacity = None
            changed.clear()


class MapState:
    """The obstacles of a map, its partition, and its search structures."""

    def __init__(
        self, obstacles: ObstacleSet, bounds: Float64, partition: EditablePartition, lines: TautLines | None = None
    ) -> None:
        """Create the state; the search structures are built when first needed.

        Args:
            obstacles: the obstacles.
            bounds: float64 (B, 2), the outline of the ground [m].
            partition: their partition.
            lines: cache of the lines of a similar map; further ones are added.
        """
        self.obstacles = obstacles
        self.bounds = bounds
        self.partition = partition
        self.origin = np.array(partition.grid.origin)
        self.lines = lines or TautLines()
        self._structures: _SearchStructures | None = None
        self._edges = np.empty((0, 4))

    def change(self, number: int, obstacles: ObstacleSet) -> None:
        """Change the obstacle set; without effect if the partition cannot be built.

        Args:
            number: the obstacle in which the obstacle sets differ.
            obstacles: the obstacles after.

        Raises:
            GeometryError: there is no free ground, or it could not be built.
        """
        partition = change(self.partition, self.obstacles, obstacles, number, self.bounds)
        if partition is not self.partition:
            self._structures = None
        self.partition, self.obstacles = partition, obstacles
        self.origin = np.array(partition.grid.origin)

    @property
    def axis_graph(self) -> AxisGraph:
        """The medial axis as a graph."""
        return self._current.axis_graph

    @property
    def capacity(self) -> Capacity:
        """Area, width and length of the corridors."""
        return self._current.capacity

    @property
    def standing_places(self) -> StandingPlaces:
        """Free positions for bodies."""
        return self._current.standing_places

    @property
    def queries(self) -> RouteQueries:
        """Routes through the corridors."""
        return self._current.queries

    @property
    def _current(self) -> _SearchStructures:
        if self._structures is None:
            self._structures = _SearchStructures(self.partition, self.lines)
        self._structures.update()
        return self._structures

    @property
    def edges(self) -> Float64:
        """All edges round free ground, float64 (S, 4) [m from the grid's origin]; the same array until they change."""
        edges = np.concatenate(self.partition.surfaces, axis=1)
        if not np.array_equal(edges, self._edges):
            self._edges = edges
        return self._edges

    @cached_property
    def surfaces(self) -> Surfaces:
        """Distances to the exact shapes, not to their rounded copies on the grid."""
        return Surfaces(self.obstacles, self.bounds)
