# SPDX-License-Identifier: GPL-3.0-or-later
"""The medial axis of free ground: arcs that are equally far from two obstacles, exact.

An arc lies between a site on its left and a site on its right. Between two segments or two corners it is straight,
between a corner and a segment it is a piece of a parabola. Everything is in metres from the grid's origin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...errors import GeometryError
from ...geometry.reproducible_math import length2
from .free_space import FreeGround, Grid
from .voronoi import END, INSIDE, Diagram, diagram_of

AXIS_TOLERANCE = 1e-9
"""Largest difference of the left and the right distance of a vertex, as a share of the extent of the map."""


@dataclass(frozen=True, eq=False)
class Sites:
    """Segments and corners of the free ground's rings. Site k < S is segment k; site S + k is corner k.

    Attributes:
        start: float64 (2 S, 2), where a segment starts, or the corner [m from the grid's origin].
        along: float64 (2 S, 2), unit direction of a segment, free ground on its left; zero for a corner.
        length: float64 (2 S,), of a segment [m]; zero for a corner.
        outward: bool (2 S,), whether it borders free ground: true except for corners that point away from it.
    """

    start: Float64
    along: Float64
    length: Float64
    outward: Bool

    @staticmethod
    def around(ground: FreeGround, grid: Grid) -> Sites:
        """Return the sites of a ground."""
        corners = ground.corners / grid.steps
        run = corners.take(ground.following, 0) - corners
        length = np.sqrt(length2(run))
        along = run / length[:, None]
        before = run.take(ground.before, 0)
        bends_out = before[:, 0] * run[:, 1] - before[:, 1] * run[:, 0] < 0.0  # a right turn, free ground on the left
        nothing = np.zeros_like(run)
        return Sites(
            start=np.concatenate((corners, corners)),
            along=np.concatenate((along, nothing)),
            length=np.concatenate((length, nothing[:, 0])),
            outward=np.concatenate((np.ones(len(run), dtype=bool), bends_out)),
        )

    @property
    def segments(self) -> int:
        """Number of sites that are segments; the others are their corners."""
        return len(self.start) // 2

    def feet(self, points: Float64, sites: Int64) -> Float64:
        """Nearest point of a site for each point.

        Args:
            points: float64 (N, 2) [m from the grid's origin].
            sites: int64 (N,).

        Returns:
            float64 (N, 2).
        """
        start, along = self.start.take(sites, 0), self.along.take(sites, 0)  # much faster than indexing with rows
        apart = points - start
        share = apart[:, 0] * along[:, 0] + apart[:, 1] * along[:, 1]
        return start + np.minimum(np.maximum(share, 0.0), self.length[sites])[:, None] * along


@dataclass(frozen=True, eq=False)
class Axis:
    """Arcs of the medial axis.

    Attributes:
        vertices: float64 (V, 2) [m from the grid's origin].
        clearance: float64 (V,), distance to the nearest obstacle [m].
        tail, head: int64 (A,), the vertices between which an arc runs.
        left, right: int64 (A,), the sites that the arc lies between.
    """

    vertices: Float64
    clearance: Float64
    tail: Int64
    head: Int64
    left: Int64
    right: Int64


def medial_axis(ground: FreeGround, grid: Grid) -> tuple[Sites, Axis]:
    """Build the medial axis of a ground and check it.

    Args:
        ground: free ground.
        grid: of the ground.

    Returns:
        Sites, and the axis between them.

    Raises:
        GeometryError: there is no ground, or the check failed; the same ground on a coarser grid may pass.
        FootfallError: pyvoronoi is missing.
    """
    if not len(ground.corners):
        raise GeometryError("No free ground is left within the bounds.")
    if fall_together(ground.corners):
        raise GeometryError("Two corners of the free ground fall together.")
    sites = Sites.around(ground, grid)
    segments = np.stack((ground.corners, ground.corners[ground.following]), axis=1)
    axis = arcs_in_free_ground(diagram_of(segments), ground.following, sites, grid)
    check_axis(axis, sites, ground, grid)
    return sites, axis


def arcs_in_free_ground(diagram: Diagram, following: Int64, sites: Sites, grid: Grid) -> Axis:
    """Keep the finite arcs that lie on the free side of both their sites.

    The others lie inside obstacles, or are the normal on which the cell of a segment meets that of its own end.

    Args:
        diagram: of all segments of the ground, or of some of them.
        following: int64 (S,), the corner where each segment ends.
        sites: of the ground.
        grid: of the ground.

    Returns:
        The arcs, not checked.
    """
    segments = sites.segments
    segment, part = diagram.edge_segment, diagram.edge_part
    site = np.where(part == INSIDE, segment, np.where(part == END, following[segment], segment) + segments)
    start = diagram.edge_start
    finite = ((start[::2] >= 0) & (start[1::2] >= 0)).nonzero()[0] * 2
    tail, head, left, right = start[finite], start[finite + 1], site[finite], site[finite + 1]
    vertices = diagram.vertices / grid.steps
    keep = sites.outward[left] & sites.outward[right] & ~_are_end_and_segment(left, right, following)
    between = vertices.take(tail, 0) + vertices.take(head, 0)
    for beside in (left, right):
        apart, along = between - 2.0 * sites.start.take(beside, 0), sites.along.take(beside, 0)
        side = along[:, 0] * apart[:, 1] - along[:, 1] * apart[:, 0]
        keep &= (side > 0.0) | (beside >= segments)
    kept = keep.nonzero()[0]
    tail, head, left, right = tail[kept], head[kept], left[kept], right[kept]
    used = np.zeros(len(vertices), dtype=bool)
    used[tail] = used[head] = True
    number = used.cumsum() - 1
    vertices, tail, head = vertices.take(used.nonzero()[0], 0), number[tail], number[head]
    clearance = np.zeros(len(vertices))
    ends = np.concatenate((tail, head))
    points = vertices.take(ends, 0)
    apart = sites.feet(points, np.concatenate((left, left))) - points
    clearance[ends] = _lengths(apart)
    return Axis(vertices, clearance, tail, head, left, right)


def _lengths(vectors: Float64) -> Float64:
    x, y = vectors.T
    return np.sqrt(x * x + y * y)


def _are_end_and_segment(left: Int64, right: Int64, following: Int64) -> Bool:
    """Which pairs are a corner and a segment that starts or ends in it."""
    count = len(following)
    corner, segment = np.maximum(left, right) - count, np.minimum(left, right)
    ends_in = following[np.minimum(segment, count - 1)]
    return (corner >= 0) & (segment < count) & ((corner == segment) | (corner == ends_in))


def fall_together(corners: Int64) -> bool:
    """Return whether two corners, int64 (N, 2), within 2^31 of the origin, are the same."""
    keys = np.sort(corners[:, 0] << 32 | corners[:, 1] & 0xFFFFFFFF)
    return bool((keys[1:] == keys[:-1]).any())


def check_axis(axis: Axis, sites: Sites, ground: FreeGround, grid: Grid) -> None:
    """Check a medial axis: distances, and numbers of loops and ends.

    Args:
        axis: to check.
        sites: between which it lies.
        ground: whose axis it is.
        grid: of the ground.

    Raises:
        GeometryError: a vertex is not finite or not equally far from left and right, there are not as many loops as
            obstacles, or not as many ends as corners that point away from free ground.
    """
    check_distances(axis, sites, grid)
    check_counts(axis, sites, ground)


def check_distances(axis: Axis, sites: Sites, grid: Grid) -> None:
    """Check that the vertices of arcs are equally far from their two sites.

    Raises:
        GeometryError: a vertex is not finite or not equally far from left and right.
    """
    ends = np.concatenate((axis.tail, axis.head, axis.tail, axis.head))
    points = axis.vertices.take(ends, 0)
    apart = sites.feet(points, np.concatenate((axis.left, axis.left, axis.right, axis.right))) - points
    distance = _lengths(apart)
    if not (
        np.abs(distance - axis.clearance[ends]) <= AXIS_TOLERANCE * grid.extent
    ).all():  # also False where one is NaN
        if not np.isfinite(axis.vertices).all():
            raise GeometryError("The medial axis has a vertex that is not finite.")
        raise GeometryError("A vertex of the medial axis is not equally far from the obstacles beside it.")


def check_counts(axis: Axis, sites: Sites, ground: FreeGround) -> None:
    """Check the numbers of arcs and vertices against those of obstacles and corners.

    Raises:
        GeometryError: there are not as many loops as obstacles, or not as many ends as corners that point away from
            free ground.
    """
    loops = len(axis.tail) - len(axis.vertices) + ground.regions
    if loops != ground.holes:
        raise GeometryError(f"The medial axis has {loops} loops round {ground.holes} obstacles.")
    degree = np.bincount(np.concatenate((axis.tail, axis.head)), minlength=len(axis.vertices))
    ends, corners = int((degree == 1).sum()), int((~sites.outward).sum())
    if ends != corners:
        raise GeometryError(f"The medial axis has {ends} ends in {corners} corners.")
