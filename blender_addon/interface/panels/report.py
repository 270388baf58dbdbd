# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a bake, under its button: main figures, and what is wrong line by line, the worst first."""

import textwrap
from typing import Any

import bpy
from bpy.props import IntProperty

from ....core.motion.feet.step_faults import CROSSED, HANGING, SCUFFED, SKATING, STATUE
from ....core.report.events import (
    ALOFT,
    BACKWARDS,
    BEHIND,
    CLIPPING,
    CREEPING,
    FACE_OFF,
    FEET,
    FROZEN,
    GLIDE,
    JITTER,
    LIMB,
    OVERLAP,
    REFUSED,
    SPINNING,
    STUCK,
    SUNK,
    WAITS,
    WALL,
)
from ...blender_data.evaluation import metres_per_unit
from ...characters.ready.cast_table import characters_in_table
from ...runtime import failed_bakes, running_bake
from ...runtime.freshness import worst_freshness
from ...settings.bake_status import Freshness
from ...settings.problems import HIDE_ORIGINALS, NOTICE, FootfallProblem
from ...settings.scene_settings import active_crowd, has_bake, scene_of, settings_of
from ..navigation import go_to, select_people
from ..operators.people.select_culprits import select_named
from ..panel_layout import PANEL_LAYOUT, draw_sentence, letters_that_fit, translated
from ..poll_reasons import Explaining
from . import report_figures as figures
from .cast_panel import draw_height_button
from .main import BakePanel, Tab

_Context = bpy.types.Context

_ICONS: dict[str, Any] = {
    OVERLAP: "MOD_BOOLEAN",
    CLIPPING: "MOD_BOOLEAN",
    FROZEN: "FREEZE",
    SPINNING: "FILE_REFRESH",
    JITTER: "RNDCURVE",
    CREEPING: "PREV_KEYFRAME",
    BEHIND: "COMMUNITY",
    WALL: "MOD_SOLIDIFY",
    LIMB: "VIEW_PAN",
    STUCK: "PAUSE",
    WAITS: "TIME",
    FACE_OFF: "COMMUNITY",
    REFUSED: "CANCEL",
    FEET: "MOD_ARMATURE",
    BACKWARDS: "LOOP_BACK",
    CROSSED: "MOD_ARMATURE",
    SCUFFED: "MOD_ARMATURE",
    SKATING: "MOD_ARMATURE",
    HANGING: "MOD_ARMATURE",
    STATUE: "PAUSE",
    GLIDE: "ERROR",
    SUNK: "MOD_ARMATURE",
    ALOFT: "MOD_ARMATURE",
    NOTICE: "INFO",
}

_BESIDE_TEXT = 6  # letters as wide as the icon and the margins of a line


def name_line(problem: FootfallProblem, letters: int) -> str:
    """Say who a line is about, and what is wrong where so many letters have room for it; its icon says so, too."""
    what = translated(problem.what)
    full, short, numbers = problem.who, problem.who_in_short, problem.numbers
    tried = (f"{full}: {what}", f"{short}: {what}", full, short, f"{numbers}: {what}")
    return next((text for text in tried if len(text) <= letters), numbers)


class ProblemList(bpy.types.UIList):
    """One line for each thing that is wrong: of what kind, who, how bad, and at which frame.

    Notices are sentences, which a line would cut off: they stand below the list.
    """

    bl_idname = "FOOTFALL_UL_problems"

    def filter_items(self, _context: _Context, settings: Any, name: str) -> tuple[list[int], list[int]]:
        """Keep what has a frame, and of these what the list's own search looks for."""
        problems = getattr(settings, name)
        found = bpy.types.UI_UL_list.filter_items_by_name(self.filter_name, self.bitflag_filter_item, problems)
        flags = found or [self.bitflag_filter_item] * len(problems)
        return [flag * problem.has_place for flag, problem in zip(flags, problems, strict=True)], []

    def draw_item(
        self,
        context: _Context,
        layout: bpy.types.UILayout,
        _settings: Any,
        problem: FootfallProblem,
        _icon: int,
        _active_settings: Any,
        _active_property: str = "",
        index: int = 0,
    ) -> None:
        row = layout.split(factor=PANEL_LAYOUT.problem_share, align=True)
        row.alert = problem.severity >= 1.0
        line = row.row(align=True)
        line.alignment, line.emboss = "LEFT", "NONE"
        letters = int(PANEL_LAYOUT.problem_share * letters_that_fit(context)) - _BESIDE_TEXT
        text, icon = name_line(problem, letters), _ICONS.get(problem.kind, "DOT")
        line.operator("footfall.go_to_problem", text=text, icon=icon, translate=False).index = index
        figures = row.row(align=True)
        figures.alignment = "RIGHT"
        figures.label(text=problem.figure, translate=False)
        figures.label(text=str(problem.frame), translate=False)


