# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches over corridor edges: short routes that are wide enough, and the widest route.

Lengths are not measured along the medial axis, which wanders from the middle of one crossing to that of the next.
Every edge has a gate across its narrowest place, and a route is measured along the line from gate to gate, crossing
each where it is nearest to the goal. That finds the right side of an obstacle far more often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from ...compiled import twins
from .anchors import AxisGraph
from .corridor_graph import EdgeChange

Point = tuple[float, float]
Exit = tuple[int, float, float, float, float, float, float]
"""A step that leaves a node: its number; start, direction and width of its edge's narrowest gate; least clearance."""


@dataclass(frozen=True)
class GraphSearchSettings:
    """How the graph is searched.

    Attributes:
        heuristic_weight: factor on the remaining distance (weighted A*, Pohl 1970); chosen by trial: fewer nodes are
            expanded, for routes that are hardly longer.
    """

    heuristic_weight: float = 1.1


_SETTINGS = GraphSearchSettings()

_SEARCHES_BEFORE_ARRAYS = 200
"""So many searches on the same map take longer than to make the arrays that its compiled twin needs."""


class NodeLink(NamedTuple):
    """Connection of a point on a corridor edge to one of the edge's nodes.

    Attributes:
        node: its number.
        clearance: least clearance up to there [m].
    """

    node: int
    clearance: float


class GraphEntry(NamedTuple):
    """A start or a goal: its position [m from the grid's origin], and its links to the two nodes of its edge."""

    place: Point
    links: tuple[NodeLink, NodeLink]

    def link_to(self, node: int, needed: float) -> int:
        """Return which of the links, 0 or 1, leads to a node and is wide enough."""
        return next(k for k, link in enumerate(self.links) if link.node == node and link.clearance >= needed)


class GraphWalk(NamedTuple):
    """Corridor edges to walk along.

    Attributes:
        first: the node where the walk begins.
        steps: 2 k to walk edge k from its first node to its second, 2 k + 1 for the reverse.
        last: the node where it ends.
    """

    first: int
    steps: tuple[int, ...]
    last: int


class GraphSearch(NamedTuple):
    """What is searched.

    Attributes:
        begin: where from.
        end: where to.
        needed: clearance [m].
        raised: of a few edges, factors on their lengths instead of those of all searches.
    """

    begin: GraphEntry
    end: GraphEntry
    needed: float
    raised: Mapping[int, float]


class Found(NamedTuple):
    """The result of a search, and the nodes that it depends on.

    Attributes:
        walk: None where there is none.
        nodes: those that were expanded; one may be named more than once.
    """

    walk: GraphWalk | None
    nodes: list[int]


