# SPDX-License-Identifier: GPL-3.0-or-later
"""The reading room: a scene of our own in which Blender evaluates what is read, while the user's stays as it is.

Objects are linked into it for a moment, whatever hides them from the user, and the frame is set there. Its dependency
graph is never made the active one, so nothing that is evaluated is written back: a value that the user has moved but
not keyed survives. Handlers of frame changes are held back, as they would see a scene that they know nothing of.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, cast

import bpy

_NAME = "Footfall reading"
_HELD_BACK = ("frame_change_pre", "frame_change_post", "depsgraph_update_pre", "depsgraph_update_post")
_USES_CHILDREN = ("VERTS", "FACES")


class ReadingRoom:
    """A temporary scene and what was brought into it."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        self._scene = bpy.data.scenes.new(_NAME)
        self._made: list[bpy.types.ID] = []
        self._waiting: list[bpy.types.Object] = []
        _copy_settings(scene, self._scene)

    def bring(self, source: bpy.types.Object) -> bpy.types.Object:
        """Have an object evaluated here, with all that it depends on.

        Args:
            source: any object; it may be hidden, excluded, or in edit mode.

        Returns:
            The object itself, or a copy that stands in for it where it could not be evaluated as it is.
        """
        if source.mode == "EDIT":
            return self.copy(source, with_data=True)
        if source.hide_viewport:
            return self.copy(source)
        if source.instance_type in _USES_CHILDREN:
            self._waiting += source.children  # Blender instances only those children that share a scene with it
        self._waiting.append(source)
        return source

    def copy(self, source: bpy.types.Object, *, with_data: bool = False) -> bpy.types.Object:
        """Have a copy of an object evaluated here, free to be changed.

        Args:
            source: any object.
            with_data: copy its mesh or curve as well, as it is edited at this moment.

        Returns:
            The copy, shown whatever hides its source.
        """
        if with_data and source.mode == "EDIT":
            source.update_from_editmode()
        stand_in = source.copy()
        self._made.append(stand_in)
        stand_in.hide_viewport = False
        if with_data and source.data is not None:
            stand_in.data = source.data.copy()
            self._made.append(stand_in.data)
        self._waiting.append(stand_in)
        return stand_in

    def follow(self, source: bpy.types.Object) -> bpy.types.Object:
        """Have only the place of an object evaluated here, not its shape.

        Args:
            source: any object.

        Returns:
            An empty whose world matrix is that of the object.
        """
        follower = bpy.data.objects.new(_NAME, None)
        self._made.append(follower)
        follower.parent = source
        self._waiting.append(follower)
        return follower

    def evaluate(self, frame: int) -> bpy.types.Depsgraph:
        """Evaluate all that is here at a frame.

        Args:
            frame: frame number.

        Returns:
            The dependency graph; what it holds is valid until the next call.
        """
        if self._waiting:
            collection = bpy.data.collections.new(_NAME)
            self._made.append(collection)
            for item in dict.fromkeys(self._waiting):
                collection.objects.link(item)
            self._scene.collection.children.link(collection)  # last: a linked collection is looked through at each link
            self._waiting.clear()
        self._scene.frame_set(frame)
        return cast("bpy.types.Depsgraph", self._scene.view_layers[0].depsgraph)

    def close(self) -> None:
        """Remove the scene and every copy."""
        # Not `scenes.remove`: up to Blender 4.3 it crashes where there is no window, as in `blender --command`.
        bpy.data.batch_remove([self._scene, *self._made])


@contextmanager
def reading_room(scene: bpy.types.Scene) -> Generator[ReadingRoom]:
    """Open a reading room beside a scene, and leave no trace of it whatever happens inside.

    Args:
        scene: whose frame rate, range and units hold in the room.

    Yields:
        The room.
    """
    with _quiet_handlers():
        room = ReadingRoom(scene)
        try:
            yield room
        finally:
            room.close()


def metres_per_unit(scene: bpy.types.Scene) -> float:
    """How long one Blender unit is in a scene [m]; without a unit system it is one metre."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else float(settings.scale_length)


def _copy_settings(source: bpy.types.Scene, target: bpy.types.Scene) -> None:
    render = source.render
    target.render.fps, target.render.fps_base = render.fps, render.fps_base
    target.render.frame_map_old, target.render.frame_map_new = render.frame_map_old, render.frame_map_new
    target.frame_end, target.frame_start = source.frame_end, source.frame_start
    target.unit_settings.system = source.unit_settings.system
    target.unit_settings.scale_length = source.unit_settings.scale_length
    target.use_gravity, target.gravity = source.use_gravity, source.gravity


@contextmanager
def _quiet_handlers() -> Generator[None]:
    lists: Iterable[list[Any]] = [getattr(bpy.app.handlers, name) for name in _HELD_BACK]
    kept = [list(handlers) for handlers in lists]
    for handlers in lists:
        handlers.clear()
    try:
        yield
    finally:
        for handlers, previous in zip(lists, kept, strict=True):
            handlers[:] = previous
