# SPDX-License-Identifier: GPL-3.0-or-later
"""From chains of arcs to portals across their corridors, many corridors at once.

Where the corridor bends round a corner, a body of radius r has to stay outside a circle. Here it stays outside a
regular polygon round that circle, so that the line has few points and never comes nearer than r.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.ragged import places_in
from ...geometry.reproducible_math import arctan2, cos_sin, heading_vector, length
from ..medial_axis.axis import Sites
from ..medial_axis.point_location import anchor_distance

POLYGON_SIDES = (16, 32, 64, 128, 256, 512)
"""Sides of the polygon round a corner: the fewest for which the corridor is wide enough."""

CLEARANCE_FACTOR = 1.0 / float(cos_sin(np.pi / POLYGON_SIDES[-1])[0])
"""Least ratio of a corridor's clearance to the body's radius: two parts in a hundred thousand above 1."""

_POLYGON_FITS = np.array([float(cos_sin(np.pi / sides)[0]) for sides in POLYGON_SIDES])
"""Largest radius for which polygons of these sides fit, per metre of clearance."""

_KINDS_PER_ARC = 8
"""Of so many more possible arcs than there are it is faster to sort those that there are."""


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


class _Arcs(NamedTuple):
    """Arcs to cut, A of them: see `Corridors`; with the sides of polygons on each, int64 (A,)."""

    begin: Float64
    end: Float64
    left: Int64
    right: Int64
    sides: Int64


class _Cut(NamedTuple):
    """Arcs cut into portals for bodies of any radius.

    Attributes:
        counts: int64 (A,), portals of each arc.
        middle: float64 (K, 2), on the medial axis [m from the grid's origin].
        foot, apart: float64 (2, K, 2), the nearest points on the left and on the right, and the vectors from there.
        distance: float64 (2, K), their lengths [m].
        cosine: float64 (2, K), ratio of the body's radius to the least distance from the foot.
    """

    counts: Int64
    middle: Float64
    foot: Float64
    apart: Float64
    distance: Float64
    cosine: Float64


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
    rows, which = different_arcs(corridors, sides)
    begin, end = corridors.begin.take(rows, 0), corridors.end.take(rows, 0)
    arcs = _Arcs(begin, end, corridors.left[rows], corridors.right[rows], sides[corridors.whose[rows]])
    cut = _cut(arcs, sites)
    at, place = places_in(cut.counts[which])
    chosen = (np.cumsum(cut.counts) - cut.counts)[which[at]] + place
    whose = corridors.whose[at]
    foot, apart, distance = cut.foot.take(chosen, 1), cut.apart.take(chosen, 1), cut.distance.take(chosen, 1)
    margin = radius[whose] / cut.cosine.take(chosen, 1)
    left, right = foot + np.minimum(margin / np.maximum(distance, 1e-300), 1.0)[..., None] * apart
    moved = np.abs(left[1:] - left[:-1]) + np.abs(right[1:] - right[:-1])
    new = np.ones(len(whose), dtype=bool)
    new[1:] = (moved[:, 0] > 1e-12) | (moved[:, 1] > 1e-12) | (whose[1:] != whose[:-1])
    kept = np.flatnonzero(new)
    first = np.searchsorted(whose[kept], np.arange(len(radius) + 1))
    middle, ends = cut.middle.take(chosen[kept], 0), (left.take(kept, 0), right.take(kept, 0))
    return Portals(first, middle, distance[0, kept], *ends, reach_of(radius, sides))


def different_arcs(corridors: Corridors, sides: Int64) -> tuple[Int64, Int64]:
    """Find arcs that several corridors share: only the ends of a corridor are its own.

    Args:
        corridors: of any number.
        sides: int64 (C,), of their polygons.

    Returns:
        Rows of arcs that differ, and which of these each arc is, int64 (A,).
    """
    numbers = np.arange(len(corridors.halves))
    kinds = corridors.halves * len(POLYGON_SIDES) + np.searchsorted(POLYGON_SIDES, sides)[corridors.whose]
    ends = np.concatenate((corridors.first[:-1], corridors.first[1:] - 1))
    most = int(kinds.max())
    if most > _KINDS_PER_ARC * len(kinds):
        kinds[ends] = most + 1 + ends
        _, rows, which = np.unique(kinds, return_index=True, return_inverse=True)
        return rows, which
    inner = np.ones(len(kinds), dtype=bool)
    inner[ends] = False
    row_of = np.zeros(most + 1, dtype=np.int64)
    row_of[kinds[inner]] = numbers[inner]
    chosen = np.where(inner, row_of[kinds], numbers)
    different = chosen == numbers
    return np.flatnonzero(different), (np.cumsum(different) - 1)[chosen]


def _cut(arcs: _Arcs, sites: Sites) -> _Cut:
    """Cut arcs at their ends and at the turns of the polygons beside them."""
    number, turns = np.arange(len(arcs.sides)), _polygon_turns(arcs, sites)
    arc = np.concatenate((number, number, turns[0]))
    progress = np.concatenate((np.full(len(number), -1.0), np.full(len(number), 2.0), turns[2]))
    order = np.lexsort((progress, arc))
    arc, middle = arc[order], np.concatenate((arcs.begin, arcs.end, turns[1])).take(order, 0)
    site = np.concatenate((arcs.left[arc], arcs.right[arc]))
    points = np.concatenate((middle, middle))
    foot = sites.feet(points, site)
    apart = points - foot
    cosine = np.ones(len(site))
    rounded = np.flatnonzero(site >= sites.segments)
    cosine[rounded] = _polygon_cosine(apart.take(rounded, 0), arcs.sides[arc[rounded % len(arc)]])
    sides = (each.reshape(2, len(arc), -1) for each in (foot, apart))
    numbers = (each.reshape(2, -1) for each in (length(apart), cosine))
    return _Cut(np.bincount(arc), middle, *sides, *numbers)


def _polygon_turns(arcs: _Arcs, sites: Sites) -> tuple[Int64, Float64, Float64]:
    """Where arcs round a corner on either side cross the spokes through that corner's polygon's own corners.

    Returns:
        The arc of each, those round corners on the left first, the place on it, and how far along the arc that is,
        from 0 to 1.
    """
    own, other = np.concatenate((arcs.left, arcs.right)), np.concatenate((arcs.right, arcs.left))
    rows = np.flatnonzero(own >= sites.segments)
    round_corner = rows % len(arcs.sides)
    corner = sites.start.take(own[rows], 0)
    before, after = arcs.begin.take(round_corner, 0) - corner, arcs.end.take(round_corner, 0) - corner
    step = 2.0 * np.pi / arcs.sides[round_corner]
    first = arctan2(before[:, 1], before[:, 0]) / step - 0.5
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    turned = arctan2(cross, (before * after).sum(axis=1)) / step
    lowest = np.ceil(np.minimum(first, first + turned))
    counts = np.maximum(np.floor(np.maximum(first, first + turned)) - lowest + 1, 0).astype(np.int64)
    whose, number = places_in(counts)
    number = lowest[whose] + number
    spoke = heading_vector((number + 0.5) * step[whose])
    arc = round_corner[whose]
    across = other[rows[whose]]
    distance = anchor_distance(sites, corner.take(whose, 0), spoke, across)
    good = np.isfinite(distance)
    place = corner.take(whose, 0) + np.where(good, distance, 0.0)[:, None] * spoke
    straight = across >= sites.segments  # two corners: both may have turns on this arc, which is straight
    begin = arcs.begin.take(arc, 0)
    run = arcs.end.take(arc, 0) - begin
    along = ((place - begin) * run).sum(axis=1) / np.maximum((run**2).sum(axis=1), 1e-300)
    share = (number - first[whose]) / np.where(turned[whose] == 0.0, 1.0, turned[whose])
    return arc[good], place[good], np.where(straight, along, share)[good]


def polygon_radius(direction: Float64, radius: Float64, sides: Int64) -> Float64:
    """Return the distance from the centre to the edge of a polygon round a circle.

    Args:
        direction: float64 (N, 2), from the centre, of any length.
        radius: float64 (N,), of the circles [m].
        sides: int64 (N,), of the polygons; one touches the circle on the positive x axis.

    Returns:
        float64 (N,), [m].
    """
    return radius / _polygon_cosine(direction, sides)


def _polygon_cosine(direction: Float64, sides: Int64) -> Float64:
    """The ratio of a circle's radius to the distance of the edge of its polygon, float64 (N,)."""
    step = 2.0 * np.pi / sides
    angle = arctan2(direction[:, 1], direction[:, 0])
    return cos_sin(angle - np.round(angle / step) * step)[0]
