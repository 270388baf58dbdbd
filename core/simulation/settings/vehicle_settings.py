# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/vehicles`: how vehicles enter, change lanes and give way on roads."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class CrosswalkSettings:
    """When vehicles stop for people at marked crossings; chosen by trial on the example scenes.

    Attributes:
        prediction_time: people who will be on the crossing within this time are let over [s],
        approach_time: where they reach the lane within this time [s].
        stop_distance: vehicles stop so far before a crossing [m].
        latest_braking: a vehicle that would have to brake harder drives on [m/s2].
        standing_speed: below it people count as standing [m/s].
        waiting_distance: people who stand on a crossing within this distance of a lane's edge wait to go on [m].
        queueing_speed: behind vehicles that are slower, nobody drives onto a crossing without room beyond it [m/s].
        patience: who has waited so long for what is beyond a crossing drives onto it once nobody walks there [s].
    """

    prediction_time: float = 3.0
    approach_time: float = 6.0
    stop_distance: float = 1.0
    latest_braking: float = 5.0
    standing_speed: float = 0.3
    waiting_distance: float = 2.5
    queueing_speed: float = 3.0
    patience: float = 30.0


@dataclass(frozen=True)
class LanePositionSettings:
    """Where across its lane each vehicle drives; chosen by trial on the example scenes.

    Attributes:
        kerb_gap: between a bicycle and the lane's edge, and between who passes it and the other edge [m].
        passing_gap: between a bicycle and who passes it on the same lane [m].
        bend_gap: between a bicycle and the ends of who passes it in a bend [m].
    """

    kerb_gap: float = 0.4
    passing_gap: float = 0.7
    bend_gap: float = 0.1


@dataclass(frozen=True)
class RoadSettings:
    """How drawn routes become roads; chosen by trial on the example scenes.

    Attributes:
        reported_rounding: a drawn bend that is rounded by more is reported [m].
        rounding_share: a bend may be rounded by this share of the radius that is needed, 0 to 1.
        least_edge_radius: radius that is left at the inner edge of a road [m].
        curvature_reserve: a lane may be traced so many times as sharply as the road's line.
        side_gap: between two vehicles that pass each other in a bend [m].
        least_passing_room: with less room, nobody passes anybody in a bend [m].
        widest_bend: bends are rounded to this radius at most [m].
        bend_reach: within this distance of a bend, bicycles are passed as in it [m].
        bend_braking: deceleration before a bend [m/s2].
        rear_axle: so far behind the middle are the wheels that do not steer, as a share of the length; about that
            of the built-in cars, vans and buses.
        least_rear_axle: the same, at least, where the front has no room to swing out.
    """

    reported_rounding: float = 0.5
    rounding_share: float = 0.75
    least_edge_radius: float = 1.0
    curvature_reserve: float = 1.15
    side_gap: float = 0.1
    least_passing_room: float = 0.01
    widest_bend: float = 60.0
    bend_reach: float = 15.0
    bend_braking: float = 1.5
    rear_axle: float = 0.28
    least_rear_axle: float = 0.02


@dataclass(frozen=True)
class LaneChangeSettings:
    """When vehicles consider changing lanes; chosen by trial on the example scenes.

    Attributes:
        interval: each considers a change in one of so many steps.
        separation: nobody else changes into the same lane within this distance in the same step [m].
        crossing_distance: a change ends so far before a crossing [m].
        stuck_speed: below it, behind something that stands, a driver asks to be let in [m/s].
    """

    interval: int = 5
    separation: float = 30.0
    crossing_distance: float = 5.0
    stuck_speed: float = 1.0


@dataclass(frozen=True)
class VehicleEntrySettings:
    """Where vehicles stand at first, and when they enter one by one; chosen by trial on the example scenes.

    Attributes:
        gap, time_gap: entering vehicles keep this gap, and the distance driven in this time, to the one ahead [m, s].
        speed_share, least_speed: and enters no slower than this share of the speed of the one ahead, which counts as
            `least_speed` where it is lower [1, m/s].
        extra_gap: beyond the standing gap, between placed vehicles [m].
        slot: spacing of the places that are tried along a lane [m].
        joining_reach: vehicles that enter in one step within this distance do not see each other [m].
    """

    gap: float = 2.0
    time_gap: float = 1.0
    speed_share: float = 0.8
    least_speed: float = 2.0
    extra_gap: float = 0.05
    slot: float = 0.5
    joining_reach: float = 20.0


@dataclass(frozen=True)
class DrivingReasonSettings:
    """What is recorded about why vehicles slow down; chosen by trial on the example scenes, without effect on motion.

    Attributes:
        slowed_by: less acceleration than on a free road by more than this has a reason [m/s2].
        queueing_speed: slower vehicles behind another one queue [m/s].
        person_reach: people within this distance of where a vehicle has to stop are those it stops for [m].
    """

    slowed_by: float = 0.2
    queueing_speed: float = 0.3
    person_reach: float = 3.0


@dataclass(frozen=True)
class VehicleSettings:
    """How vehicles enter, change lanes and give way on roads; chosen by trial on the example scenes.

    Attributes:
        slowest_share: nobody's wanted speed is drawn below this share of the mean, 0 to 1.
        emergency_gap: between bumpers, even in an emergency [m].
        sight: people see vehicles within this distance [m].
        lane_reach: what is farther from a lane's line is neither on the lane nor coming to it [m].
        body_split: parts of an outline this far apart along a lane are two bodies [m].
        reported_slowing: bends are reported that slow vehicles down below this share of their preferred speed, 0 to 1.
        crosswalks, lane_position, roads, lane_changes, entry, reasons: settings of these tasks.
    """

    slowest_share: float = 0.6
    emergency_gap: float = 0.3
    sight: float = 15.0
    lane_reach: float = 3.0
    body_split: float = 2.0
    reported_slowing: float = 0.8
    crosswalks: CrosswalkSettings = field(default_factory=CrosswalkSettings)
    lane_position: LanePositionSettings = field(default_factory=LanePositionSettings)
    roads: RoadSettings = field(default_factory=RoadSettings)
    lane_changes: LaneChangeSettings = field(default_factory=LaneChangeSettings)
    entry: VehicleEntrySettings = field(default_factory=VehicleEntrySettings)
    reasons: DrivingReasonSettings = field(default_factory=DrivingReasonSettings)


VEHICLES = VehicleSettings()
"""The defaults, for callers without settings of their own."""
