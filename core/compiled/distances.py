# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances to obstacles: twins of `distance_field` and `sampled_field`, and of `side_clearance` in the corridors."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Float64, Int64
from .compiling import entry, part, run_over, run_quick

_TOLERANCE = 1e-6  # [m] between two computations of one distance
_LINES_SERIAL = 32  # to hand fewer lines to threads takes longer than they do


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


class BinnedEdges(NamedTuple):
    """Edges of obstacles in square bins.

    Attributes:
        edges: float64 (S, 4), x and y of where they start and end [m].
        first, entries: int64, the edges of each bin: see `core.geometry.ragged.Lists`.
        corner: float64 (3,), x and y of the lower corner, and the side of a bin [m].
        most: int64 (2,), the last column and the last row of bins.
    """

    edges: Float64
    first: Int64
    entries: Int64
    corner: Float64
    most: Int64


def clearance_beside(points: Float64, first: Int64, reach: Float64, edges: BinnedEdges, together: int) -> Float64:
    """Return float64 (2, M), the distances to what is left and right of lines at their points, up to their reach.

    Args:
        points: float64 (M, 2), of all lines [m].
        first: int64 (N + 1,), the first point of each line, and all points.
        reach: float64 (N,), larger distances are not measured [m].
        edges: of the obstacles.
        together: points of a line for which edges are looked for at once.
    """
    room = np.empty((2, len(points)))
    run_over(len(reach), _beside, (points, first), reach, edges, together, room, serial_below=_LINES_SERIAL)
    return room


