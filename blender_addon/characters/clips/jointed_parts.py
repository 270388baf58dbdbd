# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives bones to a body of objects that hang on one another and are animated themselves, as some packs come.

Each object becomes a bone and follows it as it was; clips of the objects become clips of the bones. From then on such a
body is like any other: its clips are driven by distance and its feet are planted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

from ....core.motion.quaternions import without_jumps
from ...blender_data import animation, nla_strips
from ...blender_data.fcurves import Channel
from ...figures.rig import edited_bones, make_rig
from .clip_names import ClipKind, read_name

_FEWEST = 3  # objects that a walk moves, of a body that has limbs; chosen
_SAMPLES = 24  # of a clip, at least; chosen
_SHORTEST = 0.01  # bone, in parts of the extent of all objects; chosen
_FACES = [Vector(face) for face in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))]


class JointedParts(NamedTuple):
    """Bones for a body of objects.

    Attributes:
        rig: the armature that moves them, which belongs to the bake.
        clips: what its bones do in the clips of the objects.
    """

    rig: bpy.types.Object
    clips: dict[ClipKind, animation.Clip]


def join_parts(parts: Sequence[bpy.types.Object], names: Sequence[str]) -> JointedParts | None:
    """Give bones to copies of objects whose own clips walk; None where they do not, or have an armature.

    Args:
        parts: the copies; the first carries all others, and is at the world's origin.
        names: of the objects, which their bones bear.
    """
    named = [(part, name) for part, name in zip(parts, names, strict=True) if _hangs_on(part, parts[0])]
    if any(part.type == "ARMATURE" for part in parts) or not walks_by_its_parts([part for part, _ in named]):
        return None
    parts = [part for part, _ in named]
    limbs = parts[1:]
    clips = {kind: _plainest(limbs, kind) for kind in ClipKind}
    at_rest = _placed(parts, {part: part.matrix_basis.copy() for part in limbs})
    data, bone_of = _make_bones(dict(named), at_rest)
    rig = make_rig("Bones", data)
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
    made = {
        kind: _made_clip(rig, bone_of, own, at_rest, is_grounded=kind == ClipKind.WALKS)
        for kind, own in clips.items()
        if own
    }
    rig.parent = parts[0]
    for part in limbs:
        _hang_on_bone(part, rig, bone_of[part], at_rest[part])
    return JointedParts(rig, made)


def walks_by_its_parts(parts: Sequence[bpy.types.Object]) -> bool:
    """Whether objects are a body without an armature whose own clips walk, so that the bake gives it bones.

    Args:
        parts: an object, and all that hang on it.
    """
    if any(part.type == "ARMATURE" for part in parts) or not any(part.type == "MESH" for part in parts):
        return False
    return len(_plainest(parts[1:], ClipKind.WALKS)) >= _FEWEST


def _plainest(limbs: Sequence[bpy.types.Object], kind: ClipKind) -> dict[bpy.types.Object, animation.Clip]:
    """Return the clip of each object whose name says so most plainly, of those that have one of a kind."""
    found = {}
    for part in limbs:
        named = [(read_name(clip.action.name), clip) for clip in nla_strips.played_clips(part.animation_data)]
        own = [(reading.doubt, clip) for reading, clip in named if reading.kind == kind]
        if own:
            found[part] = min(own, key=lambda each: each[0])[1]
    return found


def _placed(
    parts: Sequence[bpy.types.Object], basis: Mapping[bpy.types.Object, Matrix]
) -> dict[bpy.types.Object, Matrix]:
    """Return where objects are in the axes of the first, by their own transforms."""
    found = {parts[0]: Matrix()}
    waiting: list[Any] = list(parts[1:])
    while waiting:
        ready = [part for part in waiting if part.parent in found]
        for part in ready:
            found[part] = found[part.parent] @ part.matrix_parent_inverse @ basis[part]
        waiting = [part for part in waiting if part not in ready]
    return found


def _hangs_on(part: Any, first: bpy.types.Object) -> bool:
    """Whether an object is carried by the first; what only a constraint moves is not."""
    while part is not None and part != first:
        part = part.parent
    return part is not None


def _make_bones(
    names: Mapping[bpy.types.Object, str], at_rest: Mapping[bpy.types.Object, Matrix]
) -> tuple[Any, dict[bpy.types.Object, str]]:
    """Make an armature with a bone for each object, which begins at its origin and ends at the next, or at its end.

    Return it and the names of the bones: from Blender 5.0 on, those of objects may be longer.
    """
    parts: list[Any] = list(names)
    heads = {part: matrix.translation for part, matrix in at_rest.items()}
    ends = {part: _far_end(part, at_rest[part]) for part in parts}
    for part in parts[1:]:
        following = (heads[part] - heads[part.parent]).length
        known = [heads[each] for each in parts if each.parent == part.parent and each != part]
        if all((head - heads[part.parent]).length <= following for head in known):
            ends[part.parent] = heads[part]
    shortest = _SHORTEST * float(np.ptp(np.array([*heads.values(), *ends.values()]), axis=0).max())
    data, bone_of = bpy.data.armatures.new(names[parts[0]]), dict[bpy.types.Object, str]()
    with edited_bones(data) as bones:
        for part in parts:
            bone = bones.new(names[part])
            bone_of[part] = bone.name
            bone.head, bone.tail = heads[part], ends[part]
            if bone.length < shortest:
                bone.tail = heads[part] + Vector((0.0, 0.0, max(shortest, 1e-3)))
        for part in parts[1:]:
            bones[bone_of[part]].parent = bones[bone_of[part.parent]]
    return data, bone_of


