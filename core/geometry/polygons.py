# SPDX-License-Identifier: GPL-3.0-or-later
"""Joining, growing and repairing outlines: the one door to pyclipper.

A shape is a pair (outline, holes): float64 (V, 2) counter-clockwise, and a tuple of such arrays clockwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Float64, Int64
from ..errors import FootfallError
from .segments import checked_points, directed, signed_area

Shape = tuple[Float64, tuple[Float64, ...]]
GridRing = list[list[int]]
"""Corners x, y on a grid, as pyclipper takes them [grid steps]."""

_GRID_STEP = 2.0**-18  # [m] 4 micrometres; a power of two represents halves and quarters of a metre exactly
_ARC_TOLERANCE = 2e-4  # [m] largest distance of the corners of a rounded offset from the true arc
_MITRE_LIMIT = 2.0


def union(outlines: Iterable[ArrayLike], holes: Iterable[ArrayLike] = ()) -> list[Shape]:
    """Everything that some outlines cover, less the holes.

    A hole is cut from the outline it lies in, not from others that cover the same place: the courtyard of one house
    is solid where a second house stands in it.

    Args:
        outlines: float64 (V, 2) each [m], either direction; less than three points or no area counts as nothing.
        holes: float64 (V, 2) each [m], either direction, each inside one outline.

    Returns:
        Shapes that do not overlap.

    Raises:
        GeometryError: a coordinate is not finite.
        FootfallError: pyclipper is missing.
    """
    rings = [_directed(outline, 1.0) for outline in outlines] + [_directed(hole, -1.0) for hole in holes]
    return _joined([ring for ring in rings if ring is not None], "PFT_POSITIVE")


def clean(outline: ArrayLike) -> list[Shape]:
    """An outline as it would be filled: without crossings, repeated points and needles.

    Args:
        outline: float64 (V, 2) [m], may cross itself.

    Returns:
        Shapes that do not overlap; none where the outline has no area.

    Raises:
        GeometryError: a coordinate is not finite.
        FootfallError: pyclipper is missing.
    """
    ring = checked_points(outline, "An outline")
    return _joined([ring] if len(ring) >= 3 else [], "PFT_NONZERO")


def offset(shapes: Iterable[Shape], distance: float, *, rounded: bool = True) -> list[Shape]:
    """Shapes grown by a distance on all sides, holes shrunk by it; shrunk where it is negative.

    Args:
        shapes: pairs (outline, holes) [m].
        distance: how far the edges move outwards [m].
        rounded: corners become arcs; otherwise they stay corners.

    Returns:
        Shapes that do not overlap.

    Raises:
        GeometryError: a coordinate is not finite.
        FootfallError: pyclipper is missing.
    """
    pyclipper = _pyclipper()
    rings: list[Float64 | None] = []
    for outline, holes in shapes:
        rings += [_directed(outline, 1.0), *(_directed(hole, -1.0) for hole in holes)]
    solid = [ring for ring in rings if ring is not None]
    if not solid:
        return []
    origin = _origin(solid)
    worker = pyclipper.PyclipperOffset(_MITRE_LIMIT, _ARC_TOLERANCE / _GRID_STEP)
    join = pyclipper.JT_ROUND if rounded else pyclipper.JT_MITER
    worker.AddPaths(_to_integers(solid, origin), join, pyclipper.ET_CLOSEDPOLYGON)
    return _shapes(worker.Execute2(distance / _GRID_STEP), origin)


def simplify_on_grid(outline: GridRing) -> list[GridRing]:
    """An outline as it would be filled, when it may cross or touch itself; corners stay on the grid.

    Args:
        outline: its corners.

    Returns:
        Rings that do not cross: outlines counter-clockwise, holes clockwise; none without area.

    Raises:
        FootfallError: pyclipper is missing.
    """
    pyclipper = _pyclipper()
    return pyclipper.SimplifyPolygon(outline, pyclipper.PFT_NONZERO)


def free_on_grid(
    boundary: Sequence[GridRing], solids: Sequence[GridRing], lines: Sequence[GridRing], *, growth: float
) -> list[tuple[Int64, tuple[Int64, ...]]]:
    """A boundary less slightly grown obstacles; corners stay on the grid.

    Growing turns lines and single points into narrow solids, and touching shapes into overlapping ones.

    Args:
        boundary: rings, outlines counter-clockwise, holes clockwise; shrunk by the growth.
        solids: likewise, they may overlap each other.
        lines: open lines and single points.
        growth: how far the surface of each obstacle moves outwards [grid steps].

    Returns:
        Connected shapes that do not overlap, each an outline counter-clockwise and its holes clockwise, int64 (V, 2)
        [grid steps]; where obstacles meet, a ring may go straight on in a corner.

    Raises:
        FootfallError: pyclipper is missing.
    """
    pyclipper = _pyclipper()
    obstacles = pyclipper.PyclipperOffset(_MITRE_LIMIT)
    if solids:
        obstacles.AddPaths(solids, pyclipper.JT_MITER, pyclipper.ET_CLOSEDPOLYGON)
    if lines:
        obstacles.AddPaths(lines, pyclipper.JT_MITER, pyclipper.ET_OPENSQUARE)
    shrunk = pyclipper.PyclipperOffset(_MITRE_LIMIT)
    shrunk.AddPaths(boundary, pyclipper.JT_MITER, pyclipper.ET_CLOSEDPOLYGON)
    room = shrunk.Execute(-growth)
    if not room:
        return []
    worker = pyclipper.Pyclipper()
    worker.StrictlySimple = True
    worker.AddPaths(room, pyclipper.PT_SUBJECT, True)
    taken = obstacles.Execute(growth) if solids or lines else []
    if taken:
        worker.AddPaths(taken, pyclipper.PT_CLIP, True)
    tree = worker.Execute2(pyclipper.CT_DIFFERENCE, pyclipper.PFT_NONZERO, pyclipper.PFT_NONZERO)
    return _shapes_on_grid(tree)


def _pyclipper() -> Any:
    """Import pyclipper, or raise an error that says what its absence costs."""
    try:
        import pyclipper  # noqa: PLC0415 - optional: needed for joining polygons only
    except ImportError as error:
        raise FootfallError(
            "The Python package pyclipper is missing, so outlines cannot be joined and meshes cannot "
            "become obstacles. Install the Footfall zip for this platform, which contains it, or run `pip "
            "install pyclipper` in this Python."
        ) from error
    return pyclipper


def _directed(outline: ArrayLike, direction: float) -> Float64 | None:
    """The outline run counter-clockwise (1) or clockwise (-1); None where it covers nothing."""
    points = checked_points(outline, "An outline")
    area = signed_area(points)
    if area == 0.0:
        return None
    return points if area * direction > 0.0 else points[::-1]


def _origin(rings: Sequence[Float64]) -> Float64:
    """Whole metres near the middle: far from the world's origin the integers stay small and the grid the same."""
    low = np.min([ring.min(axis=0) for ring in rings], axis=0)
    high = np.max([ring.max(axis=0) for ring in rings], axis=0)
    return np.round(0.5 * (low + high))


