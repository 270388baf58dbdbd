# SPDX-License-Identifier: GPL-3.0-or-later
"""Where heads turn: to their target, as far as they turn and a little late, or to something now and then.

Angles are of `reproducible_math`: numpy's differ in the last bit from run to run, and keys are chosen by the largest of
differences that may be alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import arctan2, cos_sin, exp, length
from ...scene import Hero


@dataclass(frozen=True)
class GazeSettings:
    """How people look at something; ranges of motion after White and Panjabi 1990, the rest chosen by eye.

    Attributes:
        yaw: heads turn so far to each side, neck and chest included [rad].
        up: and up [rad].
        down: and down [rad].
        given_up: targets further to the side than this are ignored [rad].
        chest: share of the turn that the chest takes.
        neck: share that the neck takes; the rest is the head's.
        lag: time constant of the head, which follows as a critically damped spring [s].
        tolerance: keys are left out that are nearer to a straight line than this [rad].
        pause: mean time from one glance to the next [s].
        spread: share of the time without a glance over which they begin sooner or later; from 0 to 1.
        glance: mean time for which people glance at something [s].
        aside: glances go so far to a side, at most [rad].
        least_aside: and at least [rad].
        companion: share of glances that go to somebody of the own group who can be seen.
        seen: nobody glances at a companion further to the side than this [rad].
        reach: companions further away are ignored [m].
        hero: heroes nearer than this are looked at [m].
        fixation: mean time for which one point of what is looked at is looked at [s].
        held: share of the turns of their heads in standing that people who look at something leave out.
        wander: those points lie so far to the sides of it, at most; half as far up and down [rad].
    """

    yaw: float = math.radians(75.0)
    up: float = math.radians(35.0)
    down: float = math.radians(35.0)
    given_up: float = math.radians(115.0)
    chest: float = 0.14
    neck: float = 0.36
    lag: float = 0.14
    tolerance: float = math.radians(1.5)
    pause: float = 5.7
    spread: float = 0.5
    glance: float = 1.3
    aside: float = math.radians(45.0)
    least_aside: float = math.radians(12.0)
    companion: float = 0.7
    seen: float = math.radians(90.0)
    reach: float = 4.0
    hero: float = 8.0
    fixation: float = 1.8
    held: float = 0.85
    wander: float = math.radians(7.0)


LOOK = GazeSettings()


def places_of(heroes: Sequence[Hero], frames: Int64) -> Float64:
    """Return where heroes are at frames, float64 (H, F, 3) [m]; NaN while they are absent."""
    found = np.full((len(heroes), len(frames), 3), np.nan)
    for number, hero in enumerate(heroes):
        there = np.array([hero.is_present(frame) for frame in frames.tolist()], dtype=bool)
        track = hero.motion
        ways = [np.interp(frames, track.frames, values) for values in (track.x, track.y)]
        found[number, there] = np.column_stack([*ways, np.zeros(len(frames))])[there]
    return found


def look_towards(eyes: Float64, heading: Float64, target: Float64, fps: float, off: Float64 | float = 0.0) -> Float64:
    """Yaw and pitch of heads that look at something.

    Args:
        eyes: float64 (A, F, 3).
        heading: float64 (A, F) [rad].
        target: float64 (A, F, 3), points; NaN for nowhere.
        fps: frames per second.
        off: float64 (A, F, 2), how far to the left of it, and above it, they look [rad].

    Returns:
        float64 (A, F, 2), to the left and up, from where the body faces [rad].
    """
    way = target - eyes
    x, y, z = np.moveaxis(way, -1, 0)
    yaw = arctan2(y, x) - heading
    yaw = np.mod(yaw + np.pi, 2.0 * np.pi) - np.pi
    pitch = arctan2(z, np.sqrt(x * x + y * y))
    seen = np.isfinite(yaw) & (np.abs(yaw) < LOOK.given_up)
    yaw = np.where(seen, np.clip(yaw, -LOOK.yaw, LOOK.yaw), 0.0)
    pitch = np.where(seen, np.clip(pitch, -LOOK.down, LOOK.up), 0.0)
    return _late(np.stack([yaw, pitch], axis=-1) + np.where(seen[..., None], off, 0.0), fps)


def _late(angles: Float64, fps: float) -> Float64:
    """The answer of a critically damped spring to angles (A, F, 2); before the first it was at rest there."""
    rows = max(2, math.ceil(8.0 * LOOK.lag * fps))
    time = (np.arange(rows) + 0.5) / (fps * LOOK.lag)
    kernel = time * exp(-time)
    kernel /= kernel.sum()
    padded = np.concatenate([np.repeat(angles[:, :1], rows - 1, axis=1), angles], axis=1)
    found = np.zeros_like(angles)
    for back, weight in enumerate(kernel.tolist()):
        first = rows - 1 - back
        found += weight * padded[:, first : first + angles.shape[1]]
    return found


def nearest_of(others: Float64, place: Float64) -> Float64:
    """Return where the nearest of some people is, float64 (F, 3); NaN where all are absent.

    Args:
        others: float64 (F, N, 3); NaN where absent.
        place: float64 (F, 3), to which they are near.
    """
    apart = length(others - place[:, None])
    apart = np.where(np.isnan(apart), np.inf, apart)
    return others[np.arange(len(place)), apart.argmin(axis=1)]


def glance_about(
    idle: Bool, companions: Float64, eyes: Float64, heading: Float64, *, fps: float, lot: Float64
) -> Float64:
    """Points at which people glance who look at nothing: companions, or something beside their path.

    Args:
        idle: bool (A, F), whether each may glance about.
        companions: float64 (A, F, 3), eyes of somebody of the own group; NaN for nobody.
        eyes: float64 (A, F, 3).
        heading: float64 (A, F) [rad].
        fps: frames per second.
        lot: float64 (A,), random numbers in [0, 1).

    Returns:
        float64 (A, F, 3); NaN for nowhere.
    """
    period = LOOK.pause + LOOK.glance
    time = np.arange(idle.shape[1]) / (fps * period) + (97.0 * lot % 1.0)[:, None]
    number = np.floor(time)
    u = np.mod(0.7548776662466927 * number + 1013.0 * lot[:, None], 1.0)  # of each glance, spread over all people
    v = np.mod(0.5698402909980532 * number + 389.0 * lot[:, None], 1.0)
    lasts = LOOK.glance * (0.6 + 0.8 * v) / period
    begins = LOOK.spread * (1.0 - lasts) * np.mod(7.0 * u, 1.0)
    glances = idle & (time - number >= begins) & (time - number < begins + lasts)
    way = 2.0 * np.mod(13.0 * u, 1.0) - 1.0
    aside = np.sign(way) * LOOK.least_aside + (LOOK.aside - LOOK.least_aside) * way
    towards = heading + aside
    far = eyes + 10.0 * np.stack([*cos_sin(towards), -0.04 + 0.08 * v], axis=-1)
    x, y = companions[..., 0] - eyes[..., 0], companions[..., 1] - eyes[..., 1]
    off = np.mod(arctan2(y, x) - heading + np.pi, 2.0 * np.pi) - np.pi
    near = (np.abs(off) < LOOK.seen) & (u < LOOK.companion)  # NaN for nobody
    found = np.where(near[..., None], companions, far)
    return np.where(glances[..., None], found, np.nan)


def wander_about(seen: Bool, *, fps: float, lot: Float64) -> Float64:
    """How far from their target people look, who look at one point of it after the other.

    Args:
        seen: bool (A, F), whether each looks at a target.
        fps: frames per second.
        lot: float64 (A,), random numbers in [0, 1).

    Returns:
        float64 (A, F, 2), to the left and up [rad].
    """
    number = np.floor(np.arange(seen.shape[1]) / (fps * LOOK.fixation) + (61.0 * lot % 1.0)[:, None])
    draws = [np.mod(share * number + seed * lot[:, None], 1.0) for share, seed in ((0.7549, 211.0), (0.5698, 503.0))]
    off = LOOK.wander * (2.0 * np.stack(draws, axis=-1) - 1.0) * (1.0, 0.5)
    return np.where(seen[..., None], off, 0.0)


def needed_keys(angles: Float64) -> Int64:
    """Rows that linear keys need so that no angle is further from them than the tolerance.

    Args:
        angles: float64 (F, K) [rad].

    Returns:
        int64 (N,), the first and the last row among them; only the first where the angles never leave zero.

    Source: Douglas and Peucker 1973.
    """
    if np.abs(angles).max() < LOOK.tolerance:
        return np.zeros(1, dtype=np.int64)
    kept, parts = {0, len(angles) - 1}, [(0, len(angles) - 1)]
    while parts:
        first, last = parts.pop()
        if last - first < 2:
            continue
        share = (np.arange(first + 1, last) - first) / (last - first)
        straight = angles[first] + share[:, None] * (angles[last] - angles[first])
        off = np.abs(angles[first + 1 : last] - straight).max(axis=1)
        worst = int(off.argmax())
        if off[worst] > LOOK.tolerance:
            kept.add(first + 1 + worst)
            parts += [(first, first + 1 + worst), (first + 1 + worst, last)]
    return np.array(sorted(kept), dtype=np.int64)
