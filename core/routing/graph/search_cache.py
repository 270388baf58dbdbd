# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks that were searched on a map before: they stay what they are until edges come or go where a search has looked.

While something is dragged, most people ask for the same walk again at each step.
"""

from __future__ import annotations

from .search import Found, Spot

Key = tuple[Spot, Spot, float]

MOST = 4000
"""So many are kept; then all are forgotten. One takes about 5 kB."""

MOST_SHUT = 16
"""So many grounds are known that are shut off from others."""


class KnownWalks:
    """What was found between spots, where nothing counts as longer than it is."""

    def __init__(self) -> None:
        self._found: dict[Key, list[Found]] = {}
        self._shut: list[tuple[float, Found]] = []

    def between(self, begin: Spot, end: Spot, needed: float) -> list[Found]:
        """Return what was found one after the other, each on other edges than those before as far as possible.

        Args:
            begin: where from.
            end: where to.
            needed: clearance [m].

        Returns:
            A list to which whoever searches on adds what is found.
        """
        if len(self._found) >= MOST:
            self._found.clear()
        return self._found.setdefault((begin, end, needed), [])

    def note_shut(self, needed: float, found: Found) -> None:
        """Take note of a search that has been wherever a body that needs some clearance [m] can go, in vain."""
        self._shut = [*self._shut[1 - MOST_SHUT :], (needed, found)]

    def shut(self, begin: Spot, end: Spot, needed: float) -> Found | None:
        """Return what a search would find of which it is known that it would be in vain, None for others."""
        leaves, arrivals = ({door.node for door in spot.doors if door.clearance >= needed} for spot in (begin, end))
        for least, found in self._shut:
            if leaves and needed >= least and leaves <= found.nodes and arrivals.isdisjoint(found.nodes):
                return found
        return None

    def forget(self, nodes: set[int] | None) -> None:
        """Forget what may be otherwise now that edges came or went at some nodes; None for all."""
        if nodes is None:
            self._found.clear()
            self._shut.clear()
            return
        self._shut = [each for each in self._shut if nodes.isdisjoint(each[1].nodes)]
        for key, found in list(self._found.items()):
            good = next((k for k, each in enumerate(found) if not nodes.isdisjoint(each.nodes)), len(found))
            if good:
                del found[good:]  # what was found later was told to keep off the edges found before
            else:
                del self._found[key]
