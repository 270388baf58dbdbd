# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar tab, from top to bottom as an animator works: crowds, route, people, obstacles, bake."""

from __future__ import annotations

from typing import Any

import bpy

from ...characters.ready.cast_table import characters_in_table
from ...runtime import kernel_warm_up, last_bakes, running_bake
from ...runtime.freshness import freshness, worst_freshness
from ...settings.bake_status import Freshness
from ...settings.crowd.crowd import CHARACTERS, INSTANCES, FootfallCrowd
from ...settings.scene_settings import active_crowd, has_bake, scene_of, settings_of
from ..operators.bake import TAB, what_is_missing, why_not_bake
from ..panel_layout import draw_inside, draw_sentence
from .presence import draw_presence

_Context = bpy.types.Context
_Layout = bpy.types.UILayout


_SIMULATES_ALL = "The first bake after opening a file simulates every frame"
_NO_LOOKS = (
    "Nothing to vary: no two parts or materials have names that differ only in the last word (Shirt_Red, Shirt_Blue),"
    " and no material other than skin, hair and eyes has a colour"
)
_STATES: dict[Freshness, tuple[Any, str]] = {
    Freshness.UP_TO_DATE: ("CHECKMARK", "The bake is up to date"),
    Freshness.NOT_COMPARED: ("QUESTION", "Not compared since the file was opened"),
    Freshness.CHANGED: ("ERROR", "Inputs changed since the bake"),
    Freshness.OUT_OF_DATE: ("ERROR", "The bake is out of date"),
}


