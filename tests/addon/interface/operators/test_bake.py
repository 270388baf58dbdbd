# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake and Clear as scripts call them: at once, to the end, one undo step, errors as exceptions."""

import json
from types import SimpleNamespace

import bpy
import pytest

pytestmark = pytest.mark.each_blender("operators, undo and reports")

ops = bpy.ops


def test_bake_makes_characters_and_clear_removes_them(street):
    names = sorted(bpy.data.objects.keys())
    assert ops.footfall.bake() == {"FINISHED"}
    assert street.baked_count == 3
    assert street.crowd.baked
    assert json.loads(street.settings.report)["total"]["agents"] == 3
    assert ops.footfall.clear() == {"FINISHED"}
    assert sorted(bpy.data.objects.keys()) == names
    assert (street.crowd.baked, street.settings.report) == ("", "")
    with pytest.raises(RuntimeError, match="Nothing is baked"):
        ops.footfall.clear()


def test_one_crowd_can_be_baked_and_cleared_by_name(street):
    ops.footfall.crowd_add()
    other = street.settings.crowds[1]
    other.name, other.route, other.characters, other.count = "Others", street.path, street.crowd.characters, 2
    other.spawn.mode = "SPREAD"
    ops.footfall.bake(crowd="Others")
    assert (street.crowd.baked, bool(other.baked)) == ("", True)
    ops.footfall.bake()
    ops.footfall.clear(crowd="Others")
    assert (bool(street.crowd.baked), other.baked) == (True, "")
    assert street.settings.report
    with pytest.raises(RuntimeError, match="Nobody"):
        ops.footfall.clear(crowd="Nobody")
    with pytest.raises(RuntimeError, match="Nobody"):
        ops.footfall.bake(crowd="Nobody")


def test_bake_is_one_undo_step(street):
    ops.ed.undo_push(message="before")
    names = sorted(bpy.data.objects.keys())
    ops.footfall.bake("EXEC_DEFAULT", True)
    baked = sorted(bpy.data.objects.keys())
    assert baked != names
    ops.ed.undo()
    crowd = bpy.context.scene.footfall.crowds[0]
    assert (sorted(bpy.data.objects.keys()), crowd.baked, bpy.context.scene.footfall.report) == (names, "", "")
    ops.ed.redo()
    assert sorted(bpy.data.objects.keys()) == baked
    assert bpy.context.scene.footfall.crowds[0].baked


def test_without_a_window_an_invoked_bake_runs_at_once(street):
    assert ops.footfall.bake("INVOKE_DEFAULT") == {"FINISHED"}
    assert street.baked_count == 3


def test_why_nothing_can_be_baked(addon):
    with pytest.raises(RuntimeError, match="no crowd yet"):
        ops.footfall.bake()
    ops.footfall.crowd_add()
    with pytest.raises(RuntimeError, match="Crowd 'Crowd' has no route"):
        ops.footfall.bake()
    bpy.context.scene.footfall.crowds[0].mode = "AREAS"
    with pytest.raises(RuntimeError, match="has no start or goal"):
        ops.footfall.bake()


def test_an_error_of_ours_is_told_and_nothing_is_made(street):
    street.path.data.splines.clear()
    names = sorted(bpy.data.objects.keys())
    with pytest.raises(RuntimeError, match="Path"):
        ops.footfall.bake()
    assert sorted(bpy.data.objects.keys()) == names
    assert street.crowd.baked == ""


def test_a_curve_in_edit_mode_is_baked_as_it_is_seen(addon, street):
    bpy.context.view_layer.objects.active = street.path
    ops.object.mode_set(mode="EDIT")
    for point in street.path.data.splines[0].points:
        point.co.y += 20.0
    ops.footfall.bake()
    assert bpy.context.mode == "EDIT_CURVE"
    ops.object.mode_set(mode="OBJECT")
    places = [obj.matrix_world.translation.y for obj in street.scene.objects if obj.get("footfall_crowd")]
    bpy.context.scene.frame_set(3)
    places = [obj.matrix_world.translation.y for obj in street.scene.objects if obj.get("footfall_crowd")]
    assert places == pytest.approx([20.0] * 3, abs=1.0)


