# SPDX-License-Identifier: GPL-3.0-or-later
"""The cast table: what was found of each character, and what the user has chosen instead: `scene.footfall.cast`.

A row belongs to the object that moves a character, so that all crowds share it and linked characters have one too.
What is not locked is found again at each bake, and is written here only to be seen.
Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, PointerProperty, StringProperty

from ...core.scene import SIT, STAND, STANDING_ACTIVITIES
from ...core.scene.crowd_checks import LARGEST_BODY
from ..blender_data import animation
from ..blender_data.bone_keys import share_of_bones
from ..blender_data.evaluation import frames_per_second
from ..blender_data.tags import TAG
from .crowd.wide_bodies import WIDE_BODIES, half_width_of
from .properties.change_events import cast_changed, setting_changed


class ClipRole(NamedTuple):
    """What a clip is used for.

    Attributes:
        name: of the property of a row.
        label: in the panel.
        travels: it carries the body on, by a stride.
    """

    name: str
    label: str
    travels: bool


GAIT_ROLES = (
    ClipRole("walk", "Walk", travels=True),
    ClipRole("idle", "Stand", travels=False),
    ClipRole("run", "Run", travels=True),
)
ACT_ROLES = tuple(
    ClipRole(name, name.replace("_", " ").title(), travels=False)
    for name in ("turn", SIT, "sit_down", "stand_up", *(name for name in STANDING_ACTIVITIES if name != STAND))
)
CLIP_ROLES = (*GAIT_ROLES, *ACT_ROLES)
"""One line for each, in the order of the panel: how a character moves along, and what it does besides."""

AS_CROWD = "CROWD"
USUAL_HEIGHT = 1.75
"""Of people [m]; chosen."""
LEAST_SHARE = 0.8
"""Share of the bones that a clip moves that a character must have; chosen."""

_noting = 0  # how many are writing what was found just now


@contextmanager
def noting() -> Generator[None]:
    """Write what was found: nothing is locked by it."""
    global _noting  # noqa: PLW0603 - Blender calls the functions below with nothing that could tell
    _noting += 1
    try:
        yield
    finally:
        _noting -= 1


def row_of(clip: Any) -> Any:
    """Return the row that a clip of the table belongs to."""
    return clip.id_data.path_resolve(clip.path_from_id().rpartition(".")[0])


def _fits(clip: Any, action: bpy.types.Action) -> bool:
    """Offer the user's Actions of which a character has most bones."""
    armature = row_of(clip).armature
    return armature is not None and TAG not in action and fitting_clip(action, armature) is not None


def fitting_clip(action: bpy.types.Action, armature: bpy.types.Object) -> animation.Clip | None:
    """Return an Action with its first slot that moves mostly bones that an armature has, or None."""
    clips = animation.clips_of_action(action)
    return next((clip for clip in clips if share_of_bones(clip, armature) >= LEAST_SHARE), None)


def _clip_chosen(clip: Any, context: bpy.types.Context) -> None:
    _keep(clip, context, locked=True, has_own_stride=False)


def _stride_typed(clip: Any, context: bpy.types.Context) -> None:
    _keep(clip, context, locked=True, has_own_stride=clip.stride > 0.0)


def _lock_switched(clip: Any, context: bpy.types.Context) -> None:
    _keep(clip, context, locked=clip.locked, has_own_stride=clip.locked and clip.stride > 0.0)


def _keep(clip: Any, context: bpy.types.Context, *, locked: bool, has_own_stride: bool) -> None:
    """Keep what the user has chosen, or no more; what was found and is written down is neither."""
    if _noting:
        return
    with noting():
        clip.locked, clip.has_own_stride = locked, has_own_stride
        clip.clip_name = clip.clip.name if locked and clip.clip is not None else ""
    _row_changed(clip, context)


def _row_changed(part: Any, context: bpy.types.Context) -> None:
    setting_changed(part, context)
    cast_changed(part, context)


def _height(row: Any) -> float:
    return row.natural_height * (row.own_scale or row.seen_scale)


def _set_height(row: Any, height: float) -> None:
    row.own_scale = height / row.natural_height if row.natural_height else 0.0


def _body_radius(row: Any) -> float:
    half_width, height = half_width_of(row), _height(row)
    if half_width < WIDE_BODIES.usual:
        return 0.0
    return min(half_width - WIDE_BODIES.arms * height, WIDE_BODIES.largest * height, 0.5 * LARGEST_BODY)


def _speed(clip: Any) -> float:
    return clip.stride * frames_per_second(clip.id_data) / clip.frames if clip.frames else 0.0


def _set_speed(clip: Any, speed: float) -> None:
    clip.stride = speed * clip.frames / frames_per_second(clip.id_data)


