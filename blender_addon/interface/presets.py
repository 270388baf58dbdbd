# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of crowds by character, in Blender's own menu: ours come with the add-on, the user's own are kept by Blender.

A preset says how people walk and keep apart, not where, how many and who they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel

from ..settings.scene_settings import active_crowd, scene_of
from .poll_reasons import why_busy

FOLDER = Path(__file__).resolve().parents[1]
"""Holds `presets/`, as Blender wants it."""

SUBFOLDER = "footfall/crowd"

CROWD = "bpy.context.scene.footfall.crowds[bpy.context.scene.footfall.active_crowd_index]"

SETTINGS = (
    "speed.mean",
    "speed.sd",
    "radius",
    "radius_variation",
    "avoidance",
    "flocking.separation",
    "flocking.alignment",
    "flocking.cohesion",
    "flocking.distance",
    "groups.least",
    "groups.most",
    "body",
    "delay",
    "time_gap",
    "personal_space",
    "following.keep_to_line",
    "following.comfort",
)
"""What a preset holds, as paths from the crowd."""


class CrowdPresets(PresetPanel, bpy.types.Panel):
    """The menu behind the preset icon."""

    bl_idname = "FOOTFALL_PT_crowd_presets"
    bl_label = "Crowd Presets"
    preset_subdir = SUBFOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "footfall.crowd_preset_add"


class AddCrowdPreset(AddPresetBase, bpy.types.Operator):
    """Keep the active crowd's settings as a preset, or delete one."""

    bl_idname = "footfall.crowd_preset_add"
    bl_label = "Add Crowd Preset"
    bl_description = "Save the walking style and avoidance of this crowd as a preset for other crowds and files"
    preset_menu = CrowdPresets.bl_idname
    preset_subdir = SUBFOLDER
    preset_defines = (f"crowd = {CROWD}",)
    preset_values = tuple(f"crowd.{setting}" for setting in SETTINGS)

    def execute(self, context: bpy.types.Context) -> set[str]:
        asked: Any = self  # Blender's own class has these, but says of none what it is
        if not (asked.name.strip() or asked.remove_name or asked.remove_active):
            self.report({"ERROR"}, "The preset has no name: give it one")
            return {"CANCELLED"}
        done: Any = super().execute(context)
        return done

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        scene = scene_of(context)
        return active_crowd(scene) is not None and not why_busy(scene)


CLASSES = (CrowdPresets, AddCrowdPreset)


def attach() -> None:
    """Let Blender find the presets that come with the add-on."""
    bpy.utils.register_preset_path(str(FOLDER))


def detach() -> None:
    """Let Blender forget them."""
    bpy.utils.unregister_preset_path(str(FOLDER))
