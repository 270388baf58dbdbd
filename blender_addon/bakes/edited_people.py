# SPDX-License-Identifier: GPL-3.0-or-later
"""Single people of a bake: pinned characters, which no bake changes; handwork; shifts in time.

A pinned character no longer belongs to the bake (see `ownership`) and is unchanged until it is released. In each bake
it is a hero, and the simulation leaves out the person that it replaces.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

import bpy

from ...core.errors import FootfallError
from ..blender_data import animation, fcurves, nla_strips
from ..blender_data.evaluation import key_frames_per_frame
from ..blender_data.object_references import carriers_of
from ..blender_data.tags import MADE_AS, PINNED, TAG
from ..settings.crowd.crowd import INSTANCES
from ..settings.crowd.edits import drop_empty_edits, edit_of, people_who
from ..settings.properties.identities import name_of
from . import handwork
from .aspects import VERSION, SharedParts
from .handwork import (
    AS_MADE,
    actions_of,
    carried_by,
    changes_by_hand,
    changes_of_action,
    is_of_this_version,
    note_as_made,
)
from .instance_crowds import PEOPLE_PROPERTY, people_made_real
from .ownership import NAMES, PARTS, bake_collection, check_removable, distance_from_making, owned_objects
from .rna_values import names_in_json

Object = bpy.types.Object

ASK, KEEP, OVERWRITE = "ASK", "KEEP", "OVERWRITE"
_MOST_NAMED = 3


class Handwork(NamedTuple):
    """What was changed by hand on one person.

    Attributes:
        crowd: settings of the crowd.
        person: its name in the bake.
        name: its name in the scene.
        what: what was changed, as users read it.
    """

    crowd: Any
    person: str
    name: str
    what: tuple[str, ...]


class EditedByHandError(FootfallError):
    """A bake would overwrite what was changed by hand.

    Attributes:
        found: people and what was changed.
    """

    def __init__(self, found: list[Handwork]) -> None:
        listed = [f"'{each.name}' ({', '.join(each.what)})" for each in found[:_MOST_NAMED]]
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        was = "was" if len(found) == 1 else "were"
        super().__init__(
            f"{', '.join(listed)}{more} {was} edited by hand: choose whether to keep (pin) or to overwrite them"
        )
        self.found = found


class Checked(NamedTuple):
    """What was found of the people of bakes that are to be replaced.

    Attributes:
        pinned: crowds, each with the names of its people who were pinned.
        unchanged: objects that are as the bake made them.
    """

    pinned: list[tuple[Any, list[str]]]
    unchanged: set[Object]


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
    list_handwork(scene, (), [crowd.uid])
    people = _parts_by_person(scene, crowd.uid)
    for mover in movers:
        edit_of(crowd, mover[MADE_AS]).pinned = True
        for part in {*parts_of(scene, mover), *people.get(mover[MADE_AS], ())}:
            part[PINNED] = mover[MADE_AS]


def let_go(scene: bpy.types.Scene, crowd: Any, people: Iterable[str], *, as_they_are: bool = False) -> None:
    """Return pinned characters to the bake, which will replace them.

    Args:
        scene: the scene.
        crowd: their crowd's settings.
        people: their names.
        as_they_are: what was changed by hand still counts as such, and the next bake asks about it.
    """
    list_handwork(scene, (), [crowd.uid])
    names = set(people)
    for part in [each for each in scene.objects if each.get(TAG) == crowd.uid and each.get(PINNED) in names]:
        del part[PINNED]
        if not as_they_are:
            handwork.let_go(part)
    for name in names:
        edit = edit_of(crowd, name)
        edit.pinned, edit.deleted = False, edit.deleted and not as_they_are
    drop_empty_edits(crowd)


def let_go_of_lost(scene: bpy.types.Scene, uids: Container[str]) -> None:
    """Unpin people of crowds with these identities whose pinned character the user has removed."""
    crowds: Any = scene.footfall.crowds  # ty: ignore[missing-attribute]
    for crowd in crowds:
        if crowd.uid in uids and (pinned := people_who(crowd, "pinned")):
            let_go(scene, crowd, pinned - pinned_movers(scene, crowd.uid).keys())


def pinned_movers(scene: bpy.types.Scene, uid: str) -> dict[str, Object]:
    """Return the pinned characters of a crowd by person; the user's copies do not count."""
    pinned = [each for each in scene.objects if each.get(TAG) == uid and PINNED in each]
    pinned.sort(key=distance_from_making, reverse=True)
    return {each[PINNED]: each for each in pinned if each.get(MADE_AS) == each[PINNED]}


def note_written(scene: bpy.types.Scene, uid: str, made: Iterable[Object]) -> None:
    """Record how objects were made, for `find_handwork`, and which belong to the same person.

    Args:
        scene: where the bake is shown.
        uid: identity of the crowd.
        made: the new objects of its bake.
    """
    shared = SharedParts()
    for each in made:
        note_as_made(each, shared)
    collection = bake_collection(scene, uid)
    if collection is not None:
        collection[PARTS] = json.dumps(_titles_now(scene, uid))
        names = json.loads(collection.get(NAMES, "{}"))  # of pinned people, of older versions
        names[VERSION] = names.get(VERSION, {}) | shared.names(VERSION)
        collection[NAMES] = json.dumps(names)


