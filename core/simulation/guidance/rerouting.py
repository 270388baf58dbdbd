# SPDX-License-Identifier: GPL-3.0-or-later
"""Those who are told only where to go look for another way when a door closes theirs, or opens a better one.

A door is any obstacle that moves and rests: people see where it rests, and where it is about to come to rest. Who has
no way but through a closed door that will open again walks up to it and waits; who has none at all stops before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...errors import NoRoute
from ...geometry.distance_field import ObstacleField
from ...geometry.segments import length_of
from ...planning import ReferenceSet
from ...planning.paths.path_tables import PathTable
from ..population.personal_routes import Travellers, find_ways_or_wait
from ..world.agents import WALKING, Agents
from ..world.environment import Environment
from ..world.moving_obstacles import Pose, Resting
from ..world.static_ground import StaticGround
from .detours import Detours

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

WORTH_IT = 0.9
"""Somebody whose way is free takes another one that is at most so many times as long as what is left of it."""

SECOND_LOOK = 0.5
"""Who stands where a door comes to rest goes on, and looks again after so long [s]."""

STEP = 0.2
"""So far apart the way ahead is looked at [m]."""


class Rerouting:
    """Who knows of which doors.

    Args:
        agents: everybody.
        environment: what stands and moves round them.
        horizon: so long ahead people see where something comes to rest [s].

    Attributes:
        stranded: who has no way on, and why.
    """

    def __init__(self, agents: Agents, environment: Environment, horizon: float) -> None:
        self._agents, self._environment, self._horizon = agents, environment, horizon
        self._states = {0: environment.passages_at(0.0, horizon).resting}
        self._known = np.zeros(len(agents), dtype=np.int64)
        self._next_look = np.full(len(agents), -np.inf)
        self._own_goal = np.isfinite(agents.goal[:, 0])
        self.stranded: dict[int, str] = {}

    def look(self, time: float, references: ReferenceSet, detours: Detours) -> tuple[Int64, list[PathTable]]:
        """Find new ways for those who need them, or to whom something better has opened.

        Args:
            time: [s].
            references: the paths of everybody.
            detours: who is led round something now.

        Returns:
            int64 (R,), who takes a new way, and the paths along them; `agents.waits` is up to date.
        """
        passages = self._environment.passages_at(time, self._horizon)
        now = self._number_of(passages.resting)
        agents = self._agents
        behind = self._own_goal & (agents.status == WALKING) & (self._known < now) & (self._next_look <= time)
        rows: list[int] = []
        paths: list[PathTable] = []
        for known in np.unique(self._known[behind]):
            some = np.flatnonzero(behind & (self._known == known))
            ahead = partial(self._way_left, references=references, detours=detours)
            found = self._look_again(some, self._states[known], passages, time, ahead)
            rows += found[0]
            paths += found[1]
        return np.array(rows, dtype=np.int64), paths

    def _number_of(self, resting: Resting) -> int:
        """Return the number of what closes ways now; what nobody who is still to look knows any more is dropped."""
        last = max(self._states)
        if resting == self._states[last]:
            return last
        known = set(self._known.tolist())
        self._states = {number: state for number, state in self._states.items() if number in known}
        self._states[last + 1] = resting
        return last + 1

    def _look_again(
        self, rows: Int64, before: Resting, passages: StaticGround, time: float, ahead: Callable[[Int64], list[Float64]]
    ) -> tuple[list[int], Sequence[PathTable]]:
        """Find ways for those who knew the same state before."""
        agents = self._agents
        new = [mover for mover in passages.resting if mover not in before]
        opened = any(mover not in passages.resting for mover in before)
        comes = ObstacleField([self._environment.movers[number].polygon(pose) for number, pose in new])
        held = comes.signed_distance(agents.position[rows]) < agents.radius[rows]
        self._next_look[rows[held]] = time + SECOND_LOOK
        rows = rows[~held]
        self._known[rows] = max(self._states)
        left = ahead(rows)
        closed_at = self._where_closed(left, rows, comes)
        in_need = np.isfinite(closed_at[:, 0]) | agents.waits[rows] | np.isin(rows, list(self.stranded))
        asking = np.flatnonzero(in_need | opened)
        rows, in_need, closed_at, left = rows[asking], in_need[asking], closed_at[asking], [left[k] for k in asking]
        for_good = self._environment.for_good(time, self._horizon)
        others = agents.status == WALKING
        others[rows] = False
        people = Travellers(
            agents.position[rows],
            agents.goal[rows],
            agents.radius[rows],
            agents.lane[rows],
            agents.position[others],
            party=agents.group[rows],
        )
        ways, waits = find_ways_or_wait(people, passages, for_good)
        chosen = []
        for k, row in enumerate(rows.tolist()):
            reason = ways.reasons[k]
            if reason is None:
                self.stranded.pop(row, None)
            elif in_need[k]:
                self.stranded[row] = self._told(reason, closed_at[k], new, self.stranded.get(row))
                agents.waits[row] = False
            if reason is not None or (waits[k] and (agents.waits[row] or not in_need[k])):
                continue
            if in_need[k] or length_of(ways.lines[k]) <= WORTH_IT * length_of(left[k]):
                agents.waits[row] = waits[k]
                chosen.append(k)
        return rows[chosen].tolist(), ways.walkable(chosen).tables if chosen else ()

    def _told(self, reason: NoRoute, place: Float64, new: list[tuple[int, Pose]], before: str | None) -> str:
        """Return why there is no way, with the door that closed it and where."""
        if not np.isfinite(place).all():
            return before or str(reason)
        movers = self._environment.movers
        apart = [movers[number].shape.signed_distance(pose.to_own(place[None]))[0] for number, pose in new]
        name = movers[new[int(np.argmin(apart))][0]].obstacle.name
        return f"'{name}' blocks the route at ({place[0]:.1f}, {place[1]:.1f}). {reason}"

    def _way_left(self, rows: Int64, references: ReferenceSet, detours: Detours) -> list[Float64]:
        """What is left of some agents' ways, with what is left of their detours, float64 (P, 2) each [m]."""
        lines = []
        for row in rows.tolist():
            parts = []
            for path, begin, end in detours.stretches_left(self._agents, row, references):
                s = np.append(np.arange(begin, end, STEP), end)
                parts.append(references.to_cartesian(np.full(len(s), path), s, np.zeros(len(s))))
            lines.append(np.concatenate(parts))
        return lines

    def _where_closed(self, lines: list[Float64], rows: Int64, comes: ObstacleField) -> Float64:
        """Return float64 (R, 2), the first place where what has come is too near to a way; NaN where none is [m]."""
        places = np.full((len(rows), 2), np.nan)
        if comes.empty or not lines:
            return places
        points = np.concatenate(lines)
        whose = np.repeat(np.arange(len(rows)), [len(line) for line in lines])
        near = np.flatnonzero(comes.signed_distance(points) < self._agents.radius[rows][whose])
        closed, first = np.unique(whose[near], return_index=True)
        places[closed] = points[near[first]]
        return places