def warm_up() -> None:
    """Compile."""
    corners, none, one = np.zeros((1, 2)), np.zeros(2, dtype=np.int64), np.ones(1)
    lists, row_lists = (none, none[:0]), (none, none[:0])
    grid = CellGrid(np.array([[0.0, 0.0, 1.0, 1.0]]), 1, *lists, *row_lists, one[[0, 0]], 1.0, 1, 1.0, one, none[:1])
    signed_distance(grid, corners - 1.0, 1.0)
    nearest(grid, corners - 1.0)
    sampled_distance(SampleTiles(corners[0], 1.0, 1, 1, 1.0, none[:1], np.zeros((1, 4))), corners)
    bins = BinnedEdges(np.ones((1, 4)), none, none[:0], np.ones(3), none)
    clearance_beside(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0, 2]), one, bins, 1)


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
        middle_x, middle_y = low[0] + size * (cell % side + 0.5), low[1] + size * (cell // side + 0.5)
        apart = math.sqrt((x - middle_x) * (x - middle_x) + (y - middle_y) * (y - middle_y))
        if centre <= grid.half_diagonal and apart + _TOLERANCE >= centre + known:  # else no edge is between
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


@entry
def _beside(begin, end, lines, reach, grid, together, room):
    points, first = lines
    edges = grid.edges
    chosen, noted, number = np.empty(len(edges), dtype=np.int64), np.zeros(len(edges), dtype=np.int64), 0
    for line in range(begin, end):
        low, high, far = first[line], first[line + 1], reach[line]
        for block in range(low, high, together):
            until, number = min(block + together, high), number + 1
            count = _edges_near(points, block, until, far, grid, (chosen, noted), number)
            for row in range(block, until):
                along_x, along_y = _direction(points, low, high, row)
                room[0, row], room[1, row] = _room_beside(
                    points[row, 0], points[row, 1], along_x, along_y, far, edges, chosen[:count]
                )


@part
def _edges_near(points, begin, end, far, grid, lists, number):
    """List the edges whose boxes touch that of some points, each once; return how many."""
    (edges, listed, entries, corner, most), (chosen, noted) = grid, lists
    low_x = high_x = points[begin, 0]
    low_y = high_y = points[begin, 1]
    for row in range(begin + 1, end):
        low_x, high_x = min(low_x, points[row, 0]), max(high_x, points[row, 0])
        low_y, high_y = min(low_y, points[row, 1]), max(high_y, points[row, 1])
    low_x, high_x, low_y, high_y = low_x - far, high_x + far, low_y - far, high_y + far
    size, slack, count = corner[2], 1e-6, 0  # so that no edge is missed by a rounding
    left, right = _bin(low_x, corner[0], size, -slack, most[0]), _bin(high_x, corner[0], size, slack, most[0])
    lower, upper = _bin(low_y, corner[1], size, -slack, most[1]), _bin(high_y, corner[1], size, slack, most[1])
    for row in range(lower, upper + 1):
        for place in range(row * (most[0] + 1) + left, row * (most[0] + 1) + right + 1):
            for at in range(listed[place], listed[place + 1]):
                edge = entries[at]
                if noted[edge] != number and _touches(edges, edge, low_x, high_x, low_y, high_y):
                    chosen[count] = edge
                    count += 1
                noted[edge] = number
    return count


@part
def _bin(value, low, size, slack, most):
    return int(min(max(math.floor((value - low) / size + slack), 0.0), float(most)))


@part
def _touches(edges, edge, low_x, high_x, low_y, high_y):
    ax, ay, bx, by = edges[edge, 0], edges[edge, 1], edges[edge, 2], edges[edge, 3]
    return min(ax, bx) <= high_x and max(ax, bx) >= low_x and min(ay, by) <= high_y and max(ay, by) >= low_y


@part
def _piece(points, row):
    """Unit direction from a point to the next."""
    x, y = points[row + 1, 0] - points[row, 0], points[row + 1, 1] - points[row, 1]
    size = max(math.sqrt(x * x + y * y), 1e-300)
    return x / size, y / size


@part
def _direction(points, low, high, row):
    """Unit direction of a line at a point: the mean of the pieces that meet there, or that before a reversal."""
    before_x, before_y = _piece(points, row - 1 if row > low else row)
    x, y = before_x, before_y
    if low < row < high - 1:
        after_x, after_y = _piece(points, row)
        x, y = before_x + after_x, before_y + after_y
        if math.sqrt(x * x + y * y) < 1e-9:
            x, y = before_x, before_y
    size = max(math.sqrt(x * x + y * y), 1e-300)
    return x / size, y / size


@part
def _room_beside(x, y, along_x, along_y, far, edges, chosen):
    """Distances from a point to the nearest of some edges left and right of a direction, up to a limit."""
    left = right = far
    for edge in chosen:
        ax, ay, bx, by = edges[edge, 0], edges[edge, 1], edges[edge, 2], edges[edge, 3]
        if min(ax, bx) - far > x or max(ax, bx) + far < x or min(ay, by) - far > y or max(ay, by) + far < y:
            continue
        ax, ay, bx, by = ax - x, ay - y, bx - x, by - y
        side_a, side_b = along_x * ay - along_y * ax, along_x * by - along_y * bx
        run_x, run_y, change = bx - ax, by - ay, side_b - side_a
        ahead = -(ax * run_x + ay * run_y) / max(run_x * run_x + run_y * run_y, 1e-300)
        crossing = min(max(-side_a / change if change != 0.0 else 0.0, 0.0), 1.0)
        if side_a >= 0.0 or side_b >= 0.0:
            low, high = crossing if side_a < 0.0 else 0.0, crossing if side_b < 0.0 else 1.0
            left = min(left, _away(ax, ay, run_x, run_y, min(max(ahead, low), high)))
        if side_a <= 0.0 or side_b <= 0.0:
            low, high = crossing if side_a > 0.0 else 0.0, crossing if side_b > 0.0 else 1.0
            right = min(right, _away(ax, ay, run_x, run_y, min(max(ahead, low), high)))
    return left, right


@part
def _away(ax, ay, run_x, run_y, share):
    """Distance from the origin to the point of a segment at a share of its run."""
    x, y = ax + share * run_x, ay + share * run_y
    return math.sqrt(x * x + y * y)
