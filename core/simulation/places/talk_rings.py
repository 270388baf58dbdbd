# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings of people who talk: they stand round a centre, evenly, and move together when somebody joins or leaves."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace

import numpy as np

from ...array_types import Float64
from ...geometry.reproducible_math import arctan2, heading_vector, length2
from ...scene import Place
from ..settings.stop_settings import RingSettings, SpotSettings
from ..world import randomness
from ..world.static_ground import StaticGround
from .spots import Spots


class TalkRing:
    """One ring.

    Args:
        centre: float64 (2,) [m].
        number: of the ring at its place.
        draw: from 0 to 1, which size it has.
        settings: how people stand.

    Attributes:
        centre: float64 (2,) [m].
        size: how many people it is for.
        number: of the ring at its place.
        members: rows of those who stand in it, in the order in which they came.
        coming: rows of those on their way to it.
    """

    def __init__(self, centre: Float64, number: int, draw: float, settings: RingSettings) -> None:
        self.centre, self.number, self._settings = centre, number, settings
        self.size = 2 + int(np.searchsorted(np.cumsum(settings.sizes)[:-1], draw, side="right"))
        self.members: list[int] = []
        self.coming: list[int] = []

    def __deepcopy__(self, memo: dict[int, object]) -> TalkRing:
        """Another ring in which the same people are: there are many, most of them empty."""
        ring = memo[id(self)] = copy(self)
        ring.members, ring.coming = list(self.members), list(self.coming)
        return ring

    def radius(self, count: int) -> float:
        """Return how far from its centre `count` people stand [m]."""
        known = self._settings.radius
        return known[min(max(count, 1), len(known)) - 1]

    def evenly(self, turn: float, count: int) -> tuple[Float64, Float64]:
        """Return places evenly round it from an angle on, float64 (count, 2) [m], and headings to its centre [rad]."""
        angle = turn + 2.0 * math.pi * np.arange(count) / count
        return self.centre + self.radius(count) * heading_vector(angle), angle + math.pi

    def room(self, most: int) -> bool:
        """Return whether one more has room in it, where rings are for `most` people."""
        return len(self.members) + len(self.coming) < min(self.size, max(most, 2), len(self._settings.radius))

    def approach(self, position: Float64) -> Float64:
        """Return float64 (2,), where somebody joins who comes from a position, float64 (2,) [m]."""
        off = position - self.centre
        distance = max(float(np.sqrt((off * off).sum())), 1e-9)
        return self.centre + off * (self.radius(len(self.members) + len(self.coming)) / distance)

    def places(self, positions: Float64) -> Float64:
        """Return float64 (N, 2), where its members at positions, float64 (N, 2), stand best [m].

        They are spread evenly over the circle, in the order in which they stand, so that nobody has to pass another.
        """
        count = len(positions)
        off = positions - self.centre
        angle = arctan2(off[:, 1], off[:, 0])
        order = np.argsort(angle, kind="stable")
        even = 2.0 * math.pi * np.arange(count) / count
        turn = heading_vector(angle[order] - even).mean(axis=0)
        base = float(arctan2(turn[1], turn[0])) if float((turn * turn).sum()) > 1e-12 else float(angle[order[0]])
        places = np.empty((count, 2))
        places[order] = self.centre + self.radius(count) * heading_vector(base + even)
        return places

    def leave(self, row: int) -> None:
        """Remove somebody who is in it or on the way to it."""
        if row in self.members:
            self.members.remove(row)
        if row in self.coming:
            self.coming.remove(row)


class TalkPlace:
    """The rings of a place.

    Args:
        place: of the scene.
        seed: of the scene.
        settings: how people stand.
        spots: the settings of spots.
    """

    def __init__(self, place: Place, seed: int, settings: RingSettings, spots: SpotSettings) -> None:
        apart = settings.apart
        self._centres = Spots(place, replace(spots, spacing=apart, line_spacing=apart, rings=1))
        self._settings = settings
        draws = randomness.uniform(seed, place.name, "rings", len(self._centres.point))
        centres = zip(self._centres.point, draws.tolist(), strict=True)
        self.rings = [TalkRing(centre, number, draw, settings) for number, (centre, draw) in enumerate(centres)]

    def choose(
        self, most: int, position: Float64, pick: float, *, radius: float, ground: StaticGround, bounds: Float64
    ) -> tuple[TalkRing | None, bool]:
        """Return the ring that somebody joins, None where none has room; and whether obstacles cover all of them.

        People join others before they begin a ring of their own.

        Args:
            most: how many people a ring is for at most.
            position: float64 (2,), where they come from [m].
            pick: from 0 to 1, which of several that nobody is in.
            radius: of the largest body [m].
            ground: the obstacles that stand.
            bounds: float64 (B, 2), the polygon that nobody leaves [m].
        """
        free = self._centres.is_free(self._settings.radius[1] + radius, ground, bounds)
        rings = [ring for ring, usable in zip(self.rings, free.tolist(), strict=True) if usable]
        begun = [ring for ring in rings if (ring.members or ring.coming) and ring.room(most)]
        if begun:
            off = np.array([ring.centre for ring in begun]) - position
            return begun[int(length2(off).argmin())], False
        empty = [ring for ring in rings if not (ring.members or ring.coming)]
        if not empty:
            return None, not rings
        rank = self._centres.rank[[ring.number for ring in empty]]
        first = [ring for ring, each in zip(empty, rank.tolist(), strict=True) if each == rank.min()]
        return first[int(pick * len(first))], False
