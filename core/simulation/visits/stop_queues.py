# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues at a place: people stand one behind the other along a line, are served one by one, and close up."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import arctan2, dot, heading_vector, length, length2
from ...geometry.segments import contains
from ...scene import Place
from ..settings.stop_settings import QueueSettings
from ..world.agents import Agents

LONGEST = 1e4
"""A queue along a heading ends at the room that a stop gives it, not on its line [m]."""


class StopQueue:
    """One queue, of everybody who has joined it.

    Args:
        line: float64 (P, 2), on which people stand, from the place where they are served on [m].
        spacing: from person to person [m].

    Attributes:
        members: rows of the people in it, in order.
        coming: rows of those on their way to it.
        served_last: row of who was served last; -1 for nobody.
    """

    def __init__(self, line: Float64, spacing: float) -> None:
        self._line, self.spacing = line, spacing
        self._along = np.diff(line, axis=0)
        self._since = np.concatenate([[0.0], np.cumsum(length(self._along))])
        self._size2 = np.maximum(length2(self._along), 1e-12)
        self.members: list[int] = []
        self.coming: list[int] = []
        self.served_last = -1
        self._standing = np.zeros((0, 2)), np.zeros(0)

    def place(self, number: int) -> Float64:
        """Return float64 (2,), where the person with a number stands, from 0 on [m]."""
        return self.standing(number + 1)[0][number]

    def places(self, numbers: Float64) -> Float64:
        """Return float64 (N, 2), where people with numbers stand, from 0 on; a broken one lies between two [m]."""
        s = numbers * self.spacing
        return np.column_stack([np.interp(s, self._since, self._line[:, column]) for column in (0, 1)])

    def standing(self, count: int) -> tuple[Float64, Float64]:
        """Return where the first so many people stand, float64 (count, 2) [m], and face, float64 (count,) [rad].

        Each faces towards the next place nearer to the head; NaN where that is the same.
        """
        if count > len(self._standing[0]):
            numbers = np.arange(2.0 * count)
            last = len(self._line) - 1
            at = np.clip(np.searchsorted(self._since, numbers * self.spacing, side="left"), 1, last)
            apart = self._line[at - 1] - self._line[at]
            apart /= np.maximum(length(apart), 1e-9)[:, None]
            faces = np.where(length2(apart) > 1e-6, arctan2(apart[:, 1], apart[:, 0]), np.nan)
            self._standing = self.places(numbers), faces
        places, faces = self._standing
        return places[:count], faces[:count]

    def numbers_at(self, points: Float64) -> Float64:
        """Return float64 (N,), the numbers of the places, possibly broken, nearest to points, float64 (N, 2)."""
        start, along = self._line[:-1], self._along
        share = np.minimum(np.maximum(dot(points[:, None] - start, along) / self._size2, 0.0), 1.0)
        if len(along) == 1:
            return share[:, 0] * self._since[1] / self.spacing
        off = start + share[..., None] * along - points[:, None]
        at, each = length2(off).argmin(axis=1), np.arange(len(points))
        return (self._since[at] + share[each, at] * (self._since[at + 1] - self._since[at])) / self.spacing

    def capacity(self, room: int, radius: float, field: Distances, bounds: Float64) -> int:
        """Return how many people have room in it: as many as the stop gives, as the line, and the ground before it.

        Args:
            room: that the stop gives.
            radius: of a body [m].
            field: distances to the obstacles that stand.
            bounds: float64 (B, 2), the polygon that nobody leaves [m].
        """
        most = min(room, 1 + int(self._since[-1] / self.spacing + 1e-6))
        places = self.standing(most)[0]
        free = (field.signed_distance(places, radius) >= radius) & contains(bounds, places)
        return most if free.all() else int(np.argmin(free))

    def is_being_left(self, agents: Agents, follow: float) -> bool:
        """Return whether somebody who was served is still before its head.

        Args:
            agents: all agents.
            follow: farther than this from the head they are out of the way [m].
        """
        last = self.served_last
        if last < 0 or last in self.members or not agents.present[last]:  # who was served may disappear there
            return False
        off = agents.position[last] - self.place(0)
        return float((off * off).sum()) < follow**2

    def let_pass(self, numbers: Int64) -> None:
        """Let the members with some numbers, from 1 on, change places with the ones ahead of them."""
        for number in numbers.tolist():
            self.members[number - 1 : number + 1] = self.members[number], self.members[number - 1]

    def leave(self, row: int) -> None:
        """Remove somebody who is in it or on the way to it."""
        if row in self.members:
            self.members.remove(row)
        if row in self.coming:
            self.coming.remove(row)


def queues_of(place: Place, radius: float, settings: QueueSettings) -> list[StopQueue]:
    """Return the queues of a place: along each of its lines, and from each of its points along its heading.

    Args:
        place: of the scene.
        radius: the largest of the bodies [m].
        settings: how people queue.
    """
    spacing = max(settings.spacing, 2.0 * radius + settings.body_gap)
    lines = list(place.lines)
    for point, heading in zip(place.points, place.headings, strict=False):
        lines.append(np.stack([point, point + LONGEST * heading_vector(heading)]))
    return [StopQueue(line, spacing) for line in lines]
