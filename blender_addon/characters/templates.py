# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepares a character for copying: local, at the origin, with its clips assigned.

The template is a copy of the user's objects that is in no scene. Its data (meshes, armatures, materials, clips) are the
user's, and all copies share them. Whatever would keep a copy from following its keys is removed here, once: parents
outside the character, and the constraints, drivers and delta transforms of the object that moves all others.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import bpy

from ...core.array_types import Float64
from ...core.geometry.reproducible_math import arctan2, cos_sin, dot, heading_vector
from ...core.motion.blending import Strides
from ..bakes.ownership import untag
from ..blender_data import animation, nla_strips
from ..blender_data.evaluation import hold_still, key_frames_per_frame
from ..blender_data.object_references import Reference, references_in, set_reference
from ..figures.figure import FIGURE_TAG
from .character import Character
from .clip_choice import choose_clips, say_it_slides, say_unplayed, with_clips
from .clips.clip_faults import moves_object
from .clips.clips import Clips, WalkCycle
from .clips.light_rigs import free_rig, use_light_rig
from .legs.find import AnyLeg, KnownLegs
from .legs.observed_clips import ClipObservation
from .legs.rest_in_world import pose_roots_alone
from .placing import (
    ROTATIONS,
    hide_importers_shapes,
    posed_as_it_begins,
    remove_drivers,
    set_to_beginning,
    show_what_is_hidden,
    turn_and_scale,
    world_matrix,
)
from .retargeting.bare_bones import fit_bare_bones
from .retargeting.humanoids import find_humanoid, is_held, legs_of_body
from .retargeting.soles_on_ground import find_legs_on_soles
from .suitability import (
    CHECKS,
    check_meshes,
    judge_size,
    left_behind,
    lost_armatures,
    shared_shape_keys,
    sunk,
    why_it_is_broken,
)
from .vehicles.running_gear import RunningGear, find_running_gear

AUTO = "AUTO"
FORWARD_ANGLES = {"POS_X": 0.0, "POS_Y": math.pi / 2, "NEG_X": math.pi, "NEG_Y": -math.pi / 2}
AXIS_NAMES = {"POS_X": "+X", "POS_Y": "+Y", "NEG_X": "-X", "NEG_Y": "-Y"}


@dataclass(frozen=True)
class TemplateSettings:
    """A crowd's settings for its characters.

    Attributes:
        scene: in which they are baked.
        frames: first and last frame.
        unit: metres per Blender unit.
        forward_axis: direction they face, a key of `FORWARD_ANGLES`, or `AUTO`: the direction of each one's walk.
        stride_length: distance of one cycle of the walk clip [m]; 0: measured.
        scale: factor on their size; None: on the usual height where no mesh shows how large they are, else 1.
        plants_feet: keep feet planted; None: legs are not searched for.
        keys_ik_feet: also plant feet that follow IK controls.
        runs: its people run.
        drives: it is a vehicle, whose wheels turn.
        only_deforms: its rig is reduced to the bones that deform its body.
    """

    scene: bpy.types.Scene
    frames: tuple[int, int]
    unit: float = 1.0
    forward_axis: str = "NEG_Y"
    stride_length: float = 0.0
    scale: float | None = 1.0
    plants_feet: bool | None = None
    keys_ik_feet: bool = True
    runs: bool = False
    drives: bool = False
    only_deforms: bool = False


