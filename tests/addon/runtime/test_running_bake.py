# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that runs in a window always comes to an end, whatever happens to the file meanwhile."""

from types import SimpleNamespace

import bpy
import pytest

pytestmark = pytest.mark.each_blender("modal operators, timers and handlers")


class Job:
    """Stands for a bake: some slices of work that change nothing."""

    stage, fraction, frame = "Simulating", 0.0, 1

    def __init__(self, slices=4):
        self.slices, self.cancelled = slices, 0

    def run_for(self, seconds):
        self.frame += 1
        self.fraction = (self.frame - 1) / self.slices
        return self.fraction >= 1.0

    def cancel(self):
        self.cancelled += 1


class Window:
    """Stands for the context of a window: keeps the texts of its status bar and counts its timers."""

    def __init__(self):
        self.texts, self.timers = [], 0
        self.window, self._scene = None, None
        self.workspace = SimpleNamespace(status_text_set=self.texts.append)
        self.window_manager = SimpleNamespace(event_timer_add=self.add_timer, event_timer_remove=self.remove_timer)

    @property
    def scene(self):
        return self._scene or bpy.context.scene  # undo replaces it

    @scene.setter
    def scene(self, scene):
        self._scene = scene

    def add_timer(self, seconds, window):
        self.timers += 1
        return "timer"

    def remove_timer(self, timer):
        assert timer == "timer"
        self.timers -= 1


@pytest.fixture
def progress(addon):
    return addon.module("blender_addon.runtime.running_bake")


@pytest.fixture
def window(addon):
    return Window()


def test_a_job_runs_to_its_end_and_puts_everything_away(progress, window):
    job = Job()
    running = progress.start(window, job)
    assert progress.running() is running
    assert window.timers == 1
    assert [running.run_slice() for _ in range(4)] == [False, False, False, True]
    assert "Simulating, frame 2" in window.texts[0]
    assert "Esc" in window.texts[0]
    progress.stop(cancel=False)
    assert (progress.running(), window.timers, window.texts[-1], job.cancelled) == (None, 0, None, 0)


def test_cancelling_twice_cancels_once(progress, window):
    job = Job()
    progress.start(window, job)
    progress.stop(cancel=True)
    progress.stop(cancel=True)
    assert (job.cancelled, window.timers) == (1, 0)


def test_a_second_bake_cancels_the_first(progress, window):
    first = Job()
    progress.start(window, first)
    progress.start(window, Job())
    assert (first.cancelled, window.timers) == (1, 1)


def test_a_job_that_cannot_even_be_cancelled_leaves_no_timer(progress, window):
    job = Job()
    job.cancel = lambda: 1 / 0
    progress.start(window, job)
    with pytest.raises(ZeroDivisionError):
        progress.stop(cancel=True)
    assert (progress.running(), window.timers) == (None, 0)


def test_an_error_cancels_and_goes_on_its_way(progress, window):
    job = Job()
    progress.start(window, job)
    with pytest.raises(KeyError), progress.cancelled_on_error():
        raise KeyError
    assert (job.cancelled, progress.running(), window.timers) == (1, None, 0)


@pytest.mark.parametrize("event", ["open another file", "undo", "redo", "disable the add-on"])
def test_what_takes_the_file_away_cancels_the_bake(progress, window, event):
    import addon_utils

    bpy.ops.ed.undo_push(message="before")
    bpy.context.scene.footfall.seed = 3
    bpy.ops.ed.undo_push(message="after")
    if event == "redo":
        bpy.ops.ed.undo()
    job = Job()
    progress.start(window, job)
    if event == "open another file":
        bpy.ops.wm.read_homefile(use_factory_startup=True)
    elif event == "disable the add-on":
        addon_utils.disable("bl_ext.user_default.footfall")
    else:
        getattr(bpy.ops.ed, event)()
    assert (job.cancelled, progress.running(), window.timers) == (1, None, 0)


def test_a_deleted_scene_is_noticed(progress, window):
    window.scene = bpy.data.scenes.new("Other")
    running = progress.start(window, Job())
    window.scene.name = "Renamed"
    assert running.scene_exists
    bpy.data.scenes.remove(window.scene)
    assert not running.scene_exists


@pytest.mark.parametrize(
    ("fraction", "seconds", "text"),
    [(0.0, 5, "Simulating, frame 1"), (0.5, 30, "30 s left"), (0.1, 60, "9 min left"), (1.0, 60, "0 s left")],
)
def test_time_left_in_words(progress, window, monkeypatch, fraction, seconds, text):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    job = Job()
    running = progress.start(window, job)
    job.fraction, now[0] = fraction, 100.0 + seconds
    assert running.text.endswith(text)


def test_nothing_of_footfall_can_be_pressed_while_a_bake_runs(progress, window, street):
    progress.start(window, Job())
    pressed = [name for name in dir(bpy.ops.footfall) if getattr(bpy.ops.footfall, name).poll()]
    assert pressed == ["cancel_bake", "open_manual"]  # reading changes nothing
    with pytest.raises(RuntimeError, match="bake is running"):
        bpy.ops.footfall.bake()
    bpy.ops.footfall.cancel_bake()
    assert progress.running().cancel_asked
