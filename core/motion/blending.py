# SPDX-License-Identifier: GPL-3.0-or-later
"""How much somebody stands, walks and runs, by their speed; and the stride that goes with it.

One number says it, the gait: 0 stands, 1 walks in full, 2 runs in full, and between them the clips are blended. People
who walk slowly take shorter strides: length and cadence both grow with the root of the speed (Grieve and Gear 1966).
Blending the walk with standing by a share shortens the stride by that share, so the share is the root of the speed over
the walk's own, and the stride goes on by the distance over the shortened stride.

The clip walks ahead. Who goes sideways or backwards, as people do who turn round or are pushed aside, takes the shorter
steps, and the more of them, the farther that is from where the body faces: a foot that is set down as for a stride
ahead would be out of the leg's reach before it may leave.

From walking to running people change within a step, at a Froude number v^2 / (g l) of about one half for legs of length
l, 2 m/s for adults (Alexander 1989, Optimization and gaits in the locomotion of vertebrates).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

STANDS, WALKS, RUNS = 0.0, 1.0, 2.0
"""What gaits are called."""

FULL_STRIDES = 0.9
"""Strides per second at which a walk is walked in full: 1.26 m/s for a stride of 1.4 m."""

FULL_RUN_STRIDES = 1.33
"""Strides per second at which a run is run in full: 2.6 m/s for a stride of 1.95 m."""

_STANDING = 0.04  # [m/s]: slower than this nobody lifts a foot
_SMOOTHING = 0.3  # [s], over which speeds are averaged
_LEAST_SHARE = 0.2  # of the stride, however slowly somebody walks
_REACH = 0.24  # of the stride: who steps farther aside of the clip's foot has it slide
_MOST_CADENCE = 2.0 * FULL_STRIDES  # strides per second: no steps are shortened so far that there would be more
_FROUDE, _GRAVITY = 0.5, 9.81
_STRIDE_OF_LEG = 1.67  # stride of a usual walk over the length of the leg (Winter 1991)
_UNDECIDED = 0.05  # of the speed of change, to both sides: there people keep to what they do
_CHANGE = 0.35  # [s], one step, over which the clips are blended
_LEAST_RUN = 0.75  # of running in what the slowest runner does; the rest is walking, which shortens the stride


@dataclass(frozen=True)
class Strides:
    """How far one run of the clips of A people, or of one, goes.

    Attributes:
        walk: float64 (A,) or one number, way of one run of the walk in full [m]; positive.
        run: the same for the run, over as many steps as the walk's [m]; 0: there is no run.
        stands: bool (A,) or one: there is a way to stand, so that a slow walk is blended with it.
    """

    walk: Float64 | float
    run: Float64 | float = 0.0
    stands: NDArray[np.bool_] | bool = True


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


def running_speed(walk_stride: Float64 | float) -> Float64:
    """Speed at which people with a walk of some stride begin to run [m/s]."""
    return np.sqrt(_FROUDE * _GRAVITY * np.asarray(walk_stride) / _STRIDE_OF_LEG)


def find_gait(speed: Float64, strides: Strides, fps: float, ahead: Float64 | None = None) -> Float64:
    """What people do at their speeds, from 0, standing, over 1, walking in full, to 2, running in full.

    Args:
        speed: float64 (F, A) or (F,) [m/s].
        strides: of their clips.
        fps: frames per second.
        ahead: how much of their speeds is where they face, as `speed` [m/s]; None: all.

    Returns:
        float64, as `speed`.
    """
    walking = np.where(strides.stands, _walk_share(speed, strides.walk), WALKS)
    if ahead is not None:
        walking = np.where(strides.stands, np.minimum(walking, _most_share(speed, ahead, strides.walk)), walking)
    if not np.any(strides.run):
        return walking
    change = running_speed(strides.walk)
    full = np.maximum(FULL_RUN_STRIDES * np.asarray(strides.run), 1.01 * change)
    amount = _LEAST_RUN + (1.0 - _LEAST_RUN) * np.clip((speed - change) / (full - change), 0.0, 1.0)
    runs = _smoothed(_decided(speed, change) & (np.asarray(strides.run) > 0.0), fps)
    return walking * (1.0 + amount * runs)


def stride_of(gait: Float64, strides: Strides) -> Float64:
    """Way of one run of the blended clips [m], as `gait`."""
    walk = np.asarray(strides.walk)
    longer = np.where(np.asarray(strides.run) > 0.0, strides.run - walk, 0.0)
    return walk * np.clip(gait, _LEAST_SHARE, WALKS) + longer * np.clip(gait - WALKS, 0.0, 1.0)


def blended_phase(walked: Float64, gait: Float64, strides: Strides, start_phase: Float64 | float) -> Float64:
    """Runs of the walk when its stride is as long as the gait makes it.

    Args:
        walked: float64 (F, A) or (F,), way walked until each frame [m].
        gait: as `walked`, from `find_gait`.
        strides: of the clips.
        start_phase: float64 (A,) or one number [runs].

    Returns:
        float64, as `walked`: runs, not wrapped.
    """
    between = stride_of((gait[1:] + gait[:-1]) / 2, strides)
    runs = np.zeros(walked.shape)
    np.cumsum(np.diff(walked, axis=0) / between, axis=0, out=runs[1:])
    return runs + start_phase


def _walk_share(speed: Float64, stride_length: Float64 | float) -> Float64:
    """Share of walking in what somebody does, from 0, standing, to 1, walking in full."""
    full = FULL_STRIDES * np.asarray(stride_length)
    return np.sqrt(np.clip((speed - _STANDING) / (full - _STANDING), 0.0, 1.0))


def _most_share(speed: Float64, ahead: Float64, stride_length: Float64 | float) -> Float64:
    """Share of the stride that feet can follow; above 1 for those who go nearly where they face."""
    cosine = np.clip(ahead / np.maximum(speed, 1e-9), -1.0, 1.0)
    off = np.sqrt(np.where(speed > 0.0, 0.5 - 0.5 * cosine, 0.0))  # sine of half the angle, as a chord is measured
    return np.maximum(_REACH / np.maximum(off, 1e-9), speed / (_MOST_CADENCE * np.asarray(stride_length)))


def _decided(speed: Float64, change: Float64) -> NDArray[np.bool_]:
    """Whether somebody runs: as the last speed says that was clearly above or below that of the change."""
    clear = np.abs(speed - change) > _UNDECIDED * change
    clear[0] = True
    rows = np.arange(len(speed)).reshape(-1, *[1] * (speed.ndim - 1))
    last = np.maximum.accumulate(np.where(clear, rows, 0), axis=0)
    return np.take_along_axis(speed > change, last, axis=0)


def _smoothed(flags: NDArray[np.bool_], fps: float) -> Float64:
    """Flags (F, ...) averaged over the length of a step, centred."""
    half = max(1, round(_CHANGE * fps / 2))
    rows = np.arange(len(flags))
    sums = np.concatenate([np.zeros((1, *flags.shape[1:])), np.cumsum(flags, axis=0)])
    before, after = np.maximum(rows - half, 0), np.minimum(rows + half + 1, len(flags))
    return (sums[after] - sums[before]) / (after - before).reshape(-1, *[1] * (flags.ndim - 1))
