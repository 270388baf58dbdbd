# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the characters of a collection: the objects that are copied together, and their clips.

Every child collection is one character, and so is every object of the collection itself, with its children and the
meshes that its armature deforms. One object of a character moves all others: its armature (of several the one with a
walk, or the most bones) or the topmost parent of that, else the largest object without a parent.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import bpy
import numpy as np
from mathutils import Vector

from ...core.errors import FootfallError
from ..blender_data import animation
from ..blender_data.object_references import carriers_of
from ..blender_data.tags import TAG
from .clips.clip_names import ClipKind, read_name
from .clips.clip_search import FoundClips, find_brought_clips, find_clips
from .legs.bone_legs import RestPose, leg_bones
from .retargeting.humanoids import recognised_parts
from .suitability import check_is_there

WEIGHT = "weight"
"""Custom property of a character's child collection, or of the object that moves it: its relative frequency."""

_HELPERS = {"CAMERA", "LATTICE", "LIGHT", "LIGHT_PROBE", "SPEAKER"}


@dataclass(frozen=True)
class Character:
    """One character, as the user made it.

    Attributes:
        name: for messages.
        parts: its objects; the first moves all others.
        walker: the armature that a walk clip moves, or None.
        walk: that clip, or None.
        stride: distance of one cycle of the clip [m] where it is known; None: to be measured.
        idle: the clip for standing, or None.
        run: the clip for running, or None.
        run_stride: as `stride`, of the run.
        run_ahead: phase of the run that corresponds to the start of the walk [strides]; None: to be found.
        others: other clips that may be its walk, or whose names do not say what they are.
        brought: clips of other skeletons that the user brought, of the kinds that it lacks; plain names first.
        made: those of its clips that were made for the bake.
        walks_as: why its walk is not its own, for the user; empty where it is.
        chosen: names of the roles whose clips the user has chosen.
        acts: role and clip of what it does besides walking, as the user has chosen; None: nothing is played.
        own_strides: role and length [m] of strides that the user has typed.
        facing: direction in which the user says it faces; None: as its crowd.
        scale: factor on its size that follows from the height that the user has typed; None: none is typed.
        doubts: role and sentence about choices that cannot be used.
        weight: relative frequency among the characters; None: the user's value is not valid.
    """

    name: str
    parts: tuple[bpy.types.Object, ...]
    walker: bpy.types.Object | None = None
    walk: animation.Clip | None = None
    stride: float | None = None
    idle: animation.Clip | None = None
    run: animation.Clip | None = None
    run_stride: float | None = None
    run_ahead: float | None = None
    others: tuple[animation.Clip, ...] = ()
    brought: tuple[animation.Clip, ...] = ()
    made: tuple[animation.Clip, ...] = ()
    walks_as: str = ""
    chosen: tuple[str, ...] = ()
    acts: tuple[tuple[str, animation.Clip | None], ...] = ()
    own_strides: tuple[tuple[str, float], ...] = ()
    facing: str | None = None
    scale: float | None = None
    doubts: tuple[tuple[str, str], ...] = ()
    weight: float | None = 1.0


def find_characters(collection: bpy.types.Collection) -> list[Character]:
    """Find the characters of a collection, in the order of their names; helpers count where there is nothing else.

    Raises:
        FootfallError: there are none, a linked library is missing, or the collection was made by a bake.
    """
    check_is_there([collection, *collection.all_objects])
    if TAG in collection:
        raise FootfallError(
            f"The collection '{collection.name}' was made by a bake: choose one that contains the characters to copy"
        )
    groups = _with_what_is_worn(_groups(collection), collection)
    found = [_character(group) for group in [group for group in groups if any(map(_is_body, group))] or groups]
    characters = [replace(each, weight=_weight(each, collection)) for each in found]
    if not characters:
        raise FootfallError(
            f"The collection '{collection.name}' contains no characters (were they deleted?): add objects to it, or "
            "choose no collection under Who to use the built-in people"
        )
    return sorted(characters, key=lambda character: character.name)


def _is_body(part: bpy.types.Object) -> bool:
    """Whether an object is more than a helper, as importers leave them beside a body: cameras, lights, empties."""
    shows = part.instance_type == "COLLECTION" or part.empty_display_type == "IMAGE"
    return part.type not in _HELPERS and (part.type != "EMPTY" or shows)


def _groups(collection: bpy.types.Collection) -> list[list[bpy.types.Object]]:
    """Group the objects of a collection, and those that follow them, into characters."""
    inside = _with_children(set(collection.all_objects) - _bone_shapes(collection.all_objects))
    carriers = {each: _carriers(each, inside) for each in inside}
    joined = {each: each for each in inside}  # union-find: each refers to the representative of its group
    for each in inside:
        for carrier in carriers[each]:
            joined[_representative(each, joined)] = _representative(carrier, joined)
    for child in collection.children:
        members = [each for each in child.all_objects if each in inside]
        if any(not carriers[each] for each in members):  # else all follow objects outside the child collection
            for each in members:
                joined[_representative(each, joined)] = _representative(members[0], joined)
    groups = defaultdict(list)
    for each in sorted(inside, key=lambda member: member.name):
        groups[_representative(each, joined)].append(each)
    return list(groups.values())


