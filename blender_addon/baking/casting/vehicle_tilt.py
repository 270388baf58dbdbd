# SPDX-License-Identifier: GPL-3.0-or-later
"""How vehicles tilt: both axles stand on the road, and bicycles lean into bends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import arctan2, dot, heading_vector, length2
from ....core.geometry.segments import lengths_along
from ....core.motion.gait import distance_walked
from ....core.motion.heading import LeanSettings
from ....core.scene import VEHICLE, Route, Scene
from ...characters.performances import Performance, lean_performances
from ...characters.vehicles.wheels import DrivenWheel


@dataclass(frozen=True)
class TiltSettings:
    """How vehicles tilt; chosen.

    Attributes:
        overhang: distance from each end to the nearer axle where a vehicle has no wheels, as a share of its length,
        least_wheelbase: or where all its wheels are within this share of its length.
        least_pitch: a vehicle that never pitches by more than this stays level [rad].
        storey: where a road passes over itself, a vehicle is on the part from whose height it differs by less [m].
    """

    overhang: float = 0.2
    least_wheelbase: float = 0.2
    least_pitch: float = math.radians(0.05)
    storey: float = 2.0


_SETTINGS = TiltSettings()
_BEYOND = np.linspace(0.125, 1.0, 8)  # where the road beyond the ends of the way is asked, of the farther axle
_RIDERS = LeanSettings(max_lean=math.radians(35.0))  # as tyres hold on a dry road; chosen


class RoadHeights:
    """Heights of the line of a road: of its nearest point, and beyond its ends as it rises or falls there.

    Args:
        route: as drawn.
    """

    def __init__(self, route: Route) -> None:
        points = np.concatenate([route.points, route.points[:1]]) if route.closed else route.points
        runs = lengths_along(points[:, :2])
        self._points = points[np.concatenate([[True], np.diff(runs) > 0.0])]
        self._closed = route.closed

    def heights(self, xy: Float64, near_z: Float64) -> Float64:
        """Return heights at points [m]; of several stretches that lie over each other that of the nearest."""
        starts, ends = self._points[:-1], self._points[1:]
        run = ends[:, :2] - starts[:, :2]
        share = dot(xy[:, None] - starts[:, :2], run) / length2(run)
        low, high = np.zeros(len(run)), np.ones(len(run))
        if not self._closed:
            low[0], high[-1] = -np.inf, np.inf
        nearest = starts + share.clip(low, high)[..., None] * (ends - starts)
        above = np.maximum(np.abs(nearest[..., 2] - near_z[:, None]) - _SETTINGS.storey, 0.0)
        best = np.argmin(length2(nearest[..., :2] - xy[:, None]) + above * above, axis=1)
        return nearest[np.arange(len(best)), best, 2]


def roads_of(scene: Scene) -> dict[str, RoadHeights]:
    """The roads of the crowds of a scene that drive, by the names of the crowds."""
    lines = {route.name: route for route in scene.routes}
    return {
        crowd.name: RoadHeights(lines[crowd.route]) for crowd in scene.crowds if crowd.kind == VEHICLE and crowd.route
    }


def tilt_vehicles(
    performances: Sequence[Performance], wheels: Sequence[DrivenWheel], vehicle: Any, unit: float
) -> list[Performance]:
    """Return the same performances with both axles on the road; of bicycles also leaning into bends.

    Args:
        performances: level, of vehicles of one template.
        wheels: of the template.
        vehicle: the crowd's settings of its vehicles.
        unit: metres per Blender unit.
    """
    ahead, long = [each.ahead for each in wheels], vehicle.length / unit
    if not ahead or max(ahead) - min(ahead) < _SETTINGS.least_wheelbase * long:
        ahead = [(0.5 - _SETTINGS.overhang) * sign * long for sign in (-1.0, 1.0)]
    axles = np.array([min(ahead), max(ahead)])
    leaning = lean_performances(performances, 1.0 if vehicle.kind == "BICYCLE" else 0.0, unit, _RIDERS)
    return [_on_axles(each, axles) for each in leaning]


def _on_axles(performance: Performance, axles: Float64) -> Performance:
    """Return a performance on its axles float64 (2,), rear and front, ahead of the origin [Blender units]."""
    heights = _heights_along_way(performance, axles) if performance.ground is None else _heights(performance, axles)
    rise, run = heights[:, 1] - heights[:, 0], axles[1] - axles[0]
    pitch = arctan2(rise, run)
    if np.abs(pitch).max() <= _SETTINGS.least_pitch:
        return performance
    location = performance.location.copy()
    location[:, 2] = heights[:, 0] - axles[0] / run * rise
    return replace(performance, location=location, pitch=pitch)


def _heights(performance: Performance, axles: Float64) -> Float64:
    """Return the heights of the ground under the axles, float64 (F, 2) [Blender units]."""
    assert performance.ground is not None
    places = np.repeat(performance.location[:, None], 2, axis=1)
    places[..., :2] += axles[:, None] * heading_vector(performance.heading)[:, None]
    return performance.ground(places.reshape(-1, 3)).reshape(-1, 2)


def _heights_along_way(performance: Performance, axles: Float64) -> Float64:
    """Return the heights at which the vehicle itself passes the axles' places, float64 (F, 2) [Blender units].

    Beyond both ends of its way the road rises and falls as its line does.
    """
    height = performance.location[:, 2]
    way = distance_walked(performance.location[:, None], performance.present[:, None])[:, 0]
    reach = np.abs(axles).max()
    beyond = reach * _BEYOND
    along = np.concatenate([-beyond[::-1], way, way[-1] + beyond])
    behind, ahead = _rise_of_line(performance, 0, -beyond), _rise_of_line(performance, -1, beyond)
    heights = np.concatenate([height[0] + behind[::-1], height, height[-1] + ahead])
    return np.interp(way[:, None] + axles, along, heights)


def _rise_of_line(performance: Performance, row: int, ahead: Float64) -> Float64:
    """How much higher the line of the road is so far ahead of where a vehicle is [Blender units]."""
    assert performance.road is not None
    places = np.repeat(performance.location[[row]], len(ahead) + 1, axis=0)
    places[1:, :2] += ahead[:, None] * heading_vector(performance.heading[[row]])
    heights = performance.road(places)
    return heights[1:] - heights[0]
