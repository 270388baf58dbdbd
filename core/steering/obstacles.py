# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles as directed edges, prepared once for many steps, and the edges near each agent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from .kernels.arrays import Bool, Float64, Int64, Ragged, Segments

CHUNK = 4096
MOST_CELLS = 2**20


@dataclass(frozen=True, eq=False)
class ObstacleSegments:
    """Edges of obstacles, ready for `orca.new_velocity`; made by `prepare_obstacles`.

    Attributes:
        segments: all edges, those of obstacles that stand still first.
        standing: how many stand still.
    """

    segments: Segments
    standing: int
    _grids: dict[float, _Grid] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return self.segments.start.shape[0]

    def grid_for(self, reach: float) -> _Grid:
        """The grid of edges within `reach` [m], made at the first call for about that reach."""
        reach = 2.0 ** (math.ceil(4.0 * math.log2(max(reach, 1e-3))) / 4.0)
        if reach not in self._grids:
            self._grids[reach] = _make_grid(self.segments, reach)
        return self._grids[reach]


def prepare_obstacles(
    polygons: Iterable[ArrayLike] = (),
    walls: Iterable[ArrayLike] = (),
    velocities: Sequence[ArrayLike | None] | None = None,
) -> ObstacleSegments:
    """Obstacles as directed edges with all that does not change between steps.

    Args:
        polygons: float64 (V, 2) each [m], closed without repeating the first point. Counter-clockwise ones are solid
            inside; clockwise ones are solid outside (holes, courtyards, the bounds nobody leaves).
        walls: float64 (W, 2) each [m]: open lines that nobody passes from either side.
        velocities: for each polygon None (it stands), (2,) [m/s], or (V, 2), one for each corner, for one that turns.

    Returns:
        What `orca.new_velocity` takes as `obstacles`, as often as wanted.

    Raises:
        GeometryError: an outline of fewer than two different points, numbers that are not finite, velocities that do
            not match the polygons.
    """
    polygons = [np.asarray(polygon, dtype=np.float64) for polygon in polygons]
    moves = _checked_velocities(velocities, polygons)
    loops: list[Float64] = []
    drifts: list[Float64 | None] = []
    for n, polygon in enumerate(polygons):
        kept = _kept_points(polygon, f"polygons[{n}]", closed=True)
        loops.append(polygon[kept])
        drift = moves[n]
        drifts.append(None if drift is None else drift[kept])
    for n, wall in enumerate(walls):
        points = np.asarray(wall, dtype=np.float64)
        points = points[_kept_points(points, f"walls[{n}]", closed=False)]
        loops.append(np.concatenate((points, points[-2:0:-1])))  # there and back again: two-sided
        drifts.append(None)
    parts = [_edges_of(points, drift) for points, drift in zip(loops, drifts, strict=True)]
    standing = [part for part, drift in zip(parts, drifts, strict=True) if drift is None]
    moving = [part for part, drift in zip(parts, drifts, strict=True) if drift is not None]
    return ObstacleSegments(_joined(standing + moving), sum(part.start.shape[0] for part in standing))


