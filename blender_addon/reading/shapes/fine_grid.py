# SPDX-License-Identifier: GPL-3.0-or-later
"""Footprints of scans: what hundreds of thousands of crossing edges enclose, on a grid of 4 mm. numpy only.

A union of polygons takes longer with every crossing of their edges, and the silhouette of a scan crosses itself at
every bump. On a grid the time depends on the length of the edges alone. A cell is covered where an edge touches it or a
neighbour, and where the edges wind round its middle. A cell has a key, row times width plus column; a covered run of a
row is the key of its first cell and the key after its last.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....core.array_types import Float64, Int64
from ....core.geometry import polygons
from .chains import trace_loops
from .joining import repair, signed_areas
from .simplify import simplify_ring


@dataclass(frozen=True)
class GridSettings:
    """How finely a footprint is read on a grid.

    The outline lies at most 2 mm inside and 18 mm outside the exact one: an edge touches its cell, the neighbours add
    another, and the corners of the cells, which lie within 1.5 cells of any straight edge, are dropped. As the thinnest
    run is three cells wide, its two sides stay apart.

    Attributes:
        cell: width of a cell [m]; a power of two makes its multiples exact.
        tolerance: largest distance of a dropped corner from the line that replaces it [cells].
        least_hole: holes with less area are filled [m2]; chosen: before it shrank, nobody could stand in it.
        most_steps: rows of edges that are taken at once; chosen: 150 MB.
    """

    cell: float = 2.0**-8
    tolerance: float = 1.5
    least_hole: float = 1e-4
    most_steps: int = 1 << 20


_SETTINGS = GridSettings()


class Edges(NamedTuple):
    """Edges of one body in plan.

    Attributes:
        border: float64 (B, 2, 2), directed edges that wind counter-clockwise round what they cover [m].
        cut: float64 (C, 2, 2), edges of closed rings, within which a part covers what an odd number of them holds [m].
        part: int64 (C,), the part of each.
        lines: float64 (L, 2, 2), edges that cover themselves only [m].
    """

    border: Float64
    cut: Float64
    part: Int64
    lines: Float64


def find_covered(edges: Edges) -> list[polygons.Shape]:
    """Find the footprint of a body from its edges.

    Args:
        edges: of the body.

    Returns:
        Pairs (outline, holes) that do not overlap [m].

    Raises:
        FootfallError: pyclipper is missing.
    """
    ends = np.concatenate([edges.border, edges.cut, edges.lines]) / _SETTINGS.cell
    if not len(ends):
        return []
    low = np.floor(ends.min(axis=(0, 1))) - 2.0  # room for neighbours
    columns, rows = (np.floor(ends.max(axis=(0, 1))) - low + 4.0).astype(np.int64).tolist()
    ends -= low
    downward = ends[:, 0, 1] > ends[:, 1, 1]
    ends[downward] = ends[downward, ::-1]
    borders, rings_end = len(edges.border), len(edges.border) + len(edges.cut)
    found = []
    for first, last in pairwise(_bands(ends[:, :, 1], rows)):
        steps = _steps(ends, first, last)
        edge, key, x = _crossings(steps, columns)
        winds, bounds = edge < borders, (edge >= borders) & (edge < rings_end)
        found += [
            _widened(_touched(steps, columns), columns),
            _runs(key[winds & downward[edge]], key[winds & ~downward[edge]]),
            _between(key[bounds], x[bounds], edges.part[edge[bounds] - borders], columns),
        ]
    rings = [
        (np.stack([loop % columns, loop // columns], axis=1) + low) * _SETTINGS.cell
        for loop in _contours(_joined(*found), columns)
    ]
    return repair(polygons.union(*_simplified(rings)))


def _simplified(rings: list[Float64]) -> tuple[list[Float64], list[Float64]]:
    """Simplify rings and divide them into outlines and holes, without the smallest."""
    simple = [simplify_ring(ring, _SETTINGS.tolerance * _SETTINGS.cell) for ring in rings]
    areas = signed_areas(simple).tolist()
    return (
        [ring for ring, area in zip(simple, areas, strict=True) if area > 0.0],
        [ring for ring, area in zip(simple, areas, strict=True) if area < -_SETTINGS.least_hole],
    )


def _bands(y: Float64, rows: int) -> list[int]:
    """Divide the rows so that edges take about equally many steps in each band: the first row of each, and the end."""
    order = np.argsort(y.sum(axis=1), kind="stable")
    steps = np.cumsum(1.0 + np.abs(y[order, 1] - y[order, 0]))
    middle = np.searchsorted(steps, np.arange(_SETTINGS.most_steps, steps[-1], _SETTINGS.most_steps))
    return [0, *np.unique(0.5 * y[order[middle]].sum(axis=1)).astype(np.int64).tolist(), rows]


class _Steps(NamedTuple):
    """The rows that edges pass: the number of the edge, the row, its lower and upper end, and its run per row."""

    edge: Int64
    row: Int64
    low: Float64
    high: Float64
    slope: Float64


def _steps(ends: Float64, first: int, last: int) -> _Steps:
    """Divide edges, the lower end first, into the rows that they pass, from the first up to the last."""
    near = np.flatnonzero((ends[:, 0, 1] < last) & (ends[:, 1, 1] >= first))
    low, high = ends[near, 0], ends[near, 1]
    bottom = np.maximum(np.floor(low[:, 1]).astype(np.int64), first)
    count = np.minimum(np.floor(high[:, 1]).astype(np.int64), last - 1) - bottom + 1
    rise = high[:, 1] - low[:, 1]
    slope = (high[:, 0] - low[:, 0]) / np.where(rise > 0.0, rise, 1.0)
    at = np.repeat(np.arange(len(near)), count)
    row = np.arange(len(at)) - np.repeat(np.cumsum(count) - count - bottom, count)
    return _Steps(near[at], row, low[at], high[at], slope[at])


def _touched(steps: _Steps, columns: int) -> Int64:
    """Find the cells that edges touch."""
    enter = np.where(steps.low[:, 1] >= steps.row, steps.low[:, 0], _along(steps, steps.row))
    leave = np.where(steps.high[:, 1] <= steps.row + 1, steps.high[:, 0], _along(steps, steps.row + 1))
    left, right = np.floor(np.minimum(enter, leave)), np.floor(np.maximum(enter, leave)) + 1.0
    return _joined((steps.row[:, None] * columns + np.stack([left, right], axis=1).astype(np.int64)).reshape(-1))


def _crossings(steps: _Steps, columns: int) -> tuple[Int64, Int64, Float64]:
    """Find where edges cross the middles of rows: the edge, the key of the first cell beyond, and the place along x."""
    middle = steps.row + 0.5
    crossed = (steps.low[:, 1] <= middle) & (middle < steps.high[:, 1])
    x = _along(steps, middle)[crossed]
    return steps.edge[crossed], steps.row[crossed] * columns + np.floor(x + 0.5).astype(np.int64), x


def _between(keys: Int64, x: Float64, part: Int64, columns: int) -> Int64:
    """Find the cells whose middles lie in an odd number of rings of any part."""
    # Rings of a part cross a row an even number of times: they begin and end a run by turns.
    return _joined(keys[np.lexsort((x, keys // columns, part))])


def _along(steps: _Steps, y: NDArray[Any]) -> Float64:
    """Return where edges are at a height, between their ends."""
    low, high = steps.low[:, 0], steps.high[:, 0]
    return np.clip(low + (y - steps.low[:, 1]) * steps.slope, np.minimum(low, high), np.maximum(low, high))


def _totals(plus: Int64, minus: Int64) -> tuple[Int64, Int64]:
    """Return each key once, in order, and how many more pluses than minuses there are up to it."""
    codes = np.sort(np.concatenate([2 * plus, 2 * minus + 1]))  # far quicker than sorting keys and signs apart
    keys, total = codes >> 1, np.cumsum(1 - 2 * (codes & 1))
    final = np.r_[keys[1:] != keys[:-1], np.ones(len(keys[:1]), dtype=bool)]
    return keys[final], total[final]


def _runs(plus: Int64, minus: Int64) -> Int64:
    """Return the runs of cells before which there are more pluses than minuses."""
    keys, total = _totals(plus, minus)
    covered = total > 0
    return keys[covered != np.r_[np.zeros(len(keys[:1]), dtype=bool), covered[:-1]]]


def _joined(*runs: Int64) -> Int64:
    keys = np.concatenate(runs)
    return _runs(keys[::2], keys[1::2])


def _widened(runs: Int64, columns: int) -> Int64:
    """Add to the cells of runs their eight neighbours."""
    wider = runs + np.tile([-1, 1], len(runs) // 2)
    return _joined(wider - columns, wider, wider + columns)


def _contours(runs: Int64, columns: int) -> list[Int64]:
    """Trace the outlines of runs, counter-clockwise, and their holes, clockwise: keys of cells' lower left corners."""
    starts, stops = runs[::2], runs[1::2]
    # On the line between two rows, the row above adds 1 and the row below takes 1: what differs from 0 is an edge.
    keys, total = _totals(np.concatenate([starts, stops + columns]), np.concatenate([stops, starts + columns]))
    left, right, side = keys[:-1, None], keys[1:, None], total[:-1]
    level = np.where(side[:, None] > 0, np.hstack([left, right]), np.hstack([right, left]))[side != 0]
    down, up = np.stack([starts + columns, starts], axis=1), np.stack([stops, stops + columns], axis=1)
    return [np.array(loop, dtype=np.int64) for loop in trace_loops(np.concatenate([level, down, up]))]
