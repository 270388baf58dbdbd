# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of Blender's structs as they differ from their defaults, and the data-blocks that they refer to."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

import bpy

OURS = "footfall_"
_PLAIN = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
_CURVES = {"CurveMapping", "CurveProfile"}
_SINGLE = (bool, int, float, str)
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
    "is_valid",  # of drivers, until their target is deleted
    "is_expanded",
    "select",
    "show_expanded",
    "use_pin_to_last",
    "use_fake_user",
    "show_group_selector",
    "show_manage_panel",
}  # derived from others, meaningless, or no property of what is seen


Found = tuple[Hashable, tuple[bpy.types.ID | None, ...]]


class ComparedNames(NamedTuple):
    """Those properties of a struct that are compared.

    Attributes:
        single: with one value, and their defaults.
        several: arrays and sets, and their defaults.
        blocks: data-blocks.
        curves: what users draw as a curve.
    """

    single: tuple[tuple[str, Any], ...]
    several: tuple[tuple[str, Any], ...]
    blocks: tuple[str, ...]
    curves: tuple[str, ...]


KnownNames = dict[str, ComparedNames]
"""Properties by the name of the struct: of one version of Blender, as another one has others and other defaults."""


def custom_properties(
    owner: Any, registered: Callable[[type], Container[str]], moved: set[str], path: str
) -> Iterator[tuple[str, Any]]:
    """Yield the custom properties of something with their values; None for those that keys move.

    Args:
        owner: an object or a bone.
        registered: names of the properties of a type, also of add-ons, which up to Blender 4.5 are among the items.
        moved: data paths that keys move.
        path: with which those of custom properties begin.
    """
    for key, value in sorted(owner.items(), key=itemgetter(0)):
        if not key.startswith(OURS) and key not in registered(type(owner)):
            yield key, None if f'{path}{key}"]' in moved else value


def plain_and_blocks(values: Iterable[tuple[str, Any]]) -> Found:
    """Part named values into plain ones and data-blocks."""
    own = list(values)
    blocks = [(key, value) for key, value in own if isinstance(value, bpy.types.ID)]
    plain = [(key, flat(value)) for key, value in own if not isinstance(value, bpy.types.ID)]
    return (tuple(plain), tuple(key for key, _ in blocks)), tuple(value for _, value in blocks)


def joined(found: list[Found]) -> Found:
    """Join values, and join data-blocks."""
    return tuple(values for values, _ in found), tuple(used for _, uses in found for used in uses)


def plain_values(struct: Any, known: KnownNames, without: Iterable[str] = ()) -> Found:
    """Return those plain values of a struct that can be set and are not their defaults, and its data-blocks.

    Args:
        struct: the struct.
        known: its properties are looked up here, and added where they are missing.
        without: properties that are left out.
    """
    names, left_out = names_of(struct, known), set(without)
    own = [
        (name, value)
        for name, default in names.single
        if name not in left_out and (value := getattr(struct, name, default)) != default
    ]
    own += [
        (name, value)
        for name, default in names.several
        if name not in left_out and (value := flat(getattr(struct, name, default))) != default
    ]
    found = (
        tuple(own),
        tuple([getattr(struct, name, None) for name in names.blocks if name not in left_out]),
    )
    curves = [curve for name in names.curves if (curve := getattr(struct, name, None)) is not None]
    drawn = [plain_values(part, known) for curve in curves for part in _parts_of(curve)]
    return joined([found, *drawn]) if drawn else found


def _parts_of(curve: Any) -> list[Any]:
    """Return what users draw as a curve: its settings and its points."""
    return [curve, *(point for line in getattr(curve, "curves", [curve]) for point in line.points)]


def names_of(struct: Any, known: KnownNames) -> ComparedNames:
    """Return the properties of a struct, from `known` or else added to it."""
    kind = type(struct).__name__
    if kind not in known:
        known[kind] = _names(type(struct), struct.bl_rna)
    return known[kind]


@cache
def _names(kind: type, rna: Any) -> ComparedNames:
    """Return a struct's properties; those of add-ons only where the whole struct belongs to one."""
    is_of_addon = issubclass(kind, bpy.types.PropertyGroup)
    chosen = [each for each in rna.properties if _is_compared(each) and (is_of_addon or not each.is_runtime)]
    plain = [each for each in chosen if each.type in _PLAIN]
    arrays = [(each.identifier, flat(each.default_array)) for each in plain if getattr(each, "is_array", False)]
    sets = [(each.identifier, flat(each.default_flag)) for each in plain if each.type == "ENUM" and each.is_enum_flag]
    several = {name for name, _ in (*arrays, *sets)}
    single = [(each.identifier, each.default) for each in plain if each.identifier not in several]
    pointers = [each for each in rna.properties if each.type == "POINTER"]
    return ComparedNames(
        tuple(single),
        (*arrays, *sets),
        tuple([each.identifier for each in pointers if each in chosen and _names_a_block(each.fixed_type)]),
        tuple([each.identifier for each in pointers if each.fixed_type.identifier in _CURVES]),
    )


def names_in_json(stored: dict[str, Any]) -> KnownNames:
    """Return names that JSON has held, which makes lists of tuples."""
    return {kind: ComparedNames(*_tuples(parts)) for kind, parts in stored.items()}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _names_a_block(rna: Any) -> bool:
    while rna is not None:
        if rna.identifier == "ID":
            return True
        rna = rna.base
    return False


def flat(value: Any) -> Any:
    """Return the components of a vector or a matrix, the members of a set or of a group; other values as they are."""
    if isinstance(value, _SINGLE):
        return value
    if hasattr(value, "to_dict"):
        return str(value.to_dict())
    if not hasattr(value, "__len__") or isinstance(value, bpy.types.bpy_struct):
        return value
    if isinstance(value, set):
        return tuple(sorted(value))
    flat = tuple(value)
    is_flat = not flat or isinstance(flat[0], _SINGLE) or not hasattr(flat[0], "__len__")
    return flat if is_flat else tuple(map(tuple, flat))


def _is_compared(prop: Any) -> bool:
    """Whether a property can be set and matters."""
    is_left_out = prop.identifier in _LEFT_OUT or prop.identifier.startswith("open_")
    return not prop.is_readonly and not is_left_out
