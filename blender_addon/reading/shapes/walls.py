# SPDX-License-Identifier: GPL-3.0-or-later
"""Walls: vertical planes and bare edges in a slab of heights, as lines. numpy only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ....core.array_types import Bool, Float64, Int64
from ....core.geometry.polygons import Shape
from ....core.geometry.ragged import places_in
from ....core.geometry.reproducible_math import arctan2, dot, heading_vector, length
from ....core.geometry.segments import contains, edges_of, nearest_on_segments
from .chains import trace_chains
from .simplify import simplify_line
from .slab import Surface, cut_off


@dataclass(frozen=True)
class WallTolerances:
    """When segments count as one wall; all chosen: below a millimetre nothing matters for people.

    Attributes:
        direction: largest angle between segments of one line [rad].
        line: largest distance of segments from their common line [m].
        end: largest distance between ends that are joined [m].
        covered: a line this near to an outline adds nothing to it [m].
        probe_step: distance between the points of a line that are tested against outlines [m].
    """

    direction: float = 1e-4
    line: float = 5e-4
    end: float = 1e-4
    covered: float = 2e-3
    probe_step: float = 0.1


_TOLERANCES = WallTolerances()


def vertical_segments(surface: Surface, bottom: float, top: float) -> tuple[Float64, Int64]:
    """Project vertical triangles between two heights onto the ground.

    Args:
        surface: any triangles, z as height above the ground [m].
        bottom: lowest height that counts [m].
        top: first height that does not count [m].

    Returns:
        float64 (S, 2, 2): the ends of each segment [m]; int64 (S,): its body.
    """
    cut = cut_off(surface.only(surface.facing == 0), bottom, top)
    corners = cut.points[cut.triangles, :2]  # (S, 3, 2)
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2)  # (S, 3, 2, 2)
    longest = np.argmax(length(sides[:, :, 1] - sides[:, :, 0]), axis=1)
    return sides[np.arange(len(sides)), longest], cut.owner


def edge_segments(ends: Float64, owner: Int64, bottom: float, top: float) -> tuple[Float64, Int64]:
    """Project edges between two heights onto the ground.

    Args:
        ends: float64 (S, 2, 3), the ends of each edge, z as height above the ground [m].
        owner: int64 (S,), the body of each edge.
        bottom: lowest height that counts [m].
        top: first height that does not count [m].

    Returns:
        float64 (K, 2, 2): the ends of each segment [m]; int64 (K,): its body.
    """
    low, high = ends[..., 2].min(axis=1), ends[..., 2].max(axis=1)
    kept = (high >= bottom) & (low < top)
    start, run, owner = ends[kept, 0], ends[kept, 1] - ends[kept, 0], owner[kept]
    rise = np.where(run[:, 2] == 0.0, np.inf, run[:, 2])  # a level edge is inside over its whole length
    level = np.isinf(rise)
    at_bottom = np.where(level, 0.0, (bottom - start[:, 2]) / rise)
    at_top = np.where(level, 1.0, (top - start[:, 2]) / rise)
    shares = np.clip(np.sort(np.stack([at_bottom, at_top], axis=1), axis=1), 0.0, 1.0)
    return start[:, None, :2] + shares[:, :, None] * run[:, None, :2], owner


def open_bodies(surface: Surface) -> set[int]:
    """Find bodies with an edge of a single face: only these have vertical faces that bound no solid.

    Args:
        surface: triangles of any number of bodies.

    Returns:
        Their numbers.
    """
    edges = np.sort(surface.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    keys = edges[:, 0] * len(surface.points) + edges[:, 1]
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    return set(np.unique(surface.owner[first[count == 1] // 3]).tolist())


def trace_walls(segments: Float64, shapes: Sequence[Shape]) -> list[Float64]:
    """Join segments to lines, without those that shapes cover.

    Args:
        segments: float64 (S, 2, 2) [m], which may overlap.
        shapes: pairs (outline, holes) of the same body [m].

    Returns:
        Lines, float64 (W, 2) each [m].
    """
    apart = segments[length(segments[:, 1] - segments[:, 0]) > _TOLERANCES.end]
    bare = apart[~_are_covered(apart, shapes)]
    if not len(bare):
        return []
    ends = np.concatenate([piece for group in _on_one_line(bare) for piece in _merge(group)])  # (2 S, 2)
    cells = np.round(ends / _TOLERANCES.end).astype(np.int64)
    _, first, place = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    at = ends[first]
    chains = trace_chains(place.reshape(-1, 2))
    lines = [at[chain + chain[:1] if closed else chain] for chain, closed in chains]
    return [simplify_line(line, _TOLERANCES.line) for line in lines if len(line) >= 2]


def _on_one_line(segments: Float64) -> Iterator[Float64]:
    """Group segments that lie on one line."""
    run = segments[:, 1] - segments[:, 0]
    angle = arctan2(run[:, 1], run[:, 0]) % np.pi
    angle[angle > np.pi - _TOLERANCES.direction] -= np.pi
    for rows in _clusters(angle, _TOLERANCES.direction):
        mean = angle[rows].mean()
        group = segments[rows]
        middle = group.reshape(-1, 2).mean(axis=0)
        offset = dot(group.mean(axis=1) - middle, heading_vector(mean + 0.5 * np.pi))
        for together in _clusters(offset, _TOLERANCES.line):
            yield group[together]


def _clusters(values: Float64, gap: float) -> list[Int64]:
    """Group rows of values that are separated by more than `gap`."""
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(values[order]) > gap) + 1) if len(values) else []


def _merge(group: Float64) -> Iterator[Float64]:
    """Merge segments of one line to the fewest that cover the same."""
    run = group[np.argmax(length(group[:, 1] - group[:, 0]))]
    direction = (run[1] - run[0]) / length(run[1] - run[0])
    points = group.reshape(-1, 2)
    along = dot(points, direction).reshape(-1, 2)
    order = np.argsort(along.min(axis=1), kind="stable")
    reach = np.maximum.accumulate(along.max(axis=1)[order])
    breaks = np.flatnonzero(along.min(axis=1)[order][1:] > reach[:-1] + _TOLERANCES.end) + 1
    for rows in np.split(order, breaks):
        ends = group[rows].reshape(-1, 2)
        place = dot(ends, direction)
        yield ends[[int(np.argmin(place)), int(np.argmax(place))]]


def _are_covered(segments: Float64, shapes: Sequence[Shape]) -> Bool:
    """Return which segments lie in shapes, or on their edges, over their whole length."""
    if not shapes or not len(segments):
        return np.zeros(len(segments), dtype=bool)
    run = segments[:, 1] - segments[:, 0]
    count = np.maximum(np.ceil(length(run) / _TOLERANCES.probe_step).astype(np.int64) + 1, 3)
    of_segment, number = places_in(count)
    probes = segments[of_segment, 0] + (number / (count[of_segment] - 1))[:, None] * run[of_segment]
    edges = [edges_of(ring) for outline, holes in shapes for ring in (outline, *holes)]
    starts, ends = (np.concatenate(side) for side in zip(*edges, strict=True))
    held = nearest_on_segments(probes, starts, ends)[0] <= _TOLERANCES.covered
    for outline, holes in shapes:
        rows = np.flatnonzero(~held)
        if len(rows):
            held[rows] = contains(outline, probes[rows])
            for hole in holes:
                held[rows] &= ~contains(hole, probes[rows])
    return np.bincount(of_segment[~held], minlength=len(segments)) == 0
