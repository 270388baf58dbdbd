# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground plan of what stands in a slab: outlines with holes, one list for each body.

Every triangle that is not upright covers its shadow on the ground. Turned to run counter-clockwise, triangles that
share an edge pass it in opposite directions, so that inner edges cancel and only silhouettes are left: loops whose
winding number is the number of triangles over a place. A sphere of 100,000 triangles comes down to its equator before
any polygon is joined.
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
from .joining import Rings, join, signed_areas, tidy
from .slab import Section, Surface, cut_off, section

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


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
    shadows = _shadow_rings(cut_off(surface.only(surface.facing != 0), bottom, top))
    cuts = _cut_rings(section(surface, bottom, top))
    rings = [ring for _, ring in shadows + cuts]
    owners = [body for body, _ in shadows + cuts]
    areas = signed_areas(rings)
    plans = {body: tidy([(ring, ())]) for body, ring in convex_plans(rings, np.array(owners), areas).items()}
    shadow, cut = defaultdict[int, Rings](Rings), defaultdict[int, Rings](Rings)
    for number, (body, ring, area) in enumerate(zip(owners, rings, areas, strict=True)):
        if body not in plans:
            (shadow if number < len(shadows) else cut)[body].add(ring, area)
    plans |= {body: join(shadow[body], cut[body]) for body in shadow.keys() | cut.keys()}
    return {body: shapes for body, shapes in sorted(plans.items()) if shapes}


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
