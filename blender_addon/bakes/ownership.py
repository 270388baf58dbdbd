# SPDX-License-Identifier: GPL-3.0-or-later
"""Records which data-blocks belong to a bake, and removes these and nothing else.

Everything that a bake makes has two custom properties: the identity of its crowd, which survives renaming, and its
intended name, which identifies the person; where that name was taken, a third property holds the name it got. A copy
that the user makes of a baked object has these properties too, but another name: it is the user's, and is kept, as is
everything that the user puts into the bake's collection. An object that the user renames keeps its name in the next
bake, which recognises it by the third property. A fourth property stores that name, in each bake and before the file is
saved: it distinguishes the object from its copies in a reopened file, where the order of creation is lost.

Copied scenes share the identity, and perhaps the objects. What another scene shows is never removed from the file, only
from this scene.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import bpy

from ...core.errors import FootfallError
from ..blender_data.object_references import seen_by_scenes
from ..blender_data.tags import MADE_AS, PINNED, SHARED, TAG, without_number
from ..figures.figure import remove_unused_figures
from .handwork import AS_MADE, blocks_by_hand_kept, carried_by, note_action

NAMED = "footfall_named"
SHOWN_AS = "footfall_shown_as"
PARTS = "footfall_parts"  # of the bake's collection, see `edited_people`
NAMES = "footfall_names"  # of the bake's collection, see `rna_values`
REASONS = "footfall_reasons"  # of the bake's collection, see `stored_reasons`
_COPY = ""  # value of `SHOWN_AS` of copies, when the file was saved


def tag(block: bpy.types.ID, uid: str, name: str, given: str = "") -> None:
    """Mark a data-block as made by the bake of a crowd.

    Args:
        block: the data-block.
        uid: identity of the crowd.
        name: its intended name, which may be taken or too long.
        given: the name that the bake would give it, where it takes over the user's name of its predecessor.
    """
    block[TAG] = uid
    block[MADE_AS] = name
    block.pop(NAMED, None)
    if (actual := given or block.name) != name:
        block[NAMED] = actual
    _store_name(block)


def _store_name(block: bpy.types.ID) -> None:
    """Store the name of a baked data-block where it differs from the name that the bake gave it."""
    block.pop(SHOWN_AS, None)
    if not _has_baked_name(block):
        block[SHOWN_AS] = block.name


def untag(block: bpy.types.ID) -> None:
    """Make a data-block the user's own."""
    for key in (TAG, MADE_AS, NAMED, SHOWN_AS, REASONS, SHARED, PARTS, NAMES, AS_MADE):
        if key in block:
            del block[key]


def is_baked(scene: bpy.types.Scene, uid: str) -> bool:
    """Whether a scene shows a bake of a crowd."""
    return bool(uid) and any(_is_tagged(each, uid) for each in scene.objects)


def owned_objects(scene: bpy.types.Scene, uid: str) -> list[bpy.types.Object]:
    """Return the objects of a scene that the bake of a crowd made, whatever their collection and name."""
    by_first_name = defaultdict(list)
    for each in scene.objects:
        if _is_tagged(each, uid):
            by_first_name[each.get(MADE_AS)].append(each)
    return [min(alike, key=distance_from_making) if len(alike) > 1 else alike[0] for alike in by_first_name.values()]


def note_names(scene: bpy.types.Scene, uids: Container[str]) -> None:
    """Store the names of crowds' baked data-blocks, and which are copies, as a reopened file cannot tell."""
    alike = defaultdict(list)
    for each in [*scene.objects, *tree_of(scene)]:
        if (uid := owner_of(each)) in uids:
            alike[type(each), uid, each.get(MADE_AS)].append(each)
    for first, *copies in (sorted(several, key=distance_from_making) for several in alike.values()):
        if copies and first.name != first.get(SHOWN_AS, _name_given(first)):
            _store_name(first)
        for each in copies:
            each[SHOWN_AS] = _COPY


def owner_of(block: bpy.types.ID) -> str:
    """Return the identity of a data-block's crowd; empty where it is pinned, linked or overridden."""
    uid = block.get(TAG, "")
    is_foreign = PINNED in block or block.library or block.override_library
    return "" if is_foreign or not isinstance(uid, str) else uid


