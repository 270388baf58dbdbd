# SPDX-License-Identifier: GPL-3.0-or-later
"""People as they are seen: capsules along their headings, as long as the reach of their strides and arms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Float64, Int64
from .bodies import BodyShapes
from .report_settings import BodySettings


@dataclass(frozen=True, eq=False)
class Capsules:
    """N people at one moment.

    Attributes:
        position: float64 (N, 2) [m].
        ahead: float64 (N, 2), unit vectors of their headings.
        back, front: float64 (N,), how far their axes go behind and ahead of the position [m].
        radius: float64 (N,), about the axes [m].
    """

    position: Float64
    ahead: Float64
    back: Float64
    front: Float64
    radius: Float64

    @classmethod
    def of(cls, bodies: BodyShapes, speed: Float64, settings: BodySettings) -> Capsules:
        """Bodies of people who walk at speeds (N,) [m/s]."""
        swing = np.minimum(speed / settings.full_speed, 1.0)
        return cls(
            position=bodies.position,
            ahead=np.stack((bodies.boxes.cos, bodies.boxes.sin), axis=1),
            back=settings.reach_behind * swing,
            front=settings.reach_ahead * swing,
            radius=settings.half_width * bodies.radius,
        )

    @property
    def reach(self) -> Float64:
        """Largest extent of each from its position, float64 (N,) [m]."""
        return self.radius + np.maximum(self.back, self.front)

    def depth(self, first: Int64, second: Int64) -> Float64:
        """Depth to which bodies intersect, pair by pair, float64 (M,); negative where they do not [m].

        Where axes cross, which are short, the depth is a little larger than this.
        """
        apart, ahead = self.position[second] - self.position[first], self.ahead
        nearest = np.full(len(first), np.inf)
        for one, other, sign in ((first, second, 1.0), (second, first, -1.0)):
            back, front, x, y = -self.back[one], self.front[one], ahead[one, 0], ahead[one, 1]
            for end in (-self.back[other], self.front[other]):
                tip_x = sign * apart[:, 0] + end * ahead[other, 0]
                tip_y = sign * apart[:, 1] + end * ahead[other, 1]
                along = tip_x * x + tip_y * y
                foot = np.clip(along, back, front)
                nearest = np.minimum(nearest, tip_x * tip_x + tip_y * tip_y + foot * (foot - 2.0 * along))
        return self.radius[first] + self.radius[second] - np.sqrt(np.maximum(nearest, 0.0))
