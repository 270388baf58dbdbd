# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches over corridor edges: short ways that are wide enough, and the widest way.

    EdgeLists(axis_graph)
        .update(renewed)                                 after a change of the graph
        .shortest(begin, end, needed, burden) -> Found
        .widest(begins, ends) -> clearance, edge

Lengths are not measured along the medial axis, which wanders from the middle of one crossing to that of the next.
Every edge has a gate across its narrowest place, and a way is as long as the line from gate to gate, crossing each
where it is nearest to where one is bound. That finds the right side of an obstacle far more often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import hypot, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .anchors import AxisGraph
from .corridor_graph import Renewed

Float64 = NDArray[np.float64]
Point = tuple[float, float]
Exit = tuple[int, float, float, float, float, float, float]
"""A step that leaves a node: its number, then where its edge's gate begins, how it runs, how wide it is, and the edge's
least clearance."""

EAGER = 1.1
"""How much more what is left counts than what is behind: fewer places are looked at, for ways hardly longer."""


class Door(NamedTuple):
    """One of the two ways from a place on a corridor edge to the edge's nodes.

    Attributes:
        node: where it leads.
        clearance: the least on the way there [m].
    """

    node: int
    clearance: float


class Spot(NamedTuple):
    """A start or a goal: its place [m from the grid's origin], and its two doors."""

    place: Point
    doors: tuple[Door, Door]

    def door_to(self, node: int, needed: float) -> int:
        """Return which of the doors, 0 or 1, leads to a node and is wide enough."""
        return next(k for k, door in enumerate(self.doors) if door.node == node and door.clearance >= needed)


class GraphWalk(NamedTuple):
    """Corridor edges to walk along.

    Attributes:
        first: the node where the walk begins.
        steps: 2 k to walk edge k from its first node to its second, 2 k + 1 for the other way.
        last: the node where it ends.
    """

    first: int
    steps: tuple[int, ...]
    last: int


class Found(NamedTuple):
    """What a search has found, and where it has looked for that.

    Attributes:
        walk: None where there is none.
        nodes: those whose edges it has looked at.
    """

    walk: GraphWalk | None
    nodes: set[int]


class EdgeLists:
    """Corridor edges as lists, which Python searches faster than arrays."""

    def __init__(self, axis_graph: AxisGraph) -> None:
        """Prepare.

        Args:
            axis_graph: the map.
        """
        self._axis_graph = axis_graph
        self.narrowest: dict[int, float] = {}
        self.heads: dict[int, int] = {}
        self.leaving: dict[int, list[Exit]] = {}
        self._add(list(axis_graph.graph.arcs))

    def update(self, renewed: Renewed | None) -> set[int] | None:
        """Follow a change of the graph.

        Args:
            renewed: the edges that went and came, None for all.

        Returns:
            The nodes at which edges went or came, None where that may be all.
        """
        if renewed is None:
            self.__init__(self._axis_graph)
            return None
        dead = set(renewed.dead)
        nodes = {self.heads[step] for edge in dead for step in (2 * edge, 2 * edge + 1)}
        for node in nodes:
            self.leaving[node] = [exits for exits in self.leaving[node] if exits[0] >> 1 not in dead]
        for edge in dead:
            del self.narrowest[edge], self.heads[2 * edge], self.heads[2 * edge + 1]
        self._add(renewed.born)
        return nodes.union(*(self._axis_graph.graph.ends[edge] for edge in renewed.born))

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
            if degree[a] > 1 and degree[b] > 1:  # corners lead nowhere
                from_a.append((2 * edge, *gate))
                from_b.append((2 * edge + 1, *gate))

    def shortest(self, begin: Spot, end: Spot, needed: float, burden: Mapping[int, float]) -> Found:
        """Find a short way that is wide enough (A*).

        Args:
            begin: where from.
            end: where to.
            needed: clearance [m].
            burden: for some edges, how many times as long as they are they count.
        """
        search = _Search(self, end, needed, burden)
        leaves = sorted({door.node for door in begin.doors if door.clearance >= needed})
        search.run(begin.place, leaves)
        steps = search.steps_back()
        if steps is None:
            walk = None
        elif not steps:
            node = next(node for node in leaves if node in search.arrivals)
            walk = GraphWalk(node, (), node)
        else:
            walk = GraphWalk(self.heads[steps[-1] ^ 1], tuple(steps[::-1]), self.heads[steps[0]])
        return Found(walk, search.looked_from().union(leaves))

    def widest(self, begins: Sequence[Door], ends: Sequence[Door]) -> tuple[float, int | None]:
        """Find the way whose narrowest place is widest.

        Args:
            begins: doors of the start.
            ends: doors of the goal.

        Returns:
            The clearance of its narrowest place [m], minus infinity where there is no way at all; and the edge where
            that is, None where it is between the start or the goal and its door.
        """
        room: dict[int, float] = {}
        waist: dict[int, int] = {}
        queue = [(-door.clearance, door.node, -1) for door in begins]
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
        for door in ends:
            width = min(room.get(door.node, -inf), door.clearance)
            if width > best:
                best, place = width, waist[door.node] if door.clearance > room[door.node] else -1
        return best, place if place >= 0 else None


