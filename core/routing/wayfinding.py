# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes between anchors: shortest lines through candidate corridors of the graph; and the gap where there is none.

The searches of many people run together, and the lines through all corridors that they find are computed together:
what corridors share is computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from ..array_types import Float64
from ..geometry.reproducible_math import length
from ..geometry.segments import lengths_of
from .corridors.corridor_chains import Course, corridors_of, course_along, course_within
from .corridors.portals import CLEARANCE_FACTOR, Corridors
from .corridors.taut_lines import TautLines
from .graph.anchor_table import AnchorTable
from .graph.anchors import Anchor, AxisGraph
from .graph.corridor_graph import EdgeChange
from .graph.search import EdgeLists, GraphEntry, GraphWalk, NodeLink
from .graph.search_cache import SearchCache
from .graph.shared_walks import SharedWalks

EdgeFactors = Mapping[int, float]
"""Factors on the lengths of some corridor edges; 1 for the others."""


_FREE: EdgeFactors = {}


@dataclass(frozen=True)
class WayfindingSettings:
    """How corridors are searched and compared; chosen by trial: more cost time, and shorten few routes.

    Attributes:
        alternatives: corridors whose taut lines are compared.
        crowded_alternatives: the same with crowding, whose effect on a line a search estimates only roughly.
        cost_repeated: factor on the edges of corridors found before, in the search for an alternative.
        max_searches: for each alternative that is requested.
        nearly_straight: a line at most this many times as long as the straight one is not compared with others.
    """

    alternatives: int = 2
    crowded_alternatives: int = 4
    cost_repeated: float = 1.15
    max_searches: int = 8
    nearly_straight: float = 1.005


WAYFINDING = WayfindingSettings()

REQUESTS_AT_ONCE = 1024
"""Requests that are processed together, to bound memory."""


@dataclass(frozen=True, eq=False)
class RouteRequest:
    """A group of bodies with the same goal.

    Attributes:
        begins: the starts.
        end: the goal.
        radii: float64 (N,), of the bodies [m].
    """

    begins: Sequence[Anchor]
    end: Anchor
    radii: Float64


