# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads evaluated objects as bodies: meshes with modifiers, objects that convert to a mesh, and instances."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

import bpy
import numpy as np

from ....core.array_types import Float64, Int64
from ...blender_data.evaluation import EvaluationScene
from .bodies import MeshShape, count_lost, join, weld


@dataclass
class _Parts:
    """The parts of an evaluated object: its own shape, and the instances that it shows."""

    own: list[MeshShape] = field(default_factory=list)
    shown: list[MeshShape] = field(default_factory=list)


def read_bodies(
    evaluation: EvaluationScene, sources: Iterable[bpy.types.Object], frame: int, scale: float
) -> tuple[dict[bpy.types.Object, MeshShape], set[bpy.types.Object]]:
    """Read the shapes of objects at a frame, in the world.

    Args:
        evaluation: scene in which they are evaluated.
        sources: objects of any type.
        frame: frame number.
        scale: metres per Blender unit.

    Returns:
        A body for each object that is evaluated [m], empty where it has neither faces nor edges, perhaps with points
        that are not finite; and the objects that their animation disables.
    """
    originals = {evaluation.bring(source): source for source in sources}
    graph = evaluation.evaluate(frame)
    parts = {source: _Parts() for source in originals.values()}
    known: dict[int, MeshShape] = {}
    for instance in graph.object_instances:
        shown = cast("bpy.types.Object", instance.object)
        holder = cast("bpy.types.Object", instance.parent) if instance.is_instance else shown
        source = originals.get(cast("bpy.types.Object", holder.original))
        if source is None or not instance.show_self:  # an emitter may show its particles only
            continue
        body = _read_shape(shown, known)
        if body.empty:
            continue
        placed = body.moved(np.array(instance.matrix_world, dtype=np.float64), scale)
        is_line = not instance.is_instance and shown.type != "MESH"
        (parts[source].own if is_line else parts[source].shown).append(placed)
    # The surface of a curve, text or metaball is an instance of itself; a bare line has only its own shape.
    bodies = {source: join(part.shown or part.own) for source, part in parts.items()}
    disabled = {source for stand_in, source in originals.items() if stand_in.evaluated_get(graph).hide_viewport}
    return {source: body for source, body in bodies.items() if source not in disabled}, disabled


def _read_shape(evaluated: bpy.types.Object, known: dict[int, MeshShape]) -> MeshShape:
    """Return the shape in its own axes, read once for all instances that share it."""
    key = evaluated.data.as_pointer() if evaluated.data is not None else 0
    if key not in known:
        known[key] = read_shape(evaluated) if key else join([])
    return known[key]


def read_shape(evaluated: bpy.types.Object) -> MeshShape:
    """Read the shape of an evaluated object in its own axes, in Blender units, without its instances."""
    with mesh_of(evaluated) as mesh:
        return join([]) if mesh is None else _read_mesh(mesh)


@contextmanager
def mesh_of(evaluated: bpy.types.Object) -> Generator[bpy.types.Mesh | None]:
    """Convert an object to a mesh, which is removed afterwards.

    Args:
        evaluated: from a dependency graph.

    Yields:
        The mesh with all modifiers, or None where Blender makes none: for a light, an empty, a curve without splines.
    """
    try:
        mesh = cast("bpy.types.Mesh | None", evaluated.to_mesh())
    except RuntimeError:  # for a light or a camera
        mesh = None
    try:
        yield mesh
    finally:
        evaluated.to_mesh_clear()


def read_points(mesh: bpy.types.Mesh) -> Float64:
    """Read the vertices of a mesh in its own axes: float64 (V, 3), in Blender units."""
    points = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", points.reshape(-1))
    return points.astype(np.float64)


def read_edges(mesh: bpy.types.Mesh) -> Int64:
    """Read the edges of a mesh: int64 (E, 2), rows of its points."""
    edges = np.empty((len(mesh.edges), 2), dtype=np.int32)
    mesh.edges.foreach_get("vertices", edges.reshape(-1))
    return edges.astype(np.int64)


def _read_mesh(mesh: bpy.types.Mesh) -> MeshShape:
    points, edges = read_points(mesh), read_edges(mesh)
    borders = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("edge_index", borders)
    mesh.calc_loop_triangles()
    triangles = np.empty((len(mesh.loop_triangles), 3), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles.reshape(-1))
    faces_at = np.bincount(borders, minlength=len(edges))
    body = MeshShape(points, triangles.astype(np.int64), edges[faces_at == 0])
    split_apart = bool(np.any(faces_at == 1)) and not count_lost(points)
    return weld(body) if split_apart else body
