# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated objects as bodies: meshes with their modifiers, what converts to a mesh, and every kind of instance."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...blender_data.evaluation import ReadingRoom
from ..findings import Findings
from .bodies import MeshShape, count_lost, join, weld


@dataclass
class _Parts:
    """What an evaluated object consists of, before it is put together."""

    own: list[MeshShape] = field(default_factory=list)
    shown: list[MeshShape] = field(default_factory=list)


def read_bodies(
    room: ReadingRoom, sources: Iterable[bpy.types.Object], frame: int, scale: float, findings: Findings
) -> dict[bpy.types.Object, MeshShape]:
    """What objects look like at a frame, in the world.

    Args:
        room: where they are evaluated.
        sources: objects of any type.
        frame: frame number.
        scale: metres per Blender unit.
        findings: takes up what is at fault.

    Returns:
        A body for each object in which nothing is at fault [m], empty where it has neither faces nor edges.
    """
    asked = {room.bring(source): source for source in sources}
    graph = room.evaluate(frame)
    parts = {source: _Parts() for source in asked.values()}
    known: dict[int, MeshShape] = {}
    for instance in graph.object_instances:
        shown = cast("bpy.types.Object", instance.object)
        holder = cast("bpy.types.Object", instance.parent) if instance.is_instance else shown
        source = asked.get(cast("bpy.types.Object", holder.original))
        if source is None or not instance.show_self:  # an emitter may show its particles only
            continue
        body = _read_shape(shown, known)
        if body.empty:
            continue
        placed = body.moved(np.array(instance.matrix_world, dtype=np.float64), scale)
        is_line = not instance.is_instance and shown.type != "MESH"
        (parts[source].own if is_line else parts[source].shown).append(placed)
    # A curve, text or metaball hands out its surface as an instance of itself; a bare line has nothing but itself.
    bodies = {source: join(part.shown or part.own) for source, part in parts.items()}
    hidden = {source for stand_in, source in asked.items() if stand_in.evaluated_get(graph).hide_viewport}
    for source in hidden:
        findings.hidden_by_animation(source, frame)
    seen = {source: body for source, body in bodies.items() if source not in hidden}
    return {source: body for source, body in seen.items() if _is_somewhere(source, body, findings)}


def _is_somewhere(source: bpy.types.Object, body: MeshShape, findings: Findings) -> bool:
    lost = count_lost(body.points)
    if lost:
        findings.fault(
            source.name,
            f"{lost} of its {len(body.points)} points are not finite numbers (NaN or infinite) or very far away: "
            "delete them, or look for the modifier or the scale that makes them.",
        )
    return not lost


def _read_shape(evaluated: bpy.types.Object, known: dict[int, MeshShape]) -> MeshShape:
    """The shape in its own axes, read once for all instances that share it."""
    key = evaluated.data.as_pointer() if evaluated.data is not None else 0
    if key not in known:
        known[key] = read_shape(evaluated) if key else join([])
    return known[key]


def read_shape(evaluated: bpy.types.Object) -> MeshShape:
    """The shape of an evaluated object in its own axes, in Blender units, without the instances that it shows."""
    with mesh_of(evaluated) as mesh:
        return join([]) if mesh is None else _read_mesh(mesh)


@contextmanager
def mesh_of(evaluated: bpy.types.Object) -> Generator[bpy.types.Mesh | None]:
    """Have the mesh that an object converts to, for a while.

    Args:
        evaluated: from a dependency graph.

    Yields:
        The mesh with all modifiers, or None where Blender makes none: of a lamp, an empty, a curve without splines.
    """
    try:
        mesh = cast("bpy.types.Mesh | None", evaluated.to_mesh())
    except RuntimeError:  # what Blender says to a lamp or a camera
        mesh = None
    try:
        yield mesh
    finally:
        evaluated.to_mesh_clear()


def read_points(mesh: bpy.types.Mesh) -> NDArray[np.float64]:
    """The corners of a mesh in its own axes: float64 (V, 3), in Blender units."""
    points = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", points.reshape(-1))
    return points.astype(np.float64)


def read_edges(mesh: bpy.types.Mesh) -> NDArray[np.int64]:
    """The edges of a mesh: int64 (E, 2), rows of its points."""
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
