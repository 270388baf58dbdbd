# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of paths that are kept small: a twin of `core.planning.paths.walked_path`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..array_types import Float64, Int64
from .circular import cos_sin
from .compiling import each_row, part, run_over

GAUSS_NODES = (0.5 - 0.5 * math.sqrt(0.6), 0.5, 0.5 + 0.5 * math.sqrt(0.6))
GAUSS_WEIGHTS = (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)


class PathStretches(NamedTuple):
    """Stretches of P paths that are kept small: see `WalkedPath`.

    Attributes:
        low, high: int64 (P,), first row and last, of which row k is valid from node k to the next.
        cells: int64 (P,), of the whole path.
        sums_at: int64 (P,), the node up to which sums are kept, and from which curvature is given.
        poses: float64 (P, 6), x, y and heading of the path's start; displacement and angle turned up to `sums_at`.
        curvature: float64, from `sums_at`, or `reach` nodes before the first one if that is less, to as many behind.
        curvature_first: int64 (P, 2), where that of each path begins, and its first node.
        progress: float64, of the nodes.
        progress_first: int64 (P,), where that of each path begins.
        drawn: float64 (K, 4), of the drawn lines arc length, height, free width left and right [m].
        drawn_first: int64 (P + 1,), where that of each path begins.
        into: int64 (P,), the column into which the first row of each is written.
    """

    low: Int64
    high: Int64
    cells: Int64
    sums_at: Int64
    poses: Float64
    curvature: Float64
    curvature_first: Int64
    progress: Float64
    progress_first: Int64
    drawn: Float64
    drawn_first: Int64
    into: Int64


class BendNumbers(NamedTuple):
    """How bends limit the offset: the share of their radius, what is left of it at least, and the flattest bend.

    Attributes:
        share, least, flattest: see `BendSettings`.
        more: float64 (2 reach + 1,), what the limit of a node adds up to at the nodes before and behind it [m].
        cell: distance between nodes [m].
    """

    share: float
    least: float
    flattest: float
    more: Float64
    cell: float


def make_rows(stretches: PathStretches, bends: BendNumbers, columns: Float64) -> None:
    """Write the rows of stretches into float64 (10, R): see `PathWindows`."""
    run_over(len(stretches.low), _make_rows, stretches, bends, columns)


def warm_up() -> None:
    """Compile."""
    one, none = np.ones(1), np.zeros(1, dtype=np.int64)
    both, two = np.zeros((1, 2), dtype=np.int64), np.array([0, 1])
    kept = none, none, np.zeros((1, 6)), one, both, one, none, np.ones((1, 4)), two, none
    make_rows(PathStretches(none, none, *kept), BendNumbers(1.0, 1.0, 1.0, one, 1.0), np.zeros((10, 2)))


@part
def value_at(columns, name, row, past, cell):
    """A value so far behind the node of a row, linear between nodes, which are a cell apart."""
    return columns[name, row] + (columns[name, row + 1] - columns[name, row]) / cell * past


@each_row(takes=25.0)
def _make_rows(begin, end, stretches, bends, columns):
    for k in range(begin, end):
        low, high, into, last = stretches.low[k], stretches.high[k], stretches.into[k], stretches.cells[k]
        from_node, to_node = max(low, 0), min(high + 1, last)
        values = np.empty((9, to_node - from_node + 1))
        begun, first = stretches.curvature_first[k]
        curvature = stretches.curvature[begun:]
        _poses(stretches.poses[k], curvature, first, stretches.sums_at[k], from_node, bends.cell, values)
        _bend_limits(curvature, first, from_node, last, bends, values)
        drawn = stretches.drawn[stretches.drawn_first[k] : stretches.drawn_first[k + 1]]
        _drawn_columns(drawn, stretches.progress[stretches.progress_first[k] :], values)
        for row in range(low, high + 2):
            here, at = min(max(row, 0), last) - from_node, into + row - low
            for name in range(4, 9):
                value = values[name, here]
                # Memory that is only read, and never written, stays unused: most paths are level everywhere.
                if value != 0.0 or columns[name + 1, at] != 0.0:
                    columns[name + 1, at] = value
            if row <= high:
                there = min(max(row + 1, 0), last) - from_node
                for name in range(4):
                    columns[name, at] = values[name, here]
                columns[4, at] = (values[3, there] - values[3, here]) / bends.cell
            if row < 0 or row == last:
                columns[3, at] = 0.0


@part
def _poses(pose, curvature, first, sums_at, from_node, cell, values):
    """Write places, headings and curvature of nodes."""
    start_x, start_y, begun, x, y, angle = pose
    for node in range(sums_at, from_node + values.shape[1]):
        here = curvature[node - first]
        if node > sums_at:
            before = curvature[node - 1 - first]
            step_x, step_y = chord_of_cell(begun + angle, before, (here - before) / cell, cell)
            x, y = x + step_x, y + step_y
            angle += 0.5 * (before + here) * cell
        if node >= from_node:
            at = node - from_node
            values[0, at], values[1, at], values[2, at], values[3, at] = start_x + x, start_y + y, begun + angle, here


@part
def chord_of_cell(heading, curvature, rate, cell):
    """Return the displacement along a cell."""
    x = y = 0.0
    for k in range(3):
        along = GAUSS_NODES[k] * cell
        cos, sin = cos_sin(heading + along * (curvature + 0.5 * rate * along))
        x, y = x + GAUSS_WEIGHTS[k] * cos, y + GAUSS_WEIGHTS[k] * sin
    return x * cell, y * cell


@part
def _bend_limits(curvature, first, from_node, last, bends, values):
    """Write the limits that bends before and behind nodes set on the offset: nowhere more than a bend allows."""
    count, across = values.shape[1], len(bends.more)
    limits = np.empty((2, count + across - 1))
    for k in range(limits.shape[1]):
        bend = curvature[min(max(from_node + k - across // 2, 0), last) - first]
        for side in range(2):
            radius = 1.0 / max(-bend if side else bend, bends.flattest)
            limits[side, k] = min(bends.share * radius, max(radius - bends.least, 0.0))
    for side in range(2):
        for k in range(count):
            values[5 + side, k] = limits[side, k] + bends.more[0]
        for offset in range(1, across):
            for k in range(count):
                values[5 + side, k] = min(values[5 + side, k], limits[side, k + offset] + bends.more[offset])


@part
def _drawn_columns(drawn, progress, values):
    """Write what is linear between the drawn points: height, free width on each side."""
    at, slopes = -1, np.zeros(3)
    for k in range(values.shape[1]):
        u = progress[k]
        while at < 0 or (at < len(drawn) - 1 and drawn[at + 1, 0] <= u):
            at += 1
            for column in range(3):
                slopes[column] = 0.0
                if at < len(drawn) - 1 and drawn[at + 1, 0] > drawn[at, 0]:
                    change = drawn[at + 1, column + 1] - drawn[at, column + 1]
                    slopes[column] = change / (drawn[at + 1, 0] - drawn[at, 0])
        past = max(u - drawn[at, 0], 0.0)
        values[4, k] = slopes[0] * past + drawn[at, 1]
        values[7, k], values[8, k] = slopes[1] * past + drawn[at, 2], slopes[2] * past + drawn[at, 3]
