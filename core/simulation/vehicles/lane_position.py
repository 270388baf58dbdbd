# SPDX-License-Identifier: GPL-3.0-or-later
"""Where across its lane each vehicle drives: bicycles at the kerb, others so that they can pass where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...scene import VEHICLE, Crowd, Route, Scene
from ...scene.basics.vehicle_kinds import BICYCLE
from ..settings.vehicle_settings import VEHICLES, LanePositionSettings, RoadSettings


class VehicleCrowd(NamedTuple):
    """A crowd of vehicles, its number in the scene, and how far it drives from the middle of its lane.

    `shift` is away from the kerb [m]; negative: towards it.
    """

    number: int
    crowd: Crowd
    shift: float


@dataclass(frozen=True, eq=False)
class DrivenRoute:
    """A route that vehicles follow.

    Attributes:
        number: of the route in the scene.
        route: the route.
        outside: the side of the kerb as seen by the driver: 1 left, -1 right.
        seed: of the scene.
        crowds: those of the vehicles on it.
    """

    number: int
    route: Route
    outside: int
    seed: int
    crowds: Sequence[VehicleCrowd]


def driven_routes(scene: Scene, settings: LanePositionSettings = VEHICLES.lane_position) -> Iterator[DrivenRoute]:
    """Yield the routes of a scene that vehicles follow, with the position of each crowd on its lane.

    Args:
        scene: what the user asks for.
        settings: gaps beside bicycles.
    """
    for number, route in enumerate(scene.routes):
        members = [(k, crowd) for k, crowd in enumerate(scene.crowds) if _drives(crowd, route)]
        if members:
            bicycles = [crowd.width for _, crowd in members if crowd.vehicle == BICYCLE]
            crowds = [VehicleCrowd(k, crowd, _inward_shift(crowd, route, bicycles, settings)) for k, crowd in members]
            yield DrivenRoute(number, route, 1 if scene.keep_left else -1, scene.seed, crowds)


def rooms_beside(road: DrivenRoute, settings: RoadSettings) -> list[float]:
    """Return how far each crowd may reach out of a bend beside others on the next lane, of this road or another [m]."""
    widest = max(0.5 * crowd.width + shift for _, crowd, shift in road.crowds)
    room = road.route.lane_width - widest - settings.side_gap
    return [room - (0.5 * crowd.width + shift) for _, crowd, shift in road.crowds]


def rear_axles(road: DrivenRoute, sharpest: float, settings: RoadSettings) -> dict[int, float]:
    """Return how far behind its middle the rear axle of each crowd is taken to be, by the crowds' numbers [m].

    Where a front has no room to swing out beside others, the vehicle turns as if the axle were nearer to its middle.

    Args:
        road: with the crowds.
        sharpest: the greatest curvature of its lanes [1/m].
        settings: where the axles are.
    """
    axles = {}
    for (number, crowd, _), room in zip(road.crowds, rooms_beside(road, settings), strict=True):
        most = (room / max(sharpest, 1e-9) - swing_out(crowd.length, 0.0)) / (0.5 * crowd.length)
        axles[number] = min(max(most, settings.least_rear_axle * crowd.length), settings.rear_axle * crowd.length)
    return axles


def swing_out(length: float, rear_axle: float) -> float:
    """Return how far the front of a vehicle reaches out of a bend, more than its middle, times the radius [m2].

    It is half a length ahead, by the sagitta of the arc under it; and since the rear wheels roll and do not slide, the
    vehicle is turned out of the bend by the share of the radius by which the rear axle is behind the middle.

    Args:
        length: of the vehicle [m].
        rear_axle: behind the middle [m].
    """
    half = 0.5 * length
    return 0.5 * half * half + half * rear_axle


def _drives(crowd: Crowd, route: Route) -> bool:
    """Return whether a crowd drives on a route."""
    return crowd.kind == VEHICLE and crowd.route == route.name


def _inward_shift(crowd: Crowd, route: Route, bicycles: Sequence[float], settings: LanePositionSettings) -> float:
    """Return how far from the middle of its lane a crowd drives, away from the kerb [m]; negative: towards it.

    Bicycles ride at the kerb. Others drive in the middle, unless there is but one lane that they share with bicycles:
    where it is wide enough to pass, they keep so far inside that they can.

    Args:
        crowd: of vehicles.
        route: that they follow.
        bicycles: the widths of all crowds of bicycles on that route [m].
        settings: gaps beside bicycles.
    """
    half = 0.5 * (route.lane_width - crowd.width)
    if crowd.vehicle == BICYCLE:
        return -max(half - settings.kerb_gap, 0.0)
    if not bicycles or route.lanes > 1:
        return 0.0
    shift = settings.kerb_gap + max(bicycles) + settings.passing_gap - half
    return shift if 0.0 < shift <= half - settings.kerb_gap else 0.0