class FootfallCastClip(bpy.types.PropertyGroup):
    """The clip of a character for one role."""

    __slots__ = ()

    clip: PointerProperty(
        name="Clip",
        description="Clip of the character: the one that was found, or another one that fits its bones. Empty: none, "
        "or one that the bake makes",
        type=bpy.types.Action,
        poll=_fits,
        update=_clip_chosen,
    )
    stride: FloatProperty(
        name="Stride (m)",
        description="Distance covered by one cycle of the clip, two steps [m], as measured or as you type it. 0: "
        "measured again",
        default=0.0,
        min=0.0,
        soft_max=3.0,
        precision=2,
        options=set(),
        update=_stride_typed,
    )
    speed: FloatProperty(
        name="Speed (m/s)",
        description="Walking speed of the clip at its own pace [m/s]: another way to set the stride",
        min=0.0,
        precision=2,
        options=set(),
        get=_speed,
        set=_set_speed,
    )
    locked: BoolProperty(
        name="Locked",
        description="Keep this clip and stride for all bakes. Off: they are found again at each bake",
        default=False,
        options=set(),
        update=_lock_switched,
    )
    has_own_stride: BoolProperty(
        name="Own Stride", description="The stride was typed or locked, not measured", options={"HIDDEN"}
    )
    clip_name: StringProperty(
        name="Clip Name", description="Name of the locked clip, to say what was deleted", options={"HIDDEN"}
    )
    frames: FloatProperty(name="Frames", description="Length of one cycle [frames]", options={"HIDDEN"})
    is_made: BoolProperty(name="Made", description="The bake makes this clip itself", options={"HIDDEN"})
    retargeted: StringProperty(
        name="Retargeted",
        description="Name of the clip of another skeleton that the bake fits to these bones; empty: none",
        options={"HIDDEN"},
    )
    problem: StringProperty(
        name="Problem", description="What is wrong with it and how to fix it; empty: nothing", options={"HIDDEN"}
    )


class FootfallCastRow(bpy.types.PropertyGroup):
    """One character; its `name` is that of the object that moves it."""

    __slots__ = ()

    __annotations__ = {
        "mover": PointerProperty(
            name="Mover", description="Object that moves the character", type=bpy.types.Object, options={"HIDDEN"}
        ),
        "armature": PointerProperty(
            name="Armature", description="Armature that walks", type=bpy.types.Object, options={"HIDDEN"}
        ),
        "height": FloatProperty(
            name="Height (m)",
            description="Height of the people who use this character [m], as found or as you type it: the original "
            "stays as it is. 0: as found",
            min=0.0,
            precision=2,
            options=set(),
            get=_height,
            set=_set_height,
        ),
        "natural_height": FloatProperty(
            name="Natural Height (m)", description="Height of the original [m]", options={"HIDDEN"}
        ),
        "natural_half_width": FloatProperty(
            name="Natural Half Width (m)",
            description="Half the width of the original while it walks [m]; 0: not known",
            options={"HIDDEN"},
        ),
        "body_radius": FloatProperty(
            name="Body Radius (m)",
            description="Body radius of the people who use this character, measured because it is wider than people "
            "are [m]; a radius that you type in Personal Space counts instead. 0: as wide as people are",
            precision=2,
            options=set(),
            get=_body_radius,
        ),
        "seen_scale": FloatProperty(
            name="Seen Scale",
            description="Factor on its size where no height is typed",
            default=1.0,
            subtype="FACTOR",
            options={"HIDDEN"},
        ),
        "own_scale": FloatProperty(
            name="Scale",
            description="Factor on the size of the original that follows from the typed height; 0: none is typed",
            min=0.0,
            subtype="FACTOR",
            options={"HIDDEN"},
            update=_row_changed,
        ),
        "facing": EnumProperty(
            name="Facing",
            description="Direction in which the character faces when it is not rotated, instead of the crowd's",
            items=(
                (AS_CROWD, "As the Crowd", "The same as the crowd's Facing"),
                ("POS_X", "+X", "The character faces +X"),
                ("NEG_X", "-X", "The character faces -X"),
                ("POS_Y", "+Y", "The character faces +Y"),
                ("NEG_Y", "-Y", "The character faces -Y, towards the front view"),
            ),
            default=AS_CROWD,
            options=set(),
            update=_row_changed,
        ),
        "seen_facing": StringProperty(
            name="Seen Facing", description="Direction in which it faces, as found", options={"HIDDEN"}
        ),
        "problem": StringProperty(
            name="Problem",
            description="What is wrong with the character and how to fix it; empty: nothing",
            options={"HIDDEN"},
        ),
        "looks": StringProperty(
            name="Looks", description="What may differ between the people who use this character", options={"HIDDEN"}
        ),
        "known_as": StringProperty(
            name="Known As",
            description="Whom its name means where an importer gave the name; empty: the name says it",
            options={"HIDDEN"},
        ),
        "portrait": StringProperty(
            name="Portrait", description="Small picture of the character, as bytes in base 64", options={"HIDDEN"}
        ),
        "checked": StringProperty(
            name="Checked", description="The last answer of Check Character, as JSON", options={"HIDDEN"}
        ),
    } | {role.name: PointerProperty(type=FootfallCastClip) for role in CLIP_ROLES}


def shown_name(row: Any) -> str:
    """Return the name of a row as it is shown: whom it means first, if an importer has named the object."""
    return f"{row.known_as} ({row.name})" if row.known_as else row.name


def row_named(cast: Any, name: str) -> Any | None:
    """Return the row of a name: of its object, as shown, or `known_as`; None for none, or where several have it."""
    for kind in (lambda row: row.name, shown_name, lambda row: row.known_as):
        found = [row for row in cast if kind(row) == name]
        if len(found) == 1:
            return found[0]
    return None


def is_locked(row: Any) -> bool:
    """Whether the user has chosen anything of a row."""
    return row.facing != AS_CROWD or row.own_scale > 0.0 or any(getattr(row, role.name).locked for role in CLIP_ROLES)


CLASSES = (FootfallCastClip, FootfallCastRow)
