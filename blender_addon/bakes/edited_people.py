# SPDX-License-Identifier: GPL-3.0-or-later
"""Single people of a bake: pinned, so that no bake touches them, found when their keys were edited, moved in time.

A pinned character does not belong to the bake any more (see `ownership`): it keeps all that it is, until it is let go.
At each bake it is a hero, and the simulation leaves the person that it was out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from ...core.errors import FootfallError
from ..blender_data import animation as actions
from ..blender_data import nla_strips
from ..blender_data.animation import KEYS, STRIP_KEYS
from ..blender_data.object_references import carriers_of
from ..blender_data.tags import MADE_AS, PINNED, TAG
from ..settings.crowd.edits import drop_empty_edits, edit_of
from .ownership import distance_from_making, owner_of

Object = bpy.types.Object

ASK, KEEP, OVERWRITE = "ASK", "KEEP", "OVERWRITE"
_MOST_NAMED = 3


class EditedByHandError(FootfallError):
    """A bake would overwrite what somebody has edited by hand."""


def mover_of(part: Object | None) -> Object | None:
    """The object that moves the baked character that an object is part of; None for what no bake has made."""
    if part is None or TAG not in part:
        return None
    while True:
        ahead = [each for each in carriers_of(part) if each.get(TAG) == part[TAG]]
        if not ahead:
            return part
        part = ahead[0]


def parts_of(scene: bpy.types.Scene, mover: Object) -> list[Object]:
    """All objects of a scene that are part of a character."""
    made = [each for each in scene.objects if each.get(TAG) == mover[TAG]]
    return [each for each in made if mover_of(each) == mover]


def pin(scene: bpy.types.Scene, crowd: Any, movers: Iterable[Object]) -> None:
    """Let characters keep what they do: the bake owns them no more, and everybody makes way for them."""
    for mover in movers:
        edit_of(crowd, mover[MADE_AS]).pinned = True
        for part in parts_of(scene, mover):
            part[PINNED] = mover[MADE_AS]


def let_go(scene: bpy.types.Scene, crowd: Any, people: Iterable[str], *, as_they_are: bool = False) -> None:
    """Give pinned characters back to the bake, which will replace them.

    Args:
        scene: the scene.
        crowd: their crowd's settings.
        people: their names.
        as_they_are: what was edited by hand counts as such still, and is asked about.
    """
    names = set(people)
    for part in [each for each in scene.objects if each.get(TAG) == crowd.uid and each.get(PINNED) in names]:
        del part[PINNED]
        for clip in _own_clips(part) if not as_they_are else ():
            clip.action[KEYS] = actions.digest(clip.action)
        if STRIP_KEYS in part and not as_they_are:
            part[STRIP_KEYS] = _strips_of(part)
    for name in names:
        edit_of(crowd, name).pinned = False
    drop_empty_edits(crowd)


def pinned_movers(scene: bpy.types.Scene, uid: str) -> dict[str, Object]:
    """The pinned characters of a crowd, by the people that they were; copies that the user has made do not count."""
    pinned = [each for each in scene.objects if each.get(TAG) == uid and PINNED in each]
    pinned.sort(key=distance_from_making, reverse=True)
    return {each[PINNED]: each for each in pinned if each.get(MADE_AS) == each[PINNED]}


def _edited_by_hand(parts: Iterable[Object]) -> list[Object]:
    """The characters, of some parts of such, whose keys are not those that the bake has written."""
    found: dict[Object, None] = {}
    known: dict[bpy.types.Action, bool] = {}
    for part in parts:
        for clip in _own_clips(part):
            if clip.action not in known:
                known[clip.action] = KEYS in clip.action and clip.action[KEYS] != actions.digest(clip.action)
            mover = mover_of(part) if known[clip.action] else None
            if mover is not None:
                found[mover] = None
        mover = mover_of(part) if _plays_at_other_times(part) else None
        if mover is not None:
            found[mover] = None
    return list(found)


def _plays_at_other_times(part: Object) -> bool:
    """Whether the keys by which its NLA strips play are not those that the bake has written."""
    return STRIP_KEYS in part and part[STRIP_KEYS] != _strips_of(part)


def _strips_of(part: Object) -> str | None:
    return actions.digest_of_strips(part.animation_data) if part.animation_data is not None else None


def keep_or_refuse(scene: bpy.types.Scene, crowds: Iterable[Any], edited: str) -> list[tuple[Any, list[str]]]:
    """Deal with characters whose keys were edited by hand, before a bake.

    Args:
        scene: the scene.
        crowds: settings of the crowds that are to be written.
        edited: `KEEP` pins them, `OVERWRITE` lets the bake replace them, `ASK` refuses.

    Returns:
        Who was pinned: crowds with the names of their people.

    Raises:
        EditedByHandError: there are such characters, and nobody has said what to do.
    """
    if edited == OVERWRITE:
        return []
    parts: defaultdict[str, list[Object]] = defaultdict(list)
    for part in scene.objects:
        parts[owner_of(part)].append(part)
    found = [(crowd, movers) for crowd in crowds if crowd.uid and (movers := _edited_by_hand(parts[crowd.uid]))]
    if found and edited == ASK:
        raise EditedByHandError(_told([mover.name for _, movers in found for mover in movers]))
    for crowd, movers in found:
        pin(scene, crowd, movers)
    return [(crowd, [mover[MADE_AS] for mover in movers]) for crowd, movers in found]


def _told(names: list[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    have = "has keys that were" if len(names) == 1 else "have keys that were"
    return f"{listed}{more} {have} edited by hand: choose whether to keep (pin) or to overwrite them"


def move_in_time(scene: bpy.types.Scene, mover: Object, frames: float) -> None:
    """Let all that a character does happen so many frames later."""
    moved: set[bpy.types.Action] = set()
    for part in parts_of(scene, mover):
        clip = actions.active_clip(part.animation_data)
        if clip is not None and TAG in clip.action and clip.action not in moved:
            moved.add(clip.action)
            for curve in actions.curves_of(clip):
                actions.shift_keys(curve, frames)
        nla_strips.shift(part.animation_data, frames)


def _own_clips(part: Object) -> Iterator[actions.Clip]:
    """The Actions of a part that a bake has made for it alone; the walk belongs to all."""
    animation = part.animation_data
    active = actions.active_clip(animation)
    clips = [active] if active is not None else []
    clips += [actions.Clip(action, None) for action in nla_strips.actions_in_own_time(animation)]
    yield from (clip for clip in clips if TAG in clip.action)
