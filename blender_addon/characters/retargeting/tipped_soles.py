# SPDX-License-Identifier: GPL-3.0-or-later
"""How the soles of a body lie that floats at rest, its feet tipped as in a leap: by the meshes of its feet."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import bmesh
import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.motion.quaternions import between
from ..clips.joints import points_of_bones
from ..clips.shin_ends import ENDS, meshes_of


@dataclass(frozen=True)
class TippedSoleSettings:
    """What a tipped sole is; chosen.

    Attributes:
        floating: ankles of a body that floats are higher above its origin, in parts of thigh and shin, and no higher
            above its soles.
        along_shin: cosine of the angle between a sole's normal and the shin, at least.
        same_plane: cosine of the angle between faces of one sole, at least, 14 degrees: soles are rounded.
        least_share: of the area of a foot's hull that is its sole: a ball has none.
        most_faces: of a hull, the largest, among which a sole is searched: of a fine ball all are alike.
    """

    floating: float = 0.25
    along_shin: float = 0.3
    same_plane: float = 0.97
    least_share: float = 0.05
    most_faces: int = 500


_SOLES = TippedSoleSettings()
_UP = np.array([[0.0], [0.0], [1.0]])


class Sole(NamedTuple):
    """The sole of a foot.

    Attributes:
        turn: float64 (4, 1), that lays it level from rest, in the world.
        ankle: height of the ankle over it.
    """

    turn: Float64
    ankle: float


def find_tipped_soles(
    armature: bpy.types.Object, to_world: Float64, legs: Mapping[str, Float64], feet: Mapping[str, Sequence[str | None]]
) -> dict[str, Sole]:
    """Find the soles of a body that floats at rest, by their sides; none where it stands, or a foot has no mesh.

    Args:
        armature: of the body.
        to_world: float64 (4, 4), from its axes to the world.
        legs: of each side float64 (3, 3), hip, knee and ankle at rest in the world.
        feet: of each side the bones of foot and toe; the toe may be None.
    """
    length = max(float(np.linalg.norm(np.diff(leg, axis=0), axis=1).sum()) for leg in legs.values())
    if min(leg[2, 2] for leg in legs.values()) <= _SOLES.floating * length:
        return {}
    data: Any = armature.data
    found = {}
    for side, leg in legs.items():
        foot, toe = ({each.name for each in _carried(data, name)} for name in feet[side])
        sole = _find_sole(_points_on(data, foot - toe) @ to_world[:3, :3].T + to_world[:3, 3], leg)
        if sole is None or sole.ankle > _SOLES.floating * length:
            return {}
        found[side] = sole
    return found


def _carried(data: Any, name: str | None) -> list[Any]:
    """Return a bone and what it carries."""
    bone = data.bones.get(name or "")  # none where a shin ends without a foot
    return [bone, *bone.children_recursive] if bone else []


def _points_on(data: Any, bones: Container[str]) -> Float64:
    """Return the vertices that mostly follow bones of an armature, at rest, in its axes, float64 (N, 3)."""
    found = [np.zeros((0, 3))]
    seen = [each for each in bpy.data.objects if not each.hide_render]
    for mesh, names, placed in meshes_of(seen, data.original, bones) if bones else ():
        weights = [sum(each.weight for each in vertex.groups if each.group in names) for vertex in mesh.vertices]
        matrix, rows = np.array(placed, dtype=np.float64), np.array(weights) >= ENDS.least_weight
        found.append(points_of_bones(mesh.vertices, "co")[rows] @ matrix[:3, :3].T + matrix[:3, 3])
    return np.concatenate(found)


def _find_sole(points: Float64, leg: Float64) -> Sole | None:
    """Find what lies flat of the hull of the points (N, 3) of a foot, away from its shin; None: nothing."""
    shin = leg[2] - leg[1]
    normals, areas = _hull(points.tolist())
    least, largest = _SOLES.least_share * areas.sum(), np.argsort(-areas, kind="stable")[: _SOLES.most_faces]
    normals, areas = normals[largest], areas[largest]
    areas = np.where(normals @ shin > _SOLES.along_shin * np.linalg.norm(shin), areas, 0.0)
    if not areas.any():
        return None
    near = normals @ normals.T > _SOLES.same_plane  # (N, N)
    alike = near @ areas
    if alike.max() < least:
        return None
    down = (areas[:, None] * normals)[near[alike.argmax()]].sum(axis=0)
    down /= np.linalg.norm(down)
    return Sole(between(-down[:, None], _UP), float((points @ down).max() - leg[2] @ down))


def _hull(points: Sequence[Any]) -> tuple[Float64, Float64]:
    """Return the normals (N, 3) and areas (N,) of the faces of the convex hull of points."""
    shape = bmesh.new()
    try:
        for point in points:
            shape.verts.new(point)
        if len(points) > 3:
            bmesh.ops.convex_hull(shape, input=list(shape.verts))
        shape.normal_update()
        normals = np.array([face.normal for face in shape.faces], dtype=np.float64).reshape(-1, 3)
        return normals, np.array([face.calc_area() for face in shape.faces], dtype=np.float64)
    finally:
        shape.free()
