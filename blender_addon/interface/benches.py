# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds where people sit on a bench or a chair from its mesh: its largest level surface at the height of a seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ...core.array_types import Bool, Float64, Int64
from ...core.geometry.ragged import runs_of
from ...core.geometry.reproducible_math import dot, length

_RAYS = 32  # along each side of the box of a mesh


@dataclass(frozen=True)
class BenchSettings:
    """What is a seat, and where people sit on it; chosen.

    Attributes:
        width: from the middle of a seat to that of the next [m].
        lowest, highest: of a seat over the foot of its mesh, from a child's bench to a bar stool [m].
        level: unevenness of one seat, as of its boards [m].
        back: a backrest is this much higher than the seat at least [m].
        steep: least height of the normal of what lies rather than stands, over its length.
        square: seats whose sides differ by less have the mesh's own axes, the shorter over the longer one.
        beside: a seat is this far from the top at most, as between its boards [m].
        straight: seats that fill less of the box round them have legs, as a corner sofa has.
        narrowest: leg of a corner sofa [m].
        before: so far before a leg of it nothing stands, as another leg would, and so far behind it is a backrest [m].
        feet_ahead: of the middle of a seat [m].
        feet_apart: of two people on different legs at least [m].
        behind_edge: of a seat, from its front edge to where people sit, as the manual says [m].
    """

    width: float = 0.55
    lowest: float = 0.2
    highest: float = 0.75
    level: float = 0.04
    back: float = 0.15
    steep: float = 0.7
    square: float = 0.8
    beside: float = 0.1
    straight: float = 0.75
    narrowest: float = 0.25
    before: float = 0.35
    feet_ahead: float = 0.45
    feet_apart: float = 0.5
    behind_edge: float = 0.21


BENCH = BenchSettings()


class Row(NamedTuple):
    """A straight row of seats.

    Attributes:
        middle: of the row, in the world [Blender units].
        facing: float64 (2,), a unit vector to the front.
        count: how many seats there are.
    """

    middle: Vector
    facing: Float64
    count: int


class Bench(NamedTuple):
    """Where people sit on a mesh.

    Attributes:
        rows: one, or one for each leg of a corner sofa.
        has_back: whether a backrest says which side is the front.
        is_bent: whether some of these seats are beside its top, as on a round bench.
    """

    rows: tuple[Row, ...]
    has_back: bool
    is_bent: bool


class _Plan(NamedTuple):
    """What is seen of a mesh from above, in squares along its own axes.

    Attributes:
        hits: float64 (N, N, 3), where vertical rays meet it first, in the world; NaN beside it.
        is_level: bool (N, N), whether it lies there, rather than stands.
        foot: its lowest height.
        axes: float64 (2, 2), unit vectors along both sides.
        sides: of a square along these [m].
        unit: metres per Blender unit.
    """

    hits: Float64
    is_level: Bool
    foot: float
    axes: Float64
    sides: Float64
    unit: float

    @property
    def above(self) -> Float64:
        """Height over the foot, float64 (N, N) [m]."""
        return self.unit * (self.hits[..., 2] - self.foot)


def is_furniture(chosen: bpy.types.Object, graph: bpy.types.Depsgraph) -> bool:
    """Return whether people sit on an object's faces: where its points are seats, it has none, or they are scattered.

    Args:
        chosen: any object.
        graph: as it is evaluated now; what modifiers scatter are instances, or points that belong to no face.
    """
    if not isinstance(chosen.data, bpy.types.Mesh):
        return False
    for instance in graph.object_instances:
        if instance.is_instance and instance.parent is not None and instance.parent.original == chosen:
            return False
    mesh: Any = chosen.evaluated_get(graph).data
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return len(mesh.polygons) > 0 and len(np.unique(corners)) == len(mesh.vertices)


def find_bench(mesh: bpy.types.Object, unit: float) -> Bench | None:
    """Return where people sit on a mesh; None: nothing of it has the height of a seat.

    Args:
        mesh: a mesh with faces, as it is evaluated now.
        unit: metres per Blender unit.
    """
    plan = _seen_from_above(mesh, unit)
    above = plan.above
    is_seat = plan.is_level & (above >= BENCH.lowest) & (above <= BENCH.highest)
    if not is_seat.any():
        return None
    heights = above[is_seat]
    near = np.abs(heights[:, None] - heights) <= BENCH.level
    level = heights[int(np.argmax(near.sum(axis=1)))]
    is_seat &= np.abs(above - level) <= BENCH.level
    is_back = above > level + BENCH.back
    has_back = bool(is_back.any())
    row, is_beside, filled = _straight_row(plan, is_seat, is_back)
    legs = _legs(plan, is_seat, is_back) if is_beside or filled < BENCH.straight else ()
    if len(legs) > 1:
        return Bench(legs, has_back, is_bent=False)
    return Bench((row,), has_back, is_beside)


