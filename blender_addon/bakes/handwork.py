# SPDX-License-Identifier: GPL-3.0-or-later
"""What was changed by hand on the objects of a bake since they were made.

Each object keeps a record of how the bake made it, in a custom property that survives saving: a digest for each
aspect, and the data-blocks that it used, as references, which stay right when those are renamed, copied or remapped.
Objects are named instead: a reference would keep what the user deletes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

import bpy

from ..blender_data import animation, nla_strips
from ..blender_data.tags import MADE_AS, TAG
from .aspects import BONES, OF_BONES, SharedParts, aspects_of
from .rna_values import OURS

AS_MADE = "footfall_as_made"
"""Custom property of an object: the record of how the bake made it."""

_VERSION, _LET_GO, _NAMED = "version", "let go", "object: "
_OF_THIS_VERSION, _USES = "*", "/"  # in keys of a record: aspects that another Blender may see otherwise; data-blocks


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


def changes_by_hand(block: bpy.types.Object, shared: SharedParts) -> list[str]:
    """Return the aspects of an object that are not as the bake made them; empty where there is no record."""
    if AS_MADE not in block or is_let_go(block):
        return []
    made, now = dict(block[AS_MADE].items()), _record(block, shared)
    is_same_version = made.pop(_VERSION, "") == now.pop(_VERSION)
    keys = [key for key in made | now if is_same_version or _OF_THIS_VERSION not in key]
    names = [key.partition(_USES)[0].rstrip(_OF_THIS_VERSION) for key in keys if _differ(made.get(key), now.get(key))]
    left_out = OF_BONES if BONES in names else ()  # the armature has other bones, which its copies share
    return [name for name in dict.fromkeys(names) if name not in left_out]


def _differ(made: Any, now: Any) -> bool:
    """Whether an entry of a record has changed; an object that has no longer its name was renamed or deleted."""
    if made == now:
        return False
    is_lost = isinstance(made, str) and made.startswith(_NAMED) and made.removeprefix(_NAMED) not in bpy.data.objects
    return not is_lost


def _record(block: bpy.types.Object, shared: SharedParts) -> dict[str, Any]:
    """Return the digest of each aspect of an object, and the data-blocks that each uses."""
    record: dict[str, Any] = {_VERSION: "{}.{}".format(*bpy.app.version)}
    for aspect in aspects_of(block, shared):
        key = aspect.name + _OF_THIS_VERSION * aspect.is_of_this_version
        used = [each for each in dict.fromkeys(aspect.uses) if each is not None and each != block]
        places = {None: -1, block: -2} | {each: number for number, each in enumerate(used)}
        values = aspect.values, [places[each] for each in aspect.uses]
        record[key] = blake2b(repr(values).encode(), digest_size=6).hexdigest()
        record |= {f"{key}{_USES}{number}": _reference(each) for number, each in enumerate(used)}
    return record


def _reference(used: bpy.types.ID) -> bpy.types.ID | str:
    """Return what stands for a data-block in a record: objects by their names, as a reference would keep them."""
    if not isinstance(used, bpy.types.Object):
        return used
    return f"made as: {used[MADE_AS]}" if TAG in used and MADE_AS in used else f"{_NAMED}{used.name}"


def has_edited_keys(action: bpy.types.Action) -> bool:
    """Whether the keys of an Action are not those that a bake has written; False for an Action of the user."""
    written = action.get(animation.KEYS)
    return TAG in action and written is not None and written != animation.digest(action)


@contextmanager
def blocks_by_hand_kept(objects: Iterable[bpy.types.Object]) -> Generator[None]:
    """While objects of a bake are removed, keep what the user gave them: Actions, materials, data, by a fake user.

    Actions with keys edited by hand are kept too, under the name of the Action with "by hand" after it.
    """
    shared = SharedParts()
    found: dict[Any, None] = {}  # data-blocks, as are the next
    edited: dict[Any, None] = {}
    for each in objects:
        if not is_let_go(each):
            edited |= dict.fromkeys(action for action in actions_of(each) if has_edited_keys(action))
        if AS_MADE in each:
            made, now = each[AS_MADE].values(), _record(each, shared).values()
            found |= dict.fromkeys(used for used in now if isinstance(used, bpy.types.ID) and used not in made)
    for action in edited:
        action.name = f"{action.name} by hand"
    yield
    for each in (*edited, *found):
        if each.library is None and each.users == 0 and not isinstance(each, bpy.types.Object):
            each.use_fake_user = True
            for key in [key for key, _ in each.items() if key.startswith(OURS)]:
                del each[key]


def actions_of(block: bpy.types.Object) -> list[bpy.types.Action]:
    """Return the Actions that an object plays, by itself or in strips."""
    return [clip.action for clip in nla_strips.played_clips(block.animation_data)]
