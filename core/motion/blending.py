# SPDX-License-Identifier: GPL-3.0-or-later
"""The gait of people at their speeds (standing, walking, running), and the stride that goes with it.

The gait is one number: 0 stands, 1 walks in full, 2 runs in full, and between them the clips are blended. People who
walk slowly take shorter strides: length and cadence both grow with the root of the speed (Grieve and Gear 1966).
Blending the walk with standing by a share shortens the stride by that share, so the share is the root of the speed over
that of the clip, and the phase advances by the distance over the shortened stride.

The clip walks ahead, and played backwards it walks back. People who move sideways, because they turn or give way, take
shorter and more steps, the more the line of their motion differs from that of their heading: a foot that is set down as
for a full stride ahead would be out of the reach of the leg before it leaves the ground. So do people who turn while
they hardly move.

People change from walking to running within a step, at a Froude number v^2 / (g l) of about one half for legs of length
l, 2 m/s for adults (Alexander 1989, Optimization and gaits in the locomotion of vertebrates).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Bool, Float64, Int64
from .heading import GRAVITY

STANDS, WALKS, RUNS = 0.0, 1.0, 2.0
"""The gaits in full."""


@dataclass(frozen=True)
class GaitSettings:
    """How the gait depends on the speed; where no source is named, chosen by trial on the built-in figures.

    Attributes:
        walk_cadence: cadence of a walk in full [strides/s]: 1.26 m/s for a stride of 1.4 m.
        run_cadence: cadence of a run in full [strides/s]: 2.6 m/s for a stride of 1.95 m.
        max_cadence: steps are not shortened beyond this cadence [strides/s].
        usual_stride: stride of a walk for which these cadences hold [m]; bodies of other sizes have them at the same
            Froude number, in proportion to the root of 1 / stride (Alexander 1989): giants walk slowly, not half.
        standing_speed: below it nobody lifts a foot [m/s].
        smoothing: time over which speeds are averaged [s].
        shortest_stride: share of the full stride that the slowest walk keeps.
        sideways_reach: share of the stride that a foot may land beside its place in the clip without sliding.
        sideways: cosine of the angle between the lines of heading and motion up to which people walk in full, and the
            share of that which is left straight to the side, where they move by small steps, as who stands does.
        turn_of_stride: the feet follow the body through so much of a turn in one stride; faster turns take
            shorter and more steps [rad].
        turning_share: a walk that this shortens below the second share is shortened more, and below the first people
            turn on the spot, by small steps.
        froude: Froude number v^2 / (g l) at which people start to run (Alexander 1989).
        stride_of_leg: stride of a usual walk over the length of the leg (Winter 1991).
        hysteresis: share of the speed of change, to both sides, within which people keep their gait.
        change_time: time over which walk and run are blended, one step [s].
        slowest_run: share of running in the slowest run; the rest is walking, which shortens the stride.
    """

    walk_cadence: float = 0.9
    run_cadence: float = 1.33
    max_cadence: float = 1.8
    usual_stride: float = 1.4
    standing_speed: float = 0.04
    smoothing: float = 0.3
    shortest_stride: float = 0.2
    sideways_reach: float = 0.24
    sideways: tuple[float, float] = (0.64, 0.24)
    turn_of_stride: float = 1.57
    turning_share: tuple[float, float] = (0.15, 0.3)
    froude: float = 0.5
    stride_of_leg: float = 1.67
    hysteresis: float = 0.05
    change_time: float = 0.35
    slowest_run: float = 0.75


GAIT = GaitSettings()


@dataclass(frozen=True)
class Strides:
    """Distance that one run of the clips covers, of A people or of one.

    Attributes:
        walk: float64 (A,) or one number, distance of one run of the walk in full [m]; positive.
        run: the same for the run, over as many steps as the walk [m]; 0: there is no run.
        stands: bool (A,) or one: there is a standing clip, so that a slow walk is blended with it.
        passing: float64 (A,) or one, phase of the walk at which the right foot passes the left [runs]; NaN: not known.
        steps: int64 (A,) or one, steps in one run of the walk.
    """

    walk: Float64 | float
    run: Float64 | float = 0.0
    stands: Bool | bool = True
    passing: Float64 | float = np.nan
    steps: Int64 | int = 2

    def take(self, some: Int64 | slice, count: int) -> Strides:
        """Return those of some of `count` people."""
        return Strides(*(np.broadcast_to(each, count)[some] for each in vars(self).values()))


def smooth_speed(walked: Float64, fps: float, settings: GaitSettings = GAIT) -> Float64:
    """Speeds averaged over a centred window.

    Args:
        walked: float64 (F, A) or (F,), distance walked until each frame [m].
        fps: frames per second.
        settings: length of the window.

    Returns:
        float64, as `walked` [m/s].
    """
    half = max(1, round(settings.smoothing * fps / 2))
    rows = np.arange(len(walked))
    before, after = np.maximum(rows - half, 0), np.minimum(rows + half, len(walked) - 1)
    span = np.maximum(after - before, 1).reshape(-1, *[1] * (walked.ndim - 1)) / fps
    return (walked[after] - walked[before]) / span


def running_speed(walk_stride: Float64 | float, settings: GaitSettings = GAIT) -> Float64:
    """Speed at which people with a walk of some stride start to run [m/s] (Alexander 1989)."""
    return np.sqrt(settings.froude * GRAVITY * np.asarray(walk_stride) / settings.stride_of_leg)


def find_gait(
    speed: Float64,
    strides: Strides,
    fps: float,
    ahead: Float64 | None = None,
    turning: Float64 | None = None,
    settings: GaitSettings = GAIT,
) -> Float64:
    """The gait of people at their speeds, from 0, standing, over 1, walking in full, to 2, running in full.

    Args:
        speed: float64 (F, A) or (F,) [m/s].
        strides: of their clips.
        fps: frames per second.
        ahead: component of their speeds along their headings, as `speed` [m/s]; None: all.
        turning: their rates of turning, as `speed` [rad/s]; None: they go straight on.
        settings: how the gait depends on the speed.

    Returns:
        float64, as `speed`.
    """
    walking = np.where(strides.stands, _walk_share(speed, strides.walk, settings), WALKS)
    if ahead is not None or turning is not None:
        most = _largest_share(speed, ahead, turning, strides.walk, settings)
        shortened = np.minimum(most / np.maximum(walking, 1e-9), 1.0)
        shortened = _smoothed(shortened, max(1, round(settings.smoothing * fps / 2)))
        walking = np.where(strides.stands, walking * shortened, walking)
    if not np.any(strides.run):
        return walking
    change, slowest = running_speed(strides.walk, settings), settings.slowest_run
    run_cadence = settings.run_cadence * _pace(strides.walk, settings)
    full = np.maximum(run_cadence * np.asarray(strides.run), 1.01 * change)
    amount = slowest + (1.0 - slowest) * np.clip((speed - change) / (full - change), 0.0, 1.0)
    is_running = _is_running(speed, change, settings.hysteresis) & (np.asarray(strides.run) > 0.0)
    runs = _smoothed(is_running, max(1, round(settings.change_time * fps / 2)))
    return walking * (1.0 + amount * runs)


def stride_of(gait: Float64, strides: Strides, settings: GaitSettings = GAIT) -> Float64:
    """Distance of one run of the blended clips [m], as `gait`."""
    walk = np.asarray(strides.walk)
    longer = np.where(np.asarray(strides.run) > 0.0, strides.run - walk, 0.0)
    return walk * np.clip(gait, settings.shortest_stride, WALKS) + longer * np.clip(gait - WALKS, 0.0, 1.0)


def blended_phase(walked: Float64, gait: Float64, strides: Strides, start_phase: Float64 | float) -> Float64:
    """Phase of the walk, when its stride is as long as the gait makes it.

    Args:
        walked: float64 (F, A) or (F,), distance walked until each frame, less where it goes back [m].
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


