# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd of instances in the file: its object, its people, and those who were made characters."""

from __future__ import annotations

import json
from typing import Any, TypeGuard

import bpy
import numpy as np

from ...core.array_types import Int64
from ..blender_data.tags import TAG
from . import sampled_crowd
from .ownership import owned_objects
from .roles import Role

PEOPLE_PROPERTY = "footfall_people"
"""Custom property of a crowd's object, JSON: identity, number of people and name of each of the core's crowds."""

FRAMES_PROPERTY = "footfall_frames"
"""Custom property of a crowd's object: first and last frame of its samples."""


KEY_RATE_PROPERTY = "footfall_key_rate"
"""Custom property of a crowd's object: frames of keys in a frame at its bake, see `key_frames_per_frame`."""


def is_crowd_of_instances(thing: bpy.types.Object | None) -> TypeGuard[bpy.types.Object]:
    """Whether an object was made by a bake to show a crowd by instances."""
    return thing is not None and TAG in thing and PEOPLE_PROPERTY in thing and isinstance(thing.data, bpy.types.Mesh)


def frames_of(shown: bpy.types.Object) -> tuple[int, int]:
    """Return first and last frame of a crowd of instances."""
    stored: Any = shown[FRAMES_PROPERTY]
    first, last = stored
    return int(first), int(last)


def roles_of(shown: bpy.types.Object, people: Int64) -> list[Role]:
    """Return the roles of people, by the crowds that the bake has stored."""
    mesh: Any = shown.data
    stored: Any = shown[PEOPLE_PROPERTY]
    rows = json.loads(stored)  # older files have no names
    group = np.searchsorted(np.cumsum([count for _, count, *_ in rows]), people, side="right")
    numbers = sampled_crowd.read(mesh, sampled_crowd.NUMBER)[people].tolist()
    found = zip((rows[each] for each in group.tolist()), numbers, strict=True)
    return [Role(known_as, number, number + 1, *called) for (known_as, _, *called), number in found]


def people_made_real(scene: bpy.types.Scene, uid: str) -> list[Role]:
    """Return the roles of a crowd's instances that were made characters."""
    found = []
    for shown in owned_objects(scene, uid):
        if is_crowd_of_instances(shown):
            mesh: Any = shown.data
            found += roles_of(shown, np.flatnonzero(sampled_crowd.read(mesh, sampled_crowd.IS_REAL)))
    return found
