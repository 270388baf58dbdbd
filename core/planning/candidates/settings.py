# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the planner: limits, weights, and how densely candidates are laid.

Where no source is named, the default was chosen by trial on the example scenes.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class StartLimits:
    """Range that the states are brought into before planning starts from them.

    Attributes:
        standing_speed: below it a body turns on the spot, so slope and curvature are dropped [m/s].
        max_slope: largest |d'| / D; 3 is 72 degrees off the path.
        max_turn: largest |d''| / D [1/m].
        stopping_time: the starting deceleration is at most the one that stops the body within this time [s].
    """

    standing_speed: float = 0.05
    max_slope: float = 3.0
    max_turn: float = 6.0
    stopping_time: float = 0.2


@dataclass(frozen=True)
class CloseLook:
    """The second, shorter plan of slow agents whose courses are all blocked.

    Attributes:
        below_speed: only agents slower than this make it [m/s].
        distance: how far it looks ahead [m].
        max_speed: preferred speed on it, until the full distance is free again [m/s].
    """

    below_speed: float = 0.5
    distance: float = 1.2
    max_speed: float = 0.45


@dataclass(frozen=True)
class CourseSettings:
    """Which lateral courses are laid and what they cost.

    Attributes:
        least_scale: D below which a course counts as beyond the centre of the bend.
        cost_beyond_centre: per unit of D that is missing.
        hard_turn: multiple of the comfortable lateral acceleration that no course may exceed.
        reaction_time: time before a body starts to brake for a turn [s].
        cost_hard_turn: of having to turn twice as hard as `hard_turn` allows.
        widest_scale: D up to which swinging out of a bend becomes more costly.
        wrong_side: additional share of the cost of offset on the side that is not preferred.
        outside_tolerance: distance beyond the free width that is not yet a fault [m].
        merge_times: durations of quintics to an offset [s].
        shortest_merge: least length of the shortest of them [m].
        steepest_merge: greatest slope d' of a return to the preferred offset; 0.36 is 20 degrees off the line.
        merge_offsets: other final offsets that are tried, from the preferred one [m].
        smoothing_lengths: lengths over which sequences of offsets are smoothed, from tight to loose [nodes].
        escape_slope, escape_delay: a body that starts closer to an obstacle than allowed must gain distance by this
            much per metre [m/m], after this many metres [m], or the course counts as blocked.
        uneven_rate: change of the walked distance per metre of path, from node to node, above which a course is also
            evaluated between its nodes.
    """

    least_scale: float = 0.15
    cost_beyond_centre: float = 1e5
    hard_turn: float = 1.35
    reaction_time: float = 0.15
    cost_hard_turn: float = 2e3
    widest_scale: float = 2.0
    wrong_side: float = 3.0
    outside_tolerance: float = 0.05
    merge_times: tuple[float, ...] = (0.9, 1.6, 2.5)
    shortest_merge: float = 0.4
    steepest_merge: float = 0.36
    merge_offsets: tuple[float, ...] = (-1.2, -0.8, -0.4, 0.4, 0.8, 1.2)
    smoothing_lengths: tuple[float, ...] = (3.0, 5.0, 8.0)
    escape_slope: float = 0.5
    escape_delay: float = 0.4
    uneven_rate: float = 0.03


@dataclass(frozen=True)
class LatticeSettings:
    """The lattice of offsets in which courses round obstacles are searched.

    Attributes:
        nodes_per_station: nodes of a course from one station to the next.
        offsets: number of offsets at each station.
        spacing: distance between them [m].
        max_moves: offsets that a course may move over from station to station.
        cost_blocked: of a place that is not free.
    """

    nodes_per_station: int = 4
    offsets: int = 41
    spacing: float = 0.12
    max_moves: int = 3
    cost_blocked: float = 1e4


@dataclass(frozen=True)
class SpeedSettings:
    """Which speed profiles are tried along a course and how they are evaluated.

    Attributes:
        cruise_times: durations of the change to a cruising speed [s].
        cruise_shares: cruising speeds, as shares of the preferred speed.
        stop_times: durations until rest at the stop [s].
        stop_ratios: further durations, as multiples of the time to the stop at the present speed.
        longest_stop: the longest of these further durations [s].
        weight_stop_time: weight of the time until the stop is reached, relative to that of slowness.
        stop_time_scale: time above which longer stops cost less and less more [s].
        horizon: time over which jerk and slowness are evaluated [s].
        limit_horizon: time over which limits are checked: the speed cap already leaves room to brake beyond it [s].
        limit_samples: number of moments at which they are checked.
        stop_margin: distance that is kept from what blocks the course [m].
    """

    cruise_times: tuple[float, ...] = (0.5, 0.8, 1.2, 1.7, 2.4)
    cruise_shares: tuple[float, ...] = (1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.1, 0.0)
    stop_times: tuple[float, ...] = (0.3, 0.4, 0.55, 0.75, 1.0, 1.35, 1.8, 2.4, 3.2)
    stop_ratios: tuple[float, ...] = (1.6, 1.8, 2.0, 2.25, 2.6)
    longest_stop: float = 6.0
    weight_stop_time: float = 0.5
    stop_time_scale: float = 3.0
    horizon: float = 2.4
    limit_horizon: float = 1.2
    limit_samples: int = 8
    stop_margin: float = 0.02


@dataclass(frozen=True)
class PlannerSettings:
    """How plans are made and evaluated.

    The cost terms are those of Werling et al. 2010, section IV: jerk, offset and speed; those of obstacles, width and
    limits are added to them.

    Attributes:
        look_ahead_time: plans reach this far ahead at the preferred speed [s].
        least_look_ahead: and at least this far [m].
        lateral_acceleration: accepted in bends without slowing down [m/s2].
        max_acceleration: [m/s2].
        max_deceleration: [m/s2].
        comfortable_deceleration: used ahead of bends, stops and obstacles [m/s2].
        clearance: preferred distance between a body and an obstacle [m].
        least_clearance: distance below which a course counts as blocked [m].
        off_line: cost of being off the preferred offset.
        off_width: cost of leaving the width of the path to pass an obstacle.
        near_obstacle: cost of less than the preferred clearance.
        closed_way: cost of a course that is blocked by an obstacle.
        slope: cost of moving laterally on a course round an obstacle.
        lateral_jerk: cost of lateral jerk.
        slowness: cost of a speed other than the preferred one.
        jerk: cost of longitudinal jerk.
        excess: cost of exceeding a limit of speed or acceleration.
        start, close_look, courses, lattice, speeds: settings of the parts.
    """

    look_ahead_time: float = 3.0
    least_look_ahead: float = 2.5
    lateral_acceleration: float = 1.7
    max_acceleration: float = 1.8
    max_deceleration: float = 2.0
    comfortable_deceleration: float = 1.2
    clearance: float = 0.08
    least_clearance: float = 0.02
    off_line: float = 10.0
    off_width: float = 6.0
    near_obstacle: float = 100.0
    closed_way: float = 200.0
    slope: float = 20.0
    lateral_jerk: float = 0.01
    slowness: float = 1.0
    jerk: float = 0.04
    excess: float = 200.0
    start: StartLimits = field(default_factory=StartLimits)
    close_look: CloseLook = field(default_factory=CloseLook)
    courses: CourseSettings = field(default_factory=CourseSettings)
    lattice: LatticeSettings = field(default_factory=LatticeSettings)
    speeds: SpeedSettings = field(default_factory=SpeedSettings)
