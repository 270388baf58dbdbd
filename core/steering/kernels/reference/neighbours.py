# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is near whom: numpy kernel."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Bool, Float64, Int64, Strips

CHUNK = 1024
NOBODY = np.iinfo(np.int64).max
INDEX = 0xFFFFFFFF


def nearest(position: Float64, strips: Strips, reach: float, count: int, asks: Bool) -> Int64:
    """The nearest others of those who ask, ordered by squared distance rounded to float32, then by index.

    Args:
        position: float64 (A, 2), ordered along the strips [m].
        strips: how they were ordered.
        reach: how far to look; strictly nearer ones count [m].
        count: how many at most.
        asks: bool (A,).

    Returns:
        int64 (count, A): -1 where there are fewer, and for those who do not ask.
    """
    agents = strips.key.size
    found = np.full((count, agents), -1)
    if not count:
        return found
    x, y = np.ascontiguousarray(position.T)
    some = asks.nonzero()[0]
    for begin in range(0, len(some), CHUNK):
        rows = some[begin : begin + CHUNK]
        found[:, rows] = _nearest_of(rows, x, y, strips, reach, count)
    return found


def _nearest_of(rows: Int64, x: Float64, y: Float64, strips: Strips, reach: float, count: int) -> Int64:
    packed, kept = in_reach(rows, x, y, strips, reach)
    table = least_of(packed, kept, count).T
    return np.where(table == NOBODY, -1, table & INDEX)


def in_reach(rows: Int64, x: Float64, y: Float64, strips: Strips, reach: float) -> tuple[Int64, Int64]:
    """All others of some, who are nearer than `reach`, and how many each has.

    The others are packed as they are ordered: squared distance rounded to float32, and, in the bits of `INDEX`, who.
    """
    span = math.ceil(reach / strips.height)
    first, last = windows(y, strips, rows, np.arange(-span, span + 1), reach)
    other, lengths = listed(first, last)
    distance2 = squared(x, x[rows], other, lengths)
    distance2 += squared(y, y[rows], other, lengths)
    near = distance2 < reach * reach
    end = lengths.cumsum()
    oneself = rows - first[span]
    near[end - lengths + (last[:span] - first[:span]).sum(axis=0) + oneself] = False
    index = near.nonzero()[0]
    kept = np.diff(np.searchsorted(index, end), prepend=0)
    return _packed(distance2.take(index), other.take(index)), kept


def windows(
    y: Float64, strips: Strips, rows: slice | Int64, offsets: Int64, reach: Float64 | float
) -> tuple[Int64, Int64]:
    """For each strip at an offset from one's own: from which to which agent those in reach may be, (offsets, rows)."""
    bottom = strips.low + (strips.number[rows] + offsets[:, None]) * strips.height - y[rows]  # from one's own y
    gap = np.maximum(bottom, -(bottom + strips.height)) - strips.slack
    gap = np.maximum(gap, 0.0)
    half = np.sqrt(np.maximum(reach * reach - gap * gap, 0.0)) + strips.slack
    middle = strips.key[rows] + offsets[:, None] * strips.width
    first = np.searchsorted(strips.key, (middle - half).ravel())
    last = np.searchsorted(strips.key, (middle + half).ravel(), side="right")
    return first.reshape(half.shape), last.reshape(half.shape)


def listed(first: Int64, last: Int64) -> tuple[Int64, Int64]:
    """All agents in the windows (W, N), grouped by column, and how many each column has."""
    begin = first.T.ravel()
    lengths = last.T.ravel() - begin
    end = lengths.cumsum()
    other = (begin - (end - lengths)).repeat(lengths)
    other += np.arange(other.size)
    return other, (last - first).sum(axis=0)


def squared(array: Float64, own: Float64, other: Int64, lengths: Int64) -> Float64:
    """Squared difference of one coordinate between the listed agents and their owners."""
    gap = array.take(other)
    gap -= own.repeat(lengths)
    gap *= gap
    return gap


def _packed(distance2: Float64, index: Int64) -> Int64:
    """Distance and index in one integer that sorts like the pair of them."""
    packed = distance2.astype(np.float32).view(np.int32).astype(np.int64)
    packed <<= 32
    packed |= index
    return packed


def least_of(packed: Int64, lengths: Int64, count: int) -> Int64:
    """The least `count` of each group of packed numbers, ascending, (groups, count): `NOBODY` where there are fewer."""
    width = max(int(lengths.max()), count)
    table = np.full((lengths.size, width), NOBODY)
    end = lengths.cumsum()
    place = (np.arange(lengths.size) * width - (end - lengths)).repeat(lengths)
    place += np.arange(packed.size)
    table.ravel()[place] = packed
    if width > count:
        table = np.partition(table, count - 1, axis=1)[:, :count]
    return np.sort(table, axis=1)
