# SPDX-License-Identifier: GPL-3.0-or-later
"""What a walk clip says about its own stride: how far one run of it carries the body.

Both questions are put to the points of a skeleton (heads and tails of its bones) over one run of the clip. No names
of bones are asked for: a foot is what comes near the ground and swings there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

_FOOT_ZONE = 0.12  # of the height: as high as an ankle may lie at its lowest
_SWING = 0.5  # of the widest swing near the ground: what swings less is no foot
_LEAST_SWING = 0.02  # of the height: a clip whose feet move less than this stands still
_CONTACT = 0.1  # of a foot point's own rise: below this it is planted
_CLEAR = 0.4  # of the planted moments, more than go the other way: then it is seen which way is ahead


class GroundTravel(NamedTuple):
    """What the planted feet of a clip in place say.

    Attributes:
        stride: way of one run of the clip, in the unit of the points.
        direction: float64 (2,), unit length, the way that the body walks; None where the feet go back and forth alike.
    """

    stride: float
    direction: Float64 | None


def travel(points: Float64) -> Float64:
    """How far a clip carries the skeleton away from its place: root motion.

    Args:
        points: float64 (T, P, 3), over one run of the clip, both ends included; Z up.

    Returns:
        float64 (3,): the way that at least half of the points have gone between the first and the last moment. The
        median leaves out controls that stay behind.
    """
    return np.median(points[-1] - points[0], axis=0)


def ground_travel(points: Float64) -> GroundTravel | None:
    """How far the planted feet push the ground back in one run of a clip that stays in its place.

    A planted point is one that is as low as it gets. While it is, the ground under it moves as it does; the median
    over all such moments is that speed, whatever the heel and the toe do at either end of a step. Legs that swing to
    and fro without being lifted are as low on the way forth as on the way back, and could walk either way.

    Args:
        points: float64 (T, P, 3), at equal times over one run of the clip, both ends included; Z up.

    Returns:
        The way that the body walks in one run, opposite to the ground's; None where no foot is found.
    """
    back = _planted_steps(points)
    speeds = np.hypot(*back.T)
    back, speeds = back[speeds > 0.0], speeds[speeds > 0.0]
    if not len(back):
        return None
    runs = len(points) - 1
    direction = np.median(back, axis=0)
    length = np.hypot(*direction)
    if not length > 0.0 or np.hypot(*(back / speeds[:, None]).mean(axis=0)) < _CLEAR:
        return GroundTravel(float(np.median(speeds)) * runs, None)
    along = back @ (direction / length)
    return GroundTravel(float(np.median(along[along > 0.0])) * runs, -direction / length)


def _planted_steps(points: Float64) -> Float64:
    """The ways that foot points go between two moments while they are planted, float64 (N, 2)."""
    low = points[..., 2].min(axis=0)  # (P,)
    height = points[..., 2].max() - low.min()
    swing = np.hypot(*np.moveaxis(np.ptp(points[..., :2], axis=0), -1, 0))  # (P,)
    swing[low - low.min() > _FOOT_ZONE * height] = 0.0
    if not swing.max() > _LEAST_SWING * height:
        return np.empty((0, 2))
    feet = points[:, swing > _SWING * swing.max()]  # (T, Q, 3)
    steps = np.diff(feet[..., :2], axis=0)  # (T - 1, Q, 2)
    heights = (feet[1:, :, 2] + feet[:-1, :, 2]) / 2
    planted = heights - heights.min(axis=0) <= _CONTACT * np.ptp(heights, axis=0)
    return steps[planted]
