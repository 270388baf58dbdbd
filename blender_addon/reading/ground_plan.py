# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground plan of what stands in a slab: outlines with holes, one list for each body.

Every triangle that is not upright covers its shadow on the ground. Turned to run counter-clockwise, triangles that
share an edge pass it in opposite directions, so that inner edges cancel and only silhouettes are left: loops whose
winding number is the number of triangles over a place. A sphere of 100,000 triangles comes down to its equator before
any polygon is joined.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...core.geometry import polygons
from ...core.geometry.segments import contains, crosses_itself, signed_area
from .chains import trace_chains, trace_loops
from .enclosures import enclosed_faces
from .simplify import simplify_ring
from .slab import Section, Surface, cut_off, section

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_LEAST_AREA = 1e-6  # [m2] of an outline: below a square millimetre it is what rounding leaves
_LEAST_HOLE = 1e-3  # [m2]: nobody can stand in less
_TOLERANCE = 5e-4  # [m] how far a corner may lie from the line that replaces it
_MENDING = (1e-4, 1e-3, 1e-2)  # [m] by which shapes grow until none crosses itself
_STRAIGHT = 1e-9  # of the sharpest turn of a ring: less is rounding


def ground_plans(surface: Surface, bottom: float, top: float) -> dict[int, list[polygons.Shape]]:
    """What the bodies of a surface cover between two heights.

    Args:
        surface: triangles of any number of bodies, z as height above the ground [m].
        bottom: lowest height that counts [m].
        top: first height that does not [m].

    Returns:
        For each body that covers anything its shapes: pairs (outline, holes) that do not overlap [m].

    Raises:
        FootfallError: pyclipper is missing.
    """
    shadows = _by_owner(_shadow_rings(cut_off(surface.only(surface.facing != 0), bottom, top)))
    cuts = _by_owner(_cut_rings(section(surface, bottom, top)))
    plans = {owner: _join(shadows[owner], cuts[owner]) for owner in sorted(shadows.keys() | cuts.keys())}
    return {owner: shapes for owner, shapes in plans.items() if shapes}


@dataclass
class _Rings:
    """Rings of one body: those that run counter-clockwise add, the others take away where something was added."""

    outlines: list[Float64] = field(default_factory=list)
    holes: list[Float64] = field(default_factory=list)


def _by_owner(rings: list[tuple[int, Float64]]) -> defaultdict[int, _Rings]:
    sorted_out: defaultdict[int, _Rings] = defaultdict(_Rings)
    for (owner, ring), area in zip(rings, _signed_areas([ring for _, ring in rings]), strict=True):
        found = sorted_out[owner]
        (found.outlines if area > 0.0 else found.holes).append(ring)
    return sorted_out


def _join(shadow: _Rings, cut: _Rings) -> list[polygons.Shape]:
    """The shapes of one body, without the points and slivers that nobody can notice."""
    if cut.holes or not all(map(_turns_left, cut.outlines)):
        # A cut through a surface that passes through itself may take away what it did not add; not from the shadow.
        cut = _rings_of(polygons.union(cut.outlines, cut.holes))
    shapes = polygons.union(shadow.outlines + cut.outlines, shadow.holes + cut.holes)
    simple = [(simplify_ring(o, _TOLERANCE), [simplify_ring(h, _TOLERANCE) for h in holes]) for o, holes in shapes]
    kept = [
        (outline, tuple(hole for hole in holes if abs(signed_area(hole)) >= _LEAST_HOLE))
        for outline, holes in simple
        if signed_area(outline) >= _LEAST_AREA
    ]
    if sum(map(_corners, kept)) < sum(map(_corners, shapes)):
        again = _rings_of(kept)  # where a gap is finer than the tolerance, one line may have come to cross another
        kept = polygons.union(again.outlines, again.holes)
    return _mended(kept)


def _corners(shape: polygons.Shape) -> int:
    outline, holes = shape
    return len(outline) + sum(map(len, holes))


def _mended(shapes: list[polygons.Shape]) -> list[polygons.Shape]:
    """Shapes grown a little where rounding has led an outline across itself or a hole out of its outline."""
    for step in _MENDING:
        if all(map(_is_simple, shapes)):
            break
        shapes = polygons.offset(shapes, step, rounded=False)
    return shapes


