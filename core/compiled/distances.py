# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to obstacles: twins of `distance_field`, `sampled_field` and `disc_field`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Bool, Float64, Int64
from .compiling import each_row, part, run_over

_TOLERANCE = 1e-6  # [m] between two computations of one distance
_FARTHER = 1.0  # [m] beyond a room: how far it is to obstacles there tells which points near by need not be asked


_HEAD, _CELL, _SEGMENT, _ROW = 9, 4, 5, 2
"""Numbers at the beginning of a grid, and of each cell, listed segment and row of cells in it."""
_OTHER, _BORDER = 7, 8
"""Places at its beginning: where a second grid begins, 0 for none, and how near outside that one nothing is [m]."""


def pack_grid(
    lattice: tuple[float, float, float, int, int, float],
    centres: tuple[Float64, Int64],
    cells: tuple[Int64, Int64],
    rows: tuple[Int64, Int64],
    segments: Float64,
) -> Float64:
    """Pack the grid of an `ObstacleField` into one array: to hand on many at each call would take most of the time.

    Args:
        lattice: the lower corner [m], the side of a cell [m], columns and rows, and half the diagonal of a cell [m].
        centres: distance, float64 (C,) [m], and winding number, int64 (C,), at the centres of the cells.
        cells: int64, the segments of each cell: first and entries of `core.geometry.ragged.Lists`.
        rows: likewise the polygon edges of each row of cells.
        segments: float64 (S, 5), x and y of where they start and end [m], and 1 for an edge of a polygon, else 0.

    Returns:
        float64, the lattice and where the rows begin; of each cell its distance and winding number, and where its
        segments begin and end in this array; the segments of all cells; where those of each row begin and end; these.
    """
    (in_cells, of_cells), (in_rows, of_rows) = ((first, segments[entries].ravel()) for first, entries in (cells, rows))
    begin = _HEAD + _CELL * len(centres[0])
    row_at = begin + len(of_cells)
    row_begin = row_at + _ROW * (len(in_rows) - 1)
    bounds = begin + _SEGMENT * in_cells
    of_centres = np.column_stack((*centres, bounds[:-1], bounds[1:]))
    row_bounds = row_begin + _SEGMENT * in_rows
    of_each_row = np.column_stack((row_bounds[:-1], row_bounds[1:]))
    return np.concatenate(
        ((*lattice, row_at, 0.0, 0.0), of_centres.ravel(), of_cells, of_each_row.ravel(), of_rows), dtype=np.float64
    )


def join_grids(grid: Float64, other: Float64, border: float) -> Float64:
    """Return two grids in one array, for the lesser distance of both.

    Args:
        grid: as `pack_grid` returns it.
        other: likewise.
        border: points outside the second one are at least so far from what is in it [m].
    """
    both = np.concatenate((grid, other))
    both[_OTHER], both[_BORDER] = len(grid), border
    return both


def signed_distance(grid: Float64, points: Float64, at_most: float) -> tuple[Float64, Int64]:
    """Return float64 (N,), signed distances of points (N, 2) [m], and the rows of those outside the grid."""
    distance, outside = np.empty(len(points)), np.zeros(len(points), dtype=np.bool_)
    run_over(len(points), _signed, grid, points, float(at_most), distance, outside)
    return distance, outside.nonzero()[0]


def nearest(grid: Float64, points: Float64) -> tuple[Float64, Float64, Int64]:
    """Return distances (N,), the nearest points (N, 2) [m], and the rows of points outside the grid."""
    distance, closest = np.empty(len(points)), np.empty((len(points), 2))
    outside = np.zeros(len(points), dtype=np.bool_)
    run_over(len(points), _nearest, grid, points, distance, closest, outside)
    return distance, closest, outside.nonzero()[0]


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
    missing = missing[missing >= 0]
    return distance, np.unique(missing) if len(missing) else missing


class PackedDiscs(NamedTuple):
    """Discs that stand, as `StandingDiscs` describes them.

    Attributes:
        each: float64 (K, 3), x, y and radius [m].
        box: float64 (4,), what holds them all: least x and y, greatest x and y [m].
        reach, far_reach: up to where they are looked for [m].
    """

    each: Float64
    box: Float64
    reach: float
    far_reach: float


def lessen(discs: PackedDiscs, points: Float64, distance: Float64) -> None:
    """Let float64 (N,), distances of points (N, 2), be those to discs within their reach where these are less [m]."""
    run_over(len(points), _lessen, discs, points, distance)


def discs_may_be_within(discs: PackedDiscs, points: Float64, distance: Float64) -> Bool:
    """Return bool (N,), whether a disc may be within distances, float64 (N,), of points (N, 2) [m]."""
    found = np.empty(len(points), dtype=np.bool_)
    run_over(len(points), _discs_may_be_within, discs, points, distance, found)
    return found


