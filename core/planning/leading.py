# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom agents follow on their path, and what that leaves them: a place that moves, which they must not reach."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_LEAST_GAP = 0.3  # [m]
_HEADWAY = 0.8  # [s]
_TIMES = np.array([0.9, 1.6, 2.6, 4.0])  # [s] within which the distance wanted is taken


@dataclass(frozen=True, eq=False)
class Leaders:
    """Who goes ahead of each of A agents on the same path; float64 (A,) each.

    Attributes:
        gap: way along the path from the agent's front to the leader's back [m]; inf for who follows nobody.
        speed: of the leader along the path [m/s].
        least_gap: that is kept even when both stand [m].
        headway: time that the agent keeps behind the leader [s].
    """

    gap: Float64
    speed: Float64
    least_gap: Float64
    headway: Float64

    @classmethod
    def ahead(
        cls, gap: ArrayLike, speed: ArrayLike, *, least_gap: ArrayLike = _LEAST_GAP, headway: ArrayLike = _HEADWAY
    ) -> Leaders:
        """Leaders at gaps and of speeds, float64 (A,); the distance kept may be one for all."""
        each = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (gap, speed, least_gap, headway)))
        return cls(*each)

    @classmethod
    def nobody(cls, count: int) -> Leaders:
        """No leader for any of `count` agents."""
        return cls.ahead(np.full(count, np.inf), 0.0)

    def rows(self, rows: Int64 | NDArray[np.bool_]) -> Leaders:
        """Those of these agents alone."""
        return Leaders(*(getattr(self, field.name)[rows] for field in fields(self)))

    @property
    def there(self) -> NDArray[np.bool_]:
        """Who follows anybody: bool (A,)."""
        return np.isfinite(self.gap)

    def room(self, walked: Float64, time: Float64) -> Float64:
        """Way left to the place that must not be reached, the leader going on as fast as now.

        Args:
            walked: float64 (A, ...), way of the agent from now on [m].
            time: float64, broadcasting to it [s].

        Returns:
            float64 (A, ...) [m]; inf for who follows nobody.
        """
        gap, speed, least = (self._spread(v, walked) for v in (self.gap, self.speed, self.least_gap))
        return gap - least + speed * time - walked

    def speed_allowed(self, room: Float64, braking: Float64) -> Float64:
        """How fast one may be and still brake behind the leader, float64 (A, ...) [m/s].

        Args:
            room: float64 (A, ...), way left [m].
            braking: float64 (A,) [m/s2].
        """
        speed = self._spread(np.maximum(self.speed, 0.0), room)
        return np.sqrt(speed * speed + 2.0 * self._spread(braking, room) * np.maximum(room, 0.0))

    def pressing(self, walked: Float64, speed: Float64, time: Float64) -> tuple[Float64, Float64]:
        """By how much the distance that must be kept is broken, and by how much the one that is liked.

        Args:
            walked: float64 (A, ...), way of the agent from now on [m].
            speed: float64 (A, ...), its speed [m/s].
            time: float64, broadcasting to them [s].

        Returns:
            float64 (A, ...) each [m].
        """
        room = self.room(walked, time)
        liked = self._spread(self.headway, walked) * np.maximum(speed, 0.0)
        return np.maximum(-room, 0.0), np.maximum(liked - np.maximum(room, 0.0), 0.0)

    def ends(self) -> tuple[Float64, Float64, Float64]:
        """Ways, speeds and times of candidates that come to go behind the leader at the distance liked: (A, L) each."""
        speed = np.maximum(self.speed, 0.0)[:, None]
        way = (self.gap - self.least_gap)[:, None] + speed * (_TIMES - self.headway[:, None])
        return way, np.broadcast_to(speed, way.shape), np.broadcast_to(_TIMES, way.shape)

    @staticmethod
    def _spread(values: Float64, like: Float64) -> Float64:
        return values.reshape(-1, *(1,) * (like.ndim - 1))
