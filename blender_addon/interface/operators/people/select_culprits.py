# SPDX-License-Identifier: GPL-3.0-or-later
"""From an error to the object that it speaks of, so that the user sees what is meant."""

from __future__ import annotations

import re

import bpy

from .....core.errors import FootfallError, SceneError
from ....settings.scene_settings import scene_of, settings_of
from ...navigation import select_only

_QUOTED = re.compile(r"'([^'\n]+)'")


def select_culprits(context: bpy.types.Context, error: FootfallError) -> None:
    """Select the objects that an error names, and show the crowd that it concerns; nothing else changes.

    Faults of a scene stand at a place, which is the name of an object or of a crowd; other errors name theirs in
    quotes. Without a window nobody looks at a selection; in a mode other than Object Mode it belongs to what is edited.
    """
    names = _names_in(error)
    _show_crowd(scene_of(context), names)
    if not bpy.app.background:
        _select(context, names)


def select_named(context: bpy.types.Context, notice: str) -> None:
    """Select the object that a notice is about: what it begins with, or names in quotes; show the crowd that it names.

    Args:
        context: of the window.
        notice: a sentence of a reading or of a report.
    """
    begins = [obj.name for obj in scene_of(context).objects if notice.startswith((f"{obj.name} ", f"'{obj.name}'"))]
    names = [*sorted(begins, key=len, reverse=True)[:1], *_QUOTED.findall(notice), notice.partition(":")[0]]
    _show_crowd(scene_of(context), names)
    _select(context, names)


def _select(context: bpy.types.Context, names: list[str]) -> None:
    select_only(context, [obj for obj in map(context.view_layer.objects.get, names) if obj is not None])


def _names_in(error: FootfallError) -> list[str]:
    """What may be names of objects and crowds, most telling first."""
    if isinstance(error, SceneError):
        return [fault.place for fault in error.faults if fault.place]
    return _QUOTED.findall(str(error))


def _show_crowd(scene: bpy.types.Scene, names: list[str]) -> None:
    """Show the first crowd that goes by one of these names, or whose route or characters do."""
    settings = settings_of(scene)
    for index, crowd in enumerate(settings.crowds):
        uses = (crowd, crowd.route, crowd.start, crowd.goal, crowd.characters)
        if any(used is not None and used.name in names for used in uses):
            settings.active_crowd_index = index
            return
