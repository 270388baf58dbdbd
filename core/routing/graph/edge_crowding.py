# SPDX-License-Identifier: GPL-3.0-or-later
"""How much longer people take in corridors where many are.

    capacity_of(axis_graph) -> Capacity                     of all edges of a map
    crowding_of(edges, capacity) -> (E,)             factors for a search

Source: Weidmann 1993, "Transporttechnik der Fussgaenger": walking speed over density (the Kladek formula), free speed,
and how many get through a gap at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.reproducible_math import exp
from .anchors import AxisGraph

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

JAM = 5.4
"""Density at which nobody moves any more [1/m2] (Weidmann 1993)."""

STEEPNESS = 1.913
"""How fast speed falls with density [1/m2] (Weidmann 1993)."""

FREE_SPEED, FLOW = 1.34, 1.22
"""Speed of those whom nobody hinders [m/s], and people through a gap at most [1/(m s)] (Weidmann 1993)."""

LONGEST = 10.0
"""A jam makes a corridor at most so many times as long: people do get through in the end."""

LEAST_GROUND = 4.0
"""Smaller corridors count as this large, so that one person alone in a short one is no crowd [m2]."""


@dataclass(frozen=True, eq=False)
class Capacity:
    """How many people corridor edges hold, and let through.

    Attributes:
        ground: float64 (E,), free ground on both sides of each [m2].
        width: float64 (E,), of its narrowest place [m].
        length: float64 (E,) [m].
        leads_on: bool (E,), which are no dead ends in corners.
    """

    ground: Float64
    width: Float64
    length: Float64
    leads_on: NDArray[np.bool_]


def capacity_of(axis_graph: AxisGraph) -> Capacity:
    """Measure all corridor edges of a map."""
    axis, flat, sites, graph = axis_graph.axis, axis_graph.graph.flat, axis_graph.sites, axis_graph.graph
    tail, head = axis.vertices[axis.tail[flat.arcs]], axis.vertices[axis.head[flat.arcs]]
    left, right = axis.left[flat.arcs], axis.right[flat.arcs]
    # Between the feet of an arc's ends. What a parabola takes from the one side it gives to the other.
    corners = (
        tail,
        sites.feet(tail, right),
        sites.feet(head, right),
        head,
        sites.feet(head, left),
        sites.feet(tail, left),
    )
    doubled = np.zeros(len(tail))
    for k, (x, y) in enumerate((corner - tail).T for corner in corners):
        nx, ny = (corners[(k + 1) % len(corners)] - tail).T
        doubled += x * ny - nx * y
    first = flat.first[:-1]
    return Capacity(
        np.add.reduceat(0.5 * np.abs(doubled), first),
        2.0 * np.minimum.reduceat(graph.narrowest[flat.arcs], first),
        np.add.reduceat(graph.length[flat.arcs], first),
        flat.leads_on,
    )


def crowding_of(edges: Int64, capacity: Capacity) -> Float64:
    """Tell how many times as long each corridor edge counts, by how many people are in it.

    That is how much slower people walk at that density or, if that is more, how long it takes until all of them are
    through the narrowest place, against the time of one who walks there alone.

    Args:
        edges: int64 (N,), the edge in which each of some people is, -1 for none.
        capacity: of all edges of the map.

    Returns:
        float64 (E,), 1 where nobody is, at most `LONGEST`.
    """
    people = np.bincount(edges[edges >= 0], minlength=len(capacity.ground))
    density = people / np.maximum(capacity.ground, LEAST_GROUND)
    room = 1.0 / np.maximum(density, 1e-9) - 1.0 / JAM
    slowed = 1.0 / np.maximum(1.0 - exp(-STEEPNESS * np.maximum(room, 0.0)), 1.0 / LONGEST)
    length = np.maximum(capacity.length, np.sqrt(LEAST_GROUND))
    queued = people / (FLOW * np.maximum(capacity.width, 1e-9)) * FREE_SPEED / length
    queued[~capacity.leads_on] = 0.0  # nobody goes through a corner
    return np.clip(np.maximum(slowed, queued), 1.0, LONGEST)