class Wayfinder:
    """Finds routes in one map."""

    def __init__(self, axis_graph: AxisGraph, lines: TautLines, settings: WayfindingSettings = WAYFINDING) -> None:
        """Prepare.

        Args:
            axis_graph: the map.
            lines: cache of lines; further ones are added.
            settings: how corridors are searched and compared.
        """
        self._settings = settings
        self._axis_graph, self._lines = axis_graph, lines
        self._edge_lists, self._known = EdgeLists(axis_graph), SearchCache()

    def update(self, edge_change: EdgeChange | None) -> None:
        """Follow a change of the graph.

        Args:
            edge_change: removed and added edges, None for all.
        """
        self._known.forget(self._edge_lists.update(edge_change))

    def routes(
        self, requests: Sequence[RouteRequest], edge_factors: EdgeFactors = _FREE, *, rounds: int | None = None
    ) -> list[list[Float64 | None]]:
        """Find short routes of many.

        Bodies of a request that start on the same arc, and for which the same edges are wide enough, share searches.

        Args:
            requests: starts and goals.
            edge_factors: factors on the lengths of some corridor edges.
            rounds: corridors whose lines are compared; None: as the settings say.

        Returns:
            For each request and each of its bodies float64 (P, 2) [m from the grid's origin], or None where no corridor
            is wide enough.
        """
        found: list[list[Float64 | None]] = []
        for first in range(0, len(requests), REQUESTS_AT_ONCE):
            found += self._routes_at_once(requests[first : first + REQUESTS_AT_ONCE], edge_factors, rounds)
        return found

    def _routes_at_once(
        self, requests: Sequence[RouteRequest], edge_factors: EdgeFactors, rounds: int | None
    ) -> list[list[Float64 | None]]:
        """As `routes`, of some requests, at least one: in arrays of all their corridors."""
        anchors = AnchorTable.of([hold for each in requests for hold in (*each.begins, each.end)], self._axis_graph)
        settings = self._settings
        tries = rounds or (settings.crowded_alternatives if edge_factors else settings.alternatives)
        searches: list[_RouteSearch] = []
        first, counts = 0, np.array([len(request.begins) + 1 for request in requests])
        apart = anchors.place - np.repeat(anchors.place[np.cumsum(counts) - 1], counts, axis=0)
        enough = (settings.nearly_straight * length(apart)).tolist()
        for request in requests:
            searches += self._route_searches(
                request, (first, enough[first : first + len(request.begins)]), anchors, edge_factors, tries
            )
            first += len(request.begins) + 1
        self._try(self._within(searches, anchors), anchors, edge_factors)
        left = [each for each in searches if not each.settled]
        self._find_walks([each.walks for each in left], tries, edge_factors)
        walks = [(each, self._course(each, walk, anchors)) for each in left for walk in each.walks.found]
        self._try(walks, anchors, edge_factors)
        found = iter(None if each.best is None else each.best[1] for each in searches)
        return [[next(found) for _ in request.begins] for request in requests]

    def alternatives(
        self,
        begin: Anchor,
        end: Anchor,
        radius: float,
        *,
        count: int,
        longest: float,
        edge_factors: EdgeFactors,
    ) -> list[Float64]:
        """Find short routes through different corridors.

        Args:
            begin: the start.
            end: the goal.
            radius: of the body [m].
            count: most routes.
            longest: largest ratio of their lengths to the first.
            edge_factors: factors on the lengths of some corridor edges.

        Returns:
            float64 (P, 2) each [m from the grid's origin], the best first; none where no corridor is wide enough.
        """
        anchors = AnchorTable.of((begin, end), self._axis_graph)
        leaving, arriving = anchors.entries
        walks = self._walks(
            leaving, arriving, radius * CLEARANCE_FACTOR, edge_factors, self._settings.max_searches * count
        )
        search = _RouteSearch(0, 1, radius, walks, 0.0)
        found = self._weighed(self._within([search], anchors), anchors, edge_factors)
        for number in range(walks.rounds):
            if len(found) >= count + 1:  # one more than requested: they are not sorted
                break
            self._find_walks([walks], number + 1, edge_factors)
            if len(walks.found) <= number:
                break
            course = self._course(search, walks.found[number], anchors)
            (route,) = self._weighed([(search, course)], anchors, edge_factors)
            if not any(np.array_equal(route[1], line) for _, line in found):
                found.append(route)
        found.sort(key=itemgetter(0))
        limit = longest * found[0][0] if found else 0.0
        return [line for cost, line in found[:count] if cost <= limit]

    def widest_gap(self, begin: Anchor, end: Anchor) -> tuple[float, Float64] | None:
        """Find the narrowest place of the widest route.

        Args:
            begin: the start.
            end: the goal.

        Returns:
            The clearance there [m] and the place, float64 (2,) [m from the grid's origin]; None without any route.
        """
        anchors = AnchorTable.of((begin, end), self._axis_graph)
        candidates = [self._edge_lists.widest(anchors.entries[0].links, anchors.entries[1].links)]
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

    def _route_searches(
        self,
        request: RouteRequest,
        rows: tuple[int, list[float]],
        anchors: AnchorTable,
        edge_factors: EdgeFactors,
        tries: int,
    ) -> list[_RouteSearch]:
        """The searches of a request, whose anchors are rows from the first one named on, that of the goal last.

        Beside its first row stand the costs of its bodies, and more, up to which a line is final.
        """
        first, enough = rows
        end = first + len(request.begins)
        goal, entries = anchors.entries[end], anchors.entries[first:end]
        needed = request.radii * CLEARANCE_FACTOR
        walks: dict[int, SharedWalks] = {}
        for group in self._together(request, entries, goal, needed):
            least, widest = float(needed[group[0]]), float(needed[group].max())
            places = [entries[k].place for k in group]
            middle = places[0] if len(places) == 1 else np.mean(places, axis=0).tolist()
            start = _for_all_through(GraphEntry((middle[0], middle[1]), entries[group[0]].links), least)
            shared = self._walks(start, _for_all_through(goal, least), widest, edge_factors, tries)
            walks.update(dict.fromkeys(group, shared))
        bodies = zip(request.radii.tolist(), enough, strict=True)
        return [_RouteSearch(first + k, end, radius, walks[k], most) for k, (radius, most) in enumerate(bodies)]

    def _together(
        self, request: RouteRequest, entries: list[GraphEntry], goal: GraphEntry, needed: Float64
    ) -> list[list[int]]:
        """Groups that share searches: on the same arc, and with the same edges and links wide enough."""
        if len(entries) == 1:
            return [[0]]
        steps = np.sort(list(self._edge_lists.narrowest.values()))
        widths = np.searchsorted(steps, needed).tolist()  # bodies between the same two widths pass the same edges
        together: dict[tuple[object, ...], list[int]] = {}
        for k, (begin, entry) in enumerate(zip(request.begins, entries, strict=True)):
            links = (link.clearance >= needed[k] for link in (*entry.links, *goal.links))
            together.setdefault((begin.arc, widths[k], *links), []).append(k)
        return list(together.values())

    def _walks(
        self, start: GraphEntry, goal: GraphEntry, needed: float, edge_factors: EdgeFactors, rounds: int
    ) -> SharedWalks:
        known = [] if edge_factors else self._known.between(start, goal, needed)
        return SharedWalks(start, goal, needed, rounds, known)

    def _find_walks(self, shared: Sequence[SharedWalks], count: int, edge_factors: EdgeFactors) -> None:
        """Search until each has so many walks, or there are no more."""
        left = list({id(each): each for each in shared}.values())
        while left := [each for each in left if each.lacks(count)]:
            done, together = 0, 1  # who has no route is often one of many: then the first search serves all
            while done < len(left):
                self._find_next(left[done : done + together], edge_factors)
                done, together = done + together, 2 * together

    def _find_next(self, shared: Sequence[SharedWalks], edge_factors: EdgeFactors) -> None:
        """Let each have the result of its next search."""
        found = [each.recalled or self._known.unreachable(*each.search[:3]) for each in shared]
        new = [row for row, result in enumerate(found) if result is None]
        if new:
            searches = [shared[row].search for row in new]
            for row, search, result in zip(
                new, searches, self._edge_lists.shortest(searches, edge_factors), strict=True
            ):
                found[row] = result
                if result.walk is None:
                    self._known.note_unreachable(search.needed, result)
        for each, result in zip(shared, found, strict=True):
            assert result is not None
            each.take(result, edge_factors, self._settings.cost_repeated)

    def _course(self, search: _RouteSearch, walk: GraphWalk, anchors: AnchorTable) -> Course:
        return course_along(search.begin, search.end, walk, search.radius * CLEARANCE_FACTOR, anchors, self._axis_graph)

    def _within(self, searches: Sequence[_RouteSearch], anchors: AnchorTable) -> list[tuple[_RouteSearch, Course]]:
        """Searches that start and end on the same corridor edge, and the course along it where it is wide enough."""
        close = [
            (each, course_within(each.begin, each.end, anchors, self._axis_graph))
            for each in searches
            if anchors.edges[each.begin][0] == anchors.edges[each.end][0]
        ]
        if not close:
            return []
        narrowest = corridors_of([course for _, course in close], anchors, self._axis_graph).narrowest.tolist()
        return [
            each for each, least in zip(close, narrowest, strict=True) if least >= each[0].radius * CLEARANCE_FACTOR
        ]

    def _try(
        self, courses: Sequence[tuple[_RouteSearch, Course]], anchors: AnchorTable, edge_factors: EdgeFactors
    ) -> None:
        """Compare each search's best line with the line through another corridor.

        A line that is hardly longer than the straight one is final.
        """
        for (search, _), route in zip(courses, self._weighed(courses, anchors, edge_factors), strict=True):
            if not search.settled and (search.best is None or route[0] < search.best[0]):
                search.best, search.settled = route, route[0] <= search.enough

    def _weighed(
        self, courses: Sequence[tuple[_RouteSearch, Course]], anchors: AnchorTable, edge_factors: EdgeFactors
    ) -> list[tuple[float, Float64]]:
        """Cost and shortest line of each course; the cost is its length times the corridor's mean factor."""
        if not courses:
            return []
        corridors = corridors_of([course for _, course in courses], anchors, self._axis_graph)
        radius = np.array([search.radius for search, _ in courses])
        lines = self._lines.through(corridors, [course for _, course in courses], radius, anchors, self._axis_graph)
        costs = lengths_of(lines)
        if edge_factors:
            costs *= self._mean_factors(corridors, edge_factors)
        return list(zip(costs.tolist(), lines, strict=True))

    def _mean_factors(self, corridors: Corridors, edge_factors: EdgeFactors) -> Float64:
        """Mean factor of each corridor, float64 (C,)."""
        edges = self._axis_graph.graph.edge_of[corridors.arcs]
        factor = np.ones(max(*edge_factors, int(edges.max())) + 1)
        factor[list(edge_factors)] = list(edge_factors.values())
        share, first = length(corridors.end - corridors.begin), corridors.first[:-1]
        weighed = factor[edges] * share
        return np.add.reduceat(weighed, first) / np.maximum(np.add.reduceat(share, first), 1e-300)


@dataclass(slots=True, eq=False)
class _RouteSearch:
    """The search for one body's route.

    Attributes:
        begin, end: rows of the anchors.
        radius: of the body [m].
        walks: candidates.
        enough: cost up to which a line is final.
        settled: whether the best line is final.
        best: cost and line, the best so far.
    """

    begin: int
    end: int
    radius: float
    walks: SharedWalks
    enough: float
    settled: bool = False
    best: tuple[float, Float64] | None = None


def _for_all_through(entry: GraphEntry, needed: float) -> GraphEntry:
    """The entry for all bodies that pass the same links as one that needs this clearance."""
    a, b = (NodeLink(link.node, np.inf if link.clearance >= needed else -np.inf) for link in entry.links)
    return GraphEntry(entry.place, (a, b))
