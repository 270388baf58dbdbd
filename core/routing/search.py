# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches over corridor edges: short ways that are wide enough, and the widest way.

    Roads(graph, sites)
        .shortest(begin, end, needed, burden) -> Walk or None
        .widest(begins, ends) -> clearance, edge

Lengths are not measured along the medial axis, which wanders from the middle of one crossing to that of the next.
Every edge has a gate across its narrowest place, and a way is as long as the line from gate to gate, crossing each
where it is nearest to where one is bound. That finds the right side of an obstacle far more often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import hypot, inf

import numpy as np
from numpy.typing import NDArray

from .corridor_graph import CorridorGraph
from .medial_axis import Sites

Float64 = NDArray[np.float64]
Point = tuple[float, float]
Gate = tuple[float, float, float, float, float]


@dataclass(frozen=True)
class Door:
    """One of the two ways from a place on a corridor edge to the edge's nodes.

    Attributes:
        node: where it leads.
        clearance: the least on the way there [m].
    """

    node: int
    clearance: float


@dataclass(frozen=True)
class Spot:
    """A start or a goal: its place [m from the grid's origin], and its two doors."""

    place: Point
    doors: tuple[Door, Door]

    def door_to(self, node: int, needed: float) -> int:
        """Return which of the doors, 0 or 1, leads to a node and is wide enough."""
        return next(k for k, door in enumerate(self.doors) if door.node == node and door.clearance >= needed)


@dataclass(frozen=True)
class Walk:
    """Corridor edges to walk along.

    Attributes:
        first: the node where the walk begins.
        steps: 2 k to walk edge k from its first node to its second, 2 k + 1 for the other way.
        last: the node where it ends.
    """

    first: int
    steps: tuple[int, ...]
    last: int