def _is_tagged(block: bpy.types.ID, uid: str) -> bool:
    return block.get(TAG) == uid == owner_of(block)


def distance_from_making(baked: bpy.types.ID) -> tuple[bool, bool, bool, int]:
    """Rank an object among its copies: the baked one has its stored name, or its first one, or else is the oldest."""
    given = _name_given(baked)
    shown = baked.get(SHOWN_AS, given)
    return shown == _COPY, baked.name != shown, baked.name != given, baked.session_uid


def _name_given(baked: bpy.types.ID) -> str:
    """Return the name that the bake gave a data-block."""
    return baked.get(NAMED, baked.get(MADE_AS, ""))


def _has_baked_name(baked: bpy.types.ID) -> bool:
    return baked.name == _name_given(baked)


def names_by_hand(scene: bpy.types.Scene, uid: str) -> dict[str, str]:
    """Return the user's names of objects of a crowd's bake, by their intended names.

    A number that Blender has added to a name, mostly when a scene was copied, is not the user's.
    """
    return {each[MADE_AS]: name for each in owned_objects(scene, uid) if (name := _name_by_hand(each))}


def _name_by_hand(baked: bpy.types.Object) -> str:
    """Return the user's name of an object; empty where it has the name that the bake gave it."""
    stem, shown = without_number(baked.name), baked.get(SHOWN_AS, baked.name)
    if stem == without_number(_name_given(baked)):
        return ""
    # In a copied scene the same person has the name without the number.
    other = bpy.data.objects.get(stem)
    if other is not None and other != baked and all(other.get(key) == baked[key] for key in (TAG, MADE_AS)):
        return stem
    has_new_number = baked.name not in {stem, shown} and stem == without_number(shown)
    return shown if has_new_number else baked.name


def bake_collection(scene: bpy.types.Scene, uid: str) -> bpy.types.Collection | None:
    """Return the collection of a crowd's bake in a scene, or None."""
    return min((each for each in tree_of(scene) if _is_tagged(each, uid)), key=distance_from_making, default=None)


def check_removable(scene: bpy.types.Scene, uid: str) -> None:
    """Check that a bake can be removed from this scene without changing another.

    Raises:
        FootfallError: it is being edited, or is in a collection that another scene uses too.
    """
    for each in owned_objects(scene, uid):
        if each.mode != "OBJECT":
            raise FootfallError(f"'{each.name}' is being edited: go back to Object Mode first")
        if each.animation_data is not None and each.animation_data.use_tweak_mode:
            raise FootfallError(f"'{each.name}' is in Tweak Mode: leave it in the NLA editor first")
    shared = trees_of_others(scene)
    held = [parent for each in _owned_and_shared(scene, uid, shared) for parent in _parents(scene, each)]
    for parent in held:
        if parent in shared:
            others = [other.name for other in bpy.data.scenes if other != scene and parent in tree_of(other)]
            raise FootfallError(
                f"the bake is in the collection '{parent.name}', which the scene '{others[0]}' also uses: move "
                f"the bake's own collection out of '{parent.name}' first"
            )


def clear(scene: bpy.types.Scene, uid: str) -> list[str]:
    """Remove the bake of a crowd from a scene, and from the file where no other scene shows it.

    Args:
        scene: the scene.
        uid: identity of the crowd.

    Returns:
        Notices about what was kept.

    Raises:
        FootfallError: see `check_removable`; nothing was removed.
    """
    notices = remove_objects(scene, uid)
    collection = bake_collection(scene, uid)
    if collection is not None:
        notices += _release_contents(scene, collection)
        bpy.data.collections.remove(collection)
    return [*notices, *remove_unused_figures()]


def owned_alone(scene: bpy.types.Scene, uid: str) -> dict[str, bpy.types.Object]:
    """Return the objects of a crowd's bake in the bake's collection, by their intended names.

    Empty where another scene shows any part of the bake.
    """
    collection = bake_collection(scene, uid)
    if collection is None or _owned_and_shared(scene, uid, trees_of_others(scene)):
        return {}
    inside = set(collection.objects)
    return {each[MADE_AS]: each for each in owned_objects(scene, uid) if each in inside}


