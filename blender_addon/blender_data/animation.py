# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions and their F-curves: the one file that knows where they live in each Blender.

Up to 4.3 an Action holds its F-curves itself. From 4.4 on they lie in a channelbag: one per slot, in a strip of a
layer. From 5.0 on nothing else is left. An animated data-block then needs the Action and the slot, or nothing plays.
Keys are written in bulk, some twenty times faster than `keyframe_insert`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, reduce
from operator import xor
from typing import Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

KEYS = "footfall_keys"
"""Custom property of an Action: the digest of the keys that were written into it."""

STRIP_KEYS = "footfall_strip_keys"
"""Custom property of an object: the digest of the keys by which its NLA strips play, as they were written."""

CONSTANT, LINEAR = "CONSTANT", "LINEAR"
SMOOTH, PLAIN = "CONT_ACCEL", "NONE"
"""Handles that keep the acceleration continuous over all keys, as new curves have them; and each by its neighbours."""

_HANDLES = "co", "handle_left", "handle_right"
_INTERPOLATION_NUMBERS = {CONSTANT: 0, LINEAR: 1}
_HAS_SLOTS = bpy.app.version >= (4, 4, 0)


class Channel(NamedTuple):
    """The keys of one F-curve.

    Attributes:
        data_path: of the animated property.
        index: which component of it.
        frames: (K,) frame numbers, increasing.
        values: (K,) values there.
        interpolation: `LINEAR` or `CONSTANT`, from each key to the next.
    """

    data_path: str
    index: int
    frames: ArrayLike
    values: ArrayLike
    interpolation: str = LINEAR


class Clip(NamedTuple):
    """An Action, and which of its slots is meant; up to Blender 4.3 there are no slots and `slot` is None."""

    action: Any  # bpy.types.Action, whose members differ between versions
    slot: Any


def new_clip(name: str, channels: Iterable[Channel], *, group: str) -> Clip:
    """Make an Action for one object; none stays when that fails.

    Args:
        name: of the Action and of its slot.
        channels: what it animates.
        group: name of the channel group under which editors show the F-curves.
    """
    action = bpy.data.actions.new(name)
    with _whole_or_removed(action):
        action[KEYS] = _digest_of([])
        clip = Clip(action, action.slots.new(id_type="OBJECT", name=name) if _HAS_SLOTS else None)
        add_channels(clip, channels, group=group)
    return clip


@contextmanager
def _whole_or_removed(action: bpy.types.Action) -> Generator[None]:
    """Remove an Action that nobody knows of yet when something fails."""
    try:
        yield
    except BaseException:
        bpy.data.actions.remove(action)
        raise


def add_channels(clip: Clip, channels: Iterable[Channel], *, group: str, handles: str = SMOOTH) -> None:
    """Add F-curves to an Action; those that it already has for the same properties are replaced.

    Args:
        clip: the Action.
        channels: what it is to animate.
        group: name of the channel group under which editors show the F-curves.
        handles: how Blender lays handles, of which linear keys make no use: `SMOOTH` or `PLAIN`.
    """
    bag = _ensure_bag(clip)
    changed = []
    for channel in channels:
        old = bag.fcurves.find(channel.data_path, index=channel.index)
        if old is not None:
            changed.append(_digest_of_curve(old))
            bag.fcurves.remove(old)  # and its group with it, when it was the last in it
        curve = bag.fcurves.new(channel.data_path, index=channel.index)
        curve.group = bag.groups.get(group) or bag.groups.new(group)
        if handles != SMOOTH:
            curve.auto_smoothing = handles
        places = write_keys(curve, channel.frames, channel.values, channel.interpolation)
        changed.append(_digest_of_channel(channel, places))
    if KEYS in clip.action:
        clip.action[KEYS] = _digest_of([int(clip.action[KEYS], 16), *changed])


