# SPDX-License-Identifier: GPL-3.0-or-later
"""What a corridor map needs for its answers: made when it is first asked for, corrected when the chart has changed.

Layout(stock, bounds, chart)
    .net ; .standing ; .guide ; .surfaces
    .change(number, stock)                       another stock of obstacles from now on
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .corridors.taut_lines import PulledLines
from .graph.anchors import Net
from .graph.corridor_graph import CorridorGraph
from .graph.edge_crowding import Capacity, capacity_of
from .medial_axis.building import change
from .medial_axis.obstacle_set import Stock
from .medial_axis.partition import Chart
from .medial_axis.point_location import CellIndex
from .medial_axis.surface_distance import Surfaces
from .queries import Guide
from .standing_places import Standing

Float64 = NDArray[np.float64]


class _Aids:
    """What is made from one chart and follows its corrections."""

    def __init__(self, chart: Chart, lines: PulledLines) -> None:
        self._chart = chart
        chart.changed.clear()
        self.net = Net(chart, CorridorGraph(chart))
        self._index = CellIndex(chart)
        self.standing = Standing(self._index, chart)
        self.guide = Guide(self.net, self.standing, chart.grid, lines)
        self._capacity: Capacity | None = None

    @property
    def capacity(self) -> Capacity:
        if self._capacity is None:
            self._capacity = capacity_of(self.net)
        return self._capacity

    def update(self) -> None:
        """Follow what has changed since the last time."""
        changed = self._chart.changed
        if changed:
            self.guide.update(self.net.graph.update(changed))
            self._index.update(changed)
            self.standing.forget()
            self._capacity = None
            changed.clear()


class Layout:
    """The obstacles of a map, its chart, and what helps to answer."""

    def __init__(self, stock: Stock, bounds: Float64, chart: Chart, lines: PulledLines | None = None) -> None:
        """Keep what is needed.

        Args:
            stock: the obstacles.
            bounds: float64 (B, 2), the outline of the ground [m].
            chart: what was built of them.
            lines: that were pulled tight through corridors of a map of much the same; takes up more.
        """
        self.stock = stock
        self.bounds = bounds
        self.chart = chart
        self.origin = np.array(chart.grid.origin)
        self.lines = lines or PulledLines()
        self._aids: _Aids | None = None

    def change(self, number: int, stock: Stock) -> None:
        """Stand by another stock from now on; all stays as it is if that cannot be built.

        Args:
            number: the obstacle in which the stocks differ.
            stock: the obstacles after.

        Raises:
            GeometryError: there is no free ground, or it could not be built.
        """
        chart = change(self.chart, self.stock, stock, number, self.bounds)
        if chart is not self.chart:
            self._aids = None
        self.chart, self.stock = chart, stock
        self.origin = np.array(chart.grid.origin)

    @property
    def net(self) -> Net:
        """The medial axis as a graph."""
        return self._current.net

    @property
    def capacity(self) -> Capacity:
        """How many people the corridors hold."""
        return self._current.capacity

    @property
    def standing(self) -> Standing:
        """Where a body can stand."""
        return self._current.standing

    @property
    def guide(self) -> Guide:
        """Ways through the corridors."""
        return self._current.guide

    @property
    def _current(self) -> _Aids:
        if self._aids is None:
            self._aids = _Aids(self.chart, self.lines)
        self._aids.update()
        return self._aids

    @cached_property
    def surfaces(self) -> Surfaces:
        """Distances to the shapes themselves, not to their image on the grid."""
        return Surfaces(self.stock, self.bounds)
