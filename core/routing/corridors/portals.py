# SPDX-License-Identifier: GPL-3.0-or-later
"""From chains of arcs to portals across their corridors, many corridors at once.

Where the corridor bends round a corner, a body of radius r has to stay outside a circle. Here it stays outside a
regular polygon round that circle, so that the line has few points and never comes nearer than r.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import arctan2, cos_sin, heading_vector, length
from ..medial_axis.axis import Sites
from ..medial_axis.point_location import anchor_distance

POLYGON_SIDES = (16, 32, 64, 128, 256, 512)
"""Sides of the polygon round a corner: the fewest for which the corridor is wide enough."""

CLEARANCE_FACTOR = 1.0 / float(cos_sin(np.pi / POLYGON_SIDES[-1])[0])
"""Least ratio of a corridor's clearance to the body's radius: two parts in a hundred thousand above 1."""

_POLYGON_FITS = np.array([float(cos_sin(np.pi / sides)[0]) for sides in POLYGON_SIDES])
"""Largest radius for which polygons of these sides fit, per metre of clearance."""


@dataclass(frozen=True, eq=False)
class Corridors:
    """Arcs in walking order, of C corridors laid end to end.

    Attributes:
        first: int64 (C + 1,), the arcs of corridor k are those from `first[k]` up to, not with, `first[k + 1]`.
        halves: int64 (A,), 2 k where arc k of the graph is walked from its tail to its head, 2 k + 1 for the reverse.
        begin, end: float64 (A, 2), where each arc is entered and left [m from the grid's origin].
        left, right: int64 (A,), sites on either side.
        narrowest: float64 (C,), least clearance [m].
    """

    first: Int64
    halves: Int64
    begin: Float64
    end: Float64
    left: Int64
    right: Int64
    narrowest: Float64

    @property
    def arcs(self) -> Int64:
        """Int64 (A,), of the graph."""
        return self.halves >> 1

    @property
    def whose(self) -> Int64:
        """Int64 (A,), the corridor of each arc."""
        return np.repeat(np.arange(len(self.narrowest)), np.diff(self.first))

    def some(self, rows: Int64) -> Corridors:
        """Return the corridors in some rows, int64 (K,)."""
        counts = np.diff(self.first)[rows]
        first = np.concatenate(([0], np.cumsum(counts)))
        chosen = np.arange(first[-1]) + np.repeat(self.first[:-1][rows] - first[:-1], counts)
        return Corridors(
            first,
            self.halves.take(chosen),
            self.begin.take(chosen, 0),
            self.end.take(chosen, 0),
            self.left.take(chosen),
            self.right.take(chosen),
            self.narrowest[rows],
        )


@dataclass(frozen=True, eq=False)
class Portals:
    """Chords across C corridors, from the left surface to the right one, both moved inwards by the radius.

    Attributes:
        first: int64 (C + 1,), the portals of corridor k are those from `first[k]` up to, not with, `first[k + 1]`.
        middle: float64 (K, 2), on the medial axis [m from the grid's origin].
        clearance: float64 (K,), there [m].
        left, right: float64 (K, 2), the chord's ends.
        reach: float64 (C,), largest distance of the ends from the surfaces [m].
    """

    first: Int64
    middle: Float64
    clearance: Float64
    left: Float64
    right: Float64
    reach: Float64


def sides_for(narrowest: Float64, radius: Float64) -> Int64:
    """Return the number of sides with which polygons round corners fit into the narrowest place.

    Args:
        narrowest: float64 (C,), of corridors [m].
        radius: float64 (C,), of the bodies [m].

    Returns:
        int64 (C,).
    """
    fits = radius[:, None] <= narrowest[:, None] * _POLYGON_FITS
    fits[:, -1] = True
    return np.array(POLYGON_SIDES)[np.argmax(fits, axis=1)]


def reach_of(radius: Float64, sides: Int64) -> Float64:
    """Return how far from the centre the corners of polygons are, of so many sides, round circles: float64 (C,) [m]."""
    return radius / _POLYGON_FITS[np.searchsorted(POLYGON_SIDES, sides)]


def portals_of(corridors: Corridors, sites: Sites, radius: Float64, sides: Int64) -> Portals:
    """Cut corridors into portals: at event points and wherever a polygon round a corner has a corner of its own.

    Args:
        corridors: wide enough for the bodies.
        sites: between which they lie.
        radius: float64 (C,), of the bodies [m].
        sides: int64 (C,), of the polygons round corners; see `sides_for`.

    Returns:
        The portals in the order in which they are passed.
    """
    whose = corridors.whose
    arcs = np.arange(len(whose))
    turns = _polygon_turns(corridors, sites, sides[whose])
    arc = np.concatenate((arcs, arcs, turns[0]))
    middle = np.concatenate((corridors.begin, corridors.end, turns[1]))
    progress = np.concatenate((np.full(len(arcs), -1.0), np.full(len(arcs), 2.0), turns[2]))
    order = np.lexsort((progress, arc))
    arc, middle = arc[order], middle.take(order, 0)
    whose = whose[arc]
    beside = np.concatenate((corridors.left[arc], corridors.right[arc]))
    bodies = np.tile(whose, 2)
    ends, distance = _inset(np.tile(middle, (2, 1)), beside, sites, radius[bodies], sides[bodies])
    left, right, clearance = ends[: len(arc)], ends[len(arc) :], distance[: len(arc)]
    apart = np.abs(left[1:] - left[:-1]) + np.abs(right[1:] - right[:-1])
    new = np.ones(len(arc), dtype=bool)
    new[1:] = (apart[:, 0] > 1e-12) | (apart[:, 1] > 1e-12) | (whose[1:] != whose[:-1])
    kept = np.flatnonzero(new)
    first = np.searchsorted(whose[kept], np.arange(len(radius) + 1))
    ends = left.take(kept, 0), right.take(kept, 0)
    return Portals(first, middle.take(kept, 0), clearance[kept], *ends, reach_of(radius, sides))


def _polygon_turns(corridors: Corridors, sites: Sites, sides: Int64) -> tuple[Int64, Float64, Float64]:
    """Where arcs round a corner on either side cross the spokes through that corner's polygon's own corners.

    Args:
        corridors: whose arcs they are.
        sites: between which they lie.
        sides: int64 (A,), of the polygons on each arc.

    Returns:
        The arc of each, those round corners on the left first, the place on it, and how far along the arc that is,
        from 0 to 1.
    """
    own, other = np.concatenate((corridors.left, corridors.right)), np.concatenate((corridors.right, corridors.left))
    rows = np.flatnonzero(own >= sites.segments)
    arcs = rows % len(sides)
    corner = sites.start.take(own[rows], 0)
    before, after = corridors.begin.take(arcs, 0) - corner, corridors.end.take(arcs, 0) - corner
    step = 2.0 * np.pi / sides[arcs]
    first = arctan2(before[:, 1], before[:, 0]) / step - 0.5
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    turned = arctan2(cross, (before * after).sum(axis=1)) / step
    lowest = np.ceil(np.minimum(first, first + turned))
    counts = np.maximum(np.floor(np.maximum(first, first + turned)) - lowest + 1, 0).astype(np.int64)
    whose = np.repeat(np.arange(len(arcs)), counts)
    number = lowest[whose] + np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)
    spoke = heading_vector((number + 0.5) * step[whose])
    arc = arcs[whose]
    across = other[rows[whose]]
    distance = anchor_distance(sites, corner.take(whose, 0), spoke, across)
    good = np.isfinite(distance)
    place = corner.take(whose, 0) + np.where(good, distance, 0.0)[:, None] * spoke
    straight = across >= sites.segments  # two corners: both may have turns on this arc, which is straight
    begin = corridors.begin.take(arc, 0)
    run = corridors.end.take(arc, 0) - begin
    along = ((place - begin) * run).sum(axis=1) / np.maximum((run**2).sum(axis=1), 1e-300)
    share = (number - first[whose]) / np.where(turned[whose] == 0.0, 1.0, turned[whose])
    return arc[good], place[good], np.where(straight, along, share)[good]


def _inset(points: Float64, site: Int64, sites: Sites, radius: Float64, sides: Int64) -> tuple[Float64, Float64]:
    """The nearest surface point of a site, moved towards each point by the radius; and the point's distance."""
    foot = sites.feet(points, site)
    apart = points - foot
    distance = length(apart)
    margin = radius.copy()
    round_corner = np.flatnonzero(site >= sites.segments)
    margin[round_corner] = polygon_radius(apart.take(round_corner, 0), radius[round_corner], sides[round_corner])
    share = np.minimum(margin / np.maximum(distance, 1e-300), 1.0)
    return foot + share[:, None] * apart, distance


def polygon_radius(direction: Float64, radius: Float64, sides: Int64) -> Float64:
    """Return the distance from the centre to the edge of a polygon round a circle.

    Args:
        direction: float64 (N, 2), from the centre, of any length.
        radius: float64 (N,), of the circles [m].
        sides: int64 (N,), of the polygons; one touches the circle on the positive x axis.

    Returns:
        float64 (N,), [m].
    """
    step = 2.0 * np.pi / sides
    angle = arctan2(direction[:, 1], direction[:, 0])
    return radius / cos_sin(angle - np.round(angle / step) * step)[0]
