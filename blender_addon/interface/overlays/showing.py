# SPDX-License-Identifier: GPL-3.0-or-later
"""Which overlays are on and what they have drawn: made once for each frame and selection, painted at each redraw.

Blender calls `_show_in_space` and `_show_on_screen` for every viewport that it draws. An error in an overlay is shown
in the panel and in the console, and the overlay stays off until the user switches it again.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import bpy

from ...blender_data.evaluation import metres_per_unit
from ...blender_data.handlers import Handlers, when_replaced
from ...blender_data.redraw import redraw_panels, redraw_views
from ...runtime.overlay_state import OVERLAY_STATE, Drawn
from ...settings.overlay_catalogue import CATALOGUE, OverlayRow
from ...settings.properties import change_events
from ...settings.scene_settings import scene_of, settings_of
from . import view
from .painting import Painting
from .registry import OVERLAYS


def _show_in_space() -> None:
    for row in _overlays_on():
        _guarded(row, _paint_in_space)


def _show_on_screen() -> None:
    for row in _overlays_on():
        _guarded(row, _paint_labels)
    legends = [OVERLAYS[row.name].legend for row in _overlays_on() if row.name in OVERLAY_STATE.drawn]
    if legends:
        Painting.legend([line for legend in legends for line in legend])


def _overlays_on() -> Iterator[OverlayRow]:
    space: Any = bpy.context.space_data
    if space is None or not space.overlay.show_overlays:
        return
    toggles = settings_of(scene_of(bpy.context)).overlays
    yield from (each for each in CATALOGUE if getattr(toggles, each.name) and each.name not in OVERLAY_STATE.errors)


def _guarded(row: OverlayRow, paint: Callable[[OverlayRow], None]) -> None:
    """Paint; an error in one overlay affects neither the others nor Blender's drawing."""
    try:
        paint(row)
    except Exception as error:  # noqa: BLE001 - shown in the panel and in the console, once
        traceback.print_exc()
        OVERLAY_STATE.drawn.pop(row.name, None)
        OVERLAY_STATE.errors[row.name] = f"Turned off because of an error: {error}"
        redraw_panels()


def _paint_in_space(row: OverlayRow) -> None:
    scene, active = scene_of(bpy.context), bpy.context.active_object
    seen = view.look(scene, active, row.needs)
    if OVERLAY_STATE.note_missing(row.name, seen if isinstance(seen, str) else ""):
        redraw_panels()
    if isinstance(seen, str):
        OVERLAY_STATE.drawn.pop(row.name, None)
        return
    overlay, people = OVERLAYS[row.name], seen.people
    frame = seen.frame if overlay.each_frame else None
    chosen = people and (people.selected, id(people.replay))
    key = (scene.session_uid, frame, id(seen.reading), chosen, seen.options, overlay.version())
    known = OVERLAY_STATE.drawn.get(row.name)
    if known is None or known.key != key:
        known = OVERLAY_STATE.drawn[row.name] = Drawn(key, Painting(overlay.draw(seen), metres_per_unit(scene)))
    known.painting.in_space(seen.frame)


def _paint_labels(row: OverlayRow) -> None:
    shown = OVERLAY_STATE.drawn.get(row.name)
    if shown is not None:
        shown.painting.labels()


def _on_switch() -> None:
    """A toggle was pressed: overlays that failed are tried again."""
    OVERLAY_STATE.forget_sentences()
    redraw_views()


def _on_another_file(*_: object) -> None:
    """Another file, or another state of this one: everything is drawn again."""
    OVERLAY_STATE.drawn.clear()
    OVERLAY_STATE.forget_sentences()


_HANDLERS = Handlers(
    *when_replaced(_on_another_file),
)


def attach() -> None:
    """Draw in all viewports from now on; in the background there are none."""
    _HANDLERS.attach()
    change_events.overlay_listeners.append(_on_switch)
    if not bpy.app.background:
        for show, when in ((_show_in_space, "POST_VIEW"), (_show_on_screen, "POST_PIXEL")):
            OVERLAY_STATE.handles.append(bpy.types.SpaceView3D.draw_handler_add(show, (), "WINDOW", when))


def detach() -> None:
    """Stop drawing and forget what was drawn."""
    while OVERLAY_STATE.handles:
        bpy.types.SpaceView3D.draw_handler_remove(OVERLAY_STATE.handles.pop(), "WINDOW")
    change_events.overlay_listeners.remove(_on_switch)
    _HANDLERS.detach()
    _on_another_file()
