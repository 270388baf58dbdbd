# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies that the user has made of baked characters: they look like people, and are none of a bake's."""

from __future__ import annotations

import bpy

from ..blender_data.tags import MADE_AS, TAG
from .edited_people import mover_of
from .ownership import distance_from_making, without_number


def original_of(scene: bpy.types.Scene, thing: bpy.types.Object | None) -> bpy.types.Object | None:
    """The baked object of which an object is a copy, or is part of a copy; None where it is none.

    Copies that a bake has let go since are known by kind and name alone, to which Blender has put a number.
    """
    mover = mover_of(thing)
    if mover is None:
        found = None if thing is None else scene.objects.get(without_number(thing.name))
        return found if found is not None and found != thing and TAG in found and found.type == thing.type else None
    if not any(distance_from_making(mover)[:-1]):
        return None  # as most are: it has the name that the bake has given it
    alike = [each for each in scene.objects if all(each.get(key) == mover.get(key) for key in (TAG, MADE_AS))]
    first = min(alike, key=distance_from_making, default=mover)
    return None if first == mover else first


def tell_of_copy(copy: bpy.types.Object, original: bpy.types.Object) -> str:
    """Say that an object is a copy, and what to do."""
    return f"'{copy.name}' is a copy of '{original.name}' and yours: no bake knows it. Select '{original.name}' itself"
