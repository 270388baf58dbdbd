# SPDX-License-Identifier: GPL-3.0-or-later
"""Triggers: a list, one row for when and one for what then, and below them who reacts how fast."""

from __future__ import annotations

from typing import Any

import bpy

from ....core.wording import as_sentence
from ...reading.lives.triggers import fault_of_trigger
from ...settings.scene_settings import scene_of, settings_of
from ...settings.triggers import (
    CLIP,
    CROWD,
    FLEE,
    FRAME,
    GATHER,
    GO_TO,
    LEAVE,
    NEAR,
    PERFORM,
    PROPERTY,
    RUN,
    TURN_TO,
    ZONE,
    FootfallTrigger,
)
from ..operators.triggers import active_trigger
from ..panel_layout import draw_sentence, translated
from .main import CrowdTab

_Context = bpy.types.Context
_Layout = bpy.types.UILayout

_WHEN = {
    FRAME: ("frame",),
    ZONE: ("zone",),
    NEAR: ("near",),
    PROPERTY: ("source", "data_path"),
    CROWD: ("crowd", "does"),
}
_THEN: dict[str, tuple[str, ...]] = {
    TURN_TO: ("mark",),
    FLEE: ("mark",),
    GATHER: ("to",),
    GO_TO: ("to",),
    LEAVE: ("to",),
    PERFORM: ("activity",),
}


class TriggerList(bpy.types.UIList):
    """One line per trigger: its name, and what happens."""

    bl_idname = "FOOTFALL_UL_triggers"

    def draw_item(
        self, context: _Context, layout: _Layout, _scene: Any, trigger: FootfallTrigger, _icon: int, _active: Any
    ) -> None:
        row = layout.row(align=True)
        row.alert = bool(fault_of_trigger(trigger, scene_of(context)))
        row.prop(trigger, "name", text="", emboss=False, icon="LIGHT_SUN")
        row.label(text=said(trigger), translate=False)


def said(trigger: FootfallTrigger) -> str:
    """Return in a few words what a trigger does; and at which frame, if at one."""
    items: Any = type(trigger).bl_rna.properties
    then = translated(items["then"].enum_items[trigger.then].name)
    return f"{trigger.frame}: {then}" if trigger.when == FRAME else then


class TriggersPanel(CrowdTab, bpy.types.Panel):
    """What people do when something happens, in the whole scene."""

    bl_idname = "FOOTFALL_PT_triggers"
    bl_label = "Triggers"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: _Context) -> None:
        layout, settings = self.columns, settings_of(scene_of(context))
        row = layout.row()
        row.template_list(
            TriggerList.bl_idname, "", settings, "triggers", settings, "active_trigger_index", rows=2, sort_lock=True
        )
        buttons = row.column(align=True)
        buttons.operator("footfall.trigger_add", text="", icon="ADD")
        buttons.operator("footfall.trigger_remove", text="", icon="REMOVE")
        trigger = active_trigger(settings)
        if trigger is None:
            return
        layout.use_property_split = False
        beside = ("near",) if trigger.when == CROWD and trigger.needs_near else ()
        _draw_row(layout, trigger, "when", (*_WHEN[trigger.when], *beside))
        _draw_row(layout, trigger, "then", _THEN.get(trigger.then, ()))
        draw_sentence(layout, context, as_sentence(fault_of_trigger(trigger, scene_of(context))), is_fault=True)


def _draw_row(layout: _Layout, trigger: FootfallTrigger, first: str, others: tuple[str, ...]) -> None:
    """Draw what is chosen, and its values beside it."""
    row = layout.row(align=True)
    row.prop(trigger, first, text="")
    settings: Any = trigger.id_data.footfall  # ty: ignore[missing-attribute]
    for name in others:
        if name == "crowd":
            row.prop_search(trigger, name, settings, "crowds", text="")
        else:
            row.prop(trigger, name, text=None if name == "frame" else "")
    if first == "then" and trigger.then == PERFORM and trigger.activity == CLIP:
        row.prop(trigger, "clip", text="")


class TriggerTimingPanel(CrowdTab, bpy.types.Panel):
    """Who reacts to the active trigger, how fast and for how long."""

    bl_idname = "FOOTFALL_PT_trigger_timing"
    bl_parent_id = TriggersPanel.bl_idname
    bl_label = "Who and How"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: _Context) -> bool:
        return active_trigger(settings_of(scene_of(context))) is not None

    def draw(self, context: _Context) -> None:
        layout, settings = self.columns, settings_of(scene_of(context))
        trigger = active_trigger(settings)
        assert trigger is not None
        if trigger.needs_near:
            layout.prop(trigger, "distance")
        if trigger.when == PROPERTY:
            layout.prop(trigger, "threshold")
        layout.prop_search(trigger, "who", settings, "crowds")
        layout.prop(trigger, "share")
        times = layout.column(align=True)
        times.prop(trigger, "delay")
        times.prop(trigger, "delay_variation")
        if trigger.stands:
            times = layout.column(align=True)
            times.prop(trigger, "stay")
            times.prop(trigger, "stay_variation")
        if trigger.then in {RUN, FLEE, GATHER, GO_TO, LEAVE}:
            layout.prop(trigger, "pace")
        column = layout.column(align=True)
        if trigger.then not in {TURN_TO, FLEE}:
            column.prop(trigger, "mark", text="From")
        column.prop(trigger, "spreads")
        column.prop(trigger, "within")


CLASSES = (TriggerList, TriggersPanel, TriggerTimingPanel)
