# SPDX-License-Identifier: GPL-3.0-or-later
"""Add and remove triggers.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import bpy

from ...settings.active_rows import active_row, remove_active_row
from ...settings.crowd.stops import may_be_stop
from ...settings.properties.change_events import setting_changed
from ...settings.properties.identities import free_name
from ...settings.scene_settings import FootfallScene, scene_of, settings_of
from ...settings.triggers import FootfallTrigger
from ..poll_reasons import NO_CROWD, OneStep

_Context = bpy.types.Context


def active_trigger(settings: FootfallScene) -> FootfallTrigger | None:
    """The trigger that the panel shows, or None when there is none."""
    return active_row(settings, "trigger")


def _what_is_selected(context: _Context, settings: FootfallScene) -> bpy.types.Object | None:
    """Return the active object where it is selected and may be what people flee from; None of a route or a ground."""
    chosen = context.active_object
    if chosen is None or not chosen.select_get() or not may_be_stop(chosen):
        return None
    ways = [way for crowd in settings.crowds for way in (crowd.route, crowd.start, crowd.goal)]
    return None if chosen in (*ways, settings.ground, settings.bounds) else chosen


class AddTrigger(OneStep, bpy.types.Operator):
    """Add a trigger to the scene and make it the active one."""

    bl_idname = "footfall.trigger_add"
    bl_label = "Add Trigger"
    bl_description = (
        "Add a trigger: when something happens, people react. It starts at the current frame, and people flee from the "
        "active object, where that is selected"
    )

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return None if settings_of(scene_of(context)).crowds else NO_CROWD

    def execute(self, context: _Context) -> set[str]:
        settings = settings_of(scene_of(context))
        name = free_name("Trigger", [trigger.name for trigger in settings.triggers])
        trigger = settings.triggers.add()
        trigger.name, trigger.frame = name, scene_of(context).frame_current
        trigger.mark = _what_is_selected(context, settings)
        settings.active_trigger_index = len(settings.triggers) - 1
        return {"FINISHED"}


class RemoveTrigger(OneStep, bpy.types.Operator):
    """Remove the active trigger of the scene."""

    bl_idname = "footfall.trigger_remove"
    bl_label = "Remove Trigger"
    bl_description = "Remove the active trigger"

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        shown = active_trigger(settings_of(scene_of(context)))
        return "There is no trigger: add one first" if shown is None else None

    def execute(self, context: _Context) -> set[str]:
        settings = settings_of(scene_of(context))
        remove_active_row(settings, "trigger")
        setting_changed(settings, context)
        return {"FINISHED"}


CLASSES = (AddTrigger, RemoveTrigger)
