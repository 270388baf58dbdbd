# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings by words: `crowds.Walkers.count=80`, for farms and variants.

The words before the equals sign are the names that scripts use below `scene.footfall`; a crowd goes by its name. What
a setting is, Blender's own description of its properties says.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import bpy

from ...core.errors import Fault, FootfallError, SceneError
from ...core.scene.basics.value_checks import shown
from ..settings.scene_settings import settings_of

_LARGEST = 1e6  # higher limits are Blender's own, and say nothing
_LISTED = 8  # data-blocks that are named where there is none of a name
_LISTS = {"crowds", "cast", "stops", "triggers"}  # whose items are found by their names
_YES, _NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def set_by_words(scene: bpy.types.Scene, assignments: Sequence[str]) -> None:
    """Change settings of a scene, all or none.

    Args:
        scene: whose settings.
        assignments: each `NAME.NAME=VALUE`.

    Raises:
        SceneError: with a fault for each that names no setting, or gives it a value that it cannot have.
    """
    ready, faults = [], []
    for assignment in assignments:
        try:
            ready.append(_understood(scene, assignment))
        except FootfallError as fault:
            faults.append(Fault(f"--set {assignment.partition('=')[0].strip()}", str(fault)))
    if faults:
        raise SceneError(faults)
    for group, name, value in ready:
        setattr(group, name, value)


def _understood(scene: bpy.types.Scene, assignment: str) -> tuple[Any, str, Any]:
    """Return which group, which of its properties, and the value that it gets."""
    path, equals, word = assignment.partition("=")
    path = path.strip()
    if not equals:
        raise FootfallError("there is no '='; write it as crowds.NAME.count=80")
    group, name = _group_of(settings_of(scene), path)
    return group, name, _value_of(group, name, word.strip())


def _group_of(group: Any, path: str) -> tuple[Any, str]:
    """Follow a path down to the group that holds its last name."""
    name, dot, rest = path.partition(".")
    names = _names_in(group)
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise FootfallError(f"there is no setting '{name}'{hint} There are: {', '.join(names)}")
    described = group.bl_rna.properties[name]
    if described.type == "COLLECTION":
        return _group_of(*_item_of(getattr(group, name), name, rest))
    inner = described.type == "POINTER" and issubclass(type(getattr(group, name)), bpy.types.PropertyGroup)
    if inner:
        if not dot:
            raise FootfallError(f"'{name}' holds settings of its own: {', '.join(_names_in(getattr(group, name)))}")
        return _group_of(getattr(group, name), rest)
    if dot:
        raise FootfallError(f"'{name}' is one setting and holds no '{rest}'")
    return group, name


def _item_of(items: Any, name: str, rest: str) -> tuple[Any, str]:
    """Return the item whose name a path begins with, and the rest of the path; names may hold points."""
    found = [item for item in items if rest.startswith(f"{item.name}.")]
    if not found:
        known = ", ".join(f"'{item.name}'" for item in items) or "none"
        raise FootfallError(f"write {name}.NAME.SETTING with one of these names: {known}")
    item = max(found, key=lambda item: len(item.name))
    return item, rest[len(item.name) + 1 :]


def _names_in(group: Any) -> list[str]:
    """The settings of a group that a user sees, each once: a name of ours stands beside Blender's own."""
    own = type(group).__annotations__
    shown = (prop for prop in group.bl_rna.properties if prop.identifier in own and not prop.is_hidden)
    listed = (prop.identifier for prop in shown if prop.type != "COLLECTION" or prop.identifier in _LISTS)
    return list(dict.fromkeys(listed))


def _value_of(group: Any, name: str, word: str) -> Any:
    """Return the value that a word means for a property of a group."""
    described = group.bl_rna.properties[name]
    if described.type == "POINTER":
        is_offered = type(group).__annotations__[name].keywords.get("poll")
        return _data_block(described, is_offered and partial(is_offered, group), word)
    length = getattr(described, "array_length", 0)
    if length:
        words = word.split(",")
        if len(words) != length:
            raise FootfallError(f"takes {length} values, as in {','.join(['1'] * length)}; got '{word}'")
        return [_single(described, each.strip()) for each in words]
    return _single(described, word)


def _single(described: Any, word: str) -> Any:
    match described.type:
        case "INT" | "FLOAT":
            return _number(described, word)
        case "BOOLEAN":
            if word.lower() not in _YES | _NO:
                raise FootfallError(f"takes true or false; got '{word}'")
            return word.lower() in _YES
        case "ENUM":
            known = [item.identifier for item in described.enum_items]
            if word.upper() not in known:
                raise FootfallError(f"takes one of {', '.join(known)}; got '{word}'")
            return word.upper()
        case _:
            return word


def _number(described: Any, word: str) -> int | float:
    kind, means = (int, "a whole number") if described.type == "INT" else (float, "a number")
    try:
        value = kind(word)
    except ValueError:  # of more digits than Python reads, too
        raise FootfallError(f"takes {means}; got {shown(word)}") from None
    least, most = described.hard_min, described.hard_max
    if not least <= value <= most:
        allowed = f"{least:.7g} to {most:.7g}" if most <= _LARGEST or value > most else f"{least:.7g} or more"
        raise FootfallError(f"takes {allowed}; got {shown(word)}")
    return value


def _data_block(described: Any, is_offered: Callable[[Any], bool] | None, word: str) -> Any:
    """Return the object or collection of a name; no name empties the setting.

    Args:
        described: the property.
        is_offered: says what a user can choose in the panel; None: all that there is.
        word: the name.

    Raises:
        FootfallError: nothing is called so; the message lists what there is to choose from.
    """
    if not word:
        return None
    kind = described.fixed_type.identifier
    store = {"Object": bpy.data.objects, "Collection": bpy.data.collections, "Action": bpy.data.actions}[kind]
    found = store.get(word)
    if found is None:
        names = [each.name for each in store if is_offered is None or is_offered(each)]
        near = difflib.get_close_matches(word, names, 3)
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        listed = f"there are: {', '.join(names[:_LISTED])}{more}" if names else "there is none to choose"
        known = f"near are {', '.join(near)}" if near else listed
        raise FootfallError(f"the file has no {kind.lower()} '{word}'; {known}")
    return found
