# SPDX-License-Identifier: GPL-3.0-or-later
"""The stride of a walk clip: the distance that one run of it carries the body.

It is measured on the points of a skeleton (heads and tails of its bones) over one run of the clip. Names of bones are
not needed: a foot is what comes near the ground and swings there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..array_types import Bool, Float64
from ..geometry.reproducible_math import dot, length


@dataclass(frozen=True)
class FootSettings:
    """Which points of a skeleton are feet and when they are planted; chosen by trial on motion-capture clips.

    Attributes:
        ankle_height: greatest lowest height of a foot point, as a share of the body height.
        swing_share: least swing of a foot point, as a share of the widest swing near the ground.
        least_swing: least swing of a walking clip, as a share of the body height.
        contact_height: a foot point is planted below this share of its own rise.
        floor: a foot point is near the ground this close to its lowest, as a share of the body height.
        rest_share: least time near the ground of a foot point, as a share of the longest one; hands only pass there.
        direction_margin: least excess of planted moments in one direction, as a share, to decide which is ahead.
    """

    ankle_height: float = 0.12
    swing_share: float = 0.5
    least_swing: float = 0.02
    contact_height: float = 0.1
    floor: float = 0.03
    rest_share: float = 0.5
    direction_margin: float = 0.4


FOOT = FootSettings()


class GroundTravel(NamedTuple):
    """Motion of the ground under the planted feet of a clip in place.

    Attributes:
        stride: distance of one run of the clip, in the unit of the points.
        direction: float64 (2,), unit length, in which the body walks; None where the feet go back and forth alike.
        feet: bool (P,), the points that are feet.
        swing: median way of these points from one side of the body to the other.
    """

    stride: float
    direction: Float64 | None
    feet: Bool
    swing: float


def travel(points: Float64) -> Float64:
    """Displacement of the skeleton over the clip: root motion.

    Args:
        points: float64 (T, P, 3), over one run of the clip, both ends included; Z up.

    Returns:
        float64 (3,): the median displacement of the points between the first and the last moment, which ignores
        controls that stay behind.
    """
    return np.median(points[-1] - points[0], axis=0)


def ground_travel(points: Float64, feet: Bool | None = None, settings: FootSettings = FOOT) -> GroundTravel | None:
    """Distance that the planted feet push the ground back in one run of a clip that stays in place.

    A planted point is at its lowest. Meanwhile the ground under it moves with it; the median over all such moments is
    that speed, whatever heel and toe do at either end of a step. Legs that swing without being lifted are as low
    forwards as backwards, and their direction is unknown; or else hands were taken for feet that hang low and swing
    wider, and what comes lowest is tried.

    Args:
        points: float64 (T, P, 3), at equal times over one run of the clip, both ends included; Z up.
        feet: bool (P,), the points that are feet, where they are known from another clip.
        settings: which points are feet and when they are planted.

    Returns:
        The motion of the body in one run, opposite to that of the ground; None where no foot is found.
    """
    if feet is not None:
        return _travel_on(points, feet, settings)
    found = _travel_on(points, _find_feet(points, settings.ankle_height, settings), settings)
    if found is None or found.direction is not None:
        return found
    lowest = _find_feet(points, settings.floor, settings)
    if (found.feet & lowest).any():
        return found
    return _travel_on(points, lowest, settings) or found


def _travel_on(points: Float64, feet: Bool, settings: FootSettings) -> GroundTravel | None:
    """Return the same by the points that are feet."""
    back = _planted_steps(points[:, feet], settings)
    speeds = length(back)
    back, speeds = back[speeds > 0.0], speeds[speeds > 0.0]
    if not len(back):
        return None
    runs = len(points) - 1
    direction = np.median(back, axis=0)
    way = length(direction)
    swing = float(np.median(length(np.ptp(points[:, feet, :2], axis=0))))
    if not way > 0.0 or length((back / speeds[:, None]).mean(axis=0)) < settings.direction_margin:
        return GroundTravel(float(np.median(speeds)) * runs, None, feet, swing)
    along = dot(back, direction / way)
    return GroundTravel(float(np.median(along[along > 0.0])) * runs, -direction / way, feet, swing)


def _find_feet(points: Float64, highest: float, settings: FootSettings) -> Bool:
    """Find the points that swing near the ground and rest there, bool (P,), up to a share of the body height."""
    low = points[..., 2].min(axis=0)  # (P,)
    height = points[..., 2].max() - low.min()
    swing = length(np.ptp(points[..., :2], axis=0))  # (P,)
    near = (low - low.min() <= highest * height) & (swing > settings.least_swing * height)
    if not near.any():
        return near
    rest = (points[..., 2] - low <= settings.floor * height).mean(axis=0)  # (P,)
    resting = near & (rest >= settings.rest_share * rest[near].max())
    return resting & (swing > settings.swing_share * swing[resting].max())


def _planted_steps(feet: Float64, settings: FootSettings) -> Float64:
    """Displacements of foot points (T, Q, 3) between two moments while they are planted, float64 (N, 2)."""
    steps = np.diff(feet[..., :2], axis=0)  # (T - 1, Q, 2)
    heights = (feet[1:, :, 2] + feet[:-1, :, 2]) / 2
    planted = heights - heights.min(axis=0) <= settings.contact_height * np.ptp(heights, axis=0)
    return steps[planted]
