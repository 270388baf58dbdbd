# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a map an answer depends on: whoever keeps answers asks whether a change of the ground touches any of it.

    Change(field, lines)
    EdgeDiscs(points, reach, first)
        .touched(change) -> bool (E,)
    Looked(...)
    touched_by(looked, change) -> NOT_AT_ALL, BESIDE or TOUCHED of each

An arc of the medial axis is what it is because nothing stands in the discs round its points that touch what is beside
it. While all discs of all arcs that were looked at stay free of changes, the answer stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.distance_field import ObstacleField

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

NOT_AT_ALL, BESIDE, TOUCHED = 0, 1, 2
"""How a change touches what was looked at: edges that a search might have gone along, and has not, lie beside."""

TOUCH = 1e-6
"""What is nearer than this to a disc touches it, however it was reckoned [m]."""


class Change(NamedTuple):
    """What stood and stands no more, and what stands now.

    Attributes:
        field: distances to all of it.
        lines: float64 (V, 2) each, the corners of each solid and wall [m].
    """

    field: ObstacleField
    lines: list[Float64]


@dataclass(frozen=True, eq=False)
class EdgeDiscs:
    """Discs round all corridor edges of a map: edge k lies in those from `first[k]` to `first[k + 1]`.

    Attributes:
        points: float64 (P, 2), their middles [m].
        reach: float64 (P,), their radii [m].
        first: int64 (E + 1,).
    """

    points: Float64
    reach: Float64
    first: Int64

    def touched(self, change: Change) -> Bool:
        """Tell of each edge whether a change lies in one of its discs: bool (E,)."""
        touched = _are_touched(self.points, self.reach, change)
        return np.diff(np.concatenate(([0], np.cumsum(touched)))[self.first]) > 0


@dataclass(frozen=True, eq=False)
class Looked:
    """What an answer depends on.

    Attributes:
        discs: of the map, as it was.
        edges: int64 (N,), edges beside which places were found, and that searches went along; rows of `discs`.
        beside: int64 (N,), the others that searches came by.
        fringe: float64 (K, 9), how far they went, see `core.routing.fringe`.
        places: float64 (P, 2), where something was looked for that lies in no free ground [m].
        reach: float64 (P,), and how far round that [m]; infinite where anything anywhere may matter.
    """

    discs: EdgeDiscs
    edges: Int64
    beside: Int64
    fringe: Float64
    places: Float64
    reach: Float64


def touched_by(looked: Sequence[Looked], change: Change) -> NDArray[np.int8]:
    """Tell how a change touches what each answer depends on: int8 (N,), `NOT_AT_ALL`, `BESIDE` or `TOUCHED`."""
    how = np.full(len(looked), NOT_AT_ALL, dtype=np.int8)
    if not len(looked) or not change.lines:
        return how
    on_edges: dict[int, Bool] = {}
    for each in looked:
        if id(each.discs) not in on_edges:
            on_edges[id(each.discs)] = each.discs.touched(change)
    touched = [on_edges[id(each.discs)] for each in looked]
    how[_any_of([edges[each.beside] for edges, each in zip(touched, looked, strict=True)])] = BESIDE
    how[_any_of([edges[each.edges] for edges, each in zip(touched, looked, strict=True)])] = TOUCHED
    places, reach = np.concatenate([each.places for each in looked]), np.concatenate([each.reach for each in looked])
    whose = np.repeat(np.arange(len(looked)), [len(each.reach) for each in looked])
    how[whose[_are_touched(places, reach, change)]] = TOUCHED
    return how


def _any_of(some: Sequence[Bool]) -> Int64:
    """In which of many arrays any is true, int64 (N,)."""
    whose = np.repeat(np.arange(len(some)), [len(each) for each in some])
    return whose[np.concatenate(some)]


def _are_touched(points: Float64, reach: Float64, change: Change) -> Bool:
    """Whether something lies in discs, bool (N,): mostly the boxes round lines tell that nothing does."""
    touched = np.zeros(len(points), dtype=bool)
    widened = reach + TOUCH
    for line in change.lines:
        (low_x, low_y), (high_x, high_y) = line.min(axis=0), line.max(axis=0)
        aside = np.maximum(np.maximum(low_x - points[:, 0], points[:, 0] - high_x), 0.0)
        along = np.maximum(np.maximum(low_y - points[:, 1], points[:, 1] - high_y), 0.0)
        touched |= aside * aside + along * along <= widened * widened
    near = np.flatnonzero(touched)
    touched[near] = change.field.signed_distance(points[near]) <= widened[near]
    return touched
