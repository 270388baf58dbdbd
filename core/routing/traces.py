# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to a map, and what is looked at for the answers."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .corridor_graph import Flat
from .fringe import fringe_of
from .looked import EdgeDiscs, Looked
from .net import Net
from .sampling import sampled_edges

if TYPE_CHECKING:
    from .search import Trail

Float64 = NDArray[np.float64]

AT_A_POINT = 1e-3
"""How far round a place things matter that is not in free ground [m]."""


STEP = 0.1
"""So far apart the medial axis is sampled [m]."""


@dataclass(frozen=True, eq=False)
class Question:
    """Something that a map was asked, with its answer.

    Attributes:
        name: of the method of `CorridorMap`.
        arguments: by their names.
        answer: as it was given; of a refusal its words.
        looked: what that depends on.
    """

    name: str
    arguments: dict[str, Any]
    answer: Any
    looked: Looked


class Watch(Protocol):
    """Whoever wants to know what a map was asked."""

    def note_question(self, question: Question) -> None:
        """The map has just answered."""
        ...

    def note_widths(self, needed: Float64, told_apart: NDArray[np.bool_]) -> None:
        """Which bodies of ascending clearances pass the same edges matters; see `told_apart`."""
        ...


@dataclass
class Traces:
    """What was looked at since this was last emptied.

    Attributes:
        arcs: arcs beside which places were found.
        trails: of the searches that were made.
        places: float64 (N, 2), where something was looked for that lies in no free ground [m from the grid's origin].
        reach: float64 (N,), and how far round them [m].
        needed: float64 (K,), clearances of bodies that were told apart by the edges that are wide enough for them [m].
        everything: a search went wherever it could.
        wanted: somebody is to be told; otherwise trails are not written down.
    """

    arcs: set[int] = field(default_factory=set)
    trails: list[Trail] = field(default_factory=list)
    places: list[Float64] = field(default_factory=list)
    reach: list[Float64] = field(default_factory=list)
    needed: list[Float64] = field(default_factory=list)
    everything: bool = False
    wanted: bool = False
    _discs: tuple[Flat, EdgeDiscs] | None = None

    def add_place(self, place: Float64, reach: float) -> None:
        """Add places, float64 (N, 2), round which something was looked for within a distance [m]."""
        if len(place):
            self.places.append(place)
            self.reach.append(np.full(len(place), reach))

    def add(self, arcs: Iterable[int], seen: Iterable[Traces]) -> None:
        """Add some arcs, and all arcs and places that were looked at apart from this."""
        self.arcs.update(arcs)
        for each in seen:
            self.arcs.update(each.arcs)
            self.places.extend(each.places)
            self.reach.extend(each.reach)

    @contextmanager
    def apart(self) -> Generator[Traces]:
        """Write down in another place what is looked at meanwhile."""
        before, seen = self.taken(), Traces()
        self.clear()
        try:
            yield seen
        finally:
            seen.go_on_with(self.taken())
            self.go_on_with(before)

    def taken(self) -> Traces:
        """Return what was looked at, apart from what will be."""
        lists = {name: list(getattr(self, name)) for name in ("trails", "places", "reach", "needed")}
        return replace(self, arcs=set(self.arcs), **lists)

    def go_on_with(self, seen: Traces) -> None:
        """Go on with what was looked at apart from this."""
        self.arcs, self.trails, self.places, self.reach = seen.arcs, seen.trails, seen.places, seen.reach
        self.needed, self.everything = seen.needed, seen.everything

    def clear(self) -> None:
        """Begin anew."""
        self.arcs.clear()
        self.trails.clear()
        self.places.clear()
        self.reach.clear()
        self.needed.clear()
        self.everything = False

    def looked(self, net: Net, origin: Float64) -> Looked:
        """Return all that was looked at.

        Args:
            net: the map, as it was all the while.
            origin: float64 (2,), of its grid [m].
        """
        graph, discs, nothing = net.graph, self.discs_on(net, origin), np.empty(0, dtype=np.int64)
        if self.everything:
            return Looked(discs, nothing, nothing, fringe_of([], net), np.zeros((1, 2)), np.full(1, np.inf))
        beside = graph.edges_at({node for trail in self.trails for node in (*trail.leaves, *trail.nodes)})
        edges = set(graph.edge_of[sorted(self.arcs)].tolist()) - {-1}
        edges.update(step >> 1 for trail in self.trails for step in trail.steps)
        along, by = (np.searchsorted(graph.flat.numbers, sorted(each)) for each in (edges, beside - edges))
        places, reach = np.concatenate((np.empty((0, 2)), *self.places)), np.concatenate((np.empty(0), *self.reach))
        return Looked(discs, along, by, fringe_of(self.trails, net), places + origin, reach)

    def discs_on(self, net: Net, origin: Float64) -> EdgeDiscs:
        """Return discs round all edges of a map, the same ones for as long as it does not change; see `looked`."""
        if self._discs is None or self._discs[0] is not net.graph.flat:
            sampled = sampled_edges(net, STEP)
            # A disc between two samples reaches beyond theirs by no more than twice what lies between it and the nearer
            reach = sampled.clearance + 2.0 * STEP
            self._discs = net.graph.flat, EdgeDiscs(sampled.points + origin, reach, sampled.first)
        return self._discs[1]


def told_apart(needed: Float64, narrowest: Float64) -> NDArray[np.bool_]:
    """Return bool (K - 1,), between which neighbours of some clearances the widths of all edges tell.

    Args:
        needed: float64 (K,), ascending [m].
        narrowest: float64 (E,), least clearance of all edges [m].
    """
    return np.diff(np.searchsorted(np.sort(narrowest), needed)) > 0
