# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows that places on many paths are looked up in: of tables all of them, of paths kept small those near people.

Row k of a path is valid from node k to the next. Each path has one more row in front, k = -1, and one behind, for the
straight lines before and after it. Rows are made when somebody comes there; their bits do not depend on when. Behind
the last row that there is stands one more, of which only the linear values are known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...array_types import Int64
from ...compiled import twins
from .path_tables import AnyPath, PathTable
from .walked_path import Nodes, WalkedPath, make_rows_compiled, nodes_of

ROWS, BEHIND, SOON = 256, 24, 32
"""Rows that are made of a path at least; how many of them are before those asked for; and how many remain when others
of a path are made, if any are made at all."""

PATHS_AT_ONCE = 256
"""Paths whose nodes are tabulated together, to bound memory."""

_NOWHERE = 1 << 40  # the first row of a path that has none: every row that is asked for is before it

LINEAR: tuple[str, ...] = ("height", "left", "right", "free_left", "free_right")
COLUMNS: tuple[str, ...] = ("x", "y", "heading", "curvature", "rate", *LINEAR)
"""Of a row: values at its node, and the rate of curvature from there; others are linear between it and the next row."""


class PathWindows:
    """The rows of P paths.

    Attributes:
        cell: float64 (P,), distance between nodes [m].
        first: int64 (P,), where row 0 of each path is, or would be.
        begin: int64 (P,), where the first row that there is of each path stands.
        low, high: int64 (P,), the rows that there are of each; none where `high` is less.
        span: uint64 (P,), `high` less `low`: a row is there where it is `low` or so much more at most.
        columns: float64 (10, R), see `COLUMNS`; of lengths in m, curvature in 1/m, its rate in 1/m2.
        named: the columns by their names.
    """

    def __init__(self, tables: Sequence[AnyPath], earlier: PathWindows | None = None) -> None:
        """Make the rows of tables.

        Args:
            tables: of all paths.
            earlier: rows of other paths; those of the same path at the same place are taken from there, with their
                memory: nobody may ask them any more.
        """
        count = len(tables)
        self._tables = tuple(tables)
        self.cell = np.array([table.cell for table in tables], dtype=np.float64)
        self._cells = np.array([table.cells for table in tables], dtype=np.int64)
        self.first, self.begin, self._room = (np.zeros(count, dtype=np.int64) for _ in range(3))
        self.low, self.high, self.span = np.full(count, _NOWHERE), np.full(count, -2), np.zeros(count, dtype=np.uint64)
        self._used, self.columns = 0, np.zeros((len(COLUMNS), 0))
        self.named = dict(zip(COLUMNS, self.columns, strict=True))
        if earlier is not None:
            self._take_over(earlier)
        whole = np.array([isinstance(table, PathTable) for table in tables], dtype=bool)
        missing = np.flatnonzero(whole & (self.high < 0))
        self._load(missing, np.full(len(missing), -1), self._cells[missing])
        self.is_whole = bool(whole.all())

    def _take_over(self, earlier: PathWindows) -> None:
        pairs = zip(self._tables, earlier._tables, strict=False)
        same = np.flatnonzero(np.array([one is other for one, other in pairs], dtype=bool))
        for name in ("first", "low", "high", "span"):
            getattr(self, name)[same] = getattr(earlier, name)[same]
        have = min(len(self.begin), len(earlier.begin))  # others of the same numbers take the room of theirs
        self.begin[:have], self._room[:have] = earlier.begin[:have], earlier._room[:have]
        self._used, self.columns = earlier._used, earlier.columns
        self.named = earlier.named

    def include(self, path: Int64, low: Int64, high: Int64) -> None:
        """Make rows of some paths, where there are none yet.

        Args:
            path: int64 (N,), whose; a path may be named more than once.
            low: int64 (N,), the first row that is needed, at least -1.
            high: int64 (N,), the last one, at most the number of the path's cells.
        """
        last = self.high[path]
        if not ((low < self.low[path]) | (high > last)).any():
            return
        # Who comes to the end of the rows soon is taken along: many together take hardly longer than one.
        ends = (low < self.low[path]) | ((high + SOON > last) & (last < self._cells[path]))
        wanted = np.unique(path[ends])
        of_wanted = np.full(len(self.low), -1)
        of_wanted[wanted] = np.arange(len(wanted))
        at, rows = of_wanted[path], (of_wanted[path] >= 0).nonzero()[0]
        least, most = np.full(len(wanted), np.iinfo(np.int64).max), np.full(len(wanted), -1)
        np.minimum.at(least, at[rows], low[rows])
        np.maximum.at(most, at[rows], high[rows])
        least = np.maximum(least - BEHIND, -1)
        most = np.minimum(np.maximum(most + SOON, least + ROWS - 1), self._cells[wanted])
        self._make_room(wanted, most - least + 2)
        for first in range(0, len(wanted), PATHS_AT_ONCE):
            some = slice(first, first + PATHS_AT_ONCE)
            self._load(wanted[some], least[some], most[some])

    def _load(self, paths: Int64, low: Int64, high: Int64) -> None:
        """Make the rows of paths between two rows each, instead of those that there are."""
        if not len(paths):
            return
        self._make_room(paths, high - low + 2)
        self.low[paths], self.high[paths], self.span[paths] = low, high, high - low
        self.first[paths] = self.begin[paths] - low
        kernels, small = twins.twin(twins.PATH_ROWS), self._small(paths)
        if kernels is not None and len(small) == len(paths):
            make_rows_compiled(kernels, small, low, high, self.columns, self.begin[paths])
            return
        cells = self._cells[paths]
        nodes = self._nodes(paths, np.maximum(low, 0), np.minimum(high + 1, cells))
        counts = high - low + 1
        row = np.arange(counts.sum()) + np.repeat(low - (np.cumsum(counts) - counts), counts)
        to_node = np.repeat(nodes.first[:-1] - np.maximum(low, 0), counts)
        last = np.repeat(cells, counts)
        here, there = (np.clip(row + more, 0, last) + to_node for more in (0, 1))
        into = row + np.repeat(self.begin[paths] - low, counts)
        cell = np.repeat(self.cell[paths], counts)
        curvature = nodes.curvature
        known = nodes.place.real, nodes.place.imag, nodes.heading, curvature
        for column, value in enumerate(known):
            self.columns[column, into] = value[here]
        self.columns[4, into] = (curvature[there] - curvature[here]) / cell
        self.columns[3, into[(row < 0) | (row == last)]] = 0.0  # curvature fades
        ends = np.cumsum(counts) - 1
        for column, name in enumerate(LINEAR, len(COLUMNS) - len(LINEAR)):
            value = getattr(nodes, name)
            self.columns[column, into] = value[here]
            self.columns[column, into[ends] + 1] = value[there[ends]]

    def _small(self, paths: Int64) -> list[WalkedPath]:
        """Those of some paths that are kept small."""
        return [table for table in (self._tables[path] for path in paths.tolist()) if isinstance(table, WalkedPath)]

    def _nodes(self, paths: Int64, low: Int64, high: Int64) -> Nodes:
        """The nodes of paths from one to another each: of either kind, whose tables have the same numbers."""
        small = self._small(paths)
        if len(small) == len(paths):
            return nodes_of(small, low, high)
        whole = [table for table in (self._tables[path] for path in paths.tolist()) if isinstance(table, PathTable)]
        stretches = [slice(a, b + 1) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        columns = {
            name: np.concatenate([getattr(table, name)[own] for table, own in zip(whole, stretches, strict=True)])
            for name in ("place", "heading", "curvature", "height", "left", "right", "free_left", "free_right")
        }
        return Nodes(first=np.cumsum([0, *(high - low + 1)]), **columns)

    def _make_room(self, paths: Int64, counts: Int64) -> None:
        """Find room for so many rows of each path: where its rows are, or behind all others."""
        more = (counts > self._room[paths]).nonzero()[0]
        needed = self._used + int(counts[more].sum())
        have = self.columns.shape[1]
        if needed > have:
            grown = np.zeros((len(COLUMNS), needed if not have else max(needed, have + have // 8)))
            grown[:, : self._used] = self.columns[:, : self._used]
            self.columns = grown
            self.named = dict(zip(COLUMNS, grown, strict=True))
        self.begin[paths[more]] = self._used + counts[more].cumsum() - counts[more]
        self._room[paths[more]] = counts[more]
        self._used = needed
