# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of all vehicles, as arrays with vehicles first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...geometry.boxes import Boxes
from ...geometry.reproducible_math import arctan2, heading_vector
from ...scene import AT_ONCE, FLOW, LEAVE, LOOP, NO_AVOIDANCE, Crowd
from ...scene.basics.vehicle_kinds import BICYCLE
from ...steering.traffic.car_following import Drivers
from ...steering.traffic.lane_change_model import VehicleBody, way_across
from ...steering.traffic.settings import TrafficSettings
from ..population.drawn_crowd import DrawnCrowd
from ..settings.vehicle_settings import VEHICLES, LanePositionSettings, VehicleSettings
from ..world import randomness
from ..world.agents import GONE, OUTSIDE
from .lane_position import DrivenRoute
from .roads import Roads

_PASSING = LanePositionSettings.passing_gap - TrafficSettings.side_room - 0.05  # [m]: less is no room to pass a bicycle


@dataclass(eq=False)
class Vehicles:
    """N vehicles: what they are, and where they are now.

    Attributes:
        crowd, route: int64 (N,), numbers in the scene.
        forward: bool (N,), along the route's line or against it.
        length, width, turning_radius: float64 (N,) [m].
        rear_axle: float64 (N,), how far it is behind their middles [m]; less than in truth where their fronts have no
            room to swing out in bends.
        drivers: wanted speeds, accelerations and headways.
        heeds, leaves, loops: bool (N,), whether they avoid others; whether they disappear at the end of the
            road; whether they drive on a closed road without end.
        flow, at_once: bool (N,), whether they enter one by one, or stand at the start of the road at the first frame;
            others are spread over it.
        entry_time: float64 (N,), when each may enter [s].
        entry_headway: float64 (N,), least time after the one who entered before [s].
        status: int8 (N,), OUTSIDE, WALKING (here: moving), ARRIVED or GONE.
        lane: int64 (N,), the lane they are on, or changing to.
        s: float64 (N,), of the middle along the lane, within the lap [m].
        speed, acceleration: float64 (N,) [m/s, m/s2].
        from_lane: int64 (N,), the lane they are changing from, or -1.
        change_start, change_length, change_offset: float64 (N,), where on the new lane the change began, its length,
            and the offset there [m].
        calm_until: float64 (N,), when they may next consider a lane change [s].
        clear_to: float64 (N,), up to where they hold crossings, or may wait on a marked one [m].
        waited: float64 (N,), how long they have stood at a stop line, or where they wait for it [s].
        room: float64 (N,), how far they could go if those ahead stopped [m].
        stop_in: float64 (N,), distance to where they will have to stop as things stand, inf for nowhere [m].
        leader: int64 (N,), the vehicle that each follows, -1 for none.
        rest: float64 (N,), offset at which each keeps to its lane, positive to the left [m].
        at_kerb: bool (N,), whether each keeps to the lane at the kerb.
        heading: float64 (N,), without jumps; NaN before they first moved: as the lane leads there [rad].
    """

    crowd: Int64
    route: Int64
    forward: Bool
    length: Float64
    width: Float64
    turning_radius: Float64
    rear_axle: Float64
    drivers: Drivers
    heeds: Bool
    leaves: Bool
    loops: Bool
    flow: Bool
    at_once: Bool
    entry_time: Float64
    entry_headway: Float64
    status: NDArray[np.int8]
    lane: Int64
    s: Float64
    speed: Float64
    acceleration: Float64
    from_lane: Int64
    change_start: Float64
    change_length: Float64
    change_offset: Float64
    calm_until: Float64
    clear_to: Float64
    waited: Float64
    room: Float64
    stop_in: Float64
    leader: Int64
    rest: Float64
    at_kerb: Bool
    heading: Float64

    def __post_init__(self) -> None:
        self._place = np.full((len(self.crowd), 2), np.nan)  # where each was after its last step

    def __len__(self) -> int:
        return len(self.crowd)

    @property
    def present(self) -> Bool:
        """Bool (N,), whether each is in the scene now."""
        return (self.status != OUTSIDE) & (self.status != GONE)

    def offsets(self, rows: Int64, ahead: float | Float64 = 0.0) -> tuple[Float64, Float64]:
        """Return d and its derivative along the lane of some of them, now or so far ahead, float64 (R,) each [m, 1]."""
        changing = self.from_lane[rows] >= 0
        length = np.where(changing, self.change_length[rows], 1.0)
        share, slope = way_across((self.s[rows] + ahead - self.change_start[rows]) / length)
        offset = np.where(changing, self.change_offset[rows], 0.0)
        return self.rest[rows] + offset * (1.0 - share), -offset * slope / length

    def sides(self, rows: Int64, roads: Roads) -> tuple[Float64, Float64]:
        """How far others keep from the middle line of some of them, to the right and to the left, (R,) each [m].

        A bicycle at the kerb is as wide as it is, and by the room besides in which nobody passes it: more in bends,
        where long vehicles reach out.
        """
        half = 0.5 * self.width[rows]
        bicycles = self.at_kerb[rows]
        if not bicycles.any():
            return half, half
        swing = roads.swing[roads.row(self.lane[rows], self.s[rows])]
        inner = half + np.where(bicycles, np.maximum(_PASSING, swing + LanePositionSettings.bend_gap), 0.0)
        return (half, inner) if roads.outside < 0 else (inner, half)

    def poses(self, rows: Int64, roads: Roads) -> tuple[Float64, Float64]:
        """Return places, float64 (R, 3) [m], and headings, float64 (R,) [rad], of some of them."""
        height = roads.paths.height(self.lane[rows], self.s[rows])
        return np.column_stack((self._places(rows, roads), height)), self._headings(rows, roads)

    def directions(self, rows: Int64, roads: Roads, ahead: float | Float64 = 0.0) -> Float64:
        """Return the directions in which the middles of some of them move, now or so far ahead [m], (R,) [rad]."""
        d, slope = self.offsets(rows, ahead)
        heading, curvature = roads.paths.heading(self.lane[rows], self.s[rows] + ahead)
        return heading + arctan2(slope, 1.0 - curvature * d)

    def turn(self, rows: Int64, roads: Roads) -> None:
        """Turn some of them after they have moved, so that their rear wheels roll and do not slide sideways.

        The middle draws the rear axle after it, as a tractor its trailer (kinematic bicycle model; Rajamani 2012,
        Vehicle Dynamics and Control, chapter 2). Who moved for the first time is turned as the lane leads.

        Args:
            rows: int64 (R,), who.
            roads: what they drive on.
        """
        now, heading, known = self._places(rows, roads), self._headings(rows, roads), ~np.isnan(self._place[rows, 0])
        drawn = now - self._place[rows] + self.rear_axle[rows, None] * heading_vector(heading)
        turned = arctan2(drawn[:, 1], drawn[:, 0])
        turned = heading + np.remainder(turned - heading + np.pi, 2.0 * np.pi) - np.pi
        self.heading[rows] = np.where(known & (self.speed[rows] > 0.0), turned, heading)
        self._place[rows] = now

    def _headings(self, rows: Int64, roads: Roads) -> Float64:
        """Headings of some of them, float64 (R,) [rad]; of who has not moved yet as the lane leads at the rear axle."""
        heading = self.heading[rows]
        new = np.flatnonzero(np.isnan(heading))
        heading[new] = self.directions(rows[new], roads, -self.rear_axle[rows[new]])
        return heading

    def _places(self, rows: Int64, roads: Roads) -> Float64:
        """Where the middles of some of them are, float64 (R, 2) [m]."""
        return roads.paths.to_cartesian(self.lane[rows], self.s[rows], self.offsets(rows)[0])

    def stretch(self, rows: Int64, roads: Roads) -> Float64:
        """How far some of them go for each metre along the middle of their lanes, float64 (R,): further outside."""
        d, slope = self.offsets(rows)
        _, curvature = roads.paths.heading(self.lane[rows], self.s[rows])
        along = 1.0 - curvature * d
        return np.sqrt(along * along + slope * slope)

    def bodies(self, rows: Int64) -> VehicleBody:
        """Return the sizes of some of them."""
        return VehicleBody(self.length[rows], self.width[rows], self.turning_radius[rows])

    def boxes(self, rows: Int64, roads: Roads) -> Boxes:
        """Return the bodies of some of them."""
        place, heading = self.poses(rows, roads)
        return Boxes.of(place[:, :2], heading, self.length[rows], self.width[rows])


