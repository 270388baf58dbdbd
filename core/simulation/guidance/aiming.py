# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever only wants to get somewhere walks straight towards the farthest place of the way that is in sight.

The line of a drawn route is meant, and people come back to it. The line of a way that was found for somebody is not:
pushed aside, one goes on from there. The way is taken to its next corners, and plans are made only where nothing of
it is in sight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...planning import ReferenceSet
from ...routing import direct_clearance
from ..world.agents import Agents
from ..world.static_ground import StaticGround

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

AHEAD = (16.0, 8.0, 4.0, 2.0, 1.0)
"""So far ahead on the way an aim is looked for, the farthest first [m]."""

ROOM = 0.02
"""Room that the straight line to the aim must have beside the body [m]."""

PRESSED_AHEAD = (2.0, 1.0, 0.5)
"""So far ahead those look who are pressed against something, or before a corner [m]."""

PRESSED_SHARE = 0.4
"""They slide along what leaves this share of their radius free."""

CUT = 0.3
"""By so much at most people cut across a bend of their way [m]. If all took the shortest way round a corner, those who
come from both sides would meet at its inner edge and block each other there."""

NARROW = 1.3
"""Through what is narrower than this people pass one after another, and there is no side to keep [m]."""

NEVER_CUT = 1.0
"""An aim so far ahead is taken whatever is cut: nobody who gets aside shall be without one [m]."""

_BETWEEN = (0.2, 0.4, 0.6, 0.8)
"""Shares of the way to the aim at which it is looked at how much is cut."""

STEP = 0.25
"""The room beside a way is looked at in places so far apart [m]."""


@dataclass(frozen=True, eq=False)
class LinesOfSight:
    """Straight lines from N people to places on their ways.

    Attributes:
        path: int64 (N,), whose way.
        start: float64 (N,), how far along it they are [m].
        place: float64 (N,), how far along it the place is, at its end at most [m].
        point: float64 (N, 2), where that is; at the end of the way it is the goal [m].
        position: float64 (N, 2), from where they look [m].
        room: float64 (N,), that the line must have beside the body [m].
    """

    path: Int64
    start: Float64
    place: Float64
    point: Float64
    position: Float64
    room: Float64

    def are_aims(self, references: ReferenceSet, field: Distances, ahead: float) -> Bool:
        """Tell who sees their place and may walk straight there: bool (N,).

        Args:
            references: the ways.
            field: distances to what stands.
            ahead: so far ahead they look [m].
        """
        may = direct_clearance(self.position, self.point, field, float(self.room.max())) >= self.room
        if ahead > NEVER_CUT:
            rows = np.flatnonzero(may)
            rows = rows[_cut(self, rows, references) > CUT]
            may[rows] = _narrowest(self, rows, references, field, ahead) < NARROW
        return may


