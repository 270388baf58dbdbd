# SPDX-License-Identifier: GPL-3.0-or-later
"""Ledges and walls of the ground: where it ends, falls or rises by more than a step, or something upright stands on it.

Nobody walks off a bridge, through a rock, or through the walls of a building whose floor is the ground. Where a route
leads over a ledge, or ends at it, the user wants people to pass: there is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from mathutils.kdtree import KDTree

from ....core.array_types import Bool, Float64, Int64
from ....core.geometry.ragged import places_in
from ....core.geometry.reproducible_math import length
from ....core.motion.feet.uneven_ground import HIGHEST_STEP
from ....core.scene import Area, Route
from ..shapes.walls import trace_walls
from .floors import places_walked
from .ground import GroundMesh


@dataclass(frozen=True)
class LedgeSettings:
    """What counts as a ledge, and where people may pass one; all chosen.

    Attributes:
        step: the ground may rise or fall by so much at once [m].
        gap: people step over gaps of the ground up to this width [m], as between a platform and a train.
        steepest: faces steeper than this are not walked on [rad].
        upright: faces steeper than this stand on the ground, as walls do [rad].
        piece: the longest part of an edge that is judged as one [m].
        beside: how far beside an edge the ground is looked up [m].
        storey: ground that lies this much over other ground counts only where a route or place is as high [m].
        on_ledge: a place where people walk for certain that lies this near to a ledge opens it [m].
        at_end: so far straight on from the end of a route, and round a start or goal, people come and go [m].
    """

    step: float = HIGHEST_STEP
    gap: float = 0.4
    steepest: float = math.radians(60.0)
    upright: float = math.radians(80.0)
    piece: float = 0.25
    beside: float = 0.05
    storey: float = 2.0
    on_ledge: float = 0.4
    at_end: float = 1.0


_SETTINGS = LedgeSettings()
_FAR = 1e9  # over or under everything [m]


def find_ledges(ground: GroundMesh, walked: Float64, head_height: float, bounds: Float64) -> Float64:
    """Find the ledges of a ground, and its walls.

    Args:
        ground: any.
        walked: float64 (N, 3), places where people walk for certain: of ground in storeys only that counts which is as
            high as the nearest of them [m].
        head_height: what is higher above the ground stops nobody [m].
        bounds: float64 (B, 2), which nobody leaves: ledges beyond them are not searched [m].

    Returns:
        float64 (L, 2, 2), the ends of short pieces in plan [m].
    """
    box = np.stack([bounds.min(axis=0) - _SETTINGS.piece, bounds.max(axis=0) + _SETTINGS.piece])
    return np.concatenate([_find_rims(ground, walked, box), _find_walls(ground, walked, head_height, box)])


def bounds_on(ground: GroundMesh, bounds: Float64, places: Float64) -> Float64 | None:
    """Return a box, float64 (4, 2) [m], cut to the box of the ground, so that nobody is sent beyond its edge.

    None where people have places beyond the ground.

    Args:
        ground: any.
        bounds: float64 (4, 2), the box that nobody leaves [m].
        places: float64 (N, 2), where people are sent [m].
    """
    low, high = ground.corners[..., :2].min(axis=(0, 1)), ground.corners[..., :2].max(axis=(0, 1))
    if not ((places >= low) & (places <= high)).all():
        return None
    (x0, y0), (x1, y1) = np.maximum(bounds.min(axis=0), low), np.minimum(bounds.max(axis=0), high)
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def _find_rims(ground: GroundMesh, walked: Float64, box: Float64) -> Float64:
    corners = ground.corners
    near_box = ((corners[..., :2].max(axis=1) >= box[0]) & (corners[..., :2].min(axis=1) <= box[1])).all(axis=1)
    start, run, outwards = _open_edges(corners, ground.walkable(_SETTINGS.steepest) & near_box)
    row, start, run = _pieces(start, run, box)
    middle, outwards = start + 0.5 * run, outwards[row]
    z = middle[:, 2]
    inside = ground.storeys(middle[:, :2] - _SETTINGS.beside * outwards, z)
    near, far = (ground.storeys(middle[:, :2] + reach * outwards, z) for reach in (_SETTINGS.beside, _SETTINGS.gap))
    # What is not seen from above, such as the edge of a floor under a step, is no edge.
    bare = np.abs(inside - z) <= _SETTINGS.step
    found = np.flatnonzero(bare & ((near > z + _SETTINGS.step) | ~_is_level(far, z)))
    found = found[_is_walked(ground, middle[found], walked)]
    return np.stack([start[found, :2], start[found, :2] + run[found, :2]], axis=1)


def _find_walls(ground: GroundMesh, walked: Float64, head_height: float, box: Float64) -> Float64:
    corners = ground.upright(_SETTINGS.upright)
    ends = np.roll(corners, -1, axis=1)
    longest = np.argmax(length((ends - corners)[..., :2]), axis=1)
    start, end = (each[np.arange(len(corners)), longest] * (1.0, 1.0, 0.0) for each in (corners, ends))
    row, start, run = _pieces(start, end - start, box)
    middle, bottom, top = start + 0.5 * run, corners[row, :, 2].min(axis=1), corners[row, :, 2].max(axis=1)
    aside = run[:, 1::-1] * (1.0, -1.0) / np.maximum(length(run[:, :2]), 1e-12)[:, None]
    stands = np.zeros(len(row), dtype=bool)
    for side in (-_SETTINGS.beside, _SETTINGS.beside):
        foot = ground.storeys(middle[:, :2] + side * aside, bottom)
        found = np.flatnonzero((top > foot + _SETTINGS.step) & (bottom < foot + head_height))
        stands[found] |= _is_walked(ground, np.column_stack([middle[found, :2], foot[found]]), walked)
    return np.stack([start[stands, :2], start[stands, :2] + run[stands, :2]], axis=1)


def _is_level(height: Float64, z: Float64) -> Bool:
    return np.abs(height - z) <= _SETTINGS.step  # False where there is no ground


def _open_edges(corners: Float64, walkable: Bool) -> tuple[Float64, Float64, Float64]:
    """Return edges with walkable triangles on one side only: start and run, float64 (E, 3), and the way out (E, 2)."""
    some = corners[walkable]
    start, end, third = (np.roll(some, -turn, axis=1).reshape(-1, 3) for turn in (0, 1, 2))
    middle = start + end  # the same number for all triangles of an edge, whichever way they walk it
    run = end - start
    aside = run[:, 1::-1] * (1.0, -1.0)
    inwards = np.sign(((third - start)[:, :2] * aside).sum(axis=1))
    side = np.where((run[:, 0] > 0.0) | ((run[:, 0] == 0.0) & (run[:, 1] > 0.0)), inwards, -inwards)
    order = np.lexsort(middle.T)
    new = np.ones(len(order), dtype=bool)
    new[1:] = (middle[order[1:]] != middle[order[:-1]]).any(axis=1)
    first = np.flatnonzero(new)
    # Faces may be doubled, as in models that are to be seen from both sides.
    least, most = np.minimum.reduceat(side[order], first), np.maximum.reduceat(side[order], first)
    alone = np.sort(order[first[least == most]])
    outwards = -inwards[:, None] * aside / np.maximum(length(aside), 1e-12)[:, None]
    return start[alone], run[alone], outwards[alone]


def _pieces(start: Float64, run: Float64, box: Float64) -> tuple[Int64, Float64, Float64]:
    """Cut the parts of lines within a box into short pieces: the number of the line, start and run of each."""
    with np.errstate(divide="ignore", invalid="ignore"):  # a line along a side of the box meets it nowhere
        shares = (box[:, None] - start[:, :2]) / run[:, :2]
    enters = np.where(run[:, :2] == 0.0, 0.0, shares.min(axis=0)).max(axis=1, initial=0.0)
    leaves = np.where(run[:, :2] == 0.0, 1.0, shares.max(axis=0)).min(axis=1, initial=1.0)
    beside = (run[:, :2] == 0.0) & ((start[:, :2] < box[0]) | (start[:, :2] > box[1]))
    kept = np.flatnonzero((enters < leaves) & ~beside.any(axis=1))
    start = start[kept] + enters[kept, None] * run[kept]
    run = (leaves - enters)[kept, None] * run[kept]
    count = np.maximum(1, np.ceil(length(run[:, :2]) / _SETTINGS.piece)).astype(np.int64)
    row, number = places_in(count)
    run = run[row] / count[row, None]
    return kept[row], start[row] + number[:, None] * run, run


def _is_walked(ground: GroundMesh, middle: Float64, walked: Float64) -> Bool:
    """Return which places are as high as the nearest route, or have no other ground over or under them; bool (N,)."""
    lowest, highest = (ground.storeys(middle[:, :2], z) for z in (-_FAR, _FAR))
    counts = ~(highest - lowest > _SETTINGS.storey)
    if not len(walked):
        return counts
    tree = _tree_of(walked[:, :2])
    for row in np.flatnonzero(~counts).tolist():
        number = tree.find((*middle[row, :2].tolist(), 0.0))[1]
        counts[row] = abs(walked[number, 2] - middle[row, 2]) <= 0.5 * _SETTINGS.storey
    return counts


@dataclass(frozen=True, eq=False)
class Passage:
    """Where people pass ledges.

    Attributes:
        places: float64 (N, 2), where they walk for certain [m].
        near: a ledge that lies this near to one of them is open [m],
        half_width: and so are those this near to it [m].
    """

    places: Float64
    near: float
    half_width: float


def along_route(route: Route, half_width: float) -> Passage:
    """Return where people pass along a route, and straight on from its ends, where they come from and go to."""
    line = route.points
    if not route.closed:
        ways = line[[0, -1]] - line[[1, -2]]
        ways = ways * (_SETTINGS.at_end / np.maximum(length(ways[:, :2]), 1e-9))[:, None]
        line = np.vstack([line[:1] + ways[:1], line, line[-1:] + ways[1:]])
    walked = places_walked([replace(route, points=line)], np.zeros((0, 3)))[:, :2]
    return Passage(walked, _SETTINGS.on_ledge, half_width)


def round_area(area: Area) -> Passage:
    """Return where people come from or go to: the outline of a start or goal."""
    outline = np.pad(np.vstack([area.outline, area.outline[:1]]), ((0, 0), (0, 1)))
    around = places_walked([Route(area.name, outline)], np.zeros((0, 3)))[:, :2]
    return Passage(around, _SETTINGS.at_end, _SETTINGS.at_end)


def closed_ledges(ledges: Float64, passages: Sequence[Passage]) -> list[Float64]:
    """Return the ledges that stop people, as lines.

    Args:
        ledges: float64 (L, 2, 2), short pieces [m].
        passages: where people pass them.

    Returns:
        Lines, float64 (W, 2) each [m].
    """
    middle = ledges.mean(axis=1)
    closed = np.ones(len(ledges), dtype=bool)
    for each in passages:
        touched = _are_near(middle, each.places, each.near)
        closed &= ~_are_near(middle, middle[touched], each.half_width)
    return trace_walls(ledges[closed], [])


def _are_near(points: Float64, places: Float64, reach: float) -> Bool:
    """Return which points (N, 2) have one of some places (P, 2) within a distance [m]: bool (N,)."""
    if not len(places):
        return np.zeros(len(points), dtype=bool)
    tree = _tree_of(places)
    return np.array([tree.find((x, y, 0.0))[2] <= reach for x, y in points.tolist()], dtype=bool)


def _tree_of(places: Float64) -> KDTree:
    tree = KDTree(len(places))
    for number, (x, y) in enumerate(places.tolist()):
        tree.insert((x, y, 0.0), number)
    tree.balance()
    return tree