def _walk_share(speed: Float64, stride_length: Float64 | float, settings: GaitSettings) -> Float64:
    """Share of walking, from 0, standing, to 1, walking in full."""
    full = settings.walk_cadence * _pace(stride_length, settings) * np.asarray(stride_length)
    standing = np.minimum(settings.standing_speed, 0.5 * full)
    return np.sqrt(np.clip((speed - standing) / (full - standing), 0.0, 1.0))


def _largest_share(
    speed: Float64,
    ahead: Float64 | None,
    turning: Float64 | None,
    stride_length: Float64 | float,
    settings: GaitSettings,
) -> Float64:
    """Share of the stride that feet can follow; above 1 for people who move nearly along their heading."""
    most = np.full(speed.shape, np.inf)
    if ahead is not None:
        cosine = np.minimum(np.abs(ahead) / np.maximum(speed, 1e-9), 1.0)
        off = np.sqrt(np.where(speed > 0.0, 0.5 - 0.5 * cosine, 0.0))  # sine of half the angle, as a chord is measured
        by_reach = settings.sideways_reach / np.maximum(off, 1e-9)
        fastest = settings.max_cadence * _pace(stride_length, settings) * np.asarray(stride_length)
        full, least = settings.sideways
        most = np.maximum(by_reach, speed / fastest) * np.minimum(least + (1.0 - least) * cosine / full, 1.0)
    if turning is not None:
        turn_of_way = np.maximum(np.abs(turning) * np.asarray(stride_length), 1e-9)
        by_turn, (none, full) = settings.turn_of_stride * speed / turn_of_way, settings.turning_share
        most = np.minimum(most, by_turn * np.clip((by_turn - none) / (full - none), 0.0, 1.0))
    return most


def _pace(walk_stride: Float64 | float, settings: GaitSettings) -> Float64:
    """Cadence of a body with a walk of some stride over the usual one, at the same Froude number."""
    return np.sqrt(settings.usual_stride / np.asarray(walk_stride))


def _is_running(speed: Float64, change: Float64, hysteresis: float) -> Bool:
    """Whether people run: by their last speed that was clearly above or below that of the change."""
    clear = np.abs(speed - change) > hysteresis * change
    clear[0] = True
    rows = np.arange(len(speed)).reshape(-1, *[1] * (speed.ndim - 1))
    last = np.maximum.accumulate(np.where(clear, rows, 0), axis=0)
    return np.take_along_axis(speed > change, last, axis=0)


def _smoothed(flags: Bool, half: int) -> Float64:
    """Flags (F, ...) averaged over so many frames to both sides."""
    rows = np.arange(len(flags))
    sums = np.concatenate([np.zeros((1, *flags.shape[1:])), np.cumsum(flags, axis=0)])
    before, after = np.maximum(rows - half, 0), np.minimum(rows + half + 1, len(flags))
    return (sums[after] - sums[before]) / (after - before).reshape(-1, *[1] * (flags.ndim - 1))
