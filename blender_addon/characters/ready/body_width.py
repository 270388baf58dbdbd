# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how wide a character is while it walks, from its mesh as it is seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import dot
from ....core.motion.blending import WALKS
from ...blender_data.evaluation import evaluation_scene
from ..templates import Template

_POSES = 4
"""Of a walk, in which a body is looked at; chosen."""


def half_width_of(template: Template, scene: bpy.types.Scene) -> float:
    """Return half the mean width of a character across the direction of its walk [Blender units].

    Args:
        template: of the character.
        scene: provides frame rate and units.

    Returns:
        The width; 0 where it has no walk or no mesh.
    """
    if template.walker is None or template.clips is None:
        return 0.0
    copies = template.copy_to_watch()
    try:
        phase = np.arange(_POSES) / _POSES
        template.clips.show_poses(copies[template.walker], gait=np.full(_POSES, WALKS), phase=phase, breath=phase)
        with evaluation_scene(scene, remapped=False) as evaluation:
            for each in copies:
                if not each.hide_viewport:
                    evaluation.bring(each)
            widths = [width for frame in range(_POSES) for width in _width_in(evaluation.evaluate(frame))]
    finally:
        bpy.data.batch_remove(copies)
    return 0.5 * float(np.mean(widths)) if widths else 0.0


def _width_in(graph: bpy.types.Depsgraph) -> Iterator[float]:
    """Yield the width of what is seen, unless nothing is."""
    aside = np.concatenate([np.empty(0), *_asides(graph)])
    aside = aside[np.isfinite(aside)]
    if len(aside):
        yield float(np.ptp(aside))


def _asides(graph: bpy.types.Depsgraph) -> Iterator[Float64]:
    """Yield how far to the left the vertices of each mesh are."""
    for instance in graph.object_instances:
        mesh: Any = instance.object.data
        if isinstance(mesh, bpy.types.Mesh) and instance.show_self and len(mesh.vertices):
            places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
            mesh.vertices.foreach_get("co", places)
            matrix = np.array(instance.matrix_world, dtype=np.float64)
            yield dot(places.reshape(-1, 3), matrix[1, :3]) + matrix[1, 3]