def _straight_row(plan: _Plan, is_seat: Bool, is_back: Bool) -> tuple[Row, bool, float]:
    """Return one row over all of the seats, whether some of it is beside them, and the share of its box they fill."""
    seat, unit = plan.hits[is_seat], plan.unit
    centre = seat[:, :2].mean(axis=0)
    flat = seat[:, :2] - centre
    _, sizes, axes = np.linalg.svd(flat, full_matrices=False)  # the longer one first
    if len(sizes) < 2 or sizes[1] > BENCH.square * sizes[0]:  # no side is the longer one
        axes = plan.axes
    front = axes[1]
    if is_back.any():
        away = centre - plan.hits[is_back][:, :2].mean(axis=0)
        front = axes[int(np.argmax(np.abs(axes @ away)))]
        front = front if dot(front, away) >= 0.0 else -front
    beside = np.array([front[1], -front[0]])
    reach, row = flat @ front, flat @ beside
    depth = max(float(reach.max()) - BENCH.behind_edge / unit, float(reach.mean()))
    middle = centre + depth * front + 0.5 * (row.max() + row.min()) * beside
    count = _count(unit * float(np.ptp(row)))
    seats = middle + BENCH.width / unit * (np.arange(count) - 0.5 * (count - 1))[:, None] * beside
    gap = length(seats[:, None] - seat[:, :2]).min(axis=1)
    is_beside = bool((unit * gap > max(BENCH.beside, float(plan.sides.max()))).any())
    box = (unit * np.ptp(row) + plan.sides[0]) * (unit * np.ptp(reach) + plan.sides[1])
    filled = len(seat) * float(plan.sides.prod() / box)
    return Row(Vector((*middle.tolist(), float(seat[:, 2].mean()))), front, count), is_beside, filled


def _count(metres: float) -> int:
    """How many people sit on so many metres; somebody sits on any seat."""
    return max(1, int(metres / BENCH.width + 0.2))


def _legs(plan: _Plan, is_seat: Bool, is_back: Bool) -> tuple[Row, ...]:
    """Return a row for each leg of a corner sofa: where nothing stands before it, and no feet of another leg."""
    found, feet = list[Row](), np.zeros((0, 2))
    stands = plan.above >= BENCH.lowest
    middle = np.argwhere(is_seat).mean(axis=0)
    for part in _rectangles(plan, is_seat):
        axis, side = _front_of(plan, part, is_back, middle)
        row = _row_before(plan, part, axis, side, stands, feet)
        if row is None:
            continue
        found.append(row)
        beside = np.array([row.facing[1], -row.facing[0]])
        along = BENCH.width * (np.arange(row.count) - 0.5 * (row.count - 1))[:, None] * beside
        ahead = np.array(row.middle.xy) + (along + BENCH.feet_ahead * row.facing) / plan.unit
        feet = np.concatenate([feet, ahead])
    return tuple(found)


def _rectangles(plan: _Plan, is_seat: Bool) -> list[tuple[Int64, Int64]]:
    """Divide seats into legs: the largest rectangle, the largest of what is left, and so on; the shortest one first."""
    left, found = is_seat.copy(), list[tuple[float, tuple[Int64, Int64]]]()
    while True:
        low, high = part = _largest_rectangle(left)
        sizes = (high - low) * plan.sides
        if sizes.min() < BENCH.narrowest or sizes.max() < BENCH.width:
            return [part for _, part in sorted(found, key=lambda each: each[0])]
        left[low[0] : high[0], low[1] : high[1]] = False
        found.append((float(sizes.max()), part))


def _largest_rectangle(free: Bool) -> tuple[Int64, Int64]:
    """Return the first and the end square of the largest rectangle of free ones, int64 (2,) each."""
    best, found = 0.0, (np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64))
    for first in range(len(free)):
        open_columns = np.ones(free.shape[1], dtype=bool)
        for end in range(first + 1, len(free) + 1):
            open_columns &= free[end - 1]
            runs = runs_of(open_columns)
            if not len(runs):
                break
            longest = runs[int(np.argmax(runs[:, 1] - runs[:, 0]))]
            if (end - first) * (longest[1] - longest[0]) > best:
                best = (end - first) * (longest[1] - longest[0])
                found = np.array([first, longest[0]]), np.array([end, longest[1]])
    return found


