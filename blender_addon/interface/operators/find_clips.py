# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the cast table: at a press of the button, and a moment after characters or their clips were chosen."""

from typing import Any

import bpy
from bpy.props import FloatProperty, StringProperty

from ....core.errors import FootfallError
from ...blender_data.redraw import redraw_panels
from ...characters.ready.cast_table import characters_in_table, look_at_cast, note_cast
from ...runtime import running_bake
from ...settings.cast_rows import CLIP_ROLES, USUAL_HEIGHT, row_named, shown_name
from ...settings.properties import change_events
from ...settings.scene_settings import active_crowd, scene_of, settings_of
from ..poll_reasons import NO_CROWD, OneStep

_waiting: set[int] = set()  # `session_uid` of the scenes whose tables are filled a moment later


class FindClips(OneStep, bpy.types.Operator):
    """Look at the characters of the active crowd again, without a bake."""

    bl_idname = "footfall.find_clips"
    bl_label = "Look Again"
    bl_description = (
        "Find and measure the clips of the active crowd's characters again, without a bake; locked clips are kept"
    )

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        return why_no_cast(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = scene_of(context)
        try:
            found = look_at_cast(active_crowd(scene), scene)
        except FootfallError as error:
            return self.refuse(str(error))
        note_cast(scene, found)
        ensure_active_row(scene)
        wrong = [shown_name(row) for row in settings_of(scene).cast if problems_of(row)]
        told = f"; look at {', '.join(wrong)}" if wrong else ""
        self.report({"WARNING" if wrong else "INFO"}, f"Characters: {len(found)}{told}")
        return {"FINISHED"}


class SetHeight(OneStep, bpy.types.Operator):
    """Give a character of an unlikely size that of a person."""

    bl_idname = "footfall.set_height"
    bl_label = "Set Height"
    bl_description = (
        "Give the people who use a character the usual height of a person. The original stays as it is: the scale of "
        "many files is wrong. Bake again then"
    )
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty(
        name="Character", description="Name of the character, as in the cast table. Empty: the active one"
    )
    height: FloatProperty(
        name="Height (m)", description="New height [m]; 0: as it is", default=USUAL_HEIGHT, min=0.0, precision=2
    )

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        return why_no_cast(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = settings_of(scene_of(context))
        active = settings.active_character_index
        at_hand = settings.cast[active] if 0 <= active < len(settings.cast) else None
        row = row_named(settings.cast, self.name) if self.name else at_hand
        if row is None or not row.natural_height:
            return self.refuse(f"The cast table has no character '{self.name}' whose height is known: press Look Again")
        row.height = self.height
        return {"FINISHED"}


def why_no_cast(context: bpy.types.Context) -> str | None:
    """The reason why the active crowd has no cast table, or None."""
    crowd = active_crowd(scene_of(context))
    if crowd is None:
        return NO_CROWD
    if crowd.drives:
        return f"'{crowd.name}' drives vehicles: they have no clips"
    return None if crowd.characters else f"'{crowd.name}' has the built-in figures: choose Characters first"


def problems_of(row: Any) -> list[str]:
    """Everything that is wrong with a row of the cast table."""
    return list(filter(None, [row.problem, *(getattr(row, role.name).problem for role in CLIP_ROLES)]))


def ensure_active_row(scene: bpy.types.Scene) -> None:
    """Make a row of the active crowd the active one."""
    settings = settings_of(scene)
    rows = characters_in_table(scene, active_crowd(scene))
    if rows and settings.active_character_index not in rows:
        settings.active_character_index = rows[0]


def _on_cast(scene: bpy.types.Scene) -> None:
    """Characters or clips were chosen: Blender may not be evaluated within the change."""
    _waiting.add(scene.session_uid)
    if not (bpy.app.background or bpy.app.timers.is_registered(_look_at_waiting)):
        bpy.app.timers.register(_look_at_waiting, first_interval=0.05)


def _look_at_waiting() -> None:
    scenes = [scene for scene in bpy.data.scenes if scene.session_uid in _waiting]
    _waiting.clear()
    if running_bake.running():
        return  # it fills the table itself
    for scene in scenes:
        crowd = active_crowd(scene)
        if crowd is None or crowd.drives or crowd.characters is None:
            continue
        try:
            note_cast(scene, look_at_cast(crowd, scene))
        except FootfallError:
            continue  # the bake reports what is wrong
        ensure_active_row(scene)
    redraw_panels()


def attach() -> None:
    """Fill the table whenever characters are chosen."""
    change_events.cast_listeners.append(_on_cast)


def detach() -> None:
    """Fill it no more."""
    change_events.cast_listeners.remove(_on_cast)
    _waiting.clear()
    if bpy.app.timers.is_registered(_look_at_waiting):
        bpy.app.timers.unregister(_look_at_waiting)


CLASSES = (FindClips, SetHeight)