class EdgeLists:
    """Corridor edges as lists, which are faster in Python's loops than arrays."""

    def __init__(self, axis_graph: AxisGraph) -> None:
        """Prepare.

        Args:
            axis_graph: the map.
        """
        self._axis_graph = axis_graph
        self.narrowest: dict[int, float] = {}
        self.heads: dict[int, int] = {}
        self.leaving: dict[int, list[Exit]] = {}
        self._searches, self._arrays = 0, None
        self._add(list(axis_graph.graph.arcs))

    def update(self, edge_change: EdgeChange | None) -> set[int] | None:
        """Follow a change of the graph.

        Args:
            edge_change: removed and added edges, None for all.

        Returns:
            The nodes whose edges changed, None for possibly all.
        """
        if edge_change is None:
            self.__init__(self._axis_graph)
            return None
        self._searches, self._arrays = 0, None
        removed = set(edge_change.removed)
        nodes = {self.heads[step] for edge in removed for step in (2 * edge, 2 * edge + 1)}
        for node in nodes:
            self.leaving[node] = [exits for exits in self.leaving[node] if exits[0] >> 1 not in removed]
        for edge in removed:
            del self.narrowest[edge], self.heads[2 * edge], self.heads[2 * edge + 1]
        self._add(edge_change.added)
        return nodes.union(*(self._axis_graph.graph.ends[edge] for edge in edge_change.added))

    def _add(self, edges: list[int]) -> None:
        graph, axis, sites = self._axis_graph.graph, self._axis_graph.axis, self._axis_graph.sites
        counts = [len(graph.arcs[edge]) for edge in edges]
        arcs = np.array([arc for edge in edges for arc in graph.arcs[edge]], dtype=np.int64)
        order = np.lexsort((graph.narrowest[arcs], np.repeat(np.arange(len(edges)), counts)))
        waist = arcs[order[np.cumsum([0, *counts[:-1]])]] if edges else arcs
        narrowest = graph.narrowest[waist]
        left, right = (sites.feet(graph.waist[waist], side[waist]) for side in (axis.left, axis.right))
        run = right - left
        width = np.sqrt(run[:, 0] ** 2 + run[:, 1] ** 2)
        gates = np.column_stack((left, run, width, narrowest)).tolist()
        degree, leaving, heads = self._axis_graph.degree, self.leaving, self.heads
        for edge, gate in zip(edges, gates, strict=True):
            a, b = graph.ends[edge]
            self.narrowest[edge] = gate[-1]
            heads[2 * edge], heads[2 * edge + 1] = b, a
            from_a, from_b = leaving.setdefault(a, []), leaving.setdefault(b, [])
            if degree[a] > 1 and degree[b] > 1:  # dead ends in corners
                from_a.append((2 * edge, *gate))
                from_b.append((2 * edge + 1, *gate))

    def shortest(self, searches: Sequence[GraphSearch], edge_factors: Mapping[int, float]) -> list[Found]:
        """Find short routes that are wide enough (weighted A*, Pohl 1970).

        Args:
            searches: of each where from, where to, and whatever else is its own.
            edge_factors: of some edges, factors on their lengths; the same object for many searches.
        """
        leaves = [_wide_enough(each.begin.links, each.needed) for each in searches]
        arrivals = [_wide_enough(each.end.links, each.needed) for each in searches]
        self._searches += len(searches)
        kernels = twins.twin(twins.ROUTES)
        if kernels is not None and self._searches > _SEARCHES_BEFORE_ARRAYS:
            if self._arrays is None:
                self._arrays = _EdgeArrays(kernels, self)
            walked = self._arrays.shortest(searches, leaves, arrivals, edge_factors)
        else:
            walked = [self._shortest(*each, edge_factors) for each in zip(searches, leaves, arrivals, strict=True)]
        return [self._found(*each) for each in zip(walked, leaves, arrivals, strict=True)]

    def _shortest(
        self, search: GraphSearch, leaves: list[int], arrivals: list[int], edge_factors: Mapping[int, float]
    ) -> tuple[list[int] | None, list[int]]:
        factors = {**edge_factors, **search.raised} if search.raised else edge_factors
        state = _SearchState(self, search.end.place, set(arrivals), search.needed, factors)
        state.run(search.begin.place, leaves)
        return state.steps_back(), state.expanded_nodes()

    def _found(self, walked: tuple[list[int] | None, list[int]], leaves: list[int], arrivals: list[int]) -> Found:
        """The result of a search, of its steps from the goal back and the nodes that were expanded."""
        steps, nodes = walked
        if steps is None:
            walk = None
        elif not steps:
            node = next(node for node in leaves if node in arrivals)
            walk = GraphWalk(node, (), node)
        else:
            walk = GraphWalk(self.heads[steps[-1] ^ 1], tuple(steps[::-1]), self.heads[steps[0]])
        return Found(walk, nodes + leaves)

    def widest(self, begins: Sequence[NodeLink], ends: Sequence[NodeLink]) -> tuple[float, int | None]:
        """Find the route with the largest least clearance.

        Args:
            begins: links of the start.
            ends: links of the goal.

        Returns:
            Its least clearance [m], minus infinity if there is no route; and the edge where that is, None if it is
            between the start or the goal and its node.
        """
        room: dict[int, float] = {}
        waist: dict[int, int] = {}
        queue = [(-link.clearance, link.node, -1) for link in begins]
        heapify(queue)
        while queue:
            width, node, edge = heappop(queue)
            if node in room:
                continue
            room[node], waist[node] = -width, edge
            for step, *_, clearance in self.leaving[node]:
                other = self.heads[step]
                if other not in room:
                    heappush(queue, (-min(clearance, -width), other, step >> 1 if clearance < -width else edge))
        best, place = -inf, -1
        for link in ends:
            width = min(room.get(link.node, -inf), link.clearance)
            if width > best:
                best, place = width, waist[link.node] if link.clearance > room[link.node] else -1
        return best, place if place >= 0 else None


def _wide_enough(links: tuple[NodeLink, NodeLink], needed: float) -> list[int]:
    """The nodes that links lead to which are wide enough, ascending."""
    (a, room_a), (b, room_b) = links
    if room_a >= needed and room_b >= needed and a != b:
        return [a, b] if a < b else [b, a]
    return [a] if room_a >= needed else [b] if room_b >= needed else []


