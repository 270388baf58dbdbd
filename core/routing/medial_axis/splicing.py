# SPDX-License-Identifier: GPL-3.0-or-later
"""Removing rings from a partition and adding others.

The arcs in conflict are those beside a removed ring, and those with a point that is nearer to an added ring than to
their own sites. Every point whose nearest obstacle changes lies in a cell of such an arc. So every new arc is in the
diagram of their sites, of the sites of arcs that meet them, and of the added rings; they are copied up to the vertices
that are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...errors import GeometryError
from .axis import Axis, arcs_in_free_ground, check_distances
from .partition import EditablePartition, NewRings, PartitionChange
from .voronoi import Diagram, diagram_of

Ends = dict[int, int]

VERTEX_TOLERANCE = 1e-7
"""Largest distance between a vertex in two diagrams, as a share of the extent of the map."""


@dataclass(frozen=True, eq=False)
class _AffectedArcs:
    """The part of the axis that has to be computed again.

    Attributes:
        arcs: int64, in conflict.
        lost: int64, removed vertices.
        tail_stays, head_stays: bool, for each of the arcs, whether it ends in a vertex that is kept.
    """

    arcs: Int64
    lost: Int64
    tail_stays: Bool
    head_stays: Bool


def splice(partition: EditablePartition, gone: Int64, rings: Sequence[Int64]) -> None:
    """Remove rings from a partition and add others.

    Args:
        partition: changed to the same as if built from scratch.
        gone: int64, the corners of the removed rings.
        rings: int64 (V, 2) each, the added rings [grid steps], free ground on the left.

    Raises:
        GeometryError: nothing of the axis remains, the check failed, or there is no room; the partition is as before.
    """
    fresh = partition.put(rings)
    affected = _affected_arcs(partition, gone, fresh)
    segments = _segments_beside(partition, affected, gone, fresh.corners)
    ends = (partition.corners.take(segments, 0), partition.corners.take(partition.following[segments], 0))
    pairs = np.concatenate(ends, axis=1)
    found = diagram_of(pairs.reshape(-1, 2, 2))
    diagram = Diagram(found.vertices, found.edge_start, segments[found.edge_segment], found.edge_part)
    local = arcs_in_free_ground(diagram, partition.following, partition.sites, partition.grid)
    taken, ends = _new_arcs(partition, affected, fresh.corners, local)
    beside = (local.left[taken], local.right[taken])
    part = Axis(local.vertices, local.clearance, local.tail[taken], local.head[taken], *beside)
    check_distances(part, partition.sites, partition.grid)
    partition.correct(_correction(partition, affected, gone, fresh, part, ends))


def _affected_arcs(partition: EditablePartition, gone: Int64, fresh: NewRings) -> _AffectedArcs:
    """Find the arcs in conflict and the vertices that are lost.

    Too many of either cost time and change nothing; too few must not occur.
    """
    sites, axis = partition.sites, partition.axis
    arcs = partition.touching(sites.start.take(np.concatenate((gone, fresh.corners)), 0))
    tail, head = axis.tail[arcs], axis.head[arcs]
    leaving = np.zeros(len(sites.start), dtype=bool)
    leaving[gone] = leaving[gone + sites.segments] = True
    beside = leaving[axis.left[arcs]] | leaving[axis.right[arcs]]
    hit = beside
    lost = np.zeros(len(axis.vertices), dtype=bool)
    if len(fresh.corners):
        tail_hit, head_hit, cut = _cut_by(partition, fresh, tail, head)
        hit = hit | cut
        lost[tail[tail_hit]] = lost[head[head_hit]] = True
    lost[tail[beside]] = lost[head[beside]] = True
    tail_stays, head_stays = ~lost[tail], ~lost[head]
    chosen = (hit | ~(tail_stays & head_stays)).nonzero()[0]
    if len(chosen) == partition.arcs:
        raise GeometryError("Nothing of the medial axis stays.")
    return _AffectedArcs(arcs[chosen], lost.nonzero()[0], tail_stays[chosen], head_stays[chosen])


def _cut_by(partition: EditablePartition, fresh: NewRings, tail: Int64, head: Int64) -> tuple[Bool, Bool, Bool]:
    """Which arcs have a tail, a head, or perhaps any point that is nearer to new segments than its clearance."""
    sites, axis = partition.sites, partition.axis
    slack = VERTEX_TOLERANCE * partition.grid.extent
    rows = fresh.corners
    start, along, length = sites.start.take(rows, 0), sites.along.take(rows, 0), sites.length[rows]
    a, b = axis.vertices.take(tail, 0), axis.vertices.take(head, 0)
    wide_a, wide_b = axis.clearance[tail] + slack, axis.clearance[head] + slack
    from_ends, sides = _distance(np.concatenate((a, b)), start, along, length)
    nearest = from_ends.min(axis=1)
    near_a, near_b = nearest[: len(a)], nearest[len(a) :]
    run = b - a
    chord = np.sqrt(run[:, 0] * run[:, 0] + run[:, 1] * run[:, 1])
    direction = run / np.maximum(chord, 1e-300)[:, None]
    from_chord, side = _distance(start, a, direction, chord)  # (S, M)
    crosses = ((sides[: len(a)] * sides[len(a) :] < 0.0) & (side * side[fresh.following] < 0.0).T).any(axis=1)
    nearest = np.minimum(np.minimum(near_a, near_b), from_chord.min(axis=0))
    return near_a < wide_a, near_b < wide_b, crosses | (nearest < np.maximum(wide_a, wide_b))


def _distance(points: Float64, start: Float64, along: Float64, length: Float64) -> tuple[Float64, Float64]:
    """Distances from points to segments, float64 (N, S), and on which side of their lines the points lie."""
    x, y = points[:, :1] - start[:, 0], points[:, 1:] - start[:, 1]
    ux, uy = along[:, 0], along[:, 1]
    reach, side = x * ux + y * uy, ux * y - uy * x
    beyond = reach - np.minimum(np.maximum(reach, 0.0), length)
    return np.sqrt(beyond * beyond + side * side), side


def _segments_beside(partition: EditablePartition, affected: _AffectedArcs, gone: Int64, fresh: Int64) -> Int64:
    """The segments beside the arcs in conflict and beside those that meet them in kept vertices, and all new ones."""
    axis, half = partition.axis, len(partition.corners)
    ends = np.concatenate(
        (axis.tail[affected.arcs[affected.tail_stays]], axis.head[affected.arcs[affected.head_stays]])
    )
    arcs = affected.arcs
    if len(ends):
        at_edge = np.zeros(len(axis.vertices), dtype=bool)
        at_edge[ends] = True
        around = partition.touching(axis.vertices.take(ends, 0))
        arcs = np.concatenate((arcs, around[at_edge[axis.tail[around]] | at_edge[axis.head[around]]]))
    beside = np.concatenate((axis.left[arcs], axis.right[arcs]))
    wanted = np.zeros(half, dtype=bool)
    corners = beside[beside >= half] - half
    wanted[beside[beside < half]] = True
    wanted[corners[~(wanted[corners] | wanted[partition.before[corners]])]] = (
        True  # one of the two segments of a corner
    )
    wanted[gone] = False
    wanted[fresh] = True
    return wanted.nonzero()[0]


def _new_arcs(partition: EditablePartition, affected: _AffectedArcs, fresh: Int64, local: Axis) -> tuple[Int64, Ends]:
    """The new arcs of a local diagram, and the old vertices in which they end, by their local numbers.

    At each kept vertex the arc in conflict is matched by its sites. From there, and from the arcs beside new rings,
    arcs are followed to their neighbours up to kept vertices.
    """
    tails, heads = local.tail.tolist(), local.head.tolist()
    at: list[list[int]] = [[] for _ in range(len(local.vertices))]
    for arc, (tail, head) in enumerate(zip(tails, heads, strict=True)):
        at[tail].append(arc)
        at[head].append(arc)
    is_new = np.zeros(len(partition.sites.start), dtype=bool)
    is_new[fresh] = is_new[fresh + len(partition.corners)] = True
    waiting: list[int] = (is_new[local.left] | is_new[local.right]).nonzero()[0].tolist()
    ends: Ends = {}
    for vertex, place, arc in _matched_vertices(partition, affected, local):
        ends[place] = vertex
        waiting.append(arc)
    taken, passed = set(waiting), set(ends)
    while waiting:
        arc = waiting.pop()
        for vertex in (tails[arc], heads[arc]):
            if vertex not in passed:
                passed.add(vertex)
                further = [other for other in at[vertex] if other not in taken]
                taken.update(further)
                waiting += further
    return np.array(sorted(taken), dtype=np.int64), ends


def _matched_vertices(partition: EditablePartition, affected: _AffectedArcs, local: Axis) -> list[tuple[int, int, int]]:
    """Each kept vertex, its number in the local diagram, and the arc there that replaces the one in conflict.

    Raises:
        GeometryError: one of them is missing in the local diagram.
    """
    if not (affected.tail_stays.any() or affected.head_stays.any()):
        return []
    axis, many = partition.axis, len(partition.sites.start)
    from_tail, from_head = affected.arcs[affected.tail_stays], affected.arcs[affected.head_stays]
    vertices = np.concatenate((axis.tail[from_tail], axis.head[from_head]))
    left = np.concatenate((axis.left[from_tail], axis.right[from_head]))
    right = np.concatenate((axis.right[from_tail], axis.left[from_head]))
    candidate = np.concatenate((local.tail, local.head))
    sides = np.concatenate((local.left * many + local.right, local.right * many + local.left))
    (x, y), (to_x, to_y) = axis.vertices.take(vertices, 0).T, local.vertices.take(candidate, 0).T
    apart = np.maximum(np.abs(x[:, None] - to_x), np.abs(y[:, None] - to_y))
    apart[(left * many + right)[:, None] != sides] = np.inf
    best = apart.argmin(axis=1)
    if (apart.min(axis=1) > VERTEX_TOLERANCE * partition.grid.extent).any():
        raise GeometryError("A vertex that stays is missing in the local diagram.")
    arcs = best % len(local.tail)
    return list(zip(vertices.tolist(), candidate[best].tolist(), arcs.tolist(), strict=True))


def _correction(
    partition: EditablePartition, affected: _AffectedArcs, gone: Int64, fresh: NewRings, part: Axis, ends: Ends
) -> PartitionChange:
    """The new part in the partition's rows."""
    number = np.full(len(part.vertices), -1)
    number[part.tail] = number[part.head] = -2
    number[list(ends)] = list(ends.values())
    added = (number == -2).nonzero()[0]
    number[added] = partition.new_places(len(added))
    return PartitionChange(
        gone=gone,
        fresh=fresh,
        conflict=affected.arcs,
        lost=affected.lost,
        vertices=part.vertices.take(added, 0),
        clearance=part.clearance[added],
        tail=number[part.tail],
        head=number[part.head],
        left=part.left,
        right=part.right,
    )
