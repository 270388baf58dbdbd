# SPDX-License-Identifier: GPL-3.0-or-later
"""Where vehicles stand at first, and how they enter one by one: with headway, room, and a speed to stop from."""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...errors import Fault, SceneError
from ...steering.traffic.car_following import equilibrium_speed, safe_speed
from ...steering.traffic.lane_joins import Joins
from ...steering.traffic.lane_order import LaneBodies
from ...steering.traffic.right_of_way import RightOfWay
from ...steering.traffic.settings import TrafficSettings
from ..settings.vehicle_settings import VehicleEntrySettings
from ..world.agents import WALKING
from .driving import Scenery, find_leaders, widened
from .roads import Roads
from .vehicles import Vehicles

_FREE_GAP = 1.0e6  # [m]
_STEP_BACK = 1.0e-3  # [m]


class FreeLaneRoom:
    """Room on the lanes at the first frame.

    Args:
        roads: whose lanes.
        joins: where they run together.
        blocked: where vehicles may not stand: crossings, people, obstacles; `rear` and `front` count.
        standing_gap: between vehicles [m].
        entry: how closely vehicles are placed.
    """

    def __init__(
        self, roads: Roads, joins: Joins, blocked: LaneBodies, standing_gap: float, entry: VehicleEntrySettings
    ) -> None:
        self._roads, self._joins, self._standing_gap, self._entry = roads, joins, standing_gap, entry
        self._taken = [
            [(float(a), float(b)) for a, b in zip(blocked.rear[rows], blocked.front[rows], strict=True)]
            for rows in (np.flatnonzero(blocked.lane == lane) for lane in range(len(roads.lap)))
        ]

    def place(self, lanes: Int64, length: float, count: int, *, at_once: bool) -> tuple[Int64, Float64, int]:
        """Find places for vehicles of one length.

        Args:
            lanes: int64 (K,), the lanes of one direction.
            length: of each vehicle [m].
            count: how many.
            at_once: from the start of the lanes onward; or spread over their whole length.

        Returns:
            int64 (count,) lane and float64 (count,) s [m]; shorter where there is no room for all; and how many there
            is room for.
        """
        even = None if at_once else self._evenly(lanes, length, count)
        if even is not None:
            return (*even, count)
        slots = [(s, int(lane)) for lane in lanes for s in self._slots(int(lane), length)]
        if at_once:
            slots.sort()
        room = len(slots)
        number = np.arange(min(count, room))
        chosen = number if at_once else ((number + 0.5) * room / max(count, 1)).astype(np.int64)
        lane = np.array([slots[k][1] for k in chosen], dtype=np.int64)
        s = np.array([slots[k][0] for k in chosen], dtype=np.float64)
        self._take(lane, s, length)
        return lane, s, room

    def _evenly(self, lanes: Int64, length: float, count: int) -> tuple[Int64, Float64] | None:
        """Places at even distances, if all of them are free."""
        lengths = self._roads.length[lanes]
        shares = count * lengths / lengths.sum()
        counts = np.floor(shares).astype(np.int64)
        counts[np.argsort(counts - shares, kind="stable")[: count - int(counts.sum())]] += 1
        lane = np.repeat(lanes, counts)
        number = np.arange(count) - np.repeat(np.cumsum(counts) - counts, counts)
        pitch = np.repeat(lengths / np.maximum(counts, 1), counts)
        s: Float64 = (number.astype(np.float64) + 0.5) * pitch
        if np.any(pitch < length + self._standing_gap + self._entry.extra_gap):
            return None
        inside = (s >= 0.5 * length) & (s <= self._roads.length[lane] - 0.5 * length)
        if not np.all(inside | np.isfinite(self._roads.lap[lane])):
            return None
        if not all(self._is_free(int(k), float(x), length) for k, x in zip(lane, s, strict=True)):
            return None
        self._take(lane, s, length)
        return lane, s

    def _slots(self, lane: int, length: float) -> list[float]:
        """All free places of a lane, as close as can be from its start."""
        slots = []
        s, end = 0.5 * length, float(self._roads.length[lane]) - 0.5 * length
        if np.isfinite(self._roads.lap[lane]):
            end -= self._standing_gap + self._entry.extra_gap
        while s <= end:
            if self._is_free(lane, s, length):
                slots.append(s)
                s += length + self._standing_gap + self._entry.extra_gap
            else:
                s += self._entry.slot
        return slots

    def _is_free(self, lane: int, s: float, length: float) -> bool:
        gap, lap = self._standing_gap, float(self._roads.lap[lane])
        reach = 0.5 * length + gap
        laps = (0.0,) if np.isinf(lap) else (-lap, 0.0, lap)
        return all(s + shift + reach <= a or s + shift - reach >= b for a, b in self._taken[lane] for shift in laps)

    def _take(self, lane: Int64, s: Float64, length: float) -> None:
        none = np.zeros(len(lane))
        own = LaneBodies(lane, s - 0.5 * length, s + 0.5 * length, none, none, none, none, np.full(len(lane), -1))
        taken = LaneBodies.joined(own, self._joins.images(own))
        for number, rear, front in zip(taken.lane, taken.rear, taken.front, strict=True):
            self._taken[int(number)].append((float(rear), float(front)))


