# SPDX-License-Identifier: GPL-3.0-or-later
"""Spots from which people look at something: a row along the wall before them, or on an arc round what they look at.

Who looks into a shop window stands before the glass, beside others and not behind them: the first on the point of the
place, the next ones to both sides of it. A few more stand behind gaps of the row, so far apart that those in front can
leave between them; before a narrow pane they stand on an arc round its middle. For all others there is no room.

Where the object is known that they look at, the row is before its middle and no wider than it, and they look at it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import cos_sin
from ...scene import Place
from ..settings.stop_settings import SpotSettings, ViewingSettings
from ..world.static_ground import StaticGround
from .spots import Spots
from .viewed_objects import row_before


class ViewingSpots(Spots):
    """The spots of a place at which people look at something.

    Args:
        place: of the scene.
        target: float64 (2,), what they look at [m]; None: what is in front of them.
        viewing: how they stand.
        settings: of spots; those on lines and in outlines are as everywhere.

    Attributes:
        seen: float64 (K, 2), what people look at from each [m]; NaN where nothing is in front of them.
    """

    def __init__(self, place: Place, target: Float64 | None, viewing: ViewingSettings, settings: SpotSettings) -> None:
        super().__init__(place, settings)
        self._place, self._target, self._viewing, self._placed = place, target, viewing, False
        self.seen = np.full(self.point.shape, np.nan)

    def is_free(self, radius: float, ground: StaticGround, bounds: Float64) -> Bool:
        """Return bool (K,), on which spots a body has room; the spots are placed when this is first asked.

        Their walls are what never moves: a van that stands there for a while is none.
        """
        if not self._placed:
            self._placed = True
            self._put_in_rows(ground.builder.field, radius + self._settings.clearance)
        return super().is_free(radius, ground, bounds)

    def farther_out(self, number: int) -> list[int]:
        """Return who has spots before the same as one, but farther from the middle than that, the nearest first."""
        farther = (self._centre == self._centre[number]).all(axis=1) & (self.rank > self.rank[number])
        some = np.flatnonzero(farther & (self.taken >= 0))
        return [int(row) for row in self.taken[some[self.rank[some].argsort(kind="stable")]]]

    def _put_in_rows(self, field: Distances, room: float) -> None:
        """Replace the spots round points before something by rows, for bodies that need some room [m]."""
        point, rank, centre, seen = [], [], [], []
        for number, each in enumerate(self._place.points):
            found = self._before_object(number, field, room) or self._row(each, field, room)
            if found is None or len(self.point) >= self._settings.most:
                continue
            near = (self._centre == each).all(axis=1) & (self.rank > 0)
            keep = ~near & ~(self.point == each).all(axis=1)
            self.point, self.rank, self._centre = self.point[keep], self.rank[keep], self._centre[keep]
            self.seen = self.seen[keep]
            point.append(found[0])
            seen.append(found[1])
            rank.append(np.arange(len(found[0])))
            centre.append(np.repeat(found[0][:1], len(found[0]), axis=0))
        if not point:
            return
        self.point, self.seen = np.concatenate([self.point, *point]), np.concatenate([self.seen, *seen])
        self.rank, self._centre = np.concatenate([self.rank, *rank]), np.concatenate([self._centre, *centre])
        self.taken = np.full(len(self.point), -1)

    def _before_object(self, number: int, field: Distances, room: float) -> tuple[Float64, Float64] | None:
        """Return spots before the object at a point, and what is seen from each [m]; None where none is known."""
        place, own = self._place, self._viewing
        if self._target is not None or not len(place.objects) or not place.objects[number, 3] > 0.0:
            return None
        row = row_before(place.objects[number], place.points[number], field, room, own)
        if row is None:
            return None
        return _with_others(row.spots, row.away, replace(own, greatest_angle=own.oblique) if row.is_whole else own)

    def _row(self, point: Float64, field: Distances, room: float) -> tuple[Float64, Float64] | None:
        """Return spots round a point, float64 (K, 2), the first ones first, and what is seen from each [m]."""
        own = self._viewing
        distance, closest = field.nearest(point[None])
        inside = not field.empty and float(field.signed_distance(point[None])[0]) < 0.0
        to_wall = (point - closest[0]) if inside else (closest[0] - point)
        wall = 0.0 < float(distance[0]) < own.wall_reach and not field.empty
        if self._target is not None:
            to_target = self._target - point
            far = math.sqrt(float((to_target * to_target).sum()))
            wall = wall and float((to_target * to_wall).sum()) > own.cos_turn * far * float(distance[0])
            if not wall:
                return None if far < own.arc_radius else _on_arc(point, self._target, far, own)
        if not wall:
            return None
        away = -to_wall / float(distance[0])  # out of the wall, also for a point in it
        far = 0.0 if inside else float(distance[0])
        return _along_wall(closest[0], away, field, max(room, own.wall_distance, far), own)


def _along_wall(
    wall: Float64, away: Float64, field: Distances, distance: float, settings: ViewingSettings
) -> tuple[Float64, Float64]:
    """Return spots at a distance from a wall, and the points of the wall before them [m].

    Args:
        wall: float64 (2,), a point of it [m].
        away: float64 (2,), the direction out of it there.
        field: distances to obstacles.
        distance: from the wall [m].
        settings: how people stand.
    """
    first = wall + distance * away
    front = {0: (first, wall)}
    for side in (1, -1):
        place, normal = first, away
        for number in range(1, settings.beside + 1):
            on = place + side * settings.spacing * np.array([-normal[1], normal[0]])
            off, glass = field.nearest(on[None])
            normal = (on - glass[0]) / max(float(off[0]), 1e-9)
            if float((normal * away).sum()) < settings.cos_turn:  # the wall ends, or turns
                break
            place = glass[0] + distance * normal
            front[side * number] = place, glass[0]
    return _with_others(front, away, settings)


def _with_others(
    row: dict[int, tuple[Float64, Float64]], away: Float64, settings: ViewingSettings
) -> tuple[Float64, Float64]:
    """Return the spots of a row from its middle on, and of those behind it, and what is seen from each [m].

    Args:
        row: by the number of each spot, counted to both sides from 0: the spot, and what is seen from it.
        away: float64 (2,), the direction out of what they look at.
        settings: how people stand.
    """
    numbers = sorted(row, key=lambda number: (abs(number), -number))
    places, seen = (np.array([row[number][k] for number in numbers]) for k in (0, 1))
    behind = _behind_gaps(row, settings)
    rest = settings.narrow - len(row)
    if len(behind[0]) < rest:
        found, glass = _round_row(places, seen, away, settings)
        behind = found[:rest], glass[:rest]
    return np.concatenate([places, behind[0]]), np.concatenate([seen, behind[1]])


def _behind_gaps(row: dict[int, tuple[Float64, Float64]], settings: ViewingSettings) -> tuple[Float64, Float64]:
    """Return spots behind every other gap of a row, from its middle on, and the points of the wall before them [m].

    Behind its left end somebody has room, too: a wider pane has no less than a narrow one.

    Args:
        row: by the number of each spot, counted to both sides from 0: the spot, and the point of the wall before it.
        settings: how people stand.
    """
    behind = []
    for number in sorted(row, key=abs):
        if number % 2 == 0:
            (place, glass), (next_place, next_glass) = row[number], row.get(number + 1, row[number])
            middle, seen = 0.5 * (place + next_place), 0.5 * (glass + next_glass)
            normal = (middle - seen) / max(math.sqrt(float(((middle - seen) ** 2).sum())), 1e-9)
            behind.append((middle + settings.second_row * normal, seen))
    return np.array([place for place, _ in behind]), np.array([glass for _, glass in behind])


def _round_row(row: Float64, wall: Float64, away: Float64, settings: ViewingSettings) -> tuple[Float64, Float64]:
    """Return spots on an arc round a short row before a wall, float64 (K, 2), and what is seen from each [m].

    Args:
        row: float64 (N, 2), the spots of the row [m].
        wall: float64 (N, 2), the points of the wall before them [m].
        away: float64 (2,), the direction out of the wall.
        settings: how people stand.
    """
    centre = 0.5 * (wall.min(axis=0) + wall.max(axis=0))
    radius = math.sqrt(float(((row - centre) ** 2).sum(axis=1).max())) + settings.arc_row
    most, count = settings.greatest_angle, int(2.0 * settings.greatest_angle * radius / settings.arc_spacing) + 1
    angles = sorted(np.linspace(-most, most, count).tolist(), key=lambda angle: (round(abs(angle), 6), -angle))
    cos, sin = cos_sin(np.array(angles))
    turned = np.column_stack((cos * away[0] - sin * away[1], sin * away[0] + cos * away[1]))
    return centre + radius * turned, np.repeat(centre[None], len(angles), axis=0)


def _on_arc(point: Float64, target: Float64, radius: float, settings: ViewingSettings) -> tuple[Float64, Float64]:
    """Return spots on an arc through a point round what is looked at, and that place for each [m]."""
    numbers = sorted(range(-settings.beside, settings.beside + 1), key=lambda number: (abs(number), -number))
    step = settings.spacing / radius
    angles = [(number * step, radius) for number in numbers if abs(number) * step < settings.greatest_angle]
    further = radius + settings.second_row
    angles += [
        ((number + 0.5) * step, further)
        for number in numbers
        if number % 2 == 0 and abs(number + 0.5) * step < settings.greatest_angle
    ]
    cos, sin = cos_sin(np.array([angle for angle, _ in angles]))
    away, length = (point - target) / radius, np.array([far for _, far in angles])
    x, y = cos * away[0] - sin * away[1], sin * away[0] + cos * away[1]
    return target + length[:, None] * np.column_stack((x, y)), np.repeat(target[None], len(angles), axis=0)
