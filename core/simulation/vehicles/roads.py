# SPDX-License-Identifier: GPL-3.0-or-later
"""Roads: the lanes of the routes that vehicles follow, each with a reference path of its own.

`lanes` is the number of lanes in each direction. One-way lanes lie evenly about the route's line; on a two-way road
those along the line lie to its right and those against it to its left: traffic keeps right. Where it keeps left all
of that is mirrored. Bicycles keep to the kerb; where they and others share one lane that is wide enough, the
others keep to its inner side, and pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...array_types import Bool, Float64, Int64
from ...errors import Fault, SceneError
from ...geometry.reproducible_math import heading_vector
from ...geometry.segments import lengths_along
from ...planning import ReferencePath, ReferenceSet, ReferenceSettings
from ...planning.paths.path_tables import AnyPath
from ...scene import Crowd
from ...steering.traffic.conflict_zones import LaneSamples
from ...steering.traffic.right_of_way import EQUAL, MAIN, STOP
from ..settings.vehicle_settings import VEHICLES, RoadSettings, VehicleSettings
from .lane_position import DrivenRoute, rear_axles, rooms_beside, swing_out
from .road_lines import RoadLine, TooSharp, road_line

LANE_STEP = 0.5
"""Distance between the samples of a lane [m]."""

RANKS = {"stop": STOP, "equal": EQUAL, "main": MAIN}
"""Ranks of roads, by the words of a scene."""


@dataclass(frozen=True, eq=False)
class Roads:
    """L lanes of all roads, with M samples of them.

    Attributes:
        paths: reference paths of the lanes.
        route: int64 (L,), number of the route in the scene.
        names: of the routes, by their numbers.
        rank: int64 (L,), of the road, where it crosses others.
        longest: float64 (L,), length of the longest vehicle on the road [m].
        forward: bool (L,), along the route's line or against it.
        left, right: int64 (L,), the lanes beside with the same direction, -1 where there is none.
        offset: float64 (L,), of the lane's line from the road's, positive to the left of the lane [m].
        kerb: bool (L,), the outermost lane of its direction.
        outside: side of the kerb as seen by the driver: 1 left, -1 right.
        swing: float64 (M,), how far the fronts of vehicles reach out in the bends near by [m].
        rear_axle: of each crowd, by its number, how far behind its middle [m].
        width: float64 (L,) [m].
        length: float64 (L,) [m]; lap: the same for closed roads, inf for others.
        samples: the lanes at even steps; `first` int64 (L + 1,): where each lane's begin.
        speed_limit: float64 (M,), in view of the bends ahead [m/s].
        to_left, to_right: float64 (M,), the same place along the lane beside [m].
        notices: sentences for the user.
    """

    paths: ReferenceSet
    route: Int64
    names: dict[int, str]
    rank: Int64
    longest: Float64
    forward: Bool
    left: Int64
    right: Int64
    offset: Float64
    kerb: Bool
    outside: int
    width: Float64
    length: Float64
    lap: Float64
    samples: LaneSamples
    first: Int64
    speed_limit: Float64
    swing: Float64
    rear_axle: dict[int, float]
    to_left: Float64
    to_right: Float64
    notices: list[str] = field(default_factory=list)

    def row(self, lane: Int64, s: Float64) -> Int64:
        """The sample at or before a place of each lane, int64 (N,)."""
        most = self.first[lane + 1] - self.first[lane] - 1
        return self.first[lane] + np.clip((s / LANE_STEP).astype(np.int64), 0, most)

    def limit(self, lane: Int64, s: Float64) -> Float64:
        """How fast one may go at a place of each lane in view of the bends ahead, float64 (N,) [m/s]."""
        s = s - np.where(s >= self.lap[lane], self.lap[lane], 0.0)
        row, first = self.row(lane, s), self.first[lane]
        share = np.clip(s / LANE_STEP - (row - first), 0.0, 1.0)
        beyond = np.where(np.isfinite(self.lap[lane]), first, row)  # a lap begins again
        after = np.where(row + 1 < self.first[lane + 1], row + 1, beyond)
        here, after = self.speed_limit[row], self.speed_limit[after]
        square = here * here
        return np.sqrt(square + share * (after * after - square))  # even braking

    def beside(self, lane: Int64, s: Float64, *, left: bool) -> tuple[Int64, Float64]:
        """The lane beside and the place there, int64 (N,) (-1: none) and float64 (N,) [m]."""
        to, table = (self.left, self.to_left) if left else (self.right, self.to_right)
        row = self.row(lane, s)
        last = self.first[lane + 1] - 1
        rest = s - (row - self.first[lane]) * LANE_STEP
        here, after = table[row], table[np.minimum(row + 1, last)]
        slope = np.where(row < last, (after - here) / LANE_STEP, 1.0)
        return to[lane], here + rest * np.where(np.isfinite(slope), slope, 1.0)


@dataclass(eq=False)
class _Building:
    """The lanes so far: one entry per lane; `outside` and `names` as in `Roads`."""

    outside: int
    settings: VehicleSettings
    names: dict[int, str]
    rank: list[int] = field(default_factory=list)
    lines: list[Float64] = field(default_factory=list)
    closed: list[bool] = field(default_factory=list)
    radius: list[float] = field(default_factory=list)
    reach: list[float] = field(default_factory=list)
    longest: list[float] = field(default_factory=list)
    route: list[int] = field(default_factory=list)
    forward: list[bool] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    offset: list[float] = field(default_factory=list)
    kerb: list[bool] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    road_s: list[Float64] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def build_roads(
    driven: Sequence[DrivenRoute], lateral_acceleration: float, settings: VehicleSettings = VEHICLES
) -> Roads | None:
    """Make the lanes of all routes that vehicles follow.

    Args:
        driven: these routes.
        lateral_acceleration: accepted in bends [m/s2].
        settings: how routes become roads.

    Returns:
        The lanes; None where no vehicle follows any route.

    Raises:
        SceneError: a road bends too sharply for its lanes, or a vehicle does not fit on its road.
    """
    if not driven:
        return None
    building = _Building(driven[0].outside, settings, {road.number: road.route.name for road in driven})
    faults = [fault for road in driven for fault in _add_road(building, road)]
    if faults:
        raise SceneError(faults)
    return _finished(building, driven, lateral_acceleration)


class _Need(NamedTuple):
    """Requirements on the line of a road.

    Attributes:
        radius: of every bend [m].
        rounding: to which bends are rounded [m].
        whose: the crowd that needs most.
        way_out: what the user could change, in words.
    """

    radius: float
    rounding: float
    whose: Crowd
    way_out: str


def _needs(road: DrivenRoute, settings: VehicleSettings) -> _Need:
    """What a road needs for its lanes, for those who drive there, and for two of them side by side in a bend."""
    route = road.route
    lanes = route.lanes * (2 if route.two_way else 1)
    half = 0.5 * (lanes - 1) * route.lane_width
    turns = [(crowd.turning_radius + max(-shift, 0.0), number) for number, (_, crowd, shift) in enumerate(road.crowds)]
    turning, widest = max(turns)
    alone = max(turning + half, 0.5 * lanes * route.lane_width + settings.roads.least_edge_radius)
    beside = _radius_side_by_side(road, settings.roads) + half if lanes > 1 else 0.0
    if beside <= alone:
        return _Need(alone, alone, road.crowds[widest].crowd, "; draw a wider bend, or fewer or narrower lanes")
    longest = max((crowd for _, crowd, _ in road.crowds), key=lambda crowd: crowd.length)
    rounding = max(alone, min(beside, settings.roads.widest_bend))
    way_out = f" for vehicles of {longest.length:g} m to pass each other; draw a wider bend, or wider lanes"
    return _Need(beside, rounding, longest, way_out)


def _radius_side_by_side(road: DrivenRoute, settings: RoadSettings) -> float:
    """The radius of the inner one of two lanes on which two vehicles pass each other in a bend [m]; inf for none.

    The ends of the inner one reach farther out than its middle, by the sagitta of the arc under its outer side.
    """
    needed = 0.0
    for (_, crowd, _), room in zip(road.crowds, rooms_beside(road, settings), strict=True):
        if room < settings.least_passing_room:
            return np.inf
        outer_side = (0.25 * crowd.length * crowd.length - room * room) / (2.0 * room)
        needed = max(needed, outer_side - 0.5 * crowd.width)
    return needed


def _add_road(building: _Building, road: DrivenRoute) -> list[Fault]:
    """Add the lanes of a road, or return its faults."""
    route, settings = road.route, building.settings.roads
    need = _needs(road, building.settings)
    line = road_line(route.points, closed=route.closed, radius=need.rounding, rounding_share=settings.rounding_share)
    lanes = f"{route.lanes} {'lane' if route.lanes == 1 else 'lanes'}" + (" in each direction" if route.two_way else "")
    if not isinstance(line, TooSharp) and need.radius > need.rounding:
        line = line.bends_no_sharper(need.radius, closed=route.closed)
    if isinstance(line, TooSharp):
        x, y = line.place
        radius = f"{need.radius:.1f} m" if np.isfinite(need.radius) else "a straight road"
        return [
            Fault(
                f"routes[{road.number}].points",
                f"the road has a bend of radius {line.radius:.1f} m at ({x:.1f}, {y:.1f}), and {lanes} of "
                f"{route.lane_width:g} m need {radius}{need.way_out}",
            )
        ]
    faults = []
    for number, crowd, _ in road.crowds:
        if crowd.width > route.lane_width:
            faults.append(
                Fault(
                    f"crowds[{number}].width", f"is {crowd.width:g} m, wider than the lanes of {route.lane_width:g} m"
                )
            )
        if crowd.length >= line.length:
            faults.append(
                Fault(
                    f"crowds[{number}].length",
                    f"is {crowd.length:g} m, longer than the road '{route.name}' of {line.length:.1f} m",
                )
            )
    if line.rounded > settings.reported_rounding:
        x, y = line.rounded_at
        building.notices.append(
            f"{route.name}: bends are rounded for {lanes}, by up to {line.rounded:.1f} m at ({x:.1f}, {y:.1f}), as "
            f"'{need.whose.name}' with vehicles of {need.whose.length:g} m needs. Draw wider bends."
        )
    _add_lanes(building, road, line)
    return faults


def _add_lanes(building: _Building, road: DrivenRoute, line: RoadLine) -> None:
    """Add the lanes of a road, from the inner one to the one at the kerb in each direction."""
    route, width = road.route, road.route.lane_width
    for forward in (True, False) if route.two_way else (True,):
        first = len(building.lines)
        for k in range(route.lanes):
            offset = (k + 0.5) * width if route.two_way else (k - 0.5 * (route.lanes - 1)) * width
            offset *= building.outside
            points, s = line.beside(offset if forward else -offset), line.s
            if not forward:
                points, s = (np.roll(points, -1, axis=0) if route.closed else points)[::-1], s[::-1]
            building.lines.append(points)
            building.road_s.append(s)
            building.closed.append(route.closed)
            building.radius.append(max(crowd.turning_radius for _, crowd, _ in road.crowds))
            building.reach.append(max(0.5 * crowd.width + abs(shift) for _, crowd, shift in road.crowds))
            building.longest.append(max(crowd.length for _, crowd, _ in road.crowds))
            building.route.append(road.number)
            building.rank.append(RANKS[route.priority])
            building.forward.append(forward)
            inside, outside = first + k - 1 if k else -1, first + k + 1 if k + 1 < route.lanes else -1
            building.left.append(inside if building.outside < 0 else outside)
            building.right.append(outside if building.outside < 0 else inside)
            building.offset.append(offset)
            building.kerb.append(outside < 0)
            building.width.append(width)


def _finished(building: _Building, driven: Sequence[DrivenRoute], lateral_acceleration: float) -> Roads:
    tables: list[AnyPath] = []
    roads = building.settings.roads
    for line, closed, radius in zip(building.lines, building.closed, building.radius, strict=True):
        settings = ReferenceSettings(
            look_ahead=1.0,
            max_curvature=roads.curvature_reserve / radius,
            max_curvature_rate=1.0 / radius,
            farthest=0.55,  # wheels turn no more sharply for the sake of a few centimetres
            sharper=(1.35,),
        )
        tables.append(ReferencePath.from_points(line, closed, settings=settings).table)
    paths = ReferenceSet(tables)
    counts = np.ceil(paths.lengths / LANE_STEP).astype(np.int64) + np.where(paths.closed, 0, 1)
    first = np.concatenate(([0], np.cumsum(counts)))
    lane = np.repeat(np.arange(len(tables)), counts)
    s = (np.arange(len(lane)) - first[lane]).astype(np.float64) * LANE_STEP
    place, heading, curvature, _ = paths.pose(lane, s)
    half = 0.5 * np.array(building.longest)[lane]
    samples = LaneSamples(
        lane=lane,
        s=s,
        position=place,
        height=paths.height(lane, s),
        direction=heading_vector(heading),
        # In a bend a long body reaches farther out than its middle, by the sagitta of the arc under it. Its front does
        # by more, but only to the outside: that is left out, as lanes side by side in a bend do not cross.
        reach=np.array(building.reach)[lane] + 0.5 * half * half * np.abs(curvature) + 0.25 * LANE_STEP + 0.1,
        road=np.array(building.route)[lane],
        road_s=np.concatenate([_road_places(building, k, s[lane == k], paths.lengths[k]) for k in range(len(tables))]),
    )
    axles, out = {}, np.zeros(len(lane))
    for road in driven:
        here = np.array(building.route)[lane] == road.number
        own = rear_axles(road, float(np.abs(curvature[here]).max()), roads)
        axles |= own
        out[here] = max(swing_out(crowd.length, own[number]) for number, crowd, _ in road.crowds)
    left, right = np.array(building.left, dtype=np.int64), np.array(building.right, dtype=np.int64)
    return Roads(
        paths=paths,
        route=np.array(building.route, dtype=np.int64),
        names=building.names,
        rank=np.array(building.rank, dtype=np.int64),
        longest=np.array(building.longest),
        forward=np.array(building.forward, dtype=bool),
        left=left,
        right=right,
        offset=np.array(building.offset),
        kerb=np.array(building.kerb),
        outside=building.outside,
        width=np.array(building.width),
        length=paths.lengths,
        lap=np.where(paths.closed, paths.lengths, np.inf),
        samples=samples,
        first=first,
        speed_limit=_speed_limits(samples, curvature, paths, (lateral_acceleration, roads.bend_braking)),
        swing=_swings(first, out * np.abs(curvature), roads.bend_reach),
        rear_axle=axles,
        to_left=_places_beside(building, paths, samples, left),
        to_right=_places_beside(building, paths, samples, right),
        notices=building.notices,
    )


def _drawn_lengths(building: _Building, k: int, length: float) -> Float64:
    """Places along a lane of the points it was drawn with, and after a lap of the first again, float64 (P,) [m]."""
    drawn = building.lines[k]
    ring = np.concatenate((drawn, drawn[:1])) if building.closed[k] else drawn
    along = lengths_along(ring[:, :2])
    return along * (length / along[-1])


def _road_places(building: _Building, k: int, s: Float64, length: float) -> Float64:
    """Places along the road's own line of places along a lane, float64 (N,) [m]."""
    along, road_s = _drawn_lengths(building, k, length), building.road_s[k]
    return np.interp(s, along[: len(road_s)], road_s)


