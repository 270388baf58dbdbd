# SPDX-License-Identifier: GPL-3.0-or-later
"""A canonical order of the rows of a partition, by coordinates alone.

Where two routes are equally long, or two gates equally narrow, row numbers decide. They depend on the order in which
obstacles were added and on all changes since. In canonical order they depend on the ground alone, so an updated map
gives the same answers as one that is built from scratch, also in regular layouts.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from .axis import Axis, Sites
from .free_space import FreeGround, Grid, Shape
from .obstacle_set import ObstacleSet
from .partition import Partition

PARTS_PER_STEP = 4096.0
"""Vertices are rounded to this fraction of a grid step.

Where four or more sites are equally far, as at the crossings of a regular layout, the rest of the diagram decides
from which three of them the vertex is computed, and so its last bits.
"""

ROUNDING_OFFSET = 0.6180339887498949
"""Added before rounding down: not a half, nor another fraction that regular layouts are likely to hit."""


def in_order(partition: Partition) -> Partition:
    """Number and orient all rows by their coordinates.

    Rings are sorted by their lowest corners, lowest x first, and begin there. Vertices are rounded, by far less than a
    grid step, and sorted by coordinates; arcs run from the lower vertex to the higher and are sorted by their ends.

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
    """Return an obstacle set sorted by boxes and points; obstacles keep their ids."""
    boxes = dict(zip(obstacles.ids.tolist(), obstacles.boxes.tolist(), strict=True))
    numbers = sorted(obstacles.shapes, key=lambda number: (boxes[number], _points(obstacles.shapes[number])))
    rows = np.array([boxes[number] for number in numbers]).reshape(-1, 4)
    return ObstacleSet(
        {number: obstacles.shapes[number] for number in numbers}, np.array(numbers, dtype=np.int64), rows
    )


def _points(shape: Shape) -> tuple[bytes, ...]:
    """Key that distinguishes shapes with the same box."""
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
    """Return rounded vertices, float64 (..., 2) [m]: equal vertices get equal bits, whatever the rest of the map."""
    return np.floor(vertices * (grid.steps * PARTS_PER_STEP) + ROUNDING_OFFSET) / (grid.steps * PARTS_PER_STEP)


def _inverse(order: Int64) -> Int64:
    result = np.empty_like(order)
    result[order] = np.arange(len(order))
    return result
