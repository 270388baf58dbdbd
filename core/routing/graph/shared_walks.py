# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks through the graph that several bodies share."""

from __future__ import annotations

from collections.abc import Mapping

from .search import Found, GraphEntry, GraphSearch, GraphWalk


class SharedWalks:
    """Short walks that avoid each other's edges and that several bodies share, each found on demand.

    Attributes:
        rounds: searches at most.
    """

    def __init__(self, start: GraphEntry, goal: GraphEntry, needed: float, rounds: int, known: list[Found]) -> None:
        """Prepare.

        Args:
            start: where from.
            goal: where to.
            needed: clearance [m].
            rounds: searches at most.
            known: what they have found so far; further ones are added.
        """
        self.rounds = rounds
        self._ends, self._known, self._number = (start, goal, needed), known, 0
        self._raised: dict[int, float] = {}
        self._found: dict[tuple[int, ...], GraphWalk] = {}

    def lacks(self, count: int) -> bool:
        """Whether there are fewer walks, and may be more."""
        return len(self._found) < count and self._number < self.rounds

    @property
    def search(self) -> GraphSearch:
        """The next search."""
        return GraphSearch(*self._ends, self._raised)

    @property
    def recalled(self) -> Found | None:
        """Its result, where it is known."""
        return self._known[self._number] if self._number < len(self._known) else None

    def take(self, found: Found, edge_factors: Mapping[int, float], cost_repeated: float) -> None:
        """Add the result of the next search."""
        if self._number == len(self._known):
            self._known.append(found)
        self._number += 1
        if found.walk is None:
            self._number = self.rounds
            return
        self._found.setdefault(found.walk.steps, found.walk)
        for step in found.walk.steps:
            edge = step >> 1
            self._raised[edge] = self._raised.get(edge, edge_factors.get(edge, 1.0)) * cost_repeated

    @property
    def found(self) -> list[GraphWalk]:
        """The different walks found so far, in order."""
        return list(self._found.values())
