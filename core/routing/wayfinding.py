# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways between anchors: candidates from the graph, each pulled tight, the shortest taken; and why there is none.

    Wayfinder(net)
        .way(begin, end, radius) -> (P, 2)
        .ways(begins, end, radii) -> list of (P, 2) or None              one search for all
        .widest_gap(begin, end) -> clearance, place
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .corridor import EXCESS, Corridor, polygon_radius, portals_of, shortest_line, sides_for
from .routes import Anchor, Net, corridor_along, corridor_within, doors_of
from .search import Door, Roads, Tree

Float64 = NDArray[np.float64]

ALTERNATIVES = 3
"""Corridors that are pulled tight before the shortest way is taken."""

BURDEN = 1.3
"""How many times as long as they are the edges of a corridor count when another one is looked for."""


class Wayfinder:
    """Finds ways in one map."""

    def __init__(self, net: Net) -> None:
        """Prepare.

        Args:
            net: the map.
        """
        self._net = net

    @cached_property
    def _roads(self) -> Roads:
        return Roads(self._net.graph, self._net.axis)

    def way(self, begin: Anchor, end: Anchor, radius: float) -> Float64 | None:
        """Find a short way.

        Args:
            begin, end: where from and where to.
            radius: of the body [m].

        Returns:
            float64 (P, 2) [m from the grid's origin], or None where no corridor is wide enough.
        """
        needed = radius * EXCESS
        begins, ends = doors_of(begin, self._net), doors_of(end, self._net)
        corridors = self._within(begin, end, needed)
        burden: dict[int, float] = {}
        goal = (float(end.point[0]), float(end.point[1]))
        seen: set[tuple[int, ...]] = set()
        for _ in range(ALTERNATIVES):
            found = self._roads.shortest(begins, ends, goal, needed, burden=burden)
            if found is None:
                break
            first, walk, last = found
            edges = tuple(edge for edge, _ in walk)
            if edges not in seen:
                seen.add(edges)
                nodes = _door_at(begins, first, needed), _door_at(ends, last, needed)
                corridors.append(corridor_along(walk, begin, end, nodes, self._net))
            for edge in edges:
                burden[edge] = burden.get(edge, 1.0) * BURDEN
        lines = [self._pulled_tight(begin, end, corridor, radius) for corridor in corridors]
        return min(lines, key=length_of, default=None)

    def ways(self, begins: Sequence[Anchor], end: Anchor, radii: Float64) -> list[Float64 | None]:
        """Find ways of many to the same goal, with one search for all whom the same corridors are wide enough for.

        Args:
            begins: where from.
            end: where to.
            radii: float64 (N,), of the bodies [m].

        Returns:
            For each float64 (P, 2) [m from the grid's origin], or None where no corridor is wide enough.
        """
        ends = doors_of(end, self._net)
        widths = np.sort([*self._roads.narrowest, *(clearance for _, _, clearance in ends)])
        group = np.searchsorted(widths, radii * EXCESS)  # bodies between the same two widths pass the same edges
        trees = {
            key: self._roads.tree(ends, float(radii[group == key].max()) * EXCESS) for key in np.unique(group).tolist()
        }
        return [
            self._way_down(trees[key], begin, end, ends, float(radius))
            for key, begin, radius in zip(group.tolist(), begins, radii, strict=True)
        ]

    def widest_gap(self, begin: Anchor, end: Anchor) -> tuple[float, Float64] | None:
        """Find the narrowest place of the widest way.

        Args:
            begin, end: where from and where to.

        Returns:
            The clearance there [m] and the place, float64 (2,) [m from the grid's origin]; None without any way.
        """
        candidates = [self._roads.widest(doors_of(begin, self._net), doors_of(end, self._net))]
        graph, edge_of = self._net.graph, self._net.graph.edge_of
        if edge_of[begin.arc] == edge_of[end.arc]:
            candidates.append((corridor_within(begin, end, self._net).narrowest, None))
        clearance, edge = max(candidates, key=lambda candidate: candidate[0])
        if clearance == -np.inf:
            return None
        edges = [edge] if edge is not None else [edge_of[begin.arc], edge_of[end.arc]]
        arcs = np.concatenate([np.arange(graph.first[number], graph.first[number + 1]) for number in edges])
        best = arcs[np.argmin(np.abs(graph.narrowest[arcs] - clearance))]
        return clearance, graph.waist[best]

    def _within(self, begin: Anchor, end: Anchor, needed: float) -> list[Corridor]:
        """The corridor between two anchors on the same edge, if it is wide enough."""
        edge_of = self._net.graph.edge_of
        if edge_of[begin.arc] != edge_of[end.arc]:
            return []
        corridor = corridor_within(begin, end, self._net)
        return [corridor] if corridor.narrowest >= needed else []

    def _way_down(self, tree: Tree, begin: Anchor, end: Anchor, ends: Sequence[Door], radius: float) -> Float64 | None:
        """The shorter of the ways by the two nodes of the edge where one starts."""
        needed = radius * EXCESS
        corridors = self._within(begin, end, needed)
        for leave, (node, _, clearance) in enumerate(doors_of(begin, self._net)):
            if clearance >= needed and tree.cost[node] < np.inf:
                walk, last = self._roads.walk_down(tree, node)
                nodes = leave, _door_at(ends, last, needed)
                corridors.append(corridor_along(walk, begin, end, nodes, self._net))
        lines = [self._pulled_tight(begin, end, corridor, radius) for corridor in corridors]
        return min(lines, key=length_of, default=None)

    def _pulled_tight(self, begin: Anchor, end: Anchor, corridor: Corridor, radius: float) -> Float64:
        """The shortest line through a corridor; begun and ended outside the polygons round corners."""
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
        left, right = int(self._net.graph.left[anchor.arc]), int(self._net.graph.right[anchor.arc])
        feet = self._net.sites.feet(np.stack((anchor.place, anchor.place)), np.array([left, right]))
        apart = np.hypot(*(feet - anchor.place).T)
        return left if apart[0] <= apart[1] else right


def length_of(line: Float64) -> float:
    """Return the length of a line, float64 (P, 2)."""
    return float(np.hypot(*np.diff(line, axis=0).T).sum())


def _door_at(doors: Sequence[Door], node: int, needed: float) -> int:
    """Which of two doors leads to a node: the nearer of those wide enough, should both."""
    fitting = [k for k, (place, _, clearance) in enumerate(doors) if place == node and clearance >= needed]
    return min(fitting, key=lambda k: doors[k][1])


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
