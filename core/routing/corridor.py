# SPDX-License-Identifier: GPL-3.0-or-later
"""From a chain of arcs to a way: portals across the corridor, and the shortest line through them for a round body.

    Corridor(...)                                                   arcs in the order in which they are walked
    portals_of(corridor, axis, sites, radius=...) -> Portals
    shortest_line(start, goal, portals) -> (P, 2)

Where the corridor bends round a corner, a body of radius r has to stay outside a circle. Here it stays outside a
regular polygon round that circle, so that the line has few points and never comes nearer than r.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..geometry.elementary import arctan2, cos_sin, heading_vector
from .location import anchor_distance
from .medial_axis import Sites

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

SIDES = (16, 32, 64, 128, 256, 512)
"""Sides of the polygon round a corner: the fewest for which the corridor is wide enough."""

EXCESS = 1.0 / float(cos_sin(np.pi / SIDES[-1])[0])
"""How much wider than the body a corridor has to be, at least: two parts in a hundred thousand."""


FINENESS = 2.0**-22
"""Corners of a line are told to so much, and what bends it by less is none [m]. A corridor is cut into portals at what
stands beside it, wherever that is: the same line nearly always has the same points, bit for bit, however it was cut.
What lies midway between two of these steps, or bends a line by just so much, may be told either way. Such lines count
as different ones: nothing hangs on it but how much of an earlier simulation can be taken over."""


@dataclass(frozen=True, eq=False)
class Corridor:
    """Arcs as they are walked.

    Attributes:
        arcs: int64 (A,), of the graph.
        begin, end: float64 (A, 2), where each arc is entered and left [m from the grid's origin].
        left, right: int64 (A,), sites on either side.
        narrowest: least clearance on the way [m].
    """

    arcs: Int64
    begin: Float64
    end: Float64
    left: Int64
    right: Int64
    narrowest: float


@dataclass(frozen=True, eq=False)
class Portals:
    """Chords across a corridor, from the left surface to the right one, both moved inwards by the radius.

    Attributes:
        middle: float64 (K, 2), on the medial axis [m from the grid's origin].
        clearance: float64 (K,), there [m].
        left, right: float64 (K, 2), the chord's ends.
        reach: how far at most the ends lie from the surfaces [m].
    """

    middle: Float64
    clearance: Float64
    left: Float64
    right: Float64
    reach: float

    def part(self, first: int, last: int) -> Portals:
        """Return the portals from `first` up to, not with, `last`."""
        cut = slice(first, last)
        return Portals(self.middle[cut], self.clearance[cut], self.left[cut], self.right[cut], self.reach)


def sides_for(narrowest: float, radius: float) -> int:
    """Return how many sides the polygons round corners need, so that they fit into the narrowest place."""
    return next((sides for sides in SIDES if radius <= narrowest * cos_sin(np.pi / sides)[0]), SIDES[-1])


def portals_of(corridor: Corridor, sites: Sites, *, radius: float) -> Portals:
    """Cut a corridor into portals: at its event points and wherever a polygon round a corner has one of its own.

    Args:
        corridor: arcs, wide enough for the body.
        sites: between which they lie.
        radius: of the body [m].

    Returns:
        The portals in the order in which they are passed.
    """
    sides = sides_for(corridor.narrowest, radius)
    arcs = np.arange(len(corridor.left))
    turns = [_turns_round(corridor, sites, sides, on_left) for on_left in (True, False)]
    arc = np.concatenate((arcs, arcs, turns[0][0], turns[1][0]))
    middle = np.concatenate((corridor.begin, corridor.end, turns[0][1], turns[1][1]))
    progress = np.concatenate((np.full(len(arcs), -1.0), np.full(len(arcs), 2.0), turns[0][2], turns[1][2]))
    order = np.lexsort((progress, arc))
    arc, middle = arc[order], middle[order]
    left, clearance = _moved_in(middle, corridor.left[arc], sites, radius, sides)
    right, _ = _moved_in(middle, corridor.right[arc], sites, radius, sides)
    new = np.ones(len(arc), dtype=bool)
    new[1:] = np.any(np.abs(left[1:] - left[:-1]) + np.abs(right[1:] - right[:-1]) > 1e-12, axis=1)
    return Portals(middle[new], clearance[new], left[new], right[new], radius / float(cos_sin(np.pi / sides)[0]))


def _turns_round(corridor: Corridor, sites: Sites, sides: int, on_left: bool) -> tuple[Int64, Float64, Float64]:
    """Where arcs round a corner on one side cross the spokes through that corner's polygon's own corners.

    Returns:
        The arc of each, the place on it, and how far along the arc that is, from 0 to 1.
    """
    own, other = (corridor.left, corridor.right) if on_left else (corridor.right, corridor.left)
    arcs = np.flatnonzero(own >= sites.segments)
    corner = sites.start[own[arcs]]
    before, after = corridor.begin[arcs] - corner, corridor.end[arcs] - corner
    step = 2.0 * np.pi / sides
    first = arctan2(before[:, 1], before[:, 0]) / step - 0.5
    turned = _angle_between(before, after) / step
    lowest = np.ceil(np.minimum(first, first + turned))
    counts = np.maximum(np.floor(np.maximum(first, first + turned)) - lowest + 1, 0).astype(np.int64)
    whose = np.repeat(np.arange(len(arcs)), counts)
    number = lowest[whose] + np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)
    angle = (number + 0.5) * step
    spoke = heading_vector(angle)
    across = other[arcs[whose]]
    distance = anchor_distance(sites, corner[whose], spoke, across)
    place = corner[whose] + distance[:, None] * spoke
    straight = across >= sites.segments  # two corners: both may have turns on this arc, which is straight
    run = corridor.end[arcs[whose]] - corridor.begin[arcs[whose]]
    along = ((place - corridor.begin[arcs[whose]]) * run).sum(axis=1) / np.maximum((run**2).sum(axis=1), 1e-300)
    share = (number - first[whose]) / np.where(turned[whose] == 0.0, 1.0, turned[whose])
    good = np.isfinite(distance)
    return arcs[whose][good], place[good], np.where(straight, along, share)[good]


def _angle_between(before: Float64, after: Float64) -> Float64:
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return arctan2(cross, (before * after).sum(axis=1))


def _moved_in(points: Float64, site: Int64, sites: Sites, radius: float, sides: int) -> tuple[Float64, Float64]:
    """The surface point of a site for each point, moved towards it by the radius; and the point's distance."""
    foot = sites.feet(points, site)
    apart = points - foot
    distance = np.hypot(apart[:, 0], apart[:, 1])
    margin = np.where(site >= sites.segments, polygon_radius(apart, radius, sides), radius)
    share = np.minimum(margin / np.maximum(distance, 1e-300), 1.0)
    return foot + share[:, None] * apart, distance


def polygon_radius(direction: Float64, radius: float, sides: int) -> Float64:
    """Return how far the surface of a polygon round a circle is from its middle.

    Args:
        direction: float64 (N, 2), as seen from the middle, of any length.
        radius: of the circle [m].
        sides: of the polygon; one touches the circle on the positive x axis.

    Returns:
        float64 (N,), [m].
    """
    step = 2.0 * np.pi / sides
    angle = arctan2(direction[:, 1], direction[:, 0])
    return radius / cos_sin(angle - np.round(angle / step) * step)[0]


def shortest_line(start: Float64, goal: Float64, portals: Portals) -> Float64:
    """Pull a line tight through portals.

    Args:
        start: float64 (2,), where the line begins [m from the grid's origin].
        goal: float64 (2,), where it ends.
        portals: in the order in which they are passed; those that start and goal see past are dropped.

    Returns:
        float64 (P, 2), the line's points.

    Source: the funnel algorithm (Chazelle 1982; Lee and Preparata 1984), in Mononen's form.
    """
    portals = _between(start, goal, portals)
    left = [*portals.left.tolist(), goal.tolist()]
    right = [*portals.right.tolist(), goal.tolist()]
    corners = _without_straight_ones([start.tolist(), *_funnel(start.tolist(), left, right), goal.tolist()])
    inner = np.round(np.array(corners[1:-1]).reshape(-1, 2) / FINENESS) * FINENESS
    points = [corners[0], *inner.tolist(), corners[-1]]
    kept = [points[0]]
    kept += [point for point, last in zip(points[1:], points[:-1], strict=True) if point != last]
    return np.array(kept if len(kept) > 1 else [points[0], points[-1]])


def _without_straight_ones(points: list[list[float]]) -> list[list[float]]:
    """A line without the points at which it does not turn, by more than their places are known."""
    kept = [points[0]]
    for (x, y), (next_x, next_y) in pairwise(points[1:]):
        last_x, last_y = kept[-1]
        run_x, run_y = next_x - last_x, next_y - last_y
        aside = run_x * (y - last_y) - run_y * (x - last_x)
        back = run_x * (x - last_x) + run_y * (y - last_y) < 0.0 or run_x * (next_x - x) + run_y * (next_y - y) < 0.0
        if back or aside * aside > FINENESS * FINENESS * (run_x * run_x + run_y * run_y):
            kept.append([x, y])
    return [*kept, points[-1]]


def _between(start: Float64, goal: Float64, portals: Portals) -> Portals:
    """Drop the portals that the start has passed already, and those behind the goal.

    A place within the free disc round a portal's middle walks there in a straight line, so nothing before that portal
    matters; the portal itself is passed when the place lies on its farther side.
    """
    room = portals.clearance - portals.reach
    sees_start = np.hypot(*(portals.middle - start).T) <= room
    sees_goal = np.flatnonzero(np.hypot(*(portals.middle - goal).T) <= room)
    bound = int(sees_goal[0]) + 1 if len(sees_goal) else len(room)
    seen = np.flatnonzero(sees_start[:bound])
    first, last = 0, len(room)
    if len(seen):
        first = int(seen[-1])
    behind = sees_goal[sees_goal >= first]
    if len(behind):
        last = int(behind[0]) + 1
        last -= _side(goal, portals, last - 1) < 0.0
    if len(seen) and first < len(room):
        first += _side(start, portals, first) > 0.0
    return portals.part(first, max(first, last))


def _side(point: Float64, portals: Portals, number: int) -> float:
    """Positive where a point lies beyond a portal, negative before it."""
    across, apart = portals.right[number] - portals.left[number], point - portals.left[number]
    return float(across[0] * apart[1] - across[1] * apart[0])


def _funnel(apex: list[float], left: list[list[float]], right: list[list[float]]) -> list[list[float]]:
    """The corners of the shortest line from the apex through all portals, the last one being the goal."""
    corners: list[list[float]] = []
    ax, ay = apex
    lx, ly = rx, ry = ax, ay
    left_at = right_at = -1
    k, count = 0, len(left)
    while k < count:
        x, y = right[k]
        if (rx - ax) * (y - ay) - (ry - ay) * (x - ax) >= 0.0:  # the right side does not open
            if (rx == ax and ry == ay) or (lx - ax) * (y - ay) - (ly - ay) * (x - ax) < 0.0:
                rx, ry, right_at = x, y, k
            else:  # it has crossed the left side: a corner there
                corners.append([lx, ly])
                ax, ay, k = lx, ly, left_at + 1
                lx, ly = rx, ry = ax, ay
                right_at = left_at
                continue
        x, y = left[k]
        if (lx - ax) * (y - ay) - (ly - ay) * (x - ax) <= 0.0:
            if (lx == ax and ly == ay) or (rx - ax) * (y - ay) - (ry - ay) * (x - ax) > 0.0:
                lx, ly, left_at = x, y, k
            else:
                corners.append([rx, ry])
                ax, ay, k = rx, ry, right_at + 1
                lx, ly = rx, ry = ax, ay
                left_at = right_at
                continue
        k += 1
    return corners
