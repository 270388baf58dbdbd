# SPDX-License-Identifier: GPL-3.0-or-later
"""Is the bake out of date? Changes are noted at once and cheaply; a moment later the scene is read and compared.

While the user drags, a handler only checks whether an input of the bake has moved or changed shape. After a moment
without edits, a timer reads the scene again and compares fingerprints, so that a change and its undo leave the bake up
to date. Scenes that are slow to read are read only when the user asks for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import bpy

from ...core.errors import FootfallError
from ..blender_data.evaluation import key_frames_per_frame
from ..blender_data.handlers import Handlers
from ..blender_data.redraw import redraw_panels, redraw_views
from ..characters.fingerprint import fingerprint_of
from ..reading import Reading, TerrainHeights, read_scene
from ..settings import bake_status
from ..settings.bake_status import Freshness
from ..settings.properties import change_events
from ..settings.scene_settings import FootfallCrowd, FootfallScene, has_bake, settings_of
from ..settings.values import values_of
from .pacing import PACING


@dataclass
class _Watch:
    """The known state of one scene.

    Attributes:
        objects: `session_uid` of every object that a bake depends on.
        settings: the values of all settings that a bake depends on.
        fingerprint: of the current scene, "" when it cannot be read, None when that is not known.
        changed: an input changed since `fingerprint` was last known.
        read_seconds: duration of the last reading [s], None before the first.
        latest: the last reading, though the scene may have changed since.
        baked: the last reading from which an existing bake was made.
        wanted: a reading is needed even if nothing is baked.
        heights: of the ground, kept from one reading to the next.
    """

    objects: frozenset[int]
    settings: tuple[Any, ...]
    fingerprint: str | None = None
    changed: bool = False
    read_seconds: float | None = None
    latest: Reading | None = None
    baked: Reading | None = None
    wanted: bool = False
    heights: TerrainHeights = field(default_factory=TerrainHeights)


when_judged: list[Callable[[], None]] = []  # called after bakes were compared
_watches: dict[int, _Watch] = {}
_last_event = 0.0
_is_watching = True


def freshness(crowd: FootfallCrowd) -> Freshness:
    """The state of this crowd's bake; cheap enough for drawing a panel."""
    if not crowd.baked:
        return Freshness.NOT_BAKED
    watch = _watch_of(crowd.id_data)  # ty: ignore[invalid-argument-type] - crowds are a scene's
    if watch.fingerprint is None:
        return Freshness.CHANGED if watch.changed else Freshness.NOT_COMPARED
    return Freshness.UP_TO_DATE if watch.fingerprint == crowd.baked else Freshness.OUT_OF_DATE


def worst_freshness(scene: bpy.types.Scene) -> Freshness:
    """The worst state of any crowd's bake; where some are baked, the others are out of date."""
    known = {freshness(crowd) for crowd in settings_of(scene).crowds}
    if len(known) > 1 and Freshness.NOT_BAKED in known:
        return Freshness.OUT_OF_DATE
    return max(known, key=lambda each: each.value, default=Freshness.NOT_BAKED)


def compare(scene: bpy.types.Scene) -> None:
    """Read the scene now, however long it takes, so that `freshness` knows.

    Raises:
        FootfallError: the scene cannot be baked as it is; its bakes count as out of date.
    """
    watch = _watch_of(scene)
    _look(watch, scene)
    _read(watch, scene)


def note_bake(scene: bpy.types.Scene, reading: Reading) -> None:
    """Note that a bake has just read the scene."""
    with _unwatched():
        watch = _watch_of(scene)
        _look(watch, scene)
    watch.fingerprint, watch.changed = reading.fingerprint, False
    watch.latest = watch.baked = reading


def latest_reading(scene: bpy.types.Scene) -> Reading | None:
    """The scene as it was last read; None: it is read a moment later, where that is quick."""
    watch = _watch_of(scene)
    if not watch.wanted:
        watch.wanted = True
        if watch.fingerprint is None:
            judge_soon()
    return watch.latest


