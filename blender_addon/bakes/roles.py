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
        self._turns: dict[tuple[str, str], list[int]] = {}

    def draw(self, role: Role, attribute: str) -> float:
        """Return a number in [0, 1) for one attribute of a role."""
        key = (role.crowd, attribute)
        known = len(self._drawn.get(key, ()))
        if role.number >= known:  # doubled each time, as instances become characters one by one
            self._drawn[key] = uniform(self._seed, role.crowd, attribute, max(role.count, 2 * known))
        return float(self._drawn[key][role.number])

    def draw_in_turn(self, role: Role, attribute: str, among: WeightedDraw) -> int:
        """Return one of the numbers among which is drawn: not the one that its predecessor in the crowd has."""
        turns = self._turns.setdefault((role.crowd, attribute), [])
        while len(turns) <= role.number:
            u = self.draw(role._replace(number=len(turns)), attribute)
            turns.append(among.draw(u, but=turns[-1] if turns else None))
        return turns[role.number]

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
        given = [1.0 if weight is None else weight for weight in weights]
        self._weights = dict(zip(numbers, given if any(given) else [1.0] * len(given), strict=True))
        self._numbers, self._cumulative = list(self._weights), list(accumulate(self._weights.values()))

    def draw(self, u: float, but: int | None = None) -> int:
        """Return the number for a random u in [0, 1); with equal weights the n-th of N, n = int(N u).

        Args:
            u: the random number.
            but: a number that is not drawn, where there are at least two others.
        """
        numbers, cumulative = self._numbers, self._cumulative
        if but is not None and len(numbers) > 2:
            numbers = [number for number in numbers if number != but]
            cumulative = list(accumulate(self._weights[number] for number in numbers))
        return numbers[bisect_right(cumulative, u * cumulative[-1], hi=len(cumulative) - 1)]
