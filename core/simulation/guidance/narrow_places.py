# SPDX-License-Identifier: GPL-3.0-or-later
"""Narrow passages on the ground: where they lie, how long and wide they are, and which two are one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Float64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import dot, length
from ..settings.behaviour_settings import NarrowPassageSettings


@dataclass(eq=False)
class NarrowPassage:
    """A narrow passage between two mouths.

    Attributes:
        middle, axis: float64 (2,) [m], and a unit vector along it.
        half_length, half_width: [m].
        side: which side uses it: +1 for people who walk along the axis, -1 against it; 0 for nobody.
        since: time from which that side uses it [s].
    """

    middle: Float64
    axis: Float64
    half_length: float
    half_width: float
    side: int = 0
    since: float = 0.0

    def local(self, points: Float64) -> tuple[Float64, Float64]:
        """Return float64 (N,) each, how far along the axis and to the left of it points are from the middle [m]."""
        off = points - self.middle
        return dot(off, self.axis), off[:, 1] * self.axis[0] - off[:, 0] * self.axis[1]


def find_passage(
    place: Float64, direction: Float64, apart: float, field: Distances, settings: NarrowPassageSettings
) -> NarrowPassage | None:
    """Return the narrow passage at a place; None where there is room for both.

    Args:
        place: float64 (2,), where they meet [m].
        direction: float64 (2,), in which one of them walks, a unit vector.
        apart: half the width that both need [m].
        field: distances to obstacles.
        settings: how the width is measured.
    """
    spacing = settings.spacing
    tries = place + np.arange(-settings.search_steps, settings.search_steps + 1)[:, None] * spacing * direction
    middles, room = _widest(tries, np.array([-direction[1], direction[0]]), field, settings)
    least = int(np.argmin(room))
    if room[least] >= apart or room[least] <= 0.0:
        return None
    middle, half_width = middles[least], float(room[least])
    closest = field.nearest(middle[None])[1][0]
    opposite = field.signed_distance((2.0 * middle - closest)[None])[0]
    if opposite > settings.opposite_wall_tolerance:  # a wall on one side only
        return None
    end = field.nearest((2.0 * middle - closest)[None])[1][0]
    middle, across = 0.5 * (closest + end), end - closest
    width = float(length(across[None])[0])
    if width < half_width:  # the same wall, close ahead
        return None
    half_width, across = 0.5 * width, across / width
    axis = np.array([across[1], -across[0]])
    axis = axis if dot(axis, direction) >= 0.0 else -axis
    ends = []
    for sign in (1.0, -1.0):
        steps = np.arange(1, int(settings.greatest_length / spacing))[:, None] * spacing * sign
        _, room = _widest(middle + steps * axis, across, field, settings)
        wide = np.flatnonzero((room >= apart) | (room <= 0.0))
        ends.append(sign * spacing * (wide[0] + 1 if len(wide) else len(room)))
    middle = middle + 0.5 * (ends[0] + ends[1]) * axis
    return NarrowPassage(middle, axis, 0.5 * (ends[0] - ends[1]), half_width)


def join_passages(known: NarrowPassage, found: NarrowPassage, settings: NarrowPassageSettings) -> NarrowPassage | None:
    """Return two passages in a row as one, if there is no room to wait between them; else None.

    People who wait for the second would stand in the way of those who come out of the first, on both sides.

    Args:
        known: one of them, whose turn goes on.
        found: the other.
        settings: how much room people need who wait.
    """
    (along,), (beside,) = known.local(found.middle[None])
    gap = abs(along) - known.half_length - found.half_length
    askew = abs(float(dot(found.axis, np.array([-known.axis[1], known.axis[0]]))))
    if gap > settings.room_between or abs(beside) > known.half_width or askew * found.half_length > known.half_width:
        return None
    begin = min(-known.half_length, along - found.half_length)
    end = max(known.half_length, along + found.half_length)
    middle = known.middle + 0.5 * (begin + end) * known.axis
    half_width = max(known.half_width, found.half_width)
    return NarrowPassage(middle, known.axis, 0.5 * (end - begin), half_width, known.side, known.since)


def are_same(one: NarrowPassage, other: NarrowPassage) -> bool:
    """Return whether two passages are the same."""
    off = one.middle - other.middle
    return float(dot(off, off)) < (0.5 * (one.half_length + other.half_length)) ** 2


def _widest(
    points: Float64, across: Float64, field: Distances, settings: NarrowPassageSettings
) -> tuple[Float64, Float64]:
    """Return for points, float64 (N, 2), the places across with the greatest clearance, and that clearance [m]."""
    offsets = np.linspace(-settings.half_breadth, settings.half_breadth, settings.places_across)
    places = points[:, None] + offsets[:, None] * across  # (N, O, 2)
    room = field.signed_distance(places.reshape(-1, 2)).reshape(places.shape[:2])
    best = room.argmax(axis=1)
    number = np.arange(len(points))
    return places[number, best], room[number, best]
