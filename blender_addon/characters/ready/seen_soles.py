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
        band: what is ever within this above the lowest point may be a sole, as a share of the height.
        least_weight: with which a vertex follows the bones of feet.
    """

    every: int = 3
    band: float = 0.06
    least_weight: float = 0.5


_SOLES = SoleLookSettings()


class SeenSoles(NamedTuple):
    """Where the lowest point of the feet is at the worst moments of a walk, and the rows of these.

    Attributes:
        sunk: how far it is in the ground; 0: it never is [Blender units].
        sunk_row: when.
        aloft: how far it is over the ground: both feet are in the air [Blender units].
        aloft_row: when.
    """

    sunk: float
    sunk_row: int
    aloft: float
    aloft_row: int

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
    at = np.arange(rows.start, rows.stop)[:: _SOLES.every]
    points: list[list[Float64]] = [[] for _ in bodies]
    seen = list(bodies)
    for frame in list(frames)[:: _SOLES.every]:
        graph = evaluation.evaluate(frame)
        seen = [body.evaluated_get(graph) for body in bodies]
        for own, body in zip(points, seen, strict=True):
            own.append(_points_of(body))
    meshes = [(body, np.stack(own)) for body, own in zip(seen, points, strict=True) if len({0, *map(len, own)}) == 2]
    if not meshes:  # others are empty, or change their vertices
        return None
    heights = [own[..., 2] - performance.location[at, None, 2] for _, own in meshes]
    low = min(float(own.min()) for own in heights)
    near = low + _SOLES.band * (max(float(own.max()) for own in heights) - low)
    soles = []
    for (body, own), height in zip(meshes, heights, strict=True):
        maybe = np.flatnonzero((height < near).any(axis=0))
        soles.append(own[:, maybe[_are_of(body, maybe, feet)]])
    sole = np.concatenate(soles, axis=1)
    return _worst(sole, performance, at) if sole.shape[1] else None


def _worst(sole: Float64, performance: Performance, at: Int64) -> SeenSoles:
    """Find the worst of soles (T, N, 3) at rows int64 (T,).

    Where the ground under the lowest point differs from that under the body, at an edge, the one counts that is kinder.
    """
    lowest = sole[np.arange(len(at)), sole[..., 2].argmin(axis=1)]
    ground = performance.location[None, at, 2]
    if performance.ground is not None:
        under_body = np.column_stack([performance.location[at, :2], lowest[:, 2]])
        ground = np.stack([performance.ground(lowest), performance.ground(under_body)])
    depth, height = ground.min(axis=0) - lowest[:, 2], lowest[:, 2] - ground.max(axis=0)
    down, up = int(depth.argmax()), int(height.argmax())
    return SeenSoles(max(0.0, float(depth[down])), int(at[down]), max(0.0, float(height[up])), int(at[up]))


def _follows(body: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether a mesh is seen and moves with the bones of an armature."""
    data: Any = body.data
    if body.hide_render or not len(data.vertices):
        return False
    if body.parent == armature and body.parent_type == "BONE":
        return True
    return any(isinstance(each, bpy.types.ArmatureModifier) and each.object == armature for each in body.modifiers)


def _points_of(body: bpy.types.Object) -> Float64:
    """Return the vertices of an evaluated body in the world, float64 (V, 3)."""
    vertices: Any = cast("Any", body.data).vertices
    points = np.empty(3 * len(vertices), dtype=np.float32)
    vertices.foreach_get("co", points)
    matrix = np.array(body.matrix_world, dtype=np.float64)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def _are_of(body: bpy.types.Object, vertices: Int64, feet: Collection[str]) -> Bool:
    """Return which of some vertices of an evaluated mesh, by their numbers int64 (N,), follow feet, bool (N,)."""
    if body.parent_type == "BONE":
        return np.full(len(vertices), body.parent_bone in feet)
    vertices_of: Any = body.data
    groups = {group.index for group in body.vertex_groups if group.name in feet}
    weights = (
        sum(each.weight for each in vertices_of.vertices[number].groups if each.group in groups)
        for number in vertices.tolist()
    )
    return np.fromiter((weight >= _SOLES.least_weight for weight in weights), dtype=bool, count=len(vertices))
