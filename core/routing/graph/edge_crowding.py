# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel times in crowded corridors.

Source: Weidmann 1993, "Transporttechnik der Fussgaenger": walking speed over density (the Kladek formula), free speed,
and the capacity of a gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import exp
from .anchors import AxisGraph


@dataclass(frozen=True)
class CrowdingSettings:
    """How a crowd slows people down in a corridor.

    Attributes:
        jam_density: at which speed is zero [1/m2] (Weidmann 1993).
        steepness: of the fall of speed with density [1/m2] (Weidmann 1993).
        free_speed: of a person alone [m/s] (Weidmann 1993).
        capacity: people through a gap at most [1/(m s)] (Weidmann 1993).
        max_factor: largest factor on a corridor's length; chosen: people still get through in the end.
        least_ground: smaller corridors count as this area [m2]; chosen: one person in a short corridor is no crowd.
    """

    jam_density: float = 5.4
    steepness: float = 1.913
    free_speed: float = 1.34
    capacity: float = 1.22
    max_factor: float = 10.0
    least_ground: float = 4.0


CROWDING = CrowdingSettings()


@dataclass(frozen=True, eq=False)
class Capacity:
    """Area, width and length of corridor edges.

    Attributes:
        ground: float64 (E,), free ground on both sides of each [m2].
        width: float64 (E,), of its narrowest place [m].
        length: float64 (E,) [m].
        leads_on: bool (E,), which are no dead ends in corners.
    """

    ground: Float64
    width: Float64
    length: Float64
    leads_on: Bool


def capacity_of(axis_graph: AxisGraph) -> Capacity:
    """Measure all corridor edges of a map."""
    axis, flat, sites, graph = axis_graph.axis, axis_graph.graph.flat, axis_graph.sites, axis_graph.graph
    tail, head = axis.vertices[axis.tail[flat.arcs]], axis.vertices[axis.head[flat.arcs]]
    left, right = axis.left[flat.arcs], axis.right[flat.arcs]
    # Between the feet of an arc's ends. A parabola moves area from one side to the other.
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


def crowding_of(edges: Int64, capacity: Capacity, settings: CrowdingSettings = CROWDING) -> Float64:
    """Return the factor on each corridor edge's length, by the people in it.

    It is the larger of two ratios: free speed to speed at that density, and the time until all of them have passed the
    narrowest place to the time of one person alone.

    Args:
        edges: int64 (N,), the edge in which each of some people is, -1 for none.
        capacity: of all edges of the map.
        settings: how a crowd slows people down.

    Returns:
        float64 (E,), 1 where nobody is, at most `max_factor`.
    """
    people = np.bincount(edges[edges >= 0], minlength=len(capacity.ground))
    density = people / np.maximum(capacity.ground, settings.least_ground)
    room = 1.0 / np.maximum(density, 1e-9) - 1.0 / settings.jam_density
    slowed = 1.0 / np.maximum(1.0 - exp(-settings.steepness * np.maximum(room, 0.0)), 1.0 / settings.max_factor)
    length = np.maximum(capacity.length, np.sqrt(settings.least_ground))
    queued = people / (settings.capacity * np.maximum(capacity.width, 1e-9)) * settings.free_speed / length
    queued[~capacity.leads_on] = 0.0  # corners are dead ends
    return np.clip(np.maximum(slowed, queued), 1.0, settings.max_factor)
