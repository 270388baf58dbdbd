# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a map an answer depends on: whoever keeps answers asks whether a change of the ground touches any of it.

An arc of the medial axis is what it is because nothing stands in the discs round its points that touch what is beside
it. While all discs of all arcs that were looked at stay free of changes, the answer stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .corridor_graph import Flat
from .net import Net
from .sampling import Sampled, sampled_edges

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

AT_A_POINT = 1e-3
"""How far round a place things matter that is not in free ground [m]."""


STEP = 0.1
"""So far apart the medial axis is sampled [m]."""


IN_A_BOX = 128
"""So many discs that come one after another, which mostly lie side by side, are first looked at as one."""


@dataclass(frozen=True, eq=False)
class Question:
    """Something that a map was asked, with its answer and what that depends on.

    Attributes:
        name: of the method of `CorridorMap`.
        arguments: by their names.
        answer: as it was given; of a refusal its words.
        points: float64 (N, 2), middles of discs round all that was looked at [m].
        reach: float64 (N,), their radii [m]; infinite where anything anywhere may matter.
    """

    name: str
    arguments: dict[str, Any]
    answer: Any
    points: Float64
    reach: Float64

    @cached_property
    def boxes(self) -> Float64:
        """Boxes round every `IN_A_BOX` discs in turn, float64 (B, 4), low and high x, low and high y [m].

        Not numbers where some middle is none.
        """
        first = np.arange(0, len(self.points), IN_A_BOX)
        if not len(first):
            return np.empty((0, 4))
        widest = np.maximum.reduceat(self.reach, first)
        x, y = self.points.T
        ends = [end.reduceat(each, first) for each in (x, y) for end in (np.minimum, np.maximum)]
        return np.stack([ends[0] - widest, ends[1] + widest, ends[2] - widest, ends[3] + widest], axis=1)


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
        nodes: from which searches went on, along all their edges.
        places: float64 (N, 2), where something was looked for that lies in no free ground [m from the grid's origin].
        reach: float64 (N,), and how far round them [m].
        needed: float64 (K,), clearances of bodies that were told apart by the edges that are wide enough for them [m].
        everything: a search went wherever it could.
    """

    arcs: set[int] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)
    places: list[Float64] = field(default_factory=list)
    reach: list[Float64] = field(default_factory=list)
    needed: list[Float64] = field(default_factory=list)
    everything: bool = False
    _sampled: tuple[Flat, Sampled] | None = None

    def add_place(self, place: Float64, reach: float) -> None:
        """Add places, float64 (N, 2), round which something was looked for within a distance [m]."""
        self.places.append(place)
        self.reach.append(np.full(len(place), reach))

    def begin_with(self, arcs: Iterable[int], seen: Traces) -> None:
        """Begin anew with some arcs, and with places that were looked for together with others."""
        self.clear()
        self.arcs.update(seen.arcs if seen.places else arcs)
        self.places.extend(seen.places)
        self.reach.extend(seen.reach)

    def taken(self) -> Traces:
        """Return what was looked at, apart from what will be."""
        lists = {name: list(getattr(self, name)) for name in ("places", "reach", "needed")}
        return replace(self, arcs=set(self.arcs), nodes=set(self.nodes), **lists)

    def go_on_with(self, seen: Traces) -> None:
        """Go on with what was looked at apart from this."""
        self.arcs, self.nodes, self.places, self.reach = seen.arcs, seen.nodes, seen.places, seen.reach
        self.needed, self.everything = seen.needed, seen.everything

    def clear(self) -> None:
        """Begin anew."""
        self.arcs.clear()
        self.nodes.clear()
        self.places.clear()
        self.reach.clear()
        self.needed.clear()
        self.everything = False

    def discs(self, net: Net) -> tuple[Float64, Float64]:
        """Return discs within which all lies that was looked at.

        Args:
            net: the map, as it was all the while.

        Returns:
            float64 (N, 2), middles [m from the grid's origin], and float64 (N,), radii [m].
        """
        if self.everything:
            return np.zeros((1, 2)), np.full(1, np.inf)
        graph, sampled = net.graph, self._sampled_on(net)
        read = sorted((set(graph.edge_of[sorted(self.arcs)].tolist()) | graph.edges_at(self.nodes)) - {-1})
        rows = np.searchsorted(graph.flat.numbers, read)
        lengths = sampled.first[rows + 1] - sampled.first[rows]
        before = np.cumsum(lengths) - lengths
        chosen = np.arange(int(lengths.sum())) + np.repeat(sampled.first[rows] - before, lengths)
        # A disc between two samples reaches beyond theirs by no more than twice what lies between it and the nearer.
        radii = sampled.clearance[chosen] + 2.0 * STEP
        return np.concatenate((sampled.points[chosen], *self.places)), np.concatenate((radii, *self.reach))

    def _sampled_on(self, net: Net) -> Sampled:
        """All edges of a map, sampled once for as long as it does not change."""
        if self._sampled is None or self._sampled[0] is not net.graph.flat:
            self._sampled = net.graph.flat, sampled_edges(net, STEP)
        return self._sampled[1]


def told_apart(needed: Float64, narrowest: Float64) -> NDArray[np.bool_]:
    """Return bool (K - 1,), between which neighbours of some clearances the widths of all edges tell.

    Args:
        needed: float64 (K,), ascending [m].
        narrowest: float64 (E,), least clearance of all edges [m].
    """
    return np.diff(np.searchsorted(np.sort(narrowest), needed)) > 0
