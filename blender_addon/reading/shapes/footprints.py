# SPDX-License-Identifier: GPL-3.0-or-later
"""The footprints of bodies in a slab of heights: outlines with holes, one list for each body.

Every triangle that is not vertical covers its projection onto the ground. With all triangles counter-clockwise, those
that share an edge traverse it in opposite directions, so that inner edges cancel and only silhouettes are left: loops
whose winding number is the number of triangles over a point. A sphere of 100,000 triangles is reduced to its equator
before any union of polygons. A scan is not: its silhouettes, of every bump, are read on a fine grid.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ....core.array_types import Bool, Float64, Int64
from ....core.geometry import polygons
from ....core.geometry.reproducible_math import length
from ....core.geometry.segments import contains, signed_area
from .chains import trace_chains, trace_loops
from .convex import convex_plans
from .enclosures import enclosed_faces
from .fine_grid import Edges, find_covered
from .joining import Rings, join, signed_areas, simplify_shapes
from .slab import Section, Surface, cut_off, section


@dataclass(frozen=True)
class CrowdedEdges:
    """Which bodies are read on a grid; both chosen by trial.

    Attributes:
        most: number of edges up to which polygons are joined, in about a second at worst.
        longest: mean length from which they are joined, however many [m]: long edges pass many cells and cross few.
    """

    most: int = 20_000
    longest: float = 0.5


_CROWDED = CrowdedEdges()


class Lines(NamedTuple):
    """Vertical faces and bare edges in plan.

    Attributes:
        ends: float64 (S, 2, 2) [m].
        owner: int64 (S,), the body of each.
    """

    ends: Float64
    owner: Int64


_NO_LINES = Lines(np.empty((0, 2, 2)), np.empty(0, dtype=np.int64))


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
    return find_footprints_with(_NO_LINES, surface, bottom, top)[0]


def find_footprints_with(
    lines: Lines, surface: Surface, bottom: float, top: float
) -> tuple[dict[int, list[polygons.Shape]], set[int]]:
    """Find the same, and the bodies whose footprints cover their lines too, as these were read on a grid.

    Args:
        lines: of any bodies.
        surface: see `find_footprints`.
        bottom: see `find_footprints`.
        top: see `find_footprints`.

    Returns:
        The shapes of each body; the numbers of the bodies with too many edges to be joined exactly.
    """
    whole = cut_off(surface.only(surface.facing != 0), bottom, top)
    border = _border(np.where(whole.facing[:, None] > 0, whole.triangles, whole.triangles[:, ::-1]))
    owner = np.zeros(len(whole.points), dtype=np.int64)
    owner[whole.triangles] = whole.owner[:, None]
    of_border = owner[border[:, 0]]
    cut = section(surface, bottom, top)
    many = _are_crowded(
        np.concatenate([whole.points[border, :2], cut.points[cut.ends], lines.ends]),
        np.concatenate([of_border, cut.owner, lines.owner]),
    )
    crowded = np.flatnonzero(many).tolist()
    plans = {
        body: find_covered(
            _edges_of(whole.points[border[of_border == body], :2], cut.only(cut.owner == body), lines, body)
        )
        for body in crowded
    }
    kept = ~many[of_border]
    plans |= _join_exactly(whole.points, border[kept], of_border[kept], cut.only(~many[cut.owner]))
    return {body: shapes for body, shapes in sorted(plans.items()) if shapes}, set(crowded)


def _are_crowded(ends: Float64, owner: Int64) -> Bool:
    count = np.bincount(owner)
    reach = np.bincount(owner, weights=length(ends[:, 1] - ends[:, 0]))
    return (count > _CROWDED.most) & (reach < _CROWDED.longest * count)


def _edges_of(border: Float64, cut: Section, lines: Lines, body: int) -> Edges:
    """Collect the edges of a body with many."""
    rings, left = _trace_cut(cut)
    closed, around = _pieces_of(rings), _pieces_of(_faces_between(cut, left))
    return Edges(
        border=np.concatenate([border, cut.points[around]]),
        cut=cut.points[closed],
        part=_of_points(cut, cut.part)[closed[:, 0]],
        lines=lines.ends[lines.owner == body],
    )


def _pieces_of(loops: list[list[int]]) -> Int64:
    """Return the pairs of points that follow each other in loops."""
    pairs = [pair for loop in loops for pair in pairwise([*loop, loop[0]])]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _join_exactly(points: Float64, border: Int64, of_border: Int64, cut: Section) -> dict[int, list[polygons.Shape]]:
    """Join the silhouettes and the cuts of bodies, by body."""
    owner = np.zeros(len(points), dtype=np.int64)
    owner[border] = of_border[:, None]
    silhouettes = [(int(owner[loop[0]]), points[loop, :2]) for loop in trace_loops(border)]
    cuts = _cut_rings(cut)
    rings = [ring for _, ring in silhouettes + cuts]
    owners = [body for body, _ in silhouettes + cuts]
    areas = signed_areas(rings)
    plans = {body: simplify_shapes([(ring, ())]) for body, ring in convex_plans(rings, np.array(owners), areas).items()}
    silhouette, cut_rings = defaultdict[int, Rings](Rings), defaultdict[int, Rings](Rings)
    for number, (body, ring, area) in enumerate(zip(owners, rings, areas, strict=True)):
        if body not in plans:
            (silhouette if number < len(silhouettes) else cut_rings)[body].add(ring, area)
    return plans | {body: join(silhouette[body], cut_rings[body]) for body in silhouette.keys() | cut_rings.keys()}


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
    part, owner = _of_points(cut, cut.part), _of_points(cut, cut.owner)
    closed, left = _trace_cut(cut)
    found: defaultdict[int, list[list[int]]] = defaultdict(list)
    for loop in closed:
        found[int(part[loop[0]])].append(loop)
    rings = [
        (int(owner[loops[0][0]]), ring)
        for loops in found.values()
        for ring in _directed_by_nesting([cut.points[loop] for loop in loops])
    ]
    return rings + [(int(owner[face[0]]), cut.points[face]) for face in _faces_between(cut, left)]


def _of_points(cut: Section, of_pieces: Int64) -> Int64:
    found = np.zeros(len(cut.points), dtype=np.int64)
    found[cut.ends] = of_pieces[:, None]
    return found


def _trace_cut(cut: Section) -> tuple[list[list[int]], list[list[int]]]:
    """Trace the pieces of cuts: closed rings, and lines with two ends."""
    chains = trace_chains(cut.ends)
    return [chain for chain, closed in chains if closed], [chain for chain, closed in chains if not closed]


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
