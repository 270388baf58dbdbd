# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways between anchors: candidates from the graph, each pulled tight, the shortest taken; and why there is none.

Wayfinder(net)
    .ways(begins, end, radii, burden) -> list of (P, 2) or None
    .alternatives(begin, end, radius, count, longest, burden) -> list of (P, 2)
    .widest_gap(begin, end) -> clearance, place
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..geometry.segments import length_of
from .corridor import EXCESS, Corridor, polygon_radius, portals_of, shortest_line, sides_for
from .corridor_graph import Renewed
from .medial_axis import Sites
from .net import Anchor, Net
from .pulled_lines import PulledLines, key_of
from .routes import corridor_along, corridor_within, spot_of
from .search import Door, Roads, Spot, Walk
from .traces import Traces

Float64 = NDArray[np.float64]
Burden = Mapping[int, float]
"""How many times as long as they are some corridor edges count; the others count once."""

ALTERNATIVES = 2
"""Corridors that are pulled tight before the shortest way is taken."""

CROWDED_ALTERNATIVES = 4
"""So many where crowding counts: a search sees only half of what it does to a line."""

BURDEN = 1.15
"""How many times as long as they are the edges of a corridor count when another one is looked for."""

ROUNDS = 8
"""Searches for each alternative that is asked for, before no more are looked for."""

NEARLY = 1.005
"""A line that is at most so many times as long as the straight one is taken at once."""


_FREE: Burden = {}


