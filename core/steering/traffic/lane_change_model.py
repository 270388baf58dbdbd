# SPDX-License-Identifier: GPL-3.0-or-later
"""Changing lanes: whether it is worth it and safe, and the course across.

Source: Kesting, Treiber, Helbing 2007, "General lane-changing model MOBIL for car-following models", eq. 2 and 3.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64
from .car_following import Drivers, following_acceleration
from .settings import TrafficSettings

_SHARPEST = 5.7735  # greatest second derivative of the quintic from 0 to 1
_SPARE = 0.05  # [m]: kept of the room beside a vehicle
_LEAST_SPARE = 0.2  # [m]: counts as room in lanes that have less


class Neighbour(NamedTuple):
    """Who would be ahead or behind on the other lane.

    Attributes:
        gap: float64 (N,), bumper to bumper; inf where nobody is [m].
        speed: float64 (N,) [m/s].
    """

    gap: Float64
    speed: Float64


def worth_changing(
    drivers: Drivers,
    speed: Float64,
    acceleration: Float64,
    ahead: Neighbour,
    behind: Neighbour,
    followers: tuple[Drivers, Float64],
    settings: TrafficSettings,
    bias: Float64,
) -> tuple[Bool, Float64]:
    """Return who gains by a lane change that endangers nobody.

    Args:
        drivers: of N vehicles that may change.
        speed: float64 (N,) [m/s].
        acceleration: float64 (N,), on the lane they are on [m/s2].
        ahead: the next on the other lane.
        behind: the one that would follow there.
        followers: the drivers of those, and float64 (N,) their accelerations as it is [m/s2].
        settings: how all drive.
        bias: float64 (N,), what the change is worth for the sake of the lane (their eq. 7) [m/s2].

    Returns:
        bool (N,), whether each gains; float64 (N,), by how much [m/s2].
    """
    standing = settings.standing_gap
    gained = following_acceleration(drivers, speed, ahead.gap, ahead.speed, standing) - acceleration
    follower, as_it_is = followers
    then = following_acceleration(follower, behind.speed, behind.gap, speed, standing)
    somebody = np.isfinite(behind.gap)
    imposed = np.where(somebody, then - as_it_is, 0.0)
    gain = gained + settings.politeness * np.minimum(imposed, 0.0) + bias
    room = settings.merging_gap
    safe = (ahead.gap > room) & (behind.gap > room) & (~somebody | (then >= -settings.imposed_braking))
    return safe & (gain > settings.advantage), gain


class VehicleBody(NamedTuple):
    """What a lane change is measured by.

    Attributes:
        length, width: float64 (N,) [m].
        turning_radius: float64 (N,), the sharpest turn [m].
    """

    length: Float64
    width: Float64
    turning_radius: Float64


def change_length(
    speed: Float64, offset: Float64, body: VehicleBody, lane_width: Float64, settings: TrafficSettings
) -> Float64:
    """The distance along the road that a change of lane takes.

    Args:
        speed: float64 (N,) [m/s].
        offset: float64 (N,), from lane to lane [m].
        body: of N vehicles.
        lane_width: float64 (N,) [m].
        settings: how all drive.

    Returns:
        float64 (N,) [m]: as long as `change_time` at this speed, long enough for the sharpest turn, and so long that
        the rear end does not swing out of the lane on its other side.
    """
    aside = np.abs(offset)
    turning = np.sqrt(_SHARPEST * aside * body.turning_radius)
    room = np.maximum(0.5 * (lane_width - body.width) - _SPARE, _LEAST_SPARE)
    ratios, swings = _rear_swings()
    swinging = 0.5 * body.length / np.interp(room / np.maximum(aside, 1e-9), swings, ratios)
    return np.maximum(np.maximum(settings.change_time * speed, turning), swinging)


def way_across(share: Float64) -> tuple[Float64, Float64]:
    """The quintic from 0 to 1 that begins and ends straight, and its derivative, at shares (N,) of the distance."""
    u = np.clip(share, 0.0, 1.0)
    square = u * u
    return u * square * (10.0 - 15.0 * u + 6.0 * square), 30.0 * square * (1.0 - u) * (1.0 - u)


@lru_cache(maxsize=1)
def _rear_swings() -> tuple[Float64, Float64]:
    """How far the rear end of a body comes out on the other side while its middle goes across.

    Returns:
        float64 (K,), half the body's length as share of the way; and how far it comes out as share of the offset.
    """
    aside, slope = way_across(np.linspace(0.0, 1.0, 201))
    ratios = np.linspace(0.01, 0.8, 159)
    return ratios, (ratios[:, None] * slope - aside).max(axis=1)


def room_to_swing(length: Float64, offset: Float64, needed: Float64) -> Float64:
    """The distance before something that stands, from which a change of lane still leads past it.

    Args:
        length: float64 (N,), of the change [m].
        offset: float64 (N,), from lane to lane [m].
        needed: float64 (N,), how far aside one must be to pass [m].

    Returns:
        float64 (N,), where the quintic has come so far aside [m]; its whole length where it never does.
    """
    shares = np.linspace(0.0, 1.0, 65)
    aside, _ = way_across(shares)
    reached = np.interp(np.clip(needed / np.maximum(np.abs(offset), 1e-9), 0.0, 1.0), aside, shares)
    return reached * length