def write_keys(
    curve: bpy.types.FCurve, frames: ArrayLike, values: ArrayLike, interpolation: str = LINEAR
) -> NDArray[np.float32]:
    """Fill an F-curve that has no keys yet, all keys at once.

    Args:
        curve: the F-curve.
        frames: (K,) frame numbers, increasing.
        values: (K,) values there.
        interpolation: `LINEAR` or `CONSTANT`.

    Returns:
        float32 (K, 2), frames and values as they were written.
    """
    places = _places(frames, values)
    count = len(places)
    points = curve.keyframe_points
    points.add(count)
    points.foreach_set("co", places.ravel())
    points.foreach_set("interpolation", _joined(count, interpolation))
    curve.update()
    return places


def _places(frames: ArrayLike, values: ArrayLike) -> NDArray[np.float32]:
    """Float32 (K, 2), frames and values as F-curves have them."""
    places = np.empty((np.size(values), 2), dtype=np.float32)
    places[:, 0] = frames
    places[:, 1] = values
    return places


@lru_cache(maxsize=64)
def _joined(count: int, interpolation: str) -> NDArray[np.uint8]:
    """How each of some keys is joined to the next, as Blender counts it; not to be changed.

    Bytes are what Blender has itself: of any other type it would make a Python number for each key.
    """
    return np.full(count, _INTERPOLATION_NUMBERS[interpolation], dtype=np.uint8)


def assign_clip(block: bpy.types.Object, clip: Clip) -> None:
    """Let a data-block play an Action as its active one."""
    animation = block.animation_data or block.animation_data_create()
    animation.action = clip.action
    if _HAS_SLOTS:
        animation.action_slot = clip.slot


def add_strip(track: bpy.types.NlaTrack, name: str, clip: Clip, first_frame: int) -> bpy.types.NlaStrip:
    """Put an Action into an NLA track, from a frame on."""
    strip = track.strips.new(name, first_frame, clip.action)
    if _HAS_SLOTS:
        strip.action_slot = clip.slot
    return strip


def add_strip_of(track: bpy.types.NlaTrack, name: str, clip: Clip, first_frame: int, last_frame: int) -> None:
    """Put a part of an Action into an NLA track where it lies, seen nowhere else; parts must come in order."""
    strip = add_strip(track, name, clip, first_frame)
    strip.action_frame_start, strip.action_frame_end = first_frame, last_frame
    strip.frame_start, strip.frame_end = first_frame, last_frame
    strip.extrapolation = "NOTHING"


def curves_of(clip: Clip) -> list[bpy.types.FCurve]:
    """The F-curves of an Action, of its slot only."""
    if not _HAS_SLOTS:
        return list(clip.action.fcurves)
    return [curve for bag in _bags(clip) for curve in bag.fcurves]


def _quick_curves_of(clip: Clip) -> Iterator[bpy.types.FCurve]:
    """The same, to read their keys: several times as fast since Blender 4.4, see `copy_with_keys`."""
    if not _HAS_SLOTS:
        yield from clip.action.fcurves
        return
    for bag in _bags(clip):
        for curve in bag.fcurves:
            found = bag.fcurves.find(curve.data_path, index=curve.array_index)
            yield found if found == curve else curve  # there are files with two of a kind


def keys_of(clip: Clip) -> Iterator[tuple[bpy.types.FCurve, NDArray[np.float32]]]:
    """The F-curves of a clip, each with its keys: float32 (3, 2 K), points and both handles, frame before value."""
    for curve in _quick_curves_of(clip):
        yield curve, read_handles(curve)


def read_handles(curve: bpy.types.FCurve) -> NDArray[np.float32]:
    """The keys of an F-curve: float32 (3, 2 K), points and both handles, frame before value."""
    keys = np.empty((3, 2 * len(curve.keyframe_points)), dtype=np.float32)
    for row, name in zip(keys, _HANDLES, strict=True):
        curve.keyframe_points.foreach_get(name, row)
    return keys


