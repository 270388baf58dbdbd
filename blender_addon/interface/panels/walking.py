# SPDX-License-Identifier: GPL-3.0-or-later
"""How the active crowd follows its path and keeps together: folds among the people."""

from __future__ import annotations

from dataclasses import fields

import bpy

from ....core.scene import PlanWeights
from ...settings.scene_settings import active_crowd, scene_of
from .main import PeoplePanel, WalkersTab

_Context = bpy.types.Context


class WalkingPanel(WalkersTab, bpy.types.Panel):
    """What an animator says about how people walk."""

    bl_idname = "FOOTFALL_PT_walking"
    bl_parent_id = PeoplePanel.bl_idname
    bl_label = "Walking Style"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: _Context) -> None:
        layout, crowd = self.columns, active_crowd(scene_of(context))
        column = layout.column(align=True)
        column.prop(crowd.following, "keep_to_line")
        column.prop(crowd.following, "comfort")
        if crowd.has_curve:
            column.prop(crowd.following, "spread")
        layout.prop(crowd.following, "side")
        layout.prop(crowd, "body")
        if crowd.rolls:
            layout.prop(crowd, "delay")
        layout.prop(crowd.motion, "slope_effect")


class PlanWeightsPanel(WalkersTab, bpy.types.Panel):
    """What planning weighs, for those who want to set it."""

    bl_idname = "FOOTFALL_PT_plan_weights"
    bl_parent_id = WalkingPanel.bl_idname
    bl_label = "Advanced"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: _Context) -> None:
        column, crowd = self.columns.column(align=True), active_crowd(scene_of(context))
        for field in fields(PlanWeights):
            column.prop(crowd.following.weights, field.name)


class TogetherPanel(WalkersTab, bpy.types.Panel):
    """How the people keep together."""

    bl_idname = "FOOTFALL_PT_together"
    bl_parent_id = PeoplePanel.bl_idname
    bl_label = "Keeping Together"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: _Context) -> None:
        layout, crowd = self.columns, active_crowd(scene_of(context))
        column = layout.column(align=True)
        column.prop(crowd.groups, "least")
        column.prop(crowd.groups, "most")
        column = layout.column(align=True)
        for name in ("separation", "alignment", "cohesion"):
            column.prop(crowd.flocking, name)
        row = layout.row()
        row.active = crowd.flocking.to_settings() is not None
        row.prop(crowd.flocking, "distance")


CLASSES = (WalkingPanel, PlanWeightsPanel, TogetherPanel)
