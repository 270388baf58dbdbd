# SPDX-License-Identifier: GPL-3.0-or-later
"""Single people of a bake: pinned characters, which no bake changes; edited keys; shifts in time.

A pinned character no longer belongs to the bake (see `ownership`) and is unchanged until it is released. In each bake
it is a hero, and the simulation leaves out the person that it replaces.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from ...core.errors import FootfallError
from ..blender_data import animation, nla_strips
from ..blender_data.animation import KEYS, STRIP_KEYS
from ..blender_data.object_references import carriers_of
from ..blender_data.tags import MADE_AS, PINNED, TAG
from ..settings.crowd.edits import drop_empty_edits, edit_of
from .ownership import distance_from_making, owner_of

Object = bpy.types.Object

ASK, KEEP, OVERWRITE = "ASK", "KEEP", "OVERWRITE"
_MOST_NAMED = 3


class EditedByHandError(FootfallError):
    """A bake would overwrite keys that were edited by hand."""


def mover_of(part: Object | None) -> Object | None:
    """Return the object that moves the character of a part; None for an object that no bake has made."""
    if part is None or TAG not in part:
        return None
    while True:
        carriers = [each for each in carriers_of(part) if each.get(TAG) == part[TAG]]
        if not carriers:
            return part
        part = carriers[0]


def parts_of(scene: bpy.types.Scene, mover: Object) -> list[Object]:
    """Return all objects of a scene that are part of a character."""
    made = [each for each in scene.objects if each.get(TAG) == mover[TAG]]
    return [each for each in made if mover_of(each) == mover]


def pin(scene: bpy.types.Scene, crowd: Any, movers: Iterable[Object]) -> None:
    """Pin characters: no bake changes them any more, and everybody avoids them."""
    for mover in movers:
        edit_of(crowd, mover[MADE_AS]).pinned = True
        for part in parts_of(scene, mover):
            part[PINNED] = mover[MADE_AS]


def let_go(scene: bpy.types.Scene, crowd: Any, people: Iterable[str], *, as_they_are: bool = False) -> None:
    """Return pinned characters to the bake, which will replace them.

    Args:
        scene: the scene.
        crowd: their crowd's settings.
        people: their names.
        as_they_are: keys edited by hand still count as edited, and the next bake asks about them.
    """
    names = set(people)
    for part in [each for each in scene.objects if each.get(TAG) == crowd.uid and each.get(PINNED) in names]:
        del part[PINNED]
        for clip in _own_clips(part) if not as_they_are else ():
            clip.action[KEYS] = animation.digest(clip.action)
        if STRIP_KEYS in part and not as_they_are:
            part[STRIP_KEYS] = _strip_digest(part)
    for name in names:
        edit_of(crowd, name).pinned = False
    drop_empty_edits(crowd)


def pinned_movers(scene: bpy.types.Scene, uid: str) -> dict[str, Object]:
    """Return the pinned characters of a crowd by person; the user's copies do not count."""
    pinned = [each for each in scene.objects if each.get(TAG) == uid and PINNED in each]
    pinned.sort(key=distance_from_making, reverse=True)
    return {each[PINNED]: each for each in pinned if each.get(MADE_AS) == each[PINNED]}


def _edited_by_hand(parts: Iterable[Object]) -> list[Object]:
    """Return the characters, given by their parts, whose keys are not those that the bake has written."""
    found: dict[Object, None] = {}
    known: dict[bpy.types.Action, bool] = {}
    for part in parts:
        for clip in _own_clips(part):
            if clip.action not in known:
                known[clip.action] = KEYS in clip.action and clip.action[KEYS] != animation.digest(clip.action)
            mover = mover_of(part) if known[clip.action] else None
            if mover is not None:
                found[mover] = None
        mover = mover_of(part) if _has_edited_strips(part) else None
        if mover is not None:
            found[mover] = None
    return list(found)


def _has_edited_strips(part: Object) -> bool:
    """Whether the keys of its NLA strips are not those that the bake has written."""
    return STRIP_KEYS in part and part[STRIP_KEYS] != _strip_digest(part)


def _strip_digest(part: Object) -> str | None:
    return animation.digest_of_strips(part.animation_data) if part.animation_data is not None else None


def keep_or_refuse(scene: bpy.types.Scene, crowds: Iterable[Any], edited: str) -> list[tuple[Any, list[str]]]:
    """Handle characters whose keys were edited by hand, before a bake.

    Args:
        scene: the scene.
        crowds: settings of the crowds that are to be written.
        edited: `KEEP` pins them, `OVERWRITE` lets the bake replace them, `ASK` refuses.

    Returns:
        The pinned people: crowds with names.

    Raises:
        EditedByHandError: there are such characters, and `edited` is `ASK`.
    """
    if edited == OVERWRITE:
        return []
    parts: defaultdict[str, list[Object]] = defaultdict(list)
    for part in scene.objects:
        parts[owner_of(part)].append(part)
    found = [(crowd, movers) for crowd in crowds if crowd.uid and (movers := _edited_by_hand(parts[crowd.uid]))]
    if found and edited == ASK:
        raise EditedByHandError(_ask_about([mover.name for _, movers in found for mover in movers]))
    for crowd, movers in found:
        pin(scene, crowd, movers)
    return [(crowd, [mover[MADE_AS] for mover in movers]) for crowd, movers in found]


def _ask_about(names: list[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    have = "has keys that were" if len(names) == 1 else "have keys that were"
    return f"{listed}{more} {have} edited by hand: choose whether to keep (pin) or to overwrite them"


def move_in_time(scene: bpy.types.Scene, mover: Object, frames: float) -> None:
    """Shift all animation of a character by a number of frames."""
    moved: set[bpy.types.Action] = set()
    for part in parts_of(scene, mover):
        clip = animation.active_clip(part.animation_data)
        if clip is not None and TAG in clip.action and clip.action not in moved:
            moved.add(clip.action)
            for curve in animation.curves_of(clip):
                animation.shift_keys(curve, frames)
        nla_strips.shift(part.animation_data, frames)


def _own_clips(part: Object) -> Iterator[animation.Clip]:
    """Yield the Actions that a bake made for a part alone; the walk is shared by all."""
    data = part.animation_data
    active = animation.active_clip(data)
    clips = [active] if active is not None else []
    clips += [animation.Clip(action, None) for action in nla_strips.actions_in_own_time(data)]
    yield from (clip for clip in clips if TAG in clip.action)
