# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a door people wait their turn: who is nearest goes first, and nobody presses on before those.

    Turns(wanted_speed)
        .look(agents, rows, references, ...)             who is before which door
        .wait(agents, rows, preferred, ...) -> (R, 2)    preferred velocities, slowed down before doors

Avoidance alone lets a throng press into a door until those in front hold each other in an arch. People who see a door
ahead keep as far from it as those take up room who are nearer, and come closer as these go through; who has come too
near steps back. A door lets through so many in a time, by its width, and its clock tells when it is the next one's
turn. To be beside its axis counts thrice: those in front of it go before those along the wall, who would have to
squeeze round its corner.

Sources: Weidmann 1993 and Seyfried et al. 2009, "New insights into pedestrian flow through bottlenecks": flow by width.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...geometry.reproducible_math import exp, heading_vector
from ...planning import ReferenceSet
from ..world.agents import WALKING, Agents
from .doors import AHEAD, WIDEST, look_ahead

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

FLOW = 1.8
"""People who pass a door for each metre of its width [1/m/s]."""

QUEUE = 2.0
"""People who wait before a door stand as densely as this at most [1/m2]."""

SAME_DOOR = 0.5
"""Places nearer to each other than this belong to one door [m]."""

ONE_SIDED = 0.5
"""What stands across from a door's nearest side is no farther off than this share of half its width."""

LOOKS = 8
"""Everybody looks at the way ahead once in so many steps."""

CLOSING_UP = 0.7
"""Who stands farther back than need be closes up within this time [s]."""

SMOOTHING, FREELY = 0.2, 1.5
"""What people want to go at follows their turn within this time [s]; so many times their speed holds back nobody."""

LANE = 0.8
"""What one person takes of the width of a door [m]."""

ASIDE, SHAPE = 3.0, 0.41
"""So many times does it count to be beside a door's axis. What lies nearer than 1 m, counted so, has this area [m2]."""

OWN_TURN, AT_DOOR = 0.5, 1.2
"""Whose turn it is: fewer than the first are to pass before, and it is less than the second to the door [m]."""

KEEPS_TURN = 0.2
"""Somebody else must be by more than this nearer to take the turn of who has it [m]."""

PATIENCE = 4.0
"""When nobody has gone through for so long whose turn it is, others come on, too [s]."""

TOO_NEAR, NEAR = 0.15, 2.0
"""Who is nearer than the second to a door, and by more than the first nearer than the turn allows, steps back [m]."""

BACK = 0.2
"""Who has come too near steps back no faster than this [m/s]."""


