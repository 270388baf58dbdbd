# SPDX-License-Identifier: GPL-3.0-or-later
"""Joins rings to outlines with holes: without crossings, and simplified to what matters for people."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....core.array_types import Float64
from ....core.geometry import polygons
from ....core.geometry.reproducible_math import length
from ....core.geometry.segments import crosses_itself, signed_area
from ....core.scene.goal_checks import lies_in
from .convex import STRAIGHT_TOLERANCE
from .simplify import simplify_ring


@dataclass(frozen=True)
class OutlineSettings:
    """How outlines are simplified.

    Attributes:
        tolerance: largest distance of a dropped corner from the line that replaces it [m]; chosen: invisible.
        least_area: outlines with less area are left out [m2]; chosen: a square millimetre is rounding.
        least_hole: holes with less area are filled [m2]; chosen: nobody can stand in them.
        repair_offsets: distances by which shapes grow, in turn, until none crosses itself [m]; chosen by trial.
    """

    tolerance: float = 5e-4
    least_area: float = 1e-6
    least_hole: float = 1e-3
    repair_offsets: tuple[float, ...] = (1e-4, 1e-3, 1e-2)


_SETTINGS = OutlineSettings()
_FEW_CORNERS = 48  # testing every pair of edges is faster than sorting them


@dataclass
class Rings:
    """The rings of one body: counter-clockwise ones are outlines, clockwise ones holes."""

    outlines: list[Float64] = field(default_factory=list)
    holes: list[Float64] = field(default_factory=list)

    def add(self, ring: Float64, area: float) -> None:
        """Add a ring, float64 (V, 2) [m], by the sign of its area."""
        (self.outlines if area > 0.0 else self.holes).append(ring)


def join(silhouette: Rings, cut: Rings) -> list[polygons.Shape]:
    """Join the rings of one body to shapes.

    Args:
        silhouette: rings whose winding number is nowhere negative.
        cut: rings of the cut at one height.

    Returns:
        Shapes that do not overlap, simplified.

    Raises:
        FootfallError: pyclipper is missing.
    """
    if cut.holes or not all(map(_turns_left, cut.outlines)):
        # The holes of a cut through a self-intersecting surface must not cut into the silhouette.
        cut = _rings_of(polygons.union(cut.outlines, cut.holes))
    return simplify_shapes(polygons.union(silhouette.outlines + cut.outlines, silhouette.holes + cut.holes))


def simplify_shapes(shapes: list[polygons.Shape]) -> list[polygons.Shape]:
    """Remove corners and slivers below the tolerances, and repair crossings.

    Args:
        shapes: pairs (outline, holes) that do not overlap [m].

    Returns:
        The simplified shapes.
    """
    tolerance = _SETTINGS.tolerance
    simple = [(simplify_ring(o, tolerance), [simplify_ring(h, tolerance) for h in holes]) for o, holes in shapes]
    kept = [
        (outline, tuple(hole for hole in holes if abs(signed_area(hole)) >= _SETTINGS.least_hole))
        for outline, holes in simple
        if signed_area(outline) >= _SETTINGS.least_area
    ]
    return repair(kept)


def repair(shapes: list[polygons.Shape]) -> list[polygons.Shape]:
    """Repair shapes in which a dropped or moved corner has made edges cross.

    Args:
        shapes: pairs (outline, holes) [m].

    Returns:
        Sound shapes that do not overlap.
    """
    if all(map(_is_simple, shapes)):
        return shapes
    rings = _rings_of(shapes)
    shapes = polygons.union(rings.outlines, rings.holes)
    for distance in _SETTINGS.repair_offsets:
        if all(map(_is_simple, shapes)):
            break
        shapes = polygons.offset(shapes, distance, rounded=False)
    return shapes


def _is_simple(shape: polygons.Shape) -> bool:
    outline, holes = shape
    if any(not _turns_left(ring) and _crosses_itself(ring) for ring in (outline, *(hole[::-1] for hole in holes))):
        return False
    return all(lies_in(hole, outline, ()) for hole in holes)


def _crosses_itself(ring: Float64) -> bool:
    if len(ring) > _FEW_CORNERS:
        return crosses_itself(ring)
    following = np.concatenate([ring[1:], ring[:1]])
    run, away = following - ring, ring[None] - ring[:, None]
    side = run[:, None, 0] * away[..., 1] - run[:, None, 1] * away[..., 0]  # (edge, corner)
    parts = side * np.concatenate([side[:, 1:], side[:, :1]], axis=1) < 0.0  # (edge, edge that it divides)
    return bool(np.any(parts & parts.T))


def _rings_of(shapes: list[polygons.Shape]) -> Rings:
    return Rings([outline for outline, _ in shapes], [hole for _, holes in shapes for hole in holes])


def _turns_left(ring: Float64) -> bool:
    """Whether a ring never turns right: then its winding number is nowhere negative."""
    run = np.diff(np.concatenate([ring, ring[:2]]), axis=0)
    turn = run[:-1, 0] * run[1:, 1] - run[:-1, 1] * run[1:, 0]
    return bool(np.all(turn >= -STRAIGHT_TOLERANCE * length(run[:-1] + run[1:])))


def signed_areas(rings: list[Float64]) -> Float64:
    """Compute the areas of many rings at once.

    Args:
        rings: float64 (V, 2) each [m].

    Returns:
        float64 (R,) [m2], positive where a ring runs counter-clockwise.
    """
    if not rings:
        return np.empty(0)
    counts = np.array([len(ring) for ring in rings])
    first = np.cumsum(counts) - counts
    points = np.concatenate(rings)
    away = points - np.repeat(points[first], counts, axis=0)  # differences keep their precision far from the origin
    following = np.arange(len(points)) + 1
    following[first + counts - 1] = first
    twice = away[:, 0] * away[following, 1] - away[following, 0] * away[:, 1]
    return 0.5 * np.add.reduceat(twice, first)
