# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference paths: arc length s, offset d (left is positive), and what a planner needs to know about them.

The free width is `half_width` on each side, or `left` and `right` at each drawn point. A set evaluates many paths as
one array product, with the path number of each row in front.

s runs from 0 to `length`. An open path continues straight before and after; a closed one lap after lap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import cos_sin
from .clothoids import chord
from .free_width import free_width_of_lines
from .path_tables import AnyPath, build_tables, numbers_of
from .path_windows import PathWindows
from .reference_settings import ReferenceSettings

_SEARCH_CELLS = 10  # before and after the predicted s, among which the foot of the normal is searched
_FIRST_SEARCH_CELLS = 1  # the same at first: nearly always enough
_ROOT_STEPS = 40
_FOOT_TOLERANCE = 1e-6  # before the last step of Newton's, which squares it [m]
FOOT_SEARCH = (_SEARCH_CELLS, _ROOT_STEPS, _FOOT_TOLERANCE)  # as compiled kernels are told


class ReferenceSet:
    """Many paths packed into shared tables, so that agents on different paths are one array product.

    Row k of the tables is valid from node k to the next: place, heading, curvature and its rate. Each path has one
    more row in front and one behind, for the straight lines before and after it.

    Attributes:
        tables: of each path.
        lengths, half_widths: float64 (P,) [m]; the largest free width on a side anywhere.
        closed: bool (P,), whose last point joins the first.
        is_level: whether no path rises or falls.
    """

    def __init__(self, tables: Sequence[AnyPath], earlier: ReferenceSet | None = None) -> None:
        """Make the set.

        Args:
            tables: of each path.
            earlier: a set in which many of them have the same numbers: what it knows of them is taken from there.
        """
        self.tables = tuple(tables)
        self._earlier = earlier
        self._numbers = numbers_of(self.tables, None if earlier is None else (earlier.tables, earlier._numbers))
        self.lengths, self.half_widths, self._cell, self._lap_turn, closed, cells, level, heights = self._numbers
        self.closed, cells = closed > 0.0, cells.astype(np.int64)
        self._lowest, self._top = np.where(self.closed, 0, -1), np.where(self.closed, cells - 1, cells)
        self._lap = np.where(self.closed, self.lengths, 0.0)
        self._any_closed = bool(self.closed.any())
        self.is_level, self._heights = bool(level.all()), heights + 0.0  # no -0.0

    @cached_property
    def _windows(self) -> PathWindows:
        """The rows in which places are looked up, made when they are asked for; an earlier set hands over its own."""
        earlier, self._earlier = self._earlier, None
        while earlier is not None and "_windows" not in earlier.__dict__:  # nobody has looked up anything there
            earlier = earlier._earlier
        return PathWindows(self.tables, None if earlier is None else earlier.__dict__.pop("_windows"))

    def compiled_rows(self, kernels: Any) -> Any:
        """What compiled kernels take: their `PathRows`."""
        ends = self._lowest, self._top, (windows := self._windows).low, windows.high
        return kernels.PathRows(self._cell, self._lap, self._lap_turn, windows.first, *ends, windows.columns)

    def __deepcopy__(self, memo: object) -> ReferenceSet:
        """Itself: its paths never change."""
        return self

    @classmethod
    def from_polylines(
        cls,
        lines: Sequence[ArrayLike],
        closed: bool | Sequence[bool] = False,
        half_width: float | Sequence[float] = 1.0,
        settings: ReferenceSettings | None = None,
        *,
        left: Sequence[ArrayLike] | None = None,
        right: Sequence[ArrayLike] | None = None,
    ) -> ReferenceSet:
        """Make paths of many drawn lines, all at once: much faster than one by one.

        Args:
            lines: float64 (P, 2) or (P, 3) each, drawn points [m].
            closed: whether the last point joins the first; for all or per line.
            half_width: free width on each side; for all or per line [m].
            settings: see `ReferenceSettings`.
            left: per line float64 (P,), free width to the left of each of its points (such as the clearance there),
                instead of `half_width`; linear along the line between points [m].
            right: likewise to the right [m].

        Returns:
            The set, paths in the order of the lines.

        Raises:
            GeometryError: a line without two distinct points, a width that is not a positive number, or a side that is
                not one number for each point, not negative.
        """
        loops = [closed] * len(lines) if isinstance(closed, bool) else list(closed)
        widths = free_width_of_lines(lines, half_width, left, right)
        return cls(build_tables(lines, loops, widths, settings or ReferenceSettings()))

    def __len__(self) -> int:
        return len(self.tables)

    def to_cartesian(self, path: ArrayLike, s: ArrayLike, d: ArrayLike) -> Float64:
        """Places at s, d.

        Args:
            path: int (N,), the path of each.
            s: float64 (N,) [m].
            d: float64 (N,), positive to the left [m].

        Returns:
            float64 (N, 2) [m].
        """
        x, y, cos, sin, _, _ = self.frame(path, s)
        offset = np.asarray(d, dtype=np.float64)
        return np.stack((x - sin * offset, y + cos * offset), axis=-1)

    def frame(self, path: ArrayLike, s: ArrayLike) -> tuple[Float64, Float64, Float64, Float64, Float64, Float64]:
        """Place, direction and curvature of the line, as separate arrays.

        Args:
            path: int (...), the path of each.
            s: float64 (...) [m]; the two broadcast.

        Returns:
            x, y [m], cosine and sine of the heading, curvature [1/m], curvature rate [1/m2]: float64 (...) each.
        """
        kernels = twins.twin(twins.FRAMES)
        if kernels is not None:
            shape, rows = _flat(path, s)
            x, y, cos, sin, curvature, rate = self._asked(kernels, kernels.frame, rows).reshape(6, *shape)
            return x, y, cos, sin, curvature, rate
        row, past, _ = self._locate(path, s)
        x, y, heading, curvature, rate = self._columns(row, "x", "y", "heading", "curvature", "rate")
        along_x, along_y, cos, sin = chord(heading, curvature, rate, past)
        return x + along_x, y + along_y, cos, sin, curvature + rate * past, rate

    def pose(self, path: ArrayLike, s: ArrayLike) -> tuple[Float64, Float64, Float64, Float64]:
        """Place, heading and curvature of the line.

        Args:
            path: int (N,), the path of each.
            s: float64 (N,) [m].

        Returns:
            position (N, 2) [m], heading (N,) without jumps [rad], curvature (N,) [1/m], curvature_rate (N,) [1/m2].
        """
        x, y, _, _, curvature, rate = self.frame(path, s)
        return np.stack((x, y), axis=-1), self.heading(path, s)[0], curvature, rate

    def heading(self, path: ArrayLike, s: ArrayLike) -> tuple[Float64, Float64]:
        """Heading and curvature of the line, at a fraction of the cost of `pose`.

        Args:
            path: int (N,), the path of each.
            s: float64 (N,) [m].

        Returns:
            heading (N,) without jumps [rad], curvature (N,) [1/m].
        """
        kernels = twins.twin(twins.FRAMES)
        if kernels is not None:
            shape, rows = _flat(path, s)
            heading, curvature = self._asked(kernels, kernels.heading, rows)
            return heading.reshape(shape), curvature.reshape(shape)
        row, past, lap = self._locate(path, s)
        heading, curvature, rate = self._columns(row, "heading", "curvature", "rate")
        heading = heading + past * (curvature + 0.5 * rate * past)
        return heading + lap * self._lap_turn[np.asarray(path)], curvature + rate * past

    def curvature(self, path: ArrayLike, s: ArrayLike) -> tuple[Float64, Float64]:
        """Curvature of the line and how it changes.

        Args:
            path: int (...), the path of each.
            s: float64 (...) [m]; the two broadcast.

        Returns:
            curvature [1/m], curvature rate [1/m2]: float64 (...) each.
        """
        row, past, _ = self._locate(path, s)
        curvature, rate = self._columns(row, "curvature", "rate")
        return curvature + rate * past, rate

    def height(self, path: ArrayLike, s: ArrayLike) -> Float64:
        """Height of the drawn line.

        Args:
            path: int (N,), the path of each.
            s: float64 (N,) [m].

        Returns:
            float64 (N,), z [m].
        """
        if self.is_level:
            found, shape = self._heights[np.asarray(path)], np.shape(s)
            return found if found.shape == shape else np.broadcast_to(found, np.broadcast_shapes(found.shape, shape))
        row, past, _ = self._locate(path, s)
        return self._value("height", path, row, past)

    def limits(self, path: ArrayLike, s: ArrayLike) -> tuple[Float64, Float64]:
        """Where people walk: within the free width, and in bends not too near their centre.

        Args:
            path: int (N,), the path of each.
            s: float64 (N,) [m].

        Returns:
            d_right (N,), negative, and d_left (N,), positive [m].
        """
        right, left = self.bend_limits(path, s)
        free_right, free_left = self.free_width(path, s)
        return np.maximum(right, -free_right), np.minimum(left, free_left)

    def free_width(self, path: ArrayLike, s: ArrayLike) -> tuple[Float64, Float64]:
        """Free width on each side, for whole bodies: the width, or what was given along the line.

        Args:
            path: int (N,), the path of each.
            s: float64 (N,) [m].

        Returns:
            right (N,) and left (N,), both positive [m].
        """
        row, past, _ = self._locate(path, s)
        return self._value("free_right", path, row, past), self._value("free_left", path, row, past)

    def bend_limits(self, path: ArrayLike, s: ArrayLike) -> tuple[Float64, Float64]:
        """Limits of the offset in bends, regardless of the width.

        Args:
            path: int (N,), the path of each.
            s: float64 (N,) [m].

        Returns:
            d_right (N,), negative, and d_left (N,), positive [m].
        """
        row, past, _ = self._locate(path, s)
        return -self._value("right", path, row, past), self._value("left", path, row, past)

    def speed_limit(self, path: ArrayLike, s: ArrayLike, lateral_acceleration: float) -> Float64:
        """Speed at which the bends of the line can be walked.

        Args:
            path: int (N,), the path of each.
            s: float64 (N,) [m].
            lateral_acceleration: accepted [m/s2].

        Returns:
            float64 (N,) [m/s]; inf where the line is straight.
        """
        bend = np.abs(self.curvature(path, s)[0])
        with np.errstate(divide="ignore"):
            return np.sqrt(lateral_acceleration / bend)

    def to_frenet(self, path: ArrayLike, xy: ArrayLike, s_near: ArrayLike) -> tuple[Float64, Float64]:
        """Express places by s and d.

        The foot of the normal from a place is where (p - r(s)).t(s) changes sign from + to -; of several, the one
        nearest the predicted s is taken, so that loops and hairpins are not confused.

        Args:
            path: int (N,), the path of each.
            xy: float64 (N, 2) [m].
            s_near: float64 (N,), predicted s; the search covers ten cells (1 m) around it [m].

        Returns:
            s (N,), d (N,) [m]. Where no normal passes through the place: the nearest node searched.
        """
        xy = np.asarray(xy, dtype=np.float64)
        path, s_near, _ = np.broadcast_arrays(path, np.asarray(s_near, dtype=np.float64), xy[:, 0])
        kernels = twins.twin(twins.FRAMES)
        if kernels is not None:
            _, rows = _flat(path, s_near)
            project = partial(_project, kernels.to_frenet, np.ascontiguousarray(xy), kernels.Search(*FOOT_SEARCH))
            return self._asked(kernels, project, rows, around=_SEARCH_CELLS + 2)
        low, s, found = self._bracket(path, xy, s_near, _FIRST_SEARCH_CELLS)
        if len(rest := (~found).nonzero()[0]):
            low[rest], s[rest], found[rest] = self._bracket(path[rest], xy[rest], s_near[rest], _SEARCH_CELLS)
        high, d, open_rows = low + self._cell[path], np.empty(len(s)), found.nonzero()[0]
        if len(rest := (~found).nonzero()[0]):
            d[rest] = self._foot(path[rest], xy[rest], s[rest])[1]
        for _ in range(_ROOT_STEPS):
            if not len(open_rows):
                break
            along, d[open_rows], slope = self._foot(path[open_rows], xy[open_rows], s[open_rows])
            before = along > 0.0
            low[open_rows] = np.where(before, s[open_rows], low[open_rows])
            high[open_rows] = np.where(before, high[open_rows], s[open_rows])
            newton = s[open_rows] + along / np.maximum(slope, 0.02)
            outside = (newton < low[open_rows]) | (newton > high[open_rows])
            s[open_rows] = np.where(outside, 0.5 * (low[open_rows] + high[open_rows]), newton)
            is_open = (np.abs(along) > _FOOT_TOLERANCE) & (high[open_rows] - low[open_rows] > _FOOT_TOLERANCE)
            open_rows = open_rows[is_open]
        return s, d

    def _foot(self, path: Int64, xy: Float64, s: Float64) -> tuple[Float64, Float64, Float64]:
        """Distance of places ahead of the normal at s, distance to the left, and 1 - curvature d."""
        x, y, cos, sin, curvature, _ = self.frame(path, s)
        apart_x, apart_y = xy[:, 0] - x, xy[:, 1] - y
        d = apart_y * cos - apart_x * sin
        return apart_x * cos + apart_y * sin, d, 1.0 - curvature * d

    def _bracket(self, path: Int64, xy: Float64, s_near: Float64, cells: int) -> tuple[Float64, Float64, Bool]:
        """The cell with the foot of the normal (else a node), roughly where that is, and whether none is nearer."""
        cell = self._cell[path]
        nodes = (np.floor(s_near / cell) + np.arange(-cells, cells + 2)[:, None]) * cell  # (window, N)
        row, past, _ = self._locate(path, nodes + 1e-9 * cell)
        x, y, heading = self._columns(row, "x", "y", "heading")
        (cos, sin), apart_x, apart_y = cos_sin(heading), xy[:, 0] - x, xy[:, 1] - y
        along = apart_x * cos + apart_y * sin - past
        falls = (along[:-1] > 0.0) & (along[1:] <= 0.0)
        share = along[:-1] / np.where(falls, along[:-1] - along[1:], 1.0)
        foot = nodes[:-1] + share * cell
        off = np.where(falls, np.abs(foot - s_near), np.inf)
        best = np.argmin(off, axis=0)
        columns = np.arange(len(s_near))
        found = falls[best, columns]
        if cells < _SEARCH_CELLS:
            found &= off[best, columns] < cells * cell * (1.0 - 1e-9)
            return nodes[best, columns], foot[best, columns], found
        nearest = np.argmin(along**2 + (apart_y * cos - apart_x * sin) ** 2, axis=0)
        low = nodes[np.where(found, best, nearest), columns]
        return low, np.where(found, foot[best, columns], low), found

    def _locate(self, path: ArrayLike, s: ArrayLike) -> tuple[Int64, Float64, Float64]:
        """Row of the tables, distance from its node, and lap number of each s."""
        kernels = twins.twin(twins.FRAMES)
        if kernels is not None:
            shape, rows = _flat(path, s)
            row, past, lap = self._asked(kernels, kernels.locate, rows)
            return row.reshape(shape), past.reshape(shape), lap.reshape(shape)
        # A path with several s is looked up once: they are not broadcast to one shape here.
        path, s = np.asarray(path), np.asarray(s, dtype=np.float64)
        cell, lap, past = self._cell[path], np.zeros(()), s
        if self._any_closed:
            length = self.lengths[path]
            lap = np.where(self.closed[path], np.floor(s / length), 0.0)
            past = s - lap * length
        node, windows = np.floor(past / cell).astype(np.int64), self._windows
        after, span = node - windows.low[path], windows.span[path]
        if self._any_closed or (after.view(np.uint64) > span).any():
            node = np.minimum(np.maximum(node, self._lowest[path]), self._top[path])
            after = node - windows.low[path]
            if not windows.is_whole and (after.view(np.uint64) > span).any():
                windows.include(np.broadcast_to(path, node.shape).ravel(), node.ravel(), node.ravel())
                after = node - windows.low[path]
        return windows.begin[path] + after, past - np.maximum(node, 0) * cell, lap

    def _asked(self, kernels: Any, question: Callable[..., Any], rows: tuple[Int64, Float64], around: int = 0) -> Any:
        """The answer of a compiled kernel, which is None the first time where rows are missing."""
        answer = question(self.compiled_rows(kernels), *rows)
        if answer is None:
            self.have_rows(*rows, rows[1], around)
            answer = question(self.compiled_rows(kernels), *rows)
        return answer

    def have_rows(self, path: Int64, begin: Float64, end: Float64, around: int = 1) -> None:
        """Have the rows of stretches of open paths, from one place to another, (N,) each, and some cells around."""
        if not self._windows.is_whole:
            cell, ends = self._cell[path], (self._lowest[path], self._top[path])
            low, high = (np.floor(s / cell).astype(np.int64) for s in (begin, end))
            self._windows.include(path, np.clip(low - around, *ends), np.clip(high + around, *ends))

    def _value(self, name: str, path: ArrayLike, row: Int64, past: Float64) -> Float64:
        """A value so far after the nodes of some rows, linear between nodes."""
        (here,), (there,) = self._columns(row, name), self._columns(row + 1, name)
        return here + (there - here) / self._cell[np.asarray(path)] * past

    def _columns(self, row: Int64, *names: str) -> list[Float64]:
        """Columns of rows."""
        return [self._windows.named[name].take(row) for name in names]


def _project(kernel: Callable[..., Any], xy: Float64, search: Any, rows: Any, path: Int64, s_near: Float64) -> Any:
    """The answer of the kernel of projections."""
    return kernel(rows, path, xy, s_near, search)


def _flat(path: ArrayLike, s: ArrayLike) -> tuple[tuple[int, ...], tuple[Int64, Float64]]:
    """Numbers of paths and places on them as compiled kernels take them, after the shape that both have together."""
    paths, places = np.asarray(path), np.asarray(s)
    if paths.shape != places.shape:
        paths, places = np.broadcast_arrays(path, s)
    return paths.shape, (np.array(paths, dtype=np.int64).ravel(), np.array(places, dtype=np.float64).ravel())
