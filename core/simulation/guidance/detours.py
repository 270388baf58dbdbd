# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever stands before something that no plan and no step aside gets past is led round it by the corridor map.

A detour is a reference path of its own, from where somebody stands to a place farther along the route; there the route
is taken up again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import NoRoute
from ...geometry.segments import length_of
from ...planning import ReferenceSet
from ...routing import RecordedMap
from ..population.narrow_gaps import Gap, gap_on_the_way
from ..world.agents import Agents
from ..world.static_ground import StaticGround

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

PATIENCE = 1.0
"""Somebody who has been blocked for so long looks for a way round [s]."""

LOST, LOST_ON_DETOUR = 1.0, 0.6
"""So far outside the width of the route, or off the line of a detour, a way back is looked for [m]."""

NEXT_TRY = 3.0
"""Who has found none, or is led astray, looks again after so long, and then after twice as long [s]."""

REJOIN = (2.0, 3.0, 4.5, 6.5, 9.0, 12.0, 16.0)
"""How far along the route it may be taken up again, nearest first [m]."""

LONGEST = (2.5, 5.0)
"""A detour is at most so many times as long as the way it saves, and so much more [m]."""

IN_VAIN = 1
"""After so many more detours that did not come to the route it is taken up farther along."""

RUN_IN = 1.5
"""The end of a detour runs along the route for so long, so that it is joined in its direction [m]."""

ROOM, LEAST_ROOM = 0.12, 0.03
"""Room beyond the radius that a way round should have, and must have [m]."""

LINE_SPEED = 0.7
"""How fast somebody follows the line itself, where no plan beside it is free [m/s]."""

HALF_WIDTH = 1.0
"""How far somebody on a detour may leave it [m]."""


