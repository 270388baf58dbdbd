# SPDX-License-Identifier: GPL-3.0-or-later
"""The cycle of a clip: how many strides are in one run of it, and at which phase it starts.

A clip of motion capture may hold three strides, and a run may start with the other foot than the walk. Blended without
alignment, one would lift the foot that the other sets down. The motion of limbs ahead and back is nearly a sine over
each stride: the number of waves gives the strides, and the phase the shift that brings two clips in step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..array_types import Complex128, Float64
from ..geometry.reproducible_math import arctan2, complex_product, cos_sin, dot
from .stride import FOOT

_MAX_STRIDES = 12  # of one clip that are searched
_LEAST_WAVE = 1e-9  # of the skeleton's size: less than this is no motion


class Cycle(NamedTuple):
    """The cycle of a clip over one run.

    Attributes:
        strides: number of strides.
        waves: complex128 (P,), amplitude and phase of the wave of one stride in the forward motion of each point.
        right: the same of the right foot less that of the left one; 0: they are not known.
    """

    strides: int
    waves: Complex128
    right: complex = 0.0

    @property
    def passing(self) -> float:
        """Phase at which the right foot swings ahead past the left, from 0 to one stride [runs]."""
        both = complex_product(self.waves, self.waves).sum()
        angle = arctan2(both.imag, both.real) / 2.0  # of a cosine, or half a turn off: all limbs add to the same here
        cos, sin = cos_sin(angle)
        if self.right.real * cos + self.right.imag * sin < 0.0:
            angle += np.pi
        return float((-0.25 - angle / (2.0 * np.pi)) % 1.0) / self.strides


def find_cycle(points: Float64, direction: Float64) -> Cycle | None:
    """Count the strides of a clip.

    Args:
        points: float64 (T, P, 3), of the skeleton at equal times over one run, both ends included.
        direction: float64 (2,), in which the body walks.

    Returns:
        Its cycle; None where nothing moves ahead and back.
    """
    ahead = dot(points[:-1, :, :2], direction)  # (T - 1, P)
    drift = np.linspace(0.0, 1.0, len(points))[:-1, None] * dot((points[-1] - points[0])[:, :2], direction)
    waves = _waves(ahead - drift)
    power = (waves.real**2 + waves.imag**2).sum(axis=1)
    if not len(power) or not power.max() > (_LEAST_WAVE * np.ptp(points)) ** 2:
        return None
    strides = int(np.argmax(power)) + 1
    own = waves[strides - 1]
    return Cycle(strides, own, _wave_of_right_foot(points, direction, own))


def _waves(values: Float64) -> Complex128:
    """Waves of 1, 2, .. strides in the run that values (T, P) are, complex128 (K, P): Fourier's coefficients."""
    count = len(values)
    moved = np.ascontiguousarray((values - values[0]).T) / count  # what stays has no wave, not even a rounded one
    moments = np.arange(count)
    cos, sin = cos_sin(2.0 * np.pi * moments / count)
    waves = np.empty((min(_MAX_STRIDES, count // 2), len(moved)), dtype=np.complex128)
    for number, wave in enumerate(waves, 1):
        turned = number * moments % count
        wave.real, wave.imag = dot(moved, cos[turned]), -dot(moved, sin[turned])
    return waves


def _wave_of_right_foot(points: Float64, direction: Float64, waves: Complex128) -> complex:
    """Wave of what is near the ground on the right less that on the left, the more the further from the middle."""
    lowest = points[..., 2].min(axis=0)
    low = lowest <= lowest.min() + FOOT.ankle_height * np.ptp(points[..., 2])
    aside = dot(points[:-1, :, :2].mean(axis=0), (direction[1], -direction[0]))
    return complex(((aside - aside[low].mean()) * waves)[low].sum())


def in_step(first: Cycle, second: Cycle) -> float:
    """Shift of the second clip that brings it in step with the first [strides], from -1/2 to 1/2.

    Args:
        first: of a skeleton.
        second: of the same one, its points in the same order.
    """
    turn = complex_product(second.waves, np.conj(first.waves)).sum()
    return float(-arctan2(turn.imag, turn.real) / (2.0 * np.pi))