def _is_simple(shape: polygons.Shape) -> bool:
    outline, holes = shape
    if any(not _turns_left(ring) and crosses_itself(ring) for ring in (outline, *(hole[::-1] for hole in holes))):
        return False
    middles = [0.5 * (hole + np.roll(hole, -1, axis=0)) for hole in holes]
    return all(np.mean(contains(outline, places)) > 0.5 for places in middles)  # some may lie on the outline


def _rings_of(shapes: list[polygons.Shape]) -> _Rings:
    return _Rings([outline for outline, _ in shapes], [hole for _, holes in shapes for hole in holes])


def _turns_left(ring: Float64) -> bool:
    """Whether a ring goes round something without ever turning right: then it cannot wind round a place backwards."""
    run = np.diff(np.concatenate([ring, ring[:2]]), axis=0)
    turn = run[:-1, 0] * run[1:, 1] - run[:-1, 1] * run[1:, 0]
    return bool(np.all(turn >= -_STRAIGHT * np.abs(turn).max()))


def _signed_areas(rings: list[Float64]) -> Float64:
    """Areas of many rings at once [m2], positive where they run counter-clockwise."""
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


def _shadow_rings(surface: Surface) -> list[tuple[int, Float64]]:
    """Silhouettes: rings that wind round each place as often as triangles cover it."""
    turned = np.where(surface.facing[:, None] > 0, surface.triangles, surface.triangles[:, ::-1])
    owner = np.zeros(len(surface.points), dtype=np.int64)
    owner[turned] = surface.owner[:, None]
    return [(int(owner[loop[0]]), surface.points[loop, :2]) for loop in trace_loops(_border(turned))]


def _border(triangles: Int64) -> Int64:
    """Directed edges of triangles that are left when opposite ones cancel, each as often as it is left."""
    edges = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    low, high = edges.min(axis=1), edges.max(axis=1)
    _, first, at = np.unique(low * (int(edges.max(initial=0)) + 1) + high, return_index=True, return_inverse=True)
    net = np.bincount(at, weights=np.where(edges[:, 0] < edges[:, 1], 1.0, -1.0), minlength=len(first)).astype(np.int64)
    kept = np.flatnonzero(net)
    low, high, net = low[first[kept]], high[first[kept]], net[kept]
    directed = np.where((net > 0)[:, None], np.stack([low, high], axis=1), np.stack([high, low], axis=1))
    return np.repeat(directed, np.abs(net), axis=0)


def _cut_rings(cut: Section) -> list[tuple[int, Float64]]:
    """Rings that bound the inside of each connected part at the height of its cut, and what parts enclose together."""
    part, owner = np.zeros(len(cut.points), dtype=np.int64), np.zeros(len(cut.points), dtype=np.int64)
    part[cut.ends], owner[cut.ends] = cut.part[:, None], cut.owner[:, None]
    found: defaultdict[int, list[list[int]]] = defaultdict(list)
    left: list[list[int]] = []
    for chain, closed in trace_chains(cut.ends):
        if closed:
            found[int(part[chain[0]])].append(chain)
        else:
            left.append(chain)
    rings = [
        (int(owner[loops[0][0]]), ring)
        for loops in found.values()
        for ring in _directed_by_nesting([cut.points[loop] for loop in loops])
    ]
    return rings + [(int(owner[face[0]]), cut.points[face]) for face in _faces_between(cut, left)]


def _faces_between(cut: Section, chains: list[list[int]]) -> list[list[int]]:
    """What open pieces of cuts enclose where they meet at edges of the mesh."""
    pairs = [pair for chain in chains for pair in pairwise(chain)]
    _, first, at = np.unique(cut.edge, return_index=True, return_inverse=True)
    ends = at[np.array(pairs, dtype=np.int64).reshape(-1, 2)]
    return [first[face].tolist() for face in enclosed_faces(cut.points[first], ends)]


def _directed_by_nesting(rings: list[Float64]) -> list[Float64]:
    """Rings of one part: counter-clockwise where an even number of the others lies round them, else clockwise."""
    directed = []
    for ring in rings:
        depth = sum(bool(contains(other, ring[:1])[0]) for other in rings if other is not ring)
        wanted = 1.0 if depth % 2 == 0 else -1.0
        directed.append(ring if signed_area(ring) * wanted > 0.0 else ring[::-1])
    return directed