def place_vehicles(vehicles: Vehicles, roads: Roads, places: FreeLaneRoom) -> None:
    """Put all vehicles on their lanes that are there from the first frame.

    Raises:
        SceneError: there is not room for so many.
    """
    faults = []
    for number in np.unique(vehicles.crowd[~vehicles.flow]).tolist():
        for forward in (True, False):
            rows = np.flatnonzero((vehicles.crowd == number) & (vehicles.forward == forward))
            if not len(rows):
                continue
            first = rows[0]
            lanes = np.flatnonzero((roads.route == vehicles.route[first]) & (roads.forward == forward))
            lanes = lanes[roads.kerb[lanes]] if vehicles.at_kerb[first] else lanes
            length = float(vehicles.length[first])
            lane, s, most = places.place(lanes, length, len(rows), at_once=bool(vehicles.at_once[first]))
            if most < len(rows):
                way_out = (
                    "use fewer vehicles, or let them enter one by one ('flow')" if most else "check for obstacles on it"
                )
                reason = (
                    f"{len(rows)} vehicles of {length:g} m are requested in one direction, but the road "
                    f"'{roads.names[int(vehicles.route[first])]}' has room for {most} at once; {way_out}"
                )
                faults.append(Fault(f"crowds[{number}].count", reason))
                break
            vehicles.lane[rows], vehicles.s[rows], vehicles.status[rows] = lane, s, WALKING
    if faults:
        raise SceneError(faults)


def set_moving(vehicles: Vehicles, roads: Roads, scenery: Scenery, to_line: Float64, settings: TrafficSettings) -> None:
    """Let those who are spread over a road drive as fast as their gaps, bends and lines ahead allow.

    Args:
        vehicles: R of them are there.
        roads: their roads.
        scenery: what is on the lanes, with everybody standing.
        to_line: float64 (R,), distance to the line of the next crossing [m].
        settings: how all drive.
    """
    rows = scenery.own.owner
    drivers = vehicles.drivers.take(rows)
    gap = find_leaders(scenery, scenery.own, settings.side_room).gap
    speed = equilibrium_speed(drivers, np.minimum(gap, _FREE_GAP), settings.standing_gap)
    limit = roads.limit(vehicles.lane[rows], vehicles.s[rows])
    can_stop = np.sqrt(2.0 * drivers.deceleration * np.maximum(to_line, 0.0))
    vehicles.speed[rows] = np.where(vehicles.at_once[rows], 0.0, np.minimum(np.minimum(speed, limit), can_stop))