def _speed_limits(
    samples: LaneSamples, curvature: Float64, paths: ReferenceSet, limits: tuple[float, float]
) -> Float64:
    """How fast one may go so as to be slow enough in every bend ahead, float64 (M,) [m/s]."""
    (lateral, braking), limit = limits, np.empty(len(samples.s))
    for lane in range(len(paths)):
        rows = np.flatnonzero(samples.lane == lane)
        s, square = samples.s[rows], lateral / np.maximum(np.abs(curvature[rows]), 1e-6)
        if paths.closed[lane]:
            s, square = np.concatenate((s, s + paths.lengths[lane])), np.concatenate((square, square))
        ahead = np.minimum.accumulate((square + 2.0 * braking * s)[::-1])[::-1]
        limit[rows] = np.sqrt((ahead - 2.0 * braking * s)[: len(rows)])
    return limit


def _swings(first: Int64, reach_out: Float64, distance: float) -> Float64:
    """The greatest of values (M,) within a distance [m] along each lane, float64 (M,)."""
    reach, most = int(distance / LANE_STEP), reach_out.copy()
    for begin, end in pairwise(first):
        rows = np.concatenate((np.zeros(reach), reach_out[begin:end], np.zeros(reach)))
        most[begin:end] = sliding_window_view(rows, 2 * reach + 1).max(axis=1)
    return most


def _places_beside(building: _Building, paths: ReferenceSet, samples: LaneSamples, beside: Int64) -> Float64:
    """For each sample its place along the lane beside, growing from sample to sample; NaN where there is none [m]."""
    places = np.full(len(samples.s), np.nan)
    for lane in np.flatnonzero(beside >= 0):
        rows, other = np.flatnonzero(samples.lane == lane), int(beside[lane])
        own_lengths, other_lengths = (_drawn_lengths(building, k, float(paths.lengths[k])) for k in (int(lane), other))
        near = np.interp(samples.s[rows], own_lengths, other_lengths)
        near, _ = paths.to_frenet(np.full(len(rows), other), samples.position[rows], near)
        places[rows] = np.maximum.accumulate(near)
    return places