class Roads:
    """Corridor edges as lists, which Python searches faster than arrays."""

    def __init__(self, graph: CorridorGraph, sites: Sites) -> None:
        """Prepare.

        Args:
            graph: to search.
            sites: between which its arcs lie.
        """
        waist = _narrowest_arcs(graph)
        narrowest = graph.narrowest[waist]
        left, right = (sites.feet(graph.waist[waist], side[waist]) for side in (graph.left, graph.right))
        width = np.hypot(*(right - left).T)
        self.narrowest: list[float] = narrowest.tolist()
        self.gates: list[Gate] = list(map(tuple, np.column_stack((left, right - left, width)).tolist()))
        self.ends: list[list[int]] = graph.edges.tolist()
        self.leaving: list[list[int]] = [[] for _ in range(len(graph.nodes))]
        degree = np.bincount(graph.edges.ravel(), minlength=len(graph.nodes))
        for edge in np.flatnonzero(np.all(degree[graph.edges] > 1, axis=1)).tolist():  # corners lead nowhere
            a, b = self.ends[edge]
            self.leaving[a].append(2 * edge)
            self.leaving[b].append(2 * edge + 1)

    def head(self, step: int) -> int:
        """Return the node to which a step leads."""
        return self.ends[step >> 1][1 - (step & 1)]

    def tail(self, step: int) -> int:
        """Return the node where a step begins."""
        return self.ends[step >> 1][step & 1]

    def shortest(self, begin: Spot, end: Spot, needed: float, burden: Mapping[int, float]) -> Walk | None:
        """Find a short way that is wide enough (A*).

        Args:
            begin: where from.
            end: where to.
            needed: clearance [m].
            burden: for some edges, how many times as long as they are they count.

        Returns:
            The walk, or None when there is none.
        """
        search = _Search(self, end, needed, burden)
        leaves = sorted({door.node for door in begin.doors if door.clearance >= needed})
        for node in leaves:
            search.arrive(node, begin.place, 0.0, _SET_OUT)
        for node in leaves:
            search.reach(node, begin.place, 0.0, _SET_OUT)
        search.run()
        steps = search.steps_back()
        if steps is None:
            return None
        if not steps:
            node = next(node for node in leaves if node in search.arrivals)
            return Walk(node, (), node)
        return Walk(self.tail(steps[-1]), tuple(steps[::-1]), self.head(steps[0]))

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
            for step in self.leaving[node]:
                clearance, other = self.narrowest[step >> 1], self.head(step)
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

    def __init__(self, roads: Roads, end: Spot, needed: float, burden: Mapping[int, float]) -> None:
        self.arrivals = {door.node for door in end.doors if door.clearance >= needed}
        self._roads = roads
        self._goal = end.place
        self._needed = needed
        self._burden = burden
        self._cost: dict[int, float] = {}
        self._crossing: dict[int, Point] = {}
        self._before: dict[int, int] = {}
        self._done: set[int] = set()
        self._queue: list[tuple[float, int]] = []

    def run(self) -> None:
        """Go on until the goal is the nearest of all that is left."""
        roads, queue, done = self._roads, self._queue, self._done
        while queue:
            step = heappop(queue)[1]
            if step == _ARRIVED:
                return
            if step not in done:
                done.add(step)
                node, place, cost = roads.head(step), self._crossing[step], self._cost[step]
                self.arrive(node, place, cost, step)
                self.reach(node, place, cost, step)

    def arrive(self, node: int, place: Point, cost: float, step: int) -> None:
        """Walk to the goal from a node from which that is possible."""
        if node in self.arrivals:
            total = cost + hypot(place[0] - self._goal[0], place[1] - self._goal[1])
            if total < self._cost.get(_ARRIVED, inf):
                self._cost[_ARRIVED], self._before[_ARRIVED] = total, step
                heappush(self._queue, (total, _ARRIVED))

    def reach(self, node: int, place: Point, cost: float, before: int) -> None:
        """Queue the steps that lead on from a node."""
        x, y = place
        gx, gy = goal = self._goal
        narrowest, gates = self._roads.narrowest, self._roads.gates
        for step in self._roads.leaving[node]:
            edge = step >> 1
            if step == before ^ 1 or step in self._done or narrowest[edge] < self._needed:
                continue
            there = cx, cy = _crossing(gates[edge], x, y, goal, self._needed)
            total = cost + hypot(cx - x, cy - y) * self._burden.get(edge, 1.0)
            if total < self._cost.get(step, inf):
                self._cost[step], self._crossing[step], self._before[step] = total, there, before
                heappush(self._queue, (total + hypot(cx - gx, cy - gy), step))

    def steps_back(self) -> list[int] | None:
        """The steps from the goal back to the start; None when it was not reached."""
        if _ARRIVED not in self._before:
            return None
        steps = []
        step = self._before[_ARRIVED]
        while step != _SET_OUT:
            steps.append(step)
            step = self._before[step]
        return steps


def _narrowest_arcs(graph: CorridorGraph) -> NDArray[np.int64]:
    """The arc of each edge where it is narrowest."""
    order = np.lexsort((graph.narrowest, graph.edge_of))
    return order[graph.first[:-1]]


def _crossing(gate: Gate, x: float, y: float, goal: Point, margin: float) -> Point:
    """Where one who is bound for the goal crosses a gate: straight on as far as that is possible."""
    ax, ay, dx, dy, width = gate
    ex, ey = goal[0] - x, goal[1] - y
    slope = dx * ey - dy * ex
    if slope == 0.0 or ((x - ax) * dy - (y - ay) * dx) / slope < 0.0:  # the gate is not ahead
        return _nearest(gate, x, y, margin)
    share = ((x - ax) * ey - (y - ay) * ex) / slope
    least = margin / width
    share = min(max(share, least), 1.0 - least)
    return ax + share * dx, ay + share * dy


def _nearest(gate: Gate, x: float, y: float, margin: float) -> Point:
    """The place of a gate that is nearest."""
    ax, ay, dx, dy, width = gate
    share = ((x - ax) * dx + (y - ay) * dy) / (width * width)
    least = margin / width
    share = min(max(share, least), 1.0 - least)
    return ax + share * dx, ay + share * dy
