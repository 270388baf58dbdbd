# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat parts of obstacles that lie where people walk: these are floor, and nobody walks round them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ....core.array_types import Float64
from ....core.errors import GeometryError
from ....core.geometry.ragged import places_in
from ....core.geometry.reproducible_math import length
from ....core.scene import Route
from ..shapes.bodies import MeshShape
from .ground import GroundMesh

FLOOR_THICKNESS = 0.05
"""Faces that are nowhere higher or lower than this above the ground are flat [m]: people step on a kerb; chosen."""

_STEP = 0.25  # between places of a route that are tried [m]; chosen, half a person


def places_walked(routes: Iterable[Route], marks: Float64) -> Float64:
    """Return places where people walk for certain, with the heights of curves and marks: float64 (N, 3) [m].

    Args:
        routes: curves; they are walked along their whole length.
        marks: float64 (P, 3), middles of starts and goals [m].
    """
    found = [marks]
    for route in routes:
        points = route.points
        start, run = points[:-1], np.diff(points, axis=0)
        count = np.maximum(1, np.ceil(length(run[:, :2]) / _STEP)).astype(np.int64)
        row, number = places_in(count)
        share = number / count[row]
        found += [start[row] + share[:, None] * run[row], points[-1:]]
    return np.concatenate(found)


def is_floor(body: MeshShape, ground: Float64, walked: Float64) -> bool:
    """Return whether a flat part of a body lies where people walk; the bottom of a solid body faces down and does not.

    Args:
        body: in the world [m].
        ground: float64 (V,), height of the ground under its points [m].
        walked: float64 (N, 2), places where people walk [m].
    """
    flat = (np.abs(body.points[:, 2] - ground) <= FLOOR_THICKNESS)[body.triangles].all(axis=1)
    if not flat.any():
        return False
    corners = body.points[body.triangles[flat]]
    if not flat.all():
        sides = corners[:, 1:, :2] - corners[:, :1, :2]
        corners = corners[sides[:, 0, 0] * sides[:, 1, 1] > sides[:, 0, 1] * sides[:, 1, 0]]
    if not len(corners):
        return False
    low, high = corners[..., :2].min(axis=(0, 1)), corners[..., :2].max(axis=(0, 1))
    near = walked[((walked >= low) & (walked <= high)).all(axis=1)]
    try:
        return bool(
            len(near)
            and GroundMesh(corners.reshape(-1, 3), np.arange(corners.size // 3).reshape(-1, 3)).covers(near).any()
        )
    except GeometryError:
        return False
