# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body can do: how fast it speeds up, brakes and turns."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.reproducible_math import arctan2, cos_sin, heading_vector
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
    grip: ArrayLike = math.inf,
    still_speed: float = STILL_SPEED,
) -> Float64:
    """The velocity nearest to the wanted one that a body can reach in one step.

    Speed grows by no more than `max_acceleration * dt` and falls by no more than `max_deceleration * dt`; the direction
    of the velocity turns by no more than `max_turn_rate * dt`, whatever the wanted velocity. Who is slower than
    `still_speed` may turn on the spot. Both together change the velocity by no more than `grip * dt`: whoever turns
    hard speeds up and brakes the less, as inside a circle of friction. Where that is the narrower limit, the velocity
    lies on the straight line from the present one to the one that is nearest without this limit.

    Args:
        velocity: float64 (A, 2), now [m/s].
        wanted: float64 (A, 2) [m/s].
        max_acceleration: float64 (A,) or one number [m/s2].
        max_deceleration: the same for braking [m/s2].
        max_turn_rate: float64 (A,) or one number [rad/s].
        dt: length of the step [s].
        grip: most acceleration in any direction, float64 (A,) or one number [m/s2].
        still_speed: [m/s].

    Returns:
        float64 (A, 2) [m/s].
    """
    speed, forward = _polar(velocity, np.broadcast_to([1.0, 0.0], velocity.shape))
    _, aim = _polar(wanted, forward)
    most = np.minimum(np.asarray(max_turn_rate, dtype=np.float64) * dt, math.pi)
    cos, sin = cos_sin(most)
    ahead = forward[:, 0] * aim[:, 0] + forward[:, 1] * aim[:, 1]
    aside = forward[:, 0] * aim[:, 1] - forward[:, 1] * aim[:, 0]
    sin = np.where(aside > 0.0, sin, -sin)
    turned = np.stack((cos * forward[:, 0] - sin * forward[:, 1], sin * forward[:, 0] + cos * forward[:, 1]), axis=1)
    direction = np.where(((speed < still_speed) | (ahead >= cos))[:, None], aim, turned)
    along = wanted[:, 0] * direction[:, 0] + wanted[:, 1] * direction[:, 1]
    least = np.maximum(speed - np.asarray(max_deceleration) * dt, 0.0)
    reached = along.clip(least, speed + np.asarray(max_acceleration) * dt)
    change = reached[:, None] * direction - velocity
    size = np.sqrt(change[:, 0] * change[:, 0] + change[:, 1] * change[:, 1])
    share = np.minimum(np.asarray(grip) * dt / np.maximum(size, 1e-12), 1.0)
    return np.where((share < 1.0)[:, None], velocity + share[:, None] * change, reached[:, None] * direction)


def roll_towards(
    velocity: Float64,
    heading: Float64,
    wanted: Float64,
    *,
    max_acceleration: ArrayLike,
    max_deceleration: ArrayLike,
    max_turn_rate: ArrayLike,
    dt: float,
    still_speed: float = STILL_SPEED,
) -> tuple[Float64, Float64]:
    """The velocities and headings that bodies on two wheels reach in one step: they go only where they face.

    They turn towards the wanted velocity, no faster than they can, and go as fast as what of it lies ahead. Whoever is
    wanted to be slower than `still_speed` keeps its heading.

    Args:
        velocity: float64 (A, 2), now [m/s].
        heading: float64 (A,) [rad].
        wanted: float64 (A, 2) [m/s].
        max_acceleration: float64 (A,) or one number [m/s2].
        max_deceleration: the same for braking [m/s2].
        max_turn_rate: float64 (A,) or one number [rad/s].
        dt: length of the step [s].
        still_speed: [m/s].

    Returns:
        float64 (A, 2), along the chord of the arc that is driven [m/s]; and float64 (A,), headings after it [rad].
    """
    length = np.sqrt(wanted[:, 0] * wanted[:, 0] + wanted[:, 1] * wanted[:, 1])
    off = arctan2(wanted[:, 1], wanted[:, 0]) - heading
    off -= 2.0 * math.pi * np.round(off / (2.0 * math.pi))
    most = np.asarray(max_turn_rate, dtype=np.float64) * dt
    turn = np.where(length >= still_speed, np.clip(off, -most, most), 0.0)
    cos, sin = cos_sin(heading)
    now = np.maximum(velocity[:, 0] * cos + velocity[:, 1] * sin, 0.0)
    slowest = np.maximum(now - np.asarray(max_deceleration) * dt, 0.0)
    ahead = np.clip(length * cos_sin(off - turn)[0], slowest, now + np.asarray(max_acceleration) * dt)
    return ahead[:, None] * heading_vector(heading + 0.5 * turn), heading + turn


