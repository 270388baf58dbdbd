# SPDX-License-Identifier: GPL-3.0-or-later
"""The medial axis as a graph to search: nodes, and corridor edges that are chains of arcs.

A node is a vertex where the number of arcs is not two. The arcs between two nodes are one corridor edge; the vertices
along it are its event points, where the nearest obstacle on the left or on the right changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import arcsinh, length2
from ..medial_axis.axis import Axis, Sites
from ..medial_axis.canonical_order import rounded
from ..medial_axis.partition import EditablePartition


@dataclass(frozen=True, eq=False)
class Flat:
    """All corridor edges in the order of their numbers.

    Attributes:
        numbers: int64 (E,), of the edges, ascending.
        nodes: int64 (N,), the vertices of the axis that are nodes, ascending.
        ends: int64 (E, 2), between which of the nodes each edge runs.
        first: int64 (E + 1,), the arcs of edge k are `arcs[first[k]:first[k + 1]]`.
        arcs: int64 (A,), each runs as its edge does; the head of one is the tail of the next of its edge.
    """

    numbers: Int64
    nodes: Int64
    ends: Int64
    first: Int64
    arcs: Int64

    @property
    def leads_on(self) -> Bool:
        """Which edges are no dead ends in corners, bool (E,)."""
        degree = np.bincount(self.ends.ravel(), minlength=len(self.nodes))
        return np.all(degree[self.ends] > 1, axis=1)


@dataclass(frozen=True)
class EdgeChange:
    """Removed and added edges."""

    removed: list[int]
    added: list[int]


class CorridorGraph:
    """Corridor edges, kept up to date with a partition. Arcs are turned so that they run as their edge does.

    Attributes:
        arcs: for each edge its arcs in order.
        ends: for each edge the vertices between which it runs.
        edge_of: int64 (A,), the edge of each arc of the partition.
        length: float64 (A,), of each arc [m].
        narrowest: float64 (A,), least clearance along each arc [m].
        waist: float64 (A, 2), where that is [m from the grid's origin].
    """

    def __init__(self, partition: EditablePartition) -> None:
        """Make edges of all arcs.

        Args:
            partition: whose arcs they are.
        """
        self._partition = partition
        room = len(partition.axis.tail)
        self.edge_of = np.full(room, -1)
        self.length, self.narrowest, self.waist = np.zeros(room), np.zeros(room), np.zeros((room, 2))
        self.arcs: dict[int, list[int]] = {}
        self.ends: dict[int, tuple[int, int]] = {}
        self._at: dict[int, list[int]] = {}
        self._halves: dict[int, Int64] = {}
        self._next = 0
        self._flat: Flat | None = None
        self._make_all()

    @property
    def flat(self) -> Flat:
        """All edges as arrays, built on demand after a change."""
        if self._flat is None:
            ends = np.array(list(self.ends.values()), dtype=np.int64).reshape(-1, 2)
            nodes, numbers = np.unique(ends, return_inverse=True)
            first = np.cumsum([0, *map(len, self.arcs.values())])
            arcs = np.array([arc for arcs in self.arcs.values() for arc in arcs], dtype=np.int64)
            self._flat = Flat(np.array(list(self.arcs)), nodes, numbers.reshape(-1, 2), first, arcs)
        return self._flat

    def halves(self, step: int) -> Int64:
        """Return the arcs of edge k in walking order, int64; do not change them.

        Args:
            step: 2 k to walk edge k from its first node to its second, 2 k + 1 for the reverse.

        Returns:
            2 a to walk arc a from its tail to its head, 2 a + 1 for the reverse.
        """
        halves = self._halves.get(step)
        if halves is None:
            halves = 2 * np.array(self.arcs[step >> 1], dtype=np.int64)
            halves = halves[::-1] + 1 if step & 1 else halves
            self._halves[step] = halves
        return halves

    def update(self, changed: Iterable[int]) -> EdgeChange | None:
        """Update after a change of the partition.

        Args:
            changed: the arcs that were added or removed.

        Returns:
            The changed edges; None if all were built again, because a vertex stopped being a node.
        """
        changed = set(changed)
        self._flat = None
        removed = {edge for edge in self.edge_of[list(changed)].tolist() if edge >= 0}
        loose = [arc for edge in removed for arc in self.arcs[edge] if arc not in changed]
        rows = np.array(sorted(changed), dtype=np.int64)
        alive = self._partition.arcs_alive[rows]
        self.edge_of[rows] = -1
        self._measure(rows[alive])
        for edge in removed:
            self._forget(edge)
        chains = self._chained(loose + rows[alive].tolist())
        if chains is None:
            self.arcs.clear()
            self.ends.clear()
            self._at.clear()
            self._halves.clear()
            self._make_all()
            return None
        flipped = [half >> 1 for chain in chains for half in chain if half & 1]
        self._turn(np.array(flipped, dtype=np.int64))
        added = [self._add([half >> 1 for half in chain]) for chain in chains]
        return EdgeChange(sorted(removed), added)

    def _make_all(self) -> None:
        """Make edges of all arcs in one pass."""
        axis = self._partition.axis
        rows = np.flatnonzero(self._partition.arcs_alive)
        chain, order = _chains(axis.tail[rows], axis.head[rows], len(axis.vertices), self._ranks(rows))
        arcs = rows[order // 2]
        self._turn(arcs[order % 2 == 1])
        self._measure(arcs)
        first = np.flatnonzero(np.diff(chain, prepend=-1))
        listed = arcs.tolist()
        bounds = [*first.tolist(), len(listed)]
        for low, high in pairwise(bounds):
            self._add(listed[low:high])

    def _ranks(self, rows: Int64) -> Int64:
        """Return int64 (2 N,), the order of the half-arcs of some arcs by coordinates; see `canonical_order`.

        An edge runs from the lower of its two ends. Numbers of arcs, which an obstacle anywhere in the map may change,
        would reverse edges now and then, and with them the choice among equally narrow gates.
        """
        axis = self._partition.axis
        ends = rounded(axis.vertices[np.stack((axis.tail[rows], axis.head[rows]), axis=1)], self._partition.grid)
        x, y = ends[..., 0], ends[..., 1]
        back = (x[:, 0] > x[:, 1]) | ((x[:, 0] == x[:, 1]) & (y[:, 0] > y[:, 1]))
        low, high = np.where(back[:, None], ends[:, 1], ends[:, 0]), np.where(back[:, None], ends[:, 0], ends[:, 1])
        rank = np.empty(len(rows), dtype=np.int64)
        rank[np.lexsort((high[:, 1], high[:, 0], low[:, 1], low[:, 0]))] = np.arange(len(rows))
        return np.stack((2 * rank + back, 2 * rank + ~back), axis=1).ravel()

    def _measure(self, rows: Int64) -> None:
        self.length[rows] = _lengths(self._partition.axis, self._partition.sites, rows)
        self.narrowest[rows], self.waist[rows] = _waists(self._partition.axis, self._partition.sites, rows)

    def _turn(self, rows: Int64) -> None:
        """Reverse arcs."""
        axis = self._partition.axis
        for one, other in ((axis.tail, axis.head), (axis.left, axis.right)):
            one[rows], other[rows] = other[rows], one[rows]

    def _add(self, arcs: list[int]) -> int:
        edge = self._next
        self._next += 1
        axis = self._partition.axis
        a, b = int(axis.tail[arcs[0]]), int(axis.head[arcs[-1]])
        self.arcs[edge], self.ends[edge] = arcs, (a, b)
        for node in (a, b):
            self._at.setdefault(node, []).append(edge)
        self.edge_of[arcs] = edge
        return edge

    def _forget(self, edge: int) -> None:
        del self.arcs[edge]
        self._halves.pop(2 * edge, None)
        self._halves.pop(2 * edge + 1, None)
        for node in self.ends.pop(edge):
            self._at[node].remove(edge)

    def _chained(self, arcs: list[int]) -> list[list[int]] | None:
        """Chains of half-arcs, 2k along arc k and 2k + 1 against it, from node to node.

        Returns:
            The chains; None where a vertex of these arcs became a node, or stopped being one.
        """
        axis = self._partition.axis
        tail, head = axis.tail[arcs].tolist(), axis.head[arcs].tolist()
        to: dict[int, int] = {}
        leaving: dict[int, list[int]] = {}
        for arc, a, b in zip(arcs, tail, head, strict=True):
            to[2 * arc], to[2 * arc + 1] = b, a
            leaving.setdefault(a, []).append(2 * arc)
            leaving.setdefault(b, []).append(2 * arc + 1)
        degree = dict(zip(leaving, self._partition.degree[list(leaving)].tolist(), strict=True))
        for node, halves in leaving.items():
            others = degree[node] - len(halves)
            if others != len(self._at.get(node, ())) or (degree[node] == 2 and others):
                return None
        starts = [half for node, halves in leaving.items() if degree[node] != 2 for half in halves]
        ranks = dict(zip(to, self._ranks(np.array(arcs, dtype=np.int64)).tolist(), strict=True))
        chains: list[list[int]] = []
        done: set[int] = set()
        for half in starts + sorted(to):  # the remaining half-arcs form rings without a node
            if half >> 1 not in done:
                chain = _followed(half, to, leaving, degree)
                is_back = ranks[chain[-1] ^ 1] < ranks[chain[0]]
                chains.append([half ^ 1 for half in reversed(chain)] if is_back else chain)
                done.update(half >> 1 for half in chain)
        return sorted(chains, key=lambda chain: ranks[chain[0]])


def _followed(half: int, to: dict[int, int], leaving: dict[int, list[int]], degree: dict[int, int]) -> list[int]:
    """The chain that begins with a half-arc: up to a node, or once round a ring."""
    chain = [half]
    beginning = to[half ^ 1]
    node = to[half]
    while degree[node] == 2 and node != beginning:
        one, other = leaving[node]
        half = other if one == half ^ 1 else one
        chain.append(half)
        node = to[half]
    return chain


def _chains(tails: Int64, heads: Int64, places: int, ranks: Int64) -> tuple[Int64, Int64]:
    """Half-arcs 2k, as arc k runs, and 2k + 1, against it: a number for each chain, and its half-arcs in one direction.

    Each chain begins with the end of lower rank, `ranks` int64 (2 N,).

    Chains are followed by doubling: after k rounds each half-arc points 2^k farther.
    """
    count = 2 * len(tails)
    tail = np.stack((tails, heads), axis=1).ravel()
    degree = np.bincount(tail, minlength=places)
    following = _following(tail, degree)
    end, steps = _ends(following)
    while np.any(following[end] != end):  # a ring without a node: the least vertex of one such ring becomes a node
        ring = np.flatnonzero(following[end] != end)
        members = _ring_of(ring[0], following)
        degree[tail[members].min()] = 0
        following = _following(tail, degree)
        end, steps = _ends(following)
    beginning = end[np.arange(count) ^ 1] ^ 1
    kept = np.flatnonzero(ranks[beginning] < ranks[end ^ 1])
    order = kept[np.lexsort((-steps[kept], ranks[beginning[kept]]))]
    return beginning[order], order


def _following(tail: Int64, degree: Int64) -> Int64:
    """The half-arc that continues each one, itself where it ends in a node."""
    order = np.argsort(tail, kind="stable")
    order = order[degree[tail[order]] == 2].reshape(-1, 2)  # the two half-arcs that leave each vertex between nodes
    following = np.arange(len(tail))
    following[order[:, 0] ^ 1] = order[:, 1]
    following[order[:, 1] ^ 1] = order[:, 0]
    return following


def _ends(following: Int64) -> tuple[Int64, Int64]:
    """The last half-arc of each one's chain and how many steps away it is."""
    end, steps = following, (following != np.arange(len(following))).astype(np.int64)
    for _ in range(len(following).bit_length()):
        further = end[end]
        if np.array_equal(further, end):
            break
        steps = steps + steps[end]
        end = further
    return end, steps


def _ring_of(member: np.int64, following: Int64) -> list[int]:
    members, current = [int(member)], int(following[member])
    while current != members[0]:
        members.append(current)
        current = int(following[current])
    return members


def _waists(axis: Axis, sites: Sites, arc: Int64) -> tuple[Float64, Float64]:
    """Least clearance of arcs and its place: at an end, or between where two corners or corner and segment face."""
    tail, head = axis.tail[arc], axis.head[arc]
    from_tail = axis.clearance[tail] <= axis.clearance[head]
    end = np.where(from_tail, tail, head)
    narrowest, waist = axis.clearance[end].copy(), axis.vertices[end].copy()
    left, right = axis.left[arc], axis.right[arc]
    corner = np.flatnonzero((left >= sites.segments) | (right >= sites.segments))
    on_left = left[corner] >= sites.segments
    point = sites.start[np.where(on_left, left[corner], right[corner])]
    other = np.where(on_left, right[corner], left[corner])
    along = sites.along[other]
    reach = ((point - sites.start[other]) * along).sum(axis=1)[:, None]
    facing = sites.start[other] + reach * along  # of a segment its foot, of a corner itself: its direction is zero
    middle, across = 0.5 * (point + facing), facing - point
    before, after = axis.vertices[tail[corner]] - middle, axis.vertices[head[corner]] - middle
    side_before = across[:, 0] * before[:, 1] - across[:, 1] * before[:, 0]
    side_after = across[:, 0] * after[:, 1] - across[:, 1] * after[:, 0]
    within = side_before * side_after < 0.0
    narrowest[corner[within]] = 0.5 * np.sqrt(length2(across[within]))
    waist[corner[within]] = middle[within]
    return narrowest, waist


def _lengths(axis: Axis, sites: Sites, arc: Int64) -> Float64:
    """Lengths of arcs: chords, and of parabolas the integral in closed form."""
    tail, head = axis.vertices[axis.tail[arc]], axis.vertices[axis.head[arc]]
    length = np.sqrt(length2(head - tail))
    left, right = axis.left[arc], axis.right[arc]
    curved = np.flatnonzero((left >= sites.segments) != (right >= sites.segments))
    on_left = left[curved] >= sites.segments
    point = sites.start[np.where(on_left, left[curved], right[curved])]
    line = np.where(on_left, right[curved], left[curved])
    along, start = sites.along[line], sites.start[line]
    apart = point - start
    focal = np.abs(along[:, 0] * apart[:, 1] - along[:, 1] * apart[:, 0])
    ends = [((place[curved] - point) * along).sum(axis=1) / focal for place in (tail, head)]
    primitive = [0.5 * focal * (u * np.sqrt(1.0 + u * u) + arcsinh(u)) for u in ends]
    length[curved] = np.abs(primitive[1] - primitive[0])
    return length
