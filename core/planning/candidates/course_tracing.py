# SPDX-License-Identifier: GPL-3.0-or-later
"""Courses between their nodes: position, curvature and walked distance.

Nodes are dense enough to choose a course, but not to walk it: where a line begins to bend between two nodes, the
distance walked per metre of path changes there too, the more the larger the offset.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ..paths.frenet import CourseGeometry, course_geometry
from ..paths.reference_path import ReferenceSet
from .arc_length import path_distance_at
from .polynomials import evaluate, quintic

Offsets = tuple[Float64, Float64, Float64]

PIECES_PER_NODE = 4
"""Parts into which the distance between two nodes is divided."""

TRACED_NODES = 20
"""Nodes that are walked before the next plan is made, a third of all."""


def offsets_at(step: Float64, course: Offsets, distance: Float64, rows: Int64 | None = None) -> Offsets:
    """Offsets along courses: quintics between the nodes, and at the last offset after them.

    Args:
        step: float64 (N,), distance between nodes [m].
        course: d, d', d'' at the nodes, float64 (A, K) each.
        distance: float64 (N,), along the path from the first node [m].
        rows: int64 (N,), whose of these A; None: one each, in their order.

    Returns:
        d [m], d', d'' [1/m] there, float64 (N,) each.
    """
    last = course[0].shape[1] - 1
    place = np.minimum(distance / step, float(last))
    node = np.minimum(place.astype(np.int64), last - 1)
    rows = np.arange(len(distance)) if rows is None else rows
    start, end = (tuple(values[rows, node + k] for values in course) for k in (0, 1))
    return evaluate(quintic(start, end, step), (place - node) * step)


def trace(references: ReferenceSet, path: Int64, s: Float64, step: Float64, course: Offsets) -> CourseGeometry:
    """Return how courses lie in the plane at their nodes and at even places between them.

    Args:
        references: the paths.
        path: int64 (N,), the path of each.
        s: float64 (N,), where each starts [m].
        step: float64 (N,), distance between nodes [m].
        course: d, d', d'' at the nodes, float64 (N, K) each.

    Returns:
        float64 (N, PIECES_PER_NODE * (K - 1) + 1) each; see `CourseGeometry`.
    """
    nodes = course[0].shape[1]
    start, end = (tuple(values[:, k : nodes - 1 + k] for values in course) for k in (0, 1))
    # the places first, (P, N, K - 1): arrays of all pieces then fit each of them as they are
    share = np.arange(PIECES_PER_NODE)[:, None, None] / PIECES_PER_NODE
    inside = evaluate(quintic(start, end, step[:, None]), step[:, None] * share)
    offsets = []
    for values, at_nodes in zip(inside, course, strict=True):
        offset = np.empty((len(s), PIECES_PER_NODE * (nodes - 1) + 1))
        offset[:, -1] = at_nodes[:, -1]
        for place, each in enumerate(values):
            offset[:, place:-1:PIECES_PER_NODE] = each
        offsets.append(offset)
    along = s[:, None] + step[:, None] / PIECES_PER_NODE * np.arange(PIECES_PER_NODE * (nodes - 1) + 1)
    bend, bend_rate = references.curvature(path[:, None], along)
    return course_geometry(bend, bend_rate, *offsets)


def walked_over(rate: Float64, gap: Float64) -> Float64:
    """Return the distance walked up to each of even places.

    Args:
        rate: float64 (N, ..., K), distance walked per metre of path there.
        gap: float64, distance between them along the path, broadcasting to all but the last axis [m].

    Returns:
        float64 (N, ..., K) [m].
    """
    walked = np.empty(rate.shape)
    walked[..., 0] = 0.0
    steps = rate[..., 1:] + rate[..., :-1]
    steps *= 0.5 * np.asarray(gap)[..., None]
    steps.cumsum(axis=-1, out=walked[..., 1:])
    return walked


def path_distance_between(
    references: ReferenceSet, path: Int64, s: Float64, step: Float64, course: Offsets, distance: Float64
) -> Float64:
    """Distance along the path after some distance has been walked from one node, before the next.

    Args:
        references: the paths.
        path: int64 (N,).
        s: float64 (N,), of the node [m].
        step: float64 (N,), to the next [m].
        course: d, d', d'' at the two, float64 (N, 2) each.
        distance: float64 (N,), walked [m].

    Returns:
        float64 (N,), from the node [m].
    """
    rate = trace(references, path, s, step, course).rate
    return path_distance_at(step / PIECES_PER_NODE, walked_over(rate, step / PIECES_PER_NODE), rate, distance)