def gather_vehicles(driven: Sequence[DrivenRoute], roads: Roads, settings: VehicleSettings = VEHICLES) -> Vehicles:
    """Return all vehicles, before any has entered; those of a two-way road drive in both directions.

    Args:
        driven: the routes that they follow, at least one.
        roads: the lanes of these.
        settings: how slow the slowest are.
    """
    members = sorted(((own.number, own, road) for road in driven for own in road.crowds), key=lambda each: each[0])
    crowds, seed = [own.crowd for _, own, _ in members], driven[0].seed
    counts = np.array([crowd.count for crowd in crowds], dtype=np.int64)

    def each(values: list[float]) -> Float64:
        return np.repeat(np.array(values, dtype=np.float64), counts)

    def flags(values: list[bool]) -> Bool:
        return np.repeat(np.array(values, dtype=bool), counts)

    total = int(counts.sum())
    return Vehicles(
        crowd=np.repeat(np.array([number for number, _, _ in members], dtype=np.int64), counts),
        route=np.repeat(np.array([road.number for _, _, road in members], dtype=np.int64), counts),
        forward=~np.concatenate([_against(own.crowd, road.route.two_way) for _, own, road in members]),
        length=each([c.length for c in crowds]),
        width=each([c.width for c in crowds]),
        turning_radius=each([c.turning_radius for c in crowds]),
        rear_axle=each([roads.rear_axle[number] for number, _, _ in members]),
        drivers=Drivers(
            wanted_speed=np.concatenate([_wanted_speeds(seed, c, settings.slowest_share) for c in crowds]),
            acceleration=each([c.max_acceleration for c in crowds]),
            deceleration=each([c.max_deceleration for c in crowds]),
            headway=each([c.time_headway for c in crowds]),
        ),
        heeds=flags([c.avoidance_rule != NO_AVOIDANCE for c in crowds]),
        leaves=flags([c.arrival_rule == LEAVE for c in crowds]),
        loops=flags([c.arrival_rule == LOOP for c in crowds]),
        flow=flags([c.spawn.mode == FLOW for c in crowds]),
        at_once=flags([c.spawn.mode == AT_ONCE for c in crowds]),
        entry_time=np.concatenate(
            [DrawnCrowd(own.crowd, f"crowds[{number}]", seed).entry_time for number, own, _ in members]
        ),
        entry_headway=each([c.spawn.headway for c in crowds]),
        status=np.full(total, OUTSIDE, dtype=np.int8),
        lane=np.zeros(total, dtype=np.int64),
        s=np.zeros(total),
        speed=np.zeros(total),
        acceleration=np.zeros(total),
        from_lane=np.full(total, -1, dtype=np.int64),
        change_start=np.zeros(total),
        change_length=np.ones(total),
        change_offset=np.zeros(total),
        calm_until=np.zeros(total),
        clear_to=np.full(total, -np.inf),
        waited=np.zeros(total),
        room=np.full(total, np.inf),
        stop_in=np.full(total, np.inf),
        leader=np.full(total, -1, dtype=np.int64),
        rest=each([-road.outside * own.shift for _, own, road in members]),
        at_kerb=flags([c.vehicle == BICYCLE for c in crowds]),
        heading=np.full(total, np.nan),
    )


def _against(crowd: Crowd, two_way: bool) -> Bool:
    """Return bool (count,), who drives against the direction of the route: every second one on a two-way road."""
    return (np.arange(crowd.count) % 2 == 1) & two_way


def _wanted_speeds(seed: int, crowd: Crowd, slowest_share: float) -> Float64:
    drawn = crowd.speed.mean + crowd.speed.sd * randomness.normal(seed, crowd.identity, "speed", crowd.count)
    return np.maximum(drawn, slowest_share * crowd.speed.mean)
