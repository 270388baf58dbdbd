# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a file is saved it is noted what baked people are called of whom there are copies."""

from __future__ import annotations

import bpy

from ..bakes import ownership
from ..blender_data.handlers import Handlers
from ..settings.scene_settings import settings_of


def _note(*_: object) -> None:
    for scene in bpy.data.scenes:
        ownership.note_names(scene, {crowd.uid for crowd in settings_of(scene).crowds} - {""})


_HANDLERS = Handlers(("save_pre", _note))


def attach() -> None:
    """Note it before each time that a file is saved."""
    _HANDLERS.attach()


def detach() -> None:
    """Note nothing more."""
    _HANDLERS.detach()
