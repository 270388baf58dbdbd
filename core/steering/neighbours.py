# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is near whom, found over cells of a grid.

Neighbours are ordered by their squared distance rounded to float32, then by place (cell, x, y), never by their order in
the arrays: whoever comes first in them, everybody gets the same neighbours, unless two stand on exactly one point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from .kernels import neighbours_numpy
from .kernels.arrays import Float64, Int64

MOST_CELLS = 2**20


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest others of everybody.

    Attributes:
        index: int64 (A, K), nearest first, -1 where there are fewer than K.
        distance: float64 (A, K) [m], inf where there are fewer.
        count: int64 (A,), how many there are.
    """

    index: Int64
    distance: Float64
    count: Int64


@dataclass(frozen=True, eq=False)
class SpatialOrder:
    """Agents sorted by the cells of a grid.

    Attributes:
        order: int64 (A,), rows of the callers' arrays, by cell, x and y.
        cell: int64 (A,), number of the cell of each, ascending.
        stride: difference of the numbers of a cell and the one above it.
    """

    order: Int64
    cell: Int64
    stride: int


def sort_by_cell(position: Float64, cell_size: float) -> SpatialOrder:
    """Sort agents by cells of at least `cell_size`; the numbers of neighbouring cells never wrap round.

    Args:
        position: float64 (A, 2) [m].
        cell_size: [m].

    Returns:
        The order and the cells.
    """
    if not position.shape[0]:
        return SpatialOrder(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 1)
    low = position.min(axis=0)
    extent = float((position.max(axis=0) - low).max())
    cell_size = max(cell_size, extent / MOST_CELLS)
    columns, rows = ((position - low) / cell_size).astype(np.int64).T
    stride = int(columns.max()) + 3
    cell = (rows + 1) * stride + columns + 1
    order = np.lexsort((position[:, 1], position[:, 0], cell))
    return SpatialOrder(order, cell[order], stride)


def nearest(position: ArrayLike, radius_of_search: float, max_neighbours: int) -> Neighbours:
    """The nearest others of everybody within a distance.

    Args:
        position: float64 (A, 2) [m].
        radius_of_search: strictly nearer ones count [m].
        max_neighbours: K, how many at most for each.

    Returns:
        Index and distance, (A, K) each, nearest first.

    Raises:
        GeometryError: positions that are not (A, 2) finite numbers, a negative distance or number.
    """
    places = checked_vectors(position)
    if not radius_of_search >= 0.0 or not np.isfinite(radius_of_search):
        raise GeometryError(f"radius_of_search must be a finite number, 0 or more, got {radius_of_search}")
    if max_neighbours < 0:
        raise GeometryError(f"max_neighbours must be 0 or more, got {max_neighbours}")
    space = sort_by_cell(places, radius_of_search or 1.0)
    inside = places[space.order]
    found = neighbours_numpy.nearest(inside, space.cell, space.stride, radius_of_search, max_neighbours).T
    index = np.empty_like(found)
    index[space.order] = np.where(found >= 0, space.order[found], -1) if found.size else found
    gap = places[index] - places[:, None]  # (A, K, 2)
    distance = np.where(index >= 0, np.sqrt(gap[..., 0] * gap[..., 0] + gap[..., 1] * gap[..., 1]), np.inf)
    return Neighbours(index, distance, (index >= 0).sum(axis=1))


def close_pairs(position: ArrayLike, reach: ArrayLike) -> Int64:
    """All pairs of agents whose centres are nearer than the sum of their reaches.

    Args:
        position: float64 (A, 2) [m].
        reach: float64 (A,) or one number for all [m]; radius plus half the margin finds who nearly touches.

    Returns:
        int64 (M, 2), each pair once, the lower index first, sorted.

    Raises:
        GeometryError: positions that are not (A, 2) finite numbers, reaches that are not finite and 0 or more.
    """
    places = checked_vectors(position)
    agents = places.shape[0]
    reaches = np.asarray(reach, dtype=np.float64)
    if reaches.shape not in {(), (agents,)}:
        raise GeometryError(f"reach must be one number or have the shape {(agents,)}, got {reaches.shape}")
    if not (np.isfinite(reaches).all() and (reaches >= 0.0).all()):
        raise GeometryError("reach must be finite and 0 or more")
    if agents < 2:
        return np.zeros((0, 2), dtype=np.int64)
    space = sort_by_cell(places, 2.0 * float(reaches.max()) or 1.0)
    return neighbours_numpy.close_pairs(
        places, np.broadcast_to(reaches, (agents,)), space.order, space.cell, space.stride
    )


def checked_vectors(vectors: ArrayLike, name: str = "position") -> Float64:
    """The same as float64 (A, 2), contiguous; or GeometryError with what is wrong."""
    checked = np.ascontiguousarray(vectors, dtype=np.float64)
    if checked.ndim != 2 or checked.shape[1] != 2:
        raise GeometryError(f"{name} must be an array of shape (agents, 2), got {checked.shape}")
    if not np.isfinite(checked).all():
        row = int(np.flatnonzero(~np.isfinite(checked).all(axis=1))[0])
        raise GeometryError(f"{name} must be finite, got {checked[row].tolist()} for agent {row}")
    return checked
