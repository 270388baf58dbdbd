# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of Blender's structs as they differ from their defaults, and the data-blocks that they refer to."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache
from operator import itemgetter
from typing import Any

import bpy

OURS = "footfall_"
_PLAIN = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
_NOT_FLAT = (str, bpy.types.bpy_struct)
_LEFT_OUT = {
    "matrix_world",
    "matrix_local",
    "matrix_basis",
    "matrix",
    "dimensions",
    "tag",
    "head",
    "tail",
    "length",
    "id_root",  # depends on the users of an Action; Blender 4.2 warns where it is not set
    # What only the interface shows
    "name",
    "active",
    "active_material",
    "active_material_index",
    "active_shape_key_index",
    "is_active",
    "is_expanded",
    "select",
    "show_expanded",
    "use_pin_to_last",
    "use_fake_user",
    "show_group_selector",
    "show_manage_panel",
}  # derived from others, meaningless, or no property of what is seen


Found = tuple[Hashable, tuple[bpy.types.ID | None, ...]]


def custom_properties(owner: Any, moved: set[str], path: str) -> Found:
    """Return the custom properties of something, or the inputs of its nodes; without groups, as an add-on has them.

    Left out are ours and those that keys move, whose data paths begin with `path`.
    """
    known = owner.bl_rna.properties  # of add-ons, which up to Blender 4.5 are among the items
    own = [
        (key, value)
        for key, value in owner.items()
        if not key.startswith(OURS) and key not in known and f'{path}{key}"]' not in moved
    ]
    return plain_and_blocks(sorted(own, key=itemgetter(0)))


def plain_and_blocks(values: Iterable[tuple[str, Any]]) -> Found:
    """Part named values into plain ones and data-blocks."""
    own = list(values)
    blocks = [(key, value) for key, value in own if isinstance(value, bpy.types.ID)]
    groups = [(key, str(value.to_dict())) for key, value in own if hasattr(value, "to_dict")]
    plain = [(key, flat(value)) for key, value in own if not hasattr(value, "keys")] + groups
    return (tuple(plain), tuple(key for key, _ in blocks)), tuple(value for _, value in blocks)


def joined(found: list[Found]) -> Found:
    """Join values, and join data-blocks."""
    return tuple(values for values, _ in found), tuple(used for _, uses in found for used in uses)


def plain_values(struct: Any, without: Iterable[str] = ()) -> Found:
    """Return those plain values of a struct that can be set and are not their defaults, and its data-blocks."""
    plain, arrays, pointers = _names(type(struct), struct.bl_rna)
    own = [(name, value) for name, default in plain if (value := getattr(struct, name)) != default]
    own += [(name, value) for name, default in arrays if (value := flat(getattr(struct, name))) != default]
    left_out = set(without)
    return (
        tuple([each for each in own if each[0] not in left_out]),
        tuple([getattr(struct, name) for name in pointers if name not in left_out]),
    )


_Named = tuple[tuple[str, Any], ...]


@cache
def _names(_kind: type, rna: Any) -> tuple[_Named, _Named, tuple[str, ...]]:
    """Return a struct's scalar properties and its arrays and sets with their defaults, and its data-block pointers."""
    chosen = [each for each in rna.properties if is_compared(each)]
    plain = [each for each in chosen if each.type in _PLAIN]
    arrays = [(each.identifier, flat(each.default_array)) for each in plain if getattr(each, "is_array", False)]
    sets = [(each.identifier, flat(each.default_flag)) for each in plain if each.type == "ENUM" and each.is_enum_flag]
    several = {name for name, _ in (*arrays, *sets)}
    single = [(each.identifier, each.default) for each in plain if each.identifier not in several]
    pointers = [each for each in chosen if each.type == "POINTER" and _names_a_block(each.fixed_type)]
    return tuple(single), (*arrays, *sets), tuple(each.identifier for each in pointers)


def _names_a_block(rna: Any) -> bool:
    while rna is not None:
        if rna.identifier == "ID":
            return True
        rna = rna.base
    return False


def flat(value: Any) -> Any:
    """Return the components of a vector or a matrix, or the members of a set; other values as they are."""
    if not hasattr(value, "__len__") or isinstance(value, _NOT_FLAT):
        return value
    if isinstance(value, set):
        return tuple(sorted(value))
    flat = tuple(value)
    return tuple(map(tuple, flat)) if flat and hasattr(flat[0], "__len__") and not isinstance(flat[0], str) else flat


def is_compared(prop: Any) -> bool:
    """Whether a property can be set and is Blender's own: those of add-ons come and go with them."""
    is_left_out = prop.identifier in _LEFT_OUT or prop.identifier.startswith("open_")
    return not prop.is_readonly and not prop.is_runtime and not is_left_out
