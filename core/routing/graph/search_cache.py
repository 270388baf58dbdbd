# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache of searches on a map: a result holds until edges change at a node that its search expanded.

While an object is dragged, most people request the same walk at each step.
"""

from __future__ import annotations

from .search import Found, GraphEntry

Key = tuple[GraphEntry, GraphEntry, float]

MOST_SEARCHES = 4000
"""Start and goal pairs that are kept before the cache is cleared; one takes about 5 kB."""

MOST_UNREACHABLE = 16
"""Failed searches that are kept."""


class SearchCache:
    """Searches without factors on the edges' lengths."""

    def __init__(self) -> None:
        self._found: dict[Key, list[Found]] = {}
        self._unreachable: list[tuple[float, Found]] = []

    def between(self, begin: GraphEntry, end: GraphEntry, needed: float) -> list[Found]:
        """Return the alternatives found so far, in order, each avoiding the edges of those before.

        Args:
            begin: the start.
            end: the goal.
            needed: clearance [m].

        Returns:
            A list to which the caller appends further searches.
        """
        if len(self._found) >= MOST_SEARCHES:
            self._found.clear()
        return self._found.setdefault((begin, end, needed), [])

    def note_unreachable(self, needed: float, found: Found) -> None:
        """Keep a failed search, which has expanded every node that a body with some clearance [m] can reach."""
        self._unreachable = [*self._unreachable[1 - MOST_UNREACHABLE :], (needed, found)]

    def unreachable(self, begin: GraphEntry, end: GraphEntry, needed: float) -> Found | None:
        """Return the failed search that covers this one, None if there is none."""
        if not self._unreachable:
            return None
        leaves, arrivals = ({link.node for link in entry.links if link.clearance >= needed} for entry in (begin, end))
        for least, found in self._unreachable:
            if leaves and needed >= least and leaves.issubset(found.nodes) and arrivals.isdisjoint(found.nodes):
                return found
        return None

    def forget(self, nodes: set[int] | None) -> None:
        """Drop searches that may have changed with the edges at some nodes; None for all."""
        if nodes is None:
            self._found.clear()
            self._unreachable.clear()
            return
        self._unreachable = [each for each in self._unreachable if nodes.isdisjoint(each[1].nodes)]
        for key, found in list(self._found.items()):
            good = next((k for k, each in enumerate(found) if not nodes.isdisjoint(each.nodes)), len(found))
            if good:
                del found[good:]  # later alternatives avoid the edges of earlier ones
            else:
                del self._found[key]
