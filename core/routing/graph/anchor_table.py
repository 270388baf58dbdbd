# SPDX-License-Identifier: GPL-3.0-or-later
"""Many anchors and their connections to the graph, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import dot, length
from .anchors import Anchor, AxisGraph
from .search import GraphEntry, NodeLink


@dataclass(frozen=True, eq=False)
class AnchorTable:
    """N anchors.

    Attributes:
        place: float64 (N, 2), position of the body [m from the grid's origin].
        point: float64 (N, 2), on the axis.
        arc: int64 (N,), on which arc of the graph that is.
        room: float64 (N,), clearance at the point [m].
        to_ends: float64 (N, 2), the least clearance on the arc between the point and its tail, and its head [m].
        site: int64 (N,), the site that the point's spoke starts from.
        edges: of each, on which corridor edge it is, and as which of the edge's arcs.
        entries: of each, its links along its corridor edge to the edge's two nodes.
    """

    place: Float64
    point: Float64
    arc: Int64
    room: Float64
    to_ends: Float64
    site: Int64
    edges: list[tuple[int, int]]
    entries: list[GraphEntry]

    @staticmethod
    def of(anchors: Sequence[Anchor], axis_graph: AxisGraph) -> AnchorTable:
        """Return the table of some anchors, at least one."""
        graph, axis = axis_graph.graph, axis_graph.axis
        place = np.concatenate([anchor.place for anchor in anchors]).reshape(-1, 2)
        point = np.concatenate([anchor.point for anchor in anchors]).reshape(-1, 2)
        arc = np.array([anchor.arc for anchor in anchors], dtype=np.int64)
        room = np.array([anchor.room for anchor in anchors])
        to_ends = np.column_stack(
            [_narrowest_between(point, arc, room, end[arc], axis_graph) for end in (axis.tail, axis.head)]
        )
        of_edge = graph.edge_of[arc].tolist()
        halves = [graph.halves(2 * edge) for edge in of_edge]
        first = np.cumsum([0, *map(len, halves)])[:-1]
        along, whose = np.concatenate(halves) >> 1, np.repeat(np.arange(len(arc)), [len(each) for each in halves])
        at = np.flatnonzero(along == arc[whose])
        beside = [
            np.minimum.reduceat(np.where(some, graph.narrowest[along], np.inf), first)
            for some in (np.arange(len(along)) < at[whose], np.arange(len(along)) > at[whose])
        ]
        edges = list(zip(of_edge, (at - first).tolist(), strict=True))
        to_nodes = np.minimum(to_ends, np.column_stack(beside)).tolist()
        entries = []
        for (x, y), (edge, _), (to_a, to_b) in zip(place.tolist(), edges, to_nodes, strict=True):
            a, b = graph.ends[edge]
            entries.append(GraphEntry((x, y), (NodeLink(a, to_a), NodeLink(b, to_b))))
        return AnchorTable(place, point, arc, room, to_ends, _own_site(place, arc, axis_graph), edges, entries)


def _narrowest_between(point: Float64, arc: Int64, room: Float64, vertex: Int64, axis_graph: AxisGraph) -> Float64:
    """The least clearance on each arc between a point of it and one of its ends, float64 (N,) [m]."""
    graph, end = axis_graph.graph, axis_graph.axis.vertices.take(vertex, 0)
    least = np.minimum(room, axis_graph.axis.clearance[vertex])
    waist = graph.waist.take(arc, 0)
    # From both: an anchor at the very end may lie beyond it by a rounding.
    between = (dot(waist - point, end - point) > 0.0) & (dot(waist - end, point - end) > 0.0)
    return np.where(between, np.minimum(least, graph.narrowest[arc]), least)


def _own_site(place: Float64, arc: Int64, axis_graph: AxisGraph) -> Int64:
    """The site that each point's spoke starts from, int64 (N,)."""
    left, right = axis_graph.axis.left[arc], axis_graph.axis.right[arc]
    to_left, to_right = axis_graph.sites.feet(place, left) - place, axis_graph.sites.feet(place, right) - place
    return np.where(length(to_left) <= length(to_right), left, right)
