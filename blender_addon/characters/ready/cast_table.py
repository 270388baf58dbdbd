# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the rows of the cast table: what a bake found of each character, or would find, and what is impossible."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import bpy

from ....core.errors import FootfallError
from ....core.motion.acting.cues import activity_of
from ....core.wording import as_sentence
from ...blender_data import animation
from ...blender_data.evaluation import metres_per_unit
from ...figures.motion.repertoire import ACTS
from ...settings.cast_rows import ACT_ROLES, CLIP_ROLES, GAIT_ROLES, is_locked, noting
from ..acts.own_acts import own_acts
from ..character import Character
from ..choice import KnownTemplates, choose_characters
from ..clips.act_names import name_of_variant
from ..clips.clips import WalkCycle
from ..clips.shin_ends import keep_shin_ends
from ..clips.walk_cycles import CLIP_SETTINGS
from ..retargeting.foreign_clips import RETARGETED_PROPERTY
from ..retargeting.humanoids import find_humanoid
from ..suitability import is_unlikely, why_it_is_broken
from ..templates import AXIS_NAMES, FORWARD_ANGLES, Template, TemplateSettings, make_template
from .body_width import half_width_of
from .known_as import known_as
from .portraits import draw_portrait
from .variety import find_variety

_OURS = {activity_of(act) or act for act in ACTS}  # who has no clip of turning turns in small steps


@dataclass(frozen=True)
class CastLimits:
    """What no character does.

    Attributes:
        same_axis: a direction this close to an axis is named after it [rad]; chosen.
    """

    same_axis: float = math.radians(1.0)


CAST_LIMITS = CastLimits()


@dataclass(frozen=True, eq=False)
class SeenClip:
    """What was found for one role.

    Attributes:
        action: the user's; None: none, or one that a bake makes.
        is_made: a bake makes it.
        frames: length of a cycle.
        stride: of a cycle [m].
        problem: what is wrong, with the way out.
        retargeted: name of the user's clip of another skeleton that a bake adapts; empty: none.
    """

    action: Any = None
    is_made: bool = False
    frames: float = 0.0
    stride: float = 0.0
    problem: str = ""
    retargeted: str = ""


@dataclass(frozen=True, eq=False)
class CastEntry:
    """What was found of one character.

    Attributes:
        mover: the object that moves it.
        armature: that walks, or None.
        height: [m].
        scale: factor on its size that made it so tall.
        facing: the axis, or an angle.
        clips: by the names of the roles.
        problem: what is wrong with it as a whole.
        looks: what may differ between people who have it.
        portrait: see `draw_portrait`; empty: not drawn.
        half_width: of its body while it walks [m]; 0: not known.
        known_as: whom its name means where it says nothing; empty: its name.
    """

    mover: bpy.types.Object
    armature: bpy.types.Object | None = None
    height: float = 0.0
    scale: float = 1.0
    facing: str = ""
    clips: dict[str, SeenClip] = field(default_factory=dict)
    problem: str = ""
    looks: str = ""
    portrait: str = ""
    half_width: float = 0.0
    known_as: str = ""


def read_entry(character: Character, template: Template, scene: bpy.types.Scene, unit: float) -> CastEntry:
    """Read what was found of a character that was made ready.

    Args:
        character: the character, the user's own.
        template: made of it.
        scene: provides frame rate and units.
        unit: metres per Blender unit.
    """
    own = dict(enumerate(character.parts))  # a body of objects has its bones from the bake
    walker = own.get(template.walker) if template.walker is not None else None
    armature = walker or next((part for part in character.parts if part.type == "ARMATURE"), None)
    angle = template.parts[0].rotation_euler.z - template.turn
    looks, known = str(find_variety(character.parts)), known_as(template.names, template.parts)
    size, facing = (template.height, template.scale), _direction(angle)
    entry = CastEntry(character.parts[0], armature, *size, facing, looks=looks, known_as=known)
    if template.clips is None:
        return replace(entry, problem=_why_it_slides(armature))
    height = template.height or (template.clips.walk.height * unit)
    own, doubts = dict(character.own_strides), dict(character.doubts)
    clips = {}
    for role in GAIT_ROLES:
        cycle: WalkCycle | None = getattr(template.clips, role.name, None)
        doubt = doubts.get(role.name, "")
        if cycle is None:
            clips[role.name] = SeenClip(problem=as_sentence(doubt))
            continue
        stride = cycle.stride * unit if role.travels else 0.0
        if role.name == "walk":
            stride = template.stride
        problem = doubt or (_doubt(cycle, stride, height, is_own=role.name in own) if role.travels else "")
        action = cycle.source.action if cycle.source is not None else None
        adapted = "" if action is not None else str(cycle.clip.action.get(RETARGETED_PROPERTY, ""))
        clips[role.name] = SeenClip(action, action is None, cycle.length, stride, as_sentence(problem), adapted)
    if walker is not None:
        clips |= _acts(character, template, walker)
    broken = as_sentence(why_it_is_broken(character.parts))
    problem = broken or _why_rest(armature) or _why_its_size(template.height)
    half_width = half_width_of(template, scene) * unit
    return replace(entry, clips=clips, problem=problem, half_width=half_width)


def _acts(character: Character, template: Template, walker: bpy.types.Object) -> dict[str, SeenClip]:
    """What was found for what a character does besides walking."""
    assert template.walker is not None
    body = find_humanoid(template.parts[template.walker], template.parts[0])
    found, chosen = own_acts(walker, character.acts, body), dict(character.acts)
    doubts = dict(character.doubts)
    clips = {}
    for role in ACT_ROLES:
        own, problem = found.get(name_of_variant(role.name, 1)), as_sentence(doubts.get(role.name, ""))
        if own is not None:
            first, last = animation.clip_range(own)
            clips[role.name] = SeenClip(own.action, frames=last - first, problem=problem)
        else:
            is_made = body is not None and role.name in _OURS and role.name not in chosen
            clips[role.name] = SeenClip(is_made=is_made, problem=problem)
    return clips


