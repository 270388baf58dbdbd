# SPDX-License-Identifier: GPL-3.0-or-later
"""The fold in the sidebar where overlays are switched on and off."""

from __future__ import annotations

import bpy

from ....core.errors import FootfallError
from ...blender_data.redraw import redraw_views
from ...runtime import freshness
from ...runtime.overlay_state import OVERLAY_STATE
from ...settings.overlay_catalogue import CATALOGUE
from ...settings.scene_settings import scene_of, settings_of
from ..panel_layout import draw_sentence
from ..poll_reasons import Explaining
from .main import Tab


class LookAgain(Explaining, bpy.types.Operator):
    """Read a scene that is too large to be read without being asked."""

    bl_idname = "footfall.look_again"
    bl_label = "Read Scene Again"
    bl_description = "Read the scene again to update the overlays; large scenes are not read automatically"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            freshness.compare(scene_of(context))
        except FootfallError as error:
            return self.refuse(str(error))
        redraw_views()
        return {"FINISHED"}


class OverlaysPanel(Tab, bpy.types.Panel):
    """What is drawn over the viewport."""

    bl_idname = "FOOTFALL_PT_overlays"
    bl_label = "Overlays"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout, toggles = self.columns, settings_of(scene_of(context)).overlays
        layout.use_property_split = False
        for row in CATALOGUE:
            layout.prop(toggles, row.name)
            if getattr(toggles, row.name) and row.options:
                inside = layout.column(align=True)
                inside.use_property_split = True
                for name in row.options:
                    inside.prop(toggles, name)
            about = OVERLAY_STATE.about(row.name)
            if about and getattr(toggles, row.name):
                draw_sentence(layout, context, about)
        if any(getattr(toggles, row.name) for row in CATALOGUE) and freshness.is_slow(scene_of(context)):
            layout.operator("footfall.look_again", icon="FILE_REFRESH")


CLASSES = (LookAgain, OverlaysPanel)
