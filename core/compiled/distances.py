# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to obstacles: twins of `core.geometry.distance_field` and `core.geometry.sampled_field`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Float64, Int64
from .compiling import entry, part, run_over


class CellGrid(NamedTuple):
    """The grid of an `ObstacleField`.

    Attributes:
        starts, ends: float64 (S, 2), the segments, polygon edges first [m].
        solid: how many of them are edges of polygons.
        first, entries: int64, the segments of each cell: see `core.geometry.ragged.Lists`.
        row_first, row_edges: int64, likewise the polygon edges of each row of cells.
        low: float64 (2,), the lower corner [m].
        size: of a cell [m].
        side: cells along a side.
        half_diagonal: of a cell [m].
        centre_distance: float64 (C,), of the cells' centres [m].
        centre_winding: int64 (C,), there.
    """

    starts: Float64
    ends: Float64
    solid: int
    first: Int64
    entries: Int64
    row_first: Int64
    row_edges: Int64
    low: Float64
    size: float
    side: int
    half_diagonal: float
    centre_distance: Float64
    centre_winding: Int64


def signed_distance(grid: CellGrid, points: Float64, at_most: float) -> tuple[Float64, Int64]:
    """Return float64 (N,), signed distances of points (N, 2) [m], and the rows of those outside the grid."""
    distance, outside = np.empty(len(points)), np.zeros(len(points), dtype=np.bool_)
    run_over(len(points), _signed, grid, points, float(at_most), distance, outside)
    return distance, np.flatnonzero(outside)


def nearest(grid: CellGrid, points: Float64) -> tuple[Float64, Float64, Int64]:
    """Return distances (N,), the nearest points (N, 2) [m], and the rows of points outside the grid."""
    distance, closest = np.empty(len(points)), np.empty((len(points), 2))
    outside = np.zeros(len(points), dtype=np.bool_)
    run_over(len(points), _nearest, grid, points, distance, closest, outside)
    return distance, closest, np.flatnonzero(outside)


class SampleTiles(NamedTuple):
    """The samples of a `SampledField`.

    Attributes:
        low: float64 (2,), lower corner of the field [m].
        spacing: of the lattice [m].
        tiles: along the field.
        cells: along a tile.
        limit: largest distance that is held [m].
        slot: int64 (tiles^2,), of each tile its row of `values`, -1 where it is not sampled yet.
        values: float64 (T, (cells + 1)^2), of the lattice points of each tile [m].
    """

    low: Float64
    spacing: float
    tiles: int
    cells: int
    limit: float
    slot: Int64
    values: Float64


def sampled_distance(samples: SampleTiles, points: Float64) -> tuple[Float64, Int64]:
    """Return float64 (N,), distances from samples, and the tiles that have to be sampled first."""
    distance, missing = np.empty(len(points)), np.full(len(points), -1)
    run_over(len(points), _sampled, samples, points, distance, missing)
    return distance, np.unique(missing[missing >= 0])


def warm_up() -> None:
    """Compile."""
    corners, none, one = np.zeros((1, 2)), np.zeros(2, dtype=np.int64), np.ones(1)
    lists, row_lists = (none, none[:0]), (none, none[:0])
    grid = CellGrid(corners, corners + 1.0, 1, *lists, *row_lists, one[[0, 0]], 1.0, 1, 1.0, one, none[:1])
    signed_distance(grid, corners - 1.0, 1.0)
    nearest(grid, corners - 1.0)
    sampled_distance(SampleTiles(corners[0], 1.0, 1, 1, 1.0, none[:1], np.zeros((1, 4))), corners)


@entry
def _signed(begin, end, grid, points, at_most, distance, outside):
    for k in range(begin, end):
        x, y = points[k, 0], points[k, 1]
        cell = _cell_of(grid, x, y)
        if cell < 0:
            distance[k], outside[k] = at_most, True
            continue
        inside = grid.centre_winding[cell] > 0
        known = at_most
        if inside or grid.centre_distance[cell] - grid.half_diagonal < at_most:
            known = math.sqrt(_least(grid, cell, x, y)[0])
        if grid.centre_distance[cell] <= grid.half_diagonal:
            inside = _winding(grid, cell, x, y) > 0
        if inside:
            known = -known
        distance[k] = min(at_most, known)


@entry
def _nearest(begin, end, grid, points, distance, closest, outside):
    for k in range(begin, end):
        x, y = points[k, 0], points[k, 1]
        cell = _cell_of(grid, x, y)
        if cell < 0:
            outside[k] = True
            continue
        distance2, segment = _least(grid, cell, x, y)
        distance[k] = math.sqrt(distance2)
        closest[k, 0], closest[k, 1] = _closest(grid, segment, x, y)


