# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders edges into lines and loops. numpy only.

trace_chains(ends (S, 2)) -> list of (points, closed)        edges without a direction
trace_loops(ends (S, 2)) -> list of points                   directed edges that balance at every point
connected_parts(count, ends (S, 2)) -> label (count,)
"""

from __future__ import annotations

import numpy as np

from ....core.array_types import Int64


def trace_chains(ends: Int64) -> list[tuple[list[int], bool]]:
    """Trace lines and loops along edges, each edge once.

    Where more than two edges meet, they are joined in pairs.

    Args:
        ends: int64 (S, 2), the two points of each edge.

    Returns:
        Points of each line in order, and whether its last point is joined to its first (which is then not repeated).
        Open lines come first, each from its end of the lower number; a loop has the direction of its first edge.
    """
    points = np.asarray(ends, dtype=np.int64).reshape(-1)
    partner = _pair_up(points).tolist()
    used = [False] * (len(points) // 2)
    point = points.tolist()
    free = [end for end in np.argsort(points, kind="stable").tolist() if partner[end] < 0]
    chains: list[tuple[list[int], bool]] = []
    for start in free + list(range(0, len(point), 2)):
        if used[start // 2]:
            continue
        chain, at = [point[start]], start
        while at >= 0 and not used[at // 2]:
            used[at // 2] = True
            chain.append(point[at ^ 1])
            at = partner[at ^ 1]
        closed = at == start
        chains.append((chain[:-1] if closed else chain, closed))
    return chains


def _pair_up(points: Int64) -> Int64:
    """Return for each end of an edge the joined end of another edge, or -1; ends 2 k and 2 k + 1 are edge k."""
    order = np.argsort(points, kind="stable")
    here = points[order]
    first = np.flatnonzero(np.r_[True, here[1:] != here[:-1]]) if len(here) else np.empty(0, np.int64)
    count = np.diff(np.r_[first, len(here)])
    rank = np.arange(len(here)) - np.repeat(first, count)
    single = (rank == np.repeat(count, count) - 1) & (rank % 2 == 0)
    partner = np.full(len(points), -1, dtype=np.int64)
    paired = np.flatnonzero(~single)
    partner[order[paired]] = order[paired + 1 - 2 * (rank[paired] % 2)]
    return partner


def trace_loops(ends: Int64) -> list[list[int]]:
    """Trace loops along directed edges, each edge once.

    Args:
        ends: int64 (S, 2), start and end of each edge; as many edges leave each point as arrive there.

    Returns:
        Points of each loop in order, the first not repeated; no loop passes a point twice.
    """
    edges = np.asarray(ends, dtype=np.int64).reshape(-1, 2)
    following = np.empty(len(edges), dtype=np.int64)
    # Sorted by point, the k-th arrival and the k-th departure are at the same point: the second follows the first.
    following[np.argsort(edges[:, 1], kind="stable")] = np.argsort(edges[:, 0], kind="stable")
    next_edge, point = following.tolist(), edges[:, 0].tolist()
    used = [False] * len(point)
    loops: list[list[int]] = []
    for start in range(len(point)):
        walk: list[int] = []
        place: dict[int, int] = {}
        at = start
        while not used[at]:
            used[at] = True
            here = point[at]
            if here in place:
                loops.append(_cut_out(walk, place, here))
            place[here] = len(walk)
            walk.append(here)
            at = next_edge[at]
        if walk:
            loops.append(walk)
    return loops


def _cut_out(walk: list[int], place: dict[int, int], here: int) -> list[int]:
    """Remove from a walk, and return, the loop back to one of its points."""
    loop = walk[place[here] :]
    del walk[place[here] :]
    for passed in loop:
        del place[passed]
    return loop


def connected_parts(count: int, ends: Int64) -> Int64:
    """Label the connected components of a graph.

    Args:
        count: number of nodes.
        ends: int64 (S, 2), pairs of connected nodes.

    Returns:
        int64 (count,): the lowest node number in the component of each.
    """
    label = np.arange(count, dtype=np.int64)
    joined = np.asarray(ends, dtype=np.int64).reshape(-1, 2)
    while len(joined):
        pair = label[joined]
        apart = pair[:, 0] != pair[:, 1]
        joined, pair = joined[apart], pair[apart]
        label[pair.max(axis=1)] = pair.min(
            axis=1
        )  # of several labels the last is set; the others follow in a later round
        label = _roots(label)
    return label


def _roots(label: Int64) -> Int64:
    while True:
        further = label[label]
        if np.array_equal(further, label):
            return label
        label = further
