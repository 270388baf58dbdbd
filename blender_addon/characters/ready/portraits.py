# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pictures of characters for the cast table: head and shoulders, seen from ahead, drawn point by point."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.array_types import Float64
from ...blender_data.evaluation import evaluation_scene


@dataclass(frozen=True)
class PortraitSettings:
    """How a character is drawn; chosen.

    Attributes:
        size: width and height [pixels].
        finer: so many pixels are drawn for each, along both axes.
        points: drawn for each of these.
        shown: share of the height that is seen, from the top.
        head: share of the height, from the top, that is seen whole.
        turn: of the body, from looking at the viewer to its left [rad].
        light: from where light comes: to the right, towards the viewer, upwards.
        ambient: share of the light that comes from everywhere.
    """

    size: int = 64
    finer: int = 3
    points: float = 3.0
    shown: float = 0.42
    head: float = 0.15
    turn: float = 0.45
    light: tuple[float, float, float] = (-0.4, 0.6, 0.7)
    ambient: float = 0.35


_PORTRAIT = PortraitSettings()


def draw_portrait(parts: Sequence[bpy.types.Object], angle: float, scene: bpy.types.Scene, frame: int) -> str:
    """Draw a character that was made ready; returns what `pixels_of` reads, or nothing where nothing is seen.

    Args:
        parts: its objects.
        angle: direction in which it looks [rad].
        scene: provides frame rate and units.
        frame: at which it is seen.
    """
    with evaluation_scene(scene, remapped=False) as evaluation:
        for part in parts:
            if not part.hide_viewport:
                evaluation.bring(part)
        graph = evaluation.evaluate(frame)
        found = [seen for seen in map(_faces, _meshes(graph)) if len(seen[0])]
    if not found:
        return ""
    corners, colours = (np.concatenate(each) for each in zip(*found, strict=True))
    pixels = _draw(corners, colours, angle)
    return base64.b64encode(zlib.compress((255.0 * pixels + 0.5).astype(np.uint8).tobytes())).decode()


def pixels_of(portrait: str) -> NDArray[np.float32]:
    """Return the pixels of a portrait, float32 (size * size * 4,), from below."""
    values = np.frombuffer(zlib.decompress(base64.b64decode(portrait)), dtype=np.uint8)
    return values.astype(np.float32) / np.float32(255.0)


def _meshes(graph: bpy.types.Depsgraph) -> Iterator[Any]:
    for instance in graph.object_instances:
        seen: Any = instance.object
        if isinstance(seen.data, bpy.types.Mesh) and len(seen.data.polygons):
            yield seen


def _faces(seen: Any) -> tuple[Float64, Float64]:
    """The triangles of a mesh in the world, float64 (T, 3, 3), and their colours, float64 (T, 3)."""
    mesh = seen.to_mesh()
    try:
        mesh.calc_loop_triangles()
        places, numbers, slots = (
            np.empty(3 * len(mesh.vertices), dtype=np.float32),
            np.empty(3 * len(mesh.loop_triangles), dtype=np.int32),
            np.empty(len(mesh.loop_triangles), dtype=np.int32),
        )
        mesh.vertices.foreach_get("co", places)
        mesh.loop_triangles.foreach_get("vertices", numbers)
        mesh.loop_triangles.foreach_get("material_index", slots)
        materials = [slot.material for slot in seen.material_slots] or [None]
        colours = [tuple(each.diffuse_color[:3]) if each is not None else (0.8, 0.8, 0.8) for each in materials]
        matrix = np.array(seen.matrix_world, dtype=np.float64)
    finally:
        seen.to_mesh_clear()
    points = places.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    corners = points[numbers.reshape(-1, 3)]
    whole = np.isfinite(corners).all(axis=(1, 2))
    return corners[whole], np.array(colours)[np.minimum(slots, len(colours) - 1)][whole]


def _draw(corners: Float64, colours: Float64, angle: float) -> NDArray[np.float64]:
    """Draw triangles that look along an angle, float64 (size, size, 4) from below, with a transparent background."""
    turn = angle + _PORTRAIT.turn
    ahead, left = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])
    axes = np.stack([left, ahead, (0.0, 0.0, 1.0)])  # the viewer sees its left side to the right
    corners = corners @ axes.T
    top, low = corners[..., 2].max(), corners[..., 2].min()
    head = corners[corners[..., 2].mean(axis=1) > top - _PORTRAIT.head * (top - low)][..., 0]
    middle = 0.5 * float(head.min() + head.max())
    extent = max(_PORTRAIT.shown * (top - low), 1.15 * float(np.ptp(head)), 1e-9)
    size = _PORTRAIT.size * _PORTRAIT.finer
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    light = np.array(_PORTRAIT.light) / np.linalg.norm(_PORTRAIT.light)
    lit = 0.5 + 0.5 * (normals @ light) / np.maximum(areas, 1e-12)
    shade = _PORTRAIT.ambient + (1.0 - _PORTRAIT.ambient) * lit
    count = 1 + (_PORTRAIT.points * 0.5 * areas * (size / extent) ** 2).astype(np.int64)
    count = np.minimum(count, size * size)
    face = np.repeat(np.arange(len(corners)), count)
    weights = np.random.default_rng(0).dirichlet((1.0, 1.0, 1.0), len(face))
    points = np.einsum("nk,nkc->nc", weights, corners[face])
    column = np.floor((points[:, 0] - middle) / extent * size + 0.5 * size).astype(np.int64)
    row = np.floor((points[:, 2] - top) / extent * size + 0.97 * size).astype(np.int64)
    inside = (column >= 0) & (column < size) & (row >= 0) & (row < size)
    order = np.argsort(points[inside, 1], kind="stable")  # what is nearest comes last, and stays
    place = (row[inside] * size + column[inside])[order]
    picture = np.zeros((size * size, 4))
    picture[place, :3] = np.clip((colours * shade[:, None])[face[inside]][order], 0.0, 1.0) ** (1.0 / 2.2)
    picture[place, 3] = 1.0
    finer = picture.reshape(_PORTRAIT.size, _PORTRAIT.finer, _PORTRAIT.size, _PORTRAIT.finer, 4)
    alpha = finer[..., 3:].mean(axis=(1, 3))
    mean = (finer[..., :3] * finer[..., 3:]).mean(axis=(1, 3)) / np.maximum(alpha, 1e-9)
    return np.concatenate([mean, alpha], axis=2)