@dataclass
class Template:
    """Objects to copy, and the data of the character.

    Attributes:
        names: the user's names of the objects.
        parts: the objects; the first moves all others.
        references: between them: (number of the part, reference, number of the other part).
        turn: difference between the first part's rotation about Z and its heading [rad].
        walker: number of the armature that has a walk, or None.
        clips: its clips, or None.
        stride: distance of one cycle of the walk [m].
        run_stride: distance of the run over as many strides [m]; 0: it does not run.
        legs: of the walker.
        known_legs: the same, to be reused while the character is unchanged.
        plants_feet: whether its feet are kept planted.
        gear: what turns on a vehicle.
        height: as it is seen, or as its joints have it [m]; 0: not known.
        scale: factor on its size.
        keyed_tilt: the walk clip rotates the first part itself, so all of its rotation must be keyed.
        notices: sentences for the user.
        watched: what was found by watching it, for all crowds that have it: see `Repertoire`.
    """

    names: list[str]
    parts: list[bpy.types.Object]
    references: list[tuple[int, Reference, int]] = field(default_factory=list)
    turn: float = 0.0
    walker: int | None = None
    clips: Clips | None = None
    stride: float = 0.0
    run_stride: float = 0.0
    legs: Sequence[AnyLeg] = field(default_factory=list)
    known_legs: KnownLegs = field(default_factory=dict)
    plants_feet: bool = False
    gear: RunningGear = field(default_factory=RunningGear)
    height: float = 0.0
    scale: float = 1.0
    keyed_tilt: bool = False
    notices: list[str] = field(default_factory=list)
    watched: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def walk(self) -> WalkCycle | None:
        """Its walk."""
        return self.clips.walk if self.clips is not None else None

    @property
    def idle(self) -> WalkCycle | None:
        """Its clip for standing."""
        return self.clips.idle if self.clips is not None else None

    @property
    def strides(self) -> Strides:
        """Of its clips, in its own size [m]."""
        walk = self.walk
        own = Strides(self.stride or 1.0, self.run_stride, self.idle is not None)
        return own if walk is None else replace(own, passing=walk.passing, steps=2 * walk.strides)

    def copy(self) -> list[bpy.types.Object]:
        """Copy the objects, in the same order, with references to each other."""
        copies: list[bpy.types.Object] = []
        try:
            copies.extend(part.copy() for part in self.parts)  # keeps the copies before an error
            for owner, reference, target in self.references:
                set_reference(copies[owner], reference, copies[target])
        except BaseException:
            bpy.data.batch_remove(copies)
            raise
        return copies

    def copy_to_watch(self) -> list[bpy.types.Object]:
        """Copy the objects to watch them: the first stands at the origin and faces +X, whatever its clips key."""
        copies = self.copy()
        mover = copies[0]
        mover.rotation_euler.z = self.turn
        curves = [curve for clip in self.clips.all for curve in animation.curves_of(clip.clip)] if self.clips else []
        if self.walker == 0 and any(curve.data_path in {"location", *ROTATIONS} for curve in curves):
            hold_still(mover)
        return copies

    @property
    def makes_clips(self) -> bool:
        """Whether it plays adapted copies of clips."""
        return self.clips is not None and any(clip.is_copy for clip in self.clips.all)

    def again(self) -> Template:
        """Return the same template with its own objects, for another crowd, without measuring again."""
        return replace(self, parts=self.copy(), notices=list(self.notices))

    def names_of_copies(self, name: str) -> list[str]:
        """Return the names of the objects of one copy: `name`, and for all but the first also the part's name."""
        return [name, *(f"{name} {each}" for each in self.names[1:])]


def make_template(character: Character, settings: TemplateSettings, known_legs: KnownLegs | None = None) -> Template:
    """Prepare a character for copying; the user's objects are unchanged, and an error leaves nothing behind.

    Args:
        character: the character.
        settings: of its crowd.
        known_legs: of unchanged characters.

    Raises:
        FootfallError: its mesh has invalid coordinates.
    """
    with _whole_or_removed():
        parts = [_local_copy(part) for part in character.parts]
        template = Template([part.name for part in character.parts], parts)
        check_meshes(character.parts)
        for owner, reference, target in _references(character.parts):
            set_reference(parts[owner], reference, parts[target])
        show_what_is_hidden(parts)
        hide_importers_shapes(parts)
        _parent_to_mover(character, template)
        _move_to_origin(character, template, settings)
        pose_roots_alone(parts)
        own = character if settings.drives else with_clips(character, parts, settings.scene)
        template.names += [part.name for part in parts[len(template.names) :]]
        rig = _free_rig(template) if own.walker is None and not settings.drives else None
        own = own if rig is None else with_clips(character, parts, settings.scene)
        if own.walker is not None and own.walk is not None:
            _assign_clips(own, template, settings, rig)
        elif any(part.type == "ARMATURE" for part in parts) and not settings.drives:
            template.notices.append(say_it_slides(character, parts))
        if template.walk is None or template.walk.is_sunk:
            template.notices += sunk(character.parts[0].name, parts[0], settings.unit)
        if settings.drives:
            template.gear = find_running_gear(template.names, parts, -template.turn)
        template.references = _references(parts)
        if settings.only_deforms:
            use_light_rig(template, settings.scene, settings.frames)
        if settings.plants_feet is not None:
            _find_legs(own, template, settings, known_legs or {})
        template.notices += shared_shape_keys(character.parts)
        if character.stride is None:  # not one of the built-in figures
            first, _ = settings.frames
            template.notices += say_unplayed(own, template.walk)
            template.notices += lost_armatures(character.name, character.parts)
            template.notices += left_behind(character.name, character.parts, own.walker)
            height, doubts = judge_size(character.name, parts, scene=settings.scene, frame=first, unit=settings.unit)
            template.height = height or template.height
            template.notices += doubts
    return template


