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
                self._chosen[number] = np.array([_are_of(body, foot) for foot in self._feet])
            if self._chosen[number].any():
                points = _points_of(body)
                for own, chosen in zip(found, self._chosen[number], strict=True):
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


def _points_of(body: bpy.types.Object) -> Float64:
    """Return the vertices of an evaluated body in the world, float64 (V, 3)."""
    vertices = cast("Any", body.data).vertices
    points = np.empty((len(vertices), 3), dtype=np.float32)
    vertices.foreach_get("co", points.ravel())
    matrix = np.array(body.matrix_world, dtype=np.float64)
    return np.stack([dot(points, row) for row in matrix[:3, :3]], axis=1) + matrix[:3, 3]


def _are_of(body: bpy.types.Object, feet: Collection[str]) -> Bool:
    """Return which vertices of an evaluated mesh follow feet, bool (V,)."""
    vertices: Any = cast("Any", body.data).vertices
    if body.parent_type == "BONE":
        return np.full(len(vertices), body.parent_bone in feet)
    groups = {group.index for group in body.vertex_groups if group.name in feet}
    if not groups:
        return np.zeros(len(vertices), dtype=bool)
    weights = (sum(each.weight for each in vertex.groups if each.group in groups) for vertex in vertices)
    return np.fromiter((weight >= ENDS.least_weight for weight in weights), dtype=bool, count=len(vertices))
