# SPDX-License-Identifier: GPL-3.0-or-later
"""A character made ready to be copied: local, clean, standing at the origin, with its walk put on.

The template is a copy of the user's objects that is in no scene. Its data (meshes, armatures, materials, the clip) are
the user's own, and all copies share them. What would keep a copy from following its keys is taken off here, once:
parents outside the character, and the constraints, drivers and deltas of the object that moves all others.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ..bakes.ownership import untag
from ..blender_data import animation, nla_strips
from ..blender_data.object_references import Reference, point, references_in
from ..figures.figure import FIGURE_TAG
from . import walk_cycles
from .character import Character
from .clip_choice import choose_clips
from .legs.find import KnownLegs, find_or_recall_legs
from .legs.ik_legs import AnyLeg
from .legs.observed_clips import Rehearsal
from .suitability import check_meshes, doubts
from .wheels import DrivenWheel, find_wheels

AUTO = "AUTO"
FORWARD_ANGLES = {"POS_X": 0.0, "POS_Y": math.pi / 2, "NEG_X": math.pi, "NEG_Y": -math.pi / 2}
_AXIS_NAMES = {"POS_X": "+X", "POS_Y": "+Y", "NEG_X": "-X", "NEG_Y": "-Y"}
_PLACING = ("location", "rotation_", "delta_location", "delta_rotation_")
_ROTATIONS = ("rotation_euler", "rotation_quaternion", "rotation_axis_angle")
_ALONG_AXIS = math.radians(25.0)  # a walk that goes so nearly along an axis is meant to
_MOST_SIDEWAYS = math.cos(math.radians(60.0))
_MOST_BELOW_ORIGIN = 0.1  # of the height


@dataclass(frozen=True)
class TemplateSettings:
    """What a crowd says about its characters.

    Attributes:
        scene: where they are baked.
        frames: first and last frame.
        unit: metres per Blender unit.
        forward_axis: which way they look, a key of `FORWARD_ANGLES`, or `AUTO`: each the way that its walk goes.
        stride_length: way of one run of the walk clip [m]; 0: measured.
        scale: factor on their size.
        plants_feet: keep planted feet where they stand; None: their legs are of no interest.
        keys_ik_feet: do so by the controls that inverse kinematics follows, where there are such.
        drives: it is a vehicle, whose wheels turn.
    """

    scene: bpy.types.Scene
    frames: tuple[int, int]
    unit: float = 1.0
    forward_axis: str = "NEG_Y"
    stride_length: float = 0.0
    scale: float = 1.0
    plants_feet: bool | None = None
    keys_ik_feet: bool = True
    drives: bool = False


@dataclass
class Template:
    """Objects to copy, and what to know about them.

    Attributes:
        names: what the user calls the objects.
        parts: the objects; the first moves all others.
        references: where they speak of each other: (number of the part, place, number of the other part).
        turn: what to add to a heading to get the first part's rotation about Z [rad].
        walker: number of the armature that has a walk, or None.
        clips: what it plays, or None.
        stride: way of one run of the walk [m].
        run_stride: way of the run over as many strides [m]; 0: it does not run.
        legs: of the walker.
        known_legs: these, to be recalled as long as the character is as it is.
        plants_feet: whether its planted feet are kept where they stand.
        wheels: of a vehicle.
        keyed_tilt: the walk's clip turns the first part itself, so all of its rotation must be keyed.
        notices: sentences for the user.
    """

    names: list[str]
    parts: list[bpy.types.Object]
    references: list[tuple[int, Reference, int]] = field(default_factory=list)
    turn: float = 0.0
    walker: int | None = None
    clips: walk_cycles.Clips | None = None
    stride: float = 0.0
    run_stride: float = 0.0
    legs: Sequence[AnyLeg] = field(default_factory=list)
    known_legs: KnownLegs = field(default_factory=dict)
    plants_feet: bool = False
    wheels: list[DrivenWheel] = field(default_factory=list)
    keyed_tilt: bool = False
    notices: list[str] = field(default_factory=list)

    @property
    def walk(self) -> walk_cycles.WalkCycle | None:
        """How it walks."""
        return self.clips.walk if self.clips is not None else None

    @property
    def idle(self) -> walk_cycles.WalkCycle | None:
        """How it stands."""
        return self.clips.idle if self.clips is not None else None

    def copy(self) -> list[bpy.types.Object]:
        """Objects like the template's, in the same order, that speak of each other."""
        copies: list[bpy.types.Object] = []
        try:
            copies.extend(part.copy() for part in self.parts)  # those before one that fails are in the list
            for owner, reference, target in self.references:
                point(copies[owner], reference, copies[target])
        except BaseException:
            bpy.data.batch_remove(copies)
            raise
        return copies

    @property
    def makes_clips(self) -> bool:
        """Whether it plays clips that were made for it."""
        return self.clips is not None and any(clip.is_copy for clip in self.clips.all)

    def again(self) -> Template:
        """A template like this with objects of its own, for another crowd: nothing has to be measured again."""
        return replace(self, parts=self.copy(), notices=list(self.notices))

    def names_of_copies(self, name: str) -> list[str]:
        """What the objects of one copy are called: `name`, and for all but the first what each of them is."""
        return [name, *(f"{name} {each}" for each in self.names[1:])]