class _EdgeArrays:
    """Corridor edges as arrays, for the compiled twin of the search."""

    def __init__(self, kernels: Any, edge_lists: EdgeLists) -> None:
        self._kernels = kernels
        heads, leaving = edge_lists.heads, edge_lists.leaving
        head = np.zeros(2 * (max(heads, default=0) // 2 + 1), dtype=np.int64)
        head[np.array(list(heads), dtype=np.int64)] = list(heads.values())
        first = np.zeros(max(leaving, default=0) + 2, dtype=np.int64)
        first[np.array(list(leaving), dtype=np.int64) + 1] = [len(exits) for exits in leaving.values()]
        listed = np.array([each for node in sorted(leaving) for each in leaving[node]], dtype=np.float64).reshape(-1, 7)
        steps = np.ascontiguousarray(listed[:, 0], dtype=np.int64)
        self._roads = kernels.EdgeArrays(head, np.cumsum(first), steps, np.ascontiguousarray(listed[:, 1:]))

    def shortest(
        self,
        searches: Sequence[GraphSearch],
        leaves: list[list[int]],
        arrivals: list[list[int]],
        edge_factors: Mapping[int, float],
    ) -> list[tuple[list[int] | None, list[int]]]:
        """Return of each the steps from the goal back to the start, None without a route; and the expanded nodes."""
        factors = np.ones(len(self._roads.heads) // 2)
        factors[np.array(list(edge_factors), dtype=np.int64)] = list(edge_factors.values())
        both = zip(leaves, arrivals, strict=True)
        return self._kernels.search(
            self._roads,
            self._kernels.Searches(
                ends=np.array([(*(*some, -1, -1)[:2], *(*others, -1, -1)[:2]) for some, others in both]),
                numbers=np.array([(*each.begin.place, *each.end.place, each.needed) for each in searches]),
                first=np.cumsum([0, *(len(each.raised) for each in searches)]),
                edges=np.array([edge for each in searches for edge in each.raised], dtype=np.int64),
                own_factors=np.array(
                    [factor for each in searches for factor in each.raised.values()], dtype=np.float64
                ),
                factors=factors,
                weight=_SETTINGS.heuristic_weight,
            ),
        )


_GOAL, _START = -1, -2  # instead of a step


class _SearchState:
    """State of one A* search over steps."""

    def __init__(
        self,
        edge_lists: EdgeLists,
        goal: Point,
        arrivals: Set[int],
        needed: float,
        edge_factors: Mapping[int, float],
    ) -> None:
        self._arrivals = arrivals
        self._edge_lists = edge_lists
        self._goal = goal
        self._needed = needed
        self._edge_factors = edge_factors
        # of each step: cost so far, crossing point of its gate, previous step
        self._known: dict[int, tuple[float, Point, int]] = {}
        self._queue: list[tuple[float, int]] = []
        self._done: dict[int, None] = {}

    def run(self, place: Point, leaves: Sequence[int]) -> None:
        """Search from a start by some nodes until the goal has the least cost in the queue.

        A gate is crossed where the straight line to the goal crosses it or comes nearest or, if it is not ahead, at its
        nearest point. This is the inner loop of a search.
        """
        heads, leaving = self._edge_lists.heads, self._edge_lists.leaving
        queue, done, known = self._queue, self._done, self._known
        needed, edge_factors, (gx, gy) = self._needed, self._edge_factors, self._goal
        first = [(node, _START) for node in reversed(leaves)]
        (x, y), cost, heuristic_weight = place, 0.0, _SETTINGS.heuristic_weight
        while first or queue:
            if first:
                node, before = first.pop()
            else:
                _, before = heappop(queue)
                if before == _GOAL:
                    return
                if before in done:
                    continue
                done[before] = None
                cost, (x, y), _ = known[before]
                node = heads[before]
            if node in self._arrivals:
                self._arrive((x, y), cost, before)
            ex, ey, back = gx - x, gy - y, before ^ 1
            for step, ax, ay, dx, dy, width, clearance in leaving[node]:
                if clearance < needed or step == back or step in done:
                    continue
                px, py = x - ax, y - ay
                slope = dx * ey - dy * ex
                ahead = (px * dy - py * dx) * slope > 0.0
                share = (px * ey - py * ex) / slope if ahead else (px * dx + py * dy) / (width * width)
                least = needed / width
                share = least if share < least else 1.0 - least if share > 1.0 - least else share  # noqa: FURB136 - twice as fast
                cx, cy = ax + share * dx, ay + share * dy
                total = sqrt((cx - x) * (cx - x) + (cy - y) * (cy - y))
                total = cost + (total * edge_factors.get(step >> 1, 1.0) if edge_factors else total)
                if step not in known or total < known[step][0]:
                    known[step] = (total, (cx, cy), before)
                    remains = sqrt((cx - gx) * (cx - gx) + (cy - gy) * (cy - gy))
                    heappush(queue, (total + heuristic_weight * remains, step))

    def expanded_nodes(self) -> list[int]:
        """The expanded nodes, except those of the start."""
        return list(map(self._edge_lists.heads.__getitem__, self._done))

    def _arrive(self, place: Point, cost: float, step: int) -> None:
        """Reach the goal from a node that it is linked to."""
        x, y = place[0] - self._goal[0], place[1] - self._goal[1]
        total = cost + sqrt(x * x + y * y)
        if _GOAL not in self._known or total < self._known[_GOAL][0]:
            self._known[_GOAL] = (total, self._goal, step)
            heappush(self._queue, (total, _GOAL))

    def steps_back(self) -> list[int] | None:
        """The steps from the goal back to the start; None when it was not reached."""
        if _GOAL not in self._known:
            return None
        steps = []
        step = self._known[_GOAL][2]
        while step != _START:
            steps.append(step)
            step = self._known[step][2]
        return steps
