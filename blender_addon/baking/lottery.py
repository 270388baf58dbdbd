# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is drawn by lot, when some are to be seen more often than others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


class Lottery:
    """Numbers to draw from, each with the chance that its weight gives it.

    Args:
        numbers: what is drawn.
        weights: of each, 0 or more; None counts as 1. When all are 0, all have the same chance.
    """

    def __init__(self, numbers: Sequence[int], weights: Sequence[float | None]) -> None:
        upto = list(accumulate(1.0 if weight is None else weight for weight in weights))
        if upto and not upto[-1]:
            upto = [1.0 + each for each in range(len(upto))]
        self._numbers, self._upto = list(numbers), upto

    def draw(self, lot: float) -> int:
        """The number that a lot in [0, 1) stands for; with equal weights the n-th of N, n = int(N lot)."""
        return self._numbers[bisect_right(self._upto, lot * self._upto[-1], hi=len(self._upto) - 1)]