class Tab:
    """Where all these panels are, and how their settings stand."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB

    @property
    def columns(self) -> _Layout:
        """The layout for settings: names left, values right, all greyed out while a bake runs."""
        layout = self.layout  # ty: ignore[missing-attribute]
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.enabled = running_bake.running() is None
        return layout


class CrowdTab(Tab):
    """A panel about the active crowd: not there when there is none."""

    @classmethod
    def poll(cls, context: _Context) -> bool:
        return active_crowd(scene_of(context)) is not None


class WalkersTab(CrowdTab):
    """A panel about people only."""

    @classmethod
    def poll(cls, context: _Context) -> bool:
        crowd = active_crowd(scene_of(context))
        return crowd is not None and not crowd.drives and not crowd.is_there


class VehicleTab(CrowdTab):
    """A panel about vehicles only."""

    @classmethod
    def poll(cls, context: _Context) -> bool:
        crowd = active_crowd(scene_of(context))
        return crowd is not None and crowd.drives


class CrowdList(bpy.types.UIList):
    """One line per crowd: name, how many, and how its bake is."""

    bl_idname = "FOOTFALL_UL_crowds"

    def draw_item(
        self,
        _context: _Context,
        layout: _Layout,
        _settings: Any,
        crowd: FootfallCrowd,
        _icon: int,
        _active_settings: Any,
    ) -> None:
        row = layout.row(align=True)
        row.prop(crowd, "name", text="", emboss=False, icon="AUTO" if crowd.drives else "COMMUNITY")
        count = row.row()
        count.alignment = "RIGHT"
        count.label(text=str(crowd.count))
        state = _STATES.get(freshness(crowd))
        row.label(icon=state[0] if state else "BLANK1")


class CrowdsPanel(Tab, bpy.types.Panel):
    """Which crowds there are."""

    bl_idname = "FOOTFALL_PT_crowds"
    bl_label = "Crowds"

    def draw_header_preset(self, _context: _Context) -> None:
        layout = self.layout
        assert layout is not None
        layout.emboss = "NONE"
        layout.operator("footfall.open_manual", text="", icon="HELP")

    def draw(self, context: _Context) -> None:
        layout = self.columns
        settings = settings_of(scene_of(context))
        row = layout.row()
        row.template_list(
            CrowdList.bl_idname, "", settings, "crowds", settings, "active_crowd_index", rows=3, sort_lock=True
        )
        buttons = row.column(align=True)
        buttons.operator("footfall.crowd_add", text="", icon="ADD")
        buttons.operator("footfall.crowd_remove", text="", icon="REMOVE")
        if not len(settings.crowds):
            layout.operator("footfall.crowd_add", text="Add a Crowd", icon="ADD")
            layout.operator_menu_enum("footfall.open_example", "example", icon="SCENE_DATA")
        layout.operator_menu_enum("footfall.mark_selected", "role", text="Mark Selected as", icon="BOOKMARKS")


class RoutePanel(CrowdTab, bpy.types.Panel):
    """Where the active crowd walks."""

    bl_idname = "FOOTFALL_PT_route"
    bl_label = "Route"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: _Context) -> None:
        layout, crowd = self.columns, active_crowd(scene_of(context))
        layout.prop(crowd, "kind")
        if not crowd.drives:
            layout.prop(crowd, "mode")
        column = layout.column()
        if crowd.has_curve:
            column.prop(crowd, "route")
            column.operator("footfall.use_selected_route", icon="CURVE_DATA")
            if not crowd.drives:
                column.prop(crowd, "path_width")
        elif crowd.is_there:
            draw_presence(column, crowd.presence)
            return
        else:
            column.prop(crowd, "start")
            column.prop(crowd, "goal")
        column = layout.column()
        column.prop(crowd.spawn, "mode")
        if crowd.spawn.mode == "FLOW":
            column.prop(crowd.spawn, "rate")
            column.prop(crowd.spawn, "headway")
        elif crowd.spawn.mode == "AT_ONCE" and not crowd.drives:
            column.prop(crowd.spawn, "sets_off_within")
        column.prop(crowd, "arrival")


class PeoplePanel(CrowdTab, bpy.types.Panel):
    """The people of the active crowd."""

    bl_idname = "FOOTFALL_PT_people"
    bl_label = "Who"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context: _Context) -> None:
        layout = self.layout
        assert layout is not None
        layout.emboss = "NONE"
        layout.enabled = running_bake.running() is None
        if active_crowd(scene_of(context)).drives:
            return  # presets say how people walk
        layout.popover(panel="FOOTFALL_PT_crowd_presets", icon="PRESET", text="")

    def draw(self, context: _Context) -> None:
        layout, crowd = self.columns, active_crowd(scene_of(context))
        layout.prop(crowd, "count")
        column = layout.column()
        if crowd.drives:
            column.prop(crowd.vehicle, "kind")
        else:
            _draw_output(column, context, crowd)
        column.prop(crowd, "characters")
        if crowd.characters is None:
            what = "vehicles drive" if crowd.drives else "figures walk"
            column.label(text=f"Empty: the built-in {what}", icon="INFO")
            if not crowd.drives:
                column.operator("footfall.own_figures", icon="ARMATURE_DATA")
        else:
            column.prop(crowd, "forward_axis")
            if not crowd.drives:
                column.prop(crowd, "stride_length")
                column.operator("footfall.add_clips", icon="ACTION")
                column.operator("footfall.body_parts", icon="ARMATURE_DATA")
        if crowd.is_there:
            return
        column = layout.column(align=True)
        speeds, mean, sd = (crowd.vehicle, "speed", "speed_sd") if crowd.drives else (crowd.speed, "mean", "sd")
        column.prop(speeds, mean)
        column.prop(speeds, sd)


def _draw_output(column: _Layout, context: _Context, crowd: Any) -> None:
    column.prop(crowd, "output")
    column.prop(crowd.motion, "size_variation")
    are_characters, are_own = crowd.output == CHARACTERS, crowd.characters is not None
    if are_characters and are_own:
        column.prop(crowd.motion, "rig")
    if are_characters or are_own:
        column.prop(crowd.motion, "plants_feet")
    if are_own and crowd.motion.plants_feet:
        column.prop(crowd.motion, "keys_ik_feet")
    if are_characters:
        column.prop(crowd.motion, "lean")
        column.prop(crowd.motion, "looks_about")
        if are_own:
            _draw_looks(column, context, crowd)


def _draw_looks(column: _Layout, context: _Context, crowd: Any) -> None:
    column.prop(crowd.motion, "varies_looks")
    if not crowd.motion.varies_looks:
        return
    column.prop(crowd.motion, "hue_variation")
    column.prop(crowd.motion, "brightness_variation")
    scene = scene_of(context)
    found = [settings_of(scene).cast[number].looks for number in characters_in_table(scene, crowd)]
    if found and not any(found):
        draw_sentence(column, context, _NO_LOOKS)


class SpacePanel(WalkersTab, bpy.types.Panel):
    """How much room the people of the active crowd take and leave."""

    bl_idname = "FOOTFALL_PT_space"
    bl_parent_id = PeoplePanel.bl_idname
    bl_label = "Personal Space"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: _Context) -> None:
        layout, crowd = self.columns, active_crowd(scene_of(context))
        column = layout.column(align=True)
        column.prop(crowd, "radius")
        column.prop(crowd, "radius_variation")
        if crowd.widest is not None:
            draw_sentence(layout, context, f"Measured: {crowd.body_radius:.2f} m, of '{crowd.widest.name}'")
        layout.prop(crowd, "avoidance")
        column = layout.column(align=True)
        draw_inside(column, crowd, "time_gap")
        draw_inside(column, crowd, "personal_space")


class ObstaclesPanel(Tab, bpy.types.Panel):
    """What stands or walks in the way, and what people stand on; for all crowds."""

    bl_idname = "FOOTFALL_PT_obstacles"
    bl_label = "Obstacles and Ground"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: _Context) -> None:
        layout, settings = self.columns, settings_of(scene_of(context))
        column = layout.column()
        row = column.row(align=True)
        row.prop(settings, "obstacles")
        row.operator("footfall.mark_obstacle", text="", icon="ADD")
        row.operator("footfall.unmark_obstacle", text="", icon="REMOVE")
        column.prop(settings, "head_height")
        column = layout.column()
        row = column.row(align=True)
        row.prop(settings, "heroes")
        row.operator("footfall.mark_hero", text="", icon="ADD")
        row.operator("footfall.unmark_hero", text="", icon="REMOVE")
        column = layout.column()
        column.prop(settings, "ground")
        column.prop(settings, "bounds")


class BakePanel(CrowdTab, bpy.types.Panel):
    """Bake, and what came of it."""

    bl_idname = "FOOTFALL_PT_bake"
    bl_label = "Bake"

    def draw(self, context: _Context) -> None:
        running = running_bake.running()
        if running:
            _draw_progress(self.layout, running)
            return
        layout, scene = self.columns, scene_of(context)
        settings = settings_of(scene)
        is_baked = has_bake(scene)
        row = layout.row(align=True)
        row.scale_y = 1.5
        name = "Re-bake" if is_baked else "Bake"
        row.operator("footfall.bake", text=f"{name} Frames {scene.frame_start} to {scene.frame_end}", icon="PLAY")
        if not is_baked:  # one line whatever it says: what is below must not move away under the mouse
            layout.label(**_before_the_first_bake(what_is_missing(scene) or why_not_bake(scene)))
            return
        if reason := why_not_bake(scene):
            draw_sentence(layout, context, reason)
        if kernel_warm_up.is_compiling():
            layout.label(text=kernel_warm_up.state_sentence(), icon="SORTTIME")
        row.operator("footfall.clear", text="", icon="TRASH")
        if any(crowd.baked and crowd.makes == INSTANCES for crowd in settings.crowds):
            layout.operator("footfall.make_real", icon="OUTLINER_OB_ARMATURE")
        _draw_freshness(layout, worst_freshness(scene))
        if last_bakes.memory_of(scene).simulation is None:
            draw_sentence(layout, context, _SIMULATES_ALL)
        layout.prop(settings, "auto_rebake")


class BakeOptionsPanel(CrowdTab, bpy.types.Panel):
    """What is seldom needed of a bake."""

    bl_idname = "FOOTFALL_PT_bake_options"
    bl_order = 1  # below the report
    bl_parent_id = BakePanel.bl_idname
    bl_label = "Options"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: _Context) -> bool:
        return super().poll(context) and running_bake.running() is None

    def draw(self, context: _Context) -> None:
        layout = self.columns
        layout.prop(settings_of(scene_of(context)), "seed")
        layout.operator("footfall.export_scene", text="Export Scene File", icon="EXPORT")
        row = layout.row()
        row.label(text=kernel_warm_up.state_sentence())
        row.operator("footfall.open_manual", text="", icon="HELP").page = "speed.html"


def _draw_progress(layout: _Layout | None, running: running_bake.RunningBake) -> None:
    assert layout is not None
    row = layout.row(align=True)
    row.progress(factor=running.job.fraction, type="BAR", text=f"{running.job.fraction:.0%}")
    row.operator("footfall.cancel_bake", text="", icon="X")
    layout.label(text=running.text)


def _before_the_first_bake(missing: str | None) -> dict[str, Any]:
    """What stands below the button, and its icon; the way out of what is missing is in the tooltip of the button."""
    if missing:
        return {"text": missing, "icon": "INFO"}
    if kernel_warm_up.is_compiling():
        return {"text": kernel_warm_up.state_sentence(), "icon": "SORTTIME"}
    return {"text": "Not baked yet", "icon": "DOT"}


def _draw_freshness(layout: _Layout, worst: Freshness) -> None:
    """One line: the worst that is known of any crowd's bake."""
    icon, text = _STATES[worst]
    row = layout.row()
    line = row.row()
    line.alert = worst is Freshness.OUT_OF_DATE or worst is Freshness.CHANGED
    line.label(text=text, icon=icon)
    if worst in {Freshness.NOT_COMPARED, Freshness.CHANGED}:
        row.operator("footfall.compare_bake", text="", icon="FILE_REFRESH")


CLASSES = (CrowdList, CrowdsPanel, BakePanel, BakeOptionsPanel, RoutePanel, PeoplePanel, SpacePanel, ObstaclesPanel)