def _far_end(part: bpy.types.Object, placed: Matrix) -> Vector:
    """Return the middle of the side of an object that is farthest from its origin, where it is placed."""
    corners = [Vector(corner) for corner in part.bound_box]
    middle, half = (corners[0] + corners[6]) / 2.0, (corners[6] - corners[0]) / 2.0
    sides = [placed @ (middle + face * half) for face in _FACES]
    return max(sides, key=lambda side: (side - placed.translation).length)


def _made_clip(
    rig: bpy.types.Object,
    bone_of: Mapping[bpy.types.Object, str],
    clips: Mapping[bpy.types.Object, animation.Clip],
    at_rest: Mapping[bpy.types.Object, Matrix],
    *,
    is_grounded: bool,
) -> animation.Clip:
    """Return what bones do while objects play their clips; objects without one are at rest.

    Who walks has a foot on the ground at any time: a grounded clip does not leave it, as bouncing figures do.
    """
    spans = [animation.clip_range(clip) for clip in clips.values()]
    first, last = min(first for first, _ in spans), max(last for _, last in spans)
    frames = np.linspace(first, last, max(math.ceil(last - first), _SAMPLES) + 1)
    curves = {part: animation.curves_of(clip) for part, clip in clips.items()}
    parts = list(bone_of)
    moved: dict[str, list[Any]] = {bone: [] for bone in bone_of.values()}
    bones: Any = rig.data.bones
    floor = _lowest(at_rest)
    for frame in frames.tolist():
        seen = _placed(parts, {part: _basis(part, curves.get(part, ()), frame) for part in parts[1:]})
        down = Matrix.Translation((0.0, 0.0, floor - _lowest(seen))) if is_grounded else Matrix()
        placed = {
            bone_of[part]: down @ each @ at_rest[part].inverted_safe() @ bones[bone_of[part]].matrix_local
            for part, each in seen.items()
        }
        for bone in bones:
            carried = {}
            if bone.parent is not None:
                carried = {
                    "parent_matrix": placed[bone.parent.name],
                    "parent_matrix_local": bone.parent.matrix_local,
                }
            own = bone.convert_local_to_pose(placed[bone.name], bone.matrix_local, invert=True, **carried)
            moved[bone.name].append(own.decompose())
    made = animation.new_clip(next(iter(clips.values())).action.name, [], group="Footfall")
    for bone, values in moved.items():
        path = f'pose.bones["{bpy.utils.escape_identifier(bone)}"].'
        places, turns, _ = (np.array(each).T for each in zip(*values, strict=True))
        channels = [
            Channel(f"{path}{key}", axis, frames, each)
            for key, own in (("location", places), ("rotation_quaternion", without_jumps(turns, turns[:, :1])))
            for axis, each in enumerate(own)
        ]
        animation.add_channels(made, channels, group=bone)
    made.action.use_frame_range, made.action.use_cyclic = True, True
    made.action.frame_start, made.action.frame_end = first, last
    return made


def _lowest(placed: Mapping[bpy.types.Object, Matrix]) -> float:
    """Return the lowest height of what is seen of objects."""
    return min(
        (matrix @ Vector(corner)).z
        for part, matrix in placed.items()
        if part.type == "MESH"
        for corner in part.bound_box
    )


def _basis(part: bpy.types.Object, curves: Sequence[bpy.types.FCurve], frame: float) -> Matrix:
    """Return the own transform of an object at a frame of its clip."""
    values: dict[str, Any] = {
        key: list(getattr(part, key)) for key in ("location", "rotation_euler", "rotation_quaternion", "scale")
    }
    for curve in curves:
        if curve.data_path in values:
            values[curve.data_path][curve.array_index] = curve.evaluate(frame)
    if part.rotation_mode == "QUATERNION":
        turn = Quaternion(values["rotation_quaternion"]).normalized()
    elif part.rotation_mode == "AXIS_ANGLE":
        turn = part.matrix_basis.to_quaternion()
    else:
        turn = Euler(values["rotation_euler"], part.rotation_mode).to_quaternion()
    return Matrix.LocRotScale(Vector(values["location"]), turn, Vector(values["scale"]))


def _hang_on_bone(part: bpy.types.Object, rig: bpy.types.Object, name: str, placed: Matrix) -> None:
    """Let an object follow its bone, which is at rest where the object is placed."""
    bones: Any = rig.data.bones
    bone, basis = bones[name], part.matrix_basis.copy()
    nla_strips.take_off(part)
    part.parent, part.parent_type, part.parent_bone = rig, "BONE", name
    at_tail = bone.matrix_local @ Matrix.Translation((0.0, bone.length, 0.0))
    part.matrix_parent_inverse = at_tail.inverted_safe() @ placed @ basis.inverted_safe()
    part.matrix_basis = basis