class Detours:
    """Who gets no farther since when, and who is on a detour from which route.

    Attributes:
        away: bool (A,), who is on a detour.
        refused: bool (A,), for whom no way round was found, and who has got no farther since.
        missing: why there can be no map to look for a way in; empty where there can.
        no_way: who of the refused cannot come to the end of their route by any way, and the sentence that says why.
        way_round: how long the way is that leads the others of them to the end of their route [m].
        open_way: how long the way on is where it is short enough and has room, and they do not get there [m].
        gap: the gap that is too narrow for who of the refused would have a way through it that is short enough.
    """

    def __init__(self, count: int) -> None:
        self.away = np.zeros(count, dtype=bool)
        self.refused = np.zeros(count, dtype=bool)
        self.missing = ""
        self.no_way: dict[int, str] = {}
        self.way_round: dict[int, float] = {}
        self.open_way: dict[int, float] = {}
        self.gap: dict[int, Gap] = {}
        self._blocked_since = np.full(count, np.inf)
        self._next_try = np.full(count, -np.inf)
        self._wait = np.full(count, NEXT_TRY)
        self._path = np.zeros(count, dtype=np.int64)
        self._end = np.zeros(count)
        self._offset = np.zeros(count)
        self._rejoin = np.zeros(count)
        self._in_vain = np.zeros(count, dtype=np.int64)  # detours on end that have not come to the route

    def look_for(
        self, agents: Agents, blocked: Int64, time: float, references: ReferenceSet, still: StaticGround
    ) -> ReferenceSet:
        """Send those who have been blocked for long on a detour, and return the paths with the new ones among them.

        Args:
            agents: everybody; who is sent round has `path`, `s`, `d`, `end` and `wanted_offset` changed.
            blocked: int64 (B,), who gets no farther now.
            time: [s].
            references: the paths.
            still: what stands now.
        """
        since = np.full(len(agents), np.inf)
        since[blocked] = np.minimum(self._blocked_since[blocked], time)
        self._blocked_since = since
        self.refused &= np.isfinite(since)
        impatient = np.flatnonzero((time - since >= PATIENCE) & (time >= self._next_try))
        corridors = still.corridors if len(impatient) else None
        if corridors is None:
            self.refused[impatient] = True
            for row in impatient.tolist():
                self._forget_why(row)  # what a map told of other obstacles
            self.missing = still.missing if len(impatient) else self.missing
            return references
        found, lines = [], []
        for row in impatient:  # few, and seldom: each asks the map for a way of its own
            line = self._way_round(agents, int(row), references, corridors)
            if line is None:
                self.refused[row] = True
                self._look_to_the_end(agents, int(row), references, corridors)
                self._next_try[row] = time + self._wait[row]
                self._wait[row] *= 2.0
            else:
                found.append(int(row))
                lines.append(line)
        if not found:
            return references
        ways = ReferenceSet.from_polylines(lines, half_width=HALF_WIDTH)
        self._start_people(agents, np.array(found), len(references), time)
        return ReferenceSet([*references.tables, *ways.tables])

    def forget(self, agents: Agents, rows: Int64) -> Int64:
        """Take some off their detours, if they are on one, and return int64 (R,), the routes that they came from."""
        home = np.where(self.away[rows], self._path[rows], agents.path[rows])
        self.away[rows] = False
        self.refused[rows] = False
        self._blocked_since[rows] = np.inf
        return home

    def stretches_left(self, agents: Agents, row: int, references: ReferenceSet) -> list[tuple[int, float, float]]:
        """Return what somebody still has to walk: on each path in turn, from where to where [m].

        Args:
            agents: everybody.
            row: who, on a route that has an end.
            references: the paths.
        """
        path, s = int(agents.path[row]), float(agents.s[row])
        if not self.away[row]:
            return [(path, s, float(min(agents.end[row], references.lengths[path])))]
        home, joined = int(self._path[row]), max(s, float(references.lengths[path]) - RUN_IN)
        end = float(min(self._end[row], references.lengths[home]))
        begin = float(self._rejoin[row]) + joined - (float(references.lengths[path]) - RUN_IN)
        return [(path, s, joined), (home, min(begin, end), end)]

    def lost(self, agents: Agents, rows: Int64, references: ReferenceSet) -> NDArray[np.bool_]:
        """Return bool (R,), who is so far off that the way back may lead past an obstacle."""
        reach = np.where(self.away[rows], LOST_ON_DETOUR, references.half_widths[agents.path[rows]] + LOST)
        return np.abs(agents.d[rows]) > reach

    def take_up_routes(self, agents: Agents, references: ReferenceSet) -> None:
        """Put those who have come to the end of their detour back on their route."""
        rows = np.flatnonzero(self.away)
        if len(rows) == 0:
            return
        left = references.lengths[agents.path[rows]] - agents.s[rows]
        done = left <= 0.5 * RUN_IN
        rows, left = rows[done], left[done]
        agents.path[rows], agents.end[rows] = self._path[rows], self._end[rows]
        agents.wanted_offset[rows] = self._offset[rows]
        near = self._rejoin[rows] + RUN_IN - left
        agents.s[rows], agents.d[rows] = references.to_frenet(agents.path[rows], agents.position[rows], near)
        self.away[rows] = False

    def _start_people(self, agents: Agents, rows: Int64, first_path: int, time: float) -> None:
        """Note where some agents come from, and put them at the start of their detours."""
        home = rows[~self.away[rows]]
        self._path[home], self._end[home] = agents.path[home], agents.end[home]
        self._offset[home] = agents.wanted_offset[home]
        self._in_vain[rows] += 1
        self._in_vain[home] = 0
        self.away[rows] = True
        agents.path[rows] = first_path + np.arange(len(rows))
        agents.s[rows], agents.d[rows], agents.end[rows], agents.wanted_offset[rows] = 0.0, 0.0, np.inf, 0.0
        self._blocked_since[rows] = np.inf
        self._next_try[rows] = time + NEXT_TRY
        self._wait[rows] = NEXT_TRY

    def _way_round(self, agents: Agents, row: int, references: ReferenceSet, corridors: RecordedMap) -> Float64 | None:
        """Return float64 (P, 3), the shortest detour that is short enough; None where there is none."""
        route, s = agents.path[row], agents.s[row]
        if self.away[row]:
            # who does not get there time and again is not to go round and round: it joins farther along
            again = REJOIN[0] if self._in_vain[row] < IN_VAIN else 0.0
            route, s = self._path[row], self._rejoin[row] - again
        end = np.inf if references.closed[route] else references.lengths[route]
        for ahead in REJOIN:
            rejoin = min(s + ahead, end)
            tail = references.to_cartesian(np.full(7, route), rejoin + np.linspace(0.0, RUN_IN, 7), np.zeros(7))
            way = _path_between(corridors, agents.position[row], tail[0], float(agents.radius[row]))
            if way is not None and length_of(way) <= LONGEST[0] * ahead + LONGEST[1]:
                self._rejoin[row] = rejoin
                line = np.concatenate([way, tail[1:]])
                height = references.height(np.full(2, route), np.array([s, rejoin]))
                return np.column_stack([line, np.linspace(height[0], height[1], len(line))])
            if rejoin == end:
                break
        return None

    def _forget_why(self, row: int) -> None:
        for known in (self.no_way, self.way_round, self.open_way, self.gap):
            known.pop(row, None)

    def _look_to_the_end(self, agents: Agents, row: int, references: ReferenceSet, corridors: RecordedMap) -> None:
        """Note whether anything leads from somebody to the end of the route, how long it is, and what gap is no way."""
        route = int(self._path[row] if self.away[row] else agents.path[row])
        self._forget_why(row)
        radius = float(agents.radius[row]) + LEAST_ROOM
        s = float(self._rejoin[row] if self.away[row] else agents.s[row])
        rejoin = s + REJOIN[-1] if references.closed[route] else min(s + REJOIN[-1], float(references.lengths[route]))
        goal = references.to_cartesian([route], [rejoin], [0.0])[0]
        longest = LONGEST[0] * (rejoin - s) + LONGEST[1]
        if self._note_open_way(agents.position[row], goal, row, radius, corridors):
            return
        gap = gap_on_the_way(corridors, agents.position[row], goal, radius=radius, longest=longest)
        if gap is not None:
            self.gap[row] = gap
        if references.closed[route]:
            return
        end = references.to_cartesian([route], references.lengths[[route]], [0.0])[0]
        try:
            way = corridors.path(agents.position[row], end, radius)
            self.way_round[row] = length_of(way)
        except NoRoute as reason:
            self.no_way[row] = str(reason)  # no exception, which would keep alive all that its raising saw

    def _note_open_way(self, place: Float64, goal: Float64, row: int, radius: float, corridors: RecordedMap) -> bool:
        """Note the way of somebody to where they join their route, and tell whether it is short enough.

        Who has not come through on several detours is to join farther and farther along, until what would be saved by
        another one is little, though the way on is open: others stand in it.
        """
        apart = goal - place
        try:
            length = length_of(corridors.path(place, goal, radius))
        except NoRoute:
            return False
        if length > LONGEST[0] * float(np.sqrt((apart * apart).sum())) + LONGEST[1]:
            return False
        self.open_way[row] = length
        return True


def follow_line(agents: Agents, rows: Int64, references: ReferenceSet) -> Float64:
    """Return float64 (R, 2), velocities along the line of a detour itself, which has room where no plan has [m/s].

    Args:
        agents: everybody.
        rows: int64 (R,), who is on a detour and finds no plan.
        references: the paths.
    """
    target = references.to_cartesian(agents.path[rows], agents.s[rows] + 2 * ROOM, np.zeros(len(rows)))
    way = target - agents.position[rows]
    length = np.sqrt((way * way).sum(axis=1, keepdims=True))
    return way * (np.minimum(LINE_SPEED, 3.0 * length) / np.maximum(length, 1e-9))


def _path_between(corridors: RecordedMap, start: Float64, goal: Float64, radius: float) -> Float64 | None:
    """Return the way for a body, with as much room as there is; None where it cannot pass."""
    for room in (ROOM, LEAST_ROOM):
        try:
            return corridors.path(start, goal, radius + room)
        except NoRoute:
            continue
    return None
