# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of bodies, for which feet are planned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.reproducible_math import cos_sin, length
from ..gait import find_standing


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Motion of A agents over F frames.

    Attributes:
        position: float64 (A, F, 2).
        heading: float64 (A, F), continuous [rad].
        phase: float64 (A, F) [runs of the walk].
        gait: float64 (A, F), 0 stands, 1 walks, 2 runs.
        present: bool (A, F).
        fps: frames per second.
        acted: float64 (A, F), weight of clips played over the walk, whose lift is not seen, 0 to 1; or one for all.
    """

    position: Float64
    heading: Float64
    phase: Float64
    gait: Float64
    present: Bool
    fps: float
    acted: Float64 | float = 0.0

    @cached_property
    def towards(self) -> tuple[Float64, Float64]:
        """Cosine and sine of the headings, float64 (A, F)."""
        return cos_sin(self.heading)

    @cached_property
    def moved(self) -> Float64:
        """How far each has moved since the frame before, float64 (A, F); 0 at the first."""
        return length(np.diff(self.position, axis=1, prepend=self.position[:, :1]))

    @cached_property
    def turned(self) -> Float64:
        """By how much each has turned since the frame before, float64 (A, F) [rad]; 0 at the first."""
        return np.abs(np.diff(self.heading, axis=1, prepend=self.heading[:, :1]))

    @cached_property
    def stands(self) -> Bool:
        """Who stands, bool (A, F)."""
        return find_standing(self.gait, self.present, self.fps)


def turned(points: Float64, cos: Float64, sin: Float64) -> Float64:
    """Points float64 (..., 2) turned by the angles of cosines and sines (...)."""
    x, y = points[..., 0], points[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
