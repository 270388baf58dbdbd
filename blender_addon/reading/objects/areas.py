# SPDX-License-Identifier: GPL-3.0-or-later
"""Places: where people start from and go to, and the bounds that nobody leaves, as outlines on the ground."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry import polygons
from ....core.geometry.reproducible_math import heading_vector, length
from ....core.geometry.segments import signed_area
from ...blender_data.evaluation import evaluation_scene
from ..shapes.bodies import MeshShape
from ..shapes.footprints import find_footprints
from ..shapes.slab import make_surface
from .curves import Line
from .findings import Findings

_DISC_CORNERS = 24  # of the polygon that stands for a disc: 1% less area than the circle


def read_place(
    source: bpy.types.Object,
    lines: Mapping[bpy.types.Object, Sequence[Line]],
    bodies: Mapping[bpy.types.Object, MeshShape],
    findings: Findings,
) -> polygons.Shape | None:
    """Read the footprint of an object, whatever its height.

    Args:
        source: a mesh or anything that converts to one; a curve, whose ends are joined; an empty is a disc or box.
        lines: the lines of curve objects [m].
        bodies: the shapes of all other objects [m], see `read_bodies`.
        findings: collects the faults of the object.

    Returns:
        Its largest connected part (outline, holes) [m], or None where there is a fault.
    """
    if source.type == "CURVE":
        enclosed = [shape for line in lines.get(source, ()) for shape in _enclosed(source, line, findings)]
        return _largest(source, enclosed, findings)
    body = bodies.get(source)
    if body is None:
        return None
    surface = make_surface(body.points, body.triangles, np.zeros(len(body.triangles), dtype=np.int64))
    return _largest(source, find_footprints(surface, -np.inf, np.inf).get(0, []), findings)


def read_discs(
    scene: bpy.types.Scene, sources: Iterable[bpy.types.Object], frame: int, scale: float
) -> dict[bpy.types.Object, MeshShape]:
    """Make level discs for empties that mark places, boxes for those drawn as cubes; as large as the empties are drawn.

    Args:
        scene: provides frame rate and units.
        sources: empties.
        frame: frame number at which they are evaluated.
        scale: metres per Blender unit.

    Returns:
        A body for each [m].
    """
    marks = list(sources)
    if not marks:
        return {}
    with evaluation_scene(scene) as evaluation:
        followers = {mark: evaluation.follow(mark) for mark in marks}
        graph = evaluation.evaluate(frame)
        placed = {mark: each.evaluated_get(graph).matrix_world for mark, each in followers.items()}
        matrices = {mark: np.array(matrix, dtype=np.float64) for mark, matrix in placed.items()}
    return {
        mark: _fan(4, np.pi / 4.0, np.sqrt(2.0) * mark.empty_display_size).moved(matrix, scale)
        if mark.empty_display_type == "CUBE"
        else _fan(_DISC_CORNERS, 0.0, mark.empty_display_size).moved(_levelled(matrix), scale)
        for mark, matrix in matrices.items()
    }


def _levelled(matrix: Float64) -> Float64:
    """Return the location and the largest scale of an object without its rotation: a disc is always level."""
    size = float(length(matrix[:3, :3].T).max())
    level = np.diag([size, size, size, 1.0])
    level[:3, 3] = matrix[:3, 3]
    return level


def _fan(corners: int, first: float, radius: float) -> MeshShape:
    """Make a level regular polygon whose first corner lies in the direction `first` [rad]."""
    angle = first + np.arange(corners) * (2.0 * np.pi / corners)
    rim = radius * np.column_stack([heading_vector(angle), np.zeros(corners)])
    corner = np.arange(1, corners - 1)
    fan = np.stack([np.zeros_like(corner), corner, corner + 1], axis=1)
    return MeshShape(rim, fan, np.empty((0, 2), dtype=np.int64))


def _enclosed(source: bpy.types.Object, line: Line, findings: Findings) -> list[polygons.Shape]:
    if not line.closed:
        findings.notice(f"'{source.name}' is an open curve; Footfall closes it to use it as a place.")
    return polygons.clean(line.points[:, :2])


def _largest(source: bpy.types.Object, shapes: list[polygons.Shape], findings: Findings) -> polygons.Shape | None:
    if not shapes:
        if not any(fault.place == source.name for fault in findings.faults):
            findings.fault(source.name, "covers no ground: a place is a mesh or closed curve that lies flat.")
        return None
    if len(shapes) > 1:
        findings.notice(f"'{source.name}' has {len(shapes)} separate parts; Footfall uses the largest.")
    return max(shapes, key=lambda shape: signed_area(shape[0]))
