# SPDX-License-Identifier: GPL-3.0-or-later
"""The trajectories of thousands of people as the attributes of one mesh.

A vertex is one person at one frame: all people at the first frame, then all at the next, and so on. An edge is one
person, from the first position to the last, and holds the attributes that are constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.array_types import Bool, Float64, Int64
from ..figures.materials import COLOUR, VARIATION

Floats = NDArray[Any]

HEADING, PHASE, GAIT, PRESENT = "heading", "phase", "gait", "present"
"""Attributes of vertices: heading [rad], cycles of the walk, gait (0 stands, 1 walks, 2 runs), presence. People
take whole steps, see `take_steps`."""

ACT = "act"
"""Attribute of vertices, where somebody does more than walk: number of the pose shown; -1: as the gait has it."""

FIRST_POSE, POSES, IDLE_CYCLE = "first_pose", "poses", "idle_cycle"
"""Attributes of edges: first pose of a person's cycle of gait 0 (or where it would be), poses in a cycle, and length of
the idle clip [frames]."""

SCALE = "scale"
"""Attribute of edges, beside `COLOUR` and `VARIATION`: scale of a person."""

WALK_WAY, RUN_WAY, STILL_HEIGHT = "walk_way", "run_way", "still_height"
"""Attributes of edges, in the size of the poses [Blender units]: way of a cycle of walk and run, and the height at
which a body is not moved as its feet are held on the ground."""

CHARACTER, NUMBER, IS_REAL = "character", "number", "is_real"
"""Attributes of edges: number of the character, number in the crowd, and whether the person was made a character."""

_EDGE_FLOATS = (IDLE_CYCLE, WALK_WAY, RUN_WAY, STILL_HEIGHT, SCALE, VARIATION)
_KINDS = {"FLOAT": ("value", np.float32), "INT": ("value", np.int32), "BOOLEAN": ("value", np.bool_)}
_COLOUR_KIND = ("FLOAT_COLOR", "color")


@dataclass(frozen=True, eq=False)
class Samples:
    """The motion of A people over F frames, in float64 or, where it is only written, in float32.

    Attributes:
        location: (F, A, 3) [Blender units].
        heading: (F, A) [rad], continuous.
        phase: (F, A), continuous, in cycles of the walk.
        gait: (F, A), 0 stands, 1 walks, 2 runs.
        present: bool (F, A).
    """

    location: Floats
    heading: Floats
    phase: Floats
    gait: Floats
    present: Bool


class SampledPeople(NamedTuple):
    """The constant attributes of A people, an array (A,) or (A, 4) for each attribute of edges."""

    first_pose: Int64
    poses: Int64
    idle_cycle: Float64
    walk_way: Float64
    run_way: Float64
    still_height: Float64
    scale: Float64
    colour: Float64
    variation: Float64
    character: Int64
    number: Int64


def make_samples_mesh(
    name: str, samples: Samples, people: SampledPeople, acts: NDArray[np.int32] | None = None
) -> bpy.types.Mesh:
    """Write samples into a new mesh.

    A single frame is written twice, so that every edge has two ends.

    Args:
        name: of the mesh.
        samples: the motion.
        people: what is constant.
        acts: int32 (F, A), numbers of poses, -1 for those of the gait; None: nobody does more than walk.
    """
    mesh = bpy.data.meshes.new(name)
    frames, agents = samples.heading.shape
    if frames == 1:
        samples = Samples(*(np.repeat(each, 2, axis=0) for each in vars(samples).values()))
        acts = np.repeat(acts, 2, axis=0) if acts is not None else None
    mesh.vertices.add(samples.heading.size)
    places: Any = mesh.attributes["position"]  # faster than the coordinates of vertices
    places.data.foreach_set("vector", np.ascontiguousarray(samples.location, dtype=np.float32).ravel())
    mesh.edges.add(agents)
    ends = np.arange(agents, dtype=np.int32)[:, None] + np.array([0, samples.heading.size - agents], dtype=np.int32)
    mesh.edges.foreach_set("vertices", ends.ravel())
    for selected in (".select_vert", ".select_edge"):  # new elements are selected; without these attributes none are
        if selected in mesh.attributes:
            mesh.attributes.remove(mesh.attributes[selected])
    _add(mesh, HEADING, "FLOAT", "POINT", samples.heading)
    _add(mesh, PHASE, "FLOAT", "POINT", samples.phase)
    _add(mesh, GAIT, "FLOAT", "POINT", samples.gait)
    _add(mesh, PRESENT, "BOOLEAN", "POINT", samples.present)
    if acts is not None:
        _add(mesh, ACT, "INT", "POINT", acts)
    for key in (FIRST_POSE, POSES, CHARACTER, NUMBER):
        _add(mesh, key, "INT", "EDGE", getattr(people, key))
    for key in _EDGE_FLOATS:
        _add(mesh, key, "FLOAT", "EDGE", getattr(people, key))
    _add(mesh, IS_REAL, "BOOLEAN", "EDGE", np.zeros(agents, dtype=np.bool_))
    colours: Any = mesh.attributes.new(COLOUR, _COLOUR_KIND[0], "EDGE")
    colours.data.foreach_set(_COLOUR_KIND[1], np.ascontiguousarray(people.colour, dtype=np.float32).ravel())
    mesh.update()
    return mesh


def read_samples(mesh: bpy.types.Mesh, agents: Int64) -> Samples:
    """Read the motion of some people from a mesh of samples.

    Args:
        mesh: made by `make_samples_mesh`.
        agents: int64 (N,), their numbers.
    """
    count = len(mesh.edges)
    places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    position: Any = mesh.attributes["position"]
    position.data.foreach_get("vector", places)
    return Samples(
        places.reshape(-1, count, 3)[:, agents].astype(np.float64),
        read(mesh, HEADING).reshape(-1, count)[:, agents].astype(np.float64),
        read(mesh, PHASE).reshape(-1, count)[:, agents].astype(np.float64),
        read(mesh, GAIT).reshape(-1, count)[:, agents].astype(np.float64),
        read(mesh, PRESENT).reshape(-1, count)[:, agents],
    )


def read(mesh: bpy.types.Mesh, key: str) -> NDArray[Any]:
    """Read the values of an attribute, one for each vertex or edge; colours (A, 4)."""
    attribute: Any = mesh.attributes[key]
    if attribute.data_type == _COLOUR_KIND[0]:
        colours = np.empty(4 * len(attribute.data), dtype=np.float32)
        attribute.data.foreach_get(_COLOUR_KIND[1], colours)
        return colours.reshape(-1, 4)
    field, dtype = _KINDS[attribute.data_type]
    values = np.empty(len(attribute.data), dtype=dtype)
    attribute.data.foreach_get(field, values)
    return values


def mark_real(mesh: bpy.types.Mesh, agents: Int64) -> None:
    """Hide the instances of some people, who are shown as characters."""
    marks = read(mesh, IS_REAL)
    marks[agents] = True
    attribute: Any = mesh.attributes[IS_REAL]
    attribute.data.foreach_set("value", marks)
    mesh.update()


def _add(mesh: bpy.types.Mesh, key: str, kind: str, domain: Any, values: NDArray[Any]) -> None:
    field, dtype = _KINDS[kind]
    attribute: Any = mesh.attributes.new(key, kind, domain)  # ty: ignore[invalid-argument-type]
    attribute.data.foreach_set(field, np.ascontiguousarray(values, dtype=dtype).ravel())