def make_template(character: Character, settings: TemplateSettings, known_legs: KnownLegs | None = None) -> Template:
    """Make a character ready to be copied; the user's objects stay as they are, and nothing is left of what fails.

    Args:
        character: which one.
        settings: what its crowd says about it.
        known_legs: of characters as they are still.

    Raises:
        FootfallError: its mesh is broken.
    """
    with _whole_or_removed():
        parts = [_local_copy(part) for part in character.parts]
        template = Template([part.name for part in character.parts], parts)
        check_meshes(character.parts)
        for owner, reference, target in _references(character.parts):
            point(parts[owner], reference, parts[target])
        _show(parts)
        _hang_on_mover(character, template)
        _stand_at_origin(character, template, settings)
        if character.walker is not None and character.walk is not None:
            _put_on_clips(character, template, settings)
        elif any(part.type == "ARMATURE" for part in parts) and not settings.drives:
            template.notices.append(f"'{character.name}' has no walk clip: it slides along in its current pose")
        if settings.drives:
            template.wheels = find_wheels(template.names, parts, -template.turn)
        template.references = _references(parts)
        if settings.plants_feet is not None:
            _find_legs(template, settings, known_legs or {})
        template.notices += _say_what_is_shared(character)
        if character.stride is None:  # not one of the built-in figures
            first, _ = settings.frames
            template.notices += doubts(character.name, parts, scene=settings.scene, frame=first, unit=settings.unit)
    return template


@contextmanager
def _whole_or_removed() -> Generator[None]:
    """Remove the objects and Actions that were made meanwhile when something fails, or is broken off."""
    kinds = bpy.data.objects, bpy.data.actions
    before = {block.session_uid for kind in kinds for block in kind}
    try:
        yield
    except BaseException:
        bpy.data.batch_remove([block for kind in kinds for block in kind if block.session_uid not in before])
        raise


def _local_copy(part: bpy.types.Object) -> bpy.types.Object:
    """A copy in this file, also of an object that is linked from a library or overridden."""
    if part.mode == "EDIT":
        part.update_from_editmode()
    copy = part.copy()
    if copy.override_library is not None:
        copy = copy.make_local(clear_liboverride=True)
    untag(copy)
    copy.pop(FIGURE_TAG, None)
    return copy


def _references(parts: Sequence[bpy.types.Object]) -> list[tuple[int, Reference, int]]:
    number = {part: each for each, part in enumerate(parts)}
    found = [(number[part], reference) for part in parts for reference in references_in(part)]
    return [(owner, reference, number[reference.target]) for owner, reference in found if reference.target in number]