def remove_objects(
    scene: bpy.types.Scene,
    uid: str,
    *,
    but: Iterable[bpy.types.Object] = (),
    unchanged: Container[bpy.types.Object] = (),
) -> list[str]:
    """Remove the objects of a bake from a scene, with all data that only they used; the bake's collection is kept.

    Args:
        scene: the scene.
        uid: identity of the crowd.
        but: objects that are kept.
        unchanged: those known to be as the bake made them.

    Returns:
        Notices about what was kept.

    Raises:
        FootfallError: see `check_removable`; nothing was removed.
    """
    check_removable(scene, uid)
    notices = []
    elsewhere = _objects_of_others(scene)
    own = [each for each in owned_objects(scene, uid) if each not in elsewhere]  # before copies could be taken for them
    for shared in _owned_and_shared(scene, uid, trees_of_others(scene)):
        if isinstance(shared, bpy.types.Collection):
            notices += _release_contents(scene, shared)
        for parent in _parents(scene, shared):
            _members(parent, shared).unlink(shared)
    kept = set(but)
    gone = [each for each in own if each not in kept]
    notices += [f"'{each.name}' was parented to '{each.parent.name}': it keeps its place" for each in carried_by(gone)]
    with blocks_by_hand_kept(gone, unchanged):
        bpy.data.batch_remove(gone)
    _free_copies(scene, uid, kept)
    _remove_unused(uid)
    return notices


def hand_over(scene: bpy.types.Scene, uid: str, successors: Mapping[str, bpy.types.Object]) -> None:
    """Redirect the user's references to baked objects, e.g. a camera's constraint, to the objects that replace them.

    The collections keep the old objects until these are removed, as a copy of a removed object would be taken for it.

    Args:
        scene: the scene.
        uid: identity of the crowd.
        successors: the new objects, by the intended names of the old ones.
    """
    if not successors:
        return
    in_other_scenes = _objects_of_others(scene)
    old = {each for each in owned_objects(scene, uid) if each not in in_other_scenes}
    containers = (bpy.types.Collection, bpy.types.Scene)
    users_of = bpy.data.user_map(subset=list(old))
    collections = [*bpy.data.collections, *(each.collection for each in bpy.data.scenes)]
    links = Counter(each for collection in collections for each in collection.objects)
    seen = seen_by_scenes()
    for each in old:
        successor = successors.get(each.get(MADE_AS, ""))
        users = users_of.get(each, ())
        is_used = each in seen or any(user not in old and not isinstance(user, containers) for user in users)
        is_used = is_used or each.users > links[each]  # in a custom property of a collection or a scene
        if successor is not None and is_used:
            collections = each.users_collection
            each.user_remap(successor)
            for collection in collections:
                collection.objects.unlink(successor)
                collection.objects.link(each)


def adopt(
    scene: bpy.types.Scene,
    uid: str,
    name: str,
    made: Sequence[tuple[bpy.types.ID, str]],
    *,
    called: Mapping[str, str],
    by_hand: Mapping[str, str],
) -> None:
    """Make data-blocks the bake of a crowd, name them, and link the objects to the scene.

    Args:
        scene: the scene; of an old bake it contains only what is kept.
        uid: identity of the crowd.
        name: of the bake's collection. The collection of an old bake is used again, with the name that the user has
            given it.
        made: data-blocks, each with its intended name.
        called: other names to give, by intended name.
        by_hand: the user's names of objects, by intended name, see `names_by_hand`.
    """
    given = {title: called.get(title, title) for title in by_hand}
    for block, title in made:
        wanted = called.get(title, title)
        if isinstance(block, bpy.types.Object):
            wanted = by_hand.get(title, wanted)
        if block.name != wanted:
            block.name = wanted
    collection = bake_collection(scene, uid)
    if collection is None:
        collection = bpy.data.collections.new(name)
        scene.collection.children.link(collection)
        tag(collection, uid, name)
    elif _has_baked_name(collection):
        collection.name = name
        tag(collection, uid, name)
    else:
        _store_name(collection)
    placed = _placed_objects()
    for block, title in made:
        tag(block, uid, title, given.get(title, "") if isinstance(block, bpy.types.Object) else "")
        if isinstance(block, bpy.types.Action):
            note_action(block)
        if isinstance(block, bpy.types.Object) and block not in placed:
            placed.add(block)
            collection.objects.link(block)


