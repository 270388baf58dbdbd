# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is played: an agent, as its crowd sees it, what it is called, and what is drawn by lot for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.simulation.randomness import uniform
from ..blender_data.tags import title_of
from ..figures.figure import shirt_colour

_SHIRTS = 1000  # more than there are colours


class Role(NamedTuple):
    """An agent, as its crowd sees it.

    Attributes:
        crowd: what the core's crowd is known as, by which lots are drawn.
        number: of the agent in that crowd, from 0.
        count: how many agents that crowd has.
        called: the crowd's name, if that is another.
    """

    crowd: str
    number: int
    count: int
    called: str = ""

    @property
    def title(self) -> str:
        """What the character that plays it is known by, over all bakes."""
        return title_of(self.crowd, self.number)

    @property
    def name(self) -> str:
        """What that character is called."""
        return title_of(self.called or self.crowd, self.number)


class Lots:
    """What is drawn for each part: the same however many there are.

    Args:
        seed: of the draws.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn: dict[tuple[str, str], NDArray[np.float64]] = {}

    def draw(self, role: Role, attribute: str) -> float:
        """A number in [0, 1) for one attribute of a part."""
        key = (role.crowd, attribute)
        known = len(self._drawn.get(key, ()))
        if role.number >= known:  # twice as many at a time: those who are made real come one by one
            self._drawn[key] = uniform(self._seed, role.crowd, attribute, max(role.count, 2 * known))
        return float(self._drawn[key][role.number])

    def shirt(self, role: Role) -> tuple[float, float, float, float]:
        """The colour that somebody wears: within a crowd one after the other, so that neighbours differ."""
        key = (role.crowd, "clothes")
        if key not in self._drawn:
            self._drawn[key] = uniform(self._seed, *key, 1)
        return shirt_colour(role.number + int(_SHIRTS * self._drawn[key][0]))


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