class GoToProblem(bpy.types.Operator):
    """Show where and when something is wrong, and who it is."""

    bl_idname = "footfall.go_to_problem"
    bl_label = "Go to Problem"
    bl_description = (
        "Go to the frame of a line of the report, select the characters concerned, and turn the viewport to them"
    )
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Line", description="Line of the report, from 0; -1: the active one", default=-1, min=-1)

    @classmethod
    def description(cls, context: _Context, properties: Any) -> str:
        """What the line says in full, as its row may cut it off."""
        problems = settings_of(scene_of(context)).problems
        if not 0 <= properties.index < len(problems):
            return cls.bl_description
        problem = problems[properties.index]
        return f"{problem.name} Frame {problem.frame}" if problem.has_place else problem.name

    @classmethod
    def poll(cls, context: _Context) -> bool:
        if running_bake.running():
            cls.poll_message_set("A bake is running: wait for it, or press Esc to cancel it")
            return False
        if not len(settings_of(scene_of(context)).problems):
            cls.poll_message_set("The report has no problems to go to")
            return False
        return True

    def execute(self, context: _Context) -> set[str]:
        settings = settings_of(scene_of(context))
        index = max(settings.active_problem_index, 0) if self.index < 0 else self.index
        if not 0 <= index < len(settings.problems):
            self.report({"ERROR"}, f"The report has no line {index}: it has {len(settings.problems)}, from 0")
            return {"CANCELLED"}
        if self.index not in (-1, settings.active_problem_index):
            settings.active_problem_index = index  # which comes here again
            return {"FINISHED"}
        told = show_problem(context, settings.problems[index])
        if told:
            self.report({"INFO"}, told)
        return {"FINISHED"}


def show_problem(context: _Context, problem: FootfallProblem) -> str:
    """Bring the user to a problem; returns a sentence about what could not be shown, or none."""
    scene = scene_of(context)
    if not problem.has_place:
        select_named(context, problem.name)
        return ""
    go_to(context, frame=problem.frame, place=problem.place, unit=metres_per_unit(scene))
    found = select_people(context, problem.characters)
    return "" if found else "The characters concerned are no longer in the scene"


class SetEndFrame(Explaining, bpy.types.Operator):
    """Give people the frames that they need to arrive."""

    bl_idname = "footfall.set_end_frame"
    bl_label = "Set End Frame"
    bl_description = (
        "End the scene at the frame at which the last person is expected to arrive, with a tenth of the frames to "
        "spare for encounters with others; then re-bake"
    )
    bl_options = {"REGISTER", "UNDO"}

    frame: IntProperty(name="Frame", description="The new last frame of the scene", default=0, min=0)

    def execute(self, context: _Context) -> set[str]:
        scene = scene_of(context)
        report = figures.read_report(settings_of(scene).report)
        frame = self.frame or figures.enough_frames(report, scene.frame_start)
        if not frame or frame <= scene.frame_end:
            return self.refuse("No later end frame is needed: see the report")
        scene.frame_end = frame
        return {"FINISHED"}


