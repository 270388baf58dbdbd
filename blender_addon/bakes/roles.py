# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles that characters play: agents by crowd and number, their names, and their random attributes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from ...core.array_types import Float64
from ...core.simulation.world.randomness import uniform
from ..blender_data.tags import title_of
from ..figures.figure import shirt_colour

_COLOUR_OFFSETS = 1000  # more than there are colours, so that every colour can come first


class Role(NamedTuple):
    """An agent, by crowd and number.

    Attributes:
        crowd: identity of the core's crowd, on which random numbers depend.
        number: of the agent in that crowd, from 0.
        count: number of agents of that crowd.
        called: the crowd's name where it differs from the identity.
    """

    crowd: str
    number: int
    count: int
    called: str = ""

    @property
    def title(self) -> str:
        """The name that identifies its character in all bakes."""
        return title_of(self.crowd, self.number)

    @property
    def name(self) -> str:
        """The displayed name of its character."""
        return title_of(self.called or self.crowd, self.number)


class RandomDraws:
    """Random numbers of roles, independent of how many agents there are.

    Args:
        seed: of the scene.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn: dict[tuple[str, str], Float64] = {}

    def draw(self, role: Role, attribute: str) -> float:
        """Return a number in [0, 1) for one attribute of a role."""
        key = (role.crowd, attribute)
        known = len(self._drawn.get(key, ()))
        if role.number >= known:  # doubled each time, as instances become characters one by one
            self._drawn[key] = uniform(self._seed, role.crowd, attribute, max(role.count, 2 * known))
        return float(self._drawn[key][role.number])

    def shirt(self, role: Role) -> tuple[float, float, float, float]:
        """Return the shirt colour of a role: in turn within a crowd, so that neighbours differ."""
        key = (role.crowd, "clothes")
        if key not in self._drawn:
            self._drawn[key] = uniform(self._seed, *key, 1)
        return shirt_colour(role.number + int(_COLOUR_OFFSETS * self._drawn[key][0]))


class WeightedDraw:
    """Draws numbers with probabilities proportional to weights.

    Args:
        numbers: the numbers to draw from.
        weights: of each, 0 or more; None counts as 1. When all are 0, all are equally likely.
    """

    def __init__(self, numbers: Sequence[int], weights: Sequence[float | None]) -> None:
        cumulative = list(accumulate(1.0 if weight is None else weight for weight in weights))
        if cumulative and not cumulative[-1]:
            cumulative = [1.0 + each for each in range(len(cumulative))]
        self._numbers, self._cumulative = list(numbers), cumulative

    def draw(self, u: float) -> int:
        """Return the number for a random u in [0, 1); with equal weights the n-th of N, n = int(N u)."""
        return self._numbers[bisect_right(self._cumulative, u * self._cumulative[-1], hi=len(self._cumulative) - 1)]