class Wayfinder:
    """Finds ways in one map."""

    def __init__(self, net: Net, traces: Traces, lines: PulledLines) -> None:
        """Prepare.

        Args:
            net: the map.
            traces: where to write down what was looked at.
            lines: that were pulled tight before; takes up more.
        """
        self._net, self._traces, self._lines = net, traces, lines
        self._roads = Roads(net, traces)

    def update(self, renewed: Renewed | None) -> None:
        """Follow a change of the graph.

        Args:
            renewed: the edges that went and came, None for all.
        """
        self._roads.update(renewed)

    def ways(
        self,
        begins: Sequence[Anchor],
        end: Anchor,
        radii: Float64,
        burden: Burden = _FREE,
        *,
        rounds: int | None = None,
    ) -> list[Float64 | None]:
        """Find short ways of many to the same goal.

        Those who start on the same arc, and whom the same edges are wide enough for, share their searches.

        Args:
            begins: where from.
            end: where to.
            radii: float64 (N,), of the bodies [m].
            burden: how many times as long some corridor edges count.
            rounds: so many corridors are pulled tight, the shortest line is taken; None: as many as are worth it.

        Returns:
            For each float64 (P, 2) [m from the grid's origin], or None where no corridor is wide enough.
        """
        goal = spot_of(end, self._net)
        needed = radii * EXCESS
        spots = [spot_of(begin, self._net) for begin in begins]
        result: list[Float64 | None] = [None] * len(begins)
        for group in self._together(begins, spots, goal, needed):
            widest = float(needed[group].max())
            middle = np.mean([spots[k].place for k in group], axis=0).tolist()
            shared = _opened(Spot((middle[0], middle[1]), spots[group[0]].doors), float(needed[group[0]]))
            tries = rounds or (CROWDED_ALTERNATIVES if burden else ALTERNATIVES)
            walks = _Shared(self._walks(shared, _opened(goal, float(needed[group[0]])), widest, burden, tries))
            for k in group:
                result[k] = self._best_of(walks, (begins[k], spots[k]), (end, goal), float(radii[k]), burden)
        return result

    def alternatives(
        self, begin: Anchor, end: Anchor, radius: float, count: int, longest: float, burden: Burden = _FREE
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
        needed = radius * EXCESS
        leaving, arriving = spot_of(begin, self._net), spot_of(end, self._net)
        within = self._within(begin, end, needed)
        found = [self._weighed(begin, end, corridor, radius, burden) for corridor in within]
        walks = self._walks(leaving, arriving, needed, burden, ROUNDS * count)
        for walk in walks:
            if len(found) >= count + 1:  # one more than asked for: they do not come in order
                break
            doors = leaving.door_to(walk.first, needed), arriving.door_to(walk.last, needed)
            corridor = corridor_along(walk, begin, end, doors, self._net)
            way = self._weighed(begin, end, corridor, radius, burden)
            if not any(np.array_equal(way[1], line) for _, line in found):
                found.append(way)
        found.sort(key=_cost)
        limit = longest * found[0][0] if found else 0.0
        return [line for cost, line in found[:count] if cost <= limit]

    def _together(self, begins: Sequence[Anchor], spots: list[Spot], goal: Spot, needed: Float64) -> list[list[int]]:
        """Who share their searches: those on the same arc, for whom the same edges and doors are wide enough."""
        if len(begins) == 1:
            return [[0]]
        self._traces.needed.append(needed)
        steps = np.sort(list(self._roads.narrowest.values()))
        widths = np.searchsorted(steps, needed).tolist()  # bodies between the same two widths pass the same edges
        together: dict[tuple[object, ...], list[int]] = {}
        for k, (begin, spot) in enumerate(zip(begins, spots, strict=True)):
            doors = (door.clearance >= needed[k] for door in (*spot.doors, *goal.doors))
            together.setdefault((begin.arc, widths[k], *doors), []).append(k)
        return list(together.values())

    def _walks(self, start: Spot, goal: Spot, needed: float, burden: Burden, rounds: int) -> Iterator[Walk]:
        """Some short walks from start to goal that do not follow the same edges, each searched when it is asked for."""
        burdened = dict(burden)
        walks: set[tuple[int, ...]] = set()
        for _ in range(rounds):
            walk = self._roads.shortest(start, goal, needed, burdened)
            if walk is None:
                return
            if walk.steps not in walks:
                walks.add(walk.steps)
                yield walk
            for step in walk.steps:
                burdened[step >> 1] = burdened.get(step >> 1, 1.0) * BURDEN

    def _best_of(
        self,
        walks: Iterable[Walk],
        start: tuple[Anchor, Spot],
        goal: tuple[Anchor, Spot],
        radius: float,
        burden: Burden,
    ) -> Float64 | None:
        """The shortest line along any of some walks, or along the edge on which both start and goal lie.

        A line that is hardly longer than the straight one needs no rivals.
        """
        (begin, leaving), (end, arriving) = start, goal
        needed = radius * EXCESS
        good_enough = NEARLY * float(np.hypot(*(end.place - begin.place)))
        within = self._within(begin, end, needed)
        lines = [self._weighed(begin, end, corridor, radius, burden) for corridor in within]
        if lines and lines[0][0] <= good_enough:
            return lines[0][1]
        for walk in walks:
            doors = leaving.door_to(walk.first, needed), arriving.door_to(walk.last, needed)
            corridor = corridor_along(walk, begin, end, doors, self._net)
            lines.append(self._weighed(begin, end, corridor, radius, burden))
            if lines[-1][0] <= good_enough:
                break
        return min(lines, key=_cost)[1] if lines else None

    def _weighed(
        self, begin: Anchor, end: Anchor, corridor: Corridor, radius: float, burden: Burden
    ) -> tuple[float, Float64]:
        """The shortest line through a corridor, after what it costs: its length, times the corridor's mean burden."""
        line = self._pulled_tight(begin, end, corridor, radius)
        length = length_of(line)
        if not burden:
            return length, line
        graph = self._net.graph
        edges = graph.edge_of[corridor.arcs].tolist()
        share = np.hypot(*(corridor.end - corridor.begin).T)
        weight = np.array([burden.get(edge, 1.0) for edge in edges])
        return length * float((weight * share).sum() / max(share.sum(), 1e-300)), line

    def widest_gap(self, begin: Anchor, end: Anchor) -> tuple[float, Float64] | None:
        """Find the narrowest place of the widest way.

        Args:
            begin: where from.
            end: where to.

        Returns:
            The clearance there [m] and the place, float64 (2,) [m from the grid's origin]; None without any way.
        """
        candidates = [self._roads.widest(spot_of(begin, self._net).doors, spot_of(end, self._net).doors)]
        graph, edge_of = self._net.graph, self._net.graph.edge_of
        if edge_of[begin.arc] == edge_of[end.arc]:
            candidates.append((corridor_within(begin, end, self._net).narrowest, None))
        clearance, edge = max(candidates, key=lambda candidate: candidate[0])
        if clearance == -np.inf:
            return None
        edges = [edge] if edge is not None else [int(edge_of[begin.arc]), int(edge_of[end.arc])]
        arcs = np.array([arc for number in edges for arc in graph.arcs[number]])
        best = arcs[np.argmin(np.abs(graph.narrowest[arcs] - clearance))]
        return clearance, graph.waist[best]

    def _within(self, begin: Anchor, end: Anchor, needed: float) -> list[Corridor]:
        """The corridor between two anchors on the same edge, if it is wide enough."""
        edge_of = self._net.graph.edge_of
        if edge_of[begin.arc] != edge_of[end.arc]:
            return []
        corridor = corridor_within(begin, end, self._net)
        return [corridor] if corridor.narrowest >= needed else []

    def _pulled_tight(self, begin: Anchor, end: Anchor, corridor: Corridor, radius: float) -> Float64:
        """The shortest line through a corridor; begun and ended outside the polygons round corners."""
        key = key_of(begin, end, corridor, radius, self._net)
        known = self._lines.get(key)
        if known is None:
            known = self._pull_tight(begin, end, corridor, radius)
            self._lines.keep(key, known)
        return known

    def _pull_tight(self, begin: Anchor, end: Anchor, corridor: Corridor, radius: float) -> Float64:
        sites = self._net.sites
        sides = sides_for(corridor.narrowest, radius)
        own = [
            _pushed_out(anchor, site, sites, radius, sides)
            for anchor, site in ((begin, self._own_site(begin)), (end, self._own_site(end)))
        ]
        line = shortest_line(own[0], own[1], portals_of(corridor, sites, radius=radius))
        extra = [place[None] for place, pushed in ((begin.place, own[0]),) if np.any(place != pushed)]
        extra += [line]
        extra += [place[None] for place, pushed in ((end.place, own[1]),) if np.any(place != pushed)]
        return np.concatenate(extra)

    def _own_site(self, anchor: Anchor) -> int:
        """The site that a place's spoke comes from."""
        left, right = int(self._net.axis.left[anchor.arc]), int(self._net.axis.right[anchor.arc])
        feet = self._net.sites.feet(np.stack((anchor.place, anchor.place)), np.array([left, right]))
        apart = np.hypot(*(feet - anchor.place).T)
        return left if apart[0] <= apart[1] else right


def _cost(weighed: tuple[float, Float64]) -> float:
    return weighed[0]


def _opened(spot: Spot, needed: float) -> Spot:
    """A spot for all who pass the same of its doors as a body that needs this clearance."""
    a, b = (Door(door.node, np.inf if door.clearance >= needed else -np.inf) for door in spot.doors)
    return Spot(spot.place, (a, b))


class _Shared:
    """Walks that are searched when the first of many asks for them, and then are there for all."""

    def __init__(self, source: Iterator[Walk]) -> None:
        self._source = source
        self._found: list[Walk] = []

    def __iter__(self) -> Iterator[Walk]:
        yield from self._found
        for walk in self._source:
            self._found.append(walk)
            yield walk


def _pushed_out(anchor: Anchor, site: int, sites: Sites, radius: float, sides: int) -> Float64:
    """A place that lies between the circle round a corner and the polygon round that circle, moved on to the latter."""
    if site < sites.segments:
        return anchor.place
    apart = anchor.place - sites.start[site]
    distance = float(np.hypot(*apart))
    margin = float(polygon_radius(apart[None], radius, sides)[0])
    if distance >= margin:
        return anchor.place
    return sites.start[site] + apart * (min(margin, anchor.room) / distance)
