# SPDX-License-Identifier: GPL-3.0-or-later
"""Changing a medial axis where an obstacle comes or goes, and nowhere else.

    build(stock, bounds) -> Terrain
    change(terrain, before, after, number, bounds) -> Terrain

The arcs in conflict are those that lie beside a ring that goes, and those of which a point is nearer to a ring that
comes than to what it lies beside. Every place whose nearest obstacle changes is in sight of such an arc. So the diagram
of the sites beside them, of those that meet them in their ends, and of the new rings holds all that is new; it is taken
over up to the ends that stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GeometryError
from ..geometry.segments import contains, nearest_on_segments
from .free_space import Grid, Ground, ground_of, rings_between
from .medial_axis import Axis, Sites, check_counts, check_distances, medial_axis, seen_from_free_ground
from .stock import Stock
from .voronoi import diagram_of

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]
Ends = dict[int, int]

SAME_PLACE = 1e-7
"""How far apart a vertex may lie in two diagrams, of the extent of the map."""


FINENESS = (24, 23, 22)
"""Grids of so many bits across the bounds are tried in turn; from 26 on Boost fails where corners lie on a circle."""


@dataclass(frozen=True, eq=False)
class Terrain:
    """Ground with its sites and its medial axis, on a grid."""

    grid: Grid
    ground: Ground
    sites: Sites
    axis: Axis


def build(stock: Stock, bounds: Float64) -> Terrain:
    """Build a terrain on a fine grid, and on a coarser one where the check fails.

    Args:
        stock: the obstacles.
        bounds: float64 (B, 2), the outline of the ground [m].

    Returns:
        The terrain.

    Raises:
        GeometryError: there is no free ground, or the check failed on every grid.
        FootfallError: pyvoronoi or pyclipper is missing.
    """
    fault = GeometryError()
    for fineness in FINENESS:
        grid = Grid.round(bounds, fineness)
        ground = ground_of(rings_between(list(stock.shapes.values()), bounds, grid))
        try:
            sites, axis = medial_axis(ground, grid)
        except GeometryError as error:
            fault = error
        else:
            return Terrain(grid, ground, sites, axis)
    raise GeometryError(f"The corridor map could not be built. {fault}") from fault


def change(terrain: Terrain, before: Stock, after: Stock, number: int, bounds: Float64) -> Terrain:
    """Change a terrain where its stock of obstacles changes.

    Args:
        terrain: of the stock before.
        before: the obstacles before.
        after: the obstacles after.
        number: the obstacle in which they differ.
        bounds: float64 (B, 2), the outline of the ground [m].

    Returns:
        The terrain of the stock after; built anew where too little stays or a check fails.

    Raises:
        GeometryError: there is no free ground, or it could not be built.
        FootfallError: pyvoronoi or pyclipper is missing.
    """
    try:
        return _changed_locally(terrain, before, after, number, bounds)
    except GeometryError:
        return build(after, bounds)


def _changed_locally(terrain: Terrain, before: Stock, after: Stock, number: int, bounds: Float64) -> Terrain:
    """Join the obstacles anew that the change reaches, by way of those that meet it, and splice their rings in."""
    grid = terrain.grid
    margin = 8.0 / grid.steps  # twice the growth at a mitred corner, and rounding
    boxes = np.concatenate((before.boxes[before.ids == number], after.boxes[after.ids == number]))
    boxes, reached = _reached(boxes, before, after, margin)
    at_bounds = bool(np.any(meeting_bounds(boxes, bounds, margin)))
    if at_bounds:
        others = [stock.boxes[meeting_bounds(stock.boxes, bounds, margin)] for stock in (before, after)]
        boxes, reached = _reached(np.concatenate((boxes, *others)), before, after, margin)
    boxes = boxes + np.array([-margin, -margin, margin, margin])
    low, high = boxes[:, :2].min(axis=0) - margin, boxes[:, 2:].max(axis=0) + margin
    frame = bounds if at_bounds else np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    rings = rings_between([after.shapes[other] for other in after.ids[reached].tolist()], frame, grid)
    if not at_bounds:
        del rings[min(range(len(rings)), key=lambda k: rings[k][:, 0].min())]  # the frame's own
    return splice(terrain, _corners_within(terrain, boxes, bounds if at_bounds else None, margin), rings)


def _reached(boxes: Float64, before: Stock, after: Stock, margin: float) -> tuple[Float64, Bool]:
    """The boxes of all that a change reaches, before and after; and which obstacles of the stock after those are."""
    old = before.reached_from(boxes, margin)
    boxes = np.concatenate((boxes, before.boxes[old]))
    new = after.reached_from(boxes, margin)
    return np.concatenate((boxes, after.boxes[new])), new


def _corners_within(terrain: Terrain, boxes: Float64, bounds: Float64 | None, margin: float) -> Bool:
    """The corners of the rings within some boxes, and on the bounds if these are given."""
    grid, corners = terrain.grid, terrain.ground.corners
    origin = np.asarray(grid.origin)
    x, y = corners.T
    gone = np.zeros(len(corners), dtype=bool)
    for box in np.unique(boxes, axis=0):
        (low_x, low_y), (high_x, high_y) = (box[:2] - origin) * grid.steps, (box[2:] - origin) * grid.steps
        gone |= (x >= low_x) & (x <= high_x) & (y >= low_y) & (y <= high_y)
    if bounds is not None:
        places = corners / grid.steps + origin
        gone |= nearest_on_segments(places, bounds, np.roll(bounds, -1, axis=0))[0] <= margin
    return gone


def meeting_bounds(boxes: Float64, bounds: Float64, margin: float) -> Bool:
    """Which boxes are not surely inside the bounds.

    Args:
        boxes: float64 (N, 4), lowest and highest x, y [m].
        bounds: float64 (B, 2) [m].
        margin: how near to the bounds is too near [m].

    Returns:
        bool (N,): the box round an edge of the bounds meets it, or it lies outside.
    """
    following = np.roll(bounds, -1, axis=0)
    low, high = np.minimum(bounds, following)[:, None] - margin, np.maximum(bounds, following)[:, None] + margin
    meets = np.all((boxes[:, :2] <= high) & (boxes[:, 2:] >= low), axis=2).any(axis=0)
    meets[~meets] = ~contains(bounds, boxes[~meets, :2])
    return meets


def splice(terrain: Terrain, gone: Bool, rings: Sequence[Int64]) -> Terrain:
    """Take rings out of a terrain and put others in.

    Args:
        terrain: before.
        gone: bool (S,), the corners of the rings that go.
        rings: int64 (V, 2) each, the rings that come [grid steps], free ground on the left.

    Returns:
        The terrain after, as building it anew would give it.

    Raises:
        GeometryError: nothing of the axis stays, or the check failed; the terrain has to be built anew.
    """
    grid = terrain.grid
    ground, sites, number = _with_rings(terrain, gone, rings)
    fresh = len(ground.corners) - sum(len(ring) for ring in rings)
    old = _renumbered(terrain.axis, number, sites.segments)
    lost, conflict = _conflicts(old, sites, fresh, grid.extent)
    if np.all(conflict):
        raise GeometryError("Nothing of the medial axis stays.")
    stays = ~lost
    edge = np.zeros(len(lost), dtype=bool)
    edge[old.tail[conflict]] = edge[old.head[conflict]] = True
    edge &= stays
    segments = _segments_beside(old, conflict | edge[old.tail] | edge[old.head], ground, sites, fresh)
    pairs = np.stack((ground.corners[segments], ground.corners[ground.following[segments]]), axis=1)
    diagram = diagram_of(pairs)
    diagram = replace(diagram, edge_segment=segments[diagram.edge_segment])
    local = seen_from_free_ground(diagram, ground, sites, grid)
    is_new = (local.left % sites.segments >= fresh) | (local.right % sites.segments >= fresh)
    taken, ends = _new_part(local, old, conflict, stays, is_new, SAME_PLACE * grid.extent)
    check_distances(_arcs_of(local, taken), sites, grid)
    axis = _joined(old, conflict, stays, local, taken, ends)
    check_counts(axis, sites, ground)
    return Terrain(grid, ground, sites, axis)


def _with_rings(terrain: Terrain, gone: Bool, rings: Sequence[Int64]) -> tuple[Ground, Sites, Int64]:
    """The ground and sites after; and for each corner its new number, -1 where it has gone."""
    before, sites = terrain.ground, terrain.sites
    kept = np.flatnonzero(~gone)
    number = np.full(len(gone), -1)
    number[kept] = np.arange(len(kept))
    added = ground_of(rings)
    if len(np.unique(added.corners, axis=0)) < len(added.corners):
        raise GeometryError("Two corners of the free ground fall together.")
    leaving = ground_of(_rings_at(before, gone))
    ground = Ground(
        np.concatenate((before.corners[kept], added.corners)),
        np.concatenate((number[before.following[kept]], added.following + len(kept))),
        np.concatenate((number[before.before[kept]], added.before + len(kept))),
        before.regions - leaving.regions + added.regions,
        before.holes - leaving.holes + added.holes,
    )
    new = Sites.around(added, terrain.grid)

    def both(old: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        split, half = len(other) // 2, len(gone)
        return np.concatenate((old[:half][kept], other[:split], old[half:][kept], other[split:]))

    fields = {name: both(getattr(sites, name), getattr(new, name)) for name in ("start", "along", "length", "outward")}
    return ground, Sites(**fields), number


def _rings_at(ground: Ground, chosen: Bool) -> list[Int64]:
    """The rings that chosen corners make up."""
    rings = []
    waiting = dict.fromkeys(np.flatnonzero(chosen).tolist())
    while waiting:
        ring = [next(iter(waiting))]
        del waiting[ring[0]]
        following = int(ground.following[ring[0]])
        while following != ring[0]:
            del waiting[following]
            ring.append(following)
            following = int(ground.following[following])
        rings.append(ground.corners[ring])
    return rings


def _renumbered(axis: Axis, number: Int64, segments: int) -> Axis:
    """The axis with its sites under their new numbers, -1 where they have gone."""
    numbers = np.concatenate((number, np.where(number >= 0, number + segments, -1)))
    return replace(axis, left=numbers[axis.left], right=numbers[axis.right])


def _conflicts(axis: Axis, sites: Sites, fresh: int, extent: float) -> tuple[Bool, Bool]:
    """Vertices that are lost, and arcs that have to be found anew.

    Both may be too many, which costs time and changes nothing, but never too few.
    """
    lost = np.zeros(len(axis.vertices), dtype=bool)
    beside_gone = (axis.left < 0) | (axis.right < 0)
    lost[axis.tail[beside_gone]] = lost[axis.head[beside_gone]] = True
    starts = sites.start[fresh : sites.segments]
    if not len(starts):
        return lost, lost[axis.tail] | lost[axis.head]
    ends = starts + sites.length[fresh : sites.segments, None] * sites.along[fresh : sites.segments]
    slack = SAME_PLACE * extent
    lost |= _nearer(axis.vertices, axis.clearance + slack, starts, ends)
    tail, head = axis.vertices.take(axis.tail, axis=0), axis.vertices.take(axis.head, axis=0)
    apart = head - tail
    run = np.sqrt(apart[:, 0] ** 2 + apart[:, 1] ** 2)
    # Any point of an arc is no farther from its chord's middle than the chord is long, and has at most the clearance
    # of the wider end.
    wide = np.maximum(axis.clearance.take(axis.tail), axis.clearance.take(axis.head))
    cut = _nearer(0.5 * (tail + head), wide + run + slack, starts, ends)
    return lost, lost[axis.tail] | lost[axis.head] | cut


def _nearer(points: Float64, limit: Float64, starts: Float64, ends: Float64) -> Bool:
    """Which points are nearer to some segments than their limit."""
    low, high = np.minimum(starts, ends).min(axis=0), np.maximum(starts, ends).max(axis=0)
    x, y = points.T
    beyond_x, beyond_y = x - np.clip(x, low[0], high[0]), y - np.clip(y, low[1], high[1])
    near = np.flatnonzero(beyond_x * beyond_x + beyond_y * beyond_y < limit * limit)
    result = np.zeros(len(points), dtype=bool)
    result[near] = nearest_on_segments(points[near], starts, ends)[0] < limit[near]
    return result


def _segments_beside(axis: Axis, arcs: Bool, ground: Ground, sites: Sites, fresh: int) -> Int64:
    """The segments beside arcs, both of a corner, and all new ones."""
    beside = np.concatenate((axis.left[arcs], axis.right[arcs]))
    segments, corners = beside[(beside >= 0) & (beside < sites.segments)], beside[beside >= sites.segments]
    corners = corners - sites.segments
    return np.unique(np.concatenate((segments, corners, ground.before[corners], np.arange(fresh, sites.segments))))


def _new_part(local: Axis, old: Axis, conflict: Bool, stays: Bool, is_new: Bool, limit: float) -> tuple[Int64, Ends]:
    """The arcs of a local diagram that are new, and the old vertices in which they end, by their local numbers.

    From each vertex that stays, the arc in conflict is found again by the sites beside it. From there, and from the
    arcs beside new rings, one goes on from arc to arc and stops at vertices that stay.
    """
    leaving: dict[tuple[int, int], list[tuple[int, int]]] = {}
    at: dict[int, list[int]] = {}
    tails, heads = local.tail.tolist(), local.head.tolist()
    for arc, (tail, head, *sides) in enumerate(
        zip(tails, heads, local.left.tolist(), local.right.tolist(), strict=True)
    ):
        leaving.setdefault((sides[0], sides[1]), []).append((arc, tail))
        leaving.setdefault((sides[1], sides[0]), []).append((arc, head))
        at.setdefault(tail, []).append(arc)
        at.setdefault(head, []).append(arc)
    waiting: list[int] = np.flatnonzero(is_new).tolist()
    ends: Ends = {}
    for arc in np.flatnonzero(conflict).tolist():
        left, right = int(old.left[arc]), int(old.right[arc])
        for vertex, pair in ((int(old.tail[arc]), (left, right)), (int(old.head[arc]), (right, left))):
            if stays[vertex]:
                found, place = _same_vertex(leaving.get(pair, []), local, old.vertices[vertex], limit)
                ends[place] = vertex
                waiting.append(found)
    taken: set[int] = set()
    while waiting:
        arc = waiting.pop()
        if arc not in taken:
            taken.add(arc)
            for vertex in (tails[arc], heads[arc]):
                if vertex not in ends:
                    waiting += at[vertex]
    return np.array(sorted(taken), dtype=np.int64), ends


def _same_vertex(candidates: list[tuple[int, int]], local: Axis, place: Float64, limit: float) -> tuple[int, int]:
    apart = [float(np.abs(local.vertices[vertex] - place).max()) for _, vertex in candidates]
    if not apart or min(apart) > limit:
        raise GeometryError("A vertex that stays is missing in the local diagram.")
    return candidates[apart.index(min(apart))]


def _arcs_of(axis: Axis, arcs: Int64) -> Axis:
    """Some arcs of an axis; its vertices stay."""
    return replace(axis, tail=axis.tail[arcs], head=axis.head[arcs], left=axis.left[arcs], right=axis.right[arcs])


def _joined(old: Axis, conflict: Bool, stays: Bool, local: Axis, taken: Int64, ends: Ends) -> Axis:
    """What stays of the old axis, and the new part."""
    kept = np.flatnonzero(stays)
    old_number = np.full(len(stays), -1)
    old_number[kept] = np.arange(len(kept))
    new_number = np.full(len(local.vertices), -1)
    for place, vertex in ends.items():
        new_number[place] = old_number[vertex]
    used = np.unique(np.concatenate((local.tail[taken], local.head[taken])))
    added = used[new_number[used] < 0]
    new_number[added] = len(kept) + np.arange(len(added))
    rest = np.flatnonzero(~conflict)
    return Axis(
        np.concatenate((old.vertices[kept], local.vertices[added])),
        np.concatenate((old.clearance[kept], local.clearance[added])),
        np.concatenate((old_number[old.tail[rest]], new_number[local.tail[taken]])),
        np.concatenate((old_number[old.head[rest]], new_number[local.head[taken]])),
        np.concatenate((old.left[rest], local.left[taken])),
        np.concatenate((old.right[rest], local.right[taken])),
    )
