# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the active crowd stops on its way: a list, and the values of the active stop."""

from __future__ import annotations

from typing import Any

import bpy

from ....core.wording import as_sentence
from ...reading.lives.stop_faults import fault_of_stop
from ...settings.crowd.stops import (
    AT_FRAME,
    LOOK_AT,
    OF_CROWD,
    PASSES,
    PLAY_CLIP,
    QUEUE,
    SIT,
    TALK,
    WAIT_UNTIL,
    FootfallStop,
    activities_in_words,
)
from ...settings.scene_settings import active_crowd, scene_of
from ..operators.stops import active_stop
from ..panel_layout import draw_sentence
from .main import RoutePanel, WalkersTab

_Context = bpy.types.Context
_Layout = bpy.types.UILayout
_ICONS: dict[str, Any] = {
    LOOK_AT: "HIDE_OFF",
    QUEUE: "LINENUMBERS_ON",
    TALK: "COMMUNITY",
    SIT: "SORT_ASC",
    WAIT_UNTIL: "TIME",
    PLAY_CLIP: "PLAY",
}


class StopList(bpy.types.UIList):
    """One line per stop: what is done there, its name, and by how many."""

    bl_idname = "FOOTFALL_UL_stops"

    def draw_item(
        self, context: _Context, layout: _Layout, _crowd: Any, stop: FootfallStop, _icon: int, _active: Any
    ) -> None:
        row = layout.row(align=True)
        row.alert = bool(fault_of_stop(stop, scene_of(context)))
        row.prop(stop, "name", text="", emboss=False, icon=_ICONS.get(stop.do, "PAUSE"))
        share = row.row()
        share.alignment = "RIGHT"
        share.label(text=f"{stop.share:.0%}")


class StopsPanel(WalkersTab, bpy.types.Panel):
    """Where people of the active crowd stop on their way, and what they do there."""

    bl_idname = "FOOTFALL_PT_stops"
    bl_parent_id = RoutePanel.bl_idname
    bl_label = "Stops"

    def draw(self, context: _Context) -> None:
        layout, crowd = self.columns, active_crowd(scene_of(context))
        row = layout.row()
        row.template_list(
            StopList.bl_idname,
            "",
            crowd,
            "stops",
            crowd,
            "active_stop_index",
            rows=3 if crowd.stops else 2,
            sort_lock=True,
        )
        buttons = row.column(align=True)
        buttons.operator_menu_enum("footfall.stop_add", "kind", text="", icon="ADD")
        buttons.operator("footfall.stop_remove", text="", icon="REMOVE")
        if len(crowd.stops) > 1:
            buttons.separator()
            buttons.operator("footfall.stop_move", text="", icon="TRIA_UP").direction = "UP"
            buttons.operator("footfall.stop_move", text="", icon="TRIA_DOWN").direction = "DOWN"
            layout.prop(crowd, "stop_order")
        stop = active_stop(crowd)
        if stop is not None:
            _draw_stop(layout.column(), stop)
            draw_sentence(layout, context, as_sentence(fault_of_stop(stop, scene_of(context))), is_fault=True)


def _draw_stop(column: _Layout, stop: FootfallStop) -> None:
    column.prop(stop, "do")
    if stop.places is None or stop.place is not None:
        column.prop(stop, "place")
    if stop.place is None:
        column.prop(stop, "places")
    if stop.do == LOOK_AT:
        column.prop(stop, "look_at")
    if stop.do in {QUEUE, TALK}:
        column.prop(stop, "room")
    if stop.do == PLAY_CLIP:
        column.prop(stop, "clip")
    if stop.do == WAIT_UNTIL:
        _draw_awaited(column, stop)
    times = column.column(align=True)
    times.prop(stop, "stay")
    times.prop(stop, "stay_variation")
    column.prop(stop, "share")
    column.prop(stop, "then")
    if stop.stands:
        column.prop_menu_enum(stop, "activities", text=activities_in_words(stop.activities))


def _draw_awaited(column: _Layout, stop: FootfallStop) -> None:
    column.prop(stop, "awaits")
    if stop.awaits == AT_FRAME:
        column.prop(stop, "awaited_frame")
        return
    of_crowd = stop.awaits == OF_CROWD
    if of_crowd:
        settings: Any = stop.id_data.footfall  # ty: ignore[missing-attribute]
        column.prop_search(stop, "awaited_crowd", settings, "crowds")
        column.prop(stop, "awaited_deed")
    if not of_crowd or stop.awaited_deed == PASSES:
        column.prop(stop, "awaited")
        column.prop(stop, "awaited_distance")


CLASSES = (StopList, StopsPanel)
