# SPDX-License-Identifier: GPL-3.0-or-later
"""The footprints of bodies in a slab of heights: outlines with holes, one list for each body.

Every triangle that is not vertical covers its projection onto the ground. With all triangles counter-clockwise, those
that share an edge traverse it in opposite directions, so that inner edges cancel and only silhouettes are left: loops
whose winding number is the number of triangles over a point. A sphere of 100,000 triangles is reduced to its equator
before any union of polygons.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ....core.geometry import polygons
from ....core.geometry.segments import contains, signed_area
from .chains import trace_chains, trace_loops
from .convex import convex_plans
from .enclosures import enclosed_faces
from .joining import Rings, join, signed_areas, simplify_shapes
from .slab import Section, Surface, cut_off, section

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


def find_footprints(surface: Surface, bottom: float, top: float) -> dict[int, list[polygons.Shape]]:
    """Find the footprints of the bodies of a surface between two heights.

    Args:
        surface: triangles of any number of bodies, z as height above the ground [m].
        bottom: lowest height that counts [m].
        top: first height that does not count [m].

    Returns:
        The shapes of each body that has a footprint: pairs (outline, holes) that do not overlap [m].

    Raises:
        FootfallError: pyclipper is missing.
    """
    silhouettes = _silhouette_rings(cut_off(surface.only(surface.facing != 0), bottom, top))
    cuts = _cut_rings(section(surface, bottom, top))
    rings = [ring for _, ring in silhouettes + cuts]
    owners = [body for body, _ in silhouettes + cuts]
    areas = signed_areas(rings)
    plans = {body: simplify_shapes([(ring, ())]) for body, ring in convex_plans(rings, np.array(owners), areas).items()}
    silhouette, cut = defaultdict[int, Rings](Rings), defaultdict[int, Rings](Rings)
    for number, (body, ring, area) in enumerate(zip(owners, rings, areas, strict=True)):
        if body not in plans:
            (silhouette if number < len(silhouettes) else cut)[body].add(ring, area)
    plans |= {body: join(silhouette[body], cut[body]) for body in silhouette.keys() | cut.keys()}
    return {body: shapes for body, shapes in sorted(plans.items()) if shapes}


def _silhouette_rings(surface: Surface) -> list[tuple[int, Float64]]:
    """Find silhouettes: rings that wind round each point as often as triangles cover it."""
    turned = np.where(surface.facing[:, None] > 0, surface.triangles, surface.triangles[:, ::-1])
    owner = np.zeros(len(surface.points), dtype=np.int64)
    owner[turned] = surface.owner[:, None]
    return [(int(owner[loop[0]]), surface.points[loop, :2]) for loop in trace_loops(_border(turned))]


def _border(triangles: Int64) -> Int64:
    """Return the directed edges of triangles that remain when opposite ones cancel, each as often as it remains."""
    edges = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    low, high = edges.min(axis=1), edges.max(axis=1)
    _, first, at = np.unique(low * (int(edges.max(initial=0)) + 1) + high, return_index=True, return_inverse=True)
    net = np.bincount(at, weights=np.where(edges[:, 0] < edges[:, 1], 1.0, -1.0), minlength=len(first)).astype(np.int64)
    kept = np.flatnonzero(net)
    low, high, net = low[first[kept]], high[first[kept]], net[kept]
    directed = np.where((net > 0)[:, None], np.stack([low, high], axis=1), np.stack([high, low], axis=1))
    return np.repeat(directed, np.abs(net), axis=0)


def _cut_rings(cut: Section) -> list[tuple[int, Float64]]:
    """Find rings that bound the inside of each connected part at its cut, and areas that parts enclose together."""
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
    """Find areas that open pieces of cuts enclose where they meet at edges of the mesh."""
    pairs = [pair for chain in chains for pair in pairwise(chain)]
    _, first, at = np.unique(cut.edge, return_index=True, return_inverse=True)
    ends = at[np.array(pairs, dtype=np.int64).reshape(-1, 2)]
    return [first[face].tolist() for face in enclosed_faces(cut.points[first], ends)]


def _directed_by_nesting(rings: list[Float64]) -> list[Float64]:
    """Orient the rings of one part: counter-clockwise inside an even number of the others, else clockwise."""
    directed = []
    for ring in rings:
        depth = sum(bool(contains(other, ring[:1])[0]) for other in rings if other is not ring)
        wanted = 1.0 if depth % 2 == 0 else -1.0
        directed.append(ring if signed_area(ring) * wanted > 0.0 else ring[::-1])
    return directed
