# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected person at the current frame: what it is doing, because of whom, its wish and its route."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import bpy
import numpy as np

from ....core.errors import FootfallError
from ....core.inspection.reasons import Doing, Why, explain
from ....core.inspection.replay import Replay
from ....core.wording import as_sentence
from ...settings.overlay_catalogue import Need
from ...settings.scene_settings import has_bake, scene_of
from ..overlays.layers.why import sentence
from ..overlays.view import look
from ..panel_layout import draw_sentence, draw_value
from .main import Tab

_Context = bpy.types.Context

_SEEN_CHANGE = 0.005  # of a speed that is shown with two decimals [m/s]


class _Row(NamedTuple):
    """A line of the panel: its label and its value."""

    label: str
    value: str


class _Told(NamedTuple):
    """What the panel shows of a person."""

    title: str
    lines: list[_Row]
    no_way: str


class PersonPanel(Tab, bpy.types.Panel):
    """Why the selected person does what it does."""

    bl_idname = "FOOTFALL_PT_person"
    bl_label = "Selected Person"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: _Context) -> bool:
        return has_bake(scene_of(context))

    def draw(self, context: _Context) -> None:
        layout = self.columns
        if context.screen is not None and context.screen.is_animation_playing:
            draw_sentence(layout, context, "Shown while playback is stopped")
            return
        told = _tell(context)
        if isinstance(told, str):
            draw_sentence(layout, context, told)
            layout.operator("footfall.go_to_person", text="Go to Person ...", icon="VIEWZOOM")
            return
        layout.label(text=told.title, icon="OUTLINER_OB_ARMATURE", translate=False)
        grid = layout.box().column(align=True)
        for line in told.lines:
            draw_value(grid, context, line.label, line.value, label_share=0.3)
        if told.no_way:
            draw_sentence(layout, context, told.no_way)


def _tell(context: _Context) -> _Told | str:
    """What the panel shows of the selected person; or a sentence that says what is missing."""
    scene = scene_of(context)
    try:
        view = look(scene, context.active_object, Need.SELECTED)
        if isinstance(view, str):
            return view
        people, agent = view.selected
        return _told(people.replay, tuple(people.titles), agent, people.moment.frame)
    except FootfallError as error:
        return str(error)


@lru_cache(maxsize=1)
def _told(replay: Replay, titles: tuple[str, ...], agent: int, frame: int) -> _Told:
    """What the panel shows of an agent at a frame; the panel is drawn far more often than that changes."""
    found = explain(replay, agent, replay.moment(frame))
    return _Told(titles[agent], list(_lines(titles, found)), found.no_way)


def _lines(titles: Sequence[str], found: Why) -> Iterator[_Row]:
    doing = sentence(titles, found)
    yield _Row("Activity", as_sentence(doing))
    yield _Row("Speed", f"{found.speed:.2f} m/s, prefers {found.wanted_speed:.2f}")
    if found.doing is Doing.ARRIVED:
        return
    if found.no_way:
        yield _Row("Route", "none")
    elif np.isfinite(found.way_left):
        yield _Row("Route", f"{found.way_left:.1f} m left")
    if found.wish is not None and abs(np.hypot(*found.wish) - found.wanted_speed) >= _SEEN_CHANGE:
        yield _Row("Preferred", f"{np.hypot(*found.wish):.2f} m/s here")


CLASSES = (PersonPanel,)
