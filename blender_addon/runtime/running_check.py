# SPDX-License-Identifier: GPL-3.0-or-later
"""The check of a character that plays in the viewport, if there is one: plain arrays, and nothing in the file."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import bpy

from ..blender_data.handlers import Handlers, when_replaced
from ..blender_data.redraw import redraw_panels, redraw_views


@dataclass(eq=False)
class RunningCheck:
    """A walk on the spot.

    Attributes:
        checked: what is played.
        began: when it began to play [s].
        handles: of the functions that draw it.
    """

    checked: Any
    began: float = field(default_factory=time.monotonic)
    handles: list[Any] = field(default_factory=list)


_running: RunningCheck | None = None


def running() -> RunningCheck | None:
    """The check that plays, or None."""
    return _running


def start(checked: Any, draw: Callable[[RunningCheck], None]) -> None:
    """Play a walk in all viewports, in the place of another one."""
    global _running  # noqa: PLW0603 - Blender calls what draws with nothing that could know of it
    stop()
    _running = RunningCheck(checked)
    _running.handles.append(bpy.types.SpaceView3D.draw_handler_add(draw, (_running,), "WINDOW", "POST_VIEW"))
    redraw_panels()


def stop(*_: object) -> None:
    """End it; nothing is left of it."""
    global _running  # noqa: PLW0603
    if _running is None:
        return
    for handle in _running.handles:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
    _running = None
    redraw_views()
    redraw_panels()


_HANDLERS = Handlers(("load_pre", stop), *when_replaced(stop), at_end=stop)
attach, detach = _HANDLERS.attach, _HANDLERS.detach
