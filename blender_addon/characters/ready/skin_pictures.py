# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the picture of a material shows skin on a body, as where one picture has all of a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import bpy
import numpy as np

from ....core.array_types import Bool, Float64


@dataclass(frozen=True)
class SkinColours:
    """Which colours (sRGB, as HSV from 0 to 1) of which pictures count as skin; all chosen.

    Attributes:
        hue: from red to yellow.
        saturation: cloth and metal are greyer, paint is brighter.
        value: the darkest.
        share: of a mesh's faces with such colours, from which the picture is one of skin.
    """

    hue: tuple[float, float] = (0.01, 0.11)
    saturation: tuple[float, float] = (0.15, 0.72)
    value: float = 0.2
    share: float = 0.05


SKIN = SkinColours()


def shows_skin(material: bpy.types.Material, image: bpy.types.Image, parts: Iterable[bpy.types.Object]) -> bool:
    """Whether a picture of a material has the colour of skin on some mesh.

    Args:
        material: of the meshes.
        image: the picture.
        parts: objects of a character.
    """
    if image.source not in {"FILE", "GENERATED"} or image.channels < 3 or not all(image.size):
        return False
    known = image.session_uid, image.filepath, (image.size[0], image.size[1]), image.is_dirty
    meshes = (part.data for part in parts if isinstance(part.data, bpy.types.Mesh))
    places = [_places(mesh, material) for mesh in meshes if material in list(mesh.materials)]
    return any(len(each) and _at(_skin_in(known), each).mean() > SKIN.share for each in places)


def _places(mesh: Any, material: bpy.types.Material) -> Float64:
    """Return where in a picture the faces of a mesh are that have a material, float64 (N, 2) from 0 to 1."""
    faces, slot = len(mesh.polygons), list(mesh.materials).index(material)
    if mesh.uv_layers.active is None:
        return np.zeros((0, 2))
    starts, slots = np.empty((2, faces), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    mesh.polygons.foreach_get("material_index", slots)
    starts = starts[slots == slot]
    corners = np.empty((len(mesh.loops), 2), dtype=np.float32)
    mesh.uv_layers.active.data.foreach_get("uv", corners.ravel())
    middle = (corners[starts] + corners[starts + 1] + corners[starts + 2]) / 3.0  # of each face's first triangle
    return middle[np.isfinite(middle).all(axis=1)].astype(np.float64) % 1.0


def _at(picture: Bool, places: Float64) -> Bool:
    rows, columns = picture.shape
    column, row = (places * [columns, rows]).astype(np.int64).T
    return picture[np.minimum(row, rows - 1), np.minimum(column, columns - 1)]


@lru_cache(maxsize=32)
def _skin_in(known: tuple[int, str, tuple[int, int], bool]) -> Bool:
    """Which pixels of a picture have the colour of skin, bool (rows, columns): red is strongest, blue weakest.

    Args:
        known: its session UID, path, size and whether it is painted: what it is read anew for.
    """
    image = next(each for each in bpy.data.images if each.session_uid == known[0])
    width, height = known[2]
    pixels, seen = np.empty(width * height * image.channels, dtype=np.float32), cast("Any", image.pixels)
    seen.foreach_get(pixels)
    red, green, blue = np.moveaxis(pixels.reshape(height, width, -1)[..., :3], 2, 0)
    chroma = np.maximum(red - blue, 1e-6)
    hue, saturation = (green - blue) / chroma / 6.0, chroma / np.maximum(red, 1e-6)
    ordered = (red >= green) & (green >= blue) & (red > SKIN.value)
    inside = (hue > SKIN.hue[0]) & (hue < SKIN.hue[1])
    return ordered & inside & (saturation > SKIN.saturation[0]) & (saturation < SKIN.saturation[1])
