# SPDX-License-Identifier: GPL-3.0-or-later
"""The medial axis as a graph to search: nodes, and corridor edges that are chains of arcs.

    CorridorGraph.of(axis, sites) -> CorridorGraph

A node is a vertex where other than two arcs meet. What lies between two nodes is one corridor edge; the vertices along
it are its event points, where the nearest obstacle on the left or on the right becomes another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .medial_axis import Axis, Sites

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CorridorGraph:
    """Arcs in the order of the corridor edges that they make up.

    Attributes:
        nodes: int64 (N,), the vertices of the axis that are nodes.
        edges: int64 (E, 2), between which nodes (0..N-1) each corridor edge runs.
        first: int64 (E + 1,), the arcs of edge k are first[k]:first[k + 1].
        edge_of: int64 (A,), the edge of each arc.
        tail, head: int64 (A,), vertices of the axis; the head of an arc is the tail of the next one of its edge.
        left, right: int64 (A,), sites on either side as one goes from tail to head.
        length: float64 (A,), of each arc [m].
        narrowest: float64 (A,), least clearance along each arc [m].
        waist: float64 (A, 2), where that is [m from the grid's origin].
    """

    nodes: Int64
    edges: Int64
    first: Int64
    edge_of: Int64
    tail: Int64
    head: Int64
    left: Int64
    right: Int64
    length: Float64
    narrowest: Float64
    waist: Float64

    @staticmethod
    def of(axis: Axis, sites: Sites) -> CorridorGraph:
        """Contract the vertices where two arcs meet.

        Args:
            axis: the medial axis.
            sites: between which it lies.

        Returns:
            The graph.
        """
        tail, head, chain, order = _chains(axis)
        flipped = order % 2 == 1
        arc = order // 2
        left = np.where(flipped, axis.right[arc], axis.left[arc])
        right = np.where(flipped, axis.left[arc], axis.right[arc])
        first = np.flatnonzero(np.diff(chain, prepend=-1))
        last = np.append(first[1:], len(order)) - 1
        nodes, numbers = np.unique(np.stack((tail[order[first]], head[order[last]]), axis=1), return_inverse=True)
        narrowest, waist = _waists(axis, sites, arc)
        return CorridorGraph(
            nodes=nodes,
            edges=numbers.reshape(-1, 2),
            first=np.append(first, len(order)),
            edge_of=np.repeat(np.arange(len(first)), last - first + 1),
            tail=tail[order],
            head=head[order],
            left=left,
            right=right,
            length=_lengths(axis, sites, arc),
            narrowest=narrowest,
            waist=waist,
        )


def _chains(axis: Axis) -> tuple[Int64, Int64, Int64, Int64]:
    """Half-arcs 2k (as the arc runs) and 2k + 1 (against it): tails, heads; and one way along each chain in order.

    Chains are followed by doubling: after k rounds each half-arc knows what is 2^k farther.
    """
    count = 2 * len(axis.tail)
    tail = np.stack((axis.tail, axis.head), axis=1).ravel()
    head = np.stack((axis.head, axis.tail), axis=1).ravel()
    degree = np.bincount(tail, minlength=len(axis.vertices))
    following = _following(tail, degree)
    end, steps = _ends(following)
    while np.any(following[end] != end):  # a ring without a node: the least vertex of one such ring becomes a node
        ring = np.flatnonzero(following[end] != end)
        members = _ring_of(ring[0], following)
        degree[tail[members].min()] = 0
        following = _following(tail, degree)
        end, steps = _ends(following)
    beginning = end[np.arange(count) ^ 1] ^ 1
    kept = np.flatnonzero(beginning < (end ^ 1))
    order = kept[np.lexsort((-steps[kept], beginning[kept]))]
    return tail, head, beginning[order], order


def _following(tail: Int64, degree: Int64) -> Int64:
    """The half-arc that goes on where each one ends, itself where it ends in a node."""
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
    narrowest[corner[within]] = 0.5 * np.hypot(across[within, 0], across[within, 1])
    waist[corner[within]] = middle[within]
    return narrowest, waist


def _lengths(axis: Axis, sites: Sites, arc: Int64) -> Float64:
    """Lengths of arcs: chords, and of parabolas the integral in closed form."""
    tail, head = axis.vertices[axis.tail[arc]], axis.vertices[axis.head[arc]]
    length = np.hypot(*(head - tail).T)
    left, right = axis.left[arc], axis.right[arc]
    curved = np.flatnonzero((left >= sites.segments) != (right >= sites.segments))
    on_left = left[curved] >= sites.segments
    point = sites.start[np.where(on_left, left[curved], right[curved])]
    line = np.where(on_left, right[curved], left[curved])
    along, start = sites.along[line], sites.start[line]
    apart = point - start
    focal = np.abs(along[:, 0] * apart[:, 1] - along[:, 1] * apart[:, 0])
    ends = [((place[curved] - point) * along).sum(axis=1) / focal for place in (tail, head)]
    primitive = [0.5 * focal * (u * np.sqrt(1.0 + u * u) + np.arcsinh(u)) for u in ends]
    length[curved] = np.abs(primitive[1] - primitive[0])
    return length
