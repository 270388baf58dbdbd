# SPDX-License-Identifier: GPL-3.0-or-later
"""How vehicles tilt: both axles stand on the road, and bicycles lean into bends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import arctan2, heading_vector
from ....core.motion.gait import distance_walked
from ....core.motion.heading import LeanSettings
from ...characters.performances import Performance, lean_performances
from ...characters.vehicles.wheels import DrivenWheel


@dataclass(frozen=True)
class TiltSettings:
    """How vehicles tilt; chosen.

    Attributes:
        overhang: distance from each end to the nearer axle where a vehicle has no wheels, as a share of its length,
        least_wheelbase: or where all its wheels are within this share of its length.
        least_way: who drives less in all, as a share of the distance of an axle, learns no slope from it.
        least_pitch: a vehicle that never pitches by more than this stays level [rad].
    """

    overhang: float = 0.2
    least_wheelbase: float = 0.2
    least_way: float = 0.1
    least_pitch: float = math.radians(0.05)


_SETTINGS = TiltSettings()
_RIDERS = LeanSettings(max_lean=math.radians(35.0))  # as tyres hold on a dry road; chosen


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

    Beyond both ends of its way the road rises or falls as before.
    """
    height = performance.location[:, 2]
    way = distance_walked(performance.location[:, None], performance.present[:, None])[:, 0]
    reach = np.abs(axles).max()
    near = min(reach, way[-1])
    if near <= _SETTINGS.least_way * reach:
        return np.repeat(height[:, None], 2, axis=1)
    first, last = height[[0, -1]]
    rises = (np.interp([near, way[-1] - near], way, height) - [first, last]) * reach / near
    along = np.concatenate([[-reach], way, [way[-1] + reach]])
    heights = np.concatenate([[first - rises[0]], height, [last - rises[1]]])
    return np.interp(way[:, None] + axles, along, heights)
