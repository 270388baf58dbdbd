# SPDX-License-Identifier: GPL-3.0-or-later
"""Where everybody wants to go: plans along the references, renewed in turns, and ways round what closes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...planning import FrenetPlanner, Manners, Plans, ReferenceSet
from ...planning.paths.path_tables import PathTable
from ...steering.neighbours import close_pairs
from ..doing import Doing
from ..settings import SimulationSettings
from ..world.agents import ARRIVAL_DISTANCE, ARRIVED, WALKING, Agents
from ..world.static_ground import Still
from .aiming import Aims
from .detours import Detours, follow_line
from .path_tracking import planner_input
from .sidestep import step_aside

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

LAST_STEPS_SPEED = 0.6
"""How fast somebody walks who has come to the end of the way beside the goal [m/s]."""


class Guidance:
    """The plans of everybody, and the paths they are made on.

    Args:
        agents: everybody.
        references: their paths.
        manners: what each of them plans with.
        settings: how plans are made, and how often.

    Attributes:
        references: the paths; those of detours are added as they are found.
        detours: who is led round something.
    """

    def __init__(
        self, agents: Agents, references: ReferenceSet, manners: Manners, settings: SimulationSettings
    ) -> None:
        count = len(agents)
        self.agents, self.references, self.settings = agents, references, settings
        self.detours = Detours(count)
        self._aims = Aims(count)
        self._manners = manners
        self._planner = FrenetPlanner(references, settings.planner)
        self._plans = Plans.empty(count, references)
        self._planned_at = np.full(count, -np.inf)
        self._next_plan = np.zeros(count)
        self._groups = max(1, count // settings.planned_together)

    def begin(self, rows: Int64, time: float, still: Still) -> None:
        """Plan at once for newcomers, and from then on with their group: groups take turns within the interval."""
        if len(rows) == 0:
            return
        self._next_plan[rows] = time
        self.replan(time, still)
        interval = self.settings.replanning_interval
        turn = (rows % self._groups) / self._groups
        self._next_plan[rows] = (np.floor(time / interval - turn) + 1.0 + turn) * interval

    def replan(self, time: float, still: Still) -> None:
        """Make a new plan for those whose time has come and who do not simply walk towards what they see."""
        agents = self.agents
        due = (agents.status == WALKING) & (self._next_plan <= time + 1e-9)
        self._next_plan[due] += self.settings.replanning_interval
        own_way = np.isfinite(agents.goal[:, 0]) & ~self.detours.away
        self._aims.forget(np.flatnonzero(due & ~own_way))
        self._aims.look(agents, np.flatnonzero(due & own_way), self.references, still)
        rows = np.flatnonzero(due & ~self._aims.known)
        if len(rows) == 0:
            return
        wants = planner_input(agents, rows, self.references, self._plans, time - self._planned_at[rows])
        plans = self._planner.plan(replace(wants, manners=self._manners.rows(rows)), still.field)
        self._plans.put(rows, plans)
        self._planned_at[rows] = time

    def take(self, rows: Int64, paths: Sequence[PathTable], time: float, still: Still) -> None:
        """Put some of those with ways of their own on new ones, and plan along them at once.

        Args:
            rows: int64 (R,), who.
            paths: of each, from where they are to their goals.
            time: [s].
            still: what stands still now.
        """
        if len(rows) == 0:
            return
        agents = self.agents
        agents.path[rows] = self.detours.forget(agents, rows)
        tables = list(self.references.tables)
        for row, table in zip(rows, paths, strict=True):
            tables[agents.path[row]] = table  # nobody else is on it
        self._follow(ReferenceSet(tables))
        agents.end[rows] = self.references.lengths[agents.path[rows]]
        agents.s[rows], agents.d[rows] = self.references.to_frenet(
            agents.path[rows], agents.position[rows], np.zeros(len(rows))
        )
        self._planned_at[rows] = -np.inf
        self.begin(rows, time, still)

    def lead_round(self, time: float, still: Still) -> None:
        """Send round those who get no farther for long, and put those who have got round back on their route."""
        agents = self.agents
        self.detours.take_up_routes(agents, self.references)
        walking = np.flatnonzero(agents.status == WALKING)
        lost = self.detours.lost(agents, walking, self.references)
        alone = self._is_alone(walking)
        stuck = self._is_blocked(walking) | (self._is_idle(walking) & alone)
        # In a throng those with ways of their own wait for the others: what holds them up is no obstacle.
        waiting = np.isfinite(agents.goal[walking, 0]) & ~alone
        helpless = walking[(lost | stuck) & ~waiting & ~self._aims.clear[walking]]
        paths = self.detours.look_for(agents, helpless[~agents.waits[helpless]], time, self.references, still)
        unplanned = helpless[self.detours.away[helpless] & self._aims.known[helpless]]
        self._aims.forget(unplanned)
        self._next_plan[unplanned] = time
        if paths is not self.references:
            self._follow(paths)

    def _follow(self, paths: ReferenceSet) -> None:
        """Plan along other paths from now on."""
        self.references = self._plans.references = paths
        self._planner = FrenetPlanner(paths, self.settings.planner)

    def preferred_velocity(self, rows: Int64, time: float, still: Still) -> tuple[Float64, NDArray[np.int8]]:
        """Return float64 (R, 2), the velocity towards the aim, or along the plan and back onto it, and what they do.

        The second is int8 (R,), a `Doing` each.
        """
        agents, settings = self.agents, self.settings
        preferred = np.zeros((len(rows), 2))
        aiming = self._is_aiming(rows)
        aims = rows[aiming]
        preferred[aiming] = self._aims.velocity(
            agents, aims, self._manners.comfortable_deceleration[aims], settings.look_ahead
        )
        planned = (agents.status[rows] == WALKING) & ~aiming
        preferred[planned] = self._velocity_on_plan(rows[planned], time)
        blocked = self._is_blocked(rows)
        on_detour = blocked & self.detours.away[rows]
        aside = blocked & ~on_detour & ~agents.waits[rows]
        preferred[aside] = step_aside(agents, rows[aside], self.references, still.field)
        preferred[on_detour] = follow_line(agents, rows[on_detour], self.references)
        at_end = planned & (agents.s[rows] >= agents.end[rows] - ARRIVAL_DISTANCE) & ~agents.leaves[rows]
        preferred[at_end] = last_steps(agents, rows[at_end], preferred[at_end])
        speed = np.sqrt((preferred * preferred).sum(axis=1))
        most = settings.catching_up * agents.pace[rows]
        preferred *= np.minimum(1.0, most / np.maximum(speed, 1e-9))[:, None]
        return preferred, self._doing(rows, preferred, aside)

    def _doing(self, rows: Int64, preferred: Float64, aside: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Return int8 (R,), what some do whose preferred velocities are given; `aside`: who looks for an opening."""
        agents, detours = self.agents, self.detours
        doing = np.full(len(rows), Doing.WALKING, dtype=np.int8)
        stands = (preferred * preferred).sum(axis=1) < self.settings.standing_speed**2
        doing[stands] = Doing.STANDING
        doing[detours.away[rows]] = Doing.ON_DETOUR
        doing[aside] = np.where(stands[aside], Doing.WAITING, Doing.SIDE_STEPPING)
        slow = self.is_slow(rows)
        doing[slow & agents.waits[rows]] = Doing.WAITING
        refused = slow & detours.refused[rows]
        if refused.any():
            without_route = np.isin(rows, [*detours.no_way, *detours.gap])
            doing[refused] = np.where(without_route[refused], Doing.NO_ROUTE, Doing.WAITING)
        doing[agents.refused[rows]] = Doing.NO_ROUTE
        doing[agents.status[rows] == ARRIVED] = Doing.ARRIVED
        return doing

    def _velocity_on_plan(self, rows: Int64, time: float) -> Float64:
        """Return float64 (R, 2), the plan's own velocity, and what leads back to where the plan is by now.

        The straight way to where the plan leads a while ahead would cut every bend: by 26 cm at a radius of 1.5 m.
        """
        soon = 0.5 * self.settings.longest_step  # the velocity is held for a step: that of its middle is wanted
        then = time + self.agents.delay[rows]  # bodies that are late are shown where they will be by then
        place, velocity, *_ = self._plans.at(rows, then - self._planned_at[rows] + soon)
        off = place - soon * velocity - self.agents.position[rows]
        return velocity + off / self.settings.look_ahead

    def is_slow(self, rows: Int64) -> NDArray[np.bool_]:
        """Return bool (R,), who stands, or nearly."""
        return np.sqrt((self.agents.velocity[rows] ** 2).sum(axis=1)) < self.settings.blocked_speed

    def _is_blocked(self, rows: Int64) -> NDArray[np.bool_]:
        """Return bool (R,), who has come to stand, or nearly, because every plan runs into something."""
        walking = self.agents.status[rows] == WALKING
        return self._plans.collides[rows] & self.is_slow(rows) & walking & ~self._aims.known[rows]

    def _is_aiming(self, rows: Int64) -> NDArray[np.bool_]:
        """Return bool (R,), who walks straight towards what is in sight."""
        return self._aims.known[rows] & (self.agents.status[rows] == WALKING) & ~self.detours.away[rows]

    def _is_idle(self, rows: Int64) -> NDArray[np.bool_]:
        """Return bool (R,), who hardly moves, and is not there yet."""
        agents = self.agents
        slow = np.sqrt((agents.velocity[rows] ** 2).sum(axis=1)) < self.settings.idle_speed
        near_end = agents.s[rows] >= agents.end[rows] - 2 * ARRIVAL_DISTANCE
        return slow & ~near_end

    def _is_alone(self, rows: Int64) -> NDArray[np.bool_]:
        """Return bool (R,), who has nobody near enough to be held up by."""
        agents = self.agents
        alone = np.ones(len(agents), dtype=bool)
        present = np.flatnonzero(agents.present)
        close = close_pairs(agents.position[present], agents.radius[present] + 0.5 * self.settings.company)
        alone[present[close]] = False
        return alone[rows]


def last_steps(agents: Agents, rows: Int64, preferred: Float64) -> Float64:
    """Return preferred velocities with which those who were pushed off the end of their way still get to their goal.

    A plan d(s) leaves or rejoins the line only while it moves along it, and at the end of the line it stands.

    Args:
        agents: everybody.
        rows: int64 (R,), who has come to the end.
        preferred: float64 (R, 2), by their plans [m/s]; for those on drawn routes they stay.
    """
    way = agents.goal[rows] - agents.position[rows]
    length = np.sqrt((way * way).sum(axis=1, keepdims=True))
    beside = length > np.maximum(ARRIVAL_DISTANCE, agents.radius[rows])[:, None]  # not so where the goal is NaN
    return np.where(beside, way * (LAST_STEPS_SPEED / np.maximum(length, 1e-9)), preferred)