def _say_what_is_shared(character: Character) -> list[str]:
    """Name the meshes whose shape keys follow an object of the character: the copies share them with the original."""
    found = []
    for part in character.parts:
        keys = getattr(part.data, "shape_keys", None)
        drivers = keys.animation_data.drivers if keys is not None and keys.animation_data is not None else ()
        variables = [variable for curve in drivers for variable in curve.driver.variables]
        if any(target.id in character.parts for variable in variables for target in variable.targets):
            found.append(f"'{part.name}': its shape keys are driven by the original, and all copies share them")
    return found


def _show(parts: list[bpy.types.Object]) -> None:
    """Show a character whose visible parts are all hidden, as originals often are; else keep what hides some parts."""
    visible = [part for part in parts if part.type not in {"ARMATURE", "EMPTY"} or part.instance_type == "COLLECTION"]
    for hidden in ("hide_viewport", "hide_render"):
        if all(getattr(part, hidden) for part in visible or parts):
            for part in parts:
                setattr(part, hidden, False)


def _world_matrix(original: bpy.types.Object) -> Matrix:
    """Where an object stands; without a parent not as last evaluated, which it may never have been."""
    return original.matrix_world if original.parent is not None else original.matrix_basis


def _hang_on_mover(character: Character, template: Template) -> None:
    """Parent what hangs on nothing to the object that moves all others, where it stands."""
    mover = template.parts[0]
    inside = set(template.parts)
    for original, part in zip(character.parts[1:], template.parts[1:], strict=True):
        follows = any(each.path.startswith("constraints") and each.target in inside for each in references_in(part))
        if part.parent in inside or follows:
            continue
        part.parent = mover
        part.parent_type = "OBJECT"
        place = _world_matrix(character.parts[0]).inverted_safe() @ _world_matrix(original)
        part.matrix_parent_inverse = place @ original.matrix_basis.inverted_safe()


def _stand_at_origin(character: Character, template: Template, settings: TemplateSettings) -> None:
    """Take off what moves the first part, but for its own turn and scale."""
    original, mover = character.parts[0], template.parts[0]
    clip = character.walk if original == character.walker else None
    if clip is None and nla_strips.plays_anything(mover.animation_data):
        template.notices.append(f"'{original.name}': its animation is replaced by its path")
    if any(not constraint.mute for constraint in original.constraints):
        template.notices.append(f"'{original.name}': its constraints are left out, because its path moves it")
    if clip is not None:
        template.keyed_tilt = _set_to_beginning(mover, clip)
    rotation, scale = _turn_and_scale(original, mover)
    nla_strips.take_off(mover)
    if _remove_drivers(mover):
        template.notices.append(
            f"'{original.name}': the drivers of its location are left out, because its path moves it"
        )
    mover.constraints.clear()
    mover.parent = None
    mover.rotation_mode = "XYZ"
    mover.rotation_euler = rotation.to_euler("XYZ")
    mover.scale = scale * settings.scale
    mover.location = mover.delta_location = mover.delta_rotation_euler = (0.0, 0.0, 0.0)
    mover.delta_rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
    mover.delta_scale = (1.0, 1.0, 1.0)
    template.turn = mover.rotation_euler.z - FORWARD_ANGLES.get(settings.forward_axis, FORWARD_ANGLES["NEG_Y"])
    _say_what_is_below_ground(original.name, template, settings)


def _turn_and_scale(original: bpy.types.Object, mover: bpy.types.Object) -> tuple[Matrix, Vector]:
    """Rotation (3 x 3) and scale of an object in the world; `mover` is its copy, set to the beginning of its walk."""
    if original.parent is not None:
        _, turn, scale = original.matrix_world.decompose()
        return turn.to_matrix(), scale
    if mover.rotation_mode == "QUATERNION":
        turn = mover.delta_rotation_quaternion.normalized() @ mover.rotation_quaternion.normalized()
        return turn.to_matrix(), mover.scale * mover.delta_scale
    if mover.rotation_mode == "AXIS_ANGLE":
        angle, *axis = mover.rotation_axis_angle
        return Matrix.Rotation(angle, 3, Vector(axis)), mover.scale * mover.delta_scale
    turn = mover.delta_rotation_euler.to_matrix() @ mover.rotation_euler.to_matrix()
    return turn, mover.scale * mover.delta_scale


