# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of somebody's motion is walking and how much standing, by their speed; and the stride that goes with it.

People who walk slowly take shorter strides: length and cadence both grow with the root of the speed (Grieve and Gear
1966). Blending the walk with standing by a share shortens the stride by that share, so the share is the root of the
speed over the walk's own, and the stride goes on by the distance over the shortened stride.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

FULL_STRIDES = 0.9
"""Strides per second at which a walk is walked in full: 1.26 m/s for a stride of 1.4 m."""

_STANDING = 0.04  # [m/s]: slower than this nobody lifts a foot
_SMOOTHING = 0.3  # [s], over which speeds are averaged
_LEAST_SHARE = 0.2  # of the stride, however slowly somebody walks


def smooth_speed(walked: Float64, fps: float) -> Float64:
    """Speeds averaged over about a third of a second, centred.

    Args:
        walked: float64 (F, A) or (F,), way walked until each frame [m].
        fps: frames per second.

    Returns:
        float64, as `walked` [m/s].
    """
    half = max(1, round(_SMOOTHING * fps / 2))
    rows = np.arange(len(walked))
    before, after = np.maximum(rows - half, 0), np.minimum(rows + half, len(walked) - 1)
    span = np.maximum(after - before, 1).reshape(-1, *[1] * (walked.ndim - 1)) / fps
    return (walked[after] - walked[before]) / span


def walk_share(speed: Float64, stride_length: Float64 | float) -> Float64:
    """Share of walking in what somebody does, from 0, standing, to 1, walking in full.

    Args:
        speed: float64 (F, A) or (F,) [m/s].
        stride_length: float64 (A,) or one number, way of one run of the walk in full [m]; positive.
    """
    full = FULL_STRIDES * np.asarray(stride_length)
    return np.sqrt(np.clip((speed - _STANDING) / (full - _STANDING), 0.0, 1.0))


def blended_phase(
    walked: Float64, share: Float64, stride_length: Float64 | float, start_phase: Float64 | float
) -> Float64:
    """Runs of the walk when its stride is shortened by the share of walking.

    Args:
        walked: float64 (F, A) or (F,), way walked until each frame [m].
        share: as `walked`, from `walk_share`.
        stride_length: float64 (A,) or one number, way of one run of the walk in full [m].
        start_phase: float64 (A,) or one number [runs].

    Returns:
        float64, as `walked`: runs, not wrapped.
    """
    between = np.maximum((share[1:] + share[:-1]) / 2, _LEAST_SHARE)
    runs = np.zeros(walked.shape)
    np.cumsum(np.diff(walked, axis=0) / (between * stride_length), axis=0, out=runs[1:])
    return runs + start_phase
