# SPDX-License-Identifier: GPL-3.0-or-later
"""Find a person by name, at a frame at which it is there: a hidden person cannot be selected in a viewport.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.props import StringProperty

from .....core.array_types import Float64, Int64
from ....bakes import sampled_crowd
from ....bakes.copies import copy_message, original_of
from ....bakes.edited_people import mover_of, pinned_movers
from ....bakes.instance_crowds import frames_of, is_crowd_of_instances, roles_of
from ....bakes.ownership import owned_objects
from ....blender_data.curve_keys import keyed_places
from ....blender_data.evaluation import key_frames_per_frame, metres_per_unit
from ....settings.scene_settings import scene_of, settings_of
from ...navigation import go_to, select_only
from ...poll_reasons import Explaining, why_nothing_baked

_Context = bpy.types.Context

_SUGGESTED_AT_ONCE = 2000  # Blender's menu becomes slow with more


class _Found(NamedTuple):
    """A person: what it is called, the object that shows it, and its number among the instances there, or None."""

    name: str
    shown: bpy.types.Object
    number: int | None = None

    def walk(self, scene: bpy.types.Scene) -> tuple[Int64, Float64]:
        """Return int64 (F,), frames, and float64 (F, 3), where it is then [Blender units]; NaN where it is not."""
        if self.number is None:
            frames = np.arange(scene.frame_start, scene.frame_end + 1)
            return frames, keyed_places(self.shown, frames * key_frames_per_frame(scene))
        first, last = frames_of(self.shown)
        mesh: Any = self.shown.data
        found = sampled_crowd.read_samples(mesh, np.array([self.number]))
        frames = np.arange(first, last + 1)
        rows = slice(len(frames))  # a single frame stands there twice
        return frames, np.where(found.present[rows], found.location[rows, 0], np.nan)


def _people(scene: bpy.types.Scene) -> Iterator[_Found]:
    """Everybody whom bakes have made, characters first: they may stand for instances."""
    uids = [crowd.uid for crowd in settings_of(scene).crowds if crowd.uid]
    made = [each for uid in uids for each in (*owned_objects(scene, uid), *pinned_movers(scene, uid).values())]
    crowds = [each for each in made if is_crowd_of_instances(each)]
    yield from (_Found(each.name, each) for each in made if each not in crowds and mover_of(each) == each)
    for shown in crowds:
        mesh: Any = shown.data
        roles = roles_of(shown, np.arange(len(mesh.edges)))
        yield from (_Found(role.name, shown, number) for number, role in enumerate(roles))


def _suggested(_operator: Any, context: _Context, text: str) -> list[str]:
    names = (found.name for found in _people(scene_of(context)) if text.lower() in found.name.lower())
    return [name for name, _ in zip(dict.fromkeys(names), range(_SUGGESTED_AT_ONCE), strict=False)]


class GoToPerson(Explaining, bpy.types.Operator):
    """Go to a frame at which a person is there, and select it."""

    bl_idname = "footfall.go_to_person"
    bl_label = "Go to Person"
    bl_description = (
        "Go to the nearest frame at which a baked person is present, select them, and turn the "
        "viewport to them: people who are not present at a frame cannot be selected"
    )
    bl_options = {"REGISTER", "UNDO"}

    person: StringProperty(
        name="Person",
        description="Name of the person; empty: the active object",
        search=_suggested,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        if context.mode != "OBJECT":
            return "Go back to Object Mode first"
        return why_nothing_baked(scene_of(context))

    def invoke(self, context: _Context, _event: bpy.types.Event) -> set[str]:
        if self.person:
            return self.execute(context)
        mover = mover_of(context.active_object)
        self.person = "" if mover is None else mover.name
        return context.window_manager.invoke_props_dialog(self)  # ty: ignore[invalid-explicit-return]

    def execute(self, context: _Context) -> set[str]:
        told = go_to_person(context, self.person)
        if told:
            self.report({"ERROR"}, told)
        return {"CANCELLED"} if told else {"FINISHED"}


def go_to_person(context: _Context, name: str) -> str:
    """Go to the nearest frame at which a person is there, and select it; returns why it cannot be done, or nothing.

    Args:
        context: of the window.
        name: what the person is called; empty: the active object.
    """
    scene = scene_of(context)
    wanted = bpy.data.objects.get(name) if name else context.active_object
    original = original_of(scene, wanted)
    if wanted is not None and original is not None:
        return copy_message(wanted, original)
    mover = mover_of(wanted)
    name = name if mover is None or is_crowd_of_instances(mover) else mover.name
    found = next((each for each in _people(scene) if each.name == name), None)
    if found is None:
        return f"No baked person is called '{name}': choose one from the list" if name else "Enter the name of a person"
    frames, places = found.walk(scene)
    there = np.flatnonzero(np.isfinite(places[:, 0]))
    if not len(there):
        return f"'{name}' is not present at any frame from {frames[0]} to {frames[-1]}"
    row = there[np.argmin(np.abs(frames[there] - scene.frame_current))]
    unit = metres_per_unit(scene)
    go_to(context, frame=int(frames[row]), place=tuple(places[row] * unit), unit=unit)
    if found.number is not None:
        settings_of(scene).overlays.person = found.number + 1
    select_only(context, [found.shown])
    return ""


CLASSES = (GoToPerson,)
