# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds where people sit on a bench or a chair from its mesh: its largest level surface at the height of a seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ...core.array_types import Bool, Float64
from ...core.geometry.reproducible_math import dot

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
    behind_edge: float = 0.21


BENCH = BenchSettings()


class Bench(NamedTuple):
    """Where people sit on a mesh.

    Attributes:
        middle: of the row of seats, in the world [Blender units].
        facing: float64 (2,), a unit vector to the front.
        count: how many seats there are in the row.
        has_back: whether a backrest says which side is the front.
        is_bent: whether some of these seats would be beside its top, as on a corner sofa.
    """

    middle: Vector
    facing: Float64
    count: int
    has_back: bool
    is_bent: bool


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
    hits, is_level, foot = _seen_from_above(mesh)
    above = unit * (hits[:, 2] - foot)
    seats = np.flatnonzero(is_level & (above >= BENCH.lowest) & (above <= BENCH.highest))
    if not len(seats):
        return None
    near = np.abs(above[seats][:, None] - above[seats]) <= BENCH.level
    level = above[seats[int(np.argmax(near.sum(axis=1)))]]
    seat = hits[seats[np.abs(above[seats] - level) <= BENCH.level]]
    plan = seat[:, :2] - seat[:, :2].mean(axis=0)
    _, sizes, axes = np.linalg.svd(plan, full_matrices=False)  # the longer one first
    if len(sizes) < 2 or sizes[1] > BENCH.square * sizes[0]:  # no side is the longer one
        own = np.array((mesh.matrix_world.to_3x3() @ Vector((1.0, 0.0, 0.0))).xy.normalized())
        axes = np.array([own, (-own[1], own[0])])
    front, back = axes[1], hits[above > level + BENCH.back][:, :2]
    has_back = len(back) > 0
    if has_back:
        away = seat[:, :2].mean(axis=0) - back.mean(axis=0)
        front = axes[int(np.argmax(np.abs(axes @ away)))]
        front = front if dot(front, away) >= 0.0 else -front
    beside = np.array([front[1], -front[0]])
    reach, row = plan @ front, plan @ beside
    depth = max(float(reach.max()) - BENCH.behind_edge / unit, float(reach.mean()))
    middle = seat[:, :2].mean(axis=0) + depth * front + 0.5 * (row.max() + row.min()) * beside
    count = max(1, int(unit * np.ptp(row) / BENCH.width + 0.2))
    seats = middle + BENCH.width / unit * (np.arange(count) - 0.5 * (count - 1))[:, None] * beside
    gap = np.sqrt(((seats[:, None] - seat[:, :2]) ** 2).sum(axis=2)).min(axis=1)
    is_bent = bool((gap > max(BENCH.beside / unit, float(np.ptp(hits[:, :2], axis=0).max()) / _RAYS)).any())
    return Bench(Vector((*middle.tolist(), float(seat[:, 2].mean()))), front, count, has_back, is_bent)


def _seen_from_above(mesh: bpy.types.Object) -> tuple[Float64, Bool, float]:
    """Return where vertical rays meet a mesh first, float64 (N, 3), which of these are level, and its lowest height."""
    to_world, to_own = mesh.matrix_world, mesh.matrix_world.inverted_safe()
    corners = np.array([to_world @ Vector(corner) for corner in mesh.bound_box])
    low, high = corners.min(axis=0), corners.max(axis=0)
    shares = (np.arange(_RAYS) + 0.5) / _RAYS
    down, upright = to_own.to_3x3() @ Vector((0.0, 0.0, -1.0)), to_world.to_3x3().inverted_safe().transposed()
    hits, level = [], []
    for x in (low[0] + shares * (high[0] - low[0])).tolist():
        for y in (low[1] + shares * (high[1] - low[1])).tolist():
            is_hit, at, normal, _ = mesh.ray_cast(to_own @ Vector((x, y, float(high[2]) + 1.0)), down)
            if is_hit:
                hits.append(to_world @ at)
                level.append(abs((upright @ normal).normalized().z) >= BENCH.steep)
    return np.array(hits, dtype=np.float64).reshape(-1, 3), np.array(level, dtype=bool), float(low[2])