@contextmanager
def _whole_or_removed() -> Generator[None]:
    """Remove the objects, Actions and armatures made meanwhile after an error or an interruption."""
    kinds = bpy.data.objects, bpy.data.actions, bpy.data.armatures
    before = {block.session_uid for kind in kinds for block in kind}
    try:
        yield
    except BaseException:
        bpy.data.batch_remove([block for kind in kinds for block in kind if block.session_uid not in before])
        raise


def _local_copy(part: bpy.types.Object) -> bpy.types.Object:
    """Copy an object into this file, also one that is linked from a library or overridden, as its Action begins."""
    if part.mode == "EDIT":
        part.update_from_editmode()
    copy = part.copy()
    if copy.override_library is not None:
        copy = copy.make_local(clear_liboverride=True)
    untag(copy)
    copy.pop(FIGURE_TAG, None)
    return posed_as_it_begins(copy)


def _references(parts: Sequence[bpy.types.Object]) -> list[tuple[int, Reference, int]]:
    number = {part: each for each, part in enumerate(parts)}
    found = [(number[part], reference) for part in parts for reference in references_in(part)]
    return [(owner, reference, number[reference.target]) for owner, reference in found if reference.target in number]


def _parent_to_mover(character: Character, template: Template) -> None:
    """Parent objects that follow nothing to the object that moves all others, keeping their transforms."""
    mover = template.parts[0]
    inside = set(template.parts)
    for original, part in zip(character.parts[1:], template.parts[1:], strict=True):
        follows = any(each.path.startswith("constraints") and each.target in inside for each in references_in(part))
        if part.parent in inside or follows:
            continue
        part.parent = mover
        part.parent_type = "OBJECT"
        place = world_matrix(character.parts[0]).inverted_safe() @ world_matrix(original)
        part.matrix_parent_inverse = place @ original.matrix_basis.inverted_safe()


def _move_to_origin(character: Character, template: Template, settings: TemplateSettings) -> None:
    """Remove everything that moves the first part, except its own rotation and scale."""
    original, mover = character.parts[0], template.parts[0]
    clip = character.walk if original == character.walker else None
    if clip is None and moves_object(mover.animation_data):
        template.notices.append(f"'{original.name}': its animation is replaced by its path")
    if any(not constraint.mute for constraint in original.constraints):
        template.notices.append(f"'{original.name}': its constraints are left out, because its path moves it")
    if clip is not None:
        template.keyed_tilt = set_to_beginning(mover, clip)
    rotation, scale = turn_and_scale(original, mover)
    nla_strips.take_off(mover)
    if remove_drivers(mover):
        template.notices.append(
            f"'{original.name}': the drivers of its location are left out, because its path moves it"
        )
    mover.constraints.clear()
    mover.parent = None
    mover.rotation_mode = "XYZ"
    mover.rotation_euler = rotation.to_euler("XYZ")
    template.scale = settings.scale or 1.0
    mover.scale = scale * template.scale
    mover.location = mover.delta_location = mover.delta_rotation_euler = (0.0, 0.0, 0.0)
    mover.delta_rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
    mover.delta_scale = (1.0, 1.0, 1.0)
    if settings.scale is None:
        fitted = fit_bare_bones(original.name, template.parts, clip, settings.unit)
        template.height, template.scale = fitted.height, fitted.scale
        mover.rotation_euler, mover.scale = (fitted.turn @ rotation).to_euler("XYZ"), scale * fitted.scale
        template.notices += fitted.notices
    template.turn = mover.rotation_euler.z - FORWARD_ANGLES.get(settings.forward_axis, FORWARD_ANGLES["NEG_Y"])