def _titles_now(scene: bpy.types.Scene, uid: str) -> dict[str, list[str]]:
    """Return the names in the bake of each person's objects, by who moves them now."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for each in owned_objects(scene, uid):
        found[(mover_of(each) or each)[MADE_AS]].append(each[MADE_AS])
    return found


def _titles_by_person(scene: bpy.types.Scene, uid: str) -> dict[str, list[str]]:
    """Return the names in the bake of each person's objects, as they were made; without a record, those there are."""
    collection = bake_collection(scene, uid)
    if collection is not None and PARTS in collection:
        return json.loads(collection[PARTS])
    return _titles_now(scene, uid)


def _parts_by_person(scene: bpy.types.Scene, uid: str) -> dict[str, list[Object]]:
    """Return each person's objects that are still there, by the person's name in the bake."""
    owned = {each[MADE_AS]: each for each in owned_objects(scene, uid)}
    titles = _titles_by_person(scene, uid)
    return {person: [owned[title] for title in own if title in owned] for person, own in titles.items()}


def successors_of(scene: bpy.types.Scene, uid: str, made: Mapping[str, Object]) -> dict[str, Object]:
    """Return what replaces each object of a bake: a part of the same name, or of the same type, or else the mover.

    Args:
        scene: where the bake is shown.
        uid: identity of the crowd.
        made: the objects of the next bake, by their intended names.
    """
    found, old = dict(made), {each[MADE_AS]: each for each in owned_objects(scene, uid)}
    for person, titles in _titles_by_person(scene, uid).items():
        lost = [title for title in titles if title in old and title not in made]
        if lost and person in made:
            own = [made[person], *(each for title, each in made.items() if title.startswith(f"{person} "))]
            found |= {title: next((each for each in own if each.type == old[title].type), own[0]) for title in lost}
    return found


def forget_written(scene: bpy.types.Scene, uid: str, people: Iterable[str]) -> None:
    """Drop people whom Footfall itself removes from the record of a bake, so that they do not count as deleted."""
    collection = bake_collection(scene, uid)
    if collection is not None and PARTS in collection:
        gone = set(people)
        kept = {person: parts for person, parts in json.loads(collection[PARTS]).items() if person not in gone}
        collection[PARTS] = json.dumps(kept)


def find_handwork(scene: bpy.types.Scene, crowd: Any, untouched: Container[str] = ()) -> list[Handwork]:
    """Find what was changed by hand on the people of a crowd's bake since it was made.

    People who were hidden, deleted or pinned by the panel are no handwork; nor is a bake of which nothing is left.

    Args:
        scene: the scene.
        crowd: settings of the crowd.
        untouched: people of whom it only matters that all of their objects are there.
    """
    return _check(scene, crowd, untouched)[0]


def _check(scene: bpy.types.Scene, crowd: Any, untouched: Container[str]) -> tuple[list[Handwork], set[Object]]:
    """As `find_handwork`; and the objects that were found to be as the bake made them."""
    owned = {each[MADE_AS]: each for each in owned_objects(scene, crowd.uid)}
    if not owned:
        return [], set()
    find, carried = _Finder(scene, crowd.uid), carried_by(owned.values())
    known = people_who(crowd, "hidden") | people_who(crowd, "deleted") | people_who(crowd, "pinned")
    found = []
    for person, titles in _titles_by_person(scene, crowd.uid).items():
        if person in known or (person in owned and handwork.is_let_go(owned[person])):
            continue
        what = dict.fromkeys(
            what
            for title in titles
            for what in (
                [_deleted(title, person)]
                if title not in owned
                else find.changes(owned[title])
                if person not in untouched
                else ()
            )
        )
        if carried and not find.will_be_there(crowd, person):
            own = [owned[title] for title in titles if title in owned]
            what |= dict.fromkeys(f"carries '{each.name}'" for each in carried if each.parent in own)
        if what:
            name = owned[person].name if person in owned else name_of(crowd, person)
            found.append(Handwork(crowd, person, name, tuple(what)))
    return found, find.unchanged


