# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches over corridor edges: the shortest way that is wide enough, all ways to one goal, and the widest way.

    Roads(graph, axis)
        .shortest(begins, ends, goal, needed) -> edges walked
        .tree(ends, needed) -> Tree                                 one search for all who go to the same goal
        .widest(begins, ends) -> clearance, edge

A begin or an end is (node, length between it and the place [m], least clearance between them [m]).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import hypot, inf

import numpy as np
from numpy.typing import NDArray

from .corridor_graph import CorridorGraph
from .medial_axis import Axis

Float64 = NDArray[np.float64]
Door = tuple[int, float, float]
Walk = list[tuple[int, bool]]
"""Corridor edges in the order in which they are walked, and whether from their first node to their second."""


@dataclass(frozen=True)
class Tree:
    """Ways from every node to one goal.

    Attributes:
        cost: from each node to the goal [m]; infinite where none is wide enough.
        step: the next edge and its direction on the way to the goal; None at the goal's own doors and where cut off.
    """

    cost: list[float]
    step: list[tuple[int, bool] | None]


class Roads:
    """Corridor edges as lists, which Python searches faster than arrays."""

    def __init__(self, graph: CorridorGraph, axis: Axis) -> None:
        """Prepare.

        Args:
            graph: to search.
            axis: where its vertices lie.
        """
        first = graph.first[:-1]
        self.length = np.add.reduceat(graph.length, first).tolist()
        self.narrowest = np.minimum.reduceat(graph.narrowest, first).tolist()
        self.ends: list[list[int]] = graph.edges.tolist()
        self.place: list[list[float]] = axis.vertices[graph.nodes].tolist()
        self.leaving: list[list[tuple[int, int, bool, float, float]]] = [[] for _ in self.place]
        for edge, (a, b) in enumerate(self.ends):
            self.leaving[a].append((edge, b, True, self.length[edge], self.narrowest[edge]))
            self.leaving[b].append((edge, a, False, self.length[edge], self.narrowest[edge]))

    def shortest(
        self,
        begins: Sequence[Door],
        ends: Sequence[Door],
        goal: tuple[float, float],
        needed: float,
        *,
        burden: Mapping[int, float] | None = None,
    ) -> tuple[int, Walk, int] | None:
        """Find the shortest way along the medial axis that is wide enough (A*).

        Args:
            begins: doors of the start.
            ends: doors of the goal.
            goal: place of the goal, for the estimate of what is left.
            needed: clearance [m].
            burden: for some edges, how many times as long as they are they count.

        Returns:
            The node where the walk begins, the edges walked, the node where it ends; None when there is no way.
        """
        burden = burden or {}
        rest = {node: length for node, length, clearance in ends if clearance >= needed}
        gx, gy = goal
        cost: dict[int, float] = {}
        came: dict[int, tuple[int, bool, int]] = {}
        queue: list[tuple[float, int]] = []
        for node, length, clearance in begins:
            if clearance >= needed and length < cost.get(node, inf):
                cost[node] = length
                x, y = self.place[node]
                heappush(queue, (length + hypot(x - gx, y - gy), node))
        best, arrival, done = inf, -1, set()
        while queue and queue[0][0] < best:
            node = heappop(queue)[1]
            if node in done:
                continue
            done.add(node)
            here = cost[node]
            if node in rest and here + rest[node] < best:
                best, arrival = here + rest[node], node
            for edge, other, forward, length, clearance in self.leaving[node]:
                if clearance < needed or other in done:
                    continue
                there = here + length * burden.get(edge, 1.0)
                if there < cost.get(other, inf):
                    cost[other] = there
                    came[other] = (edge, forward, node)
                    x, y = self.place[other]
                    heappush(queue, (there + hypot(x - gx, y - gy), other))
        if arrival < 0:
            return None
        walk: Walk = []
        node = arrival
        while node in came:
            edge, forward, node = came[node]
            walk.append((edge, forward))
        return node, walk[::-1], arrival

    def tree(self, ends: Sequence[Door], needed: float) -> Tree:
        """Find the shortest ways from everywhere to one goal (Dijkstra).

        Args:
            ends: doors of the goal.
            needed: clearance [m].

        Returns:
            All ways.
        """
        cost = [inf] * len(self.place)
        step: list[tuple[int, bool] | None] = [None] * len(self.place)
        queue: list[tuple[float, int]] = []
        for node, length, clearance in ends:
            if clearance >= needed and length < cost[node]:
                cost[node] = length
                heappush(queue, (length, node))
        while queue:
            here, node = heappop(queue)
            if here > cost[node]:
                continue
            for edge, other, forward, length, clearance in self.leaving[node]:
                if clearance >= needed and here + length < cost[other]:
                    cost[other] = here + length
                    step[other] = (edge, not forward)
                    heappush(queue, (here + length, other))
        return Tree(cost, step)

    def walk_down(self, tree: Tree, node: int) -> tuple[Walk, int]:
        """Follow a tree from a node to its goal: the edges walked, and the node of the goal's door."""
        walk: Walk = []
        following = tree.step[node]
        while following is not None:
            edge, forward = following
            walk.append((edge, forward))
            node = self.ends[edge][1 if forward else 0]
            following = tree.step[node]
        return walk, node

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
        waist: dict[int, int | None] = {}
        queue: list[tuple[float, int, int | None]] = [(-clearance, node, None) for node, _, clearance in begins]
        queue.sort()
        while queue:
            width, node, edge = heappop(queue)
            if node in room:
                continue
            room[node], waist[node] = -width, edge
            for way, other, _, _, clearance in self.leaving[node]:
                if other not in room:
                    narrower = clearance < -width
                    heappush(queue, (-min(clearance, -width), other, way if narrower else edge))
        best, place = -inf, None
        for node, _, clearance in ends:
            width = min(room.get(node, -inf), clearance)
            if width > best:
                best, place = width, waist[node] if clearance > room[node] else None
        return best, place
