# SPDX-License-Identifier: GPL-3.0-or-later
"""How far searches have come, to tell without another search whether edges that are new would have changed anything.

    fringe_of(trails, net) -> (K, 9)
    Exits(node, start, run, clearance)
    goes_into(fringe, exits) -> bool (K,)

A search goes along edges in the order of what they promise: how long the way to their gate is, and from there to the
goal. It ends at the goal. So an edge that promises more than all that it went along after it came by does not matter
to it: with another one in its place, or none, it does just the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .net import Net

if TYPE_CHECKING:
    from .search import Trail

Float64 = NDArray[np.float64]

EAGER = 1.1
"""How much more what is left counts than what is behind: fewer places are looked at, for ways hardly longer."""

_NEAR = 1e-6  # what is nearer lies at the same place, and what promises so much more is no better [m]
_COLUMNS = 9


class Exits(NamedTuple):
    """How searches come from nodes into edges, through the gates across their narrowest places.

    Attributes:
        node: float64 (E, 2) [m from the grid's origin].
        start: float64 (E, 2), where each gate begins [m from the grid's origin].
        run: float64 (E, 2), from there to its other end [m].
        clearance: float64 (E,), the least along the edge [m].
    """

    node: Float64
    start: Float64
    run: Float64
    clearance: Float64


def fringe_of(trails: Iterable[Trail], net: Net) -> Float64:
    """Return how some searches have come to nodes.

    Args:
        trails: of searches.
        net: the map in which that was.

    Returns:
        float64 (K, 9): the node's place, how long the way there was, from where the search went on, the goal, the
        clearance that it needed, and what it went along later promised at most [m, from the grid's origin].
    """
    rows = [row for trail in trails for row in _entries(trail)]
    fringe = np.empty((len(rows), _COLUMNS))
    table = np.array(rows, dtype=np.float64).reshape(-1, _COLUMNS - 1)
    fringe[:, 2:] = table[:, 1:]
    fringe[:, :2] = net.axis.vertices[table[:, 0].astype(np.int64)]
    return fringe


def _entries(trail: Trail) -> Iterator[tuple[float, ...]]:
    """Rows of a fringe, but for the number of the node in the place of where it lies."""
    goal = gx, gy = trail.goal
    promised = [length + EAGER * hypot(x - gx, y - gy) for length, (x, y), _ in trail.ways]
    limits = list(accumulate(reversed(promised), max, initial=trail.longest))[::-1]  # of what it went along after each
    for node in trail.leaves:
        yield (node, 0.0, *trail.place, *goal, trail.needed, limits[0])
    for node, (length, place, _), limit in zip(trail.nodes, trail.ways, limits[1:], strict=True):
        yield (node, length, *place, *goal, trail.needed, limit)


def goes_into(fringe: Float64, exits: Exits) -> NDArray[np.bool_]:
    """Tell which searches might have gone on through some exits, had these been there.

    Args:
        fringe: float64 (K, 9), see `fringe_of`.
        exits: that count as long as they are, or longer.

    Returns:
        bool (K,), where a search has come to a node with an exit that is wide enough and promises no more than what
        it went along later.
    """
    found = np.zeros(len(fringe), dtype=bool)
    for node, start, run, clearance in zip(*exits, strict=True):
        apart = np.abs(fringe[:, :2] - node)
        rows = np.flatnonzero((apart[:, 0] < _NEAR) & (apart[:, 1] < _NEAR) & (fringe[:, 7] <= clearance))
        on = fringe[rows]
        crossed = _crossing(on[:, 3:5], on[:, 5:7], start, run, on[:, 7])
        there, left = (np.hypot(*(crossed - points).T) for points in (on[:, 3:5], on[:, 5:7]))
        found[rows] = found[rows] | (on[:, 2] + there + EAGER * left <= on[:, 8] + _NEAR)
    return found


def _crossing(place: Float64, goal: Float64, start: Float64, run: Float64, needed: Float64) -> Float64:
    """Where searches that go on from places, float64 (N, 2), to goals cross a gate; see `search`."""
    (ex, ey), (px, py), (dx, dy) = (goal - place).T, (place - start).T, run
    width = np.hypot(dx, dy)
    slope = dx * ey - dy * ex
    with np.errstate(divide="ignore", invalid="ignore"):
        ahead = (px * dy - py * dx) * slope > 0.0
        share = np.where(ahead, (px * ey - py * ex) / slope, (px * dx + py * dy) / (width * width))
    least = needed / width
    return start + np.minimum(np.maximum(share, least), 1.0 - least)[:, None] * run
