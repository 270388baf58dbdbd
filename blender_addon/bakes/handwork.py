# SPDX-License-Identifier: GPL-3.0-or-later
"""What was changed by hand on the objects of a bake since they were made.

Each object keeps a record of how the bake made it, in a custom property that survives saving: a digest for each
aspect, and the data-blocks that it used, as references, which stay right when those are renamed, copied or remapped.
Objects are named instead: a reference would keep what the user deletes.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Container, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..blender_data import animation, nla_strips
from ..blender_data.tags import MADE_AS, TAG, without_number
from .aspects import BONES, DISPLAY, MATERIALS, OF_BONES, SLOTS, VERSION, SharedParts, aspects_of, display_of
from .rna_values import OURS, flat

AS_MADE = "footfall_as_made"
"""Custom property of an object or of an Action: the record of how the bake made it."""

NO_RECORD = "its record was removed"
RENAMED = "name of the Action"

_VERSION, _LET_GO, _NAMED = "version", "let go", "object: "
_OF_THIS_VERSION, _NUMBERS, _USES = "*", "=", "/"  # in keys: see `Aspect`; the data-blocks that an aspect uses
_NONE, _ITSELF, _DELETED, _MOVED = "none", "itself", "deleted", ""  # what stands for a data-block, or for a value

_NO_NUMBERS = zlib.compress(b"")


def note_as_made(block: bpy.types.Object, shared: SharedParts) -> None:
    """Record on an object how it is now."""
    block.pop(AS_MADE, None)
    block[AS_MADE] = _record(block, shared)


def let_go(block: bpy.types.Object) -> None:
    """Note that whatever was changed by hand on an object may be replaced."""
    if AS_MADE in block:
        block[AS_MADE][_LET_GO] = True


def is_let_go(block: bpy.types.Object) -> bool:
    """Whether `let_go` was called for an object."""
    return AS_MADE in block and _LET_GO in block[AS_MADE]


def is_of_this_version(block: bpy.types.Object) -> bool:
    """Whether an object has a record of this version of Blender, which holds all of its aspects, and is not let go."""
    return AS_MADE in block and block[AS_MADE].get(_VERSION) == VERSION and not is_let_go(block)


def changes_by_hand(block: bpy.types.Object, shared: SharedParts, everywhere: Collection[str] = ()) -> list[str]:
    """Return the aspects of an object that are not as the bake made them.

    Args:
        block: the object.
        shared: what it shares with others.
        everywhere: custom properties that an add-on writes on all objects.
    """
    if AS_MADE not in block:
        return [NO_RECORD]
    if is_let_go(block):
        return []
    made = block[AS_MADE].to_dict()
    version = made.pop(_VERSION, "")
    now = _record(block, shared, version, is_display_apart=DISPLAY in made)
    now.pop(_VERSION)
    changed = [key.partition(_USES)[0].rstrip(_NUMBERS) for key in made | now if made.get(key) != now.get(key)]
    names = [
        key.rstrip(_OF_THIS_VERSION)
        for key in dict.fromkeys(changed)
        if (version == VERSION or not key.endswith(_OF_THIS_VERSION)) and _differ(key, made, now, everywhere)
    ]
    left_out = {DISPLAY, *(OF_BONES if BONES in names else ())}  # the armature has other bones, which its copies share
    if SLOTS in names:  # so has the mesh slots: materials that are left must be among those that there were
        before, after = (_used(MATERIALS, each) for each in (made, now))
        left_out |= {SLOTS, MATERIALS} if all(each in before for each in after) else {SLOTS}
    return [name for name in dict.fromkeys(names) if name not in left_out]


def display_by_hand(block: bpy.types.Object) -> dict[str, Any]:
    """Return how an object is shown in the viewport where that is not as the bake made it: properties and values."""
    made = block.get(AS_MADE, {}).get(DISPLAY, {})
    return {
        name: value for name, value in display_of(block) if made.get(name) not in {None, _MOVED, _part(value, block)}
    }


def _differ(key: str, made: dict[str, Any], now: dict[str, Any], everywhere: Collection[str]) -> bool:
    """Whether an aspect has changed, but for what keys move, then or now, and for data-blocks that were deleted."""
    before, after = made.get(key), now.get(key)
    if isinstance(before, dict) and isinstance(after, dict):
        names = [name for name in before | after if name not in everywhere]
        pairs = [(before.get(name), after.get(name)) for name in names]
        if any(_MOVED not in pair and not _are_alike(*pair) for pair in pairs):
            return True
    elif before != after:
        return True
    packed = [each.get(key + _NUMBERS, _NO_NUMBERS) for each in (made, now)]
    if not _are_numbers_alike(*[np.frombuffer(zlib.decompress(each), np.float32) for each in packed]):
        return True
    used = [_used(key, each) for each in (made, now)]
    return len(used[0]) != len(used[1]) or not all(map(_are_alike, *used))


def _are_numbers_alike(before: NDArray[np.float32], after: NDArray[np.float32]) -> bool:
    """Whether no number has changed but those that keys move, then or now."""
    return before.shape == after.shape and bool(np.all((before == after) | np.isnan(before) | np.isnan(after)))


def _used(key: str, record: dict[str, Any]) -> list[Any]:
    """Return what stands for each data-block that an aspect of a record uses."""
    places = record.get(key + _USES, "").split()
    return [record.get(f"{key}{_USES}{place}") or _DELETED for place in places]


def _are_alike(before: Any, after: Any) -> bool:
    """Whether two references are the same; an object that has no longer its name was renamed or deleted."""
    is_lost = before == _DELETED or (
        isinstance(before, str) and before.startswith(_NAMED) and before.removeprefix(_NAMED) not in bpy.data.objects
    )
    return before == after or (is_lost and (after == _NONE or (isinstance(after, str) and after.startswith(_NAMED))))


def _record(
    block: bpy.types.Object, shared: SharedParts, version: str = VERSION, *, is_display_apart: bool = True
) -> dict[str, Any]:
    """Return the digest of each aspect of an object, and the data-blocks that each uses."""
    record: dict[str, Any] = {_VERSION: VERSION}
    for aspect in aspects_of(block, shared, version, is_display_apart=is_display_apart):
        key = aspect.name + _OF_THIS_VERSION * aspect.is_of_this_version
        record[key] = _digest(aspect.values)
        if aspect.parts:
            record[key] = {name: _part(value, block) for name, value in aspect.parts}
        if aspect.numbers:
            record[key + _NUMBERS] = zlib.compress(aspect.numbers, 1)
        if aspect.uses:
            places = {each: str(number) for number, each in enumerate(dict.fromkeys(aspect.uses))}
            record[key + _USES] = " ".join([places[each] for each in aspect.uses])
            record |= {f"{key}{_USES}{place}": _reference(each, block) for each, place in places.items()}
    return record


def _digest(values: Any) -> str:
    return blake2b(repr(values).encode(), digest_size=6).hexdigest()


@lru_cache(maxsize=256)
def _digest_of_word(value: bool | str) -> str:
    """As `_digest`, of what has few values."""
    return _digest(value)


def _part(value: Any, block: bpy.types.Object) -> Any:
    """Return what stands for a named value in a record."""
    if value is None:
        return _MOVED
    if isinstance(value, bpy.types.ID):
        return _reference(value, block)
    return _digest_of_word(value) if isinstance(value, bool | str) else _digest(flat(value))


def _reference(used: bpy.types.ID | None, block: bpy.types.Object) -> bpy.types.ID | str:
    """Return what stands for a data-block in a record: objects by their names, as a reference would keep them."""
    if used is None or used == block:
        return _NONE if used is None else _ITSELF
    if not isinstance(used, bpy.types.Object):
        return used
    return f"made as: {used[MADE_AS]}" if TAG in used and MADE_AS in used else f"{_NAMED}{used.name}"


def note_action(action: bpy.types.Action) -> None:
    """Record on an Action of a bake how it is now."""
    action[animation.KEYS] = animation.written_digest(action)
    action[AS_MADE] = f"{_marks_of(action)} {without_number(action.name)}"


def changes_of_action(action: bpy.types.Action) -> list[str]:
    """Return what of an Action is not as a bake has made it; nothing for an Action of the user."""
    if TAG not in action or animation.KEYS not in action:
        return []
    marks, _, name = action.get(AS_MADE, "").partition(" ")
    found = {
        "keys": action[animation.KEYS] != animation.digest(action),
        "Action": marks != _marks_of(action),
        RENAMED: name != without_number(action.name),
    }
    return [what for what, is_changed in found.items() if is_changed]


def _marks_of(action: bpy.types.Action) -> str:
    """Return the digest of the markers, the range and the custom properties of an Action."""
    span = (action.frame_start, action.frame_end) if action.use_frame_range else ()
    own = [(key, flat(value)) for key, value in action.items() if not key.startswith(OURS)]
    return _digest(([(marker.name, marker.frame) for marker in action.pose_markers], span, action.use_cyclic, own))


@contextmanager
def blocks_by_hand_kept(
    objects: Iterable[bpy.types.Object], unchanged: Container[bpy.types.Object] = ()
) -> Generator[None]:
    """While objects of a bake are removed, keep what the user gave them: Actions, materials, data, by a fake user.

    Actions edited by hand, not only renamed, are kept too, with "by hand" after their names. What was parented to the
    objects keeps its place.

    Args:
        objects: which are removed.
        unchanged: those that need not be looked at, as they are known to be as the bake made them.
    """
    objects, shared = list(objects), SharedParts()
    found: dict[Any, None] = {}  # data-blocks, as are the next
    edited: dict[Any, None] = {}
    for each in [each for each in objects if each not in unchanged]:
        if not is_let_go(each):
            edited |= dict.fromkeys(action for action in actions_of(each) if {*changes_of_action(action)} - {RENAMED})
        if AS_MADE in each:
            made = set(_blocks_in(each[AS_MADE].to_dict().values()))
            used = (
                used for aspect in aspects_of(each, shared) for used in (*aspect.uses, *dict(aspect.parts).values())
            )
            found |= dict.fromkeys(block for block in _blocks_in(used) if block not in made)
    for action in edited:
        action.name = f"{action.name} by hand"
    for each in carried_by(objects):
        place = each.matrix_world.copy()
        each.parent = None
        each.matrix_world = place
    yield
    for each in (*edited, *found):
        if each.library is None and each.users == 0:
            each.use_fake_user = True
            for key in [key for key, _ in each.items() if key.startswith(OURS)]:
                del each[key]


def _blocks_in(values: Iterable[Any]) -> Iterator[bpy.types.ID]:
    """Yield the data-blocks among the values of a record or of an aspect, but for objects."""
    for value in values:
        if isinstance(value, dict):
            yield from _blocks_in(value.values())
        elif isinstance(value, bpy.types.ID) and not isinstance(value, bpy.types.Object):
            yield value


def carried_by(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return what is parented to objects and is not among them."""
    carriers = set(objects)
    return [each for each in bpy.data.objects if each.parent in carriers and each not in carriers]


def actions_of(block: bpy.types.Object) -> list[bpy.types.Action]:
    """Return the Actions that an object plays, by itself or in strips."""
    return [clip.action for clip in nla_strips.played_clips(block.animation_data)]
