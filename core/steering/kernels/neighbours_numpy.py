# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is near whom: numpy kernel."""

from __future__ import annotations

import numpy as np

from .arrays import Float64, Int64

CHUNK = 4096
NOBODY = np.iinfo(np.int64).max


def nearest(position: Float64, cell: Int64, stride: int, reach: float, count: int) -> Int64:
    """The nearest others of everybody, ordered by squared distance rounded to float32, then by index.

    Args:
        position: float64 (A, 2), ordered by cell [m].
        cell: int64 (A,), number of the cell that each stands in, ascending; cells are no smaller than `reach`.
        stride: difference of the numbers of a cell and the one above it.
        reach: how far to look; strictly nearer ones count [m].
        count: how many at most.

    Returns:
        int64 (count, A): -1 where there are fewer.
    """
    found = np.full((count, cell.size), -1)
    if not count:
        return found
    for begin in range(0, cell.size, CHUNK):
        rows = np.arange(begin, min(begin + CHUNK, cell.size))
        owner, other = _pairs_in_cells(cell, stride, rows)
        gap = position[other] - position[owner]
        distance2 = gap[:, 0] * gap[:, 0] + gap[:, 1] * gap[:, 1]
        near = np.flatnonzero((distance2 < reach * reach) & (owner != other))
        packed = _pack(distance2[near], other[near])
        ragged = np.bincount(owner[near] - begin, minlength=rows.size)
        found[:, rows] = _first_of(packed, ragged, count)
    return found


def _pairs_in_cells(cell: Int64, stride: int, rows: Int64) -> tuple[Int64, Int64]:
    """Each of `rows` with everybody in its own and the eight cells around, grouped by owner."""
    around = np.array([-stride, 0, stride])
    middle = cell[rows][:, None] + around  # (N, 3)
    first = np.searchsorted(cell, (middle - 1).ravel(), side="left")
    lengths = np.searchsorted(cell, (middle + 1).ravel(), side="right") - first
    total = int(lengths.sum())
    skipped = first - (np.cumsum(lengths) - lengths)
    other = np.repeat(skipped, lengths) + np.arange(total)
    owner = np.repeat(rows, lengths.reshape(-1, 3).sum(axis=1))
    return owner, other


def _pack(distance2: Float64, index: Int64) -> Int64:
    """Distance and index in one integer that sorts like the pair of them."""
    return (distance2.astype(np.float32).view(np.uint32).astype(np.int64) << 32) | index


def _first_of(packed: Int64, lengths: Int64, count: int) -> Int64:
    """The least `count` of each group of packed numbers, as indices, (count, groups)."""
    width = max(int(lengths.max(initial=0)), count)
    table = np.full((lengths.size, width), NOBODY)
    column = np.arange(packed.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    table[np.repeat(np.arange(lengths.size), lengths), column] = packed
    if width > count:
        table = np.partition(table, count - 1, axis=1)[:, :count]
    table = np.sort(table, axis=1).T
    return np.where(table == NOBODY, -1, table & 0xFFFFFFFF)


def close_pairs(position: Float64, reach: Float64, order: Int64, cell: Int64, stride: int) -> Int64:
    """All pairs nearer than the sum of their reaches, (M, 2), each once, sorted.

    Args:
        position: float64 (A, 2), in the callers' order [m].
        reach: float64 (A,) [m]; cells are no smaller than twice the largest.
        order: int64 (A,), rows by cell.
        cell: int64 (A,), cells in that order.
        stride: difference of the numbers of a cell and the one above it.

    Returns:
        int64 (M, 2).
    """
    parts = []
    for begin in range(0, cell.size, CHUNK):
        rows = np.arange(begin, min(begin + CHUNK, cell.size))
        owner, other = _pairs_in_cells(cell, stride, rows)
        once = owner < other
        owner, other = order[owner[once]], order[other[once]]
        gap = position[other] - position[owner]
        both = reach[owner] + reach[other]
        near = gap[:, 0] * gap[:, 0] + gap[:, 1] * gap[:, 1] < both * both
        parts.append(np.stack((owner[near], other[near]), axis=1))
    pairs = np.sort(np.concatenate(parts), axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
