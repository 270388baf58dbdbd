# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the picture of a material shows skin on a body, as where one picture has all of a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

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
    meshes = [(part.data, part) for part in parts if isinstance(part.data, bpy.types.Mesh)]
    places = [_places(mesh, slots) for mesh, part in meshes if len(slots := _slots_with(material, part))]
    places = [each for each in places if len(each)]
    version = _version_of(image)
    if version is None:
        return any(_share_of_skin(image, each) > SKIN.share for each in places)
    return any(_known_share(version, _FacePlaces(each)) > SKIN.share for each in places)


def _version_of(image: Any) -> tuple[int, str, int] | None:
    """Return what the pixels of a picture depend on while Blender runs; None where they may change at any time."""
    if image.source != "FILE" or image.is_dirty:
        return None
    if image.packed_file is not None:
        return image.session_uid, image.filepath, -image.packed_file.size
    try:
        return image.session_uid, image.filepath, Path(image.filepath_from_user()).stat().st_mtime_ns
    except OSError:
        return None


class _FacePlaces:
    """Places in a picture (N, 2), which are equal where all of them are."""

    def __init__(self, places: Float64) -> None:
        self.places, self._digest = places, sha256(places.tobytes()).digest()

    def __hash__(self) -> int:
        return hash(self._digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _FacePlaces) and self._digest == other._digest


@lru_cache(maxsize=256)
def _known_share(version: tuple[int, str, int], at: _FacePlaces) -> float:
    return _share_of_skin(next(each for each in bpy.data.images if each.session_uid == version[0]), at.places)


def _share_of_skin(image: Any, places: Float64) -> float:
    """Return at which share of places, float64 (N, 2), a picture has the colour of skin."""
    columns, rows = image.size
    pixels = np.empty(rows * columns * image.channels, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    return float(_are_skin(_at(pixels.reshape(rows, columns, -1), places)).mean())


def _slots_with(material: bpy.types.Material, part: bpy.types.Object) -> list[int]:
    """Return the numbers of the slots of an object that have a material, its own or those of its mesh."""
    return [number for number, slot in enumerate(part.material_slots) if slot.material == material]


def _places(mesh: Any, wanted: list[int]) -> Float64:
    """Return where in a picture the faces of a mesh with some slots are, float64 (N, 2) from 0 to 1."""
    faces = len(mesh.polygons)
    if mesh.uv_layers.active is None:
        return np.zeros((0, 2))
    starts, slots = np.empty((2, faces), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    mesh.polygons.foreach_get("material_index", slots)
    starts = starts[np.isin(slots, wanted)]
    corners = np.empty((len(mesh.loops), 2), dtype=np.float32)
    mesh.uv_layers.active.data.foreach_get("uv", corners.ravel())
    middle = (corners[starts] + corners[starts + 1] + corners[starts + 2]) / 3.0  # of each face's first triangle
    return middle[np.isfinite(middle).all(axis=1)].astype(np.float64) % 1.0


def _at(picture: NDArray[np.float32], places: Float64) -> NDArray[np.float32]:
    """Return the colours of a picture, float32 (rows, columns, 3 or 4), at places (N, 2): float32 (N, 3)."""
    rows, columns, _ = picture.shape
    column, row = (places * [columns, rows]).astype(np.int64).T
    return picture[np.minimum(row, rows - 1), np.minimum(column, columns - 1), :3]


def _are_skin(colours: NDArray[np.float32]) -> Bool:
    """Which colours, float32 (N, 3), are those of skin, bool (N,): red is strongest, blue weakest."""
    red, green, blue = colours.T
    chroma = np.maximum(red - blue, 1e-6)
    hue, saturation = (green - blue) / chroma / 6.0, chroma / np.maximum(red, 1e-6)
    ordered = (red >= green) & (green >= blue) & (red > SKIN.value)
    inside = (hue > SKIN.hue[0]) & (hue < SKIN.hue[1])
    return ordered & inside & (saturation > SKIN.saturation[0]) & (saturation < SKIN.saturation[1])