def _why_it_slides(armature: bpy.types.Object | None) -> str:
    if armature is None:
        return ""  # a plain object slides, as it should
    if not len(armature.pose.bones):
        return f"The armature '{armature.name}' has no bones: it slides along; choose one with bones"
    return "No walk was found: it slides along as it stands; choose its walk below, or import a file that has one"


def _why_its_size(height: float) -> str:
    if not is_unlikely(height):
        return ""
    return f"It is {height:.3g} m tall. If it is a person, type its Height"


def _why_rest(armature: bpy.types.Object | None) -> str:
    at_rest = armature is not None and getattr(armature.data, "pose_position", "") == "REST"
    return "It is in Rest Position and does not move: set the armature to Pose Position" if at_rest else ""


def _doubt(cycle: WalkCycle, stride: float, height: float, *, is_own: bool) -> str:
    longest = CLIP_SETTINGS.longest_stride * height * cycle.strides
    if cycle.lost:
        return (
            f"bone '{cycle.lost}' has a position that is not a number in '{cycle.name}': correct its keys, its rest "
            "position or its scale"
        )
    if not cycle.moves:
        return f"'{cycle.name}' is a single pose without motion: choose a walk"
    if height and stride > longest:
        return (
            f"a stride of {stride:.3g} m is {stride / height / cycle.strides:.0f} times the height; sprinters "
            f"reach {CLIP_SETTINGS.longest_stride:g}: type a smaller one, or choose another clip"
        )
    if not cycle.steps and not is_own:
        return f"no foot stands in '{cycle.name}', so its stride is a guess: choose another clip, or type its stride"
    return ""


def _direction(angle: float) -> str:
    for axis, its in FORWARD_ANGLES.items():
        if abs(math.remainder(angle - its, math.tau)) < CAST_LIMITS.same_axis:
            return AXIS_NAMES[axis]
    return f"{math.degrees(math.remainder(angle, math.tau)):.0f}\N{DEGREE SIGN}"


def look_at_cast(crowd: Any, scene: bpy.types.Scene) -> list[CastEntry]:
    """Find out what a bake of a crowd would find of each of its characters; nothing of it stays in the file.

    Raises:
        FootfallError: it has no characters that can be copied.
    """
    unit = metres_per_unit(scene)
    frames = scene.frame_start, scene.frame_end
    entries = []
    for character, settings in choose_characters(crowd, KnownTemplates(), scene=scene, frames=frames, unit=unit):
        try:
            with made_ready(character, settings) as template:
                angle = template.parts[0].rotation_euler.z - template.turn
                portrait = draw_portrait(template.parts, angle, scene, scene.frame_start)
                entries.append(replace(read_entry(character, template, scene, unit), portrait=portrait))
        except FootfallError as error:
            entries.append(CastEntry(character.parts[0], character.walker, problem=as_sentence(str(error))))
    return entries


@contextmanager
def made_ready(character: Character, settings: TemplateSettings) -> Generator[Template]:
    """Provide a character made ready, and remove it afterwards with the clips that were made for it."""
    with keep_shin_ends():
        template = make_template(character, settings)
    try:
        yield template
    finally:
        clips = template.clips.all if template.clips is not None else []
        rig = template.clips.rig if template.clips is not None else None
        made = [*(clip.clip.action for clip in clips if clip.is_copy), *([rig] if rig is not None else [])]
        bpy.data.batch_remove([*template.parts, *made])


def note_cast(scene: bpy.types.Scene, entries: Iterable[CastEntry]) -> None:
    """Write what was found into the cast table; what the user has chosen stays."""
    table: Any = scene.footfall.cast  # ty: ignore[missing-attribute]
    with noting():
        for entry in entries:
            row = next((row for row in table if row.mover == entry.mover), None) or table.add()
            row.mover, row.name, row.armature = entry.mover, entry.mover.name, entry.armature
            row.seen_facing, row.problem = entry.facing, entry.problem
            row.natural_height, row.seen_scale = entry.height / entry.scale, entry.scale
            row.natural_half_width = entry.half_width / entry.scale
            row.looks, row.known_as = entry.looks, entry.known_as
            row.portrait = entry.portrait or row.portrait
            for role in CLIP_ROLES:
                _note_clip(getattr(row, role.name), entry.clips.get(role.name, SeenClip()))
        for index in reversed(range(len(table))):
            mover = table[index].mover
            if mover is None or (not mover.users_collection and not is_locked(table[index])):
                table.remove(index)


def _note_clip(row: Any, seen: SeenClip) -> None:
    row.problem = seen.problem
    if not row.locked:
        row.clip, row.has_own_stride, row.clip_name = seen.action, False, ""
    elif row.clip is not None:
        row.clip_name = row.clip.name
    played = row.clip == seen.action or (row.clip is not None and row.clip.name == seen.retargeted)
    row.is_made = seen.is_made and row.clip is None
    row.retargeted = seen.retargeted if row.is_made else ""
    row.frames = seen.frames if played else 0.0
    if not row.has_own_stride:
        row.stride = seen.stride if played else 0.0


def characters_in_table(scene: bpy.types.Scene, crowd: Any) -> list[int]:
    """Return the numbers of the rows that belong to a crowd."""
    table: Any = scene.footfall.cast  # ty: ignore[missing-attribute]
    inside = set(crowd.characters.all_objects) if crowd is not None and crowd.characters is not None else set()
    return [number for number, row in enumerate(table) if row.mover in inside]
