# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduces a rig to the bones that deform its body: controls, constraints and drivers are gone, their motion is sampled.

Blender evaluates every bone, constraint and driver of every copy at every frame, so a rig of hundreds of controls plays
slowly. Its clips are therefore sampled once, and all copies play these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import bpy
import numpy as np
from mathutils import Matrix

from ....core.array_types import Float64
from ....core.motion.quaternions import without_jumps
from ...blender_data import animation, nla_strips
from ...blender_data.bone_keys import bone_in
from ...blender_data.evaluation import evaluation_scene, key_frames_per_frame
from ...blender_data.fcurves import Channel
from ...blender_data.object_references import Reference
from ...blender_data.tags import without_number
from ...figures.rig import edited_bones
from .clips import Clips, WalkCycle

_BONE_NAMES = "parent_bone", "subtarget", "bone_target", "bone_from", "bone_to"
_TRANSFORMS = "location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale"
_REST = {"location": np.zeros(3), "rotation_quaternion": np.array([1.0, 0.0, 0.0, 0.0]), "scale": np.ones(3)}
_LEAST = 1e-4  # smaller turns [rad / 2], scalings and shifts over the length of a bone are left out
_SAME_PLACE = 1e-3  # of the length of a bone
_STRAIGHT = 0.9998476951563913  # the cosine of a degree


class HasClips(Protocol):
    """A template of characters."""

    names: list[str]
    parts: list[bpy.types.Object]
    references: list[tuple[int, Reference, int]]
    walker: int | None
    clips: Clips | None
    notices: list[str]

    def copy_to_watch(self) -> list[bpy.types.Object]:
        """Copy the objects to watch them."""
        ...


class _Poses(NamedTuple):
    """The poses of bones in a clip.

    Attributes:
        frames: float64 (T,), frames of the clip.
        moved: for each bone its transforms from rest, float64 (T, 3 or 4), by the names of their properties.
    """

    frames: Float64
    moved: dict[str, dict[str, Float64]]


def use_light_rig(template: HasClips, scene: bpy.types.Scene, frames: tuple[int, int]) -> None:
    """Give a template an armature of only those bones that deform its body, and clips sampled from the full one.

    A rig that has nothing else is left as it is.

    Args:
        template: of a character, with its clips assigned.
        scene: provides frame rate and units.
        frames: first and last frame that are baked.
    """
    clips = template.clips
    if template.walker is None or clips is None:
        return
    walker, name = template.parts[template.walker], template.names[0]
    full: Any = walker.data
    deforming = [bone.name for bone in full.bones if bone.use_deform]
    if not deforming:
        template.notices.append(f"'{name}' has no deforming bones: its full rig is used")
        return
    kept = _bones_that_stay(template, walker)
    if len(kept) == len(full.bones) and not _is_driven(walker):
        return
    light = _make_light_armature(full, kept)
    copies = template.copy_to_watch()
    try:
        sampled = [_sample(copies, template.walker, each, scene, light) for each in clips.all]
    finally:
        bpy.data.batch_remove(copies)
    _replace_rig(walker, light)
    made = iter(_write(sampled, clips.all, name, walker))
    walk, idle, run = (each and next(made) for each in (clips.walk, clips.idle, clips.run))  # the order of `all`
    template.clips = replace(clips, walk=walk or clips.walk, idle=idle, run=run, rig=light)
    rate = key_frames_per_frame(scene)
    template.clips.put_on(walker, math.floor(frames[0] * rate), math.ceil(frames[1] * rate))
    bpy.data.batch_remove([each.clip.action for each in clips.all if each.is_copy])
    _forget_controls(template, template.walker)
    if any(bone.bbone_segments > 1 for bone in light.bones):
        template.notices.append(
            f"'{name}': the bends of its bendy bones follow their neighbours instead of their controls"
        )


def free_rig(template: HasClips, number: int, *, may_walk: Callable[[bpy.types.Object], bool]) -> Any:
    """Give a character without clips an armature of only those bones that deform its body, which keys can move.

    Args:
        template: of the character.
        number: of its armature among the parts.
        may_walk: whether such an armature is of use; if not, nothing changes.

    Returns:
        The new armature, which belongs to the bake, or None.
    """
    walker = template.parts[number]
    kept = _bones_that_stay(template, walker)
    if not kept:
        return None
    light, trial = _make_light_armature(walker.data, kept), walker.copy()
    _replace_rig(trial, light)
    is_useful = may_walk(trial)
    bpy.data.objects.remove(trial)
    if not is_useful:
        bpy.data.armatures.remove(light)
        return None
    _replace_rig(walker, light)
    _forget_controls(template, number)
    return light


