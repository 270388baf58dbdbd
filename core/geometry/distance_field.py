# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact signed distances to outlines and walls, fast for many points.

A grid of cells holds, for each cell, every segment that is nearest to some point of the cell. It is refined from one
cell, or one row of them where obstacles lie along a street, each child trying its parent's segments only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Bool, Float64, Int64
from ..compiled import twins
from .cell_windings import CellGrid, CellWindings
from .distances import KernelGrid
from .field_settings import FIELD
from .ragged import Lists
from .reproducible_math import ceil_log2, length
from .sampled_field import SampledField, diagonal, levels_of
from .segments import checked_points, closest_on_segments, edges_of, nearest_on_segments, rings_of

Polygon = tuple[ArrayLike, Sequence[ArrayLike]]

_DISTANCE_TOLERANCE = 1e-6  # [m] between two computations of one distance


@dataclass(frozen=True, eq=False)
class Guess:
    """Whether an obstacle is within some distance of points, estimated from the centre of the cell of each.

    Attributes:
        may_be: bool (N, P), whether one may be.
        middle: float64 (N, P, 2), centres of the cells; NaN for points outside the grid [m].
        looked: float64 (N, P), radius round the centre that is free where none may be [m].
        clear: float64 (N, P), distance from the centre to the nearest obstacle; 0 inside solid [m].
    """

    may_be: Bool
    middle: Float64
    looked: Float64
    clear: Float64


