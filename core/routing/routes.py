# SPDX-License-Identifier: GPL-3.0-or-later
"""From a standing place to a standing place: doors into the graph, and the corridor that a walk through it makes.

    Anchor                                         a place's hold on the medial axis
    doors_of(anchor, ...) -> two doors             the ways from it to the nodes of its edge
    corridor_along(walk, begin, end, ...)          the arcs that are walked
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .corridor import Corridor
from .corridor_graph import CorridorGraph
from .medial_axis import Axis, Sites
from .search import Door, Walk

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Anchor:
    """A place's hold on the medial axis.

    Attributes:
        place: float64 (2,), where one stands [m from the grid's origin].
        point: float64 (2,), on the axis, in sight of the place with clearance that only grows.
        arc: on which arc of the graph that is.
        room: clearance at the point [m].
    """

    place: Float64
    point: Float64
    arc: int
    room: float


@dataclass(frozen=True, eq=False)
class Net:
    """A medial axis, the sites between which it lies, and its graph."""

    sites: Sites
    axis: Axis
    graph: CorridorGraph

    def narrowest_between(self, anchor: Anchor, vertex: int) -> float:
        """Return the least clearance on an anchor's arc between the anchor and one of the arc's ends."""
        graph, end = self.graph, self.axis.vertices[vertex]
        least = min(anchor.room, float(self.axis.clearance[vertex]))
        waist = graph.waist[anchor.arc]
        between = (waist - anchor.point) @ (end - anchor.point) > 0.0
        return min(least, float(graph.narrowest[anchor.arc])) if between else least

    def progress(self, arc: int, point: Float64) -> float:
        """How far along an arc a point of it lies, in a measure that only grows from tail to head."""
        graph, sites = self.graph, self.sites
        tail, head = self.axis.vertices[graph.tail[arc]], self.axis.vertices[graph.head[arc]]
        run = head - tail
        for own, other in ((graph.left[arc], graph.right[arc]), (graph.right[arc], graph.left[arc])):
            if own < sites.segments <= other:
                run = sites.along[own] * np.sign(sites.along[own] @ run)  # a parabola: along its directrix
        return float((point - tail) @ run)


def doors_of(anchor: Anchor, net: Net) -> tuple[Door, Door]:
    """Return the ways from an anchor along its corridor edge to the edge's two nodes."""
    graph = net.graph
    edge = int(graph.edge_of[anchor.arc])
    first, last = int(graph.first[edge]), int(graph.first[edge + 1])
    doors = []
    for node, vertex, rest in (
        (graph.edges[edge, 0], int(graph.tail[anchor.arc]), slice(first, anchor.arc)),
        (graph.edges[edge, 1], int(graph.head[anchor.arc]), slice(anchor.arc + 1, last)),
    ):
        length = float(np.hypot(*(net.axis.vertices[vertex] - anchor.point))) + float(graph.length[rest].sum())
        least = net.narrowest_between(anchor, vertex)
        doors.append((int(node), length, min(least, float(graph.narrowest[rest].min(initial=np.inf)))))
    return doors[0], doors[1]


def corridor_along(walk: Walk, begin: Anchor, end: Anchor, nodes: tuple[int, int], net: Net) -> Corridor:
    """Lay the arcs of a walk end to end.

    Args:
        walk: whole corridor edges between two nodes.
        begin, end: where the walk starts and ends.
        nodes: which node of its own edge the walk leaves `begin` by (0 or 1), and by which it comes to `end`.
        net: the map.

    Returns:
        The corridor.
    """
    graph = net.graph
    edge = int(graph.edge_of[begin.arc])
    pieces = [
        np.arange(begin.arc, graph.first[edge + 1]) if nodes[0] else np.arange(begin.arc, graph.first[edge] - 1, -1)
    ]
    forwards = [np.full(len(pieces[0]), bool(nodes[0]))]
    for number, forward in walk:
        arcs = np.arange(graph.first[number], graph.first[number + 1])
        pieces.append(arcs if forward else arcs[::-1])
        forwards.append(np.full(len(arcs), forward))
    edge = int(graph.edge_of[end.arc])
    pieces.append(
        np.arange(graph.first[edge + 1] - 1, end.arc - 1, -1) if nodes[1] else np.arange(graph.first[edge], end.arc + 1)
    )
    forwards.append(np.full(len(pieces[-1]), not nodes[1]))
    return _laid(np.concatenate(pieces), np.concatenate(forwards), begin, end, net)


def corridor_within(begin: Anchor, end: Anchor, net: Net) -> Corridor:
    """Lay the arcs between two anchors on the same corridor edge."""
    if begin.arc == end.arc:
        forward = net.progress(end.arc, end.point) >= net.progress(begin.arc, begin.point)
    else:
        forward = end.arc > begin.arc
    step = 1 if forward else -1
    arcs = np.arange(begin.arc, end.arc + step, step)
    return _laid(arcs, np.full(len(arcs), forward), begin, end, net)


def _laid(arcs: Int64, forward: NDArray[np.bool_], begin: Anchor, end: Anchor, net: Net) -> Corridor:
    graph, axis = net.graph, net.axis
    enter, leave = (
        axis.vertices[np.where(forward, graph.tail[arcs], graph.head[arcs])],
        axis.vertices[np.where(forward, graph.head[arcs], graph.tail[arcs])],
    )
    enter[0], leave[-1] = begin.point, end.point
    left = np.where(forward, graph.left[arcs], graph.right[arcs])
    right = np.where(forward, graph.right[arcs], graph.left[arcs])
    narrowest = float(graph.narrowest[arcs[1:-1]].min(initial=np.inf))
    if len(arcs) == 1:
        narrowest = _narrowest_within(begin, end, net)
    else:
        ahead = int((graph.head if forward[0] else graph.tail)[arcs[0]])
        behind = int((graph.tail if forward[-1] else graph.head)[arcs[-1]])
        narrowest = min(narrowest, net.narrowest_between(begin, ahead), net.narrowest_between(end, behind))
    return Corridor(enter, leave, left, right, narrowest)


def _narrowest_within(begin: Anchor, end: Anchor, net: Net) -> float:
    """The least clearance between two anchors on the same arc."""
    least = min(begin.room, end.room)
    waist = net.graph.waist[begin.arc]
    between = (begin.point - waist) @ (end.point - waist) < 0.0
    return min(least, float(net.graph.narrowest[begin.arc])) if between else least