class Aims:
    """What each of A people walks towards.

    Args:
        count: A.

    Attributes:
        point: float64 (A, 2), NaN for those who have nothing of their way in sight [m].
        at: float64 (A,), how far along its way each one's aim lies [m].
        clear: bool (A,), who has room all the way to the aim; others slide along something to get there.
    """

    def __init__(self, count: int) -> None:
        self.point = np.full((count, 2), np.nan)
        self.at = np.zeros(count)
        self.clear = np.zeros(count, dtype=bool)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Bool (A,), who has an aim."""
        return np.isfinite(self.point[:, 0])

    def forget(self, rows: Int64) -> None:
        """Let some have no aim."""
        self.point[rows] = np.nan
        self.clear[rows] = False

    def look(self, agents: Agents, rows: Int64, references: ReferenceSet, still: StaticGround) -> None:
        """Find the aims of some agents anew.

        Args:
            agents: everybody.
            rows: int64 (R,), who looks: people on ways of their own, not on detours.
            references: the paths.
            still: what stands in the way.
        """
        self.forget(rows)
        pressed = self._look(agents, rows, references, still, AHEAD, agents.radius + ROOM)
        self.clear[rows] = self.known[rows]
        self._look(agents, pressed, references, still, PRESSED_AHEAD, PRESSED_SHARE * agents.radius)

    def _look(
        self,
        agents: Agents,
        rows: Int64,
        references: ReferenceSet,
        still: StaticGround,
        distances: tuple[float, ...],
        room: Float64,
    ) -> Int64:
        """Find aims at some distances that leave each of A people so much room; return who has found none."""
        for ahead in distances:
            if not len(rows):
                break
            s = np.minimum(agents.s[rows] + ahead, agents.end[rows])
            aim = references.to_cartesian(agents.path[rows], s, np.zeros(len(rows)))
            at_end = s >= agents.end[rows]
            aim[at_end] = agents.goal[rows[at_end]]
            lines = LinesOfSight(
                path=agents.path[rows],
                start=agents.s[rows],
                place=s,
                point=aim,
                position=agents.position[rows],
                room=room[rows],
            )
            seen = lines.are_aims(references, still.field, ahead)
            self.point[rows[seen]] = aim[seen]
            self.at[rows[seen]] = s[seen]
            rows = rows[~seen]
        return rows

    def velocity(self, agents: Agents, rows: Int64, deceleration: Float64, look_ahead: float) -> Float64:
        """Return float64 (R, 2), velocities towards the aims, braking towards the goal of those who stop there [m/s].

        Args:
            agents: everybody.
            rows: int64 (R,), people who have an aim.
            deceleration: float64 (R,), to brake with [m/s2].
            look_ahead: the goal is not passed within this time [s].
        """
        way = self.point[rows] - agents.position[rows]
        distance = np.sqrt((way * way).sum(axis=1))
        left = distance + (agents.end[rows] - self.at[rows])
        slow = np.minimum(np.sqrt(2.0 * deceleration * left), left / look_ahead)
        speed = np.where(agents.leaves[rows], np.inf, slow)
        return way * (np.minimum(speed, agents.pace[rows]) / np.maximum(distance, 1e-9))[:, None]


def _cut(lines: LinesOfSight, rows: Int64, references: ReferenceSet) -> Float64:
    """Return float64 (R,), how far ways of some bulge from the straight line from where they are to the place [m]."""
    points = _on_the_way(lines, rows, references, np.array((0.0, *_BETWEEN, 1.0)))
    chord, away = points[-1] - points[0], points[1:-1] - points[0]
    across = chord[:, 0] * away[..., 1] - chord[:, 1] * away[..., 0]
    length = np.sqrt((chord * chord).sum(axis=1))
    return np.abs(across).max(axis=0) / np.maximum(length, 1e-9)


def _narrowest(lines: LinesOfSight, rows: Int64, references: ReferenceSet, field: Distances, ahead: float) -> Float64:
    """Return float64 (R,), how wide the narrowest place is on ways of some from where they are to the place [m].

    That is across the place of the way that is nearest to something; from `NARROW` on it is not looked at further.
    """
    if not len(rows):
        return np.zeros(0)
    points = _on_the_way(lines, rows, references, _shares(ahead))
    room = field.signed_distance(points.reshape(-1, 2), 0.5 * NARROW).reshape(points.shape[:2])
    width = 2.0 * room.min(axis=0)
    close = np.flatnonzero(width < NARROW)
    nearest = points[room.argmin(axis=0)[close], close]
    beyond = 2.0 * nearest - field.nearest(nearest)[1]  # as far away on the other side
    width[close] += np.maximum(field.signed_distance(beyond, NARROW), 0.0)
    return width


def _shares(ahead: float) -> Float64:
    """Float64 (K,), the shares of a way at which it is looked at beside it, however many look at once."""
    return np.linspace(0.0, 1.0, 1 + int(np.ceil(ahead / STEP)))


def _on_the_way(lines: LinesOfSight, rows: Int64, references: ReferenceSet, shares: Float64) -> Float64:
    """Float64 (K, R, 2), at these shares of the ways of some to the place [m]."""
    start = lines.start[rows]
    places = start + shares[:, None] * (lines.place[rows] - start)  # (K, R)
    path = np.broadcast_to(lines.path[rows], places.shape).ravel()
    return references.to_cartesian(path, places.ravel(), np.zeros(places.size)).reshape(*places.shape, 2)