def warm_up() -> None:
    """Compile."""
    corners, none, one = np.zeros((1, 2)), np.zeros(2, dtype=np.int64), np.ones(1)
    lists = none, none[:0]
    grid = pack_grid((0.0, 0.0, 1.0, 1, 1, 1.0), (one, none[:1]), lists, lists, np.zeros((1, 5)))
    signed_distance(grid, corners - 1.0, 1.0)
    nearest(grid, corners - 1.0)
    sampled_distance(SampleTiles(corners[0], 1.0, 1, 1, 1.0, none[:1], np.zeros((1, 4))), corners)
    discs = PackedDiscs(np.zeros((1, 3)), np.zeros(4), 1.0, 1.0)
    lessen(discs, corners, one)
    discs_may_be_within(discs, corners, one)


# Parts take single arrays: to hand on many arrays at each call would take most of the time.


@part
def signed_at(grid, x, y, at_most):
    """Signed distance of a point up to a limit, and whether the point is outside the grid."""
    distance, is_outside = _signed_in(grid, x, y, at_most)
    if grid[_OTHER] > 0.0:
        distance = min(distance, _signed_in(grid[int(grid[_OTHER]) :], x, y, at_most)[0])
    return distance, is_outside


@part
def _signed_in(grid, x, y, at_most):
    """The same in a single grid."""
    cell, apart = cell_at(grid, x, y)
    if cell < 0:
        return at_most, True
    centre, winding, first, last = grid[cell], int(grid[cell + 1]), int(grid[cell + 2]), int(grid[cell + 3])
    known = at_most
    if winding > 0 or centre - grid[5] < at_most:
        known = math.sqrt(_least(grid, first, last, x, y)[0])
    if centre <= grid[5] and apart + _TOLERANCE >= centre + known:  # else no edge is between
        change, is_on_edge = _change(grid, first, last, x, y)
        winding += change
        if is_on_edge:  # there the two rays need not agree
            winding = _wound(grid, x, y)
    return min(at_most, -known if winding > 0 else known), False


@part
def nearest_at(grid, x, y):
    """Distance of a point, and the nearest point: x, y; nothing but an infinite distance outside the grid."""
    nearest = _nearest_in(grid, x, y)
    if grid[_OTHER] > 0.0:
        other = _nearest_in(grid[int(grid[_OTHER]) :], x, y)
        if other[0] < nearest[0]:
            return other
    return nearest


@part
def _nearest_in(grid, x, y):
    """The same in a single grid."""
    cell, _ = cell_at(grid, x, y)
    if cell < 0:
        return math.inf, math.nan, math.nan
    distance2, segment = _least(grid, int(grid[cell + 2]), int(grid[cell + 3]), x, y)
    close_x, close_y = _closest(grid, segment, x, y)
    return math.sqrt(distance2), close_x, close_y


@each_row(takes=0.1)
def _signed(begin, end, grid, points, at_most, distance, outside):
    for k in range(begin, end):
        distance[k], outside[k] = signed_at(grid, points[k, 0], points[k, 1], at_most)


@each_row(takes=0.1)
def _nearest(begin, end, grid, points, distance, closest, outside):
    for k in range(begin, end):
        distance[k], closest[k, 0], closest[k, 1] = nearest_at(grid, points[k, 0], points[k, 1])
        outside[k] = distance[k] == math.inf


@each_row(takes=0.025)
def _sampled(begin, end, samples, points, distance, missing):
    most, across, cells = samples.tiles * samples.cells * 1.0, samples.cells + 1, samples.cells * 1.0
    values = samples.values
    for k in range(begin, end):
        x, y = (points[k, 0] - samples.low[0]) / samples.spacing, (points[k, 1] - samples.low[1]) / samples.spacing
        distance[k] = samples.limit
        if not (x >= 0.0 and y >= 0.0 and x < most and y < most):
            continue
        column, row = int(x), int(y)
        right, above = int(column / cells), int(row / cells)  # of tiles; to divide whole numbers takes far longer
        tile = above * samples.tiles + right
        slot = samples.slot[tile]
        if slot < 0:
            missing[k] = tile
            continue
        corner = (row - above * samples.cells) * across + column - right * samples.cells
        past, up = x - column, y - row
        lower = values[slot, corner] + past * (values[slot, corner + 1] - values[slot, corner])
        corner += across
        upper = values[slot, corner] + past * (values[slot, corner + 1] - values[slot, corner])
        distance[k] = lower + up * (upper - lower)


@each_row(takes=0.05)
def _lessen(begin, end, discs, points, distance):
    for k in range(begin, end):
        for disc in range(len(discs.each)):
            x, y, radius = discs.each[disc]
            off_x, off_y = points[k, 0] - x, points[k, 1] - y
            gap = math.sqrt(off_x * off_x + off_y * off_y) - radius
            if gap < discs.reach and gap < distance[k]:
                distance[k] = gap