class _Finder:
    """Finds what was changed on the objects of a bake; what they share is looked up once.

    Attributes:
        unchanged: objects that were looked at and are as the bake made them, in every aspect.
    """

    def __init__(self, scene: bpy.types.Scene, uid: str) -> None:
        self.unchanged: set[Object] = set()
        collection = bake_collection(scene, uid)
        self._is_recorded = collection is not None and PARTS in collection
        stored = json.loads(collection.get(NAMES, "{}")) if collection is not None else {}
        self._shared = SharedParts({version: names_in_json(names) for version, names in stored.items()})
        self._crowds_of_instances = {each[MADE_AS] for each in owned_objects(scene, uid) if PEOPLE_PROPERTY in each}
        self._made_real = {role.title for role in people_made_real(scene, uid)}
        self._actions: dict[bpy.types.Action, list[str]] = {}
        is_any_of_the_user = any(TAG not in each for each in scene.objects)
        self._everywhere = _properties_of_all(scene.objects) if is_any_of_the_user else ()

    def changes(self, part: Object) -> list[str]:
        """Return what was changed on an object."""
        if AS_MADE not in part and not self._is_recorded:
            return []
        played = actions_of(part)
        for action in played:
            if action not in self._actions:
                self._actions[action] = changes_of_action(action)
        found = [what for action in played for what in self._actions[action]]
        found += changes_by_hand(part, self._shared, self._everywhere)
        if not found and not self._everywhere and is_of_this_version(part):
            self.unchanged.add(part)
        return found

    def will_be_there(self, crowd: Any, person: str) -> bool:
        """Whether the next bake may make an object for a person, as far as settings tell."""
        if person in self._crowds_of_instances or crowd.makes == INSTANCES:
            return crowd.makes == INSTANCES and person in self._crowds_of_instances | self._made_real
        return int(person.rpartition(" ")[2]) <= crowd.count


def _properties_of_all(objects: Iterable[Object]) -> set[str]:
    """Return the custom properties that each of some objects has, at least one: mostly none, which is soon known."""
    found: set[str] | None = None
    for each in objects:
        found = set(each.keys()) if found is None else found.intersection(each.keys())
        if not found:
            break
    return found or set()


def _deleted(title: str, person: str) -> str:
    return "deleted" if title == person else f"deleted '{title}'"


def list_handwork(scene: bpy.types.Scene, found: Iterable[Handwork], uids: Container[str]) -> None:
    """Show in the panel who was edited by hand, in the place of what it shows of crowds with these identities."""
    listed: Any = scene.footfall.handwork  # ty: ignore[missing-attribute]
    for index in reversed(range(len(listed))):
        if listed[index].crowd in uids:
            listed.remove(index)
    for each in found:
        line = listed.add()
        line.name, line.what, line.crowd = each.name, ", ".join(each.what), each.crowd.uid


def keep_or_refuse(
    scene: bpy.types.Scene, crowds: Iterable[Any], edited: str, left: Mapping[str, Container[str]] | None = None
) -> Checked:
    """Handle people who were edited by hand, before a bake.

    Args:
        scene: the scene.
        crowds: settings of the crowds that are to be written.
        edited: `KEEP` pins them, and leaves out who was deleted; `OVERWRITE` lets the bake replace them; `ASK` refuses.
        left: by identity of the crowd, people whom the bake leaves as they are: nothing that was changed on them is
            lost, and they need not be looked at.

    Returns:
        The pinned people; and what was found to be unchanged.

    Raises:
        EditedByHandError: there are such people, and `edited` is `ASK`.
        FootfallError: some of them cannot be pinned, or a bake cannot be removed, see `check_removable`.
    """
    crowds = [crowd for crowd in crowds if crowd.uid]
    for crowd in crowds:
        check_removable(scene, crowd.uid)
    if edited == OVERWRITE:
        return Checked([], set())
    checked = [_check(scene, crowd, (left or {}).get(crowd.uid, ())) for crowd in crowds]
    found = [each for handwork, _ in checked for each in handwork]
    if found and edited == ASK:
        list_handwork(scene, found, [crowd.uid for crowd in crowds])
        raise EditedByHandError(found)
    kept = []
    for crowd in crowds:
        people = [each for each in found if each.crowd == crowd]
        if people:
            owned = {each[MADE_AS]: each for each in owned_objects(scene, crowd.uid)}
            kept.append((crowd, {each.person: owned.get(each.person) for each in people}))
            for each in people:
                _check_pinnable(each, owned.get(each.person))
    for crowd, movers in kept:
        pin(scene, crowd, [mover for mover in movers.values() if mover is not None])
        for person in (person for person, mover in movers.items() if mover is None):
            edit_of(crowd, person).deleted = True
    unchanged = {each for _, unchanged in checked for each in unchanged}
    return Checked([(crowd, list(movers)) for crowd, movers in kept], unchanged)


def _check_pinnable(handwork: Handwork, mover: Object | None) -> None:
    if handwork.crowd.drives or (mover is not None and PEOPLE_PROPERTY in mover):
        kind = "a vehicle" if handwork.crowd.drives else "a crowd of instances"
        raise FootfallError(
            f"'{handwork.name}' ({', '.join(handwork.what)}) is {kind}, which cannot be pinned: make a copy of it to "
            "keep what you changed, then overwrite it"
        )


def move_in_time(scene: bpy.types.Scene, mover: Object, frames: float) -> None:
    """Shift all animation of a character by a number of frames of the scene."""
    frames *= key_frames_per_frame(scene)
    moved: set[bpy.types.Action] = set()
    for part in parts_of(scene, mover):
        clip = animation.active_clip(part.animation_data)
        if clip is not None and TAG in clip.action and clip.action not in moved:
            moved.add(clip.action)
            for curve in animation.curves_of(clip):
                fcurves.shift_keys(curve, frames)
        nla_strips.shift(part.animation_data, frames)
