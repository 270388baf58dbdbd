# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects are that people look at and wait for, and how they move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.scene import Mark, Track
from ...blender_data.evaluation import evaluation_scene
from ..objects.findings import Names
from ..objects.moving_obstacles import Path

Object = bpy.types.Object


def read_marks(
    awaited: Iterable[Object], placed: Mapping[Object, Float64], paths: Mapping[Object, Path], frame: int, unit: float
) -> dict[Object, Mark]:
    """Return the mark that each object makes that people wait for."""
    found, names = {}, Names(each.name for each in awaited)
    for each in awaited:
        if each in paths:
            motion = paths[each].motion
            track = Track(motion.frames, motion.x, motion.y)
        else:
            x, y, _ = unit * middle_of(each, placed[each])  # the origin of what was imported may lie anywhere
            track = Track(np.array([float(frame)]), np.array([x]), np.array([y]))
        found[each] = Mark(names.give(each.name), track)
    return found


def middle_of(source: Object, matrix: Float64) -> Float64:
    """Return float64 (3,), the middle of an object's bounding box [units], or its origin where it has no geometry."""
    corners = np.array([tuple(corner) for corner in source.bound_box], dtype=np.float64)
    has_box = source.type != "EMPTY" and bool(np.ptp(corners, axis=0).any())
    middle = corners.mean(axis=0) if has_box else np.zeros(3)
    return (matrix[:3, :3] * middle).sum(axis=1) + matrix[:3, 3]


def matrices_of(scene: bpy.types.Scene, sources: Iterable[Object], frame: int) -> dict[Object, Float64]:
    """Return where objects are at a frame, float64 (4, 4) each [units]."""
    marks = list(dict.fromkeys(sources))
    if not marks:
        return {}
    with evaluation_scene(scene) as evaluation:
        followers = {mark: evaluation.follow(mark) for mark in marks}
        graph = evaluation.evaluate(frame)
        return {
            mark: np.array(each.evaluated_get(graph).matrix_world, dtype=np.float64) for mark, each in followers.items()
        }
