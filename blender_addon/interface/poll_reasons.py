# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that cannot work say why: one way for all of them to be greyed out with a reason."""

from __future__ import annotations

import bpy

from ..runtime import running_bake
from ..settings.scene_settings import has_bake, scene_of

NO_CROWD = "There is no crowd yet: add one first"


def why_busy(scene: bpy.types.Scene) -> str | None:
    """The reason why nothing of Footfall can be changed in this scene just now, or None."""
    if running_bake.running():
        return "A bake is running: wait for it, or press Esc to cancel it"
    if not scene.is_editable:
        return f"Scene '{scene.name}' is linked from another file: open that file to change it"
    return None


def why_nothing_baked(scene: bpy.types.Scene) -> str | None:
    """The reason why there is no bake to work on in this scene, or None."""
    return None if has_bake(scene) else "Nothing is baked in this scene"


class Explaining:
    """What operators share that change something: they cannot work while a bake runs, and say why they cannot."""

    @classmethod
    def why_not(cls, _context: bpy.types.Context) -> str | None:
        """The reason why this operator has nothing to work on, or None."""
        return None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        reason = why_busy(scene_of(context)) or cls.why_not(context)
        if reason:
            cls.poll_message_set(reason)  # ty: ignore[missing-attribute]
        return not reason

    def refuse(self, reason: str) -> set[str]:
        """Report why an operator has done nothing, and return what Blender expects then."""
        self.report({"ERROR"}, reason)  # ty: ignore[missing-attribute]
        return {"CANCELLED"}


class OneStep(Explaining):
    """What operators share that are one step to undo."""

    bl_options = {"REGISTER", "UNDO"}