def baked_reading(scene: bpy.types.Scene) -> Reading | None:
    """The reading that the bake was made from, though the scene may have changed since; None where it is not known."""
    watch = _watch_of(scene)
    for known in (watch.baked, watch.latest):
        if known is not None and any(crowd.baked == known.fingerprint for crowd in settings_of(scene).crowds):
            return known
    return None


def is_slow(scene: bpy.types.Scene) -> bool:
    """Whether the scene is read only when the user asks for it."""
    return not _is_quick(_watch_of(scene), scene)


def _watch_of(scene: bpy.types.Scene) -> _Watch:
    """The watch of a scene; that of a new scene is compared a moment later."""
    watch = _watches.get(scene.session_uid)
    if watch is None:
        watch = _Watch(frozenset(_input_uids(scene)), _settings_key(scene))
        _watches[scene.session_uid] = watch
        judge_soon()
    return watch


def _look(watch: _Watch, scene: bpy.types.Scene) -> None:
    """Note when settings or the set of inputs differ from the last check."""
    objects, settings = frozenset(_input_uids(scene)), _settings_key(scene)
    if (objects, settings) != (watch.objects, watch.settings):
        watch.objects, watch.settings = objects, settings
        _mark_changed(watch)


def _mark_changed(watch: _Watch) -> None:
    watch.changed, watch.fingerprint = True, None


def _read(watch: _Watch, scene: bpy.types.Scene) -> None:
    """Bring the watch up to date by reading the scene; a scene that cannot be read differs from its bake."""
    began = time.monotonic()
    watch.fingerprint = ""
    try:
        with _unwatched():
            watch.latest = read_scene(scene, watch.heights)
            watch.fingerprint = watch.latest.fingerprint
    finally:
        watch.changed = False
        watch.read_seconds = time.monotonic() - began
    if any(crowd.baked == watch.fingerprint for crowd in settings_of(scene).crowds):
        watch.baked = watch.latest


@contextmanager
def _unwatched() -> Generator[None]:
    """Ignore the updates that our own reading causes, now or as soon as it is done."""
    global _is_watching  # noqa: PLW0603 - handlers know of us only by this
    _is_watching = False
    try:
        yield
        bpy.context.view_layer.update()  # what is pending is ours; Blender would do it next anyway
    finally:
        _is_watching = True


# What a bake depends on


def _inputs(settings: FootfallScene) -> Iterator[bpy.types.Object]:
    """Every object that a bake depends on; some more than once."""
    objects = [settings.ground, settings.bounds]
    collections = [settings.obstacles, settings.crossings, settings.heroes]
    for crowd in settings.crowds:
        objects += [crowd.route, crowd.start, crowd.goal]
        collections.append(crowd.characters)
        objects += [crowd.presence.place, crowd.presence.look_at]
        collections.append(crowd.presence.places)
        for stop in crowd.stops:
            objects += [stop.place, stop.look_at, stop.awaited]
            collections.append(stop.places)
    for trigger in settings.triggers:
        objects += [trigger.zone, trigger.near, trigger.source, trigger.mark, trigger.to]
    yield from filter(None, objects)
    for hero in settings.heroes.all_objects if settings.heroes else ():
        yield from hero.children_recursive  # its body, wherever that is
    for collection in filter(None, collections):
        yield from _members(collection)


def _members(collection: bpy.types.Collection) -> Iterator[bpy.types.Object]:
    """The objects of a collection, and those of the collections that its empties show instances of."""
    for obj in collection.all_objects:
        yield obj
        if obj.instance_collection is not None:
            yield from _members(obj.instance_collection)  # Blender allows no collection to show itself


def _input_uids(scene: bpy.types.Scene) -> Iterator[int]:
    return (obj.session_uid for obj in _inputs(settings_of(scene)))


def _settings_key(scene: bpy.types.Scene) -> tuple[Any, ...]:
    """All values that a bake depends on beside the objects, to be compared with those of an earlier check."""
    render = scene.render
    timing = (scene.frame_start, scene.frame_end, render.fps, render.fps_base, key_frames_per_frame(scene))
    settings = settings_of(scene)
    return (
        *timing,
        scene.unit_settings.scale_length,
        *values_of(settings),
        *(fingerprint_of(crowd) for crowd in settings.crowds),
    )


