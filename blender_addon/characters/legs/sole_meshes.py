# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the vertices of feet are, as Blender shows them: what bones alone cannot say where several move a vertex."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

import bpy
import numpy as np

from ....core.array_types import Float32, Float64
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
        self._skins = [list[_Skin]() for _ in self._bodies]

    def lowest(self, graph: bpy.types.Depsgraph) -> Float64:
        """Return the lowest vertex of each foot in the world, float64 (F, 3), of those that are numbers.

        It is infinitely high where no mesh is on a foot.
        """
        lowest = np.full((len(self._feet), 3), np.inf)
        for number, body in enumerate(each.evaluated_get(graph) for each in self._bodies):
            mesh: Any = body.data
            skins = self._skins[number]
            if not skins or len(skins[0].is_unknown) != len(mesh.vertices):  # at first, and if a mesh changes
                skins = self._skins[number] = _skins_of(body, self._feet)
            if not any(each.may_follow for each in skins):
                continue
            points, matrix = _points_of(mesh), np.array(body.matrix_world, dtype=np.float64)
            x, y, z = np.ascontiguousarray(points.T, dtype=np.float64)
            heights = x * matrix[2, 0] + y * matrix[2, 1] + z * matrix[2, 2] + matrix[2, 3]
            heights[~np.isfinite(heights)] = np.inf
            for low, skin in zip(lowest, skins, strict=True):
                vertex = skin.lowest(mesh.vertices, heights)
                if vertex is not None and heights[vertex] < low[2]:
                    point = dot(points[vertex], matrix[:3, :3]) + matrix[:3, 3]
                    low[:] = point if np.isfinite(point).all() else low
        return lowest


def _follows(body: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether a mesh is seen and moves with the bones of an armature."""
    data: Any = body.data
    if body.hide_render or not len(data.vertices):
        return False
    if body.parent == armature and body.parent_type == "BONE":
        return True
    return any(isinstance(each, bpy.types.ArmatureModifier) and each.object == armature for each in body.modifiers)


class _Skin:
    """Which vertices of an evaluated mesh follow a foot: Blender has to be asked one by one, so only low ones are.

    Args:
        count: of its vertices.
        groups: the numbers of the vertex groups of the foot; None: all follow it.
    """

    def __init__(self, count: int, groups: Collection[int] | None) -> None:
        self._groups: Collection[int] = groups or ()
        self._is_all = groups is None
        self.is_unknown = np.full(count, bool(groups))
        self._own = np.arange(count if groups is None else 0)

    @property
    def may_follow(self) -> bool:
        """Whether some vertex may follow the foot."""
        return self._is_all or len(self._groups) > 0

    def lowest(self, vertices: Any, heights: Float64) -> int | None:
        """Return the number of the lowest vertex that follows the foot; None where there is none."""
        lower = np.flatnonzero(self.is_unknown & (heights <= heights[self._own].min(initial=np.inf)))
        for vertex in lower[np.argsort(heights[lower], kind="stable")].tolist():
            weight = sum(each.weight for each in vertices[vertex].groups if each.group in self._groups)
            self.is_unknown[vertex] = False
            if weight >= ENDS.least_weight:
                self._own = np.sort(np.append(self._own, vertex))
                break
        return int(self._own[heights[self._own].argmin()]) if len(self._own) else None


def _skins_of(body: bpy.types.Object, feet: Sequence[Collection[str]]) -> list[_Skin]:
    """Return which vertices of an evaluated mesh follow each foot."""
    count = len(cast("Any", body.data).vertices)
    if body.parent_type == "BONE":
        return [_Skin(count, None if body.parent_bone in foot else ()) for foot in feet]
    return [_Skin(count, {group.index for group in body.vertex_groups if group.name in foot}) for foot in feet]


def _points_of(mesh: Any) -> Float32:
    """Return the vertices of a mesh, float32 (V, 3)."""
    points = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.attributes["position"].data.foreach_get("vector", points.ravel())  # thirty times as fast as from vertices
    return points
