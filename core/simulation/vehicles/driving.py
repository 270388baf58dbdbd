# SPDX-License-Identifier: GPL-3.0-or-later
"""Acceleration and braking: for leaders on the lane, and for lines that must not be crossed yet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...steering.traffic.car_following import (
    Drivers,
    Leader,
    calm_acceleration,
    following_acceleration,
    free_acceleration,
    safe_speed,
    stopping_acceleration,
    without_creeping,
)
from ...steering.traffic.lane_change_model import change_length, room_to_swing
from ...steering.traffic.lane_joins import Joins
from ...steering.traffic.lane_order import LaneBodies, LaneOrder, swept
from ...steering.traffic.settings import TrafficSettings
from .roads import Roads
from .vehicles import Vehicles

_ROUNDING = 0.02  # [m]: the lateral path may be short by this through rounding


class Scenery(NamedTuple):
    """What is on the lanes at a time.

    Attributes:
        order: everybody, to be asked who is next: first the vehicles under way, then their former lanes, then others,
            last images of vehicles on lanes that run together with theirs.
        bodies: the same, by number.
        own: the moving vehicles, one body for each.
        former: bodies of those who change lanes on the lane that they leave; `owner` int64 says whose row it is.
        standing: bodies from this number up to `standing_end` are permanent.
    """

    order: LaneOrder
    bodies: LaneBodies
    own: LaneBodies
    former: LaneBodies
    standing: int
    standing_end: int


class Leaders(NamedTuple):
    """The leaders of R vehicles.

    Attributes:
        body: int64 (R,), -1 for nobody.
        gap: float64 (R,) [m]; speed: float64 (R,) [m/s].
        fixed: bool (R,), whether the leader is a permanent obstacle.
    """

    body: Int64
    gap: Float64
    speed: Float64
    fixed: Bool


def lay_out(
    vehicles: Vehicles,
    rows: Int64,
    roads: Roads,
    joins: Joins,
    others: tuple[LaneBodies, LaneBodies],
    settings: TrafficSettings,
) -> Scenery:
    """Return everything on the lanes as bodies.

    Args:
        vehicles: all vehicles.
        rows: int64 (R,), moving vehicles.
        roads: their roads.
        joins: where lanes run together.
        others: permanent bodies, and moving ones.
        settings: how far ahead people are foreseen.
    """
    d, slope = vehicles.offsets(rows)
    half_length, half_width = 0.5 * vehicles.length[rows], 0.5 * vehicles.width[rows]
    rest, (right, left) = vehicles.rest[rows], vehicles.sides(rows, roads)
    lane, s, speed = vehicles.lane[rows], vehicles.s[rows], vehicles.speed[rows]
    own = LaneBodies(
        lane,
        *_along(s - half_length, s + half_length, roads.lap[lane]),
        np.minimum(d, rest) - right,
        np.maximum(d, rest) + left,
        speed,
        np.zeros(len(rows)),
        rows,
    )
    changing = np.flatnonzero(vehicles.from_lane[rows] >= 0)
    old = vehicles.from_lane[rows[changing]]
    s_old = np.where(
        roads.left[lane[changing]] == old,
        roads.beside(lane[changing], s[changing], left=True)[1],
        roads.beside(lane[changing], s[changing], left=False)[1],
    )
    d_old = d[changing] + roads.offset[lane[changing]] - roads.offset[old]
    turned = np.sqrt(1.0 + slope[changing] ** 2)
    reach = (half_width[changing] + half_length[changing] * np.abs(slope[changing])) / turned
    former = LaneBodies(
        old,
        *_along(s_old - half_length[changing], s_old + half_length[changing], roads.lap[old]),
        d_old - reach,
        d_old + reach,
        speed[changing],
        np.zeros(len(changing)),
        rows[changing],
    )
    images = joins.images(LaneBodies.joined(own, former))
    bodies = LaneBodies.joined(own, former, *others, images)
    standing = len(own.lane) + len(former.lane)
    standing_end = standing + len(others[0].lane)
    gives_way = (np.arange(len(bodies.lane)) >= standing_end) & (bodies.owner < 0)
    order = LaneOrder(bodies, roads.lap, gives_way, settings)
    return Scenery(order, bodies, own, former, standing, standing_end)


def _along(rear: Float64, front: Float64, lap: Float64) -> tuple[Float64, Float64]:
    """An interval along lanes with its rear within the lap."""
    shift = np.where((rear < 0.0) & np.isfinite(lap), np.where(np.isfinite(lap), lap, 0.0), 0.0)
    return rear + shift, front + shift


def widened(bodies: LaneBodies, room: float) -> LaneBodies:
    """Bodies with room to both sides."""
    return bodies._replace(right=bodies.right - room, left=bodies.left + room)


def find_leaders(scenery: Scenery, who: LaneBodies, room: float, passes: Bool | None = None) -> Leaders:
    """Return the next body ahead of each body on its lane; `passes` as in `LaneOrder.ahead`."""
    body, gap = scenery.order.ahead(widened(who, room), passes)
    speed = np.where(body >= 0, scenery.bodies.speed[body], 0.0) if len(scenery.bodies.lane) else np.zeros(len(gap))
    return Leaders(body, gap, speed, (body >= scenery.standing) & (body < scenery.standing_end))


class Driving:
    """The accelerations of vehicles.

    Args:
        vehicles: all of them.
        roads: their roads.
        settings: how all drive.
        passable: bool (B,) for each permanent body, whether it can be passed on an adjacent lane.
        emergency_gap: between bumpers, even in an emergency [m].
    """

    def __init__(
        self, vehicles: Vehicles, roads: Roads, settings: TrafficSettings, passable: Bool, emergency_gap: float
    ) -> None:
        self._vehicles, self._roads, self._settings = vehicles, roads, settings
        self._passable, self._emergency_gap = passable, emergency_gap

    def follow(self, rows: Int64, scenery: Scenery) -> tuple[Float64, Leaders]:
        """Accelerations for who is ahead, on the own lane and the one that is being left.

        Args:
            rows: int64 (R,), moving vehicles.
            scenery: what is on the lanes.

        Returns:
            float64 (R,) [m/s2]; and the leaders on the own lanes.
        """
        vehicles, settings = self._vehicles, self._settings
        speed, drivers = vehicles.speed[rows], self._drivers_here(rows)
        leaders = find_leaders(scenery, scenery.own, settings.side_room, vehicles.from_lane[rows] < 0)
        gap = self._keep_room_to_swing(rows, leaders, scenery)
        wish = following_acceleration(drivers, speed, gap, leaders.speed, settings.standing_gap)
        wish = self._calmed(wish, drivers, speed, leaders._replace(gap=gap), scenery)
        nearest, nearest_speed = leaders.gap, leaders.speed
        vehicles.leader[rows] = np.where(leaders.body >= 0, scenery.bodies.owner[leaders.body], -1)
        if len(scenery.former.lane):
            among = np.searchsorted(rows, scenery.former.owner)
            behind = self._not_passed(find_leaders(scenery, scenery.former, settings.side_room), scenery)
            also = following_acceleration(
                drivers.take(among), speed[among], behind.gap, behind.speed, settings.standing_gap
            )
            also = self._calmed(also, drivers.take(among), speed[among], behind, scenery)
            harder = also < wish[among]
            wish[among] = np.minimum(wish[among], also)
            vehicles.leader[rows[among[harder]]] = scenery.bodies.owner[behind.body[harder]]
            closer = behind.gap < nearest[among]
            nearest, nearest_speed = nearest.copy(), nearest_speed.copy()
            nearest[among[closer]], nearest_speed[among[closer]] = behind.gap[closer], behind.speed[closer]
        return wish, Leaders(leaders.body, nearest, nearest_speed, leaders.fixed)

    def _calmed(self, wish: Float64, drivers: Drivers, speed: Float64, leaders: Leaders, scenery: Scenery) -> Float64:
        """Wishes without alarm for who or what is ahead: the model brakes as if it saw what stands there too late."""
        owner = np.where(leaders.body >= 0, scenery.bodies.owner[leaders.body], -1)
        acceleration = np.where(owner >= 0, self._vehicles.acceleration[owner], 0.0)
        leader = Leader(leaders.gap, leaders.speed, acceleration)
        calm = calm_acceleration(wish, drivers, speed, leader, self._settings)
        # For who does not drive, whom one need not keep a headway to, steady braking to a stop before them is enough.
        room = leaders.gap - self._settings.standing_gap
        enough = np.minimum(stopping_acceleration(speed, room, leaders.speed), -drivers.deceleration)
        calm = np.where(owner < 0, np.maximum(calm, enough), calm)
        # In a queue drivers stand until it is worth starting.
        calm = np.where(owner < 0, calm, without_creeping(calm, drivers, speed, leader, self._settings))
        return np.where(leaders.body >= 0, calm, wish)

    def _not_passed(self, leaders: Leaders, scenery: Scenery) -> Leaders:
        """Leaders on the lanes that are being left, without those that the change leads past before they are reached.

        A body is past once the near side is: when the front comes to it, the side has come as far as the middle then.
        """
        vehicles, roads, settings = self._vehicles, self._roads, self._settings
        who, body = scenery.former.owner, np.maximum(leaders.body, 0)
        reached, _ = vehicles.offsets(who, np.where(leaders.body >= 0, np.maximum(leaders.gap, 0.0), 0.0))
        there = reached + roads.offset[vehicles.lane[who]] - roads.offset[scenery.former.lane]
        half = 0.5 * vehicles.width[who] + settings.side_room - _ROUNDING
        to_rear = leaders.gap + scenery.bodies.front[body] - scenery.bodies.rear[body] + vehicles.length[who]
        right, left = swept(scenery.bodies, body, vehicles.speed[who], leaders.gap, to_rear, settings)
        past = (there - half >= left) | (there + half <= right) | (leaders.body < 0)
        return Leaders(
            np.where(past, -1, leaders.body), np.where(past, np.inf, leaders.gap), leaders.speed, leaders.fixed & ~past
        )

    def _drivers_here(self, rows: Int64) -> Drivers:
        """The drivers with the speed that the road allows them where they are."""
        vehicles, roads = self._vehicles, self._roads
        drivers = vehicles.drivers.take(rows)
        limit = roads.limit(vehicles.lane[rows], vehicles.s[rows])
        return drivers._replace(wanted_speed=np.minimum(drivers.wanted_speed, limit))

    def _before_bends(self, rows: Int64, dt: float) -> Float64:
        """The most that vehicles may accelerate so as to be slow enough in the bends ahead, float64 (R,) [m/s2].

        The model brakes only for who is too fast already, and would enter a bend a fifth too fast.
        """
        vehicles, speed = self._vehicles, self._vehicles.speed[rows]
        limit = self._roads.limit(vehicles.lane[rows], vehicles.s[rows] + speed * dt)
        return np.maximum((limit - speed) / dt, -vehicles.drivers.deceleration[rows])

    def _keep_room_to_swing(self, rows: Int64, leaders: Leaders, scenery: Scenery) -> Float64:
        """Gaps less the distance needed to pass permanent obstacles, where there is a lane for it."""
        fixed = np.flatnonzero(leaders.fixed)
        if not len(fixed):
            return leaders.gap
        room = self.room_to_swing(rows[fixed], leaders.body[fixed], scenery)
        waits = self._passable[leaders.body[fixed] - scenery.standing] & (leaders.gap[fixed] > room)
        gap = leaders.gap.copy()
        gap[fixed] -= np.where(waits, room, 0.0)
        return gap

    def room_to_swing(self, rows: Int64, body: Int64, scenery: Scenery, left: Bool | None = None) -> Float64:
        """The distance before a body that vehicles need to pass it, on the nearer side or as given [m]."""
        vehicles, roads, settings = self._vehicles, self._roads, self._settings
        width = roads.width[vehicles.lane[rows]]
        across = 0.5 * vehicles.width[rows] + settings.side_room
        across_left, across_right = across - vehicles.rest[rows], across + vehicles.rest[rows]
        to_left, to_right = scenery.bodies.left[body] + across_left, across_right - scenery.bodies.right[body]
        if left is None:
            needed = np.minimum(
                np.where(roads.left[vehicles.lane[rows]] >= 0, to_left, np.inf),
                np.where(roads.right[vehicles.lane[rows]] >= 0, to_right, np.inf),
            )
        else:
            needed = np.where(left, to_left, to_right)
        length = change_length(vehicles.speed[rows], width, vehicles.bodies(rows), width, settings)
        return room_to_swing(length, width, np.minimum(needed, width))

    def slowed(self, rows: Int64, acceleration: Float64, least: float, dt: float) -> Bool:
        """Return bool (R,), whether each accelerates less in a step [s] than alone, by more than `least` [m/s2]."""
        free = free_acceleration(self._drivers_here(rows), self._vehicles.speed[rows])
        return np.minimum(free, self._before_bends(rows, dt)) - acceleration > least

    def limited(self, rows: Int64, wish: Float64, leaders: Leaders, stop_in: Float64, dt: float) -> Float64:
        """Wishes made safe: able to stop for who is ahead, and before a line.

        Args:
            rows: int64 (R,).
            wish: float64 (R,) [m/s2].
            leaders: the vehicles ahead.
            stop_in: float64 (R,), distance to the line, inf without one [m].
            dt: the step [s].

        Returns:
            float64 (R,) [m/s2].
        """
        vehicles, hardest = self._vehicles, self._settings.hardest_braking
        speed, drivers = vehicles.speed[rows], vehicles.drivers.take(rows)
        safe = safe_speed(speed, leaders.gap - self._emergency_gap, leaders.speed, hardest, dt)
        distance = np.maximum(stop_in, 0.01)
        braking = np.maximum(drivers.deceleration, 0.5 * speed * speed / distance)
        at_line = safe_speed(speed, np.maximum(stop_in, 0.0), np.zeros(len(rows)), braking, dt)
        heeds = vehicles.heeds[rows]
        with_others = np.minimum(wish, (np.minimum(safe, at_line) - speed) / dt)
        alone = free_acceleration(self._drivers_here(rows), speed)
        chosen = np.minimum(np.where(heeds, with_others, alone), self._before_bends(rows, dt))
        return np.clip(chosen, -hardest, drivers.acceleration)