def _set_to_beginning(mover: bpy.types.Object, clip: animation.Clip) -> bool:
    """Turn and scale an object as its clip begins; tells whether the clip turns it by Euler angles."""
    first, _ = walk_cycles.clip_range(clip)
    curves = [curve for curve in animation.curves_of(clip) if curve.data_path in {*_ROTATIONS, "scale"}]
    for curve in curves:
        getattr(mover, curve.data_path)[curve.array_index] = curve.evaluate(first)
    return any(curve.data_path == "rotation_euler" for curve in curves)


def _remove_drivers(mover: bpy.types.Object) -> bool:
    """Take off the drivers that place an object; tells whether there were any."""
    placing = [curve for curve in getattr(mover.animation_data, "drivers", ()) if curve.data_path.startswith(_PLACING)]
    for curve in placing:
        mover.animation_data.drivers.remove(curve)
    return bool(placing)


def _say_what_is_below_ground(name: str, template: Template, settings: TemplateSettings) -> None:
    mover = template.parts[0]
    if mover.type not in {"MESH", "ARMATURE"}:
        return  # its box is not known before it is evaluated
    matrix = mover.rotation_euler.to_matrix() @ Matrix.Diagonal(mover.scale)
    heights = [(matrix @ Vector(corner)).z for corner in mover.bound_box]
    if -min(heights) > _MOST_BELOW_ORIGIN * (max(heights) - min(heights)):
        depth = -min(heights) * settings.unit
        template.notices.append(
            f"'{name}' reaches {depth:.2f} m below its origin, which is put on the ground. If it sinks in, "
            "set its origin to its foot"
        )


def _put_on_clips(character: Character, template: Template, settings: TemplateSettings) -> None:
    template.walker = character.parts.index(character.walker)
    walker, mover = template.parts[template.walker], template.parts[0]
    nla_strips.take_off(walker)
    clips, notices = choose_clips(character, walker=walker, mover=mover, scene=settings.scene, unit=settings.unit)
    clips.put_on(walker, *settings.frames)
    template.clips = clips
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
        template.turn = mover.rotation_euler.z - _forward_angle(clips.walk.direction)
    else:
        _say_if_sideways(character.name, clips.walk.direction, template, settings)


def _forward_angle(direction: NDArray[np.float64]) -> float:
    """The angle of the axis that a walk goes along, or of the walk itself when it goes between two axes [rad]."""
    angle = math.atan2(direction[1], direction[0])
    axis = round(angle / (math.pi / 2)) * math.pi / 2
    return axis if abs(angle - axis) < _ALONG_AXIS else angle


def _find_legs(template: Template, settings: TemplateSettings, known: KnownLegs) -> None:
    if template.walker is None or template.clips is None or not template.stride:
        return
    template.plants_feet = bool(settings.plants_feet)
    copies = template.copy()
    try:
        copies[0].rotation_euler.z = template.turn
        strides = template.stride / settings.unit, template.run_stride / settings.unit
        rehearsal = Rehearsal(copies, template.walker, template.clips, strides, settings.scene)
        wanted = {"plants": template.plants_feet, "keys_ik": settings.keys_ik_feet, "stride": template.stride}
        template.legs, told, template.known_legs = find_or_recall_legs(rehearsal, known, **wanted)
        template.notices += [f"'{template.names[0]}': {sentence}" for sentence in told]
    finally:
        bpy.data.batch_remove(copies)


def _say_if_sideways(name: str, direction: NDArray[np.float64], template: Template, settings: TemplateSettings) -> None:
    along = {axis: direction @ (math.cos(angle), math.sin(angle)) for axis, angle in FORWARD_ANGLES.items()}
    if along[settings.forward_axis] < _MOST_SIDEWAYS:
        seen, said = max(along, key=along.__getitem__), settings.forward_axis
        template.notices.append(
            f"'{name}' seems to walk towards {_AXIS_NAMES[seen]}, but Facing is {_AXIS_NAMES[said]}: set "
            f"Facing to {_AXIS_NAMES[seen]} if people walk backwards or sideways"
        )
