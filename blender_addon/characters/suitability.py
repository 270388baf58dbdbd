# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks whether chosen objects can be characters: present, valid, visible and of a plausible size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.array_types import Float64
from ...core.errors import FootfallError
from ..blender_data import animation, nla_strips
from ..blender_data.evaluation import evaluation_scene
from ..settings.problems import UNLIKELY_SIZE
from .clips.clip_names import ClipKind, read_name
from .clips.clips import BELOW_ORIGIN
from .clips.joints import Joints

_STILL = 1e-3  # keys that differ less in their values do not move anything: exporters write such; chosen
_LEAST_VOLUME = 0.5  # spanned by the axes of a bone, which are of length 1; chosen
_SAMPLES = 5  # of a curve, to see whether it moves anything; chosen

_NEVER_MESHES = {"VOLUME", "POINTCLOUD", "CURVES", "GREASEPENCIL", "GPENCIL"}


@dataclass(frozen=True)
class CharacterChecks:
    """When a character is reported as doubtful; all chosen.

    Attributes:
        least_size: largest dimension of a character that is too small [m].
        most_height: greater heights are reported [m].
        bodies: heights between which those are that have bones [m].
        axis_angle: a walk this close to an axis is taken to be along that axis [rad].
        sideways_angle: a walk farther from the Facing axis is reported [rad].
    """

    least_size: float = 0.3
    most_height: float = 10.0
    bodies: tuple[float, float] = (0.4, 2.6)
    axis_angle: float = math.radians(25.0)
    sideways_angle: float = math.radians(60.0)


CHECKS = CharacterChecks()


