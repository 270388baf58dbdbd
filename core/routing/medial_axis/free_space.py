# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground between obstacles as rings of whole numbers, with the free side always on the left.

read_obstacle(shape) -> Shape                    an obstacle from a caller's points, checked
Grid.round(bounds, fineness) -> Grid             where whole numbers lie in metres
ground_between(shapes, bounds, grid) -> Ground
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Bool, Float64, Int64
from ...errors import GeometryError
from ...geometry.polygons import GridRing, free_on_grid, simplify_on_grid
from ...geometry.reproducible_math import ceil_log2
from ...geometry.segments import checked_points

OBSTACLE_GROWTH = 3.0
"""Distance by which every obstacle is grown [grid steps].

Two steps make touching corners overlap; three also cover rounding: 0.71 steps each for the corner itself, its moved
position and a crossing of two outlines. So free ground on the grid is truly free.
"""

MOST_STEPS_PER_METRE = 2.0**20
"""Most grid steps per metre: one micrometre is finer than any model."""

LARGEST_COORDINATE = 1e9
"""Largest coordinate, so that grid steps stay within Clipper's integers [m]."""


@dataclass(frozen=True, eq=False)
class Shape:
    """An obstacle as it was given.

    Attributes:
        rings: closed outlines and holes, float64 (V, 2) [m].
        line: an open wall or a single point, float64 (W, 2) [m], or None.
    """

    rings: tuple[Float64, ...]
    line: Float64 | None = None


def read_obstacle(shape: Any, *, closed: bool = True) -> Shape:
    """Make an obstacle of its points.

    Args:
        shape: float64 (V, 2) [m]: one point, two points for a thin wall, or an outline in either direction, which
            may cross itself; or a pair of an outline and its holes.
        closed: False for an open wall of many points.

    Returns:
        The obstacle; an outline without area has become a thin wall.

    Raises:
        GeometryError: it has no points, or a coordinate that is not finite.
    """
    if isinstance(shape, tuple) and len(shape) == 2 and np.ndim(shape[0]) == 2:
        outline, holes = read_obstacle(shape[0]), [_points(hole) for hole in shape[1]]
        return outline if outline.line is not None else Shape((*outline.rings, *(h for h in holes if len(h) >= 3)))
    points = _points(shape)
    if closed and len(points) >= 3 and not _is_flat(points):
        return Shape((points,))
    return Shape((), points)


@dataclass(frozen=True)
class Grid:
    """The grid of whole numbers.

    Attributes:
        origin: of the whole numbers [m].
        steps: per metre, a power of two, so that turning steps into metres is exact.
        extent: longer side of the bounds [m].
    """

    origin: tuple[float, float]
    steps: float
    extent: float

    @staticmethod
    def round(bounds: ArrayLike, fineness: int) -> Grid:
        """Return the grid on which the bounds extend over 2^(fineness - 1) to 2^fineness steps."""
        points = np.asarray(bounds, dtype=np.float64)
        low, high = points.min(axis=0), points.max(axis=0)
        extent = float(np.max(high - low))
        middle = np.round(0.5 * (low + high))
        steps = min(math.ldexp(1.0, fineness - int(ceil_log2(extent))), MOST_STEPS_PER_METRE)
        return Grid((float(middle[0]), float(middle[1])), float(steps), extent)

    def to_steps(self, points: Float64) -> Int64:
        """Round points, float64 (..., 2) [m], to whole steps."""
        return np.rint((points - self.origin) * self.steps).astype(np.int64)


@dataclass(frozen=True, eq=False)
class FreeGround:
    """Free ground: connected regions bounded by rings.

    Attributes:
        corners: int64 (S, 2), corners of all rings laid end to end [grid steps]; segment k starts at corner k.
        following: int64 (S,), the corner where segment k ends.
        before: int64 (S,), the corner before corner k in its ring.
        first_of_outline: bool (S,), one corner of each ring round a region: these run counter-clockwise.
        first_of_hole: bool (S,), one corner of each ring round a hole in a region.
    """

    corners: Int64
    following: Int64
    before: Int64
    first_of_outline: Bool
    first_of_hole: Bool

    @property
    def regions(self) -> int:
        """Number of connected regions."""
        return int(self.first_of_outline.sum())

    @property
    def holes(self) -> int:
        """Number of rings that are holes in a region."""
        return int(self.first_of_hole.sum())


