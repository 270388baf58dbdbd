# SPDX-License-Identifier: GPL-3.0-or-later
"""What a corridor map needs for its answers, made from its terrain when it is first asked for.

Layout(stock, bounds, terrain)
    .net ; .standing ; .guide ; .surfaces ; .field
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..geometry.distance_field import ObstacleField
from .corridor_graph import CorridorGraph
from .guide import Guide
from .location import CellIndex
from .routes import Net
from .standing import Standing
from .stock import Stock
from .update import Terrain

Float64 = NDArray[np.float64]


class Layout:
    """All that is made from one stock of obstacles, each thing when it is first asked for."""

    def __init__(self, stock: Stock, bounds: Float64, terrain: Terrain) -> None:
        """Keep what is needed.

        Args:
            stock: the obstacles.
            bounds: float64 (B, 2), the outline of the ground [m].
            terrain: what was built of them.
        """
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
    def guide(self) -> Guide:
        """Ways through the corridors."""
        return Guide(self.net, self.standing, self.grid)

    @property
    def surfaces(self) -> tuple[Float64, Float64]:
        """Starts and ends of all edges round free ground [m from the grid's origin]."""
        sites, count = self.terrain.sites, self.terrain.sites.segments
        starts = sites.start[:count]
        return starts, starts + sites.length[:count, None] * sites.along[:count]

    @cached_property
    def field(self) -> ObstacleField:
        """Distances to the shapes themselves, not to their image on the grid."""
        shapes = self.stock.shapes.values()
        solids = [(shape.rings[0], shape.rings[1:]) for shape in shapes if shape.rings]
        lines = [shape.line for shape in shapes if shape.line is not None]
        lines = [line if len(line) > 1 else np.concatenate((line, line)) for line in lines]
        return ObstacleField(solids, [*lines, np.concatenate((self._bounds, self._bounds[:1]))])
