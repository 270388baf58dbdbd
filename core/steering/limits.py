# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body can do: how fast it speeds up, brakes and turns."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .kernels.arrays import Float64

STILL_SPEED = 0.1


def limit_velocity(
    velocity: Float64,
    wanted: Float64,
    *,
    max_acceleration: ArrayLike,
    max_deceleration: ArrayLike,
    max_turn_rate: ArrayLike,
    dt: float,
    still_speed: float = STILL_SPEED,
) -> Float64:
    """The velocity nearest to the wanted one that a body can reach in one step.

    Speed grows by no more than `max_acceleration * dt` and falls by no more than `max_deceleration * dt`; the direction
    of the velocity turns by no more than `max_turn_rate * dt`, whatever the wanted velocity. Who is slower than
    `still_speed` may turn on the spot.

    Args:
        velocity: float64 (A, 2), now [m/s].
        wanted: float64 (A, 2) [m/s].
        max_acceleration: float64 (A,) or one number [m/s2].
        max_deceleration: the same for braking [m/s2].
        max_turn_rate: float64 (A,) or one number [rad/s].
        dt: length of the step [s].
        still_speed: [m/s].

    Returns:
        float64 (A, 2) [m/s].
    """
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    wanted_speed = np.hypot(wanted[:, 0], wanted[:, 1])
    free = speed < still_speed
    forward = np.where(
        (speed > 0.0)[:, None], velocity / np.where(speed > 0.0, speed, 1.0)[:, None], np.array([1.0, 0.0])
    )
    aim = np.where(
        (wanted_speed > 0.0)[:, None], wanted / np.where(wanted_speed > 0.0, wanted_speed, 1.0)[:, None], forward
    )
    ahead = forward[:, 0] * aim[:, 0] + forward[:, 1] * aim[:, 1]
    aside = forward[:, 0] * aim[:, 1] - forward[:, 1] * aim[:, 0]
    most = np.minimum(np.asarray(max_turn_rate, dtype=np.float64) * dt, math.pi)
    turn = np.clip(np.arctan2(aside, ahead), -most, most)
    cos, sin = np.cos(turn), np.sin(turn)
    turned = np.stack((cos * forward[:, 0] - sin * forward[:, 1], sin * forward[:, 0] + cos * forward[:, 1]), axis=1)
    direction = np.where((free | (np.abs(np.arctan2(aside, ahead)) <= most))[:, None], aim, turned)
    along = wanted[:, 0] * direction[:, 0] + wanted[:, 1] * direction[:, 1]
    least = np.maximum(speed - np.asarray(max_deceleration) * dt, 0.0)
    reached = np.clip(along, least, speed + np.asarray(max_acceleration) * dt)
    return reached[:, None] * direction


def turn_towards(
    heading: Float64, velocity: Float64, *, max_turn_rate: ArrayLike, dt: float, still_speed: float = STILL_SPEED
) -> Float64:
    """Headings that follow the direction of motion no faster than a body turns; who stands keeps its own.

    Args:
        heading: float64 (A,) [rad], any number of turns.
        velocity: float64 (A, 2) [m/s].
        max_turn_rate: float64 (A,) or one number [rad/s].
        dt: length of the step [s].
        still_speed: below it one stands [m/s].

    Returns:
        float64 (A,) [rad], continuous: never jumps by a full turn.
    """
    moving = np.hypot(velocity[:, 0], velocity[:, 1]) >= still_speed
    off = np.arctan2(velocity[:, 1], velocity[:, 0]) - heading
    off -= 2.0 * math.pi * np.round(off / (2.0 * math.pi))
    most = np.asarray(max_turn_rate, dtype=np.float64) * dt
    return np.where(moving, heading + np.clip(off, -most, most), heading)
