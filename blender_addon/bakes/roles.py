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
        self._decks: dict[tuple[str, str, WeightedDraw], _Deck] = {}

    def draw(self, role: Role, attribute: str) -> float:
        """Return a number in [0, 1) for one attribute of a role."""
        key = (role.crowd, attribute)
        known = len(self._drawn.get(key, ()))
        if role.number >= known:  # doubled each time, as instances become characters one by one
            self._drawn[key] = uniform(self._seed, role.crowd, attribute, max(role.count, 2 * known))
        return float(self._drawn[key][role.number])

    def draw_in_turn(self, role: Role, attribute: str, among: WeightedDraw) -> int:
        """Return one of the numbers among which is drawn, dealt to the roles of a crowd in their order: see `_Deck`."""
        deck = self._decks.get((role.crowd, attribute, among))
        if deck is None:
            starts = uniform(self._seed, role.crowd, f"{attribute} starts", len(among.shares))
            deck = self._decks[role.crowd, attribute, among] = _Deck(among, starts)
        while len(deck.dealt) <= role.number:
            deck.deal(self.draw(role._replace(number=len(deck.dealt)), attribute))
        return deck.dealt[role.number]

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

    Attributes:
        shares: the weight of each number, in units of the largest.
    """

    def __init__(self, numbers: Sequence[int], weights: Sequence[float | None]) -> None:
        given = [1.0 if weight is None else weight for weight in weights]
        most = max(given, default=0.0)
        self.shares = {number: weight / most if most else 1.0 for number, weight in zip(numbers, given, strict=True)}
        self._numbers, self._cumulative = list(self.shares), list(accumulate(self.shares.values()))

    def draw(self, u: float, some: Sequence[int] | None = None) -> int:
        """Return the number for a random u in [0, 1); with equal weights the n-th of N, n = int(N u).

        Args:
            u: the random number.
            some: only these are drawn among.
        """
        numbers, cumulative = self._numbers, self._cumulative
        if some is not None:
            numbers, cumulative = some, list(accumulate(self.shares[number] for number in some))
        return numbers[bisect_right(cumulative, u * cumulative[-1], hi=len(cumulative) - 1)]


class _Deck:
    """Deals numbers as cards from a deck, and when none is left from the next one.

    The numbers with the largest share are in each deck, those with half of it in every second, and so on, each from a
    deck by lot on (systematic sampling: Cochran 1977, Sampling Techniques, ch. 8). So many people are so many different
    characters, and of many people each is as often as its weight says. Each card is drawn by weight; whoever had that
    one already gets another. Of three and more, the same is not dealt twice in a row if another is left; of two, one
    would have each second place.

    Args:
        among: the numbers, and how often each is dealt.
        starts: float64 (N,), random numbers in [0, 1): how long after the first deck each begins to be dealt.

    Attributes:
        dealt: the numbers, in the order in which they were dealt.
    """

    def __init__(self, among: WeightedDraw, starts: Float64) -> None:
        self._among, self._decks = among, 1
        self._had = dict(zip(among.shares, starts.tolist(), strict=True))
        self._mixes = sum(share > 0.0 for share in among.shares.values()) > 2
        self.dealt: list[int] = []

    def deal(self, u: float) -> None:
        """Deal one more number, by a random u in [0, 1)."""
        had, shares = self._had, self._among.shares
        while not (left := [number for number, share in shares.items() if had[number] < share * self._decks]):
            self._decks += 1
        last = self.dealt[-1] if self.dealt and self._mixes else None
        number = self._among.draw(u, [each for each in shares if each != last])
        if number not in left:
            number = self._among.draw(u, [each for each in left if each != last] or left)
        had[number] += 1.0
        self.dealt.append(number)
