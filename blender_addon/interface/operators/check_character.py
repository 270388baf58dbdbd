# SPDX-License-Identifier: GPL-3.0-or-later
"""Check Character: the walk of a character on the spot, with its contacts, drawn over the viewport and nowhere else."""

from __future__ import annotations

import json
import time
import traceback
from typing import Any

import bpy

from ....core.errors import FootfallError
from ...blender_data.evaluation import metres_per_unit
from ...blender_data.redraw import redraw_views
from ...characters.choice import KnownTemplates, choose_characters
from ...characters.ready.cast_table import characters_in_table
from ...characters.ready.checked_walk import CheckedWalk, check_walk
from ...runtime import running_check
from ...settings.scene_settings import active_crowd, scene_of, settings_of
from ..overlays import foot_contacts
from ..overlays.painting import Painting
from ..poll_reasons import Explaining
from .find_clips import why_no_cast

_Context = bpy.types.Context
_TICK = 1.0 / 30.0  # between two redraws [s]


class CheckCharacter(Explaining, bpy.types.Operator):
    """Play the walk of the active character in front of the original; without a window, tell its figures at once."""

    bl_idname = "footfall.check_character"
    bl_label = "Check Character"
    bl_description = (
        "Play the walk of the active character of the cast table on the spot, at the speed of its stride, and mark "
        "where a foot stands. Esc, a click in the viewport or the button again ends it; nothing is left in the file"
    )

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        if running_check.running() is not None:
            return None
        reason = why_no_cast(context)
        if reason:
            return reason
        scene = scene_of(context)
        is_there = settings_of(scene).active_character_index in characters_in_table(scene, active_crowd(scene))
        return None if is_there else "No character of this crowd is active: press Look Again"

    def execute(self, context: _Context) -> set[str]:
        return {"CANCELLED"} if self._check(context) is None else {"FINISHED"}

    def invoke(self, context: _Context, _event: bpy.types.Event) -> set[str]:
        if running_check.running() is not None:
            running_check.stop()
            return {"CANCELLED"}
        if bpy.app.background:
            return self.execute(context)
        checked = self._check(context)
        if checked is None:
            return {"CANCELLED"}
        running_check.start(checked, _draw)
        self._timer = context.window_manager.event_timer_add(_TICK, window=context.window)
        self._played = running_check.running()
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: _Context, event: bpy.types.Event) -> set[str]:
        if running_check.running() is not self._played:  # the button again, an undo, or an error
            self._end(context)
            return {"CANCELLED", "PASS_THROUGH"}
        ends = event.type == "ESC" or (event.type == "LEFTMOUSE" and _is_in_viewport(context, event))
        if ends and event.value == "PRESS":
            running_check.stop()
            self._end(context)
            return {"CANCELLED"}
        if event.type == "TIMER":
            redraw_views()
        return {"PASS_THROUGH"}

    def cancel(self, context: _Context) -> None:
        running_check.stop()
        self._end(context)

    def _check(self, context: _Context) -> CheckedWalk | None:
        """Check the active character, and tell its figures, or why it cannot be checked."""
        try:
            checked = _check(scene_of(context))
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return None
        self.report({"INFO"}, checked.sentence)
        return checked

    def _end(self, context: _Context) -> None:
        context.window_manager.event_timer_remove(self._timer)


def _check(scene: bpy.types.Scene) -> CheckedWalk:
    """Check the active character, and note the figures in its row.

    Raises:
        FootfallError: it has no walk, or is gone.
    """
    row = settings_of(scene).cast[settings_of(scene).active_character_index]
    frames, unit = (scene.frame_start, scene.frame_end), metres_per_unit(scene)
    crowd: Any = active_crowd(scene)
    for character, settings in choose_characters(crowd, KnownTemplates(), scene=scene, frames=frames, unit=unit):
        if character.parts[0] == row.mover:
            checked = check_walk(character, settings)
            row.checked = json.dumps(checked.figures)
            return checked
    raise FootfallError(f"'{row.name}' is no longer a character of '{crowd.name}': press Look Again")


def _is_in_viewport(context: _Context, event: bpy.types.Event) -> bool:
    """Whether the mouse is over what a 3D viewport shows, not over its sidebar."""
    areas = [area for area in context.window.screen.areas if area.type == "VIEW_3D"]

    def holds(region: bpy.types.Region) -> bool:
        x, y = event.mouse_x - region.x, event.mouse_y - region.y
        return 0 <= x < region.width and 0 <= y < region.height

    over = [region for area in areas for region in area.regions if holds(region)]
    return bool(over) and all(region.type == "WINDOW" for region in over)


def _draw(running: running_check.RunningCheck) -> None:
    checked = running.checked
    try:
        phase = (time.monotonic() - running.began) / checked.seconds % 1.0
        scene = scene_of(bpy.context)
        Painting(foot_contacts.draw(checked, phase), metres_per_unit(scene)).in_space(scene.frame_current)
    except Exception:  # noqa: BLE001 - Blender would call it again at each redraw
        traceback.print_exc()
        bpy.app.timers.register(running_check.stop, first_interval=0.0)


CLASSES = (CheckCharacter,)
