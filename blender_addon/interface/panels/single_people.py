# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user has said of single people, and the buttons to say it: a fold under Bake."""

from __future__ import annotations

from typing import Any

import bpy

from ...bakes.edited_people import KEEP, OVERWRITE
from ...settings.crowd.edits import FootfallEdit
from ...settings.properties.identities import name_of
from ...settings.scene_settings import active_crowd, scene_of, settings_of
from ..panel_layout import PANEL_LAYOUT, draw_sentence
from .main import BakePanel, CrowdTab

_Context = bpy.types.Context


class HandworkPanel(CrowdTab, bpy.types.Panel):
    """Who was edited by hand, and what becomes of it, when a bake has asked."""

    bl_idname = "FOOTFALL_PT_handwork"
    bl_parent_id = BakePanel.bl_idname
    bl_label = "Edited by Hand"

    @classmethod
    def poll(cls, context: _Context) -> bool:
        return super().poll(context) and len(settings_of(scene_of(context)).handwork) > 0

    def draw(self, context: _Context) -> None:
        layout, handwork = self.columns, settings_of(scene_of(context)).handwork
        column = layout.column(align=True)
        for line in handwork[: PANEL_LAYOUT.edit_lines]:
            text = f"{line.name}: {line.what}"
            column.operator("footfall.go_to_person", text=text, emboss=False).person = line.name
        if len(handwork) > PANEL_LAYOUT.edit_lines:
            column.label(text=f"... and {len(handwork) - PANEL_LAYOUT.edit_lines} more")
        row = layout.row(align=True)
        row.operator("footfall.bake", text="Keep", icon="PINNED").edited = KEEP
        row.operator("footfall.bake", text="Overwrite", icon="FILE_REFRESH").edited = OVERWRITE


class EditsPanel(CrowdTab, bpy.types.Panel):
    """Single people: pinned, hidden, deleted, played by somebody else."""

    bl_idname = "FOOTFALL_PT_edits"
    bl_parent_id = BakePanel.bl_idname
    bl_label = "Single People"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: _Context) -> bool:
        crowd = active_crowd(scene_of(context))
        return crowd is not None and bool(crowd.baked or len(crowd.edits))

    def draw(self, context: _Context) -> None:
        layout, crowd = self.columns, active_crowd(scene_of(context))
        layout.operator("footfall.go_to_person", text="Go to Person ...", icon="VIEWZOOM")
        buttons = layout.grid_flow(columns=2, align=True, row_major=True)
        buttons.operator("footfall.pin_people", text="Pin", icon="PINNED")
        buttons.operator("footfall.restore_people", text="Reset", icon="UNPINNED")
        buttons.operator("footfall.hide_people", text="Hide", icon="HIDE_ON")
        buttons.operator("footfall.delete_people", text="Delete", icon="TRASH")
        buttons.operator("footfall.replace_character", text="Replace ...", icon="COMMUNITY")
        buttons.operator("footfall.retime_people", text="Retime ...", icon="TIME")
        if not len(crowd.edits):
            layout.label(text="No person has been changed", icon="INFO")
            return
        column = layout.column(align=True)
        for edit in crowd.edits[: PANEL_LAYOUT.edit_lines]:
            row = column.row(align=True)
            told = row.column(align=True)
            draw_sentence(told, context, f"{name_of(crowd, edit.name)}: {_told(edit)}", icon=_icon(edit))
            row.operator("footfall.restore_person", text="", icon="X", emboss=False).person = edit.name
        if len(crowd.edits) > PANEL_LAYOUT.edit_lines:
            column.label(text=f"... and {len(crowd.edits) - PANEL_LAYOUT.edit_lines} more")


def _told(edit: FootfallEdit) -> str:
    said = [what for what in ("pinned", "hidden", "deleted") if getattr(edit, what)]
    return ", ".join([*said, *([f"as '{edit.character}'"] if edit.character else [])])


def _icon(edit: FootfallEdit) -> Any:
    if edit.pinned:
        return "PINNED"
    if edit.deleted:
        return "TRASH"
    return "HIDE_ON" if edit.hidden else "COMMUNITY"


CLASSES = (HandworkPanel, EditsPanel)
