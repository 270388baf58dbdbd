# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways between anchors: candidates from the graph, each pulled tight, the shortest taken; and why there is none.

Wayfinder(axis_graph)
    .ways(outings, burden) -> for each a list of (P, 2) or None
    .alternatives(begin, end, radius, count, longest, burden) -> list of (P, 2)
    .widest_gap(begin, end) -> clearance, place

Searches are made one by one. All corridors that they have found, whosoever's, are cut and pulled tight together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from ..geometry.segments import length_of
from .corridors.corridor_chains import Course, corridors_of, course_along, course_within
from .corridors.portals import EXCESS, Corridors
from .corridors.taut_lines import PulledLines
from .graph.anchor_table import AnchorTable
from .graph.anchors import Anchor, AxisGraph
from .graph.corridor_graph import Renewed
from .graph.search import Door, EdgeLists, Found, GraphWalk, Spot
from .graph.search_cache import KnownWalks

Float64 = NDArray[np.float64]
Burden = Mapping[int, float]
"""How many times as long as they are some corridor edges count; the others count once."""


_FREE: Burden = {}


@dataclass(frozen=True)
class WayfindingSettings:
    """How many corridors are compared; chosen by trial on the example scenes: more cost time, and shorten few routes.

    Attributes:
        alternatives: corridors whose taut lines are compared.
        crowded_alternatives: the same where crowding counts: a search sees only half of its effect on a line.
        cost_repeated: factor on the edges of the corridors found before, when another one is searched.
        max_searches: for each alternative that is requested.
        nearly_straight: a line at most so many times as long as the straight one is taken at once.
    """

    alternatives: int = 2
    crowded_alternatives: int = 4
    cost_repeated: float = 1.15
    max_searches: int = 8
    nearly_straight: float = 1.005


WAYFINDING = WayfindingSettings()


@dataclass(frozen=True, eq=False)
class Outing:
    """Some who go to the same place.

    Attributes:
        begins: where from.
        end: where to.
        radii: float64 (N,), of the bodies [m].
    """

    begins: Sequence[Anchor]
    end: Anchor
    radii: Float64


