# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected person at the current frame: what it is doing and why, its way, its plan, and whom it minds."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ....core.errors import FootfallError
from ....core.inspection.reasons import Doing, Why
from ...settings.overlay_catalogue import Need
from ...settings.scene_settings import has_bake, scene_of
from ..overlays.layers.why import reasons, sentence
from ..overlays.overlay import BakedPeople
from ..overlays.view import look
from .main import Tab, draw_sentence

_Context = bpy.types.Context

_MOST_NAMED = 4
_LEAST_OFFSET = 0.05  # [m]: nearer to its line a plan is on it


class _Row(NamedTuple):
    """A line of the panel: what it is about, and what is so."""

    label: str
    value: str


class _Told(NamedTuple):
    """What was told last, and of what."""

    key: Hashable
    title: str
    lines: list[_Row]
    no_way: str


_last: list[_Told] = []  # one at most


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
            layout.label(text="Told while the animation stands still", icon="INFO")
            return
        told = _tell(context)
        if isinstance(told, str):
            draw_sentence(layout, context, told)
            layout.operator("footfall.go_to_person", text="Go to Person ...", icon="VIEWZOOM")
            return
        layout.label(text=told.title, icon="OUTLINER_OB_ARMATURE", translate=False)
        grid = layout.box().column(align=True)
        for line in told.lines:
            row = grid.split(factor=0.3)
            row.label(text=line.label)
            row.label(text=line.value, translate=False)
        if told.no_way:
            draw_sentence(layout, context, told.no_way)


def _tell(context: _Context) -> _Told | str:
    """What there is to tell, worked out once for each frame and person; or what is missing for it."""
    scene = scene_of(context)
    try:
        view = look(scene, context.active_object, Need.SELECTED)
        if isinstance(view, str):
            return view
        people, agent = view.selected
        key = (scene.session_uid, view.frame, agent, id(people.replay))
        if not _last or _last[0].key != key:
            found = reasons(people, agent)
            _last[:] = [_Told(key, people.titles[agent], list(_lines(people, found)), found.no_way)]
    except FootfallError as error:
        return str(error)
    return _last[0]


def _lines(people: BakedPeople, found: Why) -> Iterator[_Row]:
    doing = sentence(people, found)
    yield _Row("Doing", doing[0].upper() + doing[1:])
    yield _Row("Speed", f"{found.speed:.2f} m/s, likes {found.wanted_speed:.2f}")
    if found.doing is Doing.ARRIVED:
        return
    if found.no_way:
        yield _Row("Way", "none")
    elif np.isfinite(found.way_left):
        yield _Row("Way", f"{found.way_left:.1f} m ahead")
    yield _Row("Plan", _plan(found))
    others = (*found.in_the_way, *found.minded)
    names = ", ".join(people.titles[other] for other in others[:_MOST_NAMED])
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    yield _Row("Minds", names + more if others else "nobody")


def _plan(found: Why) -> str:
    if found.plan is None:
        return "not known: it is led another way"
    if found.brakes:
        return "brakes: every way is closed"
    speed, offset = found.plan
    side = "left" if offset > 0.0 else "right"
    where = f"{abs(offset):.1f} m {side} of its line" if abs(offset) > _LEAST_OFFSET else "on its line"
    return f"in 2 s {speed:.2f} m/s, {where}"


CLASSES = (PersonPanel,)
