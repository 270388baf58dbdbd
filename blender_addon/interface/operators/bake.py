# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake, cancel and clear: what makes and removes the characters."""

from collections.abc import Callable

import bpy
from bpy.props import EnumProperty, StringProperty

from ....core.errors import FootfallError
from ...bakes.edited_people import ASK, KEEP, OVERWRITE, EditedByHandError
from ...baking.bake import BakeJob
from ...baking.clearing import clear_crowds
from ...runtime import failed_bakes, freshness, kernel_warm_up, last_bakes, running_bake
from ...settings.scene_settings import has_bake, scene_of, settings_of
from ..poll_reasons import NO_CROWD, Explaining, why_busy, why_nothing_baked
from .people.select_culprits import select_culprits

_Context = bpy.types.Context
_Event = bpy.types.Event

TAB = "Footfall"
"""Name of our tab in the sidebar of the 3D viewport."""

_VIEW_EVENTS = {
    "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE", "TRACKPADPAN", "TRACKPADZOOM",
    "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "TIMER_REPORT",
}  # fmt: skip


def why_not_bake(scene: bpy.types.Scene) -> str | None:
    """The reason why nothing can be baked as things are, or None."""
    reason = why_busy(scene) or (None if len(settings_of(scene).crowds) else NO_CROWD)
    missing = _what_is_missing(scene)
    return reason or ("Crowd '{}' {}".format(*missing) if missing else None)


def what_is_missing(scene: bpy.types.Scene) -> str | None:
    """What a crowd lacks, and its name last, as a single line may be cut off there; None where nothing is missing."""
    missing = _what_is_missing(scene)
    if missing is None:
        return None
    name, sentence = missing
    return f"{sentence.partition(':')[0].removeprefix('has ').capitalize()}: '{name}'"


def _what_is_missing(scene: bpy.types.Scene) -> tuple[str, str] | None:
    """The first crowd that lacks something, and what it has not, with the way out."""
    for crowd in settings_of(scene).crowds:
        if crowd.has_curve and crowd.route is None:
            return crowd.name, "has no route: select a curve and press Use Selected Curve under Route"
        if crowd.is_there and crowd.presence.place is None and crowd.presence.places is None:
            return crowd.name, "has no place: choose an object or a collection"
        if not crowd.has_curve and not crowd.is_there and (crowd.start is None or crowd.goal is None):
            return crowd.name, "has no start or goal: choose a mesh or an empty for each"
    return None


class InSlices:
    """What operators have in common that bake in slices from a timer; mixed into them.

    They have a `_job` and the `_running` bake, and say in `_fail` what they do about an error.
    """

    _job: BakeJob
    _running: running_bake.RunningBake
    report: Callable[..., None]  # of the operator
    _fail: Callable[[_Context, FootfallError], set[str]]

    def cancel(self, _context: _Context) -> None:
        """The window is closed, or Blender quits."""
        if running_bake.running() is self._running:
            running_bake.stop(cancel=True)

    def _work(self, context: _Context) -> set[str]:
        try:
            with running_bake.cancelled_on_error():
                finished = self._running.run_slice()
        except FootfallError as error:
            return self._fail(context, error)
        if not finished:
            return {"PASS_THROUGH"}
        running_bake.stop(cancel=False)
        return self._finish()

    def _finish(self) -> set[str]:
        result = self._job.result
        freshness.note_bake(self._job.scene, result.reading)
        failed_bakes.note_success(self._job.scene)
        self.report({"INFO"}, result.summary)
        return {"FINISHED"}


