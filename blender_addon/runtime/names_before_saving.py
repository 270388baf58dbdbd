# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a file is saved, the names of baked people who have copies are noted."""

from __future__ import annotations

import bpy

from ..bakes import ownership
from ..blender_data.handlers import Handlers
from ..settings.scene_settings import settings_of


def _note(*_: object) -> None:
    for scene in bpy.data.scenes:
        ownership.note_names(scene, {crowd.uid for crowd in settings_of(scene).crowds} - {""})


_HANDLERS = Handlers(("save_pre", _note))
attach, detach = _HANDLERS.attach, _HANDLERS.detach
