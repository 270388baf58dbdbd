# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake that is running now: at most one, visible to every panel and button, and always ended.

A job works in slices while the window stays alive. Whatever happens meanwhile (Esc, another file, undo, the scene
deleted, the add-on disabled, an error of our own), `stop` removes timer, status text and half-made data.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Protocol

import bpy

from ..blender_data.handlers import Handlers
from ..blender_data.redraw import redraw_panels
from ..settings.scene_settings import scene_of
from .pacing import PACING


class Job(Protocol):
    """A job that runs in slices; see `baking.bake.BakeJob`."""

    @property
    def stage(self) -> str:
        """What it is doing, in words."""
        ...

    @property
    def fraction(self) -> float:
        """Share of the work that is done, 0 to 1."""
        ...

    @property
    def frame(self) -> int:
        """The last simulated frame."""
        ...

    def run_for(self, seconds: float) -> bool:
        """Work for about this time [s]; True when all is done."""
        ...

    def cancel(self) -> None:
        """End, leaving the file as it was before."""
        ...


class RunningBake:
    """A job in its window: its timer, its status text, its progress in words.

    Attributes:
        job: the work itself.
        cancel_asked: somebody pressed the cancel button.
    """

    def __init__(self, job: Job, context: bpy.types.Context) -> None:
        """Begin the timer that drives the job, until `end`."""
        self.job = job
        self.cancel_asked = False
        self._scene_uid = scene_of(context).session_uid
        self._show_status = context.workspace.status_text_set
        self._began = time.monotonic()
        self._drawn = 0.0
        self._ends = ExitStack()
        manager = context.window_manager
        timer = manager.event_timer_add(PACING.bake_timer, window=context.window)
        self._ends.callback(manager.event_timer_remove, timer)
        self._ends.callback(redraw_panels)
        self._ends.callback(self._show_status, None)

    def run_slice(self) -> bool:
        """Work for one slice and show the progress; True when all is done.

        Raises:
            FootfallError: raised by the job; the file is as before.
        """
        finished = self.job.run_for(PACING.bake_slice)
        now = time.monotonic()
        if now - self._drawn > PACING.bake_redraw:  # drawing takes time from the work
            self._drawn = now
            self._show_status(f"Footfall: {self.text}   |   Esc: cancel without changes")
            redraw_panels()
        return finished

    @property
    def scene_exists(self) -> bool:
        """False once the scene that is baked was deleted."""
        return any(scene.session_uid == self._scene_uid for scene in bpy.data.scenes)

    @property
    def text(self) -> str:
        """Stage, frame and time left: `Simulating, frame 84, 12 s left`."""
        parts = [self.job.stage, f"frame {self.job.frame}"]
        left = self.seconds_left
        if left is not None:
            parts.append(f"{left:.0f} s left" if left < 90 else f"{left / 60:.0f} min left")
        return ", ".join(parts)

    @property
    def seconds_left(self) -> float | None:
        """Estimated remaining time [s]; None while it is too early to tell."""
        done = self.job.fraction
        if done < PACING.least_fraction:
            return None
        return (time.monotonic() - self._began) * (1 - done) / done

    def end(self) -> None:
        """Remove timer and status text, if that is not done already."""
        self._ends.close()


_running: RunningBake | None = None


def running() -> RunningBake | None:
    """The bake that is running now, or None."""
    return _running


def start(context: bpy.types.Context, job: Job) -> RunningBake:
    """Make `job` the running bake and show it in the window."""
    global _running  # noqa: PLW0603 - one bake at a time in one Blender
    stop(cancel=True)
    _running = RunningBake(job, context)
    return _running


def stop(*, cancel: bool) -> None:
    """End the running bake, if there is one; with `cancel` the file becomes what it was before."""
    global _running
    ended, _running = _running, None
    if ended is None:
        return
    try:
        if cancel:
            ended.job.cancel()
    finally:
        ended.end()


@contextmanager
def cancelled_on_error() -> Generator[None]:
    """Cancel the running bake on an error inside, which is raised on."""
    try:
        yield
    except BaseException:
        stop(cancel=True)
        raise


def _cancel_before(*_: object) -> None:
    """The file is about to be replaced, by another one or by an earlier state of itself, or the add-on is disabled."""
    stop(cancel=True)


_HANDLERS = Handlers(
    ("load_pre", _cancel_before),
    ("undo_pre", _cancel_before),
    ("redo_pre", _cancel_before),
    at_end=_cancel_before,
)
attach, detach = _HANDLERS.attach, _HANDLERS.detach
