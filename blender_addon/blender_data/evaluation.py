# SPDX-License-Identifier: GPL-3.0-or-later
"""A temporary scene in which Blender evaluates objects, while the user's scene is unchanged.

Objects are linked into it for a moment, whatever hides them from the user, and the frame is set there. Its dependency
graph is never the active one, so evaluated values are not written back: a value that the user has changed but not keyed
is kept. Handlers of frame changes are disabled meanwhile, as they do not know this scene.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any, cast

import bpy

_NAME = "Footfall reading"
_DISABLED_HANDLERS = ("frame_change_pre", "frame_change_post", "depsgraph_update_pre", "depsgraph_update_post")
_USES_CHILDREN = ("VERTS", "FACES")


class EvaluationScene:
    """A temporary scene and the objects linked into it."""

    def __init__(self, scene: bpy.types.Scene, *, remapped: bool = True) -> None:
        self._scene = bpy.data.scenes.new(_NAME)
        self._made: list[bpy.types.ID] = []
        self._waiting: list[bpy.types.Object] = []
        _copy_settings(scene, self._scene, remapped=remapped)

    def bring(self, source: bpy.types.Object) -> bpy.types.Object:
        """Evaluate an object in this scene, with everything that it depends on.

        Args:
            source: any object; it may be hidden, excluded, or in edit mode.

        Returns:
            The object itself, or a copy to read instead where the object itself could not be evaluated.
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
        """Evaluate a copy of an object in this scene, which may be changed.

        Args:
            source: any object.
            with_data: copy its mesh or curve as well, with the changes of a running edit mode.

        Returns:
            The copy, which is visible whatever hides its source.
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
        """Evaluate only the transform of an object in this scene, not its shape.

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
        """Evaluate all objects of this scene at a frame.

        Args:
            frame: frame number.

        Returns:
            The dependency graph, valid until the next call.
        """
        if self._waiting:
            collection = bpy.data.collections.new(_NAME)
            self._made.append(collection)
            for item in dict.fromkeys(self._waiting):
                collection.objects.link(item)
            self._scene.collection.children.link(collection)  # last: linking to a linked collection is slower
            self._waiting.clear()
        self._scene.frame_set(frame)
        return cast("bpy.types.Depsgraph", self._scene.view_layers[0].depsgraph)

    def watch(self, mover: bpy.types.Object, armature: bpy.types.Object) -> Callable[[int], bpy.types.Object]:
        """Evaluate an armature in this scene, with the object that moves it, which may be the same.

        Returns:
            What evaluates it at a frame; each is valid until the next.
        """
        self.bring(mover)
        seen = self.bring(armature)
        return lambda frame: seen.evaluated_get(self.evaluate(frame))

    def close(self) -> None:
        """Remove the scene and every copy."""
        # Not `scenes.remove`: up to Blender 4.3 it crashes where there is no window, as in `blender --command`.
        bpy.data.batch_remove([self._scene, *self._made])


@contextmanager
def evaluation_scene(scene: bpy.types.Scene, *, remapped: bool = True) -> Generator[EvaluationScene]:
    """Provide a temporary scene for evaluation, which is removed afterwards, also after an error.

    Args:
        scene: provides frame rate, range and units.
        remapped: also its Time Remapping; without it, frames are those of keys.

    Yields:
        The temporary scene.
    """
    with _quiet_handlers():
        evaluation = EvaluationScene(scene, remapped=remapped)
        try:
            yield evaluation
        finally:
            evaluation.close()


SLOWEST_KEYS = 0.02
"""At fewer frames of keys in a frame, Blender would merge the keys of frames: it does so within 0.01 frames."""


def key_frames_per_frame(scene: bpy.types.Scene) -> float:
    """Return by how many frames of keys a scene advances in a frame: 1 without Time Remapping (Output > Frame Range).

    What is to be seen at frame 10 of the scene needs its key at 10 times this.
    """
    return scene.render.frame_map_old / scene.render.frame_map_new


def hold_still(mover: bpy.types.Object) -> None:
    """Keep an object at the origin in its rotation by constraints, which come after all keys."""
    place, turn = (mover.constraints.new(kind) for kind in ("LIMIT_LOCATION", "LIMIT_ROTATION"))
    for axis, angle in zip("xyz", mover.rotation_euler[:], strict=True):
        setattr(place, f"use_min_{axis}", True)
        setattr(place, f"use_max_{axis}", True)
        setattr(turn, f"use_limit_{axis}", True)
        setattr(turn, f"min_{axis}", angle)
        setattr(turn, f"max_{axis}", angle)


def frames_per_second(scene: bpy.types.Scene) -> float:
    """Return the frame rate of a scene with its base."""
    return scene.render.fps / scene.render.fps_base


def metres_per_unit(scene: bpy.types.Scene) -> float:
    """Return the length of one Blender unit in a scene [m]; without a unit system it is one metre."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else float(settings.scale_length)


def _copy_settings(source: bpy.types.Scene, target: bpy.types.Scene, *, remapped: bool) -> None:
    render = source.render
    target.render.fps, target.render.fps_base = render.fps, render.fps_base
    if remapped:
        target.render.frame_map_old, target.render.frame_map_new = render.frame_map_old, render.frame_map_new
    target.frame_end, target.frame_start = source.frame_end, source.frame_start
    target.unit_settings.system = source.unit_settings.system
    target.unit_settings.scale_length = source.unit_settings.scale_length
    target.use_gravity, target.gravity = source.use_gravity, source.gravity


@contextmanager
def _quiet_handlers() -> Generator[None]:
    lists: Iterable[list[Any]] = [getattr(bpy.app.handlers, name) for name in _DISABLED_HANDLERS]
    kept = [list(handlers) for handlers in lists]
    for handlers in lists:
        handlers.clear()
    try:
        yield
    finally:
        for handlers, previous in zip(lists, kept, strict=True):
            handlers[:] = previous