def rings_between(shapes: Sequence[Shape], bounds: Float64, grid: Grid) -> list[Int64]:
    """Subtract grown obstacles from the bounds.

    Args:
        shapes: the obstacles; they may overlap, touch and lie in each other.
        bounds: float64 (B, 2), the outline of the ground [m].
        grid: to which corners are rounded.

    Returns:
        The rings round the remaining ground, int64 (V, 2) each [grid steps]; there may be none.

    Raises:
        FootfallError: pyclipper is missing.
    """
    closed = [ring for shape in shapes for ring in shape.rings]
    signs = [sign for shape in shapes for sign in (1, *(-1 for _ in shape.rings[1:]))[: len(shape.rings)]]
    lines = [grid.to_steps(shape.line).tolist() for shape in shapes if shape.line is not None]
    solids = _solid_rings([*closed, bounds], [*signs, 1], grid)
    edge = solids.pop()
    parts = free_on_grid(edge, [ring for rings in solids for ring in rings], lines, growth=OBSTACLE_GROWTH)
    return [ring for outline, holes in parts for ring in (outline, *holes)]


def ground_of(rings: Sequence[Int64]) -> FreeGround:
    """Lay rings end to end, without the corners in which they go straight on.

    Args:
        rings: int64 (V, 2) each [grid steps], free ground on the left.

    Returns:
        The ground between them.
    """
    if not rings:
        empty, none = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
        return FreeGround(np.zeros((0, 2), dtype=np.int64), empty, empty, none, none)
    corners = np.concatenate(rings)
    counts = np.array([len(ring) for ring in rings])
    first = counts.cumsum() - counts
    following = np.arange(1, len(corners) + 1)
    following[first + counts - 1] = first
    before = np.arange(-1, len(corners) - 1)
    before[first] = first + counts - 1
    run = corners.take(following, 0) - corners
    arriving = run.take(before, 0)
    straight = (
        arriving[:, 0] * run[:, 1] == arriving[:, 1] * run[:, 0]
    )  # where two obstacles meet in a point on an edge
    if straight.any():
        return ground_of([ring[~part] for ring, part in zip(rings, np.split(straight, first[1:]), strict=True)])
    x, y = (corners - corners[first].repeat(counts, axis=0)).astype(np.float64).T
    areas = np.add.reduceat(x * y[following] - x[following] * y, first)
    outline, hole = np.zeros(len(corners), dtype=bool), np.zeros(len(corners), dtype=bool)
    outline[first], hole[first] = areas > 0.0, areas <= 0.0
    return FreeGround(corners, following, before, outline, hole)


def _solid_rings(rings: Sequence[Float64], signs: Sequence[int], grid: Grid) -> list[list[GridRing]]:
    """Rings on the grid, outlines counter-clockwise and holes clockwise; those that cross themselves as filled."""
    whole = grid.to_steps(np.concatenate(rings)).tolist()
    lengths = [len(ring) for ring in rings]
    parts = [whole[end - length : end] for length, end in zip(lengths, accumulate(lengths), strict=True)]
    result = []
    for part, sign in zip(parts, signs, strict=True):
        turn = _convex_turn(part)
        if turn:
            result.append([part if turn == sign else part[::-1]])
        else:
            filled = simplify_on_grid(part)
            result.append(filled if sign > 0 else [ring[::-1] for ring in filled])
    return result


def _convex_turn(ring: GridRing) -> int:
    """1 for a convex ring that runs counter-clockwise, -1 for one that runs clockwise, 0 for any other.

    One that always turns the same way but goes round more than once turns back more than twice.
    """
    turn, turned_back, heading = 0, 0, 0
    (ax, ay), (bx, by) = ring[-2], ring[-1]
    for cx, cy in ring:
        area = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
        side = (area > 0) - (area < 0)
        if side in (0, -turn):
            return 0
        turn = side
        now = (cx > bx) - (cx < bx)
        turned_back += now != 0 and now == -heading
        heading = now or heading
        ax, ay, bx, by = bx, by, cx, cy
    return turn if turned_back <= 2 else 0


def _points(shape: Any) -> Float64:
    try:
        points = np.array(shape, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GeometryError("An obstacle is not a list of points (x, y).") from error
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise GeometryError(f"An obstacle must be a list of points (x, y), got an array of shape {points.shape}.")
    if all(-LARGEST_COORDINATE <= number <= LARGEST_COORDINATE for number in points.ravel().tolist()):  # nor is one NaN
        return points
    checked_points(points, "An obstacle")
    raise GeometryError(f"An obstacle reaches farther than {LARGEST_COORDINATE:g} m from the origin.")


def _is_flat(points: Float64) -> bool:
    """Whether an outline lies in one line; lobes of opposite direction that cancel are no line."""
    corners = points.tolist()
    (x0, y0), bx, by, area, size = corners[0], 0.0, 0.0, 0.0, 0.0
    for x, y in corners:  # few, for which numpy is slower
        ax, ay, bx, by = bx, by, x - x0, y - y0
        area += ax * by - bx * ay
        size += bx * bx + by * by
    if abs(area) > 1e-9 * size:
        return False
    x, y = (points - points[0]).T
    far = int(np.argmax(x * x + y * y))
    return bool(np.all(np.abs(x * y[far] - y * x[far]) <= 1e-12 * size))
