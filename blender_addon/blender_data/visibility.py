# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects the user does not see, whatever hides them: the eye, the monitor, or a collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy

_LISTED = 5


def unseen(scene: bpy.types.Scene, sources: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Objects that are hidden in the viewport.

    Args:
        scene: the scene; of its view layers the one that is shown counts, or else the first.
        sources: any objects.

    Returns:
        Those of them that are not shown.
    """
    is_shown = bpy.context.scene == scene and bpy.context.view_layer is not None
    layer = bpy.context.view_layer if is_shown else scene.view_layers[0]
    shown = {each for collection in _shown(layer.layer_collection) for each in collection.objects}
    return [
        source for source in sources if source.hide_viewport or source not in shown or source.hide_get(view_layer=layer)
    ]


def _shown(layer: bpy.types.LayerCollection) -> Iterator[bpy.types.Collection]:
    """The collections that are shown; one that is hidden hides those in it, one that is excluded only itself."""
    if layer.hide_viewport or layer.collection.hide_viewport:
        return
    if not layer.exclude:
        yield layer.collection
    for child in layer.children:
        yield from _shown(child)


def hidden_but_in_the_way(hidden: Sequence[bpy.types.Object], around: bpy.types.Collection) -> str:
    """Tell the user of obstacles that he does not see.

    Args:
        hidden: the obstacles, one at least.
        around: the obstacles' collection.

    Returns:
        One sentence that names them and their collections.
    """
    inside = {around, *around.children_recursive}
    holders = {f"'{each.name}'" for source in hidden for each in source.users_collection if each in inside}
    names = _listed([f"'{source.name}'" for source in hidden])
    places = f" (in {_listed(sorted(holders))})" if holders else ""
    if len(hidden) == 1:
        return f"{names}{places} is hidden but stands in the way all the same; unmark it if it shall not."
    return f"{names}{places} are hidden but stand in the way all the same; unmark them if they shall not."


def _listed(names: Sequence[str]) -> str:
    if len(names) > _LISTED:
        return f"{', '.join(names[:_LISTED])} and {len(names) - _LISTED} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
