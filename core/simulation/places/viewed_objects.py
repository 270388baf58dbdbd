# SPDX-License-Identifier: GPL-3.0-or-later
"""The row in which people stand before an object that they look at: a picture, a statue, a shop window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...array_types import Float64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import cos_sin
from ...routing import direct_clearance
from ..settings.stop_settings import ViewingSettings


class ViewingRow(NamedTuple):
    """Where people stand before an object.

    Attributes:
        spots: by number, counted to both sides from 0, which is before its middle: the spot, and what is seen from it,
            float64 (2,) each [m].
        away: float64 (2,), the direction out of the object there.
        is_whole: whether it is looked at as a whole.
    """

    spots: dict[int, tuple[Float64, Float64]]
    away: Float64
    is_whole: bool


class _Side(NamedTuple):
    """A side of an object: its middle, the directions along it and out of it, float64 (2,); half its width [m]."""

    middle: Float64
    along: Float64
    away: Float64
    half: float


def row_before(
    shape: Float64, point: Float64, field: Distances, room: float, settings: ViewingSettings
) -> ViewingRow | None:
    """Return where people stand before an object; None where there is no room before any of its wide sides.

    They stand before the side that is nearest to a point: the back of a picture, towards its wall, is none. Where there
    is less room, they stand nearer to it.

    Args:
        shape: float64 (6,), a row of `Place.objects`.
        point: float64 (2,), of the place [m].
        field: distances to obstacles.
        room: that a body needs [m].
        settings: how people stand.
    """
    width, depth, height = shape[3:].tolist()
    flat = depth < settings.flat and height <= settings.picture
    is_whole = flat or (width <= settings.statue and depth >= 0.5 * width)
    wanted = min(max(width, height), settings.farthest) if is_whole else settings.window_distance
    nearest = max(room, settings.wall_distance)
    distances = np.linspace(max(wanted, nearest), nearest, settings.nearer)
    for off in settings.front:  # a pane may lie behind the front of the wall round it
        for side in _sides_by_distance(shape, point):
            reach = max(side.half - settings.beside * settings.spacing, 0.0)
            shift = float(((point - side.middle) * side.along).sum())
            middle = side.middle + min(max(shift, -reach), reach) * side.along
            spots = middle + distances[:, None] * side.away
            free = field.signed_distance(spots, room) >= room
            free &= direct_clearance(np.tile(middle + off * side.away, (len(spots), 1)), spots, field) > 0.0
            if free.any():
                distance = float(distances[free.argmax()])
                return ViewingRow(_spots(side, middle, distance, settings), side.away, is_whole)
    return None


def _spots(
    side: _Side, middle: Float64, distance: float, settings: ViewingSettings
) -> dict[int, tuple[Float64, Float64]]:
    """Return the spots of a row before the middle of a side, or a point of a long one: see `ViewingRow`."""
    step = max(min(settings.spacing, side.half), settings.least_spacing)
    off, seen = float(((middle - side.middle) * side.along).sum()), max(side.half - settings.edge, 0.0)
    found = {}
    for number in range(-settings.beside, settings.beside + 1):
        along = off + number * step
        if abs(along) < side.half + 1e-6:
            target = side.middle + min(max(along, -seen), seen) * side.along
            found[number] = middle + number * step * side.along + distance * side.away, target
    return found


def _sides_by_distance(shape: Float64, point: Float64) -> list[_Side]:
    """Return the wide sides of an object, the nearest to a point first."""
    sides = list(_sides(shape))
    widest = max(side.half for side in sides)
    wide = [side for side in sides if side.half >= 0.5 * widest]
    return sorted(wide, key=lambda side: _distance2(side, point))


def _distance2(side: _Side, point: Float64) -> float:
    off = point - side.middle
    beyond = max(abs(float((off * side.along).sum())) - side.half, 0.0)
    return round(beyond * beyond + float((off * side.away).sum()) ** 2, 9)


def _sides(shape: Float64) -> Iterator[_Side]:
    cos, sin = cos_sin(shape[2:3])
    across = np.array([-sin[0], cos[0]])
    along, middle = np.array([cos[0], sin[0]]), shape[:2]
    for one, other, half, off in ((along, across, *0.5 * shape[3:5]), (across, along, *0.5 * shape[4:2:-1])):
        for sign in (1.0, -1.0):
            yield _Side(middle + sign * float(off) * other, one, sign * other, float(half))