def _placed_objects() -> set[bpy.types.Object]:
    """Return all objects in any collection; `users_collection` of one object searches them all as well."""
    collections = [*bpy.data.collections, *(scene.collection for scene in bpy.data.scenes)]
    return {each for collection in collections for each in collection.objects}


def _owned_and_shared(scene: bpy.types.Scene, uid: str, shared: set[bpy.types.Collection]) -> list[Any]:
    """Return the parts of a bake that another scene shows too: its collection, and objects moved out of it."""
    collections = [each for each in tree_of(scene) if _is_tagged(each, uid) and each in shared]
    elsewhere = _objects_of_others(scene)
    if not collections and not elsewhere:
        return []
    inside = {each for collection in collections for each in collection.all_objects}
    return [*collections, *(each for each in owned_objects(scene, uid) if each in elsewhere and each not in inside)]


def tree_of(scene: bpy.types.Scene) -> set[bpy.types.Collection]:
    """Return all collections of a scene, its own one first of all."""
    return {scene.collection, *scene.collection.children_recursive}


def trees_of_others(scene: bpy.types.Scene) -> set[bpy.types.Collection]:
    """Return all collections of the other scenes."""
    return {each for other in bpy.data.scenes if other != scene for each in tree_of(other)}


def _objects_of_others(scene: bpy.types.Scene) -> set[bpy.types.Object]:
    return {each for other in bpy.data.scenes if other != scene for each in other.objects}


def _parents(scene: bpy.types.Scene, member: Any) -> list[bpy.types.Collection]:
    """Return the collections of a scene that contain an object or a collection directly."""
    return [each for each in tree_of(scene) if member in set(_members(each, member))]


def _members(collection: bpy.types.Collection, kind: Any) -> Any:
    """Return the child collections or the objects of a collection, by the type of `kind`."""
    return collection.children if isinstance(kind, bpy.types.Collection) else collection.objects


def _free_copies(scene: bpy.types.Scene, uid: str, kept: set[bpy.types.Object]) -> None:
    """Untag the user's copies of baked objects and collections."""
    own = bake_collection(scene, uid)
    for copy in [*scene.objects, *tree_of(scene)]:
        if _is_tagged(copy, uid) and copy != own and copy not in kept:
            untag(copy)


def _release_contents(scene: bpy.types.Scene, collection: bpy.types.Collection) -> list[str]:
    """Move what the user has put into a bake's collection to the scene's own collection."""
    uid = collection[TAG]
    owned = set(owned_objects(scene, uid))
    elsewhere = {each for other in tree_of(scene) if other != collection for each in other.objects}
    names = []
    for each in collection.objects:
        if each not in owned and each not in elsewhere:
            scene.collection.objects.link(each)
            names.append(each.name)
    for child in collection.children:
        if child.name not in scene.collection.children:
            scene.collection.children.link(child)
            names.append(child.name)
    if not names:
        return []
    listed = ", ".join(f"'{name}'" for name in names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return [f"{listed} in '{collection.name}' did not belong to the bake: moved to the scene's own collection"]


def _remove_unused(uid: str) -> None:
    """Remove unused data-blocks of a bake, and of what crowds share, until all that are left are used."""
    data = bpy.data
    kinds = (data.node_groups, data.collections, data.objects, data.meshes, data.armatures, data.actions)
    found = True
    while found:
        found = False
        for kind in (*kinds, data.materials):  # each type after its users, mostly
            unused = [each for each in kind if not each.users and owner_of(each) in {uid, each.get(SHARED, uid)}]
            bpy.data.batch_remove(unused)
            found = found or bool(unused)
