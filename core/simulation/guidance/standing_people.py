# SPDX-License-Identifier: GPL-3.0-or-later
"""People who stand are ground for others: people who walk plan their routes round them, as round obstacles.

People count who stand because they want to: they have arrived, are at a stop, wait before a shut door, are
bystanders, or heroes at rest; and so do vehicles that have stopped. People in the queue of a stop count where their
place is: nobody plans to walk through while they move up. People in a queue at a door or in a jam are no ground: those
behind them wait, or would push ahead. People who find no path beside them near the end of the route, nor any detour, or
have been held up for a while, walk on as if they were not there, and they make way (`behaviours/making_way.py`).
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.disc_field import DiscField, StandingDiscs
from ...geometry.distances import Distances
from ...geometry.field_settings import DiscFieldSettings
from ...geometry.reproducible_math import length, length2
from ..places.nearby_bodies import NearbyBodies
from ..settings.guidance_settings import StandingPeopleSettings
from ..world.agents import ARRIVED, STOPPED, WALKING, Agents
from ..world.heroes import HeroBodies

_NOBODY = StandingDiscs(np.zeros((0, 2)), np.zeros(0))


class StandingPeople:
    """People who stand, and people who may walk through them.

    Args:
        count: A, how many agents there are.
        settings: when a person stands, and how long others wait.

    Attributes:
        hold_up: bool (A,), whom people who stand hold up,
        walks_through: and who walks through them all the same.
        comes_to_goal: bool (A,), on whose own goal somebody stands, just ahead.
        settled: bool (A,), who has arrived before the end of a drawn route, behind others who have.
    """

    def __init__(self, count: int, settings: StandingPeopleSettings) -> None:
        self._settings = settings
        self._still_since = np.full(count, np.inf)
        self._held_since = np.full(count, np.inf)
        self._paced_since, self._paced_at = np.full(count, np.inf), np.full((count, 2), np.nan)
        self._through_until = np.full(count, -np.inf)
        self.walks_through = np.zeros(count, dtype=bool)
        self.hold_up = np.zeros(count, dtype=bool)
        self.comes_to_goal = np.zeros(count, dtype=bool)
        self.settled = np.zeros(count, dtype=bool)
        self._late_since = np.full(count, np.inf)
        self._seen: NearbyBodies | None = None
        self._rows, self._heroes = np.zeros(0, dtype=np.int64), (np.zeros((0, 2)), np.zeros(0))
        self._queued = np.zeros(0, dtype=np.int64), np.zeros((0, 2))
        self._bystanders = self._known = _NOBODY
        self._place = self._compared = _NOBODY.centre, _NOBODY.radius
        self._reach = 0.0

    def update(
        self,
        agents: Agents,
        time: float,
        heroes: HeroBodies,
        bystanders: NearbyBodies | None,
        queued: tuple[Int64, Float64] | None = None,
    ) -> None:
        """Find out who stands now, and let those be firm who want to.

        Args:
            agents: all agents; `firm` is changed.
            time: now [s].
            heroes: as they move in the step that follows, and discs that cover vehicles.
            bystanders: those of the scene.
            queued: int64 (Q,), people in the queues of stops, and where each is to stand, float64 (Q, 2) [m]; None: no
                stop has a queue.
        """
        self._reach = max(self._settings.reach, float(agents.radius.max(initial=0.0)) + self._settings.room)
        if bystanders is not self._seen:
            self._seen = bystanders
            self._bystanders = _NOBODY if bystanders is None else self._as_discs(*bystanders.places)
        own, speed2 = self._settings, length2(agents.velocity)
        slow = speed2 < own.speed * own.speed
        still = agents.firm & slow & agents.present
        self._still_since = np.where(still, np.minimum(self._still_since, time), np.inf)
        rest = length2(heroes.velocity) < own.speed * own.speed
        self._heroes = heroes.position[rest], heroes.radius[rest]
        settled = time - self._still_since >= own.settling_time
        if queued is not None:
            self._queued, at_place = queued, own.at_place**2
            settled[queued[0][length2(agents.position[queued[0]] - queued[1]) < at_place]] = False  # counted there
        self._rows = settled.nonzero()[0]
        self._find_places(agents)
        agents.firm[:] = (agents.status == ARRIVED) | (agents.status == STOPPED) | (agents.waits & slow)

    def leave(self, agents: Agents, rows: Int64) -> None:
        """Let some people, int64 (R,), be no ground any more: they are about to walk."""
        leaves = np.zeros(len(agents), dtype=bool)
        leaves[rows] = True
        queued, places = self._queued
        if leaves[self._rows].any() or leaves[queued].any():
            self._rows = self._rows[~leaves[self._rows]]
            self._queued = queued[~leaves[queued]], places[~leaves[queued]]
            self._find_places(agents)

    def _find_places(self, agents: Agents) -> None:
        """Find the places of those who stand now."""
        (queued, places), heroes = self._queued, self._heroes
        centre = np.concatenate([agents.position[self._rows], places, heroes[0]])
        self._place = centre, np.concatenate([agents.radius[self._rows], agents.radius[queued], heroes[1]])

    @property
    def discs(self) -> StandingDiscs:
        """People and heroes who stand now: another object where they have changed since it was last asked for."""
        if self._place is not self._compared:
            self._compared, known = self._place, (self._known.centre, self._known.radius)
            if not all(map(np.array_equal, known, self._place)):
                self._known = self._as_discs(*self._place)
        return self._known

    def _as_discs(self, centre: Float64, radius: Float64) -> StandingDiscs:
        """Return discs that are known as far away as the largest body asks."""
        return StandingDiscs(centre, radius, DiscFieldSettings(self._reach))

    def may_be_within(self, points: Float64, distance: Float64) -> Bool:
        """Return bool (N,), whether somebody who stands may be within distances, float64 (N,), of points (N, 2) [m]."""
        parts = [discs.may_be_within(points, distance) for discs in (self._bystanders, self.discs) if len(discs)]
        return np.logical_or.reduce(parts) if parts else np.zeros(len(points), dtype=bool)

    def added_to(self, field: Distances) -> Distances:
        """Return distances to obstacles and to people who stand."""
        for discs in (self._bystanders, self.discs):
            field = DiscField(field, discs) if len(discs) else field
        return field

    def may_touch(self, start: Float64, end: Float64, room: Float64) -> Bool:
        """Return bool (N,), whether somebody who stands may be within some room of straight lines.

        Args:
            start: float64 (N, 2) [m].
            end: float64 (N, 2) [m].
            room: float64 (N,) [m].
        """
        if not len(start):
            return np.zeros(0, dtype=bool)
        parts = [discs.may_touch(start, end, room) for discs in (self._bystanders, self.discs) if len(discs)]
        return np.logical_or.reduce(parts) if parts else np.zeros(len(start), dtype=bool)

    def arrive(self, agents: Agents, rows: Int64) -> Bool:
        """Return bool (R,), which of some people are near the end of their route."""
        return agents.end[rows] - agents.s[rows] < self._settings.arriving

    def find_who_walks_straight(self, agents: Agents, rows: Int64, field: Distances) -> Int64:
        """Return int64, the people who avoid nobody who stands: they were held up, or somebody stands on their goal.

        Args:
            agents: all agents.
            rows: int64 (R,), the people who search for a path.
            field: distances to people who stand.
        """
        off = agents.goal.take(rows, 0) - agents.position.take(rows, 0)
        near = rows[length(off) < self._settings.taken]  # nobody who follows a path
        if len(near):
            own = agents.radius[near]
            near = near[field.signed_distance(agents.goal.take(near, 0), float(own.max())) < own]
            self.comes_to_goal[near] = True
            self.walks_through[near] = True
        return rows[self.walks_through[rows]]

    def begin_search(self, rows: Int64, time: float) -> None:
        """Note that some people, int64 (R,), search a path now [s]: only who was held up avoids nobody who stands."""
        self.hold_up[rows] = self.comes_to_goal[rows] = False
        self.walks_through[rows] = time < self._through_until[rows]

    def let_through(self, agents: Agents, held: Int64) -> Int64:
        """Note people held up by people who stand, int64 (N,), and return int64, those of them who walk through."""
        self.walks_through[held] |= self.arrive(agents, held)
        self.hold_up[held] = ~self.walks_through[held]
        return held[self.walks_through[held]]

    def note_held_up(self, agents: Agents, rows: Int64, wish2: Float64, time: float) -> None:
        """Let those walk through others for a while who have stood for long although they want to walk on.

        Or have paced to and fro: what is the shortest bypass here need not be one from where it leads first.

        Args:
            agents: all agents.
            rows: int64 (R,), the people present.
            wish2: float64 (R,), the square of the speed at which each wants to walk [m2/s2].
            time: now [s].
        """
        own = self._settings
        slow = length2(agents.velocity.take(rows, 0)) < own.held_up_speed**2
        wants = (wish2 > 4.0 * own.held_up_speed**2) | self.hold_up[rows]
        wants &= agents.status[rows] == WALKING
        self._held_since[rows] = np.where(wants & slow, np.minimum(self._held_since[rows], time), np.inf)
        paced = length(agents.position.take(rows, 0) - self._paced_at.take(rows, 0))
        stays = paced <= own.paces_within  # not so where it is unknown
        stays &= (agents.status[rows] == WALKING) & ~agents.waits[rows]
        left = rows[~stays]
        self._paced_at[left], self._paced_since[left] = agents.position[left], time
        paces = wants & (time - self._paced_since[rows] >= own.paces)
        late = rows[paces | (time - self._held_since[rows] >= own.held_up)]
        self.let_walk_through(late, time)

    def let_walk_through(self, rows: Int64, time: float) -> None:
        """Let some people, int64 (R,), walk through others for a while [s]: they know that there is no other path."""
        self._through_until[rows] = time + self._settings.lets_through

    def settle(self, agents: Agents, rows: Int64, left: Float64, time: float) -> None:
        """Let those arrive whom others who have arrived have kept from the end of a drawn route for long.

        Args:
            agents: all agents.
            rows: int64 (R,), people who walk.
            left: float64 (R,), how far they are from the end of their route [m].
            time: now [s].
        """
        own = self._settings
        near = ~agents.have_goals(rows) & ~agents.leaves[rows] & ~agents.visits[rows]
        if not near.any():
            self._late_since[rows] = np.inf
            return
        late, there = rows[near & (left < own.settles_within)], np.flatnonzero(agents.status == ARRIVED)
        gap = length(agents.position[late, None] - agents.position.take(there, 0)) - agents.radius[there]
        late = late[(gap - agents.radius[late, None] < own.settles_behind).any(axis=1)]
        since = np.minimum(self._late_since[late], time)
        self._late_since[rows] = np.inf
        self._late_since[late] = since
        self.settled[late] |= time - since >= own.settles
