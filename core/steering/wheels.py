# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies on two wheels that carry out each command late, and how to steer them all the same.

Whoever steers such a body by where it is steers it by the past: it overshoots each turn. `predicted` gives where it
will be when the next command takes effect; avoidance decides from there.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from ..geometry.elementary import arctan2, cos_sin, heading_vector
from .kernels.arrays import Float64


class Motion(NamedTuple):
    """Where bodies are and how they move: float64 (A, 2) [m], (A,) [rad], (A, 2) [m/s]."""

    position: Float64
    heading: Float64
    velocity: Float64


class TwoWheels:
    """Bodies on two wheels; they go only where they face, and turn by the difference of their wheels' speeds.

    Args:
        position: float64 (A, 2) [m].
        heading: float64 (A,) [rad].
        axle: from one wheel to the other [m].
        max_wheel_speed: of each wheel [m/s].
        delay: from a command to when the wheels carry it out [s]; rounded to whole steps.
        dt: length of a step [s].

    Attributes:
        motion: where they are.

    Raises:
        GeometryError: shapes that do not match, numbers that are not above 0.
    """

    def __init__(
        self,
        position: ArrayLike,
        heading: ArrayLike,
        *,
        axle: float,
        max_wheel_speed: float,
        delay: float,
        dt: float,
    ) -> None:
        places, faces = np.array(position, dtype=np.float64), np.array(heading, dtype=np.float64)
        if places.ndim != 2 or places.shape[1] != 2 or faces.shape != places.shape[:1]:
            raise GeometryError(f"position and heading must be (A, 2) and (A,), got {places.shape} and {faces.shape}")
        for name, value in (("axle", axle), ("max_wheel_speed", max_wheel_speed), ("dt", dt)):
            if not (math.isfinite(value) and value > 0.0):
                raise GeometryError(f"{name} must be a finite number above 0, got {value}")
        if not (math.isfinite(delay) and delay >= 0.0):
            raise GeometryError(f"delay must be a finite number, 0 or more, got {delay}")
        self.motion = Motion(places, faces, np.zeros_like(places))
        self.axle, self.max_wheel_speed, self.dt = axle, max_wheel_speed, dt
        rest = np.zeros((2, faces.size))
        self._under_way = deque([rest] * round(delay / dt))

    def predicted(self) -> Motion:
        """Return where they will be, and how they will move, when the next command takes effect."""
        motion = self.motion
        for wheels in self._under_way:
            motion = self._rolled(motion, wheels)
        return motion

    def command(self, wanted: Float64) -> Motion:
        """Tell them to go with these velocities once earlier commands are done, and let a step pass.

        Args:
            wanted: float64 (A, 2), decided on from where they are predicted to be [m/s].

        Returns:
            Where they are after the step.
        """
        self._under_way.append(self._wheels_for(wanted, self.predicted().heading))
        self.motion = self._rolled(self.motion, self._under_way.popleft())
        return self.motion

    def _wheels_for(self, wanted: Float64, heading: Float64) -> Float64:
        """Return speeds of the left and the right wheels, (2, A): first the turn, then as much speed as is left."""
        off = arctan2(wanted[:, 1], wanted[:, 0]) - heading
        off -= 2.0 * math.pi * np.round(off / (2.0 * math.pi))
        speed = np.sqrt(wanted[:, 0] * wanted[:, 0] + wanted[:, 1] * wanted[:, 1])
        most = self.max_wheel_speed
        apart = np.where(speed > 0.0, np.clip(0.5 * self.axle * off / self.dt, -most, most), 0.0)
        ahead = np.minimum(speed * np.maximum(cos_sin(off)[0], 0.0), most - np.abs(apart))
        return np.stack((ahead - apart, ahead + apart))

    def _rolled(self, motion: Motion, wheels: Float64) -> Motion:
        """Return the motion after a step: along the chord of the arc, whose direction is half way of the turn."""
        turn = (wheels[1] - wheels[0]) / self.axle * self.dt
        speed = 0.5 * (wheels[0] + wheels[1])
        bend = 0.5 * turn
        middle = motion.heading + bend
        chord = speed * np.where(bend == 0.0, 1.0, cos_sin(bend)[1] / np.where(bend == 0.0, 1.0, bend))
        velocity = chord[:, None] * heading_vector(middle)
        return Motion(motion.position + self.dt * velocity, motion.heading + turn, velocity)
