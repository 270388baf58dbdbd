# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings joined to outlines with holes that anybody can use: simple, and no finer than a walker can notice."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ....core.geometry import polygons
from ....core.geometry.segments import crosses_itself, signed_area
from ....core.scene.goal_checks import lies_in
from .simplify import simplify_ring

Float64 = NDArray[np.float64]

_LEAST_AREA = 1e-6  # [m2] of an outline: below a square millimetre it is what rounding leaves
_LEAST_HOLE = 1e-3  # [m2]: nobody can stand in less
_TOLERANCE = 5e-4  # [m] how far a corner may lie from the line that replaces it
_MENDING = (1e-4, 1e-3, 1e-2)  # [m] by which shapes grow until none crosses itself
_FEW = 48  # corners up to which trying every pair of edges is quicker than sorting them
_STRAIGHT = 2e-6  # [m] by which a corner may lie inside the line past it: Blender's single precision


@dataclass
class Rings:
    """Rings of one body: those that run counter-clockwise add, the others take away where something was added."""

    outlines: list[Float64] = field(default_factory=list)
    holes: list[Float64] = field(default_factory=list)

    def add(self, ring: Float64, area: float) -> None:
        """Take up a ring, float64 (V, 2) [m], by the sign of its area."""
        (self.outlines if area > 0.0 else self.holes).append(ring)


def join(shadow: Rings, cut: Rings) -> list[polygons.Shape]:
    """The shapes that rings of one body make.

    Args:
        shadow: rings that wind round each place not less than no times.
        cut: rings that a cut at one height has made.

    Returns:
        Shapes that do not overlap, tidied.

    Raises:
        FootfallError: pyclipper is missing.
    """
    if cut.holes or not all(map(_turns_left, cut.outlines)):
        # A cut through a surface that passes through itself may take away what it did not add; not from the shadow.
        cut = _rings_of(polygons.union(cut.outlines, cut.holes))
    return tidy(polygons.union(shadow.outlines + cut.outlines, shadow.holes + cut.holes))


def tidy(shapes: list[polygons.Shape]) -> list[polygons.Shape]:
    """Shapes without the corners and slivers that nobody can notice, and without lines that cross.

    Args:
        shapes: pairs (outline, holes) that do not overlap [m].

    Returns:
        The same, simpler.
    """
    simple = [(simplify_ring(o, _TOLERANCE), [simplify_ring(h, _TOLERANCE) for h in holes]) for o, holes in shapes]
    kept = [
        (outline, tuple(hole for hole in holes if abs(signed_area(hole)) >= _LEAST_HOLE))
        for outline, holes in simple
        if signed_area(outline) >= _LEAST_AREA
    ]
    return _mended(kept)


def _mended(shapes: list[polygons.Shape]) -> list[polygons.Shape]:
    """Shapes put right where a corner that was moved or left out has led a line across another."""
    if all(map(_is_simple, shapes)):
        return shapes
    rings = _rings_of(shapes)
    shapes = polygons.union(rings.outlines, rings.holes)
    for step in _MENDING:
        if all(map(_is_simple, shapes)):
            break
        shapes = polygons.offset(shapes, step, rounded=False)
    return shapes


def _is_simple(shape: polygons.Shape) -> bool:
    outline, holes = shape
    if any(not _turns_left(ring) and _crosses_itself(ring) for ring in (outline, *(hole[::-1] for hole in holes))):
        return False
    return all(lies_in(hole, outline, ()) for hole in holes)


def _crosses_itself(ring: Float64) -> bool:
    if len(ring) > _FEW:
        return crosses_itself(ring)
    following = np.concatenate([ring[1:], ring[:1]])
    run, away = following - ring, ring[None] - ring[:, None]
    side = run[:, None, 0] * away[..., 1] - run[:, None, 1] * away[..., 0]  # (edge, corner)
    parts = side * np.concatenate([side[:, 1:], side[:, :1]], axis=1) < 0.0  # (edge, edge that it divides)
    return bool(np.any(parts & parts.T))


def _rings_of(shapes: list[polygons.Shape]) -> Rings:
    return Rings([outline for outline, _ in shapes], [hole for _, holes in shapes for hole in holes])


def _turns_left(ring: Float64) -> bool:
    """Whether a ring goes round something without ever turning right: then it cannot wind round a place backwards."""
    run = np.diff(np.concatenate([ring, ring[:2]]), axis=0)
    turn = run[:-1, 0] * run[1:, 1] - run[:-1, 1] * run[1:, 0]
    return bool(np.all(turn >= -_STRAIGHT * np.hypot(*(run[:-1] + run[1:]).T)))


def signed_areas(rings: list[Float64]) -> Float64:
    """Areas of many rings at once.

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
    away = points - np.repeat(points[first], counts, axis=0)  # far from the origin, differences keep their digits
    following = np.arange(len(points)) + 1
    following[first + counts - 1] = first
    twice = away[:, 0] * away[following, 1] - away[following, 0] * away[:, 1]
    return 0.5 * np.add.reduceat(twice, first)