@each_row(takes=0.05)
def _discs_may_be_within(begin, end, discs, points, distance, found):
    for k in range(begin, end):
        x, y, asked = points[k, 0], points[k, 1], max(distance[k], 0.0)
        off_x = max(discs.box[0] - x, x - discs.box[2], 0.0)
        off_y = max(discs.box[1] - y, y - discs.box[3], 0.0)
        found[k] = off_x * off_x + off_y * off_y <= asked * asked
        if found[k] and distance[k] < discs.far_reach:
            found[k] = _is_occupied(discs.each, discs.far_reach, 0.5 * discs.far_reach, x, y)
        if found[k] and distance[k] < discs.reach:
            found[k] = _is_occupied(discs.each, discs.reach, discs.reach, x, y)


@part
def _is_occupied(discs, reach, size, x, y):
    """Whether a disc is within the reach of some point of the cell of a point; cells have a size."""
    column, row = math.floor(x / size), math.floor(y / size)
    for disc in range(len(discs)):
        at_x, at_y, radius = discs[disc]
        off_x = max(column * size - at_x, at_x - (column + 1) * size, 0.0)
        off_y = max(row * size - at_y, at_y - (row + 1) * size, 0.0)
        if off_x * off_x + off_y * off_y <= (radius + reach) * (radius + reach):
            return True
    return False


@part
def cell_at(grid, x, y):
    """Where the cell of a point is in the grid, and how far the point is from its centre.

    The place is -1 outside the grid and for what is not a number.
    """
    column, row, columns = (x - grid[0]) / grid[2], (y - grid[1]) / grid[2], grid[3]
    if not (column >= 0.0 and row >= 0.0 and column < columns and row < grid[4]):
        return -1, 0.0
    column, row = math.floor(column), math.floor(row)
    off_x, off_y = x - (grid[0] + grid[2] * (column + 0.5)), y - (grid[1] + grid[2] * (row + 0.5))
    return _HEAD + _CELL * (row * int(columns) + column), math.sqrt(off_x * off_x + off_y * off_y)


@part
def spare_at(grid, x, y):
    """A lower bound of the distance from a point to obstacles, -1 where none is known without looking closer."""
    spare = _spare_in(grid, x, y)
    if grid[_OTHER] > 0.0 and spare >= 0.0:
        other = grid[int(grid[_OTHER]) :]
        spare = min(spare, grid[_BORDER] if cell_at(other, x, y)[0] < 0 else _spare_in(other, x, y))
    return spare


@part
def room_at(grid, x, y, room):
    """Signed distance of a point up to a room, and by how much it is greater at least."""
    spare = spare_at(grid, x, y) - room
    if spare >= 0.0:
        return room, spare
    far = room + _FARTHER if grid[_OTHER] == 0.0 else max(room, min(room + _FARTHER, grid[_BORDER]))
    distance, is_outside = signed_at(grid, x, y, far)
    if distance < room - _TOLERANCE:
        return distance, 0.0
    if distance < room + _TOLERANCE or is_outside:
        return signed_at(grid, x, y, room)[0], 0.0
    return room, distance - room - _TOLERANCE


@part
def _spare_in(grid, x, y):
    """The same in a single grid."""
    cell, apart = cell_at(grid, x, y)
    return grid[cell] - apart - _TOLERANCE if cell >= 0 and grid[cell + 1] == 0.0 else -1.0


@part
def _closest(grid, segment, x, y):
    """The point of a segment that is nearest to a point."""
    start_x, start_y = grid[segment], grid[segment + 1]
    run_x, run_y = grid[segment + 2] - start_x, grid[segment + 3] - start_y
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
def _least(grid, first, last, x, y):
    """The least squared distance to segments between two places in the grid, and the first segment that has it."""
    best, nearest_one = math.inf, -1
    for segment in range(first, last, _SEGMENT):
        distance2 = _distance2(grid, segment, x, y)
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
def _change(grid, first, last, x, y):
    """Change of the winding number from the centre of a cell to a point, by x, then y; and whether an edge is met."""
    from_x = grid[0] + grid[2] * (math.floor((x - grid[0]) / grid[2]) + 0.5)
    from_y = grid[1] + grid[2] * (math.floor((y - grid[1]) / grid[2]) + 0.5)
    change = 0
    for edge in range(first, last, _SEGMENT):
        if grid[edge + 4] == 0.0:
            continue
        ax, ay, bx, by = grid[edge], grid[edge + 1], grid[edge + 2], grid[edge + 3]
        if _turn(ax, ay, bx, by, x, from_y) == 0.0 and _distance2(grid, edge, x, from_y) == 0.0:
            return 0, True
        change += _winding_of(ax, ay, bx, by, x, from_y) - _winding_of(ax, ay, bx, by, from_x, from_y)
        change += _winding_of(ay, ax, by, bx, from_y, x) - _winding_of(ay, ax, by, bx, y, x)
    return change, False


@part
def _wound(grid, x, y):
    """Winding number of a point, by the polygon edges of its row."""
    row = int(grid[6]) + _ROW * min(max(int((y - grid[1]) / grid[2]), 0), int(grid[4]) - 1)
    winding = 0
    for edge in range(int(grid[row]), int(grid[row + 1]), _SEGMENT):
        winding += _winding_of(grid[edge], grid[edge + 1], grid[edge + 2], grid[edge + 3], x, y)
    return winding
