# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles as directed edges, prepared once for many steps, and the edges near each agent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from .edge_grid import EdgeGrid, make_grid
from .kernels.arrays import Bool, Float64, Int64, Ragged, Segments

CHUNK = 4096

STILL = 1e-9
"""An obstacle none of whose corners moves faster stands still [m/s]."""


@dataclass(frozen=True, eq=False)
class ObstacleSegments:
    """Edges of obstacles, ready for `orca.new_velocity`; made by `prepare_obstacles`.

    Attributes:
        segments: all edges.
    """

    segments: Segments
    _parts: tuple[_Part, ...] = ()

    def __len__(self) -> int:
        return self.segments.start.shape[0]

    def with_moving(self, polygons: Iterable[ArrayLike], velocities: Sequence[ArrayLike | None]) -> ObstacleSegments:
        """These obstacles and some more, whose places hold for one step; nothing of these is prepared anew.

        Args:
            polygons: as in `prepare_obstacles`.
            velocities: as in `prepare_obstacles`.

        Returns:
            Both together.

        Raises:
            GeometryError: as `prepare_obstacles`.
        """
        return _joined((*self._parts, *prepare_obstacles(polygons, velocities=velocities)._parts))


@dataclass(frozen=True, eq=False)
class _Part:
    """Edges that were prepared together, with their grids for several reaches, each made when first asked for."""

    segments: Segments
    grids: dict[float, EdgeGrid] = field(default_factory=dict)

    def grid_for(self, reach: float) -> EdgeGrid:
        reach = 2.0 ** (math.ceil(4.0 * math.log2(max(reach, 1e-3))) / 4.0)  # rounded up, so that few are made
        if reach not in self.grids:
            self.grids[reach] = make_grid(self.segments, reach)
        return self.grids[reach]


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
    outlines = [np.asarray(polygon, dtype=np.float64) for polygon in polygons]
    kept = [_kept_points(points, f"polygons[{n}]", closed=True) for n, points in enumerate(outlines)]
    drifts = _checked_velocities(velocities, outlines)
    edges = [_edges_of(points[k], drift[k]) for points, k, drift in zip(outlines, kept, drifts, strict=True)]
    for n, wall in enumerate(walls):
        points = np.asarray(wall, dtype=np.float64)
        points = points[_kept_points(points, f"walls[{n}]", closed=False)]
        there_and_back = np.concatenate((points, points[-2:0:-1]))
        edges.append(_edges_of(there_and_back, np.zeros_like(there_and_back)))
    return _joined((_Part(_concatenated(edges)),) if edges else ())


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
    found = [_edges_near(obstacles, position, reach, begin) for begin in range(0, agents, CHUNK)]
    owner = np.concatenate([part[0] for part in found])
    first = np.zeros(agents + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=agents), out=first[1:])
    return Ragged(first, np.concatenate([part[1] for part in found]))


def _edges_near(obstacles: ObstacleSegments, position: Float64, reach: Float64, begin: int) -> tuple[Int64, Int64]:
    """Pairs of agent and edge for one chunk of agents, in order."""
    rows = slice(begin, begin + CHUNK)
    pairs, offset = [], 0
    for part in obstacles._parts:
        owner, edge = part.grid_for(float(reach.max())).candidates(position[rows])
        pairs.append((owner + begin, edge + offset))
        offset += part.segments.start.shape[0]
    owner, edge = np.concatenate(pairs, axis=1)
    near, distance2 = _visible(obstacles.segments, edge, position[owner], reach[owner])
    owner, edge = owner[near], edge[near]
    order = np.lexsort((edge, distance2, ~obstacles.segments.stands[edge], owner))
    return owner[order], edge[order]


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


def _edges_of(points: Float64, drift: Float64) -> Segments:
    """The edges of one closed outline, in its direction."""
    after = np.roll(points, -1, axis=0)
    edge = after - points
    unit = edge / np.sqrt((edge * edge).sum(axis=1))[:, None]
    before = np.roll(edge, 1, axis=0)
    turn: Float64 = before[:, 0] * edge[:, 1] - before[:, 1] * edge[:, 0]
    convex: Bool = turn >= 0.0
    return Segments(
        points,
        after,
        unit,
        np.roll(unit, 1, axis=0),
        np.roll(unit, -1, axis=0),
        convex,
        np.roll(convex, -1),
        drift,
        np.roll(drift, -1, axis=0),
        np.full(convex.size, not (np.abs(drift) > STILL).any()),
    )


def _joined(parts: tuple[_Part, ...]) -> ObstacleSegments:
    return ObstacleSegments(_concatenated([part.segments for part in parts]), parts)


def _concatenated(parts: Sequence[Segments]) -> Segments:
    if not parts:
        vectors, flags = np.zeros((0, 2)), np.zeros(0, dtype=np.bool_)
        return Segments(vectors, vectors, vectors, vectors, vectors, flags, flags, vectors, vectors, flags)
    return Segments(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _kept_points(points: Float64, name: str, *, closed: bool) -> Bool:
    """Which points of an outline or wall to keep: all but those that repeat the one before."""
    if points.ndim != 2 or points.shape[1] != 2:
        raise GeometryError(f"{name} must be an array of shape (points, 2), got {points.shape}")
    if not np.isfinite(points).all():
        raise GeometryError(f"{name} has points that are not finite")
    kept = np.logical_or.reduce(points != np.roll(points, 1, axis=0), axis=1)
    if not closed:
        kept[:1] = True
    if kept.sum() < 2:
        raise GeometryError(f"{name} must have at least two different points, got {points.tolist()}")
    return kept


def _checked_velocities(velocities: Sequence[ArrayLike | None] | None, outlines: list[Float64]) -> list[Float64]:
    """One velocity for each corner of each outline."""
    if velocities is None:
        return [np.zeros_like(points) for points in outlines]
    if len(velocities) != len(outlines):
        raise GeometryError(f"there must be a velocity for each polygon: {len(outlines)}, got {len(velocities)}")
    checked = []
    for n, (velocity, points) in enumerate(zip(velocities, outlines, strict=True)):
        given = np.zeros(2) if velocity is None else np.asarray(velocity, dtype=np.float64)
        if given.shape not in {(2,), points.shape}:
            raise GeometryError(f"velocities[{n}] must have the shape (2,) or {points.shape}, got {given.shape}")
        if not np.isfinite(given).all():
            raise GeometryError(f"velocities[{n}] has numbers that are not finite")
        checked.append(np.broadcast_to(given, points.shape))
    return checked
