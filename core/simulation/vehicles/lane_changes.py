# SPDX-License-Identifier: GPL-3.0-or-later
"""Lane changes, and making room for those who must change."""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...steering.traffic.car_following import following_acceleration
from ...steering.traffic.lane_change_model import Neighbour, change_length, worth_changing
from ...steering.traffic.lane_order import LaneBodies, LaneOrder
from ...steering.traffic.right_of_way import RightOfWay
from ...steering.traffic.settings import TrafficSettings
from ..settings.vehicle_settings import LaneChangeSettings
from .driving import Driving, Leaders, Scenery, _along, widened
from .roads import Roads
from .vehicles import Vehicles


class LaneChanges:
    """Lane changes of vehicles.

    Args:
        vehicles: all of them.
        roads: their roads.
        settings: how all drive.
        driving: their accelerations.
        crossings: where nobody changes lanes.
        timing: when vehicles consider a change.
    """

    def __init__(
        self,
        vehicles: Vehicles,
        roads: Roads,
        settings: TrafficSettings,
        driving: Driving,
        crossings: RightOfWay,
        timing: LaneChangeSettings,
    ) -> None:
        self._timing = timing
        self._vehicles, self._roads, self._settings = vehicles, roads, settings
        self._driving, self._crossings = driving, crossings
        self._turn = 0

    def begin(self, rows: Int64, wish: Float64, leaders: Leaders, scenery: Scenery, time: float) -> None:
        """Begin the changes that are due and give an advantage.

        Args:
            rows: int64 (R,), the vehicles under way.
            wish: float64 (R,), their accelerations on their lanes [m/s2].
            leaders: whom they follow.
            scenery: what is on the lanes.
            time: [s].
        """
        vehicles = self._vehicles
        interval = self._timing.interval
        self._turn = (self._turn + 1) % interval
        may = self._may(rows, time) & (rows % interval == self._turn)
        # Vehicles that keep to the kerb leave it only for obstacles there.
        may &= ~(vehicles.at_kerb[rows] & self._roads.kerb[vehicles.lane[rows]]) | leaders.fixed
        best_gain, best_left = np.full(len(rows), -np.inf), np.zeros(len(rows), dtype=bool)
        for left in (True, False) if self._roads.outside < 0 else (False, True):
            beside = self._roads.left if left else self._roads.right
            some = np.flatnonzero(may & (beside[vehicles.lane[rows]] >= 0))
            if not len(some):
                continue
            gains, gain = self._worth(rows, some, wish, leaders, scenery, left=left)
            better = gains & (gain > best_gain[some])
            best_gain[some[better]], best_left[some[better]] = gain[better], left
        going = np.flatnonzero(np.isfinite(best_gain))
        if len(going):
            self._set_off(rows[going], best_left[going], time)

    def make_room(self, rows: Int64, wish: Float64, leaders: Leaders, scenery: Scenery) -> Float64:
        """Accelerations that let in vehicles whose lane is blocked, float64 (R,) [m/s2]."""
        vehicles, settings = self._vehicles, self._settings
        stuck = np.flatnonzero(
            leaders.fixed & (vehicles.speed[rows] < self._timing.stuck_speed) & (vehicles.from_lane[rows] < 0)
        )
        ghosts = [
            self._bodies_beside(rows[stuck[there]], left=left)
            for left in (True, False)
            if np.any(there := (self._roads.left if left else self._roads.right)[vehicles.lane[rows[stuck]]] >= 0)
        ]
        if not ghosts:
            return wish
        asking = LaneBodies.joined(*ghosts)
        body, gap = LaneOrder(asking, self._roads.lap, settings=settings).ahead(scenery.own)
        kind = following_acceleration(
            vehicles.drivers.take(rows), vehicles.speed[rows], gap, np.zeros(len(rows)), settings.standing_gap
        )
        lets_in = (body >= 0) & (gap > settings.merging_gap) & (gap < leaders.gap)
        return np.where(lets_in, np.minimum(wish, np.maximum(kind, -settings.courtesy)), wish)

    def end(self, rows: Int64, time: float) -> None:
        """End the changes of vehicles that have reached their new lanes."""
        vehicles = self._vehicles
        changing = rows[vehicles.from_lane[rows] >= 0]
        done = changing[vehicles.s[changing] >= vehicles.change_start[changing] + vehicles.change_length[changing]]
        vehicles.from_lane[done] = -1
        vehicles.calm_until[done] = time + self._settings.calm_time

    def _may(self, rows: Int64, time: float) -> Bool:
        """Return bool (R,), whether each may consider a change: not while changing, soon after, or near a crossing."""
        vehicles, roads = self._vehicles, self._roads
        may = (vehicles.from_lane[rows] < 0) & (vehicles.calm_until[rows] <= time) & vehicles.heeds[rows]
        half = 0.5 * vehicles.length[rows]
        front = vehicles.s[rows] + half
        width = roads.width[vehicles.lane[rows]]
        length = change_length(vehicles.speed[rows], width, vehicles.bodies(rows), width, self._settings)
        may &= (front + length < roads.length[vehicles.lane[rows]]) | vehicles.loops[rows]
        if len(self._crossings):
            _, start, _ = self._crossings.next_stretch(vehicles.lane[rows], vehicles.s[rows] - half)
            may &= start > front + length + self._timing.crossing_distance
        return may

    def _bodies_beside(self, rows: Int64, *, left: bool) -> LaneBodies:
        """Bodies of vehicles as they would be in the middle of the lane beside."""
        vehicles, roads = self._vehicles, self._roads
        lane, s = roads.beside(vehicles.lane[rows], vehicles.s[rows], left=left)
        half_length, rest = 0.5 * vehicles.length[rows], vehicles.rest[rows]
        right, left_side = vehicles.sides(rows, roads)
        there = lane >= 0
        lap = roads.lap[lane]
        s = np.where(np.isfinite(lap) & (s >= lap), s - np.where(np.isfinite(lap), lap, 0.0), s)
        bodies = LaneBodies(
            lane,
            *_along(s - half_length, s + half_length, lap),
            rest - right,
            rest + left_side,
            vehicles.speed[rows],
            np.zeros(len(rows)),
            rows,
        )
        return bodies.take(there)

    def _worth(
        self, rows: Int64, some: Int64, wish: Float64, leaders: Leaders, scenery: Scenery, *, left: bool
    ) -> tuple[Bool, Float64]:
        """Return who of some gains by a change to one side, bool (K,), and by how much, float64 (K,) [m/s2]."""
        vehicles, settings = self._vehicles, self._settings
        who = rows[some]
        body = widened(self._bodies_beside(who, left=left), settings.side_room)
        to_kerb = left == (self._roads.outside > 0)
        ahead, gap_ahead = scenery.order.ahead(body)
        behind, gap_behind = scenery.order.behind(body)
        follower = np.where(behind >= 0, scenery.bodies.owner[behind], -1)
        follower = np.where(follower >= 0, follower, who)  # people and obstacles: judged as if driven alike
        gains, gain = worth_changing(
            vehicles.drivers.take(who),
            vehicles.speed[who],
            wish[some],
            Neighbour(gap_ahead, np.where(ahead >= 0, scenery.bodies.speed[ahead], 0.0)),
            Neighbour(gap_behind, np.where(behind >= 0, scenery.bodies.speed[behind], 0.0)),
            (vehicles.drivers.take(follower), vehicles.acceleration[follower]),
            settings,
            np.where(vehicles.at_kerb[who] & to_kerb, settings.kerb_bias, 0.0),
        )
        has_leader = leaders.body[some] >= 0
        needed = self._driving.room_to_swing(who, np.maximum(leaders.body[some], 0), scenery, np.full(len(who), left))
        moves_on = leaders.gap[some] + 0.5 * settings.change_time * leaders.speed[some]
        return gains & (~has_leader | (moves_on >= needed)), gain

    def _set_off(self, who: Int64, to_left: Bool, time: float) -> None:
        """Put vehicles on the lanes beside, off their middle by as much as they are now, no two at one place."""
        vehicles, roads, settings = self._vehicles, self._roads, self._settings
        old, s_old = vehicles.lane[who], vehicles.s[who]
        left_lane, left_s = roads.beside(old, s_old, left=True)
        right_lane, right_s = roads.beside(old, s_old, left=False)
        new, near = np.where(to_left, left_lane, right_lane), np.where(to_left, left_s, right_s)
        order = np.lexsort((who, near, new))
        alone = np.ones(len(who), dtype=bool)
        alone[order[1:]] = (np.diff(new[order]) != 0) | (np.diff(near[order]) > self._timing.separation)
        who, old, s_old, new, near = who[alone], old[alone], s_old[alone], new[alone], near[alone]
        s, d = roads.paths.to_frenet(new, roads.paths.to_cartesian(old, s_old, np.zeros(len(who))), near)
        lap = roads.lap[new]
        s = np.where(np.isfinite(lap) & (s >= lap), s - np.where(np.isfinite(lap), lap, 0.0), s)
        vehicles.from_lane[who], vehicles.lane[who], vehicles.s[who] = old, new, s
        vehicles.change_start[who], vehicles.change_offset[who] = s, d
        vehicles.change_length[who] = change_length(
            vehicles.speed[who], d, vehicles.bodies(who), roads.width[new], settings
        )
        vehicles.clear_to[who] = -np.inf
        vehicles.calm_until[who] = time + settings.calm_time