def _free_rig(template: Template) -> bpy.types.Armature | None:
    """Free a body from the controls that hold its legs, so that clips can move it; returns the new armature."""
    template.references = _references(template.parts)
    for number, part in enumerate(template.parts):
        if part.type == "ARMATURE" and is_held(part, template.parts[0]):
            return free_rig(template, number, may_walk=lambda rig: find_humanoid(rig, rig) is not None)
    return None


def _assign_clips(
    character: Character, template: Template, settings: TemplateSettings, rig: bpy.types.Armature | None
) -> None:
    template.walker = character.parts.index(character.walker)
    walker, mover = template.parts[template.walker], template.parts[0]
    nla_strips.take_off(walker)
    clips, notices = choose_clips(
        character, walker=walker, mover=mover, scene=settings.scene, unit=settings.unit, runs=settings.runs
    )
    _play(template, replace(clips, rig=rig) if rig is not None else clips, settings)
    template.stride = settings.stride_length or clips.walk.stride * settings.unit
    template.run_stride = clips.run_stride / clips.walk.stride * template.stride if clips.run is not None else 0.0
    template.notices += notices
    if getattr(walker.data, "pose_position", "") == "REST":
        template.notices.append(
            f"'{character.name}' is in Rest Position and does not move its limbs: set it to Pose Position"
        )
    if clips.walk.direction is None:
        return
    if settings.forward_axis == AUTO:
        template.turn = mover.rotation_euler.z - _forward_angle(clips.walk)
    else:
        _note_if_sideways(character.name, clips.walk.direction, template, settings)


def _play(template: Template, clips: Clips, settings: TemplateSettings) -> None:
    """Let the walker of a template play clips, unless it does already."""
    if template.walker is not None and clips is not template.clips:
        first, last = (frame * key_frames_per_frame(settings.scene) for frame in settings.frames)
        clips.put_on(template.parts[template.walker], math.floor(first), math.ceil(last))
        template.clips = clips


def _forward_angle(walk: WalkCycle) -> float:
    """Return the angle of the axis nearest to a walk, or of the walk itself when it is between two axes [rad].

    Where feet do not alternate, the direction is a guess.
    """
    assert walk.direction is not None
    angle = float(arctan2(walk.direction[1], walk.direction[0]))
    axis = round(angle / (math.pi / 2)) * math.pi / 2
    return axis if abs(angle - axis) < CHECKS.axis_angle or not walk.alternates else angle


def _find_legs(character: Character, template: Template, settings: TemplateSettings, known: KnownLegs) -> None:
    is_whole = template.clips is not None and not template.clips.walk.lost and not why_it_is_broken(character.parts)
    if template.walker is None or template.clips is None or not template.stride or not is_whole:
        return
    template.plants_feet, copies = bool(settings.plants_feet), template.copy_to_watch()
    try:
        strides = template.stride / settings.unit, template.run_stride / settings.unit
        observation = ClipObservation(copies, template.walker, template.clips, strides, settings.scene)
        wanted = {"plants": template.plants_feet, "keys_ik": settings.keys_ik_feet, "stride": template.stride}
        wanted["named_legs"] = legs_of_body(copies[template.walker], copies[0])
        is_measured = not settings.stride_length and "walk" not in dict(character.own_strides)
        found, share, clips = find_legs_on_soles(observation, known, shortens=is_measured, wanted=wanted)
        _play(template, clips, settings)
        template.stride, template.run_stride = share * template.stride, share * template.run_stride
        template.legs, notices, template.known_legs = found
        template.notices += [f"'{template.names[0]}': {sentence}" for sentence in notices]
    finally:
        bpy.data.batch_remove(copies)


def _note_if_sideways(name: str, direction: Float64, template: Template, settings: TemplateSettings) -> None:
    along = {axis: dot(direction, heading_vector(angle)) for axis, angle in FORWARD_ANGLES.items()}
    if along[settings.forward_axis] < cos_sin(CHECKS.sideways_angle)[0]:
        measured, chosen = max(along, key=along.__getitem__), settings.forward_axis
        template.notices.append(
            f"'{name}' seems to walk towards {AXIS_NAMES[measured]}, but Facing is {AXIS_NAMES[chosen]}: set "
            f"Facing to {AXIS_NAMES[measured]} if people walk backwards or sideways"
        )