def _bones_that_stay(template: HasClips, walker: bpy.types.Object) -> set[str]:
    """Return the names of the bones that deform a body, and of those that other objects or bends need; or none."""
    data: Any = walker.data
    deforming = [bone.name for bone in data.bones if bone.use_deform]
    return _with_handles(data, {*deforming, *_bones_referred_to(template, walker)}) if deforming else set()


def _forget_controls(template: HasClips, number: int) -> None:
    """Forget what constraints and drivers of an armature referred to."""
    gone = ("pose.", "animation_data.")
    template.references = [
        each for each in template.references if each[0] != number or not each[1].path.startswith(gone)
    ]


def _is_driven(walker: bpy.types.Object) -> bool:
    drivers = walker.animation_data.drivers if walker.animation_data is not None else ()
    return len(drivers) > 0 or any(len(bone.constraints) > 0 for bone in walker.pose.bones)


def _bones_referred_to(template: HasClips, walker: bpy.types.Object) -> Iterator[str]:
    """Yield the names of bones that other objects of the character follow."""
    for owner, reference, target in template.references:
        part = template.parts[owner]
        if template.parts[target] != walker or part == walker:
            continue
        struct: Any = part.path_resolve(reference.path) if reference.path else part
        yield from (name for each in _BONE_NAMES if (name := getattr(struct, each, "")))
        name = bone_in(getattr(struct, "data_path", ""))
        if name is not None:
            yield name


def _with_handles(full: Any, names: set[str]) -> set[str]:
    """Return the bones of these names, and those that give them their bends."""
    found: set[str] = set()
    waiting = [full.bones[name] for name in names if name in full.bones]
    while waiting:
        bone = waiting.pop()
        if bone.name not in found:
            found.add(bone.name)
            ends = (bone.bbone_custom_handle_start, bone.bbone_custom_handle_end)
            waiting += [each for each in ends if each is not None and bone.bbone_segments > 1]
    return found


def _make_light_armature(full: Any, kept: set[str]) -> Any:
    """Copy an armature with only some of its bones, which keep their rest; each hangs on the nearest that is left."""
    carriers = {name: _carrier(full, full.bones[name], kept) for name in kept}
    light = full.copy()
    light.animation_data_clear()
    for key in list(light.keys()):
        del light[key]  # by which an add-on would take it for the full rig
    with edited_bones(light) as bones:
        for name in kept:
            _name_neighbours(bones[name], kept)
        for name, carrier in carriers.items():
            bone = bones[name]
            if (bone.parent.name if bone.parent is not None else None) != carrier:
                bone.use_connect = False
                bone.parent = bones[carrier] if carrier is not None else None
            bone.use_inherit_rotation, bone.use_local_location, bone.inherit_scale = True, True, "NONE"
        for bone in [each for each in bones if each.name not in kept]:
            bones.remove(bone)
    return light


def _name_neighbours(bone: Any, kept: set[str]) -> None:
    """Name the bones between which a bendy bone bends, as it may be parted from them."""
    if bone.bbone_segments < 2:
        return
    after = [each for each in bone.children if each.use_connect and each.name in kept]
    if bone.bbone_handle_type_start == "AUTO" and bone.use_connect and bone.parent.name in kept:
        bone.bbone_handle_type_start, bone.bbone_custom_handle_start = "ABSOLUTE", bone.parent
    if bone.bbone_handle_type_end == "AUTO" and after:
        bone.bbone_handle_type_end, bone.bbone_custom_handle_end = "ABSOLUTE", after[0]


def _carrier(full: Any, bone: Any, kept: set[str]) -> str | None:
    """Return the name of the bone on which one hangs when only some are left.

    That is its nearest ancestor among them, or one that lies where an ancestor does, as rigs have a deforming bone for
    each control. What hangs on a limb in several pieces hangs on the first, so that a leg has one thigh and one shin.
    """
    for ancestor in bone.parent_recursive:
        twins = [ancestor.name] if ancestor.name in kept else _at_place_of(ancestor, full, kept)
        for twin in twins:
            found = full.bones[twin]
            if bone == found or bone in found.parent_recursive:
                continue
            while found.parent is not None and found.parent.name in kept and _is_next_piece(found):
                found = found.parent
            return found.name
    return None


def _at_place_of(bone: Any, full: Any, kept: set[str]) -> list[str]:
    near = _SAME_PLACE * bone.length
    return [
        each.name
        for each in full.bones
        if each.name in kept
        and (each.head_local - bone.head_local).length < near
        and (each.tail_local - bone.tail_local).length < near
    ]