class BakeCrowds(Explaining, InSlices, bpy.types.Operator):
    """Let the people walk: make their characters with ordinary keyframes over the frames of the scene."""

    bl_idname = "footfall.bake"
    bl_label = "Bake Crowds"
    bl_description = (
        "Simulate the crowds over the frame range and write characters with ordinary keyframes. The "
        "earlier bake is replaced when the new one is done"
    )
    bl_options = {"REGISTER", "UNDO"}

    crowd: StringProperty(
        name="Crowd",
        description="Name of a crowd, to write characters of this crowd only; empty: all crowds",
        options={"SKIP_SAVE"},
    )

    edited: EnumProperty(
        name="Edited by Hand",
        description="What to do with people who were edited by hand",
        items=[
            (ASK, "Ask", "Ask what to do; without a window, do not bake"),
            (KEEP, "Keep", "Pin them: they stay as they are, and everybody avoids them"),
            (OVERWRITE, "Overwrite", "Replace them like all others; your Actions and materials stay in the file"),
        ],
        default=ASK,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return why_not_bake(scene_of(context))

    def execute(self, context: _Context) -> set[str]:
        """Bake at once and to the end: scripts, and Blender without a window."""
        try:
            self._job = self._new_job(context)
            while not self._job.run_for(1.0):
                pass
        except FootfallError as error:
            return self._fail(context, error)
        return self._finish()

    def invoke(self, context: _Context, _event: _Event) -> set[str]:
        """Bake in slices while the window stays alive."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        context.window.cursor_modal_set("WAIT")  # reading cannot be done in slices
        try:
            self._job = self._new_job(context, backend=kernel_warm_up.backend())
        except EditedByHandError as error:
            return bpy.ops.footfall.bake_edited("INVOKE_DEFAULT", crowd=self.crowd, told=str(error))  # ty: ignore[missing-attribute]
        except FootfallError as error:
            return self._fail(context, error)
        finally:
            context.window.cursor_modal_restore()
        self._running = running_bake.start(context, self._job)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: _Context, event: _Event) -> set[str]:
        """Work for a slice at each tick of the timer; let the user look round, but not edit."""
        if running_bake.running() is not self._running:
            return {"CANCELLED"}  # ended from outside: undo, another file, the add-on disabled
        escaped = event.type == "ESC" and event.value == "PRESS"
        if escaped or self._running.cancel_asked or not self._running.scene_exists:
            running_bake.stop(cancel=True)
            self.report({"INFO"}, "Bake cancelled; nothing was changed")
            return {"CANCELLED"}
        if event.type == "TIMER":
            return self._work(context)
        return {"PASS_THROUGH"} if only_looks(context, event) else {"RUNNING_MODAL"}

    def _new_job(self, context: _Context, **options: str) -> BakeJob:
        scene = scene_of(context)
        memory = last_bakes.memory_of(scene)
        return BakeJob(scene, crowd=self.crowd or None, edited=self.edited, memory=memory, **options)

    def _fail(self, context: _Context, error: FootfallError) -> set[str]:
        failed_bakes.note_failure(scene_of(context), str(error))
        select_culprits(context, error)
        return self.refuse(str(error))


def only_looks(context: _Context, event: _Event) -> bool:
    """The event turns a view or presses a button in our own tab, which are all greyed out but Cancel."""
    if event.type in _VIEW_EVENTS or event.type.startswith(("NUMPAD_", "TIMER")):
        return True
    if event.type != "LEFTMOUSE":
        return False
    regions = (region for area in context.window.screen.areas if area.type == "VIEW_3D" for region in area.regions)
    return any(_is_our_tab(region) and _is_inside(region, event) for region in regions)


def _is_our_tab(region: bpy.types.Region) -> bool:
    return region.type == "UI" and str(region.active_panel_category) == TAB


def _is_inside(region: bpy.types.Region, event: _Event) -> bool:
    right, top = event.mouse_x - region.x, event.mouse_y - region.y
    return 0 <= right < region.width and 0 <= top < region.height


class CancelBake(bpy.types.Operator):
    """Ask the running bake to end; it does so at its next slice."""

    bl_idname = "footfall.cancel_bake"
    bl_label = "Cancel Bake"
    bl_description = "Cancel the running bake and leave the file unchanged (same as Esc)"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: _Context) -> bool:
        if running_bake.running() is None:
            cls.poll_message_set("No bake is running")
            return False
        return True

    def execute(self, _context: _Context) -> set[str]:
        running = running_bake.running()
        if running is not None:
            running.cancel_asked = True
        return {"FINISHED"}


class ClearBake(Explaining, bpy.types.Operator):
    """Remove what bakes made."""

    bl_idname = "footfall.clear"
    bl_label = "Clear Bake"
    bl_description = "Remove the baked characters, and nothing else"
    bl_options = {"REGISTER", "UNDO"}

    crowd: StringProperty(
        name="Crowd",
        description="Name of a crowd, to clear this crowd only; empty: all crowds",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return why_nothing_baked(scene_of(context))

    def execute(self, context: _Context) -> set[str]:
        settings = settings_of(scene_of(context))
        chosen = [crowd for crowd in settings.crowds if crowd.baked and self.crowd in {"", crowd.name}]
        if not chosen:
            return self.refuse(f"No baked crowd is named '{self.crowd}'")
        try:
            notices = clear_crowds(scene_of(context), chosen)
        except FootfallError as error:
            select_culprits(context, error)
            return self.refuse(str(error))
        if not has_bake(scene_of(context)):
            settings.report = ""
            settings.problems.clear()
        names = ", ".join(f"'{crowd.name}'" for crowd in chosen)
        self.report({"INFO"}, "; ".join([f"Cleared the bake of {names}", *notices]))
        return {"FINISHED"}


CLASSES = (BakeCrowds, CancelBake, ClearBake)