def turn_towards(
    heading: Float64,
    velocity: Float64,
    *,
    max_turn_rate: ArrayLike,
    dt: float,
    still_speed: ArrayLike = STILL_SPEED,
) -> Float64:
    """Headings that follow the direction of motion no faster than a body turns; standing bodies keep their own.

    Args:
        heading: float64 (A,) [rad], any number of turns.
        velocity: float64 (A, 2) [m/s].
        max_turn_rate: float64 (A,) or one number [rad/s].
        dt: length of the step [s].
        still_speed: below it one stands; (A,) or for all [m/s].

    Returns:
        float64 (A,) [rad], continuous: never jumps by a full turn.
    """
    moving = np.sqrt(velocity[:, 0] * velocity[:, 0] + velocity[:, 1] * velocity[:, 1]) >= still_speed
    off = arctan2(velocity[:, 1], velocity[:, 0]) - heading
    off -= 2.0 * math.pi * np.round(off / (2.0 * math.pi))
    most = np.asarray(max_turn_rate, dtype=np.float64) * dt
    return np.where(moving, heading + off.clip(-most, most), heading)


def swing_towards(
    heading: Float64,
    rate: Float64,
    aim: Float64,
    aim_rate: Float64,
    *,
    max_turn_rate: ArrayLike,
    max_change: float,
    dt: float,
) -> tuple[Float64, Float64]:
    """The headings and rates of turning of bodies with weight, after a step towards where they want to face.

    They come to rest there, if it does not turn itself: no sooner than they can slow down, and without going past it.

    Args:
        heading: float64 (A,) [rad], any number of turns.
        rate: float64 (A,), at which they turn now [rad/s].
        aim: float64 (A,), where they want to face after the step [rad].
        aim_rate: float64 (A,), how fast that turns [rad/s].
        max_turn_rate: float64 (A,) or one number; only who turns faster already may be above it, for as long as it
            takes to slow down [rad/s].
        max_change: of the rate [rad/s2].
        dt: length of the step [s].

    Returns:
        float64 (A,) [rad], continuous: never jumps by a full turn; and float64 (A,) [rad/s].
    """
    off = aim - heading
    off -= 2.0 * math.pi * np.round(off / (2.0 * math.pi))
    rest = off - aim_rate * dt  # what is left of it for who turns as the aim does
    step = max_change * dt
    size = np.abs(rest) / (step * dt)
    steps = np.maximum(np.ceil(np.sqrt(0.25 + 2.0 * size) - 0.5), 1.0)  # the last one ends at the aim
    wanted = aim_rate + np.copysign(step * (size / steps + 0.5 * (steps - 1.0)), rest)
    most = np.asarray(max_turn_rate, dtype=np.float64)
    then = rate + (wanted.clip(-most, most) - rate).clip(-step, step)
    return heading + then * dt, then


def _polar(vectors: Float64, otherwise: Float64) -> tuple[Float64, Float64]:
    """Lengths (A,) and directions (A, 2) of vectors; those without length take the direction of the others."""
    length = np.sqrt(vectors[:, 0] * vectors[:, 0] + vectors[:, 1] * vectors[:, 1])
    some = length > 0.0
    return length, np.where(some[:, None], vectors / np.where(some, length, 1.0)[:, None], otherwise)
