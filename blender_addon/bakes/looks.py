# SPDX-License-Identifier: GPL-3.0-or-later
"""What the next bake takes over of its predecessor without a question.

Collections, selection, what the eye hides, and how objects are shown in the viewport.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import bpy

from ..blender_data.tags import MADE_AS
from .handwork import display_by_hand
from .ownership import bake_collection, owned_objects, tree_of, trees_of_others

_Collections = dict[str, set[bpy.types.Collection]]
_Looks = dict[str, dict[str, tuple[bool, bool, bool]]]


class Looks(NamedTuple):
    """How the objects of a bake are shown, by their intended names.

    Attributes:
        collections: those that hold an object, where the user has chosen them.
        views: by view layer: whether an object is selected, active and hidden.
        displays: properties of the viewport display that were changed by hand, and their values.
    """

    collections: _Collections
    views: _Looks
    displays: dict[str, dict[str, Any]]


def remember(scene: bpy.types.Scene, uid: str) -> Looks:
    """Return how the objects of a crowd's bake are shown."""
    own = owned_objects(scene, uid)
    displays = {each[MADE_AS]: found for each in own if (found := display_by_hand(each))}
    return Looks(_collections_by_hand(scene, uid, own), _views(scene, own), displays)


def restore(scene: bpy.types.Scene, objects: Mapping[str, bpy.types.Object], looks: Looks) -> None:
    """Show new objects as their predecessors of the same intended names were."""
    _put_into(objects, looks.collections)
    _give_views(scene, objects, looks.views)
    for name, display in looks.displays.items():
        for key, value in display.items() if name in objects else ():
            setattr(objects[name], key, value)


def _collections_by_hand(scene: bpy.types.Scene, uid: str, objects: Iterable[bpy.types.Object]) -> _Collections:
    """Return the collections that hold objects of a crowd's bake, by intended name, where the user has chosen them."""
    own = {each: each[MADE_AS] for each in objects}
    found = defaultdict(set)
    for collection in tree_of(scene) | (set(bpy.data.collections) - trees_of_others(scene)):
        for each in collection.objects:
            if each in own:
                found[own[each]].add(collection)
    bake = bake_collection(scene, uid)
    return {name: collections for name, collections in found.items() if collections != {bake}}


def _views(scene: bpy.types.Scene, objects: Iterable[bpy.types.Object]) -> _Looks:
    """Return which objects of a crowd's bake are selected, active and hidden, by view layer and intended name."""
    found: _Looks = {}
    for layer in scene.view_layers:
        for each in objects:
            look = (
                each.select_get(view_layer=layer),
                layer.objects.active == each,
                each.hide_get(view_layer=layer),
            )
            if any(look):
                found.setdefault(layer.name, {})[each[MADE_AS]] = look
    return found


def _give_views(
    scene: bpy.types.Scene,
    objects: Mapping[str, bpy.types.Object],
    looks: _Looks,
) -> None:
    """Select, activate and hide objects as their predecessors were."""
    for layer in scene.view_layers:
        if layer.name in looks:
            layer.update()  # only then it holds what was linked
        for name, (is_selected, is_active, is_hidden) in looks.get(layer.name, {}).items():
            new = objects.get(name)
            if new is not None and new.name in layer.objects:
                new.select_set(is_selected, view_layer=layer)
                new.hide_set(is_hidden, view_layer=layer)
                if is_active:
                    layer.objects.active = new


def _put_into(objects: Mapping[str, bpy.types.Object], collections: _Collections) -> None:
    """Link objects to these collections and no others, both by intended names."""
    for name, wanted in collections.items():
        if name in objects:
            for collection in {*objects[name].users_collection, *wanted}:
                is_there = objects[name].name in collection.objects
                if is_there != (collection in wanted):
                    (collection.objects.unlink if is_there else collection.objects.link)(objects[name])