class Job:
    """Stands for a bake of two slices."""

    stage, fraction, frame = "Simulating", 0.0, 1

    def __init__(self, scene, crowd=None, backend="auto", edited="ASK", memory=None):
        self.scene = scene
        self.slices, self.cancelled = 2, 0
        self.result = SimpleNamespace(summary="Done", reading=SimpleNamespace(fingerprint="print"))

    def run_for(self, seconds):
        self.slices -= 1
        return self.slices == 0

    def cancel(self):
        self.cancelled += 1


class Pressed:
    """An operator in a window, as Blender would call it; its class cannot be made by hand."""

    crowd, edited = "", "ASK"

    def __init__(self, operator, context):
        self.reports, self.context = [], context
        for name in ("modal", "invoke", "cancel", "_work", "_finish", "_fail", "_new_job", "execute", "refuse"):
            setattr(self, name, getattr(operator, name).__get__(self))

    def report(self, kind, text):
        self.reports.append((kind, text))

    def send(self, kind, value="PRESS"):
        """An event of the window, in the middle of nowhere."""
        return self.modal(self.context, SimpleNamespace(type=kind, value=value, mouse_x=-1, mouse_y=-1))


@pytest.fixture
def pressed(addon, street, monkeypatch):
    """Bake as pressed in a window: the job is replaced, and everything of the window stands ready."""
    module = addon.module("blender_addon.interface.operators.bake")
    monkeypatch.setattr(module, "BakeJob", Job)
    monkeypatch.setattr(module, "bpy", SimpleNamespace(app=SimpleNamespace(background=False), types=bpy.types))
    manager = SimpleNamespace(
        event_timer_add=lambda *_, **__: "timer", event_timer_remove=lambda _: None, modal_handler_add=lambda _: True
    )
    cursors = []
    window = SimpleNamespace(
        screen=SimpleNamespace(areas=[]), cursor_modal_set=cursors.append, cursor_modal_restore=cursors.clear
    )
    workspace = SimpleNamespace(status_text_set=lambda _: None)
    context = SimpleNamespace(
        scene=bpy.context.scene, mode="OBJECT", window=window, window_manager=manager, workspace=workspace
    )
    operator = Pressed(module.BakeCrowds, context)
    assert operator.invoke(context, None) == {"RUNNING_MODAL"}
    assert cursors == []
    return operator


def test_in_a_window_it_works_at_each_tick_until_it_is_done(addon, pressed):
    assert pressed.send("TIMER") == {"PASS_THROUGH"}
    assert pressed.send("TIMER") == {"FINISHED"}
    assert pressed.reports == [({"INFO"}, "Done")]
    assert addon.module("blender_addon.runtime.running_bake").running() is None


def test_escape_cancels(addon, pressed):
    assert pressed.send("ESC", "RELEASE") == {"RUNNING_MODAL"}
    assert pressed.send("ESC") == {"CANCELLED"}
    assert pressed._job.cancelled == 1
    assert addon.module("blender_addon.runtime.running_bake").running() is None


def test_the_cancel_button_cancels(pressed):
    ops.footfall.cancel_bake()
    assert pressed.send("MOUSEMOVE") == {"CANCELLED"}
    assert pressed._job.cancelled == 1


def test_a_closed_window_cancels(pressed):
    pressed.cancel(pressed.context)
    assert pressed._job.cancelled == 1


def test_ended_from_outside_it_goes_quietly(addon, pressed):
    addon.module("blender_addon.runtime.running_bake").stop(cancel=True)
    assert pressed.send("TIMER") == {"CANCELLED"}
    assert (pressed.reports, pressed._job.cancelled) == ([], 1)


