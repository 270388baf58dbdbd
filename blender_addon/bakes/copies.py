# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognises the user's copies of baked characters, which do not belong to the bake."""

from __future__ import annotations

import bpy

from ..blender_data.tags import MADE_AS, TAG, without_number
from .edited_people import mover_of
from .ownership import distance_from_making


def original_of(scene: bpy.types.Scene, thing: bpy.types.Object | None) -> bpy.types.Object | None:
    """Find the baked object of which an object is a copy, or part of a copy; None where it is no copy.

    Copies from before the last bake are recognised by type and name alone, to which Blender has added a number.
    """
    mover = mover_of(thing)
    if mover is None:
        found = None if thing is None else scene.objects.get(without_number(thing.name))
        return found if found is not None and found != thing and TAG in found and found.type == thing.type else None
    if not any(distance_from_making(mover)[:-1]):
        return None  # it has the name that the bake gave it, as most have
    alike = [each for each in scene.objects if all(each.get(key) == mover.get(key) for key in (TAG, MADE_AS))]
    first = min(alike, key=distance_from_making, default=mover)
    return None if first == mover else first


def copy_message(copy: bpy.types.Object, original: bpy.types.Object) -> str:
    """Compose the message that an object is a copy, and what to do."""
    return (
        f"'{copy.name}' is your own copy of '{original.name}' and not part of the bake. Select "
        f"'{original.name}' instead"
    )
