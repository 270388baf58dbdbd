# SPDX-License-Identifier: GPL-3.0-or-later
"""Seats: where people stand before one, and where their hips are while they sit.

Where there is no room before a seat, as between a chair and its table, people come to its side and step in from there.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import heading_vector, length2
from ...geometry.segments import contains
from ...routing import direct_clearance
from ...scene import Place
from ..population.free_places import near_any
from ..settings.stop_settings import SeatSettings, SpotSettings
from ..world.static_ground import StaticGround
from .spots import Spots

_PARTS, _TOUCHED = 64, 0.01
"""Places on the way to a seat at which it is looked for obstacles; and how near these are [m]."""


class Seats(Spots):
    """The seats of a place, and who has taken them; `point` is where people stand before each.

    Args:
        place: with headings.
        seats: how people sit.
        settings: of spots.

    Attributes:
        hips: float64 (K, 2), where the hips of those who sit are [m].
        facing: float64 (K,), the direction to which they face [rad].
        height: float64 (K,), of the seats [m]; NaN: above the ground by as much as usual.
        from_side: bool (K,), into which people step from beside them: `front` is there, and `point` between them and
            what is before them.
        out_of_reach: bool (K,), that are so high that somebody who came there has left them.
        front: float64 (K, 2), from where people come to each, straight from before it [m].
    """

    def __init__(self, place: Place, seats: SeatSettings, settings: SpotSettings) -> None:
        super().__init__(Place(place.name, points=place.points), settings)
        most = settings.most
        self._seats = seats
        self.hips, self.facing = place.points[:most], place.headings[:most]
        self.height = place.heights[:most] if len(place.heights) else np.full(len(self.hips), np.nan)
        self.point = self.hips + seats.reach[0] * heading_vector(self.facing)
        self.front, self.from_side = self.point.copy(), np.zeros(len(self.point), dtype=bool)
        self.rank = np.zeros(len(self.point), dtype=np.int64)
        self.taken = np.full(len(self.point), -1)
        self.out_of_reach = np.zeros(len(self.point), dtype=bool)

    def is_free(self, radius: float, ground: StaticGround, bounds: Float64) -> Bool:
        """Return bool (K,), before which seats a body has room, whoever sits there; moves `point` to where it has."""
        if self._known is None or self._known[0] != ground.resting:
            room, free = radius + self._seats.side_room, np.zeros(len(self.point), dtype=bool)
            ahead, open_seats = heading_vector(self.facing), self.taken < 0
            for reach in self._seats.reach:
                point = self.hips + reach * ahead
                fits = (ground.field.signed_distance(point, room) >= room) & contains(bounds, point) & ~free
                fits[fits] = self._leads_in(point, fits, ground)
                self.point[fits & open_seats] = point[fits & open_seats]
                free |= fits
            self.from_side[open_seats] = ~free[open_seats]
            self._find_fronts(room, ground, bounds)
            free |= self._find_sides(room, ground, bounds, ~free)
            self._known = ground.resting, free
        return self._known[1]

    def _find_fronts(self, room: float, ground: StaticGround, bounds: Float64) -> None:
        """Move the `front` of each free seat as far before it as obstacles and other seats leave room [m]."""
        ahead, open_seats = heading_vector(self.facing), self.taken < 0
        self.front[open_seats] = self.point[open_seats]
        for step in self._seats.steps:
            front = self.point + step * ahead
            fits = (direct_clearance(self.point, front, ground.field, room) >= room) & contains(bounds, front)
            fits &= open_seats & ~near_any(front, self.hips, self._seats.reach[0])
            self.front[fits] = front[fits]

    def _find_sides(self, room: float, ground: StaticGround, bounds: Float64, missing: Bool) -> Bool:
        """Move the `front` of seats without room before them, bool (K,), to a side where there is; return which."""
        own, ahead, found = self._seats, heading_vector(self.facing), np.zeros(len(missing), dtype=bool)
        leftward, inner = np.stack((-ahead[:, 1], ahead[:, 0]), axis=1), self.hips + own.reach[0] * ahead
        missing = missing & (ground.field.signed_distance(inner, own.deepest) > -own.deepest)
        for aside in own.beside:
            for side in (aside, -aside):
                front = self.hips + side * leftward
                fits = (ground.field.signed_distance(front, room) >= room) & contains(bounds, front) & missing & ~found
                fits &= ~near_any(front, self.hips, own.reach[0])
                fits[fits] = self._leads_in(front, fits, ground)
                for number in np.flatnonzero(fits).tolist():  # each has a place of its own
                    if (length2(front[number] - self.front[found]) < own.sides_apart**2).any():
                        continue
                    found[number] = True
                    if self.taken[number] < 0:
                        self.front[number], self.point[number] = front[number], inner[number]
        return found

    def _leads_in(self, places: Float64, some: Bool, ground: StaticGround) -> Bool:
        """Return bool (S,), whether nothing is between some of K places and their seats, which may be obstacles."""
        share = np.linspace(0.0, 1.0, _PARTS)[:, None, None]
        points = places[some] + share * (self.hips - places)[some]  # (P, S, 2)
        blocked = ground.field.signed_distance(points.reshape(-1, 2), 1.0).reshape(points.shape[:2]) < _TOUCHED
        return np.asarray(~(blocked[:-1] & ~blocked[1:]).any(axis=0))

    def approach(self, number: int) -> Float64:
        """Return float64 (2,), where people go who then step straight to a seat [m]."""
        return self.front[number]

    def choose(self, row: int, free: Bool, place: Float64, pick: float) -> int:
        """Take any seat for somebody, wherever they come from, and return its number; -1 where none is left."""
        del place
        some = np.flatnonzero(free & ~self.out_of_reach & (self.taken < 0))
        if not len(some):
            return -1
        chosen = int(some[int(pick * len(some))])
        self.taken[chosen] = row
        return chosen

    def take_for(self, rows: Int64, position: Float64) -> None:
        """Let bystanders sit on the seats at their positions, float64 (R, 2) [m]."""
        if not len(rows):
            return
        for number, hips in enumerate(self.hips):
            off = position - hips
            distance2 = length2(off)
            if distance2.min() < self._seats.settled**2:
                self.taken[number] = int(rows[distance2.argmin()])


def seat_heights(given: Float64, ground: Float64, settings: SeatSettings) -> Float64:
    """Return float64 (N,), the heights of seats [m]: as given, but not under the ground; else above it as usual.

    Args:
        given: float64 (N,) [m]; NaN for none.
        ground: float64 (N,), under each [m].
        settings: how people sit.
    """
    return np.where(np.isnan(given), ground + settings.height, np.maximum(given, ground))


def floors_under(height: Float64, ground: Float64, settings: SeatSettings) -> Float64:
    """Return float64 (N,), where the feet of bystanders are who sit on seats [m]: on the ground, or on a stand.

    Args:
        height: float64 (N,), of the seats [m]; NaN: not given.
        ground: float64 (N,), of the ground under them [m].
        settings: how people sit.
    """
    over_ground, floor = height - ground, height - settings.height
    near = (over_ground >= 0.0) & (over_ground <= settings.highest)
    is_level = len(height) > 0 and bool(np.ptp(over_ground) < settings.level)
    return np.where(near, ground if is_level else np.maximum(floor, ground), floor)


def tell_of_low_seats(crowd: str, place: str) -> str:
    """Return a sentence for the user about seats that are on the ground."""
    return f"{crowd}: '{place}' is on the ground, and people sit on the ground there. Raise it to the height of a seat."
