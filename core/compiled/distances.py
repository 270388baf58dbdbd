# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to obstacles: twins of `core.geometry.distance_field` and `core.geometry.sampled_field`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Float64, Int64
from .compiling import entry, part, run_quick


class CellGrid(NamedTuple):
    """The grid of an `ObstacleField`.

    Attributes:
        segments: float64 (S, 4), x and y of where they start and end, polygon edges first [m].
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

    segments: Float64
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
    run_quick(len(points), _signed, grid, points, float(at_most), distance, outside)
    return distance, np.flatnonzero(outside)


def nearest(grid: CellGrid, points: Float64) -> tuple[Float64, Float64, Int64]:
    """Return distances (N,), the nearest points (N, 2) [m], and the rows of points outside the grid."""
    distance, closest = np.empty(len(points)), np.empty((len(points), 2))
    outside = np.zeros(len(points), dtype=np.bool_)
    run_quick(len(points), _nearest, grid, points, distance, closest, outside)
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
    run_quick(len(points), _sampled, samples, points, distance, missing)
    return distance, np.unique(missing[missing >= 0])


def warm_up() -> None:
    """Compile."""
    corners, none, one = np.zeros((1, 2)), np.zeros(2, dtype=np.int64), np.ones(1)
    lists, row_lists = (none, none[:0]), (none, none[:0])
    grid = CellGrid(np.array([[0.0, 0.0, 1.0, 1.0]]), 1, *lists, *row_lists, one[[0, 0]], 1.0, 1, 1.0, one, none[:1])
    signed_distance(grid, corners - 1.0, 1.0)
    nearest(grid, corners - 1.0)
    sampled_distance(SampleTiles(corners[0], 1.0, 1, 1, 1.0, none[:1], np.zeros((1, 4))), corners)


# Parts take single arrays: to hand on many arrays at each call would take most of the time.


@entry
def _signed(begin, end, grid, points, at_most, distance, outside):
    segments, first, entries, low = grid.segments, grid.first, grid.entries, grid.low
    size, side, solid = grid.size, grid.side, grid.solid
    for k in range(begin, end):
        x, y = points[k, 0], points[k, 1]
        cell = _cell_of(low, size, side, x, y)
        if cell < 0:
            distance[k], outside[k] = at_most, True
            continue
        listed = entries[first[cell] : first[cell + 1]]
        winding, centre = grid.centre_winding[cell], grid.centre_distance[cell]
        known = at_most
        if winding > 0 or centre - grid.half_diagonal < at_most:
            known = math.sqrt(_least(segments, listed, x, y)[0])
        if centre <= grid.half_diagonal:
            middle_x, middle_y = low[0] + size * (cell % side + 0.5), low[1] + size * (cell // side + 0.5)
            change, is_on_edge = _change(segments, listed, solid, middle_x, middle_y, x, y)
            winding += change
            if is_on_edge:  # there the two rays need not agree
                row = min(max(int((y - low[1]) / size), 0), side - 1)
                winding = _wound(segments, grid.row_edges[grid.row_first[row] : grid.row_first[row + 1]], x, y)
        if winding > 0:
            known = -known
        distance[k] = min(at_most, known)


@entry
def _nearest(begin, end, grid, points, distance, closest, outside):
    segments, first, entries, low = grid.segments, grid.first, grid.entries, grid.low
    for k in range(begin, end):
        x, y = points[k, 0], points[k, 1]
        cell = _cell_of(low, grid.size, grid.side, x, y)
        if cell < 0:
            outside[k] = True
            continue
        distance2, segment = _least(segments, entries[first[cell] : first[cell + 1]], x, y)
        distance[k] = math.sqrt(distance2)
        closest[k, 0], closest[k, 1] = _closest(segments, segment, x, y)


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
def _cell_of(low, size, side, x, y):
    """The cell of a point, -1 outside the grid and for what is not a number."""
    column, row = (x - low[0]) / size, (y - low[1]) / size
    if column >= 0.0 and row >= 0.0 and column < side and row < side:
        return int(row) * side + int(column)
    return -1


@part
def _closest(segments, segment, x, y):
    """The point of a segment that is nearest to a point."""
    start_x, start_y = segments[segment, 0], segments[segment, 1]
    run_x, run_y = segments[segment, 2] - start_x, segments[segment, 3] - start_y
    length2 = run_x * run_x + run_y * run_y
    along = (x - start_x) * run_x + (y - start_y) * run_y
    share = along / (length2 if length2 > 0.0 else 1.0)
    share = 0.0 if share < 0.0 else min(share, 1.0)
    return start_x + share * run_x, start_y + share * run_y


@part
def _distance2(segments, segment, x, y):
    close_x, close_y = _closest(segments, segment, x, y)
    close_x, close_y = close_x - x, close_y - y
    return close_x * close_x + close_y * close_y


@part
def _least(segments, listed, x, y):
    """The least squared distance to some segments, and the first segment that has it."""
    best, nearest_one = math.inf, -1
    for segment in listed:
        distance2 = _distance2(segments, segment, x, y)
        if distance2 < best:
            best, nearest_one = distance2, segment
    return best, nearest_one


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
def _change(segments, listed, solid, from_x, from_y, x, y):
    """Change of the winding number from a centre to a point, along x, then along y; and whether an edge is met."""
    change = 0
    for edge in listed:
        if edge >= solid:
            continue
        ax, ay, bx, by = segments[edge, 0], segments[edge, 1], segments[edge, 2], segments[edge, 3]
        if _turn(ax, ay, bx, by, x, from_y) == 0.0 and _distance2(segments, edge, x, from_y) == 0.0:
            return 0, True
        change += _winding_of(ax, ay, bx, by, x, from_y) - _winding_of(ax, ay, bx, by, from_x, from_y)
        change += _winding_of(ay, ax, by, bx, from_y, x) - _winding_of(ay, ax, by, bx, y, x)
    return change, False


@part
def _wound(segments, edges, x, y):
    """Winding number of a point, by the polygon edges of its row."""
    winding = 0
    for edge in edges:
        winding += _winding_of(segments[edge, 0], segments[edge, 1], segments[edge, 2], segments[edge, 3], x, y)
    return winding
