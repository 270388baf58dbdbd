# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the vertices of feet are, as Blender shows them: what bones alone cannot say where several move a vertex."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

import bpy
import numpy as np

from ....core.array_types import Bool, Float64
from ....core.geometry.reproducible_math import dot
from ...blender_data.evaluation import EvaluationScene
from ..clips.shin_ends import ENDS


class SoleMeshes:
    """The meshes of the feet of a character in an evaluation scene.

    Args:
        evaluation: in which the armature is evaluated already.
        parts: the objects of the character, with all their animation.
        armature: among them.
        feet: of each foot, the names of the bones that its sole follows.
    """

    def __init__(
        self,
        evaluation: EvaluationScene,
        parts: Sequence[bpy.types.Object],
        armature: bpy.types.Object,
        feet: Sequence[Collection[str]],
    ) -> None:
        self._bodies = [evaluation.bring(each) for each in parts if each.type == "MESH" and _follows(each, armature)]
        self._feet = feet
        self._chosen = [np.zeros((len(feet), 0), dtype=bool) for _ in self._bodies]

    def points(self, graph: bpy.types.Depsgraph) -> list[Float64]:
        """Return the vertices of each foot in the world, float64 (N, 3), but those that are no numbers."""
        found = [[np.empty((0, 3))] for _ in self._feet]
        for number, body in enumerate(each.evaluated_get(graph) for each in self._bodies):
            if len(cast("Any", body.data).vertices) != self._chosen[number].shape[1]:  # at first, and if a mesh changes
                self._chosen[number] = _are_of(body, self._feet)
            used: Bool = np.logical_or.reduce(self._chosen[number])
            if used.any():
                points = _points_of(body, used)
                for own, chosen in zip(found, self._chosen[number][:, used], strict=True):
                    own.append(points[chosen])
        joined = [np.concatenate(own) for own in found]
        return [own[np.isfinite(own).all(axis=1)] for own in joined]


def _follows(body: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether a mesh is seen and moves with the bones of an armature."""
    data: Any = body.data
    if body.hide_render or not len(data.vertices):
        return False
    if body.parent == armature and body.parent_type == "BONE":
        return True
    return any(isinstance(each, bpy.types.ArmatureModifier) and each.object == armature for each in body.modifiers)


def _points_of(body: bpy.types.Object, used: Bool) -> Float64:
    """Return the vertices, bool (V,), of an evaluated body in the world, float64 (N, 3)."""
    vertices = cast("Any", body.data).vertices
    points = np.empty((len(vertices), 3), dtype=np.float32)
    vertices.foreach_get("co", points.ravel())
    matrix = np.array(body.matrix_world, dtype=np.float64)
    points = points[used]
    return np.stack([dot(points, row) for row in matrix[:3, :3]], axis=1) + matrix[:3, 3]


def _are_of(body: bpy.types.Object, feet: Sequence[Collection[str]]) -> Bool:
    """Return which vertices of an evaluated mesh follow each foot, bool (F, V)."""
    vertices: Any = cast("Any", body.data).vertices
    followed = np.zeros((len(feet), len(vertices)), dtype=bool)
    if body.parent_type == "BONE":
        followed[:] = np.array([body.parent_bone in foot for foot in feet], dtype=bool)[:, None]
        return followed
    groups = {group.index: group.name for group in body.vertex_groups if any(group.name in foot for foot in feet)}
    if not groups:  # most meshes have no feet
        return followed
    weighed = ((n, own.group, own.weight) for n, each in enumerate(vertices) for own in each.groups)
    table = np.array([each for each in weighed if each[1] in groups], dtype=np.float64).reshape(-1, 3)
    for row, foot in zip(followed, feet, strict=True):
        own = table[np.isin(table[:, 1], [number for number, name in groups.items() if name in foot])]
        row[:] = np.bincount(own[:, 0].astype(np.int64), own[:, 2], len(vertices)) >= ENDS.least_weight
    return followed
