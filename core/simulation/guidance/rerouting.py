# SPDX-License-Identifier: GPL-3.0-or-later
"""People with routes of their own search a new one when an obstacle blocks theirs, or opens a better one.

Such an obstacle is any that moves and rests, a door for example: people see where it rests, and where it is about to
come to rest. Those who have no route but through a door that will open again walk up to it and wait; those who have no
route at all stop before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ...array_types import Float64, Int64
from ...errors import NoRoute
from ...geometry.distance_field import ObstacleField
from ...geometry.segments import length_of
from ...planning import ReferenceSet
from ...planning.paths.path_tables import AnyPath
from ..population.personal_routes import Travellers, find_routes_or_wait
from ..settings import SimulationSettings
from ..world.agents import WALKING, Agents
from ..world.environment import Environment
from ..world.moving_obstacles import Pose, Resting
from ..world.static_ground import StaticGround
from .detours import Detours


class Rerouting:
    """Which state of the moving obstacles each agent knows.

    Args:
        agents: all agents.
        environment: the obstacles.
        settings: of the simulation.

    Attributes:
        stranded: agents who have no route any more, and why.
    """

    def __init__(self, agents: Agents, environment: Environment, settings: SimulationSettings) -> None:
        self._agents, self._environment, self._horizon = agents, environment, settings.planning_horizon
        self._settings, self._route_settings = settings.guidance.rerouting, settings.population.routes
        self._states = {0: environment.passages_at(0.0, self._horizon).resting}
        self._known_state = np.zeros(len(agents), dtype=np.int64)
        self._next_search = np.full(len(agents), -np.inf)
        self.stranded: dict[int, str] = {}

    def find_new_routes(self, time: float, references: ReferenceSet, detours: Detours) -> tuple[Int64, list[AnyPath]]:
        """Find new routes for agents whose route is blocked, or who have a better one now.

        Args:
            time: [s].
            references: the paths of all agents.
            detours: of people, at present.

        Returns:
            int64 (R,), those who change their route, and the paths along the new ones; `agents.waits` is up to date.
        """
        rows: list[int] = []
        paths: list[AnyPath] = []
        if not self._environment.movers:  # there is one state of the ground only
            return np.zeros(0, dtype=np.int64), paths
        agents, passages = self._agents, self._environment.passages_at(time, self._horizon)
        now = self._number_of(passages.resting)
        has_goal = np.isfinite(agents.goal[:, 0])
        self.stranded = {row: why for row, why in self.stranded.items() if has_goal[row]}
        outdated = has_goal & (agents.status == WALKING) & (self._known_state < now) & (self._next_search <= time)
        if not outdated.any():
            return np.zeros(0, dtype=np.int64), paths
        for known in np.unique(self._known_state[outdated]):
            some = np.flatnonzero(outdated & (self._known_state == known))
            remaining = partial(self._remaining_lines, references=references, detours=detours)
            found = self._reroute(some, self._states[known], passages, time, remaining)
            rows += found[0]
            paths += found[1]
        return np.array(rows, dtype=np.int64), paths

    def _number_of(self, resting: Resting) -> int:
        """Return the number of the present state of the obstacles; states that no agent knows any more are dropped."""
        last = max(self._states)
        if resting == self._states[last]:
            return last
        known = set(self._known_state.tolist())
        self._states = {number: state for number, state in self._states.items() if number in known}
        self._states[last + 1] = resting
        return last + 1

    def _reroute(
        self,
        rows: Int64,
        before: Resting,
        passages: StaticGround,
        time: float,
        remaining: Callable[[Int64], list[Float64]],
    ) -> tuple[list[int], Sequence[AnyPath]]:
        """Find new routes for agents who know the same earlier state."""
        agents = self._agents
        new = [mover for mover in passages.resting if mover not in before]
        opened = any(mover not in passages.resting for mover in before)
        comes = ObstacleField([self._environment.movers[number].polygon(pose) for number, pose in new])
        covered = comes.signed_distance(agents.position[rows]) < agents.radius[rows]
        self._next_search[rows[covered]] = time + self._settings.retry_time
        rows = rows[~covered]
        self._known_state[rows] = max(self._states)
        left = remaining(rows)
        blocked_at = self._first_blocked(left, rows, comes)
        in_need = np.isfinite(blocked_at[:, 0]) | agents.waits[rows] | np.isin(rows, list(self.stranded))
        asking = np.flatnonzero(in_need | opened)
        rows, in_need, blocked_at, left = rows[asking], in_need[asking], blocked_at[asking], [left[k] for k in asking]
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
            reach=agents.reach[rows],
        )
        routes, waits = find_routes_or_wait(people, passages, for_good, self._route_settings)
        chosen = []
        for k, row in enumerate(rows.tolist()):
            reason = routes.reasons[k]
            if reason is None:
                self.stranded.pop(row, None)
            elif in_need[k]:
                self.stranded[row] = self._reason_with_obstacle(reason, blocked_at[k], new, self.stranded.get(row))
                agents.waits[row] = False
            if reason is not None or (waits[k] and (agents.waits[row] or not in_need[k])):
                continue
            if in_need[k] or length_of(routes.lines[k]) <= self._settings.worthwhile_share * length_of(left[k]):
                agents.waits[row] = waits[k]
                chosen.append(k)
        return rows[chosen].tolist(), routes.walkable(chosen)

    def _reason_with_obstacle(
        self, reason: NoRoute, place: Float64, new: list[tuple[int, Pose]], before: str | None
    ) -> str:
        """Return why there is no route, with the obstacle that blocks it, and where."""
        if not np.isfinite(place).all():
            return before or str(reason)
        movers = self._environment.movers
        apart = [movers[number].shape.signed_distance(pose.to_own(place[None]))[0] for number, pose in new]
        name = movers[new[int(np.argmin(apart))][0]].obstacle.name
        return f"'{name}' blocks the route at ({place[0]:.1f}, {place[1]:.1f}). {reason}"

    def _remaining_lines(self, rows: Int64, references: ReferenceSet, detours: Detours) -> list[Float64]:
        """Return the rest of some agents' routes, and of their detours, float64 (P, 2) each [m]."""
        lines = []
        for row in rows.tolist():
            parts = []
            for path, begin, end in detours.remaining_stretches(self._agents, row, references):
                s = np.append(np.arange(begin, end, self._settings.spacing), end)
                parts.append(references.to_cartesian(np.full(len(s), path), s, np.zeros(len(s))))
            lines.append(np.concatenate(parts))
        return lines

    def _first_blocked(self, lines: list[Float64], rows: Int64, comes: ObstacleField) -> Float64:
        """Return float64 (R, 2), the first place where a new obstacle is too near to a line; NaN for none [m]."""
        places = np.full((len(rows), 2), np.nan)
        if comes.empty or not lines:
            return places
        points = np.concatenate(lines)
        line_of = np.repeat(np.arange(len(rows)), [len(line) for line in lines])
        near = np.flatnonzero(comes.signed_distance(points) < self._agents.radius[rows][line_of])
        closed, first = np.unique(line_of[near], return_index=True)
        places[closed] = points[near[first]]
        return places
