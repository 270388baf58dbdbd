# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds objects that are hidden in the viewport, by themselves, by animation or by a collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy

_MOST_NAMED = 5


def find_hidden(scene: bpy.types.Scene, sources: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the objects that are hidden in the viewport.

    Args:
        scene: the scene; of its view layers the active one is used, or else the first.
        sources: any objects.

    Returns:
        Those of them that are hidden.
    """
    is_shown = bpy.context.scene == scene and bpy.context.view_layer is not None
    layer = bpy.context.view_layer if is_shown else scene.view_layers[0]
    shown = {each for collection in _shown(layer.layer_collection) for each in collection.objects}
    return [
        source for source in sources if source.hide_viewport or source not in shown or source.hide_get(view_layer=layer)
    ]


def _shown(layer: bpy.types.LayerCollection) -> Iterator[bpy.types.Collection]:
    """Return the visible collections; a hidden collection hides its children, an excluded one only itself."""
    if layer.hide_viewport or layer.collection.hide_viewport:
        return
    if not layer.exclude:
        yield layer.collection
    for child in layer.children:
        yield from _shown(child)


def hidden_obstacles_notice(hidden: Sequence[bpy.types.Object], around: bpy.types.Collection) -> str:
    """Compose the notice about hidden obstacles.

    Args:
        hidden: the obstacles, at least one.
        around: the obstacles' collection.

    Returns:
        A sentence that names them and their collections.
    """
    inside = {around, *around.children_recursive}
    holders = {f"'{each.name}'" for source in hidden for each in source.users_collection if each in inside}
    names = _listed([f"'{source.name}'" for source in hidden])
    places = f" (in {_listed(sorted(holders))})" if holders else ""
    if len(hidden) == 1:
        return f"{names}{places} is hidden but still an obstacle. Unmark it to ignore it."
    return f"{names}{places} are hidden but still obstacles. Unmark them to ignore them."


def _listed(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
