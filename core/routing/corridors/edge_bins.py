# SPDX-License-Identifier: GPL-3.0-or-later
"""Which edges may lie near boxes: by square bins, of which each keeps the edges that pass through it."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.ragged import Lists
from ...geometry.reproducible_math import length2

_MOST_BINS = 1024  # along a side
_SLACK = 1e-6  # of a bin's side, so that no edge is missed by a rounding


class EdgeBins:
    """Edges of obstacles in square bins."""

    def __init__(self, edges: tuple[Float64, Float64]) -> None:
        """Enter each edge, piece by piece, into the bins that it passes.

        Args:
            edges: float64 (S, 2) each, S >= 1, where they start and end [m].
        """
        self.lowest, self.highest = np.minimum(*edges), np.maximum(*edges)
        low, high = self.lowest.min(axis=0), self.highest.max(axis=0)
        run = edges[1] - edges[0]
        length = np.sqrt(length2(run))
        wide = float((high - low).max())
        self._size = max(wide / min(_MOST_BINS, 1 + int(np.sqrt(len(run)))), 1e-9)
        self._low, self._most = low, np.floor((high - low) / self._size).astype(np.int64)
        pieces = 1 + (length / self._size).astype(np.int64)
        edge = np.repeat(np.arange(len(run)), pieces)
        number = np.arange(len(edge)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        step = run[edge] / pieces[edge, None]
        begin = edges[0][edge] + number[:, None] * step
        of_bin = self._bins_between(np.minimum(begin, begin + step), np.maximum(begin, begin + step))
        piece, place = of_bin
        order = np.lexsort((edge[piece], place))
        place, entries = place[order], edge[piece[order]]
        new = np.ones(len(place), dtype=bool)
        new[1:] = (place[1:] != place[:-1]) | (entries[1:] != entries[:-1])
        count = int((self._most[0] + 1) * (self._most[1] + 1))
        self._lists = Lists(np.searchsorted(place[new], np.arange(count + 1)), entries[new])

    @property
    def grid(self) -> tuple[Int64, Int64, Float64, Int64]:
        """Of each bin the first of its edges, and their numbers; lower corner and side; last column and row."""
        return self._lists.first, self._lists.entries, np.append(self._low, self._size), self._most

    def near(self, low: Float64, high: Float64) -> tuple[Int64, Int64]:
        """Return pairs of a box and an edge whose own box touches it.

        Args:
            low: float64 (B, 2), lower corners of the boxes [m].
            high: float64 (B, 2), upper ones [m].

        Returns:
            Boxes and edges, int64 (K,) each, in the order of the boxes, then of the edges.
        """
        box, place = self._bins_between(low, high)
        row, edge = self._lists.pairs(place)
        box = box[row]
        touches = (self.lowest[edge] <= high[box]) & (self.highest[edge] >= low[box])
        keys = np.sort((box * len(self.lowest) + edge)[touches[:, 0] & touches[:, 1]])
        keys = keys[np.append(True, np.diff(keys) > 0)[: len(keys)]]
        return keys // len(self.lowest), keys % len(self.lowest)

    def _bins_between(self, low: Float64, high: Float64) -> tuple[Int64, Int64]:
        """Pairs of a box, by its row, and a bin that it touches: int64 (K,) each."""
        first, last = (
            np.clip(np.floor((corner - self._low) / self._size + slack), 0, self._most).astype(np.int64)
            for corner, slack in ((low, -_SLACK), (high, _SLACK))
        )
        wide, tall = (last - first + 1).T
        box = np.repeat(np.arange(len(low)), wide * tall)
        number = np.arange(len(box)) - np.repeat(np.cumsum(wide * tall) - wide * tall, wide * tall)
        column, row = first[box, 0] + number % wide[box], first[box, 1] + number // wide[box]
        return box, row * (self._most[0] + 1) + column