@entry
def _sampled(begin, end, samples, points, distance, missing):
    most, across = samples.tiles * samples.cells * 1.0, samples.cells + 1
    for k in range(begin, end):
        x, y = (points[k, 0] - samples.low[0]) / samples.spacing, (points[k, 1] - samples.low[1]) / samples.spacing
        distance[k] = samples.limit
        if not (x >= 0.0 and y >= 0.0 and x < most and y < most):
            continue
        column, row = int(x), int(y)
        tile = (row // samples.cells) * samples.tiles + column // samples.cells
        slot = samples.slot[tile]
        if slot < 0:
            missing[k] = tile
            continue
        values, corner = samples.values[slot], (row % samples.cells) * across + column % samples.cells
        right, up = x - column, y - row
        lower = values[corner] + right * (values[corner + 1] - values[corner])
        corner += across
        upper = values[corner] + right * (values[corner + 1] - values[corner])
        distance[k] = lower + up * (upper - lower)


@part
def _cell_of(grid, x, y):
    """The cell of a point, -1 outside the grid and for what is not a number."""
    column, row = (x - grid.low[0]) / grid.size, (y - grid.low[1]) / grid.size
    if column >= 0.0 and row >= 0.0 and column < grid.side and row < grid.side:
        return int(row) * grid.side + int(column)
    return -1


@part
def _closest(grid, segment, x, y):
    """The point of a segment that is nearest to a point."""
    start_x, start_y = grid.starts[segment, 0], grid.starts[segment, 1]
    run_x, run_y = grid.ends[segment, 0] - start_x, grid.ends[segment, 1] - start_y
    length2 = run_x * run_x + run_y * run_y
    along = (x - start_x) * run_x + (y - start_y) * run_y
    share = along / (length2 if length2 > 0.0 else 1.0)
    share = 0.0 if share < 0.0 else min(share, 1.0)
    return start_x + share * run_x, start_y + share * run_y


@part
def _distance2(grid, segment, x, y):
    close_x, close_y = _closest(grid, segment, x, y)
    close_x, close_y = close_x - x, close_y - y
    return close_x * close_x + close_y * close_y


@part
def _least(grid, cell, x, y):
    """The least squared distance to the segments of a cell, and the first segment that has it."""
    best, segment = math.inf, -1
    for place in range(grid.first[cell], grid.first[cell + 1]):
        distance2 = _distance2(grid, grid.entries[place], x, y)
        if distance2 < best:
            best, segment = distance2, grid.entries[place]
    return best, segment


@part
def _turn(ax, ay, bx, by, x, y):
    """Twice the signed area of a triangle."""
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax)


@part
def _winding_of(ax, ay, bx, by, x, y):
    """What an edge adds to the winding number of a point, by the ray towards +x."""
    upward, crossed = ay <= y, by <= y
    if upward == crossed:
        return 0
    crossing = 1 if upward else -1
    return crossing if crossing * _turn(ax, ay, bx, by, x, y) > 0.0 else 0


@part
def _winding(grid, cell, x, y):
    """Winding number of a point, from that of its cell's centre: along x, then along y."""
    centre_x = grid.low[0] + grid.size * (cell % grid.side + 0.5)
    centre_y = grid.low[1] + grid.size * (cell // grid.side + 0.5)
    winding = grid.centre_winding[cell]
    for place in range(grid.first[cell], grid.first[cell + 1]):
        edge = grid.entries[place]
        if edge >= grid.solid:
            continue
        ax, ay, bx, by = grid.starts[edge, 0], grid.starts[edge, 1], grid.ends[edge, 0], grid.ends[edge, 1]
        if _turn(ax, ay, bx, by, x, centre_y) == 0.0 and _distance2(grid, edge, x, centre_y) == 0.0:
            return _wound(grid, x, y)
        winding += _winding_of(ax, ay, bx, by, x, centre_y) - _winding_of(ax, ay, bx, by, centre_x, centre_y)
        winding += _winding_of(ay, ax, by, bx, centre_y, x) - _winding_of(ay, ax, by, bx, y, x)
    return winding


@part
def _wound(grid, x, y):
    """Winding number of a point, by the polygon edges of its row."""
    row = min(max(int((y - grid.low[1]) / grid.size), 0), grid.side - 1)
    winding = 0
    for place in range(grid.row_first[row], grid.row_first[row + 1]):
        edge = grid.row_edges[place]
        winding += _winding_of(grid.starts[edge, 0], grid.starts[edge, 1], grid.ends[edge, 0], grid.ends[edge, 1], x, y)
    return winding
