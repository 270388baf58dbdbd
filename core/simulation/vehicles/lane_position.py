# SPDX-License-Identifier: GPL-3.0-or-later
"""Where across its lane each vehicle drives: bicycles at the kerb, others so that they can pass where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...scene import VEHICLE, Crowd, Route, Scene
from ...scene.basics.vehicle_kinds import BICYCLE
from ..settings.vehicle_settings import VEHICLES, LanePositionSettings


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
