# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake again by itself when a bake has become out of date, in slices, and give way to whatever the user does.

No undo step is made of it: undoing what made the bake old brings back the old bake with it, and redoing it has it baked
again.
"""

import bpy

from ....core.errors import FootfallError
from ...bakes.edited_people import EditedByHandError
from ...baking.bake import BakeJob
from ...runtime import failed_bakes, freshness, kernel_warm_up, last_bakes, running_bake
from ...settings.scene_settings import scene_of, settings_of
from .bake import InSlices, only_looks, why_not_bake

_Context = bpy.types.Context
_Event = bpy.types.Event


class RebakeQuietly(InSlices, bpy.types.Operator):
    """Bake what is out of date, unless the user has something else to do."""

    bl_idname = "footfall.rebake_quietly"
    bl_label = "Re-bake Quietly"
    bl_description = "Bake again what is out of date; any edit cancels it and keeps the earlier bake"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: _Context) -> bool:
        return not bpy.app.background and context.window is not None and why_not_bake(scene_of(context)) is None

    def invoke(self, context: _Context, _event: _Event) -> set[str]:
        try:
            memory = last_bakes.memory_of(scene_of(context))
            self._job = BakeJob(scene_of(context), backend=kernel_warm_up.backend(), memory=memory)
        except EditedByHandError:
            self.report({"INFO"}, "Auto Re-bake did not run: people were edited by hand. Press Re-bake to decide")
            return {"CANCELLED"}
        except FootfallError as error:
            return self._fail(context, error)
        self._running = running_bake.start(context, self._job)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: _Context, event: _Event) -> set[str]:
        """Work for a slice at each tick of the timer; end at the first event that is no mere look."""
        if running_bake.running() is not self._running:
            return {"CANCELLED"}
        if self._running.cancel_asked or not self._running.scene_exists:
            running_bake.stop(cancel=True)
            return {"CANCELLED"}
        if event.type == "TIMER":
            return self._work(context)
        if event.value in {"RELEASE", "NOTHING"} or only_looks(context, event):
            return {"PASS_THROUGH"}
        running_bake.stop(cancel=True)
        if event.type != "ESC":  # Esc means: not now
            freshness.judge_soon()
        return {"CANCELLED", "PASS_THROUGH"}

    def _fail(self, context: _Context, error: FootfallError) -> set[str]:
        failed_bakes.note_failure(scene_of(context), str(error))
        self.report({"WARNING"}, str(error))
        return {"CANCELLED"}


def _rebake_what_is_old() -> None:
    """Begin where a window shows a scene whose bake was just found out of date; never during playback or a render."""
    for window in bpy.context.window_manager.windows:
        settings = settings_of(window.scene)
        old = any(freshness.freshness(crowd) is freshness.Freshness.OUT_OF_DATE for crowd in settings.crowds)
        if settings.auto_rebake and old and not running_bake.running():
            with bpy.context.temp_override(window=window):
                if bpy.ops.footfall.rebake_quietly.poll():  # ty: ignore[missing-attribute]
                    bpy.ops.footfall.rebake_quietly("INVOKE_DEFAULT")  # ty: ignore[missing-attribute]


def attach() -> None:
    """Look whenever bakes have been compared."""
    freshness.when_judged.append(_rebake_what_is_old)


def detach() -> None:
    """Look no more."""
    freshness.when_judged.remove(_rebake_what_is_old)


CLASSES = (RebakeQuietly,)