_ARRIVED, _SET_OUT = -1, -2  # in the place of a step: the goal, and the start


class _Search:
    """One A* over steps: what is known of each, and the queue."""

    def __init__(self, roads: EdgeLists, end: Spot, needed: float, burden: Mapping[int, float]) -> None:
        self.arrivals = {door.node for door in end.doors if door.clearance >= needed}
        self._roads = roads
        self._goal = end.place
        self._needed = needed
        self._burden = burden
        # Of each step: the length so far, where its gate is crossed, and the step before.
        self._known: dict[int, tuple[float, Point, int]] = {}
        self._queue: list[tuple[float, int]] = []
        self._done: dict[int, None] = {}

    def run(self, place: Point, leaves: Sequence[int]) -> None:
        """Set out from a place by some nodes, and go on until the goal is the nearest of all that is left.

        A gate is crossed where the straight line to the goal crosses it or would come nearest, or, if it does not lie
        ahead, at the place that is nearest. This is the loop in which a search spends its time.
        """
        heads, leaving = self._roads.heads, self._roads.leaving
        queue, done, known = self._queue, self._done, self._known
        needed, burden, (gx, gy) = self._needed, self._burden, self._goal
        first = [(node, _SET_OUT) for node in reversed(leaves)]
        (x, y), cost = place, 0.0
        while first or queue:
            if first:
                node, before = first.pop()
            else:
                _, before = heappop(queue)
                if before == _ARRIVED:
                    return
                if before in done:
                    continue
                done[before] = None
                cost, (x, y), _ = known[before]
                node = heads[before]
            if node in self.arrivals:
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
                total = hypot(cx - x, cy - y)
                total = cost + (total * burden.get(step >> 1, 1.0) if burden else total)
                if step not in known or total < known[step][0]:
                    known[step] = (total, (cx, cy), before)
                    heappush(queue, (total + EAGER * hypot(cx - gx, cy - gy), step))

    def looked_from(self) -> set[int]:
        """The nodes whose edges it has looked at, but for those where it began."""
        return set(map(self._roads.heads.__getitem__, self._done))

    def _arrive(self, place: Point, cost: float, step: int) -> None:
        """GraphWalk to the goal from a node from which that is possible."""
        total = cost + hypot(place[0] - self._goal[0], place[1] - self._goal[1])
        if _ARRIVED not in self._known or total < self._known[_ARRIVED][0]:
            self._known[_ARRIVED] = (total, self._goal, step)
            heappush(self._queue, (total, _ARRIVED))

    def steps_back(self) -> list[int] | None:
        """The steps from the goal back to the start; None when it was not reached."""
        if _ARRIVED not in self._known:
            return None
        steps = []
        step = self._known[_ARRIVED][2]
        while step != _SET_OUT:
            steps.append(step)
            step = self._known[step][2]
        return steps
