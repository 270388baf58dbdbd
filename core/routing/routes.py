# SPDX-License-Identifier: GPL-3.0-or-later
"""From a standing place to a standing place: doors into the graph, and the corridor that a walk through it makes.

Anchor                                         a place's hold on the medial axis
spot_of(anchor, net) -> Spot                   the ways from it to the nodes of its edge
corridor_along(walk, begin, end, ...)          the arcs that are walked
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .corridor import Corridor
from .corridor_graph import CorridorGraph
from .medial_axis import Axis, Sites
from .search import Door, Spot, Walk

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


def spot_of(anchor: Anchor, net: Net) -> Spot:
    """Return an anchor's place with the ways along its corridor edge to the edge's two nodes."""
    graph = net.graph
    edge = int(graph.edge_of[anchor.arc])
    first, last = int(graph.first[edge]), int(graph.first[edge + 1])
    a, b = graph.edges[edge].tolist()
    to_tail = net.narrowest_between(anchor, int(graph.tail[anchor.arc]))
    to_head = net.narrowest_between(anchor, int(graph.head[anchor.arc]))
    return Spot(
        (float(anchor.place[0]), float(anchor.place[1])),
        (
            Door(a, min(to_tail, float(graph.narrowest[first : anchor.arc].min(initial=np.inf)))),
            Door(b, min(to_head, float(graph.narrowest[anchor.arc + 1 : last].min(initial=np.inf)))),
        ),
    )


def corridor_along(walk: Walk, begin: Anchor, end: Anchor, doors: tuple[int, int], net: Net) -> Corridor:
    """Lay the arcs of a walk end to end.

    Args:
        walk: whole corridor edges between two nodes.
        begin: where the way starts.
        end: where it ends.
        doors: by which door of `begin` (0 or 1) the way leaves, and by which of `end` it arrives.
        net: the map.

    Returns:
        The corridor.
    """
    graph = net.graph
    edge = int(graph.edge_of[begin.arc])
    low, high = int(graph.first[edge]), int(graph.first[edge + 1])
    out = range(begin.arc, high) if doors[0] else range(begin.arc, low - 1, -1)
    arcs, forwards = list(out), [bool(doors[0])] * len(out)
    for step in walk.steps:
        low, high = int(graph.first[step >> 1]), int(graph.first[(step >> 1) + 1])
        arcs += range(high - 1, low - 1, -1) if step & 1 else range(low, high)
        forwards += [not step & 1] * (high - low)
    edge = int(graph.edge_of[end.arc])
    into = (
        range(int(graph.first[edge + 1]) - 1, end.arc - 1, -1)
        if doors[1]
        else range(int(graph.first[edge]), end.arc + 1)
    )
    arcs += into
    forwards += [not doors[1]] * len(into)
    return _laid(np.array(arcs), np.array(forwards), begin, end, net)


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
    return Corridor(arcs, enter, leave, left, right, narrowest)


def _narrowest_within(begin: Anchor, end: Anchor, net: Net) -> float:
    """The least clearance between two anchors on the same arc."""
    least = min(begin.room, end.room)
    waist = net.graph.waist[begin.arc]
    between = (begin.point - waist) @ (end.point - waist) < 0.0
    return min(least, float(net.graph.narrowest[begin.arc])) if between else least