def _to_integers(rings: Sequence[Float64], origin: Float64) -> list[list[list[int]]]:
    whole = np.round((np.concatenate(rings) - origin) / _GRID_STEP).astype(np.int64).tolist()
    ends = np.cumsum([len(ring) for ring in rings]).tolist()
    return [whole[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _joined(rings: list[Float64], fill: str) -> list[Shape]:
    pyclipper = _pyclipper()
    if not rings:
        return []
    origin = _origin(rings)
    worker = pyclipper.Pyclipper()
    worker.StrictlySimple = True
    try:
        worker.AddPaths(_to_integers(rings, origin), pyclipper.PT_SUBJECT, True)
    except pyclipper.ClipperException:  # raised when no ring covers a grid step
        return []
    rule = getattr(pyclipper, fill)
    return _shapes(worker.Execute2(pyclipper.CT_UNION, rule, rule), origin)


def _shapes(tree: Any, origin: Float64) -> list[Shape]:
    """Outlines with their holes from pyclipper's tree; an island in a hole is a shape of its own."""
    shapes: list[Shape] = []
    waiting = list(tree.Childs)
    while waiting:
        node = waiting.pop()
        outline = _to_metres(node.Contour, origin)
        holes = tuple(_to_metres(hole.Contour, origin) for hole in node.Childs)
        shapes.append((directed(outline, 1.0), tuple(directed(hole, -1.0) for hole in holes)))
        waiting += [island for hole in node.Childs for island in hole.Childs]
    return sorted(shapes, key=lambda shape: tuple(shape[0].min(axis=0)))


def _shapes_on_grid(tree: Any) -> list[tuple[Int64, tuple[Int64, ...]]]:
    shapes: list[tuple[Int64, tuple[Int64, ...]]] = []
    waiting = list(tree.Childs)
    while waiting:
        node = waiting.pop()
        outline = np.asarray(node.Contour, dtype=np.int64)  # pyclipper's outlines run counter-clockwise, holes not
        shapes.append((outline, tuple(np.asarray(hole.Contour, dtype=np.int64) for hole in node.Childs)))
        waiting += [island for hole in node.Childs for island in hole.Childs]
    return shapes


def _to_metres(contour: Sequence[Sequence[int]], origin: Float64) -> Float64:
    return np.asarray(contour, dtype=np.float64) * _GRID_STEP + origin