class Wayfinder:
    """Finds ways in one map."""

    def __init__(self, axis_graph: AxisGraph, lines: PulledLines, settings: WayfindingSettings = WAYFINDING) -> None:
        """Prepare.

        Args:
            axis_graph: the map.
            lines: that were pulled tight before; takes up more.
            settings: how many corridors are compared.
        """
        self._settings = settings
        self._axis_graph, self._lines = axis_graph, lines
        self._roads, self._known = EdgeLists(axis_graph), KnownWalks()

    def update(self, renewed: Renewed | None) -> None:
        """Follow a change of the graph.

        Args:
            renewed: the edges that went and came, None for all.
        """
        self._known.forget(self._roads.update(renewed))

    def ways(
        self, outings: Sequence[Outing], burden: Burden = _FREE, *, rounds: int | None = None
    ) -> list[list[Float64 | None]]:
        """Find short ways of many.

        Those of an outing who start on the same arc, and whom the same edges are wide enough for, share their searches.

        Args:
            outings: who goes where.
            burden: how many times as long some corridor edges count.
            rounds: so many corridors are pulled tight, the shortest line is taken; None: as many as are worth it.

        Returns:
            For each outing and each of those in it float64 (P, 2) [m from the grid's origin], or None where no corridor
            is wide enough.
        """
        if not outings:
            return []
        anchors = AnchorTable.of([hold for each in outings for hold in (*each.begins, each.end)], self._axis_graph)
        settings = self._settings
        tries = rounds or (settings.crowded_alternatives if burden else settings.alternatives)
        errands: list[_Errand] = []
        first = 0
        for outing in outings:
            errands += self._errands(outing, first, anchors, burden, tries)
            first += len(outing.begins) + 1
        self._try(self._within(errands, anchors), anchors, burden)
        left = [each for each in errands if not each.settled]
        number = 0
        while left:
            walks = [(each, walk) for each in left if (walk := each.walks.at(number)) is not None]
            self._try([(each, self._course(each, walk, anchors)) for each, walk in walks], anchors, burden)
            left = [each for each, _ in walks if not each.settled]
            number += 1
        found = iter(None if each.best is None else each.best[1] for each in errands)
        return [[next(found) for _ in outing.begins] for outing in outings]

    def alternatives(
        self,
        begin: Anchor,
        end: Anchor,
        radius: float,
        *,
        count: int,
        longest: float,
        burden: Burden,
    ) -> list[Float64]:
        """Find short ways that lead through different corridors.

        Args:
            begin: where from.
            end: where to.
            radius: of the body [m].
            count: so many at most.
            longest: so many times as long as the first one at most.
            burden: how many times as long some corridor edges count.

        Returns:
            float64 (P, 2) each [m from the grid's origin], the best first; none where no corridor is wide enough.
        """
        anchors = AnchorTable.of((begin, end), self._axis_graph)
        leaving, arriving = anchors.spots
        walks = self._walks(leaving, arriving, radius * EXCESS, burden, self._settings.max_searches * count)
        errand = _Errand(0, 1, radius, _Shared(walks), 0.0)
        found = self._weighed(self._within([errand], anchors), anchors, burden)
        for walk in walks:
            if len(found) >= count + 1:  # one more than asked for: they do not come in order
                break
            (way,) = self._weighed([(errand, self._course(errand, walk, anchors))], anchors, burden)
            if not any(np.array_equal(way[1], line) for _, line in found):
                found.append(way)
        found.sort(key=_cost)
        limit = longest * found[0][0] if found else 0.0
        return [line for cost, line in found[:count] if cost <= limit]

    def widest_gap(self, begin: Anchor, end: Anchor) -> tuple[float, Float64] | None:
        """Find the narrowest place of the widest way.

        Args:
            begin: where from.
            end: where to.

        Returns:
            The clearance there [m] and the place, float64 (2,) [m from the grid's origin]; None without any way.
        """
        anchors = AnchorTable.of((begin, end), self._axis_graph)
        candidates = [self._roads.widest(anchors.spots[0].doors, anchors.spots[1].doors)]
        graph, edge_of = self._axis_graph.graph, self._axis_graph.graph.edge_of
        if anchors.edges[0][0] == anchors.edges[1][0]:
            within = corridors_of([course_within(0, 1, anchors, self._axis_graph)], anchors, self._axis_graph)
            candidates.append((float(within.narrowest[0]), None))
        clearance, edge = max(candidates, key=lambda candidate: candidate[0])
        if clearance == -np.inf:
            return None
        edges = [edge] if edge is not None else [int(edge_of[begin.arc]), int(edge_of[end.arc])]
        arcs = np.array([arc for number in edges for arc in graph.arcs[number]])
        best = arcs[np.argmin(np.abs(graph.narrowest[arcs] - clearance))]
        return clearance, graph.waist[best]

    def _errands(self, outing: Outing, first: int, anchors: AnchorTable, burden: Burden, tries: int) -> list[_Errand]:
        """Everybody of an outing, whose anchors begin with a row and end with that of the goal."""
        end = first + len(outing.begins)
        goal, spots = anchors.spots[end], anchors.spots[first:end]
        needed = outing.radii * EXCESS
        apart = anchors.place[first:end] - anchors.place[end]
        enough = self._settings.nearly_straight * np.hypot(apart[:, 0], apart[:, 1])
        walks = [_Shared(iter(()))] * len(spots)
        for group in self._together(outing, spots, goal, needed):
            least, widest = float(needed[group[0]]), float(needed[group].max())
            middle = np.mean([spots[k].place for k in group], axis=0).tolist()
            start = _opened(Spot((middle[0], middle[1]), spots[group[0]].doors), least)
            shared = _Shared(self._walks(start, _opened(goal, least), widest, burden, tries))
            for k in group:
                walks[k] = shared
        bodies = zip(outing.radii.tolist(), walks, enough.tolist(), strict=True)
        return [_Errand(first + k, end, *each) for k, each in enumerate(bodies)]

    def _together(self, outing: Outing, spots: list[Spot], goal: Spot, needed: Float64) -> list[list[int]]:
        """Who share their searches: those on the same arc, for whom the same edges and doors are wide enough."""
        if len(spots) == 1:
            return [[0]]
        steps = np.sort(list(self._roads.narrowest.values()))
        widths = np.searchsorted(steps, needed).tolist()  # bodies between the same two widths pass the same edges
        together: dict[tuple[object, ...], list[int]] = {}
        for k, (begin, spot) in enumerate(zip(outing.begins, spots, strict=True)):
            doors = (door.clearance >= needed[k] for door in (*spot.doors, *goal.doors))
            together.setdefault((begin.arc, widths[k], *doors), []).append(k)
        return list(together.values())

    def _walks(self, start: Spot, goal: Spot, needed: float, burden: Burden, rounds: int) -> Iterator[GraphWalk]:
        """Some short walks from start to goal that do not follow the same edges, each searched when it is asked for."""
        known = [] if burden else self._known.between(start, goal, needed)
        burdened = dict(burden)
        walks: set[tuple[int, ...]] = set()
        for number in range(rounds):
            if number == len(known):
                known.append(self._searched(start, goal, needed, burdened))
            walk = known[number].walk
            if walk is None:
                return
            if walk.steps not in walks:
                walks.add(walk.steps)
                yield walk
            for step in walk.steps:
                burdened[step >> 1] = burdened.get(step >> 1, 1.0) * self._settings.cost_repeated

    def _searched(self, start: Spot, goal: Spot, needed: float, burden: Burden) -> Found:
        found = self._known.shut(start, goal, needed)
        if found is None:
            found = self._roads.shortest(start, goal, needed, burden)
            if found.walk is None:
                self._known.note_shut(needed, found)
        return found

    def _course(self, errand: _Errand, walk: GraphWalk, anchors: AnchorTable) -> Course:
        return course_along(errand.begin, errand.end, walk, errand.radius * EXCESS, anchors, self._axis_graph)

    def _within(self, errands: Sequence[_Errand], anchors: AnchorTable) -> list[tuple[_Errand, Course]]:
        """Who begins and ends on the same corridor edge, and the course along it, as far as it is wide enough."""
        close = [
            (each, course_within(each.begin, each.end, anchors, self._axis_graph))
            for each in errands
            if anchors.edges[each.begin][0] == anchors.edges[each.end][0]
        ]
        if not close:
            return []
        narrowest = corridors_of([course for _, course in close], anchors, self._axis_graph).narrowest.tolist()
        return [each for each, least in zip(close, narrowest, strict=True) if least >= each[0].radius * EXCESS]

    def _try(self, courses: Sequence[tuple[_Errand, Course]], anchors: AnchorTable, burden: Burden) -> None:
        """Let everybody know the line through a corridor.

        A line that is hardly longer than the straight one needs no rivals.
        """
        for (errand, _), way in zip(courses, self._weighed(courses, anchors, burden), strict=True):
            if errand.best is None or way[0] < errand.best[0]:
                errand.best = way
            errand.settled = way[0] <= errand.enough

    def _weighed(
        self, courses: Sequence[tuple[_Errand, Course]], anchors: AnchorTable, burden: Burden
    ) -> list[tuple[float, Float64]]:
        """The shortest line of each course, after what it costs: its length, times the corridor's mean burden."""
        if not courses:
            return []
        corridors = corridors_of([course for _, course in courses], anchors, self._axis_graph)
        radius = np.array([errand.radius for errand, _ in courses])
        lines = self._lines.through(corridors, [course for _, course in courses], radius, anchors, self._axis_graph)
        costs = [length_of(line) for line in lines]
        if burden:
            costs = [cost * share for cost, share in zip(costs, self._burdens(corridors, burden), strict=True)]
        return list(zip(costs, lines, strict=True))

    def _burdens(self, corridors: Corridors, burden: Burden) -> list[float]:
        """How many times as long as it is each corridor counts."""
        edges = self._axis_graph.graph.edge_of[corridors.arcs].tolist()
        run = corridors.end - corridors.begin
        share = np.hypot(run[:, 0], run[:, 1])
        weighed = np.array([burden.get(edge, 1.0) for edge in edges]) * share
        cuts = corridors.first.tolist()
        return [float(weighed[low:high].sum() / max(share[low:high].sum(), 1e-300)) for low, high in pairwise(cuts)]


@dataclass(slots=True, eq=False)
class _Errand:
    """One body that looks for a way.

    Attributes:
        begin, end: rows of the anchors.
        radius: of the body [m].
        walks: that lead there.
        enough: at what cost a line is taken at once.
        settled: whether it was.
        best: the best line so far, after its cost.
    """

    begin: int
    end: int
    radius: float
    walks: _Shared
    enough: float
    settled: bool = False
    best: tuple[float, Float64] | None = None


def _cost(weighed: tuple[float, Float64]) -> float:
    return weighed[0]


def _opened(spot: Spot, needed: float) -> Spot:
    """A spot for all who pass the same of its doors as a body that needs this clearance."""
    a, b = (Door(door.node, np.inf if door.clearance >= needed else -np.inf) for door in spot.doors)
    return Spot(spot.place, (a, b))


class _Shared:
    """Walks that are searched when the first of many asks for them, and then are there for all."""

    def __init__(self, source: Iterator[GraphWalk]) -> None:
        self._source = source
        self._found: list[GraphWalk] = []

    def at(self, number: int) -> GraphWalk | None:
        """Return a walk, each after those before; None where there are no more."""
        if number == len(self._found):
            self._found += islice(self._source, 1)
        return self._found[number] if number < len(self._found) else None
