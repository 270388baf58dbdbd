# SPDX-License-Identifier: GPL-3.0-or-later
"""From anchor to anchor: the corridors of walks through the graph, many at once.

Course(begin, end, parts)                      from which anchor to which, and the arcs that are walked
course_along(begin, end, walk, doors, ...)     by whole corridor edges
course_within(begin, end, ...)                 on one corridor edge
corridors_of(courses, anchors, axis_graph) -> Corridors
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import dot
from ..graph.anchor_table import AnchorTable
from ..graph.anchors import AxisGraph
from ..graph.search import GraphWalk
from .portals import Corridors


class Course(NamedTuple):
    """A chain of arcs.

    Attributes:
        begin, end: rows of the anchors between which it leads.
        parts: int64 each, one after the other: 2 k to walk arc k from its tail to its head, 2 k + 1 for the reverse.
    """

    begin: int
    end: int
    parts: list[Int64]


def course_along(
    begin: int, end: int, walk: GraphWalk, needed: float, anchors: AnchorTable, axis_graph: AxisGraph
) -> Course:
    """Lay the arcs of a walk end to end.

    Args:
        begin: row of the start's anchor.
        end: row of the goal's anchor.
        walk: whole corridor edges between two nodes.
        needed: least clearance of the links to the walk's ends [m].
        anchors: starts and goals.
        axis_graph: the map.
    """
    out = _from(begin, anchors.entries[begin].link_to(walk.first, needed), anchors, axis_graph)
    back = _from(end, anchors.entries[end].link_to(walk.last, needed), anchors, axis_graph)
    return Course(begin, end, [out, *map(axis_graph.graph.halves, walk.steps), back[::-1] ^ 1])


def course_within(begin: int, end: int, anchors: AnchorTable, axis_graph: AxisGraph) -> Course:
    """Take the arcs between two anchors on the same corridor edge."""
    (edge, first), (_, last) = anchors.edges[begin], anchors.edges[end]
    forward = last > first
    if first == last:
        arc = int(anchors.arc[begin])
        forward = axis_graph.progress(arc, anchors.point[end]) >= axis_graph.progress(arc, anchors.point[begin])
    if forward:
        return Course(begin, end, [axis_graph.graph.halves(2 * edge)[first : last + 1]])
    return Course(begin, end, [axis_graph.graph.halves(2 * edge)[last : first + 1][::-1] ^ 1])


def corridors_of(courses: Sequence[Course], anchors: AnchorTable, axis_graph: AxisGraph) -> Corridors:
    """Return the corridors of some courses, at least one."""
    graph, axis = axis_graph.graph, axis_graph.axis
    halves = np.concatenate([part for course in courses for part in course.parts])
    first = np.cumsum([0, *(sum(map(len, course.parts)) for course in courses)])
    begin, end = (np.array([getattr(course, name) for course in courses]) for name in ("begin", "end"))
    arcs, forward = halves >> 1, halves & 1 == 0
    tail, head = axis.tail[arcs], axis.head[arcs]
    enter = axis.vertices.take(np.where(forward, tail, head), 0)
    leave = axis.vertices.take(np.where(forward, head, tail), 0)
    lowest, highest = first[:-1], first[1:] - 1
    enter[lowest], leave[highest] = anchors.point[begin], anchors.point[end]
    left = np.where(forward, axis.left[arcs], axis.right[arcs])
    right = np.where(forward, axis.right[arcs], axis.left[arcs])
    inner = graph.narrowest[arcs]
    inner[lowest] = inner[highest] = np.inf
    at_ends = np.minimum(
        anchors.to_ends[begin, forward[lowest].astype(np.int64)],
        anchors.to_ends[end, (~forward[highest]).astype(np.int64)],
    )
    at_ends = np.where(lowest == highest, _narrowest_within(begin, end, anchors, axis_graph), at_ends)
    narrowest = np.minimum(np.minimum.reduceat(inner, lowest), at_ends)
    return Corridors(first, halves, enter, leave, left, right, narrowest)


def _from(row: int, link: int, anchors: AnchorTable, axis_graph: AxisGraph) -> Int64:
    """The half-arcs from an anchor to one of its nodes."""
    edge, at = anchors.edges[row]
    halves = axis_graph.graph.halves(2 * edge + 1 - link)
    return halves[at:] if link else halves[len(halves) - 1 - at :]


def _narrowest_within(begin: Int64, end: Int64, anchors: AnchorTable, axis_graph: AxisGraph) -> Float64:
    """The least clearance between two anchors on the same arc, float64 (N,) [m]."""
    least = np.minimum(anchors.room[begin], anchors.room[end])
    arc = anchors.arc[begin]
    waist = axis_graph.graph.waist.take(arc, 0)
    between = dot(anchors.point[begin] - waist, anchors.point[end] - waist) < 0.0
    return np.where(between, np.minimum(least, axis_graph.graph.narrowest[arc]), least)
