# SPDX-License-Identifier: GPL-3.0-or-later
"""A medial axis with its graph, and the anchors of points on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...array_types import Float64
from ...geometry.reproducible_math import dot
from ..medial_axis.axis import Axis, Sites
from ..medial_axis.partition import EditablePartition
from .corridor_graph import CorridorGraph


@dataclass(frozen=True, eq=False)
class Anchor:
    """The projection of a point onto the medial axis.

    Attributes:
        place: float64 (2,), position of the body [m from the grid's origin].
        point: float64 (2,), on the axis, visible from there with clearance that only grows.
        arc: on which arc of the graph that is.
        room: clearance at the point [m].
    """

    place: Float64
    point: Float64
    arc: int
    room: float


@dataclass(frozen=True, eq=False)
class AxisGraph:
    """A partition and the graph of its medial axis."""

    partition: EditablePartition
    graph: CorridorGraph

    @property
    def sites(self) -> Sites:
        """The segments and corners between which the axis lies."""
        return self.partition.sites

    @property
    def axis(self) -> Axis:
        """The rows of the medial axis, including unused ones."""
        return self.partition.axis

    @property
    def degree(self) -> NDArray[np.int16]:
        """Number of arcs that meet in each vertex, int16 (V,)."""
        return self.partition.degree

    def progress(self, arc: int, point: Float64) -> float:
        """Position of a point along an arc, in a measure that grows from tail to head."""
        axis, sites = self.axis, self.sites
        tail, head = self.axis.vertices[axis.tail[arc]], self.axis.vertices[axis.head[arc]]
        run = head - tail
        for own, other in ((axis.left[arc], axis.right[arc]), (axis.right[arc], axis.left[arc])):
            if own < sites.segments <= other:
                run = sites.along[own] * np.sign(dot(sites.along[own], run))  # a parabola: along its directrix
        return float(dot(point - tail, run))