def test_the_user_can_look_round_but_not_edit(pressed):
    looks = [pressed.send(kind) for kind in ("MIDDLEMOUSE", "WHEELUPMOUSE", "NUMPAD_7", "MOUSEMOVE", "TIMER_REPORT")]
    edits = [pressed.send(kind) for kind in ("X", "Z", "G", "LEFTMOUSE", "RET", "SPACE")]
    assert looks == [{"PASS_THROUGH"}] * 5
    assert edits == [{"RUNNING_MODAL"}] * 6


def test_an_error_while_it_works_is_told(addon, pressed):
    def fail(seconds):
        raise addon.errors.FootfallError("the disk is full")

    pressed._job.run_for = fail
    assert pressed.send("TIMER") == {"CANCELLED"}
    assert pressed.reports == [({"ERROR"}, "the disk is full")]
    assert (pressed._job.cancelled, addon.module("blender_addon.runtime.running_bake").running()) == (1, None)


def test_a_bug_keeps_its_traceback_and_ends_the_bake(addon, pressed):
    pressed._job.run_for = lambda _: 1 / 0
    with pytest.raises(ZeroDivisionError):
        pressed.send("TIMER")
    assert (pressed._job.cancelled, addon.module("blender_addon.runtime.running_bake").running()) == (1, None)
    assert pressed.send("TIMER") == {"CANCELLED"}


def test_what_was_baked_is_noted_for_its_own_scene_whatever_the_window_shows(addon, street, pressed):
    staleness = addon.module("blender_addon.runtime.freshness")
    street.crowd.baked = "print"
    other = bpy.data.scenes.new("Other")
    crowd = other.footfall.crowds.add()
    crowd.baked = "an earlier one"
    pressed.context.scene = other
    pressed.send("TIMER")
    assert pressed.send("TIMER") == {"FINISHED"}
    assert staleness.freshness(street.crowd).name == "UP_TO_DATE"
    assert staleness.freshness(crowd).name == "NOT_COMPARED"


def test_a_crowd_that_cannot_be_cleared_leaves_all_bakes_as_they_are(street):
    ops.footfall.crowd_add()
    other = street.settings.crowds[1]
    other.name, other.route, other.characters, other.count = "Others", street.path, street.crowd.characters, 2
    other.spawn.mode = "SPREAD"
    ops.footfall.bake()
    before = sorted(bpy.data.objects.keys()), street.crowd.baked, other.baked, street.settings.report
    baked = next(obj for obj in street.scene.objects if obj.get("footfall_crowd") == other.uid)
    bpy.context.view_layer.objects.active = baked
    ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match=r"^Error: '.*' is being edited"):
        ops.footfall.clear()
    street.settings.active_crowd_index = 1
    with pytest.raises(RuntimeError, match=r"^Error: '.*' is being edited"):
        ops.footfall.crowd_remove()
    ops.object.mode_set(mode="OBJECT")
    assert (sorted(bpy.data.objects.keys()), street.crowd.baked, other.baked, street.settings.report) == before
    assert len(street.settings.crowds) == 2
    assert ops.footfall.clear() == {"FINISHED"}


def test_more_frames_and_people_than_the_memory_holds_are_told(street):
    names = sorted(bpy.data.objects.keys())
    street.scene.frame_end, street.crowd.count, street.crowd.spawn.mode = 1_000_000, 2_000, "FLOW"
    with pytest.raises(RuntimeError, match=r"^Error: frames: 1000000 frames of 2000 people need \d+ GiB of memory"):
        ops.footfall.bake()
    assert sorted(bpy.data.objects.keys()) == names


def test_memory_that_runs_out_is_told(addon, street, monkeypatch):
    def run_out(*_, **__):
        raise MemoryError

    module = addon.module("blender_addon.baking.bake")
    names = sorted(bpy.data.objects.keys())
    monkeypatch.setattr(module.Cast, "add", run_out)
    with pytest.raises(RuntimeError, match=r"^Error: there is not enough memory"):
        ops.footfall.bake()
    monkeypatch.setattr(module, "Simulation", run_out)
    with pytest.raises(RuntimeError, match=r"^Error: there is not enough memory"):
        ops.footfall.bake()
    assert sorted(bpy.data.objects.keys()) == names