def _front_of(plan: _Plan, part: tuple[Int64, Int64], is_back: Bool, middle: Float64) -> tuple[int, int]:
    """Return the axis and the side to which a leg faces: away from its backrest, or else towards the other legs."""
    (low, high), lengths = part, (part[1] - part[0]) * plan.sides
    across = int(np.argmin(lengths))
    is_square = lengths.min() > BENCH.square * lengths.max()
    best, found = -np.inf, (across, 1)
    for axis in (across, 1 - across) if is_square else (across,):
        for side in (-1, 1):
            behind, ahead = (is_back[_band(plan, part, axis, way)] for way in (-side, side))
            inwards = side * (middle - 0.5 * (low + high - 1))[axis] / len(is_back)
            score = behind.sum() / max(behind.size, 1) - ahead.sum() / max(ahead.size, 1) + 0.1 * inwards
            if score > best:
                best, found = score, (axis, side)
    return found


def _band(plan: _Plan, part: tuple[Int64, Int64], axis: int, side: int) -> tuple[slice, slice]:
    """The squares of the width of a leg that are before it on one side."""
    (low, high), deep = part, max(1, round(BENCH.before / plan.sides[axis]))
    edge = (int(high[axis]), int(high[axis]) + deep) if side > 0 else (max(int(low[axis]) - deep, 0), int(low[axis]))
    other = slice(int(low[1 - axis]), int(high[1 - axis]))
    return (slice(*edge), other) if axis == 0 else (other, slice(*edge))


def _row_before(
    plan: _Plan,
    part: tuple[Int64, Int64],
    axis: int,
    side: int,
    stands: Bool,
    feet: Float64,
) -> Row | None:
    """Return the row of seats on a leg that faces a side, where the ground before it is free; None: it is nowhere."""
    (low, high), unit = part, plan.unit
    facing = side * plan.axes[axis]
    edge = int(high[axis]) - 1 if side > 0 else int(low[axis])
    along = np.arange(low[1 - axis], high[1 - axis])
    squares = (np.full(len(along), edge), along) if axis == 0 else (along, np.full(len(along), edge))
    points = plan.hits[squares]
    ahead = points[:, :2] + (0.5 * plan.sides[axis] + BENCH.feet_ahead - BENCH.behind_edge) / unit * facing
    free: Bool = ~np.any(stands[_band(plan, part, axis, side)], axis=axis)
    if len(feet):
        apart = length(ahead[:, None] - feet).min(axis=1)
        free &= unit * apart >= BENCH.feet_apart - 0.5 * BENCH.width
    runs = runs_of(free)
    if not len(runs):
        return None
    first, end = runs[int(np.argmax(runs[:, 1] - runs[:, 0]))].tolist()
    if (end - first) * plan.sides[1 - axis] < 0.8 * BENCH.width:
        return None
    depth = (high - low)[axis] * plan.sides[axis]
    back = max(0.0, min(BENCH.behind_edge, 0.5 * depth) - 0.5 * plan.sides[axis])
    middle = 0.5 * (points[first, :2] + points[end - 1, :2]) - back / unit * facing
    height = float(points[first:end, 2].mean())
    return Row(Vector((*middle.tolist(), height)), facing, _count((end - first) * plan.sides[1 - axis]))


def _seen_from_above(mesh: bpy.types.Object, unit: float) -> _Plan:
    """Return what vertical rays meet of a mesh."""
    to_world, to_own = mesh.matrix_world, mesh.matrix_world.inverted_safe()
    corners = np.array([to_world @ Vector(corner) for corner in mesh.bound_box])
    turn = to_world.to_3x3()
    ahead = (turn @ Vector((1.0, 0.0, 0.0))).xy
    own = np.array((ahead if ahead.length > 0.0 else Vector((1.0, 0.0))).normalized())
    axes = np.array([own, (-own[1], own[0])])
    flat = corners[:, :2] @ axes.T
    low, size = flat.min(axis=0), np.ptp(flat, axis=0)
    foot, top = float(corners[:, 2].min()), float(corners[:, 2].max()) + 1.0
    down, upright = to_own.to_3x3() @ Vector((0.0, 0.0, -1.0)), turn.inverted_safe().transposed()
    hits, level = np.full((_RAYS, _RAYS, 3), np.nan), np.zeros((_RAYS, _RAYS), dtype=bool)
    for square in np.ndindex(_RAYS, _RAYS):
        x, y = (low + (np.array(square) + 0.5) / _RAYS * size) @ axes
        is_hit, at, normal, _ = mesh.ray_cast(to_own @ Vector((x, y, top)), down)
        if is_hit:
            hits[square] = to_world @ at
            level[square] = abs((upright @ normal).normalized().z) >= BENCH.steep
    return _Plan(hits, level, foot, axes, unit * size / _RAYS, unit)
