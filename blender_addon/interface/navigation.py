# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring the user to a frame, a place and a person, in every 3D viewport that is open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
from mathutils import Vector

from ..bakes.instance_crowds import is_crowd_of_instances
from ..blender_data.tags import MADE_AS, TAG
from ..settings.scene_settings import scene_of

_Context = bpy.types.Context


def go_to(context: _Context, *, frame: int, place: Sequence[float], unit: float, view_distance: float = 8.0) -> None:
    """Set the frame, and turn every viewport that does not look through a camera to a place.

    Args:
        context: of the window.
        frame: frame number.
        place: float (3,) [m].
        unit: metres per Blender unit.
        view_distance: farthest distance from which the place is viewed [m]; chosen so that a group fills the view.
    """
    scene = scene_of(context)
    if scene.frame_current != frame:
        scene.frame_set(frame)
    for area in context.screen.areas if context.screen else ():
        for space in area.spaces:
            if isinstance(space, bpy.types.SpaceView3D) and space.region_3d is not None:
                view = space.region_3d
                if view.view_perspective != "CAMERA":
                    view.view_location = Vector(place) / unit
                    view.view_distance = min(view.view_distance, view_distance / unit)


def select_people(context: _Context, people: Iterable[tuple[str, str]]) -> list[bpy.types.Object]:
    """Select baked characters and nothing else, the first active; of a crowd of instances, the crowd.

    In a mode other than Object Mode the selection belongs to what is edited, and nothing is selected.

    Args:
        context: of the window.
        people: the identity of the crowd of each, and the name that the character was given.

    Returns:
        What was found, whether it could be selected or not.
    """
    made = [obj for obj in scene_of(context).objects if TAG in obj]
    by_name = {(obj[TAG], obj.get(MADE_AS)): obj for obj in made}
    shown = {obj[TAG]: obj for obj in made if is_crowd_of_instances(obj)}
    found = [by_name.get(person) or shown.get(person[0]) for person in people]
    known = list(dict.fromkeys(obj for obj in found if obj is not None))
    select_only(context, known)
    return known


def select_only(context: _Context, objects: Sequence[bpy.types.Object]) -> None:
    """Select objects, as far as the view layer shows them, and nothing else; the first is the active one."""
    shown = [obj for obj in objects if obj.name in context.view_layer.objects and not obj.hide_get()]
    if not shown or context.mode != "OBJECT":
        return
    for obj in context.selected_objects:
        obj.select_set(False)
    for obj in shown:
        obj.select_set(True)
    context.view_layer.objects.active = shown[0]
