# SPDX-License-Identifier: GPL-3.0-or-later
"""Building a partition, and updating it where an obstacle is added or removed.

A change joins again the obstacles that are connected with it through touching obstacles, and splices their rings in.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...errors import GeometryError
from ...geometry.segments import contains, nearest_on_segments
from .axis import medial_axis
from .free_space import Grid, ground_of, rings_between
from .obstacle_set import ObstacleSet
from .partition import EditablePartition, Partition
from .splicing import splice

GRID_BITS = (24, 23, 22)
"""Bits of the grid across the bounds, tried in turn; from 26 on Boost fails where corners lie on a circle."""


def build(obstacles: ObstacleSet, bounds: Float64) -> EditablePartition:
    """Build a partition on a fine grid, and on a coarser one where the check fails.

    Args:
        obstacles: the obstacles.
        bounds: float64 (B, 2), the outline of the ground [m].

    Returns:
        The partition.

    Raises:
        GeometryError: there is no free ground, or the check failed on every grid.
        FootfallError: pyvoronoi or pyclipper is missing.
    """
    fault = GeometryError()
    for fineness in GRID_BITS:
        grid = Grid.round(bounds, fineness)
        ground = ground_of(rings_between(list(obstacles.shapes.values()), bounds, grid))
        try:
            sites, axis = medial_axis(ground, grid)
        except GeometryError as error:
            fault = error
        else:
            return EditablePartition(Partition(grid, ground, sites, axis))
    raise GeometryError(f"The corridor map could not be built. {fault}") from fault


def is_on_finest_grid(partition: EditablePartition, bounds: Float64) -> bool:
    """Return whether a partition within bounds, float64 (B, 2) [m], lies on the grid that is tried first."""
    return partition.grid == Grid.round(bounds, GRID_BITS[0])


def change(
    partition: EditablePartition, before: ObstacleSet, after: ObstacleSet, number: int, bounds: Float64
) -> EditablePartition:
    """Change a partition where its set of obstacles changes.

    Args:
        partition: of the obstacle set before.
        before: the obstacles before.
        after: the obstacles after.
        number: the obstacle in which they differ.
        bounds: float64 (B, 2), the outline of the ground [m].

    Returns:
        The same partition, updated; a new one where too little remains, spare rows run out or a check fails.

    Raises:
        GeometryError: there is no free ground, or it could not be built; the partition is as before.
        FootfallError: pyvoronoi or pyclipper is missing.
    """
    try:
        _change_locally(partition, before, after, number, bounds)
    except GeometryError:
        return build(after, bounds)
    return partition


def _change_locally(
    partition: EditablePartition, before: ObstacleSet, after: ObstacleSet, number: int, bounds: Float64
) -> None:
    grid = partition.grid
    margin = 8.0 / grid.steps  # twice the growth at a mitred corner, and rounding
    old = before.boxes[before.ids == number]
    reached = after.reached_from(after.ids == number, old, margin)
    boxes = np.concatenate((old, after.boxes[reached]))
    at_bounds = not _are_inside(boxes, bounds, margin)
    if at_bounds:
        reached = after.reached_from(reached | meeting_bounds(after.boxes, bounds, margin), old, margin)
        boxes = np.concatenate((old, after.boxes[reached]))
    boxes = boxes + np.array([-margin, -margin, margin, margin])
    shapes = [after.shapes[other] for other in after.ids[reached].tolist()]
    rings: list[Int64] = []
    if at_bounds:
        rings = rings_between(shapes, bounds, grid)
    elif shapes:
        low, high = boxes[:, :2].min(axis=0) - margin, boxes[:, 2:].max(axis=0) + margin
        rings = rings_between(shapes, np.array([low, [high[0], low[1]], high, [low[0], high[1]]]), grid)
        del rings[min(range(len(rings)), key=lambda k: rings[k][:, 0].min())]  # the frame's own
    gone = _corners_within(partition, boxes, bounds if at_bounds else None, margin)
    if len(gone) or rings:
        splice(partition, gone, rings)


def _are_inside(boxes: Float64, bounds: Float64, margin: float) -> bool:
    """Whether the bounding box of some boxes lies inside the bounds by more than a margin."""
    if len(boxes) == 0:
        return True
    x0, y0 = (boxes[:, :2].min(axis=0) - margin).tolist()
    x1, y1 = (boxes[:, 2:].max(axis=0) + margin).tolist()
    inside = False
    corners = bounds.tolist()
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        if min(ax, bx) <= x1 and max(ax, bx) >= x0 and min(ay, by) <= y1 and max(ay, by) >= y0:
            return False
        if (ay > y0) != (by > y0) and x0 < ax + (y0 - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside


def _corners_within(partition: EditablePartition, boxes: Float64, bounds: Float64 | None, margin: float) -> Int64:
    """The corners of the rings within some boxes, and on the bounds if these are given."""
    grid = partition.grid
    origin = np.asarray(grid.origin)
    low, high = (boxes[:, :2] - origin) * grid.steps, (boxes[:, 2:] - origin) * grid.steps
    if bounds is None and len(boxes) == 1:
        return partition.within(low[0], high[0])
    rows = partition.within(low.min(axis=0), high.max(axis=0)) if bounds is None else partition.alive.nonzero()[0]
    places = partition.corners[rows]
    gone = np.all((places >= low[:, None]) & (places <= high[:, None]), axis=2).any(axis=0)
    if bounds is not None:
        on_ground = places / grid.steps + origin
        gone |= nearest_on_segments(on_ground, bounds, np.roll(bounds, -1, axis=0))[0] <= margin
    return rows[gone]


def meeting_bounds(boxes: Float64, bounds: Float64, margin: float) -> Bool:
    """Return the boxes that may not be inside the bounds.

    Args:
        boxes: float64 (N, 4), lowest and highest x, y [m].
        bounds: float64 (B, 2) [m].
        margin: least distance to the bounds [m].

    Returns:
        bool (N,): the box round an edge of the bounds meets it, or it lies outside.
    """
    following = np.roll(bounds, -1, axis=0)
    low, high = np.minimum(bounds, following)[:, None] - margin, np.maximum(bounds, following)[:, None] + margin
    meets = np.all((boxes[:, :2] <= high) & (boxes[:, 2:] >= low), axis=2).any(axis=0)
    meets[~meets] = ~contains(bounds, boxes[~meets, :2])
    return meets
