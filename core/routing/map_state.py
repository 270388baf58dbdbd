# SPDX-License-Identifier: GPL-3.0-or-later
"""What a corridor map needs for its answers: made when it is first asked for, corrected when the partition has changed.

MapState(obstacles, bounds, partition)
    .axis_graph ; .standing_places ; .queries ; .surfaces
    .change(number, obstacles)                       another obstacle set of obstacles from now on
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .corridors.taut_lines import PulledLines
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

Float64 = NDArray[np.float64]


class _Aids:
    """What is made from one partition and follows its corrections."""

    def __init__(self, partition: EditablePartition, lines: PulledLines) -> None:
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
        """Follow what has changed since the last time."""
        changed = self._partition.changed
        if changed:
            self.queries.update(self.axis_graph.graph.update(changed))
            self._index.update(changed)
            self.standing_places.forget()
            self._capacity = None
            changed.clear()


class MapState:
    """The obstacles of a map, its partition, and what helps to answer."""

    def __init__(
        self, obstacles: ObstacleSet, bounds: Float64, partition: EditablePartition, lines: PulledLines | None = None
    ) -> None:
        """Keep what is needed.

        Args:
            obstacles: the obstacles.
            bounds: float64 (B, 2), the outline of the ground [m].
            partition: what was built of them.
            lines: that were pulled tight through corridors of a map of much the same; takes up more.
        """
        self.obstacles = obstacles
        self.bounds = bounds
        self.partition = partition
        self.origin = np.array(partition.grid.origin)
        self.lines = lines or PulledLines()
        self._aids: _Aids | None = None

    def change(self, number: int, obstacles: ObstacleSet) -> None:
        """Stand by another obstacle set from now on; all stays as it is if that cannot be built.

        Args:
            number: the obstacle in which the obstacle sets differ.
            obstacles: the obstacles after.

        Raises:
            GeometryError: there is no free ground, or it could not be built.
        """
        partition = change(self.partition, self.obstacles, obstacles, number, self.bounds)
        if partition is not self.partition:
            self._aids = None
        self.partition, self.obstacles = partition, obstacles
        self.origin = np.array(partition.grid.origin)

    @property
    def axis_graph(self) -> AxisGraph:
        """The medial axis as a graph."""
        return self._current.axis_graph

    @property
    def capacity(self) -> Capacity:
        """How many people the corridors hold."""
        return self._current.capacity

    @property
    def standing_places(self) -> StandingPlaces:
        """Where a body can stand."""
        return self._current.standing_places

    @property
    def queries(self) -> RouteQueries:
        """Ways through the corridors."""
        return self._current.queries

    @property
    def _current(self) -> _Aids:
        if self._aids is None:
            self._aids = _Aids(self.partition, self.lines)
        self._aids.update()
        return self._aids

    @cached_property
    def surfaces(self) -> Surfaces:
        """Distances to the shapes themselves, not to their image on the grid."""
        return Surfaces(self.obstacles, self.bounds)