# Comparing, when nothing is edited


def judge_soon() -> None:
    """Compare a moment after the last event; without a window nothing is compared."""
    global _last_event  # noqa: PLW0603
    _last_event = time.monotonic()
    if not (bpy.app.background or bpy.app.timers.is_registered(_judge_when_quiet)):
        bpy.app.timers.register(_judge_when_quiet, first_interval=PACING.quiet)


def _judge_when_quiet() -> float | None:
    """Compare, or return the time to wait [s]; None when done."""
    wait = PACING.quiet - (time.monotonic() - _last_event)
    if wait > 0 or _is_busy():
        return max(wait, PACING.quiet / 2)
    judge_all()
    for follow in when_judged:
        follow()
    return None


def judge_all() -> None:
    """Compare every scene that has a bake, or is wanted, and is quick to read; redraw the windows."""
    alive = {scene.session_uid: scene for scene in bpy.data.scenes}
    for uid in [uid for uid in _watches if uid not in alive]:
        del _watches[uid]
    for scene in alive.values():
        known = _watches.get(scene.session_uid)
        if not (has_bake(scene) or (known and known.wanted)):
            continue
        watch = _watch_of(scene)
        _look(watch, scene)
        if watch.fingerprint is None and _is_quick(watch, scene):
            with suppress(FootfallError):  # the watch now says that it differs; Bake reports what is wrong
                _read(watch, scene)
                redraw_views()
    redraw_panels()


def _is_quick(watch: _Watch, scene: bpy.types.Scene) -> bool:
    """Whether reading takes an unnoticeable time: by the last reading, or else by the size of the inputs."""
    if watch.read_seconds is not None:
        return watch.read_seconds < PACING.quick_reading
    meshes = [obj.data for obj in _inputs(settings_of(scene)) if isinstance(obj.data, bpy.types.Mesh)]
    vertices = sum(len(mesh.vertices) for mesh in meshes)
    return len(watch.objects) <= PACING.quick_objects and vertices <= PACING.quick_vertices


def _is_busy() -> bool:
    """The user is dragging something, watching a playback, or rendering."""
    windows = bpy.context.window_manager.windows
    return (
        any(len(window.modal_operators) or window.screen.is_animation_playing for window in windows)
        or bpy.app.is_job_running("RENDER")
        or bpy.app.is_job_running("OBJECT_BAKE")
    )


# Events of Blender


def _on_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Something was edited (playback does not come here): check whether it is an input."""
    watch = _watches.get(scene.session_uid)
    if watch is None or not _is_watching:
        return
    if any(map(depsgraph.id_type_updated, ("SCENE", "COLLECTION", "ACTION"))):
        judge_soon()  # frames, units, members of a collection, a walk: checked then
    for update in depsgraph.updates:
        moved = update.is_updated_transform or update.is_updated_geometry
        if moved and update.id.original.session_uid in watch.objects:
            _mark_changed(watch)
            judge_soon()
            return


def _on_history(*_: object) -> None:
    """Undo or redo: settings and baked crowds may have changed."""
    judge_soon()


def _on_load(*_: object) -> None:
    """Another file: nothing is known of it."""
    _watches.clear()
    judge_soon()


def _on_setting(scene: bpy.types.Scene) -> None:
    """A setting was changed in the panel, by a script or by a driver."""
    if scene.session_uid in _watches:
        _mark_changed(_watches[scene.session_uid])
        judge_soon()


_HANDLERS = Handlers(
    ("depsgraph_update_post", _on_update),
    ("undo_post", _on_history),
    ("redo_post", _on_history),
    ("load_post", _on_load),
)


def attach() -> None:
    """Start watching."""
    _HANDLERS.attach()
    change_events.setting_listeners.append(_on_setting)
    bake_status.judges.append(worst_freshness)


def detach() -> None:
    """Stop watching and forget all scenes."""
    _HANDLERS.detach()
    change_events.setting_listeners.remove(_on_setting)
    bake_status.judges.remove(worst_freshness)
    if bpy.app.timers.is_registered(_judge_when_quiet):
        bpy.app.timers.unregister(_judge_when_quiet)
    _watches.clear()