def _with_what_is_worn(
    groups: list[list[bpy.types.Object]], collection: bpy.types.Collection
) -> list[list[bpy.types.Object]]:
    """Add to each body with legs the armatures without legs that stand where it does: a hat, a face; not their own.

    What is sorted into a child collection, or has a weight, is the user's own choice and stays as it is.
    """
    rigs = [[part for part in group if part.type == "ARMATURE"] for group in groups]
    if sum(map(bool, rigs)) <= 1:
        return groups
    direct = set(collection.objects)
    free = [
        bool(own) and direct.issuperset(own) and not any(WEIGHT in part for part in group)
        for own, group in zip(rigs, groups, strict=True)
    ]
    legged = [number for number, own in enumerate(rigs) if free[number] and any(map(_has_legs, own))]
    found = {number: list(group) for number, group in enumerate(groups)}
    for number, own in enumerate(rigs):
        if number in legged or not free[number] or not all(map(_may_be_worn, own)):
            continue
        wearer = next((each for each in legged if _stands_in(own[0], groups[each])), None)
        if wearer is not None:
            found[wearer] += found.pop(number)
    return list(found.values())


def _may_be_worn(rig: bpy.types.Object) -> bool:
    return len(rig.pose.bones) > 0 and find_clips(rig).walk is None


def _has_legs(rig: bpy.types.Object) -> bool:
    return bool(leg_bones(rig, RestPose.of(rig, _root(rig, set(bpy.data.objects))))) or bool(
        {"foot_l", "foot_r"} & set(recognised_parts(rig))
    )


def _stands_in(rig: bpy.types.Object, body: Iterable[bpy.types.Object]) -> bool:
    """Whether the middle of an armature is over the ground that a body covers."""
    points = np.array([(part.matrix_world @ Vector(corner))[:2] for part in body for corner in part.bound_box])
    middle = np.mean([(rig.matrix_world @ Vector(corner))[:2] for corner in rig.bound_box], axis=0)
    return bool(((points.min(axis=0) <= middle) & (middle <= points.max(axis=0))).all())


def _representative(member: bpy.types.Object, joined: dict[bpy.types.Object, bpy.types.Object]) -> bpy.types.Object:
    while joined[member] != member:
        member = joined[member]
    return member


def _with_children(objects: set[bpy.types.Object]) -> set[bpy.types.Object]:
    children = defaultdict(list)
    for each in bpy.data.objects:
        if each.parent is not None:
            children[each.parent].append(each)
    found, waiting = set(objects), list(objects)
    while waiting:
        new = [child for child in children[waiting.pop()] if child not in found]
        found.update(new)
        waiting.extend(new)
    return found


def _bone_shapes(objects: Iterable[bpy.types.Object]) -> set[bpy.types.Object]:
    """Return the objects that armatures use only as bone shapes."""
    rigs = [each for each in objects if each.pose is not None]
    return {bone.custom_shape for rig in rigs for bone in rig.pose.bones if bone.custom_shape is not None}


def _carriers(member: bpy.types.Object, inside: set[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the objects inside that an object follows."""
    return [each for each in carriers_of(member) if each in inside and each != member]


def _character(parts: list[bpy.types.Object]) -> Character:
    armatures = sorted((part for part in parts if part.type == "ARMATURE"), key=lambda part: -len(part.pose.bones))
    clips = {part: find_clips(part) for part in armatures}
    body = max(
        (part for part in armatures if clips[part] != FoundClips()), key=lambda part: clips[part].rank, default=None
    )
    mover = _mover(parts, body or next(iter(armatures), None))
    ordered = (mover, *(part for part in parts if part != mover))
    if body is None:
        brought = find_brought_clips(armatures[0], ClipKind) if armatures else ()
        return Character(mover.name, ordered, brought=brought)
    found = clips[body]
    candidates = [clip for clip in (found.walk, *found.others, found.run, found.idle) if clip is not None]
    walk = candidates[0]
    idle, run = (clip if clip != walk else None for clip in (found.idle, found.run))
    is_whole = found.walk is not None and idle is not None and run is not None
    others = () if is_whole else tuple(clip for clip in found.others if clip != walk)
    may_have_all = any(not read_name(clip.action.name).doubt for clip in others)
    lacking = [kind for kind, clip in ((ClipKind.STANDS, idle), (ClipKind.RUNS, run)) if clip is None]
    brought = find_brought_clips(body, [] if may_have_all else lacking)
    return Character(mover.name, ordered, body, walk, idle=idle, run=run, others=others, brought=brought)


def _weight(character: Character, collection: bpy.types.Collection) -> float | None:
    mover = character.parts[0]
    own = [child for child in collection.children if mover in child.all_objects[:]]
    given = next((block[WEIGHT] for block in (mover, *own) if WEIGHT in block), 1.0)
    return float(given) if isinstance(given, (int, float)) and math.isfinite(given) and given >= 0.0 else None


def _mover(parts: list[bpy.types.Object], armature: bpy.types.Object | None) -> bpy.types.Object:
    inside = set(parts)
    if armature is not None:
        return _root(armature, inside)
    roots = [part for part in parts if part.parent not in inside]
    return max(roots, key=_diagonal)


def _root(member: bpy.types.Object, inside: set[bpy.types.Object]) -> bpy.types.Object:
    while member.parent in inside:
        member = member.parent
    return member


def _diagonal(member: bpy.types.Object) -> float:
    corners = [member.matrix_world @ Vector(corner) for corner in member.bound_box]
    return (corners[6] - corners[0]).length
