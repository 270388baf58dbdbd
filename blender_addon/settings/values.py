# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of settings that say something about what will be baked, to be compared with earlier ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

_OWN_RECORDS = {
    "rna_type",
    "uid",
    "known_as",
    "baked",
    "report",
    "bake_state",
    "explanation",
    "problems",
    "active_problem_index",
    "active_crowd_index",
    "cast",  # what is chosen there belongs to the fingerprint of the characters
    "active_character_index",
    "auto_rebake",
    "overlays",
}  # say nothing about what will be baked


def values_of(group: bpy.types.PropertyGroup) -> Iterator[Any]:
    """The values of a property group, those of groups within it too; data-blocks by their `session_uid`."""
    for name in group.bl_rna.properties.keys():  # noqa: SIM118 - not a dict
        if name in _OWN_RECORDS:
            continue
        value = getattr(group, name)
        if isinstance(value, bpy.types.PropertyGroup):
            yield from values_of(value)
        elif isinstance(value, bpy.types.ID):
            yield value.session_uid
        elif isinstance(value, bpy.types.bpy_prop_collection):
            for item in value:
                yield from values_of(item)
        else:
            yield value
