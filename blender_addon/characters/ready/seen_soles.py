# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks where the soles of a character are that was just made: in the ground, on it, or over it, by its meshes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import bpy
import numpy as np

from ....core.array_types import Bool, Float64, Int64
from ...blender_data.evaluation import EvaluationScene
from ..performances import Performance


@dataclass(frozen=True)
class SoleLookSettings:
    """How soles are looked at; chosen.

    Attributes:
        every: one of so many frames; a foot pushes off for four or five.
        steady: of the worst depth or height, this share at all moments is that of the mesh, and not of the clip.
        least_weight: with which a vertex follows the bones of feet.
    """

    every: int = 3
    steady: float = 0.5
    least_weight: float = 0.5


_SOLES = SoleLookSettings()


class SeenSoles(NamedTuple):
    """Where the lowest point of the feet is at the worst moments of a walk, and the rows of these.

    Attributes:
        sunk: how far it is in the ground; 0: it never is [Blender units].
        sunk_row: when.
        aloft: how far it is over the ground: both feet are in the air [Blender units].
        aloft_row: when.
        is_steady: they are as deep in the ground, or as far over it, at all moments: no clip would help.
    """

    sunk: float
    sunk_row: int
    aloft: float
    aloft_row: int
    is_steady: bool = False

    def scaled(self, unit: float) -> SeenSoles:
        """Return the same in another unit."""
        return self._replace(sunk=unit * self.sunk, aloft=unit * self.aloft)


def look_at_soles(
    evaluation: EvaluationScene,
    copies: Sequence[bpy.types.Object],
    armature: bpy.types.Object,
    feet: Collection[str],
    performance: Performance,
    rows: slice,
    frames: Sequence[int],
) -> SeenSoles | None:
    """Find how far the soles of somebody who walks are in the ground or over it; None where no mesh is on its feet.

    Args:
        evaluation: in which the armature is evaluated already.
        copies: the objects of the character, with all their animation.
        armature: among them, which walks.
        feet: names of the bones that soles follow.
        performance: what it does.
        rows: frames to look at.
        frames: of the scene, of these rows.
    """
    bodies = [evaluation.bring(each) for each in copies if each.type == "MESH" and _follows(each, armature)]
    soles = [np.zeros(0, dtype=bool) for _ in bodies]
    at, lowest = list[int](), list[Float64]()
    moments = range(rows.start, rows.stop)[:: _SOLES.every]
    for row, frame in zip(moments, list(frames)[:: _SOLES.every], strict=True):
        graph = evaluation.evaluate(frame)
        seen = [body.evaluated_get(graph) for body in bodies]
        for number, body in enumerate(seen):
            if len(cast("Any", body.data).vertices) != len(soles[number]):  # at first, and of meshes that change theirs
                soles[number] = _are_of(body, feet)
        points = np.concatenate([np.empty((0, 3)), *map(_points_of, seen, soles)])
        points = points[np.isfinite(points).all(axis=1)]
        if len(points):
            at.append(row)
            lowest.append(points[points[:, 2].argmin()])
    return _worst(np.array(lowest), performance, np.array(at)) if at else None


def _worst(lowest: Float64, performance: Performance, at: Int64) -> SeenSoles | None:
    """Find the worst of the lowest points (T, 3) at rows int64 (T,); where no ground is under one, it does not count.

    Where the ground under the lowest point differs from that under the body, at an edge, the one counts that is kinder.
    """
    ground = performance.location[None, at, 2]
    if performance.ground is not None:
        under_body = np.column_stack([performance.location[at, :2], lowest[:, 2]])
        ground = np.stack([performance.ground(lowest), performance.ground(under_body)])
    depth, height = np.fmin.reduce(ground) - lowest[:, 2], lowest[:, 2] - np.fmax.reduce(ground)
    if not np.isfinite(depth).any():
        return None
    is_steady = any(np.nanmin(each) >= _SOLES.steady * np.nanmax(each) > 0.0 for each in (depth, height))
    depth, height = (np.where(np.isfinite(each), each, -np.inf) for each in (depth, height))
    down, up = int(depth.argmax()), int(height.argmax())
    sunk, aloft = max(0.0, float(depth[down])), max(0.0, float(height[up]))
    return SeenSoles(sunk, int(at[down]), aloft, int(at[up]), is_steady)


def _follows(body: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether a mesh is seen and moves with the bones of an armature."""
    data: Any = body.data
    if body.hide_render or not len(data.vertices):
        return False
    if body.parent == armature and body.parent_type == "BONE":
        return True
    return any(isinstance(each, bpy.types.ArmatureModifier) and each.object == armature for each in body.modifiers)


def _points_of(body: bpy.types.Object, chosen: Bool) -> Float64:
    """Return those vertices of an evaluated body that bool (V,) chooses, in the world, float64 (N, 3)."""
    points = np.empty((len(chosen), 3), dtype=np.float32)
    cast("Any", body.data).vertices.foreach_get("co", points.ravel())
    matrix = np.array(body.matrix_world, dtype=np.float64)
    return points[chosen] @ matrix[:3, :3].T + matrix[:3, 3]


def _are_of(body: bpy.types.Object, feet: Collection[str]) -> Bool:
    """Return which vertices of an evaluated mesh follow feet, bool (V,)."""
    vertices: Any = cast("Any", body.data).vertices
    if body.parent_type == "BONE":
        return np.full(len(vertices), body.parent_bone in feet)
    groups = {group.index for group in body.vertex_groups if group.name in feet}
    if not groups:
        return np.zeros(len(vertices), dtype=bool)
    weights = (sum(each.weight for each in vertex.groups if each.group in groups) for vertex in vertices)
    return np.fromiter((weight >= _SOLES.least_weight for weight in weights), dtype=bool, count=len(vertices))
