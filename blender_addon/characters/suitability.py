# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what the user has chosen can be people: there, whole, to be seen, and of a likely size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ...core.errors import FootfallError
from ..blender_data.evaluation import evaluation_scene

_LEAST_SIZE, _MOST_HEIGHT = 0.3, 10.0  # [m]
_NEVER_MESHES = {"VOLUME", "POINTCLOUD", "CURVES", "GREASEPENCIL", "GPENCIL"}


def check_is_there(blocks: Sequence[bpy.types.ID]) -> None:
    """Make sure that nothing stands in for what Blender has not found in another file.

    Raises:
        FootfallError: it does, for the first such data-block.
    """
    missing = next((block for block in blocks if block.is_missing), None)
    if missing is None:
        return
    rna: Any = missing.bl_rna
    kind = rna.name.lower()
    path = missing.library.filepath
    if Path(bpy.path.abspath(path, library=missing.library.parent)).exists():
        raise FootfallError(f"the {kind} '{missing.name}' is linked from '{path}', and that file has no such {kind}")
    raise FootfallError(
        f"the {kind} '{missing.name}' is linked from '{path}', and that file is missing: put it back, or relocate the "
        "library in the Outliner"
    )


def check_meshes(parts: Sequence[bpy.types.Object]) -> None:
    """Make sure that every vertex of a character has a place.

    Raises:
        FootfallError: one has not.
    """
    for part in parts:
        if isinstance(part.data, bpy.types.Mesh):
            places = np.empty(3 * len(part.data.vertices), dtype=np.float32)
            part.data.vertices.foreach_get("co", places)
            wrong = np.flatnonzero(~np.isfinite(places).reshape(-1, 3).all(axis=1))
            if len(wrong):
                raise FootfallError(
                    f"'{part.name}' cannot be a character: vertex {wrong[0]} of its mesh '{part.data.name}' has a "
                    "coordinate that is not a number: delete that vertex"
                )


def doubts(
    name: str, parts: Sequence[bpy.types.Object], *, scene: bpy.types.Scene, frame: int, unit: float
) -> list[str]:
    """What makes a character an unlikely one.

    Args:
        name: of the character.
        parts: its objects, made ready to be copied.
        scene: whose settings hold.
        frame: at which it is looked at.
        unit: metres per Blender unit.

    Returns:
        Sentences for the user.
    """
    with evaluation_scene(scene) as evaluation:
        for part in parts:
            if not part.hide_viewport:
                evaluation.bring(part)
        corners = np.array(list(_corners(evaluation.evaluate(frame)))).reshape(-1, 3)
    flat = [part.name for part in parts if 0.0 in part.scale[:]]
    if flat:
        return [f"'{name}' has no size and cannot be seen: the scale of '{flat[0]}' is 0"]
    if len(corners):
        return _doubts_about_size(name, np.ptp(corners, axis=0) * unit)
    if any(_has_vertices(part) for part in parts):
        return []  # something hides it at this frame
    kinds = ", ".join(sorted({_kind(part) for part in parts}))
    return [f"'{name}' has nothing visible, only: {kinds}; choose other characters if this is not intended"]


def _corners(depsgraph: bpy.types.Depsgraph) -> Iterator[Vector]:
    """The corners of the boxes around all bodies that are to be seen, in the world."""
    for instance in depsgraph.object_instances:
        body = cast("bpy.types.Object", instance.object)
        if _has_vertices(body) or body.type in _NEVER_MESHES or _is_image(body):
            matrix = instance.matrix_world.copy()
            yield from (matrix @ Vector(corner) for corner in body.bound_box)


def _has_vertices(part: bpy.types.Object) -> bool:
    return isinstance(part.data, bpy.types.Mesh) and len(part.data.vertices) > 0


def _is_image(part: bpy.types.Object) -> bool:
    return part.type == "EMPTY" and part.empty_display_type == "IMAGE"


def _doubts_about_size(name: str, size: NDArray[np.float64]) -> list[str]:
    """Of what lies, a fallen leaf perhaps, the length counts; empties with an image have no size."""
    largest, height = float(size.max()), float(size[2])
    if not 0.0 < largest < _LEAST_SIZE and height <= _MOST_HEIGHT:
        return []
    length = height if height > _MOST_HEIGHT else largest
    told = f"{length:.0f} m" if length > _MOST_HEIGHT else f"{100.0 * length:.2g} cm"
    way_out = "if it is a person, correct its scale or the scene's Unit Scale"
    return [f"'{name}' is {told} tall in this scene's units; {way_out}"]


def _kind(part: bpy.types.Object) -> str:
    """What Blender calls the kind of an object."""
    kinds: Any = part.bl_rna.properties["type"]
    return kinds.enum_items[part.type].name.lower()