def _is_next_piece(bone: Any) -> bool:
    """Whether a bone goes on in line where its parent ends, and has the same name but for the number."""
    parent = bone.parent
    if without_number(bone.name) != without_number(parent.name):
        return False
    apart = (bone.head_local - parent.tail_local).length
    own, its = (each.matrix_local.to_3x3().col[1] for each in (bone, parent))
    return apart < _SAME_PLACE * bone.length and own.dot(its) > _STRAIGHT


def _replace_rig(walker: bpy.types.Object, light: Any) -> None:
    """Let an armature object have other bones, at rest and moved by nothing."""
    nla_strips.take_off(walker)
    for driver in list(walker.animation_data.drivers) if walker.animation_data is not None else ():
        walker.animation_data.drivers.remove(driver)
    walker.data = light
    for bone in walker.pose.bones:
        for constraint in list(bone.constraints):
            bone.constraints.remove(constraint)
        bone.rotation_mode = "QUATERNION"
        bone.matrix_basis = Matrix()


def _sample(
    copies: Sequence[bpy.types.Object], number: int, cycle: WalkCycle, scene: bpy.types.Scene, light: Any
) -> _Poses:
    """Return the poses that the bones of the light armature need to be where those of the full one are."""
    armature, count = copies[number], max(math.ceil(cycle.length), 1)
    frames = np.linspace(0.0, cycle.length, count + 1)
    nla_strips.take_off(armature)
    nla_strips.play_once(armature, cycle.clip, count, 0.0, cycle.length)
    moved: dict[str, list[tuple[Any, Any, Any]]] = {bone.name: [] for bone in light.bones}
    with evaluation_scene(scene, remapped=False) as evaluation:
        for seen in map(evaluation.watch(copies[0], armature), range(count + 1)):
            pose = seen.pose.bones
            for bone in light.bones:
                moved[bone.name].append(_from_rest(bone, pose).decompose())
    return _Poses(
        frames,
        {
            name: {key: np.array(values) for key, values in zip(_REST, zip(*each, strict=True), strict=True)}
            for name, each in moved.items()
        },
    )


def _from_rest(bone: Any, pose: Any) -> Matrix:
    """Return the transform from rest of a bone of the light armature, for a pose of the full one."""
    parent = bone.parent
    carried = (
        {}
        if parent is None
        else {"parent_matrix": pose[parent.name].matrix, "parent_matrix_local": parent.matrix_local}
    )
    return bone.convert_local_to_pose(pose[bone.name].matrix, bone.matrix_local, invert=True, **carried)


def _write(
    sampled: Sequence[_Poses], cycles: Sequence[WalkCycle], name: str, walker: bpy.types.Object
) -> Iterator[WalkCycle]:
    """Write the sampled clips: each bone that any of them moves is keyed in all, so that they can be blended."""
    data: Any = walker.data
    keyed = [
        (bone.name, key)
        for bone in data.bones
        for key, rest in _REST.items()
        if any(_differs(each.moved[bone.name][key], rest, bone, key) for each in sampled)
    ]
    for poses, cycle in zip(sampled, cycles, strict=True):
        clip = animation.new_clip(f"{name} {cycle.name}", [], group="Footfall")
        for bone, key in keyed:
            values = poses.moved[bone][key]
            if key == "rotation_quaternion":
                values = without_jumps(values.T, sampled[0].moved[bone][key][:1].T).T  # blended with the other clips
            path = f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{key}'
            channels = [Channel(path, axis, poses.frames, each) for axis, each in enumerate(values.T)]
            animation.add_channels(clip, channels, group=bone)
        animation.add_channels(clip, _other_channels(cycle.clip, poses.frames, walker), group="Footfall")
        clip.action.use_frame_range, clip.action.use_cyclic = True, True
        clip.action.frame_start, clip.action.frame_end = 0.0, cycle.length
        yield replace(cycle, clip=clip, is_copy=True, feet=None)


def _differs(values: Float64, rest: Float64, bone: Any, key: str) -> bool:
    if key == "location":
        return not bone.use_connect and float(np.abs(values).max()) > _LEAST * bone.length
    if key == "rotation_quaternion":
        return float(np.abs(values[:, 1:]).max()) > _LEAST
    return float(np.abs(values - rest).max()) > _LEAST


def _other_channels(clip: animation.Clip, frames: Float64, walker: bpy.types.Object) -> Iterator[Channel]:
    """Yield what else a clip moves: the object itself, and properties of bones that are left."""
    for curve in animation.curves_of(clip):
        path: str = curve.data_path
        if bone_in(path) is not None and path.rpartition(".")[2] in _TRANSFORMS:
            continue
        try:
            walker.path_resolve(path)
        except ValueError:
            continue
        yield Channel(path, curve.array_index, frames, [curve.evaluate(frame) for frame in frames.tolist()])