def check_is_there(blocks: Sequence[bpy.types.ID]) -> None:
    """Check that no data-block is a placeholder for one missing in another file.

    Raises:
        FootfallError: names the first placeholder.
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
    """Check that every vertex of a character has finite coordinates.

    Raises:
        FootfallError: names the first vertex that has not.
    """
    for part in parts:
        if isinstance(part.data, bpy.types.Mesh):
            places = np.empty(3 * len(part.data.vertices), dtype=np.float32)
            part.data.vertices.foreach_get("co", places)
            wrong = np.flatnonzero(~np.isfinite(places).reshape(-1, 3).all(axis=1))
            if len(wrong):
                raise FootfallError(
                    f"'{parts[0].name}' cannot be a character: vertex {wrong[0]} of its mesh '{part.data.name}' has a "
                    "coordinate that is not a number: delete that vertex"
                )


def why_it_is_broken(parts: Sequence[bpy.types.Object]) -> str:
    """Return what keeps the armatures of a character from walking, and the way out; empty: nothing is broken.

    Args:
        parts: its objects, the user's own.
    """
    for rig in (part for part in parts if part.type == "ARMATURE"):
        data: Any = rig.data
        if not len(data.bones):
            return f"the armature '{rig.name}' has no bones; add bones, or choose another armature"
        if not np.isfinite(np.array(rig.matrix_world)).all():
            return f"the location, rotation or scale of '{rig.name}' is not a number; type it again in the Item tab"
        lost = next((bone.name for bone in data.bones if not _has_axes(bone)), None)
        if lost is not None:
            return f"bone '{lost}' of '{rig.name}' has a rest position that is not a number; correct it in Edit Mode"
    return ""


def _has_axes(bone: bpy.types.Bone) -> bool:
    """Whether the axes of a bone at rest are there: from 5.0 on those of a bone that ends nowhere are 0."""
    axes = np.array(bone.matrix_local)
    return bool(np.isfinite(axes).all()) and abs(np.linalg.det(axes)) > _LEAST_VOLUME


def lost_armatures(name: str, parts: Sequence[bpy.types.Object]) -> list[str]:
    """Return the notice about a character that no armature moves any more, as after its object was deleted.

    Args:
        name: of the character.
        parts: its objects, the user's own.
    """
    bound = [
        (part.name, modifier.object)
        for part in parts
        for modifier in part.modifiers
        if isinstance(modifier, bpy.types.ArmatureModifier)
    ]
    if any(armature is not None for _, armature in bound):
        return []
    lost = list(dict.fromkeys(f"'{part}'" for part, _ in bound))
    way_out = "choose one in the modifier, or remove the modifier"
    told = f"'{name}' slides along: the Armature modifier of {', '.join(lost)} has no armature; {way_out}"
    return [told] if lost else []


def shared_shape_keys(parts: Sequence[bpy.types.Object]) -> list[str]:
    """Return notices about shape keys driven by an object of the character: all copies share them.

    Args:
        parts: its objects, the user's own.
    """
    found = []
    for part in parts:
        keys = getattr(part.data, "shape_keys", None)
        drivers = keys.animation_data.drivers if keys is not None and keys.animation_data is not None else ()
        variables = [variable for curve in drivers for variable in curve.driver.variables]
        if any(target.id in parts for variable in variables for target in variable.targets):
            found.append(f"'{part.name}': its shape keys are driven by the original, and all copies share them")
    return found


def left_behind(name: str, parts: Sequence[bpy.types.Object], walker: bpy.types.Object | None) -> list[str]:
    """Return notices about what a character has beside its body, and what does not walk with it.

    Args:
        name: of the character.
        parts: its objects, the user's own.
        walker: the armature among them that walks, or None.
    """
    bound = {each.object for part in parts for each in part.modifiers if isinstance(each, bpy.types.ArmatureModifier)}
    armatures = [part for part in parts if part.type == "ARMATURE" and part != walker]
    rigs = [part for part in armatures if part in bound or part.parent not in parts]
    still = [rig for rig in rigs if not any(len(bone.constraints) for bone in rig.pose.bones)]
    if walker is not None and still:
        listed = ", ".join(f"'{rig.name}'" for rig in still)
        return [f"'{name}': only the armature '{walker.name}' walks, and {listed} keeps its pose: join them (Ctrl J)"]
    limbs = [part.name for part in parts if walker is not None and part.type == "EMPTY" and _is_limb(part, walker)]
    if limbs:
        others = f" and {len(limbs) - 1} other objects" if len(limbs) > 1 else ""
        told = f"'{name}': clips also move '{limbs[0]}'{others}, which are no bones and keep their pose"
        return [f"{told}: export it with all its joints as bones of one armature"]
    if walker is not None or any(part.type == "ARMATURE" for part in parts):
        return []
    if any(getattr(part.data, "shape_keys", None) is not None for part in parts):
        return [f"'{name}' has shape keys and no armature: it slides along in one shape; bind it to an armature"]
    clips = [clip.action.name for part in parts for clip in nla_strips.played_clips(part.animation_data)]
    walk = next((clip for clip in clips if read_name(clip).kind == ClipKind.WALKS), None)
    way_out = "join its parts and bind them to an armature"
    return [f"'{name}' slides along: its walk '{walk}' moves objects and not bones; {way_out}"] if walk else []


def _is_limb(part: bpy.types.Object, walker: bpy.types.Object) -> bool:
    """Whether an object hangs on an armature and moves in its own clips, as joints do that an exporter left out."""
    carrier = part.parent
    while carrier not in {walker, None}:
        carrier = carrier.parent
    return carrier is not None and any(
        float(np.ptp([curve.evaluate(frame) for frame in np.linspace(curve.range()[0], curve.range()[1], _SAMPLES)]))
        > _STILL
        for clip in nla_strips.played_clips(part.animation_data)
        for curve in animation.curves_of(clip)
    )


def is_unlikely(height: float) -> bool:
    """Whether hardly any body with bones is so tall [m]; 0: not known."""
    least, most = CHECKS.bodies
    return height > most or 0.0 < height < least


def sunk(name: str, mover: bpy.types.Object, unit: float) -> list[str]:
    """Return the notice about a character that is far below its origin.

    Args:
        name: of the object that moves it.
        mover: its copy, at the world's origin.
        unit: metres per Blender unit.
    """
    if mover.type not in {"MESH", "ARMATURE"}:
        return []  # its bounding box is not known before evaluation
    matrix = mover.rotation_euler.to_matrix() @ Matrix.Diagonal(mover.scale)
    points = Joints.of(mover).begin.tolist() if mover.type == "ARMATURE" else [corner[:] for corner in mover.bound_box]
    heights = [(matrix @ Vector(point)).z for point in points] or [0.0]
    if -min(heights) <= BELOW_ORIGIN * (max(heights) - min(heights)):
        return []
    depth = -min(heights) * unit
    told = f"'{name}' reaches {depth:.2f} m below its origin, which is put on the ground. If it sinks in, "
    return [told + "set its origin at its feet"]


def judge_size(
    name: str, parts: Sequence[bpy.types.Object], *, scene: bpy.types.Scene, frame: int, unit: float
) -> tuple[float, list[str]]:
    """Return how tall a character is [m], 0 where nothing is seen, and notices about what makes it implausible.

    Args:
        name: of the character.
        parts: its objects, prepared for copying.
        scene: provides frame rate and units.
        frame: frame number at which it is evaluated.
        unit: metres per Blender unit.
    """
    with evaluation_scene(scene, remapped=False) as evaluation:
        for part in parts:
            if not part.hide_viewport:
                evaluation.bring(part)
        corners = np.array(list(_corners(evaluation.evaluate(frame)))).reshape(-1, 3)
    corners = corners[np.isfinite(corners).all(axis=1)]
    flat = [part.name for part in parts if 0.0 in part.scale[:]]
    if flat:
        return 0.0, [f"'{name}' has no size and cannot be seen: the scale of '{flat[0]}' is 0"]
    if len(corners):
        size = np.ptp(corners, axis=0) * unit
        has_bones = any(part.type == "ARMATURE" and len(part.pose.bones) for part in parts)
        return float(size[2]), _doubts_about_size(name, size, has_bones=has_bones)
    if any(_has_vertices(part) for part in parts) or why_it_is_broken(parts):
        return 0.0, []  # it is hidden at this frame, or its fault is reported
    kinds = ", ".join(sorted({_kind(part) for part in parts}))
    return 0.0, [f"'{name}' has nothing visible, only: {kinds}; choose other characters if this is not intended"]


def _corners(depsgraph: bpy.types.Depsgraph) -> Iterator[Vector]:
    """Yield the corners of the bounding boxes of all visible bodies, in the world."""
    for instance in depsgraph.object_instances:
        body = cast("bpy.types.Object", instance.object)
        if _has_vertices(body) or body.type in _NEVER_MESHES or _is_image(body):
            matrix = instance.matrix_world.copy()
            yield from (matrix @ Vector(corner) for corner in body.bound_box)


def _has_vertices(part: bpy.types.Object) -> bool:
    return isinstance(part.data, bpy.types.Mesh) and len(part.data.vertices) > 0


def _is_image(part: bpy.types.Object) -> bool:
    return part.type == "EMPTY" and part.empty_display_type == "IMAGE"


def _doubts_about_size(name: str, size: Float64, *, has_bones: bool) -> list[str]:
    """Return the notice about an implausible size; for a lying object its length counts, and an image has no size."""
    largest, height = float(size.max()), float(size[2])
    if has_bones and is_unlikely(height):
        return [f"'{name}' is {height:.3g} m tall in this scene's units; {UNLIKELY_SIZE}"]
    if has_bones or (not 0.0 < largest < CHECKS.least_size and height <= CHECKS.most_height):
        return []
    length = height if height > CHECKS.most_height else largest
    size_text = f"{length:.0f} m" if length > CHECKS.most_height else f"{100.0 * length:.2g} cm"
    return [f"'{name}' is {size_text} tall in this scene's units; {UNLIKELY_SIZE}"]


def _kind(part: bpy.types.Object) -> str:
    """Return Blender's label for the type of an object."""
    kinds: Any = part.bl_rna.properties["type"]
    return kinds.enum_items[part.type].name.lower()
