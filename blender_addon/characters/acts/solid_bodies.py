# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as solids: balls that fill their meshes, in all poses of their clips."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ....core.array_types import Float32, Float64
from ....core.motion.blending import WALKS
from ....core.motion.pose_tables import PoseTable
from ....core.motion.solid_body import MeshSurface, SolidPoses, fill_with_balls
from ...blender_data.evaluation import evaluation_scene
from ..clips.clips import Clips, WalkCycle
from ..clips.joints import ends_of
from ..legs.bone_poses import sample_bones
from ..legs.observed_clips import ClipObservation
from ..templates import Template

_MOST_KEPT = 64
_kept: dict[bytes, tuple[Float64, Float64, NDArray[np.int64]]] = {}


@dataclass(frozen=True, eq=False)
class SolidBody:
    """A character as balls.

    Attributes:
        bones: names of the bones that carry some.
        carrier: of each ball, the number of its bone.
        places: float32 (B, 3), where each is in the axes of that.
        radius: float64 (B,) [Blender units].
        walking: where they are in walk, idle and run.
    """

    bones: Sequence[str]
    carrier: Sequence[int]
    places: Float32
    radius: Float64
    walking: SolidPoses


def make_solid_body(template: Template, scene: bpy.types.Scene) -> SolidBody | None:
    """Fill a character with balls; None where it has no clips or no mesh.

    Args:
        template: of the character.
        scene: provides frame rate and units.
    """
    if template.walker is None or template.clips is None:
        return None
    copies = template.copy_to_watch()
    try:
        armature = copies[template.walker]
        template.clips.show_poses(armature, gait=np.array([WALKS]), phase=np.zeros(1), breath=np.zeros(1))
        with evaluation_scene(scene, remapped=False) as evaluation:
            for each in copies:
                if not each.hide_viewport:
                    evaluation.bring(each)
            seen = evaluation.bring(armature)
            graph = evaluation.evaluate(0)
            found = _balls_in(list(_parts(graph)), seen.evaluated_get(graph))
        if found is None:
            return None
        observation = ClipObservation(copies, template.walker, template.clips, (1.0, 0.0), scene)
        return SolidBody(*found, _watch(observation, *found))
    finally:
        bpy.data.batch_remove(copies)


def watch_act(template: Template, cycle: WalkCycle, scene: bpy.types.Scene, body: SolidBody) -> SolidPoses:
    """Return where a character is in a clip, from frame 0 to its length."""
    assert template.walker is not None
    copies = template.copy_to_watch()
    try:
        observation = ClipObservation(copies, template.walker, Clips(cycle), (1.0, 0.0), scene)
        return _watch(observation, body.bones, body.carrier, body.places, body.radius)
    finally:
        bpy.data.batch_remove(copies)


def _watch(
    observation: ClipObservation, bones: Sequence[str], carrier: Sequence[int], places: Float32, radius: Float64
) -> SolidPoses:
    joints = sample_bones(observation, bones).points(carrier, places).astype(np.float64)
    return SolidPoses.of(PoseTable(*observation.arranged(joints, np.zeros((len(joints), 0, 3, 3)))), radius)


class _MeshPart(NamedTuple):
    """One mesh of a character as it is seen: its object, its mesh, and its surface in the world."""

    body: bpy.types.Object
    mesh: Any
    surface: MeshSurface


def _parts(graph: bpy.types.Depsgraph) -> Iterator[_MeshPart]:
    for instance in graph.object_instances:
        body = cast("bpy.types.Object", instance.object)
        mesh: Any = body.data
        if body.type != "MESH" or not instance.show_self or not len(mesh.polygons):
            continue
        matrix = np.array(instance.matrix_world, dtype=np.float64)
        volume = abs(np.linalg.det(matrix[:3, :3])) if np.isfinite(matrix).all() else 0.0
        if volume == 0.0:
            continue  # scaled to nothing, or by a broken pose to no place: nothing is seen
        middles, normals, areas = (np.empty(size * len(mesh.polygons), dtype=np.float32) for size in (3, 3, 1))
        for name, values in (("center", middles), ("normal", normals), ("area", areas)):
            mesh.polygons.foreach_get(name, values)
        turned = normals.reshape(-1, 3) @ np.linalg.inv(matrix[:3, :3])
        turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-9)
        scale = np.cbrt(volume)
        points = middles.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
        yield _MeshPart(body, mesh, MeshSurface(points, turned, areas * scale * scale))


def _balls_in(
    parts: Sequence[_MeshPart], armature: bpy.types.Object
) -> tuple[list[str], list[int], Float32, Float64] | None:
    """Fill the parts of a character at one moment: names of bones, the bone and the place of each ball, and radii."""
    if not parts:
        return None
    surface = MeshSurface(*(np.concatenate(columns) for columns in zip(*(each.surface for each in parts), strict=True)))
    centres, radius, touched = _filled(surface)
    if not len(radius):
        return None
    starts = np.cumsum([0, *(len(each.surface.areas) for each in parts)])
    pose: Any = armature.pose
    names = [bone.name for bone in pose.bones]
    ends = [np.array([getattr(bone, end)[:] for bone in pose.bones]) for end in ("head", "tail")]
    parents = [names.index(bone.parent.name) if bone.parent is not None else -1 for bone in pose.bones]
    begin, end = ends[0], ends_of(ends[0], ends[1], parents)
    to_armature = armature.matrix_world.inverted()
    carriers = list[str]()
    for centre, face in zip(centres.tolist(), touched.tolist(), strict=True):
        number = int(np.searchsorted(starts, face, side="right")) - 1
        name = _bone_of(parts[number], face - int(starts[number]), names)
        carriers.append(name or names[_nearest(np.array(to_armature @ Vector(centre)), begin, end)])
    bones = list(dict.fromkeys(carriers))
    inverse = {name: (armature.matrix_world @ cast("Matrix", pose.bones[name].matrix)).inverted() for name in bones}
    places = [inverse[name] @ Vector(centre) for name, centre in zip(carriers, centres.tolist(), strict=True)]
    return bones, [bones.index(name) for name in carriers], np.array(places, dtype=np.float32), radius


def _filled(surface: MeshSurface) -> tuple[Float64, Float64, NDArray[np.int64]]:
    """The balls in a mesh, found once for all crowds and bakes that have it in the same pose."""
    key = hashlib.sha256(surface.points.astype(np.float32).tobytes()).digest()
    found = _kept.pop(key, None) or fill_with_balls(surface)
    _kept[key] = found  # as the last
    for oldest in list(_kept)[:-_MOST_KEPT]:
        del _kept[oldest]
    return found


def _bone_of(part: _MeshPart, face: int, names: Sequence[str]) -> str:
    """The bone that moves a face most; empty where none is known."""
    body: Any = part.body
    if body.parent_type == "BONE" and body.parent_bone in names:
        return str(body.parent_bone)
    groups = part.mesh.vertices[part.mesh.polygons[face].vertices[0]].groups
    there = body.vertex_groups
    weighed = [(each.weight, there[each.group].name) for each in groups if each.group < len(there)]
    known = [(weight, name) for weight, name in weighed if name in names and weight > 0.0]
    return max(known)[1] if known else ""


def _nearest(point: Float64, begin: Float64, end: Float64) -> int:
    """The number of the bone that is nearest to a point, of bones from `begin` to `end` (N, 3)."""
    along = end - begin
    share = np.clip(((point - begin) * along).sum(axis=1) / np.maximum((along * along).sum(axis=1), 1e-12), 0.0, 1.0)
    return int(np.linalg.norm(begin + share[:, None] * along - point, axis=1).argmin())
