# SPDX-License-Identifier: GPL-3.0-or-later
"""What everybody asks of obstacles, whoever knows the answer: `ObstacleField`, or `JoinedField` for two of them.

Methods as in `core.geometry.distance_field`, where they are described.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Float64 = NDArray[np.float64]


class Distances(Protocol):
    """Signed distances to solids and walls."""

    empty: bool

    def signed_distance(self, points: ArrayLike, at_most: float = ...) -> Float64:
        """Return float64 (N,), negative inside solid [m]."""
        ...

    def about(self, points: ArrayLike, at_most: ArrayLike) -> Float64:
        """Return float64 (N,), the same from samples [m]."""
        ...

    def may_be_within(self, points: ArrayLike, distance: ArrayLike) -> NDArray[np.bool_]:
        """Return bool (N,), whether anything may stand so near, for those who look closer then."""
        ...

    def any_may_be_within(self, points: Float64, distance: Float64) -> NDArray[np.bool_]:
        """Return bool (N,), whether anything may stand so near to any of P places, float64 (N, P, 2) [m]."""
        ...

    def nearest(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """Return distances (N,), not signed, and the nearest places (N, 2) [m]."""
        ...
