# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles as directed edges, prepared once for many steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from ..geometry.reproducible_math import length
from .kernels.arrays import Bool, EdgeGrid, Float64, Segments
from .kernels.edge_grid import join_grids, make_grid

_QUARTER_POWERS = (0.5, 0.5946035575013605, 0.7071067811865476, 0.8408964152537145, 1.0)  # of 2

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
    _grids: dict[float, EdgeGrid] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.segments.start.shape[0]

    def with_moving(self, polygons: Iterable[ArrayLike], velocities: Sequence[ArrayLike | None]) -> ObstacleSegments:
        """These obstacles and some more, whose places hold for one step; nothing of these is prepared again.

        Args:
            polygons: as in `prepare_obstacles`.
            velocities: as in `prepare_obstacles`.

        Returns:
            Both together.

        Raises:
            GeometryError: as `prepare_obstacles`.
        """
        return _joined((*self._parts, *prepare_obstacles(polygons, velocities=velocities)._parts))

    def grid_for(self, reach: float) -> EdgeGrid:
        """The grid of all edges for at least this reach [m]; there must be edges."""
        share, exponent = math.frexp(max(reach, 1e-3))
        reach = math.ldexp(next(each for each in _QUARTER_POWERS if each >= share), exponent)  # so that few are made
        if reach not in self._grids:
            grids = [part.grid_for(reach) for part in self._parts]
            self._grids[reach] = join_grids(grids, [part.segments.start.shape[0] for part in self._parts])
        return self._grids[reach]


@dataclass(frozen=True, eq=False)
class _Part:
    """Edges that were prepared together, with their grids for several reaches, each made when first asked for."""

    segments: Segments
    grids: dict[float, EdgeGrid] = field(default_factory=dict)

    def grid_for(self, reach: float) -> EdgeGrid:
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


def _edges_of(points: Float64, drift: Float64) -> Segments:
    """The edges of one closed outline, in its direction."""
    after = np.roll(points, -1, axis=0)
    edge = after - points
    unit = edge / length(edge)[:, None]
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