class ReportPanel(Tab, bpy.types.Panel):
    """What came of the bake."""

    bl_idname = "FOOTFALL_PT_report"
    bl_parent_id = BakePanel.bl_idname
    bl_label = "Report"

    @classmethod
    def poll(cls, context: _Context) -> bool:
        settings = settings_of(scene_of(context))
        return running_bake.running() is None and bool(settings.report) and has_bake(scene_of(context))

    def draw(self, context: _Context) -> None:
        layout, scene = self.columns, scene_of(context)
        settings = settings_of(scene)
        failed = failed_bakes.why_failed(scene)
        if failed:
            row = layout.row()
            row.alert = True
            row.label(text="The last bake failed", icon="ERROR")
            draw_sentence(layout, context, failed)
            layout = layout.column()  # dimmed alone
        report = figures.read_report(settings.report)
        told, is_alarming = figures.verdict(report, settings.problems)
        is_stale = worst_freshness(scene) in {Freshness.CHANGED, Freshness.OUT_OF_DATE}
        layout.active = not is_stale  # dimmed: what it says may no longer hold
        if failed or is_stale:
            layout.label(text="Of the bake before:" if failed else "Of the bake before your changes:", icon="TIME")
        has_lines = any(problem.has_place for problem in settings.problems)
        icon = "ERROR" if is_alarming else "INFO" if has_lines else "CHECKMARK"
        draw_sentence(layout, context, told, is_fault=is_alarming and not is_stale, icon=icon)
        if late := figures.arrivals(report, scene.frame_start):
            draw_sentence(layout, context, late)
            frame = figures.enough_frames(report, scene.frame_start)
            text = f"Set End Frame to {frame}"
            if frame > scene.frame_end:  # else it was pressed, or the scene made longer
                layout.operator("footfall.set_end_frame", text=text, icon="NEXT_KEYFRAME").frame = frame
        # What mends a cause stands before what came of it: robots of four metres clip all day.
        for number in characters_in_table(scene, active_crowd(scene)):
            draw_height_button(layout, settings.cast[number])
        if any(problem.name.endswith(HIDE_ORIGINALS) for problem in settings.problems):
            layout.operator("footfall.hide_originals", icon="HIDE_ON")
        if len(settings.problems):
            _draw_problems(layout, context, settings)
        _draw_figures(layout, report)
        if changes := figures.since_the_last_bake(report):
            draw_sentence(layout, context, changes)


def _draw_figures(layout: bpy.types.UILayout, report: dict[str, Any]) -> None:
    lines = figures.main_figures(report)
    if not lines:
        return
    grid = layout.box().column(align=True)
    for line in lines:
        row = grid.split(factor=0.45)
        row.alert = line.is_alarming
        row.label(text=line.label)
        row.label(text=line.value, translate=False)


def _draw_problems(layout: bpy.types.UILayout, context: _Context, settings: Any) -> None:
    """The list of what has a frame, with the active line in full, and below it all notices."""
    count = sum(problem.has_place for problem in settings.problems)
    if count:
        headings = layout.split(factor=PANEL_LAYOUT.problem_share, align=True)
        headings.scale_y = PANEL_LAYOUT.line_scale
        headings.label(text="Problems")
        columns = headings.row(align=True)
        columns.alignment = "RIGHT"
        columns.label(text="Amount")
        columns.label(text="Frame")
        layout.template_list(
            ProblemList.bl_idname,
            "",
            settings,
            "problems",
            settings,
            "active_problem_index",
            rows=min(max(count, 2), PANEL_LAYOUT.problem_rows),
            sort_lock=True,
        )
    index = settings.active_problem_index
    if 0 <= index < len(settings.problems) and settings.problems[index].has_place:
        draw_sentence(layout, context, settings.problems[index].name)
    for number, problem in enumerate(settings.problems):
        if not problem.has_place:
            _draw_notice(layout, context, problem.name, number)


def _draw_notice(layout: bpy.types.UILayout, context: _Context, sentence: str, index: int) -> None:
    """A notice on as many lines as it needs; a click on it selects what it is about."""
    column = layout.column(align=True)
    column.scale_y, column.emboss = PANEL_LAYOUT.line_scale, "NONE"
    for number, text in enumerate(textwrap.wrap(sentence, letters_that_fit(context))):
        line = column.row()
        line.alignment = "LEFT"
        icon = "BLANK1" if number else _ICONS[NOTICE]
        line.operator("footfall.go_to_problem", text=text, icon=icon, translate=False).index = index


CLASSES = (ProblemList, GoToProblem, SetEndFrame, ReportPanel)
