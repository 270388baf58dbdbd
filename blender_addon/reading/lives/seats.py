# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads points with a direction from objects: empties, what an object scatters, or the points of its geometry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import arctan2, length
from ....core.simulation.settings.stop_settings import SeatSettings
from ...blender_data.evaluation import evaluation_scene

Object = bpy.types.Object

_SEATS = SeatSettings()
_STANDS = 0.05  # a chair reaches less far under its origin, as a part of its height, and is as high as a seat [m]
_LEVEL = 1e-3  # an axis that rises this much more steeply than it leads sideways shows no direction on the ground


def read_directed_points(
    scene: bpy.types.Scene, sources: Iterable[Object], frame: int, unit: float
) -> dict[Object, Float64]:
    """Read the points of objects as they are evaluated, with geometry nodes and modifiers.

    An object that shows instances gives their places; otherwise a point cloud its points, and a mesh its vertices.

    Args:
        scene: provides frame rate and units.
        sources: meshes and empties.
        frame: at which they are evaluated.
        unit: metres per Blender unit.

    Returns:
        float64 (N, 5) for each: x, y, z [m], and the direction of the point's Y axis on the ground [rad]; of vertices,
        of their normal, or of the object's Y axis where that is upright; and how high over the point its seat is [m]:
        0, but for instances of chairs, which stand on their own zero.
    """
    objects = list(dict.fromkeys(sources))
    if not objects:
        return {}
    with evaluation_scene(scene) as evaluation:
        brought = {source: evaluation.bring(source) for source in objects}
        graph = evaluation.evaluate(frame)
        instances: dict[Object, list[Float64]] = {}
        owners = {stand_in: source for source, stand_in in brought.items()}
        for instance in graph.object_instances:
            owner: Any = instance.parent.original if instance.is_instance and instance.parent else None
            if owner not in owners:
                continue
            shown: Any = instance.object
            matrix = np.array(instance.matrix_world, dtype=np.float64)
            if shown.type == "POINTCLOUD":  # points that are no instances are shown as one all the same
                instances.setdefault(owners[owner], []).extend(_of_points(shown.data.points, matrix))
            else:
                above = _seat_above(shown, matrix, unit)
                instances.setdefault(owners[owner], []).append(_of_matrix(matrix, above))
        found = {}
        for source, stand_in in brought.items():
            seen = stand_in.evaluated_get(graph)
            own = instances.get(source)
            found[source] = _of_geometry(seen) if own is None else np.array(own).reshape(-1, 5)
    for points in found.values():
        points[:, :3] *= unit
    return found


def direction_of(matrix: Float64) -> float:
    """Return the direction of a matrix's Y axis on the ground [rad]; of its X axis where that is upright."""
    x, y = matrix[:2, 1] if length(matrix[:2, 1]) > _LEVEL * length(matrix[:2, 0]) else matrix[:2, 0]
    return float(arctan2(y, x))


def _seat_above(instanced: Any, matrix: Float64, unit: float) -> float:
    """Return how high the seat of an instance is over its origin [m]: as usual where a chair stands on it, else 0."""
    if instanced.type != "MESH":
        return 0.0
    heights = unit * (np.array(instanced.bound_box) * matrix[2, :3]).sum(axis=1)  # of its corners, over its origin
    is_chair = abs(heights.min()) < _STANDS * heights.max() and heights.max() > _SEATS.height - _STANDS
    return _SEATS.height if is_chair else 0.0


def _of_matrix(matrix: Float64, above: float = 0.0) -> Float64:
    return np.array([*matrix[:3, 3], direction_of(matrix), above])


def _of_points(points: Any, matrix: Float64) -> Float64:
    """Return points of a mesh or a point cloud in the world, float64 (N, 5) [units, rad]."""
    own = np.empty(3 * len(points), dtype=np.float32)
    points.foreach_get("co", own)
    found = np.zeros((len(points), 5))
    local = own.reshape(-1, 3).astype(np.float64)
    found[:, :3] = (local[:, None, :] * matrix[:3, :3]).sum(axis=2) + matrix[:3, 3]
    found[:, 3] = direction_of(matrix)
    return found


def _of_geometry(seen: Any) -> Float64:
    """Return the points of an evaluated object in the world, float64 (N, 5) [units, rad]."""
    matrix = np.array(seen.matrix_world, dtype=np.float64)
    if seen.type == "EMPTY":
        return _of_matrix(matrix)[None]
    mesh = seen.data
    found = _of_points(mesh.vertices, matrix)
    if len(mesh.polygons):  # the normal of a loose vertex means nothing
        normals = np.empty(3 * len(found), dtype=np.float32)
        mesh.vertices.foreach_get("normal", normals)
        normal = (normals.reshape(-1, 1, 3).astype(np.float64) * matrix[:3, :3]).sum(axis=2)
        sideways = np.sqrt((normal[:, :2] ** 2).sum(axis=1)) > 0.1 * np.abs(normal[:, 2])
        found[sideways, 3] = arctan2(normal[sideways, 1], normal[sideways, 0])
    return found
