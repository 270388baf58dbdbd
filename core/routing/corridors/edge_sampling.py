# SPDX-License-Identifier: GPL-3.0-or-later
"""Corridor edges as sampled lines for display, and gaps that are too narrow.

events_along(axis_graph, edge) -> Events            the event points of an edge
sampled_edges(axis_graph, step) -> Sampled          the medial axis as polylines, with the clearance at each point
refused_gaps(axis_graph, radius) -> Gaps            where a body does not get through
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import length
from ..graph.anchors import AxisGraph


@dataclass(frozen=True, eq=False)
class Events:
    """The event points along a corridor edge: where the nearest obstacle on a side changes.

    Attributes:
        point: float64 (K, 2), on the medial axis, the edge's two nodes first and last [m].
        left, right: float64 (K, 2), the nearest obstacle points on either side, seen from first to last [m].
        clearance: float64 (K,), distance to both [m].
    """

    point: Float64
    left: Float64
    right: Float64
    clearance: Float64


@dataclass(frozen=True, eq=False)
class Sampled:
    """Corridor edges as polylines laid end to end: edge k is `points[first[k]:first[k + 1]]`.

    Attributes:
        points: float64 (P, 2), on the medial axis [m].
        clearance: float64 (P,), distance to the nearest obstacle [m].
        first: int64 (E + 1,).
    """

    points: Float64
    clearance: Float64
    first: Int64


@dataclass(frozen=True, eq=False)
class Gaps:
    """Gaps between obstacles.

    Attributes:
        edge: int64 (G,), the corridor edge, a row of the map's `edges`.
        place: float64 (G, 2), the middle of each gap [m].
        left, right: float64 (G, 2), the two obstacle points that it lies between [m].
        width: float64 (G,), [m].
    """

    edge: Int64
    place: Float64
    left: Float64
    right: Float64
    width: Float64


def events_along(axis_graph: AxisGraph, edge: int) -> Events:
    """Return the event points along a corridor edge [m from the grid's origin].

    Args:
        axis_graph: the map.
        edge: row of its flat edges.
    """
    sites, axis, flat = axis_graph.sites, axis_graph.axis, axis_graph.graph.flat
    arcs = flat.arcs[flat.first[edge] : flat.first[edge + 1]]
    vertex = np.append(axis.tail[arcs], axis.head[arcs[-1]])
    beside = np.append(arcs, arcs[-1])
    point = axis.vertices[vertex]
    left, right = sites.feet(point, axis.left[beside]), sites.feet(point, axis.right[beside])
    return Events(point, left, right, axis.clearance[vertex])


def sampled_edges(axis_graph: AxisGraph, step: float) -> Sampled:
    """Sample corridor edges; samples lie exactly on the axis.

    Args:
        axis_graph: the map.
        step: about how far apart samples are along an edge [m], positive; on bends up to twice as far.

    Returns:
        The samples [m from the grid's origin]; the event points are among them.
    """
    axis, flat, sites = axis_graph.axis, axis_graph.graph.flat, axis_graph.sites
    pieces = np.maximum(1, np.ceil(axis_graph.graph.length[flat.arcs] / step)).astype(np.int64)
    is_last = np.zeros(len(pieces), dtype=bool)
    is_last[flat.first[1:] - 1] = True
    counts = pieces + is_last  # an arc's last point is the first of the next one
    first = np.concatenate(([0], np.cumsum(counts)))
    place = np.repeat(np.arange(len(pieces)), counts)
    share = (np.arange(len(place)) - first[place]) / pieces[place]
    arc = flat.arcs[place]
    tail, head = axis.vertices[axis.tail[arc]], axis.vertices[axis.head[arc]]
    points = tail + share[:, None] * (head - tail)
    left, right = axis.left[arc], axis.right[arc]
    curved = np.flatnonzero((left >= sites.segments) != (right >= sites.segments))
    on_left = left[curved] >= sites.segments
    corner = sites.start[np.where(on_left, left[curved], right[curved])]
    line = np.where(on_left, right[curved], left[curved])
    points[curved] = _on_parabola(points[curved], corner, sites.start[line], sites.along[line])
    clearance = length(sites.feet(points, left) - points)
    return Sampled(points, clearance, first[flat.first])


def _on_parabola(points: Float64, focus: Float64, start: Float64, along: Float64) -> Float64:
    """Points moved square to the directrix on to the parabola between it and its focus."""
    normal = np.stack((-along[:, 1], along[:, 0]), axis=1)
    focal = ((focus - start) * normal).sum(axis=1)
    reach = ((points - focus) * along).sum(axis=1)
    height = 0.5 * (reach * reach / focal + focal)
    foot = start + ((points - start) * along).sum(axis=1)[:, None] * along
    return foot + height[:, None] * normal


def refused_gaps(axis_graph: AxisGraph, radius: float) -> Gaps:
    """Find the corridor edges that are too narrow for a body, except dead ends in corners.

    Args:
        axis_graph: the map.
        radius: of the body [m].

    Returns:
        The narrowest place of each [m from the grid's origin].
    """
    axis, flat, graph = axis_graph.axis, axis_graph.graph.flat, axis_graph.graph
    arc = narrowest_arcs(axis_graph)
    edge = np.flatnonzero(flat.leads_on & (graph.narrowest[arc] < radius))
    arc = arc[edge]
    place = graph.waist[arc]
    left, right = axis_graph.sites.feet(place, axis.left[arc]), axis_graph.sites.feet(place, axis.right[arc])
    return Gaps(edge, place, left, right, 2.0 * graph.narrowest[arc])


def narrowest_arcs(axis_graph: AxisGraph) -> Int64:
    """Return the arc of each corridor edge where it is narrowest, int64 (E,)."""
    flat = axis_graph.graph.flat
    edge = np.repeat(np.arange(len(flat.numbers)), np.diff(flat.first))
    order = np.lexsort((axis_graph.graph.narrowest[flat.arcs], edge))
    return flat.arcs[order[flat.first[:-1]]]