def shift_keys(curve: bpy.types.FCurve, frames: float, *, drift: float | None = None) -> None:
    """Move all keys of an F-curve.

    Args:
        curve: the F-curve.
        frames: so many frames later.
        drift: of the value by each frame, which is then taken out from frame 0 on; None: values stay.
    """
    keys = read_handles(curve)
    keys[:, 0::2] += frames
    if drift is not None:
        keys[:, 1::2] -= drift * keys[:, 0::2]
    for row, name in zip(keys, _HANDLES, strict=True):
        curve.keyframe_points.foreach_set(name, row)
    curve.update()


def digest(action: bpy.types.Action) -> str:
    """What tells the keys of an Action from edited ones: of all its curves, where keys are and how they are joined."""
    return _digest_of(_digest_of_curve(curve) for clip in clips_of_action(action) for curve in _quick_curves_of(clip))


def digest_with_handles(clip: Clip) -> str:
    """What tells all keys of a clip from others: by the handles, too, it moves otherwise between Bezier keys."""
    told = hashlib.blake2b(digest_size=16)
    for curve, keys in keys_of(clip):
        joined = np.empty(keys.shape[1] // 2, dtype=np.uint8)
        curve.keyframe_points.foreach_get("interpolation", joined)
        plays = f"{curve.mute} {len(curve.modifiers)} {curve.extrapolation}"
        told.update(f"{curve.data_path}[{curve.array_index}] {plays}".encode())
        told.update(keys.tobytes())
        told.update(joined.tobytes())
    return told.hexdigest()


def written_digest(action: bpy.types.Action) -> str:
    """The digest of an Action that is as it was written: known from the writing, where it was made by `new_clip`."""
    return action.get(KEYS) or digest(action)


def _digest_of(curves: Iterable[int]) -> str:
    """One digest of those of curves, in whatever order: once more of the same curve takes it away."""
    return f"{reduce(xor, curves, 0):032x}"


def _digest_of_curve(curve: bpy.types.FCurve) -> int:
    points = curve.keyframe_points
    places = np.empty(2 * len(points), dtype=np.float32)
    joined = np.empty(len(points), dtype=np.uint8)  # as Blender has it, see `_joined`
    points.foreach_get("co", places)
    points.foreach_get("interpolation", joined)
    path = curve.data_path
    if curve.mute or len(curve.modifiers):  # as no bake makes them
        path = f"{path} {curve.mute} {len(curve.modifiers)}"
    if curve.extrapolation != CONSTANT:  # before the first key and after the last one
        path = f"{path} {curve.extrapolation}"
    return _digest_of_keys(path, curve.array_index, places, joined)


def digest_of_strips(animation: bpy.types.AnimData | None) -> str:
    """What tells the keys by which strips play, of their time and influence, from edited ones."""
    tracks = animation.nla_tracks if animation is not None else ()
    strips = [strip for track in tracks for strip in track.strips]
    told = hashlib.blake2b(digest_size=16)
    for number, strip in enumerate(strips):
        curves: Any = strip.fcurves
        for curve in curves:
            found = curves.find(curve.data_path)  # several times as fast to read, see `copy_with_keys`
            told.update(f"{number} {_digest_of_curve(found):x}".encode())
    return told.hexdigest()


def name_slot(clip: Clip, name: str) -> None:
    """Name the slot of a clip, where there are slots."""
    if clip.slot is not None:
        clip.slot.name_display = name


def slot_of(clip: Clip) -> str | None:
    """What the slot of a clip is known by in its Action; None where there are no slots."""
    return clip.slot.identifier if clip.slot is not None else None


def _digest_of_channel(channel: Channel, places: NDArray[np.float32]) -> int:
    """The digest of a channel's curve, in which keys have these places."""
    joined = _joined(len(places), channel.interpolation)
    return _digest_of_keys(channel.data_path, channel.index, places, joined)


def _digest_of_keys(path: str, index: int, places: NDArray[np.float32], joined: NDArray[np.uint8]) -> int:
    told = _begun_digest(path, index).copy()
    told.update(places)
    told.update(joined)
    return int.from_bytes(told.digest(), "little")


@lru_cache(maxsize=1024)
def _begun_digest(path: str, index: int) -> Any:
    """A digest that knows of which property it is, to be copied."""
    return hashlib.blake2b(f"{path}[{index}]".encode(), digest_size=16)


def copy_with_keys(clip: Clip, channels: Sequence[Channel]) -> Clip | None:
    """An Action with the curves of another one, and with keys of its own in them; its names are those of a copy.

    That costs about half of what new curves do: the groups, and how keys are joined, are copied all at once.

    Args:
        clip: the other one.
        channels: for each curve of `clip` as many keys, joined as there.

    Returns:
        The Action; None, and none is made, where the other one has not just these curves with so many keys (any more).
    """
    copy = copy_clip(clip)
    with _whole_or_removed(copy.action):
        changed = _put_keys(copy, channels)
        if changed is not None:
            copy.action[KEYS] = _digest_of(changed)
            return copy
    bpy.data.actions.remove(copy.action)
    return None


def _put_keys(clip: Clip, channels: Sequence[Channel]) -> list[int] | None:
    """Move the keys of the curves that there are; their digests, or None where curves or keys are others."""
    curves, changed = _ensure_bag(clip).fcurves, []
    if len(curves) != len(channels):
        return None
    for channel in channels:
        # found, and not taken from a list: since 4.4 that is slower with every key, which knows from which list it came
        curve = curves.find(channel.data_path, index=channel.index)
        places = _places(channel.frames, channel.values)
        if curve is None or len(curve.keyframe_points) != len(places):
            return None
        curve.keyframe_points.foreach_set("co", places.ravel())
        curve.update()
        changed.append(_digest_of_channel(channel, places))
    return changed


def copy_clip(clip: Clip) -> Clip:
    """An Action of the same content in this file, also of one that is linked from a library."""
    action = clip.action.copy()
    action.pop(KEYS, None)  # who copies means to change it
    if not _HAS_SLOTS:
        return Clip(action, None)
    return Clip(action, next(slot for slot in action.slots if slot.handle == clip.slot.handle))


def active_clip(animation: bpy.types.AnimData | None) -> Clip | None:
    """The active Action of a data-block, or None; without a slot it plays nothing, and counts as none."""
    if animation is None or animation.action is None:
        return None
    if not _HAS_SLOTS:
        return Clip(animation.action, None)
    return Clip(animation.action, animation.action_slot) if animation.action_slot is not None else None


def clips_in_strips(animation: bpy.types.AnimData | None) -> list[Clip]:
    """What the strips of a data-block's NLA tracks play, from the bottom up."""
    tracks = animation.nla_tracks if animation is not None else ()
    strips: list[Any] = [strip for track in tracks for strip in track.strips if strip.action is not None]
    if not _HAS_SLOTS:
        return [Clip(strip.action, None) for strip in strips]
    return [Clip(strip.action, strip.action_slot) for strip in strips if strip.action_slot is not None]


def clips_of_action(action: bpy.types.Action) -> list[Clip]:
    """An Action once for each of its slots that objects may use."""
    if not _HAS_SLOTS:
        return [Clip(action, None)]
    return [Clip(action, slot) for slot in action.slots if slot.target_id_type in {"OBJECT", "UNSPECIFIED"}]


def _bags(clip: Clip) -> Sequence[Any]:
    strips = [strip for layer in clip.action.layers for strip in layer.strips if strip.type == "KEYFRAME"]
    bags = [strip.channelbag(clip.slot) for strip in strips]
    return [bag for bag in bags if bag is not None]


def _ensure_bag(clip: Clip) -> Any:
    if not _HAS_SLOTS:
        return clip.action
    action = clip.action
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(clip.slot, ensure=True)
