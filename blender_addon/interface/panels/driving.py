# SPDX-License-Identifier: GPL-3.0-or-later
"""How the vehicles of the active crowd drive, and on what road: folds in the place of those about people."""

from __future__ import annotations

import bpy

from ...settings.crowd.vehicle import ROAD
from ...settings.scene_settings import active_crowd, scene_of, settings_of
from .main import PeoplePanel, RoutePanel, VehicleTab

_Context = bpy.types.Context


class LanesPanel(VehicleTab, bpy.types.Panel):
    """The lanes of the road, and who goes first where it crosses others."""

    bl_idname = "FOOTFALL_PT_lanes"
    bl_parent_id = RoutePanel.bl_idname
    bl_label = "Lanes"

    def draw(self, context: _Context) -> None:
        layout, scene = self.columns, scene_of(context)
        crowd = active_crowd(scene)
        column = layout.column()
        for name in ROAD:
            column.prop(crowd.vehicle, name)
        layout.prop(settings_of(scene), "keep_left")
        layout.prop(settings_of(scene), "crossings")


class DrivingPanel(VehicleTab, bpy.types.Panel):
    """Size and driving style of the vehicles."""

    bl_idname = "FOOTFALL_PT_driving"
    bl_parent_id = PeoplePanel.bl_idname
    bl_label = "Driving"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: _Context) -> None:
        layout, vehicle = self.columns, active_crowd(scene_of(context)).vehicle
        for names in (("length", "width", "turning_radius"), ("max_acceleration", "max_deceleration", "time_headway")):
            column = layout.column(align=True)
            for name in names:
                column.prop(vehicle, name)


CLASSES = (LanesPanel, DrivingPanel)