class ObstacleField:
    """Exact distances to a set of solid polygons with holes and of thin walls.

    Polygons may overlap: a point is inside where any of them is solid. Inside overlapping polygons the depth is that
    to the nearest edge of any, so it may be too small, never too large.
    """

    def __init__(self, polygons: Sequence[Polygon] = (), walls: Sequence[ArrayLike] = ()) -> None:
        """Build the grid.

        Args:
            polygons: pairs of an outline, float64 (V, 2) in either direction [m], and its holes, likewise.
            walls: open polylines, float64 (W, 2) [m].

        Raises:
            GeometryError: a coordinate is not finite.
        """
        checked = partial(checked_points, name="An obstacle")
        solid = [
            edges_of(ring) for outline, holes in polygons for ring in rings_of(checked(outline), map(checked, holes))
        ]
        thin = [(wall[:-1], wall[1:]) for wall in map(checked, walls)]
        nothing = [(np.zeros((0, 2)), np.zeros((0, 2)))]
        self._starts = np.concatenate([start for start, _ in nothing + solid + thin])
        self._ends = np.concatenate([end for _, end in nothing + solid + thin])
        self._solid = sum(len(start) for start, _ in solid)  # walls come after and have no inside
        self._sampled: dict[int, SampledField] = {}
        self.empty = not len(self._starts)
        run = self._ends - self._starts
        length2 = run[:, 0] * run[:, 0] + run[:, 1] * run[:, 1]
        self._segments = (*self._starts.T.copy(), *run.T.copy(), np.where(length2 > 0.0, length2, 1.0))
        if not self.empty:
            self._build_grid()

    def _build_grid(self) -> None:
        corners = np.concatenate((self._starts, self._ends))
        low, high = corners.min(axis=0), corners.max(axis=0)
        widest, middle = float(np.max(high - low)), 0.5 * (low + high)
        self._extent = widest + 2.0 * max(FIELD.margin, FIELD.margin_share * widest)
        self._low = middle - 0.5 * self._extent
        narrow = max(float(np.min(high - low)), widest / FIELD.longest_row)
        sides = high - low + 2.0 * max(FIELD.margin, FIELD.margin_share * float(np.sqrt(widest * narrow)))
        longest, shortest = float(sides.max()), float(sides.min())
        size = max(shortest, longest / min(round(longest / shortest), FIELD.longest_row))
        columns, rows = np.ceil(sides / size * (1.0 - 1e-9)).astype(int).tolist()
        self._grid = CellGrid(middle - 0.5 * size * np.array([columns, rows]), size, columns, rows)
        wanted = float(np.clip(FIELD.cells_per_segment * len(self._starts), FIELD.fewest_cells, FIELD.most_cells))
        numbers = np.arange(len(self._starts))
        self._cells = Lists(len(numbers) * np.arange(len(self._grid) + 1), np.tile(numbers, len(self._grid)))
        for _ in range(max((int(ceil_log2(wanted / len(self._grid))) + 1) // 2, 1)):
            self._refine(self._grid.halved())
        solid = self._starts[: self._solid], self._ends[: self._solid]
        self._windings = CellWindings(solid, self._cells, self._grid)
        self._centre_inside = self._windings.of_centres > 0

    def _refine(self, grid: CellGrid) -> None:
        """Halve the cells: each child keeps what may be nearest to any of its points."""
        parents, centres = grid.parents(), grid.centres(np.arange(len(grid)))
        slack = np.sqrt(2.0) * grid.size * (1.0 + 1e-9)  # the nearest changes by twice half the diagonal
        counts, kept, nearest = [], [], []
        for part in self._cells.chunks(parents):
            owner, segment = self._cells.pairs(parents[part])
            x, y = centres[part].take(owner, 0).T
            distance = np.sqrt(self._distance2(x, y, segment))
            least = np.minimum.reduceat(distance, np.flatnonzero(np.diff(owner, prepend=-1)))
            keep = distance <= least[owner] + slack
            counts.append(np.bincount(owner[keep], minlength=len(least)))
            kept.append(segment[keep])
            nearest.append(least)
        self._cells = Lists(np.concatenate(([0], np.cumsum(np.concatenate(counts)))), np.concatenate(kept))
        self._grid, self._centre_distance = grid, np.concatenate(nearest)

    @cached_property
    def _packed(self) -> Float64:
        """What compiled kernels take, see their `pack_grid`."""
        kernels: Any = twins.twin(twins.DISTANCES)
        grid = self._grid
        lattice = (*grid.low, grid.size, grid.columns, grid.rows, grid.half_diagonal)
        of_polygon = np.arange(len(self._starts)) < self._solid
        rows = self._windings.rows
        return kernels.pack_grid(
            lattice,
            (self._centre_distance, self._windings.of_centres),
            (self._cells.first, self._cells.entries),
            (rows.first, rows.entries),
            np.column_stack((self._starts, self._ends, of_polygon)),
        )

    @property
    def kernel_grid(self) -> KernelGrid | None:
        """What compiled kernels ask, within the margin: farther out a point counts as far from everything."""
        return None if self.empty else KernelGrid(self._packed, None)

    @property
    def lattice(self) -> tuple[float, ...]:
        """Where samples are taken: with the same lattice, distances far from changes are the same bits."""
        return () if self.empty else (*self._low.tolist(), self._extent)

    def signed_distance(self, points: ArrayLike, at_most: float = np.inf) -> Float64:
        """Distance to the nearest obstacle.

        Args:
            points: float64 (N, 2) [m].
            at_most: largest distance that is needed; points farther away get it at almost no cost [m].

        Returns:
            float64 (N,): distance [m], negative inside solid; inf (or `at_most`) where there are no obstacles.
        """
        points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        if self.empty:
            return np.full(len(points), at_most)
        kernels = twins.twin(twins.DISTANCES)
        in_grid = self._signed_in_grid if kernels is None else partial(kernels.signed_distance, self._packed)
        distance, outside = in_grid(points, at_most)
        if len(outside) and at_most > FIELD.margin:
            distance[outside] = np.minimum(nearest_on_segments(points[outside], self._starts, self._ends)[0], at_most)
        return distance

    def _signed_in_grid(self, points: Float64, at_most: float) -> tuple[Float64, Int64]:
        """Signed distances of points, up to a limit, and the rows of those outside the grid."""
        distance, cell = np.full(len(points), at_most), self._grid.cells_of(points)
        bound = self._lower_bounds.take(cell, mode="wrap")  # outside the grid, -1, that of any cell
        near = ((cell >= 0) & (bound < at_most)).nonzero()[0]
        if len(near):
            some, cells = points.take(near, 0), cell[near]
            least = np.sqrt(self._least_in_cells(some, cells))
            np.negative(least, out=least, where=self._inside(some, cells, least))
            distance[near] = np.minimum(least, at_most)
        return distance, (cell < 0).nonzero()[0]

    def about(self, points: ArrayLike, at_most: ArrayLike) -> Float64:
        """Distance to the nearest obstacle from samples, which are computed where first needed and kept.

        Args:
            points: float64 (N, 2) [m].
            at_most: float64 (N,) or one for all, largest distance that is needed; points farther away get it [m].

        Returns:
            float64 (N,): distance [m], negative inside solid. With `at_most` up to 0.6 m it is no more than 2 mm too
            large from 0.2 m on, and in the middle of a narrow gap up to 2 cm too small; with more, in proportion.
        """
        points = _rows(points)
        most = np.broadcast_to(np.asarray(at_most, dtype=np.float64), (len(points),))
        return np.minimum(self._sampled_at(points, levels_of(most)), most)

    def about_and_reach(self, points: ArrayLike, at_most: ArrayLike) -> tuple[Float64, Float64]:
        """Return the distances of `about`, and the radius round each point that they depend on, float64 (N,) [m].

        Samples depend on obstacles up to their limit, and in solid up to its nearest edge. Where all four samples of
        a point must exceed `at_most`, it does not matter by how much.
        """
        points = _rows(points)
        most = np.broadcast_to(np.asarray(at_most, dtype=np.float64), (len(points),))
        level = levels_of(most)
        sampled = self._sampled_at(points, level)
        limit = np.ldexp(FIELD.finest_limit, level)
        aside = diagonal(limit)
        known = np.where(sampled >= most + aside + _DISTANCE_TOLERANCE, most, np.maximum(limit, aside - sampled))
        return np.minimum(sampled, most), known + aside

    def may_be_within(self, points: ArrayLike, distance: ArrayLike) -> Bool:
        """Whether obstacles may be within some distance of points: False is certain, True is an estimate. Very fast.

        For a broad phase only: callers test exactly where it is True, and their result must not depend on the
        estimate. See `any_may_be_within` for others.

        Args:
            points: float64 (N, 2) [m].
            distance: float64 (N,) or one for all [m].

        Returns:
            bool (N,).
        """
        points = _rows(points)
        if self.empty:
            return np.zeros(len(points), dtype=bool)
        return self._guess(points)[2] < np.asarray(distance, dtype=np.float64)

    def any_may_be_within(self, points: Float64, distance: Float64) -> Bool:
        """Whether obstacles may be within some distance of any of P points: False is certain, True an estimate.

        Args:
            points: float64 (N, P, 2), P points for each [m].
            distance: float64 (N,) [m].

        Returns:
            bool (N,).
        """
        return np.any(self.guess(points, distance).may_be, axis=1)

    def guess(self, points: Float64, distance: Float64) -> Guess:
        """Return for each point the estimate of `any_may_be_within`; arguments as there."""
        if self.empty:
            nothing = np.zeros(points.shape[:2])
            return Guess(nothing > 0.0, points, nothing, nothing)
        cell, aside, at_least = self._guess(_rows(points))
        known = np.where(cell >= 0, 0.0, np.nan)
        middle = self._grid.centres(cell) + known[:, None]
        clear = np.where(self._centre_inside[cell], 0.0, self._centre_distance[cell])
        shape = points.shape[:2]
        return Guess(
            may_be=at_least.reshape(shape) < distance[:, None],
            middle=middle.reshape(points.shape),
            looked=distance[:, None] + aside.reshape(shape),
            clear=clear.reshape(shape),
        )

    def _guess(self, points: Float64) -> tuple[Int64, Float64, Float64]:
        """The cell of each point, its distance from the cell's centre, and a lower bound of its clearance."""
        cell = self._grid.cells_of(points)
        x, y = (points - self._grid.centres(np.maximum(cell, 0))).T
        aside = np.sqrt(x * x + y * y)
        at_least = np.where(self._centre_inside[cell], -np.inf, self._centre_distance[cell] - aside)
        return cell, aside, np.where(cell >= 0, at_least, FIELD.margin)

    def _sampled_at(self, points: Float64, level: Int64) -> Float64:
        """Sampled distances of points, each at its own level, up to the limit of that level."""
        if self.empty:
            return np.full(len(points), np.inf)
        distance, lowest, highest = np.empty(len(points)), int(np.min(level, initial=99)), int(np.max(level, initial=0))
        if lowest == highest:
            return self._about(points, lowest)
        for this in range(lowest, highest + 1):
            rows = np.flatnonzero(level == this)
            distance[rows] = self._about(points[rows], this)
        return distance

    def _about(self, points: Float64, level: int) -> Float64:
        limit = float(np.ldexp(FIELD.finest_limit, level))
        if limit > FIELD.margin or not SampledField.fits(self._extent, limit):
            return self.signed_distance(points, limit)
        if level not in self._sampled:
            self._sampled[level] = SampledField(self.signed_distance, self._low, self._extent, limit)
        return self._sampled[level].distance(points)

    def nearest(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """Nearest point on any edge or wall.

        Args:
            points: float64 (N, 2) [m].

        Returns:
            distance float64 (N,) [m], not signed; closest float64 (N, 2) [m]. Without obstacles: inf and NaN.
        """
        points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        if self.empty:
            return np.full(len(points), np.inf), np.full((len(points), 2), np.nan)
        kernels = twins.twin(twins.DISTANCES)
        in_grid = self._nearest_in_grid if kernels is None else partial(kernels.nearest, self._packed)
        distance, closest, outside = in_grid(points)
        distance[outside], closest[outside], _ = nearest_on_segments(points[outside], self._starts, self._ends)
        return distance, closest

    def _nearest_in_grid(self, points: Float64) -> tuple[Float64, Float64, Int64]:
        """Distances and nearest points, and the rows of points outside the grid."""
        cell = self._grid.cells_of(points)
        distance, closest = np.empty(len(points)), np.empty((len(points), 2))
        inside, outside = (cell >= 0).nonzero()[0], (cell < 0).nonzero()[0]
        distance2, segment = self._nearest_in_cells(points[inside], cell[inside])
        distance[inside] = np.sqrt(distance2)
        closest[inside] = closest_on_segments(points[inside], self._starts[segment], self._ends[segment])
        return distance, closest, outside

    @cached_property
    def _lower_bounds(self) -> Float64:
        """Lower bounds of the distances anywhere in the cells; -inf inside solid."""
        return np.where(self._centre_inside, -np.inf, self._centre_distance - self._grid.half_diagonal)

    def _distance2(self, x: Float64, y: Float64, segment: Int64) -> Float64:
        """The squared distance of each point, float64 (N,) x and y, from a segment each, as `closest_on_segments`."""
        start_x, start_y, run_x, run_y, length2 = (column.take(segment) for column in self._segments)
        share = (x - start_x) * run_x
        share += (y - start_y) * run_y
        share /= length2
        share.clip(0.0, 1.0, out=share)
        apart_x, apart_y = start_x + share * run_x - x, start_y + share * run_y - y
        return apart_x * apart_x + apart_y * apart_y

    def _nearest_in_cells(self, points: Float64, cell: Int64) -> tuple[Float64, Int64]:
        least, nearest = np.empty(len(points)), np.empty(len(points), dtype=np.int64)
        for part, counts, segment, distance2 in self._pairs_in_cells(points, cell, least):
            owner = np.arange(len(counts)).repeat(counts)
            hits = (distance2 == least[part][owner]).nonzero()[0][::-1]
            nearest[part][owner[hits]] = segment[hits]  # reversed: the first of equals stays
        return least, nearest

    def _least_in_cells(self, points: Float64, cell: Int64) -> Float64:
        least = np.empty(len(points))
        for _ in self._pairs_in_cells(points, cell, least):
            pass
        return least

    def _pairs_in_cells(
        self, points: Float64, cell: Int64, least: Float64
    ) -> Iterator[tuple[slice, Int64, Int64, Float64]]:
        """Find the least squared distances of points in cells, and yield those that they are of, part by part.

        Yields:
            A part of the points, how many segments are in the cell of each, and these with the squared distances.
        """
        for part in self._cells.chunks(cell):
            counts, segment = self._cells.joined(cell[part])
            x, y = (points[part, axis].repeat(counts) for axis in (0, 1))
            distance2 = self._distance2(x, y, segment)
            least[part] = np.minimum.reduceat(distance2, counts.cumsum() - counts) if len(counts) else distance2
            yield part, counts, segment, distance2

    def _inside(self, points: Float64, cell: Int64, distance: Float64) -> Bool:
        """Return which points in cells are inside solid, bool (N,), given their distances."""
        if not self._solid:
            return np.zeros(len(points), dtype=bool)
        inside, clear = self._centre_inside[cell], self._centre_distance[cell]
        mixed = (clear <= self._grid.half_diagonal).nonzero()[0]
        # No edge is between a point and the centre where two circles that are free of edges cover the way.
        apart = points.take(mixed, 0) - self._grid.centres(cell[mixed])
        free = clear[mixed] + distance[mixed]
        mixed = mixed[length(apart) + _DISTANCE_TOLERANCE >= free]
        if len(mixed):
            inside[mixed] = self._windings.at(points.take(mixed, 0), cell[mixed]) > 0
        return inside


def _rows(points: ArrayLike) -> Float64:
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)
