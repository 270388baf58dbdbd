# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the built-in figures the user's own."""

import bpy

from ...blender_data.evaluation import metres_per_unit
from ...figures.user_copies import make_own_figures
from ...settings.scene_settings import active_crowd, scene_of
from .poll_reasons import Explaining

_Context = bpy.types.Context


class OwnFigures(Explaining, bpy.types.Operator):
    """Copies of the built-in figures become the characters of the active crowd."""

    bl_idname = "footfall.own_figures"
    bl_label = "Make Figures Your Own"
    bl_description = (
        "Put copies of the built-in figures into the scene, at the 3D cursor, and let the crowd walk with them: dress "
        "them, change their clips, or take them into other files as assets"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        crowd = active_crowd(scene_of(context))
        if crowd is None:
            return "There is no crowd yet: add one first"
        if crowd.drives:
            return f"'{crowd.name}' drives vehicles: figures are for people"
        return f"'{crowd.name}' has characters already: empty the field Characters first" if crowd.characters else None

    def execute(self, context: _Context) -> set[str]:
        scene = scene_of(context)
        crowd = active_crowd(scene)
        assert crowd is not None  # `poll` has looked
        crowd.characters = figures = make_own_figures(scene, metres_per_unit(scene))
        self.report({"INFO"}, f"'{figures.name}' holds the crowd's characters now; those are assets too")
        return {"FINISHED"}


CLASSES = (OwnFigures,)
