# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh as it is read: points, triangles and loose edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....core.array_types import Float64, Int64
from ....core.geometry.reproducible_math import arctan2, cos_sin, dot, length2, matrix_product
from ....core.scene.basics.value_checks import LARGEST_COORDINATE

_WELD_TOLERANCE = 1e-6  # relative to the size of a mesh: closer vertices are one, as in a mesh with split faces
_DIRECTIONS = 32  # of the longest edges, along which a box may lie; chosen


@dataclass(frozen=True, eq=False)
class MeshShape:
    """Triangles and loose edges of one body.

    Attributes:
        points: float64 (V, 3), in the world [m] or in its own axes [Blender units].
        triangles: int64 (T, 3), rows of `points`.
        edges: int64 (E, 2), edges without a face.
    """

    points: Float64
    triangles: Int64
    edges: Int64

    @property
    def empty(self) -> bool:
        """Whether it has neither faces nor edges."""
        return not len(self.triangles) and not len(self.edges)

    def moved(self, matrix: Float64, scale: float) -> MeshShape:
        """Transform the body into the world.

        Args:
            matrix: float64 (4, 4), from its own axes to the world's.
            scale: metres per unit of the world.

        Returns:
            The same triangles and edges with `points` in the world [m].
        """
        with np.errstate(invalid="ignore", over="ignore"):  # points that are not finite are reported later
            points = (matrix_product(self.points, matrix[:3, :3].T) + matrix[:3, 3]) * scale
        return MeshShape(points, self.triangles, self.edges)


def count_lost(points: Float64) -> int:
    """Count points that are NaN, infinite, or farther away than a scene may be.

    Args:
        points: float64 (V, D) [m].

    Returns:
        Their number.
    """
    return int(np.count_nonzero(~(np.abs(points) <= LARGEST_COORDINATE).all(axis=1)))


def join(bodies: Sequence[MeshShape]) -> MeshShape:
    """Join bodies without merging their vertices.

    Args:
        bodies: any number, also none.

    Returns:
        One body with the points, triangles and edges of all, in order.
    """
    if len(bodies) == 1:
        return bodies[0]
    first = np.cumsum([0, *(len(body.points) for body in bodies)])[:-1]
    return MeshShape(
        points=np.concatenate([np.empty((0, 3)), *(body.points for body in bodies)]),
        triangles=np.concatenate(
            [np.empty((0, 3), np.int64), *(body.triangles + row for body, row in zip(bodies, first, strict=True))]
        ),
        edges=np.concatenate(
            [np.empty((0, 2), np.int64), *(body.edges + row for body, row in zip(bodies, first, strict=True))]
        ),
    )


def weld(body: MeshShape) -> MeshShape:
    """Merge the vertices of a body that coincide, so that faces that touch share them.

    Args:
        body: all of its points finite.

    Returns:
        The body with fewer points, without the triangles that had two corners at one point.
    """
    extent = float(np.ptp(body.points, axis=0).max(initial=0.0))
    step = max(extent * _WELD_TOLERANCE, 1e-12)
    cells = np.round((body.points - body.points.min(axis=0)) / step).astype(np.int64)  # each below 2^20
    _, kept, row = np.unique(dot(cells, [1 << 40, 1 << 20, 1]), return_index=True, return_inverse=True)
    triangles, edges = row[body.triangles], row[body.edges]
    a, b, c = triangles.T
    return MeshShape(body.points[kept], triangles[(a != b) & (b != c) & (c != a)], edges[edges[:, 0] != edges[:, 1]])


def upright_box(body: MeshShape) -> Float64:
    """Return the smallest upright box round a body that lies along one of its longest edges.

    Args:
        body: with triangles; all of its points finite, in the world [m].

    Returns:
        float64 (6,): x and y of the middle, the direction of the width [rad], width, depth and height [m].
    """
    points = body.points[np.unique(body.triangles)]
    edges = (body.points[body.triangles] - body.points[np.roll(body.triangles, 1, axis=1)]).reshape(-1, 3)[:, :2]
    longest = edges[np.argsort(-length2(edges), kind="stable")[:_DIRECTIONS]]
    cos, sin = cos_sin(arctan2(longest[:, 1], longest[:, 0]))
    x, y = points[:, :1], points[:, 1:2]
    sides = np.stack((x * cos + y * sin, y * cos - x * sin))  # (2, V, D)
    low, high = sides.min(axis=1), sides.max(axis=1)
    best = int((high - low).prod(axis=0).round(9).argmin())
    (along, across), (width, depth) = 0.5 * (low + high)[:, best], (high - low)[:, best]
    cos, sin = cos[best], sin[best]
    middle = along * cos - across * sin, along * sin + across * cos
    cos, sin, width, depth = (cos, sin, width, depth) if width >= depth else (-sin, cos, depth, width)
    height = np.ptp(points[:, 2])
    return np.array([*middle, float(arctan2(sin, cos)), width, depth, height])
