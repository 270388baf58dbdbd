# SPDX-License-Identifier: GPL-3.0-or-later
"""The cast table: the characters of the active crowd, the clips that were found for each, and what is wrong."""

from __future__ import annotations

from typing import Any

import bpy

from ...characters.clips.clip_names import name_without_object
from ...characters.ready.cast_table import characters_in_table
from ...characters.suitability import is_unlikely
from ...runtime import portrait_icons, running_check
from ...settings.cast_rows import ACT_ROLES, GAIT_ROLES, USUAL_HEIGHT, ClipRole, shown_name
from ...settings.scene_settings import active_crowd, scene_of, settings_of
from ..operators.find_clips import problems_of
from ..panel_layout import draw_sentence
from .main import PeoplePanel, WalkersTab

_Context = bpy.types.Context
_Layout = bpy.types.UILayout


class CastList(bpy.types.UIList):
    """One line per character: name, height, facing; red where something is wrong."""

    bl_idname = "FOOTFALL_UL_cast"

    def draw_item(
        self, _context: _Context, layout: _Layout, _settings: Any, row: Any, _icon: int, _active_settings: Any
    ) -> None:
        line = layout.row(align=True)
        line.alert = bool(problems_of(row))
        portrait = portrait_icons.icon_of(row.portrait)
        name: dict[str, Any] = {"text": shown_name(row), "translate": False}
        if portrait and not line.alert:
            line.label(**name, icon_value=portrait)
        else:
            line.label(**name, icon="ERROR" if line.alert else "ARMATURE_DATA" if row.armature else "OBJECT_DATA")
        figures = line.row(align=True)
        figures.alignment = "RIGHT"
        figures.label(text=f"{row.height:.2f} m" if row.height else "")
        figures.label(text=row.seen_facing)

    def filter_items(self, context: _Context, settings: Any, _name: str) -> tuple[list[int], list[int]]:
        """Show only the characters of the active crowd."""
        scene = scene_of(context)
        own = set(characters_in_table(scene, active_crowd(scene)))
        return [self.bitflag_filter_item * (number in own) for number in range(len(settings.cast))], []


class CastPanel(WalkersTab, bpy.types.Panel):
    """Which clip each character plays."""

    bl_idname = "FOOTFALL_PT_cast"
    bl_parent_id = PeoplePanel.bl_idname
    bl_label = "Cast"

    @classmethod
    def poll(cls, context: _Context) -> bool:
        return super().poll(context) and active_crowd(scene_of(context)).characters is not None

    def draw(self, context: _Context) -> None:
        layout, scene = self.columns, scene_of(context)
        settings, own = settings_of(scene), characters_in_table(scene, active_crowd(scene))
        row = layout.row()
        row.template_list(
            CastList.bl_idname, "", settings, "cast", settings, "active_character_index", rows=2, sort_lock=True
        )
        row.column(align=True).operator("footfall.find_clips", text="", icon="FILE_REFRESH")
        if settings.active_character_index not in own:
            if not own:
                draw_sentence(layout, context, "Press the button on the right to find the clips of the characters")
            return
        active = settings.cast[settings.active_character_index]
        if active.problem:
            draw_sentence(layout, context, active.problem, is_fault=True)
        portrait = portrait_icons.icon_of(active.portrait)
        if portrait:
            layout.template_icon(portrait, scale=4.0)
        if active.natural_height:
            layout.prop(active, "height")
            draw_height_button(layout, active)
        if active.body_radius:
            layout.prop(active, "body_radius")
        layout.prop(active, "facing")
        if active.armature is not None:
            for role in GAIT_ROLES:
                _draw_clip(layout, context, role, getattr(active, role.name))
        if active.looks:
            draw_sentence(layout, context, f"Looks: {active.looks}")
        is_playing = running_check.running() is not None
        layout.operator(
            "footfall.check_character",
            text="Stop Checking" if is_playing else "Check Character",
            icon="PAUSE" if is_playing else "PLAY",
        )


class CastActsPanel(WalkersTab, bpy.types.Panel):
    """Which clips a character plays where it does not walk."""

    bl_idname = "FOOTFALL_PT_cast_acts"
    bl_parent_id = CastPanel.bl_idname
    bl_label = "Besides Walking"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: _Context) -> bool:
        scene = scene_of(context)
        settings = settings_of(scene)
        number = settings.active_character_index
        own = characters_in_table(scene, active_crowd(scene))
        return super().poll(context) and number in own and settings.cast[number].armature is not None

    def draw(self, context: _Context) -> None:
        settings = settings_of(scene_of(context))
        active = settings.cast[settings.active_character_index]
        for role in ACT_ROLES:
            _draw_clip(self.columns, context, role, getattr(active, role.name))


def draw_height_button(layout: _Layout, row: Any) -> None:
    """Offer the usual height of people where a character has a size that nobody has."""
    if row.armature is not None and is_unlikely(row.height):
        text = f"Make '{shown_name(row)}' {USUAL_HEIGHT} m Tall"
        layout.operator("footfall.set_height", text=text, icon="FULLSCREEN_EXIT", translate=False).name = row.name


def _draw_clip(layout: _Layout, context: _Context, role: ClipRole, clip: Any) -> None:
    column = layout.column(align=True)
    column.alert = bool(clip.problem)
    row = column.row(align=True)
    row.prop(clip, "clip", text=role.label)
    row.prop(clip, "locked", text="", icon="LOCKED" if clip.locked else "UNLOCKED")
    if clip.clip is not None and "|" in clip.clip.name:
        column.label(text=name_without_object(clip.clip.name), icon="BLANK1", translate=False)  # the field cuts it off
    if clip.is_made:
        told = f"{clip.retargeted} (retargeted)" if clip.retargeted else "Footfall's own"
        column.label(text=told, icon="BLANK1", translate=not clip.retargeted)
    elif role.travels and clip.clip is not None:
        figures = column.row(align=True)
        figures.prop(clip, "stride", text="Stride, Speed")
        figures.prop(clip, "speed", text="")
    if clip.problem:
        draw_sentence(layout, context, clip.problem, is_fault=True)


CLASSES = (CastList, CastPanel, CastActsPanel)