def edges_near(obstacles: ObstacleSegments, position: Float64, reach: Float64) -> Ragged:
    """The edges whose outer side agents see and that are nearer than their reach.

    Args:
        obstacles: prepared.
        position: float64 (A, 2) [m].
        reach: float64 (A,) [m].

    Returns:
        For each agent the numbers of edges: those that stand still first, then nearest first, then by number.
    """
    agents = position.shape[0]
    if not len(obstacles) or not agents:
        return Ragged(np.zeros(agents + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
    grid = obstacles.grid_for(float(reach.max()))
    parts = []
    for begin in range(0, agents, CHUNK):
        rows = slice(begin, begin + CHUNK)
        owner, edge = grid.candidates(position[rows])
        owner += begin
        near, distance2 = _visible(obstacles.segments, edge, position[owner], reach[owner])
        owner, edge = owner[near], edge[near]
        order = np.lexsort((edge, distance2, edge >= obstacles.standing, owner))
        parts.append((owner[order], edge[order]))
    owner = np.concatenate([part[0] for part in parts])
    first = np.zeros(agents + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=agents), out=first[1:])
    return Ragged(first, np.concatenate([part[1] for part in parts]))


def _visible(segments: Segments, edge: Int64, position: Float64, reach: Float64) -> tuple[Int64, Float64]:
    """Which pairs of edge and position count, and their squared distances."""
    start_x, start_y = segments.start[edge].T
    along_x, along_y = segments.end[edge].T - (start_x, start_y)
    x, y = position[:, 0] - start_x, position[:, 1] - start_y
    outside = np.flatnonzero(along_x * y - along_y * x < 0.0)
    along_x, along_y, x, y = along_x[outside], along_y[outside], x[outside], y[outside]
    s = (x * along_x + y * along_y) / (along_x * along_x + along_y * along_y)
    s = np.where(s < 0.0, 0.0, np.where(s > 1.0, 1.0, s))
    off_x, off_y = x - s * along_x, y - s * along_y
    distance2 = off_x * off_x + off_y * off_y
    near = distance2 < reach[outside] * reach[outside]
    return outside[near], distance2[near]


@dataclass(frozen=True, eq=False)
class _Grid:
    """For each cell that anybody near an edge can stand in, the edges that are in reach from it.

    Attributes:
        low: corner of the first cell [m].
        size: of a cell [m].
        columns: how many in a row.
        cells: int64 (C,), numbers of the cells that have edges, ascending.
        edges: which, for each of them.
    """

    low: Float64
    size: float
    shape: Int64
    cells: Int64
    edges: Ragged

    def candidates(self, position: Float64) -> tuple[Int64, Int64]:
        """Pairs of row of `position` and edge that may be in reach, grouped by row."""
        square = np.floor((position - self.low) / self.size)
        inside = np.logical_and.reduce((square >= 0.0) & (square < self.shape), axis=1)
        column, row = np.where(inside[:, None], square, 0).astype(np.int64).T
        cell = row * self.shape[0] + column
        at = np.minimum(np.searchsorted(self.cells, cell), self.cells.size - 1)
        known = inside & (self.cells[at] == cell)
        first = self.edges.first[at]
        lengths = np.where(known, self.edges.first[at + 1] - first, 0)
        skipped = first - (np.cumsum(lengths) - lengths)
        owner = np.repeat(np.arange(position.shape[0]), lengths)
        return owner, self.edges.items[np.repeat(skipped, lengths) + np.arange(owner.size)]


def _make_grid(segments: Segments, reach: float) -> _Grid:
    """Enter every edge into all cells from which it may be in reach: cell by cell along it, and around each piece."""
    low = np.minimum(segments.start, segments.end).min(axis=0) - reach
    high = np.maximum(segments.start, segments.end).max(axis=0) + reach
    size = max(0.5 * reach, float((high - low).max()) / MOST_CELLS)
    shape = ((high - low) / size).astype(np.int64) + 1
    length = np.sqrt(((segments.end - segments.start) ** 2).sum(axis=1))
    pieces = np.ceil(length / (2.0 * size)).astype(np.int64)
    edge = np.repeat(np.arange(length.size), pieces)
    number = np.arange(edge.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    along = (segments.end - segments.start)[edge]
    begin = segments.start[edge] + (number / pieces[edge])[:, None] * along
    end = segments.start[edge] + ((number + 1) / pieces[edge])[:, None] * along
    margin = reach + 1e-6 * size
    first = np.floor((np.minimum(begin, end) - margin - low) / size).astype(np.int64).clip(0, shape - 1)
    last = np.floor((np.maximum(begin, end) + margin - low) / size).astype(np.int64).clip(0, shape - 1)
    piece, cell = _cells_between(first, last, int(shape[0]))
    keys = np.unique(cell * length.size + edge[piece])
    cell, items = np.divmod(keys, length.size)
    cells, starts = np.unique(cell, return_index=True)
    return _Grid(low, size, shape, cells, Ragged(np.append(starts, cell.size), items))


def _cells_between(first: Int64, last: Int64, columns: int) -> tuple[Int64, Int64]:
    """All cells of rectangles of cells, and which rectangle each belongs to."""
    wide, tall = (last - first + 1).T
    number = np.repeat(np.arange(wide.size), wide * tall)
    inside = np.arange(number.size) - np.repeat(np.cumsum(wide * tall) - wide * tall, wide * tall)
    down, right = np.divmod(inside, wide[number])
    return number, (first[number, 1] + down) * columns + first[number, 0] + right


def _edges_of(points: Float64, drift: Float64 | None) -> Segments:
    """The edges of one closed outline, in its direction."""
    after = np.roll(points, -1, axis=0)
    edge = after - points
    unit = edge / np.sqrt((edge * edge).sum(axis=1))[:, None]
    unit_before, unit_after = np.roll(unit, 1, axis=0), np.roll(unit, -1, axis=0)
    before = np.roll(edge, 1, axis=0)
    turn: Float64 = before[:, 0] * edge[:, 1] - before[:, 1] * edge[:, 0]
    convex: Bool = turn >= 0.0
    drift = np.zeros_like(points) if drift is None else drift
    return Segments(
        points, after, unit, unit_before, unit_after, convex, np.roll(convex, -1), drift, np.roll(drift, -1, axis=0)
    )


def _joined(parts: list[Segments]) -> Segments:
    if not parts:
        empty, flags = np.zeros((0, 2)), np.zeros(0, dtype=np.bool_)
        return Segments(empty, empty, empty, empty, empty, flags, flags, empty, empty)
    return Segments(*(np.ascontiguousarray(np.concatenate(arrays)) for arrays in zip(*parts, strict=True)))


def _kept_points(points: Float64, name: str, *, closed: bool) -> Bool:
    """Which points of an outline or wall to keep: all but those that repeat the one before."""
    if points.ndim != 2 or points.shape[1] != 2:
        raise GeometryError(f"{name} must be an array of shape (points, 2), got {points.shape}")
    if not np.isfinite(points).all():
        raise GeometryError(f"{name} has points that are not finite")
    kept = (points != np.roll(points, 1, axis=0)).any(axis=1)
    if not closed:
        kept[:1] = True
    if kept.sum() < 2:
        raise GeometryError(f"{name} must have at least two different points, got {points.tolist()}")
    return kept


def _checked_velocities(velocities: Sequence[ArrayLike | None] | None, polygons: list[Float64]) -> list[Float64 | None]:
    """One velocity for each corner of each polygon, or None for a polygon that stands still."""
    if velocities is None:
        return [None] * len(polygons)
    if len(velocities) != len(polygons):
        raise GeometryError(f"there must be a velocity for each polygon: {len(polygons)}, got {len(velocities)}")
    checked: list[Float64 | None] = []
    for n, (velocity, polygon) in enumerate(zip(velocities, polygons, strict=True)):
        given = np.zeros(2) if velocity is None else np.asarray(velocity, dtype=np.float64)
        if given.shape not in {(2,), polygon.shape}:
            raise GeometryError(f"velocities[{n}] must have the shape (2,) or {polygon.shape}, got {given.shape}")
        if not np.isfinite(given).all():
            raise GeometryError(f"velocities[{n}] has numbers that are not finite")
        checked.append(np.broadcast_to(given, polygon.shape) if given.any() else None)
    return checked
