# SPDX-License-Identifier: GPL-3.0-or-later
"""Many lists of numbers in two arrays."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from ..array_types import Bool, Complex128, Float64, Int64

Numbers = TypeVar("Numbers", Float64, Complex128)

PAIRS_PER_CHUNK = 1 << 18
"""Entries that are processed in one array, to bound memory."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of numbers laid end to end: list k is `entries[first[k]:first[k + 1]]`."""

    first: Int64
    entries: Int64

    def pairs(self, lists: Int64) -> tuple[Int64, Int64]:
        """For the lists asked for: which of them (0, 1, ...) each entry belongs to, and the entry."""
        counts, entries = self.joined(lists)
        return np.arange(len(counts)).repeat(counts), entries

    def joined(self, lists: Int64) -> tuple[Int64, Int64]:
        """For the lists asked for: how many entries each has, and the entries of all."""
        begin = self.first.take(lists)
        counts = self.first.take(lists + 1) - begin
        place = np.repeat(begin - (counts.cumsum() - counts), counts)
        place += np.arange(len(place))
        return counts, self.entries.take(place)

    def chunks(self, lists: Int64) -> list[slice]:
        """Parts of the lists asked for whose entries together stay within bounds."""
        total = (self.first[lists + 1] - self.first[lists]).cumsum()
        if not len(total) or total[-1] <= PAIRS_PER_CHUNK:
            return [slice(0, len(lists))]
        marks = np.searchsorted(total, np.arange(PAIRS_PER_CHUNK, total[-1], PAIRS_PER_CHUNK))
        edges = np.unique(np.concatenate(([0], marks, [len(lists)])))
        return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def places_in(counts: Int64) -> tuple[Int64, Int64]:
    """For lists of so many entries, int64 (N,), laid end to end: the list of each entry, and its number there."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def rows_of_each(whose: Int64) -> list[Int64]:
    """The rows of each of some groups, ascending: of `whose`, int64 (N,), that names every group from 0 on."""
    order = np.argsort(whose.ravel(), kind="stable")
    return np.split(order, np.cumsum(np.bincount(whose.ravel()))[:-1]) if len(order) else []


def runs_of(mask: Bool) -> Int64:
    """The runs of True in a mask (N,): first and one past the last of each, int64 (R, 2)."""
    return np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]))).reshape(-1, 2)


class Runs(NamedTuple):
    """The runs of True in a mask (A, F), along its rows: first and one past the last of each in the flat mask (R,)."""

    first: Int64
    last: Int64

    @property
    def length(self) -> Int64:
        """Frames in each, int64 (R,)."""
        return self.last - self.first

    def inside(self) -> tuple[Int64, Int64]:
        """All places in runs in the flat mask, and the number of the run of each."""
        number = np.repeat(np.arange(len(self.first)), self.length)
        begun = np.concatenate([[0], np.cumsum(self.length)[:-1]]) if len(self.first) else np.zeros(0, dtype=np.int64)
        return np.arange(len(number)) - begun[number] + self.first[number], number


def runs_in(mask: Bool) -> Runs:
    """The runs of True along the rows of a mask (A, F)."""
    edges = np.zeros((len(mask), mask.shape[1] + 1), dtype=np.int8)
    edges[:, :-1] = mask
    edges[:, 1:] -= mask
    agent, first = np.nonzero(edges > 0)
    _, last = np.nonzero(edges < 0)  # in each row as many, in the same order
    return Runs(agent * mask.shape[1] + first, agent * mask.shape[1] + last)


def cumulative_sums(values: Numbers, first: Int64) -> Numbers:
    """Sums (N,) of the values of a run up to each, in the order of the values.

    Args:
        values: float64 or complex128 (N,), one run after the other.
        first: int64 (R + 1,), where each run begins, and N.
    """
    sums = np.empty_like(values)
    for run in map(slice, first[:-1], first[1:]):
        np.add.accumulate(values[run], out=sums[run])
    return sums
