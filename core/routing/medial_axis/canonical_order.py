# SPDX-License-Identifier: GPL-3.0-or-later
"""One order for the rows of a partition, told by nothing but where they lie.

    in_order(partition) -> Partition
    obstacle_set_in_order(obstacles) -> ObstacleSet
    rounded(vertices, grid) -> (..., 2)

Where two ways are equally long, or two gates equally narrow, the numbers of rows decide. They come from the order in
which obstacles were handed over and from all changes since. In this order they are those of the ground alone, so a map
that was changed answers as one that is built anew, also on the squares of a regular layout.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .axis import Axis, Sites
from .free_space import FreeGround, Grid, Shape
from .obstacle_set import ObstacleSet
from .partition import Partition

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

PARTS = 4096.0
"""Vertices are rounded to so many parts of a grid step.

Where four sites or more are equally far, as at the crossings of a regular layout, it depends on what else is in the
diagram from which three of them the vertex was reckoned, and so its last bits do.
"""

TURNING_POINT = 0.6180339887498949
"""What is added before parts are rounded down: not a half, nor another share that regular layouts are likely to hit."""


def in_order(partition: Partition) -> Partition:
    """Number and turn all rows by their places.

    Rings come by their lowest corners, lowest x first, and begin there. Vertices are rounded, by far less than a step
    of the grid, and come by their coordinates; arcs run from the lower vertex to the higher, and come by their ends.

    Args:
        partition: in any order.

    Returns:
        The same partition, with the same rows as any other of the same ground.
    """
    ground = partition.ground
    order, first = _rings(ground)
    count = len(order)
    number = _inverse(order)
    outline, hole = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    outline[first] = np.logical_or.reduceat(ground.first_of_outline[order], first)
    hole[first] = ~outline[first]
    sorted_ground = FreeGround(
        ground.corners[order], number[ground.following[order]], number[ground.before[order]], outline, hole
    )
    sites = Sites.around(sorted_ground, partition.grid)
    site = np.concatenate((number, number + count))
    return Partition(partition.grid, sorted_ground, sites, _axis_in_order(partition.axis, sites, site, partition.grid))


def obstacle_set_in_order(obstacles: ObstacleSet) -> ObstacleSet:
    """Return an obstacle set whose obstacles come by their boxes and points; they keep their ids."""
    boxes = dict(zip(obstacles.ids.tolist(), obstacles.boxes.tolist(), strict=True))
    numbers = sorted(obstacles.shapes, key=lambda number: (boxes[number], _points(obstacles.shapes[number])))
    rows = np.array([boxes[number] for number in numbers]).reshape(-1, 4)
    return ObstacleSet(
        {number: obstacles.shapes[number] for number in numbers}, np.array(numbers, dtype=np.int64), rows
    )


def _points(shape: Shape) -> tuple[bytes, ...]:
    """What tells shapes with one box apart."""
    return tuple(part.tobytes() for part in (*shape.rings, *(() if shape.line is None else (shape.line,))))


def _rings(ground: FreeGround) -> tuple[Int64, Int64]:
    """Corners ring after ring, each from its lowest, and where each ring begins among them."""
    following = ground.following.tolist()
    seen = [False] * len(following)
    order: list[int] = []
    first: list[int] = []
    for lowest in np.lexsort(ground.corners.T[::-1]).tolist():
        if seen[lowest]:
            continue
        first.append(len(order))
        corner = lowest
        while not seen[corner]:
            seen[corner] = True
            order.append(corner)
            corner = following[corner]
    return np.array(order, dtype=np.int64), np.array(first, dtype=np.int64)


def _axis_in_order(axis: Axis, sites: Sites, site: Int64, grid: Grid) -> Axis:
    """An axis in order, beside sites in order: `site` is the new number of each."""
    left, right = site[axis.left], site[axis.right]
    ends = np.concatenate((axis.tail, axis.head))
    nearest = np.full(len(axis.vertices), len(site))
    np.minimum.at(nearest, ends, np.tile(np.minimum(left, right), 2))
    vertices = rounded(axis.vertices, grid)
    apart = sites.feet(vertices, nearest) - vertices
    clearance = np.sqrt(apart[:, 0] ** 2 + apart[:, 1] ** 2)
    x, y = vertices.T
    places = np.lexsort((nearest, y, x))
    number = _inverse(places)
    tail, head = number[axis.tail], number[axis.head]
    back = tail > head
    tail, head = np.where(back, head, tail), np.where(back, tail, head)
    left, right = np.where(back, right, left), np.where(back, left, right)
    arcs = np.lexsort((right, left, head, tail))
    return Axis(vertices[places], clearance[places], tail[arcs], head[arcs], left[arcs], right[arcs])


def rounded(vertices: Float64, grid: Grid) -> Float64:
    """Return vertices, float64 (..., 2), such that the same ones lie at the same places whatever else is there [m]."""
    return np.floor(vertices * (grid.steps * PARTS) + TURNING_POINT) / (grid.steps * PARTS)


def _inverse(order: Int64) -> Int64:
    result = np.empty_like(order)
    result[order] = np.arange(len(order))
    return result
