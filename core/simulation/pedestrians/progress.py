# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of what they want others have left people lately: less than all, they are held up."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import dot, length2, share_within


class Progress:
    """Averages, for each person, the share of the preferred velocity that others leave them.

    Args:
        count: A, how many agents there are.
        time: over which it is averaged [s].

    Attributes:
        share: float64 (A,), from 0 to 1; 1 for those who have not walked yet.
    """

    def __init__(self, count: int, time: float) -> None:
        self.share = np.ones(count)
        self._time = time

    def note(self, rows: Int64, preferred: Float64, velocity: Float64, dt: float) -> None:
        """Note what some people take from now on, and wanted.

        Args:
            rows: int64 (R,), the people.
            preferred: float64 (R, 2) [m/s].
            velocity: float64 (R, 2), taken beside and behind others; whoever only starts or stops is not held up [m/s].
            dt: since it was noted before [s].
        """
        wanted = length2(preferred)
        got = np.where(wanted > 0.0, (dot(velocity, preferred) / np.maximum(wanted, 1e-9)).clip(0.0, 1.0), 1.0)
        self.share[rows] += (got - self.share[rows]) * share_within(dt, self._time)
