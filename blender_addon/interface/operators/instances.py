# SPDX-License-Identifier: GPL-3.0-or-later
"""Take people out of a crowd of instances: what is done to single ones of thousands."""

import bpy
import numpy as np
from bpy.props import FloatProperty, StringProperty

from ....core.errors import FootfallError
from ...bakes.instance_crowds import is_crowd_of_instances
from ...baking.instances.making_real import make_real, people_near, people_selected
from ...blender_data.evaluation import metres_per_unit
from ...blender_data.tags import TAG
from ...settings.scene_settings import scene_of, settings_of
from ..poll_reasons import Explaining

_Context = bpy.types.Context


class MakeReal(Explaining, bpy.types.Operator):
    """Turn instances into characters with keyframes of their own, at the same places."""

    bl_idname = "footfall.make_real"
    bl_label = "Make People Real"
    bl_description = (
        "Turn some people of the selected crowd of instances into characters with keyframes, at the "
        "same places, to edit, pin or replace them one by one. To choose them, put the 3D cursor next "
        "to them (within Reach), or select their vertices in Edit Mode, or give their numbers"
    )
    bl_options = {"REGISTER", "UNDO"}

    agents: StringProperty(
        name="Agents",
        description="Numbers of the people, as in '1-5, 12'; empty: those selected, or near the 3D cursor",
        options={"SKIP_SAVE"},
    )
    reach: FloatProperty(
        name="Reach (m)",
        description="Largest distance of people from the 3D cursor [m]",
        default=1.0,
        min=0.0,
        soft_max=20.0,
    )

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        if not is_crowd_of_instances(context.active_object):
            return "The active object is not a crowd of instances: click on one in the viewport first"
        shown = _shown(context)
        if shown.mode != "OBJECT":
            return "Go back to Object Mode first; the selection is kept"
        uids = {crowd.uid for crowd in settings_of(scene_of(context)).crowds}
        return None if shown[TAG] in uids else f"'{shown.name}' belongs to no crowd of this scene"

    def execute(self, context: _Context) -> set[str]:
        shown, scene = _shown(context), scene_of(context)
        crowd = next(crowd for crowd in settings_of(scene).crowds if crowd.uid == shown[TAG])
        try:
            made = make_real(scene, crowd, shown, self._people(context, shown))
        except FootfallError as error:
            return self.refuse(str(error))
        for each in made:
            each.select_set(True)
        self.report({"INFO"}, f"{len(made)} of '{shown.name}' made real")
        return {"FINISHED"}

    def _people(self, context: _Context, shown: bpy.types.Object) -> np.ndarray:
        if self.agents.strip():
            mesh = shown.data
            assert isinstance(mesh, bpy.types.Mesh)
            return read_numbers(self.agents, most=len(mesh.edges)) - 1
        selected = people_selected(shown)
        if len(selected):
            return selected
        scene = scene_of(context)
        reach = self.reach / metres_per_unit(scene)
        x, y, z = scene.cursor.location.to_tuple()
        found = people_near(shown, (x, y, z), reach, scene.frame_current)
        if not len(found):
            raise FootfallError(
                f"nobody of '{shown.name}' is within {self.reach:g} m of the 3D cursor: put it next to a "
                "person, select vertices of people, or give their numbers"
            )
        return found


def _shown(context: _Context) -> bpy.types.Object:
    """The active object, which polling has found to be there."""
    assert context.active_object is not None
    return context.active_object


def read_numbers(text: str, *, most: int) -> np.ndarray:
    """Numbers from 1 to `most` from words like '1-5, 12', int64 (N,), rising.

    Raises:
        FootfallError: it says something else, or names numbers that there are not.
    """
    found: set[int] = set()
    for word in text.replace(",", " ").split():
        first, dash, last = word.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise FootfallError(f"'{word}' is not a number of a person: write for example 1-5, 12")
        if not 1 <= int(first) <= int(last or first) <= most:
            raise FootfallError(f"'{word}' is out of range: people have the numbers 1 to {most}")
        found.update(range(int(first), int(last or first) + 1))
    return np.array(sorted(found), dtype=np.int64)


CLASSES = (MakeReal,)
