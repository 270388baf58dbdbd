# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a character as static meshes, over cycles of several gaits, to be shown as instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import bmesh
import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.motion.blending import RUNS, STANDS, WALKS
from ....core.motion.whole_steps import STEPPING
from ...bakes.ownership import untag
from ...blender_data.evaluation import evaluation_scene
from ...figures.figure import FIGURE_TAG
from ..clips.clips import Clips, WalkCycle
from ..templates import Template
from .held_feet import HeldPoses, hold_poses
from .pose_cycles import pose_cycles


@dataclass(frozen=True)
class PoseSettings:
    """How many poses represent a character; chosen.

    Attributes:
        poses_per_cycle: number of meshes for one cycle of a gait.
    """

    poses_per_cycle: int = 24


POSE_SETTINGS = PoseSettings()


Meshes = list[bpy.types.Mesh]

_SOLID = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


class Poses(NamedTuple):
    """The meshes of a character: cycles of as many meshes each as `held` says, gait by gait."""

    meshes: Meshes
    held: HeldPoses


def make_poses(template: Template, name: str, scene: bpy.types.Scene) -> Poses:
    """Make the pose meshes of a character; a single one where it has no clips.

    Args:
        template: of the character.
        name: of the meshes.
        scene: provides frame rate and units.

    Returns:
        Meshes with the feet at the origin that face +X, each with all visible parts of the character; none when no
        part of it can be a mesh.
    """
    gaits = _gaits(template)
    count = POSE_SETTINGS.poses_per_cycle if template.clips is not None else 1
    with pose_cycles(template, gaits, count, scene) as cycles:
        made = _take(template, name, scene, cycles.poses, cycles.show)
        held = hold_poses(cycles, scene)
    if made:
        held.apply(made)
    return Poses(made, held)


def make_act_poses(template: Template, cycle: WalkCycle, phase: Float64, name: str, scene: bpy.types.Scene) -> Meshes:
    """Make the pose meshes of one clip of a character.

    Args:
        template: of the character.
        cycle: the clip, from frame 0 to its length.
        phase: float64 (N,), cycles of it that have passed in each pose.
        name: of the meshes.
        scene: provides frame rate and units.
    """
    every = np.full(len(phase), WALKS)

    def set_up(copies: list[bpy.types.Object]) -> None:
        assert template.walker is not None
        Clips(cycle).show_poses(copies[template.walker], gait=every, phase=phase, breath=0.0 * phase)

    return _take(template, name, scene, len(phase), set_up)


def _take(
    template: Template,
    name: str,
    scene: bpy.types.Scene,
    count: int,
    set_up: Callable[[list[bpy.types.Object]], None],
) -> Meshes:
    """Take the meshes of a character at frames from 0 on; `set_up` animates its copies."""
    copies = template.copy_to_watch()
    made: Meshes = []
    try:
        set_up(copies)
        with evaluation_scene(scene, remapped=False) as evaluation:
            for each in copies:
                if not each.hide_viewport:
                    evaluation.bring(each)
            made.extend(_mesh_of(evaluation.evaluate(moment), name) for moment in range(count))
    except BaseException:
        bpy.data.batch_remove(made)
        raise
    finally:
        bpy.data.batch_remove(copies)
    if not made or not len(made[0].vertices):
        bpy.data.batch_remove(made)
        made = []
    return made


def _gaits(template: Template) -> list[float]:
    """Return the gaits of the pose cycles; the one pose of a character without clips counts as walking."""
    lowest = STANDS if template.idle is not None else WALKS
    highest = RUNS if template.run_stride else WALKS
    return np.arange(lowest, highest + STEPPING.gait_step / 2, STEPPING.gait_step).tolist()


def _mesh_of(depsgraph: bpy.types.Depsgraph, name: str) -> bpy.types.Mesh:
    """Return all evaluated objects with a surface as one mesh."""
    parts = list(_solid_parts(depsgraph))
    if len(parts) == 1:
        parts[0].name = name
        return parts[0]
    joined = _join(parts, name)
    bpy.data.batch_remove(parts)
    return joined


def _solid_parts(depsgraph: bpy.types.Depsgraph) -> Iterator[bpy.types.Mesh]:
    for instance in depsgraph.object_instances:
        body = cast("bpy.types.Object", instance.object)
        if body.type not in _SOLID or not instance.show_self:
            continue
        mesh = bpy.data.meshes.new_from_object(body, preserve_all_data_layers=True, depsgraph=depsgraph)
        untag(mesh)
        mesh.pop(FIGURE_TAG, None)  # a pose is not a part that figures are made of
        mesh.transform(instance.matrix_world)
        yield mesh


def _join(parts: list[bpy.types.Mesh], name: str) -> bpy.types.Mesh:
    """Join meshes to one with all their materials and attributes."""
    joined = bpy.data.meshes.new(name)
    build: Any = bmesh.new()
    for part in parts:
        first = len(joined.materials)
        for material in part.materials or [None]:
            joined.materials.append(cast("bpy.types.Material", material))
        slots = np.zeros(len(part.polygons), dtype=np.int32)
        part.polygons.foreach_get("material_index", slots)
        part.polygons.foreach_set("material_index", slots + first)
        build.from_mesh(part)
    build.to_mesh(joined)
    build.free()
    return joined