class Turns:
    """The doors that are known, and who is before which.

    Args:
        wanted_speed: float64 (A,), of everybody [m/s].

    Attributes:
        door: int64 (A,), which door each is before; -1 for none.
        left: float64 (A,), how far it is from there to the door, less for who has the turn [m].
        insists: bool (A,), whose turn it is, right before a door.
    """

    def __init__(self, wanted_speed: Float64) -> None:
        count = len(wanted_speed)
        self.door = np.full(count, -1)
        self.left = np.full(count, np.inf)
        self.insists = np.zeros(count, dtype=bool)
        self._steps = 0
        self._most = FREELY * wanted_speed
        self._place, self._way = np.zeros((0, 2)), np.zeros((0, 2))
        self._width, self._ready, self._held_up = np.zeros(0), np.zeros(0), np.zeros(0)

    def look(self, agents: Agents, rows: Int64, references: ReferenceSet, field: Distances, time: float) -> None:
        """Let some see which doors are ahead of them, and let those go on who are through.

        Args:
            agents: everybody.
            rows: int64 (R,), who is present.
            references: their ways.
            field: distances to what stands.
            time: [s].
        """
        own_way = np.isfinite(agents.goal[rows, 0]) & (agents.status[rows] == WALKING) & agents.avoids[rows]
        self._note_who_passed(agents, rows, time)
        self.door[rows[~own_way]] = -1
        some = rows[own_way]
        due = (some + self._steps) % LOOKS == 0
        self._steps += 1
        self._look(agents, some[due], references, field)

    def wait(self, agents: Agents, rows: Int64, preferred: Float64, time: float, dt: float) -> Float64:
        """Return preferred velocities, float64 (R, 2), of people who wait their turn at doors [m/s].

        Args:
            agents: everybody.
            rows: int64 (R,), who is present.
            preferred: float64 (R, 2), where each would go [m/s].
            time: [s].
            dt: of the step [s].
        """
        before = rows[self.door[rows] >= 0]
        self.left[:] = np.inf
        if not len(self._width):
            return preferred
        self.left[before] = self._distance(agents, before) - KEEPS_TURN * self.insists[before]
        free = FREELY * agents.wanted_speed
        most = free.copy()
        ahead = self._ahead(before, time)
        self.insists[:] = False
        self.insists[before] = (ahead < OWN_TURN) & (self.left[before] < AT_DOOR)
        held_up = np.bincount(self.door[before[self.insists[before]]], minlength=len(self._width)) > 0
        self._held_up = np.where(held_up, self._held_up + dt, 0.0)
        most[before] = np.minimum(self._fastest(before, ahead), free[before])
        self._most[rows] += (most[rows] - self._most[rows]) * (1.0 - exp(-dt / SMOOTHING))
        speed = np.sqrt((preferred * preferred).sum(axis=1))
        share = np.minimum(1.0, self._most[rows] / np.maximum(speed, 1e-9))
        return np.where((self._most < 0.99 * free)[rows, None], share[:, None] * preferred, preferred)

    def _ahead(self, before: Int64, time: float) -> Float64:
        """Return float64 (N,), how many people are to pass before people who are before doors."""
        door, left = self.door[before], self.left[before]
        order = np.lexsort((left, door))
        rank = np.empty(len(before))
        rank[order] = np.arange(len(before)) - np.searchsorted(door[order], door[order])
        late = np.maximum(self._held_up[door] - PATIENCE, 0.0)
        return np.maximum(rank + FLOW * self._width[door] * (np.maximum(self._ready[door] - time, 0.0) - late), 0.0)

    def _fastest(self, before: Int64, ahead: Float64) -> Float64:
        """Return float64 (N,), how fast people before doors may go so as not to press [m/s]."""
        left, width = self.left[before], self._width[self.door[before]]
        # So many fill what lies nearer in this sense, `SHAPE` times its square, and before the rest of the width.
        beside = np.maximum(width - LANE, 0.0)
        back = (np.sqrt(beside * beside + 4.0 * SHAPE * ahead / QUEUE) - beside) / (2.0 * SHAPE)
        onward = FLOW * width / (QUEUE * np.maximum(2.0 * SHAPE * back + beside, 0.1))
        off = left - back
        pace = np.clip(1.0 + off / TOO_NEAR, 0.0, 1.0) * onward + np.maximum(off, 0.0) / CLOSING_UP
        away = np.where(left < NEAR, np.maximum(off + TOO_NEAR, -BACK), 0.0)
        return np.where(off > -TOO_NEAR, pace / np.clip(ahead, 1e-9, 1.0), away)

    def _note_who_passed(self, agents: Agents, rows: Int64, time: float) -> None:
        """Set on the clocks of doors by those who have come through."""
        before = rows[self.door[rows] >= 0]
        through = before[self._place_before(agents, before)[0] >= 0.0]
        if not len(through):
            return
        count = np.bincount(self.door[through], minlength=len(self._width))
        self._ready = np.where(count > 0, np.maximum(self._ready, time) + count / (FLOW * self._width), self._ready)
        self._held_up[count > 0] = 0.0
        self.door[through] = -1

    def _place_before(self, agents: Agents, before: Int64) -> tuple[Float64, Float64]:
        """Return float64 (N,) each, how far people are beyond the doors they are before, and left of them [m]."""
        door = self.door[before]
        off, way = agents.position[before] - self._place[door], self._way[door]
        return (off * way).sum(axis=1), off[:, 1] * way[:, 0] - off[:, 0] * way[:, 1]

    def _distance(self, agents: Agents, before: Int64) -> Float64:
        """Return float64 (N,), how far people are from the doors they are before [m]."""
        along, beside = self._place_before(agents, before)
        room = np.maximum(0.5 * self._width[self.door[before]] - agents.radius[before], 0.0)
        beside = np.maximum(np.abs(beside) - room, 0.0)
        return np.sqrt(along * along + beside * beside) + (ASIDE - 1.0) * beside

    def _look(self, agents: Agents, rows: Int64, references: ReferenceSet, field: Distances) -> None:
        """Find the next door on the ways of some agents."""
        self.door[rows] = -1
        if not len(rows):
            return
        seen = look_ahead(agents.path[rows], agents.s[rows], agents.end[rows], references)
        self._look_straight(agents, rows[seen.wide], references)
        found = np.flatnonzero(seen.at >= 0)
        if not len(found):
            return
        row, at = rows[found], seen.at[found]
        where = seen.places[found, at]
        point = references.to_cartesian(agents.path[row], where, 0.5 * (seen.left[found, at] - seen.right[found, at]))
        self._put(
            agents, row, self._doors_at(point, heading_vector(references.pose(agents.path[row], where)[2]), field)
        )

    def _look_straight(self, agents: Agents, rows: Int64, references: ReferenceSet) -> None:
        """Find which of the known doors those come to first whose ways go straight on: nobody measured room there."""
        if not (len(rows) and len(self._width)):
            return
        here = agents.position[rows]
        ahead = np.minimum(agents.s[rows] + AHEAD, agents.end[rows])
        run = references.to_cartesian(agents.path[rows], ahead, np.zeros(len(rows))) - here
        away, (x, y) = self._place - here[:, None], self._way.T  # (R, D, 2)
        to_door, speed = away[..., 0] * x + away[..., 1] * y, run[:, :1] * x + run[:, 1:] * y
        share = to_door / np.where(speed > 0.0, speed, np.inf)
        off = (run[:, None] * share[..., None]) - away
        through = (to_door > 0.0) & (share <= 1.0) & (np.abs(off[..., 0] * y - off[..., 1] * x) < 0.5 * self._width)
        through &= speed > 0.0
        first = np.where(through, share, np.inf).argmin(axis=1)
        some = through.any(axis=1)
        self._put(agents, rows[some], first[some])

    def _put(self, agents: Agents, rows: Int64, door: Int64) -> None:
        """Note before which doors some are, unless they are through already."""
        self.door[rows] = door
        rows = rows[door >= 0]
        self.door[rows[self._place_before(agents, rows)[0] >= 0.0]] = -1

    def _doors_at(self, point: Float64, way: Float64, field: Distances) -> Int64:
        """Return int64 (N,), which doors are passed at points in directions, (N, 2) each; -1 where there is none."""
        door = self._known_at(point, way)
        unknown = np.flatnonzero(door < 0)
        if not len(unknown):
            return door
        half, closest = field.nearest(point[unknown])
        across = point[unknown] - closest
        opposite = field.signed_distance(point[unknown] + across)
        real = (half > 0.0) & (opposite < ONE_SIDED * half) & (half < 0.5 * WIDEST)
        unknown, half, across = unknown[real], half[real], across[real] / half[real, None]
        axis = np.stack((across[:, 1], -across[:, 0]), axis=1)
        axis *= np.where((axis * way[unknown]).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
        while len(unknown):
            self._place = np.concatenate((self._place, point[unknown[:1]]))
            self._way = np.concatenate((self._way, axis[:1]))
            self._width, self._ready = np.append(self._width, 2.0 * half[0]), np.append(self._ready, -np.inf)
            self._held_up = np.append(self._held_up, 0.0)
            door[unknown] = self._known_at(point[unknown], way[unknown])
            door[unknown[0]] = len(self._width) - 1
            left = door[unknown] < 0
            unknown, half, axis = unknown[left], half[left], axis[left]
        return door

    def _known_at(self, point: Float64, way: Float64) -> Int64:
        """Return int64 (N,), which of the known doors are passed at points in directions; -1 where there is none."""
        if not len(self._width):
            return np.full(len(point), -1)
        off = point[:, None] - self._place
        near = (off * off).sum(axis=2) < np.maximum(0.5 * self._width, SAME_DOOR) ** 2
        near &= (way[:, None] * self._way).sum(axis=2) > 0.0
        return np.where(near.any(axis=1), near.argmax(axis=1), -1)
