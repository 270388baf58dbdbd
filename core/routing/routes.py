# SPDX-License-Identifier: GPL-3.0-or-later
"""From a standing place to a standing place: doors into the graph, and the corridor that a walk through it makes.

spot_of(anchor, net) -> Spot                   the ways from it to the nodes of its edge
corridor_along(walk, begin, end, ...)          the arcs that are walked
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.elementary import dot
from .corridor import Corridor
from .net import Anchor, Net
from .search import Door, Spot, Walk

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


def spot_of(anchor: Anchor, net: Net) -> Spot:
    """Return an anchor's place with the ways along its corridor edge to the edge's two nodes."""
    graph, axis = net.graph, net.axis
    edge = int(graph.edge_of[anchor.arc])
    a, b = graph.ends[edge]
    before, after = _around(anchor.arc, graph.arcs[edge])
    to_tail = net.narrowest_between(anchor, int(axis.tail[anchor.arc]))
    to_head = net.narrowest_between(anchor, int(axis.head[anchor.arc]))
    return Spot(
        (float(anchor.place[0]), float(anchor.place[1])),
        (
            Door(a, min(to_tail, float(graph.narrowest[before].min(initial=np.inf)))),
            Door(b, min(to_head, float(graph.narrowest[after].min(initial=np.inf)))),
        ),
    )


def _around(arc: int, arcs: list[int]) -> tuple[list[int], list[int]]:
    """What comes before and after an arc in its edge."""
    place = arcs.index(arc)
    return arcs[:place], arcs[place + 1 :]


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
    before, after = _around(begin.arc, graph.arcs[int(graph.edge_of[begin.arc])])
    arcs = [begin.arc, *(after if doors[0] else before[::-1])]
    forwards = [bool(doors[0])] * len(arcs)
    for step in walk.steps:
        edge = graph.arcs[step >> 1]
        arcs += edge[::-1] if step & 1 else edge
        forwards += [not step & 1] * len(edge)
    before, after = _around(end.arc, graph.arcs[int(graph.edge_of[end.arc])])
    into = [*(after[::-1] if doors[1] else before), end.arc]
    arcs += into
    forwards += [not doors[1]] * len(into)
    return _laid(np.array(arcs), np.array(forwards), begin, end, net)


def corridor_within(begin: Anchor, end: Anchor, net: Net) -> Corridor:
    """Lay the arcs between two anchors on the same corridor edge."""
    edge = net.graph.arcs[int(net.graph.edge_of[begin.arc])]
    first, last = edge.index(begin.arc), edge.index(end.arc)
    if first == last:
        forward = net.progress(end.arc, end.point) >= net.progress(begin.arc, begin.point)
    else:
        forward = last > first
    arcs = np.array(edge[first : last + 1] if forward else edge[last : first + 1][::-1])
    return _laid(arcs, np.full(len(arcs), forward), begin, end, net)


def _laid(arcs: Int64, forward: NDArray[np.bool_], begin: Anchor, end: Anchor, net: Net) -> Corridor:
    graph, axis = net.graph, net.axis
    tail, head = axis.tail[arcs], axis.head[arcs]
    enter, leave = axis.vertices[np.where(forward, tail, head)], axis.vertices[np.where(forward, head, tail)]
    enter[0], leave[-1] = begin.point, end.point
    left = np.where(forward, axis.left[arcs], axis.right[arcs])
    right = np.where(forward, axis.right[arcs], axis.left[arcs])
    narrowest = float(graph.narrowest[arcs[1:-1]].min(initial=np.inf))
    if len(arcs) == 1:
        narrowest = _narrowest_within(begin, end, net)
    else:
        ahead = int(head[0] if forward[0] else tail[0])
        behind = int(tail[-1] if forward[-1] else head[-1])
        narrowest = min(narrowest, net.narrowest_between(begin, ahead), net.narrowest_between(end, behind))
    return Corridor(arcs, enter, leave, left, right, narrowest)


def _narrowest_within(begin: Anchor, end: Anchor, net: Net) -> float:
    """The least clearance between two anchors on the same arc."""
    least = min(begin.room, end.room)
    waist = net.graph.waist[begin.arc]
    between = dot(begin.point - waist, end.point - waist) < 0.0
    return min(least, float(net.graph.narrowest[begin.arc])) if between else least
