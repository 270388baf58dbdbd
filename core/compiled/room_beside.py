# SPDX-License-Identifier: GPL-3.0-or-later
"""The room beside lines, and notes of where room was asked for: twins of `side_clearance` and of `ground_journal`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..array_types import Float64, Int64
from .compiling import each_row, entry, part, run_over


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
    run_over(len(reach), _beside, (points, first), reach, edges, together, room)
    return room


def mark_discs(
    points: Float64, radius: Float64, grid: Float64, numbers: tuple[int, int], row_of: Int64, frames: NDArray[np.int32]
) -> int:
    """Note discs in the frames of their levels and cells; see `GroundJournal.note_disc`.

    Args:
        points: float64 (N, 2), their centres; NaN is ignored [m].
        radius: float64 (N,), finite [m].
        grid: float64 (6,): its low corner and the side of its cells [m], columns, rows, and the least radius [m].
        numbers: steps of radii within each doubling, and the frame.
        row_of: int64 (L,), the row of each level, -1 where there is none.
        frames: int32 (M, cells), the first frame of each level and cell.

    Returns:
        A level without a row, for the caller to add it and ask again; -1 where all are noted.
    """
    return _mark(points, radius, grid, numbers, row_of, frames)


def warm_up() -> None:
    """Compile."""
    one, none = np.ones(1), np.zeros(2, dtype=np.int64)
    bins = BinnedEdges(np.ones((1, 4)), none, none[:0], np.ones(3), none)
    clearance_beside(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0, 2]), one, bins, 1)
    mark_discs(np.zeros((1, 2)), one, np.ones(6), (8, 1), none, np.zeros((1, 1), dtype=np.int32))


@each_row(takes=13.0)
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


@entry
def _mark(points, radius, grid, numbers, row_of, frames):
    classes, now = numbers
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        if not (math.isfinite(x) and math.isfinite(y)):
            continue
        level = _level_of(radius[k] / grid[5], classes)
        if level >= len(row_of) or row_of[level] < 0:
            return level
        column = int(min(max((x - grid[0]) / grid[2], 0.0), grid[3] - 1.0))
        line = int(min(max((y - grid[1]) / grid[2], 0.0), grid[4] - 1.0))
        cell = line * int(grid[3]) + column
        frames[row_of[level], cell] = min(frames[row_of[level], cell], now)
    return -1


@part
def _level_of(ratio, classes):
    """The least whole exponent of 2 that reaches the ratio to a power of 4 or 8: as `power` multiplies."""
    power, times = ratio, 1
    while times < classes:
        power *= power
        times *= 2
    mantissa, exponent = math.frexp(power)
    return exponent - (1 if mantissa == 0.5 else 0)