class Queues:
    """Those who wait outside to enter one by one, a queue for each direction of each road.

    Args:
        vehicles: all vehicles.
        roads: their roads.
        settings: how all drive.
        joins: where lanes run together.
        entry: when vehicles enter.
    """

    def __init__(
        self,
        vehicles: Vehicles,
        roads: Roads,
        settings: TrafficSettings,
        joins: Joins,
        entry: VehicleEntrySettings,
    ) -> None:
        self._entry = entry
        self._vehicles, self._roads, self._settings = vehicles, roads, settings
        self._joined = [joins.begins_with(lane, entry.joining_reach) for lane in range(len(roads.lap))]
        self._last = np.full(len(roads.lap), -np.inf)
        self._queues: list[tuple[Int64, Int64]] = []
        for route in np.unique(roads.route):
            for forward in (True, False):
                lanes = np.flatnonzero((roads.route == route) & (roads.forward == forward))
                waiting = np.flatnonzero(vehicles.flow & (vehicles.route == route) & (vehicles.forward == forward))
                order = np.lexsort((waiting, vehicles.entry_time[waiting]))
                if len(waiting) and len(lanes):
                    self._queues.append((lanes, waiting[order]))
        self._next = [0] * len(self._queues)

    def waiting(self, time: float) -> bool:
        """Return whether a vehicle waits outside whose entry time has come."""
        return any(
            at < len(queue) and self._vehicles.entry_time[queue[at]] <= time + 1e-9
            for at, (_, queue) in zip(self._next, self._queues, strict=True)
        )

    def enter(self, time: float, scenery: Scenery, crossings: RightOfWay, taken: Bool) -> None:
        """Let vehicles enter that may: at most one on each lane.

        Args:
            time: [s].
            scenery: what is on the lanes.
            crossings: of roads.
            taken: bool, which stretches of crossings are held by others.
        """
        taken, closed = taken.copy(), set[int]()
        for number, (lanes, queue) in enumerate(self._queues):
            free = [int(lane) for lane in lanes if int(lane) not in closed]
            while free and self._next[number] < len(queue):
                row = int(queue[self._next[number]])
                if self._vehicles.entry_time[row] > time + 1e-9:
                    break
                suit = [lane for lane in free if self._roads.kerb[lane] or not self._vehicles.at_kerb[row]]
                if not suit:
                    break
                speeds = [self._speed_on(row, lane, time, scenery, crossings, taken) for lane in suit]
                speed, lane = max(zip(speeds, suit, strict=True), key=lambda option: (option[0], -option[1]))
                if speed < 0.0:
                    break
                self._let_in(row, lane, speed, time, crossings, taken)
                closed.update((lane, *self._joined[lane]))
                free = [other for other in free if other not in closed]
                self._next[number] += 1

    def _speed_on(
        self, row: int, lane: int, time: float, scenery: Scenery, crossings: RightOfWay, taken: Bool
    ) -> float:
        """The speed at which a vehicle may enter a lane [m/s]; negative where it may not."""
        vehicles, roads, settings = self._vehicles, self._roads, self._settings
        if time < self._last[lane] + vehicles.entry_headway[row] - 1e-9:
            return -1.0
        length, rest = vehicles.length[row], vehicles.rest[row]
        half = 0.5 * vehicles.width[row]
        number, start, _ = crossings.next_stretch(np.array([lane]), np.zeros(1))
        if start[0] < length + settings.stop_line and taken[number[0]]:
            return -1.0
        # A little farther back, so that a vehicle that entered in this step is ahead.
        body = LaneBodies(
            *(np.array([value]) for value in (lane, -_STEP_BACK, length, rest - half, rest + half, 0.0, 0.0, row))
        )
        query = widened(body, settings.side_room)
        ahead, gap = scenery.order.ahead(query)
        behind, gap_behind = scenery.order.behind(query)
        ahead_speed = scenery.bodies.speed[ahead[0]] if ahead[0] >= 0 else 0.0
        after_speed = scenery.bodies.speed[behind[0]] if behind[0] >= 0 else 0.0
        if gap_behind[0] < self._entry.gap + after_speed * vehicles.drivers.headway[row]:
            return -1.0
        wanted = min(vehicles.drivers.wanted_speed[row], float(roads.speed_limit[roads.first[lane]]))
        if not vehicles.heeds[row]:
            return float(wanted)
        room = float(gap[0]) - self._entry.gap
        if room <= 0.0:
            return -1.0
        braking = float(vehicles.drivers.deceleration[row])
        can_stop = safe_speed(np.zeros(1), np.array([room]), np.array([ahead_speed]), braking, 0.0)[0]
        speed = float(min(wanted, room / self._entry.time_gap, can_stop))
        # A vehicle slower than the traffic there would hold up all later ones: it waits outside.
        least = self._entry.speed_share * min(wanted, max(float(ahead_speed), self._entry.least_speed))
        return speed if speed >= least else -1.0

    def _let_in(self, row: int, lane: int, speed: float, time: float, crossings: RightOfWay, taken: Bool) -> None:
        """Put a vehicle at the beginning of a lane, and note which stretches of crossings it takes."""
        vehicles = self._vehicles
        vehicles.status[row], vehicles.lane[row] = WALKING, lane
        vehicles.s[row], vehicles.speed[row] = 0.5 * vehicles.length[row], speed
        number, start, end = crossings.next_stretch(np.array([lane]), np.zeros(1))
        if start[0] < vehicles.length[row] + self._settings.stop_line:
            vehicles.clear_to[row] = end[0]  # the road begins in a crossing
            taken[crossings.against(int(number[0]))] = True
        self._last[lane] = time
